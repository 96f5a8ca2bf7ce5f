"""A simulated recording as a stream of recorded items: packets as the radio would have delivered them, and the entries
of a therapist."""

from __future__ import annotations

from rehabcount.domain.motion import Packet
from rehabcount.domain.update import CalibrationAsked, Phase, PhaseName, Posed, Recorded, Said
from rehabcount.sensors.encode import encode
from rehabcount.simulate.recording import LAYOUT, Recording

CALIBRATED_AFTER_S = 0.1  # after the calibration, counting begins


def packets_of(recording: Recording) -> list[Packet]:
    """All packets in the order of their arrival."""
    packets = [packet for samples in recording.samples.values() for packet in encode(samples, LAYOUT)]
    return sorted(packets, key=lambda packet: (packet.received_ns, packet.sensor))


def items_of(recording: Recording) -> list[Recorded]:
    """The packets, and the entries of a therapist: calibrating, the steps of the calibration, counting."""
    packets = packets_of(recording)
    start_ns = packets[0].received_ns
    said = [Said(Phase(PhaseName.CALIBRATING, 0.0), start_ns)]
    done_s = recording.span("calibration", "done")[1]
    done_ns = start_ns + round((done_s + CALIBRATED_AFTER_S) * 1e9)
    said.append(Said(CalibrationAsked(calibration_steps(recording), 0.0), done_ns))
    said.append(Said(Phase(PhaseName.COUNTING, 0.0), done_ns))
    return sorted([*said, *packets], key=lambda item: item.received_ns)  # a stable sort: entries before packets


def calibration_steps(recording: Recording) -> tuple[Posed, ...]:
    """When the simulated patient went through the steps of docs/body-axes.md."""
    pose_end_s = recording.span("calibration", "still")[1]
    moves = (Posed(step, *recording.span("calibration", step), recording.side) for step in ("elbow", "forearm"))
    # The body settles into the pose; the last two and a half seconds are the stillest.
    return (Posed("still", pose_end_s - 2.6, pose_end_s - 0.1), *moves)

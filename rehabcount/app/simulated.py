"""A simulated recording becomes a session file: packets as the radio would have brought them, labels as reference.

The one place where the simulation meets packet layouts and the store.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from rehabcount.domain.motion import Packet
from rehabcount.domain.update import CalibrationAsked, Phase, Posed, Recorded, Said
from rehabcount.sensors.encode import encode
from rehabcount.simulate.recording import LAYOUT, Recording
from rehabcount.store.packets import Origin
from rehabcount.store.session_file import SessionFile

REFERENCE_LAYER = "reference"
DOCUMENT = "simulation"
PACKETS_AT_ONCE = 5000  # a transaction each
CALIBRATED_AFTER_S = 0.1  # the therapist looks up, and counting begins


def packets_of(recording: Recording) -> list[Packet]:
    """All packets in the order of their arrival."""
    packets = [packet for samples in recording.samples.values() for packet in encode(samples, LAYOUT)]
    return sorted(packets, key=lambda packet: (packet.received_ns, packet.sensor))


def items_of(recording: Recording) -> list[Recorded]:
    """The packets, and what a therapist would have said: calibrating, these were the steps, now count."""
    packets = packets_of(recording)
    start_ns = packets[0].received_ns
    said = [Said(Phase("calibrating", 0.0), start_ns)]
    done_s = recording.span("calibration", "done")[1]
    done_ns = start_ns + round((done_s + CALIBRATED_AFTER_S) * 1e9)
    said.append(Said(CalibrationAsked(calibration_steps(recording), 0.0), done_ns))
    said.append(Said(Phase("counting", 0.0), done_ns))
    return sorted([*said, *packets], key=lambda item: item.received_ns)  # a stable sort: said first


def calibration_steps(recording: Recording) -> tuple[Posed, ...]:
    """When the simulated patient went through the steps of docs/body-axes.md."""
    pose_end_s = recording.span("calibration", "still")[1]
    moves = (Posed(step, *recording.span("calibration", step), recording.side) for step in ("elbow", "forearm"))
    # The body settles into the pose; the last two and a half seconds are the stillest.
    return (Posed("still", pose_end_s - 2.6, pose_end_s - 0.1), *moves)


def save(recording: Recording, path: Path) -> None:
    """Write the recording; an existing file of that name is refused by the store."""
    with SessionFile.create(path, recording.rig, origin=Origin(0, None)) as session:
        left = iter(items_of(recording))
        while block := list(islice(left, PACKETS_AT_ONCE)):
            session.append(block)
        session.add_segments(REFERENCE_LAYER, recording.segments)
        session.put_document(DOCUMENT, describe_recording(recording))
        session.close_session()


def describe_recording(recording: Recording) -> dict[str, object]:
    """What the file says about where it came from; `stretches` holds activities, calibration movements and episodes."""
    subject = recording.subject
    return {
        "name": recording.name,
        "subject": subject.name,
        "group": subject.group,
        "settings": subject.settings,
        "score": subject.score,
        "side": recording.side.value,
        "activity": recording.activity,
        "length_s": round(recording.length_s, 3),
        "device": subject.device.name,
        "stretches": [
            {"kind": s.kind, "name": s.name, "start_s": round(s.start_s, 3), "end_s": round(s.end_s, 3)}
            for s in recording.stretches
        ],
    }

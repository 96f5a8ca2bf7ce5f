"""What recording nine sensors costs, as a share of one core.

A feeder passes on nine packets every 10 ms, once to a Recorder and once to a plain list. The limit applies to the
processor time of the whole process while recording, feeder and flushing to disk included. The difference to the control
is the cost of recording itself (small, and noisy on a busy machine).
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rehabcount.cli.console import output, print_json, progress
from rehabcount.domain.document import to_document
from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Side, make_rig
from rehabcount.store.recorder import Recorder
from rehabcount.store.session_file import SessionFile

SENSORS = 9
RATE_HZ = 100
PAYLOAD_BYTES = 63  # the longest notification of the supported devices at this rate
ALLOWED_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class RecordingCost:
    seconds: float
    packets: int
    recording_cpu_s: float  # of the whole process
    control_cpu_s: float
    file_bytes: int

    @property
    def share_of_core(self) -> float:
        """At most this share of a core goes into recording."""
        return self.recording_cpu_s / self.seconds

    @property
    def net_share_of_core(self) -> float:
        """The same without what the feeder takes anyway."""
        return (self.recording_cpu_s - self.control_cpu_s) / self.seconds


def measure_recording(seconds: float, folder: Path | None, as_json: bool) -> None:
    cost = measure(seconds, folder)
    if as_json:
        shares = {"share_of_core": cost.share_of_core, "net_share_of_core": cost.net_share_of_core}
        print_json({**to_document(cost), **shares, "allowed_share_of_core": ALLOWED_SHARE})
        return
    output.print(
        f"{cost.packets} packets in {cost.seconds:.0f} s took {cost.share_of_core:.1%} of a core (allowed: "
        f"{ALLOWED_SHARE:.0%}; without the feeder {cost.net_share_of_core:.1%}) and "
        f"{cost.file_bytes / cost.packets:.0f} bytes a packet.",
        highlight=False,
    )


def measure(seconds: float, folder: Path | None = None) -> RecordingCost:
    """Records for `seconds`, then runs the control for as long."""
    rig = make_rig("nine", Side.LEFT, "bench", RATE_HZ)
    with tempfile.TemporaryDirectory(dir=folder) as inside, progress() as bar:
        path = Path(inside) / "bench.rehab"
        SessionFile.create(path, rig).close()
        task = bar.add_task("Recording", total=round(2 * seconds * RATE_HZ))

        def on_tick() -> None:
            bar.advance(task)

        started_s = time.process_time()
        with Recorder(path) as recorder:
            packets = _feed(rig.names, recorder.accept, seconds, on_tick)
        recording_cpu_s = time.process_time() - started_s
        file_bytes = path.stat().st_size
        kept: list[Packet] = []
        started_s = time.process_time()
        _feed(rig.names, kept.append, seconds, on_tick)
        control_cpu_s = time.process_time() - started_s
    return RecordingCost(seconds, packets, recording_cpu_s, control_cpu_s, file_bytes)


def _feed(
    names: tuple[str, ...], on_packet: Callable[[Packet], None], seconds: float, on_tick: Callable[[], None]
) -> int:
    """Hands over a packet of every sensor, paced in real time; returns how many packets."""
    started = time.monotonic()
    ticks = round(seconds * RATE_HZ)
    for i in range(ticks):
        time.sleep(max(0.0, started + i / RATE_HZ - time.monotonic()))
        for name in names:
            on_packet(Packet(name, i.to_bytes(PAYLOAD_BYTES, "big"), time.monotonic_ns()))
        on_tick()
    return ticks * len(names)

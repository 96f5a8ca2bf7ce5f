"""A simulated patient in place of a real one: virtual sensors deliver packets at their own pace into a session file.

`play` runs in a thread of its own, as a radio does, and hands packets to the recorder; whoever wants to see something
follows the record. A simulated patient's truth is known, and shown as such.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.text import Text

from rehabcount.app.simulated import REFERENCE_LAYER, describe_recording, packets_of
from rehabcount.domain.labels import PRODUCT
from rehabcount.domain.motion import Packet
from rehabcount.domain.sequence import Segment
from rehabcount.simulate.cohort import Subject, make_cohort
from rehabcount.simulate.recording import Recording, simulate_session
from rehabcount.store.recorder import Recorder
from rehabcount.store.session_file import SessionFile

RIBBON_S, CELL_S = 24.0, 0.4  # the last stretch of time that the ribbon shows, and what one character stands for


def demo_patient(seed: int) -> Subject:
    """A moderately impaired patient of the simulated cohort; another seed, another one."""
    patients = [subject for subject in make_cohort(seed) if subject.group == "test"]
    return patients[seed % len(patients)]


def demo_recording(seed: int, seconds: float, rig: str) -> Recording:
    """A session of that patient, at least as long as asked for."""
    return simulate_session(demo_patient(seed), max(0.5, seconds / 60), seed, rig=rig)


@contextlib.contextmanager
def playing(recording: Recording, path: Path, seconds: float, speed: float | None) -> Iterator[threading.Event]:
    """Record the first `seconds` into a new session file, at that speed, while the block runs.

    Yields an event that ends whoever follows the record, too, if set.
    """
    packets = packets_of(recording)
    start_ns = packets[0].received_ns
    packets = [packet for packet in packets if packet.received_ns - start_ns < seconds * 1e9]
    with SessionFile.create(path, recording.rig) as session:
        session.add_segments(REFERENCE_LAYER, [s for s in recording.segments if s.start_s < seconds])
        session.put_document("simulation", describe_recording(recording))
    stop = threading.Event()
    recorder = Recorder(path)
    radio = threading.Thread(target=_deliver, args=(packets, recorder.accept, speed, stop), name="virtual radio")

    def end() -> None:
        radio.join()
        recorder.close()

    closer = threading.Thread(target=end, name="end of session")
    radio.start()
    closer.start()
    try:
        yield stop
    finally:
        stop.set()
        closer.join()


def _deliver(
    packets: list[Packet], accept: Callable[[Packet], None], speed: float | None, stop: threading.Event
) -> None:
    """Each packet when its time has come; received times are those of the virtual radio, on the host's clock."""
    begun_ns, first_ns = time.monotonic_ns(), packets[0].received_ns
    for packet in packets:
        since_s = (packet.received_ns - first_ns) / 1e9
        if speed is not None:
            left_s = since_s / speed - (time.monotonic_ns() - begun_ns) / 1e9
            if left_s > 0.001 and stop.wait(left_s):
                return
        if stop.is_set():
            return
        accept(Packet(packet.sensor, packet.payload, begun_ns + packet.received_ns - first_ns))


def ribbon(segments: list[Segment], now_s: float) -> Text:
    """What the simulated patient really did in the last seconds, one letter a stretch of time."""
    line = Text("truth (simulated) ", style="dim")
    cells = round(RIBBON_S / CELL_S)
    for i in range(cells):
        at = now_s - RIBBON_S + (i + 1) * CELL_S
        label = next((segment.label for segment in segments if segment.start_s <= at < segment.end_s), None)
        line.append(PRODUCT[label].letter if label else " ", style=f"black on {PRODUCT[label].colour}" if label else "")
    return line

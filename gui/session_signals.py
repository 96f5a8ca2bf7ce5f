"""The turning speed of each sensor for the review: read from the session file in stretches, without Qt.

The speed (degrees a second) shows whether a limb moves and does not depend on how the sensor sits. Stretches are read
when they become visible, so that a long session is shown at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.motion import GYR
from rehabcount.domain.rig import Rig
from rehabcount.domain.update import Recorded, Said
from rehabcount.engine.walk import clocks_of
from rehabcount.sensors.packets import decode
from rehabcount.signals.align import align_all
from rehabcount.store.session_file import SessionFile

STRETCH_S = 20.0
MARGIN_S = 1.0  # read on both sides, so that the sensors' clocks have settled and no sample is missed
RATE_HZ = 50.0  # of what is kept: half of what is measured is more than a screen shows
FRAMES_KEPT = 2  # one of so many frames: 100 Hz -> RATE_HZ


@dataclass(frozen=True, slots=True)
class SignalStretch:
    """Turning speed from `start_s` on; NaN where a sensor has no data."""

    start_s: float
    values: NDArray[np.float32]  # (rows, sensors)


def read_stretch(path: Path, rig: Rig, number: int) -> SignalStretch:
    """The stretch [number * STRETCH_S, (number + 1) * STRETCH_S) of the session."""
    start_s = number * STRETCH_S
    rows = round(STRETCH_S * RATE_HZ)
    values = np.full((rows, len(rig)), np.nan, np.float32)
    with SessionFile.open(path) as session:
        first = next((item for item in session.items() if not isinstance(item, Said)), None)
        if first is None:
            return SignalStretch(start_s, values)
        origin_ns = first.received_ns
        after = session.seq_before(origin_ns + round((start_s - MARGIN_S) * 1e9))
        items = _until(session.items(after), origin_ns + round((start_s + STRETCH_S + MARGIN_S) * 1e9))
        frames = align_all(list(decode(items, rig)), rig, clocks_of(rig), origin_ns=origin_ns)
    if len(frames):
        speed = np.degrees(np.linalg.norm(frames.values[::FRAMES_KEPT, :, GYR], axis=2))
        places = np.round((frames.time_s[::FRAMES_KEPT] - start_s) * RATE_HZ).astype(int)
        inside = (places >= 0) & (places < rows)
        values[places[inside]] = speed[inside]
    return SignalStretch(start_s, values)


def _until(items: Iterable[Recorded], end_ns: int) -> Iterator[Recorded]:
    """Packets and silences up to then, without entries."""
    for item in items:
        if isinstance(item, Said):
            continue
        if item.received_ns > end_ns:
            return
        yield item


class ReviewSignals:
    """The stretches that were read so far."""

    def __init__(self, sensors: int, length_s: float) -> None:
        self.sensors, self.length_s = sensors, length_s
        self.stretches: dict[int, SignalStretch] = {}
        self.top = 100.0  # degrees a second at the upper end of a row; grows with what is seen

    @property
    def number_of_stretches(self) -> int:
        return max(1, int(np.ceil(self.length_s / STRETCH_S)))

    def take(self, number: int, stretch: SignalStretch) -> None:
        self.stretches[number] = stretch
        seen = stretch.values[np.isfinite(stretch.values)]
        if len(seen):
            self.top = max(self.top, float(np.quantile(seen, 0.998)))

    def next_wanted(self, start_s: float, end_s: float) -> int | None:
        """The stretch to read next: visible or next to it, the nearest to the middle first; None if all are read.

        Others are not read before they are visible, because reading an hour takes half a minute.
        """
        middle, length_s = (start_s + end_s) / 2, end_s - start_s
        first, last = int((start_s - length_s / 2) // STRETCH_S), int((end_s + length_s / 2) // STRETCH_S)
        near = range(max(0, first), min(last, self.number_of_stretches - 1) + 1)
        missing = [i for i in near if i not in self.stretches]
        return min(missing, key=lambda i: abs((i + 0.5) * STRETCH_S - middle), default=None)

    def peaks(self, sensor: int, start_s: float, end_s: float, columns: int) -> NDArray[np.float32]:
        """The highest speed in each of so many equal parts of a span; NaN where nothing is known."""
        peaks = np.full(columns, np.nan, np.float32)
        first, last = int(start_s // STRETCH_S), int(end_s // STRETCH_S)
        width_s = (end_s - start_s) / columns
        for number in range(max(0, first), last + 1):
            stretch = self.stretches.get(number)
            if stretch is None:
                continue
            times = stretch.start_s + np.arange(len(stretch.values)) / RATE_HZ
            column = ((times - start_s) / width_s).astype(int)
            inside = (column >= 0) & (column < columns) & np.isfinite(stretch.values[:, sensor])
            np.fmax.at(peaks, column[inside], stretch.values[inside, sensor])
        return peaks

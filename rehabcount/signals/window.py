"""Windows: rows -> overlapping stretches of fixed length, as a model eats them.

The first window starts with the first row, the next ones a hop apart. Windows that run past the end of the record are
filled up with rows that are 0 and not valid, and kept while they hold at least `min_length_s` of the recording (one
second in StrokeRehab's own code).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Bools, Floats
from rehabcount.domain.motion import FRAME_RATE_HZ, Rows, Window


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """Length and hop of the windows. StrokeRehab: 6 s; hop 0.5 s in training, 4 s in testing."""

    length_s: float = 6.0
    hop_s: float = 4.0
    min_length_s: float = 1.0

    def __post_init__(self) -> None:
        for name in ("length_s", "hop_s", "min_length_s"):
            value = getattr(self, name)
            rows = value * FRAME_RATE_HZ
            if not (rows >= 1 and abs(rows - round(rows)) < 1e-9):
                raise ValueError(f"{name} must be a positive multiple of {1 / FRAME_RATE_HZ} s, not {value}")
        if self.min_length_s > self.length_s:
            raise ValueError(f"min_length_s ({self.min_length_s}) must not exceed length_s ({self.length_s})")

    @property
    def rows(self) -> int:
        return round(self.length_s * FRAME_RATE_HZ)

    @property
    def hop_rows(self) -> int:
        return round(self.hop_s * FRAME_RATE_HZ)

    @property
    def min_rows(self) -> int:
        return round(self.min_length_s * FRAME_RATE_HZ)


def windows(blocks: Iterable[Rows], spec: WindowSpec) -> Iterator[Window]:
    """The stream: a window as soon as its last row is there."""
    values: Floats | None = None
    valid: Bools = np.empty((0, 0), bool)
    start = 0  # row number of values[0], which is where the next window begins
    skip = 0  # rows to come that lie between two windows (a hop longer than the window)
    for rows in blocks:
        if values is None:
            start, values, valid = rows.index, rows.values[:0], rows.valid[:0]
        values, valid = np.concatenate([values, rows.values]), np.concatenate([valid, rows.valid])
        while True:
            dropped = min(skip, len(values))
            values, valid, skip, start = values[dropped:], valid[dropped:], skip - dropped, start + dropped
            if skip or len(values) < spec.rows:
                break
            yield _window(start, values[: spec.rows], valid[: spec.rows], spec)
            skip = spec.hop_rows
    while values is not None and len(values) - skip >= spec.min_rows:
        values, valid, start = values[skip:], valid[skip:], start + skip
        yield _window(start, values[: spec.rows], valid[: spec.rows], spec)
        skip = spec.hop_rows


def windows_all(rows: Rows, spec: WindowSpec) -> list[Window]:
    """The array kernel: a whole recording at once."""
    return [
        _window(rows.index + start, rows.values[start : start + spec.rows], rows.valid[start : start + spec.rows], spec)
        for start in range(0, len(rows) - spec.min_rows + 1, spec.hop_rows)
    ]


def _window(start: int, values: Floats, valid: Bools, spec: WindowSpec) -> Window:
    missing = spec.rows - len(values)
    return Window(
        start / FRAME_RATE_HZ,
        (start + spec.rows) / FRAME_RATE_HZ,
        np.pad(values, ((0, missing), (0, 0))),
        np.pad(valid, ((0, missing), (0, 0))),
    )

"""How an arm is held and how fast it turns, several times a second: what the steps of an exercise are told apart by.

In: feature rows of recipe `bedside` (100 Hz). Out: a `Posture`: the direction of up in the axes of each worn part and
the elbow's angles where both its sensors are worn, and the angular rate of all parts of the arm together. None of it
depends on the heading. Values are means over the valid rows of each tenth of a second; NaN where none is valid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.signals.features import BEDSIDE, BEDSIDE_PARTS, RATE_SCALE_RAD_S

POSTURE_RATE_HZ = 10.0
ARM_PARTS = ("hand", "forearm", "upper-arm")
PARTS = (*ARM_PARTS, "thorax")
ELBOW = ("elbow flexion", "forearm pronation")


@dataclass(frozen=True, slots=True)
class Posture:
    """One arm, POSTURE_RATE_HZ times a second."""

    start_s: float
    names: tuple[str, ...]  # of the columns that say how the arm is held
    held: Floats  # (n, columns)
    turning: Floats  # (n, parts of ARM_PARTS): angular rate, rad/s; NaN throughout where a part wears no sensor

    def __len__(self) -> int:
        return len(self.held)

    @property
    def worn(self) -> tuple[str, ...]:
        """The parts that have data at any time."""
        seen = {name for name, column in zip(self.names, self.held.T, strict=True) if np.isfinite(column).any()}
        return tuple(part for part in PARTS if f"{part} up x" in seen)


def posture_of(rows: Rows) -> Posture:
    """The posture in these rows; an incomplete last tenth of a second is left out."""
    names = tuple(f"{part} up {axis}" for part in PARTS for axis in "xyz") + ELBOW
    values = np.where(rows.valid, rows.values, np.nan)
    every = round(FRAME_RATE_HZ / POSTURE_RATE_HZ)
    steps = len(rows) // every
    rate = np.full((len(rows), len(ARM_PARTS)), np.nan)
    for i, part in enumerate(ARM_PARTS):
        first = BEDSIDE.index(f"{part} rate x")
        rate[:, i] = np.linalg.norm(values[:, first : first + 3], axis=1) * RATE_SCALE_RAD_S
    held = values[:, [BEDSIDE.index(name) for name in names]]
    start_s = float(rows.time_s[0]) if len(rows) else 0.0
    return Posture(start_s, names, _means(held, steps, every), _means(rate, steps, every))


def _means(values: Floats, steps: int, every: int) -> Floats:
    """Means over the finite values of every so many rows."""
    cut = values[: steps * every].reshape(steps, every, values.shape[1])
    there = np.isfinite(cut)
    number = there.sum(axis=1)
    total = np.where(there, cut, 0.0).sum(axis=1)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


assert set(PARTS) <= set(BEDSIDE_PARTS)

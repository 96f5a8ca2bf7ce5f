"""Free motion: what moves, without heading and without gravity; the input of taught exercises.

In: rows of recipe `bedside` (one arm, in body-part axes). Out: rows of six columns for each body part: angular rate
(rad/s), and acceleration without gravity (m/s2). Neither depends on the heading of a sensor, and at rest both are 0. A
part that wears no sensor, or whose sensor sends nothing, is not valid.
"""

from __future__ import annotations

import numpy as np

from rehabcount.domain.motion import GRAVITY_M_S2, Rows
from rehabcount.signals.features import BEDSIDE, BEDSIDE_PARTS

FREE_COLUMNS = tuple(
    f"{part} {quantity} {axis}" for part in BEDSIDE_PARTS for quantity in ("rate", "free") for axis in "xyz"
)


def _places(quantity: str) -> list[int]:
    return [BEDSIDE.index(f"{part} {quantity} {axis}") for part in BEDSIDE_PARTS for axis in "xyz"]


_RATE, _FORCE, _UP = (_places(quantity) for quantity in ("rate", "force", "up"))
PARTS = len(BEDSIDE_PARTS)


def free_motion(rows: Rows) -> Rows:
    """The same instants."""
    number = len(rows)
    rate = rows.values[:, _RATE]
    free = (rows.values[:, _FORCE] - rows.values[:, _UP]) * GRAVITY_M_S2
    known = rows.valid[:, _FORCE] & rows.valid[:, _UP]
    values = np.stack([rate.reshape(number, PARTS, 3), np.where(known, free, 0.0).reshape(number, PARTS, 3)], axis=2)
    valid = np.stack([rows.valid[:, _RATE].reshape(number, PARTS, 3), known.reshape(number, PARTS, 3)], axis=2)
    return Rows(rows.index, rows.time_s, values.reshape(number, -1), valid.reshape(number, -1))

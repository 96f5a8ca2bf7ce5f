"""Made motion that is repeated, as rows of recipe `bedside`: a forearm that turns, cycle after cycle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.signals.features import BEDSIDE

# Angles of a cycle: amplitudes of the first and second harmonic about two axes.
CURL = ((0.6, 0.3), (0.2, 0.1))
TURN = ((0.1, 0.05), (0.5, -0.4))
Shape = tuple[tuple[float, float], tuple[float, float]]


def angles(shape: Shape, lengths_s: Sequence[float]) -> Floats:
    """(n, 2): cycles of these lengths, one after the other; still where a length is negative."""
    parts = list[Floats]()
    for length_s in lengths_s:
        share = np.arange(round(abs(length_s) * FRAME_RATE_HZ)) / round(abs(length_s) * FRAME_RATE_HZ)
        turn = 2 * np.pi * share * (length_s > 0)
        parts.append(np.stack([a * (1 - np.cos(turn)) + b * np.sin(2 * turn) for a, b in shape], axis=1))
    return np.concatenate(parts)


def _slope(values: Floats) -> Floats:
    return np.stack([np.gradient(column, 1 / FRAME_RATE_HZ) for column in values.T], axis=1)


def rows_of_angles(turned: Floats, seed: int = 0, part: str = "forearm") -> Rows:
    """The forearm's rows for two small turns, with noise; every other column is not valid."""
    number = len(turned)
    rate = np.zeros((number, 3))
    rate[:, :2] = _slope(turned)
    up = np.stack([np.sin(turned[:, 1]), -np.sin(turned[:, 0]), np.cos(turned).prod(axis=1)], axis=1)
    rng = np.random.default_rng(seed)
    values, valid = np.zeros((number, len(BEDSIDE))), np.zeros((number, len(BEDSIDE)), bool)
    for quantity, what in (("rate", rate), ("force", up + 0.02 / FRAME_RATE_HZ * _slope(rate)), ("up", up)):
        for axis, column in zip("xyz", what.T, strict=True):
            at = BEDSIDE.index(f"{part} {quantity} {axis}")
            values[:, at] = column + rng.normal(0.0, 0.005, number)
            valid[:, at] = True
    return Rows(0, np.arange(number) / FRAME_RATE_HZ, values, valid)


def blocks_of(rows: Rows, size: int) -> list[Rows]:
    """The same rows in blocks."""
    return [
        Rows(rows.index + at, rows.time_s[at : at + size], rows.values[at : at + size], rows.valid[at : at + size])
        for at in range(0, len(rows), size)
    ]

"""The plain counter of repetitions, as the floor of comparisons: peaks of one smoothed signal.

The signal is the first principal component of what was shown; how far apart and how high peaks must be is chosen so
that the shown stretch has its number of them. In: free motion (frames, columns). Out: a number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.signal import find_peaks

from rehabcount.domain.arrays import Floats

SMOOTHED = 0.15  # of a repetition
APART = (0.4, 0.5, 0.6, 0.7, 0.8)  # of a repetition
HIGH = (0.1, 0.2, 0.4, 0.7, 1.0, 1.5)  # prominence, in deviations


@dataclass(frozen=True, slots=True)
class PlainPeaks:
    """What was chosen on the shown stretch."""

    axis: Floats
    mean: Floats
    deviation: float
    width: int
    apart: int
    high: float

    def count(self, values: Floats) -> int:
        signal = _smooth((values - self.mean) @ self.axis, self.width) / self.deviation
        return len(find_peaks(signal, distance=self.apart, prominence=self.high)[0])


def fit_peaks(values: Floats, repetitions: int) -> PlainPeaks:
    """The settings whose number of peaks in `values` is nearest to the true one; of equals, the middle one."""
    length = len(values) / repetitions
    mean = values.mean(axis=0)
    axis = np.linalg.svd(values - mean, full_matrices=False)[2][0]
    width = max(1, round(SMOOTHED * length))
    deviation = max(float(_smooth((values - mean) @ axis, width).std()), 1e-9)
    found = list[tuple[int, PlainPeaks]]()
    for apart in APART:
        for high in HIGH:
            tried = PlainPeaks(axis, mean, deviation, width, max(1, round(apart * length)), high)
            found.append((abs(tried.count(values) - repetitions), tried))
    least = min(wrong for wrong, _ in found)
    best = [tried for wrong, tried in found if wrong == least]
    return best[len(best) // 2]


def _smooth(signal: Floats, width: int) -> Floats:
    return np.convolve(signal, np.ones(width) / width, "same")

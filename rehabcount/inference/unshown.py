"""How often was whatever was repeated, repeated? Nothing was shown.

In: free motion of a marked stretch. Out: the number of repetitions, and where they are.

The duration of a repetition is where the stretch resembles itself most (autocorrelation of all columns together); the
stretch itself then teaches the cycle (`teaching.py`), and the follower (`repeating.py`) counts with it. The criterion:
of the durations at which the stretch resembles itself nearly as well as at the best one, the shortest is a repetition.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Bools, Floats
from rehabcount.inference.repeating import Cycle, CycleFollower, CyclePattern
from rehabcount.inference.teaching import LEAST_MOTION, fit

ROWS_HZ = 25.0  # of the autocorrelation
SHORTEST_S, LONGEST_S = 0.4, 20.0  # of a repetition
FEWEST = 3  # repetitions: fewer show no period
NEARLY = 0.9  # of the best resemblance: the shortest such duration is taken
LEAST_RESEMBLANCE = 0.15  # below it nothing is periodic
STILL = 0.1  # of the usual motion, below which nothing is done
STILL_S = 1.0
MOST_LEARNED = 30  # repetitions: teaching takes longer with more


@dataclass(frozen=True, slots=True)
class FoundRepetitions:
    """What was found. `resemblance` is the autocorrelation at the duration of a repetition."""

    cycle_s: float
    resemblance: float
    cycles: tuple[Cycle, ...]
    pattern: CyclePattern
    by_duration: int  # the moving time over the duration: the plain counter

    @property
    def number(self) -> int:
        return sum(cycle.counted for cycle in self.cycles)


def find_repetitions(values: Floats, valid: Bools, rate_hz: float) -> FoundRepetitions | None:
    """None if nothing is periodic."""
    there = valid.mean(axis=0) > 0.5
    if not there.any():
        return None
    values, valid = values[:, there], valid[:, there]
    begin, end = moving(values, valid, rate_hz)
    values, valid = values[begin:end], valid[begin:end]
    lag_s, resemblance = period(values, valid, rate_hz)
    if lag_s is None:
        return None
    number = max(1, round(len(values) / rate_hz / lag_s))
    part = min(len(values), round(MOST_LEARNED * lag_s * rate_hz))
    first = (len(values) - part) // 2
    learned = slice(first, first + part)
    taught = min(number, MOST_LEARNED)
    found = fit(values[learned], valid[learned], taught, rate_hz)
    pattern = CyclePattern(found.scale, found.pattern, found.spread, part / rate_hz / taught, 1.0)
    likeness = float(
        np.median([each.similarity for each in _follow(pattern, values, valid, rate_hz, judged=False)] or [0.0])
    )
    pattern = CyclePattern(found.scale, found.pattern, found.spread, pattern.cycle_s, max(0.05, likeness))
    cycles = [
        Cycle(each.start + begin, each.end + begin, each.similarity, each.amplitude, each.whole, each.counted)
        for each in _follow(pattern, values, valid, rate_hz, judged=True)
    ]
    return FoundRepetitions(pattern.cycle_s, resemblance, tuple(cycles), pattern, number)


def _follow(pattern: CyclePattern, values: Floats, valid: Bools, rate_hz: float, *, judged: bool) -> list[Cycle]:
    follower = CycleFollower(pattern, rate_hz, judged=judged)
    return follower.push(values, valid) + follower.finish()


def moving(values: Floats, valid: Bools, rate_hz: float) -> tuple[int, int]:
    """The stretch without a still beginning and end, in frames."""
    energy = _smooth((np.where(valid, values, 0.0) / _size(values, valid)) ** 2, round(STILL_S * rate_hz)).sum(axis=1)
    busy = np.flatnonzero(energy > STILL * np.median(energy))
    return (int(busy[0]), int(busy[-1]) + 1) if len(busy) else (0, len(values))


def period(values: Floats, valid: Bools, rate_hz: float) -> tuple[float | None, float]:
    """The duration at which the stretch resembles itself, and how well (1: exactly)."""
    every = max(1, round(rate_hz / ROWS_HZ))
    rows = _smooth(np.where(valid, values, 0.0) / _size(values, valid), every)[::every]
    rows = rows - rows.mean(axis=0)
    number = len(rows)
    spectrum = np.abs(np.fft.rfft(rows, 2 * number, axis=0)) ** 2
    alike = np.fft.irfft(spectrum.sum(axis=1))[:number] / np.arange(number, 0, -1)
    alike = alike / max(alike[0], 1e-12)
    hz = rate_hz / every
    low, high = max(2, round(SHORTEST_S * hz)), min(round(LONGEST_S * hz), number // FEWEST)
    lags = np.arange(low, high)
    peaks = [lag for lag in lags if 0 < lag < number - 1 and alike[lag] >= max(alike[lag - 1], alike[lag + 1])]
    peaks = [lag for lag in peaks if alike[lag] > LEAST_RESEMBLANCE]
    if not peaks:
        return None, 0.0
    best = max(alike[lag] for lag in peaks)
    lag = next(lag for lag in peaks if alike[lag] >= NEARLY * best)
    return float(lag / hz), float(alike[lag])


def _size(values: Floats, valid: Bools) -> Floats:
    """The usual size of each column; one that is smaller than others of its kind counts less."""
    size = np.sqrt((np.where(valid, values, 0.0) ** 2).sum(axis=0) / np.maximum(valid.sum(axis=0), 1))
    triples = size.reshape(-1, 3) if len(size) % 3 == 0 else size[:, None]
    return np.maximum(np.repeat(np.linalg.norm(triples, axis=1), triples.shape[1]), LEAST_MOTION)


def _smooth(values: Floats, width: int) -> Floats:
    """A moving mean over `width` frames."""
    if width <= 1:
        return values
    sums = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])
    at = np.arange(len(values))
    low, high = np.maximum(at - width // 2, 0), np.minimum(at + (width + 1) // 2, len(values))
    return (sums[high] - sums[low]) / (high - low)[:, None]

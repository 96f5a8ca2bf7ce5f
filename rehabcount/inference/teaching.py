"""Teaching: a stretch of free motion and how often something was repeated in it -> the cycle of one repetition.

The cycle is a hidden Markov model over phases that follow one another in a ring. It is fitted as a path from left to
right through exactly as many cycles as were shown, by alternating between the best path (Viterbi) and the means of the
phases along it, from several beginnings; the most likely end is kept. Where a repetition begins and ends need not be
known. Time is measured in shares of a repetition (`ROWS_PER_CYCLE`), so that slow and quick exercises are treated
alike.

    rows_of         100 Hz -> rows that a cycle has ROWS_PER_CYCLE of; a column is masked where its sensor was silent
    fit             the cycle; several numbers of repetitions may be compared by `Fit.score`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Bools, Floats, Ints
from rehabcount.domain.taught import PHASES

ROWS_PER_CYCLE = 36
# Log probabilities of staying in a phase, of going to the next, and of leaping over one: at the shown speed a row goes
# 24/36 of a phase.
STAY, STEP, LEAP = np.log([0.5, 0.4, 0.1])
# Of the motion against these, for six columns. The more, the smaller the movements that are followed: the first one by
# which what was shown is counted right is taken.
WEIGHTS = (2.0, 4.0, 8.0)
COLUMNS_WEIGHED = 6  # columns of one sensor; those of several sensors say much the same
LEAST_SPREAD = 0.3  # in units of the column's own deviation
SMOOTHED = 0.7  # phases: neighbours share their means
STARTS = (0.1, 0.3, 0.5, 0.7, 0.9)  # of the stretch: a cycle from there is tried as the first pattern
ROUNDS = 5
FIRST_SPREAD = 0.5
LEAST_MOTION = 0.02  # of a scale: rad/s and m/s2 that are noise


@dataclass(frozen=True, slots=True)
class Fit:
    """What was found. `phase` (rows,) is the phase of each row plus PHASES times its cycle."""

    scale: Floats
    pattern: Floats  # (PHASES, columns)
    spread: Floats
    phase: Ints
    score: float  # log likelihood of a row


def step_of(cycle_s: float, rate_hz: float) -> float:
    """Frames of one row, at least one."""
    return max(1.0, cycle_s * rate_hz / ROWS_PER_CYCLE)


def rows_of(values: Floats, valid: Bools, step: float) -> tuple[Floats, Bools]:
    """Means of `step` frames each; the last frames that fill no row are left out."""
    number = int(len(values) / step)
    row = np.floor(np.arange(len(values)) / step).astype(int)
    kept = row < number
    total, count = np.zeros((number, values.shape[1])), np.zeros((number, values.shape[1]))
    np.add.at(total, row[kept], np.where(valid[kept], values[kept], 0.0))
    np.add.at(count, row[kept], valid[kept])
    return total / np.maximum(count, 1), count > 0


def likelihoods(rows: Floats, known: Bools, pattern: Floats, spread: Floats, weight: float) -> Floats:
    """Log likelihood (rows, phases) of each row in each phase; columns that are not known say nothing."""
    share = weight * COLUMNS_WEIGHED / np.maximum(known.sum(axis=1), COLUMNS_WEIGHED)
    scaled = np.where(known, rows, 0.0) / spread
    mask, mean = known.astype(float), pattern / spread
    square = (scaled**2).sum(axis=1)[:, None] - 2 * scaled @ mean.T + mask @ (mean**2).T
    return np.asarray(-0.5 * share[:, None] * (square + 2 * (mask @ np.log(spread))[:, None]))


def fit(
    values: Floats,
    valid: Bools,
    repetitions: int,
    rate_hz: float,
    *,
    weight: float = WEIGHTS[0],
    ends: Sequence[int] = (),
) -> Fit:
    """The cycle that is repeated that often in `values` (frames, columns). `ends` are the frames at which repetitions
    ended, where that was said: then the search begins there only."""
    step = step_of(len(values) / rate_hz / repetitions, rate_hz)
    rows, known = rows_of(values, valid, step)
    scale = np.maximum(_deviation(rows, known), LEAST_MOTION)
    rows = rows / scale
    best: Fit | None = None
    for path in _beginnings(rows, known, repetitions, weight, [end / step for end in ends]):
        found = _improved(rows, known, path, repetitions, weight)
        if best is None or found.score > best.score:
            best = Fit(scale, found.pattern, found.spread, found.phase, found.score)
    assert best is not None
    return best


def _deviation(rows: Floats, known: Bools) -> Floats:
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, rows, 0.0).sum(axis=0) / count
    return np.sqrt(np.where(known, (rows - mean) ** 2, 0.0).sum(axis=0) / count)


def _beginnings(rows: Floats, known: Bools, repetitions: int, weight: float, ends: Sequence[float]) -> list[Ints]:
    number = len(rows)
    edges = [0.0, *ends] if len(ends) == repetitions else list(np.linspace(0, number, repetitions + 1))
    even = np.interp(np.arange(number), edges, np.arange(repetitions + 1) * PHASES)
    paths = [np.minimum(even.astype(int), repetitions * PHASES - 1)]
    if len(ends) == repetitions or repetitions == 1:
        return paths
    for start in STARTS:
        first = int(start * max(number - ROWS_PER_CYCLE, 0))
        piece = rows[first : first + ROWS_PER_CYCLE]
        phase = (np.arange(len(piece)) / len(piece) * PHASES).astype(int)
        pattern, _ = means(piece, known[first : first + ROWS_PER_CYCLE], phase)
        spread = np.full(rows.shape[1], FIRST_SPREAD)
        paths.append(_through(likelihoods(rows, known, pattern, spread, weight), repetitions)[0])
    return paths


def _improved(rows: Floats, known: Bools, path: Ints, repetitions: int, weight: float) -> Fit:
    for _ in range(ROUNDS):
        pattern, spread = means(rows, known, path % PHASES)
        before = path
        path, score = _through(likelihoods(rows, known, pattern, spread, weight), repetitions)
        if np.array_equal(path, before):
            break
    return Fit(np.ones(rows.shape[1]), pattern, spread, path, score / len(rows))


_APART = np.minimum(np.arange(PHASES), PHASES - np.arange(PHASES))
_KERNEL = np.stack([np.roll(np.exp(-0.5 * (_APART / SMOOTHED) ** 2), shift) for shift in range(PHASES)])


def means(rows: Floats, known: Bools, phase: Ints) -> tuple[Floats, Floats]:
    """The mean of each phase, smoothed around the ring, and the spread of each column about it."""
    total, count = np.zeros((PHASES, rows.shape[1])), np.zeros((PHASES, rows.shape[1]))
    np.add.at(total, phase, np.where(known, rows, 0.0))
    np.add.at(count, phase, known)
    pattern = (_KERNEL @ total) / np.maximum(_KERNEL @ count, 1e-6)
    off = np.where(known, rows - pattern[phase], 0.0)
    spread = np.sqrt((off**2).sum(axis=0) / np.maximum(known.sum(axis=0), 1))
    return pattern, np.maximum(spread, LEAST_SPREAD)


def _through(likely: Floats, repetitions: int) -> tuple[Ints, float]:
    """The best path from the first phase of the first cycle to the last phase of the last; its log likelihood. In a
    stretch that is too short for it, the path ends where it is."""
    number, states = len(likely), repetitions * PHASES
    tiled = np.tile(likely, (1, repetitions))
    score = np.full(states, -np.inf)
    score[:3] = tiled[0, :3]
    back = np.zeros((number, states), np.int8)
    for row in range(1, number):
        best = score + STAY
        step = score[:-1] + STEP
        moved = step > best[1:]
        best[1:][moved] = step[moved]
        back[row, 1:][moved] = 1
        leap = score[:-2] + LEAP
        moved = leap > best[2:]
        best[2:][moved] = leap[moved]
        back[row, 2:][moved] = 2
        score = best + tiled[row]
    end = states - 1 - int(np.argmax(score[: -4 if states > 4 else None : -1]))
    if not np.isfinite(score[end]):
        end = int(np.argmax(score))
    path = np.empty(number, np.int64)
    state = end
    for row in range(number - 1, -1, -1):
        path[row] = state
        state -= int(back[row, state])
    return path, float(score[end])

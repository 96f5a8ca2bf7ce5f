"""Counting repetitions of a taught exercise, as they are made.

In: frames of free motion, in blocks of any size. Out: a `Cycle` for each repetition that is over, at most `LAG_S` and
a row after its end; the same for any division into blocks.

The best path through the ring of phases (`teaching.py`) is followed at a fixed lag. It has no end: while something else
is done, it goes round as well as it can. So each cycle is judged when it is over: it is a repetition if its motion is
similar to what was shown (the cosine between the two, along the path), large enough, and neither much too short nor
much too long. Repetitions that were counted refine the pattern slowly, beside what was shown: people tire, and straps
sit otherwise the next day.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Bools, Floats, Ints
from rehabcount.domain.taught import PHASES
from rehabcount.inference.teaching import (
    COLUMNS_WEIGHED,
    LEAP,
    LEAST_SPREAD,
    STAY,
    STEP,
    WEIGHTS,
    step_of,
)

LAG_S = 0.5
SHOWN_WEIGHT = 5.0  # rows of a phase that what was shown is worth, beside what is counted
FORGOTTEN = 0.9  # share of the counted rows that is kept when a repetition is over
LEAST_ALIKE = 0.68  # of the likeness of the shown ones
LEAST_AMPLITUDE = 0.3
SHORTEST, LONGEST = 0.4, 3.0  # of the shown duration
BACK = 0.75  # of a cycle: the best path may change behind us; a larger move forward is taken for a move back
ENTER = -10.0  # log probability of beginning anew from any phase: a rest may look like another phase than the first
EARLY = 2  # phases: hands that come to rest do not go through the last ones, and the next repetition may be long after
STILL_SHARE = 0.01  # of a cycle's motion: what comes before it, and after the rest of it, is rest
HALF = 0.5  # of a cycle, from which one that was cut by beginning or end is counted


@dataclass(frozen=True, slots=True)
class CyclePattern:
    """One taught exercise as arrays. `likeness` is the similarity of the shown ones."""

    scale: Floats
    pattern: Floats
    spread: Floats
    cycle_s: float
    likeness: float
    weight: float = WEIGHTS[0]


@dataclass(frozen=True, slots=True)
class Cycle:
    """One cycle that is over, in frames, without rest before and after it; `whole` is the share of the ring that was
    gone through. Amplitude is the size of the motion (rms), 1 as shown; similarity is a cosine."""

    start: int
    end: int
    similarity: float
    amplitude: float
    whole: float
    counted: bool


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A row that is not settled yet; for each phase, how many phases the best path moved to reach it."""

    moves: Ints
    row: Floats
    known: Bools


class CycleFollower:
    """The state of one exercise in one unbroken stretch of frames."""

    def __init__(self, taught: CyclePattern, rate_hz: float, *, judged: bool = True) -> None:
        self._taught, self._rate, self._judged = taught, rate_hz, judged
        self._step = step_of(taught.cycle_s, rate_hz)
        self._lag = max(1, int(LAG_S * rate_hz / self._step))
        self._pattern, self._spread = taught.pattern.copy(), taught.spread.copy()
        self._share = (taught.pattern**2).mean(axis=0)  # how much of each column belongs to the exercise
        self._score = np.zeros(PHASES)
        width = len(taught.scale)
        self._values, self._valid = np.zeros((0, width)), np.zeros((0, width), bool)  # frames that fill no row yet
        self._first = self._rows = 0  # the first of these frames, and the number of rows so far
        self._waiting: deque[_Waiting] = deque()  # rows that are not settled yet
        self._phase: int | None = None  # of the newest settled row
        self._settled = 0  # rows
        self._progress = 0  # phases
        self._boundary = PHASES - EARLY
        self._begun_at = 0
        self._begin()
        self._total, self._count = np.zeros((PHASES, width)), np.zeros((PHASES, width))
        self._off, self._size = np.zeros(width), np.zeros(width)
        self._off_count = np.zeros(width)
        self._arrange()

    def push(self, values: Floats, valid: Bools) -> list[Cycle]:
        """The next frames (n, columns)."""
        over: list[Cycle] = []
        self._values = np.concatenate([self._values, values])
        self._valid = np.concatenate([self._valid, valid])
        held = self._first + len(self._values)
        while (end := math.ceil((self._rows + 1) * self._step)) <= held:
            row = slice(math.ceil(self._rows * self._step) - self._first, end - self._first)
            over += self._row(self._values[row], self._valid[row])
        left = math.ceil(self._rows * self._step) - self._first
        self._values, self._valid, self._first = self._values[left:], self._valid[left:], self._first + left
        return over

    def finish(self) -> list[Cycle]:
        """No more frames come: what is under way counts if half of it was gone through."""
        over: list[Cycle] = []
        if self._waiting:
            for phase in self._traced(len(self._waiting)):
                over += self._settle(phase)
        done = self._progress - (self._boundary - PHASES) - max(0, self._begun_at - (self._boundary - PHASES))
        if done >= HALF * PHASES and self._taken:
            over.append(self._close(done / PHASES))
        return over

    @property
    def share(self) -> float:
        """How much of a repetition is under way: 0 to 1."""
        return min(1.0, max(0.0, 1.0 - (self._boundary - self._progress) / PHASES))

    def _arrange(self) -> None:
        """What the rows are compared with, from pattern and spread."""
        self._mean = self._pattern / self._spread
        self._mean_square = self._mean**2

    def _row(self, values: Floats, valid: Bools) -> list[Cycle]:
        number = valid.sum(axis=0)
        known = number > 0
        row = np.where(valid, values, 0.0).sum(axis=0) / np.maximum(number, 1) / self._taught.scale
        self._rows += 1
        share = self._taught.weight * COLUMNS_WEIGHED / max(int(known.sum()), COLUMNS_WEIGHED)
        scaled = row / self._spread
        likely = share * (self._mean @ scaled - 0.5 * (self._mean_square @ known))
        stay, step, leap = self._score + STAY, np.roll(self._score, 1) + STEP, np.roll(self._score, 2) + LEAP
        moves = np.where(step > stay, 1, 0)
        best = np.maximum(stay, step)
        moves[leap > best] = 2
        best = np.maximum(best, leap)
        from_phase = int(np.argmax(self._score))
        if self._score[from_phase] + ENTER > best[0]:
            best[0] = self._score[from_phase] + ENTER
            moves[0] = -from_phase % PHASES
        self._score = best + likely
        self._score -= self._score.max()
        self._waiting.append(_Waiting(moves, row, known))
        if len(self._waiting) <= self._lag:
            return []
        return self._settle(self._traced(1)[0])

    def _traced(self, number: int) -> list[int]:
        """The phases of the oldest waiting rows, on the best path as it is now."""
        phase = int(np.argmax(self._score))
        path = list[int]()
        for each in reversed(self._waiting):
            path.append(phase)
            phase = (phase - int(each.moves[phase])) % PHASES
        return path[::-1][:number]

    def _settle(self, phase: int) -> list[Cycle]:
        waiting = self._waiting.popleft()
        over: list[Cycle] = []
        if self._phase is None:
            self._progress = self._begun_at = phase
        else:
            moved = (phase - self._phase) % PHASES
            self._progress += moved - PHASES if moved > BACK * PHASES else moved
        self._phase = phase
        if self._progress >= self._boundary:
            whole = 1.0 - max(0, self._begun_at - (self._boundary - PHASES)) / PHASES
            if whole >= HALF and self._taken:
                over.append(self._close(whole))
            self._boundary += PHASES
            self._begin()
        self._settled += 1
        self._take(phase, waiting.row, waiting.known)
        return over

    def _begin(self) -> None:
        self._start = self._settled
        self._dot = self._seen = self._expected = 0.0
        self._taken: list[tuple[int, Floats, Bools]] = []

    def _take(self, phase: int, row: Floats, known: Bools) -> None:
        seen, mean = row / self._spread, self._mean[phase] * known
        self._dot += float(seen @ mean)
        self._seen += float(seen @ seen)
        self._expected += float(mean @ mean)
        self._taken.append((phase, row, known))

    def _close(self, whole: float) -> Cycle:
        similarity = self._dot / np.sqrt(max(self._seen * self._expected, 1e-12))
        size = np.array([row**2 @ self._share / max(float(known @ self._share), 1e-9) for _, row, known in self._taken])
        gone = np.cumsum(size)
        first, last = np.searchsorted(gone, gone[-1] * np.array([STILL_SHARE, 1.0 - STILL_SHARE]))
        start, end = self._start + int(first), self._start + int(last) + 1
        amplitude = float(np.sqrt(size[first : last + 1].mean()))
        length = (end - start) * self._step / self._rate / self._taught.cycle_s / whole
        counted = (
            similarity >= LEAST_ALIKE * self._taught.likeness
            and amplitude >= LEAST_AMPLITUDE
            and SHORTEST <= length <= LONGEST
        ) or not self._judged
        if counted:
            self._learn()
        return Cycle(round(start * self._step), round(end * self._step), float(similarity), amplitude, whole, counted)

    def _learn(self) -> None:
        """The counted cycle refines the pattern."""
        for sums in (self._total, self._count, self._off, self._off_count, self._size):
            sums *= FORGOTTEN
        for phase, row, known in self._taken:
            self._total[phase] += row * known
            self._count[phase] += known
            self._off += np.where(known, row - self._pattern[phase], 0.0) ** 2
            self._size += row**2 * known
            self._off_count += known
        weight = SHOWN_WEIGHT + self._count
        self._pattern = (self._total + SHOWN_WEIGHT * self._taught.pattern) / weight
        prior = SHOWN_WEIGHT
        count = prior + self._off_count
        size = np.sqrt((self._size + prior) / count)
        spread = np.sqrt((self._off + prior * self._taught.spread**2) / count)
        self._spread = np.maximum(spread, LEAST_SPREAD * size)
        self._arrange()

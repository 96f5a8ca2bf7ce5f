"""Taught exercises in the walk: rows of one arm -> repetitions that are over, and how each was made.

    teach             rows of a stretch, and how often something was repeated in it -> TaughtExercise
    RepetitionStage   all taught exercises of one arm: rows in, `Repeated` out; a state that is explicit
    repetitions_in    the same for a whole recording

Each exercise is followed on its own (`inference/repeating.py`). Two that are alike both count the same motion. Quality
is measured on the body part that turned most: duration and amplitude against what was shown, smoothness as spectral arc
length; and how far the trunk leaned, where it wears a sensor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from rehabcount.domain.arrays import Bools, Floats
from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.domain.rig import Side
from rehabcount.domain.taught import (
    LONGEST_CYCLE_S,
    SHORTEST_CYCLE_S,
    Clarity,
    TaughtExercise,
)
from rehabcount.domain.update import Repeated, Repeating
from rehabcount.errors import InputRefused
from rehabcount.inference.repeating import LONGEST, Cycle, CycleFollower, CyclePattern
from rehabcount.inference.teaching import WEIGHTS, fit
from rehabcount.signals.features import BEDSIDE
from rehabcount.signals.free_motion import FREE_COLUMNS, PARTS, free_motion
from rehabcount.signals.smoothness import spectral_arc_length

MOST_SHOWN = 60  # repetitions to learn from: more say nothing new, and take longer
LEAST_VALID = 0.5  # of a stretch: a sensor that was silent for longer is left out
CLEAR_LIKENESS = 0.6  # of the shown repetitions with their mean
WEAK_LIKENESS = 0.4
WRONG_COUNT = 0.15  # of the shown number, by which the stretch may be counted wrong, if it is more than one
FEWEST_CLEAR = 3
LEAN = BEDSIDE.index("trunk lean forward")
UNSEEN = {1: 0.65, 2: 0.85}  # share of the likeness that is left where what was shown is nearly all that is known
POSTURE_RAD = 0.8  # how far a part may be turned against its mean posture in what was shown
LEAST_UPRIGHT = 0.5  # length of a mean direction of up: shorter, the part turned all around and has no posture
KEPT_S = LONGEST_CYCLE_S * LONGEST
RATE_PLACES = [[6 * part + axis for axis in range(3)] for part in range(PARTS)]  # in FREE_COLUMNS


def teach(rows: Rows, repetitions: int, *, name: str, side: Side, ends_s: Sequence[float] = ()) -> TaughtExercise:
    """The exercise that is repeated that often in these rows (recipe `bedside`). `ends_s`: when each repetition ended,
    if that is known. InputRefused if there is too little motion, or the number cannot be right."""
    free = free_motion(rows)
    length_s = len(rows) / FRAME_RATE_HZ
    if not 1 <= repetitions <= MOST_SHOWN:
        raise InputRefused(
            f"{repetitions} repetitions cannot be learned from.",
            advice=f"Show three to ten, at most {MOST_SHOWN}, and say how many they were.",
        )
    if not SHORTEST_CYCLE_S <= length_s / repetitions <= LONGEST_CYCLE_S:
        raise InputRefused(
            f"{repetitions} repetitions in {length_s:.1f} s cannot be.",
            advice=f"A repetition takes {SHORTEST_CYCLE_S:g} to {LONGEST_CYCLE_S:g} s. Check the number and the times.",
        )
    there = np.flatnonzero(free.valid.mean(axis=0) >= LEAST_VALID)
    if not len(there):
        raise InputRefused("no sensor of this arm measured the stretch.", advice="Check that the sensors are worn.")
    values, valid = free.values[:, there], free.valid[:, there]
    ends = [int((end_s - rows.time_s[0]) * FRAME_RATE_HZ) for end_s in ends_s]
    cycle_s = length_s / repetitions
    best, wrong = _learned(values, valid, repetitions, cycle_s, WEIGHTS[0], ends)
    for weight in WEIGHTS[1:]:
        if not wrong:
            break
        other, others_wrong = _learned(values, valid, repetitions, cycle_s, weight, ends)
        if others_wrong < wrong:
            best, wrong = other, others_wrong
    return TaughtExercise(
        name,
        side,
        tuple(FREE_COLUMNS[column] for column in there),
        tuple(_digits(best.scale)),
        tuple(tuple(_digits(row)) for row in best.pattern),
        tuple(_digits(best.spread)),
        round(cycle_s, 3),
        repetitions,
        round(best.likeness, 3),
        best.weight,
        _clarity(best.likeness, wrong, repetitions),
        _posture(rows, [FREE_COLUMNS[column] for column in there]),
    )


def _up_columns(columns: Sequence[str]) -> list[int]:
    """The columns of `bedside` that say where up is, of the parts of these columns."""
    parts = dict.fromkeys(name.rsplit(" ", 2)[0] for name in columns)
    return [BEDSIDE.index(f"{part} up {axis}") for part in parts for axis in "xyz"]


def _posture(rows: Rows, columns: Sequence[str]) -> tuple[float, ...]:
    up = _up_columns(columns)
    if 2 * len(up) != len(columns):  # a part whose rotation alone is known
        return ()
    known = rows.valid[:, up]
    return tuple(_digits(np.where(known, rows.values[:, up], 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)))


def _learned(
    values: Floats, valid: Bools, repetitions: int, cycle_s: float, weight: float, ends: Sequence[int]
) -> tuple[CyclePattern, int]:
    """The cycle, and by how many what was shown is then counted wrong."""
    found = fit(values, valid, repetitions, FRAME_RATE_HZ, weight=weight, ends=ends)
    bare = CyclePattern(found.scale, found.pattern, found.spread, cycle_s, 1.0, weight)
    cycles = _followed(bare, values, valid, judged=False)
    likeness = float(np.clip(np.median([cycle.similarity for cycle in cycles] or [0.0]), 0.05, 1.0))
    judged = replace(bare, likeness=likeness * UNSEEN.get(repetitions, 1.0))
    return judged, abs(sum(cycle.counted for cycle in _followed(judged, values, valid)) - repetitions)


def _digits(values: Floats) -> list[float]:
    return [float(f"{value:.6g}") for value in values]


def _clarity(likeness: float, wrong: int, repetitions: int) -> Clarity:
    if likeness < WEAK_LIKENESS or wrong > max(2.0, 2 * WRONG_COUNT * repetitions):
        return Clarity.NOT_PERIODIC
    if likeness < CLEAR_LIKENESS or wrong > max(1.0, WRONG_COUNT * repetitions) or repetitions < FEWEST_CLEAR:
        return Clarity.WEAK
    return Clarity.CLEAR


def _followed(pattern: CyclePattern, values: Floats, valid: Bools, *, judged: bool = True) -> list[Cycle]:
    follower = CycleFollower(pattern, FRAME_RATE_HZ, judged=judged)
    return follower.push(values, valid) + follower.finish()


class RepetitionStage:
    """All taught exercises of one arm."""

    def __init__(self, exercises: Sequence[TaughtExercise]) -> None:
        self._exercises = [_Exercise(each) for each in exercises]
        self._next_index: int | None = None

    def push(self, rows: Rows) -> list[Repeated]:
        """The repetitions that these rows ended."""
        if not self._exercises:
            return []
        over = [] if self._next_index in (None, rows.index) else self.finish()  # a pause without frames
        self._next_index = rows.index + len(rows)
        free = free_motion(rows)
        for each in self._exercises:
            over += each.push(rows, free)
        return _in_order(over)

    def finish(self) -> list[Repeated]:
        """No more rows come, for now: what is under way."""
        return _in_order([repeated for each in self._exercises for repeated in each.finish()])

    def draft(self) -> tuple[Repeating, ...]:
        """What is under way."""
        return tuple(each.draft() for each in self._exercises)


def _in_order(over: list[Repeated]) -> list[Repeated]:
    return sorted(over, key=lambda each: each.end_s)


class _Exercise:
    """One taught exercise: its follower, and the rows that the quality of a repetition is computed from."""

    def __init__(self, taught: TaughtExercise) -> None:
        self._taught = taught
        self._columns = [FREE_COLUMNS.index(name) for name in taught.columns]
        self._pattern = CyclePattern(
            np.array(taught.scale),
            np.array(taught.pattern),
            np.array(taught.spread),
            taught.cycle_s,
            taught.likeness,
            taught.weight,
        )
        self._number = 0
        self._follower: CycleFollower | None = None
        self._first = 0  # the frame at which the follower began
        self._up = _up_columns(taught.columns) if taught.posture else []
        self._kept: list[tuple[Floats, Floats, Floats]] = []  # speed of each part, lean and up, of blocks
        self._kept_from = 0  # frame of the first of them

    def push(self, rows: Rows, free: Rows) -> list[Repeated]:
        if self._follower is None:
            self._follower = CycleFollower(self._pattern, FRAME_RATE_HZ)
            self._first = self._kept_from = rows.index
            self._kept = []
        rates = free.values[:, RATE_PLACES]  # (n, parts, 3)
        lean = np.where(rows.valid[:, LEAN], rows.values[:, LEAN], np.nan)
        up = np.where(rows.valid[:, self._up], rows.values[:, self._up], np.nan)
        self._kept.append((np.linalg.norm(rates, axis=2), lean, up))
        cycles = self._follower.push(free.values[:, self._columns], free.valid[:, self._columns])
        over = self._as_shown(cycles)
        while len(self._kept) > 1 and self._newest() - self._kept_from > KEPT_S * FRAME_RATE_HZ:
            self._kept_from += len(self._kept.pop(0)[0])
        return over

    def finish(self) -> list[Repeated]:
        cycles = self._follower.finish() if self._follower is not None else []
        over = self._as_shown(cycles)
        self._follower = None
        return over

    def _as_shown(self, cycles: Sequence[Cycle]) -> list[Repeated]:
        """Those that count, in about the posture that was shown."""
        return [self._repeated(cycle) for cycle in cycles if cycle.counted and self._turned(cycle) <= POSTURE_RAD]

    def _turned(self, cycle: Cycle) -> float:
        """The angle between the mean posture in the cycle and what was shown, of the part that differs most."""
        if not self._up:
            return 0.0
        ups = np.concatenate([up for _, _, up in self._kept])[self._span(cycle)].reshape(-1, len(self._up) // 3, 3)
        angles = [0.0]
        for part, shown in enumerate(np.reshape(self._taught.posture, (-1, 3))):
            known = ups[np.isfinite(ups[:, part]).all(axis=1), part]
            if not len(known):
                continue
            mean = known.mean(axis=0)
            sizes = float(np.linalg.norm(mean)), float(np.linalg.norm(shown))
            if min(sizes) >= LEAST_UPRIGHT:
                angles.append(float(np.arccos(np.clip(mean @ shown / (sizes[0] * sizes[1]), -1.0, 1.0))))
        return max(angles)

    def _span(self, cycle: Cycle) -> slice:
        """Where the cycle is in what is kept."""
        first = self._first - self._kept_from
        return slice(max(0, first + cycle.start), max(0, first + cycle.end))

    def draft(self) -> Repeating:
        share = self._follower.share if self._follower is not None else 0.0
        return Repeating(self._taught.name, self._taught.side, round(share, 2))

    def _newest(self) -> int:
        return self._kept_from + sum(len(speed) for speed, _, _ in self._kept)

    def _repeated(self, cycle: Cycle) -> Repeated:
        start, end = self._first + cycle.start, self._first + cycle.end
        span = self._span(cycle)
        speed = np.concatenate([speed for speed, _, _ in self._kept])[span]
        leaned = np.concatenate([lean for _, lean, _ in self._kept])[span]
        smoothness = spectral_arc_length(speed[:, int(np.argmax(speed.sum(axis=0)))], FRAME_RATE_HZ)
        known = leaned[np.isfinite(leaned)]
        self._number += 1
        return Repeated(
            self._taught.name,
            self._taught.side,
            self._number,
            round(start / FRAME_RATE_HZ, 3),
            round(end / FRAME_RATE_HZ, 3),
            round(cycle.similarity, 3),
            round(cycle.amplitude, 3),
            None if smoothness is None else round(smoothness, 3),
            round(float(np.ptp(known)), 3) if len(known) else None,
        )


def repetitions_in(blocks: Iterable[Rows], exercises: Sequence[TaughtExercise]) -> list[Repeated]:
    """The repetitions of a whole recording of one arm."""
    stage = RepetitionStage(exercises)
    over = [repeated for rows in blocks for repeated in stage.push(rows)]
    return over + stage.finish()

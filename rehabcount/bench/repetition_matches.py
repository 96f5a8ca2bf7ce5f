"""Counted repetitions of several taught exercises against a test session in which one of them is made in three types.

Where several exercises or types count the same motion, the nearest one is taken: by similarity, duration and amplitude
against what was shown. A test has repetitions of the types with idle stretches between them; where their times are
known, a counted repetition belongs to the one that it overlaps most.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rehabcount.datasets.pte import ShownExercise
from rehabcount.domain.taught import TaughtExercise
from rehabcount.domain.update import Repeated

REPETITIONS = 30  # of a test: ten of each type
SAME = 0.3  # share of the shorter one that two counts of the same motion have in common
SHORTEST_IDLE_S = 0.5


@dataclass(frozen=True, slots=True)
class PteScore:
    """One test. Idle stretches and types only where times are known (`timed`)."""

    person: str
    exercise: str
    true: int
    right_exercise: int
    wrong_exercise: int
    timed: bool = False
    idle: int = 0
    idle_counted: int = 0
    matched: int = 0
    right_type: int = 0


def distance(counted: Repeated, taught: TaughtExercise) -> float:
    """How far a counted repetition is from what was shown."""
    return (
        2.0 * (1.0 - counted.similarity)
        + abs(math.log(max(counted.length_s, 0.1) / taught.cycle_s))
        + abs(math.log(max(counted.amplitude, 0.05)))
    )


def common_s(one: tuple[float, float], other: tuple[float, float]) -> float:
    return max(0.0, min(one[1], other[1]) - max(one[0], other[0]))


def nearest(counted: Sequence[Repeated], taught: Sequence[TaughtExercise]) -> list[Repeated]:
    """Of counts of the same motion, the nearest one."""
    by_name = {each.name: each for each in taught}
    kept = list[Repeated]()
    for each in sorted(counted, key=lambda one: distance(one, by_name[one.exercise])):
        span = (each.start_s, each.end_s)
        if all(
            common_s(span, (other.start_s, other.end_s)) <= SAME * min(each.length_s, other.length_s) for other in kept
        ):
            kept.append(each)
    return sorted(kept, key=lambda one: one.start_s)


def score_pte(test: ShownExercise, taught: Sequence[TaughtExercise], counted: Sequence[Repeated]) -> PteScore:
    kept = nearest(counted, taught)
    mine = [each for each in kept if each.exercise.startswith(f"{test.exercise} ")]
    if not test.repetitions:
        return PteScore(test.person, test.exercise, REPETITIONS, len(mine), len(kept) - len(mine))
    edges = [0.0, *(edge for _, start_s, end_s in test.repetitions for edge in (start_s, end_s)), test.test.length_s]
    idle = [(edges[i], edges[i + 1]) for i in range(0, len(edges), 2) if edges[i + 1] - edges[i] > SHORTEST_IDLE_S]
    in_idle = sum(any(start_s <= (each.start_s + each.end_s) / 2 < end_s for each in kept) for start_s, end_s in idle)
    matched = typed = right = 0
    for kind, start_s, end_s in test.repetitions:
        over = max(kept, key=lambda each: common_s((each.start_s, each.end_s), (start_s, end_s)), default=None)
        if over is None or common_s((over.start_s, over.end_s), (start_s, end_s)) < SAME * (end_s - start_s):
            continue
        matched += 1
        right += over in mine
        typed += over.exercise == f"{test.exercise} type {kind}"
    wrong = len(kept) - len(mine)
    return PteScore(
        test.person, test.exercise, len(test.repetitions), right, wrong, True, len(idle), in_idle, matched, typed
    )

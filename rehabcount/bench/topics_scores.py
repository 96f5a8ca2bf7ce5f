"""Scores of discovered topics against the truth: all readings, and what the same output gains by chance.

In: the truth of every event and the probability of each topic. Out: for each activity the scores with the topic that
it is matched with. By chance: the same output, moved against the truth by a random number of events (in a circle, so
that its runs stay as long as they are), and the best topic of each activity taken again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from rehabcount.bench.topics_data import EventData
from rehabcount.domain.arrays import Bools, Floats
from rehabcount.metrics import abstraction
from rehabcount.metrics.abstraction import Reading

READINGS = cast(tuple[Reading, ...], get_args(Reading))
DEFAULT = READINGS[0]
Rule = Literal["paper", "own"]
FOUND_FROM = 0.7  # extended F1 of an activity that counts as found
NEVER = -1.0  # probability of an event that no topic may have
NEAREST = 0.05  # share of all events by which an output is moved at least


@dataclass(frozen=True, slots=True)
class TopicScore:
    """One activity with its topic."""

    activity: str
    topic: int
    share: float  # of the events that are of the activity
    raw: float
    extended: float
    staircase: dict[str, float]  # by reading
    gradient: dict[str, float]
    literal_extended: float
    chance_raw: float | None  # None: not measured
    chance_extended: float | None


def scores_of(data: EventData, probabilities: Floats, shifts: int, rule: Rule = "paper") -> tuple[TopicScore, ...]:
    """`rule`: thresholds of topics as the paper chooses them, or of each pair its own; `shifts` 0: nothing is said of
    chance."""
    activities, share = data.activities, data.truth.mean(axis=0)
    thresholds = thresholds_of(data.truth, probabilities, rule)
    truth, probabilities = with_breaks(data, data.truth, False), with_breaks(data, probabilities, NEVER)
    result = abstraction.evaluate(truth, probabilities, thresholds=thresholds)
    chance = by_chance(truth, probabilities, thresholds, shifts) if shifts else None
    found = []
    for number, activity in enumerate(activities):
        topic = int(result.matched[number])
        active = probabilities[:, topic] >= thresholds[number, topic]
        read = {name: abstraction.compare(truth[:, number], active, name) for name in READINGS}
        found.append(
            TopicScore(
                activity,
                topic,
                float(share[number]),
                read[DEFAULT].raw,
                read[DEFAULT].extended,
                {name: each.staircase for name, each in read.items()},
                {name: each.gradient for name, each in read.items()},
                read["literal"].extended,
                None if chance is None else float(chance[number, 0]),
                None if chance is None else float(chance[number, 1]),
            )
        )
    return tuple(found)


def with_breaks(data: EventData, table: NDArray[Any], fill: float) -> NDArray[Any]:
    """A row of `fill` between sequences, so that what continues after a break is a run of its own."""
    return np.insert(table, data.breaks, fill, axis=0)


def thresholds_of(truth: Bools, probabilities: Floats, rule: Rule) -> Floats:
    """(activities, topics)."""
    if rule == "own":
        return abstraction.candidate_thresholds(truth, probabilities)
    chosen = abstraction.choose_thresholds(truth, probabilities)
    return np.broadcast_to(chosen, (truth.shape[1], probabilities.shape[1]))


def by_chance(truth: Bools, probabilities: Floats, thresholds: Floats, shifts: int) -> Floats:
    """(activities, 2): raw and extended F1 of the topic with the highest extended F1, mean of the shifts."""
    rng, count = np.random.default_rng(0), len(truth)
    nearest = int(NEAREST * count)
    totals = np.zeros((truth.shape[1], 2))
    for _ in range(shifts):
        moved = np.roll(probabilities, int(rng.integers(nearest, max(nearest + 1, count - nearest))), axis=0)
        for number in range(truth.shape[1]):
            active = moved >= thresholds[number]
            best = max(
                (abstraction.compare(truth[:, number], column) for column in active.T), key=lambda each: each.extended
            )
            totals[number] += (best.raw, best.extended)
    return totals / shifts


def mean_of(scores: Sequence[TopicScore], name: str, reading: str = DEFAULT) -> float:
    """Of all activities; `name` is a field of TopicScore."""
    return float(np.mean([value_of(score, name, reading) for score in scores]))


def value_of(score: TopicScore, name: str, reading: str = DEFAULT) -> float:
    value = getattr(score, name)
    return float("nan") if value is None else float(value[reading] if isinstance(value, dict) else value)


def of_activity(runs: Sequence[Sequence[TopicScore]], activity: str) -> list[TopicScore]:
    return [score for run in runs for score in run if score.activity == activity]


def found_activities(runs: Sequence[Sequence[TopicScore]], name: str = "extended") -> list[str]:
    """Activities whose mean over the runs reaches FOUND_FROM."""
    names = [score.activity for score in runs[0]]
    return [each for each in names if mean_of(of_activity(runs, each), name) >= FOUND_FROM]


def flicker(share: float) -> tuple[float, float, float]:
    """Raw, staircase and extended F1 expected of an output that is active at random in a share of the events, against
    an activity that is as frequent and whose runs are so long that none is missed."""
    overlap, lonely = share**2, share * (1 - share)  # of all events; the rest of the activity is extensions
    stairs = overlap + abstraction.STAIR * (share - overlap)
    errors = lonely + (1 - abstraction.STAIR) * (share - overlap)
    return share, 2 * stairs / (2 * stairs + errors), 2 * share / (2 * share + lonely)

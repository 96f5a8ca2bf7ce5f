"""Abstraction-aware F1: is a discovered activity right at another level of detail than the reference?

Binary references and activity probabilities per event in; for each reference its best topic and four F1 out.

Conventions
-----------
`truth` is (events, activities) of booleans, `scores` (events, topics) of probabilities. A topic is active where its
score reaches its threshold. An *overlap* is an event where truth and topic are both active. Runs of either that share
an event form one *component*; its events outside the overlap are *extensions*: the places where both agree that
something happens and disagree on how much of it. Runs that only touch are not joined.

Metrics
-------
raw        F1 of events as they are.
extended   every event of a component with an overlap is a true positive; errors are runs without any overlap.
staircase  an extension earns 0.4 instead of 1.
gradient   an extension earns 1 - 0.001 n, n events away from its component's nearest overlap; never below 0.
F1 = 2 TP / (2 TP + FP + FN), and 0 where there is nothing (as the paper prints it for an activity never found).

The paper's formulas do not give its tables under any reading, so the reading is named. What an extension that earns w
leaves:
A (default)  the remainder 1 - w is an error, FP where the topic is active, FN where the truth is.
B            nothing.
C            as B, and events of runs without overlap also count w instead of 1: 0.4, or by their distance to the
             nearest overlap anywhere (no overlap at all: 1).
literal      eqs. (4) to (6) as printed, once: one event of dilation of both channels; staircase adds 0.4 beside any
             activity, so it may exceed 1 per event; FP and FN are raw.

Threshold of a topic: for each activity the score value that makes the share of active events most like the activity's
(the larger of two equally good); of those the one with the smallest gap, the first activity's of equals. Scores that
hardly repeat reach every share, so all gaps are 0 and every topic gets the first activity's: `candidate_thresholds`
are the ones before that last step, one for each activity and topic, and may be given instead. Each activity is matched
with the topic of highest extended F1, the first of equals; a topic may serve several.

References
----------
Rogers, Ross & Kelleher, Evaluating sequence discovery systems in an abstraction-aware manner, AIAI 2018, sections 5, 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from rehabcount.domain.arrays import Bools, Floats, Ints, frozen
from rehabcount.metrics.matching import overlaps, runs

Reading = Literal["A", "B", "C", "literal"]
STAIR = 0.4
SLOPE = 0.001  # per event of distance


@dataclass(frozen=True, slots=True)
class FourF1:
    """One activity against one topic."""

    raw: float
    extended: float
    staircase: float
    gradient: float


@dataclass(frozen=True, slots=True)
class AbstractionResult:
    """`pairs[activity][topic]`, the thresholds, and the topic that each activity is matched with."""

    reading: Reading
    thresholds: Floats  # (topics,), or (activities, topics) if such were given
    pairs: tuple[tuple[FourF1, ...], ...]
    matched: Ints  # (activities,)

    def best(self, activity: int) -> FourF1:
        """The scores of an activity with its matched topic."""
        return self.pairs[activity][self.matched[activity]]


def evaluate(truth: Any, scores: Any, *, thresholds: Any = None, reading: Reading = "A") -> AbstractionResult:
    """Score every activity against every topic. `thresholds`, (topics,) or (activities, topics), replace the paper's
    choice."""
    truth, scores = _table("truth", truth).astype(bool), _table("scores", scores)
    if len(truth) != len(scores):
        raise ValueError(f"truth has {len(truth)} events, scores has {len(scores)}")
    if not len(truth) or not truth.shape[1] or not scores.shape[1]:
        raise ValueError("there must be at least one event, one activity and one topic")
    if reading not in get_args(Reading):
        raise ValueError(f"reading={reading!r}: must be one of {get_args(Reading)}")
    chosen = choose_thresholds(truth, scores) if thresholds is None else np.asarray(thresholds, float)
    every = np.broadcast_to(chosen, (truth.shape[1], scores.shape[1]))
    pairs = tuple(
        tuple(compare(truth[:, g], scores[:, y] >= every[g, y], reading) for y in range(scores.shape[1]))
        for g in range(truth.shape[1])
    )
    matched = [int(np.argmax([pair.extended for pair in row])) for row in pairs]
    return AbstractionResult(reading, frozen(chosen), pairs, frozen(matched, np.int64))


def choose_thresholds(truth: Bools, scores: Floats) -> Floats:
    """The paper's threshold of each topic."""
    candidates, gaps = _candidates(truth, scores)
    return candidates[np.argmin(gaps, axis=0), np.arange(scores.shape[1])]


def candidate_thresholds(truth: Bools, scores: Floats) -> Floats:
    """(activities, topics): what makes the topic's share of active events most like the activity's."""
    return _candidates(truth, scores)[0]


def _candidates(truth: Bools, scores: Floats) -> tuple[Floats, Floats]:
    """(activities, topics): the candidate thresholds, and how far the shares remain apart."""
    shares = truth.mean(axis=0)
    chosen, apart = [], []
    for column in scores.T:
        values, counts = np.unique(column, return_counts=True)
        values, reached = values[::-1], np.cumsum(counts[::-1]) / len(column)  # larger thresholds first
        gaps = np.abs(reached[:, None] - shares)  # (values, activities)
        best = np.argmin(gaps, axis=0)
        chosen.append(values[best])
        apart.append(gaps[best, np.arange(len(shares))])
    return np.stack(chosen, axis=1), np.stack(apart, axis=1)


def compare(truth: Any, active: Any, reading: Reading = "A") -> FourF1:
    """The four F1 of one binary truth and one binary output."""
    g, b = np.asarray(truth, bool), np.asarray(active, bool)
    both = g & b
    raw = _f1(both.sum(), (b & ~g).sum(), (g & ~b).sum())
    if reading == "literal":
        return _compare_literally(g, b, raw)
    component = components(g, b)
    joined = component >= 0
    extension = joined & ~both
    lonely_b, lonely_g = b & ~joined, g & ~joined
    distance = distance_to_overlap(both, component)
    graded = [np.full(len(g), STAIR), np.maximum(0.0, 1 - SLOPE * distance)]
    weighted = []
    for w in graded:
        tp = both.sum() + w[extension].sum()
        if reading == "A":
            fp = lonely_b.sum() + (1 - w)[extension & b].sum()
            fn = lonely_g.sum() + (1 - w)[extension & g].sum()
        elif reading == "B":
            fp, fn = lonely_b.sum(), lonely_g.sum()
        else:
            fp, fn = w[lonely_b].sum(), w[lonely_g].sum()
        weighted.append(_f1(tp, fp, fn))
    return FourF1(raw, _f1(joined.sum(), lonely_b.sum(), lonely_g.sum()), *weighted)


def _compare_literally(g: Bools, b: Bools, raw: float) -> FourF1:
    both, fp, fn = g & b, (b & ~g).sum(), (g & ~b).sum()
    dilated = (g | _beside(g)) & (b | _beside(b))
    distance = distance_to_overlap(both, np.zeros(len(g), np.int64)) if both.any() else np.full(len(g), np.inf)
    stairs = both.sum() + STAIR * (_beside(g) | _beside(b)).sum()
    gradient = np.maximum(0.0, 1 - SLOPE * distance)[dilated].sum()
    return FourF1(raw, _f1(dilated.sum(), fp, fn), _f1(stairs, fp, fn), _f1(gradient, fp, fn))


def components(g: Bools, b: Bools) -> Ints:
    """For each event the number of its component; -1 outside components with an overlap."""
    component = np.full(len(g), -1)
    true, said = runs(g).without([False]), runs(b).without([False])
    pairs = overlaps(true, said)
    if not len(pairs.shared):
        return component
    # Pairs are in time order, and neighbouring pairs of one component share a run.
    apart = (np.diff(pairs.reference) != 0) & (np.diff(pairs.estimate) != 0)
    firsts = np.flatnonzero(np.concatenate([[True], apart]))
    starts = np.minimum.reduceat(np.minimum(true.starts[pairs.reference], said.starts[pairs.estimate]), firsts)
    ends = np.maximum.reduceat(np.maximum(true.ends[pairs.reference], said.ends[pairs.estimate]), firsts)
    for number, (start, end) in enumerate(zip(starts.astype(int), ends.astype(int), strict=True)):
        component[start:end] = number
    return component


def distance_to_overlap(both: Bools, component: Ints) -> Floats:
    """Events to the nearest overlap of the own component; outside components, to the nearest overlap anywhere."""
    where = np.flatnonzero(both)
    if not len(where):
        return np.zeros(len(both))  # without an overlap there is no distance
    events = np.arange(len(both))
    after = np.searchsorted(where, events)
    distances = []
    for neighbour in (np.clip(after - 1, 0, None), np.clip(after, None, len(where) - 1)):
        at = where[neighbour]
        own = (component < 0) | (component[at] == component)
        distances.append(np.where(own, np.abs(events - at), np.inf))
    return np.minimum(*distances)


def _beside(active: Bools) -> Bools:
    """Whether a neighbouring event is active; beyond the ends nothing is."""
    found = np.zeros_like(active)
    found[1:] |= active[:-1]
    found[:-1] |= active[1:]
    return found


def _table(name: str, values: Any) -> Floats:
    table = np.asarray(values, float)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise ValueError(f"{name} must be (events, columns), not {table.shape}")
    wrong = np.argwhere(~np.isfinite(table))
    if len(wrong):
        raise ValueError(f"{name}[{wrong[0][0]}, {wrong[0][1]}] is {table[tuple(wrong[0])]}")
    return table


def _f1(tp: float, fp: float, fn: float) -> float:
    return float(2 * tp / (2 * tp + fp + fn)) if 2 * tp + fp + fn else 0.0

"""Segment metrics: was each movement found where it was?

Labellings of many trials in; one `SegmentResult` out.

Conventions
-----------
A trial is frame labels, `Spans` or Segments; frames of one trial must be equally many on both sides. `background`
names labels that are no action: their segments take no part in F1 (frame accuracy and boundaries keep them, as in the
evaluations of Lea et al. and MS-TCN).

Two conventions of averaging exist and give different numbers; both are here. `pooled` (MS-TCN, ASRF) sums over all
trials first. `per_trial` (Lea et al.) scores each trial and averages the scores.

Metrics
-------
frame_accuracy     time on which both agree / time of the reference.
f1(k)              in percent. Estimated segments in time order each look at the true segment of their label with which
                   they share most of their union (the first, if several); it is a true positive if that share is at
                   least k and the segment was not taken before, else a false positive; segments not taken are misses.
                   F1 = 2 TP / (2 TP + FP + FN); 0 where there is neither (both evaluations turn 0/0 into 0).
boundary_f1        onsets (the first frame of every segment, the very first included) found within a tolerance.
                   `nearest` (ASRF): each estimated onset looks at the nearest true one, which can be taken once.
                   `optimal`: as many pairs as possible, so that two close onsets do not compete for one.
boundary_accuracy  share of true onsets that were found, by the duration of the action that they open. The paper draws
                   it (Fig. 4) without a formula; this is our reading, with the matching of `boundary_f1`.

References
----------
Lea et al., Temporal Convolutional Networks for Action Segmentation and Detection, CVPR 2017.
Farha & Gall, MS-TCN, CVPR 2019. Ishikawa et al., ASRF, WACV 2021 (boundary F1, tolerance of 5 frames).
Kaku et al., StrokeRehab, NeurIPS 2022, Fig. 4.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from rehabcount.domain.arrays import Bools, Floats, Ints, frozen
from rehabcount.metrics.matching import UNPAIRED, Spans, first_claims, overlaps, spans_of
from rehabcount.metrics.weighting import mean, ratio, total

Pooling = Literal["pooled", "per_trial"]
BoundaryMatching = Literal["nearest", "optimal"]

OVERLAPS = (0.10, 0.25, 0.50)
TOLERANCE = 5.0  # frames; ASRF's
# Ends of duration bins: powers of two, because durations range over decades.
DURATION_EDGES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, np.inf)


@dataclass(frozen=True, slots=True)
class DurationBin:
    """Onsets of actions that last `[shortest, longest)`."""

    shortest: float
    longest: float
    onsets: int
    found: int

    @property
    def accuracy(self) -> float:
        return self.found / self.onsets if self.onsets else float("nan")


@dataclass(frozen=True, slots=True)
class SegmentResult:
    """Counts per trial (row) and overlap (column), and every true onset; the scores are read from it."""

    overlaps: tuple[float, ...]
    agreed: Floats  # (trials,): time with equal labels
    length: Floats  # (trials,): time of the reference
    true_positives: Ints  # (trials, overlaps)
    false_positives: Ints
    misses: Ints
    boundary_true_positives: Ints  # (trials,)
    boundary_false_positives: Ints
    boundary_misses: Ints
    onset_durations: Floats  # of the action behind each true onset, all trials
    onset_found: Bools

    def frame_accuracy(self, pooling: Pooling = "pooled", weights: Floats | None = None) -> Any:
        """0 to 1; NaN without any reference time."""
        if pooling == "pooled":
            return ratio(total(self.agreed, weights), total(self.length, weights))
        return mean(ratio(self.agreed, self.length), weights)

    def f1(self, overlap: float, pooling: Pooling = "pooled", weights: Floats | None = None) -> Any:
        """0 to 100."""
        at = self.overlaps.index(overlap)
        counts = (self.true_positives[:, at], self.false_positives[:, at], self.misses[:, at])
        return 100 * _f1(counts, pooling, weights)

    def boundary_f1(self, pooling: Pooling = "pooled", weights: Floats | None = None) -> Any:
        """0 to 100."""
        counts = (self.boundary_true_positives, self.boundary_false_positives, self.boundary_misses)
        return 100 * _f1(counts, pooling, weights)

    def boundary_accuracy(self, edges: Sequence[float] = DURATION_EDGES) -> tuple[DurationBin, ...]:
        """By duration, in the unit of the labellings (frames or seconds)."""
        durations, found = self.onset_durations, self.onset_found
        bins = []
        for shortest, longest in pairwise(edges):
            here = (durations >= shortest) & (durations < longest)
            bins.append(DurationBin(shortest, longest, int(here.sum()), int(found[here].sum())))
        return tuple(bins)


def evaluate(
    reference: Sequence[Any],
    estimate: Sequence[Any],
    *,
    background: Iterable[Hashable] = (),
    overlaps: Sequence[float] = OVERLAPS,
    tolerance: float = TOLERANCE,
    boundaries: BoundaryMatching = "nearest",
) -> SegmentResult:
    """Match every trial once."""
    if len(reference) != len(estimate):
        raise ValueError(f"{len(reference)} reference trials, {len(estimate)} estimated ones")
    excluded = list(background)
    rows = [
        _match_trial(i, r, e, excluded, tuple(overlaps), tolerance, boundaries)
        for i, (r, e) in enumerate(zip(reference, estimate, strict=True))
    ]
    return SegmentResult(
        overlaps=tuple(overlaps),
        agreed=frozen([row.agreed for row in rows]),
        length=frozen([row.length for row in rows]),
        true_positives=_table(rows, "hits", len(overlaps)),
        false_positives=_table(rows, "wrong", len(overlaps)),
        misses=_table(rows, "missed", len(overlaps)),
        boundary_true_positives=frozen([row.onsets_found.sum() for row in rows], np.int64),
        boundary_false_positives=frozen([row.onsets_invented for row in rows], np.int64),
        boundary_misses=frozen([(~row.onsets_found).sum() for row in rows], np.int64),
        onset_durations=frozen(np.concatenate([[], *(row.durations for row in rows)])),
        onset_found=frozen(np.concatenate([[], *(row.onsets_found for row in rows)]), bool),
    )


@dataclass(frozen=True, slots=True)
class _Trial:
    agreed: float
    length: float
    hits: list[int]
    wrong: list[int]
    missed: list[int]
    onsets_found: Bools
    onsets_invented: int
    durations: Floats


def _match_trial(
    number: int,
    reference: Any,
    estimate: Any,
    background: list[Hashable],
    thresholds: tuple[float, ...],
    tolerance: float,
    boundaries: BoundaryMatching,
) -> _Trial:
    r, e = spans_of(reference), spans_of(estimate)
    in_frames = not isinstance(reference, Spans) and not isinstance(estimate, Spans)
    if in_frames and len(reference) != len(estimate) and not _in_seconds(reference, estimate):
        raise ValueError(f"trial {number} has {len(reference)} reference frames and {len(estimate)} estimated ones")
    both = overlaps(r, e)
    agreed = float(both.shared[r.labels[both.reference] == e.labels[both.estimate]].sum()) if len(both.shared) else 0.0
    true, claimed = r.without(background), e.without(background)
    best = _best_partners(true, claimed)
    hits = [int(first_claims(np.where(best[1] >= threshold, best[0], UNPAIRED)).sum()) for threshold in thresholds]
    found = _found_onsets(r.starts, e.starts, tolerance, boundaries)
    return _Trial(
        agreed=agreed,
        length=float((r.ends - r.starts).sum()),
        hits=hits,
        wrong=[len(claimed) - hit for hit in hits],
        missed=[len(true) - hit for hit in hits],
        onsets_found=found,
        onsets_invented=len(e) - int(found.sum()),
        durations=r.ends - r.starts,
    )


def _in_seconds(reference: Any, estimate: Any) -> bool:
    """Whether either side is a list of Segments; their number is not the length of the trial."""
    return any(len(side) and hasattr(side[0], "start_s") for side in (reference, estimate))


def _best_partners(reference: Spans, estimate: Spans) -> tuple[Ints, Floats]:
    """For each estimated span the true span of its label with the largest share of their union, and that share."""
    partner, share = np.full(len(estimate), UNPAIRED), np.zeros(len(estimate))
    pairs = overlaps(reference, estimate)
    if not len(pairs.shared):
        return partner, share
    same = reference.labels[pairs.reference] == estimate.labels[pairs.estimate]
    r, e, iou = pairs.reference[same], pairs.estimate[same], (pairs.shared / pairs.union)[same]
    order = np.lexsort((r, -iou, e))  # by estimate, best first, earliest true span first among equals
    first = order[np.unique(e[order], return_index=True)[1]]
    partner[e[first]], share[e[first]] = r[first], iou[first]
    return partner, share


def _found_onsets(reference: Floats, estimate: Floats, tolerance: float, how: BoundaryMatching) -> Bools:
    """Which true onsets are found. Both are sorted."""
    found = np.zeros(len(reference), bool)
    if not len(reference) or not len(estimate):
        return found
    if how == "nearest":
        right = np.clip(np.searchsorted(reference, estimate), 1, max(len(reference) - 1, 1))
        left = right - 1
        right = np.minimum(right, len(reference) - 1)
        nearest = np.where(estimate - reference[left] <= reference[right] - estimate, left, right)
        near_enough = np.abs(estimate - reference[nearest]) <= tolerance
        found[np.unique(nearest[near_enough])] = True
        return found
    i = j = 0
    while i < len(reference) and j < len(estimate):  # the earliest possible partner never costs a later pair
        if abs(reference[i] - estimate[j]) <= tolerance:
            found[i] = True
            i, j = i + 1, j + 1
        elif reference[i] < estimate[j]:
            i += 1
        else:
            j += 1
    return found


def _f1(counts: tuple[Ints, Ints, Ints], pooling: Pooling, weights: Floats | None) -> Any:
    if pooling == "pooled":
        tp, fp, fn = (total(column, weights) for column in counts)
        return np.nan_to_num(ratio(2 * tp, 2 * tp + fp + fn))
    tp, fp, fn = counts
    return mean(np.nan_to_num(ratio(2 * tp, 2 * tp + fp + fn)), weights)


def _table(rows: list[_Trial], name: str, columns: int) -> Ints:
    return frozen(np.array([getattr(row, name) for row in rows], np.int64).reshape(len(rows), columns), np.int64)

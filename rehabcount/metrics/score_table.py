"""The score table: the scores of all families that apply to a set of labelled trials, each with its bootstrap interval.

Spans of many trials in, one flat list of named scores out: what `rehabcount evaluate` shows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import PRODUCT
from rehabcount.metrics import agreement, bootstrap, edit, segment, structure
from rehabcount.metrics.matching import Spans

_NEVER_COUNTED = {label.name for label in PRODUCT.labels if not label.counted}
NOTHING = "(nothing)"  # the label of time that no span covers


@dataclass(frozen=True, slots=True)
class NamedScore:
    """One number; `low` and `high` are None where there is no interval (one trial, or a score that pools all)."""

    family: str
    name: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Options:
    scoring: edit.Scoring = "runs"
    background: tuple[Hashable, ...] = ()
    merged: bool = False
    tolerance: float = segment.TOLERANCE  # in the unit of the spans
    raster: float = 1.0  # structure scores look at time in steps of this length
    replicates: int = bootstrap.REPLICATES
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ScoreTable:
    scores: tuple[NamedScore, ...]
    edit: edit.EditResult
    segment: segment.SegmentResult


def summarise(
    reference: Sequence[Spans], estimate: Sequence[Spans], subjects: Sequence[str], options: Options
) -> ScoreTable:
    """Score trials; `subjects` says whose each is, and the bootstrap draws whole subjects where they have several."""
    names = edit.MOVE_HOLD_IDLE if options.merged else None
    if names is not None:
        reference, estimate = [[_renamed(spans, names) for spans in side] for side in (reference, estimate)]
    tokens = [
        [edit.tokens(spans, options.scoring, exclude=options.background) for spans in side]
        for side in (reference, estimate)
    ]
    edits = edit.evaluate(*tokens, subjects=subjects)
    segments = segment.evaluate(reference, estimate, background=options.background, tolerance=options.tolerance)
    trials = len(reference)
    weights = None
    if trials > 1:
        weights = bootstrap.weights(trials, replicates=options.replicates, seed=options.seed, groups=subjects)

    def score(family: str, name: str, read: Callable[[Floats | None], Any]) -> NamedScore:
        if weights is None:
            return NamedScore(family, name, float(read(None)))
        found = bootstrap.interval(read(weights))
        return NamedScore(family, name, float(read(None)), found.low, found.high)

    scores = [
        score("edit", "edit score", edits.edit_score),
        score("edit", "action error rate", lambda w: edits.aer("pooled", w)),
        score("edit", "action error rate per trial", lambda w: edits.aer("per_trial", w)),
        score("edit", "sensitivity", edits.sensitivity),
        score("edit", "false discovery rate", edits.false_discovery),
        score("segment", "frame accuracy", lambda w: segments.frame_accuracy("pooled", w)),
        *(
            score("segment", f"F1@{100 * k:.0f}{said}", lambda w, k=k, how=how: segments.f1(k, how, w))  # type: ignore[misc]
            for k in segments.overlaps
            for how, said in (("pooled", ""), ("per_trial", " per trial"))
        ),
        score("segment", "boundary F1", lambda w: segments.boundary_f1("pooled", w)),
        *_structure_scores(reference, estimate, options.raster),
        *_count_scores(edits, subjects),
    ]
    return ScoreTable(tuple(scores), edits, segments)


def _structure_scores(reference: Sequence[Spans], estimate: Sequence[Spans], raster: float) -> list[NamedScore]:
    ends = [
        max(float(side.ends[-1]) if len(side) else 0.0 for side in pair)
        for pair in zip(reference, estimate, strict=True)
    ]
    frames = [
        [_frames(spans, end, raster) for spans, end in zip(side, ends, strict=True)] for side in (reference, estimate)
    ]
    joined = [np.concatenate(side) for side in frames]
    if not len(joined[0]):
        return []
    result = structure.evaluate(*joined, sequence_lengths=[len(part) for part in frames[0]])
    readers = {
        "TSS": result.tss(),
        "RSS": result.rss,
        "SSS": result.sss(),
        "LASS": result.lass(),
        "NMI": result.nmi(),
        "ARI": result.ari(),
        "Munkres": result.munkres(),
    }
    return [NamedScore("structure", name, value) for name, value in readers.items()]


def _count_scores(edits: edit.EditResult, subjects: Sequence[str]) -> list[NamedScore]:
    counted = np.array([label not in _NEVER_COUNTED for label in edits.labels], bool)
    reference, estimate = (side[:, counted].sum(axis=1) for side in (edits.reference_counts, edits.estimate_counts))
    result = agreement.evaluate(reference, estimate, subjects=list(subjects))
    scores = [
        NamedScore("counts", "bias per trial", result.bias),
        NamedScore("counts", "mean absolute error, %", result.mape),
    ]
    if len(reference) > 1:
        scores += [
            NamedScore(
                "counts", "ratio, with limits of agreement", result.ratio, result.lower_limit, result.upper_limit
            ),
            NamedScore("counts", "ICC(A,1)", result.icc.value, result.icc.low, result.icc.high),
        ]
    return scores


def _renamed(spans: Spans, names: Mapping[str, str]) -> Spans:
    labels = np.array([names.get(label, label) for label in spans.labels.tolist()])
    return Spans(labels, spans.starts, spans.ends)


def _frames(spans: Spans, end: float, raster: float) -> Any:
    """One label per step of `raster`, NOTHING where no span is."""
    steps = np.zeros(round(end / raster), np.int64)
    for number, (start, stop) in enumerate(zip(spans.starts, spans.ends, strict=True), 1):
        steps[round(start / raster) : round(stop / raster)] = number
    return np.array([NOTHING, *(str(label) for label in spans.labels.tolist())])[steps]

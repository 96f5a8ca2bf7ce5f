"""The score table: the scores of all families that apply to a set of labelled trials, each with its bootstrap interval.

In: spans of many trials. Out: a flat list of named scores and the agreement of the counts of each label, as
`rehabcount evaluate` shows them. Counts of different labels are never summed before they are compared, because a missed
reach and an invented transport would cancel; a total is the sum of the labels' absolute errors. 95 % intervals are
given from `bootstrap.FEWEST_UNITS` recordings (or subjects) on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import PRODUCT
from rehabcount.metrics import agreement, bootstrap, edit, segment, structure
from rehabcount.metrics.matching import Spans
from rehabcount.metrics.weighting import mean, ratio, total

_NEVER_COUNTED = {label.name for label in PRODUCT.labels if not label.counted}
UNITS = {
    "edit score": "of 100",
    "action error rate": "errors a movement",
    "action error rate per trial": "errors a movement",
    "boundary F1": "of 100",
    "absolute errors per trial, labels added": "movements",
    "absolute errors, % of the reference": "%",
}  # F1 is of 100, all other scores are of 1
NOTHING = "(nothing)"  # the label of time that no span covers


@dataclass(frozen=True, slots=True)
class NamedScore:
    """One number; `low` and `high` are None where there is no interval (few trials, or a score that pools all)."""

    family: str
    name: str
    value: float
    low: float | None = None
    high: float | None = None
    unit: str = field(init=False)  # "of 100" and the like; for a table, which shows fields

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit", UNITS.get(self.name, "of 100" if self.name.startswith("F1@") else "of 1"))


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """How often one label was there and was found. `is_counted`: it is a movement, and has a part in the total."""

    label: Hashable
    is_counted: bool
    reference: int
    estimate: int
    agreement: agreement.AgreementResult


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
    counts: tuple[LabelCounts, ...]
    units: int  # recordings, or subjects: what intervals are over

    @property
    def has_intervals(self) -> bool:
        return self.units >= bootstrap.FEWEST_UNITS


def summarise(
    reference: Sequence[Spans],
    estimate: Sequence[Spans],
    subjects: Sequence[str],
    options: Options,
    units: Sequence[str] | None = None,
) -> ScoreTable:
    """Scores trials. `subjects` says whose each is; `units` which belong together for the bootstrap, as the two arms of
    one recording do: without it, those of one subject."""
    units = subjects if units is None else units
    names = edit.MOVE_HOLD_IDLE if options.merged else None
    if names is not None:
        reference, estimate = [[_renamed(spans, names) for spans in side] for side in (reference, estimate)]
    tokens = [
        [edit.tokens(spans, options.scoring, exclude=options.background) for spans in side]
        for side in (reference, estimate)
    ]
    edits = edit.evaluate(*tokens, subjects=subjects)
    segments = segment.evaluate(reference, estimate, background=options.background, tolerance=options.tolerance)
    weights = None
    if len(set(units)) >= bootstrap.FEWEST_UNITS:
        weights = bootstrap.weights(len(units), replicates=options.replicates, seed=options.seed, groups=units)

    def score(family: str, name: str, read: Callable[[Floats | None], Any]) -> NamedScore:
        if weights is None:
            return NamedScore(family, name, float(read(None)))
        found = bootstrap.interval(read(weights))
        return NamedScore(family, name, float(read(None)), found.low, found.high)

    errors, there = _count_errors(edits)
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
        score("counts", "absolute errors per trial, labels added", lambda w: mean(errors, w)),
        score(
            "counts", "absolute errors, % of the reference", lambda w: 100 * ratio(total(errors, w), total(there, w))
        ),
    ]
    return ScoreTable(tuple(scores), edits, segments, _label_counts(edits, units), len(set(units)))


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


def _count_errors(edits: edit.EditResult) -> tuple[Any, Any]:
    """For each trial: the counted labels' absolute errors, added, and how much there was to count."""
    counted = np.array([label not in _NEVER_COUNTED for label in edits.labels], bool)
    reference, estimate = edits.reference_counts[:, counted], edits.estimate_counts[:, counted]
    return np.abs(estimate - reference).sum(axis=1), reference.sum(axis=1)


def _label_counts(edits: edit.EditResult, units: Sequence[str]) -> tuple[LabelCounts, ...]:
    """Those that are counted first."""
    found = [
        LabelCounts(
            label, label not in _NEVER_COUNTED, int(r.sum()), int(e.sum()), agreement.evaluate(r, e, subjects=units)
        )
        for label, r, e in zip(edits.labels, edits.reference_counts.T, edits.estimate_counts.T, strict=True)
    ]
    return tuple(sorted(found, key=lambda each: not each.is_counted))


def _renamed(spans: Spans, names: Mapping[str, str]) -> Spans:
    labels = np.array([names.get(label, label) for label in spans.labels.tolist()])
    return Spans(labels, spans.starts, spans.ends)


def _frames(spans: Spans, end: float, raster: float) -> Any:
    """One label per step of `raster`, NOTHING where no span is."""
    steps = np.zeros(round(end / raster), np.int64)
    for number, (start, stop) in enumerate(zip(spans.starts, spans.ends, strict=True), 1):
        steps[round(start / raster) : round(stop / raster)] = number
    return np.array([NOTHING, *(str(label) for label in spans.labels.tolist())])[steps]

"""Edit metrics: were the right movements found, in the right order, and how many of them?

Token sequences of many trials in; one `EditResult` out.

Conventions
-----------
`tokens` makes the sequence of a trial in one of two ways. `runs` is the paper's: frame labels with consecutive
repeats collapsed, so that two reaches in a row are one token. `events` keeps every onset, so that repeats count.
Excluded labels are taken out after collapsing and what they separated is not joined (MS-TCN's evaluation does so).
`merged` maps the five primitives to move, hold and idle.

A *hit* pairs equal labels, a *substitution* different ones, a *miss* is a reference token without partner, a *false
alarm* an estimated one. `rehabcount.metrics.matching` says which of several equally short alignments is taken.

Metrics
-------
edit_score      mean over trials of 100 * (1 - edits / max(reference length, estimate length)), eq. (1); a trial that
                is empty on both sides scores 100.
aer             action error rate, eq. (2): `pooled` sums edits and reference tokens over trials (the paper's tables),
                `per_trial` averages the trials' ratios. An empty reference has no rate of its own: it is left out of
                `per_trial`, and its false alarms still count in `pooled`. No reference token at all: NaN.
sensitivity     1 - (misses + substitutions) / reference tokens, summed per subject, then averaged over subjects.
false_discovery (false alarms + substitutions) / estimated tokens, likewise. A subject without tokens is left out.
confusion       reference label by row; estimated label by column, then two columns: missed, false alarm.
counts          tokens per trial, activity and subject: true against estimated.

Every score takes `weights` (replicates x trials) from `rehabcount.metrics.bootstrap` and then gives one value each.

References
----------
Kaku et al., StrokeRehab, NeurIPS 2022: eqs. (1) and (2), Table 2, Figs. 5 and 7.
Parnandi et al., PrimSeq, PLOS Digital Health 2022: sensitivity and false discovery rate.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rehabcount.domain.arrays import Floats, Ints, frozen
from rehabcount.metrics.matching import UNPAIRED, Ties, align, spans_of
from rehabcount.metrics.weighting import mean, mean_of_known, ratio, total

Scoring = Literal["runs", "events"]
Pooling = Literal["pooled", "per_trial"]

MOVE_HOLD_IDLE: Mapping[str, str] = {
    "reach": "move",
    "reposition": "move",
    "transport": "move",
    "stabilize": "hold",
    "idle": "idle",
}


def tokens(
    labelling: Any,
    scoring: Scoring = "runs",
    *,
    exclude: Iterable[Hashable] = (),
    merged: Mapping[str, str] | None = None,
) -> list[Hashable]:
    """A trial's token sequence. `labelling` is frame labels, Segments or Spans; frames have no repeats to keep."""
    labels = spans_of(labelling).labels.tolist()
    if merged is not None:
        labels = [merged.get(label, label) for label in labels]
    if scoring == "runs":
        labels = [label for i, label in enumerate(labels) if i == 0 or label != labels[i - 1]]
    unwanted = set(exclude)
    return [label for label in labels if label not in unwanted]


@dataclass(frozen=True, slots=True)
class ActivityCounts:
    """Primitives of one activity: mean over subjects of the subject's total."""

    activity: str
    reference: float
    estimate: float

    @property
    def relative_error(self) -> float:
        """(estimate - reference) / reference; NaN where there was none to find."""
        return (self.estimate - self.reference) / self.reference if self.reference else float("nan")


@dataclass(frozen=True, slots=True)
class EditResult:
    """The alignment of each trial; the scores are computed from it."""

    labels: tuple[Hashable, ...]
    hits: Ints
    substitutions: Ints
    misses: Ints
    false_alarms: Ints
    pairs: Ints  # (labels, labels): reference by row, estimate by column
    missed: Ints  # (labels,)
    invented: Ints  # (labels,): false alarms by label
    reference_counts: Ints  # (trials, labels)
    estimate_counts: Ints  # (trials, labels)
    subjects: tuple[str, ...]
    activities: tuple[str, ...]

    @property
    def reference_length(self) -> Ints:
        return self.hits + self.substitutions + self.misses

    @property
    def estimate_length(self) -> Ints:
        return self.hits + self.substitutions + self.false_alarms

    @property
    def edits(self) -> Ints:
        return self.substitutions + self.misses + self.false_alarms

    @property
    def edit_scores(self) -> Floats:
        """The edit score of each trial."""
        longest = np.maximum(self.reference_length, self.estimate_length)
        return 100.0 * (1.0 - self.edits / np.maximum(longest, 1))

    def edit_score(self, weights: Floats | None = None) -> Any:
        return mean(self.edit_scores, weights)

    def aer(self, pooling: Pooling = "pooled", weights: Floats | None = None) -> Any:
        if pooling == "pooled":
            return ratio(total(self.edits, weights), total(self.reference_length, weights))
        spoken = self.reference_length > 0
        ratios = self.edits[spoken] / self.reference_length[spoken]
        return mean(ratios, None if weights is None else weights[..., spoken])

    def sensitivity(self, weights: Floats | None = None) -> Any:
        wrong = self._by_subject(self.misses + self.substitutions, weights)
        return mean_of_known(1.0 - ratio(wrong, self._by_subject(self.reference_length, weights)))

    def false_discovery(self, weights: Floats | None = None) -> Any:
        wrong = self._by_subject(self.false_alarms + self.substitutions, weights)
        return mean_of_known(ratio(wrong, self._by_subject(self.estimate_length, weights)))

    def confusion(self, *, fractions: bool = True) -> Floats:
        """(labels, labels + 2): hits and substitutions, missed, false alarms; as fractions of the reference tokens."""
        table = np.column_stack([self.pairs, self.missed, self.invented]).astype(float)
        if fractions:
            table = ratio(table, self.reference_counts.sum(axis=0)[:, None].astype(float))
        return table

    def counts_by_activity(self) -> tuple[ActivityCounts, ...]:
        """True against estimated number of primitives, per activity (Fig. 5)."""
        reference, estimate = self.reference_length, self.estimate_length
        rows = []
        for activity in sorted(set(self.activities)):
            here = np.array([name == activity for name in self.activities])
            people = len({subject for subject, chosen in zip(self.subjects, here, strict=True) if chosen})
            rows.append(ActivityCounts(activity, reference[here].sum() / people, estimate[here].sum() / people))
        return tuple(rows)

    def _by_subject(self, values: Ints, weights: Floats | None) -> Floats:
        """Sums over each subject's trials: (subjects,) or (replicates, subjects)."""
        names, member = np.unique(np.array(self.subjects, dtype=str), return_inverse=True)
        order = np.argsort(member, kind="stable")
        weighted = values.astype(float) if weights is None else weights * values
        starts = np.searchsorted(member[order], np.arange(len(names)))
        return np.add.reduceat(weighted[..., order], starts, axis=-1) if len(names) else weighted


def evaluate(
    reference: Sequence[Sequence[Hashable]],
    estimate: Sequence[Sequence[Hashable]],
    *,
    subjects: Sequence[str] | None = None,
    activities: Sequence[str] | None = None,
    ties: Ties = "published",
) -> EditResult:
    """Align every trial once. Without `subjects` each trial is its own; without `activities` all are one."""
    trials = len(reference)
    if len(estimate) != trials:
        raise ValueError(f"{trials} reference trials, {len(estimate)} estimated ones")
    for name, given in (("subjects", subjects), ("activities", activities)):
        if given is not None and len(given) != trials:
            raise ValueError(f"{name} has {len(given)} entries for {trials} trials")
    labels = sorted({label for sequence in (*reference, *estimate) for label in sequence}, key=_sort_key)
    number = {label: i for i, label in enumerate(labels)}
    r = [np.array([number[label] for label in sequence], np.int64) for sequence in reference]
    e = [np.array([number[label] for label in sequence], np.int64) for sequence in estimate]
    found = align(r, e, ties)

    missed, invented = found.estimate == UNPAIRED, found.reference == UNPAIRED
    paired = ~missed & ~invented
    r_label = _label_of(found.trial, found.reference, r)
    e_label = _label_of(found.trial, found.estimate, e)
    hit = paired & (r_label == e_label)
    size = len(labels)

    def per_trial(which: Any) -> Ints:
        return frozen(np.bincount(found.trial[which], minlength=trials), np.int64)

    pairs = np.bincount(r_label[paired] * size + e_label[paired], minlength=size * size).reshape(size, size)
    return EditResult(
        labels=tuple(labels),
        hits=per_trial(hit),
        substitutions=per_trial(paired & ~hit),
        misses=per_trial(missed),
        false_alarms=per_trial(invented),
        pairs=frozen(pairs, np.int64),
        missed=frozen(np.bincount(r_label[missed], minlength=size), np.int64),
        invented=frozen(np.bincount(e_label[invented], minlength=size), np.int64),
        reference_counts=_counts(r, size),
        estimate_counts=_counts(e, size),
        subjects=tuple(subjects) if subjects is not None else tuple(f"trial {i}" for i in range(trials)),
        activities=tuple(activities) if activities is not None else ("all",) * trials,
    )


def aer(reference: Sequence[Hashable], estimate: Sequence[Hashable]) -> float:
    """Action error rate of one trial."""
    return float(evaluate([reference], [estimate]).aer())


def edit_score(reference: Sequence[Hashable], estimate: Sequence[Hashable]) -> float:
    """Edit score of one trial, 0 to 100."""
    return float(evaluate([reference], [estimate]).edit_score())


def _sort_key(label: Hashable) -> tuple[bool, Any]:
    return isinstance(label, str), label  # integers before strings; the two do not compare


def _label_of(trial: Ints, index: Ints, sequences: list[Ints]) -> Ints:
    """The label of each aligned token; UNPAIRED has label -1 and is filtered by the caller."""
    flat = np.concatenate([*sequences, np.array([-1])])
    offsets = np.cumsum([0, *(len(sequence) for sequence in sequences)])
    return flat[np.where(index == UNPAIRED, len(flat) - 1, offsets[trial] + index)]


def _counts(sequences: list[Ints], size: int) -> Ints:
    rows = [np.bincount(sequence, minlength=size) for sequence in sequences]
    return frozen(np.array(rows, np.int64).reshape(len(sequences), size), np.int64)

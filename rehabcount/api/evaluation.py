"""Labels against a reference: were the movements found, where, and how many?

A trial is labels of one arm in one recording, in any of these forms:

    segments    objects with `label`, `start_s`, `end_s` (Segment, CountedEvent, ...), tuples (label, start_s, end_s),
                or a pandas table with these columns; seconds, in any order, not overlapping
    frames      one label a frame: a list or a one-dimensional array
    movements   only which movements, in order: a list, with `labels_are="movements"`
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args

import numpy as np

from rehabcount.domain.arrays import Ints, frozen
from rehabcount.errors import InputRefused
from rehabcount.exchange.labellings import (
    SUFFIXES,
    Labelling,
    check_vocabulary,
    known_in_words,
    read_labellings,
    vocabulary_of,
)
from rehabcount.metrics import edit
from rehabcount.metrics.matching import Spans, runs
from rehabcount.metrics.score_table import NamedScore, Options, summarise

LabelsAre = Literal["frames", "movements"]
Vocabulary = Literal["auto", "any"] | Sequence[str]
ALIASES = {"AER": "action error rate"}
RASTER_S = 0.01  # structure scores look at seconds in steps of one sample at 100 Hz
TOLERANCE_S = 0.25  # people's onsets differ by a quarter of a second
OTHERWISE = 'Say labels="any" to accept every label.'
FORMS = "segments, tuples (label, start_s, end_s), one label a frame, or a list of such trials"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How well an estimate agrees with a reference. `evaluation["edit score"]` is one score; `"AER"` is short for
    `"action error rate"`.

    Attributes
    ----------
    scores : tuple of NamedScore
        Each with `family`, `name`, `value`, `unit`, and `low` and `high` of its 95 % interval (None for fewer than ten
        trials, and for structure). `pandas.DataFrame(evaluation.scores)` makes a table of them; the page "Which metric
        answers which question" explains them.
    reference_counts, estimate_counts : mapping from label to int
        How many movements of each label the reference has, and the estimate, as `scoring` counts them: with "runs",
        neighbours of one label are one movement; with "events", each is one. Labels of `background` are left out.
    labels : tuple
        The labels, in the order of `confusion`.
    confusion : array of int, shape (labels, labels + 2)
        How often a movement of the row's label in the reference was paired with one of the column's label in the
        estimate. Two more columns follow: how often the estimate misses a movement of the row's label, and how often
        it has one of the row's label with which no movement of the reference was paired (a false alarm).
    unit : {"second", "frame", "movement"}
        What times were compared in.
    tolerance : float or None
        How far from the reference an onset may be for the boundary F1: 0.25 s, or 5 frames. None without times.

    Examples
    --------
    >>> import rehabcount as rc
    >>> found = rc.evaluate(["reach", "transport", "idle"], ["reach", "idle"], labels_are="movements")
    >>> round(found["edit score"], 1), found.reference_counts["transport"], found.estimate_counts["transport"]
    (66.7, 1, 0)
    """

    scores: tuple[NamedScore, ...]
    reference_counts: Mapping[Hashable, int]
    estimate_counts: Mapping[Hashable, int]
    labels: tuple[Hashable, ...]
    confusion: Ints
    unit: Literal["second", "frame", "movement"]
    tolerance: float | None

    def __getitem__(self, name: str) -> float:
        """The value of the score called `name`."""
        for score in self.scores:
            if score.name == ALIASES.get(name, name):
                return score.value
        raise KeyError(f"no score {name!r}; there are {', '.join(score.name for score in self.scores)}")

    def __str__(self) -> str:
        lines = [] if self.tolerance is None else [f"boundaries within {self.tolerance:g} {self.unit}s"]
        lines += [f"{score.family:9}  {score.name:39}  {score.value:8.3f}  {score.unit}" for score in self.scores]
        return "\n".join(lines)


def evaluate(
    reference: Any,
    estimate: Any,
    *,
    scoring: edit.Scoring = "runs",
    labels_are: LabelsAre = "frames",
    labels: Vocabulary = "auto",
    rate_hz: float | None = None,
    background: Sequence[Hashable] = (),
    subjects: Sequence[str] | None = None,
) -> Evaluation:
    """Score labels against a reference.

    Parameters
    ----------
    reference : a trial, a list of trials, or a mapping from name to trial
        What annotators said, of one arm: segments, tuples (label, start_s, end_s), a pandas table with the columns
        `label`, `start_s`, `end_s`, or one label a frame. `read_labels` reads files.
    estimate : likewise
        What is judged: as many trials, in the same order, or with the same names.
    scoring : {"runs", "events"}
        What is one movement in the edit scores and the counts. "runs", as published: neighbours of one label are
        joined, also across time without a label, so two reaches in a row are one. "events": each segment is one
        movement; take it for repetitions, and to compare with counts. Other scores are the same for both. With
        `labels_are="movements"` nothing is joined.
    labels_are : {"frames", "movements"}
        What a plain list of labels is: one label a frame, or one label a movement, without times.
    labels : {"auto", "any"} or sequence of str
        Which labels may occur, so that a mistyped one is found. "auto": if the reference has at least two of the six
        labels of rehabcount (the five primitives and `other`), only these; otherwise, and with "any", every label.
    rate_hz : float, optional
        Frames per second; needed where one side is in frames and the other in seconds.
    background : sequence of str or int
        Labels that are no action: left out of edit metrics and F1.
    subjects : sequence of str, optional
        Whose each trial is; intervals are then drawn over people. Trials in a mapping are taken in order of its names.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputRefused
        Labels that cannot be compared; `advice` says what to change.

    Examples
    --------
    >>> import rehabcount as rc
    >>> annotated = [("reach", 0.0, 0.8), ("transport", 0.8, 2.0), ("idle", 2.0, 5.0)]
    >>> counted = [("reach", 0.1, 0.9), ("transport", 0.9, 1.9), ("idle", 2.2, 5.0)]
    >>> found = rc.evaluate(annotated, counted)
    >>> found["edit score"], found["F1@50"], round(found["frame accuracy"], 2)
    (100.0, 100.0, 0.9)

    Two reaches in a row, then one label a frame, of two trials:

    >>> twice = [("reach", 0.0, 0.8), ("reach", 0.8, 2.0), ("idle", 2.0, 5.0)]
    >>> [rc.evaluate(twice, twice, scoring=each).reference_counts["reach"] for each in ("runs", "events")]
    [1, 2]

    >>> found = rc.evaluate([["idle", "reach", "reach"], ["idle"]], [["idle", "reach", "idle"], ["idle"]])
    >>> found["frame accuracy"]
    0.75
    """
    _check_choice("scoring", scoring, get_args(edit.Scoring))
    _check_choice("labels_are", labels_are, get_args(LabelsAre))
    pairs = _paired(reference, estimate)
    trials = [(_trial_of(r, labels_are), _trial_of(e, labels_are)) for _, r, e in pairs]
    _check_labels([name for name, *_ in pairs], trials, labels)
    whose = list(subjects) if subjects is not None else [f"trial {i}" for i in range(len(trials))]
    if len(whose) != len(trials):
        raise InputRefused(f"there are {len(whose)} subjects and {len(trials)} trials.", advice="Name one a trial.")
    if labels_are == "movements":
        return _of_movements([(list(r), list(e)) for r, e in trials], whose, background)
    sides, in_seconds = _in_one_unit(trials, rate_hz)
    return _of_times(sides, whose, Options(scoring, tuple(background)), in_seconds)


def edit_score(reference: Sequence[Hashable], estimate: Sequence[Hashable]) -> float:
    """How alike two sequences of movements are, 0 to 100 (StrokeRehab, eq. 1).

    Parameters
    ----------
    reference, estimate : sequence of str or int
        One label a movement, in order.

    Returns
    -------
    float
        100 * (1 - edits / length of the longer one); 100 where both are empty.

    Examples
    --------
    >>> import rehabcount as rc
    >>> rc.edit_score(["reach", "transport", "idle", "reach"], ["reach", "idle", "reach"])
    75.0
    """
    return edit.edit_score(_labels(reference), _labels(estimate))


def action_error_rate(reference: Sequence[Hashable], estimate: Sequence[Hashable]) -> float:
    """Corrections needed for each movement that was made (StrokeRehab, eq. 2); as word error rate is for speech.

    Parameters
    ----------
    reference, estimate : sequence of str or int
        One label a movement, in order.

    Returns
    -------
    float
        0 is perfect; above 1 if there are more errors than movements; NaN if the reference has no movement.

    Examples
    --------
    >>> import rehabcount as rc
    >>> rc.action_error_rate(["reach", "transport", "idle", "reach"], ["reach", "idle", "reach"])
    0.25
    """
    return edit.aer(_labels(reference), _labels(estimate))


def read_labels(
    path: str | PathLike[str],
    *,
    rate_hz: float | None = None,
    layer: str | None = None,
    labels: Vocabulary = "auto",
) -> dict[str, list[Any]]:
    """Read labels from a file or a folder of files.

    Parameters
    ----------
    path : path
        `.csv` with the columns `label`, `start_s`, `end_s` (or `start_frame`, `end_frame`) and perhaps `side`; `.csv`
        or `.txt` with one label a frame; `.npz` with an array a trial; a session file; or a folder of these.
    rate_hz : float, optional
        Frames per second; needed for `start_frame` and `end_frame`.
    layer : str, optional
        Which labels of a session file, where it has several.
    labels : {"auto", "any"} or sequence of str
        Which labels may occur, as in `evaluate`; "auto" looks at all files that are read.

    Returns
    -------
    dict from trial to labels
        A list of (label, start_s, end_s), or one label a frame; `evaluate` takes both. A trial is called after its
        file; where the file tells arms apart there is one for each, as in `"monday left"`.

    Raises
    ------
    RehabcountError
        It names the file and the line that cannot be read, or that has an unknown label.

    Examples
    --------
    >>> import rehabcount as rc
    >>> from pathlib import Path
    >>> lines = ["label,start_s,end_s", "reach,0.0,0.8", "transport,0.8,2.0"]
    >>> _ = Path("monday.csv").write_text("\\n".join(lines))
    >>> rc.read_labels("monday.csv")
    {'monday': [('reach', 0.0, 0.8), ('transport', 0.8, 2.0)]}
    """
    found = read_labellings(Path(path), "reference", layer=layer)
    known = _known(labels, (label for each in found.values() for label in each.spans.labels.tolist()))
    if known is not None:
        check_vocabulary(found.values(), known, OTHERWISE)
    return {trial: _plain(labelling, rate_hz) for trial, labelling in found.items()}


def _plain(labelling: Labelling, rate_hz: float | None) -> list[Any]:
    spans, scale = labelling.spans, 1.0
    labels = spans.labels.tolist()
    if labelling.every_frame:
        return [label for label, n in zip(labels, spans.ends - spans.starts, strict=True) for _ in range(int(n))]
    if labelling.unit == "frame":
        if rate_hz is None or not rate_hz > 0:
            raise InputRefused(f"{labelling.path.name} is in frames.", advice="Say rate_hz, frames per second.")
        scale = rate_hz
    return list(zip(labels, (spans.starts / scale).tolist(), (spans.ends / scale).tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class _Timed:
    """One trial with times, in frames or seconds."""

    spans: Spans
    in_seconds: bool
    frames: int | None = None  # how many, where every frame has a label


def _check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    if value not in choices:
        raise InputRefused(f"{name} is {value!r}.", advice=f"Say {' or '.join(map(repr, choices))}.")


def _known(labels: Vocabulary, used: Iterator[object]) -> Sequence[str] | None:
    """The labels that may occur; None: every label."""
    if labels == "any":
        return None
    if labels == "auto":
        return vocabulary_of(used)
    if isinstance(labels, str):
        raise InputRefused(f"labels is {labels!r}.", advice='Say "auto", "any", or a list such as ["reach", "idle"].')
    return [str(label) for label in labels]


def _check_labels(names: Sequence[object], trials: Sequence[tuple[Any, Any]], labels: Vocabulary) -> None:
    """Refuses the first label that is unknown, and says where it is."""
    known = _known(labels, (label for reference, _ in trials for label, _ in _placed(reference)))
    if known is None:
        return
    for name, pair in zip(names, trials, strict=True):
        for side, trial in zip(("reference", "estimate"), pair, strict=True):
            for label, place in _placed(trial):
                if str(label) not in known:
                    where = f"{side}, trial {name!r}, {place}" if len(names) > 1 else f"{side}, {place}"
                    raise InputRefused(
                        f"{where}: unknown label {label!r}.", advice=f"{known_in_words(str(label), known)} {OTHERWISE}"
                    )


def _placed(trial: Any) -> Iterator[tuple[Hashable, str]]:
    """Each label of a trial, and where it is; numbers count from 0, as in Python."""
    if not isinstance(trial, _Timed):
        for number, label in enumerate(trial):
            yield label, f"movement {number}"
        return
    for label, start, end in zip(trial.spans.labels.tolist(), trial.spans.starts, trial.spans.ends, strict=True):
        yield label, f"{start:g} to {end:g} s" if trial.in_seconds else f"frame {start:.0f}"


def _paired(reference: Any, estimate: Any) -> list[tuple[object, Any, Any]]:
    """The name of each trial, or its number, and both sides of it."""
    for side in (reference, estimate):
        _refuse_file(side)
        for each in side.values() if isinstance(side, Mapping) else ():
            _refuse_file(each)
    if isinstance(reference, Mapping) and isinstance(estimate, Mapping):
        missing = sorted(map(str, reference.keys() ^ estimate.keys()))
        if missing:
            raise InputRefused(
                f"trial {missing[0]!r} is on one side only.", advice="Trials in mappings are matched by name."
            )
        return [(name, reference[name], estimate[name]) for name in reference]
    sides = [_listed(side) for side in (reference, estimate)]
    if len(sides[0]) != len(sides[1]) or not sides[0]:
        raise InputRefused(
            f"the reference has {len(sides[0])} trials, the estimate has {len(sides[1])}.",
            advice="Give the same trials on both sides, in the same order.",
        )
    return list(zip(range(len(sides[0])), *sides, strict=True))


def _refuse_file(side: Any) -> None:
    """A name of a file is not its labels; a text would be read letter by letter."""
    if _names_a_file(side):
        raise InputRefused(
            f"{fspath(side)!r} is the name of a file, not labels.",
            advice=f"Read the file first: rc.read_labels({fspath(side)!r}).",
        )
    if isinstance(side, str):
        raise InputRefused(
            f"{side!r} is one text, not labels.",
            advice=f"Give {FORMS}. If it names a file or folder, read it first: rc.read_labels({side!r}).",
        )


def _names_a_file(thing: Any) -> bool:
    return isinstance(thing, PathLike) or (isinstance(thing, str) and Path(thing).suffix.lower() in SUFFIXES)


def _listed(side: Any) -> list[Any]:
    """One trial as a list of one."""
    if isinstance(side, Mapping):
        return list(side.values())
    if _is_table(side) or isinstance(side, np.ndarray):
        return [side]
    try:
        entries = list(side)
    except TypeError as problem:
        raise InputRefused(f"{type(side).__name__} is no labels.", advice=f"Give {FORMS}.") from problem
    if entries and _names_a_file(entries[0]):
        _refuse_file(entries[0])
    if not entries or _is_label(entries[0]) or _is_segment(entries[0]):
        return [entries]
    return entries


def _is_table(thing: Any) -> bool:
    return hasattr(thing, "itertuples")  # a pandas.DataFrame, without needing pandas to say so


def _is_label(thing: Any) -> bool:
    return isinstance(thing, str | int | np.generic)


def _is_segment(thing: Any) -> bool:
    if isinstance(thing, tuple | list) and len(thing) == 3 and isinstance(thing[0], str):
        return all(isinstance(each, Real) for each in thing[1:])
    return hasattr(thing, "label") and hasattr(thing, "start_s") and hasattr(thing, "end_s")


def _trial_of(labelling: Any, labels_are: LabelsAre) -> Any:
    """A `_Timed`, or the plain labels where there are no times."""
    entries = list(labelling.itertuples(index=False)) if _is_table(labelling) else list(labelling)
    if entries and _is_segment(entries[0]):
        timed = _from_segments(entries)
        return timed.spans.labels.tolist() if labels_are == "movements" else timed
    if labels_are == "movements":
        return _labels(entries)
    try:
        return _Timed(runs(np.array(entries) if entries else np.array([], dtype=str)), False, len(entries))
    except ValueError as problem:
        raise InputRefused(f"these are no labels: {problem}.", advice=f"Give {FORMS}.") from problem


def _from_segments(entries: Sequence[Any]) -> _Timed:
    arms = {str(each.side) for each in entries if hasattr(each, "side")}
    if len(arms) > 1:
        raise InputRefused(
            "these are labels of both arms, which move at the same time.",
            advice="Evaluate each arm by itself: result.events_of('left'), session.reference('left').",
        )
    rows = [
        tuple(e) if isinstance(e, tuple) and not hasattr(e, "label") else (e.label, e.start_s, e.end_s) for e in entries
    ]
    labels, starts, ends = zip(*sorted(rows, key=lambda row: float(row[1])), strict=True)
    try:
        return _Timed(Spans(np.array(labels), frozen(starts), frozen(ends)), True)
    except ValueError as problem:
        _refuse(problem)


def _in_one_unit(
    trials: Sequence[tuple[_Timed, _Timed]], rate_hz: float | None
) -> tuple[tuple[list[Spans], list[Spans]], bool]:
    """Both sides in seconds, or in frames where no side has seconds."""
    for number, (r, e) in enumerate(trials):
        if r.frames is not None and e.frames is not None and r.frames != e.frames:
            raise InputRefused(
                f"trial {number} has {r.frames} reference frames and {e.frames} estimated ones.",
                advice='Label the same frames on both sides. If each label is a movement, say labels_are="movements".',
            )
    units = {trial.in_seconds for pair in trials for trial in pair}
    if len(units) > 1 and rate_hz is None:
        raise InputRefused("some labels are in frames, others in seconds.", advice="Say rate_hz, frames per second.")
    if rate_hz is not None and not rate_hz > 0:
        raise InputRefused(f"rate_hz is {rate_hz:g}.", advice="Give frames per second, as in 100.")
    scale = 1.0 if rate_hz is None else rate_hz

    def scaled(trial: _Timed) -> Spans:
        spans = trial.spans
        return spans if trial.in_seconds else Spans(spans.labels, spans.starts / scale, spans.ends / scale)

    sides = [scaled(r) for r, _ in trials], [scaled(e) for _, e in trials]
    return sides, True in units or rate_hz is not None


def _of_times(
    sides: tuple[list[Spans], list[Spans]], subjects: Sequence[str], options: Options, in_seconds: bool
) -> Evaluation:
    if in_seconds:
        options = replace(options, tolerance=TOLERANCE_S, raster=RASTER_S)
    try:
        found = summarise(*sides, subjects, options)
    except ValueError as problem:
        _refuse(problem)
    return _evaluation(found.scores, found.edit, "second" if in_seconds else "frame", options.tolerance)


def _of_movements(
    trials: Sequence[tuple[list[Hashable], list[Hashable]]], subjects: Sequence[str], background: Sequence[Hashable]
) -> Evaluation:
    unwanted = set(background)
    sides = [[[label for label in pair[i] if label not in unwanted] for pair in trials] for i in (0, 1)]
    result = edit.evaluate(sides[0], sides[1], subjects=list(subjects))
    values = {
        "edit score": result.edit_score(),
        "action error rate": result.aer("pooled"),
        "action error rate per trial": result.aer("per_trial"),
        "sensitivity": result.sensitivity(),
        "false discovery rate": result.false_discovery(),
    }
    return _evaluation(
        [NamedScore("edit", name, float(value)) for name, value in values.items()], result, "movement", None
    )


def _evaluation(
    scores: Sequence[NamedScore],
    result: edit.EditResult,
    unit: Literal["second", "frame", "movement"],
    tolerance: float | None,
) -> Evaluation:
    return Evaluation(
        scores=tuple(scores),
        reference_counts=dict(zip(result.labels, result.reference_counts.sum(axis=0).tolist(), strict=True)),
        estimate_counts=dict(zip(result.labels, result.estimate_counts.sum(axis=0).tolist(), strict=True)),
        labels=result.labels,
        confusion=frozen(result.confusion(fractions=False), np.int64),
        unit=unit,
        tolerance=tolerance,
    )


def _labels(sequence: Any) -> list[Hashable]:
    """One label a movement. A string would be read letter by letter."""
    if _names_a_file(sequence):
        _refuse_file(sequence)
    if isinstance(sequence, str):
        raise InputRefused(f"{sequence!r} is one text, not a sequence of labels.", advice='Give ["reach", "idle"].')
    labels = [each.item() if isinstance(each, np.generic) else each for each in sequence]
    wrong = next((each for each in labels if not isinstance(each, str | int)), None)
    if wrong is not None:
        raise InputRefused(f"{wrong!r} is no label.", advice="Labels are strings or whole numbers.")
    return labels


def _refuse(problem: ValueError) -> NoReturn:
    raise InputRefused(f"these labels cannot be compared: {problem}.", advice=f"Give {FORMS}.") from problem

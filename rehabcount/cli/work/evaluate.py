"""A user's own labels scored against a user's own reference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rich.markup import escape
from rich.table import Table

from rehabcount.bedside.judged import JudgedCounting, counted_trials
from rehabcount.bench.experiment import clean
from rehabcount.cli.console import errors, new_table, output, print_json
from rehabcount.domain.rig import Side
from rehabcount.errors import ConfigError, DatasetMissing, ImportRefused
from rehabcount.exchange.labellings import Labelling, check_vocabulary, holds_both, read_labellings, vocabulary_of
from rehabcount.exchange.report import utc_text
from rehabcount.metrics import ribbons
from rehabcount.metrics.bootstrap import FEWEST_UNITS
from rehabcount.metrics.matching import Spans
from rehabcount.metrics.score_table import LabelCounts, Options, ScoreTable, summarise

RASTER_S = 0.01  # structure scores look at seconds in steps of one sample at 100 Hz
MOST_STEPS = 10_000_000  # of that raster: 27 hours; labels that span more have a damaged time
TOLERANCES = {"frame": 5.0, "second": 0.25}  # ASRF's five frames; a quarter second for people's onsets
RATES_HZ = (0.1, 100_000.0)  # of frames


@dataclass(frozen=True, slots=True)
class EvaluateRequest:
    """Reference, estimate and options."""

    reference: Path
    estimate: Path | None = None  # None: the reference file holds both
    plot: Path | None = None
    trial: str | None = None  # the one to draw; None: the first
    scoring: Literal["runs", "events"] = "runs"
    merged: bool = False  # move, hold and idle instead of five
    background: tuple[str, ...] = ()  # labels that are no action
    labels: str = "auto"  # or any, or the known ones with commas
    rate_hz: float | None = None
    by_subject: bool = False
    reference_layer: str | None = None
    estimate_layer: str | None = None
    names_from: int | None = None
    replicates: int = 250
    as_json: bool = False

    def __post_init__(self) -> None:
        if self.rate_hz is not None and not RATES_HZ[0] <= self.rate_hz <= RATES_HZ[1]:
            raise ConfigError(f"--rate-hz is {self.rate_hz:g}.", advice="Give frames per second, as in 100.")


@dataclass(frozen=True, slots=True)
class Judgement:
    """The scores, and what they were made from: trials by name, both sides of each cut to counted time."""

    names: list[str]
    subjects: list[str]
    whose: str  # intervals are over these: subjects or recordings
    unit: Literal["frame", "second"]
    sides: list[list[Spans]]
    countings: Mapping[str, tuple[JudgedCounting, Side]]  # by trial, where the estimate is a counting
    not_counted: tuple[str, ...]
    summary: ScoreTable


def score_labels(request: EvaluateRequest) -> None:
    found = _scored(request)
    _warn(found.countings.values(), found.not_counted)
    if request.plot is not None:
        _draw(request.plot, request.trial, found)
    if request.as_json:
        document = _document(found, request.scoring)
        print_json({**document, "judged": _judged(found.countings), "not_counted": list(found.not_counted)})
        return
    _print(found)
    _print_judged(found.countings)
    if request.plot is not None:
        errors.print(f"Drawn: {escape(str(request.plot))}", highlight=False)


def _scored(request: EvaluateRequest) -> Judgement:
    trials = counted_trials(*_read(request))
    pairs, rate_hz = _matched(trials.said, trials.judged), request.rate_hz
    unit = _common_unit(pairs, rate_hz)
    names = list(pairs)
    countings = {name: trials.countings[two.trial] for name, (_, two) in pairs.items() if two.trial in trials.countings}
    windows = [countings[name][0].spans[countings[name][1]] if name in countings else () for name in names]
    sides = _alike([[_in_unit(pair[i], unit, rate_hz) for pair in pairs.values()] for i in (0, 1)])
    sides = [[_cut(spans, counted) for spans, counted in zip(side, windows, strict=True)] for side in sides]
    raster = 1.0 if unit == "frame" else RASTER_S
    options = Options(
        scoring=request.scoring,
        background=tuple(_as_written(label, sides) for label in request.background),
        merged=request.merged,
        tolerance=TOLERANCES[unit],
        raster=raster,
        replicates=request.replicates,
    )
    by_subject = request.by_subject
    subjects = [name.split("_")[0] if by_subject else name for name in names]
    units = subjects if by_subject else [one.recording for one, _ in pairs.values()]
    scored = [[spans.closed_up(counted) for spans, counted in zip(side, windows, strict=True)] for side in sides]
    _check_length(pairs, scored, raster)
    summary = summarise(scored[0], scored[1], subjects, options, units=units)
    whose = "subjects" if by_subject else "recordings"
    return Judgement(names, subjects, whose, unit, sides, countings, trials.not_counted, summary)


def _check_length(pairs: Mapping[str, tuple[Labelling, Labelling]], sides: list[list[Spans]], step: float) -> None:
    """Refuses a trial whose labels span more than any recording."""
    for number, (name, pair) in enumerate(pairs.items()):
        for labelling, side in zip(pair, sides, strict=True):
            spans = side[number]
            if len(spans) and float(spans.ends[-1]) - min(0.0, float(spans.starts[0])) > MOST_STEPS * step:
                raise ImportRefused(
                    labelling.path,
                    f"the labels of {name!r} go on until {spans.ends[-1]:g}, which is longer than any recording",
                    line=labelling.lines[-1],
                    advice="Is it the right unit? Give seconds, or frames with --rate-hz.",
                )


def _read(request: EvaluateRequest) -> tuple[dict[str, Labelling], dict[str, Labelling]]:
    """Reference and estimate, with labels that are known."""
    reference, estimate = request.reference, request.estimate
    if estimate is None and not holds_both(reference):
        raise ConfigError(f"what is {reference.name} to be compared with?", advice="Name the estimate after it.")
    names_from = request.names_from
    said = read_labellings(reference, "reference", layer=request.reference_layer, names_from=names_from)
    judged = read_labellings(estimate or reference, "estimate", layer=request.estimate_layer, names_from=names_from)
    known = _known_labels(request.labels, said)
    if known:
        check_vocabulary([*said.values(), *judged.values()], known)
    return said, judged


def _known_labels(labels: str, said: dict[str, Labelling]) -> Sequence[str] | None:
    """The allowed labels; with `auto`, those of the reference."""
    if labels == "any":
        return None
    if labels != "auto":
        return [label.strip() for label in labels.split(",") if label.strip()]
    return vocabulary_of(label for labelling in said.values() for label in labelling.spans.labels.tolist())


def _matched(said: dict[str, Labelling], judged: dict[str, Labelling]) -> dict[str, tuple[Labelling, Labelling]]:
    """Trials by name; two single trials are matched even with different names."""
    if len(said) == len(judged) == 1:
        (one,), (two,) = said.values(), judged.values()
        pairs = {one.trial: (one, two)}
    else:
        missing = sorted(set(said) ^ set(judged))
        if missing:
            where = "estimate" if missing[0] in said else "reference"
            advice = f"{len(missing)} trials are on one side only. Trials are matched by name."
            raise DatasetMissing(f"trial {missing[0]!r} is not in the {where}.", advice=advice)
        pairs = {name: (said[name], judged[name]) for name in sorted(said)}
    for one, two in pairs.values():
        if one.every_frame and two.every_frame and one.length != two.length:
            shorter, longer = sorted((one, two), key=lambda labelling: labelling.length)
            raise ImportRefused(
                longer.path,
                f"trial {longer.trial!r} has {longer.length:.0f} frames, {shorter.path.name} has {shorter.length:.0f}",
                line=int(shorter.length) + longer.lines[0],
                advice="Both sides must label the same frames; cut or resample one.",
            )
    return pairs


def _common_unit(pairs: dict[str, tuple[Labelling, Labelling]], rate_hz: float | None) -> Literal["frame", "second"]:
    units = {side.unit for pair in pairs.values() for side in pair}
    if units == {"frame"}:
        return "second" if rate_hz is not None else "frame"
    if units != {"second"} and rate_hz is None:
        raise ConfigError("some labels are per frame, others in seconds.", advice="Add --rate-hz, frames per second.")
    return "second"


def _in_unit(labelling: Labelling, unit: str, rate_hz: float | None) -> Spans:
    spans = labelling.spans
    if labelling.unit == unit or rate_hz is None:
        return spans
    return Spans(spans.labels, spans.starts / rate_hz, spans.ends / rate_hz)


def _cut(spans: Spans, counted: Sequence[tuple[float, float]]) -> Spans:
    """The spans in counted time; all if the estimate is no counting. Parts shorter than a sample are left out, because
    they could not be found."""
    return spans.within(counted, RASTER_S) if counted else spans


def _alike(sides: list[list[Spans]]) -> list[list[Spans]]:
    """Labels as text if some files have numbers and others text: 3 in an array and "3" on a line are the same."""
    spans = [spans for side in sides for spans in side]
    if len({one.labels.dtype.kind == "U" for one in spans}) == 1:
        return sides
    return [[Spans(one.labels.astype(str), one.starts, one.ends) for one in side] for side in sides]


def _as_written(label: str, sides: list[list[Spans]]) -> str | int:
    """A label from the command line as the files write it: their labels may be numbers."""
    numeric = sides[0][0].labels.dtype.kind != "U"
    return int(label) if numeric and label.lstrip("-").isdigit() else label


def _draw(plot: Path, trial: str | None, found: Judgement) -> None:
    names, sides = found.names, found.sides
    if trial is not None and trial not in names:
        raise ConfigError(f"there is no trial {trial!r}.", advice=f"There are: {', '.join(names[:10])} ...")
    at = names.index(trial) if trial is not None else 0
    rows = [("reference", sides[0][at]), ("estimate", sides[1][at])]
    ribbons.draw(rows, plot, title=names[at], unit=found.unit)


def _document(found: Judgement, scoring: str) -> dict[str, Any]:
    summary, names, whose = found.summary, found.names, found.whose
    result = summary.edit
    document = {
        "trials": len(names),
        "subjects": len(set(found.subjects)),
        "unit": found.unit,
        "scoring": scoring,
        "intervals": {"over": whose, "number": summary.units, "why_none": _why_none(summary, whose)},
        "scores": [
            {"family": s.family, "name": s.name, "value": s.value, "low": s.low, "high": s.high} for s in summary.scores
        ],
        "counts": [_counts_document(each, with_intervals=summary.has_intervals) for each in summary.counts],
        "confusion": {
            "labels": [str(label) for label in result.labels],
            "columns": [*(str(label) for label in result.labels), "missed", "false alarm"],
            "numbers": result.confusion(fractions=False),
        },
        "per_trial": [
            {"trial": name, "edit_score": score, "reference": int(r), "estimate": int(e), "edits": int(d)}
            for name, score, r, e, d in zip(
                names, result.edit_scores, result.reference_length, result.estimate_length, result.edits, strict=True
            )
        ],
    }
    return dict(clean(document))


def _counts_document(counts: LabelCounts, *, with_intervals: bool) -> dict[str, Any]:
    found = counts.agreement
    ratio = {"value": found.ratio, "low": found.lower_limit, "high": found.upper_limit, "left_out": found.without_ratio}
    icc = {"value": found.icc.value, "low": found.icc.low, "high": found.icc.high}
    return {
        "label": str(counts.label),
        "in_total": counts.is_counted,
        "reference": counts.reference,
        "estimate": counts.estimate,
        "bias_per_trial": found.bias,
        "mae_per_trial": found.mae,
        "mape_percent": found.mape,
        "ratio": ratio if with_intervals else None,
        "icc": icc if with_intervals else None,
    }


def _judged(countings: Mapping[str, tuple[JudgedCounting, Side]]) -> list[dict[str, Any]]:
    return [
        {
            "trial": trial,
            "file": counting.path.name,
            "side": side.value,
            "counting": counting.number,
            "model": counting.model,
            "counted_utc": utc_text(counting.begun_utc_ns),
            "session_s": round(counting.length_s, 3),
            "counted_s": round(counting.counted_s(side), 3),
            "counted": [[round(start_s, 3), round(end_s, 3)] for start_s, end_s in counting.spans[side]],
            "newer_calibration_utc": utc_text(counting.newer_calibration_utc_ns),
        }
        for trial, (counting, side) in countings.items()
    ]


def _warn(countings: Iterable[tuple[JudgedCounting, Side]], not_counted: Sequence[str]) -> None:
    for counting in {counting.path: counting for counting, _ in countings}.values():
        if counting.newer_calibration_utc_ns is not None:
            errors.print(
                f"[bold]{escape(counting.path.name)}:[/] the calibration of "
                f"{utc_text(counting.newer_calibration_utc_ns)} is newer than counting {counting.number}, which is "
                "judged without it. Count again to judge it: rehabcount count.",
                highlight=False,
            )
    for trial in not_counted:
        errors.print(f"[bold]{escape(trial)}:[/] this arm was not counted, so it is not judged.", highlight=False)


def _print(found: Judgement) -> None:
    summary = found.summary
    titles = ["", "score", "value", "unit", *(["95 % interval"] if summary.has_intervals else [])]
    within = f"{TOLERANCES[found.unit]:g} {found.unit}s"
    table = Table(*titles, title=f"{len(found.names)} trial(s), boundaries within {within}")
    table.columns[2].justify = "right"
    family = ""
    for score in summary.scores:
        between = _between(score.low, score.high)
        shown = [score.family if score.family != family else "", score.name, f"{score.value:.3f}", score.unit, between]
        table.add_row(*shown[: len(titles)])
        family = score.family
    output.print(table)
    if not summary.has_intervals:
        output.print(_why_none(summary, found.whose), highlight=False)
    _print_counts(summary)


def _print_counts(summary: ScoreTable) -> None:
    """Each label separately; the total is that of absolute errors, so that errors do not cancel."""
    table = Table(
        "label", "reference", "estimate", "difference", "bias", "MAE", "MAPE", title="counts; errors per trial"
    )
    for column in table.columns[1:]:
        column.justify = "right"
    scores = {score.name: score.value for score in summary.scores if score.family == "counts"}
    mae, percent = scores.values()
    counted = [each for each in summary.counts if each.is_counted]
    for each in summary.counts:
        found, difference = each.agreement, each.estimate - each.reference
        table.add_row(
            escape(str(each.label)),
            str(each.reference),
            str(each.estimate),
            f"{difference:+d}",
            f"{found.bias:+.3f}",
            f"{found.mae:.3f}",
            _percent(found.mape),
            end_section=each is counted[-1] if counted else False,
        )
        if counted and each is counted[-1]:
            there, found_here = sum(c.reference for c in counted), sum(c.estimate for c in counted)
            table.add_row(
                "errors added", str(there), str(found_here), "", "", f"{mae:.3f}", _percent(percent), end_section=True
            )
    output.print(table)
    if not summary.has_intervals:
        return
    agreed = Table("label", "ratio", "limits of agreement", "ICC(A,1)", "95 % interval", title="agreement of counts")
    for column in agreed.columns[1:]:
        column.justify = "right"
    for each in counted:
        found = each.agreement
        limits, icc = _between(found.lower_limit, found.upper_limit), _between(found.icc.low, found.icc.high)
        agreed.add_row(escape(str(each.label)), f"{found.ratio:.3f}", limits, f"{found.icc.value:.3f}", icc)
    output.print(agreed)


def _print_judged(countings: Mapping[str, tuple[JudgedCounting, Side]]) -> None:
    """Which counting was judged, and its counted time."""
    if not countings:
        return
    table = new_table("judged: counted time only", "trial", "counting", "by", "made (UTC)", "counted s")
    for each in _judged(countings):
        seconds = f"{each['counted_s']:.1f} of {each['session_s']:.1f}"
        made = each["counted_utc"][:16].replace("T", " ")  # to the minute
        table.add_row(escape(each["trial"]), str(each["counting"]), escape(each["model"]), made, seconds)
    output.print(table)


def _why_none(summary: ScoreTable, whose: str) -> str:
    """Why there is no interval; empty where there is one."""
    if summary.has_intervals:
        return ""
    return f"No 95 % intervals: of fewer than {FEWEST_UNITS} {whose} (here {summary.units}) they are too narrow."


def _between(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def _percent(value: float) -> str:
    """A percentage, or a dash if there was nothing to count."""
    return f"{value:.1f} %" if math.isfinite(value) else "-"

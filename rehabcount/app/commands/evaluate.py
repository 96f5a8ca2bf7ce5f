"""`rehabcount evaluate`: a user's own labels against a user's own reference."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.markup import escape
from rich.table import Table

from rehabcount.app.console import errors, output, print_json
from rehabcount.domain.labels import PRODUCT
from rehabcount.errors import ConfigError, DatasetMissing, ImportRefused

if TYPE_CHECKING:
    from rehabcount.exchange.labellings import Labelling

RASTER_S = 0.01  # structure scores look at seconds in steps of one sample at 100 Hz


def evaluate(
    reference: Annotated[Path, typer.Argument(help="File or folder of what annotators said.", show_default=False)],
    estimate: Annotated[
        Path | None, typer.Argument(help="What is judged; leave out if an npz holds both.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw reference and estimate as ribbons.")] = None,
    trial: Annotated[str | None, typer.Option("--trial", help="The trial to draw; else the first.")] = None,
    scoring: Annotated[
        Literal["runs", "events"], typer.Option(help="runs: repeats are one movement; events: every onset counts.")
    ] = "runs",
    merged: Annotated[bool, typer.Option("--merged", help="Judge move, hold and idle instead of five.")] = False,
    background: Annotated[list[str] | None, typer.Option(help="A label that is no action. May be repeated.")] = None,
    labels: Annotated[str, typer.Option(help="auto, any, or the known labels: reach,idle,...")] = "auto",
    rate_hz: Annotated[float | None, typer.Option(help="Frames per second, where one side is in seconds.")] = None,
    by_subject: Annotated[
        bool, typer.Option("--by-subject", help="A trial's subject is its name up to the first underscore.")
    ] = False,
    reference_layer: Annotated[str | None, typer.Option(help="Layer of a session file.")] = None,
    estimate_layer: Annotated[str | None, typer.Option(help="Layer; without it the counted events.")] = None,
    names_from: Annotated[
        int | None, typer.Option(help="Number of the first of an npz's label_names, where 0 or 1 is in doubt.")
    ] = None,
    replicates: Annotated[int, typer.Option(min=2, help="Bootstrap replicates behind the intervals.")] = 250,
) -> None:
    """Score labels against a reference: were the movements found, where, and how many?

    Files: one label a line (.txt), segments (.csv: label,start_s,end_s), arrays (.npz), session files (.rehab), or
    folders of them, matched by name. Intervals are 95 %, over trials (or subjects).

    Example: `rehabcount evaluate annotated/ predicted/ --plot first.png`
    """
    from rehabcount.exchange.labellings import check_vocabulary, holds_both, read_labellings
    from rehabcount.metrics.score_table import Options, summarise

    if estimate is None and not holds_both(reference):
        raise ConfigError(f"what is {reference.name} to be compared with?", advice="Name the estimate after it.")
    said = read_labellings(reference, "reference", layer=reference_layer, names_from=names_from)
    judged = read_labellings(estimate or reference, "estimate", layer=estimate_layer, names_from=names_from)
    known = _known_labels(labels, said)
    if known:
        check_vocabulary([*said.values(), *judged.values()], known)
    pairs = _matched(said, judged)
    unit = _common_unit(pairs, rate_hz)
    names = list(pairs)
    sides = _alike([[_in_unit(pair[i], unit, rate_hz) for pair in pairs.values()] for i in (0, 1)])
    options = Options(
        scoring=scoring,
        background=tuple(_as_written(label, sides) for label in background or []),
        merged=merged,
        tolerance=5.0 if unit == "frame" else 0.25,  # ASRF's five frames; a quarter second for people's onsets
        raster=1.0 if unit == "frame" else RASTER_S,
        replicates=replicates,
    )
    subjects = [name.split("_")[0] if by_subject else name for name in names]
    summary = summarise(sides[0], sides[1], subjects, options)
    if plot is not None:
        _draw(plot, trial, names, sides, unit)
    if as_json:
        print_json(_document(summary, names, subjects, unit, scoring))
        return
    _print(summary, names, unit)
    if plot is not None:
        errors.print(f"Drawn: {escape(str(plot))}", highlight=False)


def _known_labels(labels: str, said: dict[str, Labelling]) -> list[str] | None:
    """The vocabulary to hold files to. `auto`: the product's, where the reference uses at least two of its labels."""
    if labels == "any":
        return None
    if labels != "auto":
        return [label.strip() for label in labels.split(",") if label.strip()]
    used = {str(label) for labelling in said.values() for label in labelling.spans.labels.tolist()}
    return list(PRODUCT.names) if len(used & set(PRODUCT.names)) > 1 else None


def _matched(said: dict[str, Labelling], judged: dict[str, Labelling]) -> dict[str, tuple[Labelling, Labelling]]:
    """Trials by name; two single trials belong together whatever they are called."""
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
    if rate_hz is not None and rate_hz <= 0:
        raise ConfigError(f"--rate-hz is {rate_hz:g}.", advice="Give frames per second, as in 100.")
    return "second"


def _in_unit(labelling: Labelling, unit: str, rate_hz: float | None) -> Any:
    from rehabcount.metrics.matching import Spans

    spans = labelling.spans
    if labelling.unit == unit or rate_hz is None:
        return spans
    return Spans(spans.labels, spans.starts / rate_hz, spans.ends / rate_hz)


def _alike(sides: list[list[Any]]) -> list[list[Any]]:
    """Labels as text where some files have numbers and others text: 3 in an array and "3" on a line are the same."""
    from rehabcount.metrics.matching import Spans

    spans = [spans for side in sides for spans in side]
    if len({one.labels.dtype.kind == "U" for one in spans}) == 1:
        return sides
    return [[Spans(one.labels.astype(str), one.starts, one.ends) for one in side] for side in sides]


def _as_written(label: str, sides: list[list[Any]]) -> Any:
    """A label from the command line as the files write it: their labels may be numbers."""
    numeric = sides[0][0].labels.dtype.kind != "U"
    return int(label) if numeric and label.lstrip("-").isdigit() else label


def _draw(plot: Path, trial: str | None, names: list[str], sides: list[list[Any]], unit: str) -> None:
    from rehabcount.metrics import ribbons

    if trial is not None and trial not in names:
        raise ConfigError(f"there is no trial {trial!r}.", advice=f"There are: {', '.join(names[:10])} ...")
    at = names.index(trial) if trial is not None else 0
    rows = [("reference", sides[0][at]), ("estimate", sides[1][at])]
    ribbons.draw(rows, plot, title=names[at], unit=unit)


def _document(summary: Any, names: list[str], subjects: list[str], unit: str, scoring: str) -> dict[str, Any]:
    from rehabcount.bench.experiment import clean

    result = summary.edit
    document = {
        "trials": len(names),
        "subjects": len(set(subjects)),
        "unit": unit,
        "scoring": scoring,
        "scores": [
            {"family": s.family, "name": s.name, "value": s.value, "low": s.low, "high": s.high} for s in summary.scores
        ],
        "counts": [
            {"label": str(label), "reference": int(r), "estimate": int(e)}
            for label, r, e in zip(
                result.labels, result.reference_counts.sum(axis=0), result.estimate_counts.sum(axis=0), strict=True
            )
        ],
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


def _print(summary: Any, names: list[str], unit: str) -> None:
    table = Table("", "score", "value", "95 % interval", title=f"{len(names)} trial(s), time in {unit}s")
    for column in (2, 3):
        table.columns[column].justify = "right"
    family = ""
    for score in summary.scores:
        between = "" if score.low is None else f"{score.low:.3f} to {score.high:.3f}"
        table.add_row(score.family if score.family != family else "", score.name, f"{score.value:.3f}", between)
        family = score.family
    output.print(table)
    result = summary.edit
    counts = Table("label", "reference", "estimate", "difference", title="counts")
    pairs = zip(result.labels, result.reference_counts.sum(axis=0), result.estimate_counts.sum(axis=0), strict=True)
    for label, r, e in pairs:
        counts.add_row(escape(str(label)), str(r), str(e), f"{e - r:+d}")
    output.print(counts)

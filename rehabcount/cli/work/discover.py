"""The steps of an exercise found in recordings, shown as a table, and written as files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import typer
from rich.markup import escape

from rehabcount.bedside import discovering
from rehabcount.bedside.config import load_settings
from rehabcount.bedside.counting import find_sessions
from rehabcount.bedside.discovering import ExerciseStretch, Wanted
from rehabcount.cli.console import errors, new_table, output, print_json, progress
from rehabcount.domain.document import to_document
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.steps import FoundSteps, RecordedSteps, default_name
from rehabcount.errors import InputRefused, MissingExtra
from rehabcount.exchange.elan import labelled
from rehabcount.exchange.steps_files import StepsSource, write_steps
from rehabcount.metrics import ribbons
from rehabcount.metrics.matching import Spans
from rehabcount.models.discovery import DiscoverySettings
from rehabcount.models.steps_set import write_training_set
from rehabcount.store.session_file import SessionFile

SLOW, FAST = 1.5, 1 / 1.5  # against the median of a step: from here on its time is marked
OUTSIDE = "outside"
MOST_STEPS = 6  # columns that fit a terminal of 80 characters beside those of REGULAR
REGULAR = ("+", "order", "agree")
_STRETCHES = re.compile(r"(?P<file>.+)@(?P<spans>[0-9.]+-[0-9.]+(?:,[0-9.]+-[0-9.]+)*)")


@dataclass(frozen=True, slots=True)
class DiscoverRequest:
    """Which recordings, what is known of the exercise, and what is written."""

    files: tuple[str, ...]  # FILE, FILE@START-END,..., or a folder
    repetitions: str = ""  # `counted` or a layer: sessions are cut into repetitions
    steps: int | None = None  # different ones; None: chosen
    length: int | None = None  # of the procedure; None: chosen
    names: tuple[str, ...] = ()
    out: Path | None = None
    keep: bool = False
    side: Side | None = None
    seed: int = 0
    as_json: bool = False


def find_steps(request: DiscoverRequest) -> None:
    settings = DiscoverySettings(request.steps, request.length, request.seed)
    wanted = _wanted(request)
    table = next((each.path for each in wanted if discovering.is_table(each.path)), None)
    if request.keep and table is not None:
        raise InputRefused(f"{table.name} is no session file.", advice="Leave --keep out: tables take no labels.")
    with progress() as bar:
        task = bar.add_task("Reading recordings", total=len(wanted))
        align = load_settings().align
        stretches = discovering.read_stretches(wanted, align, lambda: bar.advance(task))
        stretches = discovering.renamed(stretches)
        bar.reset(task, description="Finding the steps")

        def on_progress(what: str, done: int, total: int) -> None:
            bar.update(task, description=what.capitalize(), completed=done, total=total)

        found = discovering.find(stretches, settings, on_progress)
    named, misnamed = _named(found, request.names)
    found = named
    simulated = _simulated(stretches)
    written = _write(request, found, stretches, simulated) if request.out is not None else ()
    kept = _keep(found, stretches) if request.keep else []
    if request.as_json:
        print_json({**to_document(found), "files": [str(path) for path in written], "layers": kept})
        return
    _say(found, simulated)
    if written:
        output.print(f"Wrote {len(written)} files to {request.out}.", style="dim", markup=False, highlight=False)
    for line in kept:
        output.print(line, style="dim", markup=False, highlight=False)
    if misnamed:
        raise typer.BadParameter(misnamed, param_hint="--names")


def _named(found: FoundSteps, names: Sequence[str]) -> tuple[FoundSteps, str]:
    """With these names; if they do not fit, without them, and why: what was found is shown and written all the same."""
    try:
        return (found.named(names) if names else found), ""
    except ValueError as problem:
        procedure = ", ".join(step.kind for step in found.steps)
        return found, f"{problem}. The procedure that was found is {procedure}; it is written without names."


def _wanted(request: DiscoverRequest) -> list[Wanted]:
    layer = discovering.layer_called(request.repetitions)
    found = list[Wanted]()
    for text in request.files:
        match = _STRETCHES.fullmatch(text)
        if match is not None and not Path(text).exists():
            try:
                pairs = [[float(each) for each in part.split("-")] for part in match["spans"].split(",")]
            except ValueError as problem:
                raise typer.BadParameter(f"{text!r}: give seconds, as in FILE@12.5-20", param_hint="FILE") from problem
            found.append(Wanted(Path(match["file"]), tuple((a, b) for a, b in pairs), None, request.side))
        elif Path(text).is_dir():
            found += [Wanted(Path(each), (), layer, request.side) for each in find_sessions([text])]
        else:
            found.append(Wanted(Path(text), (), layer, request.side))
    return found


def _simulated(stretches: Sequence[ExerciseStretch]) -> int:
    """How many recordings are of simulated people."""
    return sum(each.simulated for each in stretches)


# -- files ------------------------------------------------------------------------------------------------------------


def _write(
    request: DiscoverRequest, found: FoundSteps, stretches: Sequence[ExerciseStretch], simulated: int
) -> tuple[Path, ...]:
    assert request.out is not None
    ids = dict[Path, str]()
    for each in stretches:
        if each.path is not None and each.path.suffix.lower() == ".rehab" and each.path not in ids:
            with SessionFile.open(each.path) as session:
                ids[each.path] = labelled(session).session
    sources = [StepsSource(each.path, each.side, ids.get(each.path) if each.path else None) for each in stretches]
    written = list(write_steps(request.out, found, sources))
    picture = request.out / "steps.png"
    try:
        draw(found, picture, simulated=bool(simulated))
        written.append(picture)
    except MissingExtra as problem:
        errors.print(f"No picture: {problem} {problem.advice}", style="dim", markup=False, highlight=False)
    rows = [each.rows for each in stretches if each.rows is not None]
    if len(rows) == len(stretches):
        folder = request.out / "training"
        people = [each.path.stem if each.path is not None else each.name for each in stretches]
        write_training_set(folder, found, rows, people, simulated=bool(simulated))
        written.append(folder / "set.json")
    return tuple(written)


def _keep(found: FoundSteps, stretches: Sequence[ExerciseStretch]) -> list[str]:
    by_file: dict[Path, list[Segment]] = {}
    for number, each in enumerate(stretches):
        assert each.path is not None  # tables were refused before
        by_file.setdefault(each.path, []).extend(discovering.segments_of(found, number, each.side))
    return [
        f"{path.name}: kept as layer {discovering.keep_steps(path, discovering.in_order(found, mine))!r}."
        for path, mine in by_file.items()
    ]


def draw(found: FoundSteps, path: Path, *, simulated: bool) -> None:
    """The procedure above, with the median length of each step; below it one row a recording."""
    starts = np.concatenate([[0.0], np.cumsum([step.median_s for step in found.steps])])
    names = np.array([_mark(found, step.number) for step in found.steps])
    rows = [("procedure", Spans(names, starts[:-1], starts[1:]))]
    rows += [(each.name, _spans(found, each)) for each in found.recordings]
    title = f"{len(found.steps)} steps of {len(found.kinds)} kinds in {len(found.recordings)} recordings"
    order = names.tolist()
    ribbons.draw(rows, path, title=title + (" (simulated)" if simulated else ""), unit="second", order=order)


def _mark(found: FoundSteps, number: int) -> str:
    """What a step is called in the picture: its name; its kind before it has one."""
    step = found.steps[number - 1]
    return step.kind if step.name == default_name(number) else step.name


def _spans(found: FoundSteps, recording: RecordedSteps) -> Spans:
    labels = [_mark(found, span.number) if span.number else OUTSIDE for span in recording.spans]
    starts = np.array([span.start_s - recording.start_s for span in recording.spans])
    ends = np.array([span.end_s - recording.start_s for span in recording.spans])
    return Spans(np.array(labels), starts, ends)


# -- the screen -------------------------------------------------------------------------------------------------------


def _say(found: FoundSteps, simulated: int) -> None:
    title = f"{len(found.steps)} steps of {len(found.kinds)} kinds in {len(found.recordings)} recordings"
    table = new_table(title, "step", "kind", "name", "median s", "in recordings")
    for step in found.steps:
        there = f"{step.recordings} of {len(found.recordings)}"
        table.add_row(str(step.number), step.kind, escape(step.name), f"{step.median_s:.1f}", there)
    output.print(table)
    regular = {
        each.name: (str(each.additional), str(each.out_of_order), f"{each.agreement:.2f}") for each in found.recordings
    }
    apart = len(found.steps) > MOST_STEPS  # then a table of their own
    _say_rows(found, ["s", *(str(step.number) for step in found.steps), *([] if apart else REGULAR)], regular)
    if apart:
        _say_rows(found, REGULAR, regular)
    output.print(
        "1, 2, ...: seconds of each step; - where missing; > over 1.5 times the median, < under two thirds of it. "
        "+: stretches that are not in the procedure. order: steps at another place. agree: share of the time in which "
        "the recording alone, without the procedure, gives the same kind.",
        style="dim",
        markup=False,
        highlight=False,
    )
    for note in found.notes:
        output.print(note, style="yellow", markup=False, highlight=False)
    chosen = next((each for each in found.tried if each.chosen), None)
    if chosen is not None:
        said = f"Kinds and length were chosen from {len(found.tried)} sizes by their log joint density."
        output.print(said, style="dim", markup=False, highlight=False)
    output.print(
        f"{found.sure:.0%} of the samples of the model agree with this division. Steps are estimates.",
        style="dim",
        markup=False,
        highlight=False,
    )
    if simulated:
        which = "" if simulated == len(found.recordings) else f" in {simulated} of the recordings"
        output.print(f"Simulated data{which}: no person was measured.", style="dim", markup=False)


def _say_rows(found: FoundSteps, columns: Sequence[str], regular: Mapping[str, Sequence[str]]) -> None:
    """One row for each recording: of these columns, those of REGULAR from `regular`."""
    table = new_table("", "recording", *columns)
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for each in found.recordings:
        cells = {"s": f"{each.length_s:.1f}", **dict(zip(REGULAR, regular[each.name], strict=True))}
        cells |= {str(step.number): _length(each.length_of(step.number), step.median_s) for step in found.steps}
        table.add_row(escape(each.name), *(cells[column] for column in columns))
    output.print(table)


def _length(length_s: float, median_s: float) -> str:
    if not length_s:
        return "-"
    text = f"{length_s:.1f}"
    slow, fast = length_s > SLOW * median_s, length_s < FAST * median_s
    return f"[bold yellow]{text}>[/]" if slow else f"[bold yellow]{text}<[/]" if fast else text

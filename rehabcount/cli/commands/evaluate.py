"""`rehabcount evaluate`: a user's own labels against a user's own reference."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer


def evaluate(
    reference: Annotated[Path, typer.Argument(help="File or folder of what annotators said.", show_default=False)],
    estimate: Annotated[
        Path | None, typer.Argument(help="What is judged; leave out if an npz holds both.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw reference and estimate as ribbons.")] = None,
    trial: Annotated[str | None, typer.Option("--trial", help="The trial to draw; else the first.")] = None,
    scoring: Annotated[
        Literal["runs", "events"],
        typer.Option(help="runs: neighbours of one label are one movement; events: each segment is one."),
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
    folders of them, matched by name. If the estimate is the counting of a session, only counted time is
    evaluated. Intervals are 95 %, over recordings (or subjects), where there are enough of them.

    Example: `rehabcount evaluate annotated/ predicted/ --plot first.png`
    """
    from rehabcount.cli.work.evaluate import EvaluateRequest, score_labels

    score_labels(
        EvaluateRequest(
            reference,
            estimate,
            plot=plot,
            trial=trial,
            scoring=scoring,
            merged=merged,
            background=tuple(background or ()),
            labels=labels,
            rate_hz=rate_hz,
            by_subject=by_subject,
            reference_layer=reference_layer,
            estimate_layer=estimate_layer,
            names_from=names_from,
            replicates=replicates,
            as_json=as_json,
        )
    )

"""`rehabcount count`: how much was done in recorded sessions."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from rehabcount.cli.console import end_with, new_table, output, print_json, progress
from rehabcount.cli.options import ModelOption

if TYPE_CHECKING:
    from rehabcount.bedside.counting import Counted
    from rehabcount.errors import RehabcountError

SHOWN = {
    "task_repetitions": "reps",
    "reach": "R",
    "reposition": "P",
    "stabilize": "S",
    "transport": "T",
    "active_minutes": "active",
}


def count(
    files: Annotated[
        list[str], typer.Argument(help="Session files or folders; also s3:// and the like.", metavar="FILE...")
    ],
    model: ModelOption = "",
    side: Annotated[
        str, typer.Option(help="The trained arm, where a file does not say it or is wrong: left or right.")
    ] = "",
    jobs: Annotated[int, typer.Option(help="Files at the same time; 0: as many as there are cores.", min=0)] = 0,
    keep: Annotated[bool, typer.Option(help="Keep the counts in the session file, beside earlier ones.")] = True,
    again: Annotated[
        bool, typer.Option("--again", help="Count even what was counted before with all the same.")
    ] = False,
    to_csv: Annotated[Path | None, typer.Option("--csv", help="Also write a table here.", metavar="FILE.csv")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document, events included.")] = False,
) -> None:
    """Count what was done in recorded sessions.

    Task repetitions are cycles of handling an object; the primitives beneath are what research counts
    (docs/counting.md). A recount with another model stands beside the original and never replaces it. What was counted
    before from the same data, with the same model and settings, is shown at once and not counted again.

    Example: `rehabcount count sessions/ --csv counts.csv`
    """
    from rehabcount.bedside.config import load_settings
    from rehabcount.bedside.counting import Counted, count_many, find_sessions
    from rehabcount.domain.rig import Side
    from rehabcount.exchange.report import plain_cell
    from rehabcount.store.private import write_private_text

    if side not in ("", *Side):
        raise typer.BadParameter("must be left or right", param_hint="--side")
    settings = load_settings()
    found = find_sessions(files)
    results: dict[str, Counted | RehabcountError] = {}
    with progress() as bar:
        task = bar.add_task("Counting sessions", total=len(found))

        def done(file: str, result: Counted | RehabcountError) -> None:
            results[file] = result
            bar.advance(task)

        count_many(
            found,
            model,
            settings,
            side=Side(side) if side else None,
            keep=keep,
            again=again,
            jobs=jobs or os.cpu_count() or 1,
            done=done,
        )
    counted = [result for file in found if isinstance(result := results[file], Counted)]
    failed = [(file, result) for file in found if not isinstance(result := results[file], Counted)]
    if to_csv is not None and counted:
        text = io.StringIO()
        writer = csv.DictWriter(text, counted[0].row(), lineterminator="\n")
        writer.writeheader()
        for each in counted:
            row = each.row()
            writer.writerow({key: plain_cell(cell) if isinstance(cell, str) else cell for key, cell in row.items()})
        write_private_text(to_csv, text.getvalue())
    if as_json:
        print_json(
            {
                "sessions": [each.document() for each in counted],
                "failed": [{"file": file, "error": str(problem)} for file, problem in failed],
            }
        )
    elif counted:
        _say(counted)
    end_with(failed)


def _say(counted: list[Counted]) -> None:
    from rehabcount.bedside.losses import in_words
    from rehabcount.domain.session_summary import described

    truth = any(each.truth is not None for each in counted)
    table = new_table(
        f"{len(counted)} session{'s' if len(counted) > 1 else ''} counted by "
        f"{described(counted[0].model, counted[0].is_shipped)}",
        "session",
        "min",
        *SHOWN.values(),
        *(["true reps"] if truth else []),
    )
    for column in table.columns[1:]:
        column.justify = "right"
    table.caption = "reps: task repetitions; R reach, P reposition, S stabilize, T transport; times in minutes"
    table.caption_justify = "left"
    for each in counted:
        row = each.row()
        true = row["true_task_repetitions"]
        table.add_row(
            escape(each.file),
            f"{row['minutes']:.1f}",
            *(str(row[name]) for name in SHOWN),
            *([str(true) if true is not None else "–"] if truth else []),
        )
    output.print(table)
    for each in counted:
        if each.why_nothing:
            output.print(f"{each.file}: {each.why_nothing}", style="yellow", markup=False, highlight=False)
    for each in counted:
        for words in in_words(each.losses, each.outages):
            output.print(f"{each.file}: {words}", style="yellow", markup=False, highlight=False)
    for words in sorted({each.accuracy for each in counted}):
        output.print(f"Counts are estimates: {words}.", style="dim", markup=False)
    if simulated := sum(each.simulated for each in counted):
        which = "" if simulated == len(counted) else f" in {simulated} of them"
        output.print(f"Simulated data{which}: no person was measured.", style="dim", markup=False)
    kept = sorted({each.kept for each in counted})
    output.print("; ".join(kept).capitalize() + ".", style="dim", markup=False)

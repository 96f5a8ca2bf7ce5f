"""Recorded sessions counted, as a table on the screen, a CSV file or JSON."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.markup import escape

from rehabcount.bedside.config import load_settings
from rehabcount.bedside.counting import Counted, count_many, find_sessions
from rehabcount.bedside.losses import in_words
from rehabcount.cli.console import end_with, new_table, output, print_json, progress
from rehabcount.domain.rig import Side
from rehabcount.domain.session_summary import described
from rehabcount.errors import RehabcountError
from rehabcount.exchange.report import plain_cell
from rehabcount.store.private import write_private_text

SHOWN = {
    "task_repetitions": "reps",
    "reach": "R",
    "reposition": "P",
    "stabilize": "S",
    "transport": "T",
    "active_minutes": "active",
}


@dataclass(frozen=True, slots=True)
class CountRequest:
    """Which sessions to count, and with what."""

    files: tuple[str, ...]  # session files and folders; also URLs
    model: str = ""  # empty: the default
    side: Side | None = None  # None: what each file says
    jobs: int = 0  # files at the same time; 0: as many as there are cores
    keep: bool = True  # in the session file
    again: bool = False  # also if there is an earlier counting with the same inputs
    csv: Path | None = None
    as_json: bool = False


def count_sessions(request: CountRequest) -> None:
    """Count all files that can be counted; the exit code is that of the others."""
    counted, failed = _results(request)
    if request.csv is not None and counted:
        _write_csv(request.csv, counted)
    if request.as_json:
        print_json(
            {
                "sessions": [each.document() for each in counted],
                "failed": [{"file": file, "error": str(problem)} for file, problem in failed],
            }
        )
    elif counted:
        _say(counted)
    end_with(failed)


def _results(request: CountRequest) -> tuple[list[Counted], list[tuple[str, RehabcountError]]]:
    """What was counted and what failed, both in the order of the files."""
    found = find_sessions(request.files)
    results: dict[str, Counted | RehabcountError] = {}
    with progress() as bar:
        task = bar.add_task("Counting sessions", total=len(found))

        def on_done(file: str, result: Counted | RehabcountError) -> None:
            results[file] = result
            bar.advance(task)

        count_many(
            found,
            request.model,
            load_settings(),
            side=request.side,
            keep=request.keep,
            again=request.again,
            jobs=request.jobs or os.cpu_count() or 1,
            on_done=on_done,
        )
    counted = [result for file in found if isinstance(result := results[file], Counted)]
    return counted, [(file, result) for file in found if not isinstance(result := results[file], Counted)]


def _write_csv(path: Path, counted: Sequence[Counted]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, counted[0].row(), lineterminator="\n")
    writer.writeheader()
    for each in counted:
        row = each.row()
        writer.writerow({key: plain_cell(cell) if isinstance(cell, str) else cell for key, cell in row.items()})
    write_private_text(path, text.getvalue())


def _with_corrections(row: dict[str, Any]) -> str:
    counted, corrected = row["task_repetitions"], row["task_repetitions_corrected"]
    return str(counted) if corrected == counted else f"{counted} ({corrected} with corrections)"


def _say(counted: list[Counted]) -> None:
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
            *(_with_corrections(row) if name == "task_repetitions" else str(row[name]) for name in SHOWN),
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

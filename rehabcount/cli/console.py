"""What commands print with: results on standard output, progress and messages on standard error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer
from rich import box
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.table import Table

from rehabcount.errors import RehabcountError

# What a terminal would obey: control characters but the line's end and the tabulator, and what turns the writing round.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class _SafeConsole(Console):
    """Shows the control characters of names and notes, which come out of files, instead of obeying them."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control is None and CONTROLS.search(segment.text):
                yield Segment(CONTROLS.sub("\ufffd", segment.text), segment.style)
            else:
                yield segment


output = _SafeConsole(soft_wrap=False)
errors = _SafeConsole(stderr=True)


def say(error: RehabcountError) -> None:
    """Prints what failed, and the advice."""
    errors.print(f"[bold red]Error:[/] {escape(str(error))}", highlight=False)
    if error.advice:
        errors.print(error.advice, style="dim", highlight=False, markup=False)


def print_json(document: Any) -> None:
    """One JSON document for a program to read; nothing else goes to standard output then."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    print(CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def progress() -> Progress:
    """The progress bar of every long command; on standard error, gone when done, silent where there is no terminal."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    )


def new_table(title: str, *columns: str) -> Table:
    """A table that fits a terminal of 80 columns: no frame, names never cut. Callers `escape` what goes into cells."""
    table = Table(title=escape(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def end_with(failed: Sequence[tuple[str, RehabcountError]]) -> None:
    """Prints which files failed and why, and ends the command with their exit code; with 1 if they have several.

    Does nothing if no file failed.
    """
    for file, problem in failed:
        errors.print(f"[bold red]{escape(Path(file).name)}:[/] {escape(str(problem))}", highlight=False)
        if problem.advice:
            errors.print(problem.advice, style="dim", highlight=False, markup=False)
    if failed:
        codes = {problem.exit_code for _, problem in failed}
        raise typer.Exit(codes.pop() if len(codes) == 1 else RehabcountError.exit_code)

"""`rehabcount report`: a session on one page, and as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    files: Annotated[list[Path], typer.Argument(help="Session files.", metavar="FILE...")],
    out: Annotated[Path | None, typer.Option(help="Folder for what is written. Default: beside each FILE.")] = None,
    pdf: Annotated[bool, typer.Option(help="Write the page to print, NAME.pdf.")] = True,
    csv: Annotated[bool, typer.Option(help="Write every figure of the session, NAME.csv.")] = True,
    sessions: Annotated[
        Path | None, typer.Option(help="Write one line for each session into this table too.", metavar="TABLE.csv")
    ] = None,
    counting: Annotated[
        int | None,
        typer.Option(help="Which counting. Default: the last corrected one, else the last.", min=1),
    ] = None,
    language: Annotated[str, typer.Option(help="Of the page: en or de.")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as one JSON document.")] = False,
) -> None:
    """Write a session's report: one page that prints well in grey, and the same figures as a table.

    Counts are those after people's corrections; the automatic ones stand beside them.

    Example: `rehabcount report monday.rehab --out reports --sessions reports/all.csv`
    """
    from rehabcount.cli.work.report import ReportRequest, write_reports

    write_reports(
        ReportRequest(
            tuple(files),
            out,
            pdf=pdf,
            csv=csv,
            sessions=sessions,
            counting=counting,
            language=language,
            as_json=as_json,
        )
    )

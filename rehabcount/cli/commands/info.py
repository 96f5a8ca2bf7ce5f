"""`rehabcount info`: what a file or folder holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def info(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Session files, a folder of them, or the files or the folder of one vendor's export.",
            metavar="FILE...",
        ),
    ],
    rate: Annotated[
        float | None, typer.Option(help="Sampling rate, where an export does not say it.", metavar="HZ")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Say what a file holds: sensors, rates, duration, what was odd. Of a folder of sessions: each in a line.

    Example: `rehabcount info monday.rehab`
    """
    from rehabcount.cli.work.info import InfoRequest, show_info

    show_info(InfoRequest(tuple(files), rate, as_json))

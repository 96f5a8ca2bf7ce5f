"""`rehabcount recover`: an interrupted session is closed; a damaged file is salvaged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def recover(
    file: Annotated[Path, typer.Argument(help="The session file.", metavar="FILE")],
    out: Annotated[Path | None, typer.Option(help="Save what a damaged FILE still holds into this new file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Close a session that was interrupted (a crash, a power cut), and say what it holds.

    Everything up to the last second before the interruption is there. FILE is changed only when nothing is wrong with
    it; a damaged one is left alone, and `--out` saves what can be read.

    Example: `rehabcount recover monday.rehab`
    """
    from rehabcount.cli.work.recover import recover_session

    recover_session(file, out, as_json)

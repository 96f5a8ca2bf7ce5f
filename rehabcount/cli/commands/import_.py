"""`rehabcount import`: a vendor's export becomes a session file, which replays like a live one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def import_(
    files: Annotated[list[Path], typer.Argument(help="The files of one recording, or its folder.", metavar="FILE")],
    out: Annotated[Path, typer.Option(help="The session file to write.", metavar="SESSION.rehab")],
    rate: Annotated[float | None, typer.Option(help="Samples a second, where the files do not say.", min=0.1)] = None,
    layout: Annotated[str | None, typer.Option(help="Of raw WitMotion packets: wit-20 or wit-28.")] = None,
    place: Annotated[
        list[str] | None, typer.Option(help="Where a sensor sat, e.g. RWrist=right-wrist.", metavar="NAME=PLACE")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Read a recording of Movella DOT, MetaMotion or WitMotion sensors into a session file.

    Irregularities of the files are printed and kept in the session file.

    Example: `rehabcount import recordings/monday --out monday.rehab --place RWrist=right-wrist`
    """
    from rehabcount.cli.work.import_ import ImportRequest, import_recording

    import_recording(ImportRequest(tuple(files), out, rate, layout, tuple(place or ()), as_json))

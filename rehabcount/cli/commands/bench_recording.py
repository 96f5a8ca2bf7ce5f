"""`rehabcount bench recording`: what recording nine sensors costs, as a share of one core."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def recording(
    seconds: Annotated[float, typer.Option(min=1.0, help="How long to record (the control takes as long again).")] = 20,
    folder: Annotated[Path | None, typer.Option(help="Where to record; otherwise where temporary files go.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Measure what recording nine sensors at 100 Hz costs.

    Example: `rehabcount bench recording --seconds 20`
    """
    from rehabcount.cli.work.bench_recording import measure_recording

    measure_recording(seconds, folder, as_json)

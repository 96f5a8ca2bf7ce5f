"""`rehabcount bench gui`: how the window does under load."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def gui(
    minutes: Annotated[float, typer.Option(min=0.1, max=120, help="How long to run.")] = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as one JSON document.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write them to this file, too.", metavar="FILE.json")] = None,
) -> None:
    """Run the live screen with nine sensors at 100 Hz and signals shown; measure frames, core share, start and stall.

    Example: `xvfb-run -s "-screen 0 1920x1080x24" rehabcount bench gui --minutes 1`
    """
    from rehabcount.cli.work.bench_gui import measure_window

    measure_window(minutes, as_json, out)

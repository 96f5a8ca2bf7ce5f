"""`rehabcount replay`: a recorded session again, at any speed, through the same walk as live."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rehabcount.app.console import errors, output, print_json

if TYPE_CHECKING:
    from rehabcount.app.watch import Watch


def replay(
    file: Annotated[Path, typer.Argument(help="The session file.", metavar="FILE")],
    speed: Annotated[str, typer.Option(help="1 is real time, 10 ten times as fast, max as fast as it goes.")] = "1",
    start: Annotated[float, typer.Option("--from", help="Begin at this second.", metavar="SECONDS", min=0)] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON document.")] = False,
) -> None:
    """Play a recorded session through the whole signal chain and watch its sensors.

    Ctrl+C ends it. The same packets give the same frames at any speed.

    Example: `rehabcount replay monday.rehab --speed 4`
    """
    from rehabcount.app.config import load_settings
    from rehabcount.app.watch import watch
    from rehabcount.sensors.replay import Replay
    from rehabcount.store.session_file import SessionFile

    with SessionFile.open(file) as session:
        rig = session.rig
        contents = session.contents()
    source = Replay(file, speed=parse_speed(speed), start_s=start)
    summary = watch(
        source,
        rig,
        load_settings().align,
        title=file.name,
        length_s=contents.length_s,
        origin_ns=contents.first_ns,
        console=errors,
    )
    report(summary, as_json)


def report(summary: Watch, as_json: bool) -> None:
    """What was seen, as a table or as JSON."""
    if as_json:
        print_json(summary.document())
    else:
        output.print(summary.table())


def parse_speed(text: str) -> float | None:
    """A positive number, or None for `max`."""
    if text == "max":
        return None
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed < float("inf"):
        raise typer.BadParameter(f"--speed takes a positive number or max, not {text!r}")
    return speed

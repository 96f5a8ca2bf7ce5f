"""`rehabcount demo`: a simulated patient, counted live; then how far off the count was."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rehabcount.cli.commands.window import open_window
from rehabcount.cli.options import parse_speed


def demo(
    context: typer.Context,
    seconds: Annotated[float, typer.Option(help="How much of the session to play.", min=5, max=7200)] = 75.0,
    speed: Annotated[str, typer.Option(help="1 is real time, max as fast as it goes.")] = "1",
    sensors: Annotated[str, typer.Option(help="Sensors worn: 9, 5, 3 or 1.")] = "9",
    model: Annotated[
        str, typer.Option(help="Virtual sensors of this kind, over a virtual radio: dot, wit or generic.")
    ] = "",
    seed: Annotated[int, typer.Option(help="The same seed gives the same patient.", min=0)] = 10,
    artifact: Annotated[str, typer.Option(help="Count with another recogniser.", metavar="MODEL")] = "",
    out: Annotated[Path | None, typer.Option(help="Where to keep the session file.", metavar="FILE.rehab")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON document.")] = False,
    no_gui: Annotated[bool, typer.Option("--no-gui", help="Stay in the terminal although there is a display.")] = False,
) -> None:
    """Count a simulated patient live. No hardware is needed.

    Without options, where there is a display, the window opens on the demo patient; else all happens in the terminal.
    Packets go into a session file first, and the count reads that file, as with real sensors. The first half minute is
    the calibration. In the end the count stands beside what the patient really did, and the file is replayed at full
    speed: it must say the same again, byte for byte.

    Example: `rehabcount demo --seconds 60 --speed 4`
    """
    sources = [context.get_parameter_source(name) for name in context.params]
    bare = all(source is None or source.name == "DEFAULT" for source in sources)
    if bare and (code := open_window("setup")) is not None:
        raise typer.Exit(code)
    from rehabcount.bedside.rigging import choose
    from rehabcount.cli.work.demo import DemoRequest, run_demo

    pace = parse_speed(speed)
    run_demo(DemoRequest(choose(sensors, "right", model), seconds, pace, seed, artifact, out, as_json))

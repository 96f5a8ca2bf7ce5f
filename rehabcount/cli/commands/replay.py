"""`rehabcount replay`: a recorded session again, at any speed, through the same walk as live."""

from __future__ import annotations

from typing import Annotated

import typer

from rehabcount.cli.options import ModelOption, SessionArgument, parse_speed


def replay(
    file: SessionArgument,
    speed: Annotated[str, typer.Option(help="1 is real time, 10 ten times as fast, max as fast as it goes.")] = "1",
    model: ModelOption = "",
    sensors: Annotated[bool, typer.Option("--sensors", help="Watch the sensors instead of counting.")] = False,
    start: Annotated[float, typer.Option("--from", help="With --sensors: begin at this second.", min=0)] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON document.")] = False,
) -> None:
    """Play a recorded session through the whole walk, as it was counted live. Nothing is written.

    Ctrl+C ends it. The same packets give the same counts at any speed. With --sensors no model is needed.

    Example: `rehabcount replay monday.rehab --speed 4`
    """
    from rehabcount.cli.work.replay import ReplayRequest, play

    play(ReplayRequest(file, parse_speed(speed), model, sensors_only=sensors, start_s=start, as_json=as_json))

"""`rehabcount replay`: a recorded session again, at any speed, through the same walk as live."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rehabcount.cli.commands.count import ModelOption
from rehabcount.cli.console import errors, output, print_json

if TYPE_CHECKING:
    from rehabcount.bedside.session import LiveSession
    from rehabcount.cli.board import Board
    from rehabcount.cli.sensor_watch import Watch


def replay(
    file: Annotated[Path, typer.Argument(help="The session file.", metavar="FILE")],
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
    from rehabcount.bedside.config import load_settings
    from rehabcount.bedside.severity import severity_in
    from rehabcount.store.session_file import SessionFile

    pace, settings = parse_speed(speed), load_settings()
    if start and not sensors:
        raise typer.BadParameter("a count begins at the beginning; --from goes with --sensors", param_hint="--from")
    with SessionFile.open(file) as session:
        rig, contents = session.rig, session.contents()
        severity = severity_in(session, settings.data)
    if sensors:
        from rehabcount.cli.sensor_watch import watch
        from rehabcount.sensors.replay import Replay

        source = Replay(file, speed=pace, start_s=start)
        summary = watch(
            source,
            rig,
            settings.align,
            title=file.name,
            length_s=contents.length_s,
            origin_ns=contents.first_ns,
            console=errors,
        )
        report(summary, as_json)
        return
    from rehabcount.bedside.chosen_model import open_chosen
    from rehabcount.bedside.ending import asked_to_end
    from rehabcount.bedside.session import LiveSession
    from rehabcount.cli.board import Board
    from rehabcount.cli.live_view import show
    from rehabcount.engine.uncertainty import in_words

    opened = open_chosen(settings, model)
    holder: list[Board] = []
    played = LiveSession.replay(
        file,
        opened,
        pace,
        on_update=lambda update: holder[0].hear(update),
        on_frames=lambda frames: holder[0].see(frames),
        align=settings.align,
    )
    board = Board(file.name, rig, played.side, plan=played.plan, length_s=contents.length_s)
    board.model = opened.described
    board.accuracy = in_words(opened.card, rig.name, severity, 0)
    holder.append(board)
    with asked_to_end() as asked:
        played.start()
        show(played, board, errors, asked)
    tell(played, board, as_json)


def tell(session: LiveSession, board: Board, as_json: bool) -> None:
    """How a session ended, as the board's last picture or as JSON; and why nothing was counted, if so."""
    reason = board.why_nothing()
    if as_json:
        print_json(session.document() | {"why_nothing": reason})
        return
    output.print(board.picture(session.document()["times_real_time"]))
    if reason:
        output.print(reason, style="yellow", markup=False, highlight=False)


def report(summary: Watch, as_json: bool) -> None:
    """What was seen of the sensors, as a table or as JSON."""
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

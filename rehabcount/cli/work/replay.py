"""A recorded session played again and counted, or its sensors watched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import typer

from rehabcount.bedside.chosen_model import open_chosen
from rehabcount.bedside.config import Settings, load_settings
from rehabcount.bedside.ending import asked_to_end
from rehabcount.bedside.session import LiveSession
from rehabcount.bedside.severity import severity_in
from rehabcount.cli.board import Board
from rehabcount.cli.console import errors
from rehabcount.cli.live_view import show
from rehabcount.cli.outcome import tell_counted, tell_watched
from rehabcount.cli.sensor_watch import Watch, WatchedSensors
from rehabcount.engine.uncertainty import in_words
from rehabcount.sensors.replay import Replay
from rehabcount.store.session_file import SessionFile


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """Which session to play, and how."""

    file: Path
    speed: float | None = 1.0  # of real time; None: as fast as it goes
    model: str = ""  # empty: the default
    sensors_only: bool = False  # watch them, do not count
    start_s: float = 0.0  # of watched sensors
    as_json: bool = False

    def __post_init__(self) -> None:
        if self.start_s and not self.sensors_only:
            raise typer.BadParameter("a count begins at the beginning; --from goes with --sensors", param_hint="--from")


def play(request: ReplayRequest) -> None:
    settings = load_settings()
    if request.sensors_only:
        _watch(request, settings)
    else:
        _count(request, settings)


def _watch(request: ReplayRequest, settings: Settings) -> None:
    with SessionFile.open(request.file) as session:
        rig, contents = session.rig, session.contents()
    seen = Watch(rig, request.file.name, contents.length_s)
    items = Replay(request.file, speed=request.speed, start_s=request.start_s)
    sensors = WatchedSensors(items, seen, settings.align, origin_ns=contents.first_ns, on_end=items.close)
    with asked_to_end() as asked:
        sensors.start()
        show(sensors, seen, errors, asked)
    tell_watched(seen, request.as_json)


def _count(request: ReplayRequest, settings: Settings) -> None:
    with SessionFile.open(request.file) as session:
        rig, length_s = session.rig, session.contents().length_s
        severity = severity_in(session, settings.data)
    opened = open_chosen(settings, request.model)
    boards: list[Board] = []  # the board needs the session's arm
    played = LiveSession.replay(
        request.file,
        opened,
        request.speed,
        on_update=lambda update: boards[0].hear(update),
        on_frames=lambda frames: boards[0].see(frames),
        align=settings.align,
    )
    board = Board(request.file.name, rig, played.side, plan=played.plan, length_s=length_s)
    board.model = opened.described
    board.accuracy = in_words(opened.card, rig.name, severity, 0)
    boards.append(board)
    with asked_to_end() as asked:
        played.start()
        show(played, board, errors, asked)
    tell_counted(played, board, request.as_json)

"""The results of a session that was shown in the terminal, as text or as JSON."""

from __future__ import annotations

from rehabcount.bedside.session import LiveSession
from rehabcount.cli.board import Board
from rehabcount.cli.console import output, print_json
from rehabcount.cli.sensor_watch import Watch


def tell_counted(session: LiveSession, board: Board, as_json: bool) -> None:
    """The board's last picture, and why nothing was counted, if so."""
    reason = board.why_nothing()
    if as_json:
        print_json(session.document() | {"why_nothing": reason})
        return
    output.print(board.picture(session.document()["times_real_time"]))
    if reason:
        output.print(reason, style="yellow", markup=False, highlight=False)


def tell_watched(seen: Watch, as_json: bool) -> None:
    """The figures of sensors that were only watched."""
    if as_json:
        print_json(seen.document())
    else:
        output.print(seen.table())

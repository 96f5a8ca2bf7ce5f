"""A live session shown in the terminal until it is over or somebody asks for its end; what is left is settled."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live

from rehabcount.app.board import Board
from rehabcount.app.ending import Asked

if TYPE_CHECKING:
    from rehabcount.app.live import LiveSession

DRAWN_EVERY_S = 0.1


def show(
    session: LiveSession, board: Board, console: Console, asked: Asked | None = None, *, seconds: float | None = None
) -> None:
    """Draw `board` while the session runs, for at most `seconds` or until somebody has `asked` for the end. Ends the
    session."""
    asked = asked or Asked()
    begun = time.monotonic()
    try:
        # What the terminal refuses (it was closed) must not stop a recording.
        with contextlib.suppress(OSError), Live(console=console, transient=True, auto_refresh=False) as live:
            while not asked.times and not session.wait(DRAWN_EVERY_S):
                passed = time.monotonic() - begun
                if seconds is not None and passed >= seconds:
                    break
                board.trouble = str(session.trouble or "")
                if console.is_terminal:
                    live.update(board.picture(session.document()["times_real_time"]), refresh=True)
    finally:
        session.end()  # also where counting failed: the record is written to its end and closed

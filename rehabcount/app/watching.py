"""A live session shown in the terminal until it is over; Ctrl+C ends it, and what is left is settled."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live

from rehabcount.app.board import Board

if TYPE_CHECKING:
    from rehabcount.app.live import LiveSession

DRAWN_EVERY_S = 0.1


def show(session: LiveSession, board: Board, console: Console, *, seconds: float | None = None) -> bool:
    """Draw `board` while the session runs, for at most `seconds`; False if it was interrupted. Ends the session."""
    begun = time.monotonic()
    finished = True
    try:
        with Live(console=console, transient=True, auto_refresh=False) as live:
            while not session.wait(DRAWN_EVERY_S):
                passed = time.monotonic() - begun
                if seconds is not None and passed >= seconds:
                    break
                board.trouble = str(session.trouble or "")
                if console.is_terminal:
                    live.update(board.picture(session.document()["times_real_time"]), refresh=True)
    except KeyboardInterrupt:
        finished = False
    finally:
        session.end()  # also where counting failed: the record is written to its end and closed
    return finished

"""A live session shown in the terminal until it is over or somebody asks for its end; what is left is settled."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live

from rehabcount.bedside.ending import Asked
from rehabcount.cli.board import Board, in_memory
from rehabcount.store.recorder import LAST_TRIES_S, Recorder

if TYPE_CHECKING:
    from rehabcount.bedside.session import LiveSession

DRAWN_EVERY_S = 0.1
SETTLED_S = 1.0  # an end that takes no longer is worth no word
HURRIED_S = 5.0  # for the disk, where a signal asked for the end: a kill may follow, and the amount is to be said first


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
                was, board.trouble = board.trouble, str(session.trouble or "")
                board.unwritten_s = session.unwritten_s
                if console.is_terminal:
                    live.update(board.picture(session.document()["times_real_time"]), refresh=True)
                elif bool(was) is not bool(board.trouble):  # nobody sees the board
                    waits = f"{board.trouble} {in_memory(board.unwritten_s)}"
                    console.print(waits if board.trouble else "The disk takes everything again.", markup=False)
    finally:  # also where counting failed: the record is written to its end and closed
        end_patiently(session.end, session, console, asked)
        board.trouble = ""


def end_patiently(end: Callable[[float], None], record: LiveSession | Recorder, console: Console, asked: Asked) -> None:
    """Ends what is recorded by `end(patience_s)`. Where the disk refuses the last part of `record`, says so and waits
    for room; another Ctrl+C gives up."""
    asked_before: int | None = None  # when that was said: an impatient second Ctrl+C before it means nothing
    begun = time.monotonic()
    with ThreadPoolExecutor(1, "ending") as helper:
        ended = helper.submit(end, HURRIED_S if asked.hurried else LAST_TRIES_S)
        while not ended.done():
            time.sleep(DRAWN_EVERY_S)
            trouble = record.trouble
            if asked_before is not None:
                if asked.times > asked_before:
                    record.give_up()
            elif trouble is not None and time.monotonic() - begun > SETTLED_S:
                asked_before = asked.times
                with contextlib.suppress(OSError):
                    console.print(f"{trouble} {in_memory(record.unwritten_s)}", style="bold red", markup=False)
                    console.print(f"{trouble.advice} Ctrl+C gives up.", style="dim", markup=False)
        ended.result()

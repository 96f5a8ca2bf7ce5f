"""A live session shown in the terminal until its end or a request to end it; the last movements are settled."""

from __future__ import annotations

import contextlib
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from rich.console import Console, RenderableType
from rich.live import Live

from rehabcount.bedside.ending import Asked
from rehabcount.cli.board import in_memory
from rehabcount.errors import RehabcountError
from rehabcount.store.recorder import LAST_TRIES_S

DRAWN_EVERY_S = 0.1
SETTLED_S = 1.0  # an end that takes longer is announced
HURRIED_S = 5.0  # for the disk after SIGTERM or SIGHUP: the process may be killed, and the loss is printed before


class Shown(Protocol):
    """What is shown: a LiveSession, or sensors that are only watched."""

    @property
    def trouble(self) -> RehabcountError | None:
        """Why the disk refuses at present."""

    @property
    def unwritten_s(self) -> float:
        """How much is in memory only."""

    def wait(self, timeout_s: float | None = None) -> bool:
        """Waits for the end; False if it still runs. Raises its error, if any."""

    def end(self, patience_s: float = 0.0) -> None:
        """Stops it and settles the last movements; if the disk refuses, tries again for `patience_s`."""

    def give_up(self) -> None:
        """A waiting `end` does not wait for the disk any more."""

    def document(self) -> dict[str, Any]:
        """The present state, including `times_real_time`."""


class Picture(Protocol):
    """Its picture: a Board, or the Watch of sensors."""

    trouble: str
    unwritten_s: float

    def picture(self, real_time_factor: float | None = None) -> RenderableType:
        """The present picture."""


def show(
    session: Shown, board: Picture, console: Console, asked: Asked | None = None, *, seconds: float | None = None
) -> None:
    """Draw `board` while the session runs, for at most `seconds` or until a request to end in `asked`. Ends the
    session."""
    asked = asked or Asked()
    begun = time.monotonic()
    try:
        # An error of a closed terminal must not stop a recording.
        with contextlib.suppress(OSError), Live(console=console, transient=True, auto_refresh=False) as live:
            while not asked.times and not session.wait(DRAWN_EVERY_S):
                passed = time.monotonic() - begun
                if seconds is not None and passed >= seconds:
                    break
                was, board.trouble = board.trouble, str(session.trouble or "")
                board.unwritten_s = session.unwritten_s
                if console.is_terminal:
                    live.update(board.picture(session.document()["times_real_time"]), refresh=True)
                elif bool(was) is not bool(board.trouble):  # the board is not seen
                    waits = f"{board.trouble} {in_memory(board.unwritten_s)}"
                    console.print(waits if board.trouble else "The disk takes everything again.", markup=False)
    finally:  # also after an error of counting: the record is written to its end and closed
        _end_patiently(session, console, asked)
        board.trouble = ""


def _end_patiently(session: Shown, console: Console, asked: Asked) -> None:
    """Ends the session. If the disk refuses its last part, prints it and waits for room; another Ctrl+C gives up."""
    asked_before: int | None = None  # the number of requests before the message: earlier ones do not give up
    begun = time.monotonic()
    with ThreadPoolExecutor(1, "ending") as helper:
        ended = helper.submit(session.end, HURRIED_S if asked.hurried else LAST_TRIES_S)
        while not ended.done():
            time.sleep(DRAWN_EVERY_S)
            trouble = session.trouble
            if asked_before is not None:
                if asked.times > asked_before:
                    session.give_up()
            elif trouble is not None and time.monotonic() - begun > SETTLED_S:
                asked_before = asked.times
                with contextlib.suppress(OSError):
                    console.print(f"{trouble} {in_memory(session.unwritten_s)}", style="bold red", markup=False)
                    console.print(f"{trouble.advice} Ctrl+C gives up.", style="dim", markup=False)
        ended.result()

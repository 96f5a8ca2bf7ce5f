"""Requests to end: Ctrl+C, SIGTERM and a closed terminal end a recording in the same way as its time limit.

    with asked_to_end() as asked:
        session.start()
        while not session.wait(0.1) and not asked.times: ...
        session.end()

Inside the block such a signal is only noted and interrupts nothing: no write, no wait, and not the ending itself.
Outside the main thread signals cannot be received, so no request is ever noted.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # the last two where the system has them


class Asked:
    """How many requests to end there were, and an event for the first one."""

    def __init__(self) -> None:
        self.times = 0
        self.hurried = False  # a request by SIGTERM or a closed terminal: the process may be killed soon
        self.event = threading.Event()

    def note(self, number: int, _: FrameType | None = None) -> None:
        """A handler for a signal."""
        self.times += 1
        self.hurried = self.hurried or number != signal.SIGINT
        # In a new thread, because the interrupted one may hold the event's lock; for the same reason nothing of
        # `threading` is called here.
        _thread.start_new_thread(self.event.set, ())


@contextlib.contextmanager
def asked_to_end() -> Iterator[Asked]:
    """Notes requests to end while the block runs. A signal that is ignored (under nohup, in a shell's background) stays
    ignored."""
    asked = Asked()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    terminals = [stream.fileno() for stream in (sys.__stdout__, sys.__stderr__) if stream and stream.isatty()]

    def hang_up(number: int, frame: FrameType | None) -> None:
        _print_nowhere(terminals)
        asked.note(number, frame)

    numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    heard = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    before = {
        number: signal.signal(number, hang_up if number == getattr(signal, "SIGHUP", None) else asked.note)
        for number in heard
    }
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _print_nowhere(terminals: list[int]) -> None:
    """After the terminal was closed, writing to it would raise an error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in terminals:
        os.dup2(nowhere, descriptor)
    os.close(nowhere)

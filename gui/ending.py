"""Requests from outside to end the window: Ctrl+C where it was started, SIGTERM, the end of the desktop's session.

No question is asked then. A running session is ended and kept as by its End button, and the window closes.
"""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable, Iterator

from PyQt6 import sip
from PyQt6.QtCore import QCoreApplication, QSocketNotifier, Qt

from rehabcount.bedside.ending import asked_to_end
from rehabcount.gui.window import MainWindow


@contextlib.contextmanager
def ended_by_signals(window: MainWindow) -> Iterator[None]:
    """Inside the block such a signal ends a running session, then the application's loop."""
    with asked_to_end() as asked:

        def on_signal() -> None:
            if asked.times:
                window.end_and(QCoreApplication.quit)

        with _woken_by_signals(on_signal):
            yield


@contextlib.contextmanager
def _woken_by_signals(on_signal: Callable[[], None]) -> Iterator[None]:
    """Python handles a signal only when it runs, and Qt's loop may sleep for hours: a socket wakes it."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for end in (ours, theirs):
            end.setblocking(False)
        notifier = QSocketNotifier(sip.voidptr(ours.fileno()), QSocketNotifier.Type.Read)

        def woken() -> None:
            with contextlib.suppress(BlockingIOError):
                ours.recv(64)
            on_signal()

        # Queued: Python's own handler has then been called.
        notifier.activated.connect(woken, Qt.ConnectionType.QueuedConnection)  # type: ignore[call-arg]
        before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            notifier.setEnabled(False)

"""Opening the window: `run` makes the application, the desk and the window, and returns when the window is closed."""

from __future__ import annotations

import importlib
import logging
import os
import sys
import threading
from collections.abc import Callable
from types import TracebackType

from PyQt6 import sip
from PyQt6.QtCore import QMargins, QPoint, QRect, QSize, QTimer
from PyQt6.QtWidgets import QApplication

from rehabcount.bedside.config import Settings, load_settings
from rehabcount.gui.desk import Desk
from rehabcount.gui.ending import ended_by_signals
from rehabcount.gui.language import tr
from rehabcount.gui.window import SMALLEST, MainWindow, dress

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
UNSEEN = ("offscreen", "minimal")  # Qt's platforms without a display
WARM_UP_AFTER_MS = 600  # the first screen is then shown
FIRST_SIZE = QSize(1440, 900)
FRAME_GUESSED = QMargins(4, 40, 4, 4)  # a title bar, until the desktop says what it really adds
FRAMED_AFTER_MS = 300
log = logging.getLogger(__name__)
# How long a thread may keep the interpreter while another waits for it: the engine works in bursts, and a frame of the
# window must not wait for several turns of the default 5 ms.
SWITCH_S = 0.001
_kept: list[QApplication] = []  # without a reference Qt's application would be deleted, and all windows with it


def has_display() -> bool:
    """Whether there is a display."""
    if os.environ.get("QT_QPA_PLATFORM", "") in UNSEEN:
        return False
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in DISPLAYS)


def application() -> QApplication:
    """The process's application, made if there is none."""
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(["rehabcount"])
    _kept[:] = [app]
    sys.setswitchinterval(SWITCH_S)
    app.setApplicationName("rehabcount")
    app.setApplicationDisplayName("rehabcount")
    app.setDesktopFileName("rehabcount")
    return app


def open_window(settings: Settings | None = None, screen: str = "home", argument: object = None) -> MainWindow:
    """The window, shown, at that screen."""
    app = application()
    desk = Desk(settings or load_settings())
    dress(app, desk)
    window = MainWindow(desk)
    _place(window, FRAME_GUESSED)
    window.show_screen(screen, argument)
    window.show()
    framed = QTimer(window)  # its child: a window that is closed at once takes it along
    framed.setSingleShot(True)
    framed.timeout.connect(lambda: _place_in_frame(window))
    framed.start(FRAMED_AFTER_MS)
    return window


def _place(window: MainWindow, frame: QMargins) -> None:
    """With its frame within what the desktop leaves free."""
    display = window.screen()
    if display is None:
        return
    inner = place_of(display.availableGeometry(), frame)
    window.setMinimumSize(SMALLEST.boundedTo(inner.size()))  # a small display would cut it off
    window.setGeometry(inner)


def _place_in_frame(window: MainWindow) -> None:
    """After the desktop has added a frame; unless the user has moved or resized the window meanwhile."""
    handle, display = window.windowHandle(), window.screen()
    if handle is None or display is None or window.isMaximized() or window.isFullScreen():
        return
    if not display.availableGeometry().contains(window.frameGeometry()):
        _place(window, handle.frameMargins())


def place_of(area: QRect, frame: QMargins) -> QRect:
    """Where the first window lies without its frame: in the middle of `area`, as large as wanted if that fits."""
    room = area.marginsRemoved(frame)
    size = FIRST_SIZE.boundedTo(room.size())
    corner = room.center() - QRect(QPoint(0, 0), size).center()
    return QRect(corner, size)


def survivor(window: MainWindow) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """For sys.excepthook: an error in the handler of a click is shown and logged. Otherwise Qt would end the program
    with the running session."""

    def tell(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
        log.error("in the window", exc_info=(kind, problem, trace))
        words = tr("Something went wrong that should not: {what}. A session that runs goes on.")
        window.footer.setText(words.format(what=repr(problem)))

    return tell


def _warm_up() -> None:
    """Load modules of set-up and session while the first screen is shown, so that they open at once."""
    for module in ("rehabcount.gui.setup", "rehabcount.gui.live", "rehabcount.gui.opening"):
        importlib.import_module(module)


def run(screen: str = "home", argument: object = None, settings: Settings | None = None) -> int:
    """Open the window and stay until it is closed; the exit code."""
    app = application()
    window = open_window(settings, screen, argument)
    QTimer.singleShot(WARM_UP_AFTER_MS, lambda: threading.Thread(target=_warm_up, daemon=True).start())
    sys.excepthook = survivor(window)
    with ended_by_signals(window):
        code = app.exec()
    sys.excepthook = sys.__excepthook__
    sip.delete(window)  # before the application goes: Qt wants its windows gone first
    return code

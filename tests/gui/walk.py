"""A new user's way through the window, by mouse alone or by keyboard alone, without reading any instructions.

From the demo patient's set-up to a finished session with a correction, reviewed, reported and found in the history.
Every step is a mouse click on a visible widget, or a key that the screen shows; no function of a screen is called.

    python -m tests.gui.walk mouse|keyboard FOLDER [PICTURES]      the same in a window of its own, on a real display
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PyQt6 import sip
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest as _QTest
from PyQt6.QtWidgets import QAbstractButton, QApplication, QWidget

from rehabcount.bedside.config import Settings
from rehabcount.gui import opening
from rehabcount.gui.desk import Desk
from rehabcount.gui.live import LiveScreen
from rehabcount.gui.review import ReviewScreen
from rehabcount.gui.setup import SetupScreen
from rehabcount.gui.start import application
from rehabcount.gui.summary import SummaryScreen
from rehabcount.gui.window import MainWindow, dress
from tests.gui.reflex import TINY, reflex

QTest: Any = _QTest  # its stubs take static functions for methods
LONGEST_S = 300.0  # for the whole way: what is promised
COUNTED_S = 12.0  # of counting before the user ends the session
CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


class Walker:
    """The user at the window."""

    def __init__(self, window: MainWindow, pictures: Path | None = None) -> None:
        self.window, self._pictures, self._taken = window, pictures, 0
        self._begun = time.monotonic()
        self.session: Path | None = None

    def wait(self, done: Callable[[], object], longest_s: float = 90.0) -> None:
        until = time.monotonic() + longest_s
        while not done():
            assert time.monotonic() < until, f"nothing happened on {self.window.screen_name}: {self.seen()}"
            assert time.monotonic() - self._begun < LONGEST_S, "it takes too long"
            QTest.qWait(20)

    def seen(self) -> list[str]:
        """The texts of the present screen's buttons, for the message of a failed test."""
        screen = self.window.stack.currentWidget()
        buttons = screen.findChildren(QAbstractButton) if screen is not None else []
        return [f"{each.text()}{'' if each.isEnabled() else ' (off)'}" for each in buttons if each.isVisible()]

    def at(self, name: str) -> None:
        """Wait for that screen."""
        self.wait(lambda: self.window.screen_name == name)
        QTest.qWait(200)
        if self._pictures is not None:
            self._taken += 1
            self.window.grab().save(str(self._pictures / f"{self._taken:02d}-{name}.png"))

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        """Click on the widget; it must be visible and enabled."""
        self.wait(lambda: widget.isVisible() and widget.isEnabled(), 30.0)
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at or widget.rect().center())

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key in the widget that has the focus."""
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifier)
        QTest.qWait(60)

    def button(self, words: str) -> QAbstractButton:
        """The visible button of the present screen that says so."""
        screen = self.window.stack.currentWidget()
        assert screen is not None
        found = [
            each
            for each in screen.findChildren(QAbstractButton)
            if each.isVisible() and words in (each.text().strip(), each.accessibleName())
        ]
        assert found, f"no button {words!r} on {self.window.screen_name}"
        return found[0]

    # -- the screens --------------------------------------------------------------------------------------------------

    @property
    def setup(self) -> SetupScreen:
        screen = self.window.screen_called("setup")
        assert isinstance(screen, SetupScreen)
        return screen

    @property
    def live(self) -> LiveScreen:
        screen = self.window.screen_called("live")
        assert isinstance(screen, LiveScreen)
        return screen

    @property
    def summary(self) -> SummaryScreen:
        screen = self.window.screen_called("summary")
        assert isinstance(screen, SummaryScreen)
        return screen

    @property
    def review(self) -> ReviewScreen:
        screen = self.window.screen_called("review")
        assert isinstance(screen, ReviewScreen)
        return screen

    def go_through_setup(self, press: Callable[[], None]) -> None:
        """The set-up's one button to go on, once all sensors are there; a calibration that must be repeated is."""
        button = self.setup.next
        while self.window.screen_name == "setup":
            self.wait(lambda: button.isEnabled() and self.setup._air is not None and not self.setup._air.missing)
            before = button.text()
            press()
            self.wait(partial(self._moved_on, before))

    def _moved_on(self, before: str) -> bool:
        button = self.setup.next
        return self.window.screen_name != "setup" or button.text() != before or not button.isEnabled()

    def counted(self) -> bool:
        state = self.live.state
        return state is not None and state.elapsed_s > COUNTED_S and state.repetitions > 1 and len(state.events) > 8

    def corrections(self) -> int:
        state = self.review.state
        return 0 if state is None else len(state.editing.corrections)


def by_mouse(walker: Walker) -> None:
    walker.at("setup")
    walker.go_through_setup(lambda: walker.click(walker.setup.next))
    walker.at("live")
    live = walker.live
    walker.wait(lambda: live.main_button.isEnabled())
    walker.click(live.main_button)
    walker.wait(walker.counted)
    before = live.headline.number
    walker.click(live.plus_button)
    assert live.headline.number >= before + 1
    walker.click(live.mark_button)
    walker.at("live")
    walker.click(live.end_button)
    walker.click(live.confirm.yes)
    walker.at("summary")
    walker.wait(lambda: walker.summary.summary is not None)
    walker.session = walker.summary.path
    walker.click(walker.button("Review and correct"))
    walker.at("review")
    walker.wait(lambda: walker.review.state is not None and walker.review.state.editing.standing)
    timeline = walker.review.timeline
    state = walker.review.state
    assert state is not None
    chosen = max(state.editing.standing, key=lambda each: each.segment.length_s)
    middle_s = (chosen.segment.start_s + chosen.segment.end_s) / 2
    walker.click(walker.button("Whole session (F)"))
    QTest.qWait(100)
    canvas = timeline.canvas()
    assert canvas is not None
    lane = next(each for each in canvas.lanes() if each.kind == "corrected" and each.side is chosen.segment.side)
    walker.click(timeline, QPoint(round(canvas.x(middle_s)), round(lane.top + lane.height / 2)))
    walker.click(walker.button("stabilize"))
    walker.wait(lambda: walker.corrections() == 1)
    walker.at("review")
    walker.click(walker.window.nav["home"])
    walker.at("home")
    walker.click(walker.button("Results"))
    walker.at("summary")
    walker.wait(lambda: walker.summary.summary is not None and walker.summary.summary.entries == 1)
    walker.click(walker.button("Report (PDF)"))
    walker.wait(lambda: walker.session is not None and walker.session.with_suffix(".pdf").exists())
    walker.at("summary")
    walker.click(walker.window.nav["history"])
    walker.at("history")


def by_keyboard(walker: Walker) -> None:
    walker.at("setup")
    walker.go_through_setup(lambda: walker.press(Qt.Key.Key_Return, CONTROL))
    walker.at("live")
    live = walker.live
    walker.wait(lambda: live.main_button.isEnabled())
    walker.press(Qt.Key.Key_Space)
    walker.wait(walker.counted)
    before = live.headline.number
    walker.press(Qt.Key.Key_Plus)
    assert live.headline.number >= before + 1
    walker.press(Qt.Key.Key_M)
    walker.at("live")
    walker.press(Qt.Key.Key_E)
    walker.press(Qt.Key.Key_Return)
    walker.at("summary")
    walker.wait(lambda: walker.summary.summary is not None)
    walker.session = walker.summary.path
    walker.press(Qt.Key.Key_R)
    walker.at("review")
    walker.wait(lambda: walker.review.state is not None and walker.review.state.editing.standing)
    walker.press(Qt.Key.Key_Right)
    walker.press(Qt.Key.Key_S)
    walker.wait(lambda: walker.corrections() == 1)
    walker.at("review")
    walker.press(Qt.Key.Key_Escape)
    walker.at("summary")
    walker.wait(lambda: walker.summary.summary is not None and walker.summary.summary.entries == 1)
    walker.press(Qt.Key.Key_P, CONTROL)
    walker.wait(lambda: walker.session is not None and walker.session.with_suffix(".pdf").exists())
    walker.at("summary")
    walker.press(Qt.Key.Key_2, ALT)
    walker.at("history")


WAYS = {"mouse": by_mouse, "keyboard": by_keyboard}


def open_for(folder: Path) -> MainWindow:
    """A window on a fresh data folder, as `rehabcount demo` opens it; the recogniser is a reflex."""
    shutil.copytree(TINY, folder / "models" / "tiny-1.0")
    app = application()
    desk = Desk(Settings(data_folder=str(folder)), folder / "settings.toml")
    dress(app, desk)
    window = MainWindow(desk)
    window.resize(1280, 720)
    window.show_screen("setup")
    window.show()
    window.activateWindow()
    return window


def main(way: str, folder: Path, pictures: Path | None) -> None:
    setattr(opening, "open_model", reflex)  # noqa: B010 (a name of the module, put in place of another)
    window = open_for(folder)
    walker = Walker(window, pictures)
    walker.wait(window.isActiveWindow, 10.0)
    WAYS[way](walker)
    QTest.qWait(1500)
    walker.at("history")
    window.hide()
    sip.delete(window)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)

"""Bars that lie over a screen: nothing moves when they come and go, and they can be closed."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PyQt6.QtGui import QEnterEvent
from PyQt6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from rehabcount.gui import language, theme
from rehabcount.gui.controls import Banner, ConfirmBar
from rehabcount.gui.desk import Desk
from rehabcount.gui.history import HistoryScreen
from rehabcount.gui.overlay import Overlay
from rehabcount.gui.screen import Screen
from rehabcount.gui.window import SCREENS, MainWindow


def places(screen: QWidget) -> list[object]:
    """Where everything that can be pressed is, apart from what lies over the screen."""
    over = screen.findChildren(Overlay)
    buttons = [each for each in screen.findChildren(QAbstractButton) if not any(o.isAncestorOf(each) for o in over)]
    return [(each.mapTo(screen, each.rect().topLeft()), each.size()) for each in buttons]


def covered(window: QWidget, over: Overlay) -> list[QWidget]:
    """What is read, written or pressed, and lies under it."""
    own = [each for kind in (QAbstractButton, QLineEdit, QLabel) for each in window.findChildren(kind)]
    seen = [each for each in own if each.isVisible() and not over.isAncestorOf(each)]
    place = QRect(over.mapTo(window, QPoint(0, 0)), over.size())

    def shown(each: QWidget) -> QRect:
        return each.visibleRegion().boundingRect().translated(each.mapTo(window, QPoint(0, 0)))

    return [each for each in seen if shown(each).intersects(place)]


@pytest.mark.parametrize("name", [name for name in SCREENS if name not in ("live", "about")])
def test_news_of_a_screen_moves_nothing(qtbot: QtBot, desk: Desk, name: str) -> None:
    module, kind = SCREENS[name]
    screen: Screen = getattr(importlib.import_module(module), kind)(desk)
    qtbot.addWidget(screen)
    screen.resize(1180, 700)
    screen.show()
    qtbot.wait(50)  # until it is laid out
    (over,) = screen.findChildren(Overlay)
    before = places(screen)
    for bar in over._bars:
        if isinstance(bar, Banner):
            bar.say("Something is the matter. " * 9, "warn", "Do something", lambda: None)
        else:
            bar.offer_undo("Something was done.", lambda: None)
    qtbot.wait(1)
    assert over.isVisible()
    assert screen.rect().contains(over.geometry())
    assert places(screen) == before
    assert covered(screen, over) == []
    for bar in over._bars:
        bar.hide()
    assert not over.isVisible()


def test_the_notice_of_a_screen_that_was_left_moves_nothing(qtbot: QtBot, desk: Desk) -> None:
    window = MainWindow(desk)
    qtbot.addWidget(window)
    window.show_screen("settings")
    window.show()
    before = window.stack.geometry()
    window.notice.tell("Three sentences. Of the screen. That was left.")
    qtbot.wait(1)
    assert (window.notice.isVisible(), window.stack.geometry()) == (True, before)
    window.notice.tell("")
    assert not window.notice.isVisible()


@pytest.mark.parametrize("name", [name for name in SCREENS if name != "live"])
@pytest.mark.parametrize(("tongue", "percent"), [("en", 100), ("de", 100), ("de", 150), ("de", 200)])
def test_a_notice_covers_nothing(
    qtbot: QtBot, desk: Desk, qapp: QApplication, name: str, tongue: str, percent: int
) -> None:
    theme.apply(qapp, theme.LIGHT, percent)
    language.install(qapp, tongue)
    window = MainWindow(desk)
    qtbot.addWidget(window)
    window.resize(1440, 900)
    window.show()
    screen = window.screen_called(name)
    window.stack.setCurrentWidget(screen)
    window.notice.tell("The session of P-01 (today, 10:15) is recovered and counted: 12:31 min, 37 repetitions.")
    qtbot.wait(20)
    assert window.notice.isVisible()
    assert covered(window, window.notice) == []


def test_escape_closes_what_was_said_and_does_not_leave(qtbot: QtBot, desk: Desk) -> None:
    window = MainWindow(desk)
    qtbot.addWidget(window)
    window.show_screen("home")
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.show_screen("history")
    screen = window.screen_called("history")
    assert isinstance(screen, HistoryScreen)
    window.notice.tell("It was kept.")
    screen.banner.say("The disk is full.", "bad")
    assert not window.notice.isVisible()  # what this page says lies in the same place
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert (screen.banner.text, window.screen_name) == ("", "history")
    window.notice.tell("It was kept.")
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert (window.notice.isVisible(), window.screen_name) == (False, "history")
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert window.screen_name == "home"


@pytest.fixture
def banner(qtbot: QtBot) -> Iterator[Banner]:
    holder = QWidget()
    qtbot.addWidget(holder)
    made = Banner()
    holder.resize(600, 400)
    Overlay(holder, made)
    holder.show()
    yield made
    holder.close()


def test_what_was_closed_is_not_said_again_before_something_else(banner: Banner, qtbot: QtBot) -> None:
    banner.say("The disk is full.", "bad")
    qtbot.mouseClick(banner._close, Qt.MouseButton.LeftButton)
    banner.say("The disk is full.", "bad")
    assert banner.text == ""
    banner.say("The radio is off.", "bad")
    assert banner.text == "The radio is off."
    banner.clear()
    banner.say("The disk is full.", "bad")
    assert banner.text == "The disk is full."


def test_each_button_does_its_own(banner: Banner, qtbot: QtBot) -> None:
    done: list[str] = []
    more = [(words, lambda words=words: done.append(words)) for words in ("two", "three")]
    banner.say("Saved.", "info", "one", lambda: done.append("one"), *more)
    for button in banner.buttons:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert done == ["one", "two", "three"]
    banner.say("Saved again.", "info", "four", lambda: done.append("four"))
    (button,) = banner.buttons
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert done[-1] == "four"
    banner.say("Nothing to do.")
    assert banner.buttons == []


def test_no_button_is_cut_where_there_is_little_room(banner: Banner, qtbot: QtBot) -> None:
    more = [(words, lambda: None) for words in ("Show it in its folder", "Save it elsewhere")]
    banner.say("Saved as /a/long/way/to/some/file.pdf", "info", "Open it now", lambda: None, *more)
    qtbot.wait(50)
    assert all(button.width() >= button.sizeHint().width() for button in banner.buttons)
    assert all(banner.rect().contains(button.geometry()) for button in banner.buttons)


def test_an_offer_does_not_go_from_under_the_mouse(qtbot: QtBot, qapp: QApplication) -> None:
    bar = ConfirmBar()
    qtbot.addWidget(bar)
    bar.offer_undo("It was done.", lambda: None)
    here = QPointF(4, 4)
    qapp.sendEvent(bar, QEnterEvent(here, here, here))
    assert not bar._timer.isActive()
    qapp.sendEvent(bar, QEvent(QEvent.Type.Leave))
    assert bar._timer.isActive()
    bar.ask("Really?", "Yes", lambda: None)  # a question stays until it is answered
    qapp.sendEvent(bar, QEnterEvent(here, here, here))
    qapp.sendEvent(bar, QEvent(QEvent.Type.Leave))
    assert not bar._timer.isActive()


def test_in_the_lowest_window_a_notice_gets_its_room(qtbot: QtBot, desk: Desk, qapp: QApplication) -> None:
    theme.apply(qapp, theme.LIGHT, 200)
    window = MainWindow(desk)
    qtbot.addWidget(window)
    window.resize(1024, 700)
    window.show_screen("history")
    window.show()
    window.notice.tell("The session of P-01 (today, 10:15) is recovered and counted: 12:31 min, 37 repetitions.")
    qtbot.wait(20)
    assert covered(window, window.notice) == []
    window.notice.tell("")
    assert window.screen_called("history").contentsMargins().bottom() == 0

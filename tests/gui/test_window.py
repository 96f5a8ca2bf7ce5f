"""The window: going from screen to screen, keys, and changing its appearance while it is open."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from PyQt6.QtCore import QMargins, QRect, Qt
from PyQt6.QtWidgets import QApplication, QLabel, QLineEdit, QVBoxLayout
from pytestqt.qtbot import QtBot

from rehabcount.bedside.config import load_settings
from rehabcount.gui import theme, window
from rehabcount.gui.about import AboutScreen
from rehabcount.gui.controls import IconButton
from rehabcount.gui.desk import Desk
from rehabcount.gui.screen import KeyHint, Screen
from rehabcount.gui.start import place_of, survivor
from rehabcount.gui.window import MainWindow

ROOT = Path(__file__).parents[2]


class Place(Screen):
    """A screen that notes what it was given."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.given: list[object] = []
        self.may_leave = True
        self.opened = 0  # panels
        self.field = QLineEdit()
        QVBoxLayout(self).addWidget(self.field)

    def title(self) -> str:
        return "A place"

    def entered(self, argument: object) -> None:
        self.given.append(argument)

    def step_back(self) -> bool:
        was_open, self.opened = self.opened, 0
        return bool(was_open)

    def leaving(self) -> bool:
        return self.may_leave

    def keys(self) -> list[KeyHint]:
        return [KeyHint("X", "does x")]


class Workbench(Place):
    """Holds something that can be undone."""

    endures = True

    def parting_words(self) -> str:
        return "Half of it is kept."


class Passage(Place):
    immersive = True
    returnable = False


@pytest.fixture
def main(qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    here = "tests.gui.test_window"
    kinds = {"setup": "Passage", "live": "Passage", "review": "Workbench"}
    places = {name: (here, kinds.get(name, "Place")) for name in window.SCREENS}
    monkeypatch.setattr(window, "SCREENS", places)
    made = MainWindow(desk)
    qtbot.addWidget(made)
    made.show_screen("home")
    made.show()
    qtbot.waitExposed(made)
    return made


def place(main: MainWindow, name: str) -> Place:
    found = main.screen_called(name)
    assert isinstance(found, Place)
    return found


def test_screens_say_where_to_go_and_escape_comes_back(main: MainWindow, qtbot: QtBot) -> None:
    place(main, "home").go.emit("history", None)
    place(main, "history").go.emit("summary", "a.rehab")
    assert main.screen_name == "summary"
    assert place(main, "summary").given == ["a.rehab"]
    assert main.windowTitle() == "A place – rehabcount"
    main.go_back()
    assert main.screen_name == "history"
    main.go_back()
    main.go_back()
    assert main.screen_name == "home"


def test_a_passage_is_not_returned_to_and_hides_the_navigation(main: MainWindow) -> None:
    main.show_screen("setup")
    assert not main.rail.isVisible()
    main.show_screen("live")
    main.show_screen("summary", "a.rehab")
    assert main.rail.isVisible()
    main.go_back()
    assert main.screen_name == "home"


def test_a_screen_that_must_not_be_left_stays(main: MainWindow) -> None:
    main.show_screen("live")
    place(main, "live").may_leave = False
    assert not main.show_screen("home")
    main.go_back()
    assert main.screen_name == "live"
    assert not main.close()


def test_navigation_by_mouse_and_by_key(main: MainWindow, qtbot: QtBot) -> None:
    qtbot.mouseClick(main.nav["settings"], Qt.MouseButton.LeftButton)
    assert main.screen_name == "settings"
    assert main.nav["settings"].isChecked()
    assert not main.nav["home"].isChecked()
    qtbot.keyClick(main, Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)
    assert main.screen_name == "history"
    qtbot.keyClick(main, Qt.Key.Key_Escape)
    assert main.screen_name == "settings"


def test_question_mark_shows_the_keys_unless_one_is_writing(main: MainWindow, qtbot: QtBot) -> None:
    main.activateWindow()
    qtbot.waitUntil(main.isActiveWindow)
    field = place(main, "home").field
    field.setFocus()
    qtbot.keyClicks(field, "?")
    assert field.text() == "?"
    assert not main.key_help.isVisible()
    main.nav["home"].setFocus()
    qtbot.keyClicks(main.nav["home"], "?")
    assert main.key_help.isVisible()
    qtbot.keyClick(main.key_help, Qt.Key.Key_Escape)
    assert not main.key_help.isVisible()
    assert main.screen_name == "home"


def test_tab_stays_in_the_help(main: MainWindow, qtbot: QtBot) -> None:
    main.activateWindow()
    qtbot.waitUntil(main.isActiveWindow)
    before = main.nav["home"]
    before.setFocus()
    main.show_keys()
    for _ in range(4):
        focus = main.focusWidget()
        assert focus is not None
        assert focus is main.key_help or main.key_help.isAncestorOf(focus)
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    qtbot.keyClick(main.key_help, Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)
    assert main.focusWidget() is not main.key_help  # but the way to close it
    qtbot.keyClick(main.focusWidget(), Qt.Key.Key_Return)
    assert not main.key_help.isVisible()
    assert before.hasFocus()
    main.show_keys()
    qtbot.keyClick(main.key_help, Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)
    assert main.screen_name == "history"
    assert not main.key_help.isVisible()


def test_appearance_changes_at_once_and_is_kept(main: MainWindow, desk: Desk, qapp: QApplication) -> None:
    main.show_screen("settings", 7)
    desk.set_window(theme="dark", text_percent=150, language="de")
    assert theme.current() is theme.DARK
    assert main.screen_name == "settings"
    assert place(main, "settings").given == [7]
    assert main.nav["history"].text() == "Verlauf"
    kept = load_settings(desk._settings_file)
    assert (kept.window.theme, kept.window.text_percent, kept.window.language) == ("dark", 150, "de")
    assert kept.data_folder == desk.settings.data_folder


def test_every_control_of_the_frame_has_a_name(main: MainWindow) -> None:
    for button in main.nav.values():
        assert button.accessibleName()


def test_the_window_is_up_without_engine_and_simulation() -> None:
    """What takes a second to load is loaded by the threads that need it."""
    code = (
        "import sys, rehabcount.gui.start, rehabcount.gui.home, rehabcount.gui.setup, rehabcount.gui.live\n"
        "heavy = ('scipy.signal', 'scipy.stats', 'rehabcount.simulate', 'rehabcount.engine.session')\n"
        "print(*(name for name in sys.modules if name.startswith(heavy)))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert loaded.split() == []


def test_session_paths_hold_no_odd_characters(desk: Desk) -> None:
    path = desk.new_session_path("Ä/../ß *?")
    assert path.parent == desk.settings.sessions
    assert path.name.isascii()
    path.parent.mkdir(parents=True)
    path.touch()
    assert desk.new_session_path("Ä/../ß *?") != path


def test_a_defect_is_said_and_the_window_stays(qtbot: QtBot, desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    made = MainWindow(desk)
    qtbot.addWidget(made)
    survivor(made)(ZeroDivisionError, ZeroDivisionError("oh"), None)
    assert "ZeroDivisionError" in made.footer.text()
    assert "in the window" in caplog.text


@pytest.mark.parametrize("name", ["live", "review"])
def test_what_runs_or_can_be_undone_stays_and_all_else_is_made_anew(main: MainWindow, desk: Desk, name: str) -> None:
    home = place(main, "home")
    main.show_screen(name, 7)
    stays = place(main, name)
    stays.field.setText("typed")
    stays.field.setFocus()
    desk.set_window(theme="dark", language="de")
    assert main.screen_called(name) is stays
    assert stays.isVisible()
    assert stays.given == [7]
    assert stays.field.hasFocus()
    assert main.nav["history"].text() == "Verlauf"
    assert main.rail.isVisible() is (name != "live")
    main.show_screen("home")
    assert main.screen_called("home") is not home
    assert main.screen_called(name) is not stays  # made in the old language


def test_a_screen_that_is_left_says_what_was_kept(main: MainWindow, qtbot: QtBot) -> None:
    main.show_screen("review", 7)
    assert not main.notice.isVisible()
    main.go_back()
    assert main.screen_name == "home"
    assert main.notice.isVisible()
    assert main.notice.banner.text == "Half of it is kept."
    main.show_screen("settings")
    assert not main.notice.isVisible()


def test_escape_closes_what_is_open_on_the_screen_before_it_leaves(main: MainWindow, qtbot: QtBot) -> None:
    main.show_screen("settings")
    place(main, "settings").opened = 1
    for left, name in ((0, "settings"), (0, "home")):
        qtbot.keyClick(main, Qt.Key.Key_Escape)
        assert (place(main, "settings").opened, main.screen_name) == (left, name)


def test_what_a_screen_has_to_say_is_read_wherever_the_window_is(main: MainWindow, desk: Desk) -> None:
    home = place(main, "home")
    main.show_screen("settings")
    home.told.emit("It is recovered.")
    assert main.notice.isVisible()
    assert main.notice.banner.text == "It is recovered."
    desk.set_window(theme="dark")
    place(main, "settings").told.emit("In the dark as well.")
    assert main.notice.banner.text == "In the dark as well."


def test_buttons_are_drawn_in_the_new_themes_ink(main: MainWindow, desk: Desk) -> None:
    main.show_screen("review", 7)
    button = IconButton("undo", "Undo")
    layout = place(main, "review").layout()
    assert layout is not None
    layout.addWidget(button)
    light = button.icon().pixmap(24, 24).toImage()
    desk.set_window(theme="dark")
    assert button.icon().pixmap(24, 24).toImage() != light


def test_every_picture_means_one_thing() -> None:
    """Of those on buttons without words: who knows one from another screen expects the same here."""
    meant: dict[str, set[str]] = {}
    for path in (ROOT / "gui").glob("*.py"):
        for picture, words in re.findall(r'IconButton\("([\w-]+)", tr\("([^"(]+)', path.read_text(encoding="utf-8")):
            meant.setdefault(picture, set()).add(words.strip())
    assert meant["screen"] == {"Patient view"}
    assert {picture for picture, words in meant.items() if len(words) > 1} == set()


def test_about_shows_no_commands(qtbot: QtBot, desk: Desk) -> None:
    about = AboutScreen(desk)
    qtbot.addWidget(about)
    about.entered(None)
    said = " ".join(label.text() for label in about.findChildren(QLabel))
    assert "The model" in said
    assert "rehabcount models" not in said
    assert not re.search(r" --\w", said)


@pytest.mark.parametrize("area", [QRect(0, 0, 1440, 900), QRect(64, 27, 1366, 741), QRect(0, 0, 2560, 1400)])
def test_the_first_window_fits_with_its_frame(area: QRect) -> None:
    frame = QMargins(1, 37, 1, 1)
    inner = place_of(area, frame)
    assert area.contains(inner.marginsAdded(frame))
    assert inner.width() == min(1440, area.width() - 2)

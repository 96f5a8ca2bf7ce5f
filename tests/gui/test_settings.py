"""Settings take effect at once and are kept; backups are made and restored; the model's card can be read."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from rehabcount.bedside.config import load_settings
from rehabcount.domain.patient import Patient
from rehabcount.domain.rig import Side
from rehabcount.gui.about import AboutScreen
from rehabcount.gui.desk import Desk
from rehabcount.gui.language import definition_words
from rehabcount.gui.settings_screen import SettingsScreen
from rehabcount.gui.window import MainWindow
from rehabcount.inference.artifact import verify
from rehabcount.store.backup import back_up

TINY = Path(__file__).parents[1] / "inference" / "artifacts" / "tiny-1.0"


@pytest.fixture
def screen(qtbot: QtBot, desk: Desk) -> SettingsScreen:
    made = SettingsScreen(desk)
    qtbot.addWidget(made)
    made.entered(None)
    return made


def words_of(screen: AboutScreen) -> str:
    return "\n".join(label.text() for label in screen.findChildren(QLabel))


def test_a_choice_holds_and_is_kept(screen: SettingsScreen, desk: Desk, tmp_path: Path) -> None:
    screen.themes["dark"].click()
    screen.sizes["150"].click()
    screen.languages["de"].click()
    screen.rig.buttons["three"].click()
    screen.initials.setText("mk")
    screen.initials.editingFinished.emit()
    screen.sound.click()
    kept = load_settings(tmp_path / "settings.toml").window
    assert kept == desk.window
    assert (kept.theme, kept.text_percent, kept.language, kept.rig) == ("dark", 150, "de", "three")
    assert (kept.initials, kept.sound) == ("mk", True)


def test_a_backup_goes_and_comes_back(screen: SettingsScreen, desk: Desk, tmp_path: Path, qtbot: QtBot) -> None:
    desk.library.add_patient(Patient("P-01", Side.LEFT))
    screen.back_up_to(tmp_path / "backup.zip")
    qtbot.waitUntil(lambda: bool(screen.banner.text), timeout=5000)
    assert screen.banner.text == "The backup holds 0 sessions."
    desk.library.delete_patient("P-01", "P-01")
    screen.banner.clear()
    screen.restore_from(tmp_path / "backup.zip")
    qtbot.waitUntil(lambda: bool(screen.banner.text), timeout=5000)
    assert "1 patient" in screen.banner.text
    assert [each.code for each in desk.library.patients()] == ["P-01"]
    assert screen.backup.isEnabled()


def test_a_backup_goes_on_when_the_colours_change(qtbot: QtBot, desk: Desk, tmp_path: Path) -> None:
    window = MainWindow(desk)
    qtbot.addWidget(window)
    window.show_screen("settings")
    first, begun, go_on = settings_of(window), threading.Event(), threading.Event()

    def slow(on_file: Callable[[int, int], None]) -> object:
        begun.set()
        assert go_on.wait(5.0)
        on_file(1, 2)
        return back_up(desk.library, tmp_path / "backup.zip")

    first._run(slow)
    assert begun.wait(5.0)
    desk.set_window(theme="dark")
    second = settings_of(window)
    assert second is not first
    assert not second.backup.isEnabled()
    assert not second.bar.isHidden()
    go_on.set()
    qtbot.waitUntil(lambda: bool(second.banner.text), timeout=5000)
    assert second.banner.text == "The backup holds 0 sessions."
    assert second.backup.isEnabled()
    assert (tmp_path / "backup.zip").exists()


def settings_of(window: MainWindow) -> SettingsScreen:
    found = window.screen_called("settings")
    assert isinstance(found, SettingsScreen)
    return found


def test_how_a_backup_ended_is_still_said_on_coming_back(screen: SettingsScreen, desk: Desk, qtbot: QtBot) -> None:
    screen.restore_from(desk.settings.data / "none.zip")
    qtbot.waitUntil(lambda: not desk.backup.running, timeout=5000)
    screen.entered(None)
    assert "none.zip" in screen.banner.text
    screen.entered(None)
    assert screen.banner.text == ""


def test_a_file_that_is_no_backup_is_named(screen: SettingsScreen, tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "song.zip").write_text("la la la")
    screen.restore_from(tmp_path / "song.zip")
    qtbot.waitUntil(lambda: bool(screen.banner.text), timeout=5000)
    assert "song.zip is not a whole backup" in screen.banner.text


def test_models_are_listed_the_broken_ones_with_their_trouble(screen: SettingsScreen, desk: Desk) -> None:
    shutil.copytree(TINY, desk.settings.models / "tiny-1.0")
    shutil.copytree(TINY, desk.settings.models / "torn-1.0")
    (desk.settings.models / "torn-1.0" / "model.onnx").write_bytes(b"torn")
    screen.entered(None)
    names = [screen.model.itemText(i) for i in range(screen.model.count())]
    assert "tiny 1.0 (not shipped with rehabcount)" in names
    assert "stream 1.5" in names
    assert names[0] == "The newest stream, else the first that opens"
    assert screen.model_state.text().startswith("stream ")  # though tiny is there, too
    assert "torn-1.0: " in screen.model_state.text()
    screen._choose_model("tiny-1.0")
    assert desk.settings.model == "tiny-1.0"
    assert "accuracy on patients is unknown" in screen.model_state.text()
    assert "did not come with rehabcount" in screen.model_state.text()


def test_a_model_that_is_fixed_is_shown_however_it_is_called(screen: SettingsScreen, desk: Desk) -> None:
    shutil.copytree(TINY, desk.settings.models / "tiny-1.0")
    for name in ("tiny", "tiny-1.0", verify(TINY).sha256):
        desk.fix_model(name)
        screen.entered(None)
        assert screen.model.currentText().startswith("tiny 1.0")
    desk.fix_model("gone-2.0")
    screen.entered(None)
    assert screen.model.currentText() == "gone-2.0 (not there)"
    assert "gone-2.0 is not there or is refused" in screen.model_state.text()
    screen._choose_model("")
    assert desk.settings.model == ""
    assert screen.model.currentText().startswith("The newest")


def test_the_card_is_readable_and_honest(qtbot: QtBot, desk: Desk) -> None:
    shutil.copytree(TINY, desk.settings.models / "tiny-1.0")
    desk.fix_model("tiny-1.0")
    about = AboutScreen(desk)
    qtbot.addWidget(about)
    about.entered(None)
    words = words_of(about)
    assert "tiny 1.0" in words
    assert "it was not shipped" in words
    assert "Accuracy on patients is unknown" in words
    assert "not a medical device" in words
    for label in ("idle", "reach", "other"):
        assert definition_words(label) in words


def test_a_missing_model_is_said(qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Desk, "artifact", lambda _: None)
    about = AboutScreen(desk)
    qtbot.addWidget(about)
    about.entered(None)
    assert "No model is there" in words_of(about)
    screen = SettingsScreen(desk)
    qtbot.addWidget(screen)
    screen.entered(None)
    assert "No model is there" in screen.model_state.text()

"""The path of a saved file is shown; it is opened, shown in its folder or copied, and failures are reported."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from rehabcount.errors import RehabcountError
from rehabcount.gui import saved_file
from rehabcount.gui.background import Background
from rehabcount.gui.controls import Banner
from rehabcount.gui.saved_file import SavedFile

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows says itself what it cannot open")


@pytest.fixture
def saved(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SavedFile]:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("PATH", str(tmp_path))
    holder = QWidget()
    qtbot.addWidget(holder)
    path = tmp_path / "session.pdf"
    path.write_bytes(b"%PDF-1.4")
    problems: list[RehabcountError] = []
    made = SavedFile(path, "P-07-2026.pdf", Banner(), Background(holder), problems.append)
    made.banner.setParent(holder)
    made.tell()
    yield made
    holder.close()


def opener(folder: Path, script: str) -> None:
    program = folder / saved_file.OPENER
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)


def test_it_says_where_and_what_can_be_done(saved: SavedFile) -> None:
    assert saved.banner.text == f"Saved as {saved.path}"
    assert [button.text() for button in saved.banner.buttons] == ["Open", "Show in folder", "Save as …"]


def test_the_desktop_opens_file_and_folder(saved: SavedFile, qtbot: QtBot, tmp_path: Path) -> None:
    opener(tmp_path, f'echo "$1" >> {tmp_path}/opened')
    saved.banner.buttons[0].click()
    qtbot.waitUntil(lambda: len(opened(tmp_path)) == 1)
    saved.banner.buttons[1].click()
    qtbot.waitUntil(lambda: len(opened(tmp_path)) == 2)
    assert opened(tmp_path) == [str(saved.path), str(tmp_path)]
    qtbot.wait(3 * saved_file.LOOK_MS)
    assert saved.banner.text == f"Saved as {saved.path}"


def opened(folder: Path) -> list[str]:
    log = folder / "opened"
    return log.read_text().splitlines() if log.is_file() else []


@pytest.mark.parametrize("script", [None, "exit 3"])
def test_it_is_said_where_nothing_can_show_it(
    saved: SavedFile, qtbot: QtBot, tmp_path: Path, script: str | None
) -> None:
    if script is not None:
        opener(tmp_path, script)
    saved.banner.buttons[0].click()
    qtbot.waitUntil(lambda: "Nothing on this computer can show it" in saved.banner.text)
    assert str(tmp_path) in saved.banner.text
    assert [button.text() for button in saved.banner.buttons] == ["Save as …"]


def test_a_copy_goes_where_it_is_wanted(
    saved: SavedFile, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered: list[str] = []

    def choose(_: object, title: str, name: str, kinds: str) -> tuple[str, str]:
        offered.extend((Path(name).name, kinds))
        return str(tmp_path / "elsewhere"), kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    saved.banner.buttons[2].click()
    target = tmp_path / "elsewhere.pdf"
    qtbot.waitUntil(lambda: str(target) in saved.banner.text)
    assert target.read_bytes() == saved.path.read_bytes()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert "does not delete this copy" in saved.banner.text
    assert offered == ["P-07-2026.pdf", "PDF (*.pdf)"]


def test_a_copy_that_cannot_be_written_is_said(qtbot: QtBot, saved: SavedFile, tmp_path: Path) -> None:
    saved.copy_to(saved.path / "below a file.pdf")
    problems = saved.on_problem.__self__  # type: ignore[attr-defined]  # the list that it appends to
    qtbot.waitUntil(lambda: bool(problems))

"""`kill -9` in the middle of a session: at the next start it is offered, and recovered it counts as its record does.
A signal that can be heard ends it as the End button does."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from rehabcount.bedside import recovering
from rehabcount.bedside.config import Settings
from rehabcount.domain.dose import Dose
from rehabcount.domain.rig import Side
from rehabcount.domain.update import Event, Update
from rehabcount.engine.session import SessionSettings, updates
from rehabcount.engine.summarise import summarise
from rehabcount.gui.desk import Desk
from rehabcount.gui.home import HomeScreen
from rehabcount.store.session_file import SessionFile
from tests.gui.live_child import PLAN
from tests.gui.reflex import TINY, reflex

ROOT = Path(__file__).parents[2]
SPEED = 4.0
LONGEST_S = 5.0  # of wall time after the start of counting: twenty seconds of the session
MOMENTS = np.random.default_rng(11).uniform(0.0, LONGEST_S, 20)


def session_hit_by(number: signal.Signals, folder: Path, after_s: float) -> Path:
    """A session whose process got that signal so long after counting began."""
    shutil.copytree(TINY, folder / "models" / "tiny-1.0")
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.gui.live_child", str(folder), str(SPEED)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "counting"
        time.sleep(after_s)
        child.send_signal(number)
        assert child.wait(60) == (-number if number == signal.SIGKILL else 0)
    finally:
        child.kill()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()
    (path,) = (folder / "sessions").glob("*.rehab")
    return path


def counted_from_the_record(path: Path) -> list[Update]:
    """What the recorded items amount to, walked from the first to the last."""
    with SessionFile.open(path) as file:
        settings = SessionSettings(file.rig, Side.RIGHT, PLAN)
        return list(updates(file.items(), settings, reflex(path)))


def check(folder: Path, after_s: float, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    path = session_hit_by(signal.SIGKILL, folder, after_s)
    monkeypatch.setattr(recovering, "open_model", reflex)
    home = HomeScreen(Desk(Settings(data_folder=str(folder)), folder / "settings.toml"))
    qtbot.addWidget(home)
    went: list[tuple[str, object]] = []
    home.go.connect(lambda name, argument: went.append((name, argument)))
    home.show()
    home.entered(None)
    qtbot.waitUntil(lambda: "interrupted" in home.interrupted.text, timeout=10_000)
    (button,) = [each for each in home.interrupted.findChildren(QPushButton) if each.isVisible()]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(went), timeout=30_000)
    assert went == [("summary", path)]

    expected = counted_from_the_record(path)
    doses = [update for update in expected if isinstance(update, Dose)]
    events = [update for update in expected if isinstance(update, Event)]
    with SessionFile.open(path) as file:
        summary = summarise(file)
        live = [update for update in file.updates(1) if isinstance(update, Event)]
    assert summary.automatic == doses[-1]
    assert summary.dose.repetitions == doses[-1].repetitions + 2  # the two presses of +1 were kept
    assert live == events[: len(live)], "what was counted before the kill is the beginning of what is counted now"
    assert events or after_s < 2.0


@pytest.mark.parametrize("after_s", [1.1, 3.7])
def test_a_killed_session_is_recovered(
    after_s: float, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(tmp_path, after_s, qtbot, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("after_s", MOMENTS, ids=lambda moment: f"{moment:.2f}s")
def test_at_any_moment(after_s: float, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    check(tmp_path, after_s, qtbot, monkeypatch)


@pytest.mark.skipif(sys.platform == "win32", reason="its processes get no such signals")
def test_a_session_told_to_end_is_settled_and_closed(tmp_path: Path) -> None:
    path = session_hit_by(signal.SIGTERM, tmp_path, 1.0)
    expected = [update for update in counted_from_the_record(path) if isinstance(update, Event)]
    with SessionFile.open(path) as file:
        assert file.is_closed()
        assert [update for update in file.updates(1) if isinstance(update, Event)] == expected
    assert expected
    assert not path.with_name(path.name + "-wal").exists()

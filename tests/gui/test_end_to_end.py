"""A new user comes from the demo patient to a reviewed session with a report, by mouse alone and by keyboard alone.

In real time, so slow. Once in this process without a display, once in a real window of a process of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from rehabcount.domain.update import Adjusted, Mark
from rehabcount.engine.summarise import summarise
from rehabcount.gui import opening
from rehabcount.store.library import Library
from rehabcount.store.session_file import SessionFile
from tests.gui.reflex import reflex
from tests.gui.walk import WAYS, Walker, open_for

ROOT = Path(__file__).parents[2]
DISPLAY = ("xvfb-run", "-a", "-s", "-screen 0 1920x1080x24")


def check(folder: Path) -> None:
    """What must be there afterwards."""
    (entry,) = Library(folder).sessions()
    assert entry.standing == "closed"
    assert entry.path.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    with SessionFile.open(entry.path) as file:
        summary = summarise(file)
        (counting,) = file.countings()
        kept = list(file.updates(counting.number))
    assert summary.patient == "DEMO"
    assert summary.simulated
    assert summary.entries == 1
    assert [each.by for each in kept if isinstance(each, Adjusted)] == [1]
    assert len([each for each in kept if isinstance(each, Mark)]) == 1
    assert summary.dose.repetitions >= 2


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_from_demo_to_history(way: str, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "open_model", reflex)
    window = open_for(tmp_path)
    qtbot.addWidget(window)
    WAYS[way](Walker(window))
    check(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="no xvfb-run for a real window")
def test_in_a_real_window(way: str, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    done = subprocess.run(
        [*DISPLAY, sys.executable, "-m", "tests.gui.walk", way, str(tmp_path)],
        cwd=ROOT,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=330,
    )
    assert done.returncode == 0, done.stderr
    check(tmp_path)

"""Work beside the window: in order, delivered in the window's thread, and no hindrance to closing it."""

from __future__ import annotations

import threading
import time

import pytest
from PyQt6 import sip
from PyQt6.QtCore import QObject
from pytestqt.qtbot import QtBot

from rehabcount.errors import ConfigError, RehabcountError
from rehabcount.gui.background import Background


def test_jobs_come_back_in_order_and_in_this_thread(qtbot: QtBot) -> None:
    owner = QObject()
    background = Background(owner)
    seen: list[tuple[int, bool, bool]] = []
    here = threading.current_thread()

    def done(found: tuple[int, bool]) -> None:
        seen.append((*found, threading.current_thread() is here))

    for i in range(20):
        background.run(lambda i=i: (i, threading.current_thread() is here), done, lambda problem: None)  # type: ignore[misc]
    qtbot.waitUntil(lambda: len(seen) == 20)
    assert seen == [(i, False, True) for i in range(20)]
    assert not background.busy


def test_every_error_is_reported(qtbot: QtBot) -> None:
    owner = QObject()
    background = Background(owner)
    said: list[RehabcountError] = []

    def ours() -> None:
        raise ConfigError("no font", advice="install one")

    def theirs() -> None:
        raise ZeroDivisionError("oh")

    for work in (ours, theirs):
        background.run(work, lambda _: None, said.append)
    qtbot.waitUntil(lambda: len(said) == 2)
    assert said[0].advice == "install one"
    assert "ZeroDivisionError" in str(said[1])


def test_forgotten_results_do_not_come_and_finishing_waits(qtbot: QtBot) -> None:
    owner = QObject()
    background = Background(owner)
    seen: list[str] = []
    background.run(lambda: time.sleep(0.1) or "old", seen.append, lambda problem: None)  # type: ignore[func-returns-value]
    background.forget()
    background.run(lambda: "new", seen.append, lambda problem: None)
    background.finish()
    assert seen == ["new"]


def test_after_a_rest_work_goes_on(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rehabcount.gui.background.IDLE_S", 0.01)
    owner = QObject()
    background = Background(owner)
    seen: list[int] = []
    for i in range(30):
        background.run(lambda i=i: i, seen.append, lambda problem: None)  # type: ignore[misc]
        if i % 3 == 0:
            time.sleep(0.012)
    qtbot.waitUntil(lambda: len(seen) == 30)
    assert seen == list(range(30))


def test_a_window_closes_while_a_job_runs(qtbot: QtBot) -> None:
    """Deleting the owner neither waits for the job nor brings it down; its thread ends by itself."""
    owner = QObject()
    background = Background(owner)
    go_on, over = threading.Event(), threading.Event()

    def work() -> None:
        go_on.wait(20)
        over.set()

    background.run(work, lambda _: None, lambda problem: None)
    worker = background.worker
    begun = time.monotonic()
    sip.delete(owner)
    assert time.monotonic() - begun < 5
    go_on.set()
    assert over.wait(20)
    qtbot.waitUntil(lambda: worker.thread is None, timeout=20_000)

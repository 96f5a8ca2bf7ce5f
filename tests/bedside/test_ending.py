"""After every request to end a recording is settled and closed, and its replay gives the live count."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rehabcount.bedside.ending import asked_to_end
from rehabcount.domain.dose import Plan
from rehabcount.domain.rig import Side
from rehabcount.domain.update import Event, Update
from rehabcount.engine.session import SessionSettings, updates
from rehabcount.store.session_file import SessionFile
from tests.bedside.ending_child import MODEL

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its processes get no such signals")

ROOT = Path(__file__).parents[2]


def hear_ctrl_c() -> None:
    """Tests that run in a shell's background ignore Ctrl+C, and their child processes would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(path: Path, terminal: int | None = None) -> subprocess.Popen[str]:
    """The child, its messages on `terminal` if there is one."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.bedside.ending_child", str(path)],
        cwd=ROOT,
        preexec_fn=hear_ctrl_c,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if terminal is None else terminal,
        text=True,
    )


def check(path: Path) -> None:
    """The session is closed, one plain file, and holds every event."""
    assert list(path.parent.iterdir()) == [path]
    with SessionFile.open(path) as file:
        assert file.is_closed()
        live = list(file.updates(1))
        again: list[Update] = list(updates(file.items(), SessionSettings(file.rig, Side.RIGHT, Plan()), MODEL.model))
    assert sum(isinstance(update, Event) for update in live) >= 10
    assert [update for update in live if isinstance(update, Event)] == [
        update for update in again if isinstance(update, Event)
    ]


@pytest.mark.parametrize(
    ("first", "more"), [(signal.SIGINT, [signal.SIGINT, signal.SIGINT]), (signal.SIGTERM, [signal.SIGINT])]
)
def test_a_signal_ends_a_session_and_loses_nothing(
    tmp_path: Path, first: signal.Signals, more: list[signal.Signals]
) -> None:
    path = tmp_path / "a.rehab"
    child = start(path)
    assert child.stdout is not None
    assert child.stdout.readline() == "counting\n"
    child.send_signal(first)
    assert child.stdout.readline() == "ending\n"
    for number in more:
        child.send_signal(number)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    assert out.endswith("ended\n")
    check(path)


def test_a_closed_terminal_ends_a_session_and_loses_nothing(tmp_path: Path) -> None:
    """Writing to the closed terminal fails, before or after the signal."""
    path = tmp_path / "a.rehab"
    ours, theirs = os.openpty()
    child = start(path, theirs)
    os.close(theirs)
    drain = threading.Thread(target=_drain, args=(ours, stop := threading.Event()))
    drain.start()
    assert child.stdout is not None
    assert child.stdout.readline() == "counting\n"
    stop.set()
    drain.join()
    os.close(ours)
    child.send_signal(signal.SIGHUP)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    assert out.endswith("ended\n")
    check(path)


def _drain(terminal: int, stop: threading.Event) -> None:
    while not stop.is_set():
        if select.select([terminal], [], [], 0.05)[0]:
            os.read(terminal, 65536)


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    """As under nohup, or Ctrl+C in a shell's background."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with asked_to_end() as asked:
            signal.raise_signal(signal.SIGTERM)
            assert asked.times == 0
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_signal_may_come_while_its_event_is_being_asked_for() -> None:
    """Python runs its handler between any two steps of the main thread, which may hold the event's own lock."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with asked_to_end() as asked:
            with asked.event._cond:  # type: ignore[attr-defined]
                signal.raise_signal(signal.SIGINT)
                signal.raise_signal(signal.SIGINT)
                assert asked.times == 2
            assert asked.event.wait(20)
    finally:
        signal.signal(signal.SIGINT, before)
    assert signal.getsignal(signal.SIGINT) == before

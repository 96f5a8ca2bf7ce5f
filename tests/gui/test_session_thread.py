"""Between session and screen: nothing waits, nothing is lost, the end comes once."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from rehabcount.domain.update import Late, Mark
from rehabcount.errors import ArtifactError, RehabcountError, StoreFull
from rehabcount.gui import opening
from rehabcount.gui.desk import Desk
from rehabcount.gui.session_thread import KEPT_BLOCKS, OnFrames, OnUpdate, SessionThread
from tests.gui.fake_session import SPEC, FakeSession, frames_at

PATH = Path("a.rehab")


class Made:
    """A thread and the fake session in it."""

    def __init__(self, session_type: type[FakeSession] = FakeSession) -> None:
        self.session: FakeSession | None = None

        def open_session(on_update: OnUpdate, on_frames: OnFrames) -> FakeSession:
            self.session = session_type(PATH, on_update, on_frames)
            return self.session

        self.thread = SessionThread(open_session)


def test_from_opening_to_the_end(qtbot: QtBot) -> None:
    made = Made()
    with qtbot.waitSignal(made.thread.opened):
        made.thread.start()
    assert made.session is not None
    made.thread.say(Mark(1.0))
    with qtbot.waitSignal(made.thread.ended) as ended:
        made.thread.end()
    assert ended.args == [PATH]
    assert made.session.said == [Mark(1.0)]
    assert not made.session.running
    assert made.thread.join(1.0)
    assert made.thread.take()[0] == [Mark(0.0)]
    assert made.thread.take() == ([], [])


def test_words_of_all_threads_arrive_in_order(qtbot: QtBot) -> None:
    made = Made()
    with qtbot.waitSignal(made.thread.opened):
        made.thread.start()
    assert made.session is not None
    session, taken = made.session, []

    def talk() -> None:
        for number in range(2000):
            session.hear(Late(float(number)))

    talker = threading.Thread(target=talk)
    talker.start()
    while talker.is_alive():
        taken += made.thread.take()[0]
    taken += made.thread.take()[0]
    assert [update.behind_s for update in taken if isinstance(update, Late)] == [float(n) for n in range(2000)]
    made.thread.end()
    assert made.thread.join(2.0)


def test_a_hidden_screen_does_not_pile_up_frames(qtbot: QtBot) -> None:
    made = Made()
    with qtbot.waitSignal(made.thread.opened):
        made.thread.start()
    assert made.session is not None
    for number in range(KEPT_BLOCKS + 50):
        made.session.see(frames_at(number / 10 + np.arange(10) / 100))
    assert len(made.thread.take()[1]) == KEPT_BLOCKS
    made.thread.end()
    assert made.thread.join(2.0)


def test_the_screen_does_not_wait_for_a_slow_session(qtbot: QtBot) -> None:
    class Slow(FakeSession):
        def say(self, words: object) -> None:
            time.sleep(0.4)

        def end(self, patience_s: float = 0.0) -> None:
            time.sleep(0.4)

    made = Made(Slow)
    with qtbot.waitSignal(made.thread.opened):
        made.thread.start()
    begun = time.monotonic()
    made.thread.say(Mark(1.0))
    made.thread.end()
    made.thread.take()
    assert time.monotonic() - begun < 0.1
    with qtbot.waitSignal(made.thread.ended):
        pass


@pytest.mark.parametrize(
    ("problem", "words"),
    [(StoreFull("The disk is full.", advice="Free some."), "The disk is full."), (ZeroDivisionError("oh"), "stopped")],
)
def test_what_goes_wrong_is_told(qtbot: QtBot, problem: Exception, words: str) -> None:
    class Failing(FakeSession):
        def end(self, patience_s: float = 0.0) -> None:
            raise problem

    made = Made(Failing)
    made.thread.start()
    with qtbot.waitSignal(made.thread.failed) as failed:
        made.thread.end()
    told = failed.args[0]
    assert isinstance(told, RehabcountError)
    assert words in str(told)
    assert told.advice
    assert made.thread.join(2.0)


def test_how_long_it_has_been_silent(qtbot: QtBot) -> None:
    made = Made()
    assert made.thread.silent_for_s() == 0.0  # before there was anything, nothing is missing
    with qtbot.waitSignal(made.thread.opened):
        made.thread.start()
    assert made.session is not None
    made.session.hear(Late(0.0))
    time.sleep(0.15)
    assert 0.1 < made.thread.silent_for_s() < 5.0
    made.thread.end()
    assert made.thread.join(2.0)


def test_a_session_that_fails_lets_its_sensors_go(qtbot: QtBot) -> None:
    class Failing(FakeSession):
        let_go = 0

        def start(self) -> None:
            raise StoreFull("The disk is full.", advice="Free some.")

        def end(self, patience_s: float = 0.0) -> None:
            self.let_go += 1
            raise RuntimeError("never started")

    made = Made(Failing)
    with qtbot.waitSignal(made.thread.failed) as failed:
        made.thread.start()
    assert str(failed.args[0]) == "The disk is full."
    assert isinstance(made.session, Failing)
    assert made.session.let_go == 1
    assert made.thread.join(2.0)


def test_words_after_the_record_is_closed_do_no_harm(qtbot: QtBot) -> None:
    class Over(FakeSession):
        def say(self, words: object) -> None:
            raise ValueError("the recorder of a.rehab is closed")

    made = Made(Over)
    with qtbot.waitSignal(made.thread.opened):
        made.thread.start()
    made.thread.say(Mark(1.0))
    with qtbot.waitSignal(made.thread.ended):
        made.thread.end()


def test_a_model_that_does_not_open_lets_the_sensors_go(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise ArtifactError("It is damaged.", advice="Choose another.")

    closed: list[bool] = []

    class Prepared:
        def close(self) -> None:
            closed.append(True)

    monkeypatch.setattr(Desk, "artifact", lambda _: SimpleNamespace(folder=PATH, sha256=""))
    monkeypatch.setattr(opening, "open_model", refuse)
    spec = replace(SPEC, source=Prepared())  # type: ignore[arg-type]
    with pytest.raises(ArtifactError):
        opening.opener_of(desk, spec, PATH)(lambda _: None, lambda _: None)
    assert closed == [True]

"""A live session with real threads: with any timing its replay gives the same updates, byte for byte."""

from __future__ import annotations

import io
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from rich.console import Console

from rehabcount.bedside.config import Settings
from rehabcount.bedside.counting import count_file
from rehabcount.bedside.ending import Asked
from rehabcount.bedside.guide import WORDS, guide
from rehabcount.bedside.session import LiveSession, OnFrames, SessionRequest
from rehabcount.bedside.sources import PacedSource
from rehabcount.cli.board import Board
from rehabcount.cli.live_view import show
from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.dose import Dose, Plan, PlannedActivity
from rehabcount.domain.message import Message
from rehabcount.domain.motion import Frames
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import (
    Calibrated,
    CalibrationAsked,
    Event,
    Late,
    LinkState,
    Mark,
    Phase,
    PhaseName,
    Recorded,
    Said,
    SensorHealth,
    Update,
)
from rehabcount.engine.session import SessionSettings, updates
from rehabcount.engine.summarise import facts_of
from rehabcount.errors import RehabcountError, SensorError, StoreFull, StoreUnwritable
from rehabcount.inference.artifact import Opened
from rehabcount.inference.runtime import Model
from rehabcount.sensors.simulated import items_of
from rehabcount.signals.align import AlignSettings
from rehabcount.simulate.cohort import make_cohort
from rehabcount.simulate.recording import simulate_trial
from rehabcount.store import documents
from rehabcount.store.layers import REFERENCE
from rehabcount.store.notes import Counting
from rehabcount.store.packets import PacketRow
from rehabcount.store.recorder import LAST_TRIES_S
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of
from tests.engine.oracle import ReflexModel

WORN = ("right-hand", "right-upper-arm", "c7")
LENGTH_S = 40.0
MODEL = Opened(cast(Model, ReflexModel()), "ab" * 32)
PLAN = Plan((PlannedActivity("drinking", 3),))


@pytest.fixture(scope="module")
def session() -> tuple[Rig, list[Recorded]]:
    patient = next(each for each in make_cohort(0) if each.group == "test" and each.side is Side.RIGHT)
    recording = simulate_trial(patient, "drinking", 1)
    rig = Rig("three", tuple(sensor for sensor in recording.rig.sensors if sensor.name in WORN))
    items = [item for item in items_of(recording) if isinstance(item, Said) or item.sensor in WORN]
    first_ns = items[0].received_ns
    return rig, [item for item in items if item.received_ns - first_ns < LENGTH_S * 1e9]


def live(
    path: Path,
    rig: Rig,
    items: Sequence[Recorded],
    speed: float | None,
    hear: list[Update],
    on_frames: OnFrames | None = None,
) -> LiveSession:
    request = SessionRequest(path, rig, Side.RIGHT, PLAN, MODEL)
    return LiveSession(request, PacedSource(items, speed), on_update=hear.append, on_frames=on_frames)


def replayed(path: Path) -> list[Update]:
    found: list[Update] = []
    again = LiveSession.replay(path, MODEL, None, on_update=found.append)
    again.start()
    assert again.wait(60)
    return found


def without_late(said: Sequence[Update]) -> str:
    return repr([update for update in said if not isinstance(update, Late)])


@pytest.mark.parametrize("seed", [0, 1])
def test_a_replay_says_what_the_session_said(session: tuple[Rig, list[Recorded]], tmp_path: Path, seed: int) -> None:
    """Threads are delayed at random; entries of a therapist and states of links come from further threads."""
    rig, items = session
    rng = np.random.default_rng(seed)
    said: list[Update] = []
    path = tmp_path / "live.rehab"

    def hold_up(frames: Frames) -> None:
        if rng.random() < 0.05:
            time.sleep(float(rng.uniform(0, 0.05)))

    running = live(path, rig, items, 20.0, said, on_frames=hold_up)

    spoken = [PhaseName.PAUSED, PhaseName.COUNTING, PhaseName.ASSISTED, PhaseName.COUNTING]

    def therapist() -> None:
        for number, phase in enumerate(spoken):
            time.sleep(0.2 + 0.15 * number)
            running.enter(phase, "drinking")
            running.mark(f"mark {number} ü")
            running._accept(Said(SensorHealth("c7", LinkState.STREAMING, 0.0, 99.5), running._accepted_ns))

    speaking = threading.Thread(target=therapist)
    running.start()
    speaking.start()
    speaking.join()
    assert running.wait(60)
    assert not running.running
    assert without_late(said) == repr(replayed(path))
    assert len([update for update in said if isinstance(update, Event)]) > 5
    marks = [update for update in said if isinstance(update, Mark)]
    assert [mark.note for mark in marks] == [f"mark {number} ü" for number in range(4)]
    assert marks[0].at_s > 0
    assert isinstance(said[-1], Dose)
    with SessionFile.open(path) as file:
        assert file.is_closed()
        (counting,) = file.countings()
        assert counting.model == MODEL.sha256
        kept = [update for update in said if not isinstance(update, SensorHealth)]
        assert list(file.updates(counting.number)) == kept
        assert side_of(file) is Side.RIGHT
        assert file.document(documents.PLAN) == PLAN
        found = file.calibration()
        assert found is not None
        assert found == next(update for update in said if isinstance(update, Calibrated)).calibration
    document = running.document()
    assert document["dose"]["repetitions"] == said[-1].repetitions
    assert document["session_s"] == pytest.approx(LENGTH_S, abs=0.5)


def test_a_session_that_ended_whole_is_not_counted_anew(session: tuple[Rig, list[Recorded]], tmp_path: Path) -> None:
    rig, items = session
    said: list[Update] = []
    running = live(tmp_path / "live.rehab", rig, items, None, said)
    running.start()
    assert running.wait(60)
    reused, anew = (count_file(running.path, MODEL, Settings(), again=again) for again in (False, True))
    assert reused.reused
    assert "counting 1 " in reused.kept
    assert anew.kept == "the same as counting 1"
    assert anew.events
    assert replace(reused, kept="", wall_s=0.0, reused=False) == replace(anew, kept="", wall_s=0.0)
    align = AlignSettings(lag_s=0.2)
    assert not count_file(running.path, MODEL, replace(Settings(), align=align), keep=False).reused


def test_only_a_session_whose_end_was_read_passes_for_counted(
    session: tuple[Rig, list[Recorded]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig, items = session

    def refuse(file: SessionFile) -> None:
        raise StoreFull("no room")

    with monkeypatch.context() as disk:
        disk.setattr(SessionFile, "close_session", lambda file: refuse(file))
        running = live(tmp_path / "live.rehab", rig, items[:2000], None, [])
        running.start()
        with pytest.raises(StoreFull):
            running.end()
    running.end()
    with SessionFile.open(running.path) as file:
        assert file.document_versions(documents.COUNTED_FROM) == ()


def test_a_session_with_a_calibration_that_it_did_not_use_is_counted_anew(
    session: tuple[Rig, list[Recorded]], tmp_path: Path
) -> None:
    rig, items = session
    own: documents.Documents = {documents.CALIBRATION: Calibration((), 0.0, Verdict.REPEAT)}
    path = tmp_path / "live.rehab"
    request = SessionRequest(path, rig, Side.RIGHT, PLAN, MODEL, documents=own)
    running = LiveSession(request, PacedSource(items[:2000], None), on_update=lambda update: None)
    running.start()
    assert running.wait(60)
    with SessionFile.open(path) as file:
        assert file.document_versions(documents.COUNTED_FROM) == ()


def test_the_file_says_all_about_itself_before_the_first_packet(
    session: tuple[Rig, list[Recorded]], tmp_path: Path
) -> None:
    rig, items = session
    path = tmp_path / "live.rehab"
    found: list[object] = []

    class Looking(PacedSource):
        def start(self, on_item: Callable[[Recorded], None], on_end: Callable[[], None]) -> None:
            with SessionFile.open(path) as file:
                whose, simulated = file.document(documents.PATIENT), file.document(documents.SIMULATION)
                arm, plan = file.document(documents.SIDE), file.document(documents.PLAN)
                model = file.document(documents.MODEL)
                found.extend([whose, simulated, arm, plan, model, file.segments(REFERENCE)])
            super().start(on_item, on_end)

    own: documents.Documents = {documents.PATIENT: documents.Owner("P-1"), documents.SIMULATION: {"name": "a"}}
    reference = (Segment("reach", Side.RIGHT, 1.0, 2.0),)
    request = SessionRequest(path, rig, Side.RIGHT, PLAN, MODEL, documents=own, reference=reference)
    running = LiveSession(request, Looking(items[:200], None), on_update=lambda update: None)
    running.start()
    assert running.wait(60)
    facts = facts_of(MODEL.card, MODEL.sha256)
    assert facts.evidence
    side = documents.TrainedSide(Side.RIGHT)
    assert found == [documents.Owner("P-1"), {"name": "a"}, side, PLAN, facts, reference]


def test_a_stalled_engine_is_late_says_so_and_loses_nothing(
    session: tuple[Rig, list[Recorded]], tmp_path: Path
) -> None:
    rig, items = session
    said: list[Update] = []
    stalled = threading.Event()

    def stall(frames: Frames) -> None:
        if frames.time_s[-1] > 10 and not stalled.is_set():
            stalled.set()
            time.sleep(3.0)

    running = live(tmp_path / "live.rehab", rig, items, 10.0, said, on_frames=stall)
    running.start()
    assert running.wait(60)
    late = [update.behind_s for update in said if isinstance(update, Late)]
    assert max(late) > 20.0  # three seconds at ten times real time, at least the larger part of it
    assert running.document()["latest_s"] == pytest.approx(max(late), abs=0.01)
    assert without_late(said) == repr(replayed(tmp_path / "live.rehab"))


def test_ending_early_settles_what_is_left(session: tuple[Rig, list[Recorded]], tmp_path: Path) -> None:
    rig, items = session
    said: list[Update] = []
    running = live(tmp_path / "live.rehab", rig, items, 30.0, said)
    running.start()
    while running.time_s < 32:
        time.sleep(0.02)
    running.end()
    running.end()  # a second call does nothing
    assert 32 < running.time_s < LENGTH_S
    assert [update.name for update in said if isinstance(update, Phase)][-1] == "ended"
    assert without_late(said) == repr(replayed(tmp_path / "live.rehab"))


def test_listeners_that_fail_do_not_stop_the_count(
    session: tuple[Rig, list[Recorded]], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rig, items = session
    heard: list[Update] = []

    def hear(update: Update) -> None:
        heard.append(update)
        raise ValueError("a broken screen")

    source = PacedSource(items[:2000], None)
    running = LiveSession(SessionRequest(tmp_path / "live.rehab", rig, Side.RIGHT, PLAN, MODEL), source, on_update=hear)
    running.start()
    assert running.wait(60)
    assert len(heard) >= 3
    assert "listener" in caplog.text


def test_an_engine_that_fails_leaves_the_record_whole(session: tuple[Rig, list[Recorded]], tmp_path: Path) -> None:
    rig, items = session

    class Broken(ReflexModel):
        def run(self, feed: object) -> dict[str, np.ndarray]:
            raise RuntimeError("no such luck")

    source = PacedSource(items, None)
    broken = Opened(cast(Model, Broken()), "cd" * 32)
    path = tmp_path / "live.rehab"
    running = LiveSession(SessionRequest(path, rig, Side.RIGHT, PLAN, broken), source, on_update=lambda update: None)
    running.start()
    with pytest.raises(Exception, match="no such luck") as raised:
        running.wait(60)
    assert "rehabcount count" in raised.value.advice  # type: ignore[attr-defined]
    source.close()
    with SessionFile.open(path) as file:
        assert sum(not isinstance(item, Said) for item in file.items()) == sum(
            not isinstance(item, Said) for item in items
        )


def test_a_session_shown_in_the_terminal_is_closed_although_counting_failed(
    session: tuple[Rig, list[Recorded]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig, items = session
    path = tmp_path / "live.rehab"
    running = live(path, rig, items, 1.0, [])

    def fail(keeper: object) -> None:
        raise RuntimeError("no such luck")

    monkeypatch.setattr(running, "_walk", fail)
    running.start()
    with pytest.raises(RehabcountError, match="no such luck"):
        show(running, Board("", rig, Side.RIGHT), Console(file=io.StringIO()))
    with SessionFile.open(path) as file:
        assert file.is_closed()


def test_updates_are_a_countings_although_the_disk_refused_when_it_began(
    session: tuple[Rig, list[Recorded]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig, items = session
    said: list[Update] = []
    begin, refusals = SessionFile.begin_counting, iter([StoreFull("no room")])

    def refused_once(file: SessionFile, model: str) -> Counting:
        for problem in refusals:
            raise problem
        return begin(file, model)

    monkeypatch.setattr(SessionFile, "begin_counting", refused_once)
    monkeypatch.setattr("rehabcount.bedside.session.KEEP_EVERY_S", 0.0)
    running = live(tmp_path / "live.rehab", rig, items[:2000], None, said)
    running.start()
    assert running.wait(60)
    with SessionFile.open(running.path) as file:
        assert list(file.updates(None)) == []
        assert list(file.updates(1)) == said


@pytest.mark.parametrize("failing", ["begin_counting", "accept"])
@pytest.mark.parametrize("committed", [True, False])
def test_updates_are_written_once_although_a_commit_failed_in_its_last_step(
    session: tuple[Rig, list[Recorded]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    failing: str,
    committed: bool,
) -> None:
    rig, items = session
    said: list[Update] = []
    write, refusals = getattr(SessionFile, failing), iter([StoreFull("no room")])

    def refused_late(file: SessionFile, *what: object) -> object:
        for problem in refusals:
            if committed:
                write(file, *what)
                file.counting = None if failing == "begin_counting" else file.counting
            raise problem
        return write(file, *what)

    monkeypatch.setattr(SessionFile, failing, refused_late)
    monkeypatch.setattr("rehabcount.bedside.session.KEEP_EVERY_S", 0.0)
    running = live(tmp_path / "live.rehab", rig, items[:2000], None, said)
    running.start()
    assert running.wait(60)
    assert next(refusals, None) is None
    with SessionFile.open(running.path) as file:
        assert [counting.number for counting in file.countings()] == [1]
        assert list(file.updates(1)) == said


def test_what_the_disk_refused_at_the_end_is_written_when_the_end_is_asked_for_again(
    session: tuple[Rig, list[Recorded]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig, items = session
    write, full = SessionFile.append_rows, threading.Event()

    def written(file: SessionFile, rows: Sequence[PacketRow]) -> int:
        if full.is_set():
            raise StoreFull("no room")
        return write(file, rows)

    monkeypatch.setattr(SessionFile, "append_rows", written)
    full.set()
    running = live(tmp_path / "live.rehab", rig, items[:200], None, [])
    running.start()
    with pytest.raises(StoreFull):
        running.end()
    troubles = [running.trouble]
    full.clear()
    running.end()
    troubles.append(running.trouble)
    assert isinstance(troubles[0], StoreFull)
    assert troubles[1] is None
    with SessionFile.open(running.path) as file:
        assert file.is_closed()
        assert len(list(file.items())) == 201  # and the end


def wait_until(condition: Callable[[], object]) -> None:
    deadline_s = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline_s, "waited for a minute"
        time.sleep(0.01)


class WhenSaid(io.StringIO):
    """A terminal that calls `on_words` once, when the words were written."""

    def __init__(self, words: str, on_words: Callable[[], None]) -> None:
        super().__init__()
        self._words, self._on_words, self._acted = words, on_words, False

    def write(self, text: str) -> int:
        written = super().write(text)
        if not self._acted and self._words in self.getvalue():
            self._acted = True
            self._on_words()
        return written


def test_at_the_end_a_full_disk_is_waited_for_and_nothing_is_lost(
    session: tuple[Rig, list[Recorded]], tmp_path: Path, full: threading.Event
) -> None:
    rig, items = session
    said: list[Update] = []
    running, asked = live(tmp_path / "live.rehab", rig, items, None, said), Asked()
    full.set()
    running.start()
    wait_until(lambda: running.unwritten_s > LENGTH_S - 0.1)
    asked.note(signal.SIGINT)
    terminal = WhenSaid("in memory", full.clear)
    show(running, Board("", rig, Side.RIGHT), Console(file=terminal, width=200), asked)
    assert "No room. 40 s are not on the disk" in terminal.getvalue()
    assert [each for each in said if isinstance(each, Event)]
    assert [each for each in said if not isinstance(each, Late)] == replayed(running.path)


def test_giving_up_says_how_much_is_lost(
    session: tuple[Rig, list[Recorded]], tmp_path: Path, full: threading.Event
) -> None:
    rig, items = session
    running, asked = live(tmp_path / "live.rehab", rig, items, None, []), Asked()
    full.set()
    running.start()
    wait_until(lambda: running.unwritten_s > LENGTH_S - 0.1)
    asked.note(signal.SIGINT)
    again = WhenSaid("in memory", lambda: asked.note(signal.SIGINT))
    begun_s = time.monotonic()
    with pytest.raises(StoreFull, match=r"40\.0 s of the recording are not on the disk") as caught:
        show(running, Board("", rig, Side.RIGHT), Console(file=again, width=200), asked)
    assert time.monotonic() - begun_s < LAST_TRIES_S / 2
    assert caught.value.exit_code == 5


def test_a_source_that_does_not_start_leaves_nothing_open(
    session: tuple[Rig, list[Recorded]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise SensorError("no radio")

    monkeypatch.setattr(PacedSource, "start", refuse)
    running = live(tmp_path / "live.rehab", *session, None, [])
    with pytest.raises(SensorError):
        running.start()
    with SessionFile.open(running.path) as file:
        assert file.is_closed()
    assert not any(thread.name == "recorder" for thread in threading.enumerate())


@pytest.fixture(scope="module")
def good(session: tuple[Rig, list[Recorded]]) -> Calibration:
    said = updates(session[1], SessionSettings(session[0], Side.RIGHT), MODEL.model)
    return next(update.calibration for update in said if isinstance(update, Calibrated) and update.used)


def led(
    session: tuple[Rig, list[Recorded]],
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    results: list[Calibration],
    *,
    keep_bad: bool = False,
) -> tuple[list[Update], list[str]]:
    """Updates and printed lines of a session whose calibrations have these results, one by one; after the last one it
    is never calibrated."""
    found = iter(results)

    def calibrated(*_: object) -> Calibration:
        return next(found, Calibration((), 0.0, Verdict.REPEAT, (Message.free("Too little movement."),)))

    monkeypatch.setattr("rehabcount.engine.session.calibration_from_steps", calibrated)
    said: list[Update] = []
    told: list[str] = []
    packets = [item for item in session[1] if not isinstance(item, Said)]
    running = live(path, session[0], packets, 12.0, said)
    running.start()
    guide(running, Side.RIGHT, told.append, lambda seconds: time.sleep(seconds / 200), keep_bad=keep_bad)
    running.end()
    return said, told


def test_a_session_whose_file_cannot_be_made_can_be_ended_all_the_same(
    session: tuple[Rig, list[Recorded]], tmp_path: Path
) -> None:
    folder = tmp_path / "a file"
    folder.write_bytes(b"")
    running = live(folder / "live.rehab", *session, None, [])
    with pytest.raises(StoreUnwritable):
        running.start()
    running.end()
    assert not running.running


def told_by_the_guide(
    session: tuple[Rig, list[Recorded]], path: Path, monkeypatch: pytest.MonkeyPatch, last_s: dict[str, float]
) -> list[str]:
    """The printed lines if these sensors stop sending after so many seconds, until the calibration begins again."""
    first_ns = session[1][0].received_ns
    items = [
        item
        for item in session[1]
        if not isinstance(item, Said) and item.received_ns - first_ns < last_s.get(item.sensor, LENGTH_S) * 1e9
    ]
    failed = Calibration((), 0.0, Verdict.REPEAT)
    monkeypatch.setattr("rehabcount.engine.session.calibration_from_steps", lambda *_: failed)
    running = live(path, session[0], items, 10.0, [])
    told: list[str] = []
    enough = threading.Event()

    def say(words: str) -> None:
        told.append(words)
        if len(told) > 1:
            enough.set()

    running.start()
    leading = threading.Thread(target=guide, args=(running, Side.RIGHT, say, lambda s: time.sleep(s / 20)))
    leading.start()
    enough.wait(20)
    running.end()
    leading.join(20)
    assert not leading.is_alive()
    return told


def test_nothing_is_asked_of_the_patient_while_sensors_are_missing(
    session: tuple[Rig, list[Recorded]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rehabcount.bedside.guide.CONNECTED_S", 8.0)
    told = told_by_the_guide(session, tmp_path / "live.rehab", monkeypatch, {"right-hand": 0.0, "c7": 0.0})
    assert told[0].startswith("Nothing comes from c7, right-hand. Switch on")
    assert told[1].startswith("Calibrating without c7, right-hand")


def test_a_step_fails_in_which_a_sensor_falls_silent(
    session: tuple[Rig, list[Recorded]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = told_by_the_guide(session, tmp_path / "live.rehab", monkeypatch, {"right-hand": 1.5})
    assert told[0].startswith("Sit upright")
    assert told[1].startswith("This step failed: right-hand fell silent.")


def phases(said: list[Update]) -> list[str]:
    return [update.name for update in said if isinstance(update, Phase)]


def test_the_guide_hands_over_when_each_step_was_done(
    session: tuple[Rig, list[Recorded]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, good: Calibration
) -> None:
    said, told = led(session, tmp_path / "live.rehab", monkeypatch, [good])
    assert len(told) == len(WORDS)
    (asked,) = (update for update in said if isinstance(update, CalibrationAsked))
    assert [(step.step, step.side) for step in asked.steps] == [
        ("still", None),
        ("elbow", Side.RIGHT),
        ("forearm", Side.RIGHT),
    ]
    assert all(a.end_s <= b.start_s for a, b in zip(asked.steps, asked.steps[1:], strict=False))
    assert phases(said) == ["calibrating", "counting", "ended"]


def test_counting_begins_only_after_a_calibration_that_succeeded(
    session: tuple[Rig, list[Recorded]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, good: Calibration
) -> None:
    bad = replace(good, verdict=Verdict.REPEAT)
    said, told = led(session, tmp_path / "live.rehab", monkeypatch, [bad, good])
    assert [update.used for update in said if isinstance(update, Calibrated)] == [False, True]
    assert phases(said) == ["calibrating", "counting", "ended"]
    begun = said.index(
        next(update for update in said if isinstance(update, Phase) and update.name == PhaseName.COUNTING)
    )
    assert sum(isinstance(update, Calibrated) for update in said[:begun]) == 2
    assert len(told) == 2 * len(WORDS) + 1  # the last one: it begins again


def test_counting_never_begins_where_no_calibration_succeeds(
    session: tuple[Rig, list[Recorded]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, _ = led(session, tmp_path / "live.rehab", monkeypatch, [], keep_bad=True)  # there is nothing to keep
    assert phases(said) == ["calibrating", "ended"]
    assert not any(isinstance(update, Event) for update in said)


def test_a_bad_calibration_is_used_by_who_asks_for_it_and_a_replay_does_the_same(
    session: tuple[Rig, list[Recorded]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, good: Calibration
) -> None:
    bad = replace(good, verdict=Verdict.REPEAT)
    said, told = led(session, tmp_path / "live.rehab", monkeypatch, [bad], keep_bad=True)
    assert [update.used for update in said if isinstance(update, Calibrated)] == [False, True]
    assert phases(said) == ["calibrating", "counting", "ended"]
    assert "should be repeated" in told[-1]
    monkeypatch.setattr("rehabcount.engine.session.calibration_from_steps", lambda *_: bad)
    assert without_late(replayed(tmp_path / "live.rehab")) == without_late(said)

"""Steps of the exercise in the review: found in a thread, shown, named, kept in the file, undone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt6 import sip
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from rehabcount.bedside import discovering
from rehabcount.bedside.discovering import DiscoverySettings, ExerciseStretch, Wanted
from rehabcount.domain.steps import ExerciseStep, FoundSteps, RecordedSteps, StepSpan
from rehabcount.errors import InputRefused
from rehabcount.gui import review_state, review_steps
from rehabcount.gui.desk import Desk
from rehabcount.gui.language import install
from rehabcount.gui.review import ReviewScreen
from rehabcount.gui.review_state import marked_repetitions
from rehabcount.gui.window import MainWindow
from rehabcount.models.steps_input import Channels, Demonstration
from rehabcount.signals.align import AlignSettings
from rehabcount.store.session_file import SessionFile
from tests.counted import make_counted_session
from tests.gui.test_review import Open, opened, state_of

__all__ = ["opened"]  # a fixture

Progress = Callable[[str, int, int], None]


def read(wanted: Sequence[Wanted], align: AlignSettings, on_file: Callable[[], None]) -> list[ExerciseStretch]:
    (each,) = wanted
    assert each.side is not None
    nothing = Channels(0.0, 10.0, ("x",), np.zeros((20, 1)))
    return [ExerciseStretch(str(span), each.path, each.side, Demonstration(str(span), nothing)) for span in each.spans]


def find(stretches: Sequence[ExerciseStretch], settings: DiscoverySettings, on_progress: Progress) -> FoundSteps:
    """Halves: the first is missing in the first repetition, the second in the last; one is shorter than the others."""
    on_progress("finding", 1, 2)
    recordings = []
    for number, stretch in enumerate(stretches):
        start_s, end_s = (float(text) for text in stretch.name.strip("()").split(","))
        middle_s = (start_s + end_s) / 2
        last = number == len(stretches) - 1
        spans: tuple[StepSpan, ...] = (StepSpan(1, "A", start_s, middle_s), StepSpan(2, "B", middle_s, end_s))
        if last:
            spans = (StepSpan(1, "A", start_s, end_s),)
        if number == 0:  # the names are in the procedure's order all the same
            spans = (StepSpan(2, "B", start_s, end_s),)
        missing = (2,) if last else (1,) if number == 0 else ()
        recordings.append(RecordedSteps(stretch.name, start_s, end_s, spans, missing, 0, 0, 1.0))
    steps = (
        ExerciseStep(1, "A", "step 1", 2.5, len(recordings)),
        ExerciseStep(2, "B", "step 2", 2.5, len(recordings) - 1),
    )
    return FoundSteps(steps, tuple(recordings), (), (), 1.0)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovering, "read_stretches", read)
    monkeypatch.setattr(discovering, "find", find)


def held(screen: ReviewScreen, qtbot: QtBot) -> tuple[str, list[str]]:
    """The layer that holds in the file, and its names."""
    qtbot.waitUntil(lambda: not screen._files.busy)
    with SessionFile.open(screen.path) as session:
        layer, segments = discovering.kept_steps(session)
    return layer, list(dict.fromkeys(each.label for each in segments))


def search(screen: ReviewScreen, qtbot: QtBot) -> None:
    screen.panel.steps.find_button.click()
    qtbot.waitUntil(lambda: not screen.steps.busy)


@pytest.mark.usefixtures("quick")
def test_steps_are_found_shown_named_and_undone(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    card = screen.panel.steps
    assert card.fields == []
    search(screen, qtbot)
    number = len(marked_repetitions(state_of(screen)))
    assert number > 20
    assert len(state_of(screen).steps) == 2 * number - 2
    assert held(screen, qtbot) == ("exercise steps", ["step 1", "step 2"])
    canvas = screen.timeline.canvas()
    assert canvas is not None
    assert [lane.side for lane in canvas.lanes() if lane.kind == "steps"] == [state_of(screen).side]
    assert [field.text() for field in card.fields] == ["step 1", "step 2"]
    assert f"{number} repetitions, 3 of them differ." in card.story.text()
    card.fields[0].setText("reach")
    card.fields[0].editingFinished.emit()
    assert held(screen, qtbot) == ("exercise steps 2", ["reach", "step 2"])
    assert state_of(screen).steps[0].label == "reach"
    assert screen.undo_button.isEnabled()
    screen.undo()
    assert held(screen, qtbot) == ("exercise steps", ["step 1", "step 2"])
    assert [field.text() for field in card.fields] == ["step 1", "step 2"]
    screen.undo()
    assert held(screen, qtbot) == ("", [])
    assert state_of(screen).steps == ()
    assert card.fields == []
    screen.redo()
    screen.redo()
    assert held(screen, qtbot) == ("exercise steps 2", ["reach", "step 2"])
    card.take_back.click()
    assert held(screen, qtbot) == ("", [])


@pytest.mark.usefixtures("quick")
def test_an_edit_of_events_is_undone_before_the_steps(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    search(screen, qtbot)
    labels = [each.segment.label for each in state_of(screen).lane]
    screen.change(lambda state: review_state.step(state, 1))
    screen.relabel("stabilize")
    assert [each.segment.label for each in state_of(screen).lane] != labels
    screen.undo()
    assert [each.segment.label for each in state_of(screen).lane] == labels
    assert state_of(screen).steps
    screen.undo()
    assert not state_of(screen).steps


@pytest.mark.usefixtures("quick")
def test_a_session_that_is_opened_again_shows_its_steps(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    search(screen, qtbot)
    steps = state_of(screen).steps
    qtbot.waitUntil(lambda: not screen._files.busy)
    screen.entered(screen.path)
    qtbot.waitUntil(lambda: screen.state is not None)
    assert state_of(screen).steps == steps
    assert len(screen.panel.steps.fields) == 2


@pytest.mark.usefixtures("quick")
def test_only_repetitions_with_chosen_events_are_taken(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    lane = [each for each in state_of(screen).lane if each.segment.label == "reach"]
    screen.change(lambda state: review_state.choose(state, lane[2].number))
    search(screen, qtbot)
    assert not state_of(screen).steps
    assert "at least two" in screen.panel.steps.words.text()
    screen.change(lambda state: review_state.choose(state, lane[5].number, add=True))
    search(screen, qtbot)
    spans = marked_repetitions(state_of(screen))
    assert len(spans) == 2
    assert {each.start_s for each in state_of(screen).steps} >= {span[0] for span in spans}


def test_a_search_can_be_cancelled(qtbot: QtBot, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), list[str]()

    def slow(stretches: Sequence[ExerciseStretch], settings: DiscoverySettings, on_progress: Progress) -> FoundSteps:
        begun.set()
        go_on.wait(5)
        try:
            on_progress("finding", 1, 9)
        except Exception as stopped:
            ended.append(type(stopped).__name__)
            raise
        return find(stretches, settings, on_progress)

    monkeypatch.setattr(discovering, "read_stretches", read)
    monkeypatch.setattr(discovering, "find", slow)
    screen = opened()
    card = screen.panel.steps
    card.find_button.click()
    qtbot.waitUntil(begun.is_set)
    assert card.bar.isVisibleTo(card)
    assert not card.find_button.isVisibleTo(card)
    card.stop.click()
    go_on.set()
    qtbot.waitUntil(lambda: bool(ended))
    assert ended == ["Stopped"]
    assert card.find_button.isVisibleTo(card)
    assert not state_of(screen).steps
    assert held(screen, qtbot) == ("", [])


def test_why_nothing_was_found_is_said(qtbot: QtBot, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> FoundSteps:
        raise InputRefused("the arm did not move.", advice="Move it.")

    monkeypatch.setattr(discovering, "read_stretches", refuse)
    screen = opened()
    search(screen, qtbot)
    assert "the arm did not move" in screen.banner.text
    assert screen.panel.steps.find_button.isVisibleTo(screen.panel.steps)


@pytest.mark.usefixtures("quick")
def test_the_card_speaks_german(qapp: QApplication, qtbot: QtBot, desk: Desk, opened: Open) -> None:
    install(qapp, "de")
    screen = opened()
    assert screen.panel.steps.find_button.text() == "Schritte finden"
    search(screen, qtbot)
    assert held(screen, qtbot)[1] == ["Schritt 1", "Schritt 2"]
    assert "Schritt 2 fehlt" in screen.panel.steps.story.text()
    assert Path(screen.path).exists()


def told(*recordings: RecordedSteps) -> list[str]:
    steps = tuple(ExerciseStep(n, kind, f"step {n}", 2.0, len(recordings)) for n, kind in ((1, "A"), (2, "B")))
    return review_steps._story(FoundSteps(steps, recordings, (), (), 1.0), 0.0).splitlines()


def recorded(start_s: float, *lengths_s: float, additional: int = 0) -> RecordedSteps:
    """Steps 1 and 2 of these lengths."""
    spans, at_s = [], start_s
    for number, length_s in enumerate(lengths_s, 1):
        spans.append(StepSpan(number, "AB"[number - 1], at_s, at_s + length_s))
        at_s += length_s
    return RecordedSteps(f"at {start_s}", start_s, at_s, tuple(spans), (), additional, 0, 1.0)


@pytest.mark.usefixtures("qapp")
def test_repetitions_with_additional_too_short_and_too_long_steps_differ() -> None:
    even = recorded(0, 2, 2)
    assert told(even, even) == ["2 repetitions, 0 of them differ."]
    head, more, two, short, long = told(
        even,
        recorded(10, 2, 2, additional=1),
        recorded(20, 2, 2, additional=2),
        recorded(30, 2, 1.3),
        recorded(40, 3.1, 2),
    )
    assert head == "5 repetitions, 4 of them differ."
    assert more.endswith("  1 additional step")
    assert two.endswith("  2 additional steps")
    assert short.endswith("  step 2 takes only 1.3 s")
    assert long.endswith("  step 1 takes 3.1 s")


def test_one_that_differs_is_said_in_the_singular(qapp: QApplication) -> None:
    even, odd = recorded(0, 2, 2), recorded(10, 2, 2, additional=1)
    assert told(even, odd)[0] == "2 repetitions, 1 of them differs."
    install(qapp, "de")
    assert told(even, odd)[0] == "2 Wiederholungen, 1 davon weicht ab."
    assert told(odd, odd)[0] == "2 Wiederholungen, 2 davon weichen ab."


@pytest.mark.usefixtures("quick")
def test_a_name_changes_only_itself_in_the_story(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    search(screen, qtbot)
    card = screen.panel.steps
    before = card.story.text()
    for name in ("is", "re"):  # parts of other words of the story
        card.fields[0].setText(name)
        card.fields[0].editingFinished.emit()
    assert card.story.text() == before.replace("step 1", "re")
    assert "step 2 is missing" in card.story.text()
    screen.undo()
    assert "is is missing" in card.story.text()


class Slow:
    """A search that waits until it is told to go on."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.ended: list[str] = []

    def find(self, stretches: Sequence[ExerciseStretch], settings: DiscoverySettings, said: Progress) -> FoundSteps:
        self.begun.set()
        self.go_on.wait(5)
        try:
            return find(stretches, settings, said)
        except Exception as stopped:
            self.ended.append(type(stopped).__name__)
            raise


@pytest.fixture
def slow(quick: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    """The first search is quick, later ones wait."""
    made, searches = Slow(), list[int]()

    def either(stretches: Sequence[ExerciseStretch], settings: DiscoverySettings, said: Progress) -> FoundSteps:
        searches.append(1)
        return (find if len(searches) == 1 else made.find)(stretches, settings, said)

    monkeypatch.setattr(discovering, "find", either)
    yield made
    made.go_on.set()


def test_naming_and_undoing_leave_a_search_its_cancel(qtbot: QtBot, opened: Open, slow: Slow) -> None:
    screen = opened()
    card = screen.panel.steps
    search(screen, qtbot)
    card.fields[0].setText("reach")
    card.fields[0].editingFinished.emit()
    card.find_button.click()
    qtbot.waitUntil(slow.begun.is_set)
    assert [field.isEnabled() for field in card.fields] == [False, False]
    screen.steps.rename(1, "drink")  # as from a field, which is off
    screen.undo()
    assert [field.text() for field in card.fields] == ["step 1", "step 2"]
    assert [field.isEnabled() for field in card.fields] == [False, False]
    assert card.stop.isVisibleTo(card)
    assert card.bar.isVisibleTo(card)
    assert not card.find_button.isVisibleTo(card)
    slow.go_on.set()
    qtbot.waitUntil(lambda: not screen.steps.busy)
    assert [field.isEnabled() for field in card.fields] == [True, True]
    assert not card.stop.isVisibleTo(card)


def test_a_name_that_is_being_typed_is_taken_when_a_search_begins(qtbot: QtBot, opened: Open, slow: Slow) -> None:
    screen = opened()
    card = screen.panel.steps
    search(screen, qtbot)
    other = QWidget()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()  # the review's window is behind another: Qt tells its fields nothing of the focus
    qtbot.waitUntil(lambda: not screen.isActiveWindow())
    card.fields[1].setFocus()
    card.fields[1].setText("drink")
    card.find_button.click()
    qtbot.waitUntil(slow.begun.is_set)
    assert [each.label for each in state_of(screen).steps][-1] == "drink"
    assert screen.focusWidget() is card.stop
    assert card.stop.isVisibleTo(card)


def test_the_focus_goes_to_cancel_and_back(qtbot: QtBot, opened: Open, slow: Slow) -> None:
    screen = opened()
    card = screen.panel.steps
    card.find_button.setFocus()
    search(screen, qtbot)
    assert screen.focusWidget() is card.find_button
    card.find_button.click()
    qtbot.waitUntil(slow.begun.is_set)
    assert screen.focusWidget() is card.stop
    screen.timeline.setFocus()  # who works elsewhere meanwhile is not called away
    slow.go_on.set()
    qtbot.waitUntil(lambda: not screen.steps.busy)
    assert screen.focusWidget() is not card.find_button
    card.take_back.setFocus()
    card.take_back.click()
    assert screen.focusWidget() is card.find_button


@pytest.mark.usefixtures("quick")
def test_the_focus_stays_in_a_field_whose_name_changes(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    card = screen.panel.steps
    search(screen, qtbot)
    card.fields[0].setText("reach")
    card.fields[0].editingFinished.emit()
    card.fields[1].setFocus()
    screen.undo()
    assert screen.focusWidget() is card.fields[1]
    screen.undo()
    assert card.fields == []
    assert screen.focusWidget() is card.find_button


def test_escape_cancels_a_search_and_stays(qtbot: QtBot, desk: Desk, slow: Slow) -> None:
    window = MainWindow(desk)
    qtbot.addWidget(window)
    window.show()
    window.show_screen("review", make_counted_session(desk.settings.sessions / "a.rehab", minutes=4, corrected=False))
    screen = window.screen_called("review")
    assert isinstance(screen, ReviewScreen)
    qtbot.waitUntil(lambda: screen.counts is not None)
    search(screen, qtbot)
    screen.panel.steps.find_button.click()
    qtbot.waitUntil(slow.begun.is_set)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not screen.steps.busy
    assert window.screen_called("review") is screen
    assert screen.isVisible()
    assert screen.panel.steps.words.text() == "Cancelled."
    assert window.focusWidget() is screen.panel.steps.find_button
    slow.go_on.set()
    qtbot.waitUntil(lambda: slow.ended == ["Stopped"])


def three(stretches: Sequence[ExerciseStretch], settings: DiscoverySettings, said: Progress) -> FoundSteps:
    """As `find`, with a third step, of the first half's kind, in the last repetition."""
    found = find(stretches, settings, said)
    last = found.recordings[-1]
    middle_s = (last.start_s + last.end_s) / 2
    spans = (StepSpan(1, "A", last.start_s, middle_s), StepSpan(3, "A", middle_s, last.end_s))
    steps = (*found.steps, ExerciseStep(3, "A", "step 3", 2.0, 1))
    return replace(found, steps=steps, recordings=(*found.recordings[:-1], replace(last, spans=spans)))


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("again", [False, True])
def test_a_second_search_keeps_names_if_there_are_as_many_steps(qtbot: QtBot, opened: Open, again: bool) -> None:
    screen = opened()
    card = screen.panel.steps
    search(screen, qtbot)
    assert "Kept in the session." in card.words.text()
    card.fields[0].setText("reach")
    card.fields[0].editingFinished.emit()
    if again:  # what the file holds is enough
        qtbot.waitUntil(lambda: not screen._files.busy)
        screen.entered(screen.path)
        qtbot.waitUntil(lambda: screen.state is not None)
        assert card.story.text() == ""
    lane = [each for each in state_of(screen).lane if each.segment.label == "reach"]
    for at in (2, 5, 7):
        screen.change(lambda state, number=lane[at].number: review_state.choose(state, number, add=True))
    search(screen, qtbot)
    assert len(marked_repetitions(state_of(screen))) == 3
    assert held(screen, qtbot) == ("exercise steps 3", ["reach", "step 2"])
    assert "names are kept" in card.words.text()
    assert "reach is missing" in card.story.text()


@pytest.mark.usefixtures("quick")
def test_another_number_of_steps_has_new_names_and_says_so(
    qtbot: QtBot, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = opened()
    card = screen.panel.steps
    search(screen, qtbot)
    card.fields[0].setText("reach")
    card.fields[0].editingFinished.emit()
    monkeypatch.setattr(discovering, "find", three)
    search(screen, qtbot)
    assert [field.text() for field in card.fields] == ["step 1", "step 2", "step 3"]
    assert "Undo brings the old ones back" in card.words.text()
    screen.undo()
    assert [field.text() for field in card.fields] == ["reach", "step 2"]
    assert held(screen, qtbot) == ("exercise steps 2", ["reach", "step 2"])


@pytest.mark.usefixtures("quick")
def test_two_steps_of_one_name_keep_it(qtbot: QtBot, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovering, "find", three)
    screen = opened()
    card = screen.panel.steps
    search(screen, qtbot)
    card.fields[2].setText("step 1")
    card.fields[2].editingFinished.emit()
    assert [field.text() for field in card.fields] == ["step 1", "step 2"]
    card.fields[0].setText("rest")
    card.fields[0].editingFinished.emit()
    search(screen, qtbot)
    assert [field.text() for field in card.fields] == ["rest", "step 2"]
    assert "names are kept" in card.words.text()


def test_a_search_ends_without_a_trace_when_its_screen_is_deleted(
    qtbot: QtBot, opened: Open, slow: Slow, caplog: pytest.LogCaptureFixture
) -> None:
    screen = opened()
    search(screen, qtbot)
    screen.panel.steps.find_button.click()
    qtbot.waitUntil(slow.begun.is_set)
    sip.delete(screen.steps)
    slow.go_on.set()
    qtbot.waitUntil(lambda: bool(slow.ended))
    assert slow.ended == ["Stopped"]
    assert caplog.records == []

"""The review through real keys and clicks: corrections on the screen are in the file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6 import sip
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from rehabcount.domain import editing
from rehabcount.domain.corrected import corrected
from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.rig import Side
from rehabcount.domain.update import Adjusted, Event, PhaseName
from rehabcount.engine.summarise import phases_of
from rehabcount.gui import review_file, review_state, wording
from rehabcount.gui.desk import Desk
from rehabcount.gui.review import ReviewScreen
from rehabcount.gui.review_file import read_review, said_about
from rehabcount.gui.review_state import OtherCounting, ReviewState
from rehabcount.gui.timeline_canvas import Canvas
from rehabcount.gui.window import MainWindow
from rehabcount.store.session_file import SessionFile
from tests.counted import make_counted_session

Open = Callable[..., ReviewScreen]


@pytest.fixture
def opened(qtbot: QtBot, desk: Desk) -> Iterator[Open]:
    made: list[ReviewScreen] = []

    def open_(who: str = "AB") -> ReviewScreen:
        path = make_counted_session(desk.settings.sessions / "a.rehab", minutes=4, corrected=False)
        desk.set_who(who)
        screen = ReviewScreen(desk)
        made.append(screen)
        qtbot.addWidget(screen)
        screen.resize(1200, 800)
        screen.show()
        screen.entered(path)
        qtbot.waitUntil(lambda: screen.counts is not None)
        return screen

    yield open_
    for screen in made:
        for each in (screen._files, screen._figures, screen._looks):
            each.forget()
            each.finish()


def state_of(screen: ReviewScreen) -> ReviewState:
    assert screen.state is not None
    return screen.state


def canvas_of(screen: ReviewScreen) -> Canvas:
    canvas = screen.timeline.canvas()
    assert canvas is not None
    return canvas


def kept(screen: ReviewScreen, qtbot: QtBot) -> tuple[Correction, ...]:
    """What the file holds once everything is written."""
    qtbot.waitUntil(lambda: not screen._files.busy)
    with SessionFile.open(screen.path) as session:
        return session.corrections(1)


def check_file_equals_screen(screen: ReviewScreen, qtbot: QtBot) -> None:
    said = kept(screen, qtbot)
    with SessionFile.open(screen.path) as session:
        events = [update for update in session.updates(1) if isinstance(update, Event)]
    assert corrected(events, said) == state_of(screen).editing.standing


def test_by_keyboard_alone(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    line = screen.timeline
    before = state_of(screen).editing.standing
    qtbot.keyClick(line, Qt.Key.Key_Right)
    first = state_of(screen).chosen[0]
    qtbot.keyClick(line, Qt.Key.Key_S)
    assert state_of(screen).editing[first].segment.label == "stabilize"
    qtbot.keyClick(line, Qt.Key.Key_X)
    qtbot.keyClick(line, Qt.Key.Key_M)
    qtbot.keyClick(line, Qt.Key.Key_Right)
    qtbot.keyClick(line, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert len(state_of(screen).chosen) == 2
    qtbot.keyClick(line, Qt.Key.Key_Delete)
    qtbot.keyClick(line, Qt.Key.Key_C)
    qtbot.keyClick(line, Qt.Key.Key_Home)
    qtbot.keyClick(line, Qt.Key.Key_A)
    qtbot.keyClick(line, Qt.Key.Key_Period)
    qtbot.keyClick(line, Qt.Key.Key_BracketLeft)
    check_file_equals_screen(screen, qtbot)
    said = kept(screen, qtbot)
    assert {each.who for each in said} == {"AB"}
    assert [each.note for each in said if each.action is not Action.CONFIRM] == [
        *("change", "split", "split", "merge", "merge", "delete", "delete", "add", "change")
    ]
    for _ in range(8):
        screen.undo()  # Ctrl+Z is a shortcut, and those need a window that is active
    assert [each.segment for each in state_of(screen).editing.standing] == [each.segment for each in before]
    check_file_equals_screen(screen, qtbot)


def test_by_mouse_alone(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    line, state = screen.timeline, state_of(screen)
    event = state.lane[1]
    lane = next(each for each in canvas_of(screen).lanes() if each.kind == "corrected" and each.side is state.side)
    y = int(lane.top + lane.height / 2)
    middle = QPoint(int(canvas_of(screen).x((event.segment.start_s + event.segment.end_s) / 2)), y)
    qtbot.mouseClick(line, Qt.MouseButton.LeftButton, pos=middle)
    assert state_of(screen).chosen == (event.number,)
    qtbot.mouseClick(screen.label_buttons["idle"], Qt.MouseButton.LeftButton)
    assert state_of(screen).editing[event.number].segment.label == "idle"
    end = QPoint(round(canvas_of(screen).x(event.segment.end_s)), y)
    further = end + QPoint(12, 0)
    qtbot.mousePress(line, Qt.MouseButton.LeftButton, pos=end)
    qtbot.mouseMove(line, further)
    qtbot.mouseRelease(line, Qt.MouseButton.LeftButton, pos=further)
    assert state_of(screen).editing[event.number].segment.end_s > event.segment.end_s
    empty_from, empty_to = QPoint(int(canvas_of(screen).x(28.2)), y), QPoint(int(canvas_of(screen).x(29.2)), y)
    qtbot.mousePress(line, Qt.MouseButton.LeftButton, pos=empty_from)
    qtbot.mouseMove(line, empty_to)
    qtbot.mouseRelease(line, Qt.MouseButton.LeftButton, pos=empty_to)
    assert state_of(screen).editing[-1].segment.label == "idle"  # the label used last
    qtbot.mouseClick(screen.undo_button, Qt.MouseButton.LeftButton)
    assert -1 not in state_of(screen).editing
    qtbot.mouseClick(screen.redo_button, Qt.MouseButton.LeftButton)
    assert -1 in state_of(screen).editing
    check_file_equals_screen(screen, qtbot)


def test_it_opens_at_the_start_and_uncounted_time_looks_so(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    state = state_of(screen)
    with SessionFile.open(screen.path) as session:
        phases = phases_of(session.updates(None))
    (begun,) = [phase.at_s for phase in phases if phase.activity == "drinking" and phase.name == PhaseName.COUNTING]
    assert state.cursor_s == begun
    assert state.view_start_s == pytest.approx(begun - 2.0)
    (pause,) = [phase.at_s for phase in phases if phase.name == PhaseName.PAUSED]
    (ended,) = [phase.at_s for phase in phases if phase.name == PhaseName.ENDED]
    left = [(each.start_s, each.end_s) for each in state.uncounted if each.side is Side.LEFT]
    assert [start_s for start_s, _ in left] == [pause, ended]
    assert left[-1][1] == state.length_s
    drawn = []
    for spans in (state.uncounted, ()):  # the pause in sight, faded and labelled, or not
        screen._set(review_state.look(replace(state, uncounted=spans, editing=replace(state.editing)), pause, 8.0))
        drawn.append(screen.timeline.grab().toImage())
    lane = next(each for each in canvas_of(screen).lanes() if each.kind == "corrected" and each.side is Side.LEFT)
    assert drawn[0] != drawn[1]
    spots = [(x, int(lane.top + lane.height - 6)) for x in range(300, 700, 7)]
    light = [sum(image.pixelColor(*spot).lightness() for spot in spots) for image in drawn]
    assert light[0] > light[1] * 1.2


def test_a_correction_in_a_pause_says_that_it_changes_nothing(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    pause = next(each for each in state_of(screen).uncounted if each.side is Side.LEFT)
    event = next(each for each in state_of(screen).lane if pause.start_s < each.segment.start_s)
    screen.change(lambda state: review_state.choose(state, event.number))
    screen.relabel("idle")
    assert "nothing is counted at this time" in screen.banner.text
    assert len(kept(screen, qtbot)) == 1  # it was said all the same
    counting = state_of(screen).lane[1]
    screen.change(lambda state: review_state.choose(state, counting.number))
    screen.relabel("idle")
    assert screen.banner.text == ""


def test_the_next_doubtful_event_is_a_button_and_a_key(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    screen.doubtful_button.click()
    first = state_of(screen).chosen_events
    qtbot.keyClick(screen.timeline, Qt.Key.Key_D)
    second = state_of(screen).chosen_events
    for (event,) in (first, second):
        assert event.confidence < review_state.DOUBTFUL
        assert state_of(screen).counts(event.segment)
    assert first != second
    assert "(D)" in screen.doubtful_button.toolTip()


def test_the_wheel_zooms_about_the_pointer_and_shift_pans(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    line = screen.timeline
    at = QPointF(700.0, 60.0)
    under_s = canvas_of(screen).time(at.x())

    def turn(notches: int, keys: Qt.KeyboardModifier) -> None:
        wheel = QWheelEvent(
            at,
            at,
            QPoint(),
            QPoint(0, 120 * notches),
            Qt.MouseButton.NoButton,
            keys,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(line, wheel)

    before = state_of(screen)
    turn(2, Qt.KeyboardModifier.NoModifier)
    assert state_of(screen).view_s < before.view_s / 2
    assert canvas_of(screen).time(at.x()) == pytest.approx(under_s, abs=0.01)
    start_s = state_of(screen).view_start_s
    turn(-1, Qt.KeyboardModifier.ShiftModifier)
    assert state_of(screen).view_start_s > start_s


def test_playing_runs_at_the_speed_chosen_and_stops_at_the_end(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    screen.speed.setCurrentText("100")
    screen.change(review_state.seek, state_of(screen).length_s - 5)
    qtbot.keyClick(screen.timeline, Qt.Key.Key_Space)
    assert screen.playing
    qtbot.waitUntil(lambda: not screen.playing)
    assert state_of(screen).cursor_s == state_of(screen).length_s
    screen.speed.setCurrentText("nonsense")
    assert screen.speed.value() == 1.0
    qtbot.keyClick(screen.timeline, Qt.Key.Key_L)
    assert screen.speed.value() == 2.0
    assert screen.play_button.text() == "Play"


def test_nothing_is_corrected_before_the_initials_are_entered(qtbot: QtBot, opened: Open, desk: Desk) -> None:
    screen = opened(who="")
    qtbot.keyClick(screen.timeline, Qt.Key.Key_Right)
    qtbot.keyClick(screen.timeline, Qt.Key.Key_T)
    assert "initials" in screen.banner.text
    assert kept(screen, qtbot) == ()
    qtbot.keyClicks(screen.initials, "xy")
    qtbot.keyClick(screen.initials, Qt.Key.Key_Return)
    assert desk.who == "xy"
    qtbot.keyClick(screen.timeline, Qt.Key.Key_O)
    assert [each.who for each in kept(screen, qtbot)] == ["xy"]


def test_a_second_window_is_noticed_and_nothing_is_overwritten(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    with SessionFile.annotate(screen.path) as session:
        session.correct(1, Correction(Action.REMOVE, "CD", 1, 1))
    qtbot.keyClick(screen.timeline, Qt.Key.Key_Right)
    qtbot.keyClick(screen.timeline, Qt.Key.Key_O)
    qtbot.waitUntil(lambda: "another window" in screen.banner.text)
    qtbot.waitUntil(lambda: len(state_of(screen).editing.corrections) == 1)
    assert [each.who for each in kept(screen, qtbot)] == ["CD"]


def test_leaving_waits_for_what_is_being_written_and_stays_if_it_cannot_be(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    qtbot.keyClick(screen.timeline, Qt.Key.Key_Right)
    qtbot.keyClick(screen.timeline, Qt.Key.Key_O)
    assert screen.leaving()
    with SessionFile.open(screen.path) as session:
        assert len(session.corrections(1)) == 1
    qtbot.keyClick(screen.timeline, Qt.Key.Key_T)
    screen._files.finish()
    screen.path.rename(screen.path.with_suffix(".gone"))
    qtbot.keyClick(screen.timeline, Qt.Key.Key_I)
    assert not screen.leaving()
    assert "There is no file" in screen.banner.text
    screen.path.with_suffix(".gone").rename(screen.path)
    assert screen.leaving()


def test_counts_follow_the_corrections_and_the_event_tells_its_story(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    assert screen.counts is not None
    before = screen.counts.corrected.repetitions
    assert screen.counts.automatic == screen.counts.corrected
    transports = [each.number for each in state_of(screen).lane if each.segment.label == "transport"]
    screen.change(lambda state: review_state.choose(state, transports[0]))
    for number in transports[1:]:
        screen.change(lambda state, number=number: review_state.choose(state, number, add=True))
    screen.delete()
    qtbot.waitUntil(lambda: screen.counts is not None and screen.counts.corrected.repetitions == 0)
    assert screen.counts.automatic.repetitions == before > 3
    assert "removed" in screen.panel.agreement.text()
    screen.undo()
    screen.change(lambda state: review_state.choose(state, transports[0]))
    assert screen.panel.story.text().count("AB: ") == 2
    assert [each.action for each in said_about(state_of(screen).editing, transports[0])] == [
        Action.REMOVE,
        Action.RESTORE,
    ]


def test_what_was_counted_by_hand_is_shown_and_can_be_taken_back(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    with SessionFile.annotate(screen.path) as session:
        session.accept(Adjusted(1, 100.0, "drinking", "AB"), Adjusted(1, 110.0, "drinking", "AB"))
    screen.entered(screen.path)
    qtbot.waitUntil(lambda: screen.counts is not None and screen.counts.agreement.by_hand == 2)
    assert screen.counts is not None
    automatic = screen.counts.automatic.repetitions
    assert screen.counts.corrected.repetitions == automatic + 2
    assert "+2" in screen.panel.by_hand.text()
    qtbot.mouseClick(screen.panel.take_back, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: screen.counts is not None and screen.counts.agreement.by_hand == 0)
    assert screen.counts.corrected.repetitions == automatic
    assert screen.panel.take_back.isHidden()
    assert "Undo brings it back" in screen.banner.text
    qtbot.mouseClick(screen.undo_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: screen.counts is not None and screen.counts.agreement.by_hand == 2)
    qtbot.waitUntil(lambda: not screen._files.busy)
    with SessionFile.open(screen.path) as session:
        said = [(update.by, update.at_s) for update in session.updates(None) if isinstance(update, Adjusted)]
    assert said == [(1, 100.0), (1, 110.0), (-1, 100.0), (-1, 110.0), (1, 100.0), (1, 110.0)]


def test_what_the_live_session_was_told_by_hand_is_no_reason_to_refuse_a_correction(qtbot: QtBot, opened: Open) -> None:
    """A live session keeps what was said with its counting; what is taken back later is kept with the session."""
    screen = opened()
    path = make_counted_session(screen.path.with_name("live.rehab"), minutes=4, corrected=False, by_hand=2)
    screen.entered(path)
    qtbot.waitUntil(lambda: screen.counts is not None and screen.counts.agreement.by_hand == 2)
    qtbot.keyClick(screen.timeline, Qt.Key.Key_Right)
    qtbot.keyClick(screen.timeline, Qt.Key.Key_S)
    screen.take_back()
    screen.undo()
    qtbot.keyClick(screen.timeline, Qt.Key.Key_P)
    qtbot.waitUntil(lambda: not screen._files.busy)
    assert screen.saved.text() == "✓ Saved"
    reread = read_review(path)
    assert len(reread.editing.corrections) == 2
    assert sum(each.by for each in reread.by_hand) == 2
    screen._read(reread.counting)
    qtbot.waitUntil(lambda: not screen._files.busy)
    assert state_of(screen).can_undo


def test_steps_can_be_undone_after_the_colours_changed(qtbot: QtBot, desk: Desk) -> None:
    desk.set_who("AB")
    window = MainWindow(desk)
    qtbot.addWidget(window)
    window.show_screen("review", make_counted_session(desk.settings.sessions / "a.rehab", minutes=4, corrected=False))
    screen = window.screen_called("review")
    assert isinstance(screen, ReviewScreen)
    qtbot.waitUntil(lambda: screen.state is not None)
    before = state_of(screen).lane
    screen.change(lambda state: review_state.choose(state, before[0].number))
    screen.delete()
    desk.set_window(theme="dark")
    assert window.screen_called("review") is screen
    screen.undo()
    assert [each.segment for each in state_of(screen).lane] == [each.segment for each in before]
    screen._files.finish()


def test_its_clock_is_that_of_the_session(qtbot: QtBot, opened: Open) -> None:
    """Since Start, as m:ss, on the ruler's zero and in the story of an event alike."""
    screen = opened()
    assert screen.reviewed is not None
    start_s = screen.reviewed.summary.start_s
    assert start_s > 0
    qtbot.keyClick(screen.timeline, Qt.Key.Key_Right)
    (event,) = state_of(screen).chosen_events
    begins = wording.clock(event.segment.start_s - start_s, 2)
    assert screen.panel.details.text().startswith(f"{begins} to ")
    assert "since Start" in screen.panel.details.text()
    assert canvas_of(screen).around.start_s == start_s
    assert wording.clock(82.1, 2) == "1:22.10"
    assert wording.clock(-4.25, 2) == "−0:04.25"
    assert wording.clock(3723.9) == "1:02:03"


def test_through_elan_and_back_nothing_changes(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    qtbot.keyClick(screen.timeline, Qt.Key.Key_Right)
    qtbot.keyClick(screen.timeline, Qt.Key.Key_X)
    screen.export_elan()
    eaf = screen.path.with_suffix(".eaf")
    qtbot.waitUntil(lambda: eaf.exists() and not screen._files.busy)
    before = state_of(screen).editing
    screen.import_elan(eaf)
    assert state_of(screen).editing == before
    assert "0 changes" in screen.banner.text
    eaf.write_text(eaf.read_text().replace("stabilize<", "transport<"))
    screen.import_elan(eaf)
    assert len(state_of(screen).editing.corrections) > len(before.corrections)
    screen.undo()
    assert [each.segment for each in state_of(screen).editing.standing] == [each.segment for each in before.standing]
    own = eaf.read_text()
    eaf.write_text(own.replace('"rehabcount-counting">1 ', '"rehabcount-counting">7 '))
    corrections = state_of(screen).editing.corrections
    screen.import_elan(eaf)
    assert "made for counting 7" in screen.banner.text
    eaf.write_text(own.replace("rehabcount-counting", "old"))
    screen.import_elan(eaf)
    assert "for which session and counting" in screen.banner.text
    assert state_of(screen).editing.corrections == corrections
    assert screen.reviewed is not None
    session = screen.reviewed.labelled.session
    eaf.write_text(own.replace(session, "another"))
    kept = state_of(screen).editing
    screen.import_elan(eaf)
    assert "another session" in screen.banner.text
    eaf.write_text(own.replace(session, ""))
    screen.import_elan(eaf)
    assert "Are they of this one?" in screen.banner.text
    assert state_of(screen).editing == kept
    screen.banner.buttons[0].click()
    assert "taken from ELAN" in screen.banner.text
    assert len(state_of(screen).editing.corrections) > len(kept.corrections)
    eaf.write_text("nonsense")
    screen.import_elan(eaf)
    assert "not valid XML" in screen.banner.text


def test_another_count_stands_beside_it(qtbot: QtBot, opened: Open, desk: Desk) -> None:
    screen = opened()
    with SessionFile.annotate(screen.path) as session:
        session.correct(1, Correction(Action.CONFIRM, "CD", 1, 1))
        session.begin_counting("ab" * 32)
        session.accept(*(event for event in state_of(screen).editing.events if event.number % 2))
    screen.entered(screen.path)
    qtbot.waitUntil(lambda: screen.reviewed is not None and len(screen.reviewed.countings) == 2)
    screen.compare.setCurrentIndex(screen.compare.findData(2))
    screen.compare.activated.emit(screen.compare.currentIndex())
    qtbot.waitUntil(lambda: screen.counts is not None and screen.counts.compared is not None)
    assert len(state_of(screen).compared) > 10
    assert {lane.kind for lane in canvas_of(screen).lanes()} == {"corrected", "automatic", "compared"}


def test_every_control_has_a_name_and_every_letter_a_key(opened: Open) -> None:
    screen = opened()
    buttons = [button for button in screen.findChildren(QAbstractButton) if button.isVisibleTo(screen)]
    assert buttons
    assert all(button.accessibleName() or button.text() for button in buttons)
    for field in (*screen.findChildren(QComboBox), screen.initials):
        assert field.accessibleName()
    assert screen.findChildren(QLineEdit)
    hints = screen.keys()
    assert len({hint.keys for hint in hints}) == len(hints)
    assert set("IRPSTO") <= set(screen.timeline.keys)


def test_a_file_that_cannot_be_read_is_said(qtbot: QtBot, desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "x.rehab").write_bytes(b"not a session")
    screen = ReviewScreen(desk)
    qtbot.addWidget(screen)
    screen.show()
    screen.entered(tmp_path / "x.rehab")
    qtbot.waitUntil(lambda: "not a session file" in screen.banner.text)
    qtbot.keyClick(screen.timeline, Qt.Key.Key_Delete)
    assert screen.state is None


def test_a_window_may_be_closed_while_the_session_is_still_read(desk: Desk, qtbot: QtBot) -> None:
    path = make_counted_session(desk.settings.sessions / "a.rehab", minutes=12)
    for wait_ms in (0, 5, 40):
        screen = ReviewScreen(desk)
        screen.show()
        screen.entered(path)
        qtbot.wait(wait_ms)
        workers = [each.worker for each in (screen._files, screen._figures, screen._looks)]
        sip.delete(screen)
        qtbot.wait(10)
    assert all(isinstance(worker.done, int) for worker in workers)


def test_a_second_click_takes_nothing_back_twice(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    with SessionFile.annotate(screen.path) as session:
        session.accept(Adjusted(1, 100.0, "drinking", "AB"))
    screen.entered(screen.path)
    qtbot.waitUntil(lambda: screen.counts is not None and screen.counts.agreement.by_hand == 1)
    screen.take_back()
    screen.take_back()
    qtbot.waitUntil(lambda: not screen._files.busy)
    with SessionFile.open(screen.path) as session:
        assert [update.by for update in session.updates(None) if isinstance(update, Adjusted)] == [1, -1]


def test_a_recount_holds_up_neither_corrections_nor_the_next_recount(
    qtbot: QtBot, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen, go_on, begun = opened(), threading.Event(), []

    def recount(*_: object) -> OtherCounting:
        begun.append(True)
        assert go_on.wait(10)
        return OtherCounting((), None)

    monkeypatch.setattr(review_file, "recount", recount)
    screen.compare.addItem("another", object())
    screen.compare.setCurrentIndex(screen.compare.count() - 1)
    screen._compare()
    qtbot.waitUntil(lambda: bool(begun))
    qtbot.keyClick(screen.timeline, Qt.Key.Key_Right)
    qtbot.keyClick(screen.timeline, Qt.Key.Key_Delete)
    assert [each.action for each in kept(screen, qtbot)] == [Action.REMOVE]
    assert screen.leaving()
    screen.entered(screen.path)
    go_on.set()
    qtbot.waitUntil(lambda: screen.state is not None)
    screen.compare.addItem("another", object())
    screen.compare.setCurrentIndex(screen.compare.count() - 1)
    screen._compare()
    qtbot.waitUntil(lambda: len(begun) == 2)
    screen._recounts.finish()


def test_a_border_that_cannot_go_there_is_said(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("an event must last longer")

    screen = opened()
    monkeypatch.setattr(editing, "move_edge", refuse)
    screen.timeline.edge_asked.emit(1, "end", 1.0)
    assert "no room" in screen.banner.text


def test_it_says_that_a_correction_is_saved_and_shows_the_way_back(qtbot: QtBot, opened: Open) -> None:
    screen = opened()
    assert screen.saved.text() == ""
    qtbot.keyClick(screen.timeline, Qt.Key.Key_Right)
    screen.confirm()
    assert screen.saved.text() == ""  # not before it is
    qtbot.waitUntil(lambda: screen.saved.text() == "✓ Saved")
    assert len(kept(screen, qtbot)) == 1
    (back,) = [each for each in screen.findChildren(QAbstractButton) if each.text() == "Back" and each.isVisible()]
    with qtbot.waitSignal(screen.back):
        back.click()

"""The live screen with a fake session: what it shows, what each key and button does, what it must never do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QAbstractButton, QApplication, QLabel
from pytestqt.qtbot import QtBot

from rehabcount.bedside.screen_state import ASSISTED, COUNTING, ENDED, PAUSED, READY, ScreenState
from rehabcount.domain.limits import CATCH_UP_S
from rehabcount.domain.message import Message
from rehabcount.domain.patient import Patient
from rehabcount.domain.rig import Side
from rehabcount.domain.update import Adjusted, Doubt, Late, LinkState, Lost, Mark, Phase, SensorHealth, SensorSet
from rehabcount.engine.plausible import FELT, TILTED
from rehabcount.errors import ArtifactMissing, StoreFull
from rehabcount.gui import language, theme
from rehabcount.gui.desk import Desk
from rehabcount.gui.health import what_is_wrong
from rehabcount.gui.live import LiveScreen
from rehabcount.gui.wording import clock
from tests.gui.fake_session import SPEC, FakeSession, Stage, dose_of, frames_at, story


class Theatre:
    """A live screen with its fake session."""

    def __init__(self, qtbot: QtBot, desk: Desk) -> None:
        self.stage = Stage()
        self.screen = LiveScreen(desk)
        self.screen.make_opener = self.stage.make_opener
        self.went: list[tuple[str, object]] = []
        self.screen.go.connect(lambda name, argument: self.went.append((name, argument)))
        qtbot.addWidget(self.screen)
        self.screen.resize(1280, 680)
        self.screen.show()
        self.screen.entered(SPEC)
        qtbot.waitUntil(lambda: self.screen._ready)
        self.screen._timer.stop()  # the test says when time passes

    @property
    def session(self) -> FakeSession:
        assert self.stage.session is not None
        return self.stage.session

    @property
    def shown(self) -> int:
        return self.screen.headline.number

    def tick(self) -> None:
        self.screen.tick()

    def press(
        self, qtbot: QtBot, key: Qt.Key | str, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        if isinstance(key, str):
            qtbot.keyClicks(self.screen, key)
        else:
            qtbot.keyClick(self.screen, key, modifier)


@pytest.fixture
def theatre(qtbot: QtBot, desk: Desk) -> Iterator[Theatre]:
    made = Theatre(qtbot, desk)
    made.screen.activateWindow()
    yield made
    assert made.screen.thread_ is not None
    made.screen._timer.stop()
    made.screen.thread_.end()
    assert made.screen.thread_.join(5.0)
    made.screen._close_patient_view()


@pytest.fixture
def counting(theatre: Theatre, qtbot: QtBot) -> Theatre:
    theatre.screen.toggle_pause()
    for update in story(40.0):
        theatre.session.hear(update)
    theatre.session.run_to(40.0)

    def heard_all() -> bool:  # the frames pass through a thread of their own, which a busy machine may hold up
        theatre.tick()
        return theatre.screen.state is not None and theatre.screen.state.now_s > 39.5

    qtbot.waitUntil(heard_all)
    return theatre


def test_it_waits_for_the_start(theatre: Theatre) -> None:
    assert theatre.screen.state is not None
    assert theatre.screen.state.phase == READY
    assert theatre.screen.pill.text == "Ready"
    assert theatre.screen.main_button.text() == "Start"
    assert not theatre.screen.plus_button.isEnabled()


def test_a_simulated_session_cannot_be_said_to_be_a_patients(theatre: Theatre) -> None:
    assert theatre.screen.spec is not None
    assert theatre.screen.spec.simulated
    assert theatre.screen.wrong_patient.isHidden()


def test_what_is_done_of_the_plan_is_said_once(theatre: Theatre) -> None:
    assert theatre.screen.activity.value("all") == "0 of 30 planned"


def test_it_shows_what_the_session_says(counting: Theatre) -> None:
    state = counting.screen.state
    assert state is not None
    assert counting.shown == state.repetitions > 5
    assert counting.screen.headline.accessibleName() == f"{counting.shown} of 20 repetitions"
    assert counting.screen.primitives.value("reach") == str(state.primitive("reach")[0])
    assert counting.screen.primitives.value("idle") == clock(state.primitive("idle")[1])
    assert counting.screen.pill.text == "Counting"
    assert counting.screen.activity.rows["Drinking"].accessibleName() == f"Drinking: {counting.shown} of 20"
    pace = f"{state.repetitions / state.counted_s * 60:.1f} per min in {clock(state.counted_s)}"
    assert counting.screen.activity.value("pace") == pace  # with what it is divided by
    assert "last movement" in counting.screen.ribbon.accessibleDescription()


def test_every_key(counting: Theatre, qtbot: QtBot) -> None:
    before = counting.shown
    said = counting.session.said
    for key, modifier, expected in (
        ("+", None, Adjusted(1, 0.0, "Drinking", "")),
        ("=", None, Adjusted(1, 0.0, "Drinking", "")),
        ("-", None, Adjusted(-1, 0.0, "Drinking", "")),
        ("a", None, Phase(ASSISTED, 0.0, "Drinking")),
        ("a", None, Phase(COUNTING, 0.0, "Drinking")),
        ("m", None, Mark(0.0)),
        ("n", None, Phase(COUNTING, 0.0, "Shelf")),
        (Qt.Key.Key_Space, None, Phase(PAUSED, 0.0, "Shelf")),
        (Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier, Phase(COUNTING, 0.0, "Shelf")),
    ):
        heard = len(said)
        counting.press(qtbot, key, modifier or Qt.KeyboardModifier.NoModifier)
        deadline = time.monotonic() + 5.0
        while len(said) == heard and time.monotonic() < deadline:
            qtbot.wait(5)
        assert replace(said[-1], at_s=0.0) == expected
    counting.tick()
    assert counting.screen.state is not None
    assert (counting.shown, counting.screen.state.repetitions) == (0, before + 1)  # of Shelf, and in all
    assert counting.screen.state.unheard == ()


def test_every_button(counting: Theatre, qtbot: QtBot) -> None:
    screen, before = counting.screen, counting.shown

    def activity() -> str:
        assert screen.state is not None
        return screen.state.activity

    def click(button: QAbstractButton) -> None:
        assert button.isEnabled()
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    click(screen.plus_button)
    assert counting.shown == before + 1
    click(screen.minus_button)
    click(screen.minus_button)
    assert counting.shown == before - 1
    click(screen.undo_button)
    assert counting.shown == before
    click(screen.assist_button)
    assert screen.pill.text == "Assisted: counted apart"
    click(screen.assist_button)
    click(screen.mark_button)
    click(screen.next_button)
    assert activity() == "Shelf"
    click(screen.activity.rows["Drinking"])
    assert activity() == "Drinking"
    click(screen.main_button)
    assert screen.pill.text == "Paused: nothing is counted"
    assert screen.main_button.text() == "Go on"
    click(screen.signals_button)
    assert screen.signals.isVisible()
    click(screen.patient_button)
    assert screen.patient_view is not None


def test_space_pauses_after_any_click(counting: Theatre, qtbot: QtBot) -> None:
    before = counting.shown
    qtbot.mouseClick(counting.screen.plus_button, Qt.MouseButton.LeftButton)
    assert not counting.screen.plus_button.hasFocus()
    counting.press(qtbot, Qt.Key.Key_Space)
    assert counting.shown == before + 1
    assert counting.screen.state is not None
    assert counting.screen.state.phase == PAUSED


def test_enter_presses_the_button_in_focus(counting: Theatre, qtbot: QtBot) -> None:
    before = counting.shown
    counting.screen.plus_button.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(counting.screen.plus_button, Qt.Key.Key_Return)
    assert counting.shown == before + 1


def test_a_silent_session_does_not_look_live(counting: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    assert counting.screen.thread_ is not None

    def looks_live() -> bool:
        return counting.screen.headline.live

    assert looks_live()
    monkeypatch.setattr(counting.screen.thread_, "silent_for_s", lambda: 4.2)
    counting.tick()
    assert not looks_live()
    assert counting.screen.pill.text == "Not live"
    assert "4 seconds" in counting.screen.banner.text
    monkeypatch.undo()
    counting.session.run_to(counting.session.time_s + 0.1)
    counting.tick()
    assert looks_live()
    assert counting.screen.banner.text == ""


def test_the_strip_speaks_only_when_something_is_wrong(counting: Theatre) -> None:
    strip = counting.screen.banner
    assert strip.text == ""
    counting.session.hear(Lost("right-hand", 39.0))
    counting.tick()
    assert "Right hand" in strip.text
    counting.session.hear(SensorSet(Side.RIGHT, ("right-hand",), 39.5))
    counting.tick()
    assert strip.text.startswith("Not counting")
    assert not counting.screen.headline.live


@pytest.mark.parametrize(
    ("update", "words"),
    [
        (Late(7.0), "7 seconds behind"),
        (SensorHealth("hand", LinkState.STREAMING, 1.0, battery_percent=9), "hand 9 %"),
        (SensorHealth("hand", LinkState.STREAMING, 1.0, loss=0.3), "Weak signal: hand"),
    ],
)
def test_bad_news_in_words(counting: Theatre, update: Late | SensorHealth, words: str) -> None:
    after(counting, CATCH_UP_S)
    counting.session.hear(update)
    counting.tick()
    assert words in counting.screen.banner.text


def after(theatre: Theatre, seconds: float) -> None:
    """So long after counting began, on the clock on the wall."""
    theatre.screen._counting_since_s = time.monotonic() - seconds


def test_no_delay_is_shown_before_there_was_time_to_catch_up(counting: Theatre) -> None:
    screen = counting.screen
    counting.session.hear(Late(24.0))
    counting.tick()
    assert screen.banner.text == ""
    assert screen.pill.text == "Catching up …"
    assert not screen.headline.live
    after(counting, CATCH_UP_S)
    counting.tick()
    assert "24 seconds behind" in screen.banner.text
    counting.session.hear(Late(0.0))
    counting.tick()
    assert (screen.banner.text, screen.pill.text, screen.headline.live) == ("", "Counting", True)


def test_every_look_of_the_ribbon_is_in_the_legend(counting: Theatre, qtbot: QtBot) -> None:
    legend = counting.screen.legend
    assert legend.isVisible()
    for words in ("hatched", "other", "line at the bottom", "flag"):
        assert words in legend.accessibleName()
    assert not legend.grab().isNull()
    counting.screen.resize(900, 520)
    qtbot.wait(1)
    assert not legend.isVisible()


def test_leaning_is_flagged(counting: Theatre) -> None:
    counting.session.run_to(42.0)
    counting.tick()
    assert counting.screen.activity.value("trunk").startswith("upright")
    counting.session.run_to(43.0, lean_deg=30.0)
    counting.tick()
    assert counting.screen.activity.value("trunk") == "leaning 30°"


def test_the_patients_number_does_not_fall(counting: Theatre) -> None:
    counting.screen.toggle_patient_view()
    view = counting.screen.patient_view
    assert view is not None
    before = counting.shown
    counting.screen.adjust(-1)
    assert counting.shown == before - 1
    assert view.ring.number == before
    assert (view.what.text(), view.words.text().strip()) == ("Drinking: repetitions", "")
    counting.screen.toggle_pause()
    assert view.words.text() == "A short break"
    counting.screen.next_activity()
    assert (view.what.text(), view.ring.number) == ("Shelf: repetitions", 0)


def test_a_target_that_is_reached_is_said_while_another_is_not(counting: Theatre) -> None:
    screen = counting.screen
    screen.toggle_patient_view()
    assert screen.patient_view is not None
    assert screen.reached.text() == ""
    for _ in range(30 - counting.shown):
        screen.adjust(1)
    assert screen.reached.text() == "✓ Target reached. Next: Shelf"
    assert screen.patient_view.words.text() == "Target reached. Well done!"
    assert screen.activity.rows["Drinking"].accessibleName() == "Drinking: 30 of 20, Target reached"
    assert screen.activity.value("all") == "30, 20 of 30 planned"  # the total alone would look finished
    screen.next_activity()
    assert (counting.shown, screen.headline.accessibleName(), screen.reached.text()) == (0, "0 of 10 repetitions", "")
    assert screen.caption.whole.startswith("Shelf")


@pytest.mark.parametrize(("tongue", "percent"), [("en", 100), ("de", 100), ("de", 150), ("de", 200)])
def test_the_arms_side_is_never_cut(
    counting: Theatre, qtbot: QtBot, qapp: QApplication, tongue: str, percent: int
) -> None:
    """With everything in the row: the button for a wrong patient, the longest word of what it is doing."""
    assert counting.screen.spec is not None
    language.install(qapp, tongue)
    theme.apply(qapp, theme.LIGHT, percent)
    wide = LiveScreen(counting.screen.desk)
    qtbot.addWidget(wide)
    wide.spec, wide.state = counting.screen.spec, ScreenState(SPEC.plan, Side.RIGHT)
    wide._show_evidence()
    wide.pill.say(PAUSED, stale=False, preparing=False)
    wide._show_who("a long code of a patient")
    wide.setMinimumSize(960, 600)  # as in the window
    wide.resize(1024, 660)
    wide.show()
    qtbot.wait(1)
    assert wide.width() == 1024
    assert wide.arm.width() >= wide.arm.sizeHint().width()
    assert wide.patient_button.geometry().right() < wide.width()
    assert wide.pill.accessibleName() == wide.pill.text


def test_news_and_questions_move_no_button(counting: Theatre, qtbot: QtBot) -> None:
    screen = counting.screen

    def places() -> list[object]:
        qtbot.wait(1)
        beside = (screen.sound_button, screen.aside, screen.primitives)
        return [each.mapTo(screen, each.rect().topLeft()) for each in (*screen.buttons, *beside)]

    before = places()
    screen.confirm.ask("End this session?", "End", lambda: None)
    screen.banner.say("Battery low: right hand. " * 3, "warn")
    assert places() == before


def test_at_twice_the_size_in_german_the_question_is_whole_beside_a_warning(
    qtbot: QtBot, desk: Desk, qapp: QApplication
) -> None:
    language.install(qapp, "de")
    theme.apply(qapp, theme.LIGHT, 200)
    theatre = Theatre(qtbot, desk)
    screen = theatre.screen
    screen.setMinimumSize(960, 600)  # as in the window
    screen.resize(1440, 866)
    screen.toggle_pause()
    theatre.session.hear(Doubt("right-hand", FELT, 1.0))
    theatre.tick()
    qtbot.wait(50)
    assert screen.banner.text.endswith("In der nächsten Pause neu kalibrieren.")
    parts = (*screen.buttons, screen.primitives)
    before = [each.mapTo(screen, each.rect().topLeft()) for each in parts]
    screen.ask_end()
    qtbot.wait(50)
    bar = screen.confirm
    assert bar.height() >= bar.heightForWidth(bar.width())
    assert all(bar.rect().contains(each.geometry()) for each in (bar.yes, bar.no))
    assert [each.mapTo(screen, each.rect().topLeft()) for each in parts] == before
    bar.no.click()
    qtbot.wait(1)
    assert screen.banner.height() >= screen.banner.heightForWidth(screen.banner.width())
    assert screen.thread_ is not None
    screen.thread_.end()
    assert screen.thread_.join(5.0)


def test_nothing_is_counted_on_the_screen_while_paused(counting: Theatre) -> None:
    """The engine does not count then; the screen adds nothing of its own."""
    counting.screen.toggle_pause()
    before = counting.shown
    counting.session.run_to(60.0)
    counting.tick()
    assert counting.shown == before


def test_the_end_is_asked_for_and_leads_to_the_summary(counting: Theatre, qtbot: QtBot) -> None:
    assert not counting.screen.leaving()
    assert "End this session?" in counting.screen.confirm.text
    qtbot.mouseClick(counting.screen.confirm.yes, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(counting.went))
    assert counting.went == [("summary", counting.session.path)]
    assert counting.screen.state is not None
    assert counting.screen.state.phase == ENDED
    assert counting.screen.leaving()


def test_a_session_that_ends_by_itself_is_followed(counting: Theatre, qtbot: QtBot) -> None:
    counting.session.running = False
    qtbot.waitUntil(lambda: bool(counting.went))
    assert counting.went[0][0] == "summary"


def test_a_session_that_cannot_begin_says_why(qtbot: QtBot, desk: Desk) -> None:
    screen, stage = LiveScreen(desk), Stage()
    qtbot.addWidget(screen)
    stage.refuse = ArtifactMissing("There is no model to count with.", advice="Choose one under Settings.")
    screen.make_opener = stage.make_opener
    screen.show()
    screen.entered(SPEC)
    qtbot.waitUntil(lambda: "no model" in screen.banner.text)
    assert "Settings" in screen.banner.text
    assert screen.leaving()


def test_accuracy_is_unknown_until_a_card_says_otherwise(counting: Theatre) -> None:
    assert counting.screen.evidence.text() == "Accuracy on patients unknown"
    assert "Counted by stream 1.5." in counting.screen.evidence.toolTip()


def test_a_count_of_little_use_says_so_beside_it(counting: Theatre, desk: Desk, qtbot: QtBot) -> None:
    """Nine sensors on a severely affected arm: 50 errors in 100."""
    desk.library.add_patient(Patient("P-15", Side.RIGHT, 15))
    counting.screen._show_who("P-15")
    counting.screen._show_evidence()
    assert counting.screen.evidence.text() == "Rough sign of activity only"
    assert "about 50 in 100 movements" in counting.screen.evidence.toolTip()


def test_every_control_has_a_name_and_is_reached_by_tab(counting: Theatre) -> None:
    buttons = [button for button in counting.screen.findChildren(QAbstractButton) if button.isVisible()]
    assert len(buttons) >= 14
    for button in buttons:
        assert button.accessibleName() or button.text(), button
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus, button.accessibleName() or button.text()


@pytest.mark.parametrize("made", theme.THEMES.values(), ids=lambda made: made.name)
@pytest.mark.parametrize(("width", "height", "percent"), [(1280, 680, 100), (1280, 680, 200), (1920, 1040, 150)])
def test_nothing_is_clipped(
    qtbot: QtBot, desk: Desk, qapp: QApplication, made: theme.Theme, width: int, height: int, percent: int
) -> None:
    theme.apply(qapp, made, percent)
    theatre = Theatre(qtbot, desk)
    screen = theatre.screen
    screen.resize(width, height)
    screen.toggle_pause()
    theatre.session.hear(dose_of({"reach": (118, 90.0), "idle": (3, 4.0)}, 118))
    theatre.session.hear(Lost("right-hand", 1.0))
    theatre.tick()
    qtbot.wait(1)
    assert screen.minimumSizeHint().width() <= width
    assert screen.minimumSizeHint().height() <= height
    for widget in (screen.headline, *screen.buttons, screen.ribbon, screen.pill, screen.elapsed):
        assert screen.rect().contains(widget.mapTo(screen, widget.rect().bottomRight())), widget.accessibleName()
        assert widget.width() >= widget.minimumSizeHint().width(), widget.accessibleName()
        assert widget.height() >= widget.minimumSizeHint().height(), widget.accessibleName()
    assert screen.thread_ is not None
    screen.thread_.end()
    assert screen.thread_.join(5.0)


def test_signals_take_any_frames(counting: Theatre, qtbot: QtBot) -> None:
    """Signals take blocks of frames with holes, across the end of a sweep, in any size of window."""
    counting.screen.toggle_signals()
    for at_s in (40.0, 49.95, 50.05, 75.0):
        counting.session.see(frames_at(at_s + np.arange(10) / 100))
        counting.tick()
    counting.screen.resize(900, 600)
    qtbot.wait(1)
    assert not counting.screen.signals.grab().isNull()


def test_after_a_failure_nothing_is_counted_that_is_not_kept(counting: Theatre) -> None:
    before = counting.shown
    counting.screen._failed(StoreFull("The disk is full.", advice="Free some."))
    counting.screen.adjust(1)
    assert counting.shown == before
    assert not counting.screen.plus_button.isEnabled()
    assert counting.screen.pill.text == "Not live"


def test_keys_work_from_the_patients_window_too(counting: Theatre, qtbot: QtBot) -> None:
    counting.screen.toggle_patient_view()
    view = counting.screen.patient_view
    assert view is not None
    view.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is view)
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert counting.screen.pill.text == "Paused: nothing is counted"
    qtbot.keyClicks(view, "p")
    assert counting.screen.patient_view is None


def test_the_patient_sees_that_nothing_is_counted(counting: Theatre) -> None:
    counting.screen.toggle_patient_view()
    view = counting.screen.patient_view
    assert view is not None
    looks_live = [view.ring._live]
    counting.session.hear(SensorSet(Side.RIGHT, ("right-hand",), 39.5))
    counting.tick()
    looks_live.append(view.ring._live)
    assert looks_live == [True, False]
    assert view.words.text() == "One moment, please"


def test_a_disk_that_refuses_is_said_and_unsaid(counting: Theatre) -> None:
    counting.session.trouble = StoreFull("no room on the disk.", advice="Make room.")
    counting.tick()
    assert counting.screen.banner.isVisibleTo(counting.screen)
    assert "no room on the disk" in counting.screen.banner.text
    counting.session.unwritten_s = 31.4
    counting.tick()
    assert "31 seconds are not on the disk" in counting.screen.banner.text
    counting.session.trouble = None
    counting.tick()
    assert not counting.screen.banner.isVisibleTo(counting.screen)


def test_settings_that_cannot_be_kept_do_not_end_the_session(
    counting: Theatre, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StoreFull("The disk is full.", advice="Free some.")

    monkeypatch.setattr("rehabcount.gui.desk.save_settings", refuse)
    before = counting.screen.sound_button.isChecked()
    counting.screen.toggle_sound()
    assert counting.screen.sound_button.isChecked() is not before


def test_a_session_that_could_not_be_reassigned_offers_another_try(counting: Theatre, qtbot: QtBot) -> None:
    counting.screen.reassign("P-99")
    qtbot.waitUntil(lambda: "P-99" in counting.screen.confirm.text)
    assert counting.screen.confirm.yes.text() == "Try again"


def test_what_was_written_for_the_session_before_does_not_name_this_one(
    counting: Theatre, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    screen = counting.screen
    monkeypatch.setattr("rehabcount.store.library.Library.assign", lambda *_: time.sleep(0.2))
    screen.reassign("P-99")
    assert screen.thread_ is not None
    screen.thread_.end()
    assert screen.thread_.join(5.0)
    screen.entered(SPEC)
    qtbot.wait(400)
    assert "P-99" not in screen.who.whole


@pytest.mark.parametrize("reason", [FELT, TILTED])
def test_doubts_are_said_in_the_windows_language(qapp: QApplication, reason: Message) -> None:
    language.install(qapp, "de")
    wrong = what_is_wrong(replace(ScreenState(SPEC.plan, SPEC.side), doubts={"hand": reason}), 0, {})
    assert wrong is not None
    assert str(reason) not in wrong.text


def test_that_accuracy_is_unknown_is_said_in_a_narrow_window_too(counting: Theatre, qtbot: QtBot) -> None:
    counting.screen.resize(900, 640)
    qtbot.wait(1)
    counting.tick()
    shown = [each.text() for each in counting.screen.findChildren(QLabel) if each.isVisible()]
    assert any("Accuracy on patients unknown" in text for text in shown)

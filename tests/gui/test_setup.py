"""Set-up: states of places in words, the drawn body, the plan, and the way from sensors to a session."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtCore import QMimeData, QPointF, Qt
from PyQt6.QtGui import QDragEnterEvent, QDropEvent, QFontMetrics
from PyQt6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from rehabcount.bedside.guide_steps import GuideStep
from rehabcount.bedside.preparation import Air, Broken, RigCalibrated, Seen
from rehabcount.bedside.rigging import Choice
from rehabcount.domain.calibration import Calibration, Mounting, Verdict
from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.message import Message
from rehabcount.domain.patient import DEMO, Patient, Severity
from rehabcount.domain.rig import Place, Rig, Sensor, Side
from rehabcount.domain.update import LinkState, SensorHealth
from rehabcount.errors import BluetoothOff, CalibrationError, StoreFull, StoreUnwritable
from rehabcount.gui import language, place_state, setup, theme
from rehabcount.gui.arm_drawing import ArmDrawing
from rehabcount.gui.body_picture import SENSOR_MIME, BodyPicture, spot
from rehabcount.gui.calibration_guide import CalibrationGuide
from rehabcount.gui.card_words import Worth, worth_of
from rehabcount.gui.desk import Desk, SessionSpec
from rehabcount.gui.language import tr
from rehabcount.gui.place_state import ASKED, COMING, DOUBTFUL, EMPTY, GOOD, place_name, state_of
from rehabcount.gui.plan_editor import PlanEditor
from rehabcount.gui.rig_chooser import RIGS, fits, what_it_costs
from rehabcount.gui.setup import CALIBRATION, PLAN, SENSORS, SetupScreen
from rehabcount.gui.window import MainWindow, dress
from rehabcount.inference.artifact import SHIPPED, find
from rehabcount.sensors.families import why_unreadable
from rehabcount.sensors.radio.airspace import UnreadableSensor
from rehabcount.store.library import Library

TINY = Path(__file__).parents[1] / "inference" / "artifacts" / "tiny-1.0"
CHOICE = Choice("three", Side.RIGHT, "dot")
HEALTHY = SensorHealth("A", LinkState.STREAMING, 1.0, 60.0, 0.0, 0.02, 82, -55)


def seen(address: str, place: Place | None, health: SensorHealth | None = HEALTHY) -> Seen:
    return Seen(address, "Movella DOT", place, -55, True, health)


def full_air() -> Air:
    return Air(CHOICE, tuple(seen(f"A{i}", place) for i, place in enumerate(CHOICE.places)), ready=True)


# -- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("health", "kind", "words"),
    [
        (None, COMING, "found"),
        (replace(HEALTHY, state=LinkState.CONNECTING), COMING, "connecting"),
        (replace(HEALTHY, state=LinkState.LOST), DOUBTFUL, "trying again"),
        (HEALTHY, GOOD, "82 % · 60 Hz · strong"),
        (replace(HEALTHY, battery_percent=9), DOUBTFUL, "battery 9 %"),
        (replace(HEALTHY, age_s=4.0), DOUBTFUL, "4 s ago"),
        (replace(HEALTHY, loss=0.2), DOUBTFUL, "20 %"),
        (replace(HEALTHY, signal_dbm=-85), GOOD, "weak"),
    ],
)
def test_a_sensor_says_how_it_is(health: SensorHealth | None, kind: str, words: str) -> None:
    state = place_state.state_of_sensor(seen("A", Place.STERNUM, health))
    assert state.kind == kind
    assert words in state.words


def test_an_empty_and_an_asked_place() -> None:
    assert state_of(Air(CHOICE), Place.RIGHT_HAND).kind == EMPTY
    assert state_of(Air(CHOICE, asking=Place.RIGHT_HAND), Place.RIGHT_HAND).kind == ASKED


@pytest.mark.parametrize("place", list(Place))
def test_every_place_has_words_and_a_spot(place: Place) -> None:
    assert place_name(place) != place_name(place.mirrored) or place is place.mirrored
    assert place_state.where_to_strap(place)
    assert place_state.what_to_lift(place)
    x, y = spot(place)
    assert (1 - x, y) == pytest.approx(spot(place.mirrored)) or place is place.mirrored


def test_what_a_count_is_worth_is_said_in_everyday_words() -> None:
    card = find("stream", [SHIPPED]).card
    assert worth_of(card, "five", Severity.MODERATE) == Worth(
        "About 11 errors in 100 movements, measured on 8 simulated people after stroke."
    )
    assert worth_of(None, "five", Severity.MODERATE) == Worth()
    weak = worth_of(card, "one", Severity.SEVERE)
    assert weak.figure == "Measured on 8 simulated people with a severely affected arm."
    assert weak.warning == (
        "For arms this weak, about 70 in 100 movements are missed or counted wrongly. For 100 movements made it counts "
        "about 45. Read the count as a rough sign of activity only."
    )
    unknown = worth_of(card, "five", None)
    assert "About 11 errors in 100" in unknown.figure
    assert "about 56 with a severely affected one (Fugl-Meyer below 26)" in unknown.figure
    assert "Enter the Fugl-Meyer score" in unknown.warning


@pytest.mark.parametrize(
    ("score", "said", "warned"),
    [
        (15, "severely affected arm", "about 61 in 100"),
        (42, "About 12 errors in 100", ""),
        (None, "about 61 with a severely affected one", "Enter the Fugl-Meyer score"),
    ],
)
def test_the_set_up_promises_what_holds_for_this_patient(
    screen: SetupScreen, desk: Desk, score: int | None, said: str, warned: str
) -> None:
    desk.fix_model("")  # the shipped model, and three sensors
    desk.library.add_patient(Patient("P-15", Side.RIGHT, score))
    screen.entered("P-15")
    assert said in screen.sensors.rigs.cost.text()
    assert warned in screen.sensors.rigs.warning.text()
    assert screen.sensors.rigs.warning.isHidden() is (warned == "")


@pytest.mark.parametrize("kind", RIGS)
def test_every_rig_says_what_it_costs(kind: str) -> None:
    assert len({what_it_costs(each) for each in RIGS}) == len(RIGS)
    assert fits(None, kind, Side.LEFT)


# -- the body ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", RIGS)
@pytest.mark.parametrize("side", list(Side))
def test_tags_of_every_rig_are_inside_and_apart(qtbot: QtBot, kind: str, side: Side) -> None:
    body = BodyPicture()
    qtbot.addWidget(body)
    body.resize(690, 520)
    body.show_air(Air(Choice(kind, side)))
    boxes = [tag.geometry() for tag in body.tags.values()]
    assert len(boxes) == len(Choice(kind, side).places)
    assert all(body.rect().contains(box) for box in boxes)
    assert not any(one.intersects(other) for i, one in enumerate(boxes) for other in boxes[:i])
    assert all(tag.accessibleName() for tag in body.tags.values())
    assert not body.grab().isNull()


def test_a_sensor_dropped_on_a_tag_is_told(qtbot: QtBot) -> None:
    body = BodyPicture()
    qtbot.addWidget(body)
    body.show_air(Air(CHOICE))
    told: list[tuple[str, object]] = []
    body.dropped.connect(lambda address, place: told.append((address, place)))
    data = QMimeData()
    data.setData(SENSOR_MIME, b"D4:22")
    tag, at = body.tags[Place.STERNUM], QPointF(5, 5)
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    tag.dragEnterEvent(QDragEnterEvent(at.toPoint(), Qt.DropAction.MoveAction, data, buttons, keys))
    tag.dropEvent(QDropEvent(at, Qt.DropAction.MoveAction, data, buttons, keys))
    assert told == [("D4:22", Place.STERNUM)]


# -- the plan ---------------------------------------------------------------------------------------------------------


def test_a_plan_comes_back_as_shown(qtbot: QtBot) -> None:
    editor = PlanEditor()
    qtbot.addWidget(editor)
    plan = Plan((PlannedActivity("cards", 30), PlannedActivity("free")))
    editor.show_plan(plan)
    assert editor.plan() == plan
    assert "30" in editor.total.text()
    editor.rows[0].remove.click()
    assert editor.plan() == Plan((PlannedActivity("free"),))


def test_a_new_activity_has_no_target_and_needs_a_name(qtbot: QtBot) -> None:
    editor = PlanEditor()
    qtbot.addWidget(editor)
    editor.show_plan(Plan())
    editor.add.click()
    assert editor.plan() == Plan()
    editor.rows[0].activity.setCurrentText("  pouring   water ")
    assert editor.plan() == Plan((PlannedActivity("pouring water"),))


def test_an_activity_named_twice_counts_once(qtbot: QtBot) -> None:
    editor = PlanEditor()
    qtbot.addWidget(editor)
    editor.show_plan(Plan((PlannedActivity("cards", 30), PlannedActivity("cards", 20))))
    assert editor.plan() == Plan((PlannedActivity("cards", 50),))


# -- the guide --------------------------------------------------------------------------------------------------------


def test_the_guide_goes_through_its_steps_by_itself(qtbot: QtBot) -> None:
    guide = CalibrationGuide()
    qtbot.addWidget(guide)
    guide.show()
    seen_headings: list[str] = []
    guide.number.say("x")
    steps = tuple(GuideStep(name, 0.12) for name in ("ready", "still", "elbow", "forearm"))
    with qtbot.waitSignal(guide.through, timeout=5000):
        guide.begin(steps, simulated=False)
        guide._timer.timeout.connect(lambda: seen_headings.append(guide.heading.text()))
    assert list(dict.fromkeys(seen_headings))[:4] == [
        "Get ready",
        "Hold still",
        "Bend and stretch the elbow",
        "Turn the forearm",
    ]
    assert not guide.running


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_verdict_is_said_with_its_advice(qtbot: QtBot, verdict: Verdict) -> None:
    guide = CalibrationGuide()
    qtbot.addWidget(guide)
    guide.show_result(Calibration((), 0.5, verdict, (Message.free("Hold the hand still."),)))
    assert "Hold the hand still." in guide.advice.text()
    assert guide.heading.text()


# -- the screen -------------------------------------------------------------------------------------------------------


class FakePreparation:
    """Does nothing, and notes it."""

    guide = (GuideStep("ready", 60.0), GuideStep("still", 1.0), GuideStep("elbow", 1.0), GuideStep("forearm", 1.0))

    def __init__(self, settings: object, choice: Choice, on_news: object, *, wake: object = None) -> None:
        self.choice, self.wake, self.said = choice, wake, []  # type: ignore[var-annotated]

    def __getattr__(self, name: str) -> object:
        return lambda *arguments: self.said.append((name, *arguments))


@pytest.fixture
def screen(qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> SetupScreen:
    monkeypatch.setattr(setup, "Preparation", FakePreparation)
    shutil.copytree(TINY, desk.settings.models / "tiny-1.0")  # a model that needs the hand
    desk.fix_model("tiny-1.0")
    desk.set_window(rig="three")
    made = SetupScreen(desk)
    qtbot.addWidget(made)
    made.resize(1180, 690)
    return made


def prepared(screen: SetupScreen) -> FakePreparation:
    made: object = screen._preparation
    assert isinstance(made, FakePreparation)
    return made


RIG = Rig("three", tuple(Sensor(place.value, place, "dot", 60.0, f"A{i}") for i, place in enumerate(CHOICE.places)))


def calibrated(verdict: Verdict) -> RigCalibrated:
    mounting = Mounting("right-hand", Place.RIGHT_HAND, (1.0, 0.0, 0.0, 0.0), 0.0, 0.9, "movement")
    return RigCalibrated(RIG, Calibration((mounting,), 0.9, verdict))


def test_the_demo_goes_from_sensors_to_a_session(screen: SetupScreen) -> None:
    went: list[tuple[str, object]] = []
    screen.go.connect(lambda name, argument: went.append((name, argument)))
    screen.entered(None)
    assert prepared(screen).wake is not None
    screen._hear(None, full_air())
    assert screen.sensors.status.text() == "3 of 3 sensors connected"
    screen.next.click()
    assert screen.pages.currentIndex() == PLAN
    screen.plan.show_plan(Plan((PlannedActivity("cards", 30),)))
    screen.next.click()
    assert screen.pages.currentIndex() == CALIBRATION
    screen.next.click()
    assert ("begin_calibration",) in prepared(screen).said
    assert not screen.next.isEnabled()
    screen._hear(None, calibrated(Verdict.GOOD))
    assert screen.next.text() == "To the session"
    prepared_ = prepared(screen)
    screen.next.click()
    name, spec = went[0]
    assert name == "live"
    assert isinstance(spec, SessionSpec)
    assert ("hand_over", RIG) in prepared_.said
    assert (spec.patient, spec.rig, spec.plan.target) == (DEMO.code, RIG, 30)
    assert spec.calibration is not None
    assert screen._preparation is None


def test_a_bad_calibration_is_repeated_unless_insisted_on(screen: SetupScreen) -> None:
    screen.entered(None)
    screen._hear(None, full_air())
    screen._show_step(CALIBRATION)
    screen._hear(None, calibrated(Verdict.REPEAT))
    assert screen.next.text() == "Repeat"
    screen.next.click()
    assert ("begin_calibration",) in prepared(screen).said
    screen._hear(None, calibrated(Verdict.REPEAT))
    went: list[str] = []
    screen.go.connect(lambda name, _: went.append(name))
    screen.other.click()
    assert went == ["live"]


def test_leaving_the_calibration_stops_it(screen: SetupScreen) -> None:
    screen.entered(None)
    screen._hear(None, full_air())
    screen._show_step(CALIBRATION)
    screen.next.click()
    screen._show_step(SENSORS)
    assert ("stop_calibration",) in prepared(screen).said
    assert not screen.guide.running


def test_nothing_is_calibrated_without_what_the_model_needs(screen: SetupScreen) -> None:
    screen.entered(None)
    screen._hear(None, Air(CHOICE, (seen("A", Place.STERNUM),), ready=True))
    screen._show_step(CALIBRATION)
    assert not screen.next.isEnabled()
    assert screen.sensors_line.text() == "Counting needs a sensor on: hand"


def test_nothing_is_calibrated_without_a_sensor_for_any_model(screen: SetupScreen, desk: Desk) -> None:
    screen.entered(None)
    screen._card = replace(find("stream", [SHIPPED]).card, required_parts=())
    screen._hear(None, Air(CHOICE, ready=True))
    screen._show_step(CALIBRATION)
    assert not screen.next.isEnabled()
    assert "No sensor is connected. Switch the sensors on" in screen.sensors_line.text()
    screen._hear(None, full_air())
    assert screen.next.isEnabled()


def test_a_calibration_that_is_refused_says_why_and_does_not_run(
    screen: SetupScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen.entered(None)
    screen._hear(None, full_air())
    screen._show_step(CALIBRATION)

    def refuse(_: object) -> float:
        raise CalibrationError("No sensor is connected, so there is nothing to calibrate.", advice="Switch them on.")

    monkeypatch.setattr(FakePreparation, "begin_calibration", refuse, raising=False)
    screen.next.click()
    assert "Switch them on." in screen.trouble.text
    assert not screen.guide.running
    assert screen.next.isEnabled()


@pytest.mark.parametrize(("step", "marks"), [("still", "✗○○"), ("elbow", "✓✗○"), ("forearm", "✓✓✗"), ("ready", "○○○")])
def test_the_step_that_lost_a_sensor_is_seen_to_have_failed(screen: SetupScreen, step: str, marks: str) -> None:
    screen.entered(None)
    screen._hear(None, full_air())
    screen._show_step(CALIBRATION)
    screen.next.click()
    screen._hear(None, Broken(step, (Place.RIGHT_HAND, Place.STERNUM)))
    assert screen.guide._begun_s is None
    assert "".join(mark.text() for mark, _ in screen.guide.lines.values()) == marks
    failed = [words.text() for _, words in screen.guide.lines.values() if words.text().endswith(": failed")]
    assert len(failed) == marks.count("✗")
    assert screen.guide.help.text() == "Right hand, Breastbone: nothing came any more."
    assert (screen.next.text(), screen.next.isEnabled()) == ("Begin calibration", True)
    screen.next.click()
    assert screen.guide.heading.text() == "Get ready"
    assert not any("failed" in words.text() for _, words in screen.guide.lines.values())


def test_a_folder_that_cannot_be_written_is_reported_before_the_calibration(
    screen: SetupScreen, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    shut = [True]

    def check(_: object) -> None:
        if shut[0]:
            raise StoreUnwritable("No session can be kept in /data: Read-only file system.", advice="Choose another.")

    monkeypatch.setattr(Library, "check_room", check)
    screen.entered(None)
    screen._hear(None, full_air())
    qtbot.waitUntil(lambda: "No session can be kept" in screen.no_room.text)
    screen._show_step(CALIBRATION)
    assert not screen.next.isEnabled()
    assert screen.sensors_line.text() == "No session can be kept."
    shut[0] = False
    (again,) = [each for each in screen.no_room.findChildren(QPushButton) if each.text() == "Try again"]
    again.click()
    qtbot.waitUntil(lambda: screen.next.isEnabled())
    assert screen.no_room.text == ""


def test_little_room_is_said_and_left_to_the_therapist(
    screen: SetupScreen, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def check(_: object) -> None:
        raise StoreFull("Only 12 MB are free for /data.", advice="Make room.")

    monkeypatch.setattr(Library, "check_room", check)
    screen.entered(None)
    screen._hear(None, full_air())
    qtbot.waitUntil(lambda: "Only 12 MB" in screen.no_room.text)
    screen._show_step(CALIBRATION)
    assert screen.next.isEnabled()


def test_a_missing_model_is_said_before_anything_is_strapped_on(
    screen: SetupScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Desk, "artifact", lambda _: None)
    screen.entered(None)
    assert "no model" in screen.no_model.text
    screen._hear(None, full_air())
    screen._show_step(CALIBRATION)
    assert not screen.next.isEnabled()


def test_an_unknown_patient_is_named_and_nothing_starts(screen: SetupScreen) -> None:
    screen.entered("X-9")
    assert "X-9" in screen.trouble.text
    assert not screen.next.isEnabled()
    assert screen._preparation is None


def test_a_patient_brings_plan_and_side_along_and_the_plan_is_kept(screen: SetupScreen, desk: Desk) -> None:
    desk.library.add_patient(Patient("P-01", Side.LEFT))
    desk.library.keep_plan("P-01", Plan((PlannedActivity("cards", 30),)))
    screen.entered("P-01")
    assert prepared(screen).choice == Choice("three", Side.LEFT)
    assert prepared(screen).wake is None
    assert screen.plan.plan().target == 30
    screen.plan.rows[0].target.setValue(50)
    screen._calibrated = calibrated(Verdict.GOOD)
    screen._show_step(CALIBRATION)
    screen.next.click()
    assert desk.library.plan_of("P-01").target == 50


def test_limbs_are_asked_for_one_after_the_other(screen: SetupScreen) -> None:
    screen.entered(None)
    free = Air(CHOICE, tuple(seen(f"A{i}", None, None) for i in range(3)), ready=True)
    screen._hear(None, free)
    assert not screen.sensors.lift.isHidden()
    screen.sensors.lift.click()
    assert prepared(screen).said[-1] == ("ask", Place.RIGHT_HAND)
    assert "Lift the right hand" in screen.sensors.hint.text()
    found = replace(free, sensors=(seen("A0", Place.RIGHT_HAND), *free.sensors[1:]))
    screen._hear(None, found)
    assert prepared(screen).said[-1] == ("ask", Place.RIGHT_UPPER_ARM)
    screen.sensors.skip.click()
    assert prepared(screen).said[-1] == ("ask", Place.STERNUM)


def test_a_sensor_that_moves_undoes_the_calibration(screen: SetupScreen) -> None:
    screen.entered(None)
    screen._hear(None, full_air())
    screen._hear(None, calibrated(Verdict.GOOD))
    screen.sensors.body.dropped.emit("A0", Place.STERNUM)
    assert prepared(screen).said[-1] == ("assign", "A0", Place.STERNUM)
    screen._show_step(CALIBRATION)
    assert screen.next.text() == "Begin calibration"


def test_trouble_is_shown_and_goes(screen: SetupScreen) -> None:
    screen.entered(None)
    screen._hear(None, Air(CHOICE, trouble=BluetoothOff("Bluetooth is off.", advice="Switch it on.")))
    assert screen.trouble.text == "Bluetooth is off. Switch it on."
    screen._hear(None, full_air())
    assert screen.trouble.text == ""


@pytest.mark.parametrize("name", ["WTVB01", "Movesense 17", "MetaWear"])
def test_sensors_that_cannot_be_used_are_named_with_the_reason(
    screen: SetupScreen, qapp: QApplication, name: str
) -> None:
    screen.entered(None)
    assert screen.sensors.unreadable.isHidden()
    why = why_unreadable(name)
    strange = (UnreadableSensor("AA:BB", name, why),)
    screen._hear(None, replace(full_air(), unreadable=strange))
    assert screen.sensors.unreadable.isHidden()  # all that are wanted are there
    screen._hear(None, replace(full_air(), sensors=(), unreadable=strange))
    assert not screen.sensors.unreadable.isHidden()
    assert screen.sensors.unreadable.text().startswith(f"{name} cannot be used. It is ")
    language.install(qapp, "de")
    assert why not in place_state.unreadable_words(UnreadableSensor("AA:BB", name, why))


def test_another_rig_opens_another_radio_and_is_remembered(screen: SetupScreen, desk: Desk) -> None:
    screen.entered(None)
    before = prepared(screen)
    screen.sensors.rigs.buttons["nine"].click()
    assert prepared(screen) is not before
    assert prepared(screen).choice.kind == "nine"
    assert desk.window.rig == "nine"
    screen._hear(before, full_air())  # late news of the old one
    assert screen.sensors.status.text() == "0 of 9 sensors connected"


def test_a_system_that_turns_dark_leaves_the_sensors_connected(
    qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup, "Preparation", FakePreparation)
    window = MainWindow(desk)
    qtbot.addWidget(window)
    window.show_screen("setup")
    before = window.screen_called("setup")
    desk.set_window(theme="dark")
    assert window.screen_called("setup") is before
    assert isinstance(before, SetupScreen)
    assert prepared(before).said == []


def test_leaving_lets_the_sensors_go(screen: SetupScreen, qtbot: QtBot) -> None:
    screen.entered(None)
    before = prepared(screen)
    assert screen.leaving()
    qtbot.waitUntil(lambda: ("close",) in before.said, timeout=3000)


def test_who_leaves_the_set_up_is_told_what_was_kept(qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "Preparation", FakePreparation)
    desk.library.add_patient(Patient("P-01", Side.RIGHT))
    window = MainWindow(desk)
    qtbot.addWidget(window)
    window.show_screen("home")
    window.show_screen("setup", "P-01")
    made = window.screen_called("setup")
    assert isinstance(made, SetupScreen)
    made._air = full_air()
    made.plan.show_plan(Plan((PlannedActivity("cards", 30),)))
    made._calibrated = calibrated(Verdict.GOOD)
    window.go_back()
    assert window.screen_name == "home"
    words = window.notice.banner.text
    assert "no session was begun" in words
    assert "The plan is kept." in words
    assert desk.library.plan_of("P-01").target == 30
    assert "Where the sensors sit is kept" in words
    assert "The calibration is not kept" in words
    window.show_screen("setup", "P-01")
    window.go_back()
    assert window.notice.banner.text == "You left the set-up; no session was begun."


def calibrating(qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> tuple[MainWindow, SetupScreen]:
    monkeypatch.setattr(setup, "Preparation", FakePreparation)
    monkeypatch.setattr(FakePreparation, "guide", (GuideStep("ready", 60.0),), raising=False)
    shutil.copytree(TINY, desk.settings.models / "tiny-1.0")
    desk.fix_model("tiny-1.0")
    desk.set_window(rig="three")
    window = MainWindow(desk)
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
    window.show_screen("setup")
    made = window.screen_called("setup")
    assert isinstance(made, SetupScreen)
    made._hear(None, full_air())
    for _ in range(3):  # next, next, begin
        made.next.click()
    assert made.guide.running
    return window, made


def test_the_focus_stays_in_set_up_while_it_calibrates(
    qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, made = calibrating(qtbot, desk, monkeypatch)
    assert window.focusWidget() is made.steps[CALIBRATION]
    qtbot.keyClick(made.steps[CALIBRATION], Qt.Key.Key_Return)
    assert made.guide.running
    made.other.setFocus()
    made._hear(None, full_air())  # news of the radio must not take the focus away
    assert window.focusWidget() is made.other
    made._hear(None, calibrated(Verdict.GOOD))
    assert window.focusWidget() is made.next


def test_a_calibration_is_not_left_without_asking(qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    window, made = calibrating(qtbot, desk, monkeypatch)
    window.nav["home"].click()
    assert window.screen_name == "setup"
    assert "under way" in made.confirm.text
    made.confirm.no.click()
    assert made.guide.running
    assert made.isAncestorOf(window.focusWidget())
    window.nav["home"].click()
    made.confirm.yes.click()
    assert window.screen_name == "home"
    assert made._preparation is None


def test_before_it_begins_nothing_is_ticked_and_the_figure_is_as_the_words_say(qtbot: QtBot) -> None:
    guide = CalibrationGuide()
    qtbot.addWidget(guide)
    guide.show()
    qtbot.wait(100)
    assert {mark.text() for mark, _ in guide.lines.values()} == {"○"}
    assert guide.help.text().startswith("Sit upright")
    assert "sits still" in guide.drawing.accessibleName()
    guide._show_step(GuideStep("still", 3.5), 0.6)
    assert guide.number.text == "3"
    guide._show_step(GuideStep("still", 3.0), 0.0)
    assert guide.number.text == "3"


def test_without_a_radio_it_can_be_tried_again_and_what_comes_next_is_said(screen: SetupScreen) -> None:
    screen.entered(None)
    screen._hear(None, Air(CHOICE, trouble=BluetoothOff("Bluetooth is off.", advice="Switch it on.")))
    assert "calibration waits for the sensors" in screen.sensors_line.text()
    before = prepared(screen)
    (again,) = [each for each in screen.trouble.findChildren(QPushButton) if each.text() == "Try again"]
    again.click()
    assert prepared(screen) is not before
    assert prepared(screen).choice == before.choice
    assert screen.trouble.text == ""
    screen._hear(None, full_air())
    assert screen.sensors_line.text() == ""


def test_at_twice_the_size_in_german_the_instruction_the_countdown_and_the_way_on_are_in_sight(
    qtbot: QtBot, qapp: QApplication, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.set_window(language="de", text_percent=200)
    dress(qapp, desk)
    window, made = calibrating(qtbot, desk, monkeypatch)
    window.resize(1440, 900)
    qtbot.wait(1)
    guide = made.guide
    for step in ("ready", "still", "elbow", "forearm"):
        guide._show_step(GuideStep(step, 9.0), 0.6)
        qtbot.wait(1)
        for part in (guide.heading, guide.help, guide.number):
            lowest = part.mapTo(guide, part.rect().bottomRight())
            assert guide.rect().contains(lowest), f"{step}: {part}"
            assert part.height() >= part.minimumHeight() > 0 or part is not guide.number
    made._hear(None, calibrated(Verdict.GOOD))
    qtbot.wait(1)
    assert made.next.text() == "Zur Sitzung"
    for button in (made.cancel, made.other, made.next):
        assert made.rect().contains(button.geometry())
        assert button.width() >= button.sizeHint().width()


@pytest.mark.parametrize("step", ["still", "elbow", "forearm"])
def test_in_a_low_window_the_countdown_and_the_buttons_are_whole(
    qtbot: QtBot, qapp: QApplication, desk: Desk, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    desk.set_window(language="de", text_percent=200)
    dress(qapp, desk)
    window, made = calibrating(qtbot, desk, monkeypatch)
    window.resize(1024, 700)
    qtbot.wait(1)
    made.guide._show_step(GuideStep(step, 9.0), 0.6)
    qtbot.wait(1)
    number = made.guide.number
    assert number.visibleRegion().boundingRect() == number.rect()
    for button in (made.cancel, made.other, made.next):
        assert made.rect().contains(button.geometry())
        assert button.isHidden() or button.width() >= button.sizeHint().width()
    footer = window.footer
    assert footer.height() >= footer.heightForWidth(footer.width())


def test_the_words_of_the_calibration_name_the_button_as_it_is_called(qapp: QApplication) -> None:
    language.install(qapp, "de")
    words = tr("Everything is ready. Counting begins when you press Start on the next screen.")
    assert f"„{tr('Start')}“" in words


def test_only_a_real_patient_has_sensors_strapped_on(screen: SetupScreen) -> None:
    screen.entered(None)
    screen._hear(None, full_air())
    assert "trap" not in screen.sensors.hint.text()
    real = replace(CHOICE, virtual="")
    screen.sensors.show_air(replace(full_air(), choice=real))
    assert "Strap them on" in screen.sensors.hint.text()


def test_no_words_lie_on_the_figure(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, theme.LIGHT, 200)
    drawing = ArmDrawing()
    qtbot.addWidget(drawing)
    drawing.resize(480, 340)
    drawing.show_step("still", 0.0)
    without = drawing.grab().toImage()
    drawing.show_step("forearm", 0.0)
    words = drawing.grab().toImage()
    line = QFontMetrics(theme.font("lead")).height()
    ground = without.pixel(2, 2)
    rows = range(without.height())
    figure = min(y for y in rows if any(without.pixel(x, y) != ground for x in range(0, without.width(), 2)))
    assert any(words.pixel(x, y) != ground for y in range(line) for x in range(words.width()))
    assert figure >= line

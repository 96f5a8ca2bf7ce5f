"""Set-up: from a patient to a session that can start. Sensors, plan, calibration; three steps, one button to go on.

The radio works in threads of its own (`app/preparing.py`); what it says arrives as queued signals, so the window never
waits. Sensors of last time connect by themselves while straps are put on; the plan of last time is filled in; the
calibration runs by itself after one press. The demo patient takes the same way with virtual sensors.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import replace

from PyQt6.QtCore import QMimeData, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QDrag, QKeySequence, QMouseEvent, QShortcut
from PyQt6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from rehabcount.app.preparing import Air, Calibrated, News, Preparation, Seen
from rehabcount.app.rigging import Choice
from rehabcount.app.wearer import Wearer
from rehabcount.domain.calibration import Verdict
from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.patient import DEMO
from rehabcount.domain.rig import Place
from rehabcount.errors import RehabcountError
from rehabcount.gui.body_picture import SENSOR_MIME, BodyPicture
from rehabcount.gui.calibration_guide import CalibrationGuide
from rehabcount.gui.controls import (
    Banner,
    Card,
    Heading,
    IconButton,
    PlainButton,
    PrimaryButton,
    QuietButton,
    rule,
    scrolling,
    set_look,
    text_label,
)
from rehabcount.gui.desk import DEMO_SEED, Desk, RadioSource, SessionSpec
from rehabcount.gui.flow import Columns
from rehabcount.gui.language import side_name, tr
from rehabcount.gui.place_state import part_name, place_name, sensor_name, signal_words, what_to_lift, where_to_strap
from rehabcount.gui.plan_editor import PlanEditor
from rehabcount.gui.rig_chooser import RigChooser
from rehabcount.gui.screen import KeyHint, Screen
from rehabcount.gui.theme import px, space
from rehabcount.gui.troubles import words_of
from rehabcount.inference.card import ModelCard
from rehabcount.sensors.assignment import asking_order

SENSORS, PLAN, CALIBRATION = range(3)
DEMO_FAMILY = "dot"


class FreeSensor(QFrame):
    """A sensor that has no place yet: drag it to one."""

    blink = pyqtSignal(str)

    def __init__(self, seen: Seen) -> None:
        super().__init__()
        self.seen = seen
        self.setObjectName("card")
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setToolTip(tr("Drag it to its place on the body."))
        self.setAccessibleName(f"{sensor_name(seen.address)}, {seen.title}")
        row = QHBoxLayout(self)
        row.setContentsMargins(space(1.5), space(0.5), space(0.5), space(0.5))
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(text_label(sensor_name(seen.address), "strong"))
        words.addWidget(text_label(f"{seen.title} · {signal_words(seen.signal_dbm)}", "caption"))
        row.addLayout(words, 1)
        if seen.can_blink:
            row.addWidget(IconButton("sensor", tr("Make it blink"), lambda: self.blink.emit(seen.address)))
        self._pressed_at: QPoint | None = None

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is not None and event.button() is Qt.MouseButton.LeftButton:
            self._pressed_at = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is None or self._pressed_at is None:
            return
        if (event.position().toPoint() - self._pressed_at).manhattanLength() < QApplication.startDragDistance():
            return
        self._pressed_at = None
        data = QMimeData()
        data.setData(SENSOR_MIME, self.seen.address.encode())
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.setPixmap(self.grab())
        drag.exec(Qt.DropAction.MoveAction)


class SetupScreen(Screen):
    name = "setup"
    endures = True  # sensors that are connected stay so when the system turns dark
    returnable = False
    _news = pyqtSignal(object, object)  # which preparation says it, and what

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._patient = DEMO
        self._preparation: Preparation | None = None
        self._air: Air | None = None
        self._calibrated: Calibrated | None = None
        self._card: ModelCard | None = None  # of the model that will count
        self._awaiting = False  # the guide's verdict: the steps may be over before it is there
        self._asking: list[Place] = []  # places still to be found by lifting
        self._news.connect(self._hear)
        column = QVBoxLayout(self)
        column.setContentsMargins(space(3), space(2), space(3), space(2))
        column.setSpacing(space(1.5))
        column.addWidget(self._make_head())
        self.trouble, self.no_model = Banner(), Banner()
        column.addWidget(self.no_model)
        column.addWidget(self.trouble)
        self.pages = QStackedWidget()
        self.pages.addWidget(self._make_sensors())
        self.pages.addWidget(self._make_plan())
        self.guide = CalibrationGuide()
        self.pages.addWidget(scrolling(self.guide))
        column.addWidget(self.pages, 1)
        column.addLayout(self._make_foot())

    def title(self) -> str:
        return tr("Set-up")

    def keys(self) -> list[KeyHint]:
        return [
            KeyHint("Ctrl+Enter", tr("the next step")),
            KeyHint("Enter", tr("on a place: what can be done there")),
        ]

    # -- building -----------------------------------------------------------------------------------------------------

    def _make_head(self) -> QWidget:
        self.heading = Heading("")
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(space(1))
        self.steps: list[PlainButton] = []
        for number, words in enumerate((tr("Sensors"), tr("Plan"), tr("Calibration"))):
            button = PlainButton(f"{number + 1}  {words}")
            button.setCheckable(True)
            button.setAccessibleName(tr("Step {number}: {words}").format(number=number + 1, words=words))
            button.clicked.connect(lambda _, number=number: self._show_step(number))
            self.steps.append(button)
            row.addWidget(button)
        row.addStretch()
        head = Columns(self.heading, holder, (1, 0), narrow=700)
        head.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        return head

    def _make_sensors(self) -> QWidget:
        picture = Card()
        picture.body.setContentsMargins(space(1.5), space(1.5), space(1.5), space(1))
        self.body = BodyPicture()
        self.body.pressed.connect(self._show_place_menu)
        self.body.dropped.connect(lambda address, place: self._assign(address, place))
        picture.body.addWidget(self.body, 1)
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(1.5))
        rigs = Card(tr("How many sensors?"))
        self.rigs = RigChooser()
        self.rigs.chosen.connect(self._choose_rig)
        rigs.body.addWidget(self.rigs)
        column.addWidget(rigs)
        self.status_card = Card()
        self.status = Heading("", "heading")
        self.status_card.body.addWidget(self.status)
        self.hint = text_label("", wrap=True)
        self.status_card.body.addWidget(self.hint)
        self.lift = PlainButton(tr("Find them by lifting"), "body", self._begin_lifting)
        self.skip = QuietButton(tr("Skip this one"), "next", self._next_lift)
        self.status_card.body.addWidget(self.lift)
        self.status_card.body.addWidget(self.skip)
        self.free_list = QVBoxLayout()
        self.free_list.setSpacing(space(0.5))
        self.status_card.body.addLayout(self.free_list)
        self.how = QWidget()
        how = QVBoxLayout(self.how)
        how.setContentsMargins(0, 0, 0, 0)
        self.worn = text_label("", "caption", wrap=True)
        how.addWidget(rule())
        how.addWidget(text_label(tr("How they are worn"), "strong"))
        how.addWidget(self.worn)
        self.status_card.body.addWidget(self.how)
        self.status_card.body.addStretch()
        column.addWidget(self.status_card, 1)
        column_area = scrolling(side)  # by itself, so that the body stays in sight
        column_area.setMinimumHeight(px(280))
        return scrolling(Columns(picture, column_area, (13, 7), narrow=900))

    def _make_plan(self) -> QWidget:
        card = Card(tr("What is trained today?"))
        card.body.addWidget(
            text_label(
                tr("The best number of repetitions is not known. Targets are yours to set, or to leave empty."),
                "muted",
                wrap=True,
            )
        )
        self.plan = PlanEditor()
        card.body.addWidget(self.plan, 1)
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(card)
        return scrolling(holder)

    def _make_foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(space(1))
        row.addWidget(QuietButton(tr("Cancel"), "back", self.back.emit))
        self.sensors_line = text_label("", "muted", wrap=True)
        self.sensors_line.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.sensors_line, 1)
        self.other = PlainButton("", "", self._do_other)
        row.addWidget(self.other)
        self.next = PrimaryButton("", "forward", self._go_on)
        QShortcut(QKeySequence("Ctrl+Return"), self, self.next.click)  # a button's own is lost with its words
        self.next.setMinimumWidth(px(190))
        row.addWidget(self.next)
        return row

    # -- coming and going ---------------------------------------------------------------------------------------------

    def entered(self, argument: object) -> None:
        """`argument`: the code of a patient; None is the demo patient."""
        self.trouble.clear()
        try:
            self._patient = self.desk.library.patient(argument) if isinstance(argument, str) else DEMO
            plan = self.desk.library.plan_of(self._patient.code)
        except RehabcountError as error:
            self.heading.setText("")
            self.next.setEnabled(False)
            self.trouble.say(words_of(error), "bad")
            return
        demo = self._patient == DEMO
        if demo and not plan.activities:
            plan = demo_plan()
        who = tr("Demo patient") if demo else self._patient.code
        self.heading.setText(f"{who} · {tr('{side} arm').format(side=side_name(self._patient.side))}")
        self.plan.show_plan(plan)
        self.guide.set_side(self._patient.side)
        self._calibrated = None
        self._open(self.desk.window.rig)
        self._show_step(SENSORS)
        self.next.setFocus()

    def leaving(self) -> bool:
        self._let_go()
        return True

    @property
    def _demo(self) -> bool:
        return self._patient.code == DEMO.code

    def _open(self, rig: str) -> None:
        """A fresh radio for this rig."""
        self._let_go()
        choice = Choice(rig, self._patient.side, DEMO_FAMILY if self._demo else "")
        self._card = artifact.card if (artifact := self.desk.artifact()) else None
        if self._card is None:
            words = tr("There is no model to count with.")
            self.no_model.say(words, "bad", tr("Settings"), lambda: self.go.emit("settings", None))
        else:
            self.no_model.clear()
        self.rigs.show_rig(rig, self._patient.side, self._card)
        self.worn.setText("\n".join(dict.fromkeys(f"•  {where_to_strap(place)}" for place in choice.places)))
        self._calibrated, self._awaiting, self._asking = None, False, []
        self.guide.rest()
        self._show_air(Air(choice))
        made: list[Preparation] = []

        def tell(news: News) -> None:
            """From the preparation's thread. Once it was let go, nobody listens, and the window may be gone."""
            if not made or made[0] is self._preparation:
                with contextlib.suppress(RuntimeError):
                    self._news.emit(made[0] if made else None, news)

        made.append(Preparation(self.desk.settings, choice, tell, wake=_waker(choice) if self._demo else None))
        self._preparation = made[0]

    def _let_go(self) -> None:
        """The radio is closed by a thread that nobody waits for."""
        preparation, self._preparation = self._preparation, None
        if preparation is not None:
            threading.Thread(target=preparation.close, name="closing the radio", daemon=True).start()

    # -- news of the radio --------------------------------------------------------------------------------------------

    def _hear(self, whose: object, news: News) -> None:
        if self._preparation is None or (whose is not None and whose is not self._preparation):
            return
        if isinstance(news, Air):
            if news.choice == (self._air.choice if self._air else None):
                self._show_air(news)
        else:
            self._calibrated, self._awaiting = news, False
            self.guide.show_result(news.calibration)
            self._show_buttons()

    def _show_air(self, air: Air) -> None:
        self._air = air
        self.body.show_air(air)
        if air.trouble is not None:
            self.trouble.say(words_of(air.trouble), "bad")
        else:
            self.trouble.clear()
        if self._asking and air.asking is None:
            self._after_lift(air)
        good, every = len(air.choice.places) - len(air.missing), len(air.choice.places)
        self.status.setText(tr("{good} of {all} sensors connected").format(good=good, all=every))
        self.hint.setText(self._hint(air))
        self.hint.setVisible(bool(self.hint.text()))
        free = [seen for seen in air.sensors if seen.place not in air.choice.places]
        self._show_free(free)
        self.how.setVisible(not free)
        set_look(self.hint, "rank", "lead" if air.asking else "body")
        self.lift.setVisible(not self._asking and bool(air.missing) and bool(free))
        self.skip.setVisible(bool(self._asking))
        self._show_buttons()

    def _hint(self, air: Air) -> str:
        if air.trouble is not None:
            return ""
        if air.asking is not None:
            return f"{place_name(air.asking)}: {what_to_lift(air.asking)}"
        if not air.ready:
            return tr("The simulated patient is waking up …") if self._demo else tr("Opening the radio …")
        if not air.missing:
            return tr("All are there. Strap them on as the picture shows, then go on.")
        if air.full:
            return tr("This Bluetooth adapter carries no more sensors. Plug in a second one, or use fewer sensors.")
        if not air.sensors:
            return tr("Switch the sensors on. Those of last time come in by themselves.")
        if all(place_of.health is not None for place_of in air.sensors):
            return tr("Connecting takes a few seconds for each.")
        return tr("Drag a sensor to its place, or find each one by lifting the limb it is on.")

    def _show_free(self, free: list[Seen]) -> None:
        shown = []
        for index in range(self.free_list.count()):
            item = self.free_list.itemAt(index)
            widget = item.widget() if item is not None else None
            if isinstance(widget, FreeSensor):
                shown.append(widget)
        if [(each.seen.address, each.seen.title) for each in shown] == [(seen.address, seen.title) for seen in free]:
            return
        for widget in shown:
            self.free_list.removeWidget(widget)
            widget.deleteLater()
        for seen in free:
            card = FreeSensor(seen)
            card.blink.connect(self._blink)
            self.free_list.addWidget(card)

    # -- places -------------------------------------------------------------------------------------------------------

    def _show_place_menu(self, place: Place) -> None:
        """What can be done about a place, for mouse and keyboard alike."""
        if self._air is None or self._preparation is None:
            return
        menu = QMenu(self)
        how = menu.addAction(where_to_strap(place))
        if how is not None:
            how.setEnabled(False)
        menu.addSeparator()
        seen = self._air.at(place)
        menu.addAction(tr("Find it by lifting"), lambda: self._lift([place]))
        for each in self._air.sensors:
            if each is not seen:
                words = tr("It is {sensor}").format(sensor=sensor_name(each.address))
                if each.place in self._air.choice.places and each.place is not None:
                    words += f" ({place_name(each.place)})"
                menu.addAction(words, lambda address=each.address: self._assign(address, place))
        if seen is not None:
            menu.addAction(tr("Take {sensor} off").format(sensor=sensor_name(seen.address)), lambda: self._free(place))
        tag = self.body.tags[place]
        menu.popup(tag.mapToGlobal(QPoint(0, tag.height())))

    def _assign(self, address: str, place: Place) -> None:
        if self._preparation is not None:
            self._asking = []
            self._preparation.assign(address, place)

    def _free(self, place: Place) -> None:
        if self._preparation is not None:
            self._preparation.free(place)

    def _blink(self, address: str) -> None:
        if self._preparation is not None:
            self._preparation.blink(address)

    def _begin_lifting(self) -> None:
        if self._air is not None:
            self._lift([place for place in asking_order(self._air.choice.places) if self._air.at(place) is None])

    def _lift(self, places: list[Place]) -> None:
        self._asking = places
        if self._preparation is not None:
            self._preparation.ask(places[0] if places else None)
        if self._air is not None:
            self._show_air(replace(self._air, asking=places[0] if places else None))

    def _next_lift(self) -> None:
        self._lift(self._asking[1:])

    def _after_lift(self, air: Air) -> None:
        """One was found, or the next is not yet asked for."""
        if self._preparation is not None and air.at(self._asking[0]) is not None:
            self._asking = self._asking[1:]
            if self._asking:
                self._preparation.ask(self._asking[0])

    def _choose_rig(self, kind: str) -> None:
        try:
            self.desk.set_window(rig=kind)
        except RehabcountError as error:
            self.trouble.say(words_of(error), "warn")
        self._open(kind)

    # -- steps --------------------------------------------------------------------------------------------------------

    def _show_step(self, number: int) -> None:
        if self.pages.currentIndex() == CALIBRATION and number != CALIBRATION:
            self._stop_guide()
        self.pages.setCurrentIndex(number)
        for index, button in enumerate(self.steps):
            button.setChecked(index == number)
        self._show_buttons()

    def _stop_guide(self) -> None:
        if self.guide.running or self._awaiting:
            self._awaiting = False
            self.guide.rest()
            if self._preparation is not None:
                self._preparation.stop_calibration()

    def _show_buttons(self) -> None:
        """The one thing to do next, and what else there is."""
        step, done = self.pages.currentIndex(), self._calibrated
        lacking = self._lacking() if step == CALIBRATION and done is None else ""
        self.sensors_line.setText(lacking or (self.status.text() if step != SENSORS else ""))
        self.other.hide()
        if step == SENSORS:
            self._label(self.next, tr("Next: plan"), "forward")
        elif step == PLAN:
            self._label(self.next, tr("Next: calibration"), "forward")
        elif self.guide.running or self._awaiting:
            self._label(self.next, tr("Calibrating …"), "clock", enabled=False)
            self._label(self.other, tr("Stop"), "stop")
            self.other.show()
        elif done is None:
            self._label(self.next, tr("Begin calibration"), "play", enabled=not self._lacking())
        elif done.calibration.verdict is Verdict.REPEAT:
            self._label(self.next, tr("Repeat"), "recover", enabled=not self._lacking())
            self._label(self.other, tr("Go on all the same"), "forward")
            self.other.setVisible(bool(done.calibration.mountings))
        else:
            self._label(self.next, tr("To the session"), "forward")
            self._label(self.other, tr("Repeat"), "recover")
            self.other.show()

    def _label(self, button: PlainButton | PrimaryButton, words: str, icon_name: str, *, enabled: bool = True) -> None:
        if (button.text(), button.isEnabled()) != (words, enabled):
            button.setText(words)
            button.setEnabled(enabled)
            button.set_icon(icon_name)
            if enabled and button is self.next and not self._typing():
                button.setFocus()  # it lost the focus when it was disabled

    def _typing(self) -> bool:
        return isinstance(QApplication.focusWidget(), QLineEdit | QAbstractSpinBox | QComboBox)

    def _lacking(self) -> str:
        """What the model cannot count without and does not get; empty if nothing."""
        if self._air is None or self._card is None:
            return tr("There is no model to count with.")
        worn = {
            place.part.value
            for place in self._air.choice.places
            if place not in self._air.missing and place.side in (None, self._air.choice.side)
        }
        parts = [part_name(part) for part in self._card.required_parts if part not in worn]
        return tr("Counting needs a sensor on: {parts}").format(parts=", ".join(parts)) if parts else ""

    def _go_on(self) -> None:
        step = self.pages.currentIndex()
        if step != CALIBRATION:
            self._show_step(step + 1)
        elif self._calibrated is None or self._calibrated.calibration.verdict is Verdict.REPEAT:
            self._calibrate()
        else:
            self._start(self._calibrated)

    def _do_other(self) -> None:
        if self.guide.running or self._awaiting:
            self._stop_guide()
            self._show_buttons()
        elif self._calibrated is not None and self._calibrated.calibration.verdict is Verdict.REPEAT:
            self._start(self._calibrated)
        else:
            self._calibrate()

    def _calibrate(self) -> None:
        if self._preparation is None:
            return
        self._calibrated, self._awaiting = None, True
        self._preparation.begin_calibration()
        self.guide.begin(self._preparation.guide, simulated=self._demo)
        self._show_buttons()

    def _start(self, done: Calibrated) -> None:
        """Hand everything to the live screen; from here on the session owns the radio."""
        preparation, self._preparation = self._preparation, None
        if preparation is None:
            return
        plan = self.plan.plan()
        try:
            self.desk.library.keep_plan(self._patient.code, plan)
        except RehabcountError as error:  # the session matters more than the memory of its plan
            self.trouble.say(words_of(error), "warn")
        source = RadioSource(preparation.hand_over(done.rig), simulated=self._demo)
        spec = SessionSpec(self._patient.code, done.rig, self._patient.side, plan, source, done.calibration)
        self.go.emit("live", spec)


def demo_plan() -> Plan:
    """What the simulated patient is going to do; the targets are examples, as everything about them is."""
    return Plan((PlannedActivity(tr("Reaching on the table"), 12), PlannedActivity(tr("Glass to shelf"), 8)))


def _waker(choice: Choice) -> Callable[[], Wearer]:
    return lambda: Wearer(choice, DEMO_SEED)

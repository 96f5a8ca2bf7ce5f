"""Set-up: from a patient to a session that can start. Three steps with one button: sensors, plan, calibration.

The radio works in threads of its own (`bedside/preparation.py`); its news arrive as queued signals, so the window never
waits. Sensors of last time connect by themselves while straps are put on; the last plan is filled in; the calibration
runs by itself after one click. The demo patient has virtual sensors.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PyQt6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from rehabcount.bedside.preparation import Air, Broken, News, Preparation, RigCalibrated
from rehabcount.bedside.rigging import Choice
from rehabcount.bedside.wearer import Wearer
from rehabcount.domain.calibration import Verdict
from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.patient import DEMO
from rehabcount.errors import RehabcountError, StoreUnwritable
from rehabcount.gui.background import Background
from rehabcount.gui.calibration_guide import CalibrationGuide
from rehabcount.gui.controls import (
    Banner,
    Card,
    ConfirmBar,
    Heading,
    PlainButton,
    PrimaryButton,
    QuietButton,
    scrolling,
    set_look,
    text_label,
)
from rehabcount.gui.desk import DEMO_SEED, Desk, SessionSpec
from rehabcount.gui.flow import Columns
from rehabcount.gui.language import patient_name, side_name, tr
from rehabcount.gui.overlay import Overlay
from rehabcount.gui.place_state import part_name, place_name
from rehabcount.gui.plan_editor import PlanEditor
from rehabcount.gui.screen import KeyHint, Screen
from rehabcount.gui.sensors_page import SensorsPage
from rehabcount.gui.theme import px, space
from rehabcount.gui.troubles import words_of
from rehabcount.inference.card import ModelCard

SENSORS, PLAN, CALIBRATION = range(3)
DEMO_FAMILY = "dot"
LOW = 560  # pixels at 100 % text: below, the heading is smaller
NEXT_WIDTH = 190  # pixels at 100 %: of the button to go on, where there is room
LINE_WIDTH = 170  # pixels at 100 %: below, the line at the foot breaks into three


class SetupScreen(Screen):
    name = "setup"
    endures = True  # a change of theme must not disconnect sensors
    returnable = False
    _news = pyqtSignal(object, object)  # the preparation, and its news

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._patient = DEMO
        self._preparation: Preparation | None = None
        self._air: Air | None = None
        self._calibrated: RigCalibrated | None = None
        self._card: ModelCard | None = None  # of the model that will count
        self._plan = Plan()  # as it is kept
        self._left = ""  # the message after leaving
        self._awaiting = False  # for the verdict, which comes a moment after the last step
        self._files = Background(self)
        self._shut = False  # whether no session can be kept now
        self._asked = False  # whether the line beside the buttons asks for something
        self._news.connect(self._hear)
        column = QVBoxLayout(self)
        column.setContentsMargins(space(3), space(2), space(3), space(2))
        column.setSpacing(space(1.5))
        column.addWidget(self._make_head())
        self.trouble, self.no_model, self.no_room = Banner(), Banner(), Banner()
        self.confirm = ConfirmBar()
        self.confirm.no.clicked.connect(lambda *_: self._keep_focus())
        self.pages = QStackedWidget()
        self.sensors = SensorsPage()
        self.sensors.rig_chosen.connect(self._choose_rig)
        self.sensors.assigned.connect(lambda address, place: self._rearrange(lambda it: it.assign(address, place)))
        self.sensors.freed.connect(lambda place: self._rearrange(lambda it: it.free(place)))
        self.sensors.asked.connect(lambda place: self._rearrange(lambda it: it.ask(place)))
        self.sensors.blinked.connect(self._blink)
        self.pages.addWidget(self.sensors)
        self.pages.addWidget(self._make_plan())
        self.guide = CalibrationGuide()
        self.pages.addWidget(self.guide)
        column.addWidget(self.pages, 1)
        Overlay(self, self.no_model, self.no_room, self.trouble, self.confirm)
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

    def _make_foot(self) -> QGridLayout:
        foot = self._foot = QGridLayout()
        foot.setSpacing(space(1))
        self.cancel = QuietButton(tr("Cancel"), "back", self.back.emit)
        self.cancel.setAccessibleName(tr("Cancel"))
        self.cancel.setToolTip(tr("Cancel"))
        foot.addWidget(self.cancel, 1, 0)
        self.sensors_line = text_label("", "muted", wrap=True)
        self.sensors_line.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        foot.addWidget(self.sensors_line, 1, 1)
        foot.setColumnStretch(1, 1)
        self.other = PlainButton("", "", self._do_other)
        self._other_words = ""
        foot.addWidget(self.other, 1, 2)
        self.next = PrimaryButton("", "forward", self._go_on)
        QShortcut(QKeySequence("Ctrl+Return"), self, self.next.click)  # a button's own is lost with its text
        self.next.setMinimumWidth(px(NEXT_WIDTH))
        foot.addWidget(self.next, 1, 3)
        return foot

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        set_look(self.heading, "rank", "heading" if self.height() < px(LOW) else "title")
        self._fit_foot()

    def _fit_foot(self) -> None:
        """The line is beside the buttons if there is room, else above them, and then only if it asks for something."""
        beside = self._fit_buttons() >= px(LINE_WIDTH)
        self._foot.removeWidget(self.sensors_line)
        self._foot.addWidget(self.sensors_line, *((1, 1) if beside else (0, 0, 1, 4)))
        self.sensors_line.setVisible(beside or self._asked)

    def _fit_buttons(self) -> int:
        """Pictures without words where these do not fit beside the button to go on. Returns the room that is left."""
        self._other_words = self.other.text() or self._other_words
        self.other.setAccessibleName(self._other_words)
        self.other.setToolTip(self._other_words)
        shown = [self.cancel, self.next, *([] if self.other.isHidden() else [self.other])]
        left = 0
        for cancel, other in ((tr("Cancel"), self._other_words), ("", self._other_words), ("", "")):
            self.cancel.setText(cancel)
            self.other.setText(other)
            self.next.setMinimumWidth(px(NEXT_WIDTH) if cancel else 0)
            taken = sum(max(each.sizeHint().width(), each.minimumWidth()) + space(1) for each in shown)
            left = self.width() - 2 * space(3) - taken
            if left + space(1) >= 0:
                break
        return left

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
        self.heading.setText(
            f"{patient_name(self._patient.code)} · {tr('{side} arm').format(side=side_name(self._patient.side))}"
        )
        self._plan = plan
        self.plan.show_plan(plan)
        self.guide.set_side(self._patient.side)
        self._calibrated, self._shut = None, False
        self.no_room.clear()
        self._check_room()
        self._open(self.desk.window.rig)
        self._show_step(SENSORS)
        self.next.setFocus()

    def leaving(self) -> bool:
        if self._calibrating:
            if self.confirm.isHidden():
                words = tr("The calibration is under way. Leave it and lose it?")
                self.confirm.ask(words, tr("Leave"), self._give_up, tr("Go on calibrating"), danger=True)
            else:
                self.confirm.hide()  # a second Esc cancels
                self._keep_focus()
            return False
        self._left = self._keep_what_can_be() if self._preparation is not None else ""
        self._files.forget()
        self._let_go()
        return True

    def parting_words(self) -> str:
        return self._left

    def _keep_what_can_be(self) -> str:
        """Keeps the plan; returns a message that plan and places are kept, and the calibration is not."""
        words = [tr("You left the set-up; no session was begun.")]
        plan = self.plan.plan()
        if plan != self._plan:
            try:
                self.desk.library.keep_plan(self._patient.code, plan)
                words.append(tr("The plan is kept."))
            except RehabcountError as error:
                words.append(tr("The plan is not kept: {why}").format(why=words_of(error)))
        if self._air is not None and not self._demo and any(self._air.at(place) for place in self._air.choice.places):
            words.append(tr("Where the sensors sit is kept; they connect again by themselves."))
        if self._calibrated is not None:
            words.append(tr("The calibration is not kept: it is made anew for each session."))
        return " ".join(words)

    @property
    def _calibrating(self) -> bool:
        return self._preparation is not None and (self.guide.running or self._awaiting)

    def _give_up(self) -> None:
        self._stop_guide()
        self.back.emit()

    def _keep_focus(self) -> None:
        """Set the focus to a visible widget whose key does no harm; otherwise Qt gives it to the navigation."""
        (self.next if self.next.isEnabled() else self.steps[self.pages.currentIndex()]).setFocus()

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
        self._calibrated, self._awaiting = None, False
        self.guide.rest()
        self.sensors.begin(choice, self._card, self.desk.severity(self._patient))
        self._show_air(Air(choice))
        made: list[Preparation] = []

        def on_news(news: News) -> None:
            """Called in the preparation's thread; after the set-up was left, the window may be gone."""
            if not made or made[0] is self._preparation:
                with contextlib.suppress(RuntimeError):
                    self._news.emit(made[0] if made else None, news)

        made.append(Preparation(self.desk.settings, choice, on_news, wake=_waker(choice) if self._demo else None))
        self._preparation = made[0]

    def _let_go(self) -> None:
        """Closes the radio in a thread, without waiting for it."""
        preparation, self._preparation = self._preparation, None
        if preparation is not None:
            threading.Thread(target=preparation.close, name="closing the radio", daemon=True).start()

    def _check_room(self) -> None:
        """Checks, in a thread because a disk may be slow, whether there is room for the session."""
        self._files.run(self.desk.library.check_room, lambda _: self._show_room(None), self._show_room)

    def _show_room(self, problem: RehabcountError | None) -> None:
        self._shut = isinstance(problem, StoreUnwritable)  # with little room the user may still begin
        if problem is None:
            self.no_room.clear()
        else:
            kind = "bad" if self._shut else "warn"
            self.no_room.say(words_of(problem), kind, tr("Try again"), self._check_room)
        self._show_buttons()

    # -- news of the radio --------------------------------------------------------------------------------------------

    def _hear(self, whose: object, news: News) -> None:
        if self._preparation is None or (whose is not None and whose is not self._preparation):
            return
        if isinstance(news, Air):
            if news.choice == (self._air.choice if self._air else None):
                self._show_air(news)
        elif isinstance(news, Broken):
            self._awaiting = False
            self.confirm.hide()
            self.guide.show_broken(news.step, ", ".join(map(place_name, news.places)))
            self._show_buttons()
        else:
            self._calibrated, self._awaiting = news, False
            self.confirm.hide()
            self.guide.show_result(news.calibration)
            self._show_buttons()

    def _show_air(self, air: Air) -> None:
        self._air = air
        self.sensors.show_air(air)
        if air.trouble is not None:
            self.trouble.say(words_of(air.trouble), "bad", tr("Try again"), self._try_again)
        else:
            if self.trouble.isAncestorOf(QApplication.focusWidget()):
                self._keep_focus()
            self.trouble.clear()
        self._show_buttons()

    def _try_again(self) -> None:
        """Try the radio at once; otherwise it is tried every few seconds."""
        if self._air is not None:
            self._open(self._air.choice.kind)

    def _rearrange(self, act: Callable[[Preparation], None]) -> None:
        """Change the places of sensors; this makes an earlier calibration invalid."""
        if self._preparation is None:
            return
        if self._calibrated is not None:
            self._calibrated = None
            self.guide.rest()
        act(self._preparation)

    def _blink(self, address: str) -> None:
        if self._preparation is not None:
            self._preparation.blink(address)

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
            self.confirm.hide()
            self.guide.rest()
            if self._preparation is not None:
                self._preparation.stop_calibration()

    def _show_buttons(self) -> None:
        """Show the button for the next step, and the others."""
        step, done = self.pages.currentIndex(), self._calibrated
        lacking = self._lacking() if step == CALIBRATION and done is None else ""
        if step == SENSORS:
            waits = self._card is not None and bool(self._lacking())
            lacking = tr("The plan can be set meanwhile; the calibration waits for the sensors.") if waits else ""
        self._asked = bool(lacking)
        self.sensors_line.setText(lacking or (self.sensors.status.text() if step != SENSORS else ""))
        elsewhere = False  # whether there is a second button
        if step == SENSORS:
            self._label(self.next, tr("Next: plan"), "forward")
        elif step == PLAN:
            self._label(self.next, tr("Next: calibration"), "forward")
        elif self.guide.running or self._awaiting:
            self._label(self.next, tr("Calibrating …"), "clock", enabled=False)
            self._label(self.other, tr("Stop"), "stop")
            elsewhere = True
        elif done is None:
            self._label(self.next, tr("Begin calibration"), "play", enabled=not self._lacking())
        elif done.calibration.verdict is Verdict.REPEAT:
            self._label(self.next, tr("Repeat"), "recover", enabled=not self._lacking())
            self._label(self.other, tr("Go on all the same"), "forward")
            elsewhere = bool(done.calibration.mountings)
        else:
            self._label(self.next, tr("To the session"), "forward")
            self._label(self.other, tr("Repeat"), "recover")
            elsewhere = True
        if self.other.hasFocus() and not elsewhere:
            self._keep_focus()
        self.other.setVisible(elsewhere)
        self._fit_foot()

    def _label(self, button: PlainButton | PrimaryButton, words: str, icon_name: str, *, enabled: bool = True) -> None:
        if (button.text(), button.isEnabled()) != (words, enabled):
            if not enabled and button.hasFocus():
                self.steps[self.pages.currentIndex()].setFocus()
            button.setText(words)
            button.setEnabled(enabled)
            button.set_icon(icon_name)
            if enabled and button is self.next and not self._typing():
                button.setFocus()  # it lost the focus when it was disabled

    def _typing(self) -> bool:
        return isinstance(QApplication.focusWidget(), QLineEdit | QAbstractSpinBox | QComboBox)

    def _lacking(self) -> str:
        """What is missing before the calibration; empty if nothing is."""
        if self._air is None or self._card is None:
            return tr("There is no model to count with.")
        if self._shut:
            return tr("No session can be kept.")
        if len(self._air.missing) == len(self._air.choice.places):
            return tr("No sensor is connected. Switch the sensors on and bring them closer.")
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
        self._check_room()
        try:
            self._preparation.begin_calibration()
        except RehabcountError as error:
            self.trouble.say(words_of(error), "bad")
            return
        self._calibrated, self._awaiting = None, True
        self.guide.begin(self._preparation.guide, simulated=self._demo)
        self._show_buttons()

    def _start(self, done: RigCalibrated) -> None:
        """Pass everything to the live screen; from now on the session owns the radio."""
        preparation, self._preparation = self._preparation, None
        if preparation is None:
            return
        plan = self.plan.plan()
        try:
            self.desk.library.keep_plan(self._patient.code, plan)
        except RehabcountError as error:  # start the session although its plan could not be kept
            self.trouble.say(words_of(error), "warn")
        source = preparation.hand_over(done.rig)
        spec = SessionSpec(self._patient.code, done.rig, self._patient.side, plan, source, done.calibration)
        self.go.emit("live", spec)


def demo_plan() -> Plan:
    """The plan of the simulated patient; its targets are examples."""
    return Plan((PlannedActivity(tr("Reaching on the table"), 12), PlannedActivity(tr("Glass to shelf"), 8)))


def _waker(choice: Choice) -> Callable[[], Wearer]:
    return lambda: Wearer(choice, DEMO_SEED)

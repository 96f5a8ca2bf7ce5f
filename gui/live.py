"""The live screen: one large number, and everything that a therapist needs with one hand on the patient.

It draws a ScreenState at most thirty times a second, from the updates that the session thread has collected. A session
without updates for a moment is shown as not live, so that an old number never looks current.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QAction, QKeySequence, QShortcut
from PyQt6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget

from rehabcount.bedside import screen_state as acts
from rehabcount.bedside.screen_state import COUNTING, ENDED, READY, RUNNING, ScreenState, Step
from rehabcount.domain.limits import CATCH_UP_S, SESSION_SILENT_S
from rehabcount.domain.patient import Severity
from rehabcount.domain.rig import Sensor, Side
from rehabcount.errors import RehabcountError
from rehabcount.gui import theme, wording
from rehabcount.gui.background import Background
from rehabcount.gui.card_words import worth_of
from rehabcount.gui.controls import set_look
from rehabcount.gui.desk import Desk, FileSource, SessionSpec
from rehabcount.gui.health import what_is_wrong
from rehabcount.gui.language import patient_name, signed, tr
from rehabcount.gui.live_layout import LiveLayout
from rehabcount.gui.live_parts import whole_session
from rehabcount.gui.opening import opener_of
from rehabcount.gui.patient_view import PatientView
from rehabcount.gui.place_state import place_name
from rehabcount.gui.screen import KeyHint
from rehabcount.gui.session_thread import Opener, SessionThread
from rehabcount.gui.smooth_clock import SmoothClock
from rehabcount.gui.troubles import words_of
from rehabcount.gui.wording import clock
from rehabcount.inference.addendum import sessions_of
from rehabcount.inference.artifact import Artifact
from rehabcount.inference.card import Evidence
from rehabcount.signals.trunk import TrunkLean

TICK_MS = 33  # thirty times a second


class LiveScreen(LiveLayout):
    name = "live"
    immersive = True
    returnable = False

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.make_opener: Callable[[Desk, SessionSpec, Path], Opener] = opener_of
        self.spec: SessionSpec | None = None
        self.replaying = False  # nothing can be added to a recording
        self.path: Path | None = None
        self.thread_: SessionThread | None = None
        self.state: ScreenState | None = None
        self.patient_view: PatientView | None = None
        self._drawn: tuple[object, ...] = ()
        self._names: dict[str, str] = {}  # of sensors, as a person says them
        self._lean: TrunkLean | None = None
        self._clock = SmoothClock()
        self._code = ""  # of the patient, as the file has it
        self._files = Background(self)
        self._failure: RehabcountError | None = None
        self._ready = False
        self._counting_since_s: float | None = None  # on the wall clock: the session's clock stops when it is late
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.tick)
        self._connect()
        self._bind_keys(self)

    def _connect(self) -> None:
        acts_of: tuple[tuple[QAbstractButton, Callable[[], None]], ...] = (
            (self.main_button, self.toggle_pause),
            (self.next_button, self.next_activity),
            (self.minus_button, lambda: self.adjust(-1)),
            (self.plus_button, lambda: self.adjust(1)),
            (self.undo_button, self.undo),
            (self.assist_button, self.toggle_assist),
            (self.mark_button, self.mark),
            (self.end_button, self.ask_end),
            (self.wrong_patient, self._show_patients),
            (self.sound_button, self.toggle_sound),
            (self.signals_button, self.toggle_signals),
            (self.patient_button, self.toggle_patient_view),
        )
        for button, act in acts_of:
            button.clicked.connect(lambda _, act=act: act())
        self.activity.chosen.connect(self.choose_activity)

    def _bind_keys(self, window: QWidget) -> None:
        """In the patient's window, too, so that Space pauses in both."""
        for keys, act in (
            (("Space",), self.toggle_pause),
            (("N",), self.next_activity),
            (("+", "="), lambda: self.adjust(1)),
            (("-",), lambda: self.adjust(-1)),
            (("Ctrl+Z",), self.undo),
            (("A",), self.toggle_assist),
            (("M",), self.mark),
            (("E",), self.ask_end),
            (("S",), self.toggle_signals),
            (("P",), self.toggle_patient_view),
        ):
            for key in keys:
                shortcut = QShortcut(QKeySequence(key), window)
                shortcut.setAutoRepeat(False)  # a key held down is one press
                if window is self:  # beside the navigation; the patient's window holds nothing that takes a focus
                    shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
                shortcut.activated.connect(act)

    def keys(self) -> list[KeyHint]:
        return [
            KeyHint("Space", tr("start, pause, go on")),
            KeyHint("N", tr("next activity")),
            KeyHint("+ −", tr("one repetition more, one fewer")),
            KeyHint("Ctrl+Z", tr("undo the last of these")),
            KeyHint("A", tr("I am assisting, and no more")),
            KeyHint("M", tr("mark this moment")),
            KeyHint("E", tr("end the session")),
            KeyHint("S P", tr("signals; patient view")),
            KeyHint("Enter", tr("press the control in focus")),
        ]

    def title(self) -> str:
        return tr("Session")

    # -- a session's life ---------------------------------------------------------------------------------------------

    def entered(self, argument: object) -> None:
        """Begin the session that the argument describes."""
        if not isinstance(argument, SessionSpec):
            raise ValueError(f"argument must be a SessionSpec, not {argument!r}")
        self.spec = argument
        self.path = self.desk.new_session_path(argument.patient)
        self.replaying = isinstance(argument.source, FileSource)
        self.state = ScreenState(argument.plan, argument.side, self.desk.who)
        self._lean = TrunkLean(argument.rig)
        self._clock = SmoothClock()
        self._failure, self._ready, self._drawn = None, False, ()
        self._counting_since_s = None
        self._files.forget()  # what is still being written belongs to the session before
        self.banner.clear()
        self.confirm.hide()
        names = {sensor.name: sensor_words(sensor) for sensor in argument.rig.sensors}
        self._names = names
        self.signals.set_names(list(names.values()))
        self._show_who(argument.patient)
        self.wrong_patient.setVisible(not self.replaying and not argument.simulated)
        self.activity.set_plan(argument.plan)
        self._show_evidence()
        self._show_sound()
        self.thread_ = SessionThread(self.make_opener(self.desk, argument, self.path))
        self.thread_.opened.connect(self._opened)
        self.thread_.failed.connect(self._failed)
        self.thread_.ended.connect(self._ended)
        self.thread_.start()
        self._timer.start(TICK_MS)
        self.tick()
        self.setFocus()

    def leaving(self) -> bool:
        if self.thread_ is not None and self.thread_.alive:
            if self.confirm.isHidden():
                self.ask_end()
            else:
                self.confirm.hide()  # a second Esc cancels
            return False
        self._close_patient_view()
        return True

    def _opened(self) -> None:
        self._ready = True
        self._render()

    def _failed(self, problem: RehabcountError) -> None:
        """An error ended the session; the record is kept, and Home offers it."""
        self._failure, self._ready = problem, False  # the session takes no more entries
        self.tick()
        self._timer.stop()
        self.banner.say(words_of(problem), "bad", tr("Leave"), lambda: self.go.emit("home", None))

    def _ended(self, path: Path) -> None:
        self.tick()
        self._timer.stop()
        self._close_patient_view()
        if self.thread_ is not None:
            self.thread_.join(5.0)
        self.go.emit("summary", path)

    # -- what the therapist does --------------------------------------------------------------------------------------

    def _act(self, act: Callable[[ScreenState], Step]) -> None:
        if self.state is None or self.thread_ is None or not self._ready or self.replaying:
            return
        before = self.state
        step = act(before)
        self.state = step.state
        for words in step.words:
            self.thread_.say(words)
        if before.phase == READY and step.state.phase == COUNTING and self._lean is not None:
            self._lean.rebase()
        self._render()

    def toggle_pause(self) -> None:
        self._act(acts.toggle_pause)

    def next_activity(self) -> None:
        self._act(acts.next_activity)

    def choose_activity(self, name: str) -> None:
        self._act(lambda state: acts.choose_activity(state, name))

    def adjust(self, by: int) -> None:
        self._act(lambda state: acts.adjust(state, by))

    def undo(self) -> None:
        self._act(acts.undo)

    def toggle_assist(self) -> None:
        self._act(acts.toggle_assist)

    def mark(self) -> None:
        self._act(acts.mark)

    def ask_end(self) -> None:
        if self.thread_ is None or not self.thread_.alive or (self.state is not None and self.state.phase == ENDED):
            return
        self.confirm.ask(
            tr("End this session? It is saved, and can be reviewed and corrected."),
            tr("End and save"),
            self.end,
            tr("Go on"),
        )
        self.confirm.yes.setFocus()

    def end(self) -> None:
        self._act(acts.end)
        self.confirm.hide()
        if self.thread_ is not None:
            self.thread_.end()

    def end_and(self, on_done: Callable[[], None]) -> None:
        if self.thread_ is None or not self.thread_.alive:
            on_done()
            return
        self.thread_.ended.connect(lambda _: on_done())
        self.thread_.failed.connect(lambda _: on_done())
        self.end()

    def _show_who(self, code: str) -> None:
        assert self.spec is not None
        self.who.say(patient_name(code))
        self.arm.setText(", " + (tr("left arm") if self.spec.side is Side.LEFT else tr("right arm")))
        self._code = code
        self.fit_top()

    def _show_patients(self) -> None:
        """Choose another patient for the session; counting goes on."""
        menu = QMenu(self)
        try:
            codes = [patient.code for patient in self.desk.library.patients()]
        except RehabcountError as problem:
            self.banner.say(words_of(problem), "warn")
            return
        menu.addSection(tr("This session belongs to"))
        for code in codes:
            action = QAction(patient_name(code), menu)
            action.setEnabled(code != self._code)
            action.triggered.connect(lambda _, code=code: self.reassign(code))
            menu.addAction(action)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.wrong_patient.mapToGlobal(self.wrong_patient.rect().bottomLeft()))

    def reassign(self, code: str) -> None:
        """Assign the session to another patient; the file is written in a thread of its own."""
        path, before = self.path, self._code
        if path is None:
            return

        def done(_: object) -> None:
            self._show_who(code)
            self._show_evidence()
            said = tr("The session is now {code}'s.").format(code=patient_name(code))
            self.confirm.offer_undo(said, lambda: self.reassign(before))

        def failed(problem: RehabcountError) -> None:
            self.confirm.ask(words_of(problem), tr("Try again"), lambda: self.reassign(code))
            self.setFocus()

        self._files.run(lambda: self.desk.library.assign(path, code), done, failed)

    def toggle_signals(self) -> None:
        self.aside.setCurrentIndex(1 - self.aside.currentIndex())
        self.signals_button.setChecked(self.aside.currentIndex() == 1)
        self.fit()

    def toggle_sound(self) -> None:
        with contextlib.suppress(RehabcountError):  # it is used in this session; a session is no time for this error
            self.desk.set_window(sound=not self.desk.window.sound)
        self._show_sound()

    def toggle_patient_view(self) -> None:
        if self.patient_view is not None:
            self._close_patient_view()
            return
        self.patient_view = PatientView()
        self.patient_view.closed.connect(self._patient_view_closed)
        self._bind_keys(self.patient_view)
        if self.state is not None:
            self.patient_view.show_state(self.state, live=self._live(self.state))
        self.patient_view.open()
        self.patient_button.setChecked(True)

    def _close_patient_view(self) -> None:
        if self.patient_view is not None:
            self.patient_view.close()

    def _patient_view_closed(self) -> None:
        if self.patient_view is not None:
            self.patient_view.deleteLater()
            self.patient_view = None
        self.patient_button.setChecked(False)

    # -- what is shown ------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Take the session's updates, and draw them."""
        if self.state is None or self.thread_ is None:
            return
        updates, blocks = self.thread_.take()
        state, before = self.state, self.state.repetitions
        for update in updates:
            state = acts.advance(state, update)
        if blocks:
            for frames in blocks:
                if self._lean is not None:
                    self._lean.look(frames)
            self.signals.add(blocks)
            state = acts.reached(state, float(blocks[-1].time_s[-1]))
            self._clock.heard(state.now_s, time.monotonic())
        self.state = state
        if self.desk.window.sound and state.repetitions > before and state.phase in RUNNING:
            QApplication.beep()
        self._render()

    @property
    def stale(self) -> bool:
        """Whether the screen is not live any more."""
        if self.thread_ is None or self.state is None or self.state.phase == ENDED:
            return False
        return self._failure is not None or self.thread_.silent_for_s() > SESSION_SILENT_S

    @property
    def _trouble(self) -> RehabcountError | None:
        return self.thread_.trouble if self.thread_ is not None else None

    @property
    def _unwritten_s(self) -> int:
        """How much is not on the disk; 0 if the disk does not refuse."""
        return round(self.thread_.unwritten_s) if self.thread_ is not None and self._trouble is not None else 0

    @property
    def _settled(self) -> bool:
        """Whether counting has had the time to work through the record of the calibration."""
        since_s = self._counting_since_s
        return since_s is not None and time.monotonic() - since_s >= CATCH_UP_S

    def _live(self, state: ScreenState) -> bool:
        """Whether the number is current."""
        return not self.stale and self._ready and not state.lacking and not self._catching_up(state)

    def _catching_up(self, state: ScreenState) -> bool:
        """Whether counting has just begun and is still behind: the number is not live, but there is no problem."""
        return state.behind_s > 0 and not self._settled

    def _render(self) -> None:
        state = self.state
        assert state is not None
        stale = self.stale
        self.ribbon.show_state(state, self._clock.now_s(time.monotonic()))
        second = int(state.elapsed_s)
        if self._counting_since_s is None and state.begun_s is not None:
            self._counting_since_s = time.monotonic()
        settled = self._settled
        lean = self._lean.deg if self._lean is not None else None
        flagged = self._lean is not None and self._lean.flagged
        silent = int(self.thread_.silent_for_s()) if stale and self.thread_ is not None else 0
        drawn = (
            theme.current().name, state.dose, state.adjustments, state.phase, state.activity, state.lost, state.health,
            state.late_s, state.missing, state.doubts, stale, self._trouble, self._unwritten_s,
            silent, settled, second, round(lean) if lean is not None else None, flagged, self._ready, len(state.done),
        )  # fmt: skip
        if drawn == self._drawn:
            return
        self._drawn = drawn
        live = self._live(state)
        self.headline.say(state.number, state.target, live=live)
        self.pill.say(
            state.phase,
            stale=stale,
            preparing=not self._ready and self._failure is None,
            catching_up=self._catching_up(state),
        )
        self.elapsed.setText(clock(state.elapsed_s))
        self.fit_top()
        caption, below = self._caption(state), self._below(state)
        if self.lowest and below:  # there is no room for a second line
            caption, below = f"{caption}  ·  {below}", ""
        self.caption.say(caption)
        self.reached.setText(self._reached(state))
        self.below.say(below)
        self.below.setVisible(bool(below))
        self.activity.show_state(state, lean, leaning=flagged)
        self.primitives.show_state(state)
        self._show_actions(state)
        if self.patient_view is not None:
            self.patient_view.show_state(state, live=live)
        if self._failure is None:
            self._show_health(state, silent, settled=settled)

    def _caption(self, state: ScreenState) -> str:
        """The caption of the number."""
        words = tr("Task repetitions")
        if state.present:
            words = f"{state.present}  ·  {words}"
        by_hand = sum(each.by for each in state.adjustments if each.activity == state.present or not state.present)
        if by_hand:
            words += "  ·  " + tr("{number} by hand").format(number=signed(by_hand))
        return words

    def _below(self, state: ScreenState) -> str:
        """Facts for which there is no room above, and those of a hidden card."""
        words = [self.evidence.text()] if self.evidence.isHidden() and self.evidence.text() else []
        if not self.activity.isVisible() and state.present:
            words.append(f"{tr('In all')}: {whole_session(state)}")
        return "  ·  ".join(words)

    def _reached(self, state: ScreenState) -> str:
        """The message that the present activity's target is reached, with the next activity; empty before."""
        if not state.target_reached:
            return ""
        following = state.next_activity if state.phase != READY else None
        if following is None:
            return "✓ " + tr("Target reached")
        return "✓ " + tr("Target reached. Next: {activity}").format(activity=following)

    def _show_health(self, state: ScreenState, silent_s: int, *, settled: bool) -> None:
        wrong = what_is_wrong(
            state, silent_s, self._names, self._trouble, unwritten_s=self._unwritten_s, settled=settled
        )
        if wrong is None:
            self.banner.clear()
        else:
            self.banner.say(wrong.text, wrong.kind)

    def _show_actions(self, state: ScreenState) -> None:
        running = self._ready and state.phase not in (READY, ENDED) and not self.replaying
        words = {READY: (tr("Start"), "play"), acts.PAUSED: (tr("Go on"), "play")}
        self.main_button.say(*words.get(state.phase, (tr("Pause"), "pause")))
        self.main_button.setEnabled(self._ready and state.phase != ENDED and not self.replaying)
        self.next_button.setEnabled(running and state.next_activity is not None)
        for button in (self.plus_button, self.mark_button):
            button.setEnabled(running)
        self.assist_button.setEnabled(running and state.phase in RUNNING)
        self.minus_button.setEnabled(running and state.number > 0)
        self.undo_button.setEnabled(running and bool(state.done))
        self.assist_button.setChecked(state.phase == acts.ASSISTED)
        self.end_button.setEnabled(state.phase != ENDED)

    def _show_evidence(self) -> None:
        artifact = self.desk.artifact()
        known = artifact is not None and artifact.card.evidence is Evidence.PATIENTS
        self.evidence.setText("" if known else tr("Accuracy on patients unknown"))
        self.evidence.setToolTip(tr("The model was measured on simulated or healthy people only; see About."))
        severity = self._severity()
        warning = ""
        if artifact is not None and self.spec is not None and severity is not None:
            warning = worth_of(artifact.card, self.spec.rig.name, severity).warning
        set_look(self.evidence, "rank", "warning" if warning else "caption")
        if warning:
            self.evidence.setText(tr("Rough sign of activity only"))
            self.evidence.setToolTip(warning)
        agreement = sessions_of(artifact.card) if artifact is not None else None
        sensors = len(self.spec.rig) if self.spec is not None else 0
        self.worth.say(wording.single_session_short(agreement, severity, sensors))
        self.worth.setToolTip(wording.single_session(agreement, severity))
        if artifact is not None:
            self._say_model(artifact)

    def _say_model(self, artifact: Artifact) -> None:
        """Show which model counts; one that did not come with the program is always named."""
        name = wording.origin(f"{artifact.card.name} {artifact.card.version}", artifact.is_shipped)
        words = tr("Counted by {model}.").format(model=name)
        self.evidence.setToolTip(f"{words} {self.evidence.toolTip()}")
        if not artifact.is_shipped:
            said = self.evidence.text()
            self.evidence.setText(f"{words} {said}" if said else words)

    def _severity(self) -> Severity | None:
        """The severity of the patient's paresis, if the library knows it."""
        try:
            return self.desk.severity(self.desk.library.patient(self._code))
        except RehabcountError:
            return None

    def _show_sound(self) -> None:
        on = self.desk.window.sound
        self.sound_button.set_icon("sound" if on else "silent")
        self.sound_button.setChecked(on)

    def fit(self) -> None:
        super().fit()
        self._drawn = ()  # hidden widgets change the text of others


def sensor_words(sensor: Sensor) -> str:
    """A sensor by the name of its place; by its own name if it has no place."""
    return sensor.name if sensor.place is None else place_name(sensor.place)

"""Home: patients on the left; on the right the chosen one with the next step and the sessions.

Interrupted sessions are offered for recovery at the top. The initials of the person who is working are asked for once
and kept, so that every correction has an author. Changes by another window are shown when this one is entered, and
every few seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PyQt6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from rehabcount.domain.dose import Plan
from rehabcount.domain.patient import DEMO, Patient
from rehabcount.errors import RehabcountError, StoreError
from rehabcount.gui.background import Background
from rehabcount.gui.controls import (
    Banner,
    Card,
    ConfirmBar,
    EmptyState,
    Heading,
    PlainButton,
    QuietButton,
    scrolling,
    text_label,
)
from rehabcount.gui.delete_panel import DeletePanel, of_patient, of_session
from rehabcount.gui.desk import Desk, FileSource, SessionSpec
from rehabcount.gui.flow import Columns, Flow
from rehabcount.gui.home_rows import Shelves, Stamp, patient_rows, readings, session_row, without_patient
from rehabcount.gui.language import key_name, patient_name, plural, tr
from rehabcount.gui.moments import repetitions, spoken_length, spoken_time
from rehabcount.gui.overlay import Overlay
from rehabcount.gui.owners import possible_owners, why_none
from rehabcount.gui.patient_card import PatientFacts, PatientForm
from rehabcount.gui.rows import RowList, hold_width
from rehabcount.gui.screen import KeyHint, Screen
from rehabcount.gui.theme import px, space
from rehabcount.gui.troubles import words_of
from rehabcount.store.documents import PATIENT, PLAN
from rehabcount.store.library import SessionEntry, Standing
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of

NARROW = 520  # pixels at 100 %: below, the heading needs the row
LOOK_AGAIN_MS = 5000  # another window may have added a patient


class HomeScreen(Screen):
    name = "home"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._patients: dict[str, Patient] = {}
        self._sessions: tuple[SessionEntry, ...] = ()
        self._stamp: Stamp = (0, 0)  # of the library as it is shown
        self._keep: object = None  # the patient to show once the library is read
        self._unread = False  # whether the library could not be read
        self._shown = ""  # the code of the patient whose page is shown
        self._wanted = ""  # the patient of a start that waits for the initials
        self._complete = False  # whether all sessions are known
        column = QVBoxLayout(self)
        column.setContentsMargins(space(3), space(2.5), space(3), space(2))
        column.setSpacing(space(1.5))
        column.addLayout(self._make_head())
        self.interrupted = Banner()
        self.trouble = Banner()
        self.confirm = ConfirmBar()
        column.addWidget(self.interrupted)  # it stays until the session is recovered, so it covers nothing
        self.panels = QStackedWidget()
        self.panels.addWidget(self._make_patient())
        self.area = scrolling(Columns(self._make_list(), self.panels, (5, 8), narrow=760))
        column.addWidget(self.area, 1)
        Overlay(self, self.trouble, self.confirm)
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_AGAIN_MS)
        self._timer.timeout.connect(self._look_again)
        self._background = Background(self)
        self._reading = Background(self)  # apart: a recovery takes minutes

    def title(self) -> str:
        return tr("Home")

    def keys(self) -> list[KeyHint]:
        return [
            KeyHint("Ctrl+F", tr("search for a patient")),
            KeyHint("Ctrl+N", tr("new patient")),
            KeyHint("Enter", tr("new session with the chosen patient")),
            KeyHint("Del", tr("delete the chosen patient or session, after a question")),
        ]

    # -- building -----------------------------------------------------------------------------------------------------

    def _make_head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(space(1))
        row.addWidget(Heading(tr("Patients")), 1)
        self.progress = text_label("", "muted")  # in a row that is always there, so that nothing moves
        row.addWidget(self.progress)
        row.addSpacing(space(2))
        self.today = text_label(tr("Working today:"), "muted")
        row.addWidget(self.today)
        self.who = QLineEdit(self.desk.who)
        self.who.setPlaceholderText(tr("initials"))
        self.who.setAccessibleName(tr("Initials of who is working"))
        self.who.setToolTip(tr("Your initials are kept with every correction."))
        self.who.setMaxLength(6)
        self.who.setFixedWidth(px(96))
        self.who.editingFinished.connect(self._keep_who)
        self.who.returnPressed.connect(self._enter_who)
        row.addWidget(self.who)
        return row

    def _make_list(self) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(1))
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search code or notes"))
        self.search.setAccessibleName(tr("Search code or notes"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(lambda _: self._fill_patients())
        column.addWidget(self.search)
        self.list = RowList(tr("Patients"))
        self.list.setMinimumHeight(px(170))
        self.list.chosen.connect(lambda _: self._show_chosen())
        self.list.opened.connect(lambda _: self._start())
        self.list.delete_asked.connect(self._ask_delete)
        column.addWidget(self.list, 1)
        self.new = PlainButton(tr("New patient"), "plus", self._new_patient)
        self.open = QuietButton(tr("Open a recording"), "folder")
        menu = QMenu(self.open)
        menu.addAction(tr("Show its results …"), lambda: self._open_file(self._show_results))
        menu.addAction(tr("Count it as if it happened now …"), lambda: self._open_file(self._replay))
        self.open.setMenu(menu)
        column.addLayout(Flow(self.new, self.open))
        for keys, act in (("Ctrl+F", self.search.setFocus), ("Ctrl+N", self._new_patient)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(act)
        hold_width(holder, 38)
        return holder

    def _make_patient(self) -> QWidget:
        card = Card()
        card.body.setContentsMargins(space(3), space(2.5), space(3), space(2.5))
        self.facts = PatientFacts()
        self.facts.start.connect(self._start)
        self.facts.history.connect(lambda: self.go.emit("history", self._chosen_code()))
        self.facts.change.connect(self._change_patient)
        self.facts.delete.connect(self._ask_delete)
        card.body.addWidget(self.facts)
        card.body.addSpacing(space(1))
        self.sessions_heading = Heading(tr("Sessions"), "heading")
        card.body.addWidget(self.sessions_heading)
        self.review = QuietButton(tr("Review"), "edit", lambda: self._open_session("review"))
        self.results = QuietButton(tr("Results"), "report", lambda: self._open_session("summary"))
        self.reassign = QuietButton(tr("Wrong patient?"), "reassign", self._ask_reassign)
        self.delete_session = QuietButton(tr("Delete the session"), "delete", self._ask_delete_session)
        self.delete_session.setToolTip(f"{tr('Delete the session')} ({key_name('Del')})")
        self.session_buttons = Flow(self.results, self.review, self.reassign, self.delete_session)
        card.body.addWidget(self._make_reassign())
        self.sessions = RowList(tr("Sessions"))
        self.sessions.chosen.connect(lambda _: self._show_session_buttons())
        self.sessions.opened.connect(lambda _: self._open_session("summary"))
        self.sessions.delete_asked.connect(self._ask_delete_session)
        self.none = EmptyState("clock", tr("No session yet."))
        self.sessions.setMinimumHeight(px(170))
        card.body.addWidget(self.sessions, 1)
        card.body.addWidget(self.none, 1)
        card.body.addLayout(self.session_buttons)
        return card

    def _make_reassign(self) -> QWidget:
        self.reassign_bar = QWidget()
        row = QHBoxLayout(self.reassign_bar)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(text_label(tr("This session is of")))
        self.reassign_to = QComboBox()
        self.reassign_to.setAccessibleName(tr("This session is of"))
        self.reassign_to.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row.addWidget(self.reassign_to, 1)
        row.addWidget(PlainButton(tr("Give it to this patient"), "check", self._do_reassign))
        row.addWidget(QuietButton(tr("Cancel"), "", self.reassign_bar.hide))
        self.reassign_bar.hide()
        return self.reassign_bar

    # -- filling ------------------------------------------------------------------------------------------------------

    def entered(self, argument: object) -> None:
        """`argument` may be the code of the patient to show."""
        self.who.setText(self.desk.who)
        self.panels.setCurrentIndex(0)
        self.trouble.clear()
        self._wanted = ""
        if not self._patients:  # nothing was read yet; the demo patient needs no library
            self._patients = {DEMO.code: DEMO}
            self._fill_patients()
        self._refresh(keep=argument if isinstance(argument, str) else None)
        self._reading.run(self.desk.library.check_room, lambda _: None, self._complain)
        self.list.setFocus()

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        self.today.setVisible(self.width() >= px(NARROW))  # the field itself asks for initials

    def showEvent(self, event: QShowEvent | None) -> None:  # noqa: N802 (Qt's name)
        self._timer.start()
        super().showEvent(event)

    def leaving(self) -> bool:
        self._keep_who()
        self._timer.stop()
        return True

    def step_back(self) -> bool:
        """Close the open panel without its action: no deletion, no saving, no change of a session's patient."""
        if self.panels.currentIndex() != 0:
            self._close_panel()
        elif self.reassign_bar.isVisible():
            self.reassign_bar.hide()
            self.sessions.setFocus()
        else:
            return False
        return True

    def _look_again(self) -> None:
        if self.isVisible() and self.panels.currentIndex() == 0 and not self._reading.busy:
            self._read(unless=self._stamp)

    def _refresh(self, keep: object = None) -> None:
        """Reads the library in a thread, because its disk may be slow. `keep`: the patient to show then."""
        self._keep = keep if keep is not None else self._keep
        self._reading.forget()  # what is read now is newer
        self._read()

    def _read(self, unless: Stamp | None = None) -> None:
        """Shows the library when it has been read; does nothing if its stamp is still `unless`."""
        self._read_on(readings(self.desk.library, unless))

    def _read_on(self, steps: Iterator[Shelves]) -> None:
        self._reading.run(lambda: next(steps, None), lambda found: self._show_library(found, steps), self._show_no_more)

    def _show_library(self, found: Shelves | None, steps: Iterator[Shelves]) -> None:
        if found is None:
            return
        listing = found.listing
        self._complete = listing.complete
        self._stamp, self._sessions = found.stamp, listing.sessions
        self._patients = {DEMO.code: DEMO} | {each.code: each for each in found.patients}
        if self._unread:
            self._unread = False
            self.trouble.clear()
        words = tr("Reading the sessions: {looked} of {new}")
        self.progress.setText("" if listing.complete else words.format(looked=listing.looked, new=listing.new))
        if listing.complete or self.reassign_bar.isHidden():  # which would close
            self._show_anew()
        if not listing.complete:
            self._read_on(steps)

    def _show_no_more(self, error: RehabcountError) -> None:
        """The library cannot be read: the demo patient needs none."""
        self._complete = True
        self.progress.clear()
        self._patients = {DEMO.code: DEMO}
        self._unread = True
        self._complain(error)
        self._show_anew()

    def _show_anew(self) -> None:
        keep, self._keep = self._keep, None
        self._fill_patients(keep)
        self._offer_recovery()

    def _fill_patients(self, keep: object = None) -> None:
        self.list.show_rows(patient_rows(self._patients, self._sessions, self.search.text()), keep)

    def _chosen_code(self) -> str:
        key = self.list.current_key()
        return key if isinstance(key, str) else ""

    def _show_chosen(self) -> None:
        code = self._chosen_code()
        patient = self._patients.get(code)
        if code != self._shown and not self._unread:
            self.trouble.clear()  # it was about another patient
        self._shown = code
        self.sessions_heading.setVisible(self.list.current_key() is not None)
        self.facts.setVisible(patient is not None)
        if patient is not None:
            self.facts.show_patient(patient)
        if self.list.current_key() is None:
            own = []
            self.none.label.setText(tr("No patient matches the search."))
        else:
            unassigned = without_patient(self._patients, self._sessions)
            own = unassigned if patient is None else [entry for entry in self._sessions if entry.patient == code]
            self.none.label.setText(tr("No session yet.") if self._complete else tr("Reading the sessions …"))
        self.facts.history_button.setEnabled(bool(own))
        self.sessions.show_rows([session_row(entry) for entry in own])
        self.sessions.setVisible(bool(own))
        self.none.setVisible(not own)
        self.reassign_bar.hide()
        self._show_session_buttons()

    def _show_session_buttons(self) -> None:
        entry = self._chosen_session()
        readable = entry is not None and entry.standing in (Standing.CLOSED, Standing.INTERRUPTED)
        for button in (self.results, self.review, self.reassign):
            button.setVisible(readable)
        self.delete_session.setVisible(entry is not None and entry.standing is not Standing.RECORDING)

    def _chosen_session(self) -> SessionEntry | None:
        key = self.sessions.current_key()
        return next((entry for entry in self._sessions if entry.path == key), None)

    # -- doing --------------------------------------------------------------------------------------------------------

    def _keep_who(self) -> None:
        if self.who.text().strip() != self.desk.who:
            self._try(lambda: self.desk.set_who(self.who.text()))

    def _start(self) -> None:
        code = self._chosen_code()
        if code not in self._patients:
            return
        self._keep_who()
        if code != DEMO.code and not self.desk.who:
            self.trouble.say(tr("Enter your initials to start. They are kept with every correction."), "info")
            self._wanted = code
            self.who.setFocus()
            return
        self._wanted = ""
        self.go.emit("setup", None if code == DEMO.code else code)

    def _enter_who(self) -> None:
        """Enter in the field of the initials starts the session that waited for them."""
        self._keep_who()
        if self._wanted and self._wanted == self._chosen_code() and self.desk.who:
            self.trouble.clear()
            self._start()

    def _new_patient(self) -> None:
        self._show_form(None)

    def _change_patient(self) -> None:
        self._show_form(self._patients.get(self._chosen_code()))

    def _show_form(self, patient: Patient | None) -> None:
        form = PatientForm(patient)
        form.saved.connect(lambda before, new: self._save_patient(form, before, new))
        form.cancelled.connect(self._close_panel)
        self._show_panel(form)
        form.code.setFocus()

    def _save_patient(self, form: PatientForm, before: str | None, patient: Patient) -> None:
        library = self.desk.library
        try:
            if before is None:
                library.add_patient(patient)
            else:
                library.change_patient(before, patient)
        except RehabcountError as error:
            form.complain(words_of(error))
            return
        self.search.clear()
        self._close_panel()
        self._refresh(keep=patient.code)

    def _ask_delete(self) -> None:
        patient = self._patients.get(self._chosen_code())
        if patient is None or patient == DEMO:
            return
        library, code = self.desk.library, patient.code
        number = sum(entry.patient == code for entry in self._sessions)
        self._ask_to_delete(of_patient(patient, number), lambda typed: library.delete_patient(code, typed))

    def _ask_delete_session(self) -> None:
        entry, library = self._chosen_session(), self.desk.library
        if entry is None or entry.standing is Standing.RECORDING:
            return
        self._ask_to_delete(of_session(entry), lambda typed: library.delete_session(entry.path, typed))

    def _ask_to_delete(self, panel: DeletePanel, on_confirmed: Callable[[str], object]) -> None:
        """`on_confirmed` gets the typed text."""

        def go(typed: str) -> None:
            try:
                on_confirmed(typed)
            except RehabcountError as error:
                panel.trouble.say(words_of(error), "bad")
                return
            self._close_panel()
            self._refresh()

        panel.cancelled.connect(self._close_panel)
        panel.confirmed.connect(go)
        self._show_panel(panel)
        panel.typed.setFocus()

    def _show_panel(self, panel: QWidget) -> None:
        self._close_panel()
        if not self._unread:
            self.trouble.clear()
        self.confirm.hide()
        self.told.emit("")
        self.panels.addWidget(panel)
        self.panels.setCurrentWidget(panel)
        QTimer.singleShot(0, self._show_panels)  # once it has its place

    def _show_panels(self) -> None:
        """In a small window the panel is below the list: scroll to it."""
        self.area.ensureWidgetVisible(self.panels, 0, 0)

    def _close_panel(self) -> None:
        while self.panels.count() > 1:
            extra = self.panels.widget(1)
            assert extra is not None
            self.panels.removeWidget(extra)
            extra.deleteLater()
        self.list.setFocus()

    def _open_session(self, screen: str) -> None:
        entry = self._chosen_session()
        if entry is not None and entry.standing in (Standing.CLOSED, Standing.INTERRUPTED):
            self.go.emit(screen, entry.path)

    def _ask_reassign(self) -> None:
        entry = self._chosen_session()
        if entry is None:
            return
        simulated = entry.figures.simulated
        self.reassign_to.clear()
        for code in possible_owners(self._patients, entry.patient or "", simulated=simulated):
            self.reassign_to.addItem(patient_name(code), code)
        self.reassign_bar.setVisible(self.reassign_to.count() > 0)
        self.reassign_to.setFocus()
        if not self.reassign_to.count():
            self.trouble.say(why_none(simulated=simulated), "info")

    def _do_reassign(self) -> None:
        entry, code = self._chosen_session(), str(self.reassign_to.currentData() or "")
        if entry is None:
            return
        before, library = entry.patient, self.desk.library

        def give(to: str, on_done: Callable[[], None]) -> None:
            """In a thread, because it waits for a file that another program has open."""
            self._background.run(lambda: library.assign(entry.path, to), lambda _: on_done(), self._complain)

        def given() -> None:
            self._refresh(keep=code)
            if before in self._patients and not entry.figures.simulated:  # otherwise undo would be refused
                said = tr("The session is now {code}'s.").format(code=patient_name(code))
                self.confirm.offer_undo(said, lambda: give(str(before), lambda: self._refresh(keep=before)))

        self.reassign_bar.hide()
        give(code, given)

    # -- recordings from elsewhere, interrupted sessions --------------------------------------------------------------

    def _open_file(self, on_chosen: Callable[[Path], None]) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, tr("Open a recording"), str(self.desk.settings.sessions), tr("Sessions (*.rehab)")
        )
        if name:
            on_chosen(Path(name))

    def _show_results(self, path: Path) -> None:
        self.go.emit("summary", path)

    def _replay(self, path: Path) -> None:
        try:
            with SessionFile.open(path) as file:
                owner, plan = file.legible(PATIENT), file.document(PLAN)
                rig, side = file.rig, side_of(file)
        except StoreError as error:
            self._complain(error)
            return
        code = owner.code if owner else DEMO.code
        self.go.emit("live", SessionSpec(code, rig, side, plan or Plan(), FileSource(path)))

    def _offer_recovery(self) -> None:
        broken = [entry for entry in self._sessions if entry.standing is Standing.INTERRUPTED]
        if not broken:
            self.interrupted.clear()
            return
        first = broken[0]
        who = patient_name(first.patient or "") or tr("an unknown patient")
        text = tr("The session of {who} ({when}, {length}) was interrupted. Everything until then is kept.").format(
            who=who, when=spoken_time(first.begun_utc), length=spoken_length(first.figures.length_s)
        )
        if len(broken) > 1:
            text += " " + plural(len(broken) - 1, "{n} more waits.", "{n} more wait.")
        self.interrupted.say(text, "warn", tr("Recover it"), lambda: self._recover(first.path))

    def _recover(self, path: Path) -> None:
        """In a thread, because a long session is checked for damage first."""
        self.interrupted.say(tr("Recovering …"), "info")

        def failed(error: RehabcountError) -> None:
            self._complain(error)
            self._offer_recovery()

        def recover() -> None:
            from rehabcount.bedside.recovering import recover_and_count  # heavy, and wanted after a crash only

            recover_and_count(path, self.desk.settings)

        self._background.run(recover, lambda _: self._show_recovered(path), failed)

    def _show_recovered(self, path: Path) -> None:
        words = tr("The session is recovered and counted.")
        try:
            entry = self.desk.library.refresh(path)
        except RehabcountError as error:
            self._complain(error)
        else:
            words = tr("The session of {who} ({when}) is recovered and counted: {length}, {repetitions}.").format(
                who=patient_name(entry.patient or "") or tr("an unknown patient"),
                when=spoken_time(entry.begun_utc),
                length=spoken_length(entry.figures.length_s),
                repetitions=repetitions(entry.figures.repetitions),
            )
        if self.isVisible():  # do not leave another screen that was opened meanwhile
            self.go.emit("summary", path)
        self.told.emit(words)

    def _try(self, act: Callable[[], object]) -> None:
        try:
            act()
        except RehabcountError as error:
            self._complain(error)

    def _complain(self, error: RehabcountError) -> None:
        self.trouble.say(words_of(error), "bad")

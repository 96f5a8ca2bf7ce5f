"""The summary: the results of a session, after its end or later.

Entered with the path of a session file. Everything comes from `engine.summarise.summarise`; the PDF and the table are
made from the same object.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QResizeEvent, QShortcut
from PyQt6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from rehabcount.domain.labels import PRIMITIVES
from rehabcount.domain.session_summary import Summary
from rehabcount.domain.update import Mark
from rehabcount.engine.summarise import keep_dose, known_models, primitives_in, summarise
from rehabcount.errors import RehabcountError
from rehabcount.exchange.report import length_of, write_figures
from rehabcount.gui import wording
from rehabcount.gui.background import Background
from rehabcount.gui.charts import ActivityBars, Progress, Swatch, TimeCourse
from rehabcount.gui.controls import (
    Banner,
    BigNumber,
    Card,
    ConfirmBar,
    Heading,
    PlainButton,
    PrimaryButton,
    QuietButton,
    rule,
    scrolling,
    text_label,
)
from rehabcount.gui.delete_panel import DeletePanel, of_session
from rehabcount.gui.desk import Desk
from rehabcount.gui.flow import Flow
from rehabcount.gui.language import definition_words, key_name, patient_name, primitive_name, side_name, tr
from rehabcount.gui.overlay import Overlay
from rehabcount.gui.owners import possible_owners, why_none
from rehabcount.gui.report_page import write_pdf
from rehabcount.gui.saved_file import SavedFile
from rehabcount.gui.screen import KeyHint, Screen
from rehabcount.gui.theme import px, space
from rehabcount.gui.troubles import words_of
from rehabcount.store.library import Library, SessionEntry
from rehabcount.store.session_file import SessionFile

WIDE = 920  # pixels at 100 %: two columns below this would break every line
COURSE = 2  # place of the time course among the cards


def settle(path: Path, library: Library, model_folders: Sequence[Path]) -> Summary:
    """The summary; the list of sessions is updated if the session was corrected."""
    summary = read_summary(path, model_folders)
    with contextlib.suppress(RehabcountError):  # a read-only disk: the summary is right, only the list is not updated
        with SessionFile.annotate(path) as session:
            news = keep_dose(session, summary)
        if news:
            library.refresh(path)
    return summary


def read_summary(path: Path, model_folders: Sequence[Path] = ()) -> Summary:
    """The summary of the file; the accuracy comes from the cards of the models in these folders."""
    models = known_models(model_folders)
    with SessionFile.open(path) as session:
        return summarise(session, models=models)


class SummaryScreen(Screen):
    name = "summary"

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk, parent)
        self.path = Path()
        self.summary: Summary | None = None
        self._background = Background(self)
        self._cards: list[Card] = []
        page = QWidget()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        area = scrolling(page)
        whole.addWidget(area)
        outer = QVBoxLayout(page)
        outer.setContentsMargins(space(3), space(2.5), space(3), space(2))
        outer.setSpacing(space(2))
        outer.addLayout(self._make_head())
        outer.addWidget(self.facts)
        self.banner, self.simulated, self.asking = Banner(), Banner(), ConfirmBar()
        self.chooser = self._make_chooser()
        Overlay(self, self.banner, self.asking)
        outer.addWidget(self.simulated)
        outer.addWidget(self.chooser)
        self.deleting: DeletePanel | None = None
        self._place_to_ask = QVBoxLayout()
        outer.addLayout(self._place_to_ask)
        self._body = QGridLayout()
        self._body.setSpacing(space(2))
        outer.addLayout(self._body)
        outer.addStretch(1)
        for keys, act in (
            ("Ctrl+P", self.save_pdf),
            ("Ctrl+S", self.save_table),
            ("R", self.review),
            ("Del", self.ask_delete),
        ):
            QShortcut(keys, self, act, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)

    def title(self) -> str:
        return tr("Summary")

    def keys(self) -> list[KeyHint]:
        return [
            KeyHint("R", tr("review and correct")),
            KeyHint("Ctrl+P", tr("report as PDF")),
            KeyHint("Ctrl+S", tr("table as CSV")),
            KeyHint("Del", tr("delete the session, after a question")),
        ]

    # -- building -----------------------------------------------------------------------------------------------------

    def _make_head(self) -> QBoxLayout:
        """The patient's code, with the buttons beside it, or below where the window is narrow."""
        head = self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        head.setSpacing(space(1))
        self.whose = Heading("")
        self.facts = text_label("", "muted", wrap=True)
        self.wrong_patient = QuietButton(tr("Wrong patient?"), "reassign", self._choose_patient)
        self.delete_button = QuietButton(tr("Delete"), "delete", self.ask_delete)
        self.delete_button.setToolTip(f"{tr('Delete the session')} ({key_name('Del')})")
        self.csv_button = PlainButton(tr("Table (CSV)"), "table", self.save_table)
        self.pdf_button = PlainButton(tr("Report (PDF)"), "report", self.save_pdf)
        self.review_button = PrimaryButton(tr("Review and correct"), "edit", self.review)
        self.csv_button.setToolTip(tr("Every figure as a table (CSV)"))
        self.pdf_button.setToolTip(tr("One page to print (PDF)"))
        buttons = Flow()
        for button in (self.review_button, self.pdf_button, self.csv_button, self.wrong_patient, self.delete_button):
            buttons.addWidget(button)
        head.addWidget(self.whose, 1)
        head.addLayout(buttons)
        return head

    def _make_chooser(self) -> QWidget:
        """Asks for the right patient of the session."""
        chooser = Card()
        row = QHBoxLayout()
        label = text_label(tr("This session belongs to"), "strong")
        self.patients = QComboBox()
        self.patients.setAccessibleName(tr("Patient"))
        self.patients.setMinimumWidth(px(220))
        label.setBuddy(self.patients)
        row.addWidget(label)
        row.addWidget(self.patients, 1)
        self.assign_button = PrimaryButton(tr("Reassign"), "", self._reassign)
        row.addWidget(self.assign_button)
        row.addWidget(QuietButton(tr("Cancel"), "", chooser.hide))
        chooser.body.addLayout(row)
        chooser.hide()
        return chooser

    # -- showing ------------------------------------------------------------------------------------------------------

    def entered(self, argument: object) -> None:
        self.path = Path(str(argument)) if argument is not None else self.path
        self.summary = None  # it may be of another session: keys must not save it under this one's name
        self.banner.clear()
        self.simulated.clear()
        self.chooser.hide()
        self._stop_asking()
        self.asking.hide()
        self._background.forget()
        self._set_usable(False)
        self.whose.setText(self.path.stem)
        self.facts.setText(tr("Reading the session …"))
        self._empty()
        path = self.path
        self._background.run(
            lambda: settle(path, self.desk.library, self.desk.model_folders), self._show, self._complain
        )

    def step_back(self) -> bool:
        if self.deleting is not None:
            self._stop_asking()
            self.delete_button.setFocus()
        elif not self.chooser.isHidden():
            self.chooser.hide()
            self.wrong_patient.setFocus()
        else:
            return False
        return True

    def leaving(self) -> bool:
        self._background.forget()
        return True

    def _set_usable(self, usable: bool) -> None:
        for button in (self.wrong_patient, self.csv_button, self.pdf_button, self.review_button):
            button.setEnabled(usable)
        own = self.path.resolve().parent == self.desk.library.sessions_folder.resolve()
        self.delete_button.setVisible(own)  # a file from elsewhere is not ours to delete
        self.review_button.set_icon("edit")  # its colour depends on whether it is enabled

    def _empty(self) -> None:
        while (item := self._body.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        self._cards = []

    def _show(self, summary: Summary) -> None:
        self.summary = summary
        self.whose.setText(wording.whose(summary))
        self.facts.setText(f"{wording.moment(summary.begun_utc_ns)}  ·  {wording.facts_line(summary)}")
        self._set_usable(True)
        if summary.simulated:
            self.simulated.say(tr("Simulated data: no person was measured."), "info")
        self._empty()
        self._cards = [
            self._headline(summary),
            self._figures(summary),
            self._course(summary),
            self._activities(summary),
            self._primitives(summary),
            self._notes(summary),
            self._provenance(summary),
        ]
        self._arrange()
        self.review_button.setFocus()

    def _arrange(self) -> None:
        """Two columns where there is room for them; the time course always has the whole width."""
        wide = self.width() >= px(WIDE)
        row = column = 0
        for card in self._cards:
            whole = not wide or card is self._cards[COURSE]
            if whole and column:
                row, column = row + 1, 0
            self._body.addWidget(card, row, column, 1, 2 if whole else 1)
            row, column = (row + 1, 0) if whole or column else (row, 1)
        self._body.setColumnStretch(0, 1)
        self._body.setColumnStretch(1, 1)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        wide = self.width() >= px(WIDE)
        self._head.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
        self._arrange()

    def _headline(self, summary: Summary) -> Card:
        card = Card()
        dose = summary.dose
        number = BigNumber(wording.number(dose.repetitions))
        number.setMinimumHeight(px(110))
        card.body.addWidget(number, 1)
        card.body.addWidget(_centred(text_label(tr("task repetitions"), "lead")))
        if dose.of_plan is not None and dose.plan.target:
            bar = Progress()
            bar.show_share(dose.of_plan / dose.plan.target)
            card.body.addWidget(bar)
            planned = text_label(wording.of_plan(dose), "muted")
            planned.setToolTip(tr("More than one activity's target does not make up for another's."))
        else:
            planned = text_label(tr("no target was set"), "muted")
        card.body.addWidget(_centred(planned))
        if summary.model is not None:
            card.body.addWidget(text_label(wording.single_session(summary.model.sessions), wrap=True))
        return card

    def _figures(self, summary: Summary) -> Card:
        card, grid, dose = Card(), QGridLayout(), summary.dose
        pace = wording.number(summary.pace_per_min, 1)
        counted = wording.number(primitives_in(dose, summary.side))
        figures = [
            (wording.length(dose.active_s), tr("active time of the arm")),
            (pace, wording.pace_name()),
            (wording.share(summary.assisted_share), wording.helped(summary)),
            (counted, tr("primitives counted")),
            (wording.length(summary.counting_s), tr("counted, without pauses and help")),
            (wording.length(summary.paused_s), tr("paused")),
        ]
        for i, (value, name) in enumerate(figures):
            cell = QVBoxLayout()
            cell.setSpacing(0)
            cell.addWidget(text_label(value, "title"))
            words = text_label(name, "muted", wrap=True)
            if name == wording.pace_name():
                words.setToolTip(wording.pace_help())
            cell.addWidget(words)
            grid.addLayout(cell, i // 2, i % 2)
        grid.setVerticalSpacing(space(2))
        card.body.addLayout(grid)
        return card

    def _course(self, summary: Summary) -> Card:
        card = Card(wording.course_title(summary.bin_s))
        chart = TimeCourse()
        chart.show_bins(summary.bins, summary.bin_s, summary.pauses)
        card.body.addWidget(chart)
        legend = tr("Time since Start, pauses included.")
        if summary.dose.assisted_repetitions:
            legend += " " + tr("Hatched: with assistance.")
        card.body.addWidget(text_label(legend, "caption"))
        return card

    def _activities(self, summary: Summary) -> Card:
        card = Card(tr("By activity"))
        if summary.dose.activities:
            bars = ActivityBars()
            bars.show_activities(summary.dose.activities)
            card.body.addWidget(bars)
            if any(each.target is not None for each in summary.dose.activities):
                card.body.addWidget(text_label(tr("The upright line is the target."), "caption"))
        else:
            card.body.addWidget(text_label(tr("No activity was named."), "muted"))
        card.body.addStretch()
        return card

    def _primitives(self, summary: Summary) -> Card:
        card = Card(tr("Primitives, {side} arm").format(side=side_name(summary.side.value)))
        grid = QGridLayout()
        grid.setVerticalSpacing(space(1))
        corrected = summary.agreement.is_checked
        heads = [tr("time"), tr("count"), *([tr("automatic")] if corrected else [])]
        for column, head in enumerate(heads, 2):
            grid.addWidget(_right(text_label(head, "caption")), 0, column)
        for row, label in enumerate(PRIMITIVES.labels, 1):
            compared = next(each for each in summary.agreement.primitives if each.label == label.name)
            grid.addWidget(Swatch(label), row, 0)
            name = text_label(primitive_name(label.name))
            name.setToolTip(definition_words(label.name))
            grid.addWidget(name, row, 1)
            length_s = length_of(summary.dose, label.name, summary.side)
            grid.addWidget(_right(text_label(wording.clock(length_s))), row, 2)
            if label.counted:
                grid.addWidget(_right(text_label(wording.number(compared.corrected), "strong")), row, 3)
                if corrected:
                    grid.addWidget(_right(text_label(wording.number(compared.automatic), "muted")), row, 4)
        grid.setColumnStretch(1, 1)
        card.body.addLayout(grid)
        card.body.addStretch()
        return card

    def _notes(self, summary: Summary) -> Card:
        card = Card(tr("Notes"))
        for mark in summary.notes:
            row = QHBoxLayout()
            at = text_label(wording.clock(summary.since_start(mark.at_s)), "muted")
            at.setMinimumWidth(px(56))
            row.addWidget(at, 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(text_label(mark.note or tr("marked"), wrap=True), 1)
            card.body.addLayout(row)
        row = QHBoxLayout()
        self.note = QLineEdit()
        self.note.setPlaceholderText(tr("Add a note about this session"))
        self.note.setAccessibleName(tr("New note"))
        self.note.returnPressed.connect(self.add_note)
        row.addWidget(self.note, 1)
        row.addWidget(PlainButton(tr("Add"), "plus", self.add_note))
        card.body.addLayout(row)
        card.body.addStretch()
        return card

    def _provenance(self, summary: Summary) -> Card:
        card = Card(tr("What the numbers rest on"))
        card.body.addWidget(text_label(wording.accuracy(summary.model) + ".", "strong", wrap=True))
        if summary.model is not None:
            card.body.addWidget(text_label(wording.counted_by(summary.model), wrap=True))
        card.body.addWidget(rule())
        for line in (*wording.correction_lines(summary), *wording.missing_lines(summary)):
            card.body.addWidget(text_label(line, wrap=True))
        card.body.addStretch()
        return card

    # -- doing --------------------------------------------------------------------------------------------------------

    def review(self) -> None:
        if self.summary is not None:
            self.go.emit("review", self.path)

    def add_note(self) -> None:
        text, path, summary = " ".join(self.note.text().split()), self.path, self.summary
        if not text or summary is None:
            return

        def write() -> Summary:
            with SessionFile.annotate(path) as session:
                session.accept(Mark(round(summary.length_s, 2), text))
            return read_summary(path, self.desk.model_folders)

        self._background.run(write, self._show, self._complain)

    def save_pdf(self) -> None:
        self._save("pdf")

    def save_table(self) -> None:
        self._save("csv")

    def _save(self, kind: str) -> None:
        """Saves beside the session file, under its name, so that deleting the patient deletes it."""
        summary, target = self.summary, self.path.with_suffix(f".{kind}")
        if summary is None:
            return
        if kind == "pdf":
            try:
                write_pdf(target, summary)  # drawn here: Qt's fonts belong to the window's thread
            except RehabcountError as problem:
                self._complain(problem)
                return
            self._saved(target)
        else:
            self._background.run(lambda: write_figures(target, summary), lambda _: self._saved(target), self._complain)

    def _saved(self, path: Path) -> None:
        if self.summary is not None:
            name = f"{wording.file_name(self.summary)}{path.suffix}"
            SavedFile(path, name, self.banner, self._background, self._complain).tell()

    def ask_delete(self) -> None:
        """Also for a session that cannot be read: the list may still know its patient."""
        path, library = self.path, self.desk.library
        if self.delete_button.isHidden() or self.deleting is not None:
            return
        self._background.run(lambda: library.refresh(path), lambda entry: self._ask_delete(path, entry), self._complain)

    def _ask_delete(self, path: Path, entry: SessionEntry) -> None:
        self._stop_asking()
        self._say_no_more()
        panel = self.deleting = of_session(entry)

        def failed(problem: RehabcountError) -> None:
            panel.trouble.say(words_of(problem), "bad")

        def gone(_: object) -> None:
            self._stop_asking()
            self.summary = None
            self.go.emit("home", entry.patient)
            self.told.emit(tr("The session is deleted."))

        panel.cancelled.connect(self.step_back)
        panel.confirmed.connect(
            lambda typed: self._background.run(lambda: self.desk.library.delete_session(path, typed), gone, failed)
        )
        self._place_to_ask.addWidget(panel)
        panel.typed.setFocus()

    def _say_no_more(self) -> None:
        """A question is opened: what was said belongs to what was done before."""
        self.banner.clear()
        self.asking.hide()
        self.told.emit("")

    def _stop_asking(self) -> None:
        panel, self.deleting = self.deleting, None
        if panel is not None:
            self._place_to_ask.removeWidget(panel)
            panel.hide()
            panel.deleteLater()

    def _choose_patient(self) -> None:
        present = self.summary.patient if self.summary is not None else ""
        try:
            codes = [patient.code for patient in self.desk.library.patients()]
        except RehabcountError as problem:
            self._complain(problem)
            return
        simulated = self.summary is not None and self.summary.simulated
        self.patients.clear()
        for code in possible_owners(codes, present, simulated=simulated):
            self.patients.addItem(patient_name(code), code)
        if not self.patients.count():
            self.banner.say(why_none(simulated=simulated), "info")
            return
        self._say_no_more()
        self.chooser.show()
        self.patients.setFocus()

    def _reassign(self) -> None:
        code, path, before = (
            str(self.patients.currentData() or ""),
            self.path,
            self.summary.patient if self.summary else "",
        )
        if not code:
            return
        self.chooser.hide()

        def assign(to: str) -> Summary:
            self.desk.library.assign(path, to)
            return read_summary(path, self.desk.model_folders)

        def assigned(summary: Summary) -> None:
            self._show(summary)
            said = tr("The session is now {code}'s.").format(code=patient_name(code))
            if before and not summary.simulated:  # otherwise undo would be refused
                back = lambda: self._background.run(lambda: assign(before), self._show, self._complain)  # noqa: E731
                self.asking.offer_undo(said, back)
            else:
                self.banner.say(said, "info")

        self._background.run(lambda: assign(code), assigned, self._complain)

    def _complain(self, problem: RehabcountError) -> None:
        if self.summary is None:
            self.facts.setText("")
        self.banner.say(words_of(problem), "bad")


def _centred(label: QLabel) -> QLabel:
    label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    return label


def _right(label: QLabel) -> QLabel:
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return label

"""What is known about one patient: shown (`PatientFacts`), entered (`PatientForm`)."""

from __future__ import annotations

from datetime import date

from PyQt6.QtCore import QDate, pyqtSignal
from PyQt6.QtWidgets import (
    QButtonGroup,
    QDateEdit,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from rehabcount.domain.patient import DEMO, HIGHEST_SCORE, LONGEST_CODE, Patient, Severity, severity_of
from rehabcount.domain.rig import Side
from rehabcount.gui.controls import (
    Banner,
    Card,
    Heading,
    PlainButton,
    PrimaryButton,
    QuietButton,
    set_look,
    text_label,
)
from rehabcount.gui.flow import Flow
from rehabcount.gui.language import patient_name, side_name, tr
from rehabcount.gui.moments import spoken_day
from rehabcount.gui.theme import px, space

UNKNOWN_SCORE = -1  # the spin box's lowest value, which it shows as words


def describe(patient: Patient, *, short: bool = False) -> str:
    """One line: the arm, and the score if there is one; `short` leaves out its day."""
    arm = tr("{side} arm affected").format(side=side_name(patient.side))
    if patient == DEMO:
        return tr("simulated, needs no sensors")
    if patient.score is None:
        return arm
    score = tr("Fugl-Meyer {score} of {most}").format(score=patient.score, most=HIGHEST_SCORE)
    if severity_of(patient.score) is Severity.SEVERE:
        score += ", " + tr("severe")
    if patient.score_date and not short:
        score += f" ({spoken_day(date.fromisoformat(patient.score_date))})"
    return f"{arm} · {score}"


class PatientForm(Card):
    """A new patient, or a change of one."""

    saved = pyqtSignal(object, object)  # the code before (None if new), and the patient
    cancelled = pyqtSignal()

    def __init__(self, patient: Patient | None) -> None:
        super().__init__()
        self._before = patient.code if patient else None
        self.body.addWidget(Heading(tr("Change patient") if patient else tr("New patient")))
        self.trouble = Banner()
        self.body.addWidget(self.trouble)
        form = QFormLayout()
        form.setHorizontalSpacing(space(2))
        form.setVerticalSpacing(space(1.5))
        self.code = QLineEdit(patient.code if patient else "")
        self.code.setMaxLength(LONGEST_CODE)
        self.code.setPlaceholderText(tr("a code, not a name"))
        self.code.setAccessibleName(tr("Code"))
        self.code.textEdited.connect(lambda _: self._calm())
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        for words, field in (
            (tr("Code"), self.code),
            (tr("Affected arm"), self._sides(patient)),
            (tr("Fugl-Meyer score"), self._score_row(patient)),
        ):
            label = text_label(words)
            label.setMinimumHeight(px(38))  # as high as a field, so that both are in line
            form.addRow(label, field)
        self.notes = QPlainTextEdit(patient.notes if patient else "")
        self.notes.setPlaceholderText(tr("What helps in the next session. No names."))
        self.notes.setAccessibleName(tr("Notes"))
        self.notes.setTabChangesFocus(True)
        self.notes.setMaximumHeight(px(140))
        form.addRow(text_label(tr("Notes")), self.notes)
        self.body.addLayout(form)
        self.body.addStretch()
        buttons = QHBoxLayout()
        self.save = PrimaryButton(tr("Save"), "check", self._save)
        buttons.addWidget(self.save)
        buttons.addWidget(QuietButton(tr("Cancel"), "", self.cancelled.emit))
        buttons.addStretch()
        self.body.addLayout(buttons)
        self.code.returnPressed.connect(self._save)

    def _sides(self, patient: Patient | None) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        self.sides = QButtonGroup(holder)
        self.side_buttons: dict[Side, PlainButton] = {}
        for side in (Side.LEFT, Side.RIGHT):
            button = PlainButton(side_name(side))
            button.setCheckable(True)
            button.setChecked(patient is not None and patient.side is side)
            button.setAccessibleName(tr("{side} arm affected").format(side=side_name(side)))
            button.clicked.connect(lambda *_: self._calm())
            self.sides.addButton(button)
            self.side_buttons[side] = button
            row.addWidget(button, 1)
        return holder

    def _score_row(self, patient: Patient | None) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        self.score = QSpinBox()
        self.score.setRange(UNKNOWN_SCORE, HIGHEST_SCORE)
        self.score.setSpecialValueText(tr("not known"))
        self.score.setValue(patient.score if patient and patient.score is not None else UNKNOWN_SCORE)
        self.score.setAccessibleName(tr("Fugl-Meyer score of the arm, 0 to 66"))
        self.day = QDateEdit(QDate.currentDate())
        if patient and patient.score_date:
            self.day.setDate(QDate.fromString(patient.score_date, "yyyy-MM-dd"))
        self.day.setDisplayFormat(tr("d MMM yyyy"))  # as days are said elsewhere
        self.day.setMaximumDate(QDate.currentDate())
        self.day.setAccessibleName(tr("Day of the score"))
        on = text_label(tr("on"), "muted")
        row.addWidget(self.score, 1)
        row.addWidget(on)
        row.addWidget(self.day, 1)

        def known() -> None:
            self.day.setEnabled(self.score.value() != UNKNOWN_SCORE)

        self.score.valueChanged.connect(lambda _: known())
        known()
        return holder

    def complain(self, what: str) -> None:
        self.trouble.say(what, "bad")

    def _calm(self) -> None:
        self.trouble.clear()
        set_look(self.code, "wrong", "false")

    def _save(self) -> None:
        side = next((side for side, button in self.side_buttons.items() if button.isChecked()), None)
        if not self.code.text().strip():
            set_look(self.code, "wrong", "true")
            self.complain(tr("A patient needs a code."))
            self.code.setFocus()
            return
        if side is None:
            self.complain(tr("Which arm is affected?"))
            self.side_buttons[Side.LEFT].setFocus()
            return
        known = self.score.value() != UNKNOWN_SCORE
        try:
            patient = Patient(
                self.code.text(),
                side,
                self.score.value() if known else None,
                self.day.date().toString("yyyy-MM-dd") if known else "",
                self.notes.toPlainText().strip(),
            )
        except ValueError:
            set_look(self.code, "wrong", "true")
            self.complain(tr("This code has characters that cannot be seen. Type it anew."))
            return
        self.saved.emit(self._before, patient)


class PatientFacts(QWidget):
    """Heading and facts of a patient, with what one can do."""

    start = pyqtSignal()
    history = pyqtSignal()
    change = pyqtSignal()
    delete = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(1))
        self.heading = Heading("")
        self.line = text_label("", "muted", wrap=True)
        self.notes = text_label("", wrap=True)
        column.addWidget(self.heading)
        column.addWidget(self.line)
        self.caution = text_label("", "warning", wrap=True)
        column.addWidget(self.caution)
        column.addWidget(self.notes)
        self.start_button = PrimaryButton(tr("New session"), "play", self.start.emit)
        self.history_button = PlainButton(tr("History"), "history", self.history.emit)
        self.change_button = QuietButton(tr("Change"), "edit", self.change.emit)
        self.delete_button = QuietButton(tr("Delete"), "delete", self.delete.emit)
        column.addSpacing(space(0.5))
        column.addLayout(Flow(self.start_button, self.history_button, self.change_button, self.delete_button))

    def show_patient(self, patient: Patient) -> None:
        demo = patient.code == DEMO.code
        self.heading.setText(patient_name(patient.code))
        self.line.setText(
            tr("A simulated patient with virtual sensors. Nothing is real, and no hardware is needed.")
            if demo
            else describe(patient)
        )
        weak = not demo and severity_of(patient.score) is Severity.SEVERE
        self.caution.setText(tr("Arms this weak are counted poorly; the set-up says how poorly.") if weak else "")
        self.caution.setVisible(weak)
        self.notes.setText("" if demo else patient.notes)
        self.notes.setVisible(bool(patient.notes) and not demo)
        self.start_button.setText(tr("Try it now") if demo else tr("New session"))
        self.change_button.setVisible(not demo)
        self.delete_button.setVisible(not demo)

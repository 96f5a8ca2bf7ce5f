"""Permanent deletion of a patient or a session: shows what is deleted, and the user must type its code."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QLineEdit

from rehabcount.domain.patient import Patient
from rehabcount.gui.controls import Banner, Card, DangerButton, Heading, PlainButton, text_label
from rehabcount.gui.flow import Flow
from rehabcount.gui.language import patient_name, plural, tr
from rehabcount.gui.moments import spoken_length, spoken_time
from rehabcount.store.library import SessionEntry, word_to_delete


class DeletePanel(Card):
    """Asks for the code; `confirmed` is sent when the typed text is the code."""

    confirmed = pyqtSignal(str)  # what was typed
    cancelled = pyqtSignal()

    def __init__(self, code: str, question: str, lost: str, action: str) -> None:
        super().__init__()
        self._code = code
        self.body.addWidget(Heading(question))
        self.body.addWidget(text_label(lost, wrap=True))
        self.trouble = Banner()
        self.body.addWidget(self.trouble)
        asked = tr("Type {code} to confirm:").format(code=code)
        self.body.addWidget(text_label(asked, "strong", wrap=True))
        self.typed = QLineEdit()
        self.typed.setAccessibleName(asked)
        self.typed.returnPressed.connect(self._confirm)
        self.body.addWidget(self.typed)
        self.delete = DangerButton(action, "delete", self._confirm)
        self.delete.setEnabled(False)
        self.keep = PlainButton(tr("Keep"), "", self.cancelled.emit)
        self.body.addLayout(Flow(self.keep, self.delete))
        self.body.addStretch()
        self.typed.textChanged.connect(lambda _: self.delete.setEnabled(self._is_right))

    @property
    def _is_right(self) -> bool:
        return self.typed.text().strip() == self._code

    def _confirm(self) -> None:
        if self._is_right:
            self.confirmed.emit(self.typed.text())


def of_patient(patient: Patient, sessions: int) -> DeletePanel:
    lost = tr(
        "This removes the patient, all plans and {sessions} with every file of them, for good. "
        "A backup made before still holds them."
    ).format(sessions=plural(sessions, "{n} session", "{n} sessions"))
    return DeletePanel(patient.code, tr("Delete {code}?").format(code=patient.code), lost, tr("Delete everything"))


def of_session(entry: SessionEntry) -> DeletePanel:
    lost = tr(
        "This removes the session of {who} ({when}, {length}) with its report and every other file of it, for good. "
        "A backup made before still holds it."
    ).format(
        who=patient_name(entry.patient or "") or tr("an unknown patient"),
        when=spoken_time(entry.begun_utc),
        length=spoken_length(entry.figures.length_s),
    )
    return DeletePanel(word_to_delete(entry), tr("Delete this session?"), lost, tr("Delete the session"))

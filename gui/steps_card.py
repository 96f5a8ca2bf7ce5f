"""The card of the review's panel for the steps of the exercise: find them, name them, take them back."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QGridLayout, QLineEdit, QProgressBar, QWidget

from rehabcount.gui.controls import Card, PlainButton, QuietButton, text_label
from rehabcount.gui.language import tr
from rehabcount.gui.theme import space

LONGEST_NAME = 40
MOST_NAMES = 30  # fields; a procedure is shorter


class StepsCard(Card):
    find_asked = pyqtSignal()
    stop_asked = pyqtSignal()
    rename_asked = pyqtSignal(int, str)  # which name, from 0; the new one
    take_back_asked = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Steps of the exercise"), parent)
        self.words = text_label("", "caption", wrap=True)
        self.find_button = PlainButton(tr("Find the steps"), "search", self.find_asked.emit)
        self.find_button.setToolTip(tr("What the counted repetitions have in common; of chosen events, only theirs"))
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Finding the steps"))
        self.stop = QuietButton(tr("Cancel"), "close", self.stop_asked.emit)
        self.take_back = QuietButton(tr("Remove the steps"), "undo", self.take_back_asked.emit)
        for widget in (self.words, self.find_button, self.bar, self.stop):
            self.body.addWidget(widget)
        self._grid = QGridLayout()
        self._grid.setVerticalSpacing(space(0.5))
        self.body.addLayout(self._grid)
        self.fields: list[QLineEdit] = []
        self._cells: list[QWidget] = []
        self.story = text_label("", "caption", wrap=True)
        self.body.addWidget(self.story)
        self.body.addWidget(self.take_back)
        self.show_idle((), "")

    def show_idle(self, names: Sequence[str], words: str, story: str = "") -> None:
        """Names to change, if there are steps; and what is to be said of them."""
        self.words.setText(words or tr("Steps are what the repetitions have in common. Find them without labels."))
        self.story.setText(story)
        self.story.setVisible(bool(story))
        self.find_button.setVisible(True)
        self.bar.setVisible(False)
        self.stop.setVisible(False)
        self.take_back.setVisible(bool(names))
        self._show_names(names[:MOST_NAMES])

    def show_busy(self, words: str, done: int, total: int) -> None:
        self.words.setText(words)
        self.find_button.setVisible(False)
        self.take_back.setVisible(False)
        self.bar.setVisible(True)
        self.stop.setVisible(True)
        self.bar.setRange(0, total)  # 0: not known yet
        self.bar.setValue(done)

    def _show_names(self, names: Sequence[str]) -> None:
        if [field.text() for field in self.fields] == list(names):
            return
        for cell in self._cells:
            self._grid.removeWidget(cell)
            cell.deleteLater()
        self._cells, self.fields = [], []
        for number, name in enumerate(names):
            field = QLineEdit(name)
            field.setMaxLength(LONGEST_NAME)
            field.setAccessibleName(tr("Name of step {number}").format(number=number + 1))
            field.editingFinished.connect(lambda at=number, it=field: self.rename_asked.emit(at, it.text()))
            label = text_label(str(number + 1), "muted")
            self._grid.addWidget(label, number, 0)
            self._grid.addWidget(field, number, 1)
            self._cells += [label, field]
            self.fields.append(field)

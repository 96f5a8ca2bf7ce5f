"""The card of the review's panel for the steps of the exercise: find them, name them, take them back."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QGridLayout, QLabel, QLineEdit, QProgressBar, QWidget

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
        self._labels: list[QLabel] = []
        self._busy = False
        self.story = text_label("", "caption", wrap=True)
        self.body.addWidget(self.story)
        self.body.addWidget(self.take_back)
        self.show_idle((), "")

    def show_idle(self, names: Sequence[str], words: str, story: str = "") -> None:
        """Names to change, if there are steps; and what is to be said of them."""
        self._busy = False
        self.words.setText(words or tr("Steps are what the repetitions have in common. Find them without labels."))
        self.find_button.setVisible(True)
        if self._has_focus(self.stop) or (self._has_focus(self.take_back) and not names):
            self.find_button.setFocus()  # before it is hidden: Qt would give the focus to any other
        self.bar.setVisible(False)
        self.stop.setVisible(False)
        self.take_back.setVisible(bool(names))
        self.show_steps(names, story)

    def show_busy(self, words: str, done: int, total: int) -> None:
        """A search is under way: it can be cancelled, and nothing be named."""
        if not self._busy:
            self._begin()
        self.words.setText(words)
        self.bar.setRange(0, total)  # 0: not known yet
        self.bar.setValue(done)

    def show_steps(self, names: Sequence[str], story: str) -> None:
        """Names and story alone, also during a search."""
        self.story.setText(story)
        self.story.setVisible(bool(story))
        self._show_names(names[:MOST_NAMES])

    def _begin(self) -> None:
        for number, field in enumerate(tuple(self.fields)):
            if self._has_focus(field):
                self._named(number, field)  # a name that is being typed is taken, also in a window behind another
        self._busy = True
        self.bar.setVisible(True)
        self.stop.setVisible(True)
        self.stop.setFocus()
        self.find_button.setVisible(False)
        self.take_back.setVisible(False)
        for field in self.fields:
            field.setEnabled(False)

    def _has_focus(self, widget: QWidget) -> bool:
        """Also while another window is in front."""
        window = self.window()
        return window is not None and window.focusWidget() is widget

    def _show_names(self, names: Sequence[str]) -> None:
        """In the fields that there are, so that the focus stays where it is."""
        while len(self.fields) > len(names):
            field, label = self.fields.pop(), self._labels.pop()
            if self._has_focus(field):
                (self.stop if self._busy else self.find_button).setFocus()
            for cell in (field, label):
                self._grid.removeWidget(cell)
                cell.hide()
                cell.deleteLater()
        for number in range(len(self.fields), len(names)):
            self._add_field(number)
        for field, name in zip(self.fields, names, strict=True):
            if field.text() != name:
                field.setText(name)
            field.setEnabled(not self._busy)

    def _add_field(self, number: int) -> None:
        field = QLineEdit()
        field.setMaxLength(LONGEST_NAME)
        field.setAccessibleName(tr("Name of step {number}").format(number=number + 1))
        field.editingFinished.connect(lambda: self._named(number, field))
        label = text_label(str(number + 1), "muted")
        self._grid.addWidget(label, number, 0)
        self._grid.addWidget(field, number, 1)
        self.fields.append(field)
        self._labels.append(label)

    def _named(self, number: int, field: QLineEdit) -> None:
        if not self._busy and field in self.fields:  # one that is taken away says so by losing the focus
            self.rename_asked.emit(number, field.text())

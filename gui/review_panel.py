"""The panel beside the timeline: automatic and corrected counts, and the history of the chosen event."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.labels import PRIMITIVES
from rehabcount.domain.rig import Side
from rehabcount.exchange.report import count_of
from rehabcount.gui import wording
from rehabcount.gui.controls import Card, QuietButton, rule, text_label
from rehabcount.gui.language import primitive_name, signed, tr
from rehabcount.gui.primitives import PrimitiveBadge
from rehabcount.gui.review_file import Counts, said_about
from rehabcount.gui.review_state import ReviewState
from rehabcount.gui.steps_card import StepsCard
from rehabcount.gui.theme import space


class ReviewPanel(QWidget):
    take_back_asked = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.start_s = 0.0  # of the record: when counting began
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(2))
        column.addWidget(self._make_counts())
        column.addWidget(self._make_event())
        self.steps = StepsCard()
        column.addWidget(self.steps)
        column.addStretch(1)

    def _make_counts(self) -> Card:
        card = Card(tr("Counts"))
        grid = QGridLayout()
        grid.setVerticalSpacing(space(0.75))
        grid.setHorizontalSpacing(space(1))
        self._heads = [text_label(words, "caption") for words in (tr("automatic"), tr("corrected"), tr("compared"))]
        for column, head in enumerate(self._heads, 2):
            grid.addWidget(_right(head), 0, column)
        self._cells: dict[str, list[QLabel]] = {}
        rows = ["", *(label.name for label in PRIMITIVES.labels if label.counted)]
        for row, name in enumerate(rows, 1):
            if name:
                grid.addWidget(PrimitiveBadge(name, 20), row, 0)
                grid.addWidget(text_label(primitive_name(name)), row, 1)
            else:
                grid.addWidget(text_label(tr("task repetitions"), "strong", wrap=True), row, 0, 1, 2)
            cells = [_right(text_label("", "muted" if i == 0 else "strong" if i == 1 else "body")) for i in range(3)]
            for column, cell in enumerate(cells, 2):
                grid.addWidget(cell, row, column)
            self._cells[name] = cells
        grid.setColumnStretch(1, 1)
        card.body.addLayout(grid)
        card.body.addWidget(rule())
        self.agreement = text_label("", "caption", wrap=True)
        card.body.addWidget(self.agreement)
        self.by_hand = text_label("", "caption", wrap=True)
        self.take_back = QuietButton(tr("Take back"), "undo", self.take_back_asked.emit)
        self.take_back.setToolTip(tr("For when the events are corrected, so that nothing is counted twice."))
        for widget in (self.by_hand, self.take_back):
            card.body.addWidget(widget)
            widget.hide()
        return card

    def _make_event(self) -> Card:
        card = Card(tr("Chosen"))
        self.what = text_label("", "strong", wrap=True)
        self.details = text_label("", wrap=True)
        self.story = text_label("", "caption", wrap=True)
        for label in (self.what, self.details, self.story):
            card.body.addWidget(label)
        return card

    def show_counts(self, counts: Counts, side: Side) -> None:
        compared = counts.compared
        for dose_column, dose in enumerate((counts.automatic, counts.corrected, compared)):
            self._heads[dose_column].setVisible(dose is not None)
            for name, cells in self._cells.items():
                cells[dose_column].setVisible(dose is not None)
                if dose is not None:
                    number = count_of(dose, name, side) if name else dose.repetitions
                    cells[dose_column].setText(wording.number(number))
        found = counts.agreement
        if found.opinions:
            self.agreement.setText(
                wording.events_corrected(found)
                + " "
                + tr("{share} of the automatic events stand unchanged.").format(share=wording.share(found.share_kept))
            )
        else:
            self.agreement.setText(tr("The automatic count was not checked."))

        for widget in (self.by_hand, self.take_back):
            widget.setVisible(found.by_hand != 0)
        self.by_hand.setText(tr("By hand during the session: {number}.").format(number=signed(found.by_hand)))

    def _clock(self, at_s: float) -> str:
        """To the hundredth, since Start as everywhere."""
        return wording.clock(at_s - self.start_s, 2)

    def show_chosen(self, state: ReviewState) -> None:
        chosen = state.chosen_events
        if not chosen:
            self.what.setText(tr("Nothing chosen"))
            self.details.setText(tr("Click an event, or press the right arrow key."))
            self.story.setText("")
            return
        if len(chosen) > 1:
            self.what.setText(tr("{n} events").format(n=len(chosen)))
            self.details.setText("")
            self.story.setText("")
            return
        event = chosen[0]
        segment = event.segment
        self.what.setText(primitive_name(segment.label))
        span = tr("{start} to {end} since Start, {length} s long").format(
            start=self._clock(segment.start_s),
            end=self._clock(segment.end_s),
            length=wording.number(segment.length_s, 2),
        )
        if event.automatic is None:
            origin = tr("Added by a person.")
        elif event.is_changed:
            origin = tr("The recogniser said {label}, {start} to {end}.").format(
                label=primitive_name(event.automatic.label),
                start=self._clock(event.automatic.start_s),
                end=self._clock(event.automatic.end_s),
            )
        else:
            origin = tr("Confidence {share}.").format(share=wording.share(event.confidence))
        self.details.setText(f"{span}. {origin}")
        story = said_about(state.editing, event.number)
        self.story.setText("\n".join(_told(each) for each in story[-5:]))


def _told(said: Correction) -> str:
    names = {
        Action.CONFIRM: tr("confirmed"),
        Action.REMOVE: tr("removed"),
        Action.REPLACE: tr("changed"),
        Action.ADD: tr("added"),
        Action.RESTORE: tr("taken back"),
    }
    return f"{wording.moment(said.at_utc_ns)}  {said.who}: {names[said.action]}"


def _right(label: QLabel) -> QLabel:
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return label

"""How many sensors the patient wears, what fewer of them cost, and what the count is worth for this patient."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QButtonGroup, QHBoxLayout, QVBoxLayout, QWidget

from rehabcount.domain.patient import Severity
from rehabcount.domain.rig import Side, places_of
from rehabcount.gui.card_words import worth_of
from rehabcount.gui.controls import PlainButton, text_label
from rehabcount.gui.language import plural, tr
from rehabcount.gui.theme import space
from rehabcount.inference.card import ModelCard

RIGS = ("nine", "five", "three", "one")


def what_it_costs(kind: str) -> str:
    """What a rig can tell and what it cannot."""
    return {
        "nine": tr("Both arms and the whole trunk. Counts are surest, and both arms are compared. Takes longest."),
        "five": tr("The affected arm in full, the trunk, and how much the other arm is used."),
        "three": tr("Hand, upper arm and trunk. What the elbow does is inferred, so counts are less sure."),
        "one": tr("The wrist alone. Many movements look alike from there, and the trunk is not seen."),
    }[kind]


def fits(card: ModelCard | None, kind: str, side: Side) -> bool:
    """Whether the model can count with this rig."""
    if card is None:
        return True
    carried = {place.part.value for place in places_of(kind, side) if place.side in (None, side)}
    return set(card.required_parts) <= carried


class RigChooser(QWidget):
    chosen = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(1))
        row = QHBoxLayout()
        row.setSpacing(space(0.5))
        self._group = QButtonGroup(self)
        self.buttons: dict[str, PlainButton] = {}
        for kind in RIGS:
            number = len(places_of(kind, Side.RIGHT))
            button = PlainButton(str(number))
            button.setCheckable(True)
            button.setAccessibleName(plural(number, "{n} sensor", "{n} sensors"))
            button.clicked.connect(lambda _, kind=kind: self._choose(kind))
            self._group.addButton(button)
            self.buttons[kind] = button
            row.addWidget(button, 1)
        column.addLayout(row)
        self.cost = text_label("", "caption", wrap=True)
        column.addWidget(self.cost)
        self.warning = text_label("", "warning", wrap=True)
        column.addWidget(self.warning)

    def show_rig(self, kind: str, side: Side, card: ModelCard | None, severity: Severity | None = None) -> None:
        """`severity` None: no score is known."""
        self.buttons[kind].setChecked(True)
        worth = worth_of(card, kind, severity)
        words = [what_it_costs(kind), worth.figure]
        self.warning.setText(worth.warning)
        self.warning.setVisible(bool(worth.warning))
        if not fits(card, kind, side):
            words.append(tr("The chosen model cannot count with so few."))
        self.cost.setText(" ".join(filter(None, words)))

    def _choose(self, kind: str) -> None:
        self.chosen.emit(kind)

"""How fast a session is played: chosen from a list, typed, or stepped through with keys."""

from __future__ import annotations

from PyQt6.QtCore import QLocale
from PyQt6.QtWidgets import QComboBox

from rehabcount.gui.language import tr
from rehabcount.gui.theme import px

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
FASTEST = 100.0


class SpeedBox(QComboBox):
    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Speed"))
        self.setToolTip(tr("Speed"))
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.addItems([f"{QLocale().toString(speed, 'g', 6)}×" for speed in SPEEDS])
        self.setCurrentIndex(SPEEDS.index(1.0))
        self.setFixedWidth(px(96))

    def value(self) -> float:
        """What the field says, chosen or typed; 1 where that is no speed."""
        text = self.currentText().replace("×", "").replace(",", ".").strip()
        try:
            speed = float(text)
        except ValueError:
            return 1.0
        return speed if 0 < speed <= FASTEST else 1.0

    def faster(self, by: int) -> None:
        """So many steps of the list faster; slower below 0."""
        nearest = min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - self.value()))
        self.setCurrentIndex(min(max(0, nearest + by), len(SPEEDS) - 1))

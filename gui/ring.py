"""A number within a ring that fills as the target comes near; as large as its room. Patient view and headline."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QSizePolicy, QWidget

from rehabcount.gui.controls import fitting_font
from rehabcount.gui.language import tr
from rehabcount.gui.theme import current, px


class NumberRing(QWidget):
    """`say(number, target)`; without a target the ring stays quiet."""

    def __init__(self) -> None:
        super().__init__()
        self._number, self._target, self._live = 0, None, True  # type: tuple[int, int | None, bool]
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(px(120), px(120))

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(px(400), px(400))

    @property
    def number(self) -> int:
        return self._number

    def say(self, number: int, target: int | None, *, live: bool = True) -> None:
        """`live` False: the number is not current, and is shown so."""
        if (number, target, live) != (self._number, self._target, self._live):
            self._number, self._target, self._live = number, target, live
            self.update()
        words = tr("{number} of {target} repetitions") if target else tr("{number} repetitions")
        self.setAccessibleName(words.format(number=number, target=target))

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        theme = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side = min(self.width(), self.height())
        thick = max(8.0, side * 0.045)
        box = QRectF(0, 0, side - thick - 4, side - thick - 4)
        box.moveCenter(QRectF(self.rect()).center())
        painter.setPen(
            QPen(
                QColor(theme.sunken if theme.name != "contrast" else theme.muted),
                thick if theme.name != "contrast" else 2,
            )
        )
        painter.drawEllipse(box)
        if self._target:
            share = min(1.0, self._number / self._target)
            pen = QPen(QColor(theme.accent if self._live else theme.muted), thick)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            if share > 0:
                painter.drawArc(box, 90 * 16, -round(share * 360 * 16))
        inner = box.width() * 0.74
        painter.setFont(fitting_font(f"{self._number}", inner, inner * (0.62 if self._target else 0.7)))
        painter.setPen(QColor(theme.text if self._live else theme.muted))
        room = QRectF(0, 0, inner, inner)
        room.moveCenter(box.center())
        if self._target:
            painter.drawText(room.adjusted(0, 0, 0, -inner * 0.14), Qt.AlignmentFlag.AlignCenter, f"{self._number}")
            words = tr("of {target}").format(target=self._target)
            painter.setFont(fitting_font(words, inner * 0.5, inner * 0.13))
            painter.setPen(QColor(theme.muted))
            painter.drawText(
                QRectF(room.left(), box.center().y() + inner * 0.27, inner, inner * 0.2),
                Qt.AlignmentFlag.AlignCenter,
                words,
            )
        else:
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, f"{self._number}")

"""The calibration shown: a seated person from the side, who holds still, bends the elbow, turns the forearm."""

from __future__ import annotations

import math

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QSizePolicy, QWidget

from rehabcount.domain.rig import Side
from rehabcount.gui.language import tr
from rehabcount.gui.theme import current, font, px

PERIOD_S = 3.0  # of one bend or turn: slow, as it is asked for
BEND_DEG = 75.0


class ArmDrawing(QWidget):
    """`show_step(name, time_s)` draws one moment of a step; the movement repeats."""

    def __init__(self) -> None:
        super().__init__()
        self._step, self._time_s, self._side = "still", 0.0, Side.RIGHT
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(px(130), px(120))

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(px(200), px(160))  # it takes what there is; what it asks for must not push the words out of sight

    def set_side(self, side: Side) -> None:
        self._side = side
        self.update()

    def show_step(self, name: str, time_s: float) -> None:
        self._step, self._time_s = name, time_s
        self.setAccessibleName(
            {"elbow": tr("An elbow is bent and stretched."), "forearm": tr("A forearm is turned.")}.get(
                name, tr("A person sits still, elbows bent, palms down.")
            )
        )
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        above = QFontMetrics(font("lead")).height()  # for the words, in every step, so that the person stays in place
        side = min(self.width(), self.height() - above)
        painter.save()
        painter.translate(self.width() / 2, (self.height() + above) / 2)
        if self._side is Side.LEFT:
            painter.scale(-1, 1)  # the affected arm is the near one: a left arm is seen from the left
        painter.scale(side, side)
        painter.translate(-0.45, -0.5)
        self._paint_person(painter)
        painter.restore()
        self._paint_hint(painter)

    def _swing(self) -> float:
        """0 at rest, 1 at the far end."""
        return (1 - math.cos(2 * math.pi * self._time_s / PERIOD_S)) / 2

    def _paint_person(self, painter: QPainter) -> None:
        theme = current()
        body = QColor(theme.line if theme.name != "contrast" else "#7a7a7a")
        arm = QColor(theme.accent)

        def limb(start: QPointF, end: QPointF, width: float, tint: QColor) -> None:
            painter.setPen(QPen(tint, width, cap=Qt.PenCapStyle.RoundCap))
            painter.drawLine(start, end)

        hip, neck, knee = QPointF(0.30, 0.74), QPointF(0.32, 0.31), QPointF(0.66, 0.76)
        limb(QPointF(0.16, 0.86), QPointF(0.46, 0.86), 0.035, body)  # the seat
        limb(QPointF(0.15, 0.86), QPointF(0.13, 0.45), 0.03, body)
        limb(hip, knee, 0.13, body)
        limb(knee, QPointF(0.66, 0.97), 0.10, body)
        limb(hip, neck, 0.17, body)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(body)
        painter.drawEllipse(QPointF(0.345, 0.15), 0.082, 0.10)
        shoulder = QPointF(0.33, 0.34)
        lift = math.radians(BEND_DEG) * self._swing() if self._step == "elbow" else 0.0
        elbow = shoulder + QPointF(0.03 + 0.04 * self._swing() * (self._step == "elbow"), 0.24)
        along = QPointF(math.cos(lift), -math.sin(lift))
        wrist = elbow + along * 0.23
        edge = QColor(theme.surface)
        limb(shoulder, elbow, 0.105, edge)
        limb(elbow, wrist, 0.09, edge)
        limb(shoulder, elbow, 0.085, arm)
        limb(elbow, wrist, 0.07, arm)
        self._paint_hand(painter, wrist, along, arm)

    def _paint_hand(self, painter: QPainter, wrist: QPointF, along: QPointF, tint: QColor) -> None:
        """A flat hand: palm down it is thin from the side, halfway turned it is broad."""
        turn = math.pi * self._swing() if self._step == "forearm" else 0.0
        broad = 0.026 + 0.05 * abs(math.sin(turn))
        painter.save()
        painter.translate(wrist + along * 0.075)
        painter.rotate(math.degrees(math.atan2(along.y(), along.x())))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tint)
        painter.drawRoundedRect(QRectF(-0.075, -broad, 0.15, 2 * broad), 0.03, 0.03)
        thumb = -math.sin(turn) * (broad + 0.022)
        painter.drawEllipse(QPointF(0.0, thumb), 0.032, 0.02)
        painter.restore()

    def _paint_hint(self, painter: QPainter) -> None:
        if self._step != "forearm":
            return
        words = tr("palm up") if self._swing() > 0.5 else tr("palm down")
        written = font("lead")
        wide = QFontMetrics(written).horizontalAdvance(words)
        if wide > self.width():
            written.setPixelSize(written.pixelSize() * self.width() // wide)
        painter.setFont(written)
        painter.setPen(QColor(current().text))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, words)

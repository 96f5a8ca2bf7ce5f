"""The trend of one figure over a patient's sessions: a bar each, a line where the target was, a mark where it changed.

Left and right move along the sessions, Enter or a double click opens one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QBrush, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PyQt6.QtWidgets import QSizePolicy, QWidget

from rehabcount.domain.trend import Point
from rehabcount.gui import wording
from rehabcount.gui.language import tr
from rehabcount.gui.paper import nice_step, nice_top
from rehabcount.gui.theme import colour, current, font, px, space

Say = Callable[[float | None], str]


class TrendChart(QWidget):
    chosen = pyqtSignal(int)  # place of the session in the trend
    opened = pyqtSignal(int)

    def __init__(self) -> None:
        super().__init__()
        self._points: tuple[Point, ...] = ()
        self._say: Say = wording.number
        self._current = -1
        self.setMinimumHeight(px(240))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Trend over sessions"))

    def show_points(self, points: tuple[Point, ...], say: Say = wording.number) -> None:
        """`say` puts a value into words."""
        self._points, self._say = points, say
        self._current = len(points) - 1
        spoken = [f"{wording.day(each.summary.begun_utc_ns)}: {say(each.value)}" for each in points]
        self.setAccessibleDescription(", ".join(spoken))
        self.update()

    def choose(self, place: int) -> None:
        if place != self._current:
            self._current = place
            self.update()

    # -- drawing ------------------------------------------------------------------------------------------------------

    def _frame(self) -> tuple[QRectF, int]:
        """The room for bars, and the highest value of the axis."""
        values = [each.value or 0.0 for each in self._points] + [each.target or 0.0 for each in self._points]
        top = nice_top(int(max(values, default=0.0) + 0.999))
        metrics = QFontMetricsF(font("caption"))
        left = metrics.horizontalAdvance(str(top)) + space(1.5)
        above = metrics.height() * 2  # room for a value and a mark over the highest bar
        return QRectF(left, above, self.width() - left - space(1), self.height() - above - metrics.height() * 1.8), top

    def _slot(self, frame: QRectF) -> float:
        """Width of a session's place; few sessions do not become walls."""
        return min(frame.width() / max(len(self._points), 1), px(140))

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font("caption"))
        frame, top = self._frame()
        self._draw_axis(painter, frame, top)
        slot = self._slot(frame)
        free_from = -1e9
        bars = [self._draw_bar(painter, frame, top, place, point, slot) for place, point in enumerate(self._points)]
        self._draw_target(painter, frame, top, slot)
        for place, (point, bar) in enumerate(zip(self._points, bars, strict=True)):
            self._draw_value(painter, place, point, bar, slot)
            free_from = self._draw_day(painter, frame, place, point, slot, free_from)

    def _draw_axis(self, painter: QPainter, frame: QRectF, top: int) -> None:
        theme, metrics = current(), QFontMetricsF(painter.font())
        for value in range(0, top + 1, nice_step(top)):
            y = frame.bottom() - frame.height() * value / top
            painter.setPen(QPen(colour(theme.muted if value == 0 else theme.line), 1))
            painter.drawLine(QLineF(frame.left(), y, frame.right(), y))
            painter.setPen(colour(theme.muted))
            where = QRectF(0, y - metrics.height() / 2, frame.left() - space(1), metrics.height())
            painter.drawText(where, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), str(value))

    def _draw_bar(self, painter: QPainter, frame: QRectF, top: int, place: int, point: Point, slot: float) -> QRectF:
        theme = current()
        thick = min(slot * 0.62, px(56))
        height = frame.height() * (point.value or 0.0) / top
        bar = QRectF(frame.left() + slot * (place + 0.5) - thick / 2, frame.bottom() - height, thick, height)
        if place == self._current:
            room = QRectF(frame.left() + slot * place, 0, slot, float(self.height())).adjusted(2, 1, -2, -1)
            painter.setPen(QPen(colour(theme.accent), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(colour(theme.accent_soft))
            painter.drawRoundedRect(room, 6, 6)
        painter.setPen(QPen(colour(theme.accent), 1.5))
        simulated = point.summary.simulated
        painter.setBrush(
            QBrush(colour(theme.accent), Qt.BrushStyle.Dense5Pattern if simulated else Qt.BrushStyle.SolidPattern)
        )
        painter.drawRect(bar)
        return bar

    def _draw_value(self, painter: QPainter, place: int, point: Point, bar: QRectF, slot: float) -> None:
        """The number over its bar, on a ground of its own: the line of the target does not run through it."""
        theme = current()
        painter.setFont(font("strong"))
        metrics = QFontMetricsF(painter.font())
        words = self._say(point.value)
        width = metrics.horizontalAdvance(words) + 4
        if width <= slot:
            where = QRectF(bar.center().x() - width / 2, bar.top() - metrics.height() - 2, width, metrics.height())
            painter.fillRect(where, colour(theme.accent_soft if place == self._current else theme.surface))
            painter.setPen(colour(theme.text))
            painter.drawText(where, int(Qt.AlignmentFlag.AlignCenter), words)
        if point.change is not None:
            self._draw_change(painter, bar, point.change, metrics.height())
        painter.setFont(font("caption"))

    def _draw_change(self, painter: QPainter, bar: QRectF, change: float, text_height: float) -> None:
        """A triangle over the bar: up for more, down for less."""
        size, tip = px(7), bar.top() - text_height - space(1)
        up = -1 if change > 0 else 1
        middle = QPointF(bar.center().x(), tip - size / 2)
        shape = QPolygonF(
            [
                middle + QPointF(0, up * size),
                middle + QPointF(-size, -up * size / 2),
                middle + QPointF(size, -up * size / 2),
            ]
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour(current().text))
        painter.drawPolygon(shape)

    def _draw_day(
        self, painter: QPainter, frame: QRectF, place: int, point: Point, slot: float, free_from: float
    ) -> float:
        """The date below a bar, unless its neighbour's is in the way; returns where the next may begin."""
        metrics, words = QFontMetricsF(painter.font()), wording.day(point.summary.begun_utc_ns)
        width = metrics.horizontalAdvance(words)
        left = frame.left() + slot * (place + 0.5) - width / 2
        if left < free_from:
            return free_from
        painter.setPen(colour(current().muted))
        painter.drawText(QPointF(left, frame.bottom() + metrics.height() * 1.2), words)
        return left + width + space(1)

    def _draw_target(self, painter: QPainter, frame: QRectF, top: int, slot: float) -> None:
        pen = QPen(colour(current().text), 2, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        place = 0
        for target, points in itertools.groupby(self._points, key=lambda point: point.target):  # one line, unbroken
            begins, place = place, place + len(list(points))
            if target is not None:
                y = frame.bottom() - frame.height() * target / top
                painter.drawLine(QLineF(frame.left() + slot * begins, y, frame.left() + slot * place, y))

    # -- choosing -----------------------------------------------------------------------------------------------------

    def _at(self, x: float) -> int:
        frame, _ = self._frame()
        place = int((x - frame.left()) // self._slot(frame))
        return place if 0 <= place < len(self._points) else -1

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is not None and (place := self._at(event.position().x())) >= 0:
            self.choose(place)
            self.chosen.emit(place)

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is not None and (place := self._at(event.position().x())) >= 0:
            self.opened.emit(place)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is None or not self._points:
            return
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.key() in steps:
            place = min(max(0, self._current + steps[Qt.Key(event.key())]), len(self._points) - 1)
            self.choose(place)
            self.chosen.emit(place)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(self._current)
        else:
            super().keyPressEvent(event)

"""Signals on demand: the acceleration of every sensor, as a sweep.

In: blocks of frames. A sweep runs from left to right and begins anew at the left, like a bedside monitor: only the new
samples are drawn, so that nine sensors at 100 Hz cost next to nothing. A sample that is missing leaves a hole.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import QPointF, QRect, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPixmap, QPolygonF, QResizeEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import ACC, FRAME_RATE_HZ, Frames
from rehabcount.gui.language import tr
from rehabcount.gui.theme import colour, current, font, px

SWEEP_S = 10.0
RANGE_M_S2 = 20.0  # two g up and down: what an arm does in everyday tasks
AHEAD_S = 0.35  # cleared before the pen, so that old and new do not touch
DRAWN_HZ = 50.0  # every other sample: two a pixel would not be seen
AXES = ("#0072b2", "#d55e00", "#009e73")  # x, y, z; of Okabe and Ito's palette
AXES_DARK = ("#56b4e9", "#e69f00", "#2fd6a4")


class SignalsView(QWidget):
    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = tuple(names)
        self._picture = QPixmap()
        self._last: dict[int, tuple[float, Floats]] = {}  # of each sensor: time and values of the sample drawn last
        self._kept: list[tuple[Floats, Floats]] = []  # time (n,) and acceleration (n, sensors, 3) of this sweep
        self._theme = ""
        self.setAccessibleName(tr("Signals: acceleration of each sensor"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(px(120))
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(px(480), px(36) * max(3, len(self._names)))

    def set_names(self, names: Sequence[str]) -> None:
        """One lane a sensor, in the order of the frames."""
        self._names = tuple(names)
        self._kept, self._last = [], {}
        self._repaint_all()

    def add(self, blocks: Sequence[Frames]) -> None:
        """Draw these on."""
        step = round(FRAME_RATE_HZ / DRAWN_HZ)
        for frames in blocks:
            times = np.asarray(frames.time_s[::step])
            values = np.asarray(frames.values[::step, : len(self._names), ACC])
            self._kept.append((times, values))
            if self.isVisible() and not self._picture.isNull():
                self._draw(times, values)
        if self._kept:
            newest = float(self._kept[-1][0][-1])
            self._kept = [each for each in self._kept if each[0][-1] > newest - SWEEP_S + AHEAD_S]

    # -- drawing ------------------------------------------------------------------------------------------------------

    @property
    def _left(self) -> int:
        return px(132)

    def _x(self, times: Floats) -> Floats:
        return self._left + (times % SWEEP_S) / SWEEP_S * (self.width() - self._left)

    def _lane(self, sensor: int) -> tuple[float, float]:
        """Middle and half height."""
        height = self.height() / max(1, len(self._names))
        return (sensor + 0.5) * height, height / 2

    def _draw(self, times: Floats, values: Floats) -> None:
        theme = current()
        painter = QPainter(self._picture)
        at = self._x(times)
        room = (self.width() - self._left) * AHEAD_S / SWEEP_S
        for left, width in ((at[0], at[-1] - at[0] + room) if at[-1] >= at[0] else (at[-1], room),):
            self._clear(painter, QRect(int(left) + 1, 0, int(width) + 1, self.height()))
        if at[-1] < at[0]:
            self._clear(painter, QRect(self._left, 0, int(at[-1] - self._left + room), self.height()))
        pens = [QPen(QColor(tint), 1) for tint in (AXES_DARK if theme.dark else AXES)]
        for sensor in range(values.shape[1]):
            self._draw_lane(painter, sensor, times, values[:, sensor], at, pens)
        painter.end()
        first = int(min(at[0], at[-1])) - 2
        self.update(QRect(max(0, first - 4), 0, int(abs(at[-1] - at[0]) + room) + 12, self.height()))

    def _draw_lane(
        self, painter: QPainter, sensor: int, times: Floats, values: Floats, at: Floats, pens: Sequence[QPen]
    ) -> None:
        middle, half = self._lane(sensor)
        heights = middle - np.clip(values / RANGE_M_S2, -1.0, 1.0) * (half - 1)
        before = self._last.get(sensor)
        for axis, pen in enumerate(pens):
            painter.setPen(pen)
            points: list[QPointF] = []
            if before is not None and times[0] - before[0] < 0.1 and np.isfinite(before[1][axis]):
                x = float(self._x(np.asarray([before[0]]))[0])
                if x <= at[0]:
                    points.append(QPointF(x, float(before[1][axis])))
            for x, y in zip(at, heights[:, axis], strict=True):
                if np.isfinite(y) and (not points or points[-1].x() <= x):
                    points.append(QPointF(x, y))
                else:
                    if len(points) > 1:
                        painter.drawPolyline(QPolygonF(points))
                    points = [QPointF(x, y)] if np.isfinite(y) else []
            if len(points) > 1:
                painter.drawPolyline(QPolygonF(points))
        self._last[sensor] = (float(times[-1]), heights[-1])

    def _clear(self, painter: QPainter, area: QRect) -> None:
        theme = current()
        painter.fillRect(area, QColor(theme.surface))
        painter.setPen(QPen(colour(theme.line, 0.7), 1))
        for sensor in range(len(self._names)):
            middle, half = self._lane(sensor)
            painter.drawLine(QPointF(area.left(), middle), QPointF(area.right(), middle))
            if sensor:
                painter.fillRect(QRect(area.left(), int(middle - half), area.width(), 1), QColor(theme.line))

    def _repaint_all(self) -> None:
        self._theme = current().name
        self._last = {}
        self._picture = QPixmap(self.size() * self.devicePixelRatioF())
        self._picture.setDevicePixelRatio(self.devicePixelRatioF())
        painter = QPainter(self._picture)
        self._clear(painter, self.rect())
        painter.fillRect(QRect(0, 0, self._left, self.height()), QColor(current().surface))
        painter.setFont(font("caption"))
        painter.setPen(QColor(current().text))
        for sensor, name in enumerate(self._names):
            middle, half = self._lane(sensor)
            words = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, self._left - px(8))
            painter.drawText(
                QRect(0, int(middle - half), self._left - px(8), int(2 * half)), Qt.AlignmentFlag.AlignVCenter, words
            )
        painter.end()
        for times, values in self._kept:
            self._draw(times, values)
        self.update()

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        self._repaint_all()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        if self._theme != current().name or self._picture.isNull():
            self._repaint_all()
        area = event.rect() if event is not None else self.rect()
        ratio = self.devicePixelRatioF()
        source = QRect(
            round(area.x() * ratio), round(area.y() * ratio), round(area.width() * ratio), round(area.height() * ratio)
        )
        QPainter(self).drawPixmap(area, self._picture, source)

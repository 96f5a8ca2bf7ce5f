"""Paper: the drawing tools of the report, in points and greys, for printers of any resolution.

It draws on a painter: text (cut off with an ellipsis if it is too long), bars, progress and the primitives' patterns.
No colour: four greys that differ on a bad printer, too, and patterns for different kinds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt
from PyQt6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen

from rehabcount.domain.labels import Label
from rehabcount.gui import theme

INK, MID, PALE, FAINT = "#111111", "#555555", "#b5b5b5", "#ececec"
HATCHED = "hatched"
LINES = 4  # on the value axis, about: more than a glance needs is clutter


@dataclass(frozen=True, slots=True)
class Spot:
    """Where text begins (its top left corner) and how wide it may be."""

    x: float
    y: float
    width: float


class Paper:
    """Draws in points on a painter of RESOLUTION dots an inch."""

    RESOLUTION = 720  # ten dots a point: whole numbers of dots are tenths of points, fine enough for type
    DOTS = 10.0

    def __init__(self, painter: QPainter) -> None:
        self._painter = painter
        self._family = theme.font().family()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    # -- text ---------------------------------------------------------------------------------------------------------

    def text(
        self, spot: Spot, text: str, size: float, *, bold: bool = False, ink: str = INK, align: str = "left"
    ) -> float:
        """One line, cut off where there is no more room; returns where the next would begin."""
        font = self._font(size, bold)
        metrics = QFontMetricsF(font, self._painter.device())
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, spot.width * self.DOTS)
        self._painter.setFont(font)
        self._painter.setPen(QColor(ink))
        side = Qt.AlignmentFlag.AlignRight if align == "right" else Qt.AlignmentFlag.AlignLeft
        where = self._rect(spot.x, spot.y, spot.width, size * 1.3)
        flags = side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip | Qt.TextFlag.TextSingleLine
        self._painter.drawText(where, int(flags), shown)
        return spot.y + size * 1.4

    def paragraph(self, spot: Spot, text: str, size: float, *, bold: bool = False, ink: str = INK) -> float:
        """As many lines as it takes; returns where the next begins."""
        metrics = QFontMetricsF(self._font(size, bold), self._painter.device())
        line, y = "", spot.y
        for word in text.split():
            longer = f"{line} {word}".strip()
            if line and metrics.horizontalAdvance(longer) > spot.width * self.DOTS:
                y = self.text(Spot(spot.x, y, spot.width), line, size, bold=bold, ink=ink)
                longer = word
            line = longer
        return self.text(Spot(spot.x, y, spot.width), line, size, bold=bold, ink=ink) if line else y

    # -- shapes -------------------------------------------------------------------------------------------------------

    def line(self, x: float, y: float, to_x: float, ink: str, width: float) -> None:
        self._painter.setPen(self._pen(ink, width))
        self._painter.drawLine(QLineF(x * self.DOTS, y * self.DOTS, to_x * self.DOTS, y * self.DOTS))

    def box(self, x: float, y: float, width: float, height: float, *, fill: str, edge: str | None = None) -> None:
        where = self._rect(x, y, width, height)
        self._painter.setPen(Qt.PenStyle.NoPen if edge is None else self._pen(edge, 0.8))
        self._painter.setBrush(QBrush(QColor("white" if fill == HATCHED else fill)))
        self._painter.drawRect(where)
        if fill == HATCHED:
            self._hatch(where, 3.0)

    def progress(self, x: float, y: float, width: float, height: float, share: float) -> None:
        """How much of the whole; more than all of it fills it."""
        self.box(x, y, width, height, fill="white", edge=INK)
        if share > 0:
            self.box(x, y, width * min(share, 1.0), height, fill=INK)

    def scale(self, x: float, y: float, width: float, height: float, share: float, target: float | None) -> None:
        """A bar on a common scale, with a mark where the target is."""
        self.box(x, y, width, height, fill=FAINT)
        self.box(x, y, width * min(share, 1.0), height, fill=MID)
        if target is not None:
            at = x + width * target
            self._painter.setPen(self._pen(INK, 1.6))
            self._painter.drawLine(
                QLineF(at * self.DOTS, (y - 2) * self.DOTS, at * self.DOTS, (y + height + 2) * self.DOTS)
            )

    def bars(
        self,
        spot: Spot,
        height: float,
        pairs: Sequence[tuple[int, int]],
        names: Sequence[str],
        bands: Sequence[tuple[float, float]] = (),
    ) -> None:
        """Stacked bars, plain below and hatched above, with an axis of round numbers. `bands` are grey grounds behind,
        from where to where in bars."""
        top = nice_top(max((sum(pair) for pair in pairs), default=0))
        left, width = spot.x + 26, spot.width - 26
        base = spot.y + height
        step = nice_step(top)
        slot = width / max(len(pairs), 1)
        for begins, ends in bands:
            begins, ends = left + begins * slot, min(left + ends * slot, left + width)
            self.box(begins, spot.y, max(1.0, ends - begins), height, fill=FAINT)
        for value in range(0, top + 1, step):
            y = base - height * value / top
            self.line(left, y, left + width, PALE if value else INK, 0.5 if value else 0.9)
            self.text(Spot(spot.x - 6, y - 5.5, 26), str(value), 8, ink=MID, align="right")
        thick = min(slot * 0.72, 44.0)
        for i, ((alone, helped), name) in enumerate(zip(pairs, names, strict=True)):
            x = left + slot * i + (slot - thick) / 2
            first, second = height * alone / top, height * helped / top
            if alone:
                self.box(x, base - first, thick, first, fill=INK)
            if helped:
                self.box(x, base - first - second, thick, second, fill=HATCHED, edge=INK)
            self._tick(left + slot * i, base, name)

    def _tick(self, x: float, y: float, name: str) -> None:
        """Where a bar's time begins."""
        self._painter.setPen(self._pen(INK, 0.9))
        self._painter.drawLine(QLineF(x * self.DOTS, y * self.DOTS, x * self.DOTS, (y + 3) * self.DOTS))
        half = QFontMetricsF(self._font(8, False), self._painter.device()).horizontalAdvance(name) / self.DOTS / 2
        self.text(Spot(x - half, y + 4, 2 * half + 2), name, 8, ink=MID)

    def key(self, to_x: float, y: float, fill: str, name: str) -> float:
        """A legend's entry that ends at `to_x`; returns where it begins."""
        width = QFontMetricsF(self._font(8, False), self._painter.device()).horizontalAdvance(name) / self.DOTS + 1
        self.text(Spot(to_x - width, y, width), name, 8)
        self.box(to_x - width - 12, y + 1.5, 8, 8, fill=fill, edge=INK)
        return to_x - width - 12

    def swatch(self, x: float, y: float, label: Label) -> None:
        """A primitive's pattern and letter."""
        where = self._rect(x, y, 12, 12)
        self._painter.setPen(self._pen(INK, 0.7))
        self._painter.setBrush(QBrush(QColor(FAINT)))
        self._painter.drawRect(where)
        self._pattern(where, label.pattern)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QBrush(QColor("white")))
        self._painter.drawRect(where.adjusted(28, 22, -28, -22))
        self.text(Spot(x + 3.2, y + 1, 12), label.letter, 8, bold=True)

    def _pattern(self, where: QRectF, pattern: str) -> None:
        self._painter.save()
        self._painter.setClipRect(where)
        self._painter.setPen(self._pen(MID, 0.5))
        steps = [i * 24.0 for i in range(1, 6)]
        if pattern in ("upright", "grid"):
            self._painter.drawLines(
                *[QLineF(where.left() + step, where.top(), where.left() + step, where.bottom()) for step in steps]
            )
        if pattern in ("level", "grid"):
            self._painter.drawLines(
                *[QLineF(where.left(), where.top() + step, where.right(), where.top() + step) for step in steps]
            )
        if pattern in ("dots", "dense"):
            self._painter.setPen(Qt.PenStyle.NoPen)
            self._painter.setBrush(QBrush(QColor(MID)))
            for across in steps:
                for down in steps:
                    self._painter.drawEllipse(QPointF(where.left() + across - 6, where.top() + down - 6), 5, 5)
        self._painter.restore()

    def _hatch(self, where: QRectF, every: float) -> None:
        self._painter.save()
        self._painter.setClipRect(where)
        self._painter.setPen(self._pen(INK, 0.5))
        step = every * self.DOTS
        for i in range(int((where.width() + where.height()) / step) + 1):
            x = where.left() + i * step
            self._painter.drawLine(QLineF(x, where.top(), x - where.height(), where.bottom()))
        self._painter.restore()

    def _rect(self, x: float, y: float, width: float, height: float) -> QRectF:
        return QRectF(x * self.DOTS, y * self.DOTS, width * self.DOTS, height * self.DOTS)

    def _pen(self, ink: str, width: float) -> QPen:
        return QPen(QColor(ink), width * self.DOTS)

    def _font(self, size: float, bold: bool) -> QFont:
        font = QFont(self._family)
        font.setPixelSize(round(size * self.DOTS))
        font.setBold(bold)
        return font


def nice_step(top: int) -> int:
    """1, 2 or 5 times a power of ten, so that about LINES of them reach `top`."""
    rough = max(top / LINES, 1.0)
    power = 10 ** math.floor(math.log10(rough))
    return int(next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough - 1e-9))


def nice_top(highest: int) -> int:
    """A round number that is not below the highest bar; never 0."""
    step = nice_step(max(highest, 1))
    return max(step * math.ceil(highest / step), step)

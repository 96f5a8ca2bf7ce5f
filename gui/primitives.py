"""The look of primitives: colour, pattern and letter. The same in ribbon, counts and review.

A settled movement is solid, with the primitive's own pattern; every draft is pale with slanted lines. Letter and
pattern identify a primitive without colour.
"""

from __future__ import annotations

from functools import lru_cache

from PyQt6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QBrush, QColor, QIcon, QPainter, QPaintEvent, QPen, QPixmap
from PyQt6.QtWidgets import QSizePolicy, QWidget

from rehabcount.domain.labels import PRODUCT, Label
from rehabcount.gui.language import primitive_name
from rehabcount.gui.theme import colour, current, font, ink_on, px

TILE = 8  # pixels of one repeat of a pattern
PATTERN_STRENGTH = 0.28  # of the pattern's lines: seen when looked for, quiet otherwise
DRAFT_STRENGTH = 0.35


def label_of(name: str) -> Label:
    """The label called so; what no vocabulary knows looks like `other`."""
    return PRODUCT[name] if name in PRODUCT.names else PRODUCT["other"]


def settled_brush(name: str) -> QBrush:
    """Fills a settled movement."""
    label = label_of(name)
    return QBrush(_tile(label.colour, label.pattern))


def draft_brush(name: str) -> QBrush:
    """Fills a draft."""
    return QBrush(_slanted(label_of(name).colour, current().sunken))


@lru_cache(maxsize=32)
def _tile(fill: str, pattern: str) -> QPixmap:
    picture = QPixmap(TILE, TILE)
    picture.fill(QColor(fill))
    painter = QPainter(picture)
    ink = colour(ink_on(fill), PATTERN_STRENGTH)
    painter.setPen(QPen(ink, 1))
    middle = TILE / 2
    if pattern in ("upright", "grid"):
        painter.drawLine(QLineF(middle, 0, middle, TILE))
    if pattern in ("level", "grid"):
        painter.drawLine(QLineF(0, middle, TILE, middle))
    if pattern in ("dots", "dense"):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        centres = [(2, 2), (6, 6)] if pattern == "dots" else [(2, 2), (6, 2), (2, 6), (6, 6)]
        for x, y in centres:
            painter.drawEllipse(QPointF(x, y), 1.1, 1.1)
    painter.end()
    return picture


@lru_cache(maxsize=32)
def _slanted(fill: str, paper: str) -> QPixmap:
    picture = QPixmap(TILE, TILE)
    picture.fill(QColor(paper))
    painter = QPainter(picture)
    painter.fillRect(picture.rect(), colour(fill, DRAFT_STRENGTH))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(fill), 1.6))
    for shift in (-TILE, 0, TILE):
        painter.drawLine(QLineF(shift, TILE, shift + TILE, 0))
    painter.end()
    return picture


def draw_letter(painter: QPainter, name: str, rect: QRectF, size_px: int) -> None:
    """The primitive's letter on its own solid disc, so that no pattern runs through it."""
    label = label_of(name)
    made = font("strong")
    made.setPixelSize(size_px)
    painter.setFont(made)
    radius = size_px * 0.72
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(label.colour))
    painter.drawEllipse(rect.center(), radius, radius)
    painter.setPen(QColor(ink_on(label.colour)))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label.letter)


class PrimitiveBadge(QWidget):
    """A small square in the look of one primitive."""

    def __init__(self, name: str, size: int = 28) -> None:
        super().__init__()
        self._name, self._size = name, size
        self.setAccessibleName(primitive_name(name))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(px(self._size), px(self._size))

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(colour(current().text, 0.35), 1))
        painter.setBrush(settled_brush(self._name))
        painter.drawRoundedRect(box, 6, 6)
        draw_letter(painter, self._name, box, round(box.height() * 0.5))


def badge_icon(name: str, size_px: int) -> QIcon:
    """The look of one primitive, for a button."""
    badge = PrimitiveBadge(name)
    badge.resize(size_px, size_px)
    picture = QPixmap(size_px, size_px)
    picture.fill(Qt.GlobalColor.transparent)
    badge.render(picture, flags=QWidget.RenderFlag.DrawChildren)
    return QIcon(picture)

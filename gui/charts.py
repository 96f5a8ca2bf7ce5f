"""Charts of a session: the time course as bars, activities against their targets, and the primitives' swatches.

Each is a widget that paints itself from plain data in the theme's colours. What it shows is also its accessible
description, so that a screen reader has the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QBrush, QFontMetricsF, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QSizePolicy, QWidget

from rehabcount.domain.dose import ActivityDose
from rehabcount.domain.labels import Label
from rehabcount.domain.session_summary import Bin, Pause
from rehabcount.gui import wording
from rehabcount.gui.language import tr
from rehabcount.gui.paper import nice_step, nice_top
from rehabcount.gui.theme import colour, current, font, ink_on, px, space


class TimeCourse(QWidget):
    """Task repetitions in each stretch of the session since Start; those with assistance hatched on top, pauses as
    grey ground behind."""

    def __init__(self) -> None:
        super().__init__()
        self._bins: tuple[Bin, ...] = ()
        self._bin_s = 60.0
        self._pauses: tuple[Pause, ...] = ()
        self.setMinimumHeight(px(170))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Time course"))

    def show_bins(self, bins: tuple[Bin, ...], bin_s: float, pauses: tuple[Pause, ...] = ()) -> None:
        self._bins, self._bin_s, self._pauses = bins, bin_s, pauses
        spoken = [f"{wording.clock(each.start_s)}: {each.repetitions}" for each in bins]
        spoken += [wording.paused_words(each) for each in pauses]
        self.setAccessibleDescription(", ".join(spoken))
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        theme = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font("caption"))
        metrics = QFontMetricsF(painter.font())
        top = nice_top(max((each.repetitions + each.assisted_repetitions for each in self._bins), default=0))
        left = metrics.horizontalAdvance(str(top)) + space(1.5)
        base = self.height() - metrics.height() - space(1)
        high = base - space(1)
        slot = (self.width() - left) / max(len(self._bins), 1)
        self._draw_pauses(painter, QRectF(left, base - high, self.width() - left, high), slot / self._bin_s)
        for value in range(0, top + 1, nice_step(top)):
            y = base - high * value / top
            painter.setPen(QPen(colour(theme.muted if value == 0 else theme.line), 1))
            painter.drawLine(QLineF(left, y, self.width(), y))
            painter.setPen(colour(theme.muted))
            where = QRectF(0, y - metrics.height() / 2, left - space(1), metrics.height())
            painter.drawText(where, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), str(value))
        thick = min(slot * 0.74, px(64))
        last_label = -1e9
        for i, each in enumerate(self._bins):
            x = left + slot * i + (slot - thick) / 2
            alone = high * each.repetitions / top
            helped = high * each.assisted_repetitions / top
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour(theme.accent))
            painter.drawRect(QRectF(x, base - alone, thick, alone))
            if helped:
                painter.setPen(QPen(colour(theme.accent), 1.5))
                painter.setBrush(QBrush(colour(theme.accent), Qt.BrushStyle.BDiagPattern))
                painter.drawRect(QRectF(x, base - alone - helped, thick, helped))
            name = wording.clock(each.start_s)
            width = metrics.horizontalAdvance(name)
            at = left + slot * i
            if at - width / 2 > last_label + space(1):
                painter.setPen(colour(theme.muted))
                painter.drawLine(QLineF(at, base, at, base + 4))
                painter.drawText(QPointF(max(0.0, at - width / 2), base + metrics.ascent() + 6), name)
                last_label = at + width / 2

    def _draw_pauses(self, painter: QPainter, room: QRectF, per_second: float) -> None:
        """The clock goes on in a pause: its ground is grey, and says why nothing stands there."""
        metrics, words = QFontMetricsF(painter.font()), tr("paused")
        for pause in self._pauses:
            left = room.left() + pause.start_s * per_second
            right = min(room.left() + pause.end_s * per_second, room.right())
            band = QRectF(left, room.top(), max(2.0, right - left), room.height())
            painter.fillRect(band, colour(current().sunken))
            painter.setPen(colour(current().muted))
            if metrics.horizontalAdvance(words) + space(1) <= band.width():
                painter.drawText(band, int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop), words)


class ActivityBars(QWidget):
    """Each activity on a common scale, with a mark where its target is."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[ActivityDose] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("By activity"))

    def show_activities(self, rows: Sequence[ActivityDose]) -> None:
        self._rows = rows
        self.setAccessibleDescription(", ".join(f"{wording.activity_name(row.name)}: {_done(row)}" for row in rows))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(px(320), max(1, len(self._rows)) * self._row_height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(px(220), self.sizeHint().height())

    def _row_height(self) -> int:
        return int(QFontMetricsF(font("body")).height()) + space(1.5)

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        theme = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = QFontMetricsF(font("body"))
        most = max((max(row.repetitions, row.target or 0) for row in self._rows), default=0) or 1
        last = max((QFontMetricsF(font("strong")).horizontalAdvance(_done(row)) for row in self._rows), default=0.0)
        first = min(self.width() * 0.36, px(220))
        bar = self.width() - first - last - space(4)
        for i, row in enumerate(self._rows):
            y, height = i * self._row_height(), self._row_height()
            painter.setFont(font("body"))
            painter.setPen(colour(theme.text))
            name = metrics.elidedText(wording.activity_name(row.name), Qt.TextElideMode.ElideRight, first - space(1))
            painter.drawText(QRectF(0, y, first, height), int(Qt.AlignmentFlag.AlignVCenter), name)
            thick = px(12)
            track = QRectF(first + space(1), y + (height - thick) / 2, bar, thick)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour(theme.sunken))
            painter.drawRect(track)
            painter.setBrush(colour(theme.accent))
            painter.drawRect(QRectF(track.left(), track.top(), bar * row.repetitions / most, thick))
            if row.target is not None:
                at = track.left() + bar * row.target / most
                painter.setPen(QPen(colour(theme.text), 2))
                painter.drawLine(QLineF(at, track.top() - 4, at, track.bottom() + 4))
            painter.setFont(font("strong"))
            painter.setPen(colour(theme.text))
            where = QRectF(self.width() - last, y, last, height)
            painter.drawText(where, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), _done(row))


class Progress(QWidget):
    """How much of the plan is done: a bar, filled at most."""

    def __init__(self) -> None:
        super().__init__()
        self._share = 0.0
        self.setFixedHeight(px(12))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_share(self, share: float) -> None:
        self._share = share
        self.setAccessibleName(wording.share(share))
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        theme = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour(theme.line), 1))
        painter.setBrush(colour(theme.sunken))
        whole = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(whole, whole.height() / 2, whole.height() / 2)
        if self._share > 0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour(theme.accent))
            part = QRectF(whole.left(), whole.top(), whole.width() * min(self._share, 1.0), whole.height())
            painter.drawRoundedRect(part, whole.height() / 2, whole.height() / 2)


class Swatch(QWidget):
    """A primitive's colour and letter."""

    def __init__(self, label: Label) -> None:
        super().__init__()
        self._label = label
        self.setFixedSize(px(22), px(22))

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour(self._label.colour))
        painter.drawRoundedRect(QRectF(self.rect()), 4, 4)
        painter.setFont(font("strong"))
        painter.setPen(colour(ink_on(self._label.colour)))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._label.letter)


def _done(row: ActivityDose) -> str:
    if row.target is None:
        return wording.number(row.repetitions)
    return tr("{number} of {total}").format(number=wording.number(row.repetitions), total=wording.number(row.target))

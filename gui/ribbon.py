"""The ribbon: the last half minute as coloured blocks, running from right (now) to left.

In: a ScreenState and the time that is now. Settled movements are solid, drafts hatched; where the session was paused
the bed is dim, where the therapist assisted it is framed; a silent sensor leaves a line along the bottom. The
legend beneath says so.
"""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QSizePolicy, QWidget

from rehabcount.bedside.screen_state import ASSISTED, COUNTING, PAUSED, ScreenState
from rehabcount.domain.labels import PRODUCT
from rehabcount.gui.language import plural, primitive_name, tr
from rehabcount.gui.primitives import draft_brush, draw_letter, settled_brush
from rehabcount.gui.theme import colour, current, font, px

SHOWN_S = 30.0
AHEAD_S = 1.0  # empty room at the right, so that the newest block has a visible end
TICK_S = 5
SMALLEST_LETTERED_PX = 16
PAUSE_STRENGTH = 0.35  # of the grey over the bed: seen, and its word is still read


class Ribbon(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._state: ScreenState | None = None
        self._now_s = 0.0
        self._axis = True
        self.setAccessibleName(tr("Ribbon of recognised movements"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(px(320), px(84) if self._axis else px(44))

    def set_axis(self, axis: bool) -> None:
        """With or without the seconds beneath."""
        if axis != self._axis:
            self._axis = axis
            self.updateGeometry()

    def show_state(self, state: ScreenState, now_s: float) -> None:
        """Draw this; cheap when nothing moved by a pixel."""
        moved = abs(now_s - self._now_s) * self.width() / SHOWN_S >= 0.5
        changed = self._state is None or state.events is not self._state.events or state.draft is not self._state.draft
        if changed:
            last = state.events[-1].segment.label if state.events else ""
            self.setAccessibleDescription(
                tr("last movement: {name}").format(name=primitive_name(last)) if last else tr("nothing recognised yet")
            )
        self._state = state
        if moved or changed:
            self._now_s = now_s
            self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        theme = current()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.window))
        bed = QRectF(0, 0, self.width(), self.height() - (px(22) if self._axis else 0))
        painter.fillRect(bed, QColor(theme.sunken))
        if self._state is not None:
            self._draw_phases(painter, bed, self._state)
            self._draw_movements(painter, bed, self._state)
            self._draw_gaps(painter, bed, self._state)
            self._draw_marks(painter, bed, self._state)
        self._draw_axis(painter, bed)

    def _x(self, time_s: float) -> float:
        return self.width() * (1 - (self._now_s + AHEAD_S - time_s) / (SHOWN_S + AHEAD_S))

    def _span(self, start_s: float, end_s: float, bed: QRectF) -> QRectF:
        left, right = max(self._x(start_s), -4.0), min(self._x(end_s), bed.width() + 4.0)
        return QRectF(left, bed.top(), max(0.0, right - left), bed.height())

    def _draw_phases(self, painter: QPainter, bed: QRectF, state: ScreenState) -> None:
        theme = current()
        phases = state.phases
        for i, phase in enumerate(phases):
            end_s = phases[i + 1].at_s if i + 1 < len(phases) else self._now_s + AHEAD_S
            span = self._span(phase.at_s, end_s, bed)
            if span.width() <= 0 or phase.name == COUNTING:
                continue
            painter.fillRect(
                span, QColor(theme.warn_soft) if phase.name == ASSISTED else colour(theme.muted, PAUSE_STRENGTH)
            )
            words = {PAUSED: tr("paused"), ASSISTED: tr("assisted")}.get(phase.name, tr("not counted"))
            painter.setFont(font("caption"))
            painter.setPen(QColor(theme.text))
            if span.width() > painter.fontMetrics().horizontalAdvance(words) + 8:
                painter.drawText(span.adjusted(4, 2, -4, -2), Qt.AlignmentFlag.AlignTop, words)

    def _draw_movements(self, painter: QPainter, bed: QRectF, state: ScreenState) -> None:
        for each in state.events:
            segment = each.segment
            if segment.side is state.side and segment.end_s > self._now_s - SHOWN_S:
                self._draw_block(painter, bed, segment.label, segment.start_s, segment.end_s, settled=True)
        for token in state.draft:
            if token.side is state.side:
                end_s = max(state.drafted_until_s(token, self._now_s), token.start_s + 0.1)
                self._draw_block(painter, bed, token.label, token.start_s, end_s, settled=False)

    def _draw_block(
        self, painter: QPainter, bed: QRectF, label: str, start_s: float, end_s: float, *, settled: bool
    ) -> None:
        lift = bed.height() * (0.62 if label == "idle" else 0.24)  # waiting is a low block: what moves stands out
        box = self._span(start_s, end_s, bed).adjusted(0.5, lift, -0.5, -px(6))
        if box.width() <= 0:
            return
        painter.setBrushOrigin(QPointF(self._x(start_s), 0.0))  # the pattern travels with its block
        brush = settled_brush(label) if settled else draft_brush(label)
        painter.fillRect(box, brush)
        pen = QPen(colour(current().text, 0.55 if settled else 0.8), 1)
        if not settled:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box)
        size = min(px(15), round(box.height() * 0.6))
        if box.width() >= max(SMALLEST_LETTERED_PX, size * 1.5):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw_letter(painter, label, box, size)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _draw_gaps(self, painter: QPainter, bed: QRectF, state: ScreenState) -> None:
        spans = [(gap.start_s, gap.end_s) for gap in state.gaps]
        spans += [(since_s, self._now_s) for since_s in state.lost.values()]
        for start_s, end_s in spans:
            span = self._span(start_s, end_s, bed)
            painter.fillRect(QRectF(span.left(), bed.bottom() - px(4), span.width(), px(4)), QColor(current().bad))

    def _draw_marks(self, painter: QPainter, bed: QRectF, state: ScreenState) -> None:
        painter.setPen(QPen(QColor(current().accent), 2))
        for mark in state.marks:
            x = self._x(mark.at_s)
            if x >= 0:
                painter.drawLine(QPointF(x, bed.top()), QPointF(x, bed.bottom()))
                painter.fillRect(QRectF(x, bed.top(), px(8), px(6)), QColor(current().accent))

    def _draw_axis(self, painter: QPainter, bed: QRectF) -> None:
        theme = current()
        painter.setFont(font("caption"))
        for ago in range(0, int(SHOWN_S), TICK_S) if self._axis else ():
            x = self._x(self._now_s - ago)
            painter.setPen(QPen(QColor(theme.line), 1))
            painter.drawLine(QPointF(x, bed.bottom()), QPointF(x, bed.bottom() + px(4)))
            painter.setPen(QColor(theme.muted))
            words = tr("now") if ago == 0 else plural(ago, "{n} s ago", "{n} s ago")
            wide = painter.fontMetrics().horizontalAdvance(words)
            left = min(x - wide / 2, self.width() - wide - 2)
            painter.drawText(QPointF(left, self.height() - px(4)), words)
        x = self._x(self._now_s)
        painter.setPen(QPen(QColor(theme.accent), 2))
        painter.drawLine(QPointF(x, 0), QPointF(x, bed.bottom()))


class RibbonLegend(QWidget):
    """The meaning of the ribbon's patterns that the counts above do not show."""

    def __init__(self) -> None:
        super().__init__()
        self._items = (
            ("draft", tr("hatched: not settled yet, not counted")),
            ("other", tr("{letter}: other movement, never counted").format(letter=PRODUCT["other"].letter)),
            ("silent", tr("line at the bottom: a sensor was silent")),
            ("mark", tr("flag: a mark")),
        )
        self.setAccessibleName("; ".join(words for _, words in self._items))
        self.setToolTip("\n".join(words for _, words in self._items))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(px(320), QFontMetrics(font("caption")).height() + px(2))

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        """From left to right; what finds no room is left to the tooltip."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font("caption"))
        metrics = painter.fontMetrics()
        x = 0.0
        for look, words in self._items:
            box = QRectF(x + 1, (self.height() - px(14)) / 2, px(22), px(14))
            x = box.right() + px(6)
            if x + metrics.horizontalAdvance(words) > self.width():
                return
            self._draw_look(painter, look, box)
            painter.setFont(font("caption"))
            painter.setPen(QColor(current().muted))
            painter.drawText(QPointF(x, (self.height() + metrics.ascent() - metrics.descent()) / 2), words)
            x += metrics.horizontalAdvance(words) + px(22)

    def _draw_look(self, painter: QPainter, look: str, box: QRectF) -> None:
        theme = current()
        if look in ("draft", "other"):
            painter.setPen(QPen(colour(theme.text, 0.55), 1))
            painter.setBrush(draft_brush("reach") if look == "draft" else settled_brush("other"))
            painter.drawRect(box)
        if look == "other":
            draw_letter(painter, "other", box, px(9))
        if look == "silent":
            painter.fillRect(QRectF(box.left(), box.center().y() - px(2), box.width(), px(4)), QColor(theme.bad))
        if look == "mark":
            painter.fillRect(QRectF(box.center().x(), box.top(), px(8), px(6)), QColor(theme.accent))
            painter.fillRect(QRectF(box.center().x() - 1, box.top(), 2, box.height()), QColor(theme.accent))

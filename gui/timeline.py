"""The timeline of a review: what was counted and corrected over what the sensors measured, on one axis of time.

In: a ReviewState and what surrounds it (phases, gaps, marks, signals). Out: wishes, as signals; the screen grants them.

    wheel, pinch         zoom about the pointer; with Shift it pans
    drag on a block      nothing; on its border: moves the border; on empty ground: draws a new event
    drag on the ruler    seeks;  on the overview: goes there
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from PyQt6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PyQt6.QtWidgets import QSizePolicy, QWidget

from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Gap, Mark, Phase
from rehabcount.gui import wording
from rehabcount.gui.language import primitive_name, side_name, tr
from rehabcount.gui.primitives import draft_brush, draw_letter, settled_brush
from rehabcount.gui.review_state import ZOOM, ReviewState
from rehabcount.gui.session_signals import Signals
from rehabcount.gui.theme import colour, current, font, px, space

RULER, CORRECTED, AUTOMATIC, OVERVIEW, SIGNAL = 30, 62, 20, 30, 34  # heights in pixels at 100 %
GRAB_PX = 6  # how near to a border the pointer must be to take hold of it
TICKS_S = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600)
TICK_ROOM = 90  # pixels that a labelled tick needs at 100 %


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a session says beside its events."""

    rig: Rig
    phases: tuple[Phase, ...] = ()
    gaps: tuple[Gap, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class _Lane:
    """A row of blocks: `kind` is corrected, automatic or compared."""

    kind: str
    side: Side
    top: float
    height: float


@dataclass(frozen=True, slots=True)
class _Drag:
    """What the mouse holds: `edge` of an event, `span` of a new one, `seek`, or the `overview`."""

    kind: str
    number: int = 0
    edge: str = ""
    from_s: float = 0.0
    to_s: float = 0.0


class Timeline(QWidget):
    look_asked = pyqtSignal(float, float)  # start and length of the view
    seek_asked = pyqtSignal(float)
    choose_asked = pyqtSignal(object, bool)  # number of an event or None; whether beside those chosen
    edge_asked = pyqtSignal(int, str, float)
    add_asked = pyqtSignal(float, float)

    def __init__(self) -> None:
        super().__init__()
        self._state: ReviewState | None = None
        self._around = Surroundings(Rig("none", ()))
        self._signals: Signals | None = None
        self._drag: _Drag | None = None
        self.keys: dict[str, Callable[[], object]] = {}  # by the name of the key, as in QKeySequence, or by its sign
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Timeline"))

    def show_surroundings(self, around: Surroundings, signals: Signals | None) -> None:
        self._around, self._signals = around, signals
        self.updateGeometry()
        self.update()

    def show_state(self, state: ReviewState) -> None:
        self._state = state
        chosen = state.chosen_events
        if chosen:
            segment = chosen[0].segment
            self.setAccessibleDescription(
                f"{primitive_name(segment.label)}, {wording.clock(segment.start_s)}, {segment.length_s:.1f} s"
            )
        self.update()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        lanes = sum(lane.height for lane in self._lanes())
        signals = px(SIGNAL) * min(2, len(self._around.rig))
        return QSize(px(420), int(px(RULER) + lanes + signals + px(OVERVIEW) + space(2)))

    # -- geometry -----------------------------------------------------------------------------------------------------

    def _gutter(self) -> float:
        """Room for the names of rows."""
        metrics = QFontMetricsF(font("caption"))
        names = [tr("corrected"), tr("automatic"), tr("compared"), *self._around.rig.names]
        widest = max(metrics.horizontalAdvance(name) for name in names)
        return float(min(widest + space(2), self.width() * 0.2))

    def _x(self, time_s: float) -> float:
        assert self._state is not None
        left = self._gutter()
        return left + (time_s - self._state.view_start_s) / self._state.view_s * (self.width() - left)

    def _time(self, x: float) -> float:
        assert self._state is not None
        left = self._gutter()
        return self._state.view_start_s + (x - left) / max(1.0, self.width() - left) * self._state.view_s

    def _lanes(self) -> list[_Lane]:
        state = self._state
        if state is None:
            return []
        sides = [state.side] + [
            side
            for side in (state.side.other,)
            if any(each.segment.side is side for each in (*state.editing.events, *state.compared))
        ]
        sides.sort(key=list(Side).index)  # each arm stays where it is, whichever is edited
        lanes: list[_Lane] = []
        top = float(px(RULER))
        for side in sides:
            kinds = [("corrected", CORRECTED), ("automatic", AUTOMATIC)]
            kinds += [("compared", AUTOMATIC)] if state.compared else []
            for kind, height in kinds:
                lanes.append(_Lane(kind, side, top, float(px(height))))
                top += px(height) + 2
            top += space(0.5)
        return lanes

    def _overview(self) -> QRectF:
        left = self._gutter()
        return QRectF(left, self.height() - px(OVERVIEW), self.width() - left, px(OVERVIEW) - 2)

    # -- painting -----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        painter = QPainter(self)
        theme, state = current(), self._state
        painter.fillRect(self.rect(), QColor(theme.surface))
        if state is None:
            return
        lanes = self._lanes()
        below = lanes[-1].top + lanes[-1].height + space(1) if lanes else float(px(RULER))
        self._draw_phases(painter, state, below)
        self._draw_ruler(painter, state)
        for lane in lanes:
            self._draw_lane(painter, state, lane)
        self._draw_signals(painter, state, below)
        self._draw_overview(painter, state)
        self._draw_cursor(painter, state)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.accent), px(2)))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def _body(self, state: ReviewState, top: float, height: float, start_s: float, end_s: float) -> QRectF:
        """A span of time in a row, cut to what is in sight."""
        left, right = max(self._x(start_s), self._gutter()), min(self._x(end_s), float(self.width()))
        return QRectF(left, top, max(0.0, right - left), height)

    def _draw_phases(self, painter: QPainter, state: ReviewState, below: float) -> None:
        theme = current()
        phases = self._around.phases
        for phase, after in zip(phases, (*phases[1:], None), strict=True):
            end_s = after.at_s if after is not None else state.length_s
            span = self._body(state, px(RULER) * 0.6, below - px(RULER) * 0.6, phase.at_s, end_s)
            if span.width() <= 0 or phase.name == "counting":
                continue
            painter.fillRect(span, QColor(theme.warn_soft if phase.name == "assisted" else theme.sunken))

    def _draw_ruler(self, painter: QPainter, state: ReviewState) -> None:
        theme = current()
        painter.setFont(font("caption"))
        per_second = (self.width() - self._gutter()) / state.view_s
        step = next((each for each in TICKS_S if each * per_second >= px(TICK_ROOM)), TICKS_S[-1])
        first = int(np.ceil(state.view_start_s / step - 1e-9))
        for i in range(first, int(state.view_end_s / step) + 1):
            at_s = i * step
            x = self._x(at_s)
            painter.setPen(QPen(colour(theme.line, 0.6), 1))
            painter.drawLine(QLineF(x, px(RULER) - 6, x, self.height() - px(OVERVIEW) - 4))
            painter.setPen(QColor(theme.muted))
            words = wording.clock(at_s) + (f".{round(at_s * 10) % 10}" if step < 1 else "")
            painter.drawText(QPointF(x + 3, px(RULER) * 0.55), words)
        for mark in self._around.marks:
            if state.view_start_s <= mark.at_s <= state.view_end_s:
                x = self._x(mark.at_s)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(theme.warn))
                painter.drawPolygon(QPolygonF([QPointF(x, 2), QPointF(x + px(9), px(7)), QPointF(x, px(12))]))
                painter.setPen(QPen(QColor(theme.warn), 1, Qt.PenStyle.DotLine))
                painter.drawLine(QLineF(x, 2, x, self.height() - px(OVERVIEW)))

    def _draw_lane(self, painter: QPainter, state: ReviewState, lane: _Lane) -> None:
        theme = current()
        left = self._gutter()
        name = {"corrected": side_name(lane.side.value), "automatic": tr("automatic"), "compared": tr("compared")}
        edited = lane.kind == "corrected" and lane.side is state.side
        painter.setFont(font("strong" if lane.kind == "corrected" else "caption"))
        painter.setPen(QColor(theme.accent if edited else theme.text if lane.kind == "corrected" else theme.muted))
        room = QRectF(0, lane.top, left - space(1), lane.height)
        words = QFontMetricsF(painter.font()).elidedText(name[lane.kind], Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), words)
        painter.setPen(QPen(QColor(theme.accent if edited else theme.line), 1))
        painter.drawLine(QLineF(left, lane.top + lane.height, self.width(), lane.top + lane.height))
        if lane.kind == "corrected":
            self._draw_corrected(painter, state, lane)
        else:
            events = state.editing.events if lane.kind == "automatic" else state.compared
            for event in events:
                if event.segment.side is lane.side:
                    self._draw_thin(painter, state, lane, event.segment)
        self._draw_new(painter, state, lane)

    def _draw_corrected(self, painter: QPainter, state: ReviewState, lane: _Lane) -> None:
        theme = current()
        for each in state.editing.standing:
            segment = self._previewed(each.number, each.segment)
            if segment.side is not lane.side:
                continue
            if segment.end_s < state.view_start_s or segment.start_s > state.view_end_s:
                continue
            box = self._body(state, lane.top + 4, lane.height - 6, segment.start_s, segment.end_s)
            if box.width() <= 0:
                continue
            box = box.adjusted(0.5, 0, -0.5, 0) if box.width() > 3 else box
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrushOrigin(box.topLeft())
            painter.setBrush(settled_brush(segment.label))
            painter.drawRect(box)
            size = px(15)
            if box.width() > size * 1.7:
                draw_letter(painter, segment.label, box, size)
            if each.is_changed:  # a person said so: a notch at the top
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(theme.text))
                corner = box.topRight()
                notch = px(9)
                painter.drawPolygon(QPolygonF([corner, corner - QPointF(notch, 0), corner + QPointF(0, notch)]))
            if each.number in state.chosen:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(theme.text), px(3)))
                painter.drawRect(box.adjusted(0, -1, 0, 1))

    def _previewed(self, number: int, segment: Segment) -> Segment:
        """The event as it will be when the mouse lets go."""
        drag = self._drag
        if drag is None or drag.kind != "edge" or drag.number != number:
            return segment
        if drag.edge == "start":
            return replace(segment, start_s=min(drag.to_s, segment.end_s))
        return replace(segment, end_s=max(drag.to_s, segment.start_s))

    def _draw_thin(self, painter: QPainter, state: ReviewState, lane: _Lane, segment: Segment) -> None:
        if segment.end_s < state.view_start_s or segment.start_s > state.view_end_s:
            return
        box = self._body(state, lane.top + 3, lane.height - 5, segment.start_s, segment.end_s)
        if box.width() <= 0:
            return
        box = box.adjusted(0.5, 0, -0.5, 0) if box.width() > 3 else box
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrushOrigin(box.topLeft())
        painter.setBrush(settled_brush(segment.label))
        painter.drawRect(box)
        if box.width() > px(20):
            draw_letter(painter, segment.label, box, px(10))

    def _draw_new(self, painter: QPainter, state: ReviewState, lane: _Lane) -> None:
        drag = self._drag
        if drag is None or drag.kind != "span" or lane.kind != "corrected" or lane.side is not state.side:
            return
        start_s, end_s = sorted((drag.from_s, drag.to_s))
        box = self._body(state, lane.top + 4, lane.height - 6, start_s, end_s)
        painter.setBrush(draft_brush("other"))
        painter.setPen(QPen(QColor(current().accent), 2, Qt.PenStyle.DashLine))
        painter.drawRect(box)

    def _draw_signals(self, painter: QPainter, state: ReviewState, top: float) -> None:
        theme, names, signals = current(), self._around.rig.names, self._signals
        bottom = self._overview().top() - space(1)
        rows = min(len(names), int((bottom - top) // px(24)))
        if signals is None or rows < 1:
            return
        left = self._gutter()
        height = (bottom - top) / rows
        columns = max(2, int(self.width() - left) // 2)
        for row in range(rows):
            base = top + height * (row + 1)
            painter.setFont(font("caption"))
            painter.setPen(QColor(theme.muted))
            room = QRectF(0, base - height, left - space(1), height)
            words = QFontMetricsF(painter.font()).elidedText(names[row], Qt.TextElideMode.ElideLeft, room.width())
            painter.drawText(room, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), words)
            painter.setPen(QPen(QColor(theme.line), 1))
            painter.drawLine(QLineF(left, base, self.width(), base))
            for gap in self._around.gaps:
                if gap.sensor == names[row]:
                    painter.fillRect(
                        self._body(state, base - height + 3, height - 4, gap.start_s, gap.end_s), QColor(theme.bad_soft)
                    )
            peaks = signals.peaks(row, state.view_start_s, state.view_end_s, columns)
            self._draw_curve(painter, peaks, QRectF(left, base - height + 3, self.width() - left, height - 4))

    def _draw_curve(self, painter: QPainter, peaks: np.ndarray, room: QRectF) -> None:
        """A line through the known values; it breaks where nothing is known."""
        assert self._signals is not None
        painter.setPen(QPen(QColor(current().accent), max(1.2, px(1.2))))
        known = np.isfinite(peaks)
        heights = room.bottom() - np.minimum(np.where(known, peaks, 0) / self._signals.top, 1.0) * room.height()
        across = room.left() + (np.arange(len(peaks)) + 0.5) * room.width() / len(peaks)
        borders = np.flatnonzero(np.diff(known.astype(int))) + 1
        for part in np.split(np.arange(len(peaks)), borders):
            if len(part) > 1 and known[part[0]]:
                points = [QPointF(x, y) for x, y in zip(across[part].tolist(), heights[part].tolist(), strict=True)]
                painter.drawPolyline(QPolygonF(points))

    def _draw_overview(self, painter: QPainter, state: ReviewState) -> None:
        theme, room = current(), self._overview()
        painter.fillRect(room, QColor(theme.sunken))
        whole = max(state.length_s, 1e-6)
        painter.setPen(Qt.PenStyle.NoPen)
        for each in state.lane:
            left = room.left() + each.segment.start_s / whole * room.width()
            width = max(1.0, each.segment.length_s / whole * room.width())
            height = room.height() * (0.35 if each.segment.label == "idle" else 0.8)
            painter.fillRect(QRectF(left, room.bottom() - height, width, height), settled_brush(each.segment.label))
        left = room.left() + state.view_start_s / whole * room.width()
        width = max(4.0, state.view_s / whole * room.width())
        painter.setPen(QPen(QColor(theme.text), px(2)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(left, room.top() + 1, min(width, room.right() - left) - 1, room.height() - 2))
        x = room.left() + state.cursor_s / whole * room.width()
        painter.setPen(QPen(QColor(theme.accent), px(2)))
        painter.drawLine(QLineF(x, room.top(), x, room.bottom()))

    def _draw_cursor(self, painter: QPainter, state: ReviewState) -> None:
        if not state.view_start_s <= state.cursor_s <= state.view_end_s:
            return
        x = self._x(state.cursor_s)
        painter.setPen(QPen(QColor(current().accent), px(2)))
        painter.drawLine(QLineF(x, 0, x, self._overview().top() - 2))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(current().accent))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPolygon(QPolygonF([QPointF(x - px(7), 0), QPointF(x + px(7), 0), QPointF(x, px(10))]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    # -- keys ---------------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802 (Qt's name)
        """Here and not as shortcuts of the screen: a letter typed into a field must not delete an event."""
        if event is None:
            return
        plain = not event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
        named = self.keys.get(QKeySequence(event.keyCombination()).toString(QKeySequence.SequenceFormat.PortableText))
        act = named or (self.keys.get(event.text().upper()) if plain and event.text().strip() else None)
        if act is None:
            super().keyPressEvent(event)
        else:
            act()

    # -- the mouse ----------------------------------------------------------------------------------------------------

    def _hit(self, at: QPointF) -> tuple[str, int, str, Side | None]:
        """What is there: (kind, event, edge, side). Kinds: edge, event, ground, ruler, overview, nothing."""
        state = self._state
        assert state is not None
        if at.y() < px(RULER):
            return "ruler", 0, "", None
        if at.y() >= self._overview().top():
            return "overview", 0, "", None
        time_s = self._time(at.x())
        lane = next((lane for lane in self._lanes() if lane.top <= at.y() < lane.top + lane.height), None)
        if lane is None or lane.kind != "corrected" or at.x() < self._gutter():
            return "nothing", 0, "", None
        reach_s = GRAB_PX / max(1.0, self.width() - self._gutter()) * state.view_s
        under = state.editing.at(time_s, lane.side)
        for each in state.chosen_events:  # the borders of what is chosen go first
            if each.segment.side is lane.side:
                for edge in ("start", "end"):
                    if abs(getattr(each.segment, f"{edge}_s") - time_s) <= reach_s:
                        return "edge", each.number, edge, lane.side
        if under is None:
            return "ground", 0, "", lane.side
        for edge in ("start", "end"):
            narrow = under.segment.length_s < 4 * reach_s
            if not narrow and abs(getattr(under.segment, f"{edge}_s") - time_s) <= reach_s:
                return "edge", under.number, edge, lane.side
        return "event", under.number, "", lane.side

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is None or self._state is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        kind, number, edge, side = self._hit(event.position())
        time_s = self._time(event.position().x())
        beside = bool(event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier))
        if kind == "edge":
            self.choose_asked.emit(number, False)
            self._drag = _Drag("edge", number, edge, time_s, time_s)
        elif kind == "event":
            self.choose_asked.emit(number, beside)
            self.seek_asked.emit(time_s)
        elif kind == "ground" and side is self._state.side:
            self._drag = _Drag("span", from_s=time_s, to_s=time_s)
            self.choose_asked.emit(None, False)
            self.seek_asked.emit(time_s)
        elif kind == "overview":
            self._drag = _Drag("overview")
            self._go_to(event.position().x())
        else:
            self._drag = _Drag("seek")
            self.seek_asked.emit(time_s)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is None or self._state is None:
            return
        time_s = self._time(event.position().x())
        if self._drag is None:
            kind = self._hit(event.position())[0]
            shapes = {"edge": Qt.CursorShape.SplitHCursor, "ground": Qt.CursorShape.CrossCursor}
            self.setCursor(shapes.get(kind, Qt.CursorShape.ArrowCursor))
        elif self._drag.kind == "overview":
            self._go_to(event.position().x())
        elif self._drag.kind == "seek":
            self.seek_asked.emit(time_s)
        else:
            self._drag = replace(self._drag, to_s=time_s)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 (Qt's name)
        drag, self._drag = self._drag, None
        if drag is None or event is None:
            return
        moved_px = abs(self._x(drag.to_s) - self._x(drag.from_s))
        if drag.kind == "edge" and moved_px > 1:
            self.edge_asked.emit(drag.number, drag.edge, drag.to_s)
        elif drag.kind == "span" and moved_px > GRAB_PX:
            self.add_asked.emit(*sorted((drag.from_s, drag.to_s)))
        self.update()

    def _go_to(self, x: float) -> None:
        state, room = self._state, self._overview()
        assert state is not None
        at_s = (x - room.left()) / max(1.0, room.width()) * state.length_s
        self.look_asked.emit(at_s - state.view_s / 2, state.view_s)

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: N802 (Qt's name)
        state = self._state
        if event is None or state is None:
            return
        turned = event.angleDelta()
        across = turned.x() or (turned.y() if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 0)
        if across:
            self.look_asked.emit(state.view_start_s - across / 120 * state.view_s / 8, state.view_s)
        elif turned.y():
            factor = ZOOM ** (turned.y() / 120)
            at_s = self._time(event.position().x())
            length_s = state.view_s / factor
            self.look_asked.emit(at_s - (at_s - state.view_start_s) / state.view_s * length_s, length_s)
        event.accept()

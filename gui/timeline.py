"""The timeline of a review: counted and corrected events above the sensors' signals, on one axis of time.

In: a ReviewState and its surroundings (phases, gaps, marks, signals). Out: requests as signals, which the screen
handles.
How it looks is `timeline_canvas.py`.

    wheel                zooms about the pointer; with Shift it pans
    drag on a border     moves it;  on empty ground: draws a new event
    drag on the ruler    seeks;  on the overview: goes there
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PyQt6.QtCore import QPointF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PyQt6.QtWidgets import QSizePolicy, QWidget

from rehabcount.domain.rig import Rig, Side
from rehabcount.gui import wording
from rehabcount.gui.language import primitive_name, tr
from rehabcount.gui.place_state import called
from rehabcount.gui.review_state import ZOOM, ReviewState
from rehabcount.gui.session_signals import ReviewSignals
from rehabcount.gui.theme import current, font, px, space
from rehabcount.gui.timeline_canvas import OVERVIEW, RULER, SIGNAL, Canvas, Drag, Layer, Surroundings

GRAB_PX = 6  # how near to a border the pointer must be to take hold of it


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
        self._signals: ReviewSignals | None = None
        self._drag: Drag | None = None
        self._gutter = 0.0
        self._strip, self._ground = Layer(), Layer()
        self.keys: dict[str, Callable[[], object]] = {}  # by the name of the key, as in QKeySequence, or by its sign
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Timeline"))

    def show_surroundings(self, around: Surroundings, signals: ReviewSignals | None) -> None:
        self._around, self._signals = around, signals
        self._measure()
        self.updateGeometry()
        self.update()

    def show_state(self, state: ReviewState) -> None:
        self._state = state
        chosen = state.chosen_events
        if chosen:
            segment = chosen[0].segment
            length = wording.number(segment.length_s, 1)
            self.setAccessibleDescription(
                f"{primitive_name(segment.label)}, {wording.clock(segment.start_s - self._around.start_s)}, {length} s"
            )
        self.update()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        canvas = self.canvas()
        lanes = sum(lane.height for lane in canvas.lanes()) if canvas is not None else 0
        signals = px(SIGNAL) * min(2, len(self._around.rig))
        return QSize(px(420), int(px(RULER) + lanes + signals + px(OVERVIEW) + space(2)))

    # -- drawing ------------------------------------------------------------------------------------------------------

    def canvas(self) -> Canvas | None:
        """The present geometry; None before there is a session."""
        if self._state is None:
            return None
        size = float(self.width()), float(self.height())
        return Canvas(
            self._state,
            self._around,
            self._signals,
            *size,
            self._gutter,
            self._drag,
            self._strip,
            self.devicePixelRatioF(),
        )

    def _measure(self) -> None:
        """Room for the names of rows, worked out when something about them changes."""
        metrics = QFontMetricsF(font("caption"))
        names = [tr("corrected"), tr("automatic"), tr("compared"), tr("steps"), *map(called, self._around.rig.names)]
        widest = max(metrics.horizontalAdvance(name) for name in names)
        self._gutter = float(min(widest + space(2), self.width() * 0.2))

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        self._measure()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        painter = QPainter(self)
        canvas = self.canvas()
        if canvas is None:
            painter.fillRect(self.rect(), QColor(current().surface))
        else:
            painter.drawPixmap(0, 0, self._draw_ground(canvas))
            canvas.draw_cursor(painter)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(current().accent), px(2)))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def _draw_ground(self, canvas: Canvas) -> QPixmap:
        """All but the cursor; drawn anew only when something else changed, so that playing is smooth."""
        state, signals = canvas.state, self._signals
        loaded = len(signals.stretches) if signals is not None else 0
        looked_at = (
            state.view_start_s,
            state.view_s,
            state.side,
            state.chosen,
            id(state.compared),
            state.steps,
            canvas.drag,
        )
        key = (*looked_at, id(self._around), loaded, canvas.width, canvas.height, canvas.ratio, current().name, px(100))
        if not self._ground.fits(state.editing, key):
            picture = self._ground.renew(state.editing, key, canvas.width, canvas.height, canvas.ratio)
            picture.fill(QColor(current().surface))
            painter = QPainter(picture)
            canvas.draw_ground(painter)
            painter.end()
        assert self._ground.picture is not None
        return self._ground.picture

    # -- keys ---------------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802 (Qt's name)
        """Keys are handled here and not as shortcuts of the screen, so that text in a field cannot delete an event."""
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

    def _hit(self, canvas: Canvas, at: QPointF) -> tuple[str, int, str, Side | None]:
        """What is there: (kind, event, edge, side). Kinds: edge, event, ground, ruler, overview, nothing."""
        state = canvas.state
        if at.y() < px(RULER):
            return "ruler", 0, "", None
        if at.y() >= canvas.overview().top():
            return "overview", 0, "", None
        time_s = canvas.time(at.x())
        lane = next((lane for lane in canvas.lanes() if lane.top <= at.y() < lane.top + lane.height), None)
        if lane is None or lane.kind != "corrected" or at.x() < canvas.gutter:
            return "nothing", 0, "", None
        reach_s = GRAB_PX / max(1.0, self.width() - canvas.gutter) * state.view_s
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
        canvas = self.canvas()
        if event is None or canvas is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        kind, number, edge, side = self._hit(canvas, event.position())
        time_s = canvas.time(event.position().x())
        beside = bool(event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier))
        if kind == "edge":
            self.choose_asked.emit(number, False)
            self._drag = Drag("edge", number, edge, time_s, time_s)
        elif kind == "event":
            self.choose_asked.emit(number, beside)
            self.seek_asked.emit(time_s)
        elif kind == "ground" and side is canvas.state.side:
            self._drag = Drag("span", from_s=time_s, to_s=time_s)
            self.choose_asked.emit(None, False)
            self.seek_asked.emit(time_s)
        elif kind == "overview":
            self._drag = Drag("overview")
            self._go_to(canvas, event.position().x())
        else:
            self._drag = Drag("seek")
            self.seek_asked.emit(time_s)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 (Qt's name)
        canvas = self.canvas()
        if event is None or canvas is None:
            return
        time_s = canvas.time(event.position().x())
        if self._drag is None:
            kind = self._hit(canvas, event.position())[0]
            shapes = {"edge": Qt.CursorShape.SplitHCursor, "ground": Qt.CursorShape.CrossCursor}
            self.setCursor(shapes.get(kind, Qt.CursorShape.ArrowCursor))
        elif self._drag.kind == "overview":
            self._go_to(canvas, event.position().x())
        elif self._drag.kind == "seek":
            self.seek_asked.emit(time_s)
        else:
            self._drag = replace(self._drag, to_s=time_s)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 (Qt's name)
        canvas = self.canvas()
        drag, self._drag = self._drag, None
        if drag is None or event is None or canvas is None:
            return
        moved_px = abs(canvas.x(drag.to_s) - canvas.x(drag.from_s))
        if drag.kind == "edge" and moved_px > 1:
            self.edge_asked.emit(drag.number, drag.edge, drag.to_s)
        elif drag.kind == "span" and moved_px > GRAB_PX:
            self.add_asked.emit(*sorted((drag.from_s, drag.to_s)))
        self.update()

    def _go_to(self, canvas: Canvas, x: float) -> None:
        state, room = canvas.state, canvas.overview()
        at_s = (x - room.left()) / max(1.0, room.width()) * state.length_s
        self.look_asked.emit(at_s - state.view_s / 2, state.view_s)

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: N802 (Qt's name)
        canvas = self.canvas()
        if event is None or canvas is None:
            return
        state = canvas.state
        turned = event.angleDelta()
        across = turned.x() or (turned.y() if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 0)
        if across:
            self.look_asked.emit(state.view_start_s - across / 120 * state.view_s / 8, state.view_s)
        elif turned.y():
            factor = ZOOM ** (turned.y() / 120)
            at_s = canvas.time(event.position().x())
            length_s = state.view_s / factor
            self.look_asked.emit(at_s - (at_s - state.view_start_s) / state.view_s * length_s, length_s)
        event.accept()

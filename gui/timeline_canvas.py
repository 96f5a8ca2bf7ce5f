"""The drawing of a timeline: positions of times and rows, and all parts. One canvas is made for each painting.

Its geometry (`x`, `time`, `lanes`, `overview`) is also used for the mouse.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

import numpy as np
from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPixmap, QPolygonF

from rehabcount.domain.editing import Editing
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Gap, Mark, Phase, PhaseName
from rehabcount.gui import wording
from rehabcount.gui.language import side_name, tr
from rehabcount.gui.place_state import called
from rehabcount.gui.primitives import draft_brush, draw_letter, label_of, settled_brush
from rehabcount.gui.review_state import ReviewState
from rehabcount.gui.session_signals import ReviewSignals
from rehabcount.gui.theme import colour, current, font, px, space

RULER, CORRECTED, AUTOMATIC, STEPS, OVERVIEW, SIGNAL = 30, 62, 20, 30, 30, 34  # heights in pixels at 100 %
TICKS_S = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600)
NARROW_PX = 4.0  # blocks below have no room for a pattern
FADED = 0.75  # of what does not count, behind the colour of pauses: still to be told apart
# Of steps: light shades of Okabe and Ito's palette, so that dark words can be read on them in either theme.
STEP_COLOURS = ("#d7dbdf", "#a8d8f3", "#f6cf80", "#80cfb9", "#e6bcd3", "#f0e58a", "#eaae80", "#80b8d9")
STEP_INK = "#15202b"
TICK_ROOM = 90  # pixels that a labelled tick needs at 100 %


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Facts of a session beside its events."""

    rig: Rig
    phases: tuple[Phase, ...] = ()
    gaps: tuple[Gap, ...] = ()
    marks: tuple[Mark, ...] = ()
    start_s: float = 0.0  # of the record: when counting began, the zero of the ruler


@dataclass(frozen=True, slots=True)
class Lane:
    """A row of blocks: `kind` is corrected, automatic, compared or steps."""

    kind: str
    side: Side
    top: float
    height: float


@dataclass(frozen=True, slots=True)
class Drag:
    """What the mouse holds: `edge` of an event, `span` of a new one, `seek`, or the `overview`."""

    kind: str
    number: int = 0
    edge: str = ""
    from_s: float = 0.0
    to_s: float = 0.0


def _fitting(metrics: QFontMetricsF, width: float, *offered: str) -> str:
    """The first that fits; empty if none does."""
    return next((words for words in offered if metrics.horizontalAdvance(words) <= width), "")


def _in_sight(state: ReviewState, segment: Segment) -> bool:
    return segment.end_s >= state.view_start_s and segment.start_s <= state.view_end_s


@functools.cache
def _plain(label: str) -> QColor:
    return QColor(label_of(label).colour)


@dataclass(slots=True)
class Layer:
    """A picture that is kept between paintings, and what it was drawn from."""

    editing: Editing | None = None
    key: tuple[object, ...] = ()
    picture: QPixmap | None = None

    def fits(self, editing: Editing, key: tuple[object, ...]) -> bool:
        return self.picture is not None and self.editing is editing and self.key == key

    def renew(self, editing: Editing, key: tuple[object, ...], width: float, height: float, ratio: float) -> QPixmap:
        """An empty picture of that size to draw on."""
        self.editing, self.key = editing, key
        self.picture = QPixmap(math.ceil(width * ratio), math.ceil(height * ratio))
        self.picture.setDevicePixelRatio(ratio)
        return self.picture


@dataclass(frozen=True, slots=True)
class Canvas:
    """A timeline at one moment. `gutter` is the room for the names of rows."""

    state: ReviewState
    around: Surroundings
    signals: ReviewSignals | None
    width: float
    height: float
    gutter: float
    drag: Drag | None
    strip: Layer  # the overview's blocks
    ratio: float  # of the screen's pixels to ours

    # -- geometry -----------------------------------------------------------------------------------------------------

    def x(self, time_s: float) -> float:
        return self.gutter + (time_s - self.state.view_start_s) / self.state.view_s * (self.width - self.gutter)

    def time(self, x: float) -> float:
        shown = max(1.0, self.width - self.gutter)
        return self.state.view_start_s + (x - self.gutter) / shown * self.state.view_s

    def lanes(self) -> list[Lane]:
        state = self.state
        sides = [state.side] + [
            side
            for side in (state.side.other,)
            if any(each.segment.side is side for each in (*state.editing.events, *state.compared))
        ]
        sides.sort(key=list(Side).index)  # the same order for both arms
        lanes: list[Lane] = []
        top = float(px(RULER))
        for side in sides:
            kinds = [("corrected", CORRECTED), ("automatic", AUTOMATIC)]
            kinds += [("compared", AUTOMATIC)] if state.compared else []
            kinds += [("steps", STEPS)] if any(each.side is side for each in state.steps) else []
            for kind, height in kinds:
                lanes.append(Lane(kind, side, top, float(px(height))))
                top += px(height) + 2
            top += space(0.5)
        return lanes

    def overview(self) -> QRectF:
        left = self.gutter
        return QRectF(left, self.height - px(OVERVIEW), self.width - left, px(OVERVIEW) - 2)

    # -- drawing ------------------------------------------------------------------------------------------------------

    def draw_ground(self, painter: QPainter) -> None:
        """Everything but the cursor."""
        state, lanes = self.state, self.lanes()
        below = lanes[-1].top + lanes[-1].height + space(1) if lanes else float(px(RULER))
        self._draw_phases(painter, state, below)
        self._draw_ruler(painter, state)
        for lane in lanes:
            self._draw_lane(painter, state, lane)
        self._draw_signals(painter, state, below)
        self._draw_overview(painter, state)

    def _body(self, state: ReviewState, top: float, height: float, start_s: float, end_s: float) -> QRectF:
        """A span of time in a row, cut to what is in sight."""
        left, right = max(self.x(start_s), self.gutter), min(self.x(end_s), float(self.width))
        return QRectF(left, top, max(0.0, right - left), height)

    def _draw_phases(self, painter: QPainter, state: ReviewState, below: float) -> None:
        theme = current()
        phases = self.around.phases
        for phase, after in zip(phases, (*phases[1:], None), strict=True):
            end_s = after.at_s if after is not None else state.length_s
            span = self._body(state, px(RULER) * 0.6, below - px(RULER) * 0.6, phase.at_s, end_s)
            if span.width() <= 0 or phase.name == PhaseName.COUNTING:
                continue
            painter.fillRect(span, QColor(theme.warn_soft if phase.name == PhaseName.ASSISTED else theme.sunken))

    def _draw_ruler(self, painter: QPainter, state: ReviewState) -> None:
        theme = current()
        painter.setFont(font("caption"))
        per_second = (self.width - self.gutter) / state.view_s
        step = next((each for each in TICKS_S if each * per_second >= px(TICK_ROOM)), TICKS_S[-1])
        start_s = self.around.start_s
        first = math.ceil((state.view_start_s - start_s) / step - 1e-9)
        for i in range(first, math.floor((state.view_end_s - start_s) / step) + 1):
            since_s = i * step
            x = self.x(start_s + since_s)
            painter.setPen(QPen(colour(theme.line, 0.6), 1))
            painter.drawLine(QLineF(x, px(RULER) - 6, x, self.height - px(OVERVIEW) - 4))
            painter.setPen(QColor(theme.muted))
            words = wording.clock(since_s, 1 if step < 1 else 0)
            painter.drawText(QPointF(x + 3, px(RULER) * 0.55), words)
        for mark in self.around.marks:
            if state.view_start_s <= mark.at_s <= state.view_end_s:
                x = self.x(mark.at_s)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(theme.warn))
                painter.drawPolygon(QPolygonF([QPointF(x, 2), QPointF(x + px(9), px(7)), QPointF(x, px(12))]))
                painter.setPen(QPen(QColor(theme.warn), 1, Qt.PenStyle.DotLine))
                painter.drawLine(QLineF(x, 2, x, self.height - px(OVERVIEW)))

    def _draw_lane(self, painter: QPainter, state: ReviewState, lane: Lane) -> None:
        theme = current()
        left = self.gutter
        name = {
            "corrected": side_name(lane.side.value),
            "automatic": tr("automatic"),
            "compared": tr("compared"),
            "steps": tr("steps"),
        }
        edited = lane.kind == "corrected" and lane.side is state.side
        painter.setFont(font("strong" if lane.kind == "corrected" else "caption"))
        painter.setPen(QColor(theme.accent if edited else theme.text if lane.kind == "corrected" else theme.muted))
        room = QRectF(0, lane.top, left - space(1), lane.height)
        words = QFontMetricsF(painter.font()).elidedText(name[lane.kind], Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), words)
        painter.setPen(QPen(QColor(theme.accent if edited else theme.line), 1))
        painter.drawLine(QLineF(left, lane.top + lane.height, self.width, lane.top + lane.height))
        if lane.kind == "corrected":
            self._draw_corrected(painter, state, lane)
        elif lane.kind == "steps":
            self._draw_steps(painter, state, lane)
        else:
            events = state.editing.events if lane.kind == "automatic" else state.compared
            self._draw_thin(painter, state, lane, [event.segment for event in events])
        if lane.kind != "steps":
            self._draw_uncounted(painter, state, lane)
        if lane.kind == "corrected":
            self._draw_chosen(painter, state, lane)
        self._draw_new(painter, state, lane)

    def _draw_corrected(self, painter: QPainter, state: ReviewState, lane: Lane) -> None:
        theme = current()
        drawn_to = -1.0
        for each in state.editing.standing:
            segment = self._previewed(each.number, each.segment)
            chosen = each.number in state.chosen
            if segment.side is not lane.side or not _in_sight(state, segment):
                continue
            box = self._body(state, lane.top + 4, lane.height - 6, segment.start_s, segment.end_s)
            if box.width() < NARROW_PX and box.right() <= drawn_to and not chosen:
                continue  # its pixel is taken
            drawn_to = math.ceil(box.right())
            self._draw_block(painter, box, segment.label, px(15))
            if each.is_changed:  # a person said so: a notch at the top
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(theme.text))
                corner, notch = box.topRight(), px(9)
                painter.drawPolygon(QPolygonF([corner, corner - QPointF(notch, 0), corner + QPointF(0, notch)]))

    def _draw_chosen(self, painter: QPainter, state: ReviewState, lane: Lane) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(current().text), px(3)))
        for each in state.chosen_events:
            segment = self._previewed(each.number, each.segment)
            if segment.side is lane.side and _in_sight(state, segment):
                box = self._body(state, lane.top + 4, lane.height - 6, segment.start_s, segment.end_s)
                painter.drawRect(box.adjusted(0, -1, 0, 1))

    def _draw_uncounted(self, painter: QPainter, state: ReviewState, lane: Lane) -> None:
        """Events that do not count look faded, with the reason."""
        theme = current()
        painter.setFont(font("caption"))
        metrics = QFontMetricsF(painter.font())
        for span in state.uncounted:
            box = self._body(state, lane.top, lane.height, span.start_s, span.end_s)
            if span.side is not lane.side or box.width() <= 0:
                continue
            painter.fillRect(box, colour(theme.sunken, FADED))
            if lane.kind != "corrected" or lane.side is not state.side:
                continue
            words = _fitting(
                metrics, box.width() - 2 * space(1), tr("not counted: changes nothing in the counts"), tr("not counted")
            )
            if words:
                width, height = metrics.horizontalAdvance(words) + space(1), metrics.height() + px(4)
                chip = QRectF(box.left() + space(0.5), box.bottom() - height - 2, width, height)
                painter.setPen(QPen(QColor(theme.line), 1))
                painter.setBrush(QColor(theme.surface))
                painter.drawRoundedRect(chip, 4, 4)
                painter.setPen(QColor(theme.text))
                painter.drawText(chip, int(Qt.AlignmentFlag.AlignCenter), words)

    def _draw_block(self, painter: QPainter, box: QRectF, label: str, letter_px: int) -> None:
        """In the primitive's look; what is too narrow for a pattern gets its plain colour."""
        if box.width() < NARROW_PX:
            painter.fillRect(QRectF(box.left(), box.top(), max(1.0, box.width()), box.height()), _plain(label))
            return
        painter.setBrushOrigin(box.topLeft())
        painter.fillRect(box.adjusted(0.5, 0, -0.5, 0), settled_brush(label))
        if box.width() > letter_px * 1.7:
            draw_letter(painter, label, box, letter_px)

    def _previewed(self, number: int, segment: Segment) -> Segment:
        """The event as it will be when the mouse lets go."""
        drag = self.drag
        if drag is None or drag.kind != "edge" or drag.number != number:
            return segment
        if drag.edge == "start":
            return replace(segment, start_s=min(drag.to_s, segment.end_s))
        return replace(segment, end_s=max(drag.to_s, segment.start_s))

    def _draw_thin(self, painter: QPainter, state: ReviewState, lane: Lane, segments: list[Segment]) -> None:
        drawn_to = -1.0
        for segment in segments:
            if segment.side is not lane.side or not _in_sight(state, segment):
                continue
            box = self._body(state, lane.top + 3, lane.height - 5, segment.start_s, segment.end_s)
            if box.width() < NARROW_PX and box.right() <= drawn_to:
                continue
            drawn_to = math.ceil(box.right())
            self._draw_block(painter, box, segment.label, px(10))

    def _draw_steps(self, painter: QPainter, state: ReviewState, lane: Lane) -> None:
        """The steps of the exercise with their names; steps of one name have one colour."""
        names = list(dict.fromkeys(each.label for each in state.steps))
        painter.setFont(font("caption"))
        metrics = QFontMetricsF(painter.font())
        for each in state.steps:
            if each.side is not lane.side or not _in_sight(state, each):
                continue
            number = names.index(each.label)
            box = self._body(state, lane.top + 3, lane.height - 5, each.start_s, each.end_s)
            painter.fillRect(box.adjusted(0.5, 0, -0.5, 0), QColor(STEP_COLOURS[number % len(STEP_COLOURS)]))
            words = _fitting(metrics, box.width() - 4, each.label, str(number + 1))
            painter.setPen(QColor(STEP_INK))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), words)

    def _draw_new(self, painter: QPainter, state: ReviewState, lane: Lane) -> None:
        drag = self.drag
        if drag is None or drag.kind != "span" or lane.kind != "corrected" or lane.side is not state.side:
            return
        start_s, end_s = sorted((drag.from_s, drag.to_s))
        box = self._body(state, lane.top + 4, lane.height - 6, start_s, end_s)
        painter.setBrush(draft_brush("other"))
        painter.setPen(QPen(QColor(current().accent), 2, Qt.PenStyle.DashLine))
        painter.drawRect(box)

    def _draw_signals(self, painter: QPainter, state: ReviewState, top: float) -> None:
        theme, names, signals = current(), self.around.rig.names, self.signals
        bottom = self.overview().top() - space(1)
        rows = min(len(names), int((bottom - top) // px(24)))
        if signals is None or rows < 1:
            return
        left = self.gutter
        height = (bottom - top) / rows
        columns = max(2, int(self.width - left) // 2)
        for row in range(rows):
            base = top + height * (row + 1)
            painter.setFont(font("caption"))
            painter.setPen(QColor(theme.muted))
            room = QRectF(0, base - height, left - space(1), height)
            words = QFontMetricsF(painter.font()).elidedText(
                called(names[row]), Qt.TextElideMode.ElideLeft, room.width()
            )
            painter.drawText(room, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), words)
            painter.setPen(QPen(QColor(theme.line), 1))
            painter.drawLine(QLineF(left, base, self.width, base))
            for gap in self.around.gaps:
                if gap.sensor == names[row]:
                    painter.fillRect(
                        self._body(state, base - height + 3, height - 4, gap.start_s, gap.end_s), QColor(theme.bad_soft)
                    )
            peaks = signals.peaks(row, state.view_start_s, state.view_end_s, columns)
            self._draw_curve(painter, peaks, QRectF(left, base - height + 3, self.width - left, height - 4))

    def _draw_curve(self, painter: QPainter, peaks: np.ndarray, room: QRectF) -> None:
        """A line through the known values; it breaks where nothing is known."""
        assert self.signals is not None
        painter.setPen(QPen(QColor(current().accent), max(1.2, px(1.2))))
        known = np.isfinite(peaks)
        heights = room.bottom() - np.minimum(np.where(known, peaks, 0) / self.signals.top, 1.0) * room.height()
        across = room.left() + (np.arange(len(peaks)) + 0.5) * room.width() / len(peaks)
        borders = np.flatnonzero(np.diff(known.astype(int))) + 1
        for part in np.split(np.arange(len(peaks)), borders):
            if len(part) > 1 and known[part[0]]:
                points = [QPointF(x, y) for x, y in zip(across[part].tolist(), heights[part].tolist(), strict=True)]
                painter.drawPolyline(QPolygonF(points))

    def _draw_overview(self, painter: QPainter, state: ReviewState) -> None:
        theme, room = current(), self.overview()
        whole = max(state.length_s, 1e-6)
        painter.drawPixmap(room.topLeft(), self._overview_strip(state, room, whole))
        left = room.left() + state.view_start_s / whole * room.width()
        width = max(4.0, state.view_s / whole * room.width())
        painter.setPen(QPen(QColor(theme.text), px(2)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(left, room.top() + 1, min(width, room.right() - left) - 1, room.height() - 2))

    def _overview_strip(self, state: ReviewState, room: QRectF, whole: float) -> QPixmap:
        """The whole session as a strip; drawn anew when something was edited, not with every move of the cursor."""
        key = (state.side, room.width(), room.height(), self.ratio, current().name)
        if not self.strip.fits(state.editing, key):
            picture = self.strip.renew(state.editing, key, room.width(), room.height(), self.ratio)
            picture.fill(QColor(current().sunken))
            painter = QPainter(picture)
            for each in state.lane:
                left = each.segment.start_s / whole * room.width()
                width = max(1.0, each.segment.length_s / whole * room.width())
                height = room.height() * (0.35 if each.segment.label == "idle" else 0.8)
                painter.fillRect(QRectF(left, room.height() - height, width, height), _plain(each.segment.label))
            for span in state.uncounted:
                if span.side is state.side:
                    left, width = (at / whole * room.width() for at in (span.start_s, span.end_s - span.start_s))
                    painter.fillRect(QRectF(left, 0, width, room.height()), colour(current().sunken, FADED))
            painter.end()
        assert self.strip.picture is not None
        return self.strip.picture

    def draw_cursor(self, painter: QPainter) -> None:
        state, room = self.state, self.overview()
        x = room.left() + state.cursor_s / max(state.length_s, 1e-6) * room.width()
        painter.setPen(QPen(QColor(current().accent), px(2)))
        painter.drawLine(QLineF(x, room.top(), x, room.bottom()))
        if not state.view_start_s <= state.cursor_s <= state.view_end_s:
            return
        x = self.x(state.cursor_s)
        painter.setPen(QPen(QColor(current().accent), px(2)))
        painter.drawLine(QLineF(x, 0, x, self.overview().top() - 2))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(current().accent))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPolygon(QPolygonF([QPointF(x - px(7), 0), QPointF(x + px(7), 0), QPointF(x, px(10))]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

"""A drawn body whose places fill in as sensors connect.

Each place has a tag beside the body: a button that says how its sensor is doing, that a sensor can be dropped on, and
that opens what can be done about it.

The patient faces us, so the patient's right arm is on the left of the picture.
"""

from __future__ import annotations

import math

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PyQt6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from rehabcount.bedside.preparation import Air
from rehabcount.domain.rig import Place, Side
from rehabcount.gui.language import tr
from rehabcount.gui.place_state import ASKED, COMING, DOUBTFUL, EMPTY, GOOD, PlaceState, place_name, state_of
from rehabcount.gui.theme import current, font, px, space

SENSOR_MIME = "application/x-rehabcount-sensor"
FRAME_MS = 50
# Points of the figure in its own box: x 0..1 from left to right, y 0..1 from top to bottom; for the arm on the left of
# the picture, which is the patient's right. The other arm is mirrored about x = 0.5.
SHOULDER, ELBOW, WRIST, HAND = (0.325, 0.335), (0.235, 0.57), (0.19, 0.775), (0.175, 0.865)
ARM_PLACES = {"upper-arm": (0.283, 0.445), "forearm": (0.214, 0.665), "wrist": (0.193, 0.755), "hand": (0.175, 0.865)}
# Trunk places lie between the heights of arm places, so that the lines to their tags do not cross other sensors.
TRUNK_PLACES = {Place.C7: (0.5, 0.255), Place.STERNUM: (0.5, 0.42), Place.T12: (0.5, 0.56), Place.PELVIS: (0.5, 0.785)}
ON_THE_BACK = (Place.C7, Place.T12, Place.PELVIS)
SHORTEST_TAG, TAG_HEIGHT, GAP = 160, 54, 8  # pixels at 100 %
SHAPE = 0.86  # width of the figure's box by its height


def spot(place: Place) -> tuple[float, float]:
    """Where the place is on the figure."""
    if place in TRUNK_PLACES:
        return TRUNK_PLACES[place]
    x, y = ARM_PLACES[place.value.split("-", 1)[1]]
    return (x, y) if place.side is Side.RIGHT else (1 - x, y)


def tint_of(kind: str) -> str:
    theme = current()
    return {GOOD: theme.good, COMING: theme.accent, ASKED: theme.accent, DOUBTFUL: theme.warn, EMPTY: theme.muted}[kind]


class PlaceTag(QAbstractButton):
    """The tag of one place."""

    dropped = pyqtSignal(str)  # the address of a sensor

    def __init__(self, place: Place, parent: QWidget) -> None:
        super().__init__(parent)
        self.place = place
        self.state = PlaceState(EMPTY, "")
        self._hovering = False
        self.setAcceptDrops(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def say(self, state: PlaceState) -> None:
        if state != self.state or not self.accessibleName():
            self.state = state
            self.setAccessibleName(f"{place_name(self.place)}: {state.words}")
            self.setToolTip(state.words)
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(px(SHORTEST_TAG), px(TAG_HEIGHT))

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
            return
        super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:  # noqa: N802 (Qt's name)
        data = event.mimeData() if event is not None else None
        if event is not None and data is not None and data.hasFormat(SENSOR_MIME):
            self._hovering = True
            self.update()
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent | None) -> None:  # noqa: N802 (Qt's name)
        self._hovering = False
        self.update()

    def dropEvent(self, event: QDropEvent | None) -> None:  # noqa: N802 (Qt's name)
        self._hovering = False
        data = event.mimeData() if event is not None else None
        if event is not None and data is not None:
            self.dropped.emit(bytes(data.data(SENSOR_MIME).data()).decode())
            event.acceptProposedAction()
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        theme = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tint = tint_of(self.state.kind)
        box = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        strong = self.hasFocus() or self._hovering
        line = QPen(
            QColor(theme.accent if strong else tint if self.state.kind != EMPTY else theme.line), 2 if strong else 1
        )
        if self.state.kind == EMPTY and not strong:
            line = QPen(QColor(theme.muted), 1, Qt.PenStyle.DashLine)
        painter.setPen(line)
        painter.setBrush(QColor(theme.accent_soft if self._hovering or self.underMouse() else theme.surface))
        painter.drawRoundedRect(box, 8, 8)
        inner = box.adjusted(space(1.25), space(0.5), -space(1), -space(0.5))
        half = inner.height() / 2
        painter.setFont(font("strong"))
        painter.setPen(QColor(theme.text))
        room = int(inner.width())
        name = painter.fontMetrics().elidedText(place_name(self.place), Qt.TextElideMode.ElideRight, room)
        left = Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(inner.left(), inner.top(), room, half), left | Qt.AlignmentFlag.AlignBottom, name)
        painter.setFont(font("caption"))
        painter.setPen(QColor(theme.muted if self.state.kind == EMPTY else tint))
        words = painter.fontMetrics().elidedText(self.state.words, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(inner.left(), inner.top() + half, room, half), left | Qt.AlignmentFlag.AlignTop, words)


class BodyPicture(QWidget):
    """The body with the places of a rig."""

    pressed = pyqtSignal(object)  # a place
    dropped = pyqtSignal(str, object)  # a sensor's address, a place

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(px(300))
        self.tags: dict[Place, PlaceTag] = {}
        self._side = Side.RIGHT
        self._tag_width = px(SHORTEST_TAG)
        self._turn = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._tick)

    def show_air(self, air: Air) -> None:
        """The places of the air's rig, each with its state."""
        if tuple(self.tags) != air.choice.places or self._side is not air.choice.side:
            self._side = air.choice.side
            for tag in self.tags.values():
                tag.hide()
                tag.deleteLater()
            self.tags = {}
            for place in sorted(air.choice.places, key=lambda each: (spot(each)[0] > 0.5, spot(each)[1])):
                tag = PlaceTag(place, self)
                tag.clicked.connect(lambda _, place=place: self.pressed.emit(place))
                tag.dropped.connect(lambda address, place=place: self.dropped.emit(address, place))
                self.tags[place] = tag
            self.tags = {place: self.tags[place] for place in air.choice.places}
            fullest = max(sum(self._on_the_right(place) is right for place in self.tags) for right in (False, True))
            self.setMinimumHeight(max(px(300), fullest * px(TAG_HEIGHT + GAP)))
            names = QFontMetrics(font("strong"))
            longest = max(names.horizontalAdvance(place_name(place)) for place in self.tags)
            self._tag_width = max(px(SHORTEST_TAG), longest + space(2.5) + 4)
            self.setMinimumWidth(2 * self._tag_width + px(80))
            self._arrange()
            for tag in self.tags.values():
                tag.show()
        for place, tag in self.tags.items():
            tag.say(state_of(air, place))
        moving = any(tag.state.kind in (COMING, ASKED) for tag in self.tags.values())
        if moving != self._timer.isActive():
            self._timer.start() if moving else self._timer.stop()
        good = sum(tag.state.kind == GOOD for tag in self.tags.values())
        self.setAccessibleName(tr("{good} of {all} sensors connected").format(good=good, all=len(self.tags)))
        self.update()

    def _tick(self) -> None:
        self._turn = (self._turn + FRAME_MS / 1200) % 1.0
        self.update()

    # -- geometry -----------------------------------------------------------------------------------------------------

    def _figure(self) -> QRectF:
        arms = 0.75  # of the box's width, from hand to hand
        height = min(self.height() * 0.99, px(680), (self.width() - 2 * self._tag_width - px(28)) / (SHAPE * arms))
        box = QRectF(0, 0, height * SHAPE, height)
        box.moveCenter(QRectF(self.rect()).center())
        return box

    def _at(self, x: float, y: float) -> QPointF:
        box = self._figure()
        return QPointF(box.left() + x * box.width(), box.top() + y * box.height())

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Tags in a column on either side, each as near to the height of its place as the others allow."""
        columns: dict[bool, list[PlaceTag]] = {False: [], True: []}
        for place, tag in self.tags.items():
            columns[self._on_the_right(place)].append(tag)
        for right, tags in columns.items():
            tags.sort(key=lambda tag: spot(tag.place)[1])
            size, gap = QSize(self._tag_width, px(TAG_HEIGHT)), px(GAP)
            low = 0.0
            tops = []
            for tag in tags:
                low = max(low, self._at(*spot(tag.place)).y() - size.height() / 2)
                tops.append(low)
                low += size.height() + gap
            over = max(0.0, low - gap - self.height())
            for tag, top in zip(tags, tops, strict=True):
                x = self.width() - size.width() if right else 0
                tag.setGeometry(x, max(0, round(top - over)), size.width(), size.height())

    def _on_the_right(self, place: Place) -> bool:
        """Arm places are beside their arm; trunk places where there is more room: beside the arm that wears less."""
        if place.side is not None:
            return place.side is Side.LEFT
        beside = {side: sum(each.side is side for each in self.tags) for side in Side}
        if beside[Side.LEFT] == beside[Side.RIGHT]:
            return place in (Place.C7, Place.PELVIS)
        return beside[Side.LEFT] < beside[Side.RIGHT]

    # -- painting -----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        theme = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_figure(painter)
        for place, tag in self.tags.items():
            at = self._at(*spot(place))
            edge = QPointF(tag.x() if self._on_the_right(place) else tag.x() + tag.width(), tag.y() + tag.height() / 2)
            painter.setPen(QPen(QColor(tint_of(tag.state.kind)), px(1.5), Qt.PenStyle.DotLine))
            bend = QPointF(edge.x() + (at.x() - edge.x()) * 0.25, edge.y())
            painter.drawPolyline(edge, bend, at)
        for place, tag in self.tags.items():
            self._paint_sensor(painter, self._at(*spot(place)), tag.state.kind, behind=place in ON_THE_BACK)
        painter.setPen(QColor(theme.muted))
        painter.setFont(font("caption"))
        figure = self._figure()
        foot = QRectF(0, figure.bottom() - px(22), self.width(), px(22))
        words = {False: tr("patient's right"), True: tr("patient's left")}
        for right, align in ((False, Qt.AlignmentFlag.AlignLeft), (True, Qt.AlignmentFlag.AlignRight)):
            if not any(
                self._on_the_right(place) is right and tag.geometry().bottom() > foot.top()
                for place, tag in self.tags.items()
            ):
                painter.drawText(foot, align | Qt.AlignmentFlag.AlignVCenter, words[right])

    def _paint_figure(self, painter: QPainter) -> None:
        theme = current()
        unit = self._figure().height()
        skin, edge = QColor(theme.sunken), QColor(theme.muted if theme.name == "contrast" else theme.line)
        worn = QColor(theme.accent_soft)
        self._outline(painter, self._torso(unit), skin, edge)
        for side in Side:
            arm = worn if side is self._side else skin
            points = [(x if side is Side.RIGHT else 1 - x, y) for x, y in (SHOULDER, ELBOW, WRIST, HAND)]
            path = QPainterPath(self._at(*points[0]))
            for point in points[1:]:
                path.lineTo(self._at(*point))
            tube = _tube(path, unit * 0.082)
            tube = tube.united(_disc(self._at(*points[3]), unit * 0.046, unit * 0.058))
            self._outline(painter, tube, arm, QColor(theme.accent) if side is self._side else edge)
        head = QPainterPath()
        head.addEllipse(self._at(0.5, 0.115), unit * 0.075, unit * 0.095)
        neck = _tube(_line(self._at(0.5, 0.19), self._at(0.5, 0.27)), unit * 0.07)
        self._outline(painter, head.united(neck), skin, edge)

    def _torso(self, unit: float) -> QPainterPath:
        path = QPainterPath(self._at(0.38, 0.262))
        for control, end in (
            ((0.5, 0.235), (0.62, 0.262)),
            ((0.705, 0.275), (0.695, 0.36)),
            ((0.645, 0.50), (0.628, 0.64)),
            ((0.632, 0.74), (0.655, 0.84)),
            ((0.662, 0.90), (0.655, 0.995)),
            ((0.59, 1.0), (0.525, 0.995)),
            ((0.515, 0.93), (0.5, 0.925)),
            ((0.485, 0.93), (0.475, 0.995)),
            ((0.41, 1.0), (0.345, 0.995)),
            ((0.338, 0.90), (0.345, 0.84)),
            ((0.368, 0.74), (0.372, 0.64)),
            ((0.355, 0.50), (0.305, 0.36)),
            ((0.295, 0.275), (0.38, 0.262)),
        ):
            path.quadTo(self._at(*control), self._at(*end))
        path.closeSubpath()
        return path

    def _outline(self, painter: QPainter, path: QPainterPath, fill: QColor, edge: QColor) -> None:
        painter.setPen(QPen(edge, px(1.5)))
        painter.setBrush(fill)
        painter.drawPath(path)

    def _paint_sensor(self, painter: QPainter, at: QPointF, kind: str, *, behind: bool) -> None:
        theme, size = current(), max(9.0, self._figure().height() * 0.028)
        tint = QColor(tint_of(kind))
        painter.setPen(QPen(tint, px(2.5), Qt.PenStyle.DashLine if kind == EMPTY else Qt.PenStyle.SolidLine))
        painter.setBrush(tint if kind == GOOD else QColor(theme.surface))
        box = QRectF(at.x() - size, at.y() - size, 2 * size, 2 * size)
        painter.drawRoundedRect(box, size * 0.45, size * 0.45)
        if behind:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(tint, 1.0, Qt.PenStyle.DotLine))
            painter.drawRoundedRect(box.adjusted(-4, -4, 4, 4), size * 0.6, size * 0.6)
        if kind == GOOD:
            painter.setPen(QPen(QColor(theme.surface), px(2.6), cap=Qt.PenCapStyle.RoundCap))
            tick = [(-0.45, 0.0), (-0.1, 0.4), (0.5, -0.4)]
            painter.drawPolyline(*(at + QPointF(x * size, y * size) for x, y in tick))
        elif kind == DOUBTFUL:
            painter.setFont(font("strong"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "!")
        elif kind in (COMING, ASKED):
            grown = size * (1.35 + (0.35 * math.sin(2 * math.pi * self._turn) if kind == ASKED else 0.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = QRectF(at.x() - grown, at.y() - grown, 2 * grown, 2 * grown)
            painter.drawArc(ring, round(-360 * 16 * self._turn), 360 * 16 if kind == ASKED else 100 * 16)


def _tube(path: QPainterPath, width: float) -> QPainterPath:
    stroker = QPainterPathStroker()
    stroker.setWidth(width)
    stroker.setCapStyle(Qt.PenCapStyle.RoundCap)
    stroker.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return stroker.createStroke(path).simplified()


def _line(start: QPointF, end: QPointF) -> QPainterPath:
    path = QPainterPath(start)
    path.lineTo(end)
    return path


def _disc(at: QPointF, across: float, along: float) -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(at, across, along)
    return path

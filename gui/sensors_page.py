"""The first step of a set-up: the drawn body, how many sensors, how each is doing, and where each one sits.

`show_air` shows the state of the radio. Actions of the therapist are signals. The page asks for one limb after the
other, because only one can be lifted at a time.
"""

from __future__ import annotations

from dataclasses import replace

from PyQt6.QtCore import QMimeData, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QDrag, QMouseEvent
from PyQt6.QtWidgets import QApplication, QFrame, QGridLayout, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from rehabcount.bedside.preparation import Air, Seen
from rehabcount.bedside.rigging import Choice
from rehabcount.domain.patient import Severity
from rehabcount.domain.rig import Place
from rehabcount.gui.body_picture import SENSOR_MIME, BodyPicture
from rehabcount.gui.controls import (
    Card,
    Heading,
    IconButton,
    PlainButton,
    QuietButton,
    rule,
    scrolling,
    set_look,
    text_label,
)
from rehabcount.gui.flow import Columns
from rehabcount.gui.language import tr
from rehabcount.gui.place_state import (
    place_name,
    sensor_name,
    signal_words,
    unreadable_words,
    what_to_lift,
    where_to_strap,
)
from rehabcount.gui.rig_chooser import RigChooser
from rehabcount.gui.theme import px, space
from rehabcount.inference.card import ModelCard
from rehabcount.sensors.assignment import asking_order


class FreeSensor(QFrame):
    """A sensor that has no place yet: drag it to one."""

    blink = pyqtSignal(str)

    def __init__(self, seen: Seen) -> None:
        super().__init__()
        self.seen = seen
        self.setObjectName("card")
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setToolTip(tr("Drag it to its place on the body."))
        self.setAccessibleName(f"{sensor_name(seen.address)}, {seen.title}")
        row = QHBoxLayout(self)
        row.setContentsMargins(space(1.5), space(0.5), space(0.5), space(0.5))
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(text_label(sensor_name(seen.address), "strong"))
        words.addWidget(text_label(f"{seen.title} · {signal_words(seen.signal_dbm)}", "caption"))
        row.addLayout(words, 1)
        if seen.can_blink:
            row.addWidget(IconButton("sensor", tr("Make it blink"), lambda: self.blink.emit(seen.address)))
        self._pressed_at: QPoint | None = None

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is not None and event.button() is Qt.MouseButton.LeftButton:
            self._pressed_at = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is None or self._pressed_at is None:
            return
        if (event.position().toPoint() - self._pressed_at).manhattanLength() < QApplication.startDragDistance():
            return
        self._pressed_at = None
        data = QMimeData()
        data.setData(SENSOR_MIME, self.seen.address.encode())
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.setPixmap(self.grab())
        drag.exec(Qt.DropAction.MoveAction)


class SensorsPage(QWidget):
    """Body, rig chooser and sensors."""

    rig_chosen = pyqtSignal(str)
    assigned = pyqtSignal(str, object)  # a sensor's address, a place
    freed = pyqtSignal(object)  # a place
    asked = pyqtSignal(object)  # a place whose limb is to be lifted; None: no more
    blinked = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        self._air: Air | None = None
        self._asking: list[Place] = []  # places still to be found by lifting
        picture = Card()
        picture.body.setContentsMargins(space(1.5), space(1.5), space(1.5), space(1))
        self.body = BodyPicture()
        self.body.pressed.connect(self._show_place_menu)
        self.body.dropped.connect(self._assign)
        picture.body.addWidget(self.body, 1)
        beside = QWidget()
        column = QVBoxLayout(beside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(1.5))
        rigs = Card(tr("How many sensors?"))
        self.rigs = RigChooser()
        self.rigs.chosen.connect(self.rig_chosen)
        rigs.body.addWidget(self.rigs)
        column.addWidget(rigs)
        column.addWidget(self._make_status(), 1)
        area = scrolling(beside)  # by itself, so that the body stays in sight
        area.setMinimumHeight(px(280))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(scrolling(Columns(picture, area, (13, 7), narrow=900)))

    def _make_status(self) -> Card:
        card = Card()
        self.status = Heading("", "heading")
        self.hint = text_label("", wrap=True)
        self.lift = PlainButton(tr("Find them by lifting"), "body", self._begin_lifting)
        self.skip = QuietButton(tr("Skip this one"), "next", lambda: self._lift(self._asking[1:]))
        for widget in (self.status, self.hint, self.lift, self.skip):
            card.body.addWidget(widget)
        self._free_list = QVBoxLayout()
        self._free_list.setSpacing(space(0.5))
        card.body.addLayout(self._free_list)
        self.unreadable = text_label("", "warning", wrap=True)
        card.body.addWidget(self.unreadable)
        self._how = QWidget()
        how = QVBoxLayout(self._how)
        how.setContentsMargins(0, 0, 0, 0)
        how.addWidget(rule())
        how.addWidget(text_label(tr("How they are worn"), "strong"))
        self._ways = QGridLayout()
        self._ways.setHorizontalSpacing(space(1))
        self._ways.setVerticalSpacing(space(0.5))
        self._ways.setColumnStretch(1, 1)
        how.addLayout(self._ways)
        card.body.addWidget(self._how)
        card.body.addStretch()
        return card

    # -- showing ------------------------------------------------------------------------------------------------------

    def begin(self, choice: Choice, card: ModelCard | None, severity: Severity | None) -> None:
        """Another rig: nothing is known of its sensors yet. `severity` is the patient's, None where it is not known."""
        self._asking = []
        self.rigs.show_rig(choice.kind, choice.side, card, severity)
        while (item := self._ways.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for line, way in enumerate(dict.fromkeys(map(where_to_strap, choice.places))):
            self._ways.addWidget(text_label("•", "caption"), line, 0, Qt.AlignmentFlag.AlignTop)
            self._ways.addWidget(text_label(way, "caption", wrap=True), line, 1)
        self.show_air(Air(choice))

    def show_air(self, air: Air) -> None:
        self._air = air
        self.body.show_air(air)
        if self._asking and air.asking is None and air.at(self._asking[0]) is not None:
            self._asking = self._asking[1:]  # that one was found: on to the next
            if self._asking:
                self.asked.emit(self._asking[0])
        good, every = len(air.choice.places) - len(air.missing), len(air.choice.places)
        self.status.setText(tr("{good} of {all} sensors connected").format(good=good, all=every))
        self.hint.setText(_hint(air))
        self.hint.setVisible(bool(self.hint.text()))
        set_look(self.hint, "rank", "lead" if air.asking else "body")
        self.unreadable.setText("\n".join(map(unreadable_words, air.unreadable)))
        self.unreadable.setVisible(bool(air.unreadable and air.missing))  # shown only while a sensor is missing
        free = [seen for seen in air.sensors if seen.place not in air.choice.places]
        self._show_free(free)
        self._how.setVisible(not free)
        self.lift.setVisible(not self._asking and bool(air.missing) and bool(free))
        self.skip.setVisible(bool(self._asking))

    def _show_free(self, free: list[Seen]) -> None:
        items = [self._free_list.itemAt(index) for index in range(self._free_list.count())]
        shown = [widget for item in items if item and isinstance(widget := item.widget(), FreeSensor)]
        if [each.seen.address for each in shown] == [seen.address for seen in free]:
            return
        for widget in shown:
            self._free_list.removeWidget(widget)
            widget.deleteLater()
        for seen in free:
            made = FreeSensor(seen)
            made.blink.connect(self.blinked)
            self._free_list.addWidget(made)

    # -- doing --------------------------------------------------------------------------------------------------------

    def _show_place_menu(self, place: Place) -> None:
        """What can be done about a place, for mouse and keyboard alike."""
        if self._air is None:
            return
        menu = QMenu(self)
        how = menu.addAction(where_to_strap(place))
        if how is not None:
            how.setEnabled(False)
        menu.addSeparator()
        seen = self._air.at(place)
        menu.addAction(tr("Find it by lifting"), lambda: self._lift([place]))
        for each in self._air.sensors:
            if each is not seen:
                words = tr("It is {sensor}").format(sensor=sensor_name(each.address))
                if each.place in self._air.choice.places and each.place is not None:
                    words += f" ({place_name(each.place)})"
                menu.addAction(words, lambda address=each.address: self._assign(address, place))
        if seen is not None:
            words = tr("Take {sensor} off").format(sensor=sensor_name(seen.address))
            menu.addAction(words, lambda: self.freed.emit(place))
        tag = self.body.tags[place]
        menu.popup(tag.mapToGlobal(QPoint(0, tag.height())))

    def _assign(self, address: str, place: Place) -> None:
        self._asking = []
        self.assigned.emit(address, place)

    def _begin_lifting(self) -> None:
        if self._air is not None:
            self._lift([place for place in asking_order(self._air.choice.places) if self._air.at(place) is None])

    def _lift(self, places: list[Place]) -> None:
        self._asking = places
        self.asked.emit(places[0] if places else None)
        if self._air is not None:
            self.show_air(replace(self._air, asking=places[0] if places else None))


def _hint(air: Air) -> str:
    """What to do now."""
    if air.trouble is not None:
        return ""
    if air.asking is not None:
        return f"{place_name(air.asking)}: {what_to_lift(air.asking)}"
    if not air.ready:
        return tr("The simulated patient is waking up …") if air.choice.virtual else tr("Opening the radio …")
    if not air.missing and air.choice.virtual:
        return tr("All are there. The simulated patient wears them already; go on.")
    if not air.missing:
        return tr("All are there. Strap them on as the picture shows, then go on.")
    if air.full:
        return tr("This Bluetooth adapter carries no more sensors. Plug in a second one, or use fewer sensors.")
    if not air.sensors:
        return tr("Switch the sensors on. Those of last time come in by themselves.")
    if all(seen.health is not None for seen in air.sensors):
        return tr("Connecting takes a few seconds for each.")
    return tr("Drag a sensor to its place, or find each one by lifting the limb it is on.")

"""The parts of the live screen: headline, present activity, primitive counts, actions. Each renders a ScreenState."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from rehabcount.bedside.screen_state import ASSISTED, COUNTING, ENDED, PAUSED, READY, ScreenState
from rehabcount.domain.dose import Plan
from rehabcount.domain.labels import IDLE, PRIMITIVES
from rehabcount.gui.controls import Card, PlainButton, fitting_font, rule, scrolling, set_look, text_label
from rehabcount.gui.icons import pixmap
from rehabcount.gui.language import decimal, key_name, primitive_name, tr
from rehabcount.gui.primitives import PrimitiveBadge
from rehabcount.gui.theme import current, font, px, space
from rehabcount.gui.wording import clock, pace_help, pace_name

ASIDE_FROM = 1.8  # with a larger ratio of width to height the target is beside the number, not below it


class Headline(QWidget):
    """Task repetitions of the present activity, as large as the room allows; its target small beside them; a bar
    beneath."""

    def __init__(self) -> None:
        super().__init__()
        self._number, self._target, self._live = 0, None, True  # type: tuple[int, int | None, bool]
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(px(160), px(64))

    @property
    def number(self) -> int:
        return self._number

    @property
    def live(self) -> bool:
        return self._live

    def say(self, number: int, target: int | None, *, live: bool) -> None:
        """`live` False: the number is not current, and must look so."""
        if (number, target, live) == (self._number, self._target, self._live) and self.accessibleName():
            return
        self._number, self._target, self._live = number, target, live
        words = tr("{number} of {target} repetitions") if target else tr("{number} repetitions")
        self.setAccessibleName(words.format(number=number, target=target))
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        theme = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = max(8.0, min(px(18), self.height() * 0.06)) if self._target else 0.0
        room = QRectF(0, 0, self.width(), self.height() - bar - (space(1.5) if bar else 0))
        aside = tr("of {target}").format(target=self._target) if self._target else ""
        if aside and room.width() < ASIDE_FROM * room.height():
            below = room.height() * 0.2
            self._draw_number(painter, room.adjusted(0, 0, 0, -below), room.width())
            painter.setFont(fitting_font(aside, room.width() * 0.6, below * 0.75))
            painter.setPen(QColor(theme.muted))
            painter.drawText(QRectF(0, room.bottom() - below, room.width(), below), Qt.AlignmentFlag.AlignCenter, aside)
        else:
            right, baseline = self._draw_number(painter, room, room.width() * (0.5 if aside else 0.96))
            if aside:
                left = right + space(2)
                painter.setFont(fitting_font(aside, room.right() - left, room.height() * 0.26))
                painter.setPen(QColor(theme.muted))
                painter.drawText(int(left), int(baseline), aside)
        if self._target:
            self._draw_bar(painter, QRectF(0, self.height() - bar, self.width(), bar))

    def _draw_number(self, painter: QPainter, room: QRectF, width: float) -> tuple[float, float]:
        """Returns where it ends at the right, and its baseline."""
        number = f"{self._number}"
        painter.setFont(fitting_font(number.rjust(2, "0"), width, room.height()))
        metrics = painter.fontMetrics()
        wide, baseline = metrics.horizontalAdvance(number), room.center().y() + metrics.capHeight() / 2
        left = room.center().x() - wide / 2
        painter.setPen(QColor(current().text if self._live else current().muted))
        painter.drawText(QPointF(left, baseline), number)  # by the capitals, not the line: digits have no descenders
        return left + wide, baseline

    def _draw_bar(self, painter: QPainter, box: QRectF) -> None:
        theme = current()
        painter.setPen(QColor(theme.line))
        painter.setBrush(QColor(theme.sunken))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), box.height() / 2, box.height() / 2)
        share = min(1.0, self._number / self._target) if self._target else 0.0
        if share > 0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent if self._live else theme.muted))
            filled = QRectF(box.left(), box.top(), max(box.height(), box.width() * share), box.height())
            painter.drawRoundedRect(filled, box.height() / 2, box.height() / 2)


class PhasePill(QFrame):
    """The phase of the session, as a word and a colour."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("pill")
        row = QHBoxLayout(self)
        row.setContentsMargins(space(1.5), space(0.5), space(2), space(0.5))
        row.setSpacing(space(1))
        self._picture = QLabel()
        self._text = text_label("", "strong")
        row.addWidget(self._picture)
        row.addWidget(self._text)
        self._words, self._short = "", False

    @property
    def text(self) -> str:
        return self._words

    def set_short(self, short: bool) -> None:
        """Only the text before the colon, if there is no room for more."""
        self._short = short
        _set(self._text, self._shown(short=short))

    def _shown(self, *, short: bool) -> str:
        return self._words.split(":")[0] if short else self._words

    def room(self, *, short: bool) -> int:
        """The width of this form."""
        metrics = self._text.fontMetrics()
        now, then = (metrics.horizontalAdvance(words) for words in (self._text.text(), self._shown(short=short)))
        return self.sizeHint().width() + then - now

    def say(self, phase: str, *, stale: bool, preparing: bool, catching_up: bool = False) -> None:
        if preparing:
            words, look, drawing = tr("Preparing …"), "quiet", "clock"
        elif stale:
            words, look, drawing = tr("Not live"), "bad", "warning"
        elif catching_up:
            words, look, drawing = tr("Catching up …"), "quiet", "clock"
        else:
            words, look, drawing = {
                READY: (tr("Ready"), "quiet", "play"),
                COUNTING: (tr("Counting"), "on", "signals"),
                PAUSED: (tr("Paused: nothing is counted"), "warn", "pause"),
                ASSISTED: (tr("Assisted: counted apart"), "warn", "assist"),
                ENDED: (tr("Saving …"), "quiet", "clock"),
            }.get(phase, (phase, "quiet", "about"))
        if self._words == words and self.property("look") == look + current().name:
            return
        theme = current()
        tint = {"on": theme.on_accent, "warn": theme.warn, "bad": theme.bad}.get(look, theme.text)
        self._picture.setPixmap(pixmap(drawing, px(18), tint))
        self._words = words
        self.set_short(self._short)
        self.setAccessibleName(words)
        self.setProperty("look", look + theme.name)
        set_look(self, "kind", look)
        set_look(self._text, "kind", look)


class PlanRow(QPushButton):
    """One activity of the plan: name, progress, whether it is the present one. A click changes to it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name, self._done, self._present = name, 0, False
        self._target: int | None = None
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setProperty("kind", "quiet")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(px(160), px(50))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return self.sizeHint()

    def say(self, done: int, target: int | None, *, present: bool) -> None:
        if (done, target, present) == (self._done, self._target, self._present) and self.accessibleName():
            return
        self._done, self._target, self._present = done, target, present
        words = tr("{name}: {done} of {target}") if target else tr("{name}: {done}")
        spoken = words.format(name=self._name, done=done, target=target)
        self.setAccessibleName(f"{spoken}, {tr('Target reached')}" if self.reached else spoken)
        self.setToolTip(tr("Go to this activity"))
        self.update()

    @property
    def reached(self) -> bool:
        return bool(self._target) and self._done >= (self._target or 0)

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        theme = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self._present or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent_soft if self._present else theme.sunken))
            painter.drawRoundedRect(box, 8, 8)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, 8, 8)
        inner = box.adjusted(px(10), px(4), -px(10), -px(12))
        figure = f"{self._done} / {self._target}" if self._target is not None else f"{self._done}"
        figure = f"✓ {figure}" if self.reached else figure
        painter.setPen(QColor(theme.good if self.reached else theme.text))
        painter.setFont(font("strong"))
        wide = painter.fontMetrics().horizontalAdvance(figure)
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, figure)
        painter.setPen(QColor(theme.text))
        painter.setFont(font("strong" if self._present else "body"))
        name = painter.fontMetrics().elidedText(
            self._name, Qt.TextElideMode.ElideRight, int(inner.width() - wide - px(8))
        )
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        if self._target:
            track = QRectF(inner.left(), box.bottom() - px(9), inner.width(), px(5))
            painter.setPen(QPen(QColor(theme.line), 1))
            painter.setBrush(QColor(theme.sunken))  # the remaining part must not look filled, in any theme
            painter.drawRoundedRect(track, px(2.5), px(2.5))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent))
            share = min(1.0, self._done / self._target)
            painter.drawRoundedRect(
                QRectF(track.left(), track.top(), track.width() * share, track.height()), px(2.5), px(2.5)
            )


class ActivityCard(Card):
    """The plan with the present activity, pace, active time, assisted repetitions, and the trunk's lean."""

    chosen = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        self.body.setContentsMargins(space(1.5), space(1.5), space(1.5), space(2))
        self.body.setSpacing(space(0.5))
        heading = text_label(tr("Activities"), "muted")
        heading.setContentsMargins(space(1), 0, 0, 0)
        self.body.addWidget(heading)
        holder = QWidget()
        self._rows_box = QVBoxLayout(holder)
        self._rows_box.setContentsMargins(0, 0, 0, 0)
        self._rows_box.setSpacing(space(0.5))
        self._rows_box.addStretch()
        self._area = scrolling(holder)
        self._area.setMinimumHeight(px(54))  # one activity
        self.body.addWidget(self._area, 1)
        self.rows: dict[str, PlanRow] = {}
        self._present = ""
        self.body.addWidget(rule())
        grid = QGridLayout()
        grid.setContentsMargins(space(1), space(1), space(1), 0)
        grid.setVerticalSpacing(space(0.5))
        self.body.addLayout(grid)
        self._values: dict[str, QLabel] = {}
        for line, (key, words) in enumerate(
            (
                ("all", tr("In all")),
                ("pace", tr("Pace")),
                ("active", tr("Active")),
                ("assisted", tr("Assisted")),
                ("trunk", tr("Trunk")),
            )
        ):
            grid.addWidget(text_label(words, "muted"), line, 0)
            value = text_label("–", "strong")
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(value, line, 1)
            self._values[key] = value
        grid.setColumnStretch(1, 1)

    def value(self, key: str) -> str:
        return self._values[key].text()

    def set_plan(self, plan: Plan) -> None:
        """A row for each activity; one row for the session if there is no plan."""
        for row in self.rows.values():
            self._rows_box.removeWidget(row)
            row.deleteLater()
        self.rows = {}
        for name in [activity.name for activity in plan.activities] or [""]:
            row = PlanRow(name or tr("Free exercise"))
            row.clicked.connect(lambda _, name=name: self.chosen.emit(name))
            self._rows_box.insertWidget(len(self.rows), row)
            self.rows[name] = row

    def show_state(self, state: ScreenState, lean_deg: float | None, *, leaning: bool) -> None:
        present = state.present
        for name, row in self.rows.items():
            row.say(state.repetitions_of(name), state.target_of(name), present=name == present)
        if present != self._present and present in self.rows:
            self._area.ensureWidgetVisible(self.rows[present])
        self._present = present
        _set(self._values["all"], whole_session(state))
        pace = state.pace_per_min
        words = tr("{pace} per min in {counted}")
        paced = words.format(pace=decimal(pace), counted=clock(state.counted_s)) if pace is not None else "–"
        _set(self._values["pace"], paced)
        self._values["pace"].setToolTip(f"{pace_name()}. {pace_help()}")
        _set(self._values["active"], clock(state.active_s))
        _set(self._values["assisted"], str(state.dose.assisted_repetitions if state.dose else 0))
        trunk = self._values["trunk"]
        if lean_deg is None:
            _set(trunk, "–")
        else:
            words = tr("leaning {deg}°") if leaning else tr("upright {deg}°")
            _set(trunk, words.format(deg=decimal(lean_deg, 0)))
        set_look(trunk, "rank", "warning" if leaning else "strong")


def whole_session(state: ScreenState) -> str:
    """Task repetitions of the session, and those towards the plan, because extra ones of one activity do not count."""
    if state.of_plan is None:
        return f"{state.repetitions}"
    if state.of_plan == state.repetitions:  # "0, 0 of 20" says one thing twice
        return tr("{number} of {target} planned").format(number=state.of_plan, target=state.plan.target)
    words = tr("{number}, {done} of {target} planned")
    return words.format(number=state.repetitions, done=state.of_plan, target=state.plan.target)


class PrimitiveCounts(Card):
    """The five primitives of the trained arm: their number; of idle the time."""

    def __init__(self) -> None:
        super().__init__()
        self.body.setContentsMargins(space(2), space(1), space(2), space(1))
        row = QHBoxLayout()
        row.setSpacing(space(2))
        self.body.addLayout(row)
        self._values: dict[str, QLabel] = {}
        self._names: list[QLabel] = []
        order = [label for label in PRIMITIVES.labels if label.counted] + [IDLE]
        for label in order:
            cell = QHBoxLayout()
            cell.setSpacing(space(1))
            cell.addWidget(PrimitiveBadge(label.name))
            words = QVBoxLayout()
            words.setSpacing(0)
            value = text_label("0", "heading")
            name = text_label(primitive_name(label.name), "caption")
            words.addWidget(value)
            words.addWidget(name)
            cell.addLayout(words, 1)
            row.addLayout(cell, 1)
            self._values[label.name] = value
            self._names.append(name)

    def set_tight(self, tight: bool) -> None:
        """Letters without names, if there is no room for both."""
        for name in self._names:
            name.setVisible(not tight)

    def value(self, name: str) -> str:
        return self._values[name].text()

    def show_state(self, state: ScreenState) -> None:
        for name, value in self._values.items():
            number, length_s = state.primitive(name)
            _set(value, clock(length_s) if name == IDLE.name else str(number))
            value.setAccessibleName(f"{primitive_name(name)}: {value.text()}")


class ActionButton(PlainButton):
    """A button that shows its key. It takes the focus by Tab only: a click must not turn Space into a second click."""

    def __init__(
        self, text: str, icon_name: str, key: str, *, look: str = "", name: str = "", others: tuple[str, ...] = ()
    ) -> None:
        """`name`: for screen readers, if the text alone is not enough; `others`: later texts of the button, for which
        room is kept."""
        self._key, self._room, self._others = key_name(key), "words", others
        super().__init__(text, icon_name)
        self.setProperty("kind", look)
        self.setProperty("action", "true")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._words, self._name = text, name
        self._describe()

    def _describe(self) -> None:
        self.setAccessibleName(self._name or self._words)
        self.setToolTip(f"{self._name or self._words}  ({self._key})")

    def say(self, text: str, icon_name: str) -> None:
        """Change text and icon of the button."""
        if self._words != text:
            self._words = text
            self._describe()
            self.setText(text if self._room in ("words", "keyless") else "")
            self.set_icon(icon_name)

    def set_room(self, room: str) -> None:
        """`words`: everything; `keyless`: picture and words; `key`: picture and key; `picture`: that alone."""
        self._room = room
        self.setText(self._words if room in ("words", "keyless") else "")
        self.set_icon(self._icon_name)
        self.updateGeometry()

    def ink(self) -> str:
        theme, look = current(), self.property("kind")
        if not self.isEnabled():
            return theme.muted
        return {"primary": theme.on_accent, "danger": theme.bad}.get(look, theme.text)

    def changeEvent(self, event: QEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.EnabledChange:
            self.set_icon(self._icon_name)  # in the colour of an enabled or disabled button

    def _key_size(self) -> tuple[int, int]:
        metrics = QFontMetrics(font("caption"))
        return metrics.horizontalAdvance(self._key) + px(12), metrics.height() + px(4)

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        hint = super().sizeHint()
        key = self._key_size()[0] + space(1.5) if self._shows_key else 0
        metrics = QFontMetrics(font("strong"))
        own = metrics.horizontalAdvance(self.text())
        widest = max((metrics.horizontalAdvance(words) for words in self._others), default=0) if self.text() else 0
        # The sheet's heavier weight is not in the hint; an eighth of the words is more than it takes.
        more = max(own, widest) // 8 + max(0, widest - own)
        return QSize(hint.width() + more + key, max(hint.height(), px(52)))

    @property
    def _shows_key(self) -> bool:
        return self._room in ("words", "key")

    def minimumSizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(self.sizeHint().width(), px(44))

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().paintEvent(event)
        if not self._shows_key:
            return
        theme = current()
        primary = self.property("kind") == "primary" and self.isEnabled()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        wide, tall = self._key_size()
        box = QRectF(self.width() - wide - space(1.5), (self.height() - tall) / 2, wide, tall)
        painter.setPen(QColor(theme.on_accent if primary else theme.line))
        painter.setBrush(Qt.BrushStyle.NoBrush if primary else QColor(theme.sunken))
        painter.drawRoundedRect(box, 5, 5)
        painter.setFont(font("caption"))
        painter.setPen(QColor(theme.on_accent if primary else theme.muted))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._key)


def _set(label: QLabel, text: str) -> None:
    """Sets a text only if it changed, because Qt computes the layout again each time."""
    if label.text() != text:
        label.setText(text)

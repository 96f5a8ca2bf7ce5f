"""The widgets that all screens share: their behaviour. Their look is in `window.qss`.

Text of the type scale: `text_label`, `Heading`. Buttons: `PrimaryButton` (the one thing to do next), `QuietButton`,
`DangerButton`, `IconButton`. Surfaces: `Card`, `Banner` (a message, hidden if there is none), `EmptyState`,
`ConfirmBar` (asks, or offers to undo, without a dialogue window). `BigNumber` fills its room.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import QEvent, QSize, Qt, QTimer
from PyQt6.QtGui import QEnterEvent, QFont, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PyQt6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from rehabcount.gui.flow import Flow
from rehabcount.gui.icons import icon, pixmap
from rehabcount.gui.language import tr
from rehabcount.gui.theme import colour, current, font, px, space

UNDO_OFFERED_MS = 10_000  # long enough to notice with a hand on the patient


def _is_redressed(event: QEvent | None) -> bool:
    """Whether the theme of the window has just changed: widgets that paint themselves must be drawn again."""
    return event is not None and event.type() == QEvent.Type.StyleChange


def set_look(widget: QWidget, name: str, value: str) -> None:
    """Set a property that the stylesheet uses, and apply the stylesheet again."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    style = widget.style()
    if style is not None:
        style.unpolish(widget)
        style.polish(widget)


def text_label(text: str = "", rank: str = "body", *, wrap: bool = False) -> QLabel:
    """Text of one rank: caption, muted, body, strong, lead, heading, title, number, chip, key."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)  # a patient code may hold `<` and `&`
    label.setProperty("rank", rank)
    label.setWordWrap(wrap)
    return label


class Heading(QLabel):
    """The title of a screen or card."""

    def __init__(self, text: str, rank: str = "title") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("rank", rank)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)


class ElidedLabel(QLabel):
    """One line that ends in dots where it does not fit; the whole of it is its accessible name and tooltip."""

    def __init__(self, rank: str = "body") -> None:
        super().__init__()
        self._whole = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("rank", rank)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def say(self, text: str) -> None:
        if text != self._whole:
            self._whole = text
            self.setAccessibleName(text)
            self.setToolTip(text)
            self.updateGeometry()
            self._fit()

    @property
    def whole(self) -> str:
        return self._whole

    def sizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        hint = super().sizeHint()
        return QSize(self.fontMetrics().horizontalAdvance(self._whole) + px(2), hint.height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802 (Qt's name)
        return QSize(px(60), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        fitted = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width())
        if fitted != self.text():
            self.setText(fitted)


class _Button(QPushButton):
    kind = ""

    def __init__(self, text: str, icon_name: str = "", on_click: Callable[[], object] | None = None) -> None:
        super().__init__(text)
        self._icon_name = icon_name
        self.setProperty("kind", self.kind)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMinimumHeight(px(44))  # a finger's width
        if on_click is not None:
            self.clicked.connect(lambda *_: on_click())
        self.set_icon(icon_name)

    def set_icon(self, name: str) -> None:
        self._icon_name = name
        if name:
            self.setIcon(icon(name, self.ink(), padded=bool(self.text())))
            self.setIconSize(QSize(px(26 if self.text() else 20), px(20)))

    def ink(self) -> str:
        return current().text

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802 (Qt's name)
        """Enter presses a button as Space does: on some screens Space means something else."""
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().changeEvent(event)
        if _is_redressed(event):
            self.set_icon(self._icon_name)

    def showEvent(self, event: QShowEvent | None) -> None:  # noqa: N802 (Qt's name)
        self.set_icon(self._icon_name)  # the theme may have changed since
        super().showEvent(event)


class PlainButton(_Button):
    """A button for an ordinary action."""


class PrimaryButton(_Button):
    """The button for the next step; at most one on a screen."""

    kind = "primary"

    def ink(self) -> str:
        return current().on_accent if self.isEnabled() else current().muted


class QuietButton(_Button):
    """A button for a rare action."""

    kind = "quiet"


class DangerButton(_Button):
    """A button that removes or ends something."""

    kind = "danger"

    def ink(self) -> str:
        return current().bad if self.isEnabled() else current().muted


class IconButton(QToolButton):
    """A button with an icon only. `name` is for screen readers and the tooltip."""

    def __init__(self, icon_name: str, name: str, on_click: Callable[[], object] | None = None) -> None:
        super().__init__()
        self._icon_name = icon_name
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        if on_click is not None:
            self.clicked.connect(lambda *_: on_click())
        self.set_icon(icon_name)

    def set_icon(self, name: str) -> None:
        self._icon_name = name
        self.setIcon(icon(name))
        self.setIconSize(QSize(px(24), px(24)))

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().changeEvent(event)
        if _is_redressed(event):
            self.set_icon(self._icon_name)

    def showEvent(self, event: QShowEvent | None) -> None:  # noqa: N802 (Qt's name)
        self.set_icon(self._icon_name)
        super().showEvent(event)


class Card(QFrame):
    """A surface with a heading; `card.body` is its layout."""

    def __init__(self, heading: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(space(2.5), space(2), space(2.5), space(2.5))
        self.body.setSpacing(space(1.5))
        if heading:
            self.body.addWidget(Heading(heading, "heading"))


def rule() -> QFrame:
    """A thin line between things."""
    line = QFrame()
    line.setObjectName("rule")
    return line


def scrolling(content: QWidget) -> QScrollArea:
    """`content` in a frame that scrolls where the window is too small for it."""
    content.setObjectName("scrolled")
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it takes the focus, and scrolls into sight
    area.setWidget(content)
    return area


class Banner(QFrame):
    """One line that is shown when there is a message: kind `info`, `warn` or `bad`; with buttons if there are
    actions."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("banner")
        row = QHBoxLayout(self)
        row.setContentsMargins(space(2), space(1), space(1), space(1))
        self._kind = "warn"
        self._picture = QLabel()
        self._text = text_label(wrap=True)
        row.addWidget(self._picture)
        self._words = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._words.addWidget(self._text, 1)
        self._acts = Flow()
        self._words.addLayout(self._acts)
        row.addLayout(self._words, 1)
        self.buttons: list[PlainButton] = []
        self._actions: list[tuple[str, Callable[[], object]]] = []
        self._close = IconButton("close", tr("Close"), self._dismiss)
        self._close.hide()
        row.addWidget(self._close)
        self._dismissed = ""  # a closed message is not shown again before another one
        self.hide()

    def set_closable(self) -> None:
        """Add a button to close it, because it covers a part of the screen."""
        self._close.show()

    def put_away(self) -> None:
        """As its x does."""
        self._dismiss()

    def _dismiss(self) -> None:
        self.hide()
        self._dismissed = self._text.text()

    @property
    def text(self) -> str:
        """The message; empty if it is hidden."""
        return "" if self.isHidden() else self._text.text()

    def say(
        self,
        text: str,
        kind: str = "warn",
        action: str = "",
        on_action: Callable[[], object] | None = None,
        *more: tuple[str, Callable[[], object]],
    ) -> None:
        """Show `text`; with a button for `action`, and for each of `more`."""
        actions = [*([(action, on_action or (lambda: None))] if action else []), *more]
        if text == self._dismissed:
            return
        self._dismissed = ""
        self._offer(actions)
        if not self.isHidden() and self._text.text() == text:
            return
        self._text.setText(text)
        self.setAccessibleName(text)
        self._kind = kind
        self._draw_picture()
        set_look(self, "kind", kind)
        self.show()

    def _act(self, number: int) -> None:
        self._actions[number][1]()

    def _offer(self, actions: list[tuple[str, Callable[[], object]]]) -> None:
        """Show these buttons; existing ones are kept, because the user may be about to press one."""
        for button in self.buttons[len(actions) :]:
            self._acts.removeWidget(button)
            button.hide()
            button.deleteLater()
        del self.buttons[len(actions) :]
        while len(self.buttons) < len(actions):
            number = len(self.buttons)
            button = PlainButton("", "", partial(self._act, number))
            self._acts.addWidget(button)
            self.buttons.append(button)
        self._actions = actions
        for button, (words, _) in zip(self.buttons, actions, strict=True):
            if button.text() != words:
                button.setText(words)
            button.show()
        self._fit()

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Buttons are below the text if it would get less than half of the width."""
        beside = 2 * self._acts.sizeHint().width() <= self.width() or not self.buttons
        self._words.setDirection(QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom)

    def _draw_picture(self) -> None:
        theme, kind = current(), self._kind
        tint = {"warn": theme.warn, "bad": theme.bad}.get(kind, theme.accent)
        self._picture.setPixmap(pixmap("warning" if kind in ("warn", "bad") else "about", px(24), tint))

    def changeEvent(self, event: QEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().changeEvent(event)
        if _is_redressed(event) and not self.isHidden():
            self._draw_picture()

    def clear(self) -> None:
        self._dismissed = ""
        self.hide()


class EmptyState(QWidget):
    """Shown if there is no content yet: a picture, a sentence, and a button."""

    def __init__(self, icon_name: str, text: str, action: QPushButton | None = None) -> None:
        super().__init__()
        self._icon_name = icon_name
        column = QVBoxLayout(self)
        column.setSpacing(space(2))
        column.addStretch()
        self._picture = QLabel()
        self._picture.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._picture)
        self.label = text_label(text, "lead", wrap=True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.label)
        if action is not None:
            column.addWidget(action, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()

    def showEvent(self, event: QShowEvent | None) -> None:  # noqa: N802 (Qt's name)
        self._picture.setPixmap(pixmap(self._icon_name, px(48), current().muted))
        super().showEvent(event)


class ConfirmBar(QFrame):
    """Asks a question on the screen, or offers to undo an action. Hidden otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("confirm")
        row = QHBoxLayout(self)
        row.setContentsMargins(space(2), space(1), space(1), space(1))
        self._text = text_label(wrap=True)
        self.yes = PlainButton("")
        self.no = QuietButton("")
        self._on_yes: Callable[[], object] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        self._left_ms = -1  # of an offer, when the mouse came over it
        self.yes.clicked.connect(lambda *_: self._accept())
        self.no.clicked.connect(lambda *_: self.hide())
        row.addWidget(self._text, 1)
        row.addWidget(self.yes)
        row.addWidget(self.no)
        self.hide()

    @property
    def text(self) -> str:
        return "" if self.isHidden() else self._text.text()

    def ask(self, text: str, yes: str, on_yes: Callable[[], object], no: str = "", *, danger: bool = False) -> None:
        """Show a question; the answer that changes nothing has the focus."""
        self._show(text, yes, on_yes, no or tr("Cancel"), "danger" if danger else "")
        self._timer.stop()
        self._left_ms = -1
        self.no.setFocus()

    def offer_undo(self, text: str, on_undo: Callable[[], object]) -> None:
        """Show what was done, with an undo button for a while; the focus does not change."""
        self._show(text, tr("Undo"), on_undo, tr("Close"), "")
        self._timer.start(UNDO_OFFERED_MS)

    def put_away(self) -> None:
        """As the answer that changes nothing does."""
        self.no.click()

    def _show(self, text: str, yes: str, on_yes: Callable[[], object], no: str, kind: str) -> None:
        self._text.setText(text)
        self.setAccessibleName(text)
        self.yes.setText(yes)
        self.no.setText(no)
        self._on_yes = on_yes
        set_look(self, "kind", kind)
        set_look(self.yes, "kind", kind)
        self.show()

    def _accept(self) -> None:
        self.hide()
        if self._on_yes is not None:
            self._on_yes()

    def enterEvent(self, event: QEnterEvent | None) -> None:  # noqa: N802 (Qt's name)
        """It is not hidden under the mouse, because the click would hit the widget behind it."""
        super().enterEvent(event)
        self._left_ms = self._timer.remainingTime()
        self._timer.stop()

    def leaveEvent(self, event: QEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().leaveEvent(event)
        if self._left_ms > 0 and not self.isHidden():
            self._timer.start(UNDO_OFFERED_MS)


class BigNumber(QWidget):
    """A number as large as its room allows, so that it is read from far away."""

    def __init__(self, text: str = "–", *, share: float = 1.0) -> None:
        super().__init__()
        self._text, self._tint, self._share = text, "", share
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(px(120), px(72))

    @property
    def text(self) -> str:
        return self._text

    def say(self, text: str, tint: str = "") -> None:
        """`tint`: a colour of the theme in place of that of text."""
        if (text, tint) != (self._text, self._tint):
            self._text, self._tint = text, tint
            self.setAccessibleName(text)
            self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        painter = QPainter(self)
        painter.setFont(fitting_font(self._text, self.width(), self.height() * self._share))
        painter.setPen(colour(self._tint or current().text))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._text)


def fitting_font(text: str, width: float, height: float) -> QFont:
    """The number font, as large as `text` fits into that room. Digits take the room of the widest, so nothing jumps."""
    made = font("number")
    made.setWeight(QFont.Weight.Bold)
    probe = "".join("0" if letter.isdigit() else letter for letter in text) or "0"
    made.setPixelSize(100)
    metrics = QFontMetricsF(made)
    tall = metrics.capHeight() * 1.25  # digits have no descenders: their height is what counts
    fit = min(width * 0.96 / max(metrics.horizontalAdvance(probe), 1.0), height / tall)
    made.setPixelSize(max(px(12), int(100 * fit)))
    return made

"""The help that `?` shows: every key of the screen and of the window, over a dimmed picture of it."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PyQt6.QtWidgets import QAbstractSlider, QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from rehabcount.gui.controls import Heading, IconButton, scrolling, text_label
from rehabcount.gui.language import key_name, tr
from rehabcount.gui.screen import KeyHint
from rehabcount.gui.theme import colour, px, space

Scroll = QAbstractSlider.SliderAction
SCROLLED = {
    Qt.Key.Key_Down: Scroll.SliderSingleStepAdd,
    Qt.Key.Key_Up: Scroll.SliderSingleStepSub,
    Qt.Key.Key_PageDown: Scroll.SliderPageStepAdd,
    Qt.Key.Key_PageUp: Scroll.SliderPageStepSub,
}


class KeyHelp(QWidget):
    """An overlay; any click or Esc takes it away."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Keys"))
        self._before: QWidget | None = None
        self._close: IconButton | None = None
        self._area: QScrollArea | None = None
        outer = QVBoxLayout(self)
        outer.setContentsMargins(space(3), space(3), space(3), space(3))
        self._card = QFrame()
        self._card.setObjectName("keyhelp")
        self._card.setMaximumWidth(px(760))
        outer.addStretch(1)
        row = QHBoxLayout()
        row.addWidget(self._card)
        outer.addLayout(row, 1000)  # as high as it needs, up to the window
        outer.addStretch(1)
        self._body = QVBoxLayout(self._card)
        self._body.setContentsMargins(space(3), space(2), space(3), space(3))
        self.hide()

    def open(self, hints: list[KeyHint]) -> None:
        """Show these keys."""
        while (item := self._body.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        head = QWidget()
        head_row = QHBoxLayout(head)
        head_row.setContentsMargins(0, 0, 0, 0)
        head_row.addWidget(Heading(tr("Keys")), 1)
        self._close = IconButton("close", tr("Close"), self.close_help)
        head_row.addWidget(self._close)
        self._body.addWidget(head)
        table = QWidget()
        grid = QGridLayout(table)
        grid.setHorizontalSpacing(space(3))
        grid.setVerticalSpacing(space(1))
        for line, hint in enumerate(hints):
            keys = QWidget()
            row = QHBoxLayout(keys)
            row.setContentsMargins(0, 0, 0, 0)
            for key in hint.keys.split():
                row.addWidget(text_label(key_name(key), "key"))
            row.addStretch()
            grid.addWidget(keys, line, 0)
            grid.addWidget(text_label(hint.does, wrap=True), line, 1)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(len(hints), 1)
        self._area = scrolling(table)
        self._body.addWidget(self._area, 1)
        self._card.setMaximumHeight(head.sizeHint().height() + table.sizeHint().height() + space(8))
        if self.isHidden() and (window := self.window()) is not None:
            self._before = window.focusWidget()
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect())
        self.show()
        self.raise_()
        self.setFocus()

    def close_help(self) -> None:
        self.hide()
        if self._before is not None:
            self._before.setFocus()
            self._before = None

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is not None and (event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_F1) or event.text() == "?"):
            self.close_help()
        elif event is not None and event.key() in SCROLLED and self._area is not None:
            if (bar := self._area.verticalScrollBar()) is not None:
                bar.triggerAction(SCROLLED[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: N802, A002 (Qt's names)
        """Tab stays in here: what is behind is dimmed, and pressing it unseen would do harm."""
        (self if self._close is not None and self._close.hasFocus() else self._close or self).setFocus()
        return True

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 (Qt's name)
        self.close_help()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 (Qt's name)
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("#000000", 0.6))

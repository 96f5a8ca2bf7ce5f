"""Overlay: bars that lie over a screen while they have a message, so that no other widget moves.

A banner within the layout would move buttons under the mouse, and a click could hit the wrong one. A banner over a
screen can be closed, because it covers widgets.
"""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject
from PyQt6.QtWidgets import QVBoxLayout, QWidget

from rehabcount.gui.controls import Banner, ConfirmBar
from rehabcount.gui.theme import space

PLACED_ANEW = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show)
SAID_OR_DONE = (QEvent.Type.ShowToParent, QEvent.Type.HideToParent)


class Overlay(QWidget):
    """`bars` over the lower edge of `under`, or the upper one; both belong to the same screen."""

    def __init__(self, under: QWidget, *bars: Banner | ConfirmBar, at_top: bool = False, margin: int = 0) -> None:
        screen = under.parentWidget()
        assert screen is not None
        super().__init__(screen)
        self._under, self._bars, self._at_top, self._margin = under, bars, at_top, margin
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(0.5))
        for bar in bars:
            column.addWidget(bar)
            bar.installEventFilter(self)
            if isinstance(bar, Banner):
                bar.set_closable()
        under.installEventFilter(self)
        self._place()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802 (Qt's name)
        wanted = PLACED_ANEW if watched is self._under else SAID_OR_DONE
        if event is not None and event.type() in wanted:
            self._place()
        return False

    def event(self, event: QEvent | None) -> bool:
        done = super().event(event)
        if event is not None and event.type() == QEvent.Type.LayoutRequest:  # other words need other room
            self._place()
        return done

    def _place(self) -> None:
        said = any(not bar.isHidden() for bar in self._bars)
        self.setVisible(said)
        column = self.layout()
        if not said or column is None:
            return
        room = self._under.geometry().adjusted(self._margin, 0, -self._margin, 0)
        height = column.heightForWidth(room.width()) if column.hasHeightForWidth() else column.sizeHint().height()
        top = room.top() + self._margin if self._at_top else room.bottom() + 1 - height - self._margin
        self.setGeometry(room.left(), top, room.width(), height)
        self.raise_()

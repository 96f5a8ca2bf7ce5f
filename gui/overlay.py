"""Overlay: bars that lie over a screen while they have a message, so that no other widget moves.

A banner within the layout would move buttons under the mouse, and a click could hit the wrong one. Every screen keeps
room for a banner at its lower edge, where it covers no button and no title.
"""

from __future__ import annotations

from PyQt6 import sip
from PyQt6.QtCore import QEvent, QObject
from PyQt6.QtWidgets import QStackedWidget, QWidget

from rehabcount.gui.controls import Banner, ConfirmBar
from rehabcount.gui.screen import Screen
from rehabcount.gui.theme import space

SAID_OR_DONE = (QEvent.Type.ShowToParent, QEvent.Type.HideToParent)


class Overlay(QWidget):
    """The last of `bars` that has something to say, along the lower edge of `screen`; the others wait behind it."""

    def __init__(self, screen: QWidget, *bars: Banner | ConfirmBar) -> None:
        super().__init__(screen)
        self._screen, self._bars = screen, bars
        if isinstance(screen, Screen):
            screen.message = self
        for bar in bars:
            bar.setParent(self)
            bar.hide()
            bar.installEventFilter(self)
            if isinstance(bar, Banner):
                bar.set_closable()
        screen.installEventFilter(self)
        self._place()

    def close_message(self) -> bool:
        """Esc: what is said is read, what is asked is not done; False if there is nothing."""
        bar = self._in_front
        if bar is None or not self.isVisible():
            return False
        bar.put_away()
        return True

    @property
    def _in_front(self) -> Banner | ConfirmBar | None:
        return next((bar for bar in reversed(self._bars) if not bar.isHidden()), None)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802 (Qt's name)
        if event is None:
            return False
        if watched is self._screen:
            if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
                self._place()
        elif event.type() in SAID_OR_DONE:
            self._place()
            if event.type() == QEvent.Type.ShowToParent and isinstance(self._screen, Screen) and self.isVisible():
                self._screen.told.emit("")  # what the screen before had to say would lie over it
        return False

    def event(self, event: QEvent | None) -> bool:
        done = super().event(event)
        if event is not None and event.type() == QEvent.Type.LayoutRequest:  # other words need other room
            self._place()
        return done

    def _place(self) -> None:
        front = self._in_front
        self.setVisible(front is not None)
        if front is None:
            self._keep_room(0)
            return
        width = self._screen.width() - 2 * space(1.5)
        height = max(front.heightForWidth(width), front.minimumSizeHint().height())
        self.setGeometry(space(1.5), self._screen.height() - height - space(0.5), width, height)
        for bar in self._bars:
            bar.setGeometry(0, 0 if bar is front else height, width, height)
        self.raise_()
        self._keep_room(height + space(0.5))

    def _keep_room(self, height: int) -> None:
        if sip.isdeleted(self._screen):  # its bars hide while it goes
            return
        screen = self._screen.currentWidget() if isinstance(self._screen, QStackedWidget) else self._screen
        if isinstance(screen, Screen):
            screen.keep_room(type(self).__name__, height)

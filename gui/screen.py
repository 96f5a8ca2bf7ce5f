"""Screen: what the window shows one of at a time.

A screen is made once, when it is first needed, and told each time it is entered. It never knows its neighbours: to go
somewhere it says `go.emit("summary", path)`, and the window does the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QWidget

from rehabcount.gui.theme import px

if TYPE_CHECKING:
    from rehabcount.gui.desk import Desk
    from rehabcount.gui.overlay import Overlay

MESSAGE_ROOM = 68  # pixels at 100 %: two lines of words, or a line and a button

LOWEST = 420  # pixels at 100 %: below, a screen needs all its height


@dataclass(frozen=True, slots=True)
class KeyHint:
    """One line of the help that `?` shows: the keys as printed on them, and what they do."""

    keys: str
    does: str


class Screen(QWidget):
    """One screen. Subclasses set `name`, build themselves in `__init__`, and override what they need."""

    name: ClassVar[str] = ""
    immersive: ClassVar[bool] = False  # hides the navigation: leaving must be meant
    endures: ClassVar[bool] = False  # holds what runs or can be undone: it is not made anew while it shows
    returnable: ClassVar[bool] = True  # whether Esc on the next screen comes back here

    go = pyqtSignal(str, object)  # the name of a screen, and its argument
    back = pyqtSignal()  # to where we came from
    told = pyqtSignal(str)  # something to read, wherever the window is by now

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.desk = desk
        self.setObjectName("screen")
        self.message: Overlay | None = None  # puts itself here
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._message_heights: dict[str, int] = {}
        self.keep_room("", 0)

    def keep_room(self, whose: str, height: int) -> None:
        """Messages lie at the lower edge: they cover nothing, and nothing moves. `height`: of the one that shows; it
        gets room where it needs more than is kept, or where the window is too low to keep any."""
        self._message_heights[whose] = height
        kept = px(MESSAGE_ROOM) if self.height() >= px(LOWEST) else 0
        self.setContentsMargins(0, 0, 0, 0 if self.immersive else max(kept, *self._message_heights.values()))

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        self.keep_room("", 0)

    def title(self) -> str:
        """What the window is called while this screen shows."""
        return ""

    def entered(self, argument: object) -> None:
        """The screen is about to be shown; fill it anew."""

    def close_message(self) -> bool:
        """Esc: the message that lies over the screen goes; False if there is none."""
        return self.message is not None and self.message.close_message()

    def step_back(self) -> bool:
        """Esc: closes what is open on the screen, undone; False if nothing is, and the screen is to be left."""
        return False

    def leaving(self) -> bool:
        """Whether it may be left now; a screen that must not asks the person and leaves by itself later."""
        return True

    def end_and(self, done: Callable[[], None]) -> None:
        """The program must end, and nobody is there to ask: keep what there is, then call `done`."""
        self.leaving()
        done()

    def parting_words(self) -> str:
        """Asked for once it was left: what of the work done here was kept and what not, if that is not plain to see."""
        return ""

    def keys(self) -> list[KeyHint]:
        """Its own keys, for the help."""
        return []

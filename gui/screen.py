"""Screen: the base class of all screens; the window shows one at a time.

A screen is made once, when it is first needed, and `entered` is called each time. It does not know other screens: to
show another one it calls `go.emit("summary", path)`, and the window does the rest.
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
    immersive: ClassVar[bool] = False  # hides the navigation, so that it is not left by mistake
    endures: ClassVar[bool] = False  # something runs or can be undone: the screen is not made anew while it is shown
    returnable: ClassVar[bool] = True  # whether Esc on the next screen comes back here

    go = pyqtSignal(str, object)  # the name of a screen, and its argument
    back = pyqtSignal()  # to where we came from
    told = pyqtSignal(str)  # a message for the user, on any screen

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
        """The window's title while this screen is shown."""
        return ""

    def entered(self, argument: object) -> None:
        """The screen is about to be shown; fill it anew."""

    def close_message(self) -> bool:
        """Esc: the message that lies over the screen goes; False if there is none."""
        return self.message is not None and self.message.close_message()

    def step_back(self) -> bool:
        """Esc: closes an open panel without its action; False if there is none, so that the screen is left."""
        return False

    def leaving(self) -> bool:
        """Whether it may be left now; if not, the screen asks the user and leaves by itself later."""
        return True

    def end_and(self, on_done: Callable[[], None]) -> None:
        """The program ends without questions: keep the data, then call `on_done`."""
        self.leaving()
        on_done()

    def parting_words(self) -> str:
        """A message after leaving: what was kept and what was not, if that is not obvious."""
        return ""

    def keys(self) -> list[KeyHint]:
        """Its own keys, for the help."""
        return []

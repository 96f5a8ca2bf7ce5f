"""Screen: what the window shows one of at a time.

A screen is made once, when it is first needed, and told each time it is entered. It never knows its neighbours: to go
somewhere it says `go.emit("summary", path)`, and the window does the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QWidget

if TYPE_CHECKING:
    from rehabcount.gui.desk import Desk


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
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    def title(self) -> str:
        """What the window is called while this screen shows."""
        return ""

    def entered(self, argument: object) -> None:
        """The screen is about to be shown; fill it anew."""

    def step_back(self) -> bool:
        """Esc: closes what is open on the screen, undone; False if nothing is, and the screen is to be left."""
        return False

    def leaving(self) -> bool:
        """Whether it may be left now; a screen that must not asks the person and leaves by itself later."""
        return True

    def end_and(self, on_done: Callable[[], None]) -> None:
        """The program must end, and nobody is there to ask: keep what there is, then call `on_done`."""
        self.leaving()
        on_done()

    def parting_words(self) -> str:
        """Asked for once it was left: what of the work done here was kept and what not, if that is not plain to see."""
        return ""

    def keys(self) -> list[KeyHint]:
        """Its own keys, for the help."""
        return []

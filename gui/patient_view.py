"""The patient's window, for a second display: one big number, what it counts, one ring, calm. No clinical detail.

An activity's number never falls here: after a correction downwards it stays until the count has reached it again.
"""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QKeyEvent
from PyQt6.QtWidgets import QApplication, QVBoxLayout, QWidget

from rehabcount.bedside.screen_state import PAUSED, READY, RUNNING, ScreenState
from rehabcount.gui.controls import text_label
from rehabcount.gui.language import tr
from rehabcount.gui.ring import NumberRing
from rehabcount.gui.theme import space

NOTHING = "\N{NO-BREAK SPACE}"  # keeps the line, so that the ring stays as it is


class PatientView(QWidget):
    closed = pyqtSignal()

    def __init__(self) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self.setObjectName("screen")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWindowTitle(tr("Patient view"))
        self.resize(720, 720)
        column = QVBoxLayout(self)
        column.setContentsMargins(space(4), space(4), space(4), space(4))
        self.what = text_label("", "title", wrap=True)
        self.what.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self.what)
        self.ring = NumberRing()
        column.addWidget(self.ring, 1)
        self.words = text_label("", "title", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self.words)

    def open(self) -> None:
        """Full screen on the second display if there is one; otherwise in a window."""
        displays = QApplication.screens()
        if len(displays) > 1:
            self.setGeometry(displays[1].availableGeometry())
            self.showFullScreen()
        else:
            self.show()

    def show_state(self, state: ScreenState, *, live: bool = True) -> None:
        """`live` False: movements are not counted at present, and the number must look so."""
        number, target = state.for_patient, state.target
        self.ring.say(number, target, live=live)
        repetitions = tr("{activity}: repetitions") if state.present else tr("Repetitions")
        self.what.setText(repetitions.format(activity=state.present))
        if not live and state.phase in RUNNING:
            words = tr("One moment, please")
        elif state.phase == READY:
            words = tr("We start in a moment")
        elif state.phase == PAUSED:
            words = tr("A short break")
        elif target and number >= target:
            words = tr("Target reached. Well done!")
        else:
            words = NOTHING
        if self.words.text() != words:
            self.words.setText(words)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is not None and event.key() == Qt.Key.Key_F11:
            self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)
        elif event is not None and event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().closeEvent(event)
        self.closed.emit()

"""A backup that is made or restored. It belongs to the desk, so that it goes on when the screen is left."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QObject, pyqtSignal

from rehabcount.errors import RehabcountError
from rehabcount.gui.background import Background

OnFile = Callable[[int, int], None]  # files done, of


class BackupJob(QObject):
    """One at a time."""

    progressed = pyqtSignal(int, int)  # files done, of; from the job's thread, so delivered in the window's
    over = pyqtSignal(object)  # a Manifest, a Restored, or the RehabcountError that ended it

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._background = Background(self)

    @property
    def running(self) -> bool:
        return self._background.busy

    def start(self, work: Callable[[OnFile], object]) -> None:
        """Do `work` in a thread; does nothing while another job runs."""
        if self.running:
            return
        self._background.run(lambda: work(self.progressed.emit), self.over.emit, self._failed)

    def _failed(self, error: RehabcountError) -> None:
        self.over.emit(error)

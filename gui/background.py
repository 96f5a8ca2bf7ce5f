"""Work that takes time, in a thread of its own; what comes of it arrives in the window's thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from PyQt6.QtCore import QObject, pyqtSignal

from rehabcount.errors import RehabcountError

log = logging.getLogger(__name__)


class Job(QObject):
    """One piece of work. Keep it until it is `done` or `failed`; it tells `progress` if the work does."""

    progress = pyqtSignal(int, int)  # done, of
    done = pyqtSignal(object)
    failed = pyqtSignal(str)

    def __init__(self, work: Callable[[Callable[[int, int], None]], object], parent: QObject | None = None) -> None:
        """`work` is given a function to tell its progress with."""
        super().__init__(parent)
        self._work = work

    def start(self) -> None:
        threading.Thread(target=self._run, name="job", daemon=True).start()

    def _run(self) -> None:
        try:
            result = self._work(self.progress.emit)
        except RehabcountError as error:
            self.failed.emit(f"{error} {error.advice}".strip())
        except Exception:  # the thread's top
            log.exception("in a job")
            self.failed.emit("Something failed that should not; the log says more.")
        else:
            self.done.emit(result)

"""Work that would make the window wait happens here: reading and writing session files, one job after the other.

A job's result, or what went wrong, comes back in the window's thread. A screen that is left meanwhile calls `forget`,
and nothing more comes.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from typing import TypeVar

from PyQt6.QtCore import QCoreApplication, QEvent, QObject, QRunnable, QThreadPool, pyqtSignal, pyqtSlot

from rehabcount.errors import RehabcountError

T = TypeVar("T")
LONGEST_WAIT_MS = 6000  # the store itself gives up on a file that another program holds after five seconds
log = logging.getLogger(__name__)


class _Messenger(QObject):
    """Carries results over. It belongs to the jobs, so that it outlives a window that is closed meanwhile."""

    finished = pyqtSignal(int, object, object)


class _Job(QRunnable):
    def __init__(self, number: int, work: Callable[[], object], messenger: _Messenger) -> None:
        super().__init__()
        self._number, self._work, self._messenger = number, work, messenger

    def run(self) -> None:
        result: object = None
        problem: RehabcountError | None = None
        try:
            result = self._work()
        except RehabcountError as error:
            problem = error
        except Exception as error:  # the top of a thread: it must be said, not lost
            log.exception("a job of the window failed")
            problem = RehabcountError(f"Something went wrong that should not: {error!r}.")
        with contextlib.suppress(RuntimeError):  # Qt is gone: the program ends, and nobody waits for the result
            self._messenger.finished.emit(self._number, result, problem)


class Background(QObject):
    """One at a time, in order. Results of jobs begun before `forget` are dropped."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._number = 0
        self._waiting: dict[int, tuple[Callable[[object], None], Callable[[RehabcountError], None]]] = {}
        self._messenger = _Messenger()
        self._messenger.finished.connect(self._deliver)

    @property
    def busy(self) -> bool:
        return bool(self._waiting)

    def run(self, work: Callable[[], T], done: Callable[[T], None], failed: Callable[[RehabcountError], None]) -> None:
        """Do `work` in a thread of its own; then call one of the two here."""
        self._number += 1
        self._waiting[self._number] = (done, failed)  # type: ignore[assignment]  # the pair belongs to this work
        self._pool.start(_Job(self._number, work, self._messenger))

    def forget(self) -> None:
        """Nobody waits for the results any more; writing that has begun is finished all the same."""
        self._waiting.clear()

    def finish(self) -> None:
        """Wait until all work is done, and deliver what it gave. For leaving: a moment, unless the disk is stuck."""
        self._pool.waitForDone(LONGEST_WAIT_MS)
        QCoreApplication.sendPostedEvents(self, QEvent.Type.MetaCall.value)

    @pyqtSlot(int, object, object)  # so that Qt posts to this object, and `finish` can have it delivered
    def _deliver(self, number: int, result: object, problem: object) -> None:
        waiting = self._waiting.pop(number, None)
        if waiting is None:
            return
        done, failed = waiting
        if isinstance(problem, RehabcountError):
            failed(problem)
        else:
            done(result)

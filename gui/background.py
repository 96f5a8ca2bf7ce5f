"""Slow work in a thread, so that the window does not wait: reading and writing session files, one job after the other.

A job's result or error is delivered in the window's thread. A screen that is left calls `forget`; then nothing more is
delivered. The thread is Python's and not Qt's, because Qt would wait for it when the window closes, while the job may
wait for Python.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from PyQt6.QtCore import QCoreApplication, QEvent, QObject, pyqtSignal, pyqtSlot

from rehabcount.domain.message import Code, Message
from rehabcount.errors import RehabcountError

T = TypeVar("T")
LONGEST_WAIT_S = 6.0  # the store itself gives up on a file that another program holds after five seconds
IDLE_S = 2.0  # after so long without a job the thread ends; the next job starts another
log = logging.getLogger(__name__)


class _Messenger(QObject):
    """Delivers results: worker, number of the job, result, error."""

    finished = pyqtSignal(object, int, object, object)


# One for all, made with the first and never deleted: a thread may still have a result after its window was closed.
_messengers: list[_Messenger] = []


class _Worker:
    """The jobs of one Background, and their thread. It uses none of Qt's objects."""

    def __init__(self, messenger: _Messenger) -> None:
        self._messenger = messenger
        self._jobs: queue.Queue[tuple[int, Callable[[], object]]] = queue.Queue()
        self._guard = threading.Lock()
        self.thread: threading.Thread | None = None
        self.done = 0  # the number of the last finished job

    def add(self, number: int, work: Callable[[], object]) -> None:
        with self._guard:
            self._jobs.put((number, work))
            if self.thread is None:
                self.thread = threading.Thread(target=self._work, name="background of the window", daemon=True)
                self.thread.start()

    def _next(self) -> tuple[int, Callable[[], object]] | None:
        try:
            return self._jobs.get(timeout=IDLE_S)
        except queue.Empty:
            with self._guard:
                if self._jobs.empty():
                    self.thread = None
                    return None
            return self._jobs.get()

    def _work(self) -> None:
        """The thread."""
        while (job := self._next()) is not None:
            number, work = job
            result: object = None
            problem: RehabcountError | None = None
            try:
                result = work()
            except RehabcountError as error:
                problem = error
            except Exception as error:  # top of a thread: the error must be shown
                log.exception("a job of the window failed")
                problem = RehabcountError(Message.of(Code.UNEXPECTED, what=repr(error)))
            with contextlib.suppress(RuntimeError):  # Qt is gone: the program ends, and the result is not needed
                self._messenger.finished.emit(self, number, result, problem)
            self.done = number


class Background(QObject):
    """Jobs one at a time, in order. Results of jobs begun before `forget` are dropped; the jobs are finished."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._number = 0
        self._waiting: dict[int, tuple[Callable[[object], None], Callable[[RehabcountError], None]]] = {}
        if not _messengers:
            _messengers.append(_Messenger())
        self.worker = _Worker(_messengers[0])
        _messengers[0].finished.connect(self._deliver)

    @property
    def busy(self) -> bool:
        """Whether a result is still expected."""
        return bool(self._waiting)

    def run(
        self, work: Callable[[], T], on_done: Callable[[T], None], on_failed: Callable[[RehabcountError], None]
    ) -> None:
        """Do `work` in the thread; then call one of the two in the window's thread."""
        self._number += 1
        self._waiting[self._number] = (on_done, on_failed)  # type: ignore[assignment]  # the pair belongs to this work
        self.worker.add(self._number, work)

    def forget(self) -> None:
        """Drop all results to come; the jobs themselves are finished."""
        self._waiting.clear()

    def finish(self) -> None:
        """Wait until all work is done, and deliver the results. For leaving: a moment, unless the disk hangs."""
        until = time.monotonic() + LONGEST_WAIT_S
        while self.worker.done < self._number and time.monotonic() < until:
            time.sleep(0.002)
        QCoreApplication.sendPostedEvents(self, QEvent.Type.MetaCall.value)

    @pyqtSlot(object, int, object, object)  # so that Qt posts to this object, and `finish` can have it delivered
    def _deliver(self, worker: object, number: int, result: object, problem: object) -> None:
        waiting = self._waiting.pop(number, None) if worker is self.worker else None
        if waiting is None:
            return
        on_done, on_failed = waiting
        if isinstance(problem, RehabcountError):
            on_failed(problem)
        else:
            on_done(result)

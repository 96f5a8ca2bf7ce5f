"""Between a live session and the screen: the session's threads never use a widget, the screen never waits for them.

`SessionThread` opens and ends the session in a thread of its own (a model may take a second to open, the last events a
moment to settle) and passes on the therapist's entries. It collects the session's updates, and the screen takes all of
them at most thirty times a second.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PyQt6.QtCore import QObject, pyqtSignal

from rehabcount.bedside.screen_state import Words
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import Frames
from rehabcount.domain.update import Update
from rehabcount.errors import RehabcountError
from rehabcount.store.recorder import LAST_TRIES_S

KEPT_BLOCKS = 300  # of frames for the signals, half a minute: a screen that is hidden takes none
LOOK_EVERY_S = 0.2  # whether the session has ended by itself
log = logging.getLogger(__name__)


class Running(Protocol):
    """A live session, as far as the screen is concerned."""

    path: Path

    def start(self) -> None: ...

    def say(self, words: Words) -> None:
        """Add an entry of the therapist to the record."""

    def end(self, patience_s: float = 0.0) -> None:
        """Ends it and waits; raises its error, if any. If the disk refuses, tries again for `patience_s`."""

    @property
    def running(self) -> bool: ...

    @property
    def trouble(self) -> RehabcountError | None:
        """Why nothing can be written at present; meanwhile items wait in memory."""

    @property
    def unwritten_s(self) -> float:
        """How much waits there."""


OnUpdate = Callable[[Update], None]
OnFrames = Callable[[Frames], None]
Opener = Callable[[OnUpdate, OnFrames], Running]


class SessionThread(QObject):
    opened = pyqtSignal()
    failed = pyqtSignal(object)  # a RehabcountError; what was recorded is kept
    ended = pyqtSignal(object)  # the path of the session file

    def __init__(self, opener: Opener) -> None:
        super().__init__()
        self._opener = opener
        self._words: queue.Queue[Words | None] = queue.Queue()
        self._guard = threading.Lock()
        self._updates: list[Update] = []
        self._frames: deque[Frames] = deque(maxlen=KEPT_BLOCKS)
        self._heard_at: float | None = None
        self._ending = False
        self._session: Running | None = None
        self._thread = threading.Thread(target=self._run, name="session", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def say(self, words: Words) -> None:
        """Pass this on; returns at once."""
        self._words.put(words)

    def end(self) -> None:
        """Ask for the end; `ended` comes when everything is settled and kept."""
        self._words.put(None)

    def join(self, timeout_s: float) -> bool:
        """Wait for the thread, when the program closes; whether it has ended."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def take(self) -> tuple[list[Update], list[Frames]]:
        """All updates and frames since the last call."""
        with self._guard:
            updates, self._updates = self._updates, []
            frames = list(self._frames)
            self._frames.clear()
        return updates, frames

    def silent_for_s(self) -> float:
        """The time since the last update or frame; 0 before the first."""
        heard = self._heard_at
        return 0.0 if heard is None else time.monotonic() - heard

    @property
    def trouble(self) -> RehabcountError | None:
        """Why the record cannot be written at present."""
        return self._session.trouble if self._session is not None else None

    @property
    def unwritten_s(self) -> float:
        """How much of the session is in memory only."""
        return self._session.unwritten_s if self._session is not None else 0.0

    # -- in other threads ---------------------------------------------------------------------------------------------

    def _hear(self, update: Update) -> None:
        with self._guard:
            self._updates.append(update)
        self._heard_at = time.monotonic()

    def _see(self, frames: Frames) -> None:
        with self._guard:
            self._frames.append(frames)
        self._heard_at = time.monotonic()

    def _run(self) -> None:
        session: Running | None = None
        try:
            session = self._session = self._opener(self._hear, self._see)
            session.start()
            self.opened.emit()
            self._serve(session)
            self._ending = True
            session.end(LAST_TRIES_S)
        except RehabcountError as problem:
            self._let_go(session)
            self.failed.emit(problem)
        except Exception as problem:  # top of a thread: the error must be shown
            log.exception("the session failed")
            self._let_go(session)
            self.failed.emit(
                RehabcountError(Message.of(Code.SESSION_STOPPED, what=repr(problem)), advice=Message.of(Code.DO_KEPT))
            )
        else:
            self.ended.emit(session.path)

    def _let_go(self, session: Running | None) -> None:
        """Frees the sensors of a failed session, so that the next one can connect them."""
        if session is not None and not self._ending:
            try:
                session.end(LAST_TRIES_S)
            except Exception as problem:  # noqa: BLE001 (it failed before; that is what is told)
                log.warning("the session that failed did not end: %r", problem)

    def _serve(self, session: Running) -> None:
        while True:
            try:
                words = self._words.get(timeout=LOOK_EVERY_S)
            except queue.Empty:
                if not session.running:
                    return
                continue
            if words is None:
                return
            with contextlib.suppress(ValueError):  # the source has just ended and the record is closed
                session.say(words)

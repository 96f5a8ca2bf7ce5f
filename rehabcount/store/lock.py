"""The recording lock: at most one process, and one recorder in it, adds packets to a session file.

The operating system holds it on a file beside the session (`NAME.rehab.lock`) and releases it when the process ends in
any way. So a session in the state "open" without a held lock was interrupted. The lock file itself and its content have
no meaning.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

from rehabcount.domain.message import Code, Message
from rehabcount.errors import SessionBusy
from rehabcount.store.connection import refused_by_system

# `is_held` takes the lock for an instant, so a new recorder tries this often before it fails.
ATTEMPTS = 5
PAUSE_S = 0.04

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        # flock, not lockf: it belongs to this descriptor, so that two recorders in one process also exclude each other.
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _lock_path(session: Path) -> Path:
    return session.with_name(session.name + ".lock")


class RecordingLock:
    """Held from construction to `release`. SessionBusy if another recorder holds it."""

    def __init__(self, session: Path) -> None:
        self._path = _lock_path(session)
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(PAUSE_S)
            descriptor = self._open()
            if _try_lock(descriptor) and self._is_current(descriptor):
                self._descriptor = descriptor
                return
            os.close(descriptor)
        raise SessionBusy(
            Message.of(Code.FILE_RECORDING_ELSEWHERE, file=session.name),
            advice=Message.of(Code.DO_CLOSE_OTHER_WINDOW),
        )

    def _open(self) -> int:
        try:
            return os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise refused_by_system(self._path, error) from error

    def _is_current(self, descriptor: int) -> bool:
        """False if its last holder removed the file between our opening and our locking it."""
        try:
            return os.path.samestat(os.fstat(descriptor), self._path.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        # The file is removed before it is closed, so that no other recorder locks a file that is then removed.
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._descriptor)
        if sys.platform == "win32":
            with contextlib.suppress(OSError):
                self._path.unlink()


def is_held(session: Path) -> bool:
    """Whether `session` is being recorded now."""
    try:
        descriptor = os.open(_lock_path(session), os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # another user's lock that we may not read: safer to treat the session as being recorded
    try:
        return not _try_lock(descriptor)
    finally:
        os.close(descriptor)

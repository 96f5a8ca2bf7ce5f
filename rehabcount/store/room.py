"""Whether a session can be recorded into a folder: checked before sensors are put on, not after the calibration."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import uuid
from pathlib import Path

from rehabcount.domain.message import Code, Message
from rehabcount.errors import StoreFull, StoreUnwritable

PROBE_BYTES = 1 << 16  # less free space is not enough for a second of packets
# Nine sensors fill a megabyte in 13 s: this is an hour, longer than a training session.
SESSION_BYTES = 300_000_000


def check_room(folder: Path) -> None:
    """Raises an error unless a file can be written in `folder` and there is room for a session.

    The file of the test is removed. If the folder does not exist yet, only the permissions of the folder above it are
    checked, because we write nothing into folders that are not ours.
    """
    there = next((each for each in (folder, *folder.parents) if _exists(each)), folder)
    try:
        if there == folder:
            _try_to_write(there)
        elif not os.access(there, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        free = shutil.disk_usage(there).free
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            free = 0
        else:
            raise StoreUnwritable(
                Message.of(Code.FOLDER_CLOSED, folder=str(folder), why=str(problem.strerror)),
                advice=Message.of(Code.DO_OTHER_FOLDER),
            ) from problem
    if free < SESSION_BYTES:
        raise StoreFull(
            Message.of(Code.DISK_LITTLE_ROOM, n=free // 1_000_000, folder=str(folder)),
            advice=Message.of(Code.DO_MAKE_ROOM_HOUR, n=SESSION_BYTES // 1_000_000),
        )


def _try_to_write(folder: Path) -> None:
    probe = folder / f".room-{uuid.uuid4().hex}"
    handle = os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.write(handle, bytes(PROBE_BYTES))
    finally:
        os.close(handle)
        with contextlib.suppress(OSError):
            probe.unlink()


def _exists(path: Path) -> bool:
    """True also for a folder that may not be entered; writing to it then gives the reason."""
    try:
        return path.exists()
    except OSError:
        return True

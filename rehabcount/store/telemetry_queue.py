"""Removes what onnxruntime's telemetry left in the user's cache folder while it was still on in rehabcount.

All programs of the user that run onnxruntime share the folder, so that only this is removed:

- events in the queue that name the Python of this virtual environment as the process that made them. The Python of
  the system may run anything; its events are left alone;
- the queue's file, if no event is left in it and no other program has it open;
- the random device id beside it, if no queue and nothing else is there: programs that need it make a new one.

A folder without an event of ours is not changed, nor is one that another program uses; the next start tries again.
Errors are neither shown nor stop the program.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from pathlib import Path

FOLDER = Path("Microsoft") / "DeveloperTools" / ".onnxruntime"
QUEUE = "onnxruntime.db"
COMPANIONS = ("-wal", "-shm", "-journal")  # SQLite's, beside the queue
DEVICE = ("deviceid", "deviceid.lock")
LARGEST_BYTES = 64_000_000  # onnxruntime limits the queue to a few megabytes; a larger file is not a queue


def cache_folder() -> Path:
    """Where onnxruntime puts its folder."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    named = os.environ.get("XDG_CACHE_HOME")
    return Path(named) if named else Path.home() / ".cache"


def remove_own_events(cache: Path | None = None, python: str = sys.executable) -> None:
    """Remove the events of this Python, and the whole folder if there are no others."""
    with contextlib.suppress(OSError, RuntimeError, sqlite3.Error):  # RuntimeError: there is no home
        folder = (cache or cache_folder()) / FOLDER
        queue = folder / QUEUE
        if sys.prefix == sys.base_prefix or not queue.is_file():
            return
        if _holds(queue, _named(python)) and _empties(queue, _named(python)):
            for name in (queue.name, *(queue.name + end for end in COMPANIONS)):
                (folder / name).unlink(missing_ok=True)
            _leave(folder)


def _named(python: str) -> bytes:
    """The name of a process in an event: the length of the path, then the path, so that longer paths do not match."""
    path = os.fsencode(python)
    length, head = len(path), b""
    while length > 127:
        head, length = head + bytes([length & 127 | 128]), length >> 7
    return head + bytes([length]) + path


def _holds(queue: Path, maker: bytes) -> bool:
    """Whether an event of ours may be in there. Files are read before SQLite opens them, which would change them."""
    files = [queue, queue.with_name(queue.name + "-wal")]
    found = [file for file in files if file.is_file() and file.stat().st_size <= LARGEST_BYTES]
    return any(maker in file.read_bytes() for file in found)


def _empties(queue: Path, maker: bytes) -> bool:
    """Delete the events of that process; True if none is left and no other program has the queue open."""
    with contextlib.closing(sqlite3.connect(queue, timeout=0, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = ON")  # or the text would stay in the file's free pages
        connection.execute("DELETE FROM events WHERE instr(payload, ?) > 0", (maker,))
        (left,) = connection.execute("SELECT count(*) FROM events").fetchone()
        (mode,) = connection.execute(
            "PRAGMA journal_mode = DELETE"
        ).fetchone()  # refused if another program has it open
        return left == 0 and mode == "delete"


def _leave(folder: Path) -> None:
    """Remove the device id if nothing else is there, then empty folders."""
    if {each.name for each in folder.iterdir()} <= set(DEVICE):
        for name in DEVICE:
            (folder / name).unlink(missing_ok=True)
        for each in (folder, *folder.parents[:2]):
            each.rmdir()  # fails if it is not empty; the folders above it then stay

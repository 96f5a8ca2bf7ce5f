"""What onnxruntime's telemetry left in the user's cache folder while it was still on in rehabcount is taken away.

The folder belongs to every program of the user that runs onnxruntime, so that only this is touched:

- events in the queue that name the Python of this virtual environment as the process that made them. The Python of
  the system may run anything; its events are left alone;
- the queue's file, once that leaves no event in it and nobody else has it open;
- the random device id beside it, once no queue and nothing else is there: it is made anew where it is wanted.

A folder without an event of ours stays as it is, and so does one that another program works in: the next start tries
again. Nothing that goes wrong here is worth a word to the user, and nothing stops the program.
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
LARGEST_BYTES = 64_000_000  # the queue is bounded by its makers to a few megabytes; what is larger is something else


def cache_folder() -> Path:
    """Where onnxruntime puts its folder."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    named = os.environ.get("XDG_CACHE_HOME")
    return Path(named) if named else Path.home() / ".cache"


def remove_own_events(cache: Path | None = None, python: str = sys.executable) -> None:
    """Take away the events of this Python, and the whole folder if there were no others."""
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
    """How an event names its process: the length of the path, then the path. A longer path does not hold it."""
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
    """Delete what that process made; whether nothing is left, and nobody else has the queue open."""
    with contextlib.closing(sqlite3.connect(queue, timeout=0, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = ON")  # or the text would stay in the file's free pages
        connection.execute("DELETE FROM events WHERE instr(payload, ?) > 0", (maker,))
        (left,) = connection.execute("SELECT count(*) FROM events").fetchone()
        (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()  # refused while somebody has it open
        return left == 0 and mode == "delete"


def _leave(folder: Path) -> None:
    """The device id goes if nothing else is there, and folders go that are empty then."""
    if {each.name for each in folder.iterdir()} <= set(DEVICE):
        for name in DEVICE:
            (folder / name).unlink(missing_ok=True)
        for each in (folder, *folder.parents[:2]):
            each.rmdir()  # one that is not empty refuses, and those above it stay

"""The library's database: its tables, how it is opened, and the translation of SQLite's errors.

Each operation has its own connection, and nothing is held between two of them, so that several windows and threads can
use one library and see each other's changes. Writers wait for each other for seconds at most. The file is in rollback
journal mode, so that it is a single file, readable on a read-only medium.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

from rehabcount.domain.message import Code, Message
from rehabcount.errors import LibraryDamaged, SessionBusy, SessionCorrupt, SessionMissing, SessionNewer
from rehabcount.store import schema
from rehabcount.store.connection import check_objects, connect, plainly, refused_by_system, transaction
from rehabcount.store.creation import make_private_folder

APPLICATION_ID = 0x52484C31  # "RHL1"
OWNER_ONLY = 0o600
DAMAGED_ADVICE = Message.of(Code.DO_RESTORE)

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE patient (
            code TEXT PRIMARY KEY,
            folded TEXT NOT NULL UNIQUE,
            content TEXT NOT NULL,
            changed_utc TEXT NOT NULL
        )""",
        """CREATE TABLE plan (
            number INTEGER PRIMARY KEY,
            patient TEXT NOT NULL REFERENCES patient (code) ON UPDATE CASCADE ON DELETE CASCADE,
            at_utc TEXT NOT NULL,
            content TEXT NOT NULL
        )""",
        # A session's patient may be unknown to the library (a file that was copied in), so there is no reference.
        """CREATE TABLE session (
            file TEXT PRIMARY KEY,
            patient TEXT,
            begun_utc TEXT NOT NULL,
            state TEXT NOT NULL,
            content TEXT NOT NULL
        )""",
        "CREATE INDEX session_of_patient ON session (patient, begun_utc)",
    ),
)


@contextlib.contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection | None]:
    """A connection for reading; None if there is no library yet."""
    if not _holds_something(path):
        yield None
        return
    with _of_a_library(path, reading=True):
        connection = connect(path, "mode=ro")
        try:
            yield connection if _check(connection, path) else None
        finally:
            connection.close()


@contextlib.contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """A transaction in the library: all of the block is stored, or nothing. The library is made if there is none."""
    _make(path)
    _holds_something(path)
    with _of_a_library(path):
        connection = connect(path, "mode=rw")
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA secure_delete = ON")  # a deleted patient leaves no bytes behind
            with transaction(connection):
                for version in range(_check(connection, path), len(MIGRATIONS)):
                    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                    for statement in MIGRATIONS[version]:
                        connection.execute(statement)
                    connection.execute(f"PRAGMA user_version = {version + 1}")
                yield connection
        finally:
            connection.close()


def snapshot(path: Path, copy: Path) -> None:
    """A consistent copy into the empty file `copy`, of any of our databases, also while another program writes."""
    _holds_something(path)  # SQLite would wait for a pipe for ever
    with _of_a_library(path, reading=True), contextlib.closing(connect(path, "mode=ro")) as source:
        target = connect(copy, "mode=rw")
        try:
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
        finally:
            target.close()


def _holds_something(path: Path) -> bool:
    """Whether there is a file that is not empty; LibraryDamaged if it is not a file. Nothing is opened."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise LibraryDamaged(
            Message.of(Code.FILE_UNREADABLE, file=path.name, why=str(error.strerror)), advice=DAMAGED_ADVICE
        ) from error
    if not stat.S_ISREG(found.st_mode):
        raise LibraryDamaged(Message.of(Code.NOT_A_FILE, file=path.name), advice=DAMAGED_ADVICE)
    return found.st_size > 0


def _make(path: Path) -> None:
    make_private_folder(path.parent)
    try:
        # Only a file that is new is opened here: closing one that SQLite has open drops the locks of its transactions.
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY))
        if os.name == "posix" and path.stat().st_mode & 0o077:
            path.chmod(OWNER_ONLY)  # it may have been copied by hand
    except OSError as error:
        raise refused_by_system(path, error) from error


def _check(connection: sqlite3.Connection, path: Path) -> int:
    """The schema version; 0 for an empty file."""
    version = schema.version_of(connection)
    identity = int(connection.execute("PRAGMA application_id").fetchone()[0])
    empty = not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if version == 0 and empty:
        return 0
    if identity != APPLICATION_ID:
        raise LibraryDamaged(Message.of(Code.NO_LIBRARY, file=path.name), advice=DAMAGED_ADVICE)
    if version > len(MIGRATIONS):
        raise SessionNewer(Message.of(Code.FILE_NEWER, file=path.name), advice=Message.of(Code.DO_UPDATE))
    check_objects(connection, _objects(version), path)
    return version


@functools.cache
def _objects(version: int) -> frozenset[schema.Declared]:
    """All declarations in a library of this version."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
        for statement in itertools.chain(*MIGRATIONS[:version]):
            empty.execute(statement)
        return schema.declared(empty)


@contextlib.contextmanager
def _of_a_library(path: Path, *, reading: bool = False) -> Iterator[None]:
    """SQLite's errors, with the library's messages where those of a session would mislead."""
    try:
        with plainly(path, reading=reading):
            yield
    except SessionCorrupt as error:
        raise LibraryDamaged(Message.of(Code.FILE_DAMAGED, file=path.name), advice=DAMAGED_ADVICE) from error
    except SessionBusy as error:
        raise SessionBusy(Message.of(Code.FILE_IN_USE, file=path.name), advice=Message.of(Code.DO_WAIT)) from error
    except SessionMissing as error:
        raise SessionMissing(
            Message.of(Code.FILE_GONE, file=str(path)), advice=Message.of(Code.DO_PUT_DATA_BACK)
        ) from error
    except ValueError as error:  # a cell of another kind than its column's
        raise LibraryDamaged(
            Message.of(Code.FILE_ILLEGIBLE, file=path.name, what=str(error)), advice=DAMAGED_ADVICE
        ) from error

"""Connections to session files: how they are opened, and the translation of SQLite's errors.

`plainly` translates everything that SQLite raises into one of `rehabcount.errors`, with advice. Only the header shows
whether a file is a session, before it is opened for reading or writing, because opening another program's database may
put files beside it. In this package only SQLite opens a session file.

Writers use a write-ahead log (WAL): readers never wait for them, and a commit is one append and one flush to disk. A
closed session goes back to a plain rollback journal (`sweep`), so that it is a single file that any SQLite tool opens,
also on a read-only medium.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from os import fsencode
from pathlib import Path
from urllib.parse import quote

from rehabcount.domain.document import shown
from rehabcount.domain.message import Code, Message
from rehabcount.errors import (
    SessionBusy,
    SessionCorrupt,
    SessionForeign,
    SessionMissing,
    SessionNewer,
    StoreError,
    StoreFull,
    StoreUnwritable,
)
from rehabcount.store import schema
from rehabcount.store.cells import bounded

SQLITE_MAGIC = b"SQLite format 3\x00"
HEADER_BYTES = 100  # of the file's first page; they mark an SQLite file as a session
BUSY_TIMEOUT_S = 5.0  # writers hold the file for milliseconds; five seconds means something is wrong
# About 13 s of nine sensors: as much can be missing in a copy without the -wal file. SQLite's default is 52 s.
CHECKPOINT_PAGES = 250
WAL_KEEP_BYTES = 8 << 20  # a log that grew because of a slow reader is cut to this
MOST_OBJECTS = 200  # tables and the like in one file; ours has a dozen
NO_ROOM_BYTES = 1 << 20  # if less is free, an error of writing or opening is reported as a full disk

SALVAGE_ADVICE = Message.of(Code.DO_RECOVER)


def check_header(path: Path) -> None:
    """Raises an error unless `path` begins like a session file.

    SQLite itself reads the header, because opening and closing a file without SQLite drops all locks that SQLite holds
    on it in this process (POSIX); another program would then treat a running recording as interrupted. `immutable`
    opens without a lock and puts no file beside another program's database.
    """
    _check_file(path)
    try:
        with contextlib.closing(connect(path, "mode=ro&immutable=1")) as connection:
            identity = int(connection.execute("PRAGMA application_id").fetchone()[0])
            pages = int(connection.execute("PRAGMA page_count").fetchone()[0])
    except sqlite3.Error as error:
        if _primary(error) == sqlite3.SQLITE_NOTADB:
            raise _not_a_session(path) from error
        if _primary(error) == sqlite3.SQLITE_ERROR:  # the header names a format that SQLite does not know
            raise SessionCorrupt(
                Message.of(Code.FILE_DAMAGED_HOW, file=path.name, what=str(error)), advice=SALVAGE_ADVICE
            ) from error
        if _primary(error) != sqlite3.SQLITE_CORRUPT:
            raise _cannot_be_read(path, str(error)) from error
        if not _logged(path):
            raise _breaks_off(path) from error
        return  # SQLite decides when it reads file and log together
    if _size(path) < HEADER_BYTES:
        raise _breaks_off(path)
    _check_identity(identity, path)
    # The size is asked last: it only grows.
    if not _logged(path) and _size(path) < pages * schema.PAGE_SIZE:
        raise _breaks_off(path)


def is_database(path: Path) -> bool:
    """Whether the file is an SQLite database; `check_header` tells whether it is a session."""
    try:
        _check_file(path)
        connect(path, "mode=ro&immutable=1").close()
    except StoreError:
        return False
    except sqlite3.Error as error:
        return _primary(error) != sqlite3.SQLITE_NOTADB
    return True


def _logged(path: Path) -> bool:
    """Whether a log lies beside the file; then a part of the session may be in the log only."""
    return _size(_beside(path, "-wal")) > 0


def _check_file(path: Path) -> None:
    """Raises an error unless there is a readable file. Nothing is opened, for the reason in `check_header`."""
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise SessionMissing(
            Message.of(Code.FILE_MISSING, file=str(path)), advice=Message.of(Code.DO_CHECK_NAME)
        ) from error
    except OSError as error:
        raise _cannot_be_read(path, str(error.strerror)) from error
    if not stat.S_ISREG(found.st_mode):
        raise SessionForeign(Message.of(Code.NOT_A_FILE, file=path.name), advice=Message.of(Code.DO_NAME_SESSION))
    if not os.access(path, os.R_OK):
        raise _cannot_be_read(path, os.strerror(errno.EACCES))
    if not found.st_size:
        raise SessionForeign(Message.of(Code.FILE_EMPTY, file=path.name), advice=Message.of(Code.DO_DELETE_EMPTY))
    if found.st_size < len(SQLITE_MAGIC):
        raise _not_a_session(path)


def _check_identity(identity: int, path: Path) -> None:
    if identity != schema.APPLICATION_ID:
        raise SessionForeign(
            Message.of(Code.FILE_OTHER_DATABASE, file=path.name), advice=Message.of(Code.DO_NAME_SESSION)
        )


def _not_a_session(path: Path) -> SessionForeign:
    return SessionForeign(Message.of(Code.FILE_NO_SESSION, file=path.name), advice=Message.of(Code.DO_IMPORT))


def _breaks_off(path: Path) -> SessionCorrupt:
    return SessionCorrupt(Message.of(Code.FILE_CUT_OFF, file=path.name, n=_size(path)), advice=SALVAGE_ADVICE)


def _cannot_be_read(path: Path, why: str) -> StoreError:
    return StoreError(Message.of(Code.FILE_UNREADABLE, file=path.name, why=why), advice=Message.of(Code.DO_ASK_OWNER))


def check_version(connection: sqlite3.Connection, path: Path) -> int:
    """The file's schema version; an error if it is newer than this software."""
    _check_identity(int(connection.execute("PRAGMA application_id").fetchone()[0]), path)
    version = schema.version_of(connection)
    if version > schema.newest_version():
        raise SessionNewer(
            Message.of(Code.FILE_SCHEMA_NEWER, file=path.name, version=version, known=schema.newest_version()),
            advice=Message.of(Code.DO_UPDATE_REOPEN),
        )
    if version < 1:
        raise SessionCorrupt(Message.of(Code.FILE_WITHOUT_TABLES, file=path.name), advice=SALVAGE_ADVICE)
    check_objects(connection, schema.objects(version), path)
    return version


def check_objects(connection: sqlite3.Connection, ours: frozenset[schema.Declared], path: Path) -> None:
    """Our tables must be declared as we declare them, and nothing may run or give other rows than are stored: no
    trigger, no foreign view or index, no virtual table. An additional plain table is allowed."""
    query = "SELECT type, name, tbl_name, sql, rootpage FROM sqlite_schema"
    found = connection.execute(query).fetchmany(MOST_OBJECTS)
    if lost := ours - {each[:4] for each in found}:
        names = ", ".join(sorted(str(each[1]) for each in lost))
        raise SessionCorrupt(Message.of(Code.FILE_WITHOUT_SOME, file=path.name, names=names), advice=SALVAGE_ADVICE)
    for kind, name, _, _, root in {each for each in found if each[:4] not in ours}:
        if kind != "table" or not isinstance(root, int) or root < 1:
            raise SessionCorrupt(
                Message.of(Code.FILE_ALTERED, file=path.name, kind=shown(kind), name=shown(name)),
                advice=SALVAGE_ADVICE,
            )
    if len(found) == MOST_OBJECTS:
        raise SessionCorrupt(Message.of(Code.FILE_TOO_MANY_TABLES, file=path.name), advice=SALVAGE_ADVICE)


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """A connection (`mode` as in SQLite's URIs) that raises SQLite's errors. One thread at a time may use it."""
    # Spelled out instead of Path.as_uri: SQLite refuses the host part that as_uri gives a Windows network path.
    quoted = quote(fsencode(path.absolute().as_posix()))
    uri = "file://" + ("" if quoted.startswith("/") else "/") + quoted + "?" + mode
    connection = bounded(path, uri, BUSY_TIMEOUT_S)
    try:
        # Views and triggers of a file of unknown origin must not call functions with side effects.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA foreign_keys = OFF")  # ids come from this package; checking each packet costs time
        schema.version_of(connection)  # the first read; it raises if the file is damaged
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A reader. Works beside a writer, and on a read-only medium."""
    check_header(path)
    with plainly(path, reading=True):
        try:
            return connect(path, "mode=ro")
        except sqlite3.OperationalError as error:
            if _code(error) == sqlite3.SQLITE_READONLY_ROLLBACK:
                connect(path, "mode=rw").close()  # the last writer died within a transaction: it is rolled back first
                return connect(path, "mode=ro")
            if _primary(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
        # The file is in WAL mode and SQLite cannot put the log's files beside it: a folder that may not be written.
        if _size(_beside(path, "-wal")):
            raise StoreUnwritable(
                Message.of(Code.FILE_INTERRUPTED, file=path.name),
                advice=Message.of(Code.DO_COPY_BOTH, file=f"{path.name}-wal"),
            )
        return connect(path, "mode=ro&immutable=1")


def connect_to_write(path: Path) -> sqlite3.Connection:
    """A writer: write-ahead log, and every commit is on the disk when it returns, even if the power fails."""
    check_header(path)
    with plainly(path):
        connection = connect(path, "mode=rw")
        try:
            check_version(connection, path)
            make_durable(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def make_durable(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")  # macOS: without it a flush stops at the drive's own cache
    connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    connection.execute(f"PRAGMA journal_size_limit = {WAL_KEEP_BYTES}")


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction: all of the block is stored, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):  # the first error is the one to report
                connection.execute("ROLLBACK")
        raise


def sweep(path: Path) -> None:
    """Make a closed session one plain file again, if no other connection is open; the last one to close succeeds."""
    with contextlib.suppress(sqlite3.Error):
        connection = connect(path, "mode=rw")
        try:
            connection.execute("PRAGMA busy_timeout = 100")
            connection.execute("PRAGMA journal_mode = DELETE")
        finally:
            connection.close()


def is_swept(connection: sqlite3.Connection) -> bool:
    """Whether the file is in rollback-journal mode; also True if that cannot be read, so that it is left alone."""
    try:
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0]) != "wal"
    except sqlite3.Error:
        return True


@contextlib.contextmanager
def plainly(path: Path, *, reading: bool = False) -> Iterator[None]:
    """Turns SQLite's errors inside the block into ours."""
    try:
        yield
    except sqlite3.Error as error:
        translated = _translated(error, path, reading)
        if translated is None:
            raise  # our own mistake: a wrong statement, a closed connection
        raise translated from error


OUR_MISTAKES = frozenset(
    {
        sqlite3.SQLITE_ERROR,
        sqlite3.SQLITE_MISUSE,
        sqlite3.SQLITE_RANGE,
        sqlite3.SQLITE_MISMATCH,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_TOOBIG,
    }
)


def _translated(error: sqlite3.Error, path: Path, reading: bool) -> StoreError | None:
    primary = _primary(error)
    # Without a code the error is Python's: a ProgrammingError is ours, an OperationalError is text that is not UTF-8.
    garbled = primary is None and isinstance(error, sqlite3.OperationalError)
    # A reader's statements are correct and its tables were checked, so the file is damaged.
    garbled = garbled or (reading and primary in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_TOOBIG))
    if not garbled and (primary is None or primary in OUR_MISTAKES):
        return None
    if garbled or primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_INTERRUPT):
        return SessionCorrupt(Message.of(Code.FILE_DAMAGED, file=path.name), advice=SALVAGE_ADVICE)
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return SessionBusy(Message.of(Code.FILE_LOCKED, file=path.name), advice=Message.of(Code.DO_CLOSE_OTHERS))
    if primary == sqlite3.SQLITE_FULL or (
        primary in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and not reading and _has_no_room(path)
    ):
        return StoreFull(
            Message.of(Code.DISK_FULL_GROW, file=path.name),
            advice=Message.of(Code.DO_MAKE_ROOM_SAFE),
        )
    if not path.exists():
        return SessionMissing(Message.of(Code.FILE_GONE, file=str(path)), advice=Message.of(Code.DO_PUT_BACK))
    if reading:
        return StoreError(
            Message.of(Code.FILE_READ_FAILED, file=path.name, why=str(error)),
            advice=Message.of(Code.DO_CHECK_DISK_READ),
        )
    return StoreUnwritable(
        Message.of(Code.FILE_WRITE_FAILED, file=path.name, why=str(error)),
        advice=Message.of(Code.DO_CHECK_DISK_WRITE),
    )


def refused_by_system(path: Path, error: OSError) -> StoreFull | StoreUnwritable:
    """The error for the operating system's refusal to make `path`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreFull(Message.of(Code.DISK_FULL_MAKE, file=path.name), advice=Message.of(Code.DO_MAKE_ROOM))
    return StoreUnwritable(
        Message.of(Code.FILE_UNWRITABLE, file=str(path), why=str(error.strerror)),
        advice=Message.of(Code.DO_WRITABLE_FOLDER),
    )


def _code(error: sqlite3.Error) -> int | None:
    return getattr(error, "sqlite_errorcode", None)


def _primary(error: sqlite3.Error) -> int | None:
    code = _code(error)
    return None if code is None else code & 0xFF


def _has_no_room(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < NO_ROOM_BYTES
    except OSError:
        return False


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0

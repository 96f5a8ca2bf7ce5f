"""Making session files, and bringing older ones up to date.

A session is about a patient: the file is readable by its owner only, and so is a folder made for it. (On Windows the
folder's own access rules decide; there the mode means nothing.)
"""

from __future__ import annotations

import os
import sqlite3
import uuid
from datetime import UTC, datetime
from pathlib import Path

from rehabcount import __version__
from rehabcount.domain.message import Code, Message
from rehabcount.errors import StoreUnwritable
from rehabcount.store import lock, schema
from rehabcount.store.connection import (
    check_version,
    connect,
    connect_to_write,
    make_durable,
    plainly,
    refused_by_system,
    transaction,
)


def make_private_file(path: Path) -> None:
    """A new empty file of mode 0600; its folder is made if there is none."""
    leftovers = [name for suffix in ("-wal", "-journal") if (name := path.with_name(path.name + suffix)).exists()]
    if leftovers:  # SQLite would apply them to the new file and write another session's rows into it
        raise StoreUnwritable(Message.of(Code.FILE_LEFT, file=leftovers[0].name), advice=Message.of(Code.DO_OTHER_NAME))
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError as error:
        raise StoreUnwritable(
            Message.of(Code.FILE_EXISTS, file=path.name), advice=Message.of(Code.DO_OTHER_NAME_KEPT)
        ) from error
    except OSError as error:
        raise refused_by_system(path, error) from error


def make_private_folder(folder: Path) -> None:
    """`folder` and missing folders above it, each of mode 0700. Existing folders keep their mode."""
    try:
        missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
        for parent in reversed(missing):
            parent.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:  # `exists` fails, too, in a folder that may not be entered
        raise refused_by_system(folder, error) from error


def build(path: Path, version: int | None = None) -> sqlite3.Connection:
    """Turns the empty file into a session without sensors, in one transaction; returns the writer's connection.

    `version` is that of the schema, the newest by default; an older one to copy rows of that version.
    """
    with plainly(path):
        connection = connect(path, "mode=rw")
        try:
            connection.execute(f"PRAGMA page_size = {schema.PAGE_SIZE}")
            with transaction(connection):
                connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
                while schema.version_of(connection) < (version or schema.newest_version()):
                    schema.migrate_one(connection)
                write_about(
                    connection, session=uuid.uuid4().hex, created_utc=utc_text(), software=__version__, state="open"
                )
            make_durable(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def upgrade(path: Path, *, locked: bool) -> None:
    """Brings an older file to the newest schema, one transaction a version. `locked`: the caller records into it."""
    connection = connect_to_write(path)
    try:
        with plainly(path):
            if check_version(connection, path) == schema.newest_version():
                return
            recording = None if locked else lock.RecordingLock(path)
            try:
                while check_version(connection, path) < schema.newest_version():
                    with transaction(connection):
                        schema.migrate_one(connection)
            finally:
                if recording is not None:
                    recording.release()
    finally:
        connection.close()


def write_about(connection: sqlite3.Connection, **entries: str) -> None:
    """Writes entries of `about`, inside the caller's transaction."""
    connection.executemany(
        "INSERT INTO about (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        entries.items(),
    )


def utc_text() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")

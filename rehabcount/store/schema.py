"""The tables of a session file, and how older files become newer ones.

`MIGRATIONS[v]` is the list of statements that takes a file from version v to v + 1; the first builds an empty file. A
migration is one transaction: it happens whole or not at all. `docs/session-file.md` explains every column, and a test
holds it to this module.

Three rules keep a damaged file salvageable (`rehabcount.store.pages` reads rows from pages without trusting the tree):
every table has a rowid; no row of one table could be mistaken for a row of another by the number and storage classes of
its columns (a test sees to it); a migration adds or rebuilds tables but never adds a column to rows that exist.
"""

from __future__ import annotations

import contextlib
import functools
import sqlite3

APPLICATION_ID = 0x52484331  # "RHC1": tells a session file from every other SQLite database
PAGE_SIZE = 4096  # SQLite's default, fixed here because salvage must know it even when the header is gone

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE about (
            key TEXT NOT NULL UNIQUE,
            value TEXT NOT NULL
        )""",
        """CREATE TABLE sensor (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            place TEXT,
            layout TEXT,
            rate_hz REAL,
            serial TEXT NOT NULL
        )""",
        """CREATE TABLE stretch (
            number INTEGER PRIMARY KEY,
            first_seq INTEGER NOT NULL,
            host_ns INTEGER NOT NULL,
            utc_ns INTEGER,
            shift_ns INTEGER NOT NULL,
            software TEXT NOT NULL
        )""",
        """CREATE TABLE packet (
            seq INTEGER PRIMARY KEY,
            received_ns INTEGER NOT NULL,
            sensor INTEGER NOT NULL REFERENCES sensor (id),
            payload BLOB,
            since_ns INTEGER,
            CHECK ((payload IS NULL) <> (since_ns IS NULL))
        )""",
        """CREATE TABLE document (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            at_utc_ns INTEGER NOT NULL,
            content TEXT NOT NULL
        )""",
        """CREATE TABLE counting (
            number INTEGER PRIMARY KEY,
            begun_utc_ns INTEGER NOT NULL,
            model TEXT NOT NULL,
            software TEXT NOT NULL
        )""",
        """CREATE TABLE session_update (
            number INTEGER PRIMARY KEY,
            counting INTEGER REFERENCES counting (number),
            at_s REAL,
            kind TEXT NOT NULL,
            content TEXT NOT NULL
        )""",
        """CREATE TABLE correction (
            number INTEGER PRIMARY KEY,
            counting INTEGER NOT NULL REFERENCES counting (number),
            event INTEGER,
            at_utc_ns INTEGER NOT NULL,
            who TEXT NOT NULL,
            action TEXT NOT NULL,
            segment TEXT,
            note TEXT NOT NULL
        )""",
        """CREATE TABLE segment (
            number INTEGER PRIMARY KEY,
            layer TEXT NOT NULL,
            side TEXT NOT NULL,
            label TEXT NOT NULL,
            start_s REAL NOT NULL,
            end_s REAL NOT NULL
        )""",
        # For users of an SQLite browser: settled events as columns instead of JSON.
        """CREATE VIEW event AS SELECT
            counting,
            json_extract(content, '$.number') AS number,
            json_extract(content, '$.segment.label') AS label,
            json_extract(content, '$.segment.side') AS side,
            json_extract(content, '$.segment.start_s') AS start_s,
            json_extract(content, '$.segment.end_s') AS end_s,
            json_extract(content, '$.confidence') AS confidence
        FROM session_update WHERE kind = 'Event'""",
    ),
)


def newest_version() -> int:
    """The schema version that this software writes."""
    return len(MIGRATIONS)


Declared = tuple[str, str, str, str | None]  # type, name, table and declaration


def declared(connection: sqlite3.Connection) -> frozenset[Declared]:
    return frozenset(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall())


@functools.cache
def objects(version: int) -> frozenset[Declared]:
    """All declarations in a file of this version."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
        for _ in range(version):
            migrate_one(empty)
        return declared(empty)


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate_one(connection: sqlite3.Connection) -> None:
    """One version up. The caller holds the transaction in which it happens."""
    version = version_of(connection)
    for statement in MIGRATIONS[version]:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {version + 1}")

"""Reads rows of files of unknown origin: all values from SQLite are checked before they are used.

SQLite keeps any value in any column, also of a type that the table does not declare, and can follow a damaged tree for
ever. `read` reads rows: a cell of another type than its column's is a ValueError. `bounded` makes a connection that
stops at cells too large for a session, and at queries that take too long for a file of this size.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

LARGEST_CELL = 16 << 20  # bytes; the largest payload, of an import, has six million
MOST_ROWS = 100_000  # read at once, of segments, corrections or countings; packets and updates come in chunks
STEPS_AT_A_TIME = 1_000_000  # of SQLite's virtual machine, between two checks of their number: 10 ms
LEAST_STEPS = 50_000_000  # half a second
STEPS_A_BYTE = 20  # a row has at least ten bytes; the check of integrity, the longest query, takes forty steps for each

INTEGER: tuple[type, ...] = (int,)
REAL: tuple[type, ...] = (float, int)
TEXT: tuple[type, ...] = (str,)
BLOB: tuple[type, ...] = (bytes,)


def maybe(kind: tuple[type, ...]) -> tuple[type, ...]:
    """The kind, or nothing."""
    return (*kind, type(None))


def read(
    connection: sqlite3.Connection,
    query: str,
    parameters: Sequence[object],
    *kinds: tuple[type, ...],
    most: int = MOST_ROWS,
) -> list[tuple[Any, ...]]:
    """The rows of a query whose columns are of these kinds. More than `most`, or a cell of another kind: ValueError."""
    found = connection.execute(query, parameters).fetchmany(most + 1)
    if len(found) > most:
        raise ValueError(f"more than {most} rows where a session has a few")
    check(found, kinds)
    return found


def check(rows: Sequence[tuple[Any, ...]], kinds: Sequence[tuple[type, ...]]) -> None:
    """ValueError unless every cell is of its column's kind."""
    if not rows:
        return
    for column, kind in zip(zip(*rows, strict=True), kinds, strict=True):
        if odd := set(map(type, column)) - set(kind):
            raise ValueError(f"{odd.pop().__name__} where {kind[0].__name__} belongs")


class _Bounded(sqlite3.Connection):
    """A connection in which every statement has its own limit of steps."""

    on_begin: Callable[[], None] = staticmethod(lambda: None)

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        self.on_begin()
        try:
            return super().execute(*arguments)
        except UnicodeDecodeError as error:  # SQLite's error quotes damaged text of the file
            complaint = sqlite3.DatabaseError("its words are no text")
            complaint.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise complaint from error


def bounded(path: Path, uri: str, timeout_s: float) -> sqlite3.Connection:
    """A connection to the database at `path`. Beyond the limits it raises SQLITE_TOOBIG or SQLITE_INTERRUPT."""
    connection = sqlite3.connect(
        uri,
        uri=True,
        timeout=timeout_s,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=32,
        factory=_Bounded,
    )
    steps = [0]

    def on_begin() -> None:
        steps[0] = 0

    def too_many() -> bool:
        steps[0] += STEPS_AT_A_TIME
        return steps[0] > LEAST_STEPS and steps[0] > LEAST_STEPS + STEPS_A_BYTE * _size(path)

    connection.on_begin = on_begin
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_CELL)
    connection.set_progress_handler(too_many, STEPS_AT_A_TIME)
    return connection


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0

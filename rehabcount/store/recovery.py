"""Interrupted and damaged sessions: closing, salvaging.

An interrupted session is complete up to its last commit; SQLite ensures that when it is opened. It only has to be
closed. A damaged file is one that lost pages (a broken disk, a copy that was cut off): every row
that can still be read is copied into a new file, and the damaged one is left as it is.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rehabcount.domain.document import LONGEST_S
from rehabcount.domain.message import Code, Message
from rehabcount.domain.rig import MOST_SENSORS, Place, Rig, Sensor
from rehabcount.errors import SessionBusy, SessionCorrupt, SessionForeign, SessionNewer, StoreError
from rehabcount.store import schema
from rehabcount.store.connection import (
    HEADER_BYTES,
    SALVAGE_ADVICE,
    SQLITE_MAGIC,
    check_header,
    plainly,
    transaction,
)
from rehabcount.store.contents import Contents, State
from rehabcount.store.creation import build, make_private_file, make_private_folder, upgrade, utc_text, write_about
from rehabcount.store.documents import RIG, SALVAGE
from rehabcount.store.lock import RecordingLock, is_held
from rehabcount.store.losses import Losses, losses
from rehabcount.store.notes import drop_illegible_documents, has_document, read_newest_document, write_document
from rehabcount.store.pages import Pages, Shape, Value
from rehabcount.store.session_file import SessionFile

LIST_OF_TABLES = "sqlite_schema"  # SQLite's own table; its rows are recognised and left out
MOST_ROWS = 10**11  # of one table: a month of nine sensors has 2,400 million
ROWS_A_TRANSACTION = 20_000  # of a salvage: few flushes to disk, little memory

_CLASSES: dict[str, set[type]] = {"INTEGER": {int}, "INT": {int}, "REAL": {int, float}, "TEXT": {str}, "BLOB": {bytes}}


@dataclass(frozen=True, slots=True)
class Salvage:
    """The rows that were salvaged from a damaged file, and those that were not."""

    contents: Contents
    losses: Losses


def close_interrupted(path: Path) -> tuple[State, Contents]:
    """Closes an interrupted session; returns its previous state and its contents. A closed one is only read."""
    with SessionFile.open(path) as file:
        found = file.state()
        _refuse_damage(file)
        if found is State.CLOSED:
            return found, file.contents()
    with SessionFile.record(path) as file:
        file.close_session(by="recovery")
        return found, file.contents()


def _refuse_damage(file: SessionFile) -> None:
    damage = file.damage()
    if damage:
        raise SessionCorrupt(
            Message.of(Code.FILE_DAMAGED_HOW, file=file.path.name, what=damage[0]), advice=SALVAGE_ADVICE
        )


def salvage(damaged: Path, new: Path, on_page: Callable[[int, int], None] | None = None) -> Salvage:
    """Copies every readable row of `damaged` into the session file `new`, which must not exist, and closes that.

    `on_page(done, of)` is told about progress.
    """
    damaged, new = damaged.resolve(), new.resolve()
    if is_held(damaged):  # checked first: reading the file without SQLite drops SQLite's locks
        raise SessionBusy(Message.of(Code.FILE_RECORDING, file=damaged.name), advice=Message.of(Code.DO_END_RECORDING))
    version = _version_of(damaged)
    make_private_folder(new.parent)
    recording = RecordingLock(new)
    try:
        make_private_file(new)
        try:
            connection = build(new, version)
            try:
                unreadable = _copy_rows(damaged, new, connection, on_page)
                with plainly(new), transaction(connection):
                    unreadable += _drop_impossible(connection) + drop_illegible_documents(connection)
                    lost = _losses(damaged, connection, unreadable)
                    if lost.words():
                        write_document(connection, SALVAGE.name, lost)
                    _name_unlisted_sensors(connection)
                    _restore_rig(connection)
                    write_about(connection, state="closed", closed_utc=utc_text(), closed_by="recovery")
                    write_about(connection, salvaged_from=damaged.name)
            finally:
                connection.close()
            upgrade(new, locked=True)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
    finally:
        recording.release()
    with SessionFile.open(new) as file:
        return Salvage(file.contents(), lost)


def _losses(damaged: Path, connection: sqlite3.Connection, unreadable: int) -> Losses:
    """What the new file lacks, including the losses noted in a damaged file that was salvaged before."""
    query = "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table'"
    roots: dict[str, int] = dict(connection.execute(query).fetchall())  # `build` always makes them in the same order
    before = read_newest_document(connection, SALVAGE)
    pages = Pages(damaged)
    try:
        return losses(pages, roots, connection, damaged.name, unreadable, before)
    finally:
        pages.close()


def _version_of(damaged: Path) -> int:
    """The schema version of the file. One with another program's header is refused; one without any may be ours."""
    try:
        check_header(damaged)
    except (SessionForeign, SessionCorrupt) as complaint:
        if not damaged.is_file():
            raise
        with damaged.open("rb") as file:
            head = file.read(HEADER_BYTES)
        stranger = head.startswith(SQLITE_MAGIC) and head[68:72] != schema.APPLICATION_ID.to_bytes(4, "big")
        if isinstance(complaint, SessionForeign) and (not head or stranger):
            raise
        return schema.newest_version()
    with damaged.open("rb") as file:
        version = int.from_bytes(file.read(64)[60:64], "big")
    if version > schema.newest_version():
        raise SessionNewer(Message.of(Code.FILE_NEWER, file=damaged.name), advice=Message.of(Code.DO_UPDATE_FIRST))
    return version or schema.newest_version()


def _copy_rows(
    damaged: Path, new: Path, connection: sqlite3.Connection, on_page: Callable[[int, int], None] | None
) -> int:
    """Fills the new file; returns how many rows were found but could not be read."""
    shapes = shapes_of(connection)
    try:
        pages = Pages(damaged)
    except OSError as error:
        raise StoreError(Message.of(Code.FILE_UNREADABLE, file=damaged.name, why=str(error.strerror))) from error
    waiting: defaultdict[Shape, list[tuple[Value, ...]]] = defaultdict(list)
    unreadable = found = 0
    try:
        for number in range(1, pages.number + 1):
            for cell in pages.rows(number, shapes):
                if cell is None:
                    unreadable += 1
                elif cell[0].table != LIST_OF_TABLES:
                    waiting[cell[0]].append(cell[1])
                    found += 1
            if sum(map(len, waiting.values())) >= ROWS_A_TRANSACTION or number == pages.number:
                _write_rows(new, connection, waiting)
                waiting.clear()
            if on_page is not None:
                on_page(number, pages.number)
    finally:
        pages.close()
    if not found:
        raise SessionForeign(
            Message.of(Code.NOTHING_TO_SALVAGE, file=damaged.name), advice=Message.of(Code.DO_LOOK_FOR_BACKUP)
        )
    return unreadable


def _write_rows(new: Path, connection: sqlite3.Connection, waiting: dict[Shape, list[tuple[Value, ...]]]) -> None:
    with plainly(new), transaction(connection):
        for shape, rows in waiting.items():
            # Entries of `about` that `build` wrote are replaced; other rows collide only in a damaged file.
            verb = "REPLACE" if shape.table == "about" else "IGNORE"
            marks = ", ".join("?" * len(shape.columns))
            connection.executemany(
                f"INSERT OR {verb} INTO {shape.table} ({', '.join(shape.columns)}) VALUES ({marks})", rows
            )


def _drop_impossible(connection: sqlite3.Connection) -> int:
    """Drops rows whose number is too high for any session, or whose time is further from most others than a session
    lasts: SQLite does not detect such damage, and the file could not be read with it. Returns their number."""
    middle = "SELECT received_ns FROM packet ORDER BY received_ns LIMIT 1 OFFSET (SELECT count(*) / 2 FROM packet)"
    far = f"abs(1.0 * {{}} - ({middle})) > {LONGEST_S * 1e9 / 2}"
    query = f"DELETE FROM packet WHERE {far.format('received_ns')} OR {far.format('since_ns')} OR seq > {MOST_ROWS}"
    return connection.execute(query).rowcount


def _name_unlisted_sensors(connection: sqlite3.Connection) -> None:
    connection.execute(
        "INSERT INTO sensor (id, name, serial) SELECT DISTINCT sensor, 'sensor ' || sensor, '' FROM packet "
        "WHERE sensor NOT IN (SELECT id FROM sensor)"
    )


def _restore_rig(connection: sqlite3.Connection) -> None:
    """Without its document, the rig is rebuilt from the sensor table; its name is lost, and so is a place that is not
    known or that two sensors claim."""
    if has_document(connection, RIG):
        return
    rows = connection.execute(
        "SELECT name, place, layout, rate_hz, serial FROM sensor WHERE layout IS NOT NULL AND rate_hz > 0 ORDER BY id"
    ).fetchall()
    claimed = Counter(place for _, place, *_ in rows)
    sensors = (
        Sensor(name, Place(place) if place in set(Place) and claimed[place] == 1 else None, *others)
        for name, place, *others in rows[:MOST_SENSORS]  # no session has more: the others are damage
    )
    write_document(connection, RIG.name, Rig("salvaged", tuple(sensors)))


def shapes_of(connection: sqlite3.Connection) -> list[Shape]:
    """The form of each table's rows on disk, from its declaration."""
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    shapes = []
    for (table,) in [*tables, (LIST_OF_TABLES,)]:
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        classes = []
        for _, _, declared, not_null, _, key in columns:
            alias = bool(key)
            allowed = set() if alias else set(_CLASSES[declared])
            classes.append(frozenset(allowed | (set() if not_null and not alias else {type(None)})))
        rowid_column = next((i for i, column in enumerate(columns) if column[5]), None)
        real_columns = tuple(i for i, column in enumerate(columns) if column[2] == "REAL")
        names = tuple(column[1] for column in columns)
        shapes.append(Shape(table, names, tuple(classes), rowid_column, real_columns))
    return shapes

"""The contents of a session file beside its packets: documents, countings with their updates, corrections, segments.

Rows are never changed or removed. The newest document of a name is valid; a recount is a new counting; a correction is
kept beside its event. Content is JSON as `rehabcount.domain.document` writes it. Functions that write are called within
a transaction.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, TypeVar

from rehabcount import __version__
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.document import from_document, read_json, to_document
from rehabcount.domain.dose import Dose
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import UPDATE_KINDS, Adjusted, Calibrated, Draft, Event, Gap, Late, Lost, Repeated, Update
from rehabcount.store.cells import INTEGER, REAL, TEXT, maybe, read
from rehabcount.store.documents import KINDS, DocumentKind
from rehabcount.store.layers import Layer

T = TypeVar("T")

MOST_VERSIONS = 10_000  # of one document, all held at once

_KINDS: dict[str, type[Update]] = {kind.__name__: kind for kind in UPDATE_KINDS}


@dataclass(frozen=True, slots=True)
class Counting:
    """One pass of one model over the session. `model` is the hash of its artifact."""

    number: int
    begun_utc_ns: int
    model: str
    software: str


@dataclass(frozen=True, slots=True)
class DatedDocument(Generic[T]):
    """A version of a document, with its time."""

    at_utc_ns: int
    content: T


def to_json(value: object) -> str:
    """JSON that every reader accepts: a number that is not finite is a ValueError."""
    return json.dumps(to_document(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def write_document(connection: sqlite3.Connection, name: str, content: object) -> None:
    connection.execute(
        "INSERT INTO document (name, at_utc_ns, content) VALUES (?, ?, ?)", (name, time.time_ns(), to_json(content))
    )


def read_documents(connection: sqlite3.Connection, kind: DocumentKind[T]) -> tuple[DatedDocument[T], ...]:
    """All versions of the document that can be read, oldest first."""
    query = "SELECT at_utc_ns, content FROM document WHERE name = ? ORDER BY number"
    found = []
    for at_utc_ns, content in read(connection, query, (kind.name,), INTEGER, TEXT, most=MOST_VERSIONS):
        with contextlib.suppress(ValueError):  # one that is illegible keeps no other from being read
            found.append(DatedDocument(at_utc_ns, kind.read(read_json(content))))
    return tuple(found)


def has_document(connection: sqlite3.Connection, kind: DocumentKind[Any]) -> bool:
    """Whether there is any version of the document, legible or not."""
    return connection.execute("SELECT number FROM document WHERE name = ? LIMIT 1", (kind.name,)).fetchone() is not None


def drop_illegible_documents(connection: sqlite3.Connection) -> int:
    """Removes versions that cannot be read, from a file that is being salvaged. Returns how many."""
    dropped = 0
    for kind in KINDS:
        query = "SELECT number, content FROM document WHERE name = ?"
        for number, content in connection.execute(query, (kind.name,)).fetchall():
            try:
                kind.read(read_json(content))
            except ValueError:
                dropped += connection.execute("DELETE FROM document WHERE number = ?", (number,)).rowcount
    return dropped


def read_newest_document(connection: sqlite3.Connection, kind: DocumentKind[T]) -> T | None:
    """The newest version; None if there is none."""
    query = "SELECT content FROM document WHERE name = ? ORDER BY number DESC LIMIT 1"
    rows = read(connection, query, (kind.name,), TEXT)
    return kind.read(read_json(rows[0][0])) if rows else None


def write_counting(connection: sqlite3.Connection, model: str) -> Counting:
    begun_utc_ns = time.time_ns()
    cursor = connection.execute(
        "INSERT INTO counting (begun_utc_ns, model, software) VALUES (?, ?, ?)", (begun_utc_ns, model, __version__)
    )
    return Counting(int(cursor.lastrowid or 0), begun_utc_ns, model, __version__)


def read_countings(connection: sqlite3.Connection) -> tuple[Counting, ...]:
    query = "SELECT number, begun_utc_ns, model, software FROM counting ORDER BY number"
    return tuple(Counting(*row) for row in read(connection, query, (), INTEGER, INTEGER, TEXT, TEXT))


def time_of(update: Update) -> float | None:
    """The session time of an update; for a span, its end. None if it has none."""
    match update:
        case Event():
            return update.segment.end_s
        case Draft():
            return max((token.end_s for token in update.tokens), default=None)
        case Gap() | Repeated():
            return update.end_s
        case Lost():
            return update.since_s
        case Dose() | Late():
            return None
        case _:
            return update.at_s


def write_updates(connection: sqlite3.Connection, counting: int | None, updates: Iterable[Update]) -> None:
    connection.executemany(
        "INSERT INTO session_update (counting, at_s, kind, content) VALUES (?, ?, ?, ?)",
        ((counting, time_of(update), type(update).__name__, to_json(update)) for update in updates),
    )


def read_updates(
    connection: sqlite3.Connection, counting: int | None, after_number: int, limit: int, kinds: Sequence[str] = ()
) -> list[tuple[int, Update]]:
    """The next updates; of these kinds only, if any are named."""
    among = f"AND kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
    query = (
        "SELECT number, kind, content FROM session_update "
        f"WHERE counting IS ? AND number > ? {among} ORDER BY number LIMIT ?"
    )
    rows = read(connection, query, (counting, after_number, *kinds, limit), INTEGER, TEXT, TEXT)
    if any(later <= earlier for (earlier, *_), (later, *_) in pairwise([(after_number,), *rows])):
        raise ValueError("updates whose numbers do not rise")
    return [(number, _read_update(kind, content)) for number, kind, content in rows]


def read_newest(connection: sqlite3.Connection, kind: str) -> Update | None:
    """The last update of a kind, of any counting."""
    query = "SELECT kind, content FROM session_update WHERE kind = ? ORDER BY number DESC LIMIT 1"
    rows = read(connection, query, (kind,), TEXT, TEXT)
    return _read_update(*rows[0]) if rows else None


def read_adjusted(connection: sqlite3.Connection) -> list[Adjusted]:
    """Task repetitions that therapists added or removed, of all countings."""
    query = "SELECT content FROM session_update WHERE kind = 'Adjusted' ORDER BY number"
    return [from_document(Adjusted, read_json(content)) for (content,) in read(connection, query, (), TEXT)]


def _read_update(kind: str, content: str) -> Update:
    if kind not in _KINDS:
        raise ValueError(f"no update is called {kind!r}")
    return from_document(_KINDS[kind], read_json(content), kind)


def read_last_calibration(connection: sqlite3.Connection) -> Calibration | None:
    """The newest calibration that a counting used."""
    query = "SELECT content FROM session_update WHERE kind = 'Calibrated' ORDER BY number DESC"
    for (content,) in read(connection, query, (), TEXT):
        found = from_document(Calibrated, read_json(content))
        if found.used:
            return found.calibration
    return None


def write_correction(connection: sqlite3.Connection, counting: int, correction: Correction) -> None:
    segment = None if correction.segment is None else to_json(correction.segment)
    connection.execute(
        "INSERT INTO correction (counting, event, at_utc_ns, who, action, segment, note) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            counting,
            correction.event,
            correction.at_utc_ns,
            correction.who,
            correction.action.value,
            segment,
            correction.note,
        ),
    )


def read_corrections(connection: sqlite3.Connection, counting: int) -> tuple[Correction, ...]:
    query = "SELECT action, who, at_utc_ns, event, segment, note FROM correction WHERE counting = ? ORDER BY number"
    rows = read(connection, query, (counting,), TEXT, TEXT, INTEGER, maybe(INTEGER), maybe(TEXT), TEXT)
    return tuple(
        Correction(
            Action(action),
            who,
            at_utc_ns,
            event,
            None if segment is None else from_document(Segment, read_json(segment)),
            note,
        )
        for action, who, at_utc_ns, event, segment, note in rows
    )


def write_segments(connection: sqlite3.Connection, layer: Layer, segments: Iterable[Segment]) -> None:
    connection.executemany(
        "INSERT INTO segment (layer, side, label, start_s, end_s) VALUES (?, ?, ?, ?, ?)",
        ((layer, segment.side.value, segment.label, segment.start_s, segment.end_s) for segment in segments),
    )


def read_segments(connection: sqlite3.Connection, layer: Layer) -> tuple[Segment, ...]:
    query = "SELECT label, side, start_s, end_s FROM segment WHERE layer = ? ORDER BY number"
    rows = read(connection, query, (layer,), TEXT, TEXT, REAL, REAL)
    documents = (dict(zip(("label", "side", "start_s", "end_s"), row, strict=True)) for row in rows)
    return tuple(from_document(Segment, each, "segment") for each in documents)


def read_layers(connection: sqlite3.Connection) -> tuple[Layer, ...]:
    query = "SELECT layer FROM segment GROUP BY layer ORDER BY min(number)"
    return tuple(Layer(layer) for (layer,) in read(connection, query, (), TEXT))

"""The packet stream of a session file: sensors, stretches of recording, packets, silences and entries.

Entries of therapist and radio are rows among the packets, as JSON of a sensor called `session`, so that all have one
order. Functions that write are called within a transaction.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import index, lt
from typing import Any

from rehabcount import __version__
from rehabcount.domain.document import LONGEST_S, from_document, read_json, to_document
from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Rig
from rehabcount.domain.update import SAID_KINDS, Recorded, Said
from rehabcount.store.cells import BLOB, INTEGER, TEXT, check, maybe, read

MOST_SENSORS = 1000  # listed in one file, those of earlier rigs included
CHUNK_BYTES = 8 << 20  # of payloads read at a time; imported ones are long
CHUNK_ROWS = 4096  # rows read at a time: a reader holds no snapshot between chunks, so the log can be folded in
BLANK_NS = 1_000_000_000  # between two packets; smaller gaps are not counted
MOST_BLANK_NS = 60 * 10**9  # of one gap: for so long the walk makes frames
LEAST_BYTES_A_SECOND = 20  # a sample; what is imported has many samples in a packet
SPARSE_NS = 300 * 10**9
SPARSE_RATIO = 50
# A continued session keeps the true gap up to this. A longer one means that a clock was set in between, and the walk
# would make a useless frame for every 10 ms of it.
LONGEST_GAP_NS = 24 * 3600 * 10**9

SESSION = "session"  # the sensor name of entries; no real sensor has it
_SAID = {kind.__name__: kind for kind in SAID_KINDS}

PacketRow = tuple[int, str, bytes | None, int | None]  # received_ns, sensor's name, payload, since_ns


@dataclass(frozen=True, slots=True)
class Origin:
    """One instant on two clocks: the host clock of `received_ns`, and UTC (None: unknown)."""

    host_ns: int
    utc_ns: int | None

    @classmethod
    def now(cls) -> Origin:
        return cls(time.monotonic_ns(), time.time_ns())


@dataclass(frozen=True, slots=True)
class Stretch:
    """One uninterrupted recording; a continued session has several.

    Row times of the file are `received_ns = host clock + shift_ns`: all stretches have the timeline of the first one,
    although the host clock starts again with every boot. The UTC time of a row is
    `utc_ns + (received_ns - shift_ns - host_ns)`; `utc_ns` is None if it is unknown.
    """

    number: int
    first_seq: int
    host_ns: int
    utc_ns: int | None
    shift_ns: int
    software: str


def row_of(item: Recorded, shift_ns: int = 0) -> PacketRow:
    """The columns of an item. ValueError or TypeError if SQLite could not store it."""
    if isinstance(item, Said):
        content = {"kind": type(item.what).__name__, "content": to_document(item.what)}
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return _fitting(item.received_ns, shift_ns), SESSION, text.encode(), None
    if item.sensor == SESSION:
        raise ValueError(f"no sensor may be called {SESSION!r}")
    item.sensor.encode()  # a lone surrogate has no place in a file
    received_ns = _fitting(item.received_ns, shift_ns)
    if isinstance(item, Silence):
        return received_ns, item.sensor, None, _fitting(item.since_ns, shift_ns)
    return received_ns, item.sensor, bytes(memoryview(item.payload)), None


def _fitting(time_ns: int, shift_ns: int) -> int:
    shifted = index(time_ns) + shift_ns
    if not -(2**63) <= shifted < 2**63:
        raise ValueError(f"time must fit into 64 bits, not {time_ns} ns")
    return shifted


def last_seq(connection: sqlite3.Connection) -> int:
    """The seq of the newest row; 0 if there is none."""
    return int(read(connection, "SELECT coalesce(max(seq), 0) FROM packet", (), INTEGER)[0][0])


def insert(connection: sqlite3.Connection, rows: Sequence[PacketRow], ids: dict[str, int]) -> None:
    """Adds rows in order. `ids` maps sensor names to ids and learns the new ones."""
    for name in {row[1] for row in rows} - ids.keys():
        # A sensor without an entry: its packets are kept, too, and its type can be added later.
        cursor = connection.execute("INSERT INTO sensor (name, serial) VALUES (?, '')", (name,))
        ids[name] = int(cursor.lastrowid or 0)
    connection.executemany(
        "INSERT INTO packet (received_ns, sensor, payload, since_ns) VALUES (?, ?, ?, ?)",
        ((received_ns, ids[name], payload, since_ns) for received_ns, name, payload, since_ns in rows),
    )


def sensor_ids(connection: sqlite3.Connection) -> dict[str, int]:
    return dict(read(connection, "SELECT name, id FROM sensor ORDER BY id", (), TEXT, INTEGER, most=MOST_SENSORS))


def write_sensors(connection: sqlite3.Connection, rig: Rig) -> None:
    """Updates the sensor table to the rig. Sensors of an earlier rig stay, because their packets stay."""
    connection.executemany(
        "INSERT INTO sensor (name, place, layout, rate_hz, serial) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE "
        "SET place = excluded.place, layout = excluded.layout, rate_hz = excluded.rate_hz, serial = excluded.serial",
        (
            (sensor.name, sensor.place and sensor.place.value, sensor.layout, sensor.rate_hz, sensor.serial)
            for sensor in rig.sensors
        ),
    )


def read_chunk(connection: sqlite3.Connection, after_seq: int) -> list[tuple[int, int, int, bytes | None, int]]:
    """The next rows: seq, received_ns, sensor id, payload, since_ns. ValueError if they cannot be a session's."""
    cursor = connection.execute(
        "SELECT seq, received_ns, sensor, payload, since_ns FROM packet WHERE seq > ? ORDER BY seq LIMIT ?",
        (after_seq, CHUNK_ROWS),
    )
    rows: list[tuple[int, int, int, bytes | None, int]] = []
    size = 0
    for row in cursor:
        rows.append(row)
        size += len(row[3] or b"") if isinstance(row[3], bytes) else 0
        if size > CHUNK_BYTES:
            cursor.close()
            break
    if not rows:
        return rows
    check(rows, (INTEGER, INTEGER, INTEGER, maybe(BLOB), maybe(INTEGER)))
    if not all(map(lt, [after_seq, *(row[0] for row in rows)], [row[0] for row in rows])):
        raise ValueError("packets whose numbers do not rise")
    if any((payload is None) is (since_ns is None) for _, _, _, payload, since_ns in rows):
        raise ValueError("a packet that is also a silence, or neither")
    first_ns = first_received_ns(connection)
    times = [row[1] for row in rows] + [row[4] for row in rows if row[4] is not None]
    check_span(min(times), first_ns)
    check_span(max(times), first_ns)
    return rows


def first_received_ns(connection: sqlite3.Connection) -> int:
    """When the first row came; 0 if there is none."""
    query = "SELECT received_ns FROM packet ORDER BY seq LIMIT 1"
    return next((time for (time,) in read(connection, query, (), INTEGER)), 0)


def check_span(received_ns: int, first_ns: int) -> None:
    """ValueError if the time is too long for one session, because the walk would make frames for all of it."""
    if abs(received_ns - first_ns) > LONGEST_S * 1e9:
        days = (received_ns - first_ns) / 86_400e9
        raise ValueError(f"a packet {days:.0f} days from the first one")


class Sparseness:
    """Detects damaged times with long gaps between packets: the walk makes frames for every gap, up to a limit, so that
    a small file would take hours.

    In a real recording the gaps are never fifty times as long as the time with packets.
    """

    def __init__(self) -> None:
        self._heard_ns, self._blank_ns, self._last_ns = 0, 0, 0

    def note(self, found: Iterable[tuple[int, Recorded]]) -> None:
        """Add the next items; ValueError if the packets so far are too sparse."""
        for _, item in found:
            if not isinstance(item, Packet):
                continue
            gap_ns = item.received_ns - self._last_ns if self._last_ns else 0
            self._last_ns = item.received_ns
            if gap_ns > BLANK_NS and len(item.payload) * 1e9 < LEAST_BYTES_A_SECOND * gap_ns:
                self._blank_ns += min(gap_ns, MOST_BLANK_NS)
            else:
                self._heard_ns += max(gap_ns, 0)
        if self._blank_ns > SPARSE_NS and self._blank_ns > SPARSE_RATIO * self._heard_ns:
            raise ValueError("packets so far apart that their times must be damaged")


def items_of(
    rows: list[tuple[int, int, int, bytes | None, int]], names: dict[int, str]
) -> Iterator[tuple[int, Recorded]]:
    """The rows as items; ValueError if a sensor is not listed or an entry cannot be read."""
    if unlisted := {row[2] for row in rows} - names.keys():
        raise ValueError(f"a packet of sensor {unlisted.pop()}, which is not listed")
    for seq, received_ns, identity, payload, since_ns in rows:
        if payload is None:
            yield seq, Silence(names[identity], since_ns, received_ns)
        elif names[identity] == SESSION:
            yield seq, Said(_said(payload), received_ns)
        else:
            yield seq, Packet(names[identity], payload, received_ns)


def _said(payload: bytes) -> Any:
    document = read_json(payload)
    kind = document.get("kind") if isinstance(document, dict) else None
    if not isinstance(kind, str) or kind not in _SAID:
        raise ValueError(f"an unknown entry: {payload[:80]!r}")
    return from_document(_SAID[kind], document.get("content"), kind)


def seq_before(connection: sqlite3.Connection, received_ns: int) -> int:
    """The seq after which to read to begin at `received_ns`, by bisection: rows are almost in order of time."""
    low, high = 0, last_seq(connection)
    while low < high:  # rows up to `low` are earlier; rows after `high` are not
        middle = (low + high + 1) // 2
        query = "SELECT received_ns FROM packet WHERE seq <= ? ORDER BY seq DESC LIMIT 1"
        found = read(connection, query, (middle,), INTEGER)
        if not found or found[0][0] < received_ns:
            low = middle
        else:
            high = middle - 1
    return low


def read_stretches(connection: sqlite3.Connection) -> tuple[Stretch, ...]:
    query = "SELECT number, first_seq, host_ns, utc_ns, shift_ns, software FROM stretch ORDER BY number"
    kinds = (INTEGER, INTEGER, INTEGER, maybe(INTEGER), INTEGER, TEXT)
    return tuple(Stretch(*row) for row in read(connection, query, (), *kinds))


def begin_stretch(connection: sqlite3.Connection, origin: Origin, ids: dict[str, int]) -> Stretch:
    """Adds a stretch of recording. After an interruption every sensor is also silent since the last row."""
    earlier = read_stretches(connection)
    query = "SELECT seq, received_ns FROM packet ORDER BY seq DESC LIMIT 1"
    seq, last_ns = next(iter(read(connection, query, (), INTEGER, INTEGER)), (0, None))
    shift_ns = 0 if last_ns is None else _shift_onto(earlier[-1] if earlier else None, last_ns, origin)
    stretch = Stretch(len(earlier) + 1, seq + 1, origin.host_ns, origin.utc_ns, shift_ns, __version__)
    connection.execute(
        "INSERT INTO stretch (number, first_seq, host_ns, utc_ns, shift_ns, software) VALUES (?, ?, ?, ?, ?, ?)",
        (stretch.number, stretch.first_seq, stretch.host_ns, stretch.utc_ns, stretch.shift_ns, stretch.software),
    )
    if last_ns is not None:
        silent = [(origin.host_ns + shift_ns, name, None, last_ns) for name in ids if name != SESSION]
        insert(connection, silent, ids)
    return stretch


def _shift_onto(earlier: Stretch | None, last_ns: int, origin: Origin) -> int:
    """The shift of the host's clock that continues the file's timeline, with the true gap by UTC."""
    earliest = last_ns + 1 - origin.host_ns
    if earlier is None or earlier.utc_ns is None or origin.utc_ns is None:
        return earliest
    resumed_ns = earlier.host_ns + earlier.shift_ns + origin.utc_ns - earlier.utc_ns
    return min(max(resumed_ns - origin.host_ns, earliest), earliest + LONGEST_GAP_NS)

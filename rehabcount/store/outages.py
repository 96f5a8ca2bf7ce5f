"""When none of the sensors sent anything, straight from the packets: also where nobody ever counted the session.

Rows come in order of time, or nearly. So every so many-th one is looked at, and those between two of them only where
too much time passed: an hour of nine sensors takes a tenth of a second.
"""

from __future__ import annotations

import sqlite3
from itertools import pairwise

from rehabcount.store.cells import INTEGER, read
from rehabcount.store.packets import SESSION, check_span

OUTAGE_S = 1.0  # of silence before it is worth a word: the radio notices after as long
STRIDE = 128  # rows: 0.15 s of nine sensors at 100 Hz, 0.7 s of three at 60 Hz

Outage = tuple[float, float]  # from the last packet before to the first one behind; session seconds

_OF_SENSORS = "sensor NOT IN (SELECT id FROM sensor WHERE name = ?)"
_PACKET = f"SELECT received_ns FROM packet WHERE payload IS NOT NULL AND {_OF_SENSORS} AND seq"


def read_outages(connection: sqlite3.Connection) -> tuple[Outage, ...]:
    """The times without a packet of any sensor, from the first packet to the last row, in order."""

    def times(query: str, *seqs: int) -> list[int]:
        return [time_ns for (time_ns,) in read(connection, query, (SESSION, *seqs), INTEGER)]

    first = times(f"SELECT received_ns FROM packet WHERE {_OF_SENSORS} ORDER BY seq LIMIT 1")
    found: set[tuple[int, int]] = set()
    longest_ns = round(OUTAGE_S * 1e9)
    seq, at_ns = 0, first[0] if first else 0
    while row := _row_after(connection, seq + STRIDE - 1) or _last_row(connection, seq):
        before, (seq, now_ns) = seq, row
        if first:
            check_span(now_ns, first[0])
        if now_ns - at_ns > longest_ns:
            near = times(f"{_PACKET} <= ? ORDER BY seq DESC LIMIT 1", before)
            near += times(f"{_PACKET} > ? AND seq <= ? ORDER BY seq", before, seq)
            near += times(f"{_PACKET} > ? ORDER BY seq LIMIT 1", seq) or [now_ns]
            found |= {(start, end) for start, end in pairwise(sorted(near)) if end - start > longest_ns}
        at_ns = now_ns
    return tuple(((start - first[0]) / 1e9, (end - first[0]) / 1e9) for start, end in sorted(found))


def _row_after(connection: sqlite3.Connection, seq: int) -> tuple[int, int] | None:
    query = "SELECT seq, received_ns FROM packet WHERE seq > ? ORDER BY seq LIMIT 1"
    return next(iter(read(connection, query, (seq,), INTEGER, INTEGER)), None)


def _last_row(connection: sqlite3.Connection, seq: int) -> tuple[int, int] | None:
    """The last one, if it is behind this."""
    query = "SELECT seq, received_ns FROM packet WHERE seq > ? ORDER BY seq DESC LIMIT 1"
    return next(iter(read(connection, query, (seq,), INTEGER, INTEGER)), None)

"""Outages, in which no sensor sent anything, found from the packets: also in sessions that were never counted.

Rows are almost in order of time. So only every n-th row is read, and the rows between two of them only if too much time
passed: an hour takes less than half a second.
"""

from __future__ import annotations

import sqlite3
from itertools import pairwise

from rehabcount.domain.document import LARGEST_INTEGER
from rehabcount.domain.limits import SENSOR_SILENT_S
from rehabcount.store.cells import INTEGER, read
from rehabcount.store.packets import SESSION, check_span

LEAP_S = 0.2  # on average; clearly less than an outage
LEAST_LEAP = 8  # rows, of a session that is nearly empty
NEAR = 32  # packets of nine sensors that may have come in another order than that of their times

Outage = tuple[float, float]  # from the last packet before to the first one after; session seconds

_OF_SENSORS = "sensor NOT IN (SELECT id FROM sensor WHERE name = ?)"
_PACKET = f"SELECT received_ns FROM packet WHERE payload IS NOT NULL AND {_OF_SENSORS} AND seq"


def read_outages(connection: sqlite3.Connection) -> tuple[Outage, ...]:
    """The times without a packet of any sensor, from the first packet to the last row, in order."""

    def times(query: str, *seqs: int) -> list[int]:
        return [time_ns for (time_ns,) in read(connection, query, (SESSION, *seqs), INTEGER)]

    first = times(f"SELECT received_ns FROM packet WHERE {_OF_SENSORS} ORDER BY seq LIMIT 1")
    last = _last_row(connection)
    if not first or last is None:
        return ()
    origin_ns, (last_seq, last_ns) = first[0], last
    check_span(last_ns, origin_ns)
    leap = max(LEAST_LEAP, round(last_seq * LEAP_S * 1e9 / max(1, last_ns - origin_ns)))
    found: set[tuple[int, int]] = set()
    longest_ns = round(SENSOR_SILENT_S * 1e9)
    seq, at_ns, was_packet = 0, origin_ns, True
    while seq < last_seq:
        row = _row_after(connection, min(seq + leap - 1, LARGEST_INTEGER))
        before, (seq, now_ns, is_packet) = seq, row or (last_seq, last_ns, False)
        if seq <= before:  # in a damaged tree rows may come again
            raise ValueError("packets whose numbers do not rise")
        # The outage lies within this leap, or a row that is no packet ends it.
        if now_ns - at_ns > longest_ns or not is_packet or not was_packet:
            near = times(f"{_PACKET} <= ? ORDER BY seq DESC LIMIT {NEAR}", before)
            near += times(f"{_PACKET} > ? AND seq <= ? ORDER BY seq", before, seq)
            near += times(f"{_PACKET} > ? ORDER BY seq LIMIT {NEAR}", seq) or [last_ns]
            found |= {(start, end) for start, end in pairwise(sorted(near)) if end - start > longest_ns}
        at_ns, was_packet = now_ns, is_packet
    return tuple(((start - origin_ns) / 1e9, (end - origin_ns) / 1e9) for start, end in _each_once(found))


def _each_once(found: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """Outages do not overlap; overlapping spans are the same outage. One is too long if its range of rows ended between
    two packets that are not in order of time."""
    outages: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if outages and start < outages[-1][1]:
            outages[-1] = (max(start, outages[-1][0]), min(end, outages[-1][1]))
        else:
            outages.append((start, end))
    return outages


def _row_after(connection: sqlite3.Connection, seq: int) -> tuple[int, int, bool] | None:
    """Its number and time, and whether it is a packet of a sensor."""
    query = f"""SELECT seq, received_ns, payload IS NOT NULL AND {_OF_SENSORS} FROM packet
                WHERE seq > ? ORDER BY seq LIMIT 1"""
    return next(iter(read(connection, query, (SESSION, seq), *(INTEGER,) * 3)), None)


def _last_row(connection: sqlite3.Connection) -> tuple[int, int] | None:
    query = "SELECT seq, received_ns FROM packet ORDER BY seq DESC LIMIT 1"
    return next(iter(read(connection, query, (), INTEGER, INTEGER)), None)

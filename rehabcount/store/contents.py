"""The contents of a session file in figures: `SessionFile.contents()` makes them, `info` and `recover` show them."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum

from rehabcount.store.cells import INTEGER, REAL, TEXT, maybe, read
from rehabcount.store.layers import Layer
from rehabcount.store.notes import read_layers
from rehabcount.store.packets import MOST_SENSORS, SESSION, Stretch, check_span, last_seq, read_stretches

TALLIED_ROWS = 20_000  # at a time: SQLite then sorts in memory, twice as fast, and a writer's log can be folded in
ROWS_A_THREAD = 250_000  # a thread with its own connection is slower for fewer rows
MOST_THREADS = 4  # the disk limits the speed of more threads


class State(StrEnum):
    RECORDING = "recording"  # it is being recorded now
    INTERRUPTED = "interrupted"  # it was not closed, and is not being recorded
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class SensorContents:
    """The data of one sensor. `rate_hz` is nominal; `packets_hz` is the mean over its whole time, gaps included."""

    name: str
    place: str | None
    layout: str | None
    rate_hz: float | None
    serial: str
    packets: int
    silences: int
    first_ns: int | None
    last_ns: int | None
    packets_hz: float | None


@dataclass(frozen=True, slots=True)
class Contents:
    """A session file in figures. An empty session has no first and last time and lasts 0 s."""

    session: str
    state: State
    software: str
    schema: int
    created_utc: str
    closed_utc: str | None
    sensors: tuple[SensorContents, ...]
    stretches: tuple[Stretch, ...]
    packets: int
    silences: int
    first_ns: int | None
    last_ns: int | None
    length_s: float
    documents: tuple[str, ...]
    countings: int
    updates: int
    events: int
    corrections: int
    segments: int
    layers: tuple[Layer, ...]


def read_contents(
    connection: sqlite3.Connection,
    about: dict[str, str],
    state: State,
    version: int,
    another: Callable[[], sqlite3.Connection],
) -> Contents:
    """One pass over the packets: a second for an hour of nine sensors, less with several cores.

    `another` makes further connections to the same file.
    """
    sensors = _read_sensors(connection, another)
    firsts = [sensor.first_ns for sensor in sensors if sensor.first_ns is not None]
    lasts = [sensor.last_ns for sensor in sensors if sensor.last_ns is not None]

    def number(query: str) -> int:
        return int(connection.execute(query).fetchone()[0])

    documents = read(connection, "SELECT name FROM document GROUP BY name ORDER BY min(number)", (), TEXT)
    if firsts:
        check_span(max(lasts), min(firsts))
    return Contents(
        session=about.get("session", ""),
        state=state,
        software=about.get("software", ""),
        schema=version,
        created_utc=about.get("created_utc", ""),
        closed_utc=about.get("closed_utc"),
        sensors=sensors,
        stretches=read_stretches(connection),
        packets=sum(sensor.packets for sensor in sensors),
        silences=sum(sensor.silences for sensor in sensors),
        first_ns=min(firsts, default=None),
        last_ns=max(lasts, default=None),
        length_s=(max(lasts) - min(firsts)) / 1e9 if firsts else 0.0,
        documents=tuple(name for (name,) in documents),
        countings=number("SELECT count(number) FROM counting"),
        updates=number("SELECT count(number) FROM session_update"),
        events=number("SELECT count(number) FROM session_update WHERE kind = 'Event'"),
        corrections=number("SELECT count(number) FROM correction"),
        segments=number("SELECT count(number) FROM segment"),
        layers=read_layers(connection),
    )


@dataclass(slots=True)
class _Tally:
    number: int = 0
    first_ns: int | None = None
    last_ns: int | None = None

    def add(self, number: int, first_ns: int, last_ns: int) -> None:
        self.number += number
        self.first_ns = first_ns if self.first_ns is None else min(self.first_ns, first_ns)
        self.last_ns = last_ns if self.last_ns is None else max(self.last_ns, last_ns)


_Tallies = defaultdict[tuple[int, bool], _Tally]  # by sensor, and whether of silences


def _tally(connection: sqlite3.Connection, another: Callable[[], sqlite3.Connection]) -> _Tallies:
    """Per sensor and kind (silence or not), how many rows and from when to when.

    Hours of rows are shared among threads, each with a connection of its own: SQLite counts without Python's lock.
    """
    last = last_seq(connection)
    threads = min(MOST_THREADS, os.cpu_count() or 1, last // ROWS_A_THREAD)
    if threads < 2:
        return _tally_between(connection, 0, last)

    def share(first: int, last: int) -> _Tallies:
        with contextlib.closing(another()) as mine:
            return _tally_between(mine, first, last)

    bounds = [last * i // threads for i in range(threads + 1)]
    tallies: _Tallies = defaultdict(_Tally)
    with ThreadPoolExecutor(threads) as pool:
        for found in pool.map(share, bounds[:-1], bounds[1:]):
            for key, tally in found.items():
                if tally.first_ns is not None and tally.last_ns is not None:
                    tallies[key].add(tally.number, tally.first_ns, tally.last_ns)
    return tallies


def _tally_between(connection: sqlite3.Connection, first: int, last: int) -> _Tallies:
    """Of the rows after `first`, up to `last`."""
    tallies: _Tallies = defaultdict(_Tally)
    while first < last:
        # Go to the next existing row: row numbers of a damaged file may leap by quintillions.
        query = "SELECT min(seq) - 1 FROM packet WHERE seq > ? AND seq <= ?"
        ((found,),) = read(connection, query, (first, last), maybe(INTEGER))
        if found is None:
            break
        first = found
        for sensor, is_silence, *figures in read(
            connection,
            "SELECT sensor, since_ns IS NOT NULL AS is_silence, count(*), min(received_ns), max(received_ns)"
            " FROM packet WHERE seq > ? AND seq <= ? GROUP BY sensor, is_silence",
            (first, min(first + TALLIED_ROWS, last)),
            *(INTEGER,) * 5,
        ):
            tallies[sensor, bool(is_silence)].add(*figures)
        first += TALLIED_ROWS
    return tallies


def _read_sensors(
    connection: sqlite3.Connection, another: Callable[[], sqlite3.Connection]
) -> tuple[SensorContents, ...]:
    query = "SELECT id, name, place, layout, rate_hz, serial FROM sensor WHERE name <> ? ORDER BY id"
    kinds = (INTEGER, TEXT, maybe(TEXT), maybe(TEXT), maybe(REAL), TEXT)
    rows = read(connection, query, (SESSION,), *kinds, most=MOST_SENSORS)
    tallies = _tally(connection, another)
    found = []
    for identity, name, place, layout, rate_hz, serial in rows:
        packets, silences = tallies[identity, False], tallies[identity, True]
        times = [time for tally in (packets, silences) for time in (tally.first_ns, tally.last_ns) if time is not None]
        packets_hz = None
        if packets.first_ns is not None and packets.last_ns is not None and packets.last_ns > packets.first_ns:
            packets_hz = (packets.number - 1) / ((packets.last_ns - packets.first_ns) / 1e9)
        found.append(
            SensorContents(
                name,
                place,
                layout,
                rate_hz,
                serial,
                packets=packets.number,
                silences=silences.number,
                first_ns=min(times, default=None),
                last_ns=max(times, default=None),
                packets_hz=packets_hz,
            )
        )
    return tuple(found)

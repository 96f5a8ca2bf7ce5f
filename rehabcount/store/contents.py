"""What a session file holds, in figures: `SessionFile.contents()` makes it, `info` and `recover` show it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from enum import StrEnum

from rehabcount.store.notes import read_layers
from rehabcount.store.packets import Stretch, read_stretches


class State(StrEnum):
    RECORDING = "recording"  # somebody records into it now
    INTERRUPTED = "interrupted"  # it was never closed, and nobody records into it
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class SensorContents:
    """What one sensor left. `rate_hz` is nominal; `packets_hz` is the mean over its whole time, gaps included."""

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
    layers: tuple[str, ...]


def read_contents(connection: sqlite3.Connection, about: dict[str, str], state: State, version: int) -> Contents:
    """One pass over the packets: about half a second for a quarter of an hour of nine sensors."""
    sensors = _read_sensors(connection)
    firsts = [sensor.first_ns for sensor in sensors if sensor.first_ns is not None]
    lasts = [sensor.last_ns for sensor in sensors if sensor.last_ns is not None]

    def number(query: str) -> int:
        return int(connection.execute(query).fetchone()[0])

    documents = connection.execute("SELECT name FROM document GROUP BY name ORDER BY min(number)").fetchall()
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
        countings=number("SELECT count(*) FROM counting"),
        updates=number("SELECT count(*) FROM session_update"),
        events=number("SELECT count(*) FROM session_update WHERE kind = 'Event'"),
        corrections=number("SELECT count(*) FROM correction"),
        segments=number("SELECT count(*) FROM segment"),
        layers=read_layers(connection),
    )


def _read_sensors(connection: sqlite3.Connection) -> tuple[SensorContents, ...]:
    tallies = {
        sensor: tally
        for sensor, *tally in connection.execute(
            "SELECT sensor, count(payload), count(since_ns), min(received_ns), max(received_ns),"
            " min(received_ns) FILTER (WHERE payload IS NOT NULL),"
            " max(received_ns) FILTER (WHERE payload IS NOT NULL) FROM packet GROUP BY sensor"
        ).fetchall()
    }
    found = []
    for identity, name, place, layout, rate_hz, serial in connection.execute(
        "SELECT id, name, place, layout, rate_hz, serial FROM sensor ORDER BY id"
    ).fetchall():
        packets, silences, first_ns, last_ns, spoke_ns, spoken_ns = tallies.get(
            identity, [0, 0, None, None, None, None]
        )
        spoke_s = (spoken_ns - spoke_ns) / 1e9 if packets else 0.0
        packets_hz = (packets - 1) / spoke_s if spoke_s > 0 else None
        found.append(
            SensorContents(name, place, layout, rate_hz, serial, packets, silences, first_ns, last_ns, packets_hz)
        )
    return tuple(found)

"""Session files, altered in their tables, cells, JSON, times and bytes, through every command that reads one."""

from __future__ import annotations

import contextlib
import heapq
import json
import random
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rehabcount.bedside.config import Settings
from rehabcount.bedside.counting import count_file
from rehabcount.cli.main import app
from rehabcount.domain.calibration import Calibration, Mounting, Verdict
from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.motion import Samples, Silence
from rehabcount.domain.rig import Place, Rig, Sensor, Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.session_summary import ModelFacts
from rehabcount.domain.update import (
    Adjusted,
    Calibrated,
    Event,
    Gap,
    Mark,
    Phase,
    PhaseName,
    Recorded,
    Said,
    SensorSet,
    Update,
)
from rehabcount.gui.review_file import read_review
from rehabcount.gui.session_signals import read_stretch
from rehabcount.inference.artifact import Opened, open_model, verify
from rehabcount.sensors.encode import encode
from rehabcount.store.documents import CALIBRATION, COUNTED_SIDE, MODEL, PATIENT, PLAN, SIMULATION, CountedSide, Owner
from rehabcount.store.layers import REFERENCE
from rehabcount.store.library import look_at
from rehabcount.store.packets import Origin
from rehabcount.store.session_file import SessionFile
from tests.engine.oracle import TINY
from tests.fuzz.child import Attempts
from tests.fuzz.mutate import ESCAPES, mutated_bytes, mutated_json, odd_value
from tests.signals.motions import arm_motion, read

LENGTH_S = 6.0
PLACES = (Place.RIGHT_UPPER_ARM, Place.RIGHT_HAND)
RIG = Rig("two", tuple(Sensor(place.value, place, "generic", 100.0) for place in PLACES))
STILL = Calibration(
    tuple(Mounting(place.value, place, (1.0, 0.0, 0.0, 0.0), 0.0, 0.9, "pose and mount") for place in PLACES),
    0.9,
    Verdict.GOOD,
)
TABLES = ("about", "sensor", "stretch", "packet", "document", "counting", "session_update", "correction", "segment")
ENDLESS = "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT"
SCHEMES = (
    "DROP TABLE {table}",
    "DELETE FROM {table}",
    "CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM packet; END",
    "CREATE VIEW v AS SELECT * FROM {table}",
    "CREATE INDEX i ON {table} (rowid)",
    "ALTER TABLE {table} ADD COLUMN more AS (1)",
    "ALTER TABLE {table} RENAME TO other",
    "CREATE TABLE extra AS SELECT * FROM {table}",
    "UPDATE sqlite_schema SET sql = 'CREATE TABLE {table} (a)' WHERE name = '{table}'",
    "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = '{other}')",
    "UPDATE sqlite_schema SET type = 'view' WHERE name = '{table}'",
    "PRAGMA user_version = 0",
    "PRAGMA user_version = 99",
    "PRAGMA application_id = 7",
)
TIMES = (
    "UPDATE packet SET received_ns = received_ns + {by} WHERE seq = {at}",
    "UPDATE packet SET received_ns = received_ns + {by} WHERE seq >= {at}",
    "UPDATE packet SET received_ns = received_ns + {by} WHERE seq < {at}",
    "UPDATE packet SET received_ns = {by} WHERE seq = {at}",
    "UPDATE packet SET received_ns = -received_ns",
    "UPDATE packet SET received_ns = received_ns * 1000 WHERE received_ns < 9000000000000",
    "UPDATE packet SET seq = seq + {by} WHERE seq = (SELECT max(seq) FROM packet)",
    "UPDATE packet SET received_ns = (SELECT max(received_ns) FROM packet) - received_ns",
    "UPDATE packet SET since_ns = {by} WHERE since_ns IS NOT NULL",
    "UPDATE session_update SET at_s = {by}",
)
DAY_NS = 86_400 * 10**9
BULK = (
    "INSERT INTO {table} SELECT {columns} FROM {table}, (WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 "
    "FROM c LIMIT {number}) SELECT n FROM c)"
)


def make(path: Path) -> None:
    """A short session with rows of every kind."""
    readings, _ = read(arm_motion(LENGTH_S), np.random.default_rng(0), tilt_rad=0.2, noise=1.0)
    tick = np.arange(len(readings)) * 10_000
    streams = [
        encode(Samples(name, tick * 1000 + 10**12, tick, readings[:, i, :3], readings[:, i, 3:]), "generic")
        for i, name in enumerate(RIG.names)
    ]
    items: list[Recorded] = list(heapq.merge(*streams, key=lambda packet: packet.received_ns))
    items[3:3] = [
        Said(Calibrated(STILL, True, 0.0), items[3].received_ns),
        Said(Phase(PhaseName.COUNTING, 0.0), 10**12),
    ]
    items[20:20] = [Said(Mark(1.0, "a note"), items[20].received_ns), Said(Adjusted(1, 1.0), items[20].received_ns)]
    items[30:30] = [Silence("right-hand", items[29].received_ns - 10**9, items[29].received_ns)]
    segments = [Segment("reach", Side.RIGHT, i * 1.0, i + 0.5) for i in range(4)]
    updates: list[Update] = [*(Event(i + 1, segment, 0.9) for i, segment in enumerate(segments))]
    updates += [
        Gap("right-hand", 1.0, 2.0),
        SensorSet(Side.RIGHT, (), 0.1),
        Phase(PhaseName.COUNTING, 0.0),
        Mark(1.0, "a"),
    ]
    with SessionFile.create(path, RIG, origin=Origin(10**12, 1_790_000_000 * 10**9)) as file:
        file.append(items)
        file.put_document(PATIENT, Owner("P-01", Side.RIGHT))
        file.put_document(PLAN, Plan((PlannedActivity("drinking", 20),)))
        file.put_document(CALIBRATION, STILL)
        file.put_document(MODEL, ModelFacts("0" * 64, "bedside", "1", "simulated"))
        file.put_document(SIMULATION, {"name": "S1", "side": "right"})
        number = file.begin_counting("0" * 64).number
        file.put_document(COUNTED_SIDE, CountedSide(number, Side.RIGHT))
        file.accept(*updates, Adjusted(1, 2.0, "drinking", "AB"))
        file.correct(number, Correction(Action.REMOVE, "th", 1_790_000_100 * 10**9, event=2, note="walked"))
        file.correct(number, Correction(Action.REPLACE, "th", 1_790_000_100 * 10**9, 3, segments[0]))
        file.add_segments(REFERENCE, segments)
        file.close_session()


def prepare(place: Path) -> Callable[[random.Random, Path], Attempts]:
    seed = place / "seed.rehab"
    make(seed)
    sound = seed.read_bytes()
    opened = Opened(open_model(TINY), verify(TINY).sha256)

    def case(rng: random.Random, folder: Path) -> Attempts:
        path = folder / "a.rehab"
        path.write_bytes(sound)
        if rng.random() < 0.15:
            path.write_bytes(mutated_bytes(rng, sound))
        else:
            for _ in range(rng.choice((1, 1, 2))):
                alter(rng, path)
        every = attempts(path, folder, opened)
        return [every[name] for name in rng.sample(list(every), 4)]

    return case


def attempts(path: Path, folder: Path, opened: Opened) -> dict[str, tuple[str, Callable[[], object]]]:
    def command(*words: object) -> Callable[[], object]:
        return partial(app, [str(word) for word in words], standalone_mode=False)

    calls: dict[str, Callable[[], object]] = {
        "info": command("info", path),
        "info json": command("info", path, "--json"),
        "report": command("report", path, "--no-pdf", "--out", folder / "report"),
        "export": command("export", path, "--out", folder / "tables"),
        "elan": command("export", path, "--to", "elan"),
        "recover": command("recover", path),
        "salvage": command("recover", path, "--out", folder / "saved.rehab"),
        "calibrate": command("calibrate", path, "--pose", "0.5:2.5"),
        "evaluate": command("evaluate", path),
        "count": partial(count_file, path, opened, Settings(), keep=False),
        "count and keep": partial(count_file, path, opened, Settings()),
        "list": partial(look_at, path),
        "review": partial(read_review, path),
        "signals": partial(read_stretch, path, RIG, 0),
    }
    return {name: (name, call) for name, call in calls.items()}


def alter(rng: random.Random, path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        # What SQLite itself refuses, a schema that was altered before (a table may be gone), and JSON altered twice.
        with contextlib.suppress(sqlite3.Error, ValueError, IndexError):
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("PRAGMA ignore_check_constraints = ON")
            rng.choice((_cell, _cell, _json, _json, _json, _schema, _time, _bulk))(rng, connection)
    finally:
        connection.close()


def _cell(rng: random.Random, connection: sqlite3.Connection) -> None:
    table = rng.choice(TABLES)
    column = rng.choice([row[1] for row in connection.execute(f"PRAGMA table_info({table})")])
    value = rng.choice((odd_value(rng), rng.randbytes(9), ESCAPES.encode(), None, 1e300, "x"))
    if value is None or rng.random() < 0.2:  # what NOT NULL would refuse
        connection.execute(f"UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE name = '{table}'")
        connection.execute("PRAGMA schema_version = 999")
    where = rng.choice(("", f"WHERE rowid = (SELECT rowid FROM {table} ORDER BY random() LIMIT 1)"))
    connection.execute(f"UPDATE {table} SET {column} = ? {where}", (value,))


def _json(rng: random.Random, connection: sqlite3.Connection) -> None:
    table, column, condition = rng.choice(
        (
            ("document", "content", "1"),
            ("document", "content", "name IN ('rig', 'plan', 'calibration')"),
            ("session_update", "content", "1"),
            ("correction", "segment", "segment IS NOT NULL"),
            ("packet", "payload", "sensor = (SELECT id FROM sensor WHERE name = 'session')"),
        )
    )
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (table,)).fetchone():
        return  # it is a view without end already
    rows: list[tuple[int, Any]] = connection.execute(
        f"SELECT rowid, {column} FROM {table} WHERE {condition}"
    ).fetchmany(1000)
    if rows:
        row, content = rng.choice(rows)
        text = content.decode() if isinstance(content, bytes) else str(content)
        altered = mutated_json(rng, text)
        written = altered.encode("utf-8", "surrogatepass") if isinstance(content, bytes) else altered
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (written, row))


def _schema(rng: random.Random, connection: sqlite3.Connection) -> None:
    table, other = rng.sample(TABLES, 2)
    if rng.random() < 0.3:
        columns = ", ".join(f"n AS {row[1]}" for row in connection.execute(f"PRAGMA table_info({table})"))
        connection.execute(f"DROP TABLE {table}")
        connection.execute(f"CREATE VIEW {table} AS {ENDLESS} {columns} FROM c")
        return
    connection.execute(rng.choice(SCHEMES).format(table=table, other=other))


def _time(rng: random.Random, connection: sqlite3.Connection) -> None:
    by = rng.choice((1, 10**9, 3600 * 10**9, DAY_NS, 100 * DAY_NS, 2**62, -(2**62), -DAY_NS, -(10**9)))
    connection.execute(rng.choice(TIMES).format(by=by, at=rng.randrange(1, 130)))


def _bulk(rng: random.Random, connection: sqlite3.Connection) -> None:
    table = rng.choice(TABLES)
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    keys = {"number", "id", "seq"}
    columns = ", ".join(
        "NULL" if name in keys else f"{name} || n" if name in ("key", "name") else name for name in names
    )
    connection.execute(
        BULK.format(table=table, columns=columns, number=rng.choice((10, 1000 if table != "packet" else 20)))
    )
    if rng.random() < 0.3:
        sensors = [{"name": str(i), "place": None, "layout": "generic", "rate_hz": 1} for i in range(20_000)]
        content = json.dumps({"name": "a", "sensors": sensors})
        connection.execute("UPDATE document SET content = ? WHERE name = 'rig'", (content,))

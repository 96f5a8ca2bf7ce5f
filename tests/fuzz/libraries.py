"""The library's list, altered in its rows, tables and bytes, through everything that the window does with it.

Beside the library lie files that are not its own: none of them may change.
"""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.patient import Patient
from rehabcount.domain.rig import Side
from rehabcount.store.backup import back_up
from rehabcount.store.library import Library, word_to_delete
from tests.fuzz import sessions
from tests.fuzz.child import Attempts
from tests.fuzz.mutate import ESCAPES, command, mutated_bytes, mutated_json, odd_value, put_in_place_of

TABLES = ("patient", "plan", "session")
OUTSIDE = ("outside.rehab", "outside.rehab-wal", "passwd")
PATHS = (
    "../../outside.rehab",
    "../outside.rehab",
    "../../passwd",
    "../../../etc/passwd",
    "/etc/passwd",
    "..",
    ".",
    "one.rehab/../../../outside.rehab",
    "../library.sqlite",
    "a\x00b.rehab",
    "x" * 5000,
    "sub/one.rehab",
    "~/a.rehab",
)


def prepare(place: Path) -> Callable[[random.Random, Path], Attempts]:
    seed = Library(place / "seed")
    for code in ("P-01", "P-02"):
        seed.add_patient(Patient(code, Side.RIGHT, 42, "2026-03-01", "likes cards"))
        seed.keep_plan(code, Plan((PlannedActivity("drinking", 20),)))
    seed.sessions_folder.mkdir(parents=True)
    made = seed.sessions_folder / "one.rehab"
    sessions.make(made)
    shutil.copyfile(made, seed.sessions_folder / "two.rehab")
    seed.sessions()

    def case(rng: random.Random, folder: Path) -> Attempts:
        data = folder / "top" / "data"
        shutil.copytree(seed.folder, data)
        library = Library(data)
        if rng.random() < 0.15:
            library.path.write_bytes(mutated_bytes(rng, library.path.read_bytes()))
        else:
            for _ in range(rng.choice((1, 1, 2))):
                alter(rng, library.path)
        if rng.random() < 0.03:
            put_in_place_of(rng, library.path)
        if rng.random() < 0.05:
            put_in_place_of(rng, library.sessions_folder / "one.rehab")
        for name in OUTSIDE:
            (data.parent / name).write_text("mine", encoding="utf-8")
            (folder / name).write_text("mine", encoding="utf-8")
        new = Patient("P-01", Side.LEFT, 20, "2026-03-01", rng.choice(("", "words")))
        every: dict[str, Callable[[], object]] = {
            "patients": partial(library.patients, "cards"),
            "patient": lambda: (library.patient("P-01"), library.plan_of("P-01")),
            "sessions": lambda: (library.sessions("P-01"), library.stamp()),
            "add": partial(library.add_patient, Patient("P-03", Side.LEFT)),
            "plan": partial(library.keep_plan, "P-01", Plan((PlannedActivity("pouring", 3),))),
            "change": partial(library.change_patient, "P-01", new),
            "rename": partial(library.change_patient, "P-01", Patient("P-09", Side.LEFT)),
            "delete": partial(library.delete_patient, "P-01", "P-01"),
            "delete sessions": partial(_delete_sessions, library),
            "forget": partial(_forget_sessions, library),
            "assign": partial(library.assign, library.sessions_folder / "two.rehab", "P-02"),
            "refresh": partial(library.refresh, library.sessions_folder / "two.rehab"),
            "back up": partial(back_up, library, folder / "top" / "backup.zip"),
            "list": command("info", library.sessions_folder),
        }
        return [(name, partial(_apart, folder, every[name])) for name in rng.sample(list(every), 4)]

    return case


def _apart(folder: Path, call: Callable[[], object]) -> None:
    """The call, and nothing outside of the library was touched."""
    try:
        call()
    finally:
        for place in (folder, folder / "top"):
            for name in OUTSIDE:
                assert (place / name).read_text(encoding="utf-8") == "mine", f"{name} was changed"


def _forget_sessions(library: Library) -> None:
    for entry in library.sessions()[:20]:
        library.forget_session(entry.path)


def _delete_sessions(library: Library) -> None:
    for entry in library.sessions()[:20]:
        library.delete_session(entry.path, word_to_delete(entry))


def alter(rng: random.Random, path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        with contextlib.suppress(sqlite3.Error, ValueError, IndexError):  # refused by SQLite, or altered before
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("PRAGMA ignore_check_constraints = ON")
            rng.choice((_cell, _cell, _json, _json, _path, _path, _schema, _bulk))(rng, connection)
    finally:
        connection.close()


def _cell(rng: random.Random, connection: sqlite3.Connection) -> None:
    table = rng.choice(TABLES)
    column = rng.choice([row[1] for row in connection.execute(f"PRAGMA table_info({table})")])
    value = rng.choice((odd_value(rng), rng.randbytes(9), ESCAPES.encode(), None, 1e300, "x"))
    if value is None or rng.random() < 0.2:  # what NOT NULL would refuse
        connection.execute(f"UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE name = '{table}'")
        connection.execute("PRAGMA schema_version = 999")
    where = rng.choice(("", f"WHERE rowid = (SELECT max(rowid) FROM {table})"))
    connection.execute(f"UPDATE {table} SET {column} = ? {where}", (value,))


def _json(rng: random.Random, connection: sqlite3.Connection) -> None:
    table = rng.choice(TABLES)
    for row, content in connection.execute(f"SELECT rowid, content FROM {table}").fetchmany(1000):
        altered = mutated_json(rng, str(content))
        connection.execute(f"UPDATE {table} SET content = ? WHERE rowid = ?", (altered, row))


def _path(rng: random.Random, connection: sqlite3.Connection) -> None:
    """A session of the patient that lies elsewhere."""
    name = rng.choice(PATHS)
    if rng.random() < 0.5:
        connection.execute("UPDATE session SET file = ?, patient = 'P-01' WHERE file = 'one.rehab'", (name,))
    else:
        connection.execute(
            "INSERT OR REPLACE INTO session VALUES (?, 'P-01', '2026-01-01', 'closed', ?)", (name, json.dumps({}))
        )


def _schema(rng: random.Random, connection: sqlite3.Connection) -> None:
    table, other = rng.sample(TABLES, 2)
    if rng.random() < 0.3:
        columns = ", ".join(f"n AS {row[1]}" for row in connection.execute(f"PRAGMA table_info({table})"))
        connection.execute(f"DROP TABLE {table}")
        connection.execute(f"CREATE VIEW {table} AS {sessions.ENDLESS} {columns} FROM c")
        return
    connection.execute(rng.choice(sessions.SCHEMES).format(table=table, other=other))


def _bulk(rng: random.Random, connection: sqlite3.Connection) -> None:
    """Far more rows than any list has."""
    number = rng.choices((100, 5_000, 120_000), (8, 3, 1))[0]
    counted = f"WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT {number})"
    chosen = rng.choice(
        (
            "patient SELECT code || n, folded || n, content, changed_utc FROM patient, c WHERE code = 'P-01'",
            "plan SELECT NULL, 'P-01', '2026', content FROM plan, c LIMIT 200000",
            "session SELECT n || file, patient, begun_utc, state, content FROM session, c WHERE file = 'one.rehab'",
        )
    )
    connection.execute(f"{counted} INSERT INTO {chosen}")

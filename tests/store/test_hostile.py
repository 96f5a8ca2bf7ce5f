"""Altered session files: with any wrong value in a table, every reader ends with SessionCorrupt."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from rehabcount.domain.dose import Dose
from rehabcount.domain.update import Event
from rehabcount.errors import SessionCorrupt
from rehabcount.store import cells
from rehabcount.store.documents import PLAN
from rehabcount.store.layers import REFERENCE
from rehabcount.store.recovery import salvage
from rehabcount.store.session_file import SessionFile

MakeSession = Callable[..., Path]
NESTED = "[" * 10_000 + "]" * 10_000

READERS: dict[str, Callable[[SessionFile], object]] = {
    "about": lambda file: file.about(),
    "contents": lambda file: file.contents(),
    "items": lambda file: list(file.items()),
    "length": lambda file: file.length_s(),
    "seq before": lambda file: file.seq_before(10**15 + 10**8),
    "stretches": lambda file: file.stretches(),
    "rig": lambda file: file.rig,
    "plan": lambda file: file.document(PLAN),
    "versions": lambda file: file.document_versions(PLAN),
    "countings": lambda file: file.countings(),
    "updates": lambda file: list(file.updates(1)),
    "newest": lambda file: (file.newest(Event), file.newest(Dose)),
    "calibration": lambda file: file.calibration(),
    "corrections": lambda file: file.corrections(1),
    "by hand": lambda file: file.repetitions_by_hand(),
    "layers": lambda file: file.layers(),
    "segments": lambda file: file.segments(REFERENCE),
}


def altered(path: Path, *statements: str) -> Path:
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA writable_schema = ON")
    raw.execute("PRAGMA ignore_check_constraints = ON")
    for statement in statements:
        raw.execute(statement)
    raw.close()
    return path


@pytest.mark.parametrize(
    "statements",
    [
        ["DROP VIEW event", "CREATE VIEW event AS SELECT 1"],
        ["CREATE TRIGGER t AFTER INSERT ON session_update BEGIN DELETE FROM packet; END"],
        ["CREATE INDEX i ON packet (received_ns)"],
        ["CREATE VIEW other AS SELECT * FROM packet"],
        ["CREATE VIRTUAL TABLE words USING fts5 (word)"],
        ["ALTER TABLE document ADD COLUMN more TEXT"],
        ["DROP TABLE segment"],
        ["DROP TABLE segment", "CREATE TABLE segment (number INTEGER PRIMARY KEY, layer TEXT)"],
        [
            "DROP TABLE document",
            "CREATE VIEW document AS WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c",
        ],
        ["UPDATE sqlite_schema SET sql = replace(sql, 'payload BLOB', 'payload AS (x''00'')') WHERE name = 'packet'"],
        ["UPDATE sqlite_schema SET name = 'x', tbl_name = 'x' WHERE name = 'correction'"],
    ],
)
def test_what_no_session_has_is_refused_at_opening(make_session: MakeSession, statements: list[str]) -> None:
    path = altered(make_session(), *statements)
    before = path.read_bytes()
    for opener in (SessionFile.open, SessionFile.annotate, SessionFile.record):
        with pytest.raises(SessionCorrupt) as caught:
            opener(path)
        assert caught.value.advice
    assert path.read_bytes() == before


def test_an_additional_plain_table_does_no_harm(make_session: MakeSession) -> None:
    path = altered(make_session(), "CREATE TABLE my_notes (text)", "ANALYZE")
    with SessionFile.open(path) as file:
        assert file.contents().packets + file.contents().silences == 1000


CELLS = [
    ("UPDATE about SET value = x'00ff' WHERE key = 'state'", "about"),
    ("UPDATE about SET key = x'07' WHERE key = 'session'", "about"),
    ("UPDATE sensor SET name = x'41' WHERE id = 1", "contents"),
    ("UPDATE sensor SET rate_hz = 'fast'", "contents"),
    ("UPDATE packet SET received_ns = 'noon' WHERE seq = 7", "contents"),
    ("UPDATE packet SET received_ns = 'noon' WHERE seq = 7", "items"),
    ("UPDATE packet SET received_ns = 9e18 WHERE seq = 1000", "length"),
    ("UPDATE packet SET received_ns = 1.5 WHERE seq = 7", "items"),
    ("UPDATE packet SET received_ns = 9223372036854775807 WHERE seq = 7", "items"),
    ("UPDATE packet SET received_ns = -9223372036854775808 WHERE seq = 7", "contents"),
    ("UPDATE packet SET received_ns = received_ns + 86400000000000 * 40 WHERE seq = 1000", "length"),
    ("UPDATE packet SET received_ns = x'00' WHERE seq = 500", "seq before"),
    ("UPDATE packet SET payload = 'text' WHERE seq = 7", "items"),
    ("UPDATE packet SET payload = NULL WHERE seq = 7", "items"),
    ("UPDATE packet SET since_ns = 5 WHERE seq = 7", "items"),
    ("UPDATE packet SET sensor = 99 WHERE seq = 7", "items"),
    ("UPDATE packet SET sensor = 'c7' WHERE seq = 7", "contents"),
    ("UPDATE stretch SET shift_ns = 'x'", "stretches"),
    ("UPDATE document SET content = '{nested}' WHERE name = 'plan'", "plan"),
    ("UPDATE document SET content = x'7b7d' WHERE name = 'plan'", "versions"),
    ("UPDATE document SET content = 7 WHERE name = 'plan'", "plan"),
    ("UPDATE document SET content = x'7b7d' WHERE name = 'plan'", "plan"),
    (
        "UPDATE document SET content = '[' || replace(hex(zeroblob(4000000)), '0', ' ') || ']' WHERE name = 'plan'",
        "plan",
    ),
    ("UPDATE document SET content = zeroblob(30000000) WHERE name = 'plan'", "plan"),
    ("UPDATE document SET content = '{manysensors}' WHERE name = 'rig'", "rig"),
    ("UPDATE document SET content = '{slow}' WHERE name = 'rig'", "rig"),
    ("UPDATE document SET content = '{manyactivities}' WHERE name = 'plan'", "plan"),
    ("UPDATE counting SET begun_utc_ns = 'x'", "countings"),
    ("UPDATE counting SET model = x'00'", "countings"),
    ("UPDATE session_update SET content = x'00'", "updates"),
    ("UPDATE session_update SET content = '{nested}'", "newest"),
    ("UPDATE session_update SET content = '{endless}'", "updates"),
    ("UPDATE session_update SET content = replace(content, '0.875', 'Infinity')", "updates"),
    ("UPDATE session_update SET content = replace(content, '0.875', '1e999')", "updates"),
    ("UPDATE session_update SET content = replace(content, '0.875', '1{zeros}')", "updates"),
    ("UPDATE session_update SET content = replace(content, 'reach', '\\ud800')", "updates"),
    ("UPDATE session_update SET kind = x'00'", "updates"),
    ("UPDATE session_update SET kind = 'Calibrated', content = '{nested}'", "calibration"),
    ("UPDATE session_update SET kind = 'Adjusted', content = 'no JSON'", "by hand"),
    ("UPDATE correction SET at_utc_ns = 'x'", "corrections"),
    ("UPDATE correction SET segment = 7, action = 'replace'", "corrections"),
    ("UPDATE correction SET action = x'00'", "corrections"),
    ("UPDATE segment SET start_s = 'x'", "segments"),
    ("UPDATE segment SET end_s = 9e999", "segments"),
    ("UPDATE segment SET end_s = 1e15", "segments"),
    ("UPDATE segment SET label = x'05'", "segments"),
    ("UPDATE segment SET layer = x'00'", "layers"),
]
SENSORS = [{"name": str(i), "place": None, "layout": "generic", "rate_hz": 100} for i in range(5000)]
CONTENTS = {
    "{nested}": NESTED,
    "{zeros}": "0" * 400,
    "{manysensors}": json.dumps({"name": "a", "sensors": SENSORS}),
    "{slow}": json.dumps({"name": "a", "sensors": [{**SENSORS[0], "rate_hz": 1e-300}]}),
    "{manyactivities}": json.dumps({"activities": [{"name": str(i)} for i in range(5000)]}),
    "{endless}": json.dumps(
        {"number": 1, "segment": {"label": "reach", "side": "left", "start_s": 0, "end_s": 1e15}, "confidence": 1}
    ),
}


@pytest.mark.parametrize(("statement", "reader"), CELLS)
def test_a_cell_that_cannot_be_is_corruption(make_session: MakeSession, statement: str, reader: str) -> None:
    for mark, content in CONTENTS.items():
        statement = statement.replace(mark, content)
    path = altered(make_session(), statement)
    with pytest.raises(SessionCorrupt) as caught, SessionFile.open(path) as file:
        READERS[reader](file)
    assert len(str(caught.value)) < 600
    assert caught.value.advice


def test_numbers_that_leap_cost_nothing(make_session: MakeSession) -> None:
    path = altered(make_session(), "UPDATE packet SET seq = 9000000000000000000 WHERE seq = 1000")
    with SessionFile.open(path) as file:
        assert file.contents().packets + file.contents().silences == 1000
        assert len(list(file.items())) == 1000


def test_tables_that_changed_places_are_corruption(make_session: MakeSession) -> None:
    path = make_session()
    raw = sqlite3.connect(path)
    roots = dict(raw.execute("SELECT name, rootpage FROM sqlite_schema"))
    raw.close()
    altered(
        path,
        f"UPDATE sqlite_schema SET rootpage = {roots['document']} WHERE name = 'packet'",
        f"UPDATE sqlite_schema SET rootpage = {roots['packet']} WHERE name = 'document'",
    )
    with pytest.raises(SessionCorrupt), SessionFile.open(path) as file:
        list(file.items())


def test_a_tree_that_leads_nowhere_is_left_in_time(make_session: MakeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that name each other: the query would run for hours."""
    monkeypatch.setattr(cells, "LEAST_STEPS", 1_000_000)
    path = make_session(number=5000)
    raw = sqlite3.connect(path)
    root = raw.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'packet'").fetchone()[0]
    raw.close()
    data = bytearray(path.read_bytes())
    at = (root - 1) * 4096
    assert data[at] == 5  # an interior page: its cells name the pages below it
    inner = bytearray(data[at : at + 4096])
    below = [at_cell for i in range(int.from_bytes(inner[3:5], "big")) if (at_cell := _cell(inner, i))]
    pages = len(data) // 4096
    for level in range(6):
        copy = bytearray(inner)
        for cell in below:
            copy[cell : cell + 4] = (pages + level + 2).to_bytes(4, "big")
        copy[8:12] = (pages + level + 2).to_bytes(4, "big")
        data += copy if level < 5 else inner
    for cell in below:
        data[at + cell : at + cell + 4] = (pages + 1).to_bytes(4, "big")
    data[at + 8 : at + 12] = (pages + 1).to_bytes(4, "big")
    data[28:32] = (pages + 6).to_bytes(4, "big")
    path.write_bytes(data)
    for reader in ("contents", "items"):
        with pytest.raises(SessionCorrupt), SessionFile.open(path) as file:
            READERS[reader](file)


def _cell(page: bytearray, number: int) -> int:
    return int.from_bytes(page[12 + 2 * number : 14 + 2 * number], "big")


def test_salvage_leaves_out_what_no_clock_could_say(make_session: MakeSession, tmp_path: Path) -> None:
    path = altered(make_session(), "UPDATE packet SET received_ns = 9000000000000000000 WHERE seq IN (1, 700)")
    with pytest.raises(SessionCorrupt), SessionFile.open(path) as file:
        list(file.items())
    saved = salvage(path, tmp_path / "new.rehab")
    assert saved.losses.unreadable == 2
    with SessionFile.open(tmp_path / "new.rehab") as file:
        assert len(list(file.items())) == 998


def test_a_header_of_an_unknown_format_is_damage(make_session: MakeSession) -> None:
    path = make_session()
    with path.open("r+b") as file:
        file.seek(44)  # SQLite's schema format
        file.write(b"\xff\xfe\xfd\xfc")
    with pytest.raises(SessionCorrupt) as refused:
        SessionFile.open(path)
    assert "recover" in refused.value.advice


def test_a_number_of_a_packet_beyond_all_others_does_no_harm_to_outages(make_session: MakeSession) -> None:
    path = altered(
        make_session(),
        "UPDATE packet SET received_ns = (SELECT min(received_ns) FROM packet) - 1 WHERE seq = 1000",
        "UPDATE packet SET seq = 4611686018427387904 WHERE seq = 1000",
    )
    with SessionFile.open(path) as file:
        assert file.outages() == ()


def test_packets_whose_times_were_pulled_apart_are_refused(make_session: MakeSession) -> None:
    """The walk makes frames for the time between them: a file of seconds would take hours."""
    first = "(SELECT min(received_ns) FROM packet)"
    path = altered(make_session(), f"UPDATE packet SET received_ns = {first} + (received_ns - {first}) * 10000")
    with SessionFile.open(path) as file, pytest.raises(SessionCorrupt):
        list(file.items())


def test_a_complaint_of_sqlite_that_is_no_text_is_translated(make_session: MakeSession) -> None:
    """The error quotes the name of the table whose declaration cannot be read."""
    path = make_session()
    content = path.read_bytes()
    content = content.replace(b"tablestretchstretch", b"table\xa0tretch\xa0tretch")
    path.write_bytes(content.replace(b"CREATE TABLE stretch", b"CREATE TABLX stretch"))
    with pytest.raises(SessionCorrupt):
        SessionFile.open(path)


def test_salvage_survives_a_rig_that_cannot_be_read(make_session: MakeSession, tmp_path: Path) -> None:
    path = altered(make_session(), "UPDATE document SET content = '{\"name\": ' WHERE name = 'rig'")
    salvage(path, tmp_path / "new.rehab")
    with SessionFile.open(tmp_path / "new.rehab") as file:
        assert len(file.rig)

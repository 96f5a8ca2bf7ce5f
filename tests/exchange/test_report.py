"""A report's tables say what the session file says."""

from __future__ import annotations

import csv
import os
import sqlite3
from pathlib import Path

import pytest

from rehabcount.engine.summarise import summarise
from rehabcount.exchange.report import figures, plain_cell, session_row, write_figures, write_sessions
from rehabcount.store.session_file import SessionFile
from tests.counted import make_counted_session


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_counted_session(tmp_path_factory.mktemp("counted") / "a.rehab", simulated=True, patient="=P 1")


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_table_holds_the_files_numbers(counted: Path, tmp_path: Path) -> None:
    with SessionFile.open(counted) as session:
        summary = summarise(session)
    write_figures(tmp_path / "a.csv", summary)
    rows = {(row["section"], row["item"]): row["value"] for row in read_csv(tmp_path / "a.csv")}
    with sqlite3.connect(counted) as connection:
        corrections = connection.execute("SELECT count(*) FROM correction").fetchone()[0]
        gap_s = connection.execute(
            "SELECT sum(json_extract(content, '$.end_s') - json_extract(content, '$.start_s')) "
            "FROM session_update WHERE kind = 'Gap'"
        ).fetchone()[0]
        model = connection.execute("SELECT model FROM counting").fetchone()[0]
        plan = connection.execute(
            "SELECT sum(value ->> 'target') FROM document, json_each(content, '$.activities') WHERE name = 'plan'"
        ).fetchone()[0]
    assert int(rows["corrections", "entries in the log"]) == corrections
    found = summary.agreement
    assert int(rows["corrections", "events corrected"]) == found.changed + found.removed + found.added == 6
    assert float(rows["session", "Start"]) == 21.6
    assert rows["note", "73.4 s since Start"] == "Shoulder hurts a little"
    assert rows["paused", "266.4 to 302.4 s since Start"] == "36.0"
    assert float(rows["missing", "left-hand"]) == gap_s
    assert rows["recogniser", "sha256"] == model
    assert int(rows["dose", "target"]) == plan
    assert int(rows["dose", "task repetitions"]) == summary.dose.repetitions
    assert "Research use only" in rows["notice", "use"]
    assert "Simulated" in rows["session", "simulated"]
    assert "unknown" in rows["recogniser", "accuracy"]
    course = [int(row["value"]) for row in read_csv(tmp_path / "a.csv") if row["section"] == "time course"]
    assert sum(course) == summary.dose.repetitions
    assert rows["session", "patient"] == "'=P 1"  # no spreadsheet runs a patient's code
    if os.name == "posix":
        assert (tmp_path / "a.csv").stat().st_mode & 0o077 == 0


def test_one_line_a_session(counted: Path, tmp_path: Path) -> None:
    with SessionFile.open(counted) as session:
        summary = summarise(session)
    write_sessions(tmp_path / "all.csv", [summary, summary])
    first, second = read_csv(tmp_path / "all.csv")
    assert first == second
    assert list(first) == list(session_row(summary))
    assert first["begun_utc"] == "2026-09-21T14:13:20+00:00"
    assert int(first["task_repetitions_automatic"]) == summary.automatic.repetitions
    assert first["simulated"] == "yes"
    assert int(first["events_corrected"]) == summary.agreement.corrected
    assert float(first["task_repetitions_per_counted_min"]) == round(summary.pace_per_min or 0, 2)
    worked_out = int(first["task_repetitions"]) / float(first["counted_min"])
    assert float(first["task_repetitions_per_counted_min"]) == pytest.approx(worked_out, abs=0.02)
    assert float(first["assisted_min"]) > 0


def test_nothing_is_claimed_that_is_not_known(tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "b.rehab", minutes=4, corrected=False)
    with SessionFile.open(path) as session:
        rows = {(row.section, row.item): row.value for row in figures(summarise(session))}
    assert rows["recogniser", "smallest detectable change"] is None
    assert ("session", "simulated") not in rows
    assert plain_cell("drinking") == "drinking"

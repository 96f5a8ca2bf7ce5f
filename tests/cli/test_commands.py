"""The commands as a person or a program uses them."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from rehabcount.bedside import chosen_model, counting
from rehabcount.bedside.config import load_settings
from rehabcount.bedside.listing import sessions_in
from rehabcount.cli.main import app
from rehabcount.cli.work import info
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.motion import Silence
from rehabcount.domain.rig import Rig, Sensor, Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Adjusted, Event
from rehabcount.engine.session import steps
from rehabcount.engine.summarise import summarise
from rehabcount.errors import RehabcountError
from rehabcount.exchange.report import utc_text
from rehabcount.store import library as store_library
from rehabcount.store.documents import CALIBRATION, COUNTED_SIDE, PATIENT, PLAN, SIDE, SIMULATION, Owner, TrainedSide
from rehabcount.store.library import Library
from rehabcount.store.packets import Origin
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of
from tests.counted import make_counted_session
from tests.reopening import reopened

ROOT = Path(__file__).parents[2]
TINY = ROOT / "tests" / "inference" / "artifacts" / "tiny-1.0"
CALIBRATE = ("--pose", "0.5:3.5", "--bending", "right=4:13", "--turning", "right=14:23")


def run(*words: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.stdout


@pytest.fixture
def session(arm_session: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(arm_session, tmp_path / "arm.rehab"))


def test_info_of_a_session(session: Path) -> None:
    said = json.loads(run("info", session, "--json"))
    assert said["kind"] == "session"
    assert said["state"] == "closed"
    assert said["length_s"] == pytest.approx(36.0, abs=0.3)
    assert [sensor["place"] for sensor in said["sensors"]][:2] == ["sternum", "right-upper-arm"]
    assert said["labels"] == {"layers": ["reference"], "segments": 2}
    assert not said["calibrated"]
    assert "not calibrated" in run("info", session)


@pytest.mark.parametrize("name", ["patient", "salvage", "calibration", "plan"])
def test_info_names_a_document_that_cannot_be_read(session: Path, name: str) -> None:
    with closing(sqlite3.connect(session)) as raw:
        raw.execute("INSERT INTO document (name, at_utc_ns, content) VALUES (?, 0, '[]')", (name,))
        raw.commit()
    said = json.loads(run("info", session, "--json"))
    assert said["length_s"] == pytest.approx(36.0, abs=0.3)
    assert f"Its document {name!r} cannot be read." in said["notes"]


def test_info_and_report_agree_when_a_session_was(session: Path, tmp_path: Path) -> None:
    live = make_counted_session(tmp_path / "live.rehab", minutes=3, simulated=True)
    simulated = tmp_path / "simulated.rehab"
    SessionFile.create(simulated, Rig("one", (Sensor("a", None, "sample", 60.0),)), origin=Origin(0, None)).close()
    with SessionFile.annotate(simulated) as file:
        file.put_document(SIMULATION, {"name": "S1"})
    for path in (live, simulated):
        with SessionFile.open(path) as file:
            begun = utc_text(summarise(file).begun_utc_ns)
        assert json.loads(run("info", path, "--json"))["begun_utc"] == begun
        said = " ".join(run("info", path).split())
        assert ("simulated, date not known" if begun is None else f"simulated, recorded {begun}") in said


def test_calibrate_then_export(session: Path) -> None:
    said = json.loads(run("calibrate", session, *CALIBRATE, "--json"))
    assert said["verdict"] == "good"
    assert json.loads(run("info", session, "--json"))["calibrated"]
    out = session.parent / "tables"
    rows = json.loads(run("export", session, "--to", "csv", "--out", out, "--json"))["rows"]
    assert rows["signals"] == rows["features-right"] > 3500
    with (out / "features-right.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    flexion = np.array([float(row["elbow flexion"]) for row in table])
    assert np.degrees(flexion[150]) == pytest.approx(90, abs=3)
    assert table[0]["other-hand rate x"] == ""  # no such sensor: not known
    with (out / "signals.csv").open(newline="") as file:
        signals = list(csv.DictReader(file))
    acc = [float(signals[100][f"right-hand acc_{axis}"]) for axis in "xyz"]
    assert np.linalg.norm(acc) == pytest.approx(9.81, abs=0.3)
    assert signals[100]["right-hand valid"] == "1"
    with (out / "labels.csv").open(newline="") as file:
        labels = list(csv.DictReader(file))
    assert [row["label"] for row in labels] == ["reach", "idle"]
    about = json.loads((out / "about.json").read_text())
    assert about["calibration"]["verdict"] == "good"
    assert "not a medical device" in about["notice"]


def test_parquet_holds_what_csv_holds(session: Path) -> None:
    run("calibrate", session, *CALIBRATE)
    for kind in ("csv", "parquet"):
        run("export", session, "--to", kind, "--out", session.parent / kind)
    parquet = pyarrow.parquet.read_table(session.parent / "parquet" / "features-right.parquet")
    with (session.parent / "csv" / "features-right.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert parquet.column_names == list(rows[0])
    assert parquet.num_rows == len(rows)
    for name in ("time_s", "hand force y", "elbow flexion"):
        np.testing.assert_allclose(
            parquet.column(name).to_numpy(), [float(row[name]) for row in rows], rtol=1e-8, atol=1e-12
        )
    assert parquet.column("other-hand rate x").null_count == len(rows)


def test_export_goes_through_the_kernel_in_parts(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Block by block as in live, three hours of nine sensors take a quarter of an hour."""
    monkeypatch.setattr("rehabcount.engine.walk.frames", lambda *_: pytest.fail("block by block"))
    run("export", session, "--out", session.parent / "tables")


def test_export_without_calibration_says_why_features_are_missing(session: Path) -> None:
    said = run("export", session, "--out", session.parent / "plain")
    assert "no calibration" in said
    assert not (session.parent / "plain" / "features-right.csv").exists()
    assert (session.parent / "plain" / "signals.csv").exists()


def test_every_vendors_export_walks_from_import_to_tables(data_folder: Path, tmp_path: Path) -> None:
    exports = data_folder / "device-exports"
    sources: dict[str, list[Path | str]] = {
        "dots": [exports / "movella-dot-app"],
        "sdk": [exports / "movella-dot-sdk-log.csv"],
        "comma": [exports / "movella-dot-semicolon.csv", "--rate", "60"],
        "meta": [*sorted(exports.glob("A-bench*.csv"))],
        "logger": [exports / "witmotion-logger-multi-device.csv"],
        "raw": [exports / "witmotion-raw-packets.bin"],
    }
    for name, words in sources.items():
        path = tmp_path / f"{name}.rehab"
        run("import", *words, "--out", path)
        length_s = json.loads(run("info", path, "--json"))["length_s"]
        seen = json.loads(run("replay", path, "--sensors", "--speed", "max", "--json"))
        assert seen["session_s"] == pytest.approx(length_s, abs=0.2), name
        assert seen["discarded"] == 0, name
        # The comma file's samples leap seven times; everything else is whole.
        assert min(sensor["valid_share"] for sensor in seen["sensors"]) > 0.95, name
        rows = json.loads(run("export", path, "--out", tmp_path / name, "--json"))["rows"]
        assert rows["signals"] == seen["frames"]


@pytest.mark.parametrize("sensors", ["9", "3"])
def test_demo_is_counted_and_replayed_the_same(tmp_path: Path, sensors: str) -> None:
    path = tmp_path / "demo.rehab"
    words = (
        "demo",
        "--seconds",
        "33",
        "--seed",
        "4",
        "--speed",
        "max",
        "--sensors",
        sensors,
        "--artifact",
        TINY,
        "--out",
        path,
    )
    said = json.loads(run(*words, "--json"))
    assert said["replay"]["same"]
    assert said["simulated"]
    assert said["session_s"] == pytest.approx(33, abs=0.5)
    assert said["events"] > 0
    assert sum(row["true"] for row in said["comparison"]) > 0
    assert json.loads(run("info", path, "--json"))["state"] == "closed"


def test_without_a_model_counting_says_what_to_do(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "settings.toml").write_text(f"data_folder = {json.dumps(str(tmp_path))}\n")
    monkeypatch.setenv("REHABCOUNT_SETTINGS", str(tmp_path / "settings.toml"))
    monkeypatch.setattr(chosen_model, "SHIPPED", tmp_path)
    for words in (["count", session], ["replay", session], ["demo"]):
        with pytest.raises(RehabcountError, match="no model to count with") as raised:
            run(*words)
        assert "models export" in raised.value.advice


def test_count_keeps_its_result_beside_earlier_ones(session: Path) -> None:
    run("calibrate", session, *CALIBRATE)
    table = session.parent / "counts.csv"
    said = json.loads(run("count", session.parent, "--model", TINY, "--csv", table, "--json"))["sessions"]
    assert [(each["file"], each["kept"]) for each in said] == [("arm.rehab", "kept as counting 1")]
    assert said[0]["side"] == "right"
    assert said[0]["accuracy"] == "accuracy on patients unknown"
    assert said[0]["simulated"] is False
    again = json.loads(run("count", session, "--model", TINY, "--again", "--json"))["sessions"][0]
    assert again["kept"] == "the same as counting 1"
    assert again["events"] == said[0]["events"] != []
    with table.open(newline="") as opened:
        (row,) = csv.DictReader(opened)
    assert int(row["task_repetitions"]) == said[0]["task_repetitions"]
    assert row["simulated"] == "False"
    with SessionFile.annotate(session) as file:
        file.put_document(SIMULATION, {"name": "S01"})
    shown = run("count", session, "--model", TINY, "--no-keep")
    assert "arm.rehab" in shown
    assert "Simulated data: no person was measured." in shown
    with SessionFile.open(session) as file:
        assert [counting.number for counting in file.countings()] == [1]
        assert len(list(file.updates(1))) > len(said[0]["events"])


def test_count_says_the_corrected_number_beside_the_automatic_one(session: Path) -> None:
    run("calibrate", session, *CALIBRATE)
    said = json.loads(run("count", session, "--model", TINY, "--json"))["sessions"][0]
    assert said["task_repetitions_corrected"] == said["task_repetitions"]
    moved = said["events"][0]
    with SessionFile.annotate(session) as file:
        file.correct(1, Correction(Action.REMOVE, "AB", 1, event=moved["number"]))
        file.accept(Adjusted(3, 2.0))
        expected = summarise(file).dose.repetitions
    assert expected != said["task_repetitions"]
    table = session.parent / "counts.csv"
    shown = run("count", session, "--model", TINY, "--csv", table)
    assert f"{said['task_repetitions']} ({expected} with corrections)" in " ".join(shown.split())
    with table.open(newline="") as opened:
        (row,) = csv.DictReader(opened)
    assert (int(row["task_repetitions"]), int(row["task_repetitions_corrected"])) == (
        said["task_repetitions"],
        expected,
    )
    again = json.loads(run("count", session, "--model", TINY, "--again", "--json"))["sessions"][0]
    assert again["task_repetitions_corrected"] == expected


def test_the_arm_that_a_recount_was_told_is_kept_with_it(session: Path) -> None:
    run("calibrate", session, *CALIBRATE)
    run("count", session, "--model", TINY, "--side", "right")  # as is told from the sensors
    with SessionFile.annotate(session) as file:
        assert file.document_versions(COUNTED_SIDE) == ()
        file.put_document(SIDE, TrainedSide(Side.LEFT))  # a wrong entry
        assert summarise(file).side is Side.LEFT
    told = json.loads(run("count", session, "--model", TINY, "--side", "right", "--json"))["sessions"][0]
    assert (told["side"], told["kept"]) == ("right", "kept as counting 2")
    again = json.loads(run("count", session, "--model", TINY, "--side", "right", "--again", "--json"))["sessions"][0]
    assert again["kept"] == "the same as counting 2"
    at_once = json.loads(run("count", session, "--model", TINY, "--side", "right", "--json"))["sessions"][0]
    assert at_once["kept"].startswith("already there as counting 2")
    with SessionFile.open(session) as file:
        assert summarise(file, 1).side is side_of(file) is Side.LEFT  # what the file says itself stays
        assert summarise(file).side is Side.RIGHT
        assert summarise(file).dose.repetitions == told["task_repetitions"]


def test_what_was_counted_with_all_the_same_is_not_counted_again(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def counted(*words: str | Path) -> dict[str, Any]:
        return dict(json.loads(run("count", session, "--model", TINY, "--json", *words))["sessions"][0])

    def turned(file: SessionFile) -> Calibration:
        found = file.calibration()
        assert found is not None
        return replace(found, mountings=(replace(found.mountings[0], heading_rad=0.25), *found.mountings[1:]))

    walks: list[float] = []

    def walk(*arguments: Any) -> Iterator[float]:
        walks.append(0.0)
        return steps(*arguments)

    monkeypatch.setattr(counting, "steps", walk)
    run("calibrate", session, *CALIBRATE)
    first = counted()
    content = session.read_bytes()
    same = counted()
    assert len(walks) == 1
    assert session.read_bytes() == content
    assert same["reused"]
    assert "already there as counting 1" in same["kept"]
    apart = {"kept", "reused", "times_real_time"}
    assert {k: v for k, v in same.items() if k not in apart} == {k: v for k, v in first.items() if k not in apart}
    assert counted("--no-keep")["reused"]

    changes: list[Callable[[SessionFile], object]] = [
        lambda file: file.put_document(PLAN, Plan((PlannedActivity("drink", 3),))),
        lambda file: file.put_document(CALIBRATION, turned(file)),
        lambda file: file.set_rig(replace(file.rig, name="another")),
        lambda file: file.put_document(SIDE, TrainedSide(Side.LEFT)),
    ]
    for change in changes:
        with SessionFile.annotate(session) as file:
            change(file)
        assert not counted("--side", "right")["reused"], change
        assert counted("--side", "right")["reused"]
    with reopened(session) as recording:
        recording.append([Silence("right-hand", 10**12, 10**12 + 10**9)])
    assert not counted("--side", "right")["reused"]
    monkeypatch.setenv("REHABCOUNT_SETTINGS", str(session.with_name("settings.toml")))
    session.with_name("settings.toml").write_text("[align]\nlag_s = 0.2\n")
    assert not counted("--side", "right")["reused"]


def test_a_counting_that_is_not_whole_or_says_not_what_it_came_from_is_made_again(session: Path) -> None:
    def counted() -> dict[str, Any]:
        return dict(json.loads(run("count", session, "--model", TINY, "--json"))["sessions"][0])

    run("calibrate", session, *CALIBRATE)
    counted()
    with closing(sqlite3.connect(session)) as database, database:
        database.execute("DELETE FROM document WHERE name = 'counted from'")  # as a live session leaves it
    again = counted()
    assert (again["reused"], again["kept"]) == (False, "the same as counting 1")
    assert counted()["reused"]
    with closing(sqlite3.connect(session)) as database, database:
        first = "(SELECT min(number) FROM session_update WHERE kind = 'Event')"
        lost = database.execute(f"DELETE FROM session_update WHERE number = {first}")  # as salvage may leave it
        assert lost.rowcount > 0
    again = counted()
    assert (again["reused"], again["kept"]) == (False, "kept as counting 2")


def counted_table(session: Path) -> dict[str, str]:
    """The line of this session in the table that `count` writes."""
    table = session.parent / "counts.csv"
    run("count", session, "--model", TINY, "--csv", table)
    with table.open(newline="") as opened:
        (row,) = csv.DictReader(opened)
    return dict(row)


def test_an_outage_of_all_sensors_is_said(session: Path) -> None:
    run("calibrate", session, *CALIBRATE)
    assert "No sensor" not in run("info", session) + run("count", session, "--model", TINY)
    row = counted_table(session)
    assert (row["outage_s"], row["missing_data"]) == ("0.0", "")
    with closing(sqlite3.connect(session)) as database, database:
        (first_ns,) = database.execute("SELECT min(received_ns) FROM packet").fetchone()
        since_ns = (first_ns + 24 * 10**9, first_ns + 34 * 10**9)
        database.execute("DELETE FROM packet WHERE received_ns BETWEEN ? AND ?", since_ns)
        database.execute("UPDATE packet SET received_ns = received_ns + 6000000000 WHERE received_ns > ?", since_ns[1:])
    words = "No sensor sent anything for 16.1 s (from 23.9 to 40.0 s)."
    assert words in " ".join(run("info", session).split())
    assert words in " ".join(run("count", session, "--model", TINY).split())
    row = counted_table(session)
    assert (row["outage_s"], row["missing_data"]) == ("16.1", words)
    for answer in (
        json.loads(run("info", session, "--json")),
        json.loads(run("count", session, "--model", TINY, "--json"))["sessions"][0],
    ):
        assert [round(each["end_s"] - each["start_s"]) for each in answer["outages"]] == [16]
        assert answer["losses"] is None


def test_what_a_salvaged_session_lacks_is_said(session: Path) -> None:
    run("calibrate", session, *CALIBRATE)
    with SessionFile.open(session) as file:
        truly = file.last_seq()
    os.truncate(session, session.stat().st_size * 3 // 4)
    saved = session.with_name("saved.rehab")
    told = " ".join(run("recover", session, "--out", saved).split())
    sentence = told[told.index("Saved from arm.rehab: ") :].removeprefix("Saved from ")
    assert "packets are missing, about " in sentence
    for command in (("info",), ("count", "--model", TINY)):
        assert f"Salvaged from {sentence}" in " ".join(run(command[0], saved, *command[1:]).split())
    assert f"Salvaged from {sentence}" in counted_table(saved)["missing_data"]
    for answer in (
        json.loads(run("info", saved, "--json")),
        json.loads(run("count", saved, "--model", TINY, "--json"))["sessions"][0],
    ):
        lost = answer["losses"]
        assert lost["had"] <= truly <= lost["had_most"]
        assert lost["packets"] < truly


def test_a_table_of_counts_says_whose_they_are_and_of_when(session: Path) -> None:
    run("calibrate", session, *CALIBRATE)
    with SessionFile.annotate(session) as file:
        file.put_document(PATIENT, Owner("P-017"))
    with reopened(session) as recording:
        recording.begin_stretch(Origin(0, 1_700_000_000_000_000_000))
    row = counted_table(session)
    assert (row["patient"], row["begun_utc"]) == ("P-017", "2023-11-14T22:13:20+00:00")


def test_exported_labels_carry_their_confidence_and_a_name_that_people_can_read(session: Path) -> None:
    run("calibrate", session, *CALIBRATE)
    events = json.loads(run("count", session, "--model", TINY, "--json"))["sessions"][0]["events"]
    with SessionFile.annotate(session) as file:
        file.begin_counting("ab" * 32)
        file.accept(Event(1, Segment("reach", Side.RIGHT, 1.0, 2.0), 0.5))
    out = session.parent / "tables"
    run("export", session, "--to", "csv", "--out", out)
    with (out / "labels.csv").open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [row["confidence"] for row in rows[:2]] == ["", ""]  # of reference labels
    mine = [row for row in rows if row["layer"] == "tiny 1.0, counting 1"]
    assert [float(row["confidence"]) for row in mine] == pytest.approx([each["confidence"] for each in events])
    assert (rows[-1]["layer"], rows[-1]["confidence"]) == ("model abababab, counting 2", "0.5")
    about = json.loads((out / "about.json").read_text())
    assert [(each["layer"], each["number"], each["model_sha256"]) for each in about["countings"]][1] == (
        "model abababab, counting 2",
        2,
        "ab" * 32,
    )
    run("export", session, "--to", "parquet", "--out", out)
    assert pyarrow.parquet.read_table(out / "labels.parquet")["confidence"].to_pylist()[:2] == [None, None]


def test_a_table_of_counts_holds_no_formulas(session: Path) -> None:
    run("calibrate", session, *CALIBRATE)
    named = session.rename(session.with_name("=cmd(1).rehab"))
    run("count", named, "--model", TINY, "--no-keep", "--csv", session.parent / "counts.csv")
    with (session.parent / "counts.csv").open(newline="") as opened:
        (row,) = csv.DictReader(opened)
    assert row["file"] == "'=cmd(1).rehab"


def test_counting_side_by_side_gives_the_same(session: Path) -> None:
    run("calibrate", session, *CALIBRATE)
    other = Path(shutil.copy(session, session.with_name("other.rehab")))
    said = json.loads(run("count", session, other, "--model", TINY, "--jobs", "2", "--json"))["sessions"]
    assert [each["file"] for each in said] == ["arm.rehab", "other.rehab"]
    assert said[0]["events"] == said[1]["events"]


@pytest.fixture
def folder(session: Path) -> Path:
    """Two good sessions, and one of which four bytes are garbled so that SQLite reads nothing of it."""
    run("calibrate", session, *CALIBRATE)
    shutil.copy(session, session.with_name("other.rehab"))
    garbled = Path(shutil.copy(session, session.with_name("garbled.rehab")))
    with garbled.open("r+b") as file:
        file.seek(44)
        file.write(b"\xff\xfe\xfd\xfc")
    return session.parent


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_one_bad_file_keeps_no_other_from_being_counted(folder: Path, jobs: str) -> None:
    result = CliRunner().invoke(app, ["count", str(folder), "--model", str(TINY), "--jobs", jobs, "--json"])
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code != 0
    said = json.loads(result.stdout)
    assert [each["file"] for each in said["sessions"]] == ["arm.rehab", "other.rehab"]
    ((failed,), (first, _)) = said["failed"], said["sessions"]
    assert failed["file"].endswith("garbled.rehab")
    assert failed["error"]
    assert "garbled.rehab" in result.stderr
    assert first["events"]


def test_a_process_that_dies_keeps_no_other_file_from_being_counted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_count_alone", die_at_garbled)
    results: dict[str, object] = {}
    counting.count_many(
        counting.find_sessions([str(folder)]),
        str(TINY),
        load_settings(),
        side=None,
        keep=False,
        jobs=2,
        on_done=lambda file, result: results.__setitem__(Path(file).name, result),
    )
    assert (results["arm.rehab"], results["other.rehab"]) == ("counted", "counted")
    problem = results["garbled.rehab"]
    assert isinstance(problem, RehabcountError)
    assert "garbled.rehab" in str(problem)


def die_at_garbled(file: str, *_: object) -> str:
    if file.endswith("garbled.rehab"):
        os._exit(9)
    return "counted"


def test_failures_of_one_kind_give_its_exit_code_and_of_several_the_general_one(folder: Path) -> None:
    missing, other = folder / "none.rehab", folder / "plain.rehab"
    with SessionFile.create(other, Rig("four", (Sensor("x", None, "generic", 100.0),))) as file:
        file.close_session()
    run("count", missing, "--model", TINY, code=5)
    run("count", other, "--model", TINY, code=4)  # the model needs sensors that are not there
    run("count", missing, other, "--jobs", "1", "--model", TINY, code=1)


def test_info_of_many_shows_the_good_and_names_the_bad(folder: Path) -> None:
    names = [folder / name for name in ("arm.rehab", "garbled.rehab", "other.rehab", "none.rehab")]
    result = CliRunner().invoke(app, ["info", "--json", *map(str, names)])
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code != 0
    said = json.loads(result.stdout)
    assert [each["name"] for each in said["sessions"]] == ["arm.rehab", "other.rehab"]
    assert [Path(each["file"]).name for each in said["failed"]] == ["garbled.rehab", "none.rehab"]
    run("info", names[0], names[3], code=5)


def test_info_of_many_shows_each_as_soon_as_it_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [folder / name for name in ("arm.rehab", "other.rehab")]
    shown: list[str] = []
    read = info._read_session

    def reading(file: Path) -> dict[str, Any]:
        shown.append(f"read {file.name}")
        return read(file)

    monkeypatch.setattr(info, "_read_session", reading)
    monkeypatch.setattr(info, "_show", lambda document, _: shown.append(f"show {document['name']}"))
    run("info", *names)
    assert shown == ["read arm.rehab", "show arm.rehab", "read other.rehab", "show other.rehab"]


def test_info_of_a_folder_has_a_line_for_each_session(folder: Path) -> None:
    said = json.loads(run("info", folder, "--json"))["sessions"]
    states = {each["name"]: each["state"] for each in said}
    assert states["arm.rehab"] == "closed"
    assert states["garbled.rehab"] == "unreadable"
    assert len(states) == len(list(folder.glob("*.rehab")))
    lines = run("info", folder).splitlines()
    assert sum(line.endswith(".rehab") for line in lines) == len(states)
    assert not (folder.parent / "library.sqlite").exists()


def test_info_of_the_librarys_folder_begins_with_what_is_known(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(tmp_path / "data")
    library.sessions_folder.mkdir(parents=True)
    for name in ("a-known.rehab", "b-new.rehab", "c-new.rehab"):
        shutil.copy(session, library.sessions_folder / name)
        if name == "a-known.rehab":
            library.sessions()
    monkeypatch.setattr(store_library, "TELL_FIRST_S", 0.0)
    steps = list(sessions_in(library.sessions_folder))
    assert [({entry.path.name for entry in entries}, looked, new) for entries, looked, new in steps] == [
        ({"a-known.rehab", "c-new.rehab"}, 1, 2),
        ({"b-new.rehab"}, 2, 2),
    ]


def test_a_session_far_away_is_counted_and_left_alone(session: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    run("calibrate", session, *CALIBRATE)
    memory = fsspec.filesystem("memory")
    memory.put(str(session), "/clinic/monday/arm.rehab")
    said = json.loads(run("count", "memory://clinic", "--model", TINY, "--json"))["sessions"]
    assert [(each["file"], each["kept"]) for each in said] == [("arm.rehab", "not kept")]


def test_replay_counts_as_count_does(session: Path) -> None:
    run("calibrate", session, *CALIBRATE)
    counted = json.loads(run("count", session, "--model", TINY, "--json"))["sessions"][0]
    played = json.loads(run("replay", session, "--speed", "max", "--model", TINY, "--json"))
    assert played["dose"] == counted["dose"]
    assert played["events"] == len(counted["events"])
    assert "task repetitions" in run("replay", session, "--speed", "max", "--model", TINY)


def test_where_nothing_was_counted_the_reason_is_said(session: Path) -> None:
    run("calibrate", session, *CALIBRATE)
    counted = json.loads(run("count", session, "--model", TINY, "--json"))["sessions"][0]
    assert counted["task_repetitions"] == 0
    assert "no movement of the right arm was recognised" in counted["why_nothing"]
    played = json.loads(run("replay", session, "--speed", "max", "--model", TINY, "--json"))
    assert played["why_nothing"] == counted["why_nothing"]
    for words in (("count", session), ("replay", session, "--speed", "max")):
        shown = " ".join(run(*words, "--model", TINY).split())
        assert counted["why_nothing"] in shown


def test_replay_at_full_speed(session: Path) -> None:
    said = json.loads(run("replay", session, "--sensors", "--speed", "max", "--json"))
    assert said["session_s"] == pytest.approx(36.0, abs=0.3)
    assert said["discarded"] == 0
    assert all(sensor["valid_share"] > 0.99 for sensor in said["sensors"])


@pytest.mark.parametrize(
    "words",
    [
        ("replay", "FILE", "--speed", "fast"),
        ("replay", "FILE", "--speed", "0"),
        ("calibrate", "FILE", "--pose", "3"),
        ("calibrate", "FILE", "--pose", "3:1"),
        ("calibrate", "FILE", "--pose", "0:3", "--bending", "up=1:2"),
        ("calibrate", "FILE", "--pose", "0:3", "--bending", "left=1:2"),
        ("calibrate", "FILE", "--pose", "0:3", "--bending", "left=1:2", "--turning", "left=2:3"),
        ("replay", "FILE", "--speed", "inf"),
    ],
)
def test_wrong_usage_is_exit_code_2(session: Path, words: tuple[str, ...]) -> None:
    run(*(session if word == "FILE" else word for word in words), code=2)


def test_a_bad_calibration_does_not_replace_a_good_one(session: Path) -> None:
    run("calibrate", session, *CALIBRATE)
    said = run("calibrate", session, "--pose", "5:8", *CALIBRATE[2:], "--json", code=7)
    assert json.loads(said)["verdict"] == "repeat"
    out = session.parent / "kept"
    run("export", session, "--out", out)
    assert json.loads((out / "about.json").read_text())["calibration"]["verdict"] == "good"
    assert (out / "signals.csv").stat().st_mode & 0o077 == 0


def test_replay_from_the_middle_keeps_the_sessions_time(session: Path) -> None:
    said = json.loads(run("replay", session, "--sensors", "--speed", "max", "--from", "30", "--json"))
    assert said["session_s"] == pytest.approx(36.0, abs=0.3)


def test_names_are_never_read_as_markup(tmp_path: Path) -> None:
    rig = Rig("odd", (Sensor("fore[/]arm", None, "generic", 100.0),))
    with SessionFile.create(tmp_path / "mon[red]day.rehab", rig) as file:
        file.close_session()
    said = run("info", tmp_path / "mon[red]day.rehab")
    assert "fore[/]arm" in said
    assert "mon[red]day.rehab" in said


def test_missing_and_foreign_files(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("hello\n")
    for words in (("info", tmp_path / "none.rehab"), ("info", text), ("export", text), ("replay", text)):
        with pytest.raises(RehabcountError) as caught:
            run(*words)
        assert caught.value.advice


def test_the_real_command_prints_advice_and_exits_with_the_errors_code(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "rehabcount", "info", str(tmp_path / "none.rehab")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 5
    assert result.stdout == ""
    assert "Error:" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_file_that_is_not_there_is_said_with_its_code_before_model_and_simulation_are_loaded(tmp_path: Path) -> None:
    code = """
import atexit, sys
from rehabcount.cli.main import main
atexit.register(lambda: print(*sys.modules))
sys.argv[1:] = ["count", sys.argv[1], "--model", "no such model"]
main()
"""
    command = [sys.executable, "-c", code, str(tmp_path / "nothere.rehab")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 5, result.stderr
    assert "There is no file" in result.stderr
    assert not {"scipy.signal", "scipy.stats"} & set(result.stdout.split())


def test_the_readme_names_every_exit_code() -> None:
    def codes(kind: type[RehabcountError]) -> set[int]:
        return {kind.exit_code}.union(*(codes(each) for each in kind.__subclasses__()))

    said = (ROOT / "README.md").read_text(encoding="utf-8").split("Exit codes:")[1].split(".\n")[0]
    named = {int(found) for found in re.findall(r"\d+", said)}
    assert named == codes(RehabcountError) | {0, 130}


def test_every_command_has_an_example() -> None:
    def commands(group: object, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], str]]:
        found = []
        for name, command in getattr(group, "commands", {}).items():
            if not getattr(command, "commands", None):  # groups only list what they hold
                found.append(((*path, name), command.help or ""))
            found += commands(command, (*path, name))
        return found

    import typer.main

    for path, text in commands(typer.main.get_command(app), ()):
        assert "Example:" in text, path


def test_help_is_quick_because_nothing_heavy_is_loaded() -> None:
    code = "import sys; from rehabcount.cli.main import app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"numpy", "scipy", "vqf", "PyQt6", "onnxruntime", "pyarrow", "sklearn", "matplotlib", "bleak"}
    assert not heavy & set(loaded)


def test_experiments_run_on_one_thread_unless_told_otherwise() -> None:
    """numpy reads the number of threads when it is loaded; so it must be said before."""
    code = """
import sys, os
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            print("threads", os.environ.get("OMP_NUM_THREADS"))
sys.meta_path.insert(0, Watch())
from rehabcount.cli.main import app
app(["bench", "--json"])
"""
    free = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
    for environment, threads in ((free, "1"), (free | {"OMP_NUM_THREADS": "3"}, "3")):
        said = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
        ).stdout
        assert f"threads {threads}\n" in said

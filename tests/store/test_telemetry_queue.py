"""The queue that onnxruntime's telemetry left: our events are removed, others stay, and no error is raised."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

from rehabcount.store import telemetry_queue
from rehabcount.store.telemetry_queue import FOLDER, QUEUE, remove_own_events

OURS, THEIRS = "/opt/rehabcount/.venv/bin/python", "/opt/rehabcount/.venv/bin/python3"


@pytest.fixture(autouse=True)
def in_a_virtual_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", "/opt/rehabcount/.venv")


def payload(python: str) -> bytes:
    """As onnxruntime 1.31 writes it: a tag, the length of the path, the path, the next tag."""
    path = python.encode()
    length = bytes([len(path)]) if len(path) < 128 else bytes([len(path) & 127 | 128, len(path) >> 7])
    return b")\x033.0I\x0bProcessInfo\xa9" + length + path + b"\xc9\x08\x06python\x00"


def queue(cache: Path, *pythons: str) -> Path:
    folder = cache / FOLDER
    folder.mkdir(parents=True)
    (folder / "deviceid").write_text("00000000-0000-0000-0000-000000000000")
    connection = sqlite3.connect(folder / QUEUE)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE events (record_id TEXT, payload BLOB)")
    connection.executemany("INSERT INTO events VALUES ('1', ?)", [(payload(each),) for each in pythons])
    connection.commit()
    connection.close()
    return folder


def events(folder: Path) -> list[bytes]:
    connection = sqlite3.connect(folder / QUEUE)
    found = [row[0] for row in connection.execute("SELECT payload FROM events")]
    connection.close()
    return found


@pytest.mark.parametrize("python", [OURS, "/home/user/" + "long/" * 30 + "python"])
def test_a_queue_of_ours_alone_goes_with_its_folders(python: str, tmp_path: Path) -> None:
    queue(tmp_path, python, python)
    remove_own_events(tmp_path, python)
    assert list(tmp_path.iterdir()) == []


def test_another_programs_events_and_device_stay(tmp_path: Path) -> None:
    folder = queue(tmp_path, OURS, THEIRS, "/usr/bin/python")
    remove_own_events(tmp_path, OURS)
    assert events(folder) == [payload(THEIRS), payload("/usr/bin/python")]
    assert payload(OURS) not in (folder / QUEUE).read_bytes()  # nor in its free pages
    assert (folder / "deviceid").exists()


@pytest.mark.parametrize("pythons", [(), (THEIRS,)])
def test_what_is_not_ours_is_not_touched(pythons: tuple[str, ...], tmp_path: Path) -> None:
    folder = queue(tmp_path, *pythons)
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    remove_own_events(tmp_path, OURS)
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()} == before


def test_a_neighbour_beside_the_queue_keeps_the_device(tmp_path: Path) -> None:
    folder = queue(tmp_path, OURS)
    (folder / "olive.db").touch()
    remove_own_events(tmp_path, OURS)
    assert {path.name for path in folder.iterdir()} == {"deviceid", "olive.db"}


def test_a_queue_that_another_program_has_open_stays(tmp_path: Path) -> None:
    folder = queue(tmp_path, OURS)
    other = sqlite3.connect(folder / QUEUE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    remove_own_events(tmp_path, OURS)
    assert (folder / QUEUE).exists()
    other.execute("COMMIT")
    assert events(folder) == [payload(OURS)]  # the next start tries again
    other.execute("SELECT count(*) FROM events").fetchone()
    remove_own_events(tmp_path, OURS)
    assert (folder / QUEUE).exists()
    assert events(folder) == []
    other.close()


@pytest.mark.parametrize("damage", ["text", "no table", "folder", "huge"])
def test_no_damage_is_a_failure(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = queue(tmp_path, OURS)
    file = folder / QUEUE
    if damage == "text":
        file.write_bytes(payload(OURS))
    elif damage == "no table":
        connection = sqlite3.connect(file)
        connection.execute("ALTER TABLE events RENAME TO happened")
        connection.close()
    elif damage == "folder":
        file.unlink()
        file.mkdir()
    else:
        monkeypatch.setattr(telemetry_queue, "LARGEST_BYTES", 10)
    remove_own_events(tmp_path, OURS)
    assert file.exists()


def test_the_python_of_the_system_may_run_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    folder = queue(tmp_path, OURS)
    remove_own_events(tmp_path, OURS)
    assert events(folder) == [payload(OURS)]


def test_there_is_nothing_to_do_without_a_folder_or_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remove_own_events(tmp_path / "none", OURS)

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(telemetry_queue, "cache_folder", no_home)
    remove_own_events(python=OURS)

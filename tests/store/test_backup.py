"""Backups: whole or refused; a restore only adds."""

from __future__ import annotations

import json
import shutil
import stat
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.patient import Patient
from rehabcount.domain.rig import Side
from rehabcount.errors import BackupRefused, StoreFull, StoreUnwritable
from rehabcount.store import backup, shelf
from rehabcount.store.backup import back_up, restore
from rehabcount.store.library import Library
from rehabcount.store.session_file import SessionFile

MakeSession = Callable[..., Path]
PATIENT = Patient("P-01", Side.LEFT, 42, "2026-03-01", "likes cards")
PLAN = Plan((PlannedActivity("glass to shelf", 30),))


@pytest.fixture
def library(tmp_path: Path, make_session: MakeSession) -> Library:
    library = Library(tmp_path / "data")
    library.add_patient(PATIENT)
    library.keep_plan("P-01", PLAN)
    library.sessions_folder.mkdir()
    for name in ("a.rehab", "b.rehab"):
        path = Path(shutil.move(make_session(name, 50), library.sessions_folder / name))
        library.assign(path, "P-01")
    return library


def items_of(path: Path) -> list[object]:
    with SessionFile.open(path) as file:
        return list(file.items())


def test_a_backup_restored_into_nothing_is_the_same_library(library: Library, tmp_path: Path) -> None:
    target = tmp_path / "out" / "monday.zip"
    seen: list[tuple[int, int]] = []
    manifest = back_up(library, target, lambda done, of: seen.append((done, of)))
    assert manifest.left_out == ()
    assert seen == [(0, 3), (1, 3), (2, 3)]
    fresh = Library(tmp_path / "fresh")
    assert restore(fresh, target) == backup.Restored(1, 2, 0)
    assert fresh.patients() == library.patients()
    assert fresh.plan_of("P-01") == PLAN
    assert [(e.path.name, e.patient, e.figures) for e in fresh.sessions()] == [
        (e.path.name, e.patient, e.figures) for e in library.sessions()
    ]
    assert items_of(fresh.sessions_folder / "a.rehab") == items_of(library.sessions_folder / "a.rehab")
    assert sorted(path.name for path in fresh.folder.iterdir()) == ["library.sqlite", "sessions"]


def test_a_restore_only_adds(library: Library, tmp_path: Path) -> None:
    target = tmp_path / "monday.zip"
    back_up(library, target)
    changed = Patient("P-01", Side.RIGHT, 50)
    library.change_patient("P-01", changed)
    (library.sessions_folder / "a.rehab").unlink()
    assert restore(library, target) == backup.Restored(0, 1, 1)
    assert library.patients() == (changed,)
    assert len(library.sessions("P-01")) == 2
    assert restore(library, target) == backup.Restored(0, 0, 2)


def test_a_name_that_another_session_has_taken_is_changed(
    library: Library, tmp_path: Path, make_session: MakeSession
) -> None:
    target = tmp_path / "monday.zip"
    back_up(library, target)
    taken = library.sessions_folder / "a.rehab"
    taken.unlink()
    shutil.move(make_session("a.rehab", 7), taken)
    restore(library, target)
    assert len(items_of(taken)) == 7
    assert len(items_of(library.sessions_folder / "a-2.rehab")) == 50


def test_a_session_being_recorded_is_in_the_backup(library: Library, tmp_path: Path, make_session: MakeSession) -> None:
    path = Path(shutil.move(make_session("now.rehab", 50, closed=False), library.sessions_folder / "now.rehab"))
    with SessionFile.record(path) as file:
        back_up(library, tmp_path / "now.zip")
        file.close_session()
    fresh = Library(tmp_path / "fresh")
    restore(fresh, tmp_path / "now.zip")
    assert len(items_of(fresh.sessions_folder / "now.rehab")) == 50


def test_an_unreadable_session_is_left_out_and_named(library: Library, tmp_path: Path) -> None:
    (library.sessions_folder / "torn.rehab").write_bytes(b"SQLite format 3\x00" + bytes(500))
    garbled = Path(shutil.copy(library.sessions_folder / "a.rehab", library.sessions_folder / "garbled.rehab"))
    with garbled.open("r+b") as file:  # the schema format: SQLite then reads nothing
        file.seek(44)
        file.write(b"\xff\xfe\xfd\xfc")
    manifest = back_up(library, tmp_path / "monday.zip")
    assert sorted(manifest.left_out) == ["garbled.rehab", "torn.rehab"]
    assert len(manifest.files) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="modes mean nothing there")
def test_only_the_owner_may_read_a_backup_and_what_comes_out_of_it(library: Library, tmp_path: Path) -> None:
    target = tmp_path / "monday.zip"
    back_up(library, target)
    restore(fresh := Library(tmp_path / "fresh"), target)
    files = [target, *(path for path in fresh.folder.rglob("*") if path.is_file())]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_a_full_disk_leaves_the_earlier_backup(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "monday.zip"
    back_up(library, target)
    before = target.read_bytes()

    def full(path: Path, copy: Path) -> None:
        raise StoreFull("The disk is full.")

    monkeypatch.setattr(shelf, "snapshot", full)
    with pytest.raises(StoreFull):
        back_up(library, target)
    assert target.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "monday.zip"]


def test_a_target_that_cannot_be_written_is_named(library: Library, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnwritable):
        back_up(library, tmp_path / "file" / "monday.zip")


def altered(source: Path, target: Path, change: Callable[[str, bytes], tuple[str, bytes]]) -> Path:
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(*change(name, old.read(name)))
    return target


@pytest.mark.parametrize("how", ["cut", "changed", "strange name", "no manifest", "text", "newer", "absent"])
def test_a_backup_that_is_not_whole_adds_nothing(library: Library, tmp_path: Path, how: str) -> None:
    good, bad = tmp_path / "good.zip", tmp_path / "bad.zip"
    back_up(library, good)
    if how == "cut":
        bad.write_bytes(good.read_bytes()[:-1000])
    elif how == "changed":
        altered(good, bad, lambda name, data: (name, data + b"!" if name.endswith("b.rehab") else data))
    elif how == "strange name":
        moved = {"sessions/b.rehab": "../b.rehab"}

        def change(name: str, data: bytes) -> tuple[str, bytes]:
            return moved.get(name, name), data.replace(b"sessions/b.rehab", b"../b.rehab")

        altered(good, bad, change)
    elif how == "no manifest":
        altered(good, bad, lambda name, data: ("other.json" if name == backup.MANIFEST else name, data))
    elif how == "newer":

        def newer(name: str, data: bytes) -> tuple[str, bytes]:
            return name, json.dumps(json.loads(data) | {"format": 2}).encode() if name == backup.MANIFEST else data

        altered(good, bad, newer)
    elif how == "text":
        bad.write_text("not a backup")
    fresh = Library(tmp_path / "fresh")
    with pytest.raises(BackupRefused) as caught:
        restore(fresh, bad)
    assert caught.value.advice
    assert fresh.patients() == ()
    assert list(fresh.sessions_folder.iterdir()) == []
    assert not (tmp_path / "b.rehab").exists()

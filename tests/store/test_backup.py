"""Backups: whole or refused; a restore only adds."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.patient import Patient
from rehabcount.domain.rig import Side
from rehabcount.errors import BackupRefused, StoreFull, StoreUnwritable
from rehabcount.store import archive, shelf
from rehabcount.store.backup import back_up
from rehabcount.store.library import Library
from rehabcount.store.lock import RecordingLock
from rehabcount.store.restore import Restored, restore
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
    assert seen == [(done, 6) for done in range(6)]  # each of three files is copied and read back
    fresh = Library(tmp_path / "fresh")
    assert restore(fresh, target) == Restored(1, 2, 0)
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
    assert restore(library, target) == Restored(0, 1, 1)
    assert library.patients() == (changed,)
    assert len(library.sessions("P-01")) == 2
    assert restore(library, target) == Restored(0, 0, 2)


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
        altered(good, bad, lambda name, data: ("other.json" if name == archive.MANIFEST else name, data))
    elif how == "newer":

        def newer(name: str, data: bytes) -> tuple[str, bytes]:
            return name, json.dumps(json.loads(data) | {"format": 2}).encode() if name == archive.MANIFEST else data

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


# -- made to do harm --------------------------------------------------------------------------------------------------


def forged(good: Path, bad: Path, changes: dict[str, bytes]) -> Path:
    """A backup with other or more files, and a manifest that matches them."""
    with zipfile.ZipFile(good) as old:
        files = {name: old.read(name) for name in old.namelist()} | changes
    manifest = json.loads(files.pop(archive.MANIFEST))
    manifest["files"] = [{"name": name, "sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()]
    with zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in files.items():
            new.writestr(name, data)
        new.writestr(archive.MANIFEST, json.dumps(manifest))
    return bad


def contents_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "name",
    [
        "sessions/a.rehab-journal",
        "sessions/a.rehab-wal",
        "sessions/a.rehab-shm",
        "sessions/a.rehab.lock",
        "sessions/A.REHAB",
        "sessions/.rehab",
        "sessions/a.pdf",
        "sessions/x/a.rehab",
        "sessions/../a.rehab",
        "sessions/a\\b.rehab",
        "sessions/a\x1b[2J.rehab",
        "library.sqlite-journal",
        "a.rehab",
        "/tmp/a.rehab",
    ],
)
def test_only_sessions_of_plain_names_come_out_of_a_backup(library: Library, tmp_path: Path, name: str) -> None:
    back_up(library, tmp_path / "good.zip")
    before = contents_of(library.folder)
    with pytest.raises(BackupRefused, match="strange name"):
        restore(library, forged(tmp_path / "good.zip", tmp_path / "bad.zip", {name: b"repetitions 3 to 9"}))
    assert contents_of(library.folder) == before


@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm"])
def test_a_session_that_comes_meets_nothing_that_another_left(library: Library, tmp_path: Path, suffix: str) -> None:
    back_up(library, tmp_path / "good.zip")
    whole = items_of(library.sessions_folder / "a.rehab")
    (library.sessions_folder / "a.rehab").unlink()
    stale = library.sessions_folder / f"a.rehab{suffix}"
    stale.write_bytes(b"pages of another session")
    assert restore(library, tmp_path / "good.zip") == Restored(0, 1, 1)
    assert stale.read_bytes() == b"pages of another session"
    assert not (library.sessions_folder / "a.rehab").exists()
    assert items_of(library.sessions_folder / "a-2.rehab") == whole


def test_what_is_no_session_in_one_piece_stays_out_and_the_rest_comes(library: Library, tmp_path: Path) -> None:
    back_up(library, tmp_path / "good.zip")
    with zipfile.ZipFile(tmp_path / "good.zip") as packed:
        waiting_for_a_log = bytearray(packed.read("sessions/a.rehab"))
    waiting_for_a_log[18:20] = b"\x02\x02"
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE about (key, value)")
    other.close()
    changes = {
        "sessions/log.rehab": bytes(waiting_for_a_log),
        "sessions/other.rehab": (tmp_path / "other.sqlite").read_bytes(),
        "sessions/text.rehab": b"no session",
        "sessions/empty.rehab": b"",
    }
    fresh = Library(tmp_path / "fresh")
    came = restore(fresh, forged(tmp_path / "good.zip", tmp_path / "odd.zip", changes))
    assert came == Restored(1, 2, 0, tuple(name.removeprefix("sessions/") for name in changes))
    assert sorted(path.name for path in fresh.sessions_folder.iterdir()) == ["a.rehab", "b.rehab"]


def test_names_that_some_systems_cannot_have_are_changed(library: Library, tmp_path: Path) -> None:
    (library.sessions_folder / "a.rehab").rename(library.sessions_folder / "10:30?.rehab")
    back_up(library, tmp_path / "good.zip")
    restore(fresh := Library(tmp_path / "fresh"), tmp_path / "good.zip")
    assert sorted(path.name for path in fresh.sessions_folder.iterdir()) == ["10_30_.rehab", "b.rehab"]


def test_a_session_under_the_name_of_a_lost_one_is_listed_as_what_it_is(
    library: Library, tmp_path: Path, make_session: MakeSession
) -> None:
    other = Library(tmp_path / "other")
    other.add_patient(Patient("Q-02", Side.RIGHT))
    other.sessions_folder.mkdir()
    path = Path(shutil.move(make_session("a.rehab", 20), other.sessions_folder / "a.rehab"))
    other.assign(path, "Q-02")
    back_up(other, tmp_path / "other.zip")
    library.sessions()
    (library.sessions_folder / "a.rehab").unlink()
    restore(library, tmp_path / "other.zip")
    assert {entry.path.name: entry.patient for entry in library.sessions()} == {"a.rehab": "Q-02", "b.rehab": "P-01"}


@pytest.mark.parametrize("statement", ["UPDATE patient SET content = '{'", "UPDATE plan SET content = '[1]'"])
def test_a_damaged_list_in_a_backup_adds_nothing(library: Library, tmp_path: Path, statement: str) -> None:
    back_up(library, tmp_path / "good.zip")
    (tmp_path / "list").write_bytes(library.path.read_bytes())
    with sqlite3.connect(tmp_path / "list") as connection:
        connection.execute(statement)
    connection.close()
    fresh = Library(tmp_path / "fresh")
    bad = forged(tmp_path / "good.zip", tmp_path / "bad.zip", {archive.LIST: (tmp_path / "list").read_bytes()})
    with pytest.raises(BackupRefused, match="list of patients"):
        restore(fresh, bad)
    assert contents_of(fresh.folder) == {}


def test_a_bomb_is_refused_before_it_is_unpacked(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(library, tmp_path / "good.zip")
    monkeypatch.setattr(archive, "HARMLESS_BYTES", 1 << 20)
    bad = forged(tmp_path / "good.zip", tmp_path / "bad.zip", {"sessions/bomb.rehab": bytes(2 << 20)})
    fresh = Library(tmp_path / "fresh")
    with pytest.raises(BackupRefused, match="claims to unpack"):
        restore(fresh, bad)
    assert contents_of(fresh.folder) == {}


def test_a_bomb_of_ten_gigabytes_is_refused(library: Library, tmp_path: Path) -> None:
    """Only the central directory claims this size, and it is what is checked."""
    back_up(library, tmp_path / "good.zip")
    with zipfile.ZipFile(tmp_path / "good.zip") as old, zipfile.ZipFile(tmp_path / "bad.zip", "w") as new:
        for info in old.infolist():
            data = old.read(info)
            new.writestr(info, data)
        next(info for info in new.filelist if info.filename == "sessions/b.rehab").file_size = 10 * 10**9
    with pytest.raises(BackupRefused, match=r"10\.0 GB"):
        restore(Library(tmp_path / "fresh"), tmp_path / "bad.zip")


def test_a_backup_larger_than_the_disk_is_refused(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(library, tmp_path / "good.zip")
    usage = shutil.disk_usage(tmp_path)._replace(free=archive.RESERVE_BYTES + 1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    fresh = Library(tmp_path / "fresh")
    with pytest.raises(StoreFull):
        restore(fresh, tmp_path / "good.zip")
    assert contents_of(fresh.folder) == {}


def test_files_that_share_their_bytes_are_refused(library: Library, tmp_path: Path) -> None:
    back_up(library, tmp_path / "good.zip")
    with zipfile.ZipFile(tmp_path / "good.zip") as old, zipfile.ZipFile(tmp_path / "bad.zip", "w") as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info), zipfile.ZIP_STORED)
        first = new.filelist[-2]
        for number in range(3):
            twin = zipfile.ZipInfo(f"sessions/{number}.rehab")
            twin.header_offset, twin.compress_size, twin.file_size = (
                first.header_offset, first.compress_size, first.file_size,
            )  # fmt: skip
            twin.CRC = first.CRC
            new.filelist.append(twin)
    with pytest.raises(BackupRefused, match="overlap"):
        restore(Library(tmp_path / "fresh"), tmp_path / "bad.zip")


def test_every_flipped_bit_is_harmless_or_refused_in_words(library: Library, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.zip", tmp_path / "bad.zip"
    back_up(library, good)
    whole = good.read_bytes()
    with archive.reading(good) as backup:
        names = backup.manifest.files
    end = range(len(whole) - 1200, len(whole))  # manifest and directory: each byte
    refused = 0
    for position in [*range(64), *range(64, len(whole) - 1200, 97), *end]:
        garbled = bytearray(whole)
        garbled[position] ^= 1 << position % 8
        bad.write_bytes(garbled)
        try:
            with archive.reading(bad) as backup:
                assert backup.manifest.files == names
                for each in backup.manifest.files:
                    for _ in backup.blocks(each):
                        pass
        except BackupRefused:  # anything else fails the test
            refused += 1
    assert refused > 500


@pytest.mark.parametrize(
    "manifest", [b"[" * 200_000, b"9" * 100_000, b"\xff\xfe", b"{}", b'{"format": 1e400}', b"null"]
)
def test_a_manifest_of_any_kind_is_refused_in_words(library: Library, tmp_path: Path, manifest: bytes) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as packed:
        packed.writestr(archive.MANIFEST, manifest)
    with pytest.raises(BackupRefused):
        restore(library, tmp_path / "bad.zip")


def test_what_cannot_be_opened_is_refused_in_words(library: Library, tmp_path: Path) -> None:
    for bad in (tmp_path, tmp_path / "none.zip"):
        with pytest.raises(BackupRefused):
            restore(library, bad)


# -- what a backup leaves and replaces --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["data/library.sqlite", "data/LIBRARY.sqlite", "data/sessions/a.rehab", "data/sessions/b.zip", "x.rehab-wal"],
)
def test_a_backup_never_takes_the_place_of_the_library(library: Library, tmp_path: Path, name: str) -> None:
    before = contents_of(tmp_path)
    with pytest.raises(StoreUnwritable) as caught:
        back_up(library, tmp_path / name)
    assert caught.value.advice
    assert contents_of(tmp_path) == before


def test_a_backup_is_flushed_before_it_takes_its_name(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def flush(descriptor: int) -> None:
        seen.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        fsync(descriptor)

    def rename(self: Path, target: Path) -> Path:
        seen.append("rename")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", flush)
    monkeypatch.setattr(Path, "replace", rename)
    back_up(library, tmp_path / "good.zip")
    assert seen == ["file", "rename", "folder"]
    seen.clear()
    restore(Library(tmp_path / "fresh"), tmp_path / "good.zip")
    assert seen == ["file", "rename", "file", "rename", "folder"]


def test_a_backup_that_does_not_give_back_what_was_written_replaces_nothing(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "monday.zip"
    back_up(library, target)
    before = target.read_bytes()

    def forget(path: Path) -> None:
        """Simulates a USB stick that accepts everything and keeps half."""
        with path.open("r+b") as file:
            file.seek(2000)
            file.write(bytes(500))

    monkeypatch.setattr(archive, "flush_file", forget)
    with pytest.raises(StoreUnwritable, match="cannot be read back"):
        back_up(library, target)
    assert target.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "monday.zip"]


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_what_a_killed_backup_left_is_gone_after_the_next(library: Library, tmp_path: Path) -> None:
    out = tmp_path / "out"
    script = (
        "import os, sys; from pathlib import Path\n"
        "from rehabcount.store.backup import back_up; from rehabcount.store.library import Library\n"
        "back_up(Library(Path(sys.argv[1])), Path(sys.argv[2]), lambda done, of: done < 2 or os.kill(os.getpid(), 9))"
    )
    command = [sys.executable, "-c", script, str(library.folder), str(out / "a.zip")]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    (left,) = out.glob(".backup-*")
    assert any(left.iterdir())
    back_up(library, out / "b.zip")
    assert [path.name for path in out.iterdir()] == ["b.zip"]


def test_only_what_is_ours_and_abandoned_is_removed(library: Library, tmp_path: Path) -> None:
    def folder(name: str, *files: str, age_s: float = 0.0) -> Path:
        made = tmp_path / name
        made.mkdir()
        for file in files:
            (made / file).touch()
        os.utime(made, (time.time() - age_s,) * 2)
        return made

    running = folder(".backup-running1", "copy")
    held = RecordingLock(running / archive.RUNNING)
    stay = [
        running,
        folder(".backup-young123", "copy"),
        folder(".backup-holidays", "photo.jpg", age_s=10**7),
        folder(".backup-mixed123", "copy", "photo.jpg", age_s=10**7),
    ]
    (tmp_path / ".backup-link").symlink_to(stay[2])
    go = [
        folder(".backup-old_copy", "copy", age_s=10**6),
        folder(".backup-killed12", "copy", "fresh.zip", "running.lock"),
    ]
    back_up(library, tmp_path / "monday.zip")
    held.release()
    assert all(each.exists() for each in stay)
    assert not any(each.exists() for each in go)


def test_a_file_that_only_looks_like_a_part_of_a_backup_stays(library: Library, tmp_path: Path) -> None:
    (tmp_path / "monday.zip.part").write_text("another file")
    back_up(library, tmp_path / "monday.zip")
    assert (tmp_path / "monday.zip.part").read_text() == "another file"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names there")
def test_a_pipe_in_place_of_a_backup_is_refused_at_once(library: Library, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "monday.zip")
    with pytest.raises(BackupRefused, match="not a file"):
        restore(library, tmp_path / "monday.zip")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names there")
def test_a_pipe_among_the_sessions_is_left_out_and_named(library: Library, tmp_path: Path) -> None:
    os.mkfifo(library.sessions_folder / "pipe.rehab")
    assert back_up(library, tmp_path / "monday.zip").left_out == ("pipe.rehab",)

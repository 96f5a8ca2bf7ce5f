"""Each failure of a file or disk has its own error, with advice, and loses nothing that was stored."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Rig
from rehabcount.errors import (
    SessionBusy,
    SessionCorrupt,
    SessionForeign,
    SessionMissing,
    SessionNewer,
    StoreError,
    StoreFull,
    StoreUnwritable,
)
from rehabcount.store import connection, schema
from rehabcount.store.connection import OUR_MISTAKES, plainly
from rehabcount.store.documents import IMPORT, PLAN
from rehabcount.store.session_file import SessionFile

MakeSession = Callable[..., Path]
Items = list[Packet | Silence]
Opener = Callable[[Path], SessionFile]
OPENERS = [SessionFile.open, SessionFile.annotate, SessionFile.record]


@pytest.fixture(params=OPENERS, ids=lambda opener: opener.__name__)
def opener(request: pytest.FixtureRequest) -> Opener:
    return request.param


def refuse(opener: Opener, path: Path, error: type[StoreError]) -> StoreError:
    """Opening raises exactly this error, which names the file and gives advice, and leaves nothing beside it."""
    beside = sorted(path.parent.iterdir()) if path.parent.exists() else None
    with pytest.raises(error) as caught:
        opener(path)
    assert type(caught.value) is error
    assert path.name in str(caught.value)
    assert caught.value.advice
    assert caught.value.exit_code == 5
    if beside is not None:
        assert sorted(path.parent.iterdir()) == beside
    return caught.value


def test_missing(opener: Opener, tmp_path: Path) -> None:
    refuse(opener, tmp_path / "none.rehab", SessionMissing)
    refuse(opener, tmp_path / "no folder" / "none.rehab", SessionMissing)


@pytest.mark.parametrize("content", [b"", b"time,x,y\n0,1,2\n", b"\x00" * 5000, b"SQLite"])
def test_foreign_files(opener: Opener, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.rehab"
    path.write_bytes(content)
    refuse(opener, path, SessionForeign)
    assert path.read_bytes() == content


def test_a_folder_is_foreign(opener: Opener, tmp_path: Path) -> None:
    path = tmp_path / "a.rehab"
    path.mkdir()
    refuse(opener, path, SessionForeign)


def test_another_database_is_foreign(opener: Opener, tmp_path: Path) -> None:
    path = tmp_path / "a.rehab"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE packet (seq INTEGER PRIMARY KEY)")
    other.close()
    before = path.read_bytes()
    refuse(opener, path, SessionForeign)
    assert path.read_bytes() == before


def test_newer_schema(opener: Opener, make_session: MakeSession) -> None:
    path = make_session()
    raw = sqlite3.connect(path)
    raw.execute(f"PRAGMA user_version = {schema.newest_version() + 1}")
    raw.close()
    before = path.read_bytes()
    refuse(opener, path, SessionNewer)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kept", [50, 100, 4096, 8192, 0.5, 0.99])
def test_truncated(opener: Opener, make_session: MakeSession, kept: float) -> None:
    path = make_session()
    size = path.stat().st_size
    os.truncate(path, int(kept if kept > 1 else kept * size))
    before = path.read_bytes()
    error = refuse(opener, path, SessionCorrupt)
    assert "recover" in error.advice
    assert "--out" in error.advice
    assert path.read_bytes() == before


def test_a_hole_in_the_middle_is_found_when_it_is_read(make_session: MakeSession) -> None:
    path = make_session(number=5000)
    with path.open("r+b") as file:
        file.seek(60 * 4096)
        file.write(b"\xff" * 4096 * 20)
    with SessionFile.open(path) as session:
        with pytest.raises(SessionCorrupt):
            list(session.items())
        assert session.damage() != ()


def test_garbled_text_and_unlisted_sensors_are_corruption(make_session: MakeSession) -> None:
    path = make_session()
    raw = sqlite3.connect(path)
    raw.execute("UPDATE document SET content = CAST(x'ff' AS TEXT) WHERE name = 'plan'")
    raw.execute("UPDATE document SET content = '{' WHERE name = 'import'")
    raw.execute("DELETE FROM sensor WHERE name = 'pelvis'")
    raw.execute("UPDATE session_update SET kind = 'Surprise'")
    raw.commit()
    raw.close()
    with SessionFile.open(path) as file:
        for read in (
            lambda: file.document(PLAN),
            lambda: file.document(IMPORT),
            lambda: list(file.items()),
            lambda: list(file.updates(1)),
        ):
            with pytest.raises(SessionCorrupt):
                read()


def test_a_session_without_tables_is_corrupt(opener: Opener, make_session: MakeSession) -> None:
    path = make_session()
    raw = sqlite3.connect(path)
    raw.execute("DROP TABLE packet")
    raw.close()
    refuse(opener, path, SessionCorrupt)


def test_busy_with_another_process(make_session: MakeSession) -> None:
    path = make_session(closed=False)
    code = (
        "import sys; from pathlib import Path; from rehabcount.store.session_file import SessionFile\n"
        "SessionFile.record(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    try:
        refuse(SessionFile.record, path, SessionBusy)
        with SessionFile.open(path) as file:
            assert file.state() == "recording"
    finally:
        holder.kill()
        holder.communicate()
    with SessionFile.open(path) as file:
        assert file.state() == "interrupted"
    with SessionFile.record(path) as file:
        assert len(list(file.items())) == 1000


def test_locked_by_a_program_that_does_not_let_go(make_session: MakeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_S", 0.05)
    path = make_session()
    tool = sqlite3.connect(path, isolation_level=None)
    tool.execute("BEGIN EXCLUSIVE")
    refuse(SessionFile.annotate, path, SessionBusy)
    tool.close()
    with SessionFile.annotate(path) as file:
        assert file.damage() == ()


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> Callable[[int | None], None]:
    """Limits session files opened from now on to this number of pages."""
    connect = connection.connect
    limit: list[int | None] = [None]

    def connect_with_limit(path: Path, mode: str) -> sqlite3.Connection:
        opened = connect(path, mode)
        if limit[0] is not None:
            opened.execute(f"PRAGMA max_page_count = {limit[0]}")
        return opened

    for module in ("connection", "creation"):
        monkeypatch.setattr(f"rehabcount.store.{module}.connect", connect_with_limit)

    def set_limit(pages: int | None) -> None:
        limit[0] = pages

    return set_limit


def test_full_disk_keeps_what_was_there(
    make_session: MakeSession, items_from: Callable[..., Items], no_room: Callable[[int | None], None]
) -> None:
    path = make_session(closed=False)
    no_room(60)
    with SessionFile.record(path) as file:
        with pytest.raises(StoreFull, match="full") as caught:
            file.append(items_from(5000, 1000))
        assert caught.value.advice
        assert list(file.items()) == items_from(1000)
        file.append(items_from(10, 1000))
    with SessionFile.open(path) as file:
        assert list(file.items()) == items_from(1010)
        assert file.damage() == ()


def test_full_disk_at_creation_leaves_no_file(tmp_path: Path, rig: Rig, no_room: Callable[[int | None], None]) -> None:
    no_room(3)
    with pytest.raises(StoreFull):
        SessionFile.create(tmp_path / "a.rehab", rig)
    assert not list(tmp_path.iterdir())


def test_creation_never_overwrites(make_session: MakeSession, rig: Rig) -> None:
    path = make_session()
    before = path.read_bytes()
    with pytest.raises(StoreUnwritable, match="exists") as caught:
        SessionFile.create(path, rig)
    assert caught.value.advice
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_creation_beside_another_sessions_log_is_refused(make_session: MakeSession, rig: Rig, tmp_path: Path) -> None:
    """SQLite would apply the log to the new file."""
    (tmp_path / "b.rehab-wal").write_bytes(b"of a session that was moved away")
    with pytest.raises(StoreUnwritable, match="left from another"):
        SessionFile.create(tmp_path / "b.rehab", rig)


@pytest.mark.skipif(sys.platform != "linux", reason="uses /proc, where not even root can make files")
def test_a_folder_that_takes_no_files(rig: Rig) -> None:
    with pytest.raises(StoreUnwritable) as caught:
        SessionFile.create(Path("/proc/a.rehab"), rig)
    assert caught.value.advice
    with pytest.raises(StoreUnwritable):
        SessionFile.create(Path("/proc/folder/a.rehab"), rig)


def test_a_file_where_a_folder_is_needed(tmp_path: Path, rig: Rig) -> None:
    (tmp_path / "notes").write_text("")
    with pytest.raises(StoreUnwritable):
        SessionFile.create(tmp_path / "notes" / "a.rehab", rig)


def test_every_complaint_of_sqlite_is_translated_or_declared_ours(tmp_path: Path) -> None:
    path = tmp_path / "a.rehab"
    path.touch()
    for name in _error_names():
        error = sqlite3.OperationalError("as SQLite says it")
        error.sqlite_errorcode = getattr(sqlite3, name)
        ours = error.sqlite_errorcode & 0xFF in OUR_MISTAKES
        with pytest.raises(sqlite3.OperationalError if ours else StoreError), plainly(path):
            raise error


def _error_names() -> set[str]:
    """Result codes among the constants; the rest are authoriser actions and limits, which have small numbers, too."""
    families = (
        "ABORT AUTH BUSY CANTOPEN CONSTRAINT CORRUPT EMPTY ERROR FORMAT FULL INTERNAL INTERRUPT IOERR LOCKED MISMATCH"
    )
    families += " MISUSE NOLFS NOMEM NOTADB NOTFOUND PERM PROTOCOL RANGE READONLY SCHEMA TOOBIG WARNING"
    return {name for name in dir(sqlite3) for family in families.split() if name.split("_")[:2] == ["SQLITE", family]}


def test_the_codes_of_sqlite_are_all_known() -> None:
    """A new family of result codes in sqlite3 must be translated, or declared our own mistake."""
    known = {getattr(sqlite3, name) & 0xFF for name in _error_names()}
    assert known == set(range(1, 27)) | {sqlite3.SQLITE_WARNING}


def test_an_input_output_error_on_a_disk_without_room_is_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.rehab"
    path.touch()
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    with pytest.raises(StoreUnwritable), plainly(path):
        raise error
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 0))
    with pytest.raises(StoreFull), plainly(path):
        raise error

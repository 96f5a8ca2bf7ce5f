"""The recorder accepts items from any thread, never waits for the disk, and loses nothing when the disk refuses."""

from __future__ import annotations

import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Rig
from rehabcount.domain.update import Mark, Recorded
from rehabcount.errors import (
    RehabcountError,
    SessionBusy,
    SessionMissing,
    StoreError,
    StoreFull,
    StoreUnwritable,
)
from rehabcount.store import connection, recorder, session_file
from rehabcount.store.packets import PacketRow
from rehabcount.store.recorder import Recorder, follow
from rehabcount.store.session_file import SessionFile

MakeSession = Callable[..., Path]
Items = list[Recorded]


@pytest.fixture
def path(tmp_path: Path, rig: Rig) -> Path:
    path = tmp_path / "a.rehab"
    SessionFile.create(path, rig).close()
    return path


@pytest.fixture(autouse=True)
def _quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "RETRY_EVERY_S", 0.02)
    monkeypatch.setattr(recorder, "COMMIT_EVERY_S", 0.02)


def stored(path: Path) -> Items:
    with SessionFile.open(path) as file:
        return list(file.items())


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "waited for 10 s"
        time.sleep(0.005)


def test_what_is_accepted_is_stored_in_order_and_the_session_closed(
    path: Path, items_from: Callable[..., Items]
) -> None:
    items = items_from(500)
    with Recorder(path) as opened:
        for item in items:
            opened.accept(item)
    assert stored(path) == items
    with SessionFile.open(path) as file:
        assert file.state() == "closed"
        assert file.about()["closed_by"] == "recorder"
        assert len(file.stretches()) == 1
    assert opened.unwritten == 0
    opened.close()
    with pytest.raises(ValueError, match="closed"):
        opened.accept(items[0])


def test_packets_are_on_disk_while_the_session_runs(path: Path, items_from: Callable[..., Items]) -> None:
    with Recorder(path) as opened:
        for item in items_from(50):
            opened.accept(item)
        wait_until(lambda: len(stored(path)) == 50)


def test_many_threads_each_keep_their_order(path: Path) -> None:
    def send(name: str) -> None:
        for i in range(300):
            opened.accept(Packet(name, i.to_bytes(2, "big"), i))

    with Recorder(path) as opened:
        threads = [threading.Thread(target=send, args=(f"sensor {i}",)) for i in range(9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for i in range(9):
        mine = [item.payload for item in stored(path) if isinstance(item, Packet) and item.sensor == f"sensor {i}"]
        assert mine == [k.to_bytes(2, "big") for k in range(300)]


def test_a_bytearray_is_taken_as_it_is_at_the_call(path: Path) -> None:
    """Radio libraries reuse their buffers."""
    buffer = bytearray(b"first")
    with Recorder(path) as opened:
        opened.accept(Packet("a", buffer, 1))  # type: ignore[arg-type]
        buffer[:] = b"later"
    assert stored(path) == [Packet("a", b"first", 1)]


def test_accepting_does_not_wait_for_the_disk(path: Path, items_from: Callable[..., Items]) -> None:
    blocker = sqlite3.connect(path, isolation_level=None)
    with Recorder(path) as opened:
        blocker.execute("BEGIN IMMEDIATE")
        started = time.monotonic()
        for item in items_from(200):
            opened.accept(item)
            time.sleep(0.0005)
        assert time.monotonic() - started < 1.0
        assert stored(path) == []
        blocker.execute("ROLLBACK")
        blocker.close()
    assert stored(path) == items_from(200)


def test_two_recorders_on_one_file(path: Path) -> None:
    with Recorder(path):
        with pytest.raises(SessionBusy):
            Recorder(path)
        with pytest.raises(SessionBusy):
            SessionFile.record(path)
    with pytest.raises(StoreUnwritable, match="closed"):
        Recorder(path)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """While there is a code in this list, every transaction on any connection fails with it."""
    codes: list[int] = []
    transaction = connection.transaction

    def failing_transaction(opened: sqlite3.Connection) -> object:
        if codes:
            error = sqlite3.OperationalError("as SQLite says it")
            error.sqlite_errorcode = codes[0]
            raise error
        return transaction(opened)

    monkeypatch.setattr(session_file, "transaction", failing_transaction)
    return codes


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (sqlite3.SQLITE_FULL, StoreFull),
        (sqlite3.SQLITE_READONLY, StoreUnwritable),
        (sqlite3.SQLITE_IOERR_WRITE, StoreUnwritable),
        (sqlite3.SQLITE_BUSY, SessionBusy),
    ],
)
def test_trouble_is_seen_and_nothing_lost(
    path: Path, items_from: Callable[..., Items], failing: list[int], code: int, expected: type[RehabcountError]
) -> None:
    heard: list[RehabcountError | None] = []
    with Recorder(path, on_trouble=heard.append) as opened:
        for item in items_from(100):
            opened.accept(item)
        wait_until(lambda: len(stored(path)) == 100)
        assert not heard
        failing.append(code)
        for item in items_from(100, 100):
            opened.accept(item)
        wait_until(lambda: heard)
        assert isinstance(opened.trouble, expected)
        assert opened.trouble.advice
        assert opened.unwritten == 100
        assert stored(path) == items_from(100)
        failing.clear()
        wait_until(lambda: opened.trouble is None)
        opened.accept(items_from(1, 200)[0])
    assert stored(path) == items_from(201)
    assert [type(error) for error in heard] == [expected, type(None)]


def test_a_disk_that_is_full_by_sqlites_own_account(
    path: Path, items_from: Callable[..., Items], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = connection.connect
    limit = [40]

    def connect_with_limit(path: Path, mode: str) -> sqlite3.Connection:
        opened = connect(path, mode)
        opened.execute(f"PRAGMA max_page_count = {limit[0]}")
        return opened

    monkeypatch.setattr(connection, "connect", connect_with_limit)
    monkeypatch.setattr(recorder, "ROWS_A_COMMIT", 100)
    with Recorder(path) as opened:
        for item in items_from(5000):
            opened.accept(item)
        wait_until(lambda: isinstance(opened.trouble, StoreFull))
        part = len(stored(path))
        assert 0 < part < 5000, "what fits is stored"
        assert stored(path)[:part] == items_from(part)
        wait_until(lambda: opened.unwritten == 5000 - len(stored(path)))
        limit[0] = 10_000
        wait_until(lambda: opened.trouble is None)
    assert stored(path) == items_from(5000)


def test_closing_into_trouble_raises_and_can_be_done_again(
    path: Path, items_from: Callable[..., Items], failing: list[int]
) -> None:
    opened = Recorder(path)
    failing.append(sqlite3.SQLITE_FULL)
    for item in items_from(10):
        opened.accept(item)
    for _ in range(2):
        with pytest.raises(StoreFull):
            opened.close()
        assert opened.unwritten == 10
        with pytest.raises(SessionBusy):
            Recorder(path)
    failing.clear()
    opened.close()
    assert stored(path) == items_from(10)
    with SessionFile.open(path) as file:
        assert file.state() == "closed"


def test_what_a_kill_would_lose_is_known_and_said_at_the_end(path: Path, failing: list[int]) -> None:
    opened = Recorder(path)
    assert opened.unwritten_s == 0.0
    failing.append(sqlite3.SQLITE_FULL)
    for second in range(32):
        opened.accept(Packet("pelvis", b"a", second * 10**9))
    assert opened.unwritten_s == 31.0
    wait_until(lambda: opened.trouble)
    assert opened.unwritten_s == 31.0
    with pytest.raises(StoreFull, match=r"31\.0 s of the recording are not on the disk\.\n") as caught:
        opened.close()
    assert caught.value.advice
    failing.clear()
    opened.close()
    assert opened.unwritten_s == 0.0


def test_an_end_waits_for_room_until_it_is_given_up(
    path: Path, items_from: Callable[..., Items], failing: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "RETRY_EVERY_S", 0.01)
    opened = Recorder(path)
    failing.append(sqlite3.SQLITE_FULL)
    for item in items_from(10):
        opened.accept(item)
    begun_s = time.monotonic()
    with pytest.raises(StoreFull):
        opened.close(0.2)
    assert time.monotonic() - begun_s >= 0.2
    failing.clear()
    opened.close()
    assert stored(path) == items_from(10)


def test_room_that_comes_while_it_waits_is_used(
    path: Path, items_from: Callable[..., Items], failing: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "RETRY_EVERY_S", 0.01)
    opened = Recorder(path)
    failing.append(sqlite3.SQLITE_FULL)
    for item in items_from(10):
        opened.accept(item)
    threading.Timer(0.1, failing.clear).start()
    opened.close(60.0)
    assert stored(path) == items_from(10)


def test_giving_up_ends_the_waiting(path: Path, items_from: Callable[..., Items], failing: list[int]) -> None:
    opened = Recorder(path)
    failing.append(sqlite3.SQLITE_FULL)
    opened.accept(items_from(1)[0])
    threading.Timer(0.1, opened.give_up).start()
    with pytest.raises(StoreFull):
        opened.close(60.0)
    failing.clear()
    opened.close()


def test_where_little_fits_little_is_written(
    path: Path, items_from: Callable[..., Items], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill loses nothing that is on the disk: a backlog that does not fit completely is written in parts."""
    append_rows = SessionFile.append_rows
    room = [130]

    def append_what_fits(self: SessionFile, rows: list[PacketRow]) -> int:
        if len(rows) > room[0]:
            raise StoreFull("no room")
        last = append_rows(self, rows)
        room[0] -= len(rows)
        return last

    monkeypatch.setattr(SessionFile, "append_rows", append_what_fits)
    monkeypatch.setattr(recorder, "ROWS_A_COMMIT", 800)
    monkeypatch.setattr(recorder, "RETRY_EVERY_S", 0.01)
    with Recorder(path) as opened:
        for item in items_from(1000):
            opened.accept(item)
        wait_until(lambda: room[0] < recorder.FEWEST_ROWS_A_COMMIT)
        assert stored(path) == items_from(130 - room[0])
        room[0] = 10_000
        wait_until(lambda: opened.trouble is None)
    assert stored(path) == items_from(1000)


def test_a_commit_that_failed_but_reached_the_disk_is_not_repeated(
    path: Path, items_from: Callable[..., Items], monkeypatch: pytest.MonkeyPatch
) -> None:
    append_rows = SessionFile.append_rows
    failures = [sqlite3.SQLITE_IOERR_FSYNC]

    def append_and_fail(self: SessionFile, rows: list[PacketRow]) -> int:
        last = append_rows(self, rows)
        if failures:
            failures.pop()
            raise StoreError("the flush failed, who knows what is on the disk")
        return last

    monkeypatch.setattr(SessionFile, "append_rows", append_and_fail)
    with Recorder(path) as opened:
        for item in items_from(100):
            opened.accept(item)
        wait_until(lambda: not failures and opened.trouble is None)
        for item in items_from(100, 100):
            opened.accept(item)
    assert stored(path) == items_from(200)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let an open file be moved")
def test_a_file_moved_away_in_mid_session_is_noticed_and_nothing_lost(
    path: Path, items_from: Callable[..., Items]
) -> None:
    away = path.with_name("elsewhere.rehab")
    with Recorder(path) as opened:
        for item in items_from(100):
            opened.accept(item)
        wait_until(lambda: opened.unwritten == 0)
        path.rename(away)
        for item in items_from(100, 100):
            opened.accept(item)
        wait_until(lambda: isinstance(opened.trouble, SessionMissing))
        away.rename(path)
        wait_until(lambda: opened.trouble is None)
    assert stored(path) == items_from(200)


def test_an_unexpected_error_does_not_end_the_recording(
    path: Path, items_from: Callable[..., Items], monkeypatch: pytest.MonkeyPatch
) -> None:
    surprises = [RuntimeError("unexpected")]
    append_rows = SessionFile.append_rows

    def surprising(self: SessionFile, rows: list[PacketRow]) -> int:
        if surprises:
            raise surprises.pop()
        return append_rows(self, rows)

    monkeypatch.setattr(SessionFile, "append_rows", surprising)
    heard: list[RehabcountError | None] = []
    with Recorder(path, on_trouble=heard.append) as opened:
        for item in items_from(10):
            opened.accept(item)
        wait_until(lambda: len(heard) == 2)
    assert "unexpected" in str(heard[0])
    assert stored(path) == items_from(10)


def test_a_listener_that_fails_does_not_end_the_recording(
    path: Path, items_from: Callable[..., Items], failing: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    def listen(_: RehabcountError | None) -> None:
        raise RuntimeError("no window to show it in")

    with Recorder(path, on_trouble=listen) as opened:
        failing.append(sqlite3.SQLITE_FULL)
        for item in items_from(10):
            opened.accept(item)
        wait_until(lambda: opened.trouble)
        failing.clear()
        wait_until(lambda: opened.unwritten == 0)
    assert stored(path) == items_from(10)
    assert "no window" in caplog.text
    assert path.name not in caplog.text, "file names may name people; logs must not"


def test_following_yields_what_is_committed_and_ends_with_the_session(
    path: Path, items_from: Callable[..., Items]
) -> None:
    followed: Items = []
    late: Items = []
    follower = threading.Thread(target=lambda: followed.extend(follow(path, threading.Event())))
    with Recorder(path) as opened:
        follower.start()
        for item in items_from(300):
            opened.accept(item)
            time.sleep(0.0005)
        wait_until(lambda: opened.unwritten == 0)
        follower_late = threading.Thread(target=lambda: late.extend(follow(path, threading.Event(), after_seq=250)))
        follower_late.start()
        for item in items_from(300, 300):
            opened.accept(item)
    follower.join(10)
    follower_late.join(10)
    assert followed == items_from(600)
    assert late == items_from(350, 250)


def test_recorder_engine_and_screen_share_the_file(path: Path, items_from: Callable[..., Items]) -> None:
    """As in a session: one thread records, one follows and writes updates, one writes marks."""
    heard: list[RehabcountError | None] = []

    def count() -> None:
        with SessionFile.annotate(path) as file:
            file.begin_counting("model")
            for number, item in enumerate(follow(path, threading.Event()), 1):
                if number % 20 == 0:
                    file.accept(Mark(number, str(item.received_ns)))

    def mark() -> None:
        with SessionFile.annotate(path) as file:
            for i in range(30):
                file.accept(Mark(i))

    with Recorder(path, on_trouble=heard.append) as opened:
        threads = [threading.Thread(target=count), threading.Thread(target=mark)]
        for thread in threads:
            thread.start()
        for item in items_from(600):
            opened.accept(item)
            time.sleep(0.0005)
    for thread in threads:
        thread.join(20)
    assert not heard
    assert stored(path) == items_from(600)
    with SessionFile.open(path) as file:
        assert list(file.updates(1)) == [Mark(n, str(items_from(1, n - 1)[0].received_ns)) for n in range(20, 601, 20)]
        assert list(file.updates(None)) == [Mark(i) for i in range(30)]
    assert list(path.parent.iterdir()) == [path]


def test_following_stops_when_told(path: Path, items_from: Callable[..., Items]) -> None:
    stop = threading.Event()
    ended = threading.Event()

    def read() -> None:
        for _ in follow(path, stop):
            pass
        ended.set()

    with Recorder(path):
        follower = threading.Thread(target=read)
        follower.start()
        assert not ended.wait(0.1)
        stop.set()
        assert ended.wait(5)
        follower.join()


def test_a_slow_follower_does_not_let_the_log_grow(path: Path, items_from: Callable[..., Items]) -> None:
    """A reader that pauses during its iteration holds no snapshot, so the writer can fold its log in."""
    with Recorder(path) as opened:
        for item in items_from(9000):
            opened.accept(item)
        wait_until(lambda: opened.unwritten == 0)
        reader = follow(path, threading.Event())
        next(reader)
        for first in range(9000, 90_000, 3000):
            for item in items_from(3000, first):
                opened.accept(item)
            time.sleep(0.03)
        wait_until(lambda: opened.unwritten == 0)
        log = path.with_name(path.name + "-wal")
        assert log.stat().st_size < path.stat().st_size / 2
        assert sum(1 for _ in zip(range(89_999), reader, strict=False)) == 89_999
        reader.close()


def test_a_continued_recording_goes_on_after_what_was_there(
    make_session: MakeSession, items_from: Callable[..., Items]
) -> None:
    path = make_session(number=100, closed=False)
    with Recorder(path) as opened:
        assert opened.shift_ns != 0
        opened.accept(Packet("pelvis", b"again", time.monotonic_ns()))
    items = stored(path)
    assert items[:100] == items_from(100)
    times = [item.received_ns for item in items]
    assert times == sorted(times)
    assert isinstance(items[-1], Packet)
    assert all(isinstance(item, Silence) and item.since_ns == times[99] for item in items[100:-1])
    with SessionFile.open(path) as file:
        assert [stretch.first_seq for stretch in file.stretches()] == [1, 101]

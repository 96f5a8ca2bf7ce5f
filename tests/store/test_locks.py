"""A recorder keeps its locks while other threads and processes open and close the file.

SQLite's locks are POSIX locks of a process: opening and closing the file without SQLite drops them. The next program
that reads the session would then treat it as interrupted and remove its log during the recording.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.patient import Patient
from rehabcount.domain.rig import Rig, Side
from rehabcount.errors import SessionBusy, SessionForeign, StoreError
from rehabcount.store import connection
from rehabcount.store.backup import back_up
from rehabcount.store.connection import check_header, is_database
from rehabcount.store.contents import State
from rehabcount.store.documents import SIMULATION
from rehabcount.store.library import Library, look_at
from rehabcount.store.recorder import Recorder, follow
from rehabcount.store.recovery import close_interrupted, salvage
from rehabcount.store.session_file import SessionFile

LOCKS = Path("/proc/locks")
HERE = Path(__file__).parent
ALLOWED_LOSS = 900  # packets: one second of nine sensors at 100 Hz
COMMIT_WITHIN_S = 5.0

needs_locks = pytest.mark.skipif(not LOCKS.is_file(), reason="the system does not list its locks in /proc/locks")
needs_kill = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")


def locks_of(path: Path) -> list[str]:
    """The POSIX locks that this process holds on the file: kind and bytes of each."""
    mine = str(os.getpid())
    inode = str(path.stat().st_ino)
    lines = [line.split() for line in LOCKS.read_text().splitlines()]
    return sorted(
        " ".join(each[3:4] + each[6:8])
        for each in lines
        if each[1] == "POSIX" and each[4] == mine and each[5].rsplit(":", 1)[-1] == inode
    )


def committed(recorder: Recorder) -> None:
    """Waits until what was accepted is on the disk."""
    until = time.monotonic() + COMMIT_WITHIN_S
    while recorder.unwritten and time.monotonic() < until:
        time.sleep(0.01)
    assert not recorder.unwritten


def look_twice(path: Path) -> None:
    with SessionFile.open(path) as one, SessionFile.open(path) as two:
        assert one.about() == two.about()


def read_on(path: Path) -> None:
    stop = threading.Event()
    for _ in follow(path, stop):
        stop.set()


def annotated(path: Path) -> None:
    with SessionFile.annotate(path) as file:
        file.put_document(SIMULATION, {"a": 1})


def listed(path: Path) -> None:
    Library(path.parent.parent).sessions()


def assigned(path: Path) -> None:
    library = Library(path.parent.parent)
    with suppress(StoreError):
        library.add_patient(Patient("P-001", side=Side.LEFT))
    library.assign(path, "P-001")


def backed_up(path: Path) -> None:
    back_up(Library(path.parent.parent), path.parent.parent / "all.zip")


def refused_as_busy(path: Path) -> None:
    for attempt in (SessionFile.record, close_interrupted, lambda path: salvage(path, path.with_name("new.rehab"))):
        with pytest.raises(SessionBusy):
            attempt(path)


def examined(path: Path) -> None:
    check_header(path)
    assert is_database(path)
    with SessionFile.open(path) as file:
        assert file.damage() == ()
        assert file.contents().state is State.RECORDING


def a_foreign_tool(path: Path) -> None:
    code = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM packet').fetchone())"
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, capture_output=True)


def another_of_ours(path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from rehabcount.store.session_file import SessionFile as S\n"
        "with S.open(Path(sys.argv[1])) as file: sum(1 for _ in file.items())"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, capture_output=True)


VISITORS: list[Callable[[Path], object]] = [
    look_at,
    look_twice,
    read_on,
    annotated,
    listed,
    assigned,
    backed_up,
    refused_as_busy,
    examined,
    a_foreign_tool,
    another_of_ours,
]


@needs_locks
@pytest.mark.parametrize("visit", VISITORS, ids=lambda visit: visit.__name__)
def test_a_recorder_keeps_its_locks(visit: Callable[[Path], object], tmp_path: Path, rig: Rig) -> None:
    path = tmp_path / "sessions" / "a.rehab"
    SessionFile.create(path, rig).close()
    with Recorder(path) as recorder:
        recorder.accept(Packet(rig.names[0], b"before", time.monotonic_ns()))
        committed(recorder)
        held = locks_of(path)
        assert held  # a shared lock shows that the file is in use
        visit(path)
        assert locks_of(path) == held
        assert path.with_name("a.rehab-wal").stat().st_size
        recorder.accept(Packet(rig.names[0], b"after", time.monotonic_ns()))
        committed(recorder)
    with SessionFile.open(path) as file:
        assert file.damage() == ()
        packets = [item.payload for item in file.items() if isinstance(item, Packet)]
    assert packets == [b"before", b"after"]


@needs_locks
def test_a_transaction_in_the_library_keeps_its_locks(tmp_path: Path) -> None:
    """Two threads of one window use the library; the second must not drop the locks of the first."""
    library = Library(tmp_path)
    library.add_patient(Patient("P-001", side=Side.LEFT))
    with closing(sqlite3.connect(library.path, isolation_level=None)) as other_thread:
        other_thread.execute("BEGIN IMMEDIATE")
        held = locks_of(library.path)
        assert held
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(connection, "BUSY_TIMEOUT_S", 0.05)
            with pytest.raises(SessionBusy):
                library.add_patient(Patient("P-002", side=Side.LEFT))
        assert locks_of(library.path) == held


def test_what_a_header_says_is_read_without_a_trace(tmp_path: Path) -> None:
    """Another program's database in WAL mode gets no files beside it, and none of its bytes change."""
    path = tmp_path / "other.rehab"
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("CREATE TABLE packet (seq INTEGER PRIMARY KEY)")
    before = path.read_bytes()
    with pytest.raises(SessionForeign):
        check_header(path)
    assert is_database(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


# -- kills with readers around -----------------------------------------------------------------------------------------


def record_among_readers(path: Path, rig: Rig, number: int) -> tuple[int, list[bytes]]:
    """A recording that is killed while other programs read it; number of accepted packets, and error output."""
    moment = random.Random(number)
    SessionFile.create(path, rig).close()
    child = subprocess.Popen(
        [sys.executable, str(HERE / "recording_child.py"), str(path), "1" if number % 2 else "250", "readers"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    first = child.stdout.readline()
    until = time.monotonic() + moment.uniform(0.5, 2.0)
    complaints = []
    while time.monotonic() < until:
        visit = moment.choice([another_of_ours, a_foreign_tool])
        try:
            visit(path)
        except subprocess.CalledProcessError as problem:
            complaints.append(problem.stderr)
    child.send_signal(signal.SIGKILL)
    rest, said = child.communicate()
    assert child.returncode == -signal.SIGKILL, said.decode()
    return int((first + rest).split(b"\n")[-2]) + 1, complaints


def survive_among_readers(folder: Path, rig: Rig, number: int) -> int:
    """How many accepted packets are missing afterwards; the others must be complete and in order."""
    path = folder / str(number) / "a.rehab"
    accepted, complaints = record_among_readers(path, rig, number)
    assert complaints == []
    with SessionFile.open(path) as file:
        assert file.state() is State.INTERRUPTED
        assert file.damage() == ()
        items = list(file.items())
    assert not any(isinstance(item, Silence) for item in items)
    assert [item.payload for item in items if isinstance(item, Packet)] == [
        i.to_bytes(63, "big") for i in range(len(items))
    ]
    return accepted - len(items)


@needs_kill
def test_a_kill_among_readers(tmp_path: Path, rig: Rig) -> None:
    assert survive_among_readers(tmp_path, rig, 1) <= ALLOWED_LOSS


@needs_kill
@pytest.mark.slow
def test_fifty_kills_among_readers(tmp_path: Path, rig: Rig) -> None:
    with ThreadPoolExecutor(2) as side_by_side:
        losses = list(side_by_side.map(lambda number: survive_among_readers(tmp_path, rig, number), range(100, 150)))
    print(f"packets lost: worst {max(losses)}, mean {sum(losses) / 50:.0f} of {ALLOWED_LOSS} allowed")
    assert max(losses) <= ALLOWED_LOSS

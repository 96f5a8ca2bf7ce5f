"""Not a test: the process of test_disks.py for full disks and read-only folders. A failed assertion fails the test.

python disk_child.py full FOLDER        FOLDER is a file system of 2 MB
python disk_child.py read-only FOLDER   FOLDER may not be written; it holds closed.rehab, log.rehab, interrupted.rehab
                                        and a library in data

With a user id behind it, the process first becomes that user: root may write anywhere.
"""

import contextlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rehabcount.domain.motion import Packet
from rehabcount.domain.patient import Patient
from rehabcount.domain.rig import Side, make_rig
from rehabcount.errors import StoreError, StoreFull, StoreUnwritable
from rehabcount.store.backup import back_up
from rehabcount.store.library import Library
from rehabcount.store.recorder import Recorder
from rehabcount.store.recovery import close_interrupted
from rehabcount.store.session_file import SessionFile

RIG = make_rig("nine", Side.LEFT, "layout", 100.0)


def wait_until(condition: Callable[[], object]) -> None:
    deadline_s = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline_s, "waited for 20 s"
        time.sleep(0.01)


def refused(attempt: Callable[[], object], error: type[StoreError]) -> None:
    with pytest.raises(error) as caught:
        attempt()
    assert type(caught.value) is error
    assert caught.value.advice


def full(folder: Path) -> None:
    path, ballast = folder / "a.rehab", folder / "ballast"
    SessionFile.create(path, RIG).close()
    packets = [Packet(RIG.names[i % 9], i.to_bytes(63, "big"), i) for i in range(6000)]
    with Recorder(path) as recorder:
        for packet in packets[:1000]:
            recorder.accept(packet)
        wait_until(lambda: recorder.unwritten == 0)
        with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(1024))
        for packet in packets[1000:]:
            recorder.accept(packet)
        wait_until(lambda: isinstance(recorder.trouble, StoreFull))
        with SessionFile.open(path) as reader:
            kept = list(reader.items())
        assert 1000 <= len(kept) < 6000
        assert kept == packets[: len(kept)]
        refused(lambda: SessionFile.create(folder / "b.rehab", RIG), StoreFull)
        ballast.unlink()
        wait_until(lambda: recorder.trouble is None)
    with SessionFile.open(path) as reader:
        assert reader.damage() == ()
        assert list(reader.items()) == packets
    assert list(folder.iterdir()) == [path]
    full_library(folder)


def full_library(folder: Path) -> None:
    library, ballast, number = Library(folder / "data"), folder / "ballast", 0
    library.add_patient(Patient("P-0", Side.LEFT))
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(1024))
    with contextlib.suppress(StoreFull):
        for number in range(1, 1000):
            library.add_patient(Patient(f"P-{number}", Side.LEFT, notes="x" * 4000))
    assert len(library.patients()) == number < 999
    refused(lambda: back_up(library, folder / "backup.zip"), StoreFull)
    ballast.unlink()
    library.add_patient(Patient("after", Side.LEFT))
    assert len(library.patients()) == number + 1
    assert not (folder / "backup.zip").exists()


def read_only(folder: Path) -> None:
    refused(lambda: SessionFile.create(folder / "new.rehab", RIG), StoreUnwritable)
    refused(lambda: SessionFile.create(folder / "new folder" / "new.rehab", RIG), StoreUnwritable)
    for name in ("closed.rehab", "log.rehab"):
        before = (folder / name).read_bytes()
        with SessionFile.open(folder / name) as file:
            assert len(list(file.items())) == 1000
            assert file.state() == "closed"
        assert close_interrupted(folder / name)[0] == "closed"
        for attempt in (SessionFile.annotate, SessionFile.record, Recorder):
            refused(lambda attempt=attempt, name=name: attempt(folder / name), StoreUnwritable)  # type: ignore[misc]
        assert (folder / name).read_bytes() == before
    refused(lambda: SessionFile.open(folder / "interrupted.rehab"), StoreUnwritable)
    library = Library(folder / "data")
    assert [patient.code for patient in library.patients()] == ["P-01"]
    assert [entry.path.name for entry in library.sessions("P-01")] == ["listed.rehab"]
    assert {entry.path.name for entry in library.sessions()} == {"listed.rehab", "copied.rehab"}
    refused(lambda: library.add_patient(Patient("P-02", Side.LEFT)), StoreUnwritable)
    refused(lambda: library.delete_patient("P-01", "P-01"), StoreUnwritable)
    assert (folder / "data" / "sessions" / "listed.rehab").exists()


if len(sys.argv) > 3:
    os.setuid(int(sys.argv[3]))
{"full": full, "read-only": read_only}[sys.argv[1]](Path(sys.argv[2]))
print("passed")

"""One recorder a file, in one process or many; checking the lock does no harm; it ends with its holder."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from rehabcount.errors import SessionBusy
from rehabcount.store.lock import RecordingLock, is_held


def test_two_in_one_process_exclude_each_other(tmp_path: Path) -> None:
    session = tmp_path / "a.rehab"
    assert not is_held(session)
    first = RecordingLock(session)
    assert is_held(session)
    with pytest.raises(SessionBusy, match=r"a\.rehab"):
        RecordingLock(session)
    first.release()
    assert not is_held(session)
    assert not list(tmp_path.iterdir())
    RecordingLock(session).release()


def test_a_lock_file_without_a_holder_means_nothing(tmp_path: Path) -> None:
    session = tmp_path / "a.rehab"
    (tmp_path / "a.rehab.lock").write_text("left by a crash")
    assert not is_held(session)
    RecordingLock(session).release()


def test_many_threads_take_turns_and_never_hold_it_together(tmp_path: Path) -> None:
    """Holders remove the lock file, so a newcomer may lock a file that no longer has a name."""
    session = tmp_path / "a.rehab"
    holders: list[int] = []
    most: list[int] = []

    def take_turns() -> None:
        for _ in range(60):
            try:
                lock = RecordingLock(session)
            except SessionBusy:
                continue
            holders.append(1)
            most.append(len(holders))
            holders.pop()
            lock.release()
            is_held(session)

    threads = [threading.Thread(target=take_turns) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) > 60
    assert max(most) == 1

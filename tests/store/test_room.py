"""Whether a session can be kept in a folder: every reason why not is reported before a session begins."""

from __future__ import annotations

import errno
import os
import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from rehabcount.errors import StoreFull, StoreUnwritable
from rehabcount.store import room
from rehabcount.store.library import Library
from rehabcount.store.room import check_room

Usage = namedtuple("Usage", "total used free")


def test_where_all_is_well_nothing_is_left_behind(tmp_path: Path) -> None:
    check_room(tmp_path)
    Library(tmp_path / "new" / "data").check_room()
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_to_a_folder_that_is_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> int:
        raise AssertionError("a file was opened")

    monkeypatch.setattr(os, "open", refused)
    Library(tmp_path / "new" / "data").check_room()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "a file").write_bytes(b"")
    with pytest.raises(StoreUnwritable, match=r"a file.sessions") as refused:
        Library(tmp_path / "a file").check_room()
    assert "another folder" in refused.value.advice


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_folder_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreUnwritable):
            check_room(tmp_path / "sessions")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_said_and_the_probe_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def full(*_: object) -> int:
        raise OSError(number, "no")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreFull, match="Only 0 MB"):
        check_room(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_too_little_room_for_a_session_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for free, well in ((room.SESSION_BYTES, True), (room.SESSION_BYTES - 1, False)):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: Usage(10**12, 0, free))
        if well:
            check_room(tmp_path)
        else:
            with pytest.raises(StoreFull, match="Only 299 MB"):
                check_room(tmp_path)

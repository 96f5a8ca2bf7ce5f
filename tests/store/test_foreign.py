"""Files of other programs: bounded before they are read."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from rehabcount.store.foreign import bytes_of


def test_a_plain_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"four")
    assert bytes_of(tmp_path / "a", 4) == b"four"
    with pytest.raises(OSError, match="none has more"):
        bytes_of(tmp_path / "a", 3)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names there")
def test_a_pipe_or_a_device_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(OSError, match="not a file"):
            bytes_of(path, 100)

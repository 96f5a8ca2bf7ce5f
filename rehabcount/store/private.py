"""Tables, reports and settings: files as private as the sessions, written whole or not at all.

`written_whole` makes a new file of mode 0600 in the same folder, under a name that cannot exist yet: no link is
followed, and the mode of an older file is not kept. The file gets its final name when all of it is on the disk. If
writing fails or is interrupted, nothing is left behind.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rehabcount.store.connection import refused_by_system
from rehabcount.store.creation import make_private_folder


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A path to write to. The file at `path` is replaced only if the block succeeds."""
    make_private_folder(path.parent)
    partial: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".part", dir=path.parent)
        partial = Path(name)
        os.close(handle)
        yield partial
        _flush(partial)
        partial.replace(path)
    except OSError as problem:
        raise refused_by_system(path, problem) from problem
    finally:  # after success there is nothing to remove
        if partial is not None:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)


def write_private_text(path: Path, text: str) -> None:
    write_private_bytes(path, text.encode())


def write_private_bytes(path: Path, content: bytes) -> None:
    with written_whole(path) as partial:
        partial.write_bytes(content)


def _flush(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())

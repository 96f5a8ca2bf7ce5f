"""Tables, reports and settings: files as private as the sessions, written whole or not at all.

`written_whole` gives a new name in the same folder, of mode 0600 whatever the umask says, which nobody can have put
there before: no link is followed, and nothing of an older file's mode stays. The file takes its own name when all of it
is on the disk. Where writing fails or is interrupted, nothing is left behind.
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
    """A name to write to. What is at `path` stays until the block has ended well."""
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
    finally:  # it is gone when all went well; an interruption leaves nothing either
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

"""Files that somebody else made, looked at before they are read.

A pipe, a device or a file beyond all measure is an OSError whose `strerror` says so, like a file that is missing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The plain file at `path`. Whatever else lies there is an OSError, at once: a pipe would never answer."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a file", str(path))
        file = os.fdopen(descriptor, "rb", closefd=False)
        with file:
            yield file
    finally:
        os.close(descriptor)


def bytes_of(path: Path, most: int) -> bytes:
    """What the file holds. One of more than `most` bytes is an OSError, and not read."""
    with opened(path) as file:
        if (size := os.fstat(file.fileno()).st_size) > most:
            said = f"it has {size / 1e6:.0f} MB, where none has more than {most / 1e6:.0f}"
            raise OSError(errno.EFBIG, said, str(path))
        return file.read(most)

"""Files of other programs, checked before they are read.

A pipe, a device or a file that is too large is an OSError whose `strerror` says so, like a missing file.
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
    """The plain file at `path`. Anything else is an OSError at once, because opening a pipe would wait for ever."""
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
    """The file's content. A file of more than `most` bytes is an OSError, and is not read."""
    with opened(path) as file:
        if (size := os.fstat(file.fileno()).st_size) > most:
            said = f"it has {size / 1e6:.0f} MB, where none has more than {most / 1e6:.0f}"
            raise OSError(errno.EFBIG, said, str(path))
        return file.read(most)

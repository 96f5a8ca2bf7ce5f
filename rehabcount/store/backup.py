"""Backup of a library: one ZIP file with a consistent copy of the list and of every session.

A backup is made while others record; it is readable by its owner only. It replaces nothing until it is whole, flushed
to the disk, and read back: every file in it gave the bytes that were put in. `restore.py` is the way back.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from rehabcount import __version__
from rehabcount.domain.document import to_document
from rehabcount.domain.message import Code, Message
from rehabcount.errors import BackupRefused, StoreFull, StoreUnwritable
from rehabcount.store import archive, shelf
from rehabcount.store.archive import COPY, FOLDER, FORMAT, FRESH, LIST, MANIFEST, BackedUp, Manifest
from rehabcount.store.connection import refused_by_system
from rehabcount.store.creation import utc_text
from rehabcount.store.library import SUFFIX, Library, Standing

OnFile = Callable[[int, int], None]  # steps done, of: each file is copied, later read back


def back_up(library: Library, target: Path, on_file: OnFile | None = None) -> Manifest:
    """Writes the backup; a session that cannot be read is left out and named. A file at `target` stays until the new
    backup is complete."""
    _refuse_own_files(library, target)
    sessions = [entry.path for entry in library.sessions() if entry.standing is not Standing.MISSING]
    sources = [(library.path, LIST)] if library.path.exists() else []
    sources += [(path, FOLDER + path.name) for path in sessions if archive.is_plain(path.name)]
    left_out = [path.name for path in sessions if not archive.is_plain(path.name)]
    files: list[BackedUp] = []
    try:
        with archive.scratch(target.parent) as scratch:
            fresh, copy = scratch / FRESH, scratch / COPY
            with _private_zip(fresh) as packed:
                for done, (source, name) in enumerate(sources):
                    if on_file:
                        on_file(done, 2 * len(sources))
                    if _snapshot(source, copy, required=name == LIST):
                        packed.write(copy, name)
                        files.append(BackedUp(name, _digest(copy)))
                    else:
                        left_out.append(source.name)
                    copy.unlink()
                manifest = Manifest(FORMAT, __version__, utc_text(), tuple(files), tuple(left_out))
                packed.writestr(MANIFEST, json.dumps(to_document(manifest), indent=1))
            archive.flush_file(fresh)
            _read_back(fresh, target, manifest, lambda read: on_file and on_file(len(sources) + read, 2 * len(sources)))
            fresh.replace(target)
        archive.flush_folder(target.parent)
    except OSError as error:
        raise refused_by_system(target, error) from error
    return manifest


def _refuse_own_files(library: Library, target: Path) -> None:
    """StoreUnwritable if the backup would replace a file of this library or another one."""
    name = target.name.casefold()
    mine = target.resolve().parent == library.sessions_folder.resolve()
    if mine or SUFFIX in name or name.startswith(LIST):
        raise StoreUnwritable(
            Message.of(Code.BACKUP_IN_LIBRARY, file=target.name),
            advice=Message.of(Code.DO_BACKUP_ELSEWHERE),
        )


def _snapshot(source: Path, copy: Path, *, required: bool) -> bool:
    """Whether a copy could be made."""
    copy.touch(0o600)
    try:
        shelf.snapshot(source, copy)
    except (StoreFull, StoreUnwritable, OSError):
        raise
    except Exception:  # no error of one session stops the backup of the others
        if required:
            raise
        return False
    return True


def _read_back(fresh: Path, target: Path, manifest: Manifest, on_read: Callable[[int], object]) -> None:
    try:
        with archive.reading(fresh) as written:
            whole = written.manifest == manifest
            for number, file in enumerate(written.manifest.files):
                on_read(number)
                for _ in written.blocks(file):
                    pass
    except BackupRefused:
        whole = False
    if not whole:
        raise StoreUnwritable(
            Message.of(Code.BACKUP_UNFAITHFUL, file=target.name), advice=Message.of(Code.DO_CHECK_DISK)
        )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def _private_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    with (
        os.fdopen(descriptor, "w+b") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed,
    ):
        yield packed

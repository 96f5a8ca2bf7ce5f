"""The ZIP file of a backup, and the private folder in which one is made or unpacked.

An archive may be damaged, cut off or malicious. Every problem is a BackupRefused, its sizes are bounded before a byte
is unpacked, and only plain names of sessions are accepted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rehabcount.domain.document import from_document
from rehabcount.domain.message import Code, Message
from rehabcount.errors import BackupRefused, RehabcountError, StoreFull
from rehabcount.store.creation import make_private_folder
from rehabcount.store.foreign import opened
from rehabcount.store.lock import RecordingLock, is_held

MANIFEST = "manifest.json"
LIST = "library.sqlite"
FOLDER = "sessions/"
FORMAT = 1
BLOCK_BYTES = 1 << 20
LARGEST_MANIFEST_BYTES = 16 << 20  # enough for about 100,000 sessions, as many as a library lists
# Sessions shrink to between a half and a fifth, empty ones to a thirtieth. Below the size any ratio is accepted.
GREATEST_RATIO, HARMLESS_BYTES = 200, 64 << 20
RESERVE_BYTES = 64 << 20  # stays free on the disk: sessions are recorded meanwhile

SCRATCH = ".backup-"
COPY, FRESH, RUNNING = "copy", "fresh.zip", "running"  # in the private folder; the last one names its lock
OURS = (COPY, FRESH, RUNNING, LIST, "sessions")
ABANDONED_S = 86_400.0  # a younger folder without a lock may be in use: not locked yet, or made by an older version

WHOLE = Message.of(Code.DO_OTHER_BACKUP)
# No folders, no control characters, nothing that UTF-8 cannot encode.
_PLAIN_NAME = re.compile(r"[^/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]+\.rehab")


@dataclass(frozen=True, slots=True)
class BackedUp:
    """One file of a backup."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    format: int
    software: str
    made_utc: str
    files: tuple[BackedUp, ...]
    left_out: tuple[str, ...]  # sessions that could not be read, by name


def is_plain(name: str) -> bool:
    """Whether a backup may hold a session of that file name."""
    return _PLAIN_NAME.fullmatch(name) is not None


class Archive:
    """A backup that is open for reading. Its manifest is checked at once, the bytes of a file when they are read."""

    def __init__(self, packed: zipfile.ZipFile, source: Path) -> None:
        self._packed, self._source = packed, source
        self._found = {info.filename: info for info in packed.infolist()}
        if len(self._found) != len(packed.infolist()):
            raise self._refused(Code.BACKUP_TWICE)
        if sum(info.compress_size for info in self._found.values()) > source.stat().st_size:
            raise self._refused(Code.BACKUP_OVERLAPS)
        self.manifest = self._read_manifest()
        names = [each.name for each in self.manifest.files]
        if len(set(names)) != len(names) or not all(name == LIST or self._is_session(name) for name in names):
            raise self._refused(Code.BACKUP_STRANGE_NAME)
        for name in names:
            self._check(self._found[name])
        self.unpacked_bytes = sum(self._found[name].file_size for name in names)

    def _refused(self, why: Code, **blanks: str) -> BackupRefused:
        return BackupRefused(Message.of(why, file=self._source.name, **blanks), advice=WHOLE)

    @staticmethod
    def _is_session(name: str) -> bool:
        return name.startswith(FOLDER) and is_plain(name.removeprefix(FOLDER))

    def _check(self, info: zipfile.ZipInfo) -> None:
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self._refused(Code.BACKUP_STRANGE_PACKING)
        if info.file_size > max(HARMLESS_BYTES, GREATEST_RATIO * info.compress_size):
            raise self._refused(Code.BACKUP_SWELLS, size=f"{info.file_size / 1e9:.1f}")

    def _read_manifest(self) -> Manifest:
        info = self._found[MANIFEST]
        self._check(info)
        if info.file_size > LARGEST_MANIFEST_BYTES:
            raise self._refused(Code.BACKUP_LONG_LIST)
        manifest = from_document(Manifest, json.loads(b"".join(self._blocks(info))), MANIFEST)
        if manifest.format != FORMAT:
            raise BackupRefused(
                Message.of(Code.BACKUP_NEWER, file=self._source.name), advice=Message.of(Code.DO_UPDATE)
            )
        return manifest

    def _blocks(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        left = info.file_size
        with self._packed.open(info) as packed:
            while block := packed.read(BLOCK_BYTES):
                left -= len(block)
                if left < 0:
                    raise self._refused(Code.BACKUP_HOLDS_MORE)
                yield block

    def blocks(self, file: BackedUp) -> Iterator[bytes]:
        """The file's content. BackupRefused, at the latest at its end, if it does not match the manifest."""
        digest = hashlib.sha256()
        with _refusing(self._source):
            for block in self._blocks(self._found[file.name]):
                digest.update(block)
                yield block
        if digest.hexdigest() != file.sha256:
            raise BackupRefused(
                Message.of(Code.BACKUP_PART_DAMAGED, part=file.name, file=self._source.name), advice=WHOLE
            )

    def check_room(self, folder: Path) -> None:
        """StoreFull if unpacking it there would fill the disk."""
        free = shutil.disk_usage(folder).free
        if self.unpacked_bytes > free - RESERVE_BYTES:
            raise StoreFull(
                Message.of(
                    Code.BACKUP_TOO_LARGE,
                    file=self._source.name,
                    n=round(self.unpacked_bytes / 1e6),
                    free=round(free / 1e6),
                ),
                advice=Message.of(Code.DO_MAKE_ROOM),
            )


@contextlib.contextmanager
def reading(source: Path) -> Iterator[Archive]:
    """The backup in that file; BackupRefused if it is none."""
    with contextlib.ExitStack() as stack:
        with _refusing(source):
            file = stack.enter_context(opened(source))
            archive = Archive(stack.enter_context(zipfile.ZipFile(file)), source)
        yield archive


@contextlib.contextmanager
def _refusing(source: Path) -> Iterator[None]:
    """Damaged bytes make zipfile, zlib, struct and json raise nearly any exception: all become BackupRefused."""
    try:
        yield
    except (RehabcountError, GeneratorExit):
        raise
    except FileNotFoundError as error:
        raise BackupRefused(
            Message.of(Code.FILE_MISSING, file=str(source)), advice=Message.of(Code.DO_CHOOSE_BACKUP)
        ) from error
    except OSError as error:
        why = str(error.strerror or error)
        raise BackupRefused(
            Message.of(Code.FILE_UNREADABLE, file=source.name, why=why), advice=Message.of(Code.DO_CHOOSE_BACKUP)
        ) from error
    except Exception as error:
        raise BackupRefused(Message.of(Code.BACKUP_NOT_WHOLE, file=source.name), advice=WHOLE) from error


# -- the private folder -----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """A private folder on the same disk, so that files are moved out of it without copying. Folders of killed processes
    are removed first."""
    make_private_folder(folder)
    _remove_abandoned(folder)
    with tempfile.TemporaryDirectory(prefix=SCRATCH, dir=folder) as name:
        running = RecordingLock(Path(name) / RUNNING)
        try:
            yield Path(name)
        finally:
            running.release()


def _remove_abandoned(folder: Path) -> None:
    for each in folder.glob(f"{SCRATCH}*"):
        with contextlib.suppress(OSError):  # a left-over lock file does no harm
            if _is_ours(each) and not is_held(each / RUNNING):
                locked = (each / f"{RUNNING}.lock").exists()
                if locked or time.time() - each.stat().st_mtime > ABANDONED_S:
                    shutil.rmtree(each, ignore_errors=True)


def _is_ours(folder: Path) -> bool:
    if folder.is_symlink() or not folder.is_dir() or (os.name == "posix" and folder.stat().st_uid != os.getuid()):
        return False
    return all(each.name.startswith(OURS) for each in folder.iterdir())


def flush_file(path: Path) -> None:
    """The file's content is on the disk when this returns."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """The names in the folder are on the disk when this returns, where the system can promise it."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network folders refuse
            os.fsync(descriptor)
    finally:
        os.close(descriptor)

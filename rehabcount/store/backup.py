"""Backup and restore of a library: one ZIP file with a consistent copy of the list and of every session.

A backup is made while others record; it is readable by its owner only, and it replaces nothing until it is whole. A
restore only adds: patients and sessions that are here stay as they are, what is missing comes back, and a session whose
name is taken by another one gets a new name. Every file is checked against the manifest before anything is added.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from rehabcount import __version__
from rehabcount.domain.document import from_document, to_document
from rehabcount.errors import BackupRefused, PatientExists, StoreFull, StoreUnwritable
from rehabcount.store import shelf
from rehabcount.store.connection import refused_by_system
from rehabcount.store.creation import make_private_folder, utc_text
from rehabcount.store.library import SUFFIX, Library, Standing
from rehabcount.store.session_file import SessionFile

MANIFEST = "manifest.json"
LIST = "library.sqlite"
FORMAT = 1
BLOCK_BYTES = 1 << 20

Progress = Callable[[int, int], None]  # files done, of


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


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore added, and how many sessions were here already."""

    patients: int
    sessions: int
    present: int


def back_up(library: Library, target: Path, on_file: Progress | None = None) -> Manifest:
    """Writes the backup; a session that cannot be read is left out and named. Whatever was at `target` stays until the
    new backup is whole."""
    sessions = [entry for entry in library.sessions() if entry.standing is not Standing.MISSING]
    fresh = target.with_name(target.name + ".part")
    files, left_out = [], []
    try:
        make_private_folder(target.parent)
        with _scratch(target.parent) as scratch, _private_zip(fresh) as archive:
            copy = scratch / "copy"
            sources = [(library.path, LIST)] if library.path.exists() else []
            sources += [(entry.path, f"sessions/{entry.path.name}") for entry in sessions]
            for done, (source, name) in enumerate(sources):
                if on_file:
                    on_file(done, len(sources))
                copy.touch(0o600)
                try:
                    shelf.snapshot(source, copy)
                except (StoreFull, StoreUnwritable, OSError):
                    raise
                except Exception:  # whatever is wrong with one session, the others are kept
                    if name == LIST:
                        raise
                    left_out.append(source.name)
                else:
                    archive.write(copy, name)
                    files.append(BackedUp(name, _digest(copy)))
                copy.unlink()
            manifest = Manifest(FORMAT, __version__, utc_text(), tuple(files), tuple(left_out))
            archive.writestr(MANIFEST, json.dumps(to_document(manifest), indent=1))
        fresh.replace(target)
    except OSError as error:
        raise refused_by_system(target, error) from error
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink()
    return manifest


def restore(library: Library, source: Path, on_file: Progress | None = None) -> Restored:
    """Adds what the backup holds and the library lacks. BackupRefused, and nothing added, if it is not whole."""
    make_private_folder(library.sessions_folder)
    try:
        with _scratch(library.folder) as scratch:
            manifest = _unpack(source, scratch, on_file)
            held = Library(scratch)
            patients = sum(_add_patient(library, held, patient.code) for patient in held.patients())
            here = {_identity(path) for path in library.sessions_folder.glob(f"*{SUFFIX}")}
            added = present = 0
            for each in manifest.files:
                if each.name == LIST:
                    continue
                unpacked = scratch / each.name
                if _identity(unpacked) in here:
                    present += 1
                    continue
                shutil.move(unpacked, _free_name(library.sessions_folder / unpacked.name))
                added += 1
    except OSError as error:
        raise refused_by_system(library.folder, error) from error
    library.sessions()  # lists what came
    return Restored(patients, added, present)


def _add_patient(library: Library, held: Library, code: str) -> bool:
    """Whether the patient was not here."""
    try:
        library.add_patient(held.patient(code))
    except PatientExists:
        return False
    library.keep_plan(code, held.plan_of(code))
    return True


def _unpack(source: Path, scratch: Path, on_file: Progress | None) -> Manifest:
    whole = "Choose another backup; this one was cut off, changed, or made by another program."
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = from_document(Manifest, json.loads(archive.read(MANIFEST)), MANIFEST)
            if manifest.format != FORMAT:
                raise BackupRefused(f"{source.name} was made by a newer rehabcount.", advice="Update rehabcount.")
            for done, each in enumerate(manifest.files):
                if on_file:
                    on_file(done, len(manifest.files))
                folder, _, name = each.name.rpartition("/")
                if folder not in ("", "sessions") or name != Path(name).name or "\\" in name or name in ("", ".", ".."):
                    raise BackupRefused(f"{source.name} holds a file of a strange name.", advice=whole)
                (scratch / folder).mkdir(mode=0o700, exist_ok=True)
                target = scratch / each.name
                with archive.open(each.name) as packed, _private(target) as unpacked:
                    shutil.copyfileobj(packed, unpacked, BLOCK_BYTES)
                if _digest(target) != each.sha256:
                    raise BackupRefused(f"{each.name} in {source.name} is damaged.", advice=whole)
    except FileNotFoundError as error:
        raise BackupRefused(f"There is no file {source}.", advice="Choose the backup file.") from error
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        raise BackupRefused(f"{source.name} is not a whole backup of rehabcount.", advice=whole) from error
    return manifest


def _identity(path: Path) -> str:
    """The session's own id; its name where it cannot be read."""
    try:
        with SessionFile.open(path) as file:
            return file.about().get("session", path.name)
    except Exception:  # noqa: BLE001  # whatever is wrong with one session, the others come back
        return path.name


def _free_name(path: Path) -> Path:
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return free


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """A private folder on the same disk, so that what is moved out of it is not copied."""
    make_private_folder(folder)
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=folder) as name:
        yield Path(name)


@contextlib.contextmanager
def _private_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    with _private(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        yield archive


@contextlib.contextmanager
def _private(path: Path) -> Iterator[IO[bytes]]:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600), "w+b") as file:
        yield file

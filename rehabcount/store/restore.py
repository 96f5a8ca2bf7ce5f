"""Restoring a backup: missing patients and sessions are added, and existing ones are not changed.

A session gets a new name if its name is used, or if files that belong to that name exist. The whole backup is unpacked
and checked before anything is added.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from rehabcount.domain.dose import Plan
from rehabcount.domain.message import Code, Message
from rehabcount.domain.patient import Patient
from rehabcount.errors import BackupRefused
from rehabcount.store import archive
from rehabcount.store.archive import FOLDER, LIST, Archive, BackedUp
from rehabcount.store.backup import OnFile
from rehabcount.store.connection import refused_by_system, sweep
from rehabcount.store.creation import make_private_file, make_private_folder
from rehabcount.store.library import SUFFIX, Library
from rehabcount.store.session_file import SessionFile

IN_ROLLBACK_MODE = b"\x01\x01"  # bytes 18 and 19 of an SQLite file that needs no log beside it: a backup's copies
BESIDE = ("", "-wal", "-journal", "-shm")  # files that SQLite would treat as part of the session of that name


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore added, how many sessions existed already, and which files of the backup were no sessions."""

    patients: int
    sessions: int
    present: int
    left_out: tuple[str, ...] = ()


def restore(library: Library, source: Path, on_file: OnFile | None = None) -> Restored:
    """Adds what the backup holds and the library lacks. If the backup is not complete: BackupRefused, nothing added."""
    make_private_folder(library.sessions_folder)
    try:
        with archive.scratch(library.folder) as scratch, archive.reading(source) as backup:
            backup.check_room(scratch)
            unpacked = _unpack(backup, scratch, on_file)
            patients = library.add_patients(_read_list(scratch, source))
            added, present, left_out = _add_sessions(library, unpacked)
    except OSError as error:
        raise refused_by_system(library.folder, error) from error
    library.sessions()  # lists the added sessions
    return Restored(patients, added, present, left_out)


def _unpack(backup: Archive, scratch: Path, on_file: OnFile | None) -> list[tuple[str, Path]]:
    """Name and unpacked file of every session. Unpacked files are named by numbers, which differ on every disk."""
    sessions: list[tuple[str, Path]] = []
    (scratch / FOLDER).mkdir(mode=0o700)
    for done, each in enumerate(backup.manifest.files):
        if on_file:
            on_file(done, len(backup.manifest.files))
        target = scratch / (LIST if each.name == LIST else f"{FOLDER}{done}{SUFFIX}")
        _write(backup, each, target)
        if each.name != LIST:
            sessions.append((each.name.removeprefix(FOLDER), target))
    return sessions


def _write(backup: Archive, file: BackedUp, target: Path) -> None:
    with os.fdopen(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as unpacked:
        for block in backup.blocks(file):
            unpacked.write(block)


# -- patients ---------------------------------------------------------------------------------------------------------


def _read_list(scratch: Path, source: Path) -> list[tuple[Patient, Plan]]:
    """All patients and plans, read before the first is added, because the backup's list may be damaged."""
    held = Library(scratch)
    try:
        plans = held.plans()
        return [(patient, plans.get(patient.code, Plan())) for patient in held.patients()]
    except Exception as error:
        raise BackupRefused(Message.of(Code.BACKUP_LIST_DAMAGED, file=source.name), advice=archive.WHOLE) from error


# -- sessions ---------------------------------------------------------------------------------------------------------


def _add_sessions(library: Library, unpacked: list[tuple[str, Path]]) -> tuple[int, int, tuple[str, ...]]:
    """How many were added, how many existed, and the names of files that are no sessions."""
    here = {_identity(path) for path in library.sessions_folder.glob(f"*{SUFFIX}")}
    came: list[Path] = []
    present, left_out = 0, []
    for name, path in unpacked:
        identity = _identity(path) if _is_one_piece(path) else None
        if identity is None:
            left_out.append(name)
        elif identity in here:
            present += 1
        else:
            sweep(path)  # updating an older schema has made a log
            archive.flush_file(path)
            came.append(_move_in(path, library.sessions_folder, name))
    if came:
        archive.flush_folder(library.sessions_folder)
        library.look_again(came)
    return len(came), present, tuple(left_out)


def _identity(path: Path) -> str | None:
    """The session's own id; None if it cannot be read."""
    try:
        with SessionFile.open(path) as file:
            return file.about()["session"]
    except Exception:  # noqa: BLE001  # no error of one session stops the restore of the others
        return None


def _is_one_piece(path: Path) -> bool:
    """Whether the file needs no log beside it. No other connection is open, so it can be read without SQLite."""
    with path.open("rb") as file:
        return file.read(20)[18:] == IN_ROLLBACK_MODE


def _move_in(path: Path, folder: Path, name: str) -> Path:
    """Moves the session to that name, or to the next free one; returns the new path."""
    stem = re.sub(r'[:*?"<>|]', "_", name.removesuffix(SUFFIX))  # not allowed in names on some systems
    number, target = 1, folder / f"{stem}{SUFFIX}"
    while any(os.path.lexists(target.with_name(target.name + suffix)) for suffix in BESIDE):
        number += 1
        target = folder / f"{stem}-{number}{SUFFIX}"
    make_private_file(target)  # reserves the name, so that no other file is replaced
    try:
        path.replace(target)
    except OSError:
        target.unlink()
        raise
    return target

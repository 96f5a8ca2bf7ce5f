"""The library: patients, their plans and their sessions, in one SQLite file beside the session files.

    DATA/library.sqlite      the patients (by code), their plans, and the list of sessions
    DATA/sessions/*.rehab    the sessions; each names its patient, so that the list can be made again from them

All files of a session lie beside the session file and begin with its name, so that deletion finds all of them. A
session file that was never listed (after a crash, or copied from elsewhere) is found when sessions are listed. Reading
works on a read-only disk; the library's file is not kept open between two calls.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from rehabcount.domain.document import from_document, read_json, shown, to_document
from rehabcount.domain.dose import Dose, Plan
from rehabcount.domain.message import Code, Message
from rehabcount.domain.patient import DEMO, Patient, folded
from rehabcount.errors import (
    ConfirmationWrong,
    LibraryDamaged,
    PatientExists,
    PatientMissing,
    SessionBusy,
    SessionMissing,
    SessionSimulated,
    StoreError,
)
from rehabcount.store import shelf
from rehabcount.store.cells import TEXT, maybe, read
from rehabcount.store.connection import refused_by_system
from rehabcount.store.creation import utc_text
from rehabcount.store.documents import DOSE, PATIENT, PLAN, SIMULATION, Owner
from rehabcount.store.lock import is_held
from rehabcount.store.room import check_room
from rehabcount.store.session_file import SessionFile

T = TypeVar("T")

SUFFIX = ".rehab"
INSERT_PLAN = "INSERT INTO plan (patient, at_utc, content) VALUES (?, ?, ?)"
# Reading thousands of files that are not listed yet (copied in, a new library) takes minutes. The list reports its
# progress after the first time, then at the second interval, and keeps what it has read.
TELL_FIRST_S, TELL_EVERY_S = 0.25, 1.0
LONGEST_NAME = 255  # bytes; no disk holds a longer one
KEPT_FIGURES = 100_000  # of listed sessions; reading them is the slowest part of a listing


class Standing(StrEnum):
    """The state of a session in the library."""

    RECORDING = "recording"
    INTERRUPTED = "interrupted"
    CLOSED = "closed"
    UNREADABLE = "unreadable"
    MISSING = "missing"  # listed, but its file is gone


@dataclass(frozen=True, slots=True)
class Figures:
    """The results of a session, from the last reading of its file."""

    length_s: float = 0.0
    repetitions: int = 0
    assisted_repetitions: int = 0
    active_s: float = 0.0
    target: int | None = None
    corrections: int = 0  # entries in the log, confirmations and undone ones included
    sensors: int = 0
    simulated: bool = False
    trouble: str = ""
    by_hand: int = 0  # task repetitions that a therapist added during the session
    of_plan: int | None = None  # repetitions towards the targets of all activities


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One session in the list. `patient` is a code; None: the patient is not known."""

    path: Path
    patient: str | None
    begun_utc: str
    standing: Standing
    figures: Figures = Figures()


@dataclass(frozen=True, slots=True)
class Listing:
    """The known sessions, the newest first; `looked` of `new` files have been read."""

    sessions: tuple[SessionEntry, ...]
    looked: int
    new: int

    @property
    def complete(self) -> bool:
        return self.looked == self.new


class Library:
    """All patients and sessions under one data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "library.sqlite"
        self.sessions_folder = folder / "sessions"

    def stamp(self) -> tuple[int, int]:
        """It changes when the list changes, or a session is added, removed, started or ended; a very quick check."""

        def changed_ns(path: Path) -> int:
            try:
                return path.stat().st_mtime_ns
            except OSError:
                return 0

        return changed_ns(self.path), changed_ns(self.sessions_folder)

    def check_room(self) -> None:
        """Raises an error if there is no room for a complete session; see `store/room.py`."""
        check_room(self.sessions_folder)

    # -- patients -----------------------------------------------------------------------------------------------------

    def patients(self, search: str = "") -> tuple[Patient, ...]:
        """Those whose code or notes contain the words of `search`, by code. The demo patient is not among them."""
        words = search.casefold().split()
        with shelf.reading(self.path) as connection:
            query = "SELECT content FROM patient ORDER BY folded"
            rows = read(connection, query, (), TEXT) if connection else []
        found = [self._read(Patient, content) for (content,) in rows]
        return tuple(each for each in found if all(word in f"{each.code} {each.notes}".casefold() for word in words))

    def patient(self, code: str) -> Patient:
        """The patient of that code; PatientMissing if there is none."""
        if code == DEMO.code:
            return DEMO
        query = "SELECT content FROM patient WHERE code = ?"
        with shelf.reading(self.path) as connection:
            rows = read(connection, query, (code,), TEXT) if connection else []
        if not rows:
            raise PatientMissing(Message.of(Code.NO_PATIENT, patient=code), advice=Message.of(Code.DO_LOOK_AT_LIST))
        patient = self._read(Patient, rows[0][0])
        if patient.code != code:
            raise LibraryDamaged(
                Message.of(Code.FILE_ILLEGIBLE, file=self.path.name, what=f"another patient under {code}"),
                advice=shelf.DAMAGED_ADVICE,
            )
        return patient

    def add_patient(self, patient: Patient) -> None:
        """A new patient; PatientExists if the code is too similar to an existing one."""
        with shelf.writing(self.path) as connection:
            _refuse_taken(read(connection, "SELECT code, folded FROM patient", (), TEXT, TEXT), patient.code)
            connection.execute("INSERT INTO patient VALUES (?, ?, ?, ?)", _row(patient))

    def add_patients(self, further: Iterable[tuple[Patient, Plan]]) -> int:
        """Add the patients whose code is not used yet, with their plans, all or none; returns their number."""
        added = 0
        with shelf.writing(self.path) as connection:
            rows = read(connection, "SELECT folded FROM patient", (), TEXT)
            taken = {name for (name,) in rows} | {folded(DEMO.code)}
            for patient, plan in further:
                if folded(patient.code) in taken:
                    continue
                taken.add(folded(patient.code))
                connection.execute("INSERT INTO patient VALUES (?, ?, ?, ?)", _row(patient))
                if plan != Plan():
                    connection.execute(INSERT_PLAN, (patient.code, utc_text(), _json(plan)))
                added += 1
        return added

    def change_patient(self, code: str, new: Patient) -> None:
        """Change a patient's entry, including the code; a new code is written into all session files.

        A file that cannot be written (missing, damaged, read-only) is listed under the new code, too, and does not stop
        the others; its error is raised at the end, unless the file is only missing.
        """
        self.patient(code)
        entries = self.sessions(code)  # also lists files that were not listed yet
        with shelf.writing(self.path) as connection:
            query = "SELECT code, folded FROM patient WHERE code != ?"
            _refuse_taken(read(connection, query, (code,), TEXT, TEXT), new.code)
            connection.execute(
                "UPDATE patient SET code = ?, folded = ?, content = ?, changed_utc = ? WHERE code = ?",
                (*_row(new), code),
            )
            connection.execute("UPDATE session SET patient = ? WHERE patient = ?", (new.code, code))
        refused: StoreError | None = None
        for entry in entries if new.code != code else ():
            try:
                if entry.standing is not Standing.MISSING:
                    self._tell(entry.path, Owner(new.code, new.side))
            except StoreError as problem:
                refused = refused or problem
        if refused is not None:
            raise refused

    def delete_patient(self, code: str, typed: str) -> int:
        """Deletes the patient, the plans, and all files of all sessions; returns the number of sessions.

        `typed` must be the code. Nothing is deleted while one of the sessions is being recorded. If a file cannot be
        removed the patient stays listed, so that it can be tried again.
        """
        _refuse_unconfirmed(code, typed)
        self.patient(code)
        entries = self.sessions(code)
        for entry in entries:
            _refuse_recording(entry.path)
        with shelf.writing(self.path) as connection:
            for entry in entries:
                _remove(entry.path)
            connection.execute("DELETE FROM session WHERE patient = ?", (code,))
            connection.execute("DELETE FROM patient WHERE code = ?", (code,))
        return len(entries)

    # -- plans --------------------------------------------------------------------------------------------------------

    def plan_of(self, code: str) -> Plan:
        """The patient's newest plan; empty if there is none."""
        query = "SELECT content FROM plan WHERE patient = ? ORDER BY number DESC LIMIT 1"
        with shelf.reading(self.path) as connection:
            rows = read(connection, query, (code,), TEXT) if connection else []
        return self._read(Plan, rows[0][0]) if rows else Plan()

    def keep_plan(self, code: str, plan: Plan) -> None:
        """Keeps the plan for the next session, beside earlier ones. The demo patient's is not kept."""
        if code == DEMO.code or plan == self.plan_of(code):
            return
        self.patient(code)
        with shelf.writing(self.path) as connection:
            connection.execute(INSERT_PLAN, (code, utc_text(), _json(plan)))

    def plans(self) -> dict[str, Plan]:
        """The newest plan of each patient who has one, by code."""
        with shelf.reading(self.path) as connection:
            query = "SELECT patient, content FROM plan ORDER BY number"
            rows = read(connection, query, (), TEXT, TEXT) if connection else []
        return {code: self._read(Plan, content) for code, content in dict(rows).items()}

    # -- sessions -----------------------------------------------------------------------------------------------------

    def new_session_path(self, code: str, at: datetime | None = None) -> Path:
        """An unused name: date, time, and the code as far as a file name can hold it."""
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", code).strip("_")[:24] or "session"
        stem = f"{(at or datetime.now().astimezone()):%Y-%m-%d-%H%M%S}-{plain}"
        number, path = 1, self.sessions_folder / f"{stem}{SUFFIX}"
        while path.exists():
            number += 1
            path = self.sessions_folder / f"{stem}-{number}{SUFFIX}"
        return path

    def assign(self, path: Path, code: str) -> None:
        """Assign the session to this patient, in the file and in the list.

        A simulated session can only be the demo patient's; it would count as exercise of a real patient.
        """
        patient = self.patient(code)
        if code != DEMO.code:
            with SessionFile.open(path) as file:
                if file.has_document(SIMULATION):
                    raise SessionSimulated(
                        Message.of(Code.IS_SIMULATED, file=path.name),
                        advice=Message.of(Code.DO_LEAVE_SIMULATED, whose=DEMO.code),
                    )
        self._tell(path, Owner(code, patient.side))

    def _tell(self, path: Path, owner: Owner) -> None:
        with SessionFile.annotate(path) as file:
            file.put_document(PATIENT, owner)
        self.refresh(path)

    def refresh(self, path: Path) -> SessionEntry:
        """Reads the session file again (after its end, recovery or correction) and updates the list."""
        inside = self._holds(path)
        entry = self._seen(path) if inside else look_at(path)
        if inside:
            with shelf.writing(self.path) as connection:
                connection.execute("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?)", _session_row(entry))
        return entry

    def sessions(self, code: str | None = None) -> tuple[SessionEntry, ...]:
        """The sessions of a patient, or all; the newest first. Files that were not listed are read and listed."""
        *_, whole = self.listings()
        return tuple(entry for entry in whole.sessions if code is None or entry.patient == code)

    def listings(self) -> Iterator[Listing]:
        """All sessions. If many files must be read: first the known sessions, more every second, then all.

        The newest files are read first. What was read is kept each time, so that the next listing continues there.
        """
        known = {entry.path.name: entry for entry in self._listed()}
        names = self._file_names()
        found = {name: known.get(name) for name in names}
        gone = [replace(entry, standing=Standing.MISSING) for name, entry in known.items() if name not in found]
        new = [
            name for name in reversed(names) if (entry := found[name]) is None or entry.standing is not Standing.CLOSED
        ]
        news: list[SessionEntry] = []
        tell_s = time.monotonic() + TELL_FIRST_S
        for looked, name in enumerate(new, start=1):
            entry = _as_known(look_at(self.sessions_folder / name), found[name])
            if entry != found[name]:
                news.append(entry)
                found[name] = entry
            if time.monotonic() >= tell_s and looked < len(new):
                self._keep_seen(news)
                news.clear()
                yield _listing(found, gone, looked, len(new))
                tell_s = time.monotonic() + TELL_EVERY_S
        self._keep_seen(news)
        yield _listing(found, gone, len(new), len(new))

    def _file_names(self) -> list[str]:
        """The names of the existing session files, in order."""
        if not self.sessions_folder.is_dir():
            return []
        return sorted(path.name for path in self.sessions_folder.glob(f"*{SUFFIX}"))

    def _keep_seen(self, entries: Sequence[SessionEntry]) -> None:
        if entries:
            with contextlib.suppress(StoreError), shelf.writing(self.path) as connection:  # read-only: look again then
                rows = [_session_row(entry) for entry in entries]
                connection.executemany("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?)", rows)

    def delete_session(self, path: Path, typed: str) -> None:
        """Deletes one session: its file, all files beside it, and its entry in the list.

        `typed` must be `word_to_delete` of the session, as its file says now. Nothing is deleted while it is being
        recorded. If a file cannot be removed the session stays listed, so that it can be tried again.
        """
        if not self._holds(path):
            raise SessionMissing(Message.of(Code.NOT_LISTED, file=str(path)), advice=Message.of(Code.DO_CHOOSE_LISTED))
        entry = self._seen(path)
        _refuse_unconfirmed(word_to_delete(entry), typed)
        _refuse_recording(path)
        with shelf.writing(self.path) as connection:
            _remove(path)
            connection.execute("DELETE FROM session WHERE file = ?", (path.name,))

    def forget_session(self, path: Path) -> None:
        """Removes a session from the list whose file is missing."""
        with shelf.writing(self.path) as connection:
            connection.execute("DELETE FROM session WHERE file = ?", (path.name,))

    def look_again(self, paths: Iterable[Path]) -> None:
        """Removes the entries of these names from the list, because the files are new."""
        with shelf.writing(self.path) as connection:
            connection.executemany("DELETE FROM session WHERE file = ?", [(path.name,) for path in paths])

    def _holds(self, path: Path) -> bool:
        return _resolved(path).parent == _resolved(self.sessions_folder)

    def _seen(self, path: Path) -> SessionEntry:
        """The session as its file says, or as listed if the file cannot be read any more."""
        return _as_known(look_at(path), next((each for each in self._listed() if each.path.name == path.name), None))

    def _listed(self) -> list[SessionEntry]:
        with shelf.reading(self.path) as connection:
            query = "SELECT file, patient, begun_utc, state, content FROM session"
            kinds = TEXT, maybe(TEXT), TEXT, TEXT, TEXT
            rows = read(connection, query, (), *kinds) if connection else []
        with self._legible():
            return [
                SessionEntry(self._place_of(file), patient, begun_utc, Standing(state), _figures_of(content))
                for file, patient, begun_utc, state, content in rows
            ]

    def _place_of(self, name: str) -> Path:
        """The path of the session of that name, always in the library's folder."""
        apart = "\0" in name or Path(name).name != name or len(name.encode()) > LONGEST_NAME
        if apart or not name.endswith(SUFFIX):
            raise ValueError(f"{shown(name)} is no name of a session")
        return self.sessions_folder / name

    def _read(self, kind: type[T], content: str) -> T:
        with self._legible():
            return from_document(kind, read_json(content), kind.__name__)

    @contextlib.contextmanager
    def _legible(self) -> Iterator[None]:
        try:
            yield
        except ValueError as error:
            raise LibraryDamaged(
                Message.of(Code.FILE_ILLEGIBLE, file=self.path.name, what=str(error)), advice=shelf.DAMAGED_ADVICE
            ) from error


@functools.lru_cache(maxsize=KEPT_FIGURES)
def _figures_of(content: str) -> Figures:
    return from_document(Figures, read_json(content), Figures.__name__)


def look_at(path: Path) -> SessionEntry:
    """The list entry of a session file, without a pass over its packets. If it cannot be read, `trouble` says why."""
    path = _resolved(path)
    try:
        with SessionFile.open(path) as file:
            about, state = file.about(), file.state()
            owner = file.legible(PATIENT)
            dose, plan = file.legible(DOSE) or file.newest(Dose), file.legible(PLAN)
            figures = Figures(
                length_s=round(file.length_s(), 1),
                repetitions=dose.repetitions if dose else 0,
                assisted_repetitions=dose.assisted_repetitions if dose else 0,
                active_s=round(dose.active_s, 1) if dose else 0.0,
                target=plan.target if plan else None,
                corrections=file.number_of_corrections(),
                sensors=len(file.rig),
                simulated=file.has_document(SIMULATION),
                by_hand=file.repetitions_by_hand(),
                of_plan=dose.of_plan if dose else None,
            )
        return SessionEntry(path, owner.code if owner else None, about["created_utc"], Standing(state.value), figures)
    except Exception as error:  # noqa: BLE001  # no error of one file stops the listing of the others
        trouble = str(error) if isinstance(error, StoreError) else f"{path.name} is damaged ({error!r})."
        begun = datetime.fromtimestamp(path.stat().st_mtime if path.exists() else 0, UTC)
        standing = Standing.UNREADABLE if path.exists() else Standing.MISSING
        return SessionEntry(path, None, begun.isoformat(timespec="milliseconds"), standing, Figures(trouble=trouble))


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # links that lead round
        return path.absolute()


def _listing(found: Mapping[str, SessionEntry | None], gone: Sequence[SessionEntry], looked: int, new: int) -> Listing:
    entries = [*(entry for entry in found.values() if entry is not None), *gone]
    entries.sort(key=lambda entry: (entry.begun_utc, entry.path.name), reverse=True)
    return Listing(tuple(entries), looked, new)


def word_to_delete(entry: SessionEntry) -> str:
    """The text to type to delete this session: its patient's code; the file's name if it has no patient."""
    return entry.patient or entry.path.stem


def _as_known(seen: SessionEntry, known: SessionEntry | None) -> SessionEntry:
    """A file that cannot be read any more keeps its patient: deleting the patient deletes it, too."""
    if known is None or seen.standing not in (Standing.UNREADABLE, Standing.MISSING):
        return seen
    return replace(seen, patient=known.patient, begun_utc=known.begun_utc)


def _remove(path: Path) -> None:
    """Removes the session file and all files beside it that begin with its name; missing ones are ignored."""
    beside = [
        each
        for each in path.parent.glob("*")
        if each.name.startswith(path.name) or (each.name.startswith(path.stem + ".") and SUFFIX not in each.name)
    ]
    for each in beside:
        try:
            each.unlink(missing_ok=True)
        except OSError as error:
            raise refused_by_system(each, error) from error


def _refuse_unconfirmed(word: str, typed: str) -> None:
    if typed.strip() != word:
        raise ConfirmationWrong(Message.of(Code.NOT_THE_CODE), advice=Message.of(Code.DO_TYPE_CODE, word=word))


def _refuse_recording(path: Path) -> None:
    if is_held(path):
        raise SessionBusy(Message.of(Code.FILE_RECORDING, file=path.name), advice=Message.of(Code.DO_END_SESSION))


def _refuse_taken(taken: list[tuple[str, str]], code: str) -> None:
    mine = folded(code)
    for other, other_folded in [*taken, (DEMO.code, folded(DEMO.code))]:
        if mine == other_folded:
            raise PatientExists(Message.of(Code.PATIENT_TAKEN, patient=other), advice=Message.of(Code.DO_OTHER_CODE))


def _row(patient: Patient) -> tuple[str, str, str, str]:
    return patient.code, folded(patient.code), _json(patient), utc_text()


def _session_row(entry: SessionEntry) -> tuple[str, str | None, str, str, str]:
    return entry.path.name, entry.patient, entry.begun_utc, entry.standing.value, _json(entry.figures)


def _json(value: object) -> str:
    return json.dumps(to_document(value), ensure_ascii=False)

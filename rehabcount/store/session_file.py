"""One session is one SQLite file. `docs/session-file.md` describes its tables.

It holds packets, silences and entries in the order of receipt, documents (rig, calibration, plan, model), updates,
corrections and reference segments. They are read in the order in which they were written. Nothing is ever changed or
removed: a newer document is added beside the older, a recount beside the first count, a correction beside the event.

    SessionFile.create(path, rig)    a new session; holds the recording lock
    SessionFile.record(path)         add packets to an open session; holds the recording lock
    SessionFile.annotate(path)       add updates, corrections, documents, also during a recording
    SessionFile.open(path)           read, also during a recording

An instance is used by one thread at a time. Every writing method is one transaction, on the disk when it returns.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from rehabcount.domain.calibration import Calibration
from rehabcount.domain.correction import Correction
from rehabcount.domain.message import Code, Message
from rehabcount.domain.rig import Rig
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Recorded, Update
from rehabcount.errors import SessionCorrupt, StoreError, StoreUnwritable
from rehabcount.store import cells, notes, packets, schema
from rehabcount.store.connection import (
    SALVAGE_ADVICE,
    check_header,
    check_version,
    connect_to_read,
    connect_to_write,
    is_swept,
    plainly,
    sweep,
    transaction,
)
from rehabcount.store.contents import Contents, State, read_contents
from rehabcount.store.creation import build, make_private_file, make_private_folder, upgrade, utc_text, write_about
from rehabcount.store.documents import CALIBRATION, RIG, DocumentKind
from rehabcount.store.layers import Layer
from rehabcount.store.lock import RecordingLock, is_held
from rehabcount.store.notes import Counting, DatedDocument
from rehabcount.store.outages import Outage, read_outages
from rehabcount.store.packets import Origin, PacketRow, Stretch, row_of

T = TypeVar("T")
U = TypeVar("U", bound=Update)


class SessionFile:
    """An open session file; made by `create`, `record`, `annotate` or `open`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, recording: RecordingLock | None) -> None:
        self.path = path
        self.counting: int | None = None  # the counting that `accept` writes for; `begin_counting` sets it
        self._connection = connection
        self._recording = recording
        self._ids: dict[str, int] | None = None  # of sensors by name; None: not read yet

    # -- opening and closing ------------------------------------------------------------------------------------------

    @classmethod
    def create(cls, path: Path, rig: Rig, *, origin: Origin | None = None) -> SessionFile:
        """A new session, readable by its owner only. `origin`: for appending items with times of another clock (an
        import, a simulation); a Recorder notes its own."""
        path = path.resolve()
        make_private_folder(path.parent)
        recording = RecordingLock(path)
        try:
            make_private_file(path)
            try:
                file = cls(path, build(path), recording)
                with file._closed_on_failure():
                    file.set_rig(rig)
                    if origin is not None:
                        file.begin_stretch(origin)
            except BaseException:
                path.unlink(missing_ok=True)
                raise
        except BaseException:
            recording.release()
            raise
        return file

    @classmethod
    def open(cls, path: Path) -> SessionFile:
        """A reader. It changes nothing, except that an older schema is brought up to date first."""
        path = path.resolve()
        file = cls(path, connect_to_read(path), None)
        with file._closed_on_failure(), plainly(path, reading=True):
            outdated = check_version(file._connection, path) < schema.newest_version()
        if outdated:
            file._connection.close()
            upgrade(path, locked=False)
            file._connection = connect_to_read(path)
        return file

    @classmethod
    def annotate(cls, path: Path) -> SessionFile:
        """A writer of everything but packets."""
        path = path.resolve()
        upgrade(path, locked=False)
        return cls(path, connect_to_write(path), None)

    @classmethod
    def record(cls, path: Path) -> SessionFile:
        """A writer of packets, only one at a time. A closed session is refused."""
        path = path.resolve()
        check_header(path)
        recording = RecordingLock(path)
        try:
            upgrade(path, locked=True)
            file = cls(path, connect_to_write(path), recording)
            with file._closed_on_failure():
                if file.is_closed():
                    raise StoreUnwritable(
                        Message.of(Code.FILE_CLOSED, file=path.name), advice=Message.of(Code.DO_NEW_SESSION)
                    )
        except BaseException:
            recording.release()
            raise
        return file

    @contextlib.contextmanager
    def _closed_on_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._connection.close()
            raise

    def reconnect(self) -> None:
        """A new connection after a failed write; the recording lock is kept."""
        self._connection.close()
        self._ids = None
        self._connection = connect_to_write(self.path)

    def close(self) -> None:
        """Close the file. The session itself stays open unless `close_session` was called."""
        to_sweep = False
        with contextlib.suppress(StoreError, sqlite3.ProgrammingError):  # unreadable, or closed already
            to_sweep = self.is_closed() and not is_swept(self._connection)
        self._connection.close()
        if to_sweep:
            sweep(self.path)
        if self._recording is not None:
            self._recording.release()
            self._recording = None

    def __enter__(self) -> SessionFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close_session(self, by: str = "recorder") -> None:
        """Mark the session as ended. `by`: the recorder, or recovery after an interruption."""
        self._note(state="closed", closed_utc=utc_text(), closed_by=by)

    # -- what the file says of itself ---------------------------------------------------------------------------------

    def about(self) -> dict[str, str]:
        """Session id, when created and by which version, whether open or closed."""
        with self._reading():
            return dict(cells.read(self._connection, "SELECT key, value FROM about", (), cells.TEXT, cells.TEXT))

    def is_closed(self) -> bool:
        return self.about().get("state") == "closed"

    def state(self) -> State:
        if self.is_closed():
            return State.CLOSED
        held = self._recording is not None or is_held(self.path)
        return State.RECORDING if held else State.INTERRUPTED

    def contents(self) -> Contents:
        about, state = self.about(), self.state()
        with self._reading():
            version = schema.version_of(self._connection)
            return read_contents(self._connection, about, state, version, lambda: connect_to_read(self.path))

    def damage(self) -> tuple[str, ...]:
        """What SQLite's integrity check finds wrong; empty if nothing."""
        with self._reading():
            findings = [text for (text,) in self._connection.execute("PRAGMA integrity_check(20)").fetchall()]
        return () if findings == ["ok"] else tuple(findings)

    def _note(self, **entries: str) -> None:
        with plainly(self.path), transaction(self._connection):
            write_about(self._connection, **entries)

    # -- packets ------------------------------------------------------------------------------------------------------

    def begin_stretch(self, origin: Origin) -> Stretch:
        """Start recording, or continue after an interruption. `shift_ns` is added to the host's clock in all rows that
        follow, so that the file has one timeline."""
        with self._adding_packets() as ids:
            return packets.begin_stretch(self._connection, origin, ids)

    def append(self, items: Iterable[Recorded]) -> int:
        """Adds the items in order, all or none; returns the seq of the last."""
        return self.append_rows([row_of(item) for item in items])

    def append_rows(self, rows: Sequence[PacketRow]) -> int:
        """`append` for the results of `row_of`."""
        with self._adding_packets() as ids:
            packets.insert(self._connection, rows, ids)
            return packets.last_seq(self._connection)

    @contextlib.contextmanager
    def _adding_packets(self) -> Iterator[dict[str, int]]:
        if self._recording is None:
            raise ValueError("only a session file made by create() or record() takes packets")
        try:
            with plainly(self.path), transaction(self._connection):
                if self._ids is None:
                    self._ids = packets.sensor_ids(self._connection)
                yield self._ids
        except BaseException:
            self._ids = None  # the failed transaction may have added a sensor
            raise

    def last_seq(self) -> int:
        """The seq of the newest row; 0 if there is none."""
        with self._reading():
            return packets.last_seq(self._connection)

    def seq_before(self, received_ns: int) -> int:
        """The `after_seq` for `items` to begin at `received_ns`."""
        with self._reading():
            return packets.seq_before(self._connection, received_ns)

    def items(self, after_seq: int = 0) -> Iterator[Recorded]:
        """Packets, silences and entries in recorded order, up to the newest one when the reader gets there."""
        for _, item in self.numbered_items(after_seq):
            yield item

    def numbered_items(self, after_seq: int = 0) -> Iterator[tuple[int, Recorded]]:
        """`items`, each with its seq."""
        sparseness = packets.Sparseness()
        while True:
            with self._reading():
                rows = packets.read_chunk(self._connection, after_seq)
                if not rows:
                    return
                names = {identity: name for name, identity in packets.sensor_ids(self._connection).items()}
                found = list(packets.items_of(rows, names))
                sparseness.note(found)
            yield from found
            after_seq = rows[-1][0]

    def length_s(self) -> float:
        """From the first packet or silence to the last, without a pass over all rows; 0 for an empty session.

        Entries do not count: a session may begin with a calibration that was made before.
        """
        query = """SELECT received_ns FROM packet WHERE sensor NOT IN (SELECT id FROM sensor WHERE name = ?)
                   ORDER BY seq {} LIMIT 1"""
        with self._reading():
            first, last = (
                cells.read(self._connection, query.format(order), (packets.SESSION,), cells.INTEGER)
                for order in ("ASC", "DESC")
            )
            if not first:
                return 0.0
            packets.check_span(last[0][0], first[0][0])
        return (last[0][0] - first[0][0]) / 1e9

    def outages(self) -> tuple[Outage, ...]:
        """When no sensor sent anything for more than a second; session seconds."""
        with self._reading():
            return read_outages(self._connection)

    def stretches(self) -> tuple[Stretch, ...]:
        with self._reading():
            return packets.read_stretches(self._connection)

    # -- documents ----------------------------------------------------------------------------------------------------

    def set_rig(self, rig: Rig) -> None:
        """Set the sensors. Those of an earlier rig stay listed, because their packets stay."""
        with plainly(self.path), transaction(self._connection):
            packets.write_sensors(self._connection, rig)
            notes.write_document(self._connection, RIG.name, rig)
        self._ids = None

    @property
    def rig(self) -> Rig:
        rig = self.document(RIG)
        if rig is None:
            raise self._illegible("no rig")
        return rig

    def put_document(self, kind: DocumentKind[T], content: T) -> None:
        """Adds a version of the document."""
        if kind.name == RIG.name:
            raise ValueError("the rig is written by set_rig()")
        with plainly(self.path), transaction(self._connection):
            notes.write_document(self._connection, kind.name, content)

    def document(self, kind: DocumentKind[T]) -> T | None:
        """The newest version; None if there is none."""
        with self._reading():
            return notes.read_newest_document(self._connection, kind)

    def legible(self, kind: DocumentKind[T]) -> T | None:
        """The newest version; None if there is none or it cannot be read: for documents that a count does not need."""
        with self._reading(), contextlib.suppress(ValueError):
            return notes.read_newest_document(self._connection, kind)
        return None

    def has_document(self, kind: DocumentKind[Any]) -> bool:
        """Whether there is any version, legible or not."""
        with self._reading():
            return notes.has_document(self._connection, kind)

    def document_versions(self, kind: DocumentKind[T]) -> tuple[DatedDocument[T], ...]:
        """All versions that can be read, oldest first."""
        with self._reading():
            return notes.read_documents(self._connection, kind)

    def calibration(self) -> Calibration | None:
        """The calibration made after the recording, else the last one used while counting; None: unknown."""
        said = self.document(CALIBRATION)
        if said is not None:
            return said
        with self._reading():
            return notes.read_last_calibration(self._connection)

    # -- countings, updates, corrections, segments --------------------------------------------------------------------

    def begin_counting(self, model: str) -> Counting:
        """Begin a counting by a model (its artifact's hash); updates given to `accept` from now on belong to it."""
        with plainly(self.path), transaction(self._connection):
            counting = notes.write_counting(self._connection, model)
        self.counting = counting.number
        return counting

    def countings(self) -> tuple[Counting, ...]:
        with self._reading():
            return notes.read_countings(self._connection)

    def accept(self, *updates: Update) -> None:
        """Keeps updates of the counting begun here; before `begin_counting`, of the session itself (marks, phases)."""
        with plainly(self.path), transaction(self._connection):
            notes.write_updates(self._connection, self.counting, updates)

    def updates(self, counting: int | None, *kinds: type[Update]) -> Iterator[Update]:
        """The updates of a counting, in order; with None those of the session itself. With `kinds` only these, because
        drafts and doses are many."""
        after_number, names = 0, [kind.__name__ for kind in kinds]
        while True:
            with self._reading():
                chunk = notes.read_updates(self._connection, counting, after_number, packets.CHUNK_ROWS, names)
            if not chunk:
                return
            for _, update in chunk:
                yield update
            after_number = chunk[-1][0]

    def number_of_updates(self, counting: int) -> int:
        with self._reading():
            query = "SELECT count(number) FROM session_update WHERE counting = ?"
            return int(self._connection.execute(query, (counting,)).fetchone()[0])

    def newest(self, kind: type[U]) -> U | None:
        """The last update of this kind, of any counting; None if there is none."""
        with self._reading():
            update = notes.read_newest(self._connection, kind.__name__)
        return update if isinstance(update, kind) else None

    def correct(self, counting: int, *corrections: Correction) -> None:
        """Keeps corrections of a counting, all or none. The events themselves are not changed."""
        with plainly(self.path), transaction(self._connection):
            for correction in corrections:
                notes.write_correction(self._connection, counting, correction)

    def corrections(self, counting: int) -> tuple[Correction, ...]:
        with self._reading():
            return notes.read_corrections(self._connection, counting)

    def number_of_corrections(self) -> int:
        """The number of corrections of all countings."""
        with self._reading():
            return int(self._connection.execute("SELECT count(number) FROM correction").fetchone()[0])

    def repetitions_by_hand(self) -> int:
        """Task repetitions that therapists added during the session, less those removed or undone."""
        with self._reading():
            return sum(each.by for each in notes.read_adjusted(self._connection))

    def add_segments(self, layer: Layer, segments: Iterable[Segment]) -> None:
        """Keeps reference labels. A layer is one annotator's, or one kind of label."""
        with plainly(self.path), transaction(self._connection):
            notes.write_segments(self._connection, layer, segments)

    def segments(self, layer: Layer) -> tuple[Segment, ...]:
        with self._reading():
            return notes.read_segments(self._connection, layer)

    def layers(self) -> tuple[Layer, ...]:
        with self._reading():
            return notes.read_layers(self._connection)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Wrong values that are read inside the block are reported as damage of the file."""
        try:
            with plainly(self.path, reading=True):
                yield
        except ValueError as error:
            raise self._illegible(str(error)) from error

    def _illegible(self, what: str) -> SessionCorrupt:
        return SessionCorrupt(Message.of(Code.FILE_ILLEGIBLE, file=self.path.name, what=what), advice=SALVAGE_ADVICE)

"""The recorder: everything that the radio receives goes into the session file before it is used.

`Recorder.accept` takes packets, silences and entries from any thread and never waits for the disk; one writer thread
commits them. The engine reads the record: `follow` yields items as they are committed, until the session is closed.

A disk that is full, removed or read-only does not stop a session. Accepted items stay in memory and are written when
the disk accepts them again, in smaller pieces if necessary. Meanwhile `trouble` says what is wrong, and `unwritten_s`
how much would be lost with the process.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

from rehabcount.domain.message import Code, Message
from rehabcount.domain.update import Recorded
from rehabcount.errors import RehabcountError, SessionMissing, StoreError
from rehabcount.store.packets import Origin, PacketRow, row_of
from rehabcount.store.session_file import SessionFile

# At most this much and one commit are lost with the process. A commit takes 1-50 ms to flush to disk: four a second
# cost little and leave most of the allowed second for a slow disk.
COMMIT_EVERY_S = 0.25
RETRY_EVERY_S = 1.0  # while the disk refuses; people free disk space in seconds, not in milliseconds
ROWS_A_COMMIT = 5000  # of a backlog, so that a disk with little room stores a part of it
# After each refusal half as many are tried, down to this, so that the remaining room is used. Fewer would not help:
# even the smallest commit takes some pages.
FEWEST_ROWS_A_COMMIT = 50
LAST_TRIES_S = 60.0  # after the end, while the disk refuses: people free disk space within a minute, or not at all
POLL_EVERY_S = 0.05  # of `follow`, after it found nothing new

log = logging.getLogger(__name__)


class Recorder:
    """Records into an open session file, alone, from construction to `close`."""

    def __init__(self, path: Path, *, on_trouble: Callable[[RehabcountError | None], None] | None = None) -> None:
        """`on_trouble` is called from the writer thread when trouble begins, changes, and (with None) ends."""
        self.path = path.resolve()
        self._on_trouble = on_trouble
        self._file = SessionFile.record(self.path)
        try:
            self._stretch = self._file.begin_stretch(Origin.now())
            self._stored_seq = self._file.last_seq()
            self._inode = self.path.stat().st_ino
        except BaseException:
            self._file.close()
            raise
        self._trouble: RehabcountError | None = None
        self._guard = threading.Lock()  # of the next three; held for moments, never while writing
        self._accepting = True
        self._incoming: list[PacketRow] = []
        self._backlog: list[PacketRow] = []  # of the writer thread, not committed yet
        self._rows_a_commit = ROWS_A_COMMIT
        self._closing = threading.Event()
        # Not Thread.join: after Ctrl+C interrupts a join, Python 3.11 treats the thread as ended; two threads would
        # then write.
        self._ended = threading.Event()
        self._given_up = threading.Event()
        self._closed = False
        threading.Thread(target=self._run, name="recorder", daemon=True).start()

    @property
    def trouble(self) -> RehabcountError | None:
        """Why nothing can be written at present; None if it can."""
        return self._trouble

    @property
    def unwritten(self) -> int:
        """How many items wait in memory."""
        with self._guard:
            return len(self._incoming) + len(self._backlog)

    @property
    def unwritten_s(self) -> float:
        """The time from the first to the last item in memory: a killed process would lose it."""
        with self._guard:
            waiting = [rows for rows in (self._backlog, self._incoming) if rows]
            return max(0.0, (waiting[-1][-1][0] - waiting[0][0][0]) / 1e9) if waiting else 0.0

    @property
    def shift_ns(self) -> int:
        """How far the file's times are ahead of the host's clock; 0 unless the session was continued."""
        return self._stretch.shift_ns

    def accept(self, item: Recorded) -> None:
        """Takes an item, in the order of the calls. Once this returns, the item is not dropped."""
        row = row_of(item, self._stretch.shift_ns)
        with self._guard:
            if not self._accepting:
                raise ValueError(f"the recorder of {self.path.name} is closed")
            self._incoming.append(row)

    def close(self, patience_s: float = 0.0) -> None:
        """Writes the remaining items and closes the session.

        If the disk refuses, tries again for `patience_s`, then raises an error with the reason and the amount that is
        not on the disk; make room and close again.
        """
        if self._closed:
            return
        with self._guard:
            self._accepting = False
        self._closing.set()
        self._ended.wait()
        until_s = time.monotonic() + patience_s
        while (trouble := self._finish()) is not None:
            if time.monotonic() >= until_s or self._given_up.wait(RETRY_EVERY_S):
                self._given_up.set()  # the next `close` tries once and does not wait
                raise _with_amount(trouble, self.unwritten_s)
        self._closed = True
        self._file.close()

    def give_up(self) -> None:
        """Do not wait for room any more: a waiting or later `close` tries once."""
        self._given_up.set()

    def _finish(self) -> RehabcountError | None:
        self._write()
        if self._trouble is None:
            self._attempt(self._file.close_session)
        return self._trouble

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the writer thread; after its end `close` does its work -------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._closing.wait(COMMIT_EVERY_S if self._trouble is None else RETRY_EVERY_S):
                self._write()
        finally:
            self._ended.set()

    def _write(self) -> None:
        with self._guard:
            self._backlog += self._incoming
            self._incoming = []
        self._attempt(self._commit_backlog)

    def _attempt(self, write: Callable[[], None]) -> None:
        """Writes, and notes success or failure. After a failure it reconnects, because the connection may be broken."""
        try:
            if self._trouble is not None:
                self._file.reconnect()
                self._drop_what_was_stored()
            self._check_still_there()
            write()
        except RehabcountError as error:
            self._rows_a_commit = max(FEWEST_ROWS_A_COMMIT, self._rows_a_commit // 2)
            self._note(error)
        except Exception as error:  # noqa: BLE001 (top of a thread: no unexpected error may end the recording)
            self._note(StoreError(Message.of(Code.FILE_WRITE_STOPPED, file=self.path.name, why=repr(error))))
        else:
            self._note(None)

    def _commit_backlog(self) -> None:
        while self._backlog:
            rows = self._backlog[: self._rows_a_commit]
            self._stored_seq = self._file.append_rows(rows)
            self._rows_a_commit = min(ROWS_A_COMMIT, self._rows_a_commit * 2)
            with self._guard:
                del self._backlog[: len(rows)]

    def _drop_what_was_stored(self) -> None:
        """A commit can report a failure although it is whole on the disk. Only this recorder adds rows, so their number
        shows it."""
        last_seq = self._file.last_seq()
        with self._guard:
            del self._backlog[: last_seq - self._stored_seq]
        self._stored_seq = last_seq

    def _check_still_there(self) -> None:
        """Without this check a deleted or moved file could be written to without an error."""
        try:
            same = self.path.stat().st_ino == self._inode
        except OSError:
            same = False
        if not same:
            raise SessionMissing(Message.of(Code.FILE_GONE, file=str(self.path)), advice=Message.of(Code.DO_PUT_BACK))

    def _note(self, trouble: RehabcountError | None) -> None:
        changed = (type(trouble), str(trouble)) != (type(self._trouble), str(self._trouble))
        self._trouble = trouble
        if changed and self._on_trouble is not None:
            try:
                self._on_trouble(trouble)
            except Exception as error:  # noqa: BLE001 (code of the caller at the top of our thread: recording goes on)
                # No traceback: it would show the file's name, which may hold a person's name.
                log.error("the listener to the recorder's trouble failed: %r", error)


def _with_amount(trouble: RehabcountError, unwritten_s: float) -> RehabcountError:
    """The same trouble, with the amount that is not on the disk."""
    amount = Message.of(Code.NOT_ON_DISK, n=f"{unwritten_s:.1f}")
    told = type(trouble)(*trouble.what, amount, advice=trouble.what_to_do)
    told.__cause__ = trouble
    return told


def follow(path: Path, stop: threading.Event, after_seq: int = 0) -> Generator[Recorded, None, None]:
    """What is recorded into `path`, as it is committed. Ends at `stop`, or when a closed session is read to its end."""
    with SessionFile.open(path) as file:
        while not stop.is_set():
            closed = file.is_closed()  # read first: if it is closed, the items that follow are all
            found = False
            for seq, item in file.numbered_items(after_seq):
                after_seq, found = seq, True
                yield item
                if stop.is_set():
                    return
            if closed:
                return
            if not found:
                stop.wait(POLL_EVERY_S)

"""The recorder: everything a radio hears goes into the session file before anything else may happen to it.

`Recorder.accept` takes packets, silences and what is said from any thread and never waits for the disk; one writer
thread commits them. The engine reads the record: `follow` yields what was committed, as it is committed, until the
session is closed.

A disk that is full, pulled or read-only does not stop a session. What was accepted stays in memory and is written as
soon as the disk takes it again, in smaller pieces if need be; meanwhile `trouble` says what is wrong and `unwritten_s`
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

# At most this much, plus one commit, is lost with the process. A commit flushes to disk, 1-50 ms: four a second are
# cheap and leave most of the allowed second for a slow disk.
COMMIT_EVERY_S = 0.25
RETRY_EVERY_S = 1.0  # while the disk refuses; people free disk space in seconds, not in milliseconds
ROWS_A_COMMIT = 5000  # of a backlog: a disk with little room then takes at least a part
# Where that is refused, half as many are tried the next time, down to these: what room there is gets used, and a kill
# loses no more than it has to. Fewer would not fit either: a commit takes some pages whatever it holds.
FEWEST_ROWS_A_COMMIT = 50
LAST_TRIES_S = 60.0  # after the end, while the disk refuses: people free disk space within a minute, or not at all
POLL_EVERY_S = 0.05  # of `follow`, between finding nothing and looking again


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
        self._backlog: list[PacketRow] = []  # what the writer has taken over and not yet committed
        self._rows_a_commit = ROWS_A_COMMIT
        self._closing = threading.Event()
        # Not Thread.join: Python 3.11 takes a thread for ended once Ctrl+C has interrupted somebody's wait for it, and
        # two would then write.
        self._ended = threading.Event()
        self._given_up = threading.Event()
        self._closed = False
        threading.Thread(target=self._run, name="recorder", daemon=True).start()

    @property
    def trouble(self) -> RehabcountError | None:
        """Why nothing can be written at present; None while all is well."""
        return self._trouble

    @property
    def unwritten(self) -> int:
        """How many items wait in memory."""
        with self._guard:
            return len(self._incoming) + len(self._backlog)

    @property
    def unwritten_s(self) -> float:
        """How much time lies between the first and the last item that wait in memory: what a kill would lose."""
        with self._guard:
            waiting = [rows for rows in (self._backlog, self._incoming) if rows]
            return max(0.0, (waiting[-1][-1][0] - waiting[0][0][0]) / 1e9) if waiting else 0.0

    @property
    def shift_ns(self) -> int:
        """What the file's times are ahead of this host's clock; 0 unless the session was continued."""
        return self._stretch.shift_ns

    def accept(self, item: Recorded) -> None:
        """Takes an item, in the order of the calls. Once this returns, the item is not dropped."""
        row = row_of(item, self._stretch.shift_ns)
        with self._guard:
            if not self._accepting:
                raise ValueError(f"the recorder of {self.path.name} is closed")
            self._incoming.append(row)

    def close(self, patience_s: float = 0.0) -> None:
        """Writes what is left and closes the session.

        If the disk refuses, tries again for `patience_s`, then raises why and how much is not on the disk; free it and
        close again.
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
                self._given_up.set()  # once is enough: whoever closes again may have made room, or not
                raise _with_amount(trouble, self.unwritten_s)
        self._closed = True
        self._file.close()

    def give_up(self) -> None:
        """Nobody will make room: a `close` that is waiting for it, or is yet to come, tries no longer."""
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

    # -- the writer thread; `close` goes on in its place once it has ended -------------------------------------------

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
        """Writes, and notes how it went. After a failure the connection is made anew: it may not have survived."""
        try:
            if self._trouble is not None:
                self._file.reconnect()
                self._drop_what_was_stored()
            self._check_still_there()
            write()
        except RehabcountError as error:
            self._rows_a_commit = max(FEWEST_ROWS_A_COMMIT, self._rows_a_commit // 2)
            self._note(error)
        except Exception as error:  # noqa: BLE001 (top of a thread: what nobody foresaw must not end the recording)
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
        """A commit may fail in its last step and be found whole on the disk. Nobody else adds rows, so count them."""
        last_seq = self._file.last_seq()
        with self._guard:
            del self._backlog[: last_seq - self._stored_seq]
        self._stored_seq = last_seq

    def _check_still_there(self) -> None:
        """A file that was deleted or moved could be written to until its last handle closes, and nobody would know."""
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
            except Exception as error:  # noqa: BLE001 (another's code at the top of our thread: recording goes on)
                # Without a traceback: the trouble it would show names the file, and files may be named after people.
                log.error("the listener to the recorder's trouble failed: %r", error)


def _with_amount(trouble: RehabcountError, unwritten_s: float) -> RehabcountError:
    """The same trouble, with what it costs."""
    amount = Message.of(Code.NOT_ON_DISK, n=f"{unwritten_s:.1f}")
    told = type(trouble)(*trouble.what, amount, advice=trouble.what_to_do)
    told.__cause__ = trouble
    return told


def follow(path: Path, stop: threading.Event, after_seq: int = 0) -> Generator[Recorded, None, None]:
    """What is recorded into `path`, as it is committed. Ends at `stop`, or when a closed session is read to its end."""
    with SessionFile.open(path) as file:
        while not stop.is_set():
            closed = file.is_closed()  # asked first: what is read afterwards is then everything
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

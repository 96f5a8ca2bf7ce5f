"""A live session: source -> recorder -> engine, each in its own thread; what crosses is immutable.

    request = SessionRequest(path, rig, side, plan, model, documents={"patient": ...})
    session = LiveSession(request, source, on_update=show)
    session.start()
    session.enter(PhaseName.COUNTING, "drinking")     an entry of the therapist goes into the record, like a packet
    session.end()                             stops the source, settles the last movements, closes the file

All documents are in the file before the first packet. The source's items go to the recorder; the engine reads the
record. So a slow engine falls behind and reports it (`Late`), but never drops an item; and a replay of the file gives
the same updates, except `Late`. `on_update` and `on_frames` are called in the engine's thread and must be quick; what
they raise is logged and does not stop the count.

Sources are in `bedside.sources`. `LiveSession.replay` has no source and no recorder: its items come from the file.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rehabcount.bedside.counted_before import key_of, remember
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.document import to_document
from rehabcount.domain.dose import Dose, Plan
from rehabcount.domain.limits import LATE_S, SENSOR_SENDS_S
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import Frames, Packet
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import (
    Adjusted,
    Calibrated,
    CalibrationAsked,
    Event,
    Late,
    Mark,
    Phase,
    PhaseName,
    Posed,
    Recorded,
    Said,
    SensorHealth,
    Unmarked,
    Update,
)
from rehabcount.engine.ports import Source
from rehabcount.engine.session import SessionSettings, steps
from rehabcount.engine.summarise import facts_of
from rehabcount.errors import RehabcountError, StoreError
from rehabcount.inference.artifact import Opened
from rehabcount.sensors.replay import Replay
from rehabcount.signals.align import AlignSettings
from rehabcount.store.documents import CALIBRATION, MODEL, PLAN, SIDE, Documents, TrainedSide
from rehabcount.store.layers import REFERENCE
from rehabcount.store.recorder import LAST_TRIES_S, Recorder, follow
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of

LATE_EVERY_S = 1.0
KEEP_EVERY_S = 0.5  # updates are written in bunches: each transaction waits for the disk

OnUpdate = Callable[[Update], None]
OnFrames = Callable[[Frames], None]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """The settings of a session. `side` is the trained arm."""

    path: Path
    rig: Rig
    side: Side
    plan: Plan
    model: Opened
    calibration: Calibration | None = None  # made before the session: it becomes the first item
    align: AlignSettings = field(default_factory=AlignSettings)
    # Documents of the file beside arm, plan and model: its patient, and whether it is simulated.
    documents: Documents = field(default_factory=lambda: MappingProxyType({}))
    reference: Sequence[Segment] = ()  # what a simulated patient does, in session seconds


class LiveSession:
    """One session from `start` to `end`. Its methods may be called from any thread."""

    def __init__(
        self,
        request: SessionRequest,
        source: Source | None,
        *,
        on_update: OnUpdate,
        on_frames: OnFrames | None = None,
    ) -> None:
        """`source` None: a replay of the file; its calibration is used throughout."""
        self.path, self.rig, self.side, self.plan = request.path, request.rig, request.side, request.plan
        self.model = request.model
        self._request, self._source = request, source
        self._on_update, self._on_frames = on_update, on_frames
        self._recorder: Recorder | None = None
        self._replay: Replay | None = None
        self._stop = threading.Event()  # ends the engine at once, before the end of the record
        self._ended = threading.Lock()
        self._accepted_ns = self._walked_ns = 0
        self._heard_ns: dict[str, int] = {}  # sensor -> when its newest packet came
        self._origin_ns: int | None = None
        self._begun, self._begun_cpu = time.monotonic(), time.process_time()
        self._wall_s: float | None = None
        self._cpu_s: float | None = None  # of the whole process, while this session ran
        self.time_s = 0.0  # how far the engine has come
        self.dose: Dose | None = None
        self.calibrated: Calibrated | None = None  # the result of the newest calibration
        self.events = 0
        self.late_s = 0.0  # the largest delay of the engine so far
        self.failure: RehabcountError | None = None
        self._refused: RehabcountError | None = None  # why the record could not be closed
        self._engine = threading.Thread(target=self._run, name="engine", daemon=True)
        # Not Thread.join: after Ctrl+C interrupts a join, Python 3.11 treats the thread as ended.
        self._finished = threading.Event()

    # -- making one ---------------------------------------------------------------------------------------------------

    @classmethod
    def replay(
        cls,
        path: Path,
        model: Opened,
        speed: float | None = 1.0,
        *,
        on_update: OnUpdate,
        on_frames: OnFrames | None = None,
        align: AlignSettings | None = None,
        side: Side | None = None,
    ) -> LiveSession:
        """A recorded session again; nothing is written."""
        with SessionFile.open(path) as file:
            rig, plan = file.rig, file.document(PLAN) or Plan()
            found = side or side_of(file)
            calibration = file.document(CALIBRATION)
        request = SessionRequest(path, rig, found, plan, model, calibration, align or AlignSettings())
        session = cls(request, None, on_update=on_update, on_frames=on_frames)
        session._replay = Replay(path, speed=speed)
        return session

    # -- running it ---------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Creates the file, and starts source, recorder and engine."""
        try:
            self._start()
        except BaseException:
            self._finished.set()  # nothing runs, so `end` must not wait
            raise

    def _start(self) -> None:
        self._begun, self._begun_cpu = time.monotonic(), time.process_time()
        if self._source is not None:
            self._create_file()
            self._recorder = Recorder(self.path)
            try:
                if self._request.calibration is not None:
                    self._accept(Said(Calibrated(self._request.calibration, True, 0.0), self._source.now_ns()))
                self._source.start(self._accept, partial(self._over, LAST_TRIES_S))
            except BaseException:
                self._over()  # nothing will come: no thread, lock or open session is left behind
                raise
        self._engine.start()

    def _create_file(self) -> None:
        """The file with all its documents, before the first packet."""
        with SessionFile.create(self.path, self.rig) as file:
            file.put_document(SIDE, TrainedSide(self.side))
            file.put_document(PLAN, self.plan)
            file.put_document(MODEL, facts_of(self.model.card, self.model.sha256))
            for kind, content in self._request.documents.items():
                file.put_document(kind, content)
            if self._request.reference:
                file.add_segments(REFERENCE, self._request.reference)

    def say(self, what: Phase | Mark | Unmarked | Adjusted | CalibrationAsked | Calibrated) -> None:
        """Add an entry of the therapist to the record; the walk sets its time."""
        if self._source is None:
            raise ValueError("nothing can be added to a replay")
        self._accept(Said(what, self._source.now_ns()))

    def enter(self, phase: PhaseName, activity: str = "") -> None:
        """Begin another phase."""
        self.say(Phase(phase, 0.0, activity))

    def mark(self, note: str = "") -> None:
        self.say(Mark(0.0, note))

    def calibrate(self, steps: tuple[Posed, ...]) -> None:
        """Calibrate from these steps, in session seconds; a `Calibrated` has the result."""
        self.say(CalibrationAsked(steps, 0.0))

    def use(self, calibration: Calibration) -> None:
        """Count with this calibration from now on, even if its verdict is to repeat it; the therapist decides."""
        self.say(Calibrated(calibration, True, 0.0))

    def end(self, patience_s: float = 0.0) -> None:
        """Stops the source, settles the last movements, closes the file. Raises the error of the session, if any.

        If the disk refuses, tries again for `patience_s`; nothing is lost until then.
        """
        if self._replay is not None:
            self._replay.close()
        elif self._source is not None:
            if not patience_s:
                self.give_up()  # the thread of a source that ended by itself may be waiting for room
            self._source.close()
            self._over(patience_s)
        self.wait()

    def give_up(self) -> None:
        """Do not wait for room on the disk any more: a waiting `end` fails at once."""
        if self._recorder is not None:
            self._recorder.give_up()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Waits for the end; False if the session still runs. Raises the error of the session, if any."""
        if not self._finished.wait(timeout_s):
            return False
        if self.failure is not None:
            raise self.failure
        return True

    @property
    def running(self) -> bool:
        return self._engine.ident is not None and not self._finished.is_set()

    @property
    def trouble(self) -> RehabcountError | None:
        """Why the disk refuses at present; meanwhile items wait in memory. None if it does not."""
        return self._recorder.trouble if self._recorder is not None else None

    @property
    def unwritten_s(self) -> float:
        """How much of the session is in memory only; normally a fraction of a second."""
        return self._recorder.unwritten_s if self._recorder is not None else 0.0

    @property
    def origin_ns(self) -> int:
        """When the first packet was received, on the host's clock: time zero of the session."""
        return self._origin_ns or 0

    @property
    def source_time_s(self) -> float:
        """Session time of the newest item, which the engine may not have reached yet."""
        return 0.0 if self._origin_ns is None else max(0.0, (self._accepted_ns - self._origin_ns) / 1e9)

    @property
    def sending(self) -> tuple[str, ...]:
        """The sensors of the rig that send now."""
        if self._source is None:
            return self.rig.names
        since_ns = self._source.now_ns() - round(SENSOR_SENDS_S * 1e9)
        return tuple(name for name in self.rig.names if self._heard_ns.get(name, -1) >= since_ns)

    def document(self) -> dict[str, Any]:
        """The present state, as JSON values."""
        wall_s = self._wall_s if self._wall_s is not None else time.monotonic() - self._begun
        cpu_s = self._cpu_s if self._cpu_s is not None else time.process_time() - self._begun_cpu
        return {
            "file": str(self.path),
            "side": self.side.value,
            "model": {"name": self.model.name, "sha256": self.model.sha256, "shipped": self.model.is_shipped},
            "session_s": round(self.time_s, 3),
            "times_real_time": round(self.time_s / wall_s, 2) if wall_s > 0 else None,
            "cpu_share": round(cpu_s / wall_s, 4) if wall_s > 0 else None,
            "events": self.events,
            "latest_s": round(self.late_s, 3),
            "dose": to_document(self.dose) if self.dose is not None else None,
        }

    # -- inside -------------------------------------------------------------------------------------------------------

    def _accept(self, item: Recorded) -> None:
        """In the source's thread, or in the thread that adds an entry."""
        assert self._recorder is not None
        self._recorder.accept(item)
        if isinstance(item, Packet):
            self._heard_ns[item.sensor] = item.received_ns
        self._accepted_ns = max(self._accepted_ns, item.received_ns)

    def _over(self, patience_s: float = 0.0) -> None:
        """Closes the record; only the first call does. If the disk refused, the next call tries again with the items
        that are still in memory."""
        with self._ended:
            if self._recorder is None:
                return
            with contextlib.suppress(ValueError):  # the record is closed already
                self._recorder.accept(Said(Phase(PhaseName.ENDED, 0.0), self._accepted_ns))
            try:
                self._recorder.close(patience_s)
            except RehabcountError as problem:
                self.failure = self._refused = problem
                self._stop.set()
            else:
                if self.failure is self._refused:
                    self.failure = None

    def _run(self) -> None:
        """The engine's thread."""
        keeper = _Keeper(self.path, self.model) if self._recorder is not None else None
        try:
            length_s = self._walk(keeper)
            if keeper is not None and self.failure is None and not self._stop.is_set():  # the record was read whole
                keeper.finish(self._request, length_s)
        except RehabcountError as problem:
            self.failure = problem
        except Exception as problem:  # top of a thread: the recording goes on, and the error must be shown
            log.exception("the engine failed")
            self.failure = RehabcountError(
                Message.of(Code.COUNTING_STOPPED, what=repr(problem)), advice=Message.of(Code.DO_COUNT_LATER)
            )
        finally:
            self._wall_s = time.monotonic() - self._begun
            self._cpu_s = time.process_time() - self._begun_cpu
            if keeper is not None:
                keeper.close()
            self._finished.set()

    def _walk(self, keeper: _Keeper | None) -> float:
        """Returns the session time reached, as a count of the file finds it."""

        def emit(update: Update) -> None:
            if isinstance(update, Dose):
                self.dose = update
            elif isinstance(update, Calibrated):
                self.calibrated = update
            self.events += isinstance(update, Event)
            if keeper is not None:
                keeper.take(update)
            self._tell(update)

        given = self._request.calibration if self._replay is not None else None
        settings = SessionSettings(self.rig, self.side, self.plan, given, self._request.align)
        speed = self._source.speed if self._source is not None else None
        told_s, late, length_s = -LATE_EVERY_S, False, 0.0
        for time_s in steps(self._items(), settings, self.model.model, emit, self._show):
            self.time_s, length_s = time_s, max(length_s, time_s)
            behind_s = (self._accepted_ns - self._walked_ns) / 1e9
            now, is_late = time.monotonic(), speed is not None and behind_s > LATE_S * speed
            if (is_late or late) and now - told_s >= LATE_EVERY_S:
                late = is_late
                self.late_s, told_s = max(self.late_s, behind_s), now
                emit(Late(round(behind_s if late else 0.0, 3)))
            if keeper is not None:
                keeper.keep()
        return length_s

    def _items(self) -> Iterable[Recorded]:
        items: Iterable[Recorded] = self._replay if self._replay is not None else follow(self.path, self._stop)
        for item in items:
            self._walked_ns = max(self._walked_ns, item.received_ns)
            if self._origin_ns is None and not isinstance(item, Said):
                self._origin_ns = item.received_ns
            yield item

    def _tell(self, update: Update) -> None:
        try:
            self._on_update(update)
        except Exception:  # code of the caller at the top of our thread
            log.exception("the listener to updates failed")

    def _show(self, frames: Frames) -> None:
        if self._on_frames is not None:
            try:
                self._on_frames(frames)
            except Exception:
                log.exception("the listener to frames failed")


class _Keeper:
    """Writes the updates of a counting into the session file, in bunches, each once. If the disk refuses, it tries
    again later."""

    def __init__(self, path: Path, model: Opened) -> None:
        self._path, self._model = path, model
        self._file: SessionFile | None = None
        self._waiting: list[Update] = []
        self._stored = 0  # how many the file has
        self._refused = False
        self._kept = time.monotonic()

    def take(self, update: Update) -> None:
        if not isinstance(update, SensorHealth):  # these are many, and in the record already
            self._waiting.append(update)

    def keep(self, *, now: bool = False) -> None:
        if not now and time.monotonic() - self._kept < KEEP_EVERY_S:
            return
        self._kept = time.monotonic()
        if not self._waiting:
            return
        try:
            self._write()
        except StoreError as problem:
            self._refused = True
            log.warning("updates wait for the disk: %s", type(problem).__name__)
        else:
            self._refused = False

    def _write(self) -> None:
        if self._file is None:
            self._file = SessionFile.annotate(self._path)
        elif self._refused:
            self._file.reconnect()  # the connection may not have survived
            self._drop_what_was_stored(self._file)
        if self._file.counting is None:  # updates without a counting would belong to the session itself
            self._file.begin_counting(self._model.sha256)
        self._file.accept(*self._waiting)
        self._stored += len(self._waiting)
        self._waiting = []

    def _drop_what_was_stored(self, file: SessionFile) -> None:
        """A commit can report a failure although it is whole on the disk. The file is new with this session, so a
        counting with this model is ours, and only this session adds to it."""
        begun = [each.number for each in file.countings() if each.model == self._model.sha256]
        if begun:
            file.counting = begun[-1]
            stored = file.number_of_updates(begun[-1])
            del self._waiting[: stored - self._stored]
            self._stored = stored

    def finish(self, request: SessionRequest, length_s: float) -> None:
        """The session ended whole: if every update is on the disk, a count with the same model need not be made again.

        A document that says otherwise than the session was walked (a plan, a calibration) leaves it to be counted.
        """
        self.keep(now=True)
        file = self._file
        if file is None or file.counting is None or self._waiting or self._refused:
            return
        number = file.counting
        with contextlib.suppress(RehabcountError):  # then it is counted once more
            as_walked = (file.rig, file.document(PLAN), file.document(CALIBRATION)) == (request.rig, request.plan, None)
            if as_walked and file.number_of_updates(number) == self._stored:
                remember(file, number, key_of(file, self._model.sha256, request.side, request.align), length_s)

    def close(self) -> None:
        self.keep(now=True)
        if self._file is not None:
            self._file.close()

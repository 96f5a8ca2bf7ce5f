"""Counting existing session files, one or many, with the same walk as live.

A file that was counted before with the same data, model, settings and software is not counted again by default
(`counted_before.py`). If it was counted live with the same model, the updates are the same and no counting is added.
Any other result is stored as a new counting beside the others. Remote files (`s3://...`, `https://...`; needs fsspec)
are fetched, counted and not changed.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rehabcount.bedside.chosen_model import open_chosen
from rehabcount.bedside.config import Settings
from rehabcount.bedside.counted_before import find_earlier, key_of, remember
from rehabcount.bedside.losses import in_words as missing_in_words
from rehabcount.bedside.losses import losses_of
from rehabcount.bedside.severity import severity_in
from rehabcount.domain.corrected import corrected
from rehabcount.domain.document import to_document
from rehabcount.domain.dose import Dose, Plan, pace_per_min
from rehabcount.domain.labels import IDLE, PRIMITIVES
from rehabcount.domain.message import Code, Message
from rehabcount.domain.patient import Severity
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import (
    UNCALIBRATED,
    Adjusted,
    Event,
    Late,
    Phase,
    PhaseName,
    SensorHealth,
    SensorSet,
    Update,
)
from rehabcount.engine.counted_time import why_nothing
from rehabcount.engine.session import SessionSettings, steps
from rehabcount.engine.summarise import adjusted, context_of, counted_numbers, dose_of, facts_of, phases_of, time_in
from rehabcount.engine.tally import tally
from rehabcount.engine.uncertainty import in_words
from rehabcount.errors import CalibrationError, MissingExtra, RehabcountError, SessionBusy, SessionMissing, StoreError
from rehabcount.exchange.report import utc_text
from rehabcount.inference.artifact import Opened
from rehabcount.store.contents import State
from rehabcount.store.documents import CALIBRATION, COUNTED_SIDE, MODEL, PATIENT, PLAN, SIMULATION, CountedSide
from rehabcount.store.layers import REFERENCE
from rehabcount.store.losses import Losses
from rehabcount.store.outages import Outage
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of

HEALTH_KINDS = ("Gap", "Lost", "Returned", "ClockJump", "Discarded", "Doubt", "SensorSet")


@dataclass(frozen=True, slots=True)
class Counted:
    """One session, counted."""

    file: str
    patient: str  # the code; empty if the file names none
    begun_utc_ns: int | None  # None: not known, as for an import
    side: Side
    model: str
    is_shipped: bool  # the model came with this rehabcount
    length_s: float
    wall_s: float
    dose: Dose
    repetitions_corrected: int  # with corrections, and with what was added or removed by hand during the session
    truth: Dose | None  # by the reference labels, if the file holds any
    events: tuple[Event, ...]
    health: dict[str, int]
    accuracy: str
    simulated: bool
    kept: str  # whether and how it was kept, in words
    reused: bool  # this is an earlier counting with the same data, model, settings and software
    why_nothing: str  # why there is no task repetition; empty if there is one
    counted_s: float  # without pauses and assisted time
    losses: Losses | None  # of a salvaged file
    outages: tuple[Outage, ...]  # of all sensors
    counted: frozenset[int]  # the numbers of the events that add to the numbers of the dose

    def row(self) -> dict[str, Any]:
        """One line of a table."""
        mine = {count.label: count for count in self.dose.counts if count.side is self.side}
        idle = mine.get(IDLE.name)
        pace = pace_per_min(self.dose.repetitions, self.counted_s)
        return {
            "patient": self.patient,
            "file": self.file,
            "begun_utc": utc_text(self.begun_utc_ns),
            "simulated": self.simulated,
            "side": self.side.value,
            "minutes": round(self.length_s / 60, 2),
            "task_repetitions": self.dose.repetitions,
            "task_repetitions_corrected": self.repetitions_corrected,
            **{name: mine[name].number if name in mine else 0 for name in PRIMITIVES.names if name != IDLE.name},
            "idle_s": round(idle.length_s, 1) if idle else 0.0,
            "active_minutes": round(self.dose.active_s / 60, 2),
            "task_repetitions_per_counted_minute": None if pace is None else round(pace, 2),
            "assisted_repetitions": self.dose.assisted_repetitions,
            "use_ratio": self.dose.use_ratio,
            "true_task_repetitions": self.truth.repetitions if self.truth is not None else None,
            "outage_s": round(sum((end_s - start_s for start_s, end_s in self.outages), 0.0), 1),
            "missing_data": " ".join(missing_in_words(self.losses, self.outages)),
            "accuracy": self.accuracy,
            "model": self.model,
            "model_shipped": self.is_shipped,
        }

    def document(self) -> dict[str, Any]:
        return {
            **self.row(),
            "times_real_time": (round(self.length_s / self.wall_s, 1) if self.wall_s > 0 and not self.reused else None),
            "kept": self.kept,
            "reused": self.reused,
            "why_nothing": self.why_nothing,
            "health": self.health,
            "losses": to_document(self.losses) if self.losses is not None else None,
            "outages": [{"start_s": start_s, "end_s": end_s} for start_s, end_s in self.outages],
            "dose": to_document(self.dose),
            "truth": to_document(self.truth) if self.truth is not None else None,
            "events": [to_document(event) for event in self.events],
        }


def count_file(
    path: Path,
    model: Opened,
    settings: Settings,
    *,
    side: Side | None = None,
    keep: bool = True,
    again: bool = False,
) -> Counted:
    """Count one session file; `again`: even if the result is known. CalibrationError if it was never calibrated."""
    begun = time.monotonic()
    with SessionFile.open(path) as file:
        if keep and file.state() is State.RECORDING:
            raise SessionBusy(
                Message.of(Code.FILE_RECORDING_COUNTED, file=path.name),
                advice=Message.of(Code.DO_COUNT_WHEN_ENDED),
            )
        session = _read(file, settings, side)
        walk = _walk(file, session, model, keep=keep, again=again)
        with_corrections = _with_corrections(file, session, walk)
    _refuse_nothing(path.name, walk, session.side)
    kept = _keep(path, model, session, walk) if keep or walk.reused else "not kept"
    dose = next(update for update in reversed(walk.said) if isinstance(update, Dose))
    names = Counter(type(update).__name__ for update in walk.said)
    plan, reference = session.settings.plan, session.reference
    return Counted(
        path.name,
        session.patient,
        session.begun_utc_ns,
        session.side,
        model.name,
        model.is_shipped,
        walk.length_s,
        time.monotonic() - begun,
        dose,
        dose.repetitions if with_corrections is None else with_corrections.repetitions,
        true_dose(reference, walk.said, plan, session.side, walk.length_s) if reference else None,
        tuple(update for update in walk.said if isinstance(update, Event)),
        {name: names[name] for name in HEALTH_KINDS if names[name]},
        in_words(model.card, session.settings.rig.name, session.severity, dose.repetitions),
        session.simulated,
        kept,
        walk.reused,
        why_nothing(walk.said, session.side, walk.length_s),
        time_in((PhaseName.COUNTING,), phases_of(walk.said), walk.length_s),
        session.losses,
        session.outages,
        counted_numbers(walk.said, session.side),
    )


@dataclass(frozen=True, slots=True)
class _Session:
    """The facts of the file that a count needs."""

    settings: SessionSettings
    told: bool  # the caller named the trained arm, and it is not the file's
    patient: str
    begun_utc_ns: int | None
    reference: tuple[Segment, ...]
    simulated: bool
    severity: Severity | None
    losses: Losses | None
    outages: tuple[Outage, ...]

    @property
    def side(self) -> Side:
        return self.settings.side


@dataclass(frozen=True, slots=True)
class _Walk:
    """The updates of the walk, of now or of an earlier counting."""

    said: tuple[Update, ...]
    length_s: float
    key: str
    reused: bool
    earlier: int | None  # the counting of the file with the same updates


def _read(file: SessionFile, settings: Settings, side: Side | None) -> _Session:
    own = side_of(file)
    plan, calibration = file.document(PLAN) or Plan(), file.document(CALIBRATION)
    owner, stretches = file.legible(PATIENT), file.stretches()
    return _Session(
        SessionSettings(file.rig, side or own, plan, calibration, settings.align),
        side is not None and side is not own,
        owner.code if owner is not None else "",
        stretches[0].utc_ns if stretches else None,
        file.segments(REFERENCE),
        file.has_document(SIMULATION),
        severity_in(file, settings.data),
        losses_of(file),
        file.outages(),
    )


def _walk(file: SessionFile, session: _Session, model: Opened, *, keep: bool, again: bool) -> _Walk:
    key = key_of(file, model.sha256, session.side, session.settings.align)
    found = None if again else find_earlier(file, key, session.side)
    if found is not None:
        return _Walk(found.updates, found.length_s, key, reused=True, earlier=found.number)
    said: list[Update] = []
    length_s = max(steps(file.items(), session.settings, model.model, said.append), default=0.0)
    earlier = _counted_before(file, model.sha256, session.side, said) if keep else None
    return _Walk(tuple(said), length_s, key, reused=False, earlier=earlier)


def _with_corrections(file: SessionFile, session: _Session, walk: _Walk) -> Dose | None:
    """The dose as a report gives it; None where no person corrected anything."""
    by_hand = [update for update in (*file.updates(None, Adjusted), *walk.said) if isinstance(update, Adjusted)]
    corrections = file.corrections(walk.earlier) if walk.earlier is not None else ()
    if not by_hand and not corrections:
        return None
    events = [update for update in walk.said if isinstance(update, Event)]
    context = context_of((*file.updates(None), *walk.said))
    heard = {event.segment.side for event in events}
    both = heard | {each.side for each in context if isinstance(each, SensorSet)} == set(Side)
    standing = [each.as_event() for each in corrected(events, corrections)]
    return adjusted(dose_of(standing, context, session.settings.plan, session.side, both_arms=both), by_hand)


def _refuse_nothing(name: str, walk: _Walk, side: Side) -> None:
    """CalibrationError if the count of this arm never began."""
    lacking = [update for update in walk.said if isinstance(update, SensorSet) and update.side is side]
    if lacking and UNCALIBRATED in lacking[-1].missing:
        raise CalibrationError(Message.of(Code.NEVER_CALIBRATED, file=name), advice=Message.of(Code.DO_SAY_POSE))
    if not lacking and not walk.length_s:
        raise CalibrationError(Message.of(Code.NO_MOTION, file=name), advice=Message.of(Code.DO_LOOK_INSIDE))


def _keep(path: Path, model: Opened, session: _Session, walk: _Walk) -> str:
    """Adds the counting to the file unless it is there; returns in words what was done."""
    if walk.reused:
        return f"already there as counting {walk.earlier} (--again counts once more)"
    if walk.earlier is not None:
        # The counting is in the file: a full disk is no reason to fail.
        with suppress(StoreError), SessionFile.annotate(path) as file:
            remember(file, walk.earlier, walk.key, walk.length_s)
        return f"the same as counting {walk.earlier}"
    with SessionFile.annotate(path) as file:
        number = file.begin_counting(model.sha256).number
        file.put_document(MODEL, facts_of(model.card, model.sha256))
        if session.told:
            file.put_document(COUNTED_SIDE, CountedSide(number, session.side))
        file.accept(*(update for update in walk.said if not isinstance(update, SensorHealth)))
        remember(file, number, walk.key, walk.length_s)
    return f"kept as counting {number}"


def true_dose(
    reference: Iterable[Segment], said: Iterable[Update], plan: Plan, side: Side, until_s: float
) -> Dose | None:
    """The dose of the reference labels in the phases of this session; None if they name no movement."""
    states = [update for update in said if isinstance(update, Phase | SensorSet)]
    done = sorted((each for each in reference if each.end_s <= until_s), key=lambda segment: segment.end_s)
    events = [Event(number, segment, 1.0) for number, segment in enumerate(done, 1)]
    return next(reversed(list(tally([*states, *events], plan, side, both_arms=True))), None)


def _counted_before(file: SessionFile, sha256: str, side: Side, said: Sequence[Update]) -> int | None:
    def kept(updates: Iterable[Update]) -> list[Update]:
        return [update for update in updates if not isinstance(update, Late | SensorHealth)]

    for counting in file.countings():
        alike = counting.model == sha256 and side_of(file, counting.number) is side
        if alike and kept(file.updates(counting.number)) == kept(said):
            return counting.number
    return None


# -- many files -------------------------------------------------------------------------------------------------------


def find_sessions(places: Sequence[str]) -> list[str]:
    """The session files at these places, including those in folders and their subfolders."""
    found: list[str] = []
    for place in places:
        if "://" in place:
            remote = _filesystem(place)
            inside = remote.glob(f"{place.rstrip('/')}/**/*.rehab") if not place.endswith(".rehab") else [place]
            found += [each if "://" in each else remote.unstrip_protocol(each) for each in inside]
        elif Path(place).is_dir():
            found += [str(path) for path in sorted(Path(place).rglob("*.rehab"))]
        else:
            found.append(place)
    if not found:
        raise SessionMissing(
            f"there is no session in {', '.join(places)}.", advice="Name .rehab files or folders that hold some."
        )
    return found


def count_many(
    files: Sequence[str],
    which: str,
    settings: Settings,
    *,
    side: Side | None,
    keep: bool,
    jobs: int,
    on_done: Callable[[str, Counted | RehabcountError], None],
    again: bool = False,
) -> None:
    """Count files in parallel, each in a process of its own; `on_done` is called for each as it ends.

    A file that fails, or that ends its process (memory), does not stop the others.
    """
    missing = [file for file in files if "://" not in file and not Path(file).exists()]
    for file in missing:
        on_done(file, SessionMissing(f"There is no file {file}.", advice="Check the name and the folder."))
    files = [file for file in files if file not in missing]
    if not files:
        return
    if jobs <= 1 or len(files) == 1:
        model = open_chosen(settings, which)
        for file in files:
            on_done(file, _count_one(file, model, settings, side, keep, again))
        return
    open_chosen(settings, which)  # a problem of the model is reported once, not for each file

    def in_processes(some: Sequence[str]) -> list[str]:
        """Counts these; returns those that were not counted because a process died."""
        left = []
        # A fresh interpreter each: onnxruntime's threads do not survive a fork.
        with ProcessPoolExecutor(min(jobs, len(some)), get_context("spawn")) as pool:
            waiting = {pool.submit(_count_alone, file, which, settings, side, keep, again): file for file in some}
            for future in as_completed(waiting):
                try:
                    on_done(waiting[future], future.result())
                except BrokenProcessPool:
                    left.append(waiting[future])
        return left

    for file in in_processes(files):  # a dead process ends the whole pool: the rest are counted in a pool each
        if in_processes([file]):
            on_done(
                file,
                RehabcountError(
                    f"the process that counted {Path(file).name} was ended by the system.",
                    advice="Perhaps memory ran out: count it alone, with --jobs 1.",
                ),
            )


def _count_alone(
    file: str, which: str, settings: Settings, side: Side | None, keep: bool, again: bool
) -> Counted | RehabcountError:
    return _count_one(file, open_chosen(settings, which), settings, side, keep, again)


def _count_one(
    file: str, model: Opened, settings: Settings, side: Side | None, keep: bool, again: bool
) -> Counted | RehabcountError:
    try:
        with _fetched(file) as path:
            return count_file(path, model, settings, side=side, keep=keep and "://" not in file, again=again)
    except RehabcountError as problem:
        return _portable(problem)
    except Exception as problem:  # noqa: BLE001  # no error of one file stops the others
        return RehabcountError(
            f"{Path(file).name} cannot be counted ({type(problem).__name__}: {problem}).",
            advice="It may be damaged. Look at it alone: rehabcount info FILE.",
        )


def _portable(problem: RehabcountError) -> RehabcountError:
    """The failure as one that can be pickled: constructors of some kinds take other arguments."""
    failure = RehabcountError(*problem.what, advice=problem.what_to_do)
    failure.exit_code = problem.exit_code
    return failure


@contextmanager
def _fetched(file: str) -> Iterator[Path]:
    with ExitStack() as stack:
        if "://" in file:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            path = folder / file.rsplit("/", 1)[-1]
            try:
                _filesystem(file).get(file, str(path))
            except OSError as problem:
                raise SessionMissing(f"{file} cannot be fetched: {problem}.") from problem
            yield path
        else:
            yield Path(file)


def _filesystem(url: str) -> Any:
    try:
        import fsspec
    except ImportError as problem:
        raise MissingExtra("fsspec", "remote") from problem
    return fsspec.core.url_to_fs(url)[0]

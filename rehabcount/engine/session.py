"""The whole walk: recorded items -> all updates of a session. Live sessions, replays and recounts use it.

In: packets, silences and entries of the therapist, in recorded order. Out: updates. The walk reads no clock and starts
no thread, so the same items always give the same updates.

    steps     does the work; calls `on_update` at once for every update, and yields once a block of frames
    updates   the same as a plain iterator

An entry of the therapist takes effect at its position in the record. A calibration is computed from the frames of the
calibration steps (`CalibrationAsked`); one with the verdict "repeat" is reported and not used. Before the first
calibration nothing is recognised, and the sensor set is reported as incomplete. A calibration that the caller gives is
used for the whole session instead of those in the record, because it was made afterwards.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.dose import Plan
from rehabcount.domain.motion import Frames
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.sequence import Segment, StitchRule, Token
from rehabcount.domain.taught import NOTHING_TAUGHT, TaughtExercises
from rehabcount.domain.update import (
    Believing,
    Calibrated,
    CalibrationAsked,
    Draft,
    Event,
    Phase,
    Recorded,
    Repeated,
    Said,
    Update,
)
from rehabcount.engine import walk
from rehabcount.engine.arm import arms_of
from rehabcount.engine.plausible import Plausibility
from rehabcount.engine.tally import Tally
from rehabcount.inference.addendum import belief_of
from rehabcount.inference.runtime import Model
from rehabcount.signals.align import AlignSettings
from rehabcount.signals.calibration import calibration_from_steps
from rehabcount.signals.frames import joined

CALIBRATION_KEPT_S = 90.0  # of frames: pose and movements of both arms take a minute

OnUpdate = Callable[[Update], None]


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """The settings of a walk. `side` is the trained arm; the other arm is counted, too, if it wears the sensors that
    the model needs."""

    rig: Rig
    side: Side
    plan: Plan = field(default_factory=Plan)
    calibration: Calibration | None = None
    align: AlignSettings = field(default_factory=AlignSettings)
    rule: StitchRule = field(default_factory=StitchRule)
    both_arms: bool = True
    taught: TaughtExercises = NOTHING_TAUGHT  # counted beside the primitives, each on its arm
    believe: bool = True  # False: every run of handling is a repetition, as up to version 0.2


def updates(items: Iterable[Recorded], settings: SessionSettings, model: Model) -> Iterator[Update]:
    """All updates of the session, in order."""
    waiting: list[Update] = []
    for _ in steps(items, settings, model, waiting.append):
        yield from waiting
        waiting.clear()
    yield from waiting


def steps(
    items: Iterable[Recorded],
    settings: SessionSettings,
    model: Model,
    on_update: OnUpdate,
    on_frames: Callable[[Frames], None] | None = None,
) -> Iterator[float]:
    """The walk; yields the session time reached, once a block. ModelMismatch if the model does not fit the rig."""
    session = _Session(settings, model, on_update)
    session.begin()
    for frames in walk.frames(session.hear(items), settings.rig, settings.align, on_update=on_update):
        if on_frames is not None:
            on_frames(frames)
        session.take(frames)
        yield float(frames.time_s[-1])
    session.finish()


class _Session:
    """The state of one walk."""

    def __init__(self, settings: SessionSettings, model: Model, on_update: OnUpdate) -> None:
        self._settings, self._on_update = settings, on_update
        self._arms = arms_of(
            model, settings.rig, settings.side, settings.rule, both=settings.both_arms, taught=settings.taught
        )
        self.tally = Tally(settings.plan, settings.side, both_arms=len(self._arms) > 1)
        self._plausibility = Plausibility(settings.rig, on_update)
        self._calibration: Calibration | None = None
        self._asked: list[CalibrationAsked] = []
        self._kept: deque[Frames] = deque()
        self._origin_ns: int | None = None
        self._phase_s = 0.0  # since when the newest phase holds
        self._number = 0
        self._repeated: dict[tuple[str, Side], int] = {}  # repetitions of taught exercises so far
        self._drafted: tuple[tuple[str, Side, float], ...] = ()
        self._belief = belief_of(model.card) if settings.believe else None
        if settings.calibration is not None:
            self._use(settings.calibration)

    def begin(self) -> None:
        if self._belief is not None:
            believing = Believing(self._belief)
            self._on_update(believing)
            self.tally.follow(believing)
        self._on_update(self.tally.dose())

    def hear(self, items: Iterable[Recorded]) -> Iterator[Recorded]:
        """Passes packets and silences on; entries of the therapist take effect here."""
        for item in items:
            if isinstance(item, Said):
                self._obey(item)
            else:
                if self._origin_ns is None:
                    self._origin_ns = item.received_ns
                yield item

    def _obey(self, said: Said) -> None:
        since_ns = 0 if self._origin_ns is None else max(0, said.received_ns - self._origin_ns)
        what = replace(said.what, at_s=round(since_ns / 1e9, 3))
        if isinstance(what, Phase):  # times of two entries may be swapped: the record's order is used
            what = replace(what, at_s=max(what.at_s, self._phase_s))
            self._phase_s = what.at_s
        self._on_update(what)
        match what:
            case Phase():
                self.tally.enter(what)
            case CalibrationAsked():
                self._asked.append(what)
            case Calibrated() if what.used and self._settings.calibration is None:
                self._use(what.calibration)
            case _:
                pass

    def take(self, frames: Frames) -> None:
        """One block, through calibration, recognition and count."""
        now_s = float(frames.time_s[-1])
        if self._settings.calibration is None:
            self._keep(frames, now_s)
            while self._asked and max(step.end_s for step in self._asked[0].steps) <= now_s:
                self._calibrate(self._asked.pop(0), now_s)
        for arm in self._arms:
            change = arm.attend(frames)
            if change is not None:
                self._on_update(change)
                self.tally.equip(change)
            self._settle(arm.push(frames))
            self._repeat(arm.repeated())
        if self._calibration is not None:
            self._plausibility.look(frames, self._calibration)
        self._draft()

    def finish(self) -> None:
        for arm in self._arms:
            self._settle(arm.finish())
            self._repeat(arm.repeated())
        before, dose = self.tally.dose(), self.tally.close()
        if dose != before:
            self._on_update(dose)

    def _settle(self, tokens: Iterable[Token]) -> None:
        for token in tokens:
            self._number += 1
            event = Event(self._number, Segment(token.label, token.side, token.start_s, token.end_s), token.confidence)
            self._on_update(event)
            self._on_update(self.tally.count(event))

    def _repeat(self, over: Iterable[Repeated]) -> None:
        """Repetitions of taught exercises, numbered; one in a pause, or without its sensors, is none."""
        for each in over:
            if self.tally.counts_at(each.side, (each.start_s + each.end_s) / 2):
                number = self._repeated.get((each.exercise, each.side), 0) + 1
                self._repeated[each.exercise, each.side] = number
                self._on_update(replace(each, number=number))

    def _draft(self) -> None:
        """A draft is reported when a movement is added, removed or renamed, not when it only becomes longer."""
        tokens = tuple(token for arm in self._arms for token in arm.draft())
        seen = tuple((token.label, token.side, token.start_s) for token in tokens)
        if seen != self._drafted:
            self._drafted = seen
            self._on_update(Draft(tokens))

    def _use(self, calibration: Calibration) -> None:
        self._calibration = calibration
        for arm in self._arms:
            arm.calibrate(calibration)

    def _keep(self, frames: Frames, now_s: float) -> None:
        self._kept.append(frames)
        while self._kept[0].time_s[-1] < now_s - CALIBRATION_KEPT_S:
            self._kept.popleft()

    def _calibrate(self, asked: CalibrationAsked, now_s: float) -> None:
        frames = joined(list(self._kept), len(self._settings.rig))
        found = calibration_from_steps(frames, self._settings.rig, asked.steps)
        used = found.verdict is not Verdict.REPEAT
        self._on_update(Calibrated(found, used, round(now_s, 3)))
        if used:
            self._use(found)

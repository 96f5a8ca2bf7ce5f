"""The state of a live session on the screen, for window and terminal: plain data, and functions that change it.

    advance(state, update)   after an update of the session: counts, problems, the echo of the therapist's entries
    reached(state, now_s)    after the session has reached this time
    start, pause, ...        actions of the therapist: each gives the new state and the entries for the session

An action takes effect on the screen at once; the session records it and sends it back as an update. This echo changes
nothing (`unheard` holds the entries without an echo), so that the screen does not flicker after quick presses.

Task repetitions on the screen are those of the recogniser plus the therapist's adjustments; the large number is that of
the present activity. The recogniser's number never falls. The number for the patient never falls either: it is the
highest that was shown for the activity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from rehabcount.domain.dose import Dose, Plan, pace_per_min
from rehabcount.domain.labels import PRIMITIVES
from rehabcount.domain.limits import LATE_S, LOSS_DURING, LOW_BATTERY_PERCENT
from rehabcount.domain.message import Message
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Token
from rehabcount.domain.update import (
    Adjusted,
    Believing,
    Calibrated,
    CalibrationAsked,
    ClockJump,
    Discarded,
    Doubt,
    Draft,
    Event,
    Gap,
    Late,
    Lost,
    Mark,
    Phase,
    PhaseName,
    Repeated,
    Returned,
    SensorHealth,
    SensorSet,
    Unmarked,
    Update,
)

READY = "ready"  # before the start; in the record this is the phase `calibrating`, or no phase yet
CALIBRATING, COUNTING, ASSISTED, PAUSED, ENDED = (
    PhaseName.CALIBRATING,
    PhaseName.COUNTING,
    PhaseName.ASSISTED,
    PhaseName.PAUSED,
    PhaseName.ENDED,
)
RUNNING = (COUNTING, ASSISTED)
RIBBON_KEPT_S = 90.0  # of events; the ribbon shows less

Words = Phase | Mark | Unmarked | Adjusted  # the therapist's entries


@dataclass(frozen=True, slots=True)
class Done:
    """An action of the therapist, and the entry that undoes it."""

    what: str  # start, pause, resume, assist, alone, next, plus, minus, mark
    undo: Words


@dataclass(frozen=True, slots=True)
class ScreenState:
    """Everything a live screen shows."""

    plan: Plan
    side: Side
    who: str = ""
    phase: str = READY
    activity: str = ""
    begun_s: float | None = None  # when counting first began
    now_s: float = 0.0  # session time
    dose: Dose | None = None
    events: tuple[Event, ...] = ()  # the last of them, for the ribbon
    draft: tuple[Token, ...] = ()
    draft_lag_s: float = 0.0  # how far behind the session the draft was when it was made
    gaps: tuple[Gap, ...] = ()
    phases: tuple[Phase, ...] = ()
    marks: tuple[Mark, ...] = ()
    adjustments: tuple[Adjusted, ...] = ()
    lost: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))  # sensor -> since when
    health: Mapping[str, SensorHealth] = field(default_factory=lambda: MappingProxyType({}))
    missing: tuple[str, ...] = ()  # what counting the trained arm lacks: sensors, or `calibration`
    doubts: Mapping[str, Message] = field(default_factory=lambda: MappingProxyType({}))  # by sensor: the reason
    calibrated: Calibrated | None = None
    late_s: float = 0.0
    discarded: int = 0
    clock_jumps: int = 0
    unheard: tuple[Words, ...] = ()
    done: tuple[Done, ...] = ()  # what can be undone, the newest last
    highest: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))  # by activity

    # -- derived values -----------------------------------------------------------------------------------------------

    @property
    def repetitions(self) -> int:
        """Task repetitions made without help, adjusted by the therapist."""
        counted = self.dose.repetitions if self.dose else 0
        return max(0, counted + sum(each.by for each in self.adjustments))

    @property
    def present(self) -> str:
        """The activity whose number is shown large: before the start the first of the plan; empty if there is none."""
        first = self.plan.activities[0].name if self.plan.activities else ""
        return self.activity or (first if self.phase == READY else "")

    @property
    def number(self) -> int:
        """The large number: task repetitions of the present activity, or of the session if there is none."""
        return self.repetitions_of(self.present) if self.present else self.repetitions

    @property
    def target(self) -> int | None:
        """The target of the large number."""
        return self.target_of(self.present) if self.present else self.plan.target

    @property
    def target_reached(self) -> bool:
        return self.target is not None and self.number >= self.target > 0

    @property
    def of_plan(self) -> int | None:
        """Repetitions towards the whole plan; those beyond an activity's target do not count for another activity.
        None without a target."""
        if self.plan.target is None:
            return None
        targets = [each for each in self.plan.activities if each.target is not None]
        return sum(min(self.repetitions_of(each.name), each.target or 0) for each in targets)

    @property
    def for_patient(self) -> int:
        """The number that the patient sees; it never falls within an activity."""
        return max(self.highest.get(self.present, 0), self.number)

    def repetitions_of(self, activity: str) -> int:
        counted = (
            next((each.repetitions for each in self.dose.activities if each.name == activity), 0) if self.dose else 0
        )
        return max(0, counted + sum(each.by for each in self.adjustments if each.activity == activity))

    def target_of(self, activity: str) -> int | None:
        return next((each.target for each in self.plan.activities if each.name == activity), None)

    def primitive(self, label: str) -> tuple[int, float]:
        """Number and total length of this primitive of the trained arm, unassisted."""
        for count in self.dose.counts if self.dose else ():
            if count.label == label and count.side is self.side:
                return count.number, count.length_s
        return 0, 0.0

    @property
    def primitives(self) -> int:
        return sum(self.primitive(label.name)[0] for label in PRIMITIVES.labels if label.counted)

    @property
    def active_s(self) -> float:
        return self.dose.active_s if self.dose else 0.0

    @property
    def elapsed_s(self) -> float:
        """Since counting began, pauses included. 0 until the session has dated Start: the screen's own time of it may
        be seconds too early, and the clock would run back."""
        is_dated = not any(isinstance(words, Phase) and words.at_s == self.begun_s for words in self.unheard)
        return 0.0 if self.begun_s is None or not is_dated else max(0.0, self.now_s - self.begun_s)

    @property
    def counted_s(self) -> float:
        """Time since the start without pauses and assisted time."""
        ends = [phase.at_s for phase in self.phases[1:]] + [self.now_s]
        spans = zip(self.phases, ends, strict=False)  # before Start there is an end and no phase
        return sum(max(0.0, end_s - phase.at_s) for phase, end_s in spans if phase.name == COUNTING)

    @property
    def pace_per_min(self) -> float | None:
        """The pace, as in the summary; None if there is too little counted time."""
        return pace_per_min(self.repetitions, self.counted_s) if self.repetitions else None

    @property
    def next_activity(self) -> str | None:
        """The one after the present in the plan; None after the last."""
        names = [each.name for each in self.plan.activities]
        position = names.index(self.activity) if self.activity in names else -1
        return names[position + 1] if position + 1 < len(names) else None

    def drafted_until_s(self, token: Token, now_s: float) -> float:
        """The end of a token of the draft. The last token of an arm goes on until the next draft, which may come a
        minute later, while the arm is counted."""
        is_open = not any(each.side is token.side and each.start_s > token.start_s for each in self.draft)
        goes_on = is_open and self.counts and not self.missing
        return max(token.end_s, now_s - self.draft_lag_s) if goes_on else token.end_s

    @property
    def said_phase(self) -> str:
        """The session's phase, `calibrating` included. A session without phases counts throughout."""
        return self.phases[-1].name if self.phases else COUNTING

    @property
    def counts(self) -> bool:
        """Whether movements are counted now."""
        return self.said_phase in RUNNING

    # -- what is wrong ------------------------------------------------------------------------------------------------

    @property
    def lacking(self) -> tuple[str, ...]:
        """What is missing for counting, in a phase that counts: sensors, or `calibration`."""
        return self.missing if self.counts else ()

    @property
    def trouble(self) -> tuple[tuple[str, float], ...]:
        """Sensors that do not send, and since when."""
        return tuple(sorted(self.lost.items(), key=lambda pair: pair[1]))

    @property
    def lossy(self) -> tuple[str, ...]:
        """Sensors that lose so many packets that the therapist should be told."""
        return tuple(name for name, each in self.health.items() if each.loss is not None and each.loss > LOSS_DURING)

    @property
    def low_batteries(self) -> tuple[tuple[str, int], ...]:
        """Sensors with a low battery, and its level in percent."""
        levels = ((name, each.battery_percent) for name, each in self.health.items())
        return tuple((name, level) for name, level in levels if level is not None and level <= LOW_BATTERY_PERCENT)

    @property
    def behind_s(self) -> float:
        """How far counting is behind the recording; 0 if that is within its usual delay, or if nothing is counted."""
        return self.late_s if self.late_s > LATE_S and self.counts else 0.0


@dataclass(frozen=True, slots=True)
class Step:
    """The result of an action: the new state, and the entries for the session."""

    state: ScreenState
    words: tuple[Words, ...] = ()


# -- updates of the session -------------------------------------------------------------------------------------------


def advance(state: ScreenState, update: Update) -> ScreenState:
    """The state after an update."""
    match update:
        case Draft():
            seen_s = max((token.end_s for token in update.tokens), default=state.now_s)
            return replace(state, draft=update.tokens, draft_lag_s=max(0.0, state.now_s - seen_s))
        case Event():
            return _settle(state, update)
        case Dose():
            return _counted(replace(state, dose=update))
        case Gap():
            return replace(state, gaps=(*_recent(state.gaps, state.now_s), update))
        case Lost():
            return replace(state, lost=MappingProxyType({**state.lost, update.sensor: update.since_s}))
        case Returned():
            return replace(state, lost=_without(state.lost, update.sensor))
        case SensorHealth():
            return replace(state, health=MappingProxyType({**state.health, update.sensor: update}))
        case SensorSet():
            return replace(state, missing=update.missing) if update.side is state.side else state
        case Doubt():
            doubts = {name: why for name, why in state.doubts.items() if name != update.sensor}
            if update.reason is not None:
                doubts[update.sensor] = update.reason
            return replace(state, doubts=MappingProxyType(doubts))
        case Calibrated():
            return replace(state, calibrated=update)
        case CalibrationAsked() | Believing() | Repeated():
            return state  # what follows from them comes as `Calibrated` and in doses
        case Late():
            return replace(state, late_s=update.behind_s)
        case Discarded():
            return replace(state, discarded=state.discarded + update.number)
        case ClockJump():
            return replace(state, clock_jumps=state.clock_jumps + 1)
        case Phase() | Mark() | Unmarked() | Adjusted():
            return _heard(state, update)
    raise ValueError(f"no state knows what to do with {type(update).__name__}")


def reached(state: ScreenState, now_s: float) -> ScreenState:
    """The state at this session time."""
    return replace(state, now_s=max(state.now_s, now_s))


def _settle(state: ScreenState, event: Event) -> ScreenState:
    kept = tuple(each for each in state.events if each.segment.end_s > event.segment.end_s - RIBBON_KEPT_S)
    side = event.segment.side
    draft = tuple(token for token in state.draft if token.side is not side or token.end_s > event.segment.end_s)
    return replace(state, events=(*kept, event), draft=draft)


def _counted(state: ScreenState) -> ScreenState:
    return replace(state, highest=MappingProxyType({**state.highest, state.present: state.for_patient}))


def _recent(gaps: tuple[Gap, ...], now_s: float) -> tuple[Gap, ...]:
    return tuple(gap for gap in gaps if gap.end_s > now_s - RIBBON_KEPT_S)


def _without(lost: Mapping[str, float], sensor: str) -> Mapping[str, float]:
    return MappingProxyType({name: since for name, since in lost.items() if name != sensor})


def _heard(state: ScreenState, words: Words) -> ScreenState:
    """The echo of an entry made here, or an entry made elsewhere (in a replay of an older session)."""
    for position, waiting in enumerate(state.unheard):
        if _same(waiting, words):
            left = state.unheard[:position] + state.unheard[position + 1 :]
            return _date(replace(state, unheard=left), waiting, words)
    if isinstance(words, Phase) and any(isinstance(waiting, Phase) for waiting in state.unheard):
        # Recorded before a phase entered here (a set-up's "calibrating"), but received after it: it belongs before it.
        waiting_ones = tuple(phase for phase in state.phases if phase in state.unheard)
        earlier = state.phases[: len(state.phases) - len(waiting_ones)]
        return replace(state, phases=(*earlier, words, *waiting_ones))
    return _apply(state, words)


def _same(one: Words, other: Words) -> bool:
    """Whether one is the other's echo: equal except for the time."""
    return type(one) is type(other) and replace(one, at_s=0.0) == replace(other, at_s=0.0)


def _date(state: ScreenState, said: Words, dated: Words) -> ScreenState:
    """Replace the screen's time of an entry by the session's."""
    if isinstance(dated, Phase):
        begun_s = dated.at_s if said.at_s == state.begun_s else state.begun_s
        return replace(state, phases=_exchange(state.phases, said, dated), begun_s=begun_s)
    if isinstance(dated, Mark):
        return replace(state, marks=_exchange(state.marks, said, dated))
    if isinstance(dated, Adjusted):
        return replace(state, adjustments=_exchange(state.adjustments, said, dated))
    return state


def _exchange(held: tuple, old: object, new: object) -> tuple:  # type: ignore[type-arg]  # of either kind
    return tuple(new if each is old else each for each in held)


def _apply(state: ScreenState, words: Words) -> ScreenState:
    match words:
        case Phase():
            begun_s = words.at_s if state.begun_s is None and words.name in RUNNING else state.begun_s
            return replace(
                state,
                phase=READY if words.name == CALIBRATING else words.name,
                activity=words.activity or state.activity,
                phases=(*state.phases, words),
                begun_s=begun_s,
            )
        case Mark():
            return replace(state, marks=(*state.marks, words))
        case Unmarked():
            return replace(state, marks=state.marks[:-1])
        case Adjusted():
            return _counted(replace(state, adjustments=(*state.adjustments, words)))


# -- actions of the therapist -----------------------------------------------------------------------------------------


def start(state: ScreenState) -> Step:
    """Start counting, with the first activity of the plan."""
    if state.phase != READY:
        return Step(state)
    first = state.plan.activities[0].name if state.plan.activities else ""
    return _say(state, Phase(COUNTING, state.now_s, first))


def toggle_pause(state: ScreenState) -> Step:
    """Pause, or resume; a pause in assisted time is followed by assisted time."""
    if state.phase == READY:
        return start(state)
    if state.phase in RUNNING:
        return _say(state, _into(state, PAUSED), Done("pause", _into(state, state.phase)))
    if state.phase == PAUSED:
        before = next((each.name for each in reversed(state.phases) if each.name in RUNNING), COUNTING)
        return _say(state, _into(state, before), Done("resume", _into(state, PAUSED)))
    return Step(state)


def toggle_assist(state: ScreenState) -> Step:
    """Begin or end assisted time, which is counted separately. Not during a pause: counting would begin without a
    resume."""
    if state.phase not in RUNNING:
        return Step(state)
    assisting = state.phase == ASSISTED
    return _say(
        state,
        _into(state, COUNTING if assisting else ASSISTED),
        Done("alone" if assisting else "assist", _into(state, state.phase)),
    )


def next_activity(state: ScreenState) -> Step:
    """Change to the next activity of the plan."""
    following = state.next_activity
    if following is None or state.phase in (READY, ENDED):
        return Step(state)
    return choose_activity(state, following)


def choose_activity(state: ScreenState, name: str) -> Step:
    """Change to this activity, of the plan or not."""
    if name == state.activity or state.phase in (READY, ENDED):
        return Step(state)
    return _say(state, Phase(PhaseName(state.phase), state.now_s, name), Done("next", _into(state, state.phase)))


def adjust(state: ScreenState, by: int) -> Step:
    """One repetition of the present activity more or fewer; never below zero."""
    if state.phase in (READY, ENDED) or state.number + by < 0:
        return Step(state)
    words = Adjusted(by, state.now_s, state.activity, state.who)
    return _say(state, words, Done("plus" if by > 0 else "minus", replace(words, by=-by)))


def mark(state: ScreenState, note: str = "") -> Step:
    """Mark this moment."""
    if state.phase in (READY, ENDED):
        return Step(state)
    return _say(state, Mark(state.now_s, note), Done("mark", Unmarked(state.now_s)))


def undo(state: ScreenState) -> Step:
    """Undo the last action that can be undone."""
    if not state.done or state.phase == ENDED:
        return Step(state)
    taken = state.done[-1].undo
    return _say(replace(state, done=state.done[:-1]), replace(taken, at_s=state.now_s))


def end(state: ScreenState) -> Step:
    """End the session."""
    if state.phase == ENDED:
        return Step(state)
    ended = _say(state, _into(state, ENDED))
    return Step(replace(ended.state, done=(), draft=()), ended.words)


def _into(state: ScreenState, phase: str) -> Phase:
    return Phase(PhaseName(phase), state.now_s, state.activity)


def _say(state: ScreenState, words: Words, done: Done | None = None) -> Step:
    changed = _apply(state, words)
    return Step(
        replace(
            changed,
            unheard=(*changed.unheard, words),
            done=(*changed.done, done) if done is not None else changed.done,
        ),
        (words,),
    )

"""Exercises as sentences: what the hands may do one after the other.

    rounds_of(task, rng)              round by round the HandSteps that it takes, each round a little different
    check(steps)                      refuses a sentence that the taxonomy does not allow

Tasks are drawn in drawn_tasks.py.

The taxonomy (Schambra et al. 2019): a hand reaches to make contact, transports what it is in contact with, stabilizes
it, repositions without it, idles. So each Verb needs a hand that holds something, or one that does not:

    TAKE, TOUCH, ASIDE, RETURN, WAIT     empty        TAKE leaves it holding
    CARRY, PUT, HOLD, LET_GO             holding      PUT and LET_GO leave it empty

`together` lets both hands wait for each other before a step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import zip_longest

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import IDLE, REACH, REPOSITION, STABILIZE, TRANSPORT
from rehabcount.domain.rig import Side
from rehabcount.simulate.posture import HOLD, Grip, shifted

MIDWAY_REST_S = 0.6  # people do not wait long with a hand where it let go
APART_M = 0.09  # nearer than this there is nothing to reach for or to carry to
SHORT_STAY_S = (0.1, 0.5)  # contacts and holds in them
BOXES = 0.3  # share of rounds at a bench with a box in both hands


class Verb(StrEnum):
    """What one hand does in one step."""

    TAKE = "take"
    TOUCH = "touch"
    CARRY = "carry"
    PUT = "put"
    LET_GO = "let go"
    ASIDE = "aside"
    RETURN = "return"
    HOLD = "hold"
    WAIT = "wait"


LABEL = {  # the primitive of each; letting go is none
    Verb.TAKE: REACH,
    Verb.TOUCH: REACH,
    Verb.CARRY: TRANSPORT,
    Verb.PUT: TRANSPORT,
    Verb.ASIDE: REPOSITION,
    Verb.RETURN: REPOSITION,
    Verb.HOLD: STABILIZE,
    Verb.WAIT: IDLE,
}
NEEDS_HOLDING = {Verb.CARRY, Verb.PUT, Verb.LET_GO, Verb.HOLD}
ENDS_HOLDING = {Verb.TAKE, Verb.CARRY, Verb.HOLD}


@dataclass(frozen=True, slots=True)
class HandStep:
    """One hand's next step. `seconds` is for HOLD and WAIT: a mean, or (0 and below) exactly that."""

    verb: Verb
    side: Side
    place: Floats | None = None
    grip: Grip = HOLD
    quick: float = 1.0
    seconds: float = 0.0
    kg: float = 0.2
    lift_m: float | None = None
    contact: float = 0.0
    together: bool = False
    stops: int = 0  # of CARRY and PUT: how often it stops on its way and goes on
    tilt_rad: float = 0.0  # of HOLD: the forearm turns there and back, as a cup is tilted


@dataclass(frozen=True, slots=True)
class Pace:
    """How a task is timed."""

    tempo: float  # of movements, against a drink in a laboratory; below 1 is faster
    turn_s: float  # at turning points, where nothing asks for a stop
    dwell_s: float  # where something is looked at, filled, drunk
    rest_s: float  # between rounds
    stopping: float = 0.0  # share of carryings that stop on their way


@dataclass(frozen=True, slots=True)
class Use:
    """What is done with an object that is in the hand."""

    kind: str  # "visit", "strokes", "turns", "hold"
    places: tuple[Floats, ...] = ()
    grip: Grip = HOLD
    count: tuple[int, int] = (1, 1)
    quick: float = 1.0
    dwells: bool = True
    turn_rad: float = 0.0
    lift_m: float | None = None
    tilt_rad: float = 0.0


@dataclass(frozen=True, slots=True)
class Task:
    """One exercise."""

    name: str
    lead: Side
    sources: tuple[Floats, ...]  # where the object, or the targets, are
    grip: Grip
    kg: float
    uses: tuple[Use, ...]
    targets: tuple[Floats, ...]  # where it is put; empty: back where it was
    pace: Pace
    rounds: int
    keeps: bool = False  # the object stays in the hand from round to round
    touches: bool = False  # targets are touched, nothing is taken
    both: bool = False  # the other hand does the same in the mirror
    steadies: HandStep | None = None  # the other hand takes something and keeps it still
    passes: Floats | None = None  # where the object goes from hand to hand
    home: float = 0.8  # chance that the hand goes home after a round
    near: float = 0.1  # chance that it goes near its next target instead
    slips: float = 0.04  # chance that a round differs: taken anew, put down on the way, a target left out
    hovers: Floats | None = None  # the empty hand goes back to there, in the air, instead of home
    others: tuple[
        Floats, ...
    ] = ()  # places of the other hand in work at a bench; `sources` are those of the leading one
    refilled: bool = False  # another object stands at the source each time: the hand comes back for it empty


@dataclass(slots=True)
class _Hands:
    """What is in the hands while a sentence is made."""

    at: dict[Side, Floats | None] = field(default_factory=lambda: dict.fromkeys(Side))
    holding: dict[Side, bool] = field(default_factory=lambda: dict.fromkeys(Side, False))


def check(steps: Iterable[HandStep], holding: dict[Side, bool] | None = None) -> dict[Side, bool]:
    """Which hands hold something at the end; ValueError names the first step that cannot be."""
    now = dict.fromkeys(Side, False) if holding is None else dict(holding)
    for number, step in enumerate(steps, 1):
        if (step.verb in NEEDS_HOLDING) != now[step.side]:
            state = "holding" if now[step.side] else "empty"
            raise ValueError(f"step {number}: {step.verb.value} with a hand that is {state}")
        now[step.side] = step.verb in ENDS_HOLDING
    return now


def rounds_of(task: Task, rng: np.random.Generator) -> Iterator[list[HandStep]]:
    """The steps of each round. After the last one both hands are empty and at home."""
    hands = _Hands()
    lead, other = task.lead, task.lead.other
    where = 0
    for number in range(task.rounds):
        where = 0 if task.refilled else where
        last = number == task.rounds - 1
        steps: list[HandStep] = []
        if number == 0 and task.steadies is not None:
            steps.append(task.steadies)
        if task.touches:
            steps += _touch_round(task, rng)
        elif task.others:
            steps += _bench_round(task, rng)
        elif task.passes is not None:
            steps += _passing_round(task, rng, number)
        else:
            where = _object_round(task, rng, hands, where, steps, last=last)
        if task.both:
            steps = _mirrored(steps, other)
        if last:
            if task.steadies is not None:
                steps.append(HandStep(Verb.LET_GO, other))
            steps += [
                HandStep(Verb.RETURN, side) for side in Side if side is lead or task.both or task.steadies is not None
            ]
            steps += [HandStep(Verb.RETURN, other)] if task.passes is not None or task.others else []
        elif not task.keeps or not hands.holding[lead]:
            steps += _back(task, rng, steps)
        yield [_stopping(task, step, rng) for step in _tidy(steps)]


def _tidy(steps: list[HandStep]) -> list[HandStep]:
    """No second way home for a hand that is there already."""
    kept: list[HandStep] = []
    home: dict[Side, bool] = {}
    for step in steps:
        if step.verb is Verb.RETURN and home.get(step.side):
            continue
        if step.verb is not Verb.WAIT:
            home[step.side] = step.verb is Verb.RETURN
        kept.append(step)
    return kept


def _stopping(task: Task, step: HandStep, rng: np.random.Generator) -> HandStep:
    """Some carryings stop on their way; those are slow ones."""
    if step.verb not in (Verb.CARRY, Verb.PUT) or step.lift_m == 0.0 or rng.random() >= task.pace.stopping:
        return step
    return replace(step, stops=int(rng.integers(1, 3)), quick=step.quick * float(rng.uniform(0.8, 1.6)))


def _near(place: Floats, rng: np.random.Generator, spread_m: float = 0.012) -> Floats:
    return place + rng.normal(0.0, spread_m, 3) * np.array([1.0, 0.25, 1.0])


def _turning(task: Task, rng: np.random.Generator) -> float:
    """Time at a turning point; below 0 without a stop."""
    return task.pace.turn_s + float(rng.normal(0.0, 0.06))


def _object_round(
    task: Task, rng: np.random.Generator, hands: _Hands, where: int, steps: list[HandStep], *, last: bool
) -> int:
    """Take it, use it, put it somewhere. Returns which place the object stands at next."""
    lead = task.lead
    places = (*task.sources, *task.targets)
    source = places[where % len(places)]
    if not hands.holding[lead]:
        steps.append(HandStep(Verb.TAKE, lead, _near(source, rng), task.grip, kg=task.kg, contact=0.6))
        if rng.random() < task.slips:
            steps += [HandStep(Verb.LET_GO, lead), HandStep(Verb.WAIT, lead, seconds=0.4)]
            steps.append(HandStep(Verb.TAKE, lead, _near(source, rng, 0.02), task.grip, kg=task.kg, contact=0.6))
        steps.append(HandStep(Verb.HOLD, lead, seconds=_turning(task, rng)))
    for use in task.uses:
        if len(task.uses) > 1 and rng.random() < task.slips:
            continue
        steps += _using(task, use, rng, source)
    if task.keeps and not last:
        hands.holding[lead] = True
        steps.append(HandStep(Verb.HOLD, lead, seconds=task.pace.rest_s))
        return where
    after = where + 1 if task.targets else where
    target = _near(places[after % len(places)], rng)
    if rng.random() < task.slips:  # put down on the way and taken again
        midway = 0.5 * (source + target) + np.array([-0.03, 0.0, 0.0])
        steps += [HandStep(Verb.PUT, lead, midway, task.grip), HandStep(Verb.WAIT, lead, seconds=0.5)]
        steps.append(HandStep(Verb.TAKE, lead, _near(midway, rng), task.grip, kg=task.kg, contact=0.5))
    steps.append(HandStep(Verb.PUT, lead, target, task.grip))
    hands.holding[lead] = False
    return after


def _using(task: Task, use: Use, rng: np.random.Generator, source: Floats) -> list[HandStep]:
    lead, steps = task.lead, []
    count = int(rng.integers(use.count[0], use.count[1] + 1))
    if use.kind == "hold":
        steps.append(HandStep(Verb.HOLD, lead, seconds=task.pace.dwell_s * 2.0))
    elif use.kind == "visit":
        for _ in range(count):
            for place in use.places:
                steps.append(HandStep(Verb.CARRY, lead, _near(place, rng), use.grip, use.quick, lift_m=use.lift_m))
                pause = task.pace.dwell_s if use.dwells else _turning(task, rng)
                tilt = use.tilt_rad * float(rng.uniform(0.7, 1.3))
                steps.append(HandStep(Verb.HOLD, lead, seconds=pause, tilt_rad=tilt))
    elif use.kind == "turns":
        for number in range(count):
            turned = shifted(use.grip, pronation=use.turn_rad * (-1.0 if number % 2 else 1.0))
            place = _near(use.places[0], rng, 0.006)
            steps.append(HandStep(Verb.CARRY, lead, place, turned, use.quick, lift_m=0.0))
            if rng.random() < 0.4:
                steps.append(HandStep(Verb.HOLD, lead, seconds=task.pace.dwell_s * 0.6))
    else:
        for number in range(count):
            place = _near(use.places[number % len(use.places)], rng, 0.010)
            steps.append(HandStep(Verb.CARRY, lead, place, use.grip, use.quick, lift_m=use.lift_m))
            if rng.random() < 0.12:
                steps.append(HandStep(Verb.HOLD, lead, seconds=0.5))
    return steps


def _touch_round(task: Task, rng: np.random.Generator) -> list[HandStep]:
    steps = []
    for place in task.sources:
        if len(task.sources) > 1 and rng.random() < task.slips:
            continue
        contact = 0.0 if rng.random() < 0.15 else 0.5
        steps.append(HandStep(Verb.TOUCH, task.lead, _near(place, rng), task.grip, contact=contact))
        steps.append(HandStep(Verb.WAIT, task.lead, seconds=_turning(task, rng)))
    return steps


def _bench_round(task: Task, rng: np.random.Generator) -> list[HandStep]:
    """Many short movements of both hands without a rest; or one box in both."""
    if rng.random() < BOXES:
        beside = np.array([1.0, 1.0, 0.0]) * task.sources[0] + np.array([0.0, 0.0, np.sign(task.sources[-1][2]) * 0.13])
        ways = rng.uniform((-0.04, 0.0, 0.0), (0.14, 0.14, 0.0), (int(rng.integers(1, 5)), 3))
        one = [HandStep(Verb.TAKE, task.lead, beside, task.grip, 1.1, kg=0.5 * task.kg, contact=0.5)]
        one += [HandStep(Verb.CARRY, task.lead, beside + way, _turned(task.grip, rng, 0.3)) for way in ways]
        one.append(HandStep(Verb.PUT, task.lead, _near(beside + 0.5 * ways[0], rng), task.grip))
        return _mirrored(one, task.lead.other)
    hands = ((task.lead, task.sources), (task.lead.other, task.others))
    rows = [_busy(task, rng, side, places) for side, places in hands]
    return [step for pair in zip_longest(*rows) for step in pair if step is not None]


def _busy(task: Task, rng: np.random.Generator, side: Side, places: tuple[Floats, ...]) -> list[HandStep]:
    """One hand takes, carries, turns, presses, puts down, in some order that the taxonomy allows."""
    steps: list[HandStep] = []
    holding, at = False, -1
    for _ in range(int(rng.integers(3, 10))):
        at = (at + int(rng.integers(1, len(places)))) % len(places)
        grip, quick = _turned(task.grip, rng, 0.3), float(rng.uniform(1.01, 1.5))
        place = _near(places[at], rng, 0.02)
        if not holding:
            verb = (Verb.TAKE, Verb.TOUCH, Verb.ASIDE)[int(rng.choice(3, p=[0.75, 0.15, 0.10]))]
        else:
            verb = (Verb.CARRY, Verb.HOLD, Verb.PUT)[int(rng.choice(3, p=[0.6, 0.1, 0.3]))]
        if verb is Verb.CARRY and rng.random() < 0.4:  # turned where it is
            last = next(step.place for step in reversed(steps) if step.place is not None)
            grip, place = _turned(task.grip, rng, 0.9), _near(last, rng, 0.02)
        contact = 0.4 if verb in (Verb.TAKE, Verb.TOUCH) else 0.0
        seconds = float(rng.uniform(*SHORT_STAY_S)) if verb is Verb.HOLD else 0.0
        at_place = None if verb is Verb.HOLD else place
        steps.append(HandStep(verb, side, at_place, grip, quick, seconds, task.kg, contact=contact))
        holding = verb in ENDS_HOLDING
    if holding:
        steps.append(HandStep(Verb.PUT, side, _near(places[at], rng, 0.02), task.grip, 1.3))
    return steps


def _turned(grip: Grip, rng: np.random.Generator, spread_rad: float) -> Grip:
    return shifted(grip, pronation=float(rng.normal(0.0, spread_rad)))


def _passing_round(task: Task, rng: np.random.Generator, number: int) -> list[HandStep]:
    """Take it with one hand, take it over with the other, put it on its side; the next time the other way."""
    assert task.passes is not None
    first = task.lead if number % 2 == 0 else task.lead.other
    second = first.other
    source, target = task.sources[0], task.targets[0]
    if number % 2:
        source, target = target, source
    beside = np.array([0.0, 0.0, 0.05 if second is Side.RIGHT else -0.05])
    return [
        HandStep(Verb.TAKE, first, _near(source, rng), task.grip, kg=task.kg, contact=0.6),
        HandStep(Verb.CARRY, first, _near(task.passes - beside, rng), HOLD),
        HandStep(Verb.TAKE, second, _near(task.passes + beside, rng), HOLD, kg=task.kg, contact=0.3, together=True),
        HandStep(Verb.HOLD, second, seconds=0.25),
        HandStep(Verb.LET_GO, first, together=True),
        HandStep(Verb.RETURN, first),
        HandStep(Verb.PUT, second, _near(target, rng), task.grip),
        HandStep(Verb.RETURN, second),
    ]


def _back(task: Task, rng: np.random.Generator, done: list[HandStep]) -> list[HandStep]:
    """After a round: home, near the next target, or from where the hand is to the next one."""
    if task.passes is not None:
        return [HandStep(Verb.WAIT, task.lead, seconds=task.pace.rest_s)]
    choice, steps = rng.random(), []
    sides = (task.lead, task.lead.other) if task.both else (task.lead,)
    at = next((step.place for step in reversed(done) if step.place is not None and step.side is task.lead), None)
    ahead = task.sources[0]
    far = at is None or float(np.linalg.norm(ahead - at)) > APART_M
    if task.hovers is not None:
        steps.append(HandStep(Verb.WAIT, task.lead, seconds=_turning(task, rng)))
        steps.append(HandStep(Verb.ASIDE, task.lead, _near(task.hovers, rng, 0.02), task.grip))
    elif choice < task.home or not far:
        steps += [HandStep(Verb.WAIT, side, seconds=_turning(task, rng)) for side in sides]
        steps += [HandStep(Verb.RETURN, side) for side in sides]
    elif choice < task.home + task.near and at is not None:
        midway = at + float(rng.uniform(0.4, 0.8)) * (ahead - at) + np.array([-0.03, 0.05, 0.0])
        steps.append(HandStep(Verb.ASIDE, task.lead, midway, task.grip))
    if task.both and len(steps) == 1:  # one hand near, the other one home
        steps.append(HandStep(Verb.RETURN, task.lead.other))
    rest = task.pace.rest_s if steps else min(task.pace.rest_s, MIDWAY_REST_S)
    steps += [HandStep(Verb.WAIT, side, seconds=rest * float(rng.uniform(0.7, 1.3))) for side in sides]
    return steps


def _mirrored(steps: list[HandStep], other: Side) -> list[HandStep]:
    """Each step also with the other hand."""
    doubled = []
    for step in steps:
        moved = step.verb in (Verb.TAKE, Verb.PUT)
        doubled.append(replace(step, together=moved))
        place = None if step.place is None else step.place * np.array([1.0, 1.0, -1.0])
        doubled.append(replace(step, side=other, place=place))
    return doubled

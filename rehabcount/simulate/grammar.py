"""Exercises as sentences: what the hands may do one after the other, and tasks drawn from that.

    draw_task(stage, setting, lead)   a Task: its objects, places, uses, pace and number of rounds
    rounds_of(task, rng)              round by round the HandSteps that it takes, each round a little different
    check(steps)                      refuses a sentence that the taxonomy does not allow

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
from rehabcount.simulate.body import shoulder_at
from rehabcount.simulate.posture import HOLD, SIDE, Grip, shifted
from rehabcount.simulate.setting import (
    MARKS,
    STANDING,
    Setting,
    Surface,
    Thing,
    arrival,
    draw_grip,
    mark_on,
    place_on,
)
from rehabcount.simulate.stage import OpenScene

ROUNDS = (2, 12)
MIDWAY_REST_S = 0.6  # people do not wait long with a hand where it let go
USUAL, BRISK, BRISK_SHARE = (-0.16, 0.26), (-0.5, 0.2), 0.25  # log tempo of tasks: mean, deviation
LONG_STROKE = 0.25  # m, of a stroke at the person's own speed; shorter ones may be quicker
APART_M = 0.09  # nearer than this there is nothing to reach for or to carry to
LONG_ROWS = (10, 25)  # rounds of the exercises that are done in long rows
SHORT_STAY_S = (0.1, 0.5)  # contacts and holds in them
STRAIGHT = (0.86, 0.985)  # of arm length from shoulder to wrist: an elbow bent by 60 to 20 degrees
TILT_DEG = (20.0, 60.0)  # turn of the forearm at the mouth
STOPPING, SLOW = 0.4, 1.15  # share of tasks in which carryings stop on their way; for arms slower than that
STANDING_WORK = 0.2  # share of what people do standing that is brisk work at a bench
BOXES, THUMBS = 0.3, (-1.2, 0.5)  # share of rounds at a bench with a box in both hands; how forearms are turned there
TURN_AWAY_S = 0.9  # pauses are drawn up to about this; below 0 the next movement begins while the last one fades


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


# Drawing ------------------------------------------------------------------------------------------------------------

FAMILIES = {  # how often each is drawn
    "carry": 0.13,
    "to the body": 0.08,
    "drink": 0.08,
    "tool": 0.12,
    "touch": 0.07,
    "touch and go": 0.12,
    "lift": 0.04,
    "to and fro": 0.12,
    "both": 0.05,
    "bench": 0.08,
    "hand over": 0.04,
    "out and back": 0.07,
}


def draw_task(stage: OpenScene, setting: Setting, lead: Side) -> Task:
    """A task that this person can do there, led by that hand."""
    rng = stage.rng
    family = str(rng.choice(list(FAMILIES), p=np.array(list(FAMILIES.values()))))
    if setting.stance == STANDING and rng.random() < STANDING_WORK:
        family = "bench"
    task = draw_family(family, stage, setting, lead)
    if rng.random() < (STOPPING if stage.arms[lead].slowness > SLOW else 0.3 * STOPPING):
        task = replace(task, pace=replace(task.pace, stopping=float(rng.uniform(0.1, 0.9))))
    if family in ("carry", "to the body", "tool", "lift", "to and fro") and rng.random() < 0.15:
        task = replace(task, steadies=_steadying(stage, setting, lead.other))
    return task


def draw_family(family: str, stage: OpenScene, setting: Setting, lead: Side) -> Task:
    """A task of that family."""
    return _DRAWERS[family](stage, setting, lead)


def _pace(rng: np.random.Generator) -> Pace:
    brisk = rng.random() < BRISK_SHARE
    tempo = float(np.clip(np.exp(rng.normal(*(BRISK if brisk else USUAL))), 0.45, 1.5))
    turn = float(rng.choice([rng.uniform(-0.25, 0.05), rng.uniform(0.05, 0.5)], p=[0.55, 0.45]))
    rest = float(rng.choice([rng.uniform(-0.15, 0.1), rng.uniform(0.1, 1.0), rng.uniform(1.0, 4.0)], p=[0.3, 0.4, 0.3]))
    return Pace(tempo, turn, float(rng.uniform(0.1, TURN_AWAY_S)), rest)


def _rounds(rng: np.random.Generator) -> int:
    return int(rng.integers(ROUNDS[0], ROUNDS[1] + 1))


def _thing(setting: Setting, rng: np.random.Generator) -> Thing:
    return setting.things[int(rng.integers(len(setting.things)))]


def _surface(setting: Setting, rng: np.random.Generator) -> Surface:
    return setting.surfaces[int(rng.integers(len(setting.surfaces)))]


def _apart(stage: OpenScene, setting: Setting, side: Side, others: list[Floats]) -> tuple[Floats, Grip]:
    """A place on some surface away from those, and how the hand arrives there."""
    surface = _surface(setting, stage.rng)
    place = place_on(stage, surface, side)
    for _ in range(8):
        if all(np.linalg.norm(place - each) > 1.4 * APART_M for each in others):
            break
        surface = _surface(setting, stage.rng)
        place = place_on(stage, surface, side)
    return place, arrival(surface, stage.rng)


def _home_places(stage: OpenScene, side: Side) -> list[Floats]:
    return [stage.rest_place(side)]


def _source(stage: OpenScene, thing: Thing, side: Side) -> Floats:
    """Where the thing stands: not where the hand rests."""
    home = stage.rest_place(side)
    place = place_on(stage, thing.surface, side)
    for _ in range(8):
        if np.linalg.norm(place - home) > 1.4 * APART_M:
            break
        place = place_on(stage, thing.surface, side)
    return place


def _carrying(stage: OpenScene, setting: Setting, lead: Side) -> Task:
    """From place to place, in one go or over stations."""
    rng = stage.rng
    thing = _thing(setting, rng)
    places = [_source(stage, thing, lead)]
    grip = thing.grip
    for _ in range(int(rng.integers(1, 5))):
        place, _ = _apart(stage, setting, lead, [*places, *_home_places(stage, lead)])
        places.append(place)
    uses: tuple[Use, ...] = ()
    if rng.random() < 0.3:
        station, other_grip = _apart(stage, setting, lead, places)
        uses = (Use("visit", (station,), other_grip, dwells=bool(rng.random() < 0.5)),)
    home = float(rng.choice([1.0, 0.7, 0.0]))
    return Task(
        "carry", lead, (places[0],), grip, thing.kg, uses, tuple(places[1:]), _pace(rng), _rounds(rng),
        home=home, near=0.5 * (1.0 - home),
    )  # fmt: skip


def _to_the_body(stage: OpenScene, setting: Setting, lead: Side) -> Task:
    """To the mouth, the face, the hair, the other arm; and back."""
    rng = stage.rng
    thing = _thing(setting, rng)
    source = _source(stage, thing, lead)
    mark = MARKS[int(rng.integers(len(MARKS)))]
    there = mark_on(stage, mark, lead)
    grip = draw_grip(mark.grip, rng, 0.5)
    uses = [Use("visit", (there,), grip, dwells=bool(rng.random() < 0.6))]
    if rng.random() < 0.35:
        up = rng.normal(0.0, 1.0, 3) * np.array([0.012, 0.03, 0.02])
        uses.append(Use("strokes", (there + up, there - up), grip, (2, 8), float(rng.uniform(1.2, 2.2)), lift_m=0.0))
    back = source + np.array([0.0, 0.03, 0.0])
    many = rng.random() < 0.3
    if many:
        uses = [replace(uses[0], places=(there, back), count=(1, 3))]
    targets = () if rng.random() < 0.7 else (_apart(stage, setting, lead, [source])[0],)
    kg = min(thing.kg, 0.6)
    return Task("to the body", lead, (source,), thing.grip, kg, tuple(uses), targets, _pace(rng), _rounds(rng))


def _drink(stage: OpenScene, setting: Setting, lead: Side) -> Task:
    """A cup to the mouth, tilted there, and back: with a stop at the mouth or without one, slowly or not."""
    rng = stage.rng
    thing = _thing(setting, rng)
    source = _source(stage, thing, lead)
    mark = MARKS[0]
    place = mark_on(stage, mark, lead) + rng.normal(0.0, 0.015, 3)
    tilt = float(rng.choice([-1.0, 1.0], p=[0.8, 0.2]) * np.radians(rng.uniform(*TILT_DEG)))
    use = Use("visit", (place,), draw_grip(mark.grip, rng, 0.5), dwells=bool(rng.random() < 0.6), tilt_rad=tilt)
    pace = _pace(rng)
    pace = replace(pace, tempo=pace.tempo * float(rng.choice([1.0, rng.uniform(1.0, 1.8)])))
    targets = () if rng.random() < 0.75 else (_apart(stage, setting, lead, [source])[0],)
    kg = min(thing.kg, 0.5)
    return Task(
        "drink", lead, (source,), draw_grip(SIDE, rng), kg, (use,), targets, pace, max(2, _rounds(rng) // 2), home=0.9
    )


def _tool(stage: OpenScene, setting: Setting, lead: Side) -> Task:
    """Wipe, stir, cut, screw, draw, brush, hammer; or with the bare hand on the surface."""
    rng = stage.rng
    thing = _thing(setting, rng)
    source = _source(stage, thing, lead)
    bare = rng.random() < 0.2
    work, grip = _apart(stage, setting, lead, [] if bare else [source])
    if bare:
        work = source
    count = (int(rng.integers(2, 5)), int(rng.integers(5, 13)))
    quick = float(rng.uniform(1.0, 2.2))
    kind = str(rng.choice(["wipe", "circle", "cut", "hammer", "turn"], p=[0.32, 0.22, 0.16, 0.1, 0.2]))
    if kind == "turn":
        size = float(rng.uniform(0.25, 1.1))
        use = Use("turns", (work,), grip, count, float(rng.uniform(0.9, 2.0)), turn_rad=size)
    else:
        ends = _stroke_ends(kind, work, rng)
        quick = min(quick, LONG_STROKE / float(np.linalg.norm(ends[1] - ends[0])))  # long strokes are not the quickest
        use = Use("strokes", ends, grip, count, max(quick, 1.0), lift_m=0.0)
    uses = (use,) if bare or kind != "hammer" else (Use("visit", (work,), grip, dwells=False), use)
    if rng.random() < 0.3:
        uses = (*uses, Use("hold"))
    kg = 0.0 if bare else min(thing.kg, 0.8)
    name = "slide" if bare else kind
    rounds = max(2, _rounds(rng) // 2)
    return Task(
        name, lead, (source,), grip if bare else thing.grip, kg, uses, (), _pace(rng), rounds,
        keeps=bool(not bare and rng.random() < 0.25),
    )  # fmt: skip


def _stroke_ends(kind: str, work: Floats, rng: np.random.Generator) -> tuple[Floats, ...]:
    if kind == "circle":
        radius, count = float(rng.uniform(0.03, 0.12)), int(rng.integers(3, 6))
        angles = float(rng.choice([-1.0, 1.0])) * np.arange(count) * 2 * np.pi / count
        return tuple(work + radius * np.array([np.cos(a), 0.0, np.sin(a)]) for a in angles)
    if kind == "hammer":
        return (work + np.array([-0.05, float(rng.uniform(0.06, 0.22)), 0.0]), work)
    half = float(rng.uniform(0.03, 0.16)) if kind == "wipe" else float(rng.uniform(0.02, 0.06))
    angle = float(rng.uniform(0.0, np.pi)) if kind == "wipe" else float(rng.normal(0.0, 0.3))
    way = half * np.array([np.cos(angle), 0.0, np.sin(angle)])
    if kind == "cut":
        way[1] = 0.3 * half
    return (work + way, work - way)


def _touching(stage: OpenScene, setting: Setting, lead: Side) -> Task:
    """Touch one target or several, and back."""
    rng = stage.rng
    targets = [_apart(stage, setting, lead, _home_places(stage, lead))]
    for _ in range(int(rng.choice([0, 0, 1, 2, 3]))):
        targets.append(_apart(stage, setting, lead, [place for place, _ in targets]))
    if rng.random() < 0.2:
        mark = MARKS[int(rng.integers(len(MARKS)))]
        targets = [(mark_on(stage, mark, lead), mark.grip)]
    pace = _pace(rng)
    return Task(
        "touch", lead, tuple(place for place, _ in targets), targets[0][1], 0.0, (), (), pace, _rounds(rng),
        touches=True, home=1.0 if len(targets) == 1 else 0.8, near=0.0, both=bool(rng.random() < 0.1),
    )  # fmt: skip


def _lifting(stage: OpenScene, setting: Setting, lead: Side) -> Task:
    """Something stays in the hand and is moved to and fro."""
    rng = stage.rng
    thing = _thing(setting, rng)
    source = _source(stage, thing, lead)
    first, grip = _apart(stage, setting, lead, [source])
    if rng.random() < 0.5:
        first = source + np.array([-0.05, 0.06, 0.0])
    ends: tuple[Floats, ...] = (_apart(stage, setting, lead, [first])[0], first)
    if rng.random() < 0.5:
        ends = (mark_on(stage, MARKS[int(rng.integers(len(MARKS)))], lead), first)
    use = Use("visit", ends, grip, dwells=bool(rng.random() < 0.4))
    return Task("lift", lead, (source,), thing.grip, thing.kg, (use,), (), _pace(rng), _rounds(rng), keeps=True)


def _with_both(stage: OpenScene, setting: Setting, lead: Side) -> Task:
    """One object in both hands."""
    rng = stage.rng
    thing = _thing(setting, rng)
    half = float(rng.uniform(0.06, 0.16)) * (1.0 if lead is Side.RIGHT else -1.0)
    source = _source(stage, thing, lead)
    source[2] = half
    place, grip = _apart(stage, setting, lead, [source])
    place[2] = half
    uses: tuple[Use, ...] = (Use("visit", (place,), grip, dwells=bool(rng.random() < 0.5)),)
    targets: tuple[Floats, ...] = ()
    if rng.random() < 0.4:
        uses, targets = (), (place,)
    return Task(
        "both", lead, (source,), thing.grip, 0.5 * thing.kg, uses, targets, _pace(rng), _rounds(rng), both=True,
        keeps=bool(not targets and rng.random() < 0.3), slips=0.0,
    )  # fmt: skip


def _handing_over(stage: OpenScene, setting: Setting, lead: Side) -> Task:
    rng = stage.rng
    thing = _thing(setting, rng)
    source = _source(stage, thing, lead)
    target = place_on(stage, _surface(setting, rng), lead.other)
    forward = float(rng.uniform(0.26, 0.38))
    middle = np.array([forward, setting.height + float(rng.uniform(0.08, 0.28)), float(rng.normal(0.0, 0.03))])
    return Task(
        "hand over", lead, (source,), thing.grip, thing.kg, (), (target,), _pace(rng), max(2, _rounds(rng) // 2),
        passes=middle, slips=0.0,
    )  # fmt: skip


def _out_and_back(stage: OpenScene, setting: Setting, lead: Side) -> Task:
    """From near the body far out, and back at once; what is taken is used near the body, or put down there."""
    rng = stage.rng
    pace = replace(_pace(rng), turn_s=float(rng.uniform(-0.25, 0.15)))
    far, grip = _far(stage, setting, lead)
    near = stage.rest_place(lead) * 0.5 + far * 0.5
    near[0], near[1] = float(rng.uniform(0.20, 0.34)), max(setting.height + 0.05, 0.12)
    if np.linalg.norm(far - near) < 2 * APART_M:
        near = np.asarray(mark_on(stage, MARKS[8], lead))
    if rng.random() < 0.35:
        return Task("touch far", lead, (far,), grip, 0.0, (), (), pace, _rounds(rng), touches=True, home=1.0, near=0.0)
    kg = min(_thing(setting, rng).kg, 1.0)
    targets = (near,) if rng.random() < 0.6 else ()
    uses = () if targets else (Use("visit", (near,), grip, dwells=bool(rng.random() < 0.5)),)
    home = float(rng.choice([1.0, 0.5]))
    return Task(
        "out and back", lead, (far,), grip, kg, uses, targets, pace, _rounds(rng), home=home, near=0.5 * (1 - home)
    )


def _stretched(stage: OpenScene, side: Side) -> tuple[Floats, Grip]:
    """A place at the end of a stretched arm: before the body, to the side, a little above or below the shoulder."""
    rng, body = stage.rng, stage.body
    out, up = float(rng.uniform(-0.3, 1.4)), float(rng.uniform(-0.75, 0.25))
    way = np.array([np.cos(up) * np.cos(out), np.sin(up), np.cos(up) * np.sin(out)])
    grip = Grip(float(rng.uniform(-0.2, 0.9)), 0.0, 0.0, float(rng.uniform(-0.1, 0.3)), (way[0], way[1], way[2]))
    far = float(rng.uniform(*STRAIGHT)) * body.arm + 1.6 * body.hand
    mirror = np.array([1.0, 1.0, 1.0 if side is Side.RIGHT else -1.0])
    return shoulder_at(body, stage.recline, side) + far * way * mirror, grip


def _hovering(stage: OpenScene, side: Side) -> Floats:
    """A place in the air before belly or chest."""
    rng = stage.rng
    way = np.array([rng.uniform(0.24, 0.38), rng.uniform(-0.36, -0.10), rng.uniform(-0.16, 0.12)])
    way[2] *= 1.0 if side is Side.RIGHT else -1.0
    return np.asarray(shoulder_at(stage.body, stage.recline, side) + way * stage.body.arm / 0.565)


def _long_row(rng: np.random.Generator) -> tuple[Pace, int]:
    """Pace and rounds of what is done many times without a rest."""
    pace = replace(
        _pace(rng),
        turn_s=0.5 * float(rng.uniform(*SHORT_STAY_S)),  # waited for twice: after the contact, and before the way back
        dwell_s=float(rng.uniform(*SHORT_STAY_S)),
        rest_s=float(rng.choice([rng.uniform(-0.25, 0.1), rng.uniform(0.1, 0.6)])),
    )
    return pace, int(rng.integers(LONG_ROWS[0], LONG_ROWS[1] + 1))


def _touch_and_go(stage: OpenScene, setting: Setting, lead: Side) -> Task:
    """Out to one target and back at once, over and over; nothing is taken."""
    rng = stage.rng
    hovers = _hovering(stage, lead) if rng.random() < 0.5 else None
    start = stage.rest_place(lead) if hovers is None else hovers
    place, grip = _stretched(stage, lead) if rng.random() < 0.5 else _apart(stage, setting, lead, [start])
    if np.linalg.norm(place - start) < 2 * APART_M:
        place, grip = _stretched(stage, lead)
    pace, rounds = _long_row(rng)
    return Task(
        "touch and go", lead, (place,), grip, 0.0, (), (), pace, rounds, touches=True, home=1.0, near=0.0, hovers=hovers
    )


def _to_and_fro(stage: OpenScene, setting: Setting, lead: Side) -> Task:
    """One object between two or three places without letting go; or object after object, with empty ways back."""
    rng = stage.rng
    thing = _thing(setting, rng)
    places = [_source(stage, thing, lead)]
    grip = thing.grip
    for _ in range(int(rng.choice([1, 1, 2]))):
        place, other_grip = _apart(stage, setting, lead, places)
        if rng.random() < 0.35 or min(np.linalg.norm(place - each) for each in places) < 1.4 * APART_M:
            place, other_grip = _stretched(stage, lead)
        places.append(place)
    pace, rounds = _long_row(rng)
    kg = min(thing.kg, 1.0)
    if rng.random() < 0.4:
        hovers = _hovering(stage, lead) if rng.random() < 0.3 else None
        home = float(rng.choice([0.0, 1.0], p=[0.7, 0.3]))
        return Task(
            "bring", lead, (places[0],), grip, kg, (), (places[1],), pace, rounds, home=home, near=0.5 * (1.0 - home),
            hovers=hovers, refilled=True,
        )  # fmt: skip
    use = Use("visit", (*places[1:], places[0]), other_grip)
    pace = replace(pace, rest_s=float(rng.uniform(*SHORT_STAY_S)))
    return Task("to and fro", lead, (places[0],), grip, kg, (use,), (), pace, rounds, keeps=True)


def _at_the_bench(stage: OpenScene, setting: Setting, lead: Side) -> Task:
    """Brisk work of both hands before the belly: upper arms hang, forearms are level, thumbs are mostly up."""
    rng, body, habits = stage.rng, stage.body, stage.habits
    lowered = 0.9 * max(habits.swivel, 0.0) if rng.random() < 0.7 else 0.0
    thumb = float(rng.uniform(*THUMBS)) - habits.pronation
    pointing = (0.9, float(rng.uniform(-0.25, 0.2)), -float(rng.uniform(0.1, 0.7)))
    grip = Grip(thumb, 0.0, 0.0, float(rng.uniform(-0.25, 0.15)) - lowered, pointing)
    level = float(rng.uniform(-0.12, 0.10)) - body.upper_arm
    row = []
    for side in (lead, lead.other):
        shoulder = shoulder_at(body, stage.recline, side) * np.array([1.0, 1.0, 0.0])
        mirror = np.array([1.0, 1.0, 1.0 if side is Side.RIGHT else -1.0])
        ways = rng.uniform((0.16, level - 0.05, 0.0), (0.40, level + 0.08, 0.26), (int(rng.integers(3, 6)), 3))
        row.append(tuple(shoulder + way * mirror for way in ways))
    pace = replace(
        _pace(rng), tempo=float(np.clip(np.exp(rng.normal(*BRISK)), 0.45, 1.0)), rest_s=float(rng.uniform(0.0, 0.4))
    )
    kg = float(rng.uniform(0.02, 1.2))
    return Task(
        "bench", lead, row[0], grip, kg, (), (), pace, int(rng.integers(6, 16)), home=0.0, near=0.0, others=row[1]
    )


def _far(stage: OpenScene, setting: Setting, side: Side) -> tuple[Floats, Grip]:
    """The farthest of some places from where the hand rests."""
    home = stage.rest_place(side)
    found = [_apart(stage, setting, side, [home]) for _ in range(4)]
    return max(found, key=lambda each: float(np.linalg.norm(each[0] - home)))


def _steadying(stage: OpenScene, setting: Setting, side: Side) -> HandStep:
    thing = _thing(setting, stage.rng)
    place = _source(stage, thing, side)
    return HandStep(Verb.TAKE, side, place, thing.grip, kg=min(thing.kg, 0.5), contact=0.4)


_DRAWERS = {
    "carry": _carrying,
    "to the body": _to_the_body,
    "drink": _drink,
    "tool": _tool,
    "touch": _touching,
    "touch and go": _touch_and_go,
    "lift": _lifting,
    "to and fro": _to_and_fro,
    "both": _with_both,
    "bench": _at_the_bench,
    "hand over": _handing_over,
    "out and back": _out_and_back,
}

"""Tasks drawn for a setting: what somebody could be asked to do there.

    draw_task(stage, setting, lead)   a Task: its objects, places, uses, pace and number of rounds

What the hands do in it, round by round, is said in grammar.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.rig import Side
from rehabcount.simulate.body import shoulder_at
from rehabcount.simulate.grammar import APART_M, SHORT_STAY_S, HandStep, Pace, Task, Use, Verb
from rehabcount.simulate.posture import SIDE, Grip
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
USUAL, BRISK, BRISK_SHARE = (-0.16, 0.26), (-0.5, 0.2), 0.25  # log tempo of tasks: mean, deviation
LONG_STROKE = 0.25  # m, of a stroke at the person's own speed; shorter ones may be quicker
LONG_ROWS = (10, 25)  # rounds of the exercises that are done in long rows
STRAIGHT = (0.86, 0.985)  # of arm length from shoulder to wrist: an elbow bent by 60 to 20 degrees
TILT_DEG = (20.0, 60.0)  # turn of the forearm at the mouth
STOPPING, SLOW = 0.4, 1.15  # share of tasks in which carryings stop on their way; for arms slower than that
STANDING_WORK = 0.2  # share of what people do standing that is brisk work at a bench
THUMBS = (-1.2, 0.5)  # how forearms are turned at a bench
TURN_AWAY_S = 0.9  # pauses are drawn up to about this; below 0 the next movement begins while the last one fades
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

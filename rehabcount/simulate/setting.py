"""Where an exercise takes place, drawn: how the person sits, stands or lies, what is within reach, where hands rest.

    draw_setting(rng, body)   a Setting
    settle(stage, setting)    the person takes place there; not exercise

Places are metres in room axes from the hip centre. A Surface is a box; `place_on` draws a place in it that the hand can
reach, with or without bending the trunk. Marks are places on the own body.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import OTHER
from rehabcount.domain.rig import Side
from rehabcount.simulate.body import (
    CHEEK,
    EAR,
    FOREHEAD,
    HAIR_BACK,
    HAIR_SIDE,
    HAIR_TOP,
    MOUTH,
    Body,
    shoulder_at,
)
from rehabcount.simulate.posture import ACROSS, FACE, HEAD, HOLD, KNIFE, LAP, REST, SIDE, TOP, Grip, shifted
from rehabcount.simulate.scene import Furniture
from rehabcount.simulate.stage import CHANGE_S, Home, OpenScene, Unrest

SITTING, STANDING, HALF_LYING = "sitting", "standing", "half lying"
STANCES, STANCE_SHARES = (SITTING, STANDING, HALF_LYING), (0.52, 0.38, 0.10)
HEAVIEST_KG = 2.0
NEAREST = 0.42  # of arm length: no target is nearer to its shoulder
ARRIVALS = {  # grips with which a surface is met
    "table": (SIDE, SIDE, TOP, HOLD, KNIFE),
    "board": (SIDE, SIDE, HOLD, Grip(0.5, -0.2, 0.0, 0.2, (0.8, 0.3, -0.4))),
    "wall": (Grip(0.9, -0.5, 0.0, 0.2, (0.6, 0.7, -0.2)), Grip(0.6, 0.1, 0.0, 0.3, (0.9, 0.2, -0.3)), TOP),
    "low": (Grip(0.5, 0.0, 0.0, 0.15, (0.4, -0.9, -0.1)), Grip(0.95, 0.2, 0.0, 0.2, (0.3, -0.93, -0.2))),
    "lap": (LAP, SIDE, Grip(0.2, 0.0, 0.0, 0.1, (0.8, -0.2, -0.55))),
    "air": (SIDE, HOLD, TOP, Grip(-0.3, 0.0, 0.0, 0.2, (0.8, 0.1, -0.55))),
}


@dataclass(frozen=True, slots=True)
class Surface:
    """A box in which targets lie; `low` and `high` are forward, up and outwards (to the side of the arm that goes
    there)."""

    name: str
    kind: str  # of ARRIVALS
    low: tuple[float, float, float]
    high: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Thing:
    """An object: where it stands at first, what it weighs, how it is held."""

    surface: Surface
    kg: float
    grip: Grip


@dataclass(frozen=True, slots=True)
class Setting:
    """One place to exercise at."""

    stance: str
    unrest: Unrest
    farthest_lean: float  # rad
    steps_a_minute: float  # of the feet while exercising
    layout: Furniture
    homes: dict[Side, Home]
    surfaces: tuple[Surface, ...]
    things: tuple[Thing, ...]

    @property
    def height(self) -> float:
        """Of the work surface above the hips."""
        return self.layout.table


@dataclass(frozen=True, slots=True)
class BodyMark:
    """A place on the own body: share of stature from the middle between the shoulders, on the side of the arm."""

    name: str
    place: tuple[float, float, float]
    before_m: float  # how far before the body the hand stays
    grip: Grip


def _mark(name: str, place: Floats, before_m: float, grip: Grip) -> BodyMark:
    return BodyMark(name, (float(place[0]), float(place[1]), float(place[2])), before_m, grip)


MARKS = (
    _mark("mouth", MOUTH, 0.035, FACE),
    _mark("mouth", MOUTH, 0.05, Grip(0.55, 0.05, 0.0, 0.20, (-0.20, 0.25, -0.95))),
    _mark("cheek", CHEEK, 0.03, FACE),
    _mark("forehead", FOREHEAD, 0.03, FACE),
    _mark("ear", EAR, 0.03, FACE),
    _mark("hair", HAIR_SIDE, 0.02, HEAD),
    _mark("hair", HAIR_TOP, 0.03, HEAD),
    _mark("back of the head", HAIR_BACK, 0.01, HEAD),
    _mark("chest", np.array([0.075, -0.06, 0.02]), 0.03, ACROSS),
    _mark("belly", np.array([0.075, -0.17, 0.01]), 0.05, ACROSS),
    _mark("other shoulder", np.array([0.045, 0.00, -0.105]), 0.03, ACROSS),
    _mark("other upper arm", np.array([0.05, -0.08, -0.13]), 0.03, ACROSS),
    _mark("own shoulder", np.array([0.055, 0.015, 0.10]), 0.03, Grip(0.2, 0.1, 0.0, 0.3, (-0.55, 0.15, -0.8))),
)


def draw_setting(rng: np.random.Generator, body: Body) -> Setting:
    """A setting that this body can use."""
    stance = str(rng.choice(STANCES, p=STANCE_SHARES))
    recline = _draw_recline(stance, rng)
    shoulder = (shoulder_at(body, recline, Side.RIGHT) + shoulder_at(body, recline, Side.LEFT)) / 2
    height = _draw_height(stance, rng) * body.shoulder_height / 0.5
    surfaces = _draw_surfaces(stance, rng, body, shoulder, height)
    layout = Furniture(table=height, rest_forward=0.4, rest_outward=0.22, near=0.36, far=0.48)
    sway = {SITTING: (0.0005, 0.006), STANDING: (0.0008, 0.016), HALF_LYING: (0.0002, 0.002)}[stance]
    turn = {SITTING: (0.001, 0.02), STANDING: (0.0015, 0.05), HALF_LYING: (0.0005, 0.01)}[stance]
    unrest = Unrest(0.0, recline, _either_order(sway, rng), _either_order(turn, rng))
    steps = float(rng.choice([0.0, rng.uniform(1.0, 12.0)])) if stance == STANDING else 0.0
    lean = {SITTING: (0.3, 1.1), STANDING: (0.3, 1.0), HALF_LYING: (0.15, 0.5)}[stance]
    homes = _draw_homes(stance, rng, body, shoulder, height)
    things = tuple(_draw_thing(surfaces, rng) for _ in range(int(rng.integers(1, 7))))
    return Setting(stance, unrest, float(rng.uniform(*lean)), steps, layout, homes, surfaces, things)


def _either_order(limits: tuple[float, float], rng: np.random.Generator) -> float:
    """Between the limits, as often near the one as near the other in their orders of magnitude."""
    return float(np.exp(rng.uniform(*np.log(limits))))


def settle(stage: OpenScene, setting: Setting) -> None:
    """The person takes place and the hands come to rest there."""
    start = stage.now
    stage.sync()
    unrest = replace(setting.unrest, start_s=start)
    stage.take_place(unrest, setting.homes, setting.farthest_lean)
    stage.layout = setting.layout
    for side in Side:
        stage.stay(side, float(stage.rng.uniform(0.0, 0.6)))
        stage.drop_home(side, OTHER.name)
    stage.sync()
    late = start + CHANGE_S + 0.2 - stage.now
    for side in Side:
        stage.stay(side, max(0.0, late))
    stage.mark("other", "taking place", start)


def place_on(stage: OpenScene, surface: Surface, side: Side, *, tries: int = 25) -> Floats:
    """A place on the surface for that hand, the first of some draws that it can reach well."""
    rng, body = stage.rng, stage.body
    shoulder = shoulder_at(body, stage.recline, side)
    sign = 1.0 if side is Side.RIGHT else -1.0
    best, least = np.zeros(3), np.inf
    for _ in range(tries):
        place = rng.uniform(surface.low, surface.high) * np.array([1.0, 1.0, sign])
        distance = float(np.linalg.norm(place - shoulder))
        farthest = 0.93 * body.arm + 1.4 * body.hand + 0.45 * body.shoulder_height * np.sin(stage.farthest_lean)
        excess = max(NEAREST * body.arm + 0.05 - distance, distance - farthest, 0.0)
        if excess < least:
            best, least = place, excess
        if excess == 0.0:
            break
    return best


def mark_on(stage: OpenScene, mark: BodyMark, side: Side) -> Floats:
    """Where that hand goes for a mark."""
    return stage.on_body(np.asarray(mark.place), side, mark.before_m)


def draw_grip(base: Grip, rng: np.random.Generator, width: float = 1.0) -> Grip:
    """A grip like that one, held in a way of its own."""
    pointing = np.asarray(base.pointing) + width * rng.normal(0.0, 0.18, 3)
    turned = shifted(
        base,
        pronation=width * float(rng.normal(0.0, 0.42)),
        flexion=width * float(rng.normal(0.0, 0.15)),
        deviation=width * float(rng.normal(0.0, 0.06)),
        swivel=width * float(rng.normal(0.03, 0.30)),
    )
    return replace(turned, pointing=(float(pointing[0]), float(pointing[1]), float(pointing[2])))


def arrival(surface: Surface, rng: np.random.Generator) -> Grip:
    """How a hand arrives at a surface."""
    grips = ARRIVALS[surface.kind]
    return draw_grip(grips[int(rng.integers(len(grips)))], rng)


def _draw_recline(stance: str, rng: np.random.Generator) -> Floats:
    back = {
        SITTING: rng.normal(0.03, 0.10),
        STANDING: rng.normal(-0.02, 0.05),
        HALF_LYING: rng.uniform(0.35, 0.95),
    }[stance]
    shares = rng.dirichlet([6.0, 3.0, 3.0]) if stance != HALF_LYING else np.array([0.6, 0.2, 0.2])
    side = rng.normal(0.0, 0.03) if stance != HALF_LYING else rng.normal(0.0, 0.06)
    twist = rng.normal(0.0, 0.04)
    return np.asarray((shares[:, None] * np.array([side, twist, back])).reshape(9))


def _draw_height(stance: str, rng: np.random.Generator) -> float:
    low, high = {SITTING: (0.08, 0.36), STANDING: (-0.14, 0.38), HALF_LYING: (0.18, 0.38)}[stance]
    return float(rng.uniform(low, high))


def _draw_surfaces(
    stance: str, rng: np.random.Generator, body: Body, shoulder: Floats, height: float
) -> tuple[Surface, ...]:
    """What is within reach. Forward is counted from the shoulders where they lie back."""
    scale = body.arm / 0.565
    x, y = float(shoulder[0]), float(shoulder[1])
    board = height + float(rng.uniform(0.15, 0.75)) * scale
    wall = float(rng.uniform(0.42, 0.60)) * scale
    floor = -float(rng.uniform(0.28, 0.42))
    stool = float(rng.uniform(-0.12, 0.16))
    every: dict[str, tuple[Surface, dict[str, float]]] = {
        "table": (
            Surface("table", "table", (x + 0.20, height + 0.03, -0.16), (x + 0.66 * scale, height + 0.12, 0.46)),
            {SITTING: 0.85, STANDING: 0.85, HALF_LYING: 0.6},
        ),
        "shelf": (
            Surface("shelf", "board", (x + 0.32, board, -0.12), (x + 0.58 * scale, board + 0.08, 0.40)),
            {SITTING: 0.35, STANDING: 0.45, HALF_LYING: 0.1},
        ),
        "wall": (
            Surface("wall", "wall", (x + wall - 0.02, 0.25, -0.15), (x + wall + 0.02, y + 0.36, 0.45)),
            {SITTING: 0.2, STANDING: 0.3, HALF_LYING: 0.0},
        ),
        "lap": (
            Surface("lap", "lap", (0.16, 0.10, -0.04), (0.34, 0.16, 0.18)),
            {SITTING: 0.35, STANDING: 0.0, HALF_LYING: 0.4},
        ),
        "floor": (
            Surface("floor", "low", (0.20, floor, 0.02), (0.55, floor + 0.10, 0.40)),
            {SITTING: 0.25, STANDING: 0.2, HALF_LYING: 0.0},
        ),
        "stool": (
            Surface("stool", "low", (x - 0.05, stool, 0.30), (x + 0.35, stool + 0.10, 0.55)),
            {SITTING: 0.3, STANDING: 0.3, HALF_LYING: 0.5},
        ),
        "held up": (
            Surface("held up", "air", (x + 0.25, y - 0.35, -0.20), (x + 0.62 * scale, y + 0.30, 0.50)),
            {SITTING: 0.25, STANDING: 0.3, HALF_LYING: 0.5},
        ),
    }
    elbows = y - body.upper_arm
    every["before the belly"] = (
        Surface("before the belly", "air", (x + 0.17, elbows - 0.10, -0.08), (x + 0.42, elbows + 0.12, 0.24)),
        {SITTING: 0.25, STANDING: 0.6, HALF_LYING: 0.2},
    )
    chosen = [surface for surface, shares in every.values() if rng.random() < shares[stance]]
    return tuple(chosen) or (every["table"][0],)


def _draw_homes(stance: str, rng: np.random.Generator, body: Body, shoulder: Floats, height: float) -> dict[Side, Home]:
    """Where each hand rests; mostly both alike."""
    kinds = {
        SITTING: ("table edge", "table", "table far", "lap", "thigh", "arm-rest", "hanging", "belly", *ANYWHERE),
        STANDING: ("table edge", "table", "hanging", "belly", *ANYWHERE),
        HALF_LYING: ("lap", "thigh", "arm-rest", "belly", *ANYWHERE[:3]),
    }[stance]
    shares = {
        SITTING: (0.18, 0.13, 0.05, 0.11, 0.11, 0.07, 0.05, 0.04, 0.07, 0.04, 0.03, 0.06, 0.06),
        STANDING: (0.12, 0.07, 0.38, 0.09, 0.14, 0.06, 0.03, 0.06, 0.05),
        HALF_LYING: (0.22, 0.22, 0.26, 0.16, 0.07, 0.04, 0.03),
    }[stance]
    first, second = (str(kind) for kind in rng.choice(kinds, 2, p=shares))
    if rng.random() < 0.7:
        second = first
    return {
        side: HOME_KINDS[kind](side, rng, body, shoulder, height)
        for side, kind in zip(Side, (first, second), strict=True)
    }


def _home(name: str, side: Side, place: tuple[float, float, float], grip: Grip, rng: np.random.Generator) -> Home:
    sign = 1.0 if side is Side.RIGHT else -1.0
    return Home(name, np.array([place[0], place[1], sign * place[2]]), draw_grip(grip, rng, 0.6))


def _on_table(name: str, low: float, high: float) -> Callable[..., Home]:
    def draw(side: Side, rng: np.random.Generator, body: Body, shoulder: Floats, height: float) -> Home:
        forward = (float(shoulder[0]) + rng.uniform(low, high)) * body.arm / 0.565
        grip = REST if rng.random() < 0.7 else SIDE
        return _home(name, side, (forward, height + 0.03, rng.uniform(0.06, 0.31)), grip, rng)

    return draw


def _hanging(side: Side, rng: np.random.Generator, body: Body, shoulder: Floats, height: float) -> Home:
    drop = rng.uniform(0.90, 0.99) * body.arm + 1.5 * body.hand
    grip = Grip(float(rng.uniform(-0.1, 0.9)), 0.0, 0.0, float(rng.uniform(-0.1, 0.25)), (0.08, -1.0, -0.03))
    out = body.half_width + rng.uniform(0.02, 0.09)
    return _home("hanging", side, (shoulder[0] + rng.uniform(0.0, 0.09), shoulder[1] - drop, out), grip, rng)


def _in_lap(side: Side, rng: np.random.Generator, body: Body, shoulder: Floats, height: float) -> Home:
    grip = LAP if rng.random() < 0.6 else Grip(-0.2, 0.0, 0.0, 0.05, (0.6, -0.2, -0.75))
    return _home("lap", side, (rng.uniform(0.17, 0.28), rng.uniform(0.08, 0.12), rng.uniform(0.02, 0.12)), grip, rng)


def _on_thigh(side: Side, rng: np.random.Generator, body: Body, shoulder: Floats, height: float) -> Home:
    return _home("thigh", side, (rng.uniform(0.24, 0.42), rng.uniform(0.08, 0.13), rng.uniform(0.10, 0.2)), LAP, rng)


def _on_arm_rest(side: Side, rng: np.random.Generator, body: Body, shoulder: Floats, height: float) -> Home:
    grip = Grip(float(rng.uniform(0.2, 0.9)), 0.0, 0.0, 0.1, (0.98, -0.1, -0.05))
    out = body.half_width + rng.uniform(0.05, 0.14)
    up = shoulder[1] - body.upper_arm + rng.uniform(-0.06, 0.04)
    return _home("arm-rest", side, (shoulder[0] + rng.uniform(0.24, 0.36), up, out), grip, rng)


def _before_belly(side: Side, rng: np.random.Generator, body: Body, shoulder: Floats, height: float) -> Home:
    grip = Grip(float(rng.uniform(0.1, 0.8)), 0.1, 0.0, 0.3, (0.1, 0.0, -1.0))
    forward = 0.25 * shoulder[0] + rng.uniform(0.20, 0.28)
    return _home("belly", side, (forward, rng.uniform(0.12, 0.30), rng.uniform(0.0, 0.06)), grip, rng)


def _in_the_air(name: str, low: float, high: float) -> Callable[..., Home]:
    """Idle, but held up without a support; elbow beside the trunk or out."""

    def draw(side: Side, rng: np.random.Generator, body: Body, shoulder: Floats, height: float) -> Home:
        grip = Grip(float(rng.uniform(-0.4, 0.9)), 0.0, 0.0, float(rng.uniform(-0.1, 1.1)), _inwards(rng))
        forward = float(shoulder[0]) + rng.uniform(0.22, 0.40) * body.arm / 0.565
        up = float(shoulder[1]) - rng.uniform(low, high) * body.arm / 0.565
        return _home(name, side, (forward, up, rng.uniform(-0.04, 0.26)), grip, rng)

    return draw


def _inwards(rng: np.random.Generator) -> tuple[float, float, float]:
    """Where the fingers of a hand before the body point: forward to inwards."""
    turn, up = float(rng.uniform(0.1, 1.4)), float(rng.uniform(-0.3, 0.3))
    return float(np.cos(turn)), up, -float(np.sin(turn))


def _on_other_arm(side: Side, rng: np.random.Generator, body: Body, shoulder: Floats, height: float) -> Home:
    forward = float(shoulder[0]) + rng.uniform(0.18, 0.28)
    up = float(shoulder[1]) - body.upper_arm + rng.uniform(-0.02, 0.14)
    return _home("other arm", side, (forward, up, -rng.uniform(0.02, 0.14)), ACROSS, rng)


def _on_high_table(side: Side, rng: np.random.Generator, body: Body, shoulder: Floats, height: float) -> Home:
    """The elbow lies on it, too: out to the side, nearly as high as the shoulder."""
    grip = Grip(float(rng.uniform(0.0, 0.9)), 0.0, 0.0, float(rng.uniform(0.6, 1.3)), _inwards(rng))
    forward = float(shoulder[0]) + rng.uniform(0.22, 0.42) * body.arm / 0.565
    up = float(shoulder[1]) - rng.uniform(0.06, 0.24)
    return _home("high table", side, (forward, up, rng.uniform(0.0, 0.3)), grip, rng)


def _straight(side: Side, rng: np.random.Generator, body: Body, shoulder: Floats, height: float) -> Home:
    """On the table far away, the elbow stretched."""
    length = rng.uniform(0.88, 0.97) * body.arm + 1.5 * body.hand
    drop = float(np.clip(shoulder[1] - height - 0.03, 0.05, 0.8 * length))
    turn = float(rng.uniform(-0.25, 0.7))
    flat = float(np.sqrt(length**2 - drop**2))
    way = (flat * float(np.cos(turn)), -drop, flat * float(np.sin(turn)))
    grip = Grip(float(rng.uniform(-0.1, 1.0)), 0.0, 0.0, float(rng.uniform(-0.1, 0.4)), _unit(way))
    place = (float(shoulder[0]) + way[0], float(shoulder[1]) + way[1], body.half_width + way[2])
    return _home("straight", side, place, grip, rng)


def _unit(way: tuple[float, float, float]) -> tuple[float, float, float]:
    length = float(np.linalg.norm(way))
    return way[0] / length, way[1] / length, way[2] / length


ANYWHERE = ("hovering", "held up", "other arm", "high table", "straight")  # the last two need a table
HOME_KINDS: dict[str, Callable[..., Home]] = {
    "table edge": _on_table("table edge", 0.28, 0.38),
    "table": _on_table("table", 0.38, 0.50),
    "table far": _on_table("table far", 0.50, 0.60),
    "lap": _in_lap,
    "thigh": _on_thigh,
    "arm-rest": _on_arm_rest,
    "hanging": _hanging,
    "belly": _before_belly,
    "hovering": _in_the_air("hovering", 0.22, 0.40),
    "held up": _in_the_air("held up", 0.02, 0.22),
    "other arm": _on_other_arm,
    "high table": _on_high_table,
    "straight": _straight,
}


def _draw_thing(surfaces: tuple[Surface, ...], rng: np.random.Generator) -> Thing:
    surface = surfaces[int(rng.integers(len(surfaces)))]
    kg = float(min(HEAVIEST_KG, rng.choice([rng.uniform(0.01, 0.15), rng.uniform(0.1, 0.6), rng.uniform(0.4, 2.0)])))
    return Thing(surface, kg, arrival(surface, rng))

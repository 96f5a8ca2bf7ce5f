"""Tasks that are none of the nine activities, put together from their steps; and where each movement goes.

A task is a script like those of tabletop.py and grooming.py, made of steps that occur there (take from the table, bring
before the chest, to the mouth, to the shelf, twist a cap, stroke, put down, go home) in another order and on other
occasions. The body moves them as it moves the nine: no motion is cut from elsewhere.

    simulate_steps(subject, task, repetition)    a recording of a task or an activity, and its steps

A step is a movement with the kind of place that it goes to: `table`, `high` (the shelf), `body` (one's own face, hair,
armpit), `air` (before the chest or above the table), or `spot` for strokes and turns of an object that stay where they
are. Holding still has the place where the hand came last.

The nine come out as `simulate_trial` makes them, number by number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import STABILIZE, TRANSPORT
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.simulate.activities import ACTIVITIES
from rehabcount.simulate.body import CHEEK, EAR, FOREHEAD, MOUTH
from rehabcount.simulate.cohort import Subject
from rehabcount.simulate.motion import perform
from rehabcount.simulate.moves import GOES_ON, Manner
from rehabcount.simulate.posture import BRUSH, FACE, HOLD, KNIFE, SIDE, TEMPLE, TOP, Grip
from rehabcount.simulate.prelude import calibrate
from rehabcount.simulate.recording import EVERYDAY_TEMPO, Recording, leading_arm, record
from rehabcount.simulate.scene import Scene
from rehabcount.simulate.steps import before_chest, begin, go_home, jittered, on_table, outwards, some, stroke, twist

KINDS = ("table", "air", "body", "high", "spot")
LOW_M = 0.11  # above the table: objects that stand on it are held lower
NEAR_BODY = 0.75  # of the way to the working row: nearer is at the body
HIGH_M, BEHIND_M = 0.18, 0.04  # the boards of the shelf: higher than that, and so far behind the working row
STROKE_M = 0.10  # shorter ways with an object stay where they are


@dataclass(slots=True)
class NotedScene(Scene):
    """A scene that notes for each of its moves what kind of place it goes to."""

    kinds: list[str] = field(default_factory=list)  # of moves
    hand_at: dict[Side, Floats] = field(default_factory=dict)

    def _move(
        self, side: Side, place: Floats, grip: Grip, label: str, manner: Manner, *, upright: bool = False
    ) -> None:
        before = self.hand_at.get(side)
        kind = kind_of(self, place)
        if label == TRANSPORT.name and before is not None and np.linalg.norm(place - before) < STROKE_M:
            kind = "spot"
        # super() without arguments does not work in a dataclass with slots.
        super(NotedScene, self)._move(side, place, grip, label, manner, upright=upright)
        self.hand_at[side] = place
        self.kinds += [kind] * (len(self.moves) - len(self.kinds))


def kind_of(scene: Scene, place: Floats) -> str:
    """The kind of a place, from where it lies."""
    height, layout = float(place[1] - scene.layout.table), scene.layout
    if height < LOW_M:
        return "table"
    if place[0] < NEAR_BODY * layout.near:
        return "body"
    return "high" if height > HIGH_M and place[0] > layout.near + BEHIND_M else "air"


def steps_of(scene: NotedScene, segments: list[Segment], side: Side) -> list[str]:
    """The step of each of this arm's segments."""
    moves = [
        (move.start_s, move.label, kind)
        for move, kind in zip(scene.moves, scene.kinds, strict=True)
        if move.side is side and move.label != GOES_ON
    ]
    found = []
    for segment in segments:
        begun = [kind for start, label, kind in moves if start < segment.end_s and label == segment.label]
        arrived = [kind for start, _, kind in moves if start < segment.end_s]
        if segment.label in ("reach", TRANSPORT.name) and begun:
            found.append(f"{segment.label} {begun[-1]}")
        elif segment.label == STABILIZE.name and arrived:
            found.append(f"{segment.label} {arrived[-1]}")
        else:
            found.append(segment.label)
    return found


def simulate_steps(
    subject: Subject, task: str, repetition: int, seed: int = 0, side: Side | None = None
) -> tuple[Recording, list[str]]:
    """One repetition of a task or of one of the nine, after a calibration; and the step of each segment of the counted
    arm."""
    scripts = {**ACTIVITIES, **TASKS}
    if task not in scripts:
        raise ValueError(f"task must be one of {', '.join(scripts)}, not {task!r}")
    side = side or subject.side
    # Tasks have a kind of random numbers of their own, beside the trials' (3) and the sessions' (4).
    kind, names = (3, list(ACTIVITIES)) if task in ACTIVITIES else (7, list(TASKS))
    key = [seed, kind, subject.number, names.index(task), repetition, int(side is Side.LEFT)]
    own, ahead = np.random.default_rng(key), np.random.default_rng([*key, 1])
    scene = NotedScene(subject.body, subject.arms, subject.habits, subject.layout, own, tempo=EVERYDAY_TEMPO)
    scene.rng = ahead
    calibrate(scene, side)
    scene.rng = own
    start = scene.now
    scene.main = side if task in ONE_ARMED else leading_arm(subject, task, side, own)
    scripts[task](scene)
    scene.sync()
    scene.mark("activity", task, start)
    name = f"{subject.name}_{task.replace(' ', '-')}_{side.value}_{repetition}"
    recording = record(name, subject, side, task, perform(scene), scene.rng, seed, "nine")
    return recording, steps_of(scene, recording.of(side), side)


# Steps of the scripts, by what they are for ---------------------------------------------------------------------------


def _take(scene: Scene, side: Side, place: Floats, grip: Grip = SIDE, load_kg: float = 0.15) -> None:
    scene.reach(side, jittered(scene, place), grip, load_kg=load_kg)
    if scene.rng.random() < 0.3:
        scene.wait(side, 0.4)


def _board(scene: Scene, upper: bool, across: float) -> Floats:
    layout = scene.layout
    return scene.spot(None, layout.shelf_forward, across, 0.7 * layout.shelf[int(upper)])


def _to_face(scene: Scene, side: Side, times: int) -> None:
    scene.carry(side, scene.on_body(CHEEK, side, 0.03), FACE)
    stroke(scene, side, [scene.on_body(mark, side, 0.03) for mark in (FOREHEAD, CHEEK, MOUTH)], FACE, times, 0.3)


def _to_mouth(scene: Scene, side: Side, wait_s: float) -> None:
    scene.carry(side, scene.on_body(MOUTH, side, 0.035), FACE, skew=1.6)
    scene.wait(side, wait_s)


def _open(scene: Scene, holder: Side, raised: float = 0.18) -> None:
    """The other hand twists the cap of what `holder` holds before the chest."""
    opener = holder.other
    scene.carry(holder, before_chest(scene, holder), HOLD)
    scene.sync()
    cap = before_chest(scene, opener, raised)
    scene.reach(opener, cap, TOP, load_kg=0.01)
    twist(scene, opener, cap, some(scene, 1, 3))
    scene.let_go(opener)
    scene.retreat(opener)
    scene.sync()


# Tasks ----------------------------------------------------------------------------------------------------------------


def telephone(scene: Scene) -> None:
    """Take the telephone from the table to the ear, listen, press keys before the chest, put it back."""
    side = scene.main
    place = on_table(scene, scene.layout.near + 0.08, 0.04, 0.03)
    begin(scene)
    for _ in range(some(scene, 2, 3)):
        _take(scene, side, place, TOP, 0.1)
        scene.carry(side, before_chest(scene, side, 0.15), HOLD)
        scene.wait(side, 0.5)
        scene.carry(side, scene.on_body(EAR, side, 0.04), TEMPLE, skew=1.5)
        scene.wait(side, 1.2)
        if scene.rng.random() < 0.5:
            scene.carry(side, before_chest(scene, side, 0.15), HOLD)
            stroke(scene, side, [before_chest(scene, side, 0.17), before_chest(scene, side, 0.15)], HOLD, 2, 0.4)
        scene.put(side, place, TOP)
        go_home(scene, side)
    go_home(scene)


def cream(scene: Scene) -> None:
    """Open a tube of cream with both hands, rub it on the face, put the tube on the shelf."""
    main, minor = scene.main, scene.minor
    tube = on_table(scene, scene.layout.far, 0.1 if minor is Side.RIGHT else -0.1, 0.05)
    begin(scene)
    _take(scene, minor, tube, TOP, 0.1)
    _open(scene, minor)
    scene.reach(main, before_chest(scene, main, 0.12), HOLD, load_kg=0.0)
    for _ in range(some(scene, 1, 2)):
        _to_face(scene, main, some(scene, 3, 6))
    scene.let_go(main)
    go_home(scene, main)
    scene.sync()
    scene.put(minor, _board(scene, False, 0.1 if minor is Side.RIGHT else -0.1))
    go_home(scene)


def tidying(scene: Scene) -> None:
    """Things from the table to the shelf, one after the other, and wiping where they stood."""
    side = scene.main
    begin(scene)
    for i in range(some(scene, 3, 4)):
        place = on_table(scene, scene.layout.near + 0.06, 0.12 - 0.08 * i, 0.05)
        _take(scene, side, place)
        scene.put(side, jittered(scene, _board(scene, i % 2 == 1, 0.16 - 0.12 * i)))
        if scene.rng.random() < 0.3:
            go_home(scene, side)
    cloth = on_table(scene, scene.layout.near + 0.02, 0.16 if side is Side.RIGHT else -0.16, 0.03)
    _take(scene, side, cloth, TOP, 0.05)
    middle = on_table(scene, scene.layout.near + 0.06, 0.0, 0.03)
    stroke(scene, side, [middle + outwards(side, 0.04), middle - outwards(side, 0.04)], TOP, some(scene, 4, 8), 0.2)
    scene.put(side, cloth, TOP)
    go_home(scene)


def bread(scene: Scene) -> None:
    """Spread a slice with a knife, then eat it from the hand."""
    main, minor, near = scene.main, scene.minor, scene.layout.near
    plate = on_table(scene, near + 0.06, 0.0, 0.04)
    knife = on_table(scene, near + 0.04, 0.18 if main is Side.RIGHT else -0.18, 0.02)
    butter = on_table(scene, scene.layout.far, 0.12, 0.04)
    begin(scene)
    _take(scene, main, knife, TOP, 0.05)
    _take(scene, minor, plate + outwards(minor, 0.05), TOP, 0.05)
    for _ in range(some(scene, 2, 3)):
        scene.carry(main, butter, KNIFE)
        scene.carry(main, plate, KNIFE)
        stroke(scene, main, [plate + outwards(main, 0.04), plate - outwards(main, 0.03)], KNIFE, some(scene, 2, 5), 0.2)
    scene.put(main, knife, TOP)
    scene.let_go(minor)
    go_home(scene, minor)
    for _ in range(some(scene, 2, 4)):
        _take(scene, main, plate, SIDE, 0.04)
        _to_mouth(scene, main, 0.6)
        scene.put(main, plate)
    go_home(scene)


def clean_glasses(scene: Scene) -> None:
    """Take glasses off, wipe them before the chest, put them on again."""
    side, other = scene.main, scene.minor
    cloth = on_table(scene, scene.layout.near + 0.03, 0.1 if other is Side.RIGHT else -0.1, 0.03)
    begin(scene)
    for _ in range(some(scene, 1, 2)):
        scene.reach(side, scene.on_body(EAR, side, 0.03), TEMPLE, load_kg=0.04)
        scene.carry(side, before_chest(scene, side, 0.14), HOLD)
        _take(scene, other, cloth, TOP, 0.02)
        scene.carry(other, before_chest(scene, other, 0.15), HOLD)
        scene.sync()
        near = before_chest(scene, other, 0.16)
        stroke(scene, other, [near, near - outwards(other, 0.03)], HOLD, some(scene, 3, 7), 0.2)
        scene.wait(side, 0.5)
        scene.put(other, cloth, TOP)
        go_home(scene, other)
        scene.carry(side, scene.on_body(EAR, side, 0.06), TEMPLE, skew=1.5)
        scene.carry(side, scene.on_body(EAR, side, 0.03), TEMPLE, lift_m=0.0)
        scene.let_go(side)
        go_home(scene, side)
        scene.sync()
    go_home(scene)


def medicine(scene: Scene) -> None:
    """A bottle from the shelf: open it, to the mouth, back on the shelf."""
    main, minor = scene.main, scene.minor
    across = 0.12 if main is Side.RIGHT else -0.12
    begin(scene)
    for _ in range(some(scene, 1, 2)):
        place = _board(scene, False, across)
        _take(scene, main, on_table(scene, scene.layout.near + 0.06, across, 0.06), SIDE, 0.2)
        _open(scene, main)
        _to_mouth(scene, main, 0.7)
        if scene.rng.random() < 0.5:
            scene.carry(main, before_chest(scene, main), HOLD)
        scene.put(main, jittered(scene, place))
        go_home(scene, main, minor)
        scene.sync()
    go_home(scene)


def brush_and_wipe(scene: Scene) -> None:
    """Brush the teeth first, then wipe the face with a cloth and the table after it."""
    side, near = scene.main, scene.layout.near
    brush = on_table(scene, near + 0.08, 0.08 if side is Side.RIGHT else -0.08, 0.02)
    cloth = on_table(scene, near + 0.04, -0.1 if side is Side.RIGHT else 0.1, 0.03)
    begin(scene)
    _take(scene, side, brush, TOP, 0.03)
    mouth = scene.on_body(MOUTH, side, 0.05)
    scene.carry(side, mouth, BRUSH)
    ends = [mouth + outwards(side, 0.035), mouth - outwards(side, 0.015)]
    stroke(scene, side, ends, BRUSH, some(scene, 3, 6), 0.12, quick=2.2)
    scene.put(side, brush, TOP)
    _take(scene, side, cloth, TOP, 0.05)
    _to_face(scene, side, some(scene, 2, 4))
    scene.carry(side, cloth, TOP)
    stroke(scene, side, [cloth + outwards(side, 0.04), cloth - outwards(side, 0.04)], TOP, some(scene, 3, 6), 0.2)
    scene.put(side, cloth, TOP)
    go_home(scene)


def stacking(scene: Scene) -> None:
    """Blocks onto a stack before the chest, both hands in turn."""
    begin(scene)
    for i in range(some(scene, 5, 7)):
        side = scene.main if i % 2 == 0 else scene.minor
        source = on_table(scene, scene.layout.near + 0.05, 0.22 if side is Side.RIGHT else -0.22, 0.04)
        _take(scene, side, source, TOP, 0.1)
        scene.put(side, scene.spot(None, scene.layout.near + 0.06, 0.0, 0.04 + 0.015 * i), TOP)
        if scene.rng.random() < 0.6:
            go_home(scene, side)
        scene.sync()
    go_home(scene)


TASKS: dict[str, Callable[[Scene], None]] = {
    "telephone": telephone,
    "cream": cream,
    "tidying": tidying,
    "bread": bread,
    "clean glasses": clean_glasses,
    "medicine": medicine,
    "brush and wipe": brush_and_wipe,
    "stacking": stacking,
}
ONE_ARMED = ("telephone", "tidying", "brush and wipe")  # done by the counted arm: the other one rests

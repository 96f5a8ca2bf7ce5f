"""What happens in a session besides exercise: everything labelled `other`.

Each episode is a script like those of activities.py. Its moves carry the label `other`, and `Scene.mark` records its
span; many look like primitives on purpose (a scratch begins like a reach).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import OTHER
from rehabcount.domain.rig import Side
from rehabcount.simulate.body import CHEEK, EAR, FOREHEAD, HAIR_SIDE, MOUTH, shoulder_at
from rehabcount.simulate.movement import MOTION_RATE_HZ, minimum_jerk, rumble
from rehabcount.simulate.moves import Wiggle
from rehabcount.simulate.posture import ACROSS, FACE, HEAD, LAP, REST, SIDE, Grip
from rehabcount.simulate.scene import Scene

HANGING = Grip(0.25, 0.0, 0.0, 0.0, (0.05, -1.0, -0.02))


def talk(scene: Scene, length_s: float) -> None:
    """Talking with the hands, mostly with the better one."""
    better = max(Side, key=lambda side: scene.arms[side].score + scene.rng.normal(0, 3))
    end = scene.now + length_s
    while scene.hands[better].at < end:
        for side in Side if scene.rng.random() < 0.45 else (better,):
            place = scene.spot(
                side, scene.rng.uniform(0.30, 0.48), scene.rng.uniform(0.02, 0.30), scene.rng.uniform(0.05, 0.38)
            )
            grip = Grip(float(scene.rng.uniform(-0.6, 0.9)), -0.1, 0.0, 0.1, (0.75, 0.35, -0.5))
            scene.pose(side, place, grip, OTHER.name, quick=float(scene.rng.uniform(0.9, 1.8)))
            if scene.rng.random() < 0.5:
                amplitude = np.abs(scene.rng.normal(0, [0.01, 0.02, 0.015, 0.03, 0.2, 0.12, 0.05, 0.0]))
                scene.wiggle(side, 1.2, float(scene.rng.uniform(1.0, 2.6)), amplitude.tolist(), 0.4)
        scene.wait(better, float(scene.rng.exponential(0.6)))
        if scene.rng.random() < 0.2:
            scene.sync()
            for side in Side:
                scene.pose(side, scene.rest_place(side), REST, OTHER.name, supported=True)
            scene.wait(better, 1.5)


def scratch(scene: Scene, length_s: float) -> None:
    """An itch: go there, rub, come back."""
    side = max(Side, key=lambda each: scene.arms[each].score + scene.rng.normal(0, 12))
    spots = [
        (scene.on_body(HAIR_SIDE, side, 0.02), HEAD),
        (scene.on_body(CHEEK, side, 0.02), FACE),
        (scene.on_body(EAR, side, 0.02), FACE),
        (scene.on_body(FOREHEAD, side, 0.03), FACE),
        (scene.spot(side.other, 0.30, 0.16, 0.10), ACROSS),
        (scene.spot(side, 0.28, 0.12, -0.06), LAP),
    ]
    place, grip = spots[int(scene.rng.integers(len(spots)))]
    scene.pose(side, place, grip, OTHER.name, quick=1.1)
    rub = max(0.8, min(length_s - 2.0, float(scene.rng.exponential(1.5))))
    scene.wiggle(side, rub, float(scene.rng.uniform(2.5, 5.0)), [0.012, 0.012, 0.008, 0.0, 0.08, 0.12, 0.05, 0.0], 0.25)
    scene.stay(side, rub)
    scene.pose(side, scene.rest_place(side), REST, OTHER.name, supported=True)
    scene.sync()


def fix_strap(scene: Scene, length_s: float) -> None:
    """One hand works at the strap on the other arm."""
    worker = max(Side, key=lambda each: scene.arms[each].score + scene.rng.normal(0, 6))
    target = worker.other
    where = scene.spot(
        target, scene.rng.uniform(0.26, 0.36), scene.rng.uniform(0.18, 0.24), scene.rng.uniform(0.06, 0.16)
    )
    scene.pose(target, scene.spot(target, 0.36, 0.16, 0.08), SIDE, OTHER.name)
    scene.pose(worker, where, ACROSS, OTHER.name)
    scene.sync()
    for _ in range(int(scene.rng.integers(2, 6))):
        scene.wiggle(
            worker, 1.1, float(scene.rng.uniform(1.5, 3.0)), [0.012, 0.01, 0.015, 0.0, 0.15, 0.1, 0.08, 0.0], 0.5
        )
        scene.wiggle(
            target, 1.1, float(scene.rng.uniform(1.5, 3.0)), [0.004, 0.006, 0.004, 0.02, 0.03, 0.02, 0.02, 0.0], 0.6
        )
        for side in Side:
            scene.stay(side, 1.1)
        scene.pose(worker, where + scene.rng.normal(0, 0.02, 3), ACROSS, OTHER.name, quick=1.4)
    scene.sync()
    for side in Side:
        scene.pose(side, scene.rest_place(side), REST, OTHER.name, supported=True)
    scene.sync()


def be_moved(scene: Scene, length_s: float) -> None:
    """The therapist moves the weaker arm, slowly and evenly; passive movement is not counted."""
    side = min(Side, key=lambda each: scene.arms[each].score)
    end = scene.now + length_s
    while scene.hands[side].at < end - 2.0:
        place = scene.spot(
            side, scene.rng.uniform(0.25, 0.55), scene.rng.uniform(0.05, 0.40), scene.rng.uniform(0.0, 0.5)
        )
        grip = Grip(float(scene.rng.uniform(-0.3, 1.1)), 0.0, 0.0, float(scene.rng.uniform(-0.1, 0.5)))
        scene.pose(side, place, grip, OTHER.name, quick=float(scene.rng.uniform(0.35, 0.6)))
        if scene.rng.random() < 0.4:
            scene.wiggle(
                side, 3.0, float(scene.rng.uniform(0.4, 0.8)), [0.03, 0.05, 0.03, 0.1, 0.3, 0.25, 0.1, 0.0], 0.1
            )
            scene.stay(side, 3.0)
        scene.wait(side, 0.8)
    scene.pose(side, scene.rest_place(side), REST, OTHER.name, quick=0.7, supported=True)
    scene.sync()


def rest_lap(scene: Scene, length_s: float) -> None:
    """Hands in the lap while the therapist explains; small shifts of posture."""
    for side in Side:
        scene.pose(side, scene.spot(side, 0.26, 0.10, -0.08), LAP, OTHER.name, supported=True)
    end = scene.now + length_s - 2.0
    while scene.now < end:
        for side in Side:
            scene.stay(side, float(scene.rng.exponential(3.0)))
        if scene.rng.random() < 0.4:
            side = Side.LEFT if scene.rng.random() < 0.5 else Side.RIGHT
            place = scene.spot(side, 0.26, 0.10, -0.08) + scene.rng.normal(0, 0.03, 3)
            scene.pose(side, place, LAP, OTHER.name, supported=True)
    scene.sync()
    for side in Side:
        scene.pose(side, scene.rest_place(side), REST, OTHER.name, supported=True)
    scene.sync()


def sip_and_wipe(scene: Scene, length_s: float) -> None:
    """Wiping the nose, adjusting glasses: hand to the face and back, not part of any task."""
    side = max(Side, key=lambda each: scene.arms[each].score + scene.rng.normal(0, 8))
    for _ in range(int(scene.rng.integers(1, 3))):
        mark = (MOUTH, CHEEK, FOREHEAD)[int(scene.rng.integers(3))]
        scene.pose(side, scene.on_body(mark, side, 0.03), FACE, OTHER.name)
        scene.wait(side, 0.5)
        scene.pose(side, scene.rest_place(side), REST, OTHER.name, supported=True)
    scene.sync()


def walk(scene: Scene, length_s: float) -> None:
    """Stand up, walk about, come back and sit down. A weak arm is held bent and swings less."""
    body, rng = scene.body, scene.rng
    scene.sync()
    height = shoulder_at(body, np.zeros(9), Side.RIGHT)[1]
    cadence = float(rng.uniform(0.75, 0.98)) / (1.0 + 0.25 * (max(arm.slowness for arm in scene.arms.values()) - 1.0))
    inner = max(4.0, length_s - 4.5)
    for side in Side:
        arm = scene.arms[side]
        bent = min(1.0, 1.5 * arm.synergy)
        drop = (0.96 - 0.30 * bent) * body.arm + 1.6 * body.hand * (1.0 - 0.7 * bent)
        place = np.array([0.03 + 0.18 * bent, height - drop, 0.0]) + (
            np.array([0.0, 0.0, body.half_width + 0.05]) * (1.0 if side is Side.RIGHT else -1.0)
        )
        scene.pose(side, place, HANGING, OTHER.name, upright=True)
    scene.sync()
    for side in Side:
        arm = scene.arms[side]
        swing = 0.13 * (1.0 - min(0.9, 1.6 * arm.synergy)) * float(rng.uniform(0.6, 1.2))
        start = scene.hands[side].at + 1.5
        amplitude = np.array([swing, 0.0, 0.01, 0.05, 0.1, 0.05, 0.02, 0.0])
        phase = 0.0 if side is Side.RIGHT else np.pi
        scene.wiggles.append(Wiggle(side, start, start + inner, cadence, amplitude, 0.08, phase))
    scene.trace(None, _walk_path(inner + 3.0, cadence, rng))
    for side in Side:
        scene.pose(side, scene.rest_place(side), REST, OTHER.name, supported=True)
        scene.hands[side].home = True
    scene.sync()


def _walk_path(length_s: float, cadence_hz: float, rng: np.random.Generator) -> Floats:
    """Root and trunk: up, away with steps and turns, back to the chair, down. Ends where it began."""
    n = int(length_s * MOTION_RATE_HZ)
    time_s = np.arange(n) / MOTION_RATE_HZ
    up = minimum_jerk(time_s / 1.6) * minimum_jerk((length_s - time_s) / 1.8)
    going = minimum_jerk((time_s - 1.4) / 1.2) * minimum_jerk((length_s - 1.6 - time_s) / 1.2)
    path = np.zeros((n, 13))
    beat = 2 * np.pi * cadence_hz * time_s + 0.3 * rumble(n, 1, (0.0, 0.3), rng)[:, 0]
    # Heading: out, a turn, back, a turn; never a whole number of turns away from where it began.
    way = np.clip((time_s - 1.6) / max(length_s - 3.4, 1.0), 0, 1)
    turn = float(rng.choice([-1.0, 1.0])) * np.pi
    quick = min(0.3, 2.4 / length_s)  # a half turn takes people two to three seconds
    heading = turn * (minimum_jerk((way - 0.42) / quick) - minimum_jerk((way - 1.0 + quick) / quick))
    speed = going * rng.uniform(0.5, 1.1) * (1.0 - 0.7 * minimum_jerk((way - 0.85) / 0.08))
    x = np.cumsum(speed * np.cos(heading)) / MOTION_RATE_HZ
    z = np.cumsum(-speed * np.sin(heading)) / MOTION_RATE_HZ
    # Wherever the feet ended, the chair is at the origin: bend the whole path so that it closes.
    closing = minimum_jerk(way)
    path[:, 0], path[:, 2] = x - x[-1] * closing, z - z[-1] * closing
    path[:, 1] = 0.38 * up + 0.018 * going * np.sin(2 * beat)
    path[:, 2] += 0.022 * going * np.sin(beat)
    path[:, 3] = heading
    rise = np.exp(-(((time_s - 0.8) / 0.45) ** 2)) + np.exp(-(((length_s - 0.9 - time_s) / 0.45) ** 2))
    path[:, 6] = -0.25 * rise * minimum_jerk(time_s / 0.3) * minimum_jerk((length_s - time_s) / 0.3)
    path[:, 9] = -0.20 * rise * minimum_jerk(time_s / 0.3) * minimum_jerk((length_s - time_s) / 0.3)
    path[:, 5] += going * 0.07 * np.sin(beat)  # pelvis turns with the steps, the chest against it
    path[:, 11] -= going * 0.10 * np.sin(beat)
    path[:, 4] += going * 0.04 * np.sin(beat + 0.4)
    return path


EPISODES: dict[str, tuple[Callable[[Scene, float], None], float, float]] = {
    # script, shortest and longest (s)
    "walking": (walk, 12.0, 50.0),
    "talking": (talk, 6.0, 40.0),
    "scratching": (scratch, 3.0, 6.0),
    "fixing a strap": (fix_strap, 6.0, 12.0),
    "being moved": (be_moved, 12.0, 60.0),
    "hands in the lap": (rest_lap, 8.0, 45.0),
    "hand to the face": (sip_and_wipe, 3.0, 6.0),
}
# Those that look most like exercise. All kinds come equally often, so the long and easy ones take most of the time.
LIKE_EXERCISE = ("talking", "scratching", "fixing a strap", "hand to the face")


def episode(scene: Scene, name: str) -> None:
    """Something that is not exercise, and its span."""
    script, shortest, longest = EPISODES[name]
    scene.sync()
    start = scene.now
    script(scene, float(scene.rng.uniform(shortest, longest)))
    scene.sync()
    for hand in scene.hands.values():
        hand.holding, hand.home = False, True
    scene.mark("other", name, start)

"""The calibration movements of docs/body-axes.md at the start of every recording."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import OTHER
from rehabcount.domain.rig import Side
from rehabcount.simulate.body import Body, elbow_circle, shoulder_at
from rehabcount.simulate.movement import MOTION_RATE_HZ, minimum_jerk
from rehabcount.simulate.posture import REST, Grip
from rehabcount.simulate.scene import Scene

PALM_DOWN = Grip(1.25, 0.0, 0.0, 0.0, (1.0, 0.0, 0.0))


def calibrate(scene: Scene, side: Side) -> None:
    """The prelude of docs/body-axes.md: 3 s still, the elbow three times, the forearm three times."""
    start = scene.now
    # Personal habits do not apply here: the upper arm hangs, the palm is down.
    habits = scene.habits
    grip = replace(
        PALM_DOWN,
        swivel=hanging_swivel(scene.body) - habits.swivel,
        pronation=PALM_DOWN.pronation - habits.pronation,
    )
    for each in Side:
        scene.pose(
            each,
            right_angle(scene.body, each) + scene.rng.normal(0, 0.012, 3),
            grip,
            OTHER.name,
            supported=True,
            upright=True,
        )
    scene.settle(0.6)
    scene.mark("calibration", "get ready", start)
    start = scene.now
    for each in Side:
        scene.stay(each, 3.2)
    scene.mark("calibration", "still", start)
    start = scene.now
    scene.trace(side, _elbow_path(scene))
    scene.sync()
    scene.mark("calibration", "elbow", start)
    for each in Side:
        scene.stay(each, 0.5)
    start = scene.now
    scene.trace(side, _forearm_path(scene))
    scene.sync()
    scene.mark("calibration", "forearm", start)
    start = scene.now
    for each in Side:
        scene.stay(each, 0.3)
        scene.pose(each, scene.rest_place(each), REST, OTHER.name, supported=True)
        scene.hands[each].home = True
    scene.sync()
    scene.mark("calibration", "done", start)


def right_angle(body: Body, side: Side) -> Floats:
    """Where the grip is when the upper arm hangs and the forearm points forward, level."""
    shoulder = shoulder_at(body, np.zeros(9), side)
    return shoulder + np.array([body.forearm + 1.6 * body.hand, -body.upper_arm, 0.0])


def swivel_for(elbow: Floats, wrist: Floats) -> Floats:
    """The swivel angle that brings the elbow of a right arm to `elbow` (both from the shoulder; (n, 3))."""
    along = wrist / np.linalg.norm(wrist, axis=-1, keepdims=True)
    low, out = elbow_circle(along)
    return np.arctan2(np.sum(elbow * out, axis=-1), np.sum(elbow * low, axis=-1))


def hanging_swivel(body: Body) -> float:
    """The swivel angle at which the upper arm hangs and the forearm points forward."""
    elbow = np.array([[0.0, -body.upper_arm, 0.0]])
    return float(swivel_for(elbow, elbow + np.array([[body.forearm, 0.0, 0.0]]))[0])


def _swings(times: int, period_s: float, rng: np.random.Generator) -> Floats:
    """0..1..0, `times` times, each swing a little different."""
    rounds = []
    for _ in range(times):
        length = int(period_s * float(np.exp(rng.normal(0, 0.12))) * MOTION_RATE_HZ / 2)
        rise = minimum_jerk(np.arange(length) / length)
        pause = np.ones(int(rng.uniform(0.0, 0.25) * MOTION_RATE_HZ))
        size = float(rng.uniform(0.85, 1.0))
        rounds += [size * rise, size * pause, size * (1.0 - rise)]
    return np.concatenate([*rounds, [0.0]])


def _elbow_path(scene: Scene) -> Floats:
    """The wrist's way on a circle about the elbow: bent, and back to the right angle, three times.

    It cannot be stretched further, for the thigh or arm-rest is below; the upper arm swings along a little.
    """
    rng, body = scene.rng, scene.body
    swing = _swings(3, 3.0, rng)
    angle = np.pi / 2 + np.radians(rng.uniform(42, 52)) * swing
    forward = np.radians(rng.uniform(0, 30)) * swing
    zero = np.zeros_like(swing)
    elbow = body.upper_arm * np.stack([np.sin(forward), -np.cos(forward), zero], axis=-1)
    angle = angle + forward
    wrist = elbow + body.forearm * np.stack([np.sin(angle), -np.cos(angle), zero], axis=-1)
    path = np.zeros((len(swing), 8))
    path[:, :3] = wrist - wrist[0]
    path[:, 3] = swivel_for(elbow, wrist)
    path[:, 3] -= path[0, 3]
    return path


def _forearm_path(scene: Scene) -> Floats:
    swing = _swings(3, 2.4, scene.rng)
    path = np.zeros((len(swing), 8))
    path[:, 4] = -np.radians(scene.rng.uniform(85, 125)) * swing  # palm up
    return path

"""Steps that several activities share: strokes, twisting a cap, going home."""

from __future__ import annotations

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.rig import Side
from rehabcount.simulate.posture import TOP, Grip, shifted
from rehabcount.simulate.scene import Scene


def jittered(scene: Scene, place: Floats, spread_m: float = 0.014) -> Floats:
    return place + scene.rng.normal(0.0, spread_m, 3) * np.array([1.0, 0.15, 1.0])


def on_table(scene: Scene, forward: float, right: float, height: float = 0.05) -> Floats:
    """A place on the table, counted from the middle to the right, this time a little off."""
    return jittered(scene, scene.spot(None, forward, right, height))


def before_chest(scene: Scene, side: Side, raised: float = 0.12) -> Floats:
    """Before the chest, where two hands meet; each keeps to its own side."""
    return jittered(scene, scene.spot(side, scene.layout.near + 0.02, 0.045, raised))


def outwards(side: Side, metres: float) -> Floats:
    return np.array([0.0, 0.0, metres if side is Side.RIGHT else -metres])


def stroke(
    scene: Scene, side: Side, ends: list[Floats], grip: Grip, count: int, rest: float, quick: float = 1.5
) -> None:
    """Back and forth between places, each way a transport; now and then the hand stops (share `rest`)."""
    for i in range(count):
        scene.carry(side, jittered(scene, ends[i % len(ends)], 0.010), grip, lift_m=0.0, quick=quick)
        if scene.rng.random() < rest:
            scene.wait(side, 0.55)


def twist(scene: Scene, side: Side, place: Floats, times: int) -> None:
    """Turn a cap: the hand turns, slips back and turns again."""
    for i in range(times):
        turn = 0.75 if i % 2 == 0 else -0.25
        scene.carry(side, jittered(scene, place, 0.006), shifted(TOP, pronation=-turn), lift_m=0.0, quick=1.3)
        if scene.rng.random() < 0.5:
            scene.wait(side, 0.35)


def go_home(scene: Scene, *sides: Side) -> None:
    """Hands back to rest, in one go or with a halt on the way; some cannot keep still there."""
    for side in sides or tuple(Side):
        hand = scene.hands[side]
        if not hand.home:
            if scene.rng.random() < 0.16:
                midway = (scene.rest_place(side) + 2 * scene.spot(side, scene.layout.near, 0.12, 0.04)) / 3
                scene.retreat(side, midway)
                scene.wait(side, 0.5)
            scene.retreat(side)
        if scene.rng.random() < 0.8:
            scene.wait(side, 0.8)
        if scene.rng.random() < 0.22:
            scene.retreat(side, quick=1.2)
            scene.wait(side, 0.6)


def some(scene: Scene, low: int, high: int) -> int:
    return int(scene.rng.integers(low, high + 1))


def begin(scene: Scene) -> None:
    for side in Side:
        scene.stay(side, float(scene.rng.uniform(0.5, 1.6)))

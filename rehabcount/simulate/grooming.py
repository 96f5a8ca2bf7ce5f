"""Washing the face, deodorant, combing, glasses, brushing teeth."""

from __future__ import annotations

import numpy as np

from rehabcount.domain.rig import Side
from rehabcount.simulate.body import ARMPIT, CHEEK, EAR, FOREHEAD, HAIR_BACK, HAIR_SIDE, HAIR_TOP, MOUTH
from rehabcount.simulate.posture import ACROSS, BRUSH, FACE, HEAD, HOLD, KNIFE, SIDE, TEMPLE, TOP, shifted
from rehabcount.simulate.scene import Scene
from rehabcount.simulate.steps import before_chest, begin, go_home, jittered, on_table, outwards, some, stroke, twist


def face_wash(scene: Scene) -> None:
    """Wet a cloth, wring it with both hands, wipe the face, dry it with a towel."""
    main, minor, far, near = scene.main, scene.minor, scene.layout.far, scene.layout.near
    tap = on_table(scene, far + 0.04, 0.05, 0.16)
    begin(scene)
    scene.reach(main, tap, TOP)
    scene.carry(main, tap + np.array([0.0, 0.0, 0.04]), shifted(TOP, pronation=-0.4), lift_m=0.0)
    scene.let_go(main)
    cloth = on_table(scene, near + 0.04, 0.10 if main is Side.RIGHT else -0.10, 0.03)
    scene.reach(main, cloth, TOP)
    scene.carry(main, before_chest(scene, main, 0.05))
    scene.sync()
    scene.reach(minor, before_chest(scene, minor, 0.05), HOLD)
    scene.sync()
    for _ in range(some(scene, 1, 3)):  # wring
        for side, turn in ((main, 0.5), (minor, -0.4)):
            scene.carry(side, before_chest(scene, side, 0.08), shifted(HOLD, pronation=turn), lift_m=0.0, quick=1.2)
        scene.sync()
        for side in Side:
            scene.wait(side, 0.45)
    scene.sync()
    both = scene.preference(0)
    wipers = (main, minor) if both else (main,)
    if not both:
        scene.let_go(minor)
        scene.retreat(minor)
    for side in wipers:
        scene.carry(side, scene.on_body(CHEEK, side, 0.03), FACE)
    for side in wipers:
        spots = [scene.on_body(mark, side, 0.03) for mark in (FOREHEAD, CHEEK, MOUTH)]
        stroke(scene, side, spots, FACE, some(scene, 3, 6), 0.30)
    scene.sync()
    for side in wipers:
        scene.put(side, jittered(scene, cloth, 0.02), TOP)
    go_home(scene)
    scene.sync(slack_s=0.4)
    towel = on_table(scene, near + 0.02, 0.24 if main is Side.RIGHT else -0.24, 0.04)
    scene.reach(main, towel, TOP)
    scene.carry(main, scene.on_body(CHEEK, main, 0.03), FACE)
    spots = [scene.on_body(mark, main, 0.03) for mark in (CHEEK, FOREHEAD, MOUTH)]
    stroke(scene, main, spots, FACE, some(scene, 2, 5), 0.35)
    scene.put(main, towel, TOP)
    scene.sync()
    if scene.preference(1):
        scene.reach(minor, tap, TOP)
        scene.carry(minor, tap + np.array([0.0, 0.0, -0.04]), shifted(TOP, pronation=0.3), lift_m=0.0)
        scene.let_go(minor)
    go_home(scene)


def deodorant(scene: Scene) -> None:
    """Take the stick, uncap it with the other hand, apply under the other arm, cap it, put it back."""
    main, minor, near = scene.main, scene.minor, scene.layout.near
    begin(scene)
    stick = on_table(scene, scene.layout.far, 0.06, 0.06)
    if scene.preference(0, 0.6):  # bring it closer first
        scene.reach(main, stick, SIDE)
        stick = on_table(scene, near + 0.03, 0.02, 0.06)
        scene.put(main, stick)
        go_home(scene, main)
    holder = minor if scene.preference(1) else main
    opener = holder.other
    scene.sync()
    scene.reach(holder, stick, SIDE)
    scene.carry(holder, before_chest(scene, holder), HOLD)
    scene.wait(holder, 0.3)
    scene.sync()
    cap = before_chest(scene, opener, 0.19)
    scene.reach(opener, cap, TOP, load_kg=0.02)
    scene.carry(opener, cap + np.array([0.02, 0.05, 0.0]), TOP, lift_m=0.0)
    cap_place = on_table(scene, near + 0.06, 0.14 if opener is Side.RIGHT else -0.14, 0.03)
    scene.put(opener, cap_place, TOP)
    base = before_chest(scene, opener, 0.07)
    scene.reach(opener, base, TOP)
    twist(scene, opener, base, some(scene, 2, 4))
    scene.let_go(opener)
    scene.sync()
    user = holder
    if holder is not main and scene.preference(2):
        scene.reach(main, before_chest(scene, main), HOLD)
        scene.let_go(holder)
        scene.retreat(holder)
        user = main
    else:
        scene.retreat(opener)
    for again in (False, True):
        armpit = scene.on_body(ARMPIT, user.other, 0.05)
        scene.carry(user, armpit, ACROSS)
        ends = [armpit + np.array([0.01, 0.06, 0.0]), armpit + np.array([0.0, -0.05, 0.0])]
        stroke(scene, user, ends, ACROSS, some(scene, 4, 7), 0.28)
        scene.carry(user, before_chest(scene, user), HOLD)
        scene.wait(user, 0.3)
        scene.sync()
        if not again:  # the other hand does the other side
            scene.reach(user.other, before_chest(scene, user.other), HOLD)
            scene.let_go(user)
            scene.retreat(user)
            user = user.other
    capper = user.other
    base = before_chest(scene, capper, 0.07)
    scene.reach(capper, base, TOP)
    twist(scene, capper, base, some(scene, 1, 3))
    scene.let_go(capper)
    scene.reach(capper, cap_place, TOP, load_kg=0.02)
    scene.carry(capper, before_chest(scene, capper, 0.19), TOP)
    scene.wait(capper, 0.4)
    scene.sync()
    scene.let_go(capper)
    scene.retreat(capper)
    scene.put(user, stick)
    go_home(scene)


def combing(scene: Scene) -> None:
    """Comb both sides of the head; the comb may change hands."""
    main = scene.main
    begin(scene)
    comb = on_table(scene, scene.layout.near + 0.08, 0.05, 0.02)
    rounds = 3 if scene.preference(0) else 2
    user = main
    scene.reach(user, comb, TOP, load_kg=0.03)
    for i in range(rounds):
        for marks in ((HAIR_TOP, HAIR_SIDE), (HAIR_SIDE, HAIR_BACK)):
            scene.carry(user, scene.on_body(marks[0], user, 0.03), HEAD)
            ends = [scene.on_body(mark, user, 0.02) for mark in marks]
            stroke(scene, user, ends, HEAD, some(scene, 3, 7), 0.33, quick=1.3)
        scene.carry(user, before_chest(scene, user, 0.15), HOLD)
        if i + 1 < rounds and scene.rng.random() < 0.75:
            scene.sync()
            scene.reach(user.other, before_chest(scene, user.other, 0.15), HOLD, load_kg=0.03)
            scene.wait(user.other, 0.2)
            scene.sync()
            scene.let_go(user)
            scene.retreat(user)
            user = user.other
        else:
            scene.wait(user, 0.4)
    scene.put(user, comb, TOP)
    go_home(scene)


def glasses(scene: Scene) -> None:
    """Put glasses on, hands back to the table, take them off again."""
    main, minor = scene.main, scene.minor
    begin(scene)
    both = scene.preference(0, 0.35)
    hands = (main, minor) if both else (main,)
    where = on_table(scene, scene.layout.near + 0.08, 0.0, 0.03)
    for _ in range(some(scene, 1, 3)):
        for side in hands:
            scene.reach(side, where + outwards(side, 0.06), TOP, load_kg=0.04)
        scene.sync()
        if both:  # unfold
            for side in hands:
                scene.carry(side, before_chest(scene, side, 0.14) + outwards(side, 0.03), HOLD)
            scene.sync()
            for side in hands:
                scene.wait(side, 0.35)
        for side in hands:
            scene.carry(side, scene.on_body(EAR, side, 0.08), TEMPLE, skew=1.5)
        scene.sync()
        if scene.preference(1):
            for side in hands:
                scene.wait(side, 0.35)
        for side in hands:
            scene.carry(side, scene.on_body(EAR, side, 0.03), TEMPLE, lift_m=0.0)
            scene.let_go(side)
        go_home(scene, *hands)
        scene.sync(slack_s=0.2)
        for side in hands:
            scene.wait(side, 0.8)
        for side in hands:
            scene.reach(side, scene.on_body(EAR, side, 0.03), TEMPLE, load_kg=0.04)
        scene.sync()
        for side in hands:
            scene.carry(side, before_chest(scene, side, 0.14) + outwards(side, 0.03), HOLD)
        if both and scene.preference(2):
            for side in hands:
                scene.wait(side, 0.5)
        for side in hands:
            scene.put(side, where + outwards(side, 0.06), TOP)
        go_home(scene, *hands)
        scene.sync(slack_s=0.2)


def brushing(scene: Scene) -> None:
    """Paste on the brush, brush, rinse, put away."""
    main, minor, near = scene.main, scene.minor, scene.layout.near
    brush = on_table(scene, near + 0.08, 0.08 if main is Side.RIGHT else -0.08, 0.02)
    paste = on_table(scene, near + 0.08, 0.10 if minor is Side.RIGHT else -0.10, 0.03)
    begin(scene)
    scene.reach(minor, paste, TOP, load_kg=0.1)
    scene.carry(minor, before_chest(scene, minor), HOLD)
    scene.sync()
    cap = before_chest(scene, main, 0.15)
    scene.reach(main, cap, TOP, load_kg=0.01)
    twist(scene, main, cap, some(scene, 1, 3))
    cap_place = on_table(scene, near + 0.02, 0.2 if main is Side.RIGHT else -0.2, 0.02)
    scene.put(main, cap_place, TOP)
    scene.reach(main, brush, TOP, load_kg=0.03)
    scene.carry(main, before_chest(scene, main), HOLD)
    scene.sync()
    scene.carry(minor, before_chest(scene, minor, 0.15) + outwards(minor, -0.03), shifted(HOLD, pronation=0.6))
    scene.wait(minor, 0.4)
    scene.wait(main, 0.5)
    scene.put(minor, paste, TOP)
    if scene.preference(0):
        scene.retreat(minor)
    for _ in range(some(scene, 2, 4)):
        mouth = scene.on_body(MOUTH, main, 0.05)
        scene.carry(main, mouth, BRUSH)
        ends = [mouth + outwards(main, 0.035), mouth - outwards(main, 0.015)]
        stroke(scene, main, ends, BRUSH, some(scene, 4, 9), 0.12, quick=2.2)
        if scene.rng.random() < 0.6:
            scene.wait(main, 0.5)
    sink = on_table(scene, scene.layout.far, 0.02, 0.08)
    scene.carry(main, sink, KNIFE)
    stroke(scene, main, [sink + outwards(main, 0.03), sink], KNIFE, some(scene, 1, 4), 0.3)
    scene.put(main, brush, TOP)
    scene.sync()
    if scene.preference(1):
        scene.reach(main, cap_place, TOP, load_kg=0.01)
        scene.reach(minor, paste, TOP)
        scene.carry(minor, before_chest(scene, minor), HOLD)
        scene.carry(main, before_chest(scene, main, 0.15), TOP)
        scene.sync()
        twist(scene, main, cap, some(scene, 1, 2))
        scene.let_go(main)
        scene.sync()
        scene.retreat(main)
        scene.put(minor, paste, TOP)
    go_home(scene)

"""Eating, drinking, and moving an object between targets on table and shelf; and the single drink of the recordings."""

from __future__ import annotations

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.rig import Side
from rehabcount.simulate.body import MOUTH
from rehabcount.simulate.moves import SET_DOWN, Landing
from rehabcount.simulate.posture import FACE, HOLD, KNIFE, SIDE, SPOON, TOP, Grip, shifted
from rehabcount.simulate.scene import Scene
from rehabcount.simulate.steps import before_chest, begin, go_home, jittered, on_table, outwards, some, stroke, twist

# Pace of the single drink's four movements, skew of the one to the mouth, pauses at the mouth and after putting down.
# Fitted to the recordings of healthy 01-09 and stroke S1-S9.
DRINK_QUICK = (1.2, 1.1, 0.96, 1.15)
DRINK_SKEW = 1.9
DRINK_PAUSE_S = (0.22, 0.25)
FARTHEST_CUP = 1.05  # of arm lengths before the hips: cups are not put farther away for an exercise
# How recorded people of the fit half come back from the cup: some in two goes, off the cup and then home, with next to
# a halt in between; and many hands shift a little after they have landed. Neither is another reposition.
IN_TWO_GOES, SHIFTS = 0.3, 0.45
SHIFT_M = 0.018  # of either end of a shift, forward and sideways: half of the shifts are longer than 3 cm


def single_drink(scene: Scene, side: Side) -> None:
    """One drink with one hand, as in the marker recordings: rest, reach, to the mouth, drink, back, reposition,
    rest."""
    rng, layout = scene.rng, scene.layout
    scene.stay(side, float(rng.uniform(0.3, 1.0)))
    inward = float(rng.uniform(0.12, 0.21))
    cup = jittered(scene, scene.spot(side, layout.rest_forward + 0.10, layout.rest_outward - inward, 0.06))
    reach, to_mouth, back, leave = DRINK_QUICK
    scene.reach(side, cup, SIDE, load_kg=0.3, quick=reach)
    scene.carry(side, scene.on_body(MOUTH, side, 0.035), FACE, skew=DRINK_SKEW, quick=to_mouth)
    scene.wait(side, DRINK_PAUSE_S[0])
    scene.put(side, jittered(scene, cup, 0.012), quick=back)
    scene.stay(side, abs(float(rng.normal(DRINK_PAUSE_S[1], 0.1))))
    scene.retreat(side, quick=leave)
    scene.stay(side, float(rng.uniform(0.3, 1.0)))


def drinks(scene: Scene) -> None:
    """Repeated drinking with one hand, as an exercise. Places, paces and pauses vary more than those of
    `single_drink`, which was fitted to few people."""
    side, rng, layout = scene.main, scene.rng, scene.layout
    scene.tempo = float(rng.uniform(0.75, 1.1))
    reach, to_mouth, back, leave = DRINK_QUICK
    begin(scene)
    for _ in range(some(scene, 2, 4)):
        forward, inward = float(rng.uniform(0.03, 0.28)), float(rng.uniform(0.06, 0.26))
        farthest = max(FARTHEST_CUP * scene.body.arm, layout.rest_forward + 0.03)
        forward = min(layout.rest_forward + forward, farthest)
        cup = jittered(scene, scene.spot(side, forward, layout.rest_outward - inward, 0.06))
        scene.reach(side, cup, SIDE, load_kg=0.3, quick=reach)
        scene.carry(
            side, scene.on_body(MOUTH, side, 0.035), FACE, skew=float(rng.uniform(1.3, DRINK_SKEW)), quick=to_mouth
        )
        if rng.random() < 0.5:
            # A sip, and back without a stop: recorded people turn round at the mouth while the way there still fades.
            scene.stay(side, float(rng.uniform(-0.25, 0.15)))
        else:
            scene.wait(side, float(rng.uniform(0.1, 0.8)))
        # The cup is straightened and set down with care: a late slow part that recorded people have.
        place = jittered(scene, cup, 0.012)
        skew = float(rng.uniform(1.2, 2.0))
        scene.carry(side, place, landing=SET_DOWN, quick=back, skew=skew)
        scene.let_go(side)
        scene.stay(side, float(rng.uniform(0.05, 0.8)))
        _come_back(scene, side, cup, leave)
        scene.stay(side, float(rng.uniform(0.5, 2.5)))


def _come_back(scene: Scene, side: Side, cup: Floats, quick: float) -> None:
    """From the cup to where the hand rests, as one movement."""
    rng, home = scene.rng, scene.rest_place(side)
    if rng.random() < IN_TWO_GOES:
        scene.retreat(side, cup + float(rng.uniform(0.2, 0.7)) * (home - cup), quick=quick)
        scene.stay(side, float(rng.uniform(-0.15, 0.05)))
        scene.go_on(side, home + rng.normal(0.0, SHIFT_M, 3) * np.array([1.0, 0.1, 1.0]), quick=quick)
    else:
        scene.retreat(side, quick=quick)
    if rng.random() < SHIFTS:
        scene.stay(side, float(rng.uniform(0.0, 0.8)))
        scene.go_on(side, home + rng.normal(0.0, SHIFT_M, 3) * np.array([1.0, 0.1, 1.0]), quick=quick)


def feeding(scene: Scene) -> None:
    """Cut a slice of bread with knife and fork, spread, eat some bites."""
    main, minor, near = scene.main, scene.minor, scene.layout.near
    plate = on_table(scene, near + 0.06, 0.0, 0.04)
    begin(scene)
    if scene.preference(0):  # unpack the slice
        bag = on_table(scene, scene.layout.far, 0.08, 0.03)
        scene.reach(minor, bag, TOP)
        scene.carry(minor, before_chest(scene, minor), HOLD)
        scene.sync()
        scene.reach(main, before_chest(scene, main), TOP, load_kg=0.05)
        for _ in range(some(scene, 1, 2)):
            scene.carry(main, before_chest(scene, main, 0.17), HOLD, lift_m=0.0)
            scene.wait(main, 0.35)
        scene.put(main, plate, TOP)
        scene.put(minor, bag, TOP)
    knife_place = on_table(scene, near + 0.04, 0.16 if main is Side.RIGHT else -0.16, 0.02)
    fork_place = on_table(scene, near + 0.04, -0.16 if main is Side.RIGHT else 0.16, 0.02)
    scene.reach(main, knife_place, TOP, load_kg=0.05)
    scene.reach(minor, fork_place, TOP, load_kg=0.05)
    for side in (minor, main):
        scene.carry(side, plate + outwards(side, 0.03), KNIFE)
    if scene.preference(1):  # spread first
        butter = on_table(scene, scene.layout.far, 0.14 if main is Side.RIGHT else -0.14, 0.04)
        scene.carry(main, butter, KNIFE)
        scene.wait(main, 0.35)
        scene.carry(main, plate, KNIFE)
        stroke(
            scene,
            main,
            [plate + np.array([0.03, 0, 0.03]), plate + np.array([-0.03, 0, -0.03])],
            KNIFE,
            some(scene, 2, 5),
            0.3,
        )
    for _ in range(some(scene, 2, 3)):  # cut
        stroke(
            scene,
            main,
            [plate + np.array([0.03, 0.01, 0.01]), plate + np.array([-0.03, 0.0, 0.01])],
            KNIFE,
            some(scene, 2, 4),
            0.15,
            quick=1.7,
        )
        scene.wait(main, 0.4)
        if scene.preference(2):
            scene.carry(minor, jittered(scene, plate + outwards(minor, 0.02)), KNIFE, quick=1.2)
    scene.sync()
    eater = minor if scene.preference(3) else main
    if eater is main:
        scene.put(main, knife_place, TOP)
        scene.reach(main, plate + outwards(main, 0.04), SIDE, load_kg=0.03)
        scene.let_go(minor)
        go_home(scene, minor)
    else:
        scene.put(main, knife_place, TOP)
        go_home(scene, main)
    for i in range(some(scene, 3, 5)):
        if i:
            scene.carry(eater, jittered(scene, plate), SPOON, skew=1.4)
        scene.wait(eater, 0.35)
        scene.carry(eater, scene.on_body(MOUTH, eater, 0.04), SPOON, skew=1.6)
        scene.wait(eater, 0.3)
    scene.put(eater, fork_place if eater is minor else knife_place, TOP)
    go_home(scene)


def drinking(scene: Scene) -> None:
    """Open a bottle, pour, drink from the cup, close the bottle."""
    main, minor, near = scene.main, scene.minor, scene.layout.near
    bottle = on_table(scene, scene.layout.far, 0.12 if minor is Side.RIGHT else -0.12, 0.09)
    cup = on_table(scene, near + 0.12, 0.08 if main is Side.RIGHT else -0.08, 0.06)
    begin(scene)
    scene.reach(minor, bottle, SIDE, load_kg=0.6)
    if scene.preference(0):
        bottle = before_chest(scene, minor, 0.09)
        scene.carry(minor, bottle, SIDE, landing=Landing(0.8))
    scene.wait(minor, 0.3)
    scene.sync()
    cap = before_chest(scene, main, 0.2)
    scene.reach(main, cap, TOP, load_kg=0.01)
    twist(scene, main, cap, some(scene, 2, 4))
    cap_place = on_table(scene, near + 0.06, 0.18 if main is Side.RIGHT else -0.18, 0.02)
    scene.put(main, cap_place, TOP)
    scene.sync()
    pourer = minor if scene.preference(1) else main
    if pourer is main:
        scene.reach(main, bottle, SIDE, load_kg=0.6)
        scene.let_go(minor)
        if scene.preference(2):
            scene.reach(minor, cup, SIDE)
        else:
            scene.retreat(minor)
    elif scene.preference(2):
        scene.reach(main, cup, SIDE)
    else:
        scene.retreat(main)
    above = cup + np.array([-0.02, 0.14, 0.0])
    scene.carry(pourer, above, SIDE)
    scene.carry(pourer, above + np.array([0.0, 0.03, 0.0]), shifted(SIDE, pronation=0.9), lift_m=0.0, quick=0.8)
    scene.wait(pourer, 0.7)
    scene.carry(pourer, above, SIDE, lift_m=0.0)
    scene.put(pourer, bottle)
    scene.sync()
    drinker = main
    if scene.hands[drinker].holding is False:
        if scene.preference(3):
            go_home(scene, drinker)
        scene.reach(drinker, cup, SIDE, load_kg=0.3)
    for sip in range(some(scene, 2, 4)):
        if sip and not scene.hands[drinker].holding:
            scene.reach(drinker, cup, SIDE, load_kg=0.3)
        scene.carry(drinker, scene.on_body(MOUTH, drinker, 0.035), FACE, skew=1.6)
        scene.wait(drinker, 0.4)
        scene.carry(drinker, cup + np.array([0.0, 0.01, 0.0]), SIDE, landing=Landing(0.6, True))
        if scene.preference(4):
            scene.let_go(drinker)
            go_home(scene, drinker)
        else:
            scene.wait(drinker, 0.3)
    if scene.hands[drinker].holding:
        scene.let_go(drinker)
    go_home(scene)
    scene.sync()
    scene.reach(main, cap_place, TOP, load_kg=0.01)
    scene.reach(minor, bottle, SIDE, load_kg=0.4)
    scene.sync()
    scene.carry(main, cap, TOP)
    scene.sync()
    twist(scene, main, cap, some(scene, 2, 3))
    scene.let_go(main)
    scene.sync()
    scene.retreat(main)
    scene.put(minor, on_table(scene, scene.layout.far, 0.12 if minor is Side.RIGHT else -0.12, 0.09))
    go_home(scene)


def _arrays(scene: Scene, places: list[Floats], home: Floats, *, grip: Grip) -> None:
    """Move an object between `home` and each place in turn, resting in between."""
    side = scene.main
    begin(scene)
    for place in places:
        for source, target in ((home, place), (place, home)):
            scene.reach(side, jittered(scene, source), grip, load_kg=0.15)
            if scene.rng.random() < 0.28:
                scene.wait(side, 0.6)
            scene.carry(side, jittered(scene, target), grip, landing=Landing(1.0, True))
            if scene.rng.random() < 0.28:  # make sure it stands
                scene.wait(side, 0.6)
            scene.let_go(side)
            choice = scene.rng.random()
            if choice < 0.58:
                go_home(scene, side)
            elif choice < 0.78:  # wait with the hand beside the object
                scene.wait(side, 0.9)
    go_home(scene)


def table_targets(scene: Scene) -> None:
    """Move a roll between the middle and eight targets on a circle on the table."""
    middle = scene.spot(scene.main, scene.layout.near + 0.06, 0.06, 0.05)
    angles = np.arange(8) * np.pi / 4
    if scene.preference(0):
        angles = angles[::-1]
    ring = scene.layout.ring * 0.7  # the far targets of a full circle would be out of a seated arm's reach
    places = [middle + ring * np.array([np.cos(a), 0.0, np.sin(a)]) for a in angles]
    _arrays(scene, places, middle, grip=SIDE)


def shelf(scene: Scene) -> None:
    """Move a roll between the middle of the table and three targets on each of two boards."""
    side, layout = scene.main, scene.layout
    middle = scene.spot(side, layout.near + 0.08, 0.05, 0.05)
    boards = layout.shelf if scene.preference(0) else layout.shelf[::-1]
    places = [
        scene.spot(None, layout.shelf_forward, across, 0.7 * height)
        for height in boards
        for across in (-0.18, 0.0, 0.18)
    ]
    _arrays(scene, places, middle, grip=SIDE)

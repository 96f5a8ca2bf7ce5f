"""The nine activities of StrokeRehab as loose scripts, and the single drink of the marker recordings.

Each script tells a Scene what the hands do. Persons differ (habits decide between ways of doing a thing), repetitions
differ (orders, counts, places and pauses are drawn anew), and either arm may be the affected one. What the scripts
contain follows the paper's list of activities; how often each step is done is chosen so that the cohort's statistics
meet the paper's (docs/simulated-patient.md).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.rig import Side
from rehabcount.simulate.body import (
    ARMPIT,
    CHEEK,
    EAR,
    FOREHEAD,
    HAIR_BACK,
    HAIR_SIDE,
    HAIR_TOP,
    MOUTH,
)
from rehabcount.simulate.scene import ACROSS, FACE, HEAD, SIDE, TEMPLE, TOP, Grip, Scene, shifted

SPOON = Grip(0.55, 0.05, 0.0, 0.20, (-0.20, 0.25, -0.95))
BRUSH = Grip(0.45, -0.1, 0.05, 0.35, (-0.25, 0.15, -0.95))
HOLD = Grip(0.35, -0.2, 0.0, 0.05, (0.75, -0.05, -0.65))  # steadying something before the body
# Pace of the single drink's four movements, skew of the one to the mouth, pauses at the mouth and after putting down.
# Fitted to the recordings of healthy 01-09 and stroke S1-S9.
DRINK_QUICK = (1.2, 1.1, 1.05, 1.1)
DRINK_SKEW = 1.9
DRINK_PAUSE_S = (0.22, 0.12)
KNIFE = Grip(0.8, 0.1, -0.1, 0.25, (0.8, -0.25, -0.5))


def _jitter(scene: Scene, place: Floats, spread_m: float = 0.014) -> Floats:
    return place + scene.rng.normal(0.0, spread_m, 3) * np.array([1.0, 0.15, 1.0])


def _table(scene: Scene, forward: float, right: float, height: float = 0.05) -> Floats:
    """A place on the table, counted from the middle to the right, this time a little off."""
    return _jitter(scene, scene.spot(None, forward, right, height))


def _center(scene: Scene, side: Side, raised: float = 0.12) -> Floats:
    """Before the chest, where two hands meet; each keeps to its own side."""
    return _jitter(scene, scene.spot(side, scene.layout.near + 0.02, 0.045, raised))


def _strokes(
    scene: Scene, side: Side, ends: list[Floats], grip: Grip, count: int, rest: float, quick: float = 1.5
) -> None:
    """Back and forth between places, each way a transport; now and then the hand stops (share `rest`)."""
    for i in range(count):
        scene.carry(side, _jitter(scene, ends[i % len(ends)], 0.010), grip, lift_m=0.0, quick=quick)
        if scene.rng.random() < rest:
            scene.wait(side, 0.55)


def _twist(scene: Scene, side: Side, place: Floats, times: int) -> None:
    """Turn a cap: the hand turns, slips back and turns again."""
    for i in range(times):
        turn = 0.75 if i % 2 == 0 else -0.25
        scene.carry(side, _jitter(scene, place, 0.006), shifted(TOP, pronation=-turn), lift_m=0.0, quick=1.3)
        if scene.rng.random() < 0.5:
            scene.wait(side, 0.35)


def _home(scene: Scene, *sides: Side) -> None:
    """Hands back to rest, in one go or with a halt on the way; some cannot keep still there."""
    for side in sides or tuple(Side):
        hand = scene.hands[side]
        if not hand.home:
            if scene.rng.random() < 0.16:
                midway = (scene.rest_place(side) + 2 * scene.spot(side, scene.layout.near, 0.12, 0.04)) / 3
                scene.retreat(side, midway)
                scene.wait(side, 0.5)
            scene.retreat(side)
        scene.wait(side, 0.8)
        if scene.rng.random() < 0.22:
            scene.retreat(side, quick=1.2)
            scene.wait(side, 0.6)


def _number(scene: Scene, low: int, high: int) -> int:
    return int(scene.rng.integers(low, high + 1))


def _start(scene: Scene) -> None:
    for side in Side:
        scene.stay(side, float(scene.rng.uniform(0.5, 1.6)))


def single_drink(scene: Scene, side: Side) -> None:
    """One drink with one hand, as in the marker recordings: rest, reach, to the mouth, drink, back, reposition,
    rest."""
    rng, layout = scene.rng, scene.layout
    scene.stay(side, float(rng.uniform(0.3, 1.0)))
    inward = float(rng.uniform(0.12, 0.21))
    cup = _jitter(scene, scene.spot(side, layout.rest_forward + 0.10, layout.rest_outward - inward, 0.06))
    reach, to_mouth, back, leave = DRINK_QUICK
    scene.reach(side, cup, SIDE, load_kg=0.3, quick=reach)
    scene.carry(side, scene.on_body(MOUTH, side, 0.035), FACE, skew=DRINK_SKEW, quick=to_mouth)
    scene.wait(side, DRINK_PAUSE_S[0])
    scene.put(side, _jitter(scene, cup, 0.012), quick=back)
    scene.stay(side, abs(float(rng.normal(DRINK_PAUSE_S[1], 0.1))))
    scene.retreat(side, quick=leave)
    scene.stay(side, float(rng.uniform(0.3, 1.0)))


def face_wash(scene: Scene) -> None:
    """Wet a cloth, wring it with both hands, wipe the face, dry it with a towel."""
    main, minor, far, near = scene.main, scene.minor, scene.layout.far, scene.layout.near
    tap = _table(scene, far + 0.04, 0.05, 0.16)
    _start(scene)
    scene.reach(main, tap, TOP)
    scene.carry(main, tap + np.array([0.0, 0.0, 0.04]), shifted(TOP, pronation=-0.4), lift_m=0.0)
    scene.let_go(main)
    cloth = _table(scene, near + 0.04, 0.10 if main is Side.RIGHT else -0.10, 0.03)
    scene.reach(main, cloth, TOP)
    scene.carry(main, _center(scene, main, 0.05))
    scene.sync()
    scene.reach(minor, _center(scene, minor, 0.05), HOLD)
    scene.sync()
    for _ in range(_number(scene, 1, 3)):  # wring
        for side, turn in ((main, 0.5), (minor, -0.4)):
            scene.carry(side, _center(scene, side, 0.08), shifted(HOLD, pronation=turn), lift_m=0.0, quick=1.2)
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
        _strokes(scene, side, spots, FACE, _number(scene, 3, 6), 0.30)
    scene.sync()
    for side in wipers:
        scene.put(side, _jitter(scene, cloth, 0.02), TOP)
    _home(scene)
    scene.sync(slack_s=0.4)
    towel = _table(scene, near + 0.02, 0.24 if main is Side.RIGHT else -0.24, 0.04)
    scene.reach(main, towel, TOP)
    scene.carry(main, scene.on_body(CHEEK, main, 0.03), FACE)
    spots = [scene.on_body(mark, main, 0.03) for mark in (CHEEK, FOREHEAD, MOUTH)]
    _strokes(scene, main, spots, FACE, _number(scene, 2, 5), 0.35)
    scene.put(main, towel, TOP)
    scene.sync()
    if scene.preference(1):
        scene.reach(minor, tap, TOP)
        scene.carry(minor, tap + np.array([0.0, 0.0, -0.04]), shifted(TOP, pronation=0.3), lift_m=0.0)
        scene.let_go(minor)
    _home(scene)


def deodorant(scene: Scene) -> None:
    """Take the stick, uncap it with the other hand, apply under the other arm, cap it, put it back."""
    main, minor, near = scene.main, scene.minor, scene.layout.near
    _start(scene)
    stick = _table(scene, scene.layout.far, 0.06, 0.06)
    if scene.preference(0, 0.6):  # bring it closer first
        scene.reach(main, stick, SIDE)
        stick = _table(scene, near + 0.03, 0.02, 0.06)
        scene.put(main, stick)
        _home(scene, main)
    holder = minor if scene.preference(1) else main
    opener = holder.other
    scene.sync()
    scene.reach(holder, stick, SIDE)
    scene.carry(holder, _center(scene, holder), HOLD)
    scene.wait(holder, 0.3)
    scene.sync()
    cap = _center(scene, opener, 0.19)
    scene.reach(opener, cap, TOP, load_kg=0.02)
    scene.carry(opener, cap + np.array([0.02, 0.05, 0.0]), TOP, lift_m=0.0)
    cap_place = _table(scene, near + 0.06, 0.14 if opener is Side.RIGHT else -0.14, 0.03)
    scene.put(opener, cap_place, TOP)
    base = _center(scene, opener, 0.07)
    scene.reach(opener, base, TOP)
    _twist(scene, opener, base, _number(scene, 2, 4))
    scene.let_go(opener)
    scene.sync()
    user = holder
    if holder is not main and scene.preference(2):
        scene.reach(main, _center(scene, main), HOLD)
        scene.let_go(holder)
        scene.retreat(holder)
        user = main
    else:
        scene.retreat(opener)
    for again in (False, True):
        armpit = scene.on_body(ARMPIT, user.other, 0.05)
        scene.carry(user, armpit, ACROSS)
        ends = [armpit + np.array([0.01, 0.06, 0.0]), armpit + np.array([0.0, -0.05, 0.0])]
        _strokes(scene, user, ends, ACROSS, _number(scene, 4, 7), 0.28)
        scene.carry(user, _center(scene, user), HOLD)
        scene.wait(user, 0.3)
        scene.sync()
        if not again:  # the other hand does the other side
            scene.reach(user.other, _center(scene, user.other), HOLD)
            scene.let_go(user)
            scene.retreat(user)
            user = user.other
    capper = user.other
    base = _center(scene, capper, 0.07)
    scene.reach(capper, base, TOP)
    _twist(scene, capper, base, _number(scene, 1, 3))
    scene.let_go(capper)
    scene.reach(capper, cap_place, TOP, load_kg=0.02)
    scene.carry(capper, _center(scene, capper, 0.19), TOP)
    scene.wait(capper, 0.4)
    scene.sync()
    scene.let_go(capper)
    scene.retreat(capper)
    scene.put(user, stick)
    _home(scene)


def combing(scene: Scene) -> None:
    """Comb both sides of the head; the comb may change hands."""
    main = scene.main
    _start(scene)
    comb = _table(scene, scene.layout.near + 0.08, 0.05, 0.02)
    rounds = 3 if scene.preference(0) else 2
    user = main
    scene.reach(user, comb, TOP, load_kg=0.03)
    for i in range(rounds):
        for marks in ((HAIR_TOP, HAIR_SIDE), (HAIR_SIDE, HAIR_BACK)):
            scene.carry(user, scene.on_body(marks[0], user, 0.03), HEAD)
            ends = [scene.on_body(mark, user, 0.02) for mark in marks]
            _strokes(scene, user, ends, HEAD, _number(scene, 3, 7), 0.33, quick=1.3)
        scene.carry(user, _center(scene, user, 0.15), HOLD)
        if i + 1 < rounds and scene.rng.random() < 0.75:
            scene.sync()
            scene.reach(user.other, _center(scene, user.other, 0.15), HOLD, load_kg=0.03)
            scene.wait(user.other, 0.2)
            scene.sync()
            scene.let_go(user)
            scene.retreat(user)
            user = user.other
        else:
            scene.wait(user, 0.4)
    scene.put(user, comb, TOP)
    _home(scene)


def glasses(scene: Scene) -> None:
    """Put glasses on, hands back to the table, take them off again."""
    main, minor = scene.main, scene.minor
    _start(scene)
    both = scene.preference(0, 0.35)
    hands = (main, minor) if both else (main,)
    where = _table(scene, scene.layout.near + 0.08, 0.0, 0.03)
    for _ in range(_number(scene, 1, 3)):
        for side in hands:
            scene.reach(side, where + _outwards(side, 0.06), TOP, load_kg=0.04)
        scene.sync()
        if both:  # unfold
            for side in hands:
                scene.carry(side, _center(scene, side, 0.14) + _outwards(side, 0.03), HOLD)
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
        _home(scene, *hands)
        scene.sync(slack_s=0.2)
        for side in hands:
            scene.wait(side, 0.8)
        for side in hands:
            scene.reach(side, scene.on_body(EAR, side, 0.03), TEMPLE, load_kg=0.04)
        scene.sync()
        for side in hands:
            scene.carry(side, _center(scene, side, 0.14) + _outwards(side, 0.03), HOLD)
        if both and scene.preference(2):
            for side in hands:
                scene.wait(side, 0.5)
        for side in hands:
            scene.put(side, where + _outwards(side, 0.06), TOP)
        _home(scene, *hands)
        scene.sync(slack_s=0.2)


def _outwards(side: Side, metres: float) -> Floats:
    return np.array([0.0, 0.0, metres if side is Side.RIGHT else -metres])


def feeding(scene: Scene) -> None:
    """Cut a slice of bread with knife and fork, spread, eat some bites."""
    main, minor, near = scene.main, scene.minor, scene.layout.near
    plate = _table(scene, near + 0.06, 0.0, 0.04)
    _start(scene)
    if scene.preference(0):  # unpack the slice
        bag = _table(scene, scene.layout.far, 0.08, 0.03)
        scene.reach(minor, bag, TOP)
        scene.carry(minor, _center(scene, minor), HOLD)
        scene.sync()
        scene.reach(main, _center(scene, main), TOP, load_kg=0.05)
        for _ in range(_number(scene, 1, 2)):
            scene.carry(main, _center(scene, main, 0.17), HOLD, lift_m=0.0)
            scene.wait(main, 0.35)
        scene.put(main, plate, TOP)
        scene.put(minor, bag, TOP)
    knife_place = _table(scene, near + 0.04, 0.16 if main is Side.RIGHT else -0.16, 0.02)
    fork_place = _table(scene, near + 0.04, -0.16 if main is Side.RIGHT else 0.16, 0.02)
    scene.reach(main, knife_place, TOP, load_kg=0.05)
    scene.reach(minor, fork_place, TOP, load_kg=0.05)
    for side in (minor, main):
        scene.carry(side, plate + _outwards(side, 0.03), KNIFE)
    if scene.preference(1):  # spread first
        butter = _table(scene, scene.layout.far, 0.14 if main is Side.RIGHT else -0.14, 0.04)
        scene.carry(main, butter, KNIFE)
        scene.wait(main, 0.35)
        scene.carry(main, plate, KNIFE)
        _strokes(
            scene,
            main,
            [plate + np.array([0.03, 0, 0.03]), plate + np.array([-0.03, 0, -0.03])],
            KNIFE,
            _number(scene, 2, 5),
            0.3,
        )
    for _ in range(_number(scene, 2, 3)):  # cut
        _strokes(
            scene,
            main,
            [plate + np.array([0.03, 0.01, 0.01]), plate + np.array([-0.03, 0.0, 0.01])],
            KNIFE,
            _number(scene, 2, 4),
            0.15,
            quick=1.7,
        )
        scene.wait(main, 0.4)
        if scene.preference(2):
            scene.carry(minor, _jitter(scene, plate + _outwards(minor, 0.02)), KNIFE, quick=1.2)
    scene.sync()
    eater = minor if scene.preference(3) else main
    if eater is main:
        scene.put(main, knife_place, TOP)
        scene.reach(main, plate + _outwards(main, 0.04), SIDE, load_kg=0.03)
        scene.let_go(minor)
        _home(scene, minor)
    else:
        scene.put(main, knife_place, TOP)
        _home(scene, main)
    for i in range(_number(scene, 3, 5)):
        if i:
            scene.carry(eater, _jitter(scene, plate), SPOON, skew=1.4)
        scene.wait(eater, 0.35)
        scene.carry(eater, scene.on_body(MOUTH, eater, 0.04), SPOON, skew=1.6)
        scene.wait(eater, 0.3)
    scene.put(eater, fork_place if eater is minor else knife_place, TOP)
    _home(scene)


def drinking(scene: Scene) -> None:
    """Open a bottle, pour, drink from the cup, close the bottle."""
    main, minor, near = scene.main, scene.minor, scene.layout.near
    bottle = _table(scene, scene.layout.far, 0.12 if minor is Side.RIGHT else -0.12, 0.09)
    cup = _table(scene, near + 0.12, 0.08 if main is Side.RIGHT else -0.08, 0.06)
    _start(scene)
    scene.reach(minor, bottle, SIDE, load_kg=0.6)
    if scene.preference(0):
        bottle = _center(scene, minor, 0.09)
        scene.carry(minor, bottle, SIDE, contact=0.8)
    scene.wait(minor, 0.3)
    scene.sync()
    cap = _center(scene, main, 0.2)
    scene.reach(main, cap, TOP, load_kg=0.01)
    _twist(scene, main, cap, _number(scene, 2, 4))
    cap_place = _table(scene, near + 0.06, 0.18 if main is Side.RIGHT else -0.18, 0.02)
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
            _home(scene, drinker)
        scene.reach(drinker, cup, SIDE, load_kg=0.3)
    for sip in range(_number(scene, 2, 4)):
        if sip and not scene.hands[drinker].holding:
            scene.reach(drinker, cup, SIDE, load_kg=0.3)
        scene.carry(drinker, scene.on_body(MOUTH, drinker, 0.035), FACE, skew=1.6)
        scene.wait(drinker, 0.4)
        scene.carry(drinker, cup + np.array([0.0, 0.01, 0.0]), SIDE, contact=0.6, supported=True)
        if scene.preference(4):
            scene.let_go(drinker)
            _home(scene, drinker)
        else:
            scene.wait(drinker, 0.3)
    if scene.hands[drinker].holding:
        scene.let_go(drinker)
    _home(scene)
    scene.sync()
    scene.reach(main, cap_place, TOP, load_kg=0.01)
    scene.reach(minor, bottle, SIDE, load_kg=0.4)
    scene.sync()
    scene.carry(main, cap, TOP)
    scene.sync()
    _twist(scene, main, cap, _number(scene, 2, 3))
    scene.let_go(main)
    scene.sync()
    scene.retreat(main)
    scene.put(minor, _table(scene, scene.layout.far, 0.12 if minor is Side.RIGHT else -0.12, 0.09))
    _home(scene)


def brushing(scene: Scene) -> None:
    """Paste on the brush, brush, rinse, put away."""
    main, minor, near = scene.main, scene.minor, scene.layout.near
    brush = _table(scene, near + 0.08, 0.08 if main is Side.RIGHT else -0.08, 0.02)
    paste = _table(scene, near + 0.08, 0.10 if minor is Side.RIGHT else -0.10, 0.03)
    _start(scene)
    scene.reach(minor, paste, TOP, load_kg=0.1)
    scene.carry(minor, _center(scene, minor), HOLD)
    scene.sync()
    cap = _center(scene, main, 0.15)
    scene.reach(main, cap, TOP, load_kg=0.01)
    _twist(scene, main, cap, _number(scene, 1, 3))
    cap_place = _table(scene, near + 0.02, 0.2 if main is Side.RIGHT else -0.2, 0.02)
    scene.put(main, cap_place, TOP)
    scene.reach(main, brush, TOP, load_kg=0.03)
    scene.carry(main, _center(scene, main), HOLD)
    scene.sync()
    scene.carry(minor, _center(scene, minor, 0.15) + _outwards(minor, -0.03), shifted(HOLD, pronation=0.6))
    scene.wait(minor, 0.4)
    scene.wait(main, 0.5)
    scene.put(minor, paste, TOP)
    if scene.preference(0):
        scene.retreat(minor)
    for _ in range(_number(scene, 2, 4)):
        mouth = scene.on_body(MOUTH, main, 0.05)
        scene.carry(main, mouth, BRUSH)
        ends = [mouth + _outwards(main, 0.035), mouth - _outwards(main, 0.015)]
        _strokes(scene, main, ends, BRUSH, _number(scene, 4, 9), 0.12, quick=2.2)
        if scene.rng.random() < 0.6:
            scene.wait(main, 0.5)
    sink = _table(scene, scene.layout.far, 0.02, 0.08)
    scene.carry(main, sink, KNIFE)
    _strokes(scene, main, [sink + _outwards(main, 0.03), sink], KNIFE, _number(scene, 1, 4), 0.3)
    scene.put(main, brush, TOP)
    scene.sync()
    if scene.preference(1):
        scene.reach(main, cap_place, TOP, load_kg=0.01)
        scene.reach(minor, paste, TOP)
        scene.carry(minor, _center(scene, minor), HOLD)
        scene.carry(main, _center(scene, main, 0.15), TOP)
        scene.sync()
        _twist(scene, main, cap, _number(scene, 1, 2))
        scene.let_go(main)
        scene.sync()
        scene.retreat(main)
        scene.put(minor, paste, TOP)
    _home(scene)


def _arrays(scene: Scene, places: list[Floats], home: Floats, *, grip: Grip) -> None:
    """Move an object between `home` and each place in turn, resting in between."""
    side = scene.main
    _start(scene)
    for place in places:
        for source, target in ((home, place), (place, home)):
            scene.reach(side, _jitter(scene, source), grip, load_kg=0.15)
            if scene.rng.random() < 0.28:
                scene.wait(side, 0.6)
            scene.carry(side, _jitter(scene, target), grip, contact=1.0, supported=True)
            if scene.rng.random() < 0.28:  # make sure it stands
                scene.wait(side, 0.6)
            scene.let_go(side)
            choice = scene.rng.random()
            if choice < 0.58:
                _home(scene, side)
            elif choice < 0.78:  # wait with the hand beside the object
                scene.wait(side, 0.9)
    _home(scene)


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


ACTIVITIES: dict[str, Callable[[Scene], None]] = {
    "face wash": face_wash,
    "deodorant": deodorant,
    "combing": combing,
    "glasses": glasses,
    "feeding": feeding,
    "drinking": drinking,
    "brushing": brushing,
    "table targets": table_targets,
    "shelf": shelf,
}
ONE_HANDED = ("table targets", "shelf")

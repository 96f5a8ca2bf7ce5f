"""What is not exercise, in an OpenScene: walking, turning, standing up, balancing, gestures, scratching, being moved.

Like the episodes of other.py, but wherever the person sits, stands or lies; each ends with the hands where they rest.
All is labelled `other`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import OTHER
from rehabcount.domain.rig import Side
from rehabcount.simulate.body import ARM_WIDTH, EAR, mirrored, shoulder_at
from rehabcount.simulate.movement import MOTION_RATE_HZ, minimum_jerk, rumble
from rehabcount.simulate.moves import Trace
from rehabcount.simulate.posture import ACROSS, FACE, HOLD, Grip
from rehabcount.simulate.setting import MARKS, STANCES, draw_grip, mark_on
from rehabcount.simulate.stage import OpenScene

HANGING = Grip(0.3, 0.0, 0.0, 0.05, (0.08, -1.0, -0.03))
STEP_HZ = (1.3, 2.2)  # steps a second, from slow to fast
FAST_HZ = (1.8, 2.4)
ON_THIGH = ((0.12, 0.34), (0.08, 0.13), (0.06, 0.2))  # forward, up, out from the hips (m): from hip to knee
SLIDES = (-0.18, -0.22)  # forward, up: where a hand on the thigh goes when the thigh hangs
SEAT_M = 0.38  # from the chair to standing


def _home(stage: OpenScene, *sides: Side, quick: float = 1.0) -> None:
    for side in sides or tuple(Side):
        stage.drop_home(side, OTHER.name, quick=quick)


def _better(stage: OpenScene, spread: float = 10.0) -> Side:
    return max(Side, key=lambda side: stage.arms[side].score + stage.rng.normal(0, spread))


def _relative(stage: OpenScene, side: Side, place: tuple[float, float, float]) -> Floats:
    """Forward, up and outwards from the shoulder."""
    outwards = 1.0 if side is Side.RIGHT else -1.0
    return shoulder_at(stage.body, stage.recline, side) + np.array([place[0], place[1], outwards * place[2]])


def _hang(stage: OpenScene, side: Side, bent: float = 0.0) -> None:
    """The arm hangs; `bent` (0..1): the elbow is held bent."""
    body = stage.body
    straight = float(stage.rng.uniform(0.94, 0.99))
    drop = (straight - 0.32 * bent) * body.arm + 1.5 * body.hand * (1.0 - 0.7 * bent)
    place = _relative(stage, side, (0.03 + 0.20 * bent, -drop, 0.03 + float(stage.rng.uniform(0.0, 0.05))))
    stage.pose(side, place, HANGING if bent < 0.5 else HOLD, OTHER.name, supported=True)


def walk_about(stage: OpenScene, length_s: float) -> None:
    """Walking: slow to fast, straight or in bends; arms swing, one may be bent, still, or in a pocket."""
    _walk(stage, length_s, STEP_HZ, (0.03, 0.65), (0.0, 0.2))


def walk_fast(stage: OpenScene, length_s: float) -> None:
    """Brisk walking: arms swing far, from the elbow, too."""
    _walk(stage, length_s, FAST_HZ, (0.25, 0.8), (0.1, 0.5))


def _walk(
    stage: OpenScene,
    length_s: float,
    steps_hz: tuple[float, float],
    swing_rad: tuple[float, float],
    bends: tuple[float, float],
) -> None:
    """A walk; `bends` is how much shorter the arm gets before the body, for each radian of its swing."""
    rng = stage.rng
    stage.sync()
    slowness = max(arm.slowness for arm in stage.arms.values())
    rate = float(rng.uniform(*steps_hz)) / (1.0 + 0.2 * (slowness - 1.0))
    swings: dict[Side, float] = {}
    for side in Side:
        arm = stage.arms[side]
        bent = float(np.clip(1.5 * arm.synergy + rng.choice([0.0, rng.uniform(0.3, 1.0)], p=[0.8, 0.2]), 0.0, 1.0))
        _hang(stage, side, bent)
        swings[side] = float(rng.uniform(*swing_rad)) * (1.0 - 0.85 * bent) * rate / 1.8
    stage.sync()
    seated = stage.recline[2] > 0.3 or stage.homes[Side.RIGHT].name in ("lap", "thigh", "arm-rest")
    count = int((length_s + 1.6) * MOTION_RATE_HZ)
    unrest = 0.25 * rumble(count, 1, (0.03, 0.3), rng)[:, 0]
    beat: Floats = np.pi * rate * np.arange(count) / MOTION_RATE_HZ + unrest  # a stride is two steps
    for side in Side:
        phase = (0.0 if side is Side.RIGHT else np.pi) + float(rng.normal(0.0, 0.2))
        swing = _swing(stage, side, swings[side], beat + phase, float(rng.uniform(*bends)))
        stage.traces.append(Trace(side, stage.now, swing))
    stage.trace(None, _way(beat, rate, seated, rng))
    _home(stage)


def _swing(stage: OpenScene, side: Side, size_rad: float, beat: Floats, bend: float) -> Floats:
    """The wrist's way on an arc about the shoulder; the elbow bends a little while the arm is before the body."""
    shoulder = shoulder_at(stage.body, stage.recline, side)
    line = stage.hands[side].posture[:3] - (shoulder if side is Side.RIGHT else mirrored(shoulder))
    going = _going(len(beat))
    turn = going * size_rad * (np.sin(beat) + 0.15)
    shorter = 1.0 - bend * np.maximum(turn, 0.0)
    path = np.zeros((len(beat), ARM_WIDTH))
    path[:, 0] = shorter * (line[0] * np.cos(turn) - line[1] * np.sin(turn)) - line[0]
    path[:, 1] = shorter * (line[0] * np.sin(turn) + line[1] * np.cos(turn)) - line[1]
    path[:, 2] = going * 0.08 * size_rad * np.sin(beat + 0.5)
    path[:, 4:6] = 0.15 * turn[:, None]
    return path


def _going(count: int) -> Floats:
    """0 before the first step and after the last, 1 between."""
    time_s = np.arange(count) / MOTION_RATE_HZ
    return minimum_jerk(time_s / 1.2) * minimum_jerk((time_s[-1] - time_s) / 1.2)


def _way(beat: Floats, rate_hz: float, seated: bool, rng: np.random.Generator) -> Floats:
    """Root and trunk of a walk that ends where it began."""
    count = len(beat)
    time_s = np.arange(count) / MOTION_RATE_HZ
    length_s, going = count / MOTION_RATE_HZ, _going(count)
    heading = _heading(count, length_s, rng)
    speed = going * rate_hz * float(rng.uniform(0.35, 0.65))
    x, z = np.cumsum(speed * np.cos(heading)), np.cumsum(-speed * np.sin(heading))
    path = np.zeros((count, 13))
    closing = minimum_jerk(time_s / length_s)
    path[:, 0] = (x - x[-1] * closing) / MOTION_RATE_HZ
    path[:, 2] = (z - z[-1] * closing) / MOTION_RATE_HZ
    bounce = float(rng.uniform(0.008, 0.042))
    path[:, 1] = going * bounce * np.sin(2 * beat)
    knock = np.maximum(np.sin(2 * beat - 0.9), 0.0) ** 8  # heel strikes
    path[:, 1] -= going * 0.0035 * float(rng.uniform(0.3, 1.6)) * knock
    path[:, 2] += 0.02 * going * np.sin(beat)
    path[:, 3] = heading
    if seated:
        up = minimum_jerk(time_s / 1.6) * minimum_jerk((length_s - time_s) / 1.8)
        path[:, 1] += SEAT_M * up
        path[:, 6] -= 0.45 * 4 * up * (1 - up)
    path[:, 5] += going * float(rng.uniform(0.02, 0.12)) * np.sin(beat)
    path[:, 11] -= going * float(rng.uniform(0.02, 0.24)) * np.sin(beat)
    path[:, 4] += going * float(rng.uniform(0.02, 0.08)) * np.sin(beat + 0.4)
    path[:, 6] -= going * (float(rng.uniform(0.0, 0.10)) + float(rng.uniform(0.0, 0.04)) * np.sin(2 * beat + 0.8))
    return path


def _heading(count: int, length_s: float, rng: np.random.Generator) -> Floats:
    """Turns of a walk: bends of a slalom, or straight ways with half turns; back to the first direction."""
    time_s = np.arange(count) / MOTION_RATE_HZ
    inside = minimum_jerk(time_s / 1.5) * minimum_jerk((length_s - time_s) / 1.5)
    if rng.random() < 0.4:
        bends = float(rng.uniform(0.4, 1.1)) * np.sin(2 * np.pi * float(rng.uniform(0.12, 0.3)) * time_s)
        return np.asarray(inside * bends)
    turns = 2 * max(1, round(length_s / float(rng.uniform(12.0, 24.0))))
    signs = rng.choice([-1.0, 1.0], turns // 2)
    heading = np.zeros(count)
    for number in range(turns):
        at = length_s * (number + 0.6) / turns
        way = signs[number // 2] * np.pi * (1.0 if number % 2 == 0 else -1.0)
        heading += way * minimum_jerk((time_s - at) / float(rng.uniform(1.2, 2.6)))
    left = heading[-1]
    return np.asarray(heading - left * minimum_jerk((time_s - length_s + 2.0) / 2.0))


def turn_about(stage: OpenScene, length_s: float) -> None:
    """Turning on the spot, by quarters and halves, and back; sitting people turn the trunk to look."""
    rng = stage.rng
    count = int(length_s * MOTION_RATE_HZ)
    time_s = np.arange(count) / MOTION_RATE_HZ
    path = np.zeros((count, 13))
    number = max(1, int(length_s / rng.uniform(3.0, 6.0)))
    standing = stage.homes[Side.RIGHT].name == "hanging" or stage.homes[Side.LEFT].name == "hanging"
    for i in range(number):
        start, end = length_s * i / number, length_s * (i + 1) / number
        size = float(rng.choice([-1.0, 1.0]) * rng.uniform(0.5, 3.1)) * (1.0 if standing else 0.25)
        lasts = float(rng.uniform(0.8, 1.2)) * 0.4 * (end - start)
        bump = minimum_jerk((time_s - start) / lasts) - minimum_jerk((time_s - end + lasts) / lasts)
        if standing:
            path[:, 3] += size * bump
        else:
            path[:, 8] += 0.5 * size * bump
            path[:, 11] += 0.5 * size * bump
    path[:, 1] += 0.012 * np.abs(np.gradient(path[:, 3]) * MOTION_RATE_HZ) * np.sin(2 * np.pi * 1.8 * time_s) ** 2
    stage.sync()
    stage.trace(None, path)


def up_and_down(stage: OpenScene, length_s: float) -> None:
    """Standing up and sitting down, several times; or bending the knees."""
    rng = stage.rng
    stage.sync()
    hang = rng.random() < 0.5
    if hang:
        for side in Side:
            _hang(stage, side, float(rng.uniform(0.0, 0.6)))
    sign = -1.0 if rng.random() < 0.5 and not stage.recline[2] > 0.3 else 1.0
    size, bend = sign * float(rng.uniform(0.25, 0.42)), float(rng.uniform(0.3, 1.2))
    lasts = float(rng.uniform(0.8, 2.2)) * (1.0 + 0.2 * (max(a.slowness for a in stage.arms.values()) - 1.0))
    while True:
        waits = float(rng.exponential(0.8)), float(rng.exponential(0.8))
        total = 2 * lasts + waits[0] + waits[1]
        count = int(total * MOTION_RATE_HZ)
        time_s = np.arange(count) / MOTION_RATE_HZ
        up = minimum_jerk(time_s / lasts) - minimum_jerk((time_s - lasts - waits[0]) / lasts)
        path = np.zeros((count, 13))
        path[:, 1] = size * up
        lean = bend * 4 * up * (1 - up)
        for column, share in ((6, 0.5), (9, 0.3), (12, 0.2)):
            path[:, column] = -share * lean
        path[:, 0] = 0.12 * lean
        stage.trace(None, path)
        length_s -= total
        if length_s < total:
            break
    _home(stage)


def thighs(stage: OpenScene, length_s: float) -> None:
    """Hands on the thighs, palm down or thumb up; now and then up from the chair and down again with them there."""
    rng = stage.rng
    end = stage.now + length_s
    place = np.array([rng.uniform(*limits) for limits in ON_THIGH])
    grip = Grip(float(rng.uniform(-0.3, 1.1)), 0.0, 0.0, float(rng.uniform(-0.2, 0.4)), (0.85, -0.35, -0.35))
    for side in Side:
        spot = place + rng.normal(0.0, 0.02, 3)
        spot[2] *= 1.0 if side is Side.RIGHT else -1.0
        stage.pose(side, spot, draw_grip(grip, rng, 0.6), OTHER.name, supported=True)
    stage.sync()
    lasts = float(rng.uniform(0.7, 1.7)) * (1.0 + 0.2 * (max(a.slowness for a in stage.arms.values()) - 1.0))
    bend = float(rng.uniform(0.3, 1.0))
    while True:
        for side in Side:
            stage.wait(side, float(rng.exponential(1.2)))
        stage.sync()
        _stand_and_sit(stage, lasts, float(rng.exponential(1.0)), bend, float(rng.uniform(0.0, 1.0)))
        if stage.now + 2 * lasts > end:
            break
    _home(stage)


def _stand_and_sit(stage: OpenScene, lasts: float, stands: float, bend: float, slides: float) -> None:
    """Once up and down; `slides`: how far the hands go along with the thighs (0..1)."""
    count = int((2 * lasts + stands) * MOTION_RATE_HZ)
    time_s = np.arange(count) / MOTION_RATE_HZ
    up = minimum_jerk(time_s / lasts) - minimum_jerk((time_s - lasts - stands) / lasts)
    path = np.zeros((count, 13))
    path[:, 1] = SEAT_M * up
    lean = bend * 4 * up * (1 - up)
    for column, share in ((6, 0.5), (9, 0.3), (12, 0.2)):
        path[:, column] = -share * lean
    path[:, 0] = 0.12 * lean
    for side in Side:
        hand = np.zeros((count, ARM_WIDTH))
        hand[:, 0], hand[:, 1] = slides * SLIDES[0] * up, slides * SLIDES[1] * up
        stage.traces.append(Trace(side, stage.now, hand))
    stage.trace(None, path)


def hold_before(stage: OpenScene, length_s: float) -> None:
    """One hand or both before belly or chest, mostly with the thumb up, while the person talks or waits."""
    rng = stage.rng
    end = stage.now + length_s - 1.5
    sides = tuple(Side) if rng.random() < 0.7 else (_better(stage),)
    place = (float(rng.uniform(0.22, 0.42)), float(rng.uniform(-0.38, -0.12)), float(rng.uniform(-0.15, 0.08)))
    grip = Grip(float(rng.uniform(-1.3, 0.4)) - stage.habits.pronation, 0.0, 0.0, float(rng.uniform(-0.2, 0.5)))
    for side in sides:
        stage.pose(side, _relative(stage, side, place), draw_grip(grip, rng, 0.5), OTHER.name)
    while stage.now < end:
        for side in sides:
            if rng.random() < 0.4:
                amplitude = np.abs(rng.normal(0.0, [0.01, 0.015, 0.01, 0.02, 0.10, 0.08, 0.04, 0.0]))
                stage.wiggle(side, 1.5, float(rng.uniform(0.5, 2.5)), amplitude.tolist(), 0.5)
            stage.wait(side, 1.5)
            if rng.random() < 0.25:
                moved = _relative(stage, side, place) + rng.normal(0.0, 0.03, 3)
                stage.pose(side, moved, draw_grip(grip, rng, 0.5), OTHER.name, quick=float(rng.uniform(0.9, 1.6)))
        stage.sync()
    _home(stage, *sides)


def balance(stage: OpenScene, length_s: float) -> None:
    """Weight from foot to foot or from seat to seat, forward and back; arms follow, or balance."""
    rng = stage.rng
    count = int(length_s * MOTION_RATE_HZ)
    time_s = np.arange(count) / MOTION_RATE_HZ
    ease = minimum_jerk(time_s / 0.8) * minimum_jerk((length_s - time_s) / 0.8)
    slow = rumble(count, 6, (0.1, float(rng.uniform(0.4, 1.0))), rng) * ease[:, None]
    size = float(np.exp(rng.uniform(np.log(0.1), np.log(1.4))))
    path = np.zeros((count, 13))
    path[:, 0], path[:, 2] = 0.025 * size * slow[:, 0], 0.04 * size * slow[:, 1]
    path[:, 4], path[:, 6] = 0.06 * size * slow[:, 1], -0.05 * size * slow[:, 0]
    path[:, 7], path[:, 9] = -0.05 * size * slow[:, 1], 0.03 * size * slow[:, 2]
    path[:, 3] = 0.05 * size * slow[:, 3]
    path[:, 11] = 0.05 * size * slow[:, 4]
    stage.sync()
    if rng.random() < 0.4:  # arms out
        for side in Side:
            out = float(rng.uniform(0.15, 0.45))
            stage.pose(side, _relative(stage, side, (0.1, -float(rng.uniform(0.1, 0.4)), out)), HANGING, OTHER.name)
        stage.sync()
    for side in Side:
        amplitude = size * np.abs(rng.normal(0.0, [0.02, 0.02, 0.03, 0.05, 0.05, 0.05, 0.02, 0.0]))
        stage.wiggle(side, length_s, float(rng.uniform(0.3, 0.9)), amplitude.tolist(), 0.6)
    stage.trace(None, path)
    _home(stage)


def gesture(stage: OpenScene, length_s: float) -> None:
    """Talking with the hands, wherever they rest."""
    rng = stage.rng
    better = _better(stage, 6.0)
    end, size = stage.now + length_s, float(rng.uniform(0.5, 1.5))
    while stage.hands[better].at < end:
        for side in Side if rng.random() < 0.45 else (better,):
            home = stage.rest_place(side)
            up = home + size * np.array([rng.uniform(0.0, 0.2), rng.uniform(0.03, 0.40), 0.0])
            up += np.array([0.0, 0.0, float(rng.normal(0.0, 0.10))])
            grip = draw_grip(Grip(float(rng.uniform(-0.6, 0.9)), -0.1, 0.0, 0.15, (0.75, 0.35, -0.5)), rng)
            stage.pose(side, up, grip, OTHER.name, quick=float(rng.uniform(0.9, 2.0)))
            if rng.random() < 0.5:
                amplitude = np.abs(rng.normal(0, [0.012, 0.025, 0.018, 0.03, 0.22, 0.14, 0.06, 0.0]))
                stage.wiggle(side, 1.2, float(rng.uniform(0.9, 3.0)), amplitude.tolist(), 0.4)
        stage.wait(better, float(rng.exponential(0.6)))
        if rng.random() < 0.3:
            _home(stage)
            stage.wait(better, 1.5)
    _home(stage)


def itch(stage: OpenScene, length_s: float) -> None:
    """Scratch or rub some place of the body, and back; now and then somewhere else on the way."""
    rng = stage.rng
    side = _better(stage)
    for _ in range(int(rng.integers(1, 3))):
        mark = MARKS[int(rng.integers(len(MARKS)))]
        stage.pose(side, mark_on(stage, mark, side), draw_grip(mark.grip, rng, 0.5), OTHER.name, quick=1.1)
        rub = max(0.5, min(length_s, float(rng.exponential(1.5))))
        amplitude = [0.012, 0.012, 0.008, 0.0, 0.08, 0.12, 0.05, 0.0]
        stage.wiggle(side, rub, float(rng.uniform(2.0, 5.0)), amplitude, 0.25)
        stage.stay(side, rub)
        if rng.random() < 0.6:
            _home(stage, side)
    _home(stage, side)


def be_placed(stage: OpenScene, length_s: float) -> None:
    """The therapist moves the weaker arm through its range; or the other arm helps it."""
    rng = stage.rng
    side = min(Side, key=lambda each: stage.arms[each].score + stage.rng.normal(0, 4))
    end = stage.hands[side].at + length_s
    helped = rng.random() < 0.3
    while stage.hands[side].at < end - 2.0:
        place = _relative(stage, side, (rng.uniform(0.05, 0.5), rng.uniform(-0.5, 0.3), rng.uniform(-0.25, 0.4)))
        grip = Grip(float(rng.uniform(-0.6, 1.2)), 0.0, 0.0, float(rng.uniform(-0.2, 0.7)))
        quick = float(rng.uniform(0.35, 0.8))
        for _ in range(int(rng.integers(1, 4))):  # there and back again
            for spot in (place, stage.rest_place(side) + np.array([0.02, 0.04, 0.0])):
                stage.pose(side, spot, grip, OTHER.name, quick=quick)
                if helped:
                    outwards = 0.10 if side is Side.LEFT else -0.10
                    stage.hands[side.other].at = max(stage.hands[side.other].at, stage.hands[side].at - 1.5)
                    stage.pose(side.other, spot + np.array([0.0, 0.0, -outwards]), ACROSS, OTHER.name, quick=quick)
        stage.wait(side, 0.8)
    _home(stage, quick=0.8)


def cross_arms(stage: OpenScene, length_s: float) -> None:
    """Arms crossed, hands folded, in the pockets, on the hips, behind the back of the head: and stay so."""
    rng = stage.rng
    kind = str(rng.choice(["crossed", "folded", "hips", "pockets", "head"]))
    for side in Side:
        places = {
            "crossed": ((0.20, -0.28, -0.22), ACROSS),
            "folded": ((0.24, -0.36, -0.15), Grip(0.3, 0.1, 0.0, 0.3, (0.2, 0.0, -0.98))),
            "hips": ((0.06, -0.44, 0.10), Grip(0.7, 0.3, 0.0, 0.9, (0.0, -0.3, -0.9))),
            "pockets": ((0.10, -0.52, 0.03), Grip(0.4, 0.0, 0.0, 0.4, (0.3, -0.9, -0.2))),
            "head": ((-0.02, 0.17, -0.02), Grip(0.2, 0.1, 0.0, 0.5, (-0.4, 0.1, -0.9))),
        }
        place, grip = places[kind]
        stage.pose(side, _relative(stage, side, place), draw_grip(grip, rng, 0.5), OTHER.name, supported=True)
    stage.sync()
    for side in Side:
        stage.wait(side, max(0.5, length_s - 4.0))
    stage.sync()
    _home(stage)


def stretch(stage: OpenScene, length_s: float) -> None:
    """Arms up, out or forward, and held there."""
    rng = stage.rng
    for _ in range(int(rng.integers(1, 4))):
        way = {"up": (0.15, 0.50, 0.05), "out": (0.05, 0.05, 0.55), "forward": (0.55, -0.02, 0.0)}
        place = way[str(rng.choice(list(way)))]
        sides = tuple(Side) if rng.random() < 0.7 else (_better(stage),)
        for side in sides:
            stage.pose(side, _relative(stage, side, place), draw_grip(HOLD, rng), OTHER.name)
        for side in sides:
            stage.wait(side, float(rng.uniform(0.3, 3.0)))
        _home(stage, *sides)
        stage.sync()


def tidy_clothes(stage: OpenScene, length_s: float) -> None:
    """Sleeve, collar, trouser leg, hair: one hand or both, in small moves."""
    rng = stage.rng
    end = stage.now + length_s - 2.0
    sides = tuple(Side) if rng.random() < 0.5 else (_better(stage),)
    while stage.now < end:
        for side in sides:
            mark = MARKS[int(rng.integers(8, len(MARKS)))]
            spot = mark_on(stage, mark, side) + rng.normal(0.0, 0.04, 3)
            stage.pose(side, spot, draw_grip(mark.grip, rng), OTHER.name, quick=float(rng.uniform(0.9, 1.6)))
            tug = float(rng.uniform(0.4, 1.4))
            amplitude = [0.015, 0.02, 0.015, 0.03, 0.10, 0.10, 0.05, 0.0]
            stage.wiggle(side, tug, float(rng.uniform(1.0, 3.0)), amplitude, 0.5)
            stage.stay(side, tug)
    _home(stage, *sides)


def telephone(stage: OpenScene, length_s: float) -> None:
    """A hand at the ear for a while, or something looked at before the chest."""
    rng = stage.rng
    side = _better(stage)
    if rng.random() < 0.5:
        place, grip = stage.on_body(EAR, side, 0.04), FACE
    else:
        place, grip = _relative(stage, side, (0.30, -0.22, -0.10)), HOLD
    stage.pose(side, place, draw_grip(grip, rng, 0.6), OTHER.name)
    end = stage.hands[side].at + length_s
    while stage.hands[side].at < end:
        stage.wait(side, 2.0)
        if rng.random() < 0.5:
            stage.wiggle(
                side, 1.5, float(rng.uniform(0.5, 2.5)), [0.006, 0.006, 0.006, 0.02, 0.05, 0.05, 0.02, 0.0], 0.5
            )
            stage.pose(side, place + rng.normal(0.0, 0.02, 3), grip, OTHER.name)
    _home(stage, side)


def lean_on(stage: OpenScene, length_s: float) -> None:
    """The trunk leans forward, back or to a side and comes back; the hands lie where they lie."""
    rng = stage.rng
    count = int(length_s * MOTION_RATE_HZ)
    time_s = np.arange(count) / MOTION_RATE_HZ
    there = minimum_jerk(time_s / rng.uniform(0.8, 2.0)) * minimum_jerk((length_s - time_s) / rng.uniform(0.8, 2.0))
    way = np.array([rng.normal(0.0, 0.15), rng.normal(0.0, 0.12), -rng.uniform(-0.15, 0.5)])
    path = np.zeros((count, 13))
    path[:, 4:13] = there[:, None] * (np.array([0.5, 0.3, 0.2])[:, None] * way).reshape(9)
    stage.sync()
    stage.trace(None, path)


def rub_hands(stage: OpenScene, length_s: float) -> None:
    """Both hands before the body rub or knead each other; a quick rhythm without a task."""
    rng = stage.rng
    rate = float(rng.uniform(0.8, 3.5))
    for side in Side:
        place = _relative(stage, side, (float(rng.uniform(0.22, 0.34)), float(rng.uniform(-0.38, -0.2)), -0.13))
        stage.pose(side, place, ACROSS, OTHER.name)
    stage.sync()
    lasts = max(1.0, length_s - 3.0)
    for side in Side:
        amplitude = np.abs(rng.normal(0.0, [0.02, 0.015, 0.02, 0.03, 0.12, 0.12, 0.06, 0.0]))
        stage.wiggle(side, lasts, rate, amplitude.tolist(), 0.3)
        stage.stay(side, lasts)
    _home(stage)


ELSEWHERE: dict[str, tuple[Callable[[OpenScene, float], None], float, float, tuple[str, ...]]] = {
    # script, shortest and longest (s), stances
    "walking about": (walk_about, 8.0, 30.0, STANCES[:2]),
    "walking fast": (walk_fast, 8.0, 25.0, STANCES[:2]),
    "turning": (turn_about, 4.0, 14.0, STANCES),
    "up and down": (up_and_down, 6.0, 20.0, STANCES[:2]),
    "hands on the thighs": (thighs, 6.0, 20.0, STANCES[:1]),
    "hands before the body": (hold_before, 5.0, 20.0, STANCES),
    "balancing": (balance, 5.0, 20.0, STANCES[:2]),
    "gesturing": (gesture, 5.0, 20.0, STANCES),
    "an itch": (itch, 2.0, 5.0, STANCES),
    "being placed": (be_placed, 8.0, 25.0, STANCES),
    "arms crossed": (cross_arms, 6.0, 25.0, STANCES),
    "stretching": (stretch, 4.0, 12.0, STANCES),
    "tidying clothes": (tidy_clothes, 4.0, 10.0, STANCES),
    "telephone": (telephone, 5.0, 20.0, STANCES),
    "leaning": (lean_on, 3.0, 10.0, STANCES),
    "rubbing hands": (rub_hands, 4.0, 10.0, STANCES),
}


def elsewhere(stage: OpenScene, name: str, stance: str) -> None:
    """One of them, and its span."""
    script, shortest, longest, stances = ELSEWHERE[name]
    if stance not in stances:
        raise ValueError(f"{name!r} is not done {stance}")
    stage.sync()
    start = stage.now
    script(stage, float(stage.rng.uniform(shortest, longest)))
    stage.sync()
    for hand in stage.hands.values():
        hand.holding, hand.home = False, True
    stage.mark("other", name, start)


def fitting(stance: str) -> list[str]:
    """What is done in that stance."""
    return [name for name, entry in ELSEWHERE.items() if stance in entry[3]]

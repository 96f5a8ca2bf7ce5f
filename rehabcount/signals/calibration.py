"""Calibration: how each sensor sits on its body part, from a still pose and two movements of the arm.

In: oriented Frames in sensor axes, and the spans of the pose and of the movements (docs/body-axes.md describes both and
the axes). Out: a Calibration, one Mounting a sensor with a quality figure, and a verdict with advice.

What fixes the axes of each part:

- trunk: up from gravity in the pose; forward from the way the sensor is worn (its face points away from the body);
- upper arm: up from gravity, for it hangs in the pose; to the right from its own swing while the elbow is bent, if it
  swung far enough and in one plane, else from the way it is worn;
- forearm and hand: the long axis from turning the forearm, the direction of bending from bending the elbow (the hand
  goes along with the forearm in both). Without movements: palm down in the pose, long axis from the way it is worn.

The quality of a mounting is the worst of its checks; each is between 0 (useless) and 1 (as good as possible). If the
movements show that sensors are not where the rig says (`placement.py`), the verdict is to repeat.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.calibration import Calibration, Mounting, Verdict
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import ACC, FRAME_RATE_HZ, GYR, QUAT, Frames
from rehabcount.domain.rig import BodyPart, Place, Rig, Side
from rehabcount.domain.update import Posed
from rehabcount.errors import CalibrationError
from rehabcount.signals import placement
from rehabcount.signals.rotation import angular_rate, conjugate, from_axes, multiply, normalize, rotate

GOOD, USABLE = 0.7, 0.4  # quality from which the verdict is good, usable
MISPLACED = 0.1  # quality of a calibration with sensors on the wrong places: not to be used

# Each check: the value with score 0 (useless) and the one with score 1 (as good as possible).
STILL_RATE_RAD_S = (0.35, 0.05)  # rms angular rate in the pose; a resting tremor stays below 0.3
STILL_LENGTH_S = (0.5, 2.0)  # vqf needs about 1.5 s of rest to know the bias
TURN_RAD = (0.26, 0.87)  # excursion of a movement: 15 degrees are lost in sway, 50 are plenty
PLANARITY = (0.6, 0.9)  # share of the movement's rotation that is about its main axis
SQUARE_RAD = (0.7, 0.26)  # how far the bending axis may be from square to the long axis
POSE_RAD = (0.87, 0.35)  # how far the back of the forearm or hand may point from straight up in the pose
SWING_RAD = 0.35  # 20 degrees: with a larger swing, the upper arm's swing is a better guide than its strap


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A stretch `[start_s, end_s)` of the recording."""

    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class ArmMovements:
    """When one arm was moved: the elbow bent and stretched, the forearm turned."""

    bending: TimeSpan
    turning: TimeSpan


@dataclass(frozen=True, slots=True)
class _Turn:
    """A movement about one axis, in sensor axes; the sign is that of the largest excursion from the start."""

    axis: Floats
    excursion_rad: float
    planarity: float


def calibration_from_steps(frames: Frames, rig: Rig, steps: Iterable[Posed]) -> Calibration:
    """What the steps that the patient went through give; one that cannot be worked out is to be repeated, and says why.
    An arm counts as moved when both of its movements were done."""
    spans = {(step.step, step.side): TimeSpan(step.start_s, step.end_s) for step in steps}
    movements = {
        side: ArmMovements(spans["elbow", side], spans["forearm", side])
        for side in Side
        if ("elbow", side) in spans and ("forearm", side) in spans
    }
    try:
        return calibrate(frames, rig, spans.get(("still", None), TimeSpan(0.0, 0.0)), movements)
    except CalibrationError as problem:
        return Calibration((), 0.0, Verdict.REPEAT, problem.messages)


def calibrate(
    frames: Frames, rig: Rig, pose: TimeSpan, movements: Mapping[Side, ArmMovements] | None = None
) -> Calibration:
    """The mountings of all sensors that have a place. A sensor without valid frames in the pose cannot be calibrated:
    it is left out and named in the advice. If that leaves none, CalibrationError."""
    mountings: list[Mounting] = []
    advice: list[Message] = []
    for index, sensor in enumerate(rig.sensors):
        if sensor.place is None:
            continue
        still = _motion(frames, index, pose)
        if len(still) < STILL_LENGTH_S[0] * 100:
            advice.append(Message.of(Code.SENT_NOTHING, sensor=sensor.name))
            continue
        if not np.isfinite(still[:, ACC]).all():
            advice.append(Message.of(Code.NO_ACCELERATION, sensor=sensor.name))
            continue
        side = sensor.place.side
        moved = (movements or {}).get(side) if side is not None else None
        bending = _turn(_motion(frames, index, moved.bending)) if moved else None
        turning = _turn(_motion(frames, index, moved.turning)) if moved else None
        mountings.append(_mount(sensor.name, sensor.place, still, bending, turning))
    if not mountings:
        raise CalibrationError(Message.of(Code.NONE_CALIBRATED), advice=Message.of(Code.CHECK_ALL_ASSIGNED))
    quality = min(mounting.quality for mounting in mountings)
    if len(mountings) < sum(sensor.place is not None for sensor in rig.sensors):
        quality = min(quality, USABLE)
    doubts = [
        doubt
        for side, moved in (movements or {}).items()
        for doubt in placement.doubts(frames, rig, side, _inside(frames, moved.bending), _inside(frames, moved.turning))
    ]
    if doubts:
        quality = min(quality, MISPLACED)
        advice[:0] = [doubt.advice for doubt in doubts]
    verdict = Verdict.GOOD if quality >= GOOD else Verdict.USABLE if quality >= USABLE else Verdict.REPEAT
    advice += dict.fromkeys(remark for mounting in mountings for remark in mounting.remarks)
    return Calibration(tuple(mountings), round(quality, 3), verdict, tuple(dict.fromkeys(advice)))


def mount(blocks: Iterable[Frames], rig: Rig, calibration: Calibration) -> Iterator[Frames]:
    """The stream from sensor axes to body-part axes. A sensor that was not calibrated becomes invalid."""
    found = [calibration.of(name) for name in rig.names]
    quats = np.array([mounting.quat if mounting else (np.nan,) * 4 for mounting in found])  # (sensors, 4)
    known = np.array([mounting is not None for mounting in found])
    for frames in blocks:
        values = np.concatenate(
            [
                rotate(quats, frames.acc),
                rotate(quats, frames.gyr),
                multiply(frames.quat, conjugate(quats)),
            ],
            axis=2,
        )
        yield Frames(frames.index, frames.time_s, values, frames.valid & known)


def mount_all(frames: Frames, rig: Rig, calibration: Calibration) -> Frames:
    """The array kernel: a whole recording at once."""
    return next(mount([frames], rig, calibration))


def _motion(frames: Frames, sensor: int, span: TimeSpan) -> Floats:
    """Valid frames (n, CHANNELS) of one sensor within a span."""
    inside = (frames.time_s >= span.start_s) & (frames.time_s < span.end_s)
    return frames.values[inside & frames.valid[:, sensor], sensor]


def _rates(motion: Floats) -> Floats:
    """Angular rates; from the orientation where the sensor has no gyroscope, still where it has neither."""
    if np.isfinite(motion[:, GYR]).all():
        return motion[:, GYR]
    if np.isfinite(motion[:, QUAT]).all():
        return angular_rate(motion[:, QUAT], FRAME_RATE_HZ)
    return np.zeros((len(motion), 3))


def _inside(frames: Frames, span: TimeSpan) -> slice:
    """The frames of a span."""
    start, stop = np.searchsorted(frames.time_s, (span.start_s, span.end_s))
    return slice(int(start), int(stop))


def _turn(motion: Floats) -> _Turn:
    """The main axis of a movement, and how far it went about it."""
    gyr = _rates(motion)
    if len(gyr) < 2 or not np.isfinite(gyr).all():
        return _Turn(np.array([np.nan] * 3), 0.0, 0.0)
    weights, axes = np.linalg.eigh(gyr.T @ gyr)  # ascending
    axis = axes[:, -1]
    angle = np.cumsum(gyr @ axis) * 0.01
    angle -= angle[0]
    furthest = float(angle[np.argmax(np.abs(angle))])
    total = float(weights.sum())
    planarity = float(weights[-1] / total) if total > 0 else 0.0
    return _Turn(axis * (np.sign(furthest) or 1.0), abs(furthest), planarity)


def _mount(name: str, place: Place, still: Floats, bending: _Turn | None, turning: _Turn | None) -> Mounting:
    up = normalize(still[:, ACC].mean(axis=0))
    checks: Checks = [
        (
            _score(float(np.sqrt(np.mean(np.sum(_rates(still) ** 2, axis=1)))), STILL_RATE_RAD_S),
            Message.of(Code.MOVED_IN_POSE, place=place.value),
        ),
        (_score(len(still) / 100, STILL_LENGTH_S), Message.of(Code.POSE_TOO_SHORT)),
    ]
    carrying_rad = 0.0
    if place.part in (BodyPart.PELVIS, BodyPart.LUMBAR, BodyPart.THORAX):
        axes, method = _trunk_axes(place, up, checks), "pose and mount"
    elif place.part is BodyPart.UPPER_ARM:
        axes, method = _upper_arm_axes(place, up, bending, checks)
    else:
        axes, method, carrying_rad = _forearm_axes(place, up, bending, turning, checks)
    quat = conjugate(from_axes(*axes))
    return Mounting(
        sensor=name,
        place=place,
        quat=(float(quat[0]), float(quat[1]), float(quat[2]), float(quat[3])),
        heading_rad=_heading(place, still, quat),
        quality=round(min(score for score, _ in checks), 3),
        method=method,
        remarks=tuple(remark for score, remark in checks if score < GOOD),
        carrying_rad=carrying_rad,
    )


Axes = tuple[Floats, Floats, Floats]
Checks = list[tuple[float, Message]]


def _trunk_axes(place: Place, up: Floats, checks: Checks) -> Axes:
    outward = np.array([0.0, 0.0, 1.0])  # of the sensor's face
    forward = outward if place is Place.STERNUM else -outward
    checks.append(_worn(abs(float(forward @ up)), place))
    x = _square(forward, up)
    return x, up, np.cross(x, up)


def _upper_arm_axes(place: Place, up: Floats, bending: _Turn | None, checks: Checks) -> tuple[Axes, str]:
    right = np.array([0.0, 0.0, 1.0 if place.side is Side.RIGHT else -1.0])  # worn on the outside of the arm
    checks.append(_worn(abs(float(right @ up)), place))
    method = "pose and mount"
    if bending is not None and bending.excursion_rad > SWING_RAD and bending.planarity > PLANARITY[1]:
        level = abs(float(bending.axis @ up))
        if level < np.sin(SQUARE_RAD[0]):
            right = bending.axis * np.sign(bending.axis @ right)
            method = "movement"
    z = _square(right, up)
    return (np.cross(up, z), up, z), method


def _forearm_axes(
    place: Place, up: Floats, bending: _Turn | None, turning: _Turn | None, checks: Checks
) -> tuple[Axes, str, float]:
    sign = 1.0 if place.side is Side.RIGHT else -1.0
    dorsal = sign * up  # body z: to the right of the arm; up on a right arm, palm down, and down on a left one
    if bending is None or turning is None:
        worn = np.array([0.0, 1.0, 0.0])  # the sensor's y runs towards the elbow
        checks.append(_worn(abs(float(worn @ up)), place))
        y = _square(worn, dorsal)
        return (np.cross(y, dorsal), y, dorsal), "pose and mount", 0.0

    for turn, further, in_one_plane in (
        (bending, Code.BEND_FURTHER, Code.BEND_IN_ONE_PLANE),
        (turning, Code.TURN_FURTHER, Code.TURN_IN_ONE_PLANE),
    ):
        checks.append((_score(turn.excursion_rad, TURN_RAD), Message.of(further, place=place.value)))
        checks.append((_score(turn.planarity, PLANARITY), Message.of(in_one_plane, place=place.value)))
    if min(bending.excursion_rad, turning.excursion_rad) < TURN_RAD[0]:  # the axes would be noise: use none
        return _forearm_axes(place, up, None, None, checks)
    # Palm down, bending turns the forearm about -x on the right and about +x on the left. Whether the largest
    # excursion was a bend or a stretch is known because the sensor's y points towards the elbow.
    if np.cross(dorsal, -sign * bending.axis) @ np.array([0.0, 1.0, 0.0]) < 0:
        bending = replace(bending, axis=-bending.axis)
    x = -sign * bending.axis
    guess = np.cross(dorsal, x)  # towards the elbow
    y = turning.axis * (np.sign(turning.axis @ guess) or 1.0)
    carrying_rad = sign * float(np.arcsin(np.clip(bending.axis @ y, -1.0, 1.0)))
    steady = Message.of(Code.BEND_WITHOUT_TURNING, place=place.value)
    checks.append((_score(abs(carrying_rad), SQUARE_RAD), steady))
    x = _square(x, y)
    z = np.cross(x, y)
    off = float(np.arccos(np.clip(z @ dorsal, -1, 1)))
    checks.append((_score(off, POSE_RAD), Message.of(Code.PALM_DOWN, place=place.value)))
    return (x, y, z), "movement", carrying_rad


def _worn(lean: float, place: Place) -> tuple[float, Message]:
    """Check of the assumed direction: useless when it is nearly the vertical itself."""
    score = _score(float(np.arcsin(min(lean, 1.0))), (1.3, 0.7))
    return score, Message.of(Code.WORN_OTHERWISE, place=place.value)


def _heading(place: Place, still: Floats, mounting: Floats) -> float:
    """Heading of the direction that points forward in the pose: x of trunk and upper arm, -y of forearm and hand."""
    quat = still[np.isfinite(still[:, QUAT]).all(axis=1)][-1:, QUAT]
    if not len(quat):
        return 0.0
    bent = place.part in (BodyPart.FOREARM, BodyPart.HAND)
    forward = rotate(multiply(quat[0], conjugate(mounting)), [0.0, -1.0, 0.0] if bent else [1.0, 0.0, 0.0])
    return float(np.arctan2(forward[1], forward[0]))


def _square(v: Floats, to: Floats) -> Floats:
    """The direction of v that is square to the unit vector `to`."""
    return normalize(v - (v @ to) * to)


def _score(value: float, scale: tuple[float, float]) -> float:
    worthless, perfect = scale
    return float(np.clip((value - worthless) / (perfect - worthless), 0.0, 1.0))

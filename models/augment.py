"""Augmentation: one stretch of rows -> the same movement, worn and performed a little differently.

In and out: rows, valid, labels, onsets of one stretch, and a numpy generator. The result depends on nothing else, so
that a resumed training gets exactly the same data as an uninterrupted one.

    rotation        each sensor turned by a small random rotation, as if strapped on anew, and by a larger one about the
                    length of its body part: so straps slip, and so people differ in what is "palm down"
    offsets         angles between two sensors are off by a constant: calibration errs, and so do straps
    time warp       the speed of movement varies smoothly; inertial sensors then turn faster and are pushed harder
    smoothing       sensors and cameras filter what they measure, each in its own way
    noise           a little of each column's own spread
    sensor dropout  sensors that are missing from the start, die on the way, or a smaller rig altogether

All vectors of three columns are turned; their second axis runs along the body part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import uniform_filter1d

from rehabcount.domain.arrays import Floats
from rehabcount.models.data import Labels, Mask, Rows, Sensors


@dataclass(frozen=True, slots=True)
class AugmentSettings:
    rotation_deg: float = 10.0  # deviation of the angle; straps are put back within about that
    roll_deg: float = 0.0  # deviation of a turn about the length of the body part
    offset_rad: float = 0.0  # deviation of a constant error of angles that need two sensors
    warp: float = 0.15  # deviation of log speed
    warp_every_s: float = 2.0  # how quickly speed changes
    noise: float = 0.05  # of the column's deviation within the stretch
    smooth_chance: float = 0.0  # of a stretch from sensors that filter
    smooth_s: float = 0.15  # the longest filter; the smoothed markers of camera recordings amount to about that
    gain: float = 0.0  # deviation of log amplitude, common to all columns
    rig_chance: float = 0.0  # of a stretch recorded with one of the smaller rigs
    lost_chance: float = 0.0  # of one sensor missing from a random moment on


NONE = AugmentSettings(rotation_deg=0.0, warp=0.0, noise=0.0)
GENTLE = AugmentSettings()
LIVELY = AugmentSettings(warp=0.25, noise=0.1)  # for few people: an expert is half again as fast as a beginner
# A palm that is not quite down in the calibration turns the forearm's axes by 10 degrees and more.
BEDSIDE = AugmentSettings(
    rotation_deg=12.0,
    roll_deg=10.0,
    offset_rad=0.1,
    warp=0.2,
    noise=0.08,
    smooth_chance=0.3,
    rig_chance=0.5,
    lost_chance=0.25,
)
RECIPES = {"none": NONE, "gentle": GENTLE, "lively": LIVELY, "bedside": BEDSIDE}

TrialPart = tuple[Rows, Mask, Labels, Mask]


def augment(
    stretch: TrialPart, sensors: Sensors, rate_hz: float, settings: AugmentSettings, rng: np.random.Generator
) -> TrialPart:
    """The stretch, changed. Its length stays."""
    rows, valid, labels, onsets = stretch
    if settings.warp > 0 and len(rows) > 1:
        rows, valid, labels, onsets = at_speed(stretch, sensors, speed_curve(len(rows), rate_hz, settings, rng))
    rows = np.where(valid, rows, np.float32(0))  # invalid values may be anything, and must not affect others
    if (settings.rotation_deg > 0 or settings.roll_deg > 0) and sensors.vectors:
        rows = rows @ _turned(rows.shape[1], sensors, settings, rng).T
    if settings.offset_rad > 0 and sensors.columns:
        angles = _between_sensors(sensors)
        rows[:, angles] += (settings.offset_rad * rng.standard_normal(len(angles))).astype(np.float32)
    if settings.smooth_chance > 0 and rng.random() < settings.smooth_chance:
        rows = uniform_filter1d(rows, 1 + round(rng.random() * settings.smooth_s * rate_hz), axis=0, mode="nearest")
    if settings.gain > 0:
        rows *= np.float32(np.exp(settings.gain * rng.standard_normal()))
    if settings.noise > 0:
        spread = rows.std(axis=0) * np.float32(settings.noise)
        rows += spread * rng.standard_normal(rows.shape, np.float32)
    if sensors.columns and (settings.rig_chance > 0 or settings.lost_chance > 0):
        valid = _without_sensors(valid, sensors, settings, rng)
    return np.where(valid, rows, np.float32(0)), valid, labels, onsets


def _between_sensors(sensors: Sensors) -> list[int]:
    """Columns that need more than one sensor: joint angles."""
    every = [column for each in sensors.columns for column in each]
    return sorted({column for column in every if every.count(column) > 1})


def _turned(width: int, sensors: Sensors, settings: AugmentSettings, rng: np.random.Generator) -> Rows:
    """All sensors' rotations as one matrix over the columns: one product is quicker than one for each vector."""
    matrix = np.eye(width, dtype=np.float32)
    for vectors in sensors.vectors:
        turn = random_rotation(settings.rotation_deg, rng)
        if settings.roll_deg > 0:
            turn = turn @ rotation((0.0, 1.0, 0.0), np.radians(settings.roll_deg) * rng.standard_normal())
        for vector in vectors:
            matrix[np.ix_(vector, vector)] = turn
    return matrix


def random_rotation(deviation_deg: float, rng: np.random.Generator) -> Floats:
    """A rotation matrix about a random axis, by an angle of that deviation."""
    axis = rng.standard_normal(3)
    return rotation(axis / np.linalg.norm(axis), np.radians(deviation_deg) * rng.standard_normal())


def rotation(axis: Sequence[float] | Floats, angle: float) -> Floats:
    """The matrix that turns about a unit vector by an angle in radians."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def speed_curve(frames: int, rate_hz: float, settings: AugmentSettings, rng: np.random.Generator) -> Floats:
    """Where each new frame lies among the old ones: rising, from 0, never past the last."""
    knots = max(2, round(frames / rate_hz / settings.warp_every_s) + 1)
    log_speed = settings.warp * (rng.standard_normal(knots) + rng.standard_normal())
    speed = np.exp(np.interp(np.linspace(0, knots - 1, frames), np.arange(knots), log_speed))
    where = np.concatenate([[0.0], np.cumsum(speed[:-1])])
    return np.minimum(where, frames - 1) if where[-1] > frames - 1 else where


def at_speed(stretch: TrialPart, sensors: Sensors, where: Floats) -> TrialPart:
    """The stretch at another speed: frame i is what was at `where[i]`."""
    rows, valid, labels, onsets = stretch
    below = np.minimum(where.astype(np.int64), len(rows) - 2)
    share = (where - below).astype(np.float32)[:, None]
    warped = rows[below] * (1 - share) + rows[below + 1] * share
    nearest = np.rint(where).astype(np.int64)
    number = np.cumsum(onsets)[nearest]
    new_onsets = np.empty(len(rows), bool)
    new_onsets[0] = onsets[0]
    new_onsets[1:] = number[1:] != number[:-1]
    # Past the end of the stretch the last frame would be repeated: it is not valid there, and has no label.
    over = where >= len(rows) - 1
    over[: int(np.argmax(over)) + 1 if over.any() else len(over)] = False
    known = valid[below] & valid[below + 1] & ~over[:, None]
    new_labels = np.where(over, -1, labels[nearest]).astype(labels.dtype)
    warped = warped.astype(np.float32)
    if sensors.inertial:
        warped = _felt(warped, sensors, np.gradient(where))
    return warped, known, new_labels, new_onsets & ~over


def _felt(rows: Rows, sensors: Sensors, speed: Floats) -> Rows:
    """What inertial sensors feel at another speed: rates grow with it, accelerations with its square, up stays."""
    faster = speed.astype(np.float32)[:, None]
    rows = np.array(rows)
    for rate, force, up in sensors.vectors:
        gravity = rows[:, up[0] : up[2] + 1]
        rows[:, rate[0] : rate[2] + 1] *= faster
        rows[:, force[0] : force[2] + 1] = gravity + (rows[:, force[0] : force[2] + 1] - gravity) * faster**2
    return rows


def _without_sensors(valid: Mask, sensors: Sensors, settings: AugmentSettings, rng: np.random.Generator) -> Mask:
    valid = np.array(valid)
    number = len(sensors.columns)
    if sensors.rigs and rng.random() < settings.rig_chance:
        kept = sensors.rigs[int(rng.integers(len(sensors.rigs)))]
        for sensor in set(range(number)) - set(kept):
            valid[:, list(sensors.columns[sensor])] = False
    if rng.random() < settings.lost_chance:
        since = int(rng.integers(-len(valid), len(valid)))  # half of them are missing from the start
        valid[max(since, 0) :, list(sensors.columns[int(rng.integers(number))])] = False
    return valid

"""Recordings of sensors that people wore: what readers give, and the check of units that each of them makes.

    in   acceleration (with gravity) and angular rate of one sensor, in the units that its corpus is said to use
    out  WornRecording: m/s2 and rad/s in sensor axes, with a calibration that says how each sensor sits

Units are measured, not believed. At rest an accelerometer must measure 1 g. And when a sensor turns, the direction of
gravity turns in its axes: integrating the gyroscope must predict where to. A rate in other units, or in axes other than
the accelerometer's, predicts worse than the assumption that nothing turned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from rehabcount.domain.arrays import Floats
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.motion import G_M_S2
from rehabcount.domain.rig import Place
from rehabcount.errors import DatasetChanged

LARGEST = 1e5  # of any quantity in any unit
REST_TOLERANCE = 0.06  # of 1 g; consumer accelerometers are off by up to 4 %
WINDOW_S = 0.5  # long enough to tell rest from a turning point of a movement
STILLEST = 8  # windows that are taken for rest
SMOOTHED_S = 0.2
STEPS_S = (0.5, 1.0, 2.0, 3.0)  # over which a turn is predicted: gyroscope bias adds few degrees
# An instant shows where up is if the sensor feels little but gravity (share of 1 g) and turns slowly for this
# recording.
LEVEL_FORCE, LEVEL_RATE = 0.05, 0.5
TURNED_RAD = 0.2  # smaller turns of gravity say nothing about the gyroscope
FEWEST_TURNS, MOST_TURNS = 15, 40  # the largest ones are taken
# In units of gravity's turn. Where units are right the error is .1 to .9 (people who walk feel more than gravity), in
# degrees or other axes from 1.4 on. No sensor turns less than gravity turns in its axes.
LARGEST_ERROR, SMALLEST_TURN = 1.15, 0.6


@dataclass(frozen=True, slots=True)
class WornRecording:
    """One recording of one person. `motion` (n, sensors, 6) is acceleration and rate, NaN where a sample is lost."""

    person: str
    name: str
    rate_hz: float
    places: tuple[Place, ...]
    motion: Floats
    calibration: Calibration

    @property
    def length_s(self) -> float:
        return len(self.motion) / self.rate_hz


@dataclass(frozen=True, slots=True)
class UnitsFound:
    """What each sensor measures at rest (1 is one g); over the largest turns of gravity, all sensors together: the
    error of the gyroscopes' prediction, and how far they say that the sensor turned, both in units of gravity's turn.
    None if too little turned."""

    rest_g: tuple[float, ...]
    error: float | None
    turned: float | None


def readable(motion: Floats) -> Floats:
    """The same with NaN in every sample (last axis) that holds what no sensor measures."""
    out = np.array(motion, float)
    out[~(np.abs(out) < LARGEST).all(axis=-1)] = np.nan
    return out


def units_of(parts: Sequence[Floats], rate_hz: float) -> UnitsFound:
    """Of recordings (n, sensors, 6) in m/s2 and rad/s, as their corpus says. A ValueError if all are too short."""
    window = max(2, round(WINDOW_S * rate_hz))
    rests, turns = list[float](), list[Floats]()
    for sensor in range(parts[0].shape[1]):
        mine = [part[np.isfinite(part[:, sensor]).all(axis=1), sensor] for part in parts]
        felt = np.concatenate([one[: len(one) // window * window, :3].reshape(-1, window, 3) for one in mine]) / G_M_S2
        if not len(felt):
            raise ValueError(f"the recordings at {rate_hz:g} Hz are too short to find rest")
        stillest = np.argsort(np.linalg.norm(felt.std(axis=1), axis=1))[:STILLEST]
        rests.append(float(np.median(np.linalg.norm(felt[stillest].mean(axis=1), axis=1))))
        turns += [_turns(one[:, :3] / G_M_S2 / (rests[-1] or 1.0), one[:, 3:], rate_hz) for one in mine]
    found = np.concatenate(turns)
    if len(found) < FEWEST_TURNS:
        return UnitsFound(tuple(rests), None, None)
    without, errors, turned = np.median(found[np.argsort(-found[:, 0])[:MOST_TURNS]], axis=0)
    return UnitsFound(tuple(rests), float(errors / without), float(turned / without))


def check_units(what: str, parts: Sequence[Floats], rate_hz: float) -> UnitsFound:
    """The same; DatasetChanged, with what is wrong, if rest is not 1 g or the gyroscopes do not fit."""
    found = units_of(parts, rate_hz)
    for number, rest in enumerate(found.rest_g, 1):
        if abs(rest - 1) > REST_TOLERANCE:
            raise DatasetChanged(
                f"{what}: sensor {number} measures {rest:.2f} g at rest, not 1.",
                advice="Convert its acceleration to the unit of its corpus, with gravity in it; or leave the file out.",
            )
    error, turned = found.error or 0.0, SMALLEST_TURN if found.turned is None else found.turned
    if error > LARGEST_ERROR or turned < SMALLEST_TURN:
        raise DatasetChanged(
            f"{what}: the gyroscopes do not fit how gravity turns (error {error:.2f}, turned {turned:.2f}).",
            advice="Convert the angular rates to the unit of the corpus, in the axes of the acceleration.",
        )
    return found


def _turns(acc: Floats, gyr: Floats, rate_hz: float) -> Floats:
    """Of every turn of gravity from one quiet instant to another (rad): how large it is, the error of its prediction,
    and how far the gyroscope says that the sensor turned."""
    mean = max(1, round(SMOOTHED_S * rate_hz))
    if len(acc) <= mean:
        return np.empty((0, 3))
    up = _smoothed(acc, mean)
    slow = np.linalg.norm(_smoothed(gyr, mean), axis=1)
    level = (np.abs(np.linalg.norm(up, axis=1) - 1) < LEVEL_FORCE) & (slow < LEVEL_RATE * np.sqrt(np.mean(slow**2)))
    starts = np.flatnonzero(level)[:: max(1, round(rate_hz / 10))]
    turned, found, at = Rotation.identity(len(starts)), [np.empty((0, 3))], 0
    for step in (round(step_s * rate_hz) for step_s in STEPS_S):
        inside = starts + step < len(acc)
        starts, turned = starts[inside], turned[inside]
        if not len(starts):
            break
        while at < step:
            turned, at = turned * Rotation.from_rotvec(gyr[starts + at] / rate_hz), at + 1
        before, after = up[starts], up[starts + step]
        without = _angle(before, after)
        here = np.stack([without, _angle(turned.inv().apply(before), after), turned.magnitude()], axis=1)
        found.append(here[level[starts + step] & (without > TURNED_RAD)])
    return np.concatenate(found)


def _smoothed(values: Floats, length: int) -> Floats:
    return np.stack([np.convolve(values[:, i], np.ones(length) / length, "same") for i in range(3)], axis=1)


def _angle(a: Floats, b: Floats) -> Floats:
    cosine = np.sum(a * b, axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))

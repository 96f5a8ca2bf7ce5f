"""Columns of numbers -> motion in product units, with a check that the units are what they claim.

A vendor's header may give the unit, omit it, or give a wrong one. Gravity decides: an accelerometer at rest reads 9.81
m/s2 or 1 g. A missing quantity is derived from others if possible, and the notes say so:

    specific force   from free acceleration and orientation, or from velocity increments
    angular rate     from orientation increments, or from the orientation (each step's rotation times the rate)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from rehabcount.domain.arrays import Bools, Floats, Ints
from rehabcount.domain.motion import G_M_S2
from rehabcount.errors import ImportRefused
from rehabcount.sensors.angles import quat_from_angles
from rehabcount.sensors.importers.recording import ImportedMotion, line_ranges
from rehabcount.sensors.layouts import GYR_RANGE_RADS, UP
from rehabcount.signals import rotation

ACC_UNITS = {"m/s2": 1.0, "g": G_M_S2, "mg": G_M_S2 / 1000}
GYR_UNITS = {"rad/s": 1.0, "deg/s": float(np.radians(1.0))}
ANGLE_UNITS = {"rad": 1.0, "deg": float(np.radians(1.0))}
REST_TOLERANCE = 0.25  # a limb that moves all the time is within this share of 9.81 at its calmest
STALE_SHARE = 0.5  # a quaternion that stands still this often while its angles move is an old reading
CALM_MS2 = 0.5  # near enough to 9.81 for gravity to dominate
GRAVITY_AGREES_DEG = 20.0  # a fused orientation in motion; a wrong convention is off by far more
STEEPEST_RAD = np.pi / 2 + 1e-3  # a pitch as sensors report it
TURNING_RADS = 0.1  # slower movement does not show the unit of a gyroscope


@dataclass(slots=True)
class Findings:
    """What a reader found for one sensor: values (n, width) by quantity, the units that the file states."""

    path: Path
    label: str  # how notes call the sensor; empty where there is one only
    rate_hz: float
    values: Mapping[str, Floats]
    units: Mapping[str, str]
    lines: Ints  # (n,): where each sample stands in the file
    gap_before: Bools  # (n,): samples are missing between this one and the one before
    acc_unit: str | None = None  # what this vendor documents, for a sensor that never rests
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.notes.append(f"{self.label}: {text}" if self.label else text)


def motion_of(given: Findings) -> ImportedMotion:
    """The motion; a quantity that the file does not have and that cannot be derived is None."""
    quat = _orientation(given)
    acc = _specific_force(given, quat)
    gyr = _angular_rate(given, quat)
    if "acc" in given.values and acc is not None and quat is not None:
        _compare_with_gravity(given, acc, quat)
    return ImportedMotion(acc, gyr, quat)


def measured(values: Mapping[str, Floats], n: int) -> Bools:
    """Which samples are measurements: an accelerometer or a quaternion that is 0 in all components was not read."""
    there = np.ones(n, bool)
    for quantity in ("acc", "quat"):
        if quantity in values:
            there &= values[quantity].any(axis=1)
    return there


def norm_at_rest(acc: Floats) -> float:
    """The median length of the calmer half of the vectors: those that change least from one to the next."""
    change = np.linalg.norm(np.diff(acc, axis=0, prepend=acc[:1]), axis=1)
    return float(np.median(np.linalg.norm(acc[change <= np.median(change)], axis=1)))


def _orientation(given: Findings) -> Floats | None:
    quat = given.values.get("quat")
    euler = given.values.get("euler")
    angles = None
    if euler is not None and not euler.any():
        given.note("the angles are all 0: placeholders; not used")
    elif euler is not None:
        if np.abs(euler[:, 1] * ANGLE_UNITS[given.units.get("euler", "deg")]).max() > STEEPEST_RAD:
            given.note(
                "the second angle goes beyond 90 degrees: these are not the angles of one sensor as it gave them"
            )
        angles = quat_from_angles(euler * ANGLE_UNITS[given.units.get("euler", "deg")])
    if quat is None:
        return angles
    lengths = np.linalg.norm(quat, axis=1)
    if not (np.abs(lengths - 1) < 0.05).all():
        given.note("the quaternions are not of unit length and were not used")
        return angles
    if angles is not None and len(quat) > 1:
        stands = (np.diff(quat, axis=0) == 0).all(axis=1)
        moves = (np.diff(angles, axis=0) != 0).any(axis=1)
        if (stands & moves).mean() > STALE_SHARE:
            given.note(
                f"the quaternion columns repeat in {(stands & moves).mean():.0%} of the rows while the angles move: "
                "old readings; the orientation is taken from the angles (yaw, then pitch, then roll)"
            )
            return angles
    return quat / lengths[:, None]


def _specific_force(given: Findings, quat: Floats | None) -> Floats | None:
    if "acc" in given.values:
        return _in_ms2(given, given.values["acc"])
    if "dv" in given.values:
        given.note("specific force from velocity increments")
        return given.values["dv"] * given.rate_hz
    if "free" in given.values and quat is not None:
        given.note("specific force from free acceleration and orientation")
        return rotation.unrotate(quat, given.values["free"] + UP)
    if "free" in given.values:
        given.note("free acceleration without an orientation cannot be used")
    else:
        given.note("no accelerometer")
    return None


def _in_ms2(given: Findings, acc: Floats) -> Floats:
    stated, rest = given.units.get("acc"), norm_at_rest(acc)
    fitting = [unit for unit, factor in ACC_UNITS.items() if abs(rest * factor / G_M_S2 - 1) < REST_TOLERANCE]
    if stated is not None and (not fitting or stated in fitting):
        if not fitting:
            given.note(f"the accelerometer reads {rest * ACC_UNITS[stated]:.2f} m/s2 at its calmest, not 9.81")
        return acc * ACC_UNITS[stated]
    if not fitting and given.acc_unit is not None:
        given.note(f"the accelerometer reads {rest:.2f} {given.acc_unit} at its calmest, not 9.81 m/s2")
        return acc * ACC_UNITS[given.acc_unit]
    if not fitting:
        raise ImportRefused(
            given.path,
            f"the accelerometer reads {rest:.3g} at its calmest: neither 9.81 m/s2 nor 1 g",
            advice="Export acceleration with gravity, in m/s2 or g, from a recording with some rest in it.",
        )
    unit = fitting[0]
    claim = "" if stated is None else f", though the file says {stated}"
    given.note(f"acceleration taken as {unit}{claim}: it reads {rest:.3g} at rest")
    return acc * ACC_UNITS[unit]


def _angular_rate(given: Findings, quat: Floats | None) -> Floats | None:
    if "gyr" in given.values:
        return given.values["gyr"] * GYR_UNITS[_gyr_unit(given, quat)]
    if "dq" in given.values:
        given.note("angular rate from orientation increments")
        return rotation.logarithm(rotation.normalize(given.values["dq"])) * given.rate_hz
    if quat is None:
        given.note("no gyroscope")
        return None
    given.note("angular rate derived from orientation")
    rate = rate_from_orientation(quat, given.rate_hz, given.gap_before)
    leaps = np.linalg.norm(rate, axis=1) > GYR_RANGE_RADS
    if leaps.any():
        given.note(
            f"{line_ranges(given.lines[leaps].tolist())}: the orientation leaps faster than any gyroscope turns; "
            "samples are missing there, or it was reset"
        )
        rate = rate_from_orientation(quat, given.rate_hz, given.gap_before | leaps)
    return rate


def _gyr_unit(given: Findings, quat: Floats | None) -> str:
    """The unit that the file states; else the one under which the gyroscope turns as fast as the orientation does."""
    if "gyr" in given.units:
        return given.units["gyr"]
    if quat is not None:
        turning = np.linalg.norm(rate_from_orientation(quat, given.rate_hz, given.gap_before), axis=1)
        moving = turning > TURNING_RADS
        if moving.sum() >= given.rate_hz:  # a second of movement in all
            speeds = np.linalg.norm(given.values["gyr"][moving], axis=1)
            ratio = float(np.median(speeds) / np.median(turning[moving]))
            unit = min(GYR_UNITS, key=lambda unit: abs(np.log(max(ratio, 1e-9) * GYR_UNITS[unit])))
            given.note(f"angular rate taken as {unit}: so it agrees with the orientation")
            return unit
    given.note("angular rate taken as deg/s, as these vendors write it")
    return "deg/s"


def rate_from_orientation(quat: Floats, rate_hz: float, gap_before: Bools) -> Floats:
    """Angular rate (n, 3), rad/s, stretch by stretch: no step is taken across missing samples."""
    edges = [0, *np.flatnonzero(gap_before[1:]) + 1, len(quat)]
    stretches = [quat[a:b] for a, b in pairwise(edges)]
    return np.concatenate([rotation.angular_rate(stretch, rate_hz) for stretch in stretches])


def _compare_with_gravity(given: Findings, acc: Floats, quat: Floats) -> None:
    calm = np.abs(np.linalg.norm(acc, axis=1) - G_M_S2) < CALM_MS2
    if not calm.any():
        return
    up = rotation.unrotate(quat[calm], UP / G_M_S2)
    cosine = np.clip((rotation.normalize(acc[calm]) * up).sum(axis=1), -1.0, 1.0)
    apart = float(np.degrees(np.median(np.arccos(cosine))))
    verdict = "agrees with" if apart < GRAVITY_AGREES_DEG else "DISAGREES with"
    given.note(f"the orientation {verdict} gravity: {apart:.1f} degrees apart in the median")

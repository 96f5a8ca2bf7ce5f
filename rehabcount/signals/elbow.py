"""Elbow angles without a common heading.

The sensors of upper arm and forearm know the vertical, but not north, so their relative heading is unknown and drifts.
The elbow joint determines it: the elbow bends about one axis of the upper arm (z) and turns about one axis of the
forearm (y). The angle between these two axes is constant: 90 degrees plus the carrying angle, which the calibration
measures (after Laidig, Lehmann, Begin & Seel, 2019). A Kalman filter with the heading offset as its only state follows
the offset. Flexion and forearm rotation are computed from it.

All code here is for a right arm (a left one is mirrored first) and causal: the angles of a frame depend only on frames
before it, and not on the size of the chunks. They do not depend on the heading of either sensor.
"""

from __future__ import annotations

import math

import numpy as np

from rehabcount.domain.arrays import Bools, Floats
from rehabcount.domain.motion import FRAME_RATE_HZ
from rehabcount.signals.joints import split
from rehabcount.signals.orientation import BRIDGED_S
from rehabcount.signals.rotation import conjugate, multiply, rotate

STRIDE = 10  # the offset is corrected every tenth frame, because neighbouring frames are nearly alike
START_SIGMA_RAD = 0.5  # of the offset that fits the first frame
DRIFT_RAD_PER_SQRT_S = 0.008  # with the noise below: forgets in about 40 s, so 60 degrees an hour cost half a degree
SQUARE_SIGMA = 0.3  # rad: the elbow is not an exact hinge, and soft tissue moves under the strap
CORRELATED_S = 1.0  # such errors last this long, so they are weighted as one observation in this time
TELLING = 0.2  # how far the axes must be from vertical before a frame can determine the offset
STRAINED_RAD, STRAINED_STRIDES = 0.3, 30  # an impossible elbow angle for 3 s: the wrong one of two offsets
FLEXION_RAD = (-0.2, 2.8)  # range of the elbow: selects one of the two offsets that fit a single frame
PRONATION_RAD = (-1.9, 1.9)


class ElbowTracker:
    """Follows the heading offset of one elbow through a session. Before the offset is known, the angles are NaN."""

    def __init__(self, carrying_rad: float = 0.0) -> None:
        self._carrying = math.sin(carrying_rad)
        self._last_index: int | None = None  # of the last valid frame
        self._begin()

    def _begin(self) -> None:
        self._offset: float | None = None
        self._variance = START_SIGMA_RAD**2
        self._strained = 0

    def angles(self, index: int, upper: Floats, fore: Floats, valid: Bools) -> tuple[Floats, Floats]:
        """Flexion and forearm rotation (n,) of frames `index`...; NaN where not `valid` or not known yet."""
        offsets = np.full(len(valid), np.nan)
        axis = rotate(upper, [0.0, 0.0, 1.0])  # the bending axis, in the upper arm's earth
        long = rotate(fore, [0.0, 1.0, 0.0])  # the turning axis, in the forearm's earth
        # Squareness as a function of the offset d: a cos d + b sin d + c, which should be 0.
        a = axis[:, 0] * long[:, 0] + axis[:, 1] * long[:, 1]
        b = axis[:, 1] * long[:, 0] - axis[:, 0] * long[:, 1]
        c = axis[:, 2] * long[:, 2] - self._carrying
        for i in np.flatnonzero(valid):
            number = index + int(i)
            if self._last_index is not None and number - self._last_index - 1 > BRIDGED_S * FRAME_RATE_HZ:
                self._begin()  # the orientation filter has begun anew, with another heading
            self._last_index = number
            if self._offset is None:
                self._offset = _first_offset(upper[i], fore[i], float(a[i]), float(b[i]), float(c[i]))
                if self._offset is None:
                    continue
            elif number % STRIDE == 0:
                self._correct(float(a[i]), float(b[i]), float(c[i]))
                self._doubt(upper[i], fore[i])
            offsets[i] = np.nan if self._offset is None else self._offset
        relative = multiply(conjugate(upper), multiply(_about_vertical(offsets), fore))
        flexion, _, pronation = split(relative)
        return flexion, pronation

    def _doubt(self, upper: Floats, fore: Floats) -> None:
        """Begin again after the elbow had an impossible angle for too long."""
        assert self._offset is not None
        strain = _strain(upper.tolist(), fore.tolist(), self._offset)
        self._strained = self._strained + 1 if strain > STRAINED_RAD else 0
        if self._strained >= STRAINED_STRIDES:
            self._begin()

    def _correct(self, a: float, b: float, c: float) -> None:
        assert self._offset is not None
        sine, cosine = math.sin(self._offset), math.cos(self._offset)
        error = a * cosine + b * sine + c
        slope = b * cosine - a * sine
        stride_s = STRIDE / FRAME_RATE_HZ
        self._variance += DRIFT_RAD_PER_SQRT_S**2 * stride_s
        noise = SQUARE_SIGMA**2 * CORRELATED_S / stride_s
        gain = self._variance * slope / (self._variance * slope**2 + noise)
        self._offset -= gain * error
        self._variance *= 1.0 - gain * slope


def _about_vertical(angle: Floats) -> Floats:
    half = np.asarray(angle) / 2.0
    zero = np.zeros_like(half)
    return np.stack([np.cos(half), zero, zero, np.sin(half)], axis=-1)


def _first_offset(upper: Floats, fore: Floats, a: float, b: float, c: float) -> float | None:
    """The offset that makes the axes square. Two offsets do; this is the one with the more plausible elbow angles.

    None while one of the axes is too nearly vertical to determine an offset.
    """
    size = math.hypot(a, b)
    if size < TELLING:
        return None
    middle = math.atan2(b, a)
    reach = math.acos(min(max(-c / size, -1.0), 1.0))
    u, f = upper.tolist(), fore.tolist()
    return min(middle + reach, middle - reach, key=lambda offset: _strain(u, f, offset))


def _strain(upper: list[float], fore: list[float], offset: float) -> float:
    """How far beyond an elbow's limits this offset would bend and turn it.

    It uses plain numbers, because numpy would take twenty times as long for one quaternion.
    """
    w, x, y, z = fore
    cosine, sine = math.cos(offset / 2.0), math.sin(offset / 2.0)
    bw, bx, by, bz = cosine * w - sine * z, cosine * x - sine * y, cosine * y + sine * x, cosine * z + sine * w
    aw, ax, ay, az = upper[0], -upper[1], -upper[2], -upper[3]
    w, x = aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by
    y, z = aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw
    flexion = math.atan2(2.0 * (w * z - x * y), 1.0 - 2.0 * (x * x + z * z))
    pronation = math.atan2(2.0 * (w * y - x * z), 1.0 - 2.0 * (x * x + y * y))
    return _outside(flexion, FLEXION_RAD) + _outside(pronation, PRONATION_RAD)


def _outside(angle: float, limits: tuple[float, float]) -> float:
    return max(limits[0] - angle, 0.0) + max(angle - limits[1], 0.0)

"""How worn sensors sit on body parts, where people did not go through our calibration.

    strapped      the sensor axis that runs along the limb: the one nearest to up while the arms hang
    mounting      a Mounting from two axes that were found
    main_axis     the axis of a movement in one plane
    rolls         how upper arm and forearm sensors are turned about the limbs, from the elbow being a hinge

**Rolls.** The elbow bends about an axis square to the forearm (z of the upper arm, square to the forearm's y), within 0
and 150 degrees, and the forearm turns within about 85 degrees to either side. Upper arm and forearm sensor know the
vertical, not north, so their relative heading is unknown; it is fitted in every window of 15 s. All pairs of rolls are
tried: the best one violates these limits least. Two solutions fit nearly equally well, one with the arm turned inside
out. So the arm is held to what arms do over minutes of work: on average the elbow is not nearer to the body's middle than the
shoulder, and the palm does not face up. Rolls are found within about 30 degrees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.calibration import Mounting
from rehabcount.domain.motion import CHANNELS, FRAME_RATE_HZ, QUAT, Frames
from rehabcount.domain.rig import Place, Side
from rehabcount.signals.orientation import orient_all
from rehabcount.signals.rotation import conjugate, from_axes, normalize, rotate

ROLL_STEP_RAD = np.radians(15.0)
HEADING_STEP_RAD = np.radians(10.0)
WINDOW_S, EVERY_S = 15.0, 0.75  # headings drift little in a window; neighbouring instants are alike
SLACK_RAD = 0.25  # of the joint limits: soft tissue and straps
FLEXION_RAD, PRONATION_RAD = (0.0, 2.6), (-1.4, 1.5)
WORST = 40.0  # penalty of one instant at most: some are wrong in any recording


@dataclass(frozen=True, slots=True)
class RollsFound:
    """Directions in sensor axes: the upper arm's z and the forearm's z (docs/body-axes.md). `cost` is the mean penalty;
    `fits_rad` how far the rolls may go before it grows by a twentieth (upper arm, forearm)."""

    upper_z: Floats
    fore_z: Floats
    cost: float
    fits_rad: tuple[float, float]


def strapped(up: Floats) -> Floats:
    """The signed sensor axis nearest to the direction `up`."""
    axis = np.zeros(3)
    largest = int(np.argmax(np.abs(up)))
    axis[largest] = np.sign(up[largest])
    return axis


def square(v: Floats, to: Floats) -> Floats:
    """The direction of v that is square to the unit vector `to`."""
    return normalize(v - (v @ to) * to)


def mounting(place: Place, y: Floats, z: Floats, method: str) -> Mounting:
    """From the part's y and z in sensor axes; y is kept, z is made square to it."""
    y = normalize(y)
    z = square(z, y)
    quat = conjugate(from_axes(np.cross(y, z), y, z))
    w, i, j, k = (float(value) for value in quat)
    return Mounting(place.value, place, (w, i, j, k), 0.0, 1.0, method)


def main_axis(rates: Floats) -> tuple[Floats, float]:
    """The axis that most of the rotation (n, 3) is about, and the share that is."""
    weights, axes = np.linalg.eigh(rates.T @ rates)
    total = float(weights.sum())
    return axes[:, -1], float(weights[-1] / total) if total > 0 else 0.0


def orientations(motion: Floats, rate_hz: float) -> Floats:
    """Quaternions (n, 4) of one sensor whose (n, 6) samples are m/s2 and rad/s, by the bedside's filter."""
    number = int(len(motion) / rate_hz * FRAME_RATE_HZ)
    time_s = np.arange(number) / FRAME_RATE_HZ
    values = np.full((number, 1, CHANNELS), np.nan)
    for i in range(6):
        values[:, 0, i] = np.interp(time_s, np.arange(len(motion)) / rate_hz, motion[:, i])
    return orient_all(Frames(0, time_s, values, np.ones((number, 1), bool))).values[:, 0, QUAT]


def rolls(upper: Floats, fore: Floats, upper_y: Floats, fore_y: Floats, side: Side) -> RollsFound:
    """From orientations (n, 4) at FRAME_RATE_HZ of both sensors, and the limbs' y in sensor axes."""
    every = round(EVERY_S * FRAME_RATE_HZ)
    window = round(WINDOW_S / EVERY_S)
    number = max(1, len(upper) // every // window)
    at = np.arange(min(len(upper) // every, number * window)) * every
    upper, fore = upper[at].reshape(number, -1, 4), fore[at].reshape(number, -1, 4)
    across, further = _basis(upper_y), _basis(fore_y)
    angles = np.arange(0, 2 * np.pi, ROLL_STEP_RAD)
    costs = np.full((len(angles), len(angles)), np.inf)
    up_upper = _mean_up(upper)
    up_fore = _mean_up(fore)
    sign = 1.0 if side is Side.RIGHT else -1.0
    z_fore = np.stack([np.cos(a) * further[0] + np.sin(a) * further[1] for a in angles])
    # The back of the forearm (its z on a right arm) or the thumb's side is up on average: never the palm.
    dorsal_up = sign * z_fore @ up_fore > 0
    for i, angle in enumerate(angles):
        z = np.cos(angle) * across[0] + np.sin(angle) * across[1]
        if sign * z @ up_upper < 0:  # the elbow would be nearer to the body's middle than the shoulder
            continue
        cost = _cost(upper, fore, upper_y, z, fore_y, further, angles, sign)
        costs[i] = np.where(dorsal_up, cost, np.inf)
    i, j = np.unravel_index(int(np.argmin(costs)), costs.shape)
    best = float(costs[i, j])
    near = costs < 1.05 * best
    return RollsFound(
        np.cos(angles[i]) * across[0] + np.sin(angles[i]) * across[1],
        z_fore[j],
        best,
        (_extent(near.any(axis=1), int(i)), _extent(near.any(axis=0), int(j))),
    )


def _cost(
    upper: Floats,
    fore: Floats,
    upper_y: Floats,
    upper_z: Floats,
    fore_y: Floats,
    fore_basis: Sequence[Floats],
    angles: Floats,
    sign: float,
) -> Floats:
    """The mean penalty for every roll of the forearm; the heading between the sensors is the best of each window."""
    y, z = rotate(upper, upper_y), rotate(upper, upper_z)
    x = np.cross(y, z)
    long, first, second = (rotate(fore, v) for v in (fore_y, *fore_basis))
    best = np.full((len(upper), len(angles)), np.inf)
    for heading in np.arange(0, 2 * np.pi, HEADING_STEP_RAD):
        far, a, b = (_turned(v, heading) for v in (long, first, second))
        off_square = np.arcsin(np.clip(np.sum(z * far, axis=-1), -1, 1))
        flexion = np.arctan2(-np.sum(far * x, axis=-1), np.sum(far * y, axis=-1))
        fixed = (off_square / SLACK_RAD) ** 2 + (_outside(flexion, FLEXION_RAD) / SLACK_RAD) ** 2
        bending = np.arctan2(np.sum(z * b, axis=-1), np.sum(z * a, axis=-1))  # the bending axis, seen in the forearm
        for k, angle in enumerate(angles):
            pronation = sign * np.angle(np.exp(1j * (angle - bending)))
            penalty = np.minimum(fixed + (_outside(pronation, PRONATION_RAD) / SLACK_RAD) ** 2, WORST)
            best[:, k] = np.minimum(best[:, k], penalty.mean(axis=-1))
    return np.asarray(best.mean(axis=0))


def _basis(y: Floats) -> tuple[Floats, Floats]:
    """Two directions square to y and to each other; from the first to the second it is a turn about +y."""
    first = square(np.eye(3)[int(np.argmin(np.abs(y)))], normalize(y))
    return first, np.cross(normalize(y), first)


def _mean_up(quats: Floats) -> Floats:
    return rotate(conjugate(quats.reshape(-1, 4)), [0.0, 0.0, 1.0]).mean(axis=0)


def _turned(v: Floats, heading: float) -> Floats:
    c, s = np.cos(heading), np.sin(heading)
    return np.stack([c * v[..., 0] - s * v[..., 1], s * v[..., 0] + c * v[..., 1], v[..., 2]], axis=-1)


def _outside(angle: Floats, limits: tuple[float, float]) -> Floats:
    return np.maximum(limits[0] - angle, 0) + np.maximum(angle - limits[1], 0)


def _extent(near: Floats, best: int) -> float:
    """How far one may go from `best` to either side, at most, and stay near (cyclic)."""
    steps = [0, 0]
    for side, way in enumerate((1, -1)):
        while steps[side] < len(near) - 1 and near[(best + way * (steps[side] + 1)) % len(near)]:
            steps[side] += 1
    return float(max(steps) * ROLL_STEP_RAD)

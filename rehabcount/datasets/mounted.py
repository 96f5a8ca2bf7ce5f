"""How worn sensors sit on body parts, where people did not go through our calibration.

    strapped      the sensor axis nearest to a direction
    mounting      a Mounting from two axes that were found
    main_axis     the axis of a movement in one plane
    hinged        the axes of upper arm and forearm, from the elbow being a hinge

**The elbow.** It bends about one axis of the upper arm (z), which is square to the forearm's length (y), within 0 and
150 degrees, and the forearm turns within about 85 degrees to either side. Upper arm and forearm sensors know the
vertical, not north: their relative heading is unknown and drifts slowly. It is fitted in every window of some seconds.
Only few ways of wearing the sensors agree with these limits over many windows. They are searched: first the forearm's
length among all six directions of the sensor's axes, with all turns about the limbs in steps of 30 degrees; then the
best few are refined in small steps of all three angles of either sensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from rehabcount.domain.arrays import Floats
from rehabcount.domain.calibration import Mounting
from rehabcount.domain.motion import CHANNELS, FRAME_RATE_HZ, QUAT, Frames
from rehabcount.domain.rig import Place, Side
from rehabcount.signals.orientation import orient_all
from rehabcount.signals.rotation import conjugate, from_axes, normalize, rotate

COARSE_RAD = np.radians(30.0)
HEADINGS = np.arange(0, 2 * np.pi, np.radians(10.0))
WINDOW_S, EVERY_S = 12.0, 0.5  # headings drift little in a window; neighbouring instants are alike
MOST_WINDOWS = 120  # more would only take longer
SLACK_RAD = 0.25  # of the joint limits: soft tissue and straps
FLEXION_RAD, PRONATION_RAD = (0.0, 2.6), (-1.4, 1.5)
WORST = 40.0  # penalty of one instant at most: some are wrong in any recording
SEARCHED = 10  # windows for the search, about; all refine the best
REFINED = 5  # of the coarse solutions
STEPS_RAD = (0.3, 0.15, 0.07, 0.03)
TILT_RAD, TILT_WEIGHT = 0.2, 0.05  # the upper arm's length is known but for the strap


@dataclass(frozen=True, slots=True)
class ArmAxes:
    """y and z of upper arm and forearm (docs/body-axes.md) in the axes of their sensors. `cost` is the mean penalty, in
    squared units of the slack; `next_cost` that of the best solution that is more than 45 degrees away; `square_rad`
    how far the bending axis is from square to the forearm, rms."""

    upper_y: Floats
    upper_z: Floats
    fore_y: Floats
    fore_z: Floats
    cost: float
    next_cost: float
    square_rad: float
    flexion_rad: tuple[float, float, float]  # of the elbow: 5th, 50th and 95th percentile
    pronation_rad: tuple[float, float, float]


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


def windows_of(upper: Sequence[Floats], fore: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Orientations (windows, instants, 4) of both sensors from those of recordings (n, 4) at FRAME_RATE_HZ; spread
    evenly over all of them. ValueError if there is no whole window."""
    every, length = round(EVERY_S * FRAME_RATE_HZ), round(WINDOW_S / EVERY_S)
    cut = [list[Floats](), list[Floats]()]
    for pair in zip(upper, fore, strict=True):
        number = min(map(len, pair)) // every // length
        for into, quats in zip(cut, pair, strict=True):
            into += list(quats[: number * length * every : every].reshape(number, length, 4))
    if not cut[0]:
        raise ValueError(f"no recording lasts {WINDOW_S:g} s")
    kept = np.unique(np.linspace(0, len(cut[0]) - 1, MOST_WINDOWS).astype(int))
    return np.stack(cut[0])[kept], np.stack(cut[1])[kept]


def hinged(upper: Floats, fore: Floats, upper_y: Floats, side: Side) -> ArmAxes:
    """The axes that violate an elbow's limits least. From `windows_of` both sensors; `upper_y` is the upper arm's
    length in sensor axes, from elbow to shoulder, as far as known. Over minutes the hand must be lower than the elbow
    on average: with the forearm and the bending axis both reversed, everything else would fit as well."""
    few = slice(None, None, max(1, len(upper) // SEARCHED))
    starts = list[tuple[float, Floats]]()
    z_uppers = _around(upper_y)
    up = rotate(conjugate(fore.reshape(-1, 4)), [0.0, 0.0, 1.0]).mean(axis=0)
    for fore_y in np.concatenate([np.eye(3), -np.eye(3)]):
        if fore_y @ up < 0:
            continue
        for upper_z in z_uppers:
            for fore_z in _around(fore_y):
                axes = np.stack([upper_y, upper_z, fore_y, fore_z])
                starts.append((_penalty(upper[few], fore[few], axes, side).cost, axes))
    starts.sort(key=lambda each: each[0])
    found = list[tuple[float, Floats]]()
    for _, axes in starts:
        if all(_apart(axes, other) > np.radians(45) for _, other in found):
            found.append(_refined(upper[few], fore[few], axes, side))
        if len(found) == REFINED:
            break
    found = sorted((_refined(upper, fore, axes, side) for _, axes in found), key=lambda each: each[0])
    best, axes = next((each for each in found if each[1][2] @ up > 0), found[0])
    others = [cost for cost, other in found if other[2] @ up > 0 and _apart(axes, other) > np.radians(45)]
    seen = _penalty(upper, fore, axes, side)
    return ArmAxes(
        axes[0],
        axes[1],
        axes[2],
        axes[3],
        best,
        min(others, default=float("inf")),
        float(np.sqrt(np.mean(seen.off_square**2))),
        _spread(seen.flexion),
        _spread(seen.pronation),
    )


@dataclass(frozen=True, slots=True)
class _Seen:
    """The mean penalty, and the joint's angles at the best headings."""

    cost: float
    off_square: Floats
    flexion: Floats
    pronation: Floats


def _penalty(upper: Floats, fore: Floats, axes: Floats, side: Side) -> _Seen:
    upper_y, upper_z, fore_y, fore_z = axes
    y, z, long, first = rotate(upper, upper_y), rotate(upper, upper_z), rotate(fore, fore_y), rotate(fore, fore_z)
    x, second = np.cross(y, z), np.cross(long, first)

    def across(near: Floats, far: Floats) -> Floats:
        """Products (headings, windows, instants) of a direction of the upper arm and one of the forearm."""
        level = near[..., 0] * far[..., 0] + near[..., 1] * far[..., 1]
        turned = near[..., 1] * far[..., 0] - near[..., 0] * far[..., 1]
        c, s = np.cos(HEADINGS)[:, None, None], np.sin(HEADINGS)[:, None, None]
        return np.asarray(c * level + s * turned + near[..., 2] * far[..., 2])

    off_square = np.arcsin(np.clip(across(z, long), -1, 1))
    flexion = np.arctan2(-across(x, long), across(y, long))
    # The bending axis, seen in the forearm, turns against the forearm's own turn.
    pronation = (-1.0 if side is Side.RIGHT else 1.0) * np.arctan2(across(z, second), across(z, first))
    outside = _outside(flexion, FLEXION_RAD) ** 2 + _outside(pronation, PRONATION_RAD) ** 2
    penalty = np.minimum((off_square**2 + outside) / SLACK_RAD**2, WORST).mean(axis=2)
    best = (penalty.argmin(axis=0), np.arange(len(upper)))
    return _Seen(float(penalty[best].mean()), off_square[best], flexion[best], pronation[best])


def _refined(upper: Floats, fore: Floats, axes: Floats, side: Side) -> tuple[float, Floats]:
    """The nearest solution with the least penalty: small turns of either sensor are tried in ever smaller steps."""
    along = axes[0]

    def tried(turns: Floats) -> tuple[float, Floats]:
        near, far = Rotation.from_rotvec(turns[:3]), Rotation.from_rotvec(turns[3:])
        here = np.concatenate([near.apply(axes[:2]), far.apply(axes[2:])])
        tilt = float(np.arccos(np.clip(here[0] @ along, -1, 1)))
        return _penalty(upper, fore, here, side).cost + TILT_WEIGHT * (tilt / TILT_RAD) ** 2, here

    turns = np.zeros(6)
    best, found = tried(turns)
    for step in STEPS_RAD:
        better = True
        while better:
            better = False
            for i in range(6):
                for change in (step, -step):
                    other = turns.copy()
                    other[i] += change
                    cost, here = tried(other)
                    if cost < best - 1e-4:
                        best, found, turns, better = cost, here, other, True
    return best, found


def _around(y: Floats) -> Floats:
    """Directions square to y, all around."""
    first = square(np.eye(3)[int(np.argmin(np.abs(y)))], y)
    angles = np.arange(0, 2 * np.pi, COARSE_RAD)
    return np.asarray(np.cos(angles)[:, None] * first + np.sin(angles)[:, None] * np.cross(y, first))


def _apart(one: Floats, other: Floats) -> float:
    """The larger angle between the bending axes and between the forearm's lengths. How the forearm is turned about its
    length is left out: only the limits of its own turn say something about that."""
    return float(np.arccos(np.clip(np.sum(one * other, axis=1)[1:3], -1, 1)).max())


def _outside(angle: Floats, limits: tuple[float, float]) -> Floats:
    return np.maximum(limits[0] - angle, 0) + np.maximum(angle - limits[1], 0)


def _spread(angle: Floats) -> tuple[float, float, float]:
    low, middle, high = np.percentile(angle, (5, 50, 95))
    return float(low), float(middle), float(high)

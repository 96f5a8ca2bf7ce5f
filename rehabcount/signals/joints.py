"""Joint angles from the orientations of body parts.

Orientations are quaternions from body-part axes (docs/body-axes.md) to earth axes *with a common heading*; the caller
aligns the headings. Angles are radians here; the names are those of StrokeRehab's 22 columns.

A joint's rotation, the far part seen from the near one, is split as z, then x, then y: flexion, sideways, twist. The
shoulder has no natural order, so its angles are read off the direction of the upper arm instead, and its twist is
what remains when the shortest swing to that direction is undone.
"""

from __future__ import annotations

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.signals.rotation import conjugate, logarithm, multiply, normalize, rotate

JOINT_PARTS = (
    "pelvis",
    "lumbar",
    "thorax",
    "left-upper-arm",
    "left-forearm",
    "left-hand",
    "right-upper-arm",
    "right-forearm",
    "right-hand",
)
"""The order of body parts that `joint_angles` expects."""

ANGLE_NAMES = (
    "lumbar flexion",
    "lumbar lateral",
    "lumbar axial",
    "thoracic flexion",
    "thoracic lateral",
    "thoracic axial",
    "elbow flexion left",
    "elbow flexion right",
    "shoulder total flexion left",
    "shoulder total flexion right",
    "shoulder flexion left",
    "shoulder flexion right",
    "shoulder abduction left",
    "shoulder abduction right",
    "shoulder rotation-out left",
    "shoulder rotation-out right",
    "wrist extension left",
    "wrist extension right",
    "wrist radial left",
    "wrist radial right",
    "wrist supination left",
    "wrist supination right",
)

_DOWN = np.array([0.0, -1.0, 0.0])


def split(rotation: Floats) -> tuple[Floats, Floats, Floats]:
    """Angles about z, x, y whose rotations, applied outermost first in that order, make up `rotation`."""
    x_axis, y_axis, z_axis = (rotate(rotation, np.eye(3)[i]) for i in range(3))
    about_x = np.arcsin(np.clip(y_axis[..., 2], -1.0, 1.0))
    about_z = np.arctan2(-y_axis[..., 0], y_axis[..., 1])
    about_y = np.arctan2(-x_axis[..., 2], z_axis[..., 2])
    return about_z, about_x, about_y


def joint_angles(quats: Floats) -> Floats:
    """Orientations (n, 9, 4) in the order of JOINT_PARTS -> the 22 angles (n, 22) in the order of ANGLE_NAMES, rad."""
    part = {name: quats[:, i] for i, name in enumerate(JOINT_PARTS)}
    bend, side, twist = split(multiply(conjugate(part["pelvis"]), part["lumbar"]))
    columns = {"lumbar flexion": -bend, "lumbar lateral": side, "lumbar axial": twist}
    bend, side, twist = split(multiply(conjugate(part["lumbar"]), part["thorax"]))
    columns |= {"thoracic flexion": -bend, "thoracic lateral": side, "thoracic axial": twist}
    for arm, sign in (("left", -1.0), ("right", 1.0)):
        upper, fore, hand = (part[f"{arm}-{name}"] for name in ("upper-arm", "forearm", "hand"))
        flexion, _, pronation = split(multiply(conjugate(upper), fore))
        columns[f"elbow flexion {arm}"] = flexion
        columns[f"wrist supination {arm}"] = -sign * pronation
        radial, bend_back, _ = split(multiply(conjugate(fore), hand))
        columns[f"wrist extension {arm}"] = -sign * bend_back
        columns[f"wrist radial {arm}"] = radial
        columns |= {f"shoulder {name} {arm}": angle for name, angle in _shoulder(part["thorax"], upper, sign).items()}
    return np.stack([columns[name] for name in ANGLE_NAMES], axis=-1)


def _shoulder(thorax: Floats, upper: Floats, sign: float) -> dict[str, Floats]:
    rotation = multiply(conjugate(thorax), upper)
    direction = rotate(rotation, _DOWN)  # of the upper arm, seen from the thorax
    forward, down, outward = direction[..., 0], -direction[..., 1], sign * direction[..., 2]
    swing = _shortest(_DOWN, direction)
    twist = logarithm(multiply(conjugate(swing), rotation))[..., 1]
    return {
        "total flexion": np.arctan2(np.hypot(forward, outward), down),
        "flexion": np.arctan2(forward, down),
        "abduction": np.arctan2(outward, down),
        "rotation-out": -sign * twist,
    }


def _shortest(a: Floats, b: Floats) -> Floats:
    """The shortest rotation that takes the unit vector a to b; half a turn about x where they are opposite."""
    w = 1.0 + np.sum(a * b, axis=-1, keepdims=True)
    quat = np.concatenate([w, np.cross(a, b)], axis=-1)
    quat[w[..., 0] < 1e-9] = [0.0, 1.0, 0.0, 0.0]
    return normalize(quat)

"""Roll, pitch and yaw, as sensors report them, to quaternions and back.

Both vendors mean the same: the sensor turns from earth axes first by yaw about z, then by pitch about the new y, then
by roll about the new x (R = Rz Ry Rx). For Movella that is documented; for WitMotion it is the one of the six orders
under which the angles of real recordings agree with gravity and with the gyroscope.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rehabcount.domain.arrays import Floats

# Closer to straight up or down than this (rad), roll and yaw are one rotation; all of it is then called yaw.
_GIMBAL_RAD = 1e-6


def quat_from_angles(angles_rad: ArrayLike) -> Floats:
    """Quaternions (..., 4), sensor to earth, of (..., 3) roll, pitch, yaw."""
    half = np.asarray(angles_rad, float) / 2.0
    c, s = np.cos(half), np.sin(half)
    cr, cp, cy = c[..., 0], c[..., 1], c[..., 2]
    sr, sp, sy = s[..., 0], s[..., 1], s[..., 2]
    out = np.empty((*half.shape[:-1], 4))
    out[..., 0] = cr * cp * cy + sr * sp * sy
    out[..., 1] = sr * cp * cy - cr * sp * sy
    out[..., 2] = cr * sp * cy + sr * cp * sy
    out[..., 3] = cr * cp * sy - sr * sp * cy
    return out


def angles_from_quat(quat: ArrayLike) -> Floats:
    """Roll, pitch, yaw (..., 3), rad, of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(quat, float), -1, 0)
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
    upright = np.cos(pitch) < _GIMBAL_RAD
    roll = np.where(upright, 0.0, np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)))
    yaw = np.where(
        upright,
        np.arctan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z)),
        np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
    )
    return np.stack([roll, pitch, yaw], axis=-1)

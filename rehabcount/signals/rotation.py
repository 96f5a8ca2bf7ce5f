"""Quaternion kernels on arrays: (w, x, y, z), Hamilton product, last axis 4; vectors have last axis 3.

A quaternion q turns a vector v of its own axes into the outer axes: `rotate(q, v)`. `multiply(a, b)` applies b first.
All functions broadcast. q and -q are the same orientation; nothing here depends on the sign except `multiply` itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rehabcount.domain.arrays import Floats

IDENTITY: Floats = np.array([1.0, 0.0, 0.0, 0.0])


def multiply(a: ArrayLike, b: ArrayLike) -> Floats:
    """The rotation b followed by the rotation a."""
    aw, ax, ay, az = np.moveaxis(np.asarray(a, float), -1, 0)
    bw, bx, by, bz = np.moveaxis(np.asarray(b, float), -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conjugate(q: ArrayLike) -> Floats:
    """The inverse of a unit quaternion."""
    return np.asarray(q, float) * np.array([1.0, -1.0, -1.0, -1.0])


def normalize(v: ArrayLike) -> Floats:
    """Unit length along the last axis; a zero vector becomes NaN."""
    v = np.asarray(v, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        return v / np.sqrt(np.sum(v * v, axis=-1, keepdims=True))


def rotate(q: ArrayLike, v: ArrayLike) -> Floats:
    """The vector v, given in q's own axes, in the outer axes."""
    q, v = np.asarray(q, float), np.asarray(v, float)
    w, qx, qy, qz = (q[..., i] for i in range(4))
    x, y, z = (v[..., i] for i in range(3))
    # t = 2 (q_vector x v), then v + w t + q_vector x t; written out because np.cross costs several times as much.
    tx, ty, tz = 2.0 * (qy * z - qz * y), 2.0 * (qz * x - qx * z), 2.0 * (qx * y - qy * x)
    return np.stack(
        [
            x + w * tx + (qy * tz - qz * ty),
            y + w * ty + (qz * tx - qx * tz),
            z + w * tz + (qx * ty - qy * tx),
        ],
        axis=-1,
    )


def unrotate(q: ArrayLike, v: ArrayLike) -> Floats:
    """The vector v, given in the outer axes, in q's own axes."""
    return rotate(conjugate(q), v)


def about(axis: ArrayLike, angle: ArrayLike) -> Floats:
    """The rotation by `angle` (rad) about `axis`."""
    return exponential(normalize(axis) * np.asarray(angle, float)[..., None])


def exponential(vector: ArrayLike) -> Floats:
    """The rotation about `vector` by its length (rad)."""
    vector = np.asarray(vector, float)
    half = np.sqrt(np.sum(vector * vector, axis=-1, keepdims=True)) / 2.0
    # np.sinc(x) is sin(pi x)/(pi x): well-behaved at zero.
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * vector], axis=-1)


def logarithm(q: ArrayLike) -> Floats:
    """The rotation vector of q, at most half a turn long."""
    q = positive(q)
    sine = np.sqrt(np.sum(q[..., 1:] ** 2, axis=-1, keepdims=True))
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.where(sine > 1e-12, angle / sine, 2.0)
    return scale * q[..., 1:]


def positive(q: ArrayLike) -> Floats:
    """The one of q and -q whose w is not negative (at w = 0: whose first other component that is not 0 is positive)."""
    q = np.asarray(q, float)
    signs = np.sign(q)
    first = np.where(signs[..., 0] != 0, signs[..., 0], 0.0)
    for component in range(1, 4):
        first = np.where(first != 0, first, signs[..., component])
    return np.where(first[..., None] < 0, -q, q)


def angle_between(a: ArrayLike, b: ArrayLike) -> Floats:
    """The angle (rad, 0..pi) between two orientations."""
    return np.sqrt(np.sum(logarithm(multiply(conjugate(a), b)) ** 2, axis=-1))


def blend(a: ArrayLike, b: ArrayLike, share: ArrayLike) -> Floats:
    """From a (share 0) to b (share 1) at constant speed along the shortest rotation."""
    step = logarithm(multiply(conjugate(a), b))
    return multiply(a, exponential(step * np.asarray(share, float)[..., None]))


def from_axes(x: ArrayLike, y: ArrayLike, z: ArrayLike) -> Floats:
    """The orientation of a body whose unit axes x, y, z, right-handed, are given in the outer axes."""
    m = np.stack([np.asarray(x, float), np.asarray(y, float), np.asarray(z, float)], axis=-1)  # (..., outer, own)
    d = np.stack([m[..., i, i] for i in range(3)], axis=-1)
    trace = d.sum(axis=-1)
    # Four ways to write the same quaternion, each exact where its leading component is large; take the best per item.
    candidates = np.stack(
        [
            _row(1 + trace, m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]),
            _row(
                m[..., 2, 1] - m[..., 1, 2],
                1 + 2 * d[..., 0] - trace,
                m[..., 0, 1] + m[..., 1, 0],
                m[..., 0, 2] + m[..., 2, 0],
            ),
            _row(
                m[..., 0, 2] - m[..., 2, 0],
                m[..., 0, 1] + m[..., 1, 0],
                1 + 2 * d[..., 1] - trace,
                m[..., 1, 2] + m[..., 2, 1],
            ),
            _row(
                m[..., 1, 0] - m[..., 0, 1],
                m[..., 0, 2] + m[..., 2, 0],
                m[..., 1, 2] + m[..., 2, 1],
                1 + 2 * d[..., 2] - trace,
            ),
        ],
        axis=-2,
    )  # (..., way, 4)
    leading = np.stack([candidates[..., i, i] for i in range(4)], axis=-1)
    best = np.argmax(leading, axis=-1)
    return normalize(np.take_along_axis(candidates, best[..., None, None], axis=-2)[..., 0, :])


def _row(*components: Floats) -> Floats:
    return np.stack(components, axis=-1)


def angular_rate(q: ArrayLike, rate_hz: float) -> Floats:
    """Angular rate (rad/s, own axes) of an evenly sampled orientation: each step's rotation vector times the rate.

    Row i describes the step from i-1 to i; row 0 repeats row 1 (one orientation alone: zero).
    """
    q = np.asarray(q, float)
    if len(q) < 2:
        return np.zeros((*q.shape[:-1], 3))
    steps = logarithm(multiply(conjugate(q[:-1]), q[1:])) * rate_hz
    return np.concatenate([steps[:1], steps], axis=0)

"""Quaternion kernels and joint angles against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from rehabcount.signals import rotation as r
from rehabcount.signals.joints import ANGLE_NAMES, JOINT_PARTS, joint_angles, split
from tests.signals.motions import integrate

Array = NDArray[np.float64]
N = 500


def ours(turn: Rotation) -> Array:
    return np.roll(turn.as_quat(), 1, axis=-1)


def theirs(quat: Array) -> Rotation:
    return Rotation.from_quat(np.roll(quat, -1, axis=-1))


@pytest.fixture
def two() -> tuple[Rotation, Rotation]:
    rng = np.random.default_rng(0)
    return Rotation.random(N, rng=rng), Rotation.random(N, rng=rng)


def test_products_and_rotations(two: tuple[Rotation, Rotation]) -> None:
    a, b = two
    v = np.random.default_rng(1).normal(size=(N, 3))
    assert (theirs(r.multiply(ours(a), ours(b))) * (a * b).inv()).magnitude().max() < 1e-12
    np.testing.assert_allclose(r.rotate(ours(a), v), a.apply(v), atol=1e-12)
    np.testing.assert_allclose(r.unrotate(ours(a), v), a.inv().apply(v), atol=1e-12)
    np.testing.assert_allclose(r.angle_between(ours(a), ours(b)), (a.inv() * b).magnitude(), atol=1e-9)


def test_exponential_and_logarithm(two: tuple[Rotation, Rotation]) -> None:
    a, _ = two
    np.testing.assert_allclose(r.logarithm(ours(a)), a.as_rotvec(), atol=1e-9)
    np.testing.assert_allclose(r.logarithm(-ours(a)), a.as_rotvec(), atol=1e-9)
    tiny = np.random.default_rng(2).normal(size=(N, 3)) * 1e-9
    np.testing.assert_allclose(r.logarithm(r.exponential(tiny)), tiny, atol=1e-18)
    np.testing.assert_allclose(r.exponential(np.zeros(3)), r.IDENTITY)
    np.testing.assert_allclose(r.about([0.0, 0.0, 2.0], 0.5), ours(Rotation.from_rotvec([0, 0, 0.5])))


def test_blend_goes_the_short_way(two: tuple[Rotation, Rotation]) -> None:
    a, b = two
    middle = r.blend(ours(a), ours(b), np.full(N, 0.5))
    np.testing.assert_allclose(r.angle_between(ours(a), middle), (a.inv() * b).magnitude() / 2, atol=1e-9)
    np.testing.assert_allclose(r.angle_between(r.blend(ours(a), -ours(b), np.ones(N)), ours(b)), 0, atol=1e-7)


def test_from_axes_inverts_for_every_orientation(two: tuple[Rotation, Rotation]) -> None:
    half_turns = Rotation.from_rotvec(np.pi * np.eye(3))
    for turn in (two[0], half_turns):
        x, y, z = (turn.apply(np.eye(3)[i]) for i in range(3))
        assert (theirs(r.from_axes(x, y, z)) * turn.inv()).magnitude().max() < 1e-7


def test_positive_picks_one_of_the_two(two: tuple[Rotation, Rotation]) -> None:
    quat = ours(two[0])
    np.testing.assert_array_equal(r.positive(quat), r.positive(-quat))
    assert (r.positive(quat)[:, 0] >= 0).all()
    half_turn = np.array([0.0, -1.0, 0.0, 0.0])
    np.testing.assert_array_equal(r.positive(half_turn), r.positive(-half_turn))


def test_rate_and_integral_are_inverse() -> None:
    rng = np.random.default_rng(3)
    gyr = rng.normal(size=(200, 3))
    quats = np.concatenate([r.IDENTITY[None], integrate(gyr, 100.0)])
    np.testing.assert_allclose(r.angular_rate(quats, 100.0)[1:], gyr, atol=1e-9)
    assert r.angular_rate(quats[:1], 100.0).tolist() == [[0, 0, 0]]


def test_split_is_scipys_zxy(two: tuple[Rotation, Rotation]) -> None:
    angles = np.stack(split(ours(two[0])), axis=1)
    np.testing.assert_allclose(angles, two[0].as_euler("ZXY"), atol=1e-9)


def test_each_joint_angle_alone() -> None:
    """One joint turned by 0.4 rad in the sense of its name, everything else at zero: only that angle answers."""
    x, y, z = np.eye(3)
    moves = {
        "lumbar flexion": ("lumbar", -z),
        "lumbar lateral": ("lumbar", x),
        "lumbar axial": ("lumbar", y),
        "thoracic flexion": ("thorax", -z),
        "thoracic lateral": ("thorax", x),
        "thoracic axial": ("thorax", y),
        "elbow flexion left": ("left-forearm", z),
        "elbow flexion right": ("right-forearm", z),
        "shoulder rotation-out left": ("left-upper-arm", y),
        "shoulder rotation-out right": ("right-upper-arm", -y),
        "wrist extension left": ("left-hand", x),
        "wrist extension right": ("right-hand", -x),
        "wrist radial left": ("left-hand", z),
        "wrist radial right": ("right-hand", z),
        "wrist supination left": ("left-forearm", y),
        "wrist supination right": ("right-forearm", -y),
    }
    below = {
        "lumbar": JOINT_PARTS[1:],
        "thorax": JOINT_PARTS[2:],
        "left-upper-arm": ("left-upper-arm", "left-forearm", "left-hand"),
        "right-upper-arm": ("right-upper-arm", "right-forearm", "right-hand"),
        "left-forearm": ("left-forearm", "left-hand"),
        "right-forearm": ("right-forearm", "right-hand"),
    }
    for name, (part, axis) in moves.items():
        turn = Rotation.from_rotvec(0.4 * axis)
        moved = below.get(part, (part,))
        quats = np.stack([ours(turn if each in moved else Rotation.identity()) for each in JOINT_PARTS])[None]
        angles = dict(zip(ANGLE_NAMES, joint_angles(quats)[0], strict=True))
        assert angles.pop(name) == pytest.approx(0.4), name
        assert max(abs(value) for value in angles.values()) < 1e-9, name


def test_shoulder_angles() -> None:
    def shoulder(axis: Array, side: str) -> dict[str, float]:
        turn = Rotation.from_rotvec(0.5 * axis)
        parts = tuple(f"{side}-{part}" for part in ("upper-arm", "forearm", "hand"))
        quats = np.stack([ours(turn if each in parts else Rotation.identity()) for each in JOINT_PARTS])[None]
        angles = dict(zip(ANGLE_NAMES, joint_angles(quats)[0], strict=True))
        return {
            name: angles[f"shoulder {name} {side}"]
            for name in ("total flexion", "flexion", "abduction", "rotation-out")
        }

    x, _, z = np.eye(3)
    for side, outward in (("left", x), ("right", -x)):
        assert shoulder(z, side) == pytest.approx(
            {"total flexion": 0.5, "flexion": 0.5, "abduction": 0, "rotation-out": 0}
        )
        assert shoulder(outward, side) == pytest.approx(
            {"total flexion": 0.5, "flexion": 0, "abduction": 0.5, "rotation-out": 0}
        )

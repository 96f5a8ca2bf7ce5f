"""Virtual sensors obey physics, and their imperfections are what they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import GRAVITY_M_S2
from rehabcount.domain.rig import BodyPart, Place, Side, places_of
from rehabcount.signals import rotation
from rehabcount.simulate.body import CHANNELS, Pose, make_body, move_body
from rehabcount.simulate.cohort import Subject
from rehabcount.simulate.imu import Device, ideal_imu, nominal_strap, sense, sensor_path, strapped
from rehabcount.simulate.motion import perform
from rehabcount.simulate.movement import MOTION_RATE_HZ
from rehabcount.simulate.recording import script_trial
from tests.signals.motions import integrate

PERFECT = Device(100.0, 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, (1.0, 1.0), 90.0, 0.0, 0.0)
BODY = make_body(1.72)


@pytest.fixture(scope="module")
def moving(cohort: tuple[Subject, ...]) -> tuple[Subject, Pose]:
    subject = cohort[20]
    return subject, move_body(subject.body, perform(script_trial(subject, "drinking", 1, 0)).channels)


def still(n: int = 400) -> Pose:
    rows = np.zeros((n, CHANNELS))
    rows[:, 13:16] = rows[:, 21:24] = [0.35, 0.25, 0.2]
    rows[:, 4:13] = 0.05
    return move_body(BODY, rows)


@pytest.mark.parametrize("place", list(Place))
def test_at_rest_gravity_alone(place: Place) -> None:
    quat, path = sensor_path(BODY, still(), strapped(BODY, place, np.random.default_rng(3), 2.0))
    acc, gyr = ideal_imu(quat, path)
    assert np.linalg.norm(acc, axis=1) == pytest.approx(np.full(len(acc), 9.81), abs=1e-6)
    assert gyr == pytest.approx(np.zeros_like(gyr), abs=1e-9)
    # Specific force points up: turned into the room it is +y.
    assert rotation.rotate(quat, acc)[5] == pytest.approx([0, GRAVITY_M_S2, 0], abs=1e-6)


@pytest.mark.parametrize("place", places_of("nine", Side.LEFT))
def test_integrated_rotation_returns_the_orientation(moving: tuple[Subject, Pose], place: Place) -> None:
    subject, pose = moving
    quat, path = sensor_path(subject.body, pose, strapped(subject.body, place, np.random.default_rng(1), 30.0))
    _, gyr = ideal_imu(quat, path)
    back = integrate(gyr[1:], MOTION_RATE_HZ, quat[0])
    assert np.degrees(rotation.angle_between(back, quat[1:])).max() < 1e-3


@pytest.mark.parametrize("place", [Place.RIGHT_HAND, Place.LEFT_UPPER_ARM, Place.C7])
def test_integrated_force_returns_the_path(moving: tuple[Subject, Pose], place: Place) -> None:
    subject, pose = moving
    quat, path = sensor_path(subject.body, pose, nominal_strap(subject.body, place))
    acc, _ = ideal_imu(quat, path)
    linear = rotation.rotate(quat, acc) - [0, GRAVITY_M_S2, 0]
    step = 1 / MOTION_RATE_HZ
    back = np.empty_like(path)
    back[:2] = path[:2]
    for i in range(1, len(path) - 1):
        back[i + 1] = 2 * back[i] - back[i - 1] + linear[i] * step**2
    assert back == pytest.approx(path, abs=1e-6)


def test_a_turning_arm_feels_the_centrifugal_force() -> None:
    """Independent oracle: a sensor circling at a constant rate reads r w^2 towards the centre."""
    n, rate, radius = 800, 3.0, 0.25
    angle = rate * np.arange(n) / MOTION_RATE_HZ
    quat = rotation.about(np.array([0.0, 1.0, 0.0]), angle)
    path = radius * np.stack([np.cos(angle), np.zeros(n), -np.sin(angle)], axis=1)
    acc, gyr = ideal_imu(quat, path)
    assert gyr[5:-5] == pytest.approx(np.tile([0, rate, 0], (n - 10, 1)), abs=1e-9)
    assert acc[5:-5] == pytest.approx(np.tile([-radius * rate**2, GRAVITY_M_S2, 0], (n - 10, 1)), rel=1e-3, abs=1e-6)


@pytest.mark.parametrize(
    ("place", "outwards"),
    [(Place.C7, [-1, 0, 0]), (Place.STERNUM, [1, 0, 0]), (Place.RIGHT_HAND, [0, 0, 1]), (Place.LEFT_HAND, [0, 0, -1])],
)
def test_worn_as_pictured_z_points_out_and_y_up_the_limb(place: Place, outwards: list[float]) -> None:
    quat = np.array(nominal_strap(BODY, place).quat)
    assert rotation.rotate(quat, [0, 0, 1]) == pytest.approx(outwards, abs=1e-9)
    assert rotation.rotate(quat, [0, 1, 0]) == pytest.approx([0, 1, 0], abs=1e-9)


def test_straps_are_off_by_at_most_3_cm_and_25_degrees() -> None:
    for seed in range(200):
        place = list(Place)[seed % len(Place)]
        strap, ideal = strapped(BODY, place, np.random.default_rng(seed), 3600.0), nominal_strap(BODY, place)
        way = np.array(strap.offset) - ideal.offset
        assert np.linalg.norm(way) <= 0.035
        assert np.degrees(rotation.angle_between(strap.quat, ideal.quat)) <= 25.001


def test_skin_follows_only_a_share_of_a_forearm_turn() -> None:
    rows = np.zeros((400, CHANNELS))
    rows[:, 13:16] = rows[:, 21:24] = [0.35, 0.25, 0.2]
    rows[:, 13 + 4] = np.linspace(0, 1.0, 400)
    pose = move_body(BODY, rows)
    strap = replace(nominal_strap(BODY, Place.RIGHT_FOREARM), wobble=0.0, axial_share=0.6)
    quat, _ = sensor_path(BODY, pose, strap)
    assert float(rotation.angle_between(quat[0], quat[-1])) == pytest.approx(0.6, abs=0.01)


def test_device_errors_are_those_of_the_device() -> None:
    device = replace(PERFECT, acc_noise=0.03, gyr_noise=0.004, gyr_bias=(0.01, 0.0, -0.02), acc_bias=(0.1, 0.0, 0.0))
    pose = still(4000)
    strap = nominal_strap(BODY, Place.RIGHT_HAND)
    noisy = sense(BODY, pose, strap, device, "x", np.random.default_rng(0))
    clean = sense(BODY, pose, strap, PERFECT, "x", np.random.default_rng(0))
    assert noisy.acc is not None
    assert noisy.gyr is not None
    assert clean.acc is not None
    assert (noisy.acc - clean.acc).std(axis=0) == pytest.approx([0.03] * 3, rel=0.1)
    assert noisy.gyr.mean(axis=0) == pytest.approx([0.01, 0.0, -0.02], abs=5e-4)
    assert (noisy.acc - clean.acc).mean(axis=0) == pytest.approx([0.1, 0.0, 0.0], abs=5e-3)


def test_clock_error_changes_the_number_of_samples_not_the_ticks() -> None:
    pose = still(40_000)  # 200 s
    strap = nominal_strap(BODY, Place.C7)
    fast = sense(BODY, pose, strap, replace(PERFECT, clock_ppm=500.0), "x", np.random.default_rng(0))
    slow = sense(BODY, pose, strap, replace(PERFECT, clock_ppm=-500.0), "x", np.random.default_rng(0))
    assert len(fast) - len(slow) == pytest.approx(20, abs=1)
    assert fast.tick is not None
    assert set(np.diff(fast.tick)) == {10_000}


def test_filter_delays_but_does_not_shrink_slow_motion() -> None:
    rows = np.zeros((2000, CHANNELS))
    t = np.arange(2000) / MOTION_RATE_HZ
    rows[:, 13:16] = rows[:, 21:24] = [0.35, 0.25, 0.2]
    rows[:, 13] += 0.05 * np.sin(2 * np.pi * 1.0 * t)
    pose = move_body(BODY, rows)
    strap = replace(nominal_strap(BODY, Place.RIGHT_HAND), wobble=0.0)
    sharp, dull = (
        sense(BODY, pose, strap, replace(PERFECT, filter_hz=hz), "x", np.random.default_rng(0)) for hz in (90.0, 20.0)
    )
    assert sharp.gyr is not None
    assert dull.gyr is not None
    axis = int(np.argmax(sharp.gyr.std(axis=0)))
    assert np.ptp(dull.gyr[200:, axis]) == pytest.approx(np.ptp(sharp.gyr[200:, axis]), rel=0.05)
    lag = [float(np.corrcoef(sharp.gyr[200:900, axis], dull.gyr[200 + k : 900 + k, axis])[0, 1]) for k in range(5)]
    assert int(np.argmax(lag)) >= 1


def test_limbs_of_the_trial_are_quiet_enough_for_the_device(moving: tuple[Subject, Pose]) -> None:
    """Arms do not reach 2000 degrees a second at table; a spike would be an error of the simulation."""
    _, pose = moving
    worst: dict[tuple[BodyPart, Side | None], float] = {}
    for key, quat in pose.orientation.items():
        rate: Floats = rotation.angular_rate(quat, MOTION_RATE_HZ)
        worst[key] = float(np.linalg.norm(rate, axis=1).max())
    assert max(worst.values()) < 14.0, worst

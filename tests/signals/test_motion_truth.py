"""The chain from raw sensor to angles on motion whose truth is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from rehabcount.datasets import drinking_imus as drinking
from rehabcount.domain.calibration import Calibration, Mounting, Verdict
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import Frames, Rows
from rehabcount.domain.rig import Place, Rig, Sensor, Side
from rehabcount.errors import CalibrationError
from rehabcount.signals.calibration import ArmMovements, TimeSpan, calibrate, mount_all
from rehabcount.signals.features import BEDSIDE, featurize_all, mirror
from rehabcount.signals.orientation import orient_all
from rehabcount.signals.rotation import unrotate
from tests.signals.motions import (
    BENDING_S,
    EXERCISE_S,
    PARTS,
    POSE_S,
    TURNING_S,
    UPRIGHT,
    Angle,
    ArmMotion,
    Link,
    arm_motion,
    chain,
    integrate,
    read,
    sensor_on,
)

Array = NDArray[np.float64]
PLACES = (Place.STERNUM, Place.RIGHT_UPPER_ARM, Place.RIGHT_FOREARM, Place.RIGHT_HAND)
RIG = Rig("four", tuple(Sensor(place.value, place, "none", 100.0) for place in PLACES))
MOVED = {Side.RIGHT: ArmMovements(TimeSpan(*BENDING_S), TimeSpan(*TURNING_S))}


def frames_of(readings: Array) -> Frames:
    values = np.concatenate([readings, np.full((*readings.shape[:2], 4), np.nan)], axis=2)
    return Frames(0, np.arange(len(values)) / 100, values, np.ones(values.shape[:2], bool))


def rms_deg(error: Array) -> float:
    return float(np.degrees(np.sqrt(np.mean(np.square(error)))))


def column(rows: Rows, name: str) -> Array:
    return rows.values[:, BEDSIDE.index(name)]


def up_error(rows: Rows, motion: ArmMotion, part: str) -> Array:
    """Angle between the estimated and the true direction of up, in the part's axes."""
    estimate = np.stack([column(rows, f"{part} up {axis}") for axis in "xyz"], axis=1)
    truth = motion.poses[part].orientation.inv().apply([0.0, 0.0, 1.0])
    return np.arccos(np.clip(np.sum(estimate * truth, axis=1), -1, 1))


def test_at_rest_the_accelerometer_reads_gravity() -> None:
    t = np.arange(0, 1, 0.01)
    for turn in Rotation.random(20, rng=np.random.default_rng(1)):
        reading = sensor_on(chain(t, [Link(())])[0], turn, (0.1, 0.2, 0.3))
        np.testing.assert_allclose(np.linalg.norm(reading.acc, axis=1), 9.81, atol=1e-12)
        np.testing.assert_allclose(reading.gyr, 0, atol=1e-12)


@pytest.mark.parametrize("axis", [(1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0), (0.6, 0, 0.8)])
def test_integrated_rotation_returns_the_orientation(axis: tuple[float, float, float]) -> None:
    t = np.arange(0, 20, 0.001)
    pose = chain(t, [Link(((axis, Angle(sines=((1.2, 0.5, 0.3), (0.4, 1.3, 1.0)))),))])[0]
    reading = sensor_on(pose, Rotation.random(rng=np.random.default_rng(2)), (0.0, 0.0, 0.0))
    middle = (reading.gyr[:-1] + reading.gyr[1:]) / 2
    start = np.roll(reading.orientation[0].as_quat(), 1)
    last = Rotation.from_quat(np.roll(integrate(middle, 1000.0, start)[-1], -1))
    assert (last.inv() * reading.orientation[-1]).magnitude() < 1e-4


def test_a_swinging_arm_pulls_outwards() -> None:
    """A link turning steadily at w: the sensor at radius r feels w^2 r towards the pivot, besides gravity."""
    t = np.arange(0, 2, 0.01)
    w, r = 3.0, 0.4
    steady = chain(t, [Link((((0.0, 1.0, 0.0), _Steady(w)),))])[0]  # about the vertical
    reading = sensor_on(steady, Rotation.identity(), (r, 0.0, 0.0))
    np.testing.assert_allclose(reading.acc, np.tile([-(w**2) * r, 9.81, 0.0], (len(t), 1)), atol=1e-9)


class _Steady(Angle):
    def __init__(self, rate: float) -> None:
        object.__setattr__(self, "rate", rate)

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        rate: float = self.rate  # type: ignore[attr-defined]
        return rate * t, np.full_like(t, rate), np.zeros_like(t)


@pytest.mark.parametrize("axis", [(1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0)])
def test_vqf_follows_single_axis_rotations(axis: tuple[float, float, float]) -> None:
    t = np.arange(0, 30, 0.01)
    pose = chain(t, [Link(((axis, Angle(sines=((1.0, 0.4, 0.0),))),))])[0]
    reading = sensor_on(pose, Rotation.identity(), (0.0, 0.05, 0.0))
    oriented = orient_all(frames_of(np.concatenate([reading.acc, reading.gyr], axis=1)[:, None]))
    truth = reading.orientation.inv().apply([0.0, 0.0, 1.0])
    up = unrotate(oriented.quat[:, 0], [0.0, 0.0, 1.0])
    assert rms_deg(np.arccos(np.clip(np.sum(up * truth, axis=1), -1, 1))) < 1.0


@pytest.mark.parametrize("seed", range(4))
def test_inclination_and_elbow_of_a_two_segment_arm(seed: int) -> None:
    """Sensors up to 25 degrees askew, noisy and biased, a carrying angle, the upper arm going along while bending."""
    rng = np.random.default_rng(seed)
    motion = arm_motion(90, carrying=rng.uniform(-0.05, 0.2), swing=rng.uniform(0.4, 0.7))
    readings, _ = read(motion, rng, tilt_rad=np.radians(25) * rng.uniform(0.5, 1), noise=1.0, bias_rad_s=0.005)
    oriented = orient_all(frames_of(readings))
    calibration = calibrate(oriented, RIG, TimeSpan(*POSE_S), MOVED)
    assert calibration.verdict is not Verdict.REPEAT, calibration.advice
    rows = featurize_all(mount_all(oriented, RIG, calibration), RIG, BEDSIDE, Side.RIGHT, calibration)
    exercise = motion.t >= EXERCISE_S
    for part in ("upper-arm", "forearm", "hand"):
        assert rms_deg(up_error(rows, motion, part)[exercise]) < 3.0
    assert rms_deg((column(rows, "elbow flexion") - motion.elbow)[exercise]) < 6.0
    assert rms_deg((column(rows, "forearm pronation") - motion.pronation)[exercise]) < 6.0
    lean = motion.poses["thorax"].orientation.inv().apply([0.0, 0.0, 1.0])
    assert rms_deg((column(rows, "trunk lean forward") - np.arctan2(-lean[:, 0], lean[:, 1]))[exercise]) < 3.0


def test_a_pose_that_is_ten_degrees_off_costs_that_much_and_no_more() -> None:
    rng = np.random.default_rng(9)
    motion = arm_motion(90, carrying=0.12, pose_error=(0.17, -0.17, -0.3))
    readings, _ = read(motion, rng, tilt_rad=np.radians(15), noise=1.0)
    oriented = orient_all(frames_of(readings))
    calibration = calibrate(oriented, RIG, TimeSpan(*POSE_S), MOVED)
    rows = featurize_all(mount_all(oriented, RIG, calibration), RIG, BEDSIDE, Side.RIGHT, calibration)
    exercise = motion.t >= EXERCISE_S
    assert rms_deg((column(rows, "elbow flexion") - motion.elbow)[exercise]) < 15.0
    assert rms_deg(up_error(rows, motion, "forearm")[exercise]) < 20.0


def test_calibration_finds_the_mounting() -> None:
    rng = np.random.default_rng(5)
    motion = arm_motion(30, carrying=0.15)
    readings, mounts = read(motion, rng, tilt_rad=np.radians(25), noise=1.0)
    calibration = calibrate(orient_all(frames_of(readings)), RIG, TimeSpan(*POSE_S), MOVED)
    for part, mounting in zip(PARTS, calibration.mountings, strict=True):
        found = Rotation.from_quat(np.roll(mounting.quat, -1))
        limit = 30 if part == "thorax" else 9  # nothing but the way it is worn tells a trunk sensor's heading
        assert np.degrees((found * mounts[part].inv()).magnitude()) < limit, part
    assert calibration.mountings[2].carrying_rad == pytest.approx(0.15, abs=0.03)
    assert {mounting.method for mounting in calibration.mountings[1:]} == {"movement"}


@pytest.mark.parametrize("stretch", [0.8, 1.3])
def test_stretching_further_than_bending_is_no_reason_to_turn_the_arm_round(stretch: float) -> None:
    rng = np.random.default_rng(12)
    readings, mounts = read(arm_motion(30, stretch=stretch, swing=0.2), rng, tilt_rad=np.radians(20), noise=1.0)
    calibration = calibrate(orient_all(frames_of(readings)), RIG, TimeSpan(*POSE_S), MOVED)
    for part, mounting in list(zip(PARTS, calibration.mountings, strict=True))[2:]:
        found = Rotation.from_quat(np.roll(mounting.quat, -1))
        assert np.degrees((found * mounts[part].inv()).magnitude()) < 9, part


def test_a_sensor_without_a_gyroscope_is_calibrated_by_its_orientation() -> None:
    frames = frames_of(read(arm_motion(30), np.random.default_rng(13))[0])
    values = orient_all(frames).values.copy()
    values[:, :, 3:6] = np.nan
    calibration = calibrate(Frames(0, frames.time_s, values, frames.valid), RIG, TimeSpan(*POSE_S), MOVED)
    assert calibration.verdict is Verdict.GOOD
    values[:, 3, :3] = np.nan  # nor an accelerometer
    calibration = calibrate(Frames(0, frames.time_s, values, frames.valid), RIG, TimeSpan(*POSE_S), MOVED)
    assert calibration.of("right-hand") is None
    assert Message.of(Code.NO_ACCELERATION, sensor="right-hand") in calibration.advice


@pytest.mark.parametrize("turned_deg", [90, 162])
def test_a_hole_that_costs_the_heading_does_not_cost_the_elbow(turned_deg: float) -> None:
    """After half a second without data the forearm's filter begins anew, with another heading; the elbow finds it."""
    motion = arm_motion(120, carrying=0.1)
    oriented = orient_all(frames_of(read(motion, np.random.default_rng(14))[0]))
    calibration = calibrate(oriented, RIG, TimeSpan(*POSE_S), MOVED)
    mounted = mount_all(oriented, RIG, calibration)
    values, valid = mounted.values.copy(), mounted.valid.copy()
    valid[6000:6050, 2] = False
    values[6000:6050, 2] = np.nan
    turn = Rotation.from_rotvec([0.0, 0.0, np.radians(turned_deg)])
    turned = turn * Rotation.from_quat(np.roll(values[6050:, 2, 6:], -1, axis=1))
    values[6050:, 2, 6:] = np.roll(turned.as_quat(), 1, axis=1)
    rows = featurize_all(Frames(0, mounted.time_s, values, valid), RIG, BEDSIDE, Side.RIGHT, calibration)
    known = rows.valid[:, BEDSIDE.index("elbow flexion")] & (motion.t > 61)
    assert known.mean() > 0.45
    assert rms_deg((column(rows, "elbow flexion") - motion.elbow)[known]) < 6.0


def test_calibration_says_what_was_wrong() -> None:
    rng = np.random.default_rng(6)
    still = frames_of(read(arm_motion(30), rng)[0])
    assert calibrate(orient_all(still), RIG, TimeSpan(*POSE_S), MOVED).verdict is Verdict.GOOD
    restless = calibrate(orient_all(still), RIG, TimeSpan(5.0, 8.0), MOVED)
    assert restless.verdict is Verdict.REPEAT
    assert Code.MOVED_IN_POSE in {advice.code for advice in restless.advice}
    lazy = {Side.RIGHT: ArmMovements(TimeSpan(0.5, 3.5), TimeSpan(*TURNING_S))}
    unbent = calibrate(orient_all(still), RIG, TimeSpan(*POSE_S), lazy)
    assert unbent.verdict is Verdict.REPEAT
    assert Code.BEND_FURTHER in {advice.code for advice in unbent.advice}


def test_a_silent_sensor_is_left_out_and_named() -> None:
    frames = frames_of(read(arm_motion(30), np.random.default_rng(7))[0])
    valid = frames.valid.copy()
    valid[:, 3] = False
    calibration = calibrate(orient_all(Frames(0, frames.time_s, frames.values, valid)), RIG, TimeSpan(*POSE_S), MOVED)
    assert calibration.of("right-hand") is None
    assert calibration.verdict is Verdict.USABLE
    assert Message.of(Code.SENT_NOTHING, sensor="right-hand") in calibration.advice
    nothing = Frames(0, frames.time_s, frames.values, np.zeros_like(valid))
    with pytest.raises(CalibrationError):
        calibrate(nothing, RIG, TimeSpan(*POSE_S), MOVED)


def test_yaw_drift_leaves_bedside_unchanged() -> None:
    """Each sensor's earth turns by up to 60 degrees an hour, each its own way, for ten minutes, from any heading."""
    rng = np.random.default_rng(11)
    motion = arm_motion(600, carrying=0.1)
    oriented = orient_all(frames_of(read(motion, rng, tilt_rad=0.2, noise=1.0)[0]))
    calibration = calibrate(oriented, RIG, TimeSpan(*POSE_S), MOVED)
    mounted = mount_all(oriented, RIG, calibration)
    values = mounted.values.copy()
    for sensor, drift_deg_h in enumerate((60, -60, 60, -30)):
        yaw = rng.uniform(-np.pi, np.pi) + np.radians(drift_deg_h) * motion.t / 3600
        turn = Rotation.from_rotvec(np.outer(yaw, [0.0, 0.0, 1.0]))
        quat = turn * Rotation.from_quat(np.roll(values[:, sensor, 6:], -1, axis=1))
        values[:, sensor, 6:] = np.roll(quat.as_quat(), 1, axis=1)
    drifting = Frames(0, mounted.time_s, values, mounted.valid)
    plain = featurize_all(mounted, RIG, BEDSIDE, Side.RIGHT, calibration)
    drifted = featurize_all(drifting, RIG, BEDSIDE, Side.RIGHT, calibration)
    tracked = [BEDSIDE.index("elbow flexion"), BEDSIDE.index("forearm pronation")]
    others = [i for i in range(len(BEDSIDE)) if i not in tracked]
    np.testing.assert_allclose(drifted.values[:, others], plain.values[:, others], atol=1e-9)
    # Flexion and pronation follow the drift with a lag: 120 degrees an hour between two sensors cost less than 2.
    assert np.degrees(np.abs(drifted.values - plain.values)[:, tracked]).max() < 2.0
    assert rms_deg((column(drifted, "elbow flexion") - motion.elbow)[motion.t > EXERCISE_S]) < 6.0


def test_a_left_arm_is_a_right_arm_in_the_mirror() -> None:
    """The same movement made by the other arm gives the same features, through the whole chain."""
    rng = np.random.default_rng(8)
    readings, _ = read(arm_motion(60, carrying=0.1), rng, tilt_rad=np.radians(10), noise=1.0)
    right = frames_of(readings)
    # A mirrored person wears mirrored sensors, and a mirrored sensor is one turned by half a turn about its y axis.
    values = mirror(right.values)
    values[:, :, [0, 2, 3, 5]] *= -1
    left = Frames(0, right.time_s, values, right.valid)
    left_rig = Rig("left", tuple(Sensor(p.mirrored.value, p.mirrored, "none", 100.0) for p in PLACES))
    both = []
    for frames, rig, side in ((right, RIG, Side.RIGHT), (left, left_rig, Side.LEFT)):
        oriented = orient_all(frames)
        calibration = calibrate(oriented, rig, TimeSpan(*POSE_S), {side: MOVED[Side.RIGHT]})
        both.append(featurize_all(mount_all(oriented, rig, calibration), rig, BEDSIDE, side, calibration))
    arm = [i for i, name in enumerate(BEDSIDE.names) if not name.startswith("t")]  # a sternum sensor is not turned
    np.testing.assert_allclose(both[0].values[:, arm], both[1].values[:, arm], atol=1e-6)


def test_virtual_imus_on_real_people_drinking(data_folder: Path) -> None:
    """59 drinks of 20 people: inclination within 3 degrees, elbow flexion within 8 (both RMS over all trials).

    The axes of each part come from the joint markers, as does the carrying angle: what the calibration movements would
    measure. Sensors are noisy and biased, and each drink starts with a fresh filter.
    """
    rng = np.random.default_rng(10)
    errors: dict[str, list[float]] = {}
    for name in drinking.trials(data_folder):
        drink = drinking.load(data_folder, name)
        side = Side(drink.side)
        places = (Place.STERNUM, Place.on(side, "upper-arm"), Place.on(side, "forearm"))
        rig = Rig("three", tuple(Sensor(place.value, place, "none", 100.0) for place in places))
        readings = np.stack([np.concatenate([imu.acc, imu.gyr], axis=1)[::2] for imu in drink.parts.values()], axis=1)
        readings[:, :, :3] += rng.normal(0, 0.03, readings[:, :, :3].shape)
        readings[:, :, 3:] += rng.normal(0, 0.003, readings[:, :, 3:].shape) + rng.normal(0, 0.003, (1, 3, 3))
        oriented = orient_all(frames_of(readings))
        for sensor, (part, imu) in enumerate(drink.parts.items()):
            truth = imu.orientation.inv().apply([0.0, 0.0, 1.0])[::2]
            up = unrotate(oriented.quat[:, sensor], [0.0, 0.0, 1.0])
            errors.setdefault(part, []).append(rms_deg(np.arccos(np.clip(np.sum(up * truth, axis=1), -1, 1))))
        for how, carrying in (("elbow", drink.carrying_rad), ("elbow, carrying angle unknown", 0.0)):
            forearm = Mounting(places[2].value, places[2], (1.0, 0.0, 0.0, 0.0), 0.0, 1.0, "markers", (), carrying)
            calibration = Calibration((forearm,), 1.0, Verdict.GOOD)
            rows = featurize_all(oriented, rig, BEDSIDE, side, calibration)
            errors.setdefault(how, []).append(rms_deg(column(rows, "elbow flexion") - drink.elbow_flexion[::2]))
    overall = {what: float(np.sqrt(np.mean(np.square(each)))) for what, each in errors.items()}
    print({what: (round(value, 2), round(max(errors[what]), 2)) for what, value in overall.items()})
    assert len(errors["elbow"]) == 59
    assert max(overall[part] for part in drink.parts) < 3.0
    assert overall["elbow"] < 8.0
    assert overall["elbow, carrying angle unknown"] < 8.0


def test_the_upright_person_faces_x() -> None:
    np.testing.assert_allclose(UPRIGHT.apply([1.0, 0, 0]), [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(UPRIGHT.apply([0, 1.0, 0]), [0, 0, 1], atol=1e-12)

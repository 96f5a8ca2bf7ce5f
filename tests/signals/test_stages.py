"""Orientation and features: stream equals kernel, and the promises of recipe `bedside`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from rehabcount.domain.calibration import Calibration, Mounting, Verdict
from rehabcount.domain.motion import Frames, Rows
from rehabcount.domain.rig import Rig, Side, make_rig
from rehabcount.signals.calibration import mount, mount_all
from rehabcount.signals.features import (
    BEDSIDE,
    PAPER77,
    RECIPES,
    featurize,
    featurize_all,
    mirror,
    normalize_trial,
)
from rehabcount.signals.orientation import orient, orient_all
from tests.signals.streams import chop

NINE = make_rig("nine", Side.RIGHT, "none", 100.0)


def moving_body(seed: int, length: int = 400, holes: bool = True) -> Frames:
    """Nine body parts with smooth, unrelated rotations; quaternions, rates and specific force all agree."""
    rng = np.random.default_rng(seed)
    t = np.arange(length) / 100
    values = np.empty((length, 9, 10))
    for sensor in range(9):
        axis = rng.normal(size=3)
        angle = rng.uniform(0.3, 1.2) * np.sin(2 * np.pi * rng.uniform(0.2, 0.7) * t + rng.uniform(0, 6))
        start = Rotation.from_matrix(np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]))
        turned = start * Rotation.from_rotvec(axis / np.linalg.norm(axis) * angle[:, None])
        values[:, sensor, 0:3] = turned.inv().apply([0.0, 0.0, 9.81]) + rng.normal(0, 0.3, (length, 3))
        values[:, sensor, 3:6] = axis / np.linalg.norm(axis) * np.gradient(angle, 0.01)[:, None]
        values[:, sensor, 6:10] = np.roll(turned.as_quat(), 1, axis=1)
    valid = np.ones((length, 9), bool)
    if holes:
        for _ in range(12):
            start_at, sensor = int(rng.integers(length)), int(rng.integers(9))
            valid[start_at : start_at + int(rng.integers(1, 80)), sensor] = False
    values[~valid] = np.nan
    return Frames(0, t, values, valid)


def cut(frames: Frames, seed: int) -> list[Frames]:
    return [
        Frames(frames.index + part.start, frames.time_s[part], frames.values[part], frames.valid[part])
        for part in chop(seed, len(frames))
    ]


def calibration_of(rig: Rig, seed: int = 0) -> Calibration:
    rng = np.random.default_rng(seed)
    mountings = []
    for sensor in rig.sensors:
        assert sensor.place is not None
        w, x, y, z = np.roll(Rotation.random(rng=rng).as_quat(), 1)
        mountings.append(
            Mounting(
                sensor.name, sensor.place, (float(w), float(x), float(y), float(z)), rng.uniform(-3, 3), 1.0, "made up"
            )
        )
    return Calibration(tuple(mountings), 1.0, Verdict.GOOD)


def assert_rows_equal(parts: list[Rows], whole: Rows) -> None:
    np.testing.assert_array_equal(np.concatenate([part.values for part in parts]), whole.values)
    np.testing.assert_array_equal(np.concatenate([part.valid for part in parts]), whole.valid)


def turned_about_vertical(frames: Frames, yaw: NDArray[np.float64]) -> Frames:
    """Every sensor's earth turned by its own yaw (n, sensors)."""
    values = frames.values.copy()
    for sensor in range(values.shape[1]):
        known = frames.valid[:, sensor]
        quat = Rotation.from_quat(np.roll(values[known, sensor, 6:], -1, axis=1))
        turned = Rotation.from_rotvec(np.outer(yaw[known, sensor], [0.0, 0.0, 1.0])) * quat
        values[known, sensor, 6:] = np.roll(turned.as_quat(), 1, axis=1)
    return Frames(frames.index, frames.time_s, values, frames.valid)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), cuts=st.integers(0, 10_000))
def test_orientation_stream_equals_kernel(seed: int, cuts: int) -> None:
    frames = moving_body(seed)
    whole = orient_all(frames)
    parts = list(orient(cut(frames, cuts)))
    np.testing.assert_array_equal(np.concatenate([part.values for part in parts]), whole.values)
    np.testing.assert_array_equal(np.concatenate([part.valid for part in parts]), whole.valid)


def test_orientation_survives_a_hole_and_keeps_the_frames_invalid() -> None:
    frames = moving_body(3, length=3000, holes=False)
    for hole in (slice(1000, 1020), slice(1000, 1300)):  # bridged; begun anew
        valid = frames.valid.copy()
        valid[hole] = False
        values = frames.values.copy()
        values[:, :, 6:] = np.nan
        values[~valid] = np.nan
        oriented = orient_all(Frames(0, frames.time_s, values, valid))
        assert not oriented.valid[hole].any()
        up = Rotation.from_quat(np.roll(oriented.quat[2900:, 4], -1, axis=1)).inv().apply([0.0, 0.0, 1.0])
        truth = Rotation.from_quat(np.roll(frames.quat[2900:, 4], -1, axis=1)).inv().apply([0.0, 0.0, 1.0])
        assert np.degrees(np.arccos(np.clip(np.sum(up * truth, axis=1), -1, 1))).max() < 5


def test_a_device_orientation_is_kept_where_there_is_no_gyroscope() -> None:
    frames = moving_body(4, holes=False)
    values = frames.values.copy()
    values[:, :, 3:6] = np.nan
    oriented = orient_all(Frames(0, frames.time_s, values, frames.valid))
    np.testing.assert_array_equal(oriented.quat, frames.quat)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), cuts=st.integers(0, 10_000), name=st.sampled_from(sorted(RECIPES)))
def test_features_stream_equals_kernel(seed: int, cuts: int, name: str) -> None:
    recipe = RECIPES[name]
    frames, calibration = moving_body(seed, 200), calibration_of(NINE, seed)
    whole = featurize_all(mount_all(frames, NINE, calibration), NINE, recipe, Side.LEFT, calibration)
    parts = list(featurize(mount(cut(frames, cuts), NINE, calibration), NINE, recipe, Side.LEFT, calibration))
    assert_rows_equal(parts, whole)
    assert whole.values.shape[1] == len(recipe)
    assert np.isfinite(whole.values).all()
    assert (whole.values[~whole.valid] == 0).all()


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_mirroring_the_body_swaps_the_arms_exactly(seed: int) -> None:
    frames = moving_body(seed, 200)
    swap = [NINE.places.index(place.mirrored) for place in NINE.places if place is not None]
    mirrored = Frames(0, frames.time_s, mirror(frames.values)[:, swap], frames.valid[:, swap])
    for side in Side:
        as_it_is = featurize_all(frames, NINE, BEDSIDE, side)
        in_the_mirror = featurize_all(mirrored, NINE, BEDSIDE, side.other)
        np.testing.assert_array_equal(as_it_is.values, in_the_mirror.values)
        np.testing.assert_array_equal(as_it_is.valid, in_the_mirror.valid)
    np.testing.assert_array_equal(mirror(mirror(frames.values)), frames.values)


def test_a_mirrored_body_hangs_the_right_way_up() -> None:
    frames = moving_body(1, 50, holes=False)
    up = Rotation.from_quat(np.roll(frames.quat[:, 0], -1, axis=1)).inv().apply([0.0, 0.0, 1.0])
    quat = mirror(frames.values)[:, 0, 6:]
    up_mirrored = Rotation.from_quat(np.roll(quat, -1, axis=1)).inv().apply([0.0, 0.0, 1.0])
    np.testing.assert_allclose(up_mirrored, up * [1, 1, -1], atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_random_headings_leave_bedside_unchanged(seed: int) -> None:
    frames = moving_body(seed, 300)
    yaw = np.random.default_rng(seed + 1).uniform(-np.pi, np.pi, 9)
    turned = turned_about_vertical(frames, np.tile(yaw, (300, 1)))
    for side in Side:
        np.testing.assert_allclose(
            featurize_all(turned, NINE, BEDSIDE, side).values,
            featurize_all(frames, NINE, BEDSIDE, side).values,
            atol=1e-6,
        )


def test_q_and_minus_q_are_the_same_orientation() -> None:
    frames, calibration = moving_body(7, 200), calibration_of(NINE)
    values = frames.values.copy()
    values[::3, :, 6:] *= -1
    negated = Frames(0, frames.time_s, values, frames.valid)
    for recipe in RECIPES.values():
        np.testing.assert_allclose(
            featurize_all(negated, NINE, recipe, Side.RIGHT, calibration).values,
            featurize_all(frames, NINE, recipe, Side.RIGHT, calibration).values,
            atol=1e-12,
        )


def test_sensors_that_are_not_there_are_masked() -> None:
    frames = moving_body(8, 100, holes=False)
    full = featurize_all(frames, NINE, BEDSIDE, Side.RIGHT)
    assert full.valid.all()
    for kind in ("five", "three", "one"):
        rig = make_rig(kind, Side.RIGHT, "none", 100.0)
        columns = list(range(len(rig)))
        rows = featurize_all(
            Frames(0, frames.time_s, frames.values[:, columns], frames.valid[:, columns]), rig, BEDSIDE, Side.RIGHT
        )
        carried = {place.part.value for place in rig.places if place is not None and place.side is not Side.LEFT}
        for index, name in enumerate(BEDSIDE.names[:54]):
            assert rows.valid[:, index].all() == (name.split(" ")[0] in carried), (kind, name)
        assert rows.valid[:, BEDSIDE.index("elbow flexion")].all() == ({"upper-arm", "forearm"} <= carried)


def test_paper77_is_normalised_per_trial_and_keeps_the_side() -> None:
    frames, calibration = moving_body(9, 300, holes=False), calibration_of(NINE)
    for side, number in ((Side.LEFT, 0.0), (Side.RIGHT, 1.0)):
        rows = featurize_all(frames, NINE, PAPER77, side, calibration)
        values = normalize_trial(rows.values, rows.valid, kept=1)
        assert values.shape == (300, 77)
        np.testing.assert_allclose(values[:, :76].mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(values[:, :76].std(axis=0), 1, atol=1e-9)
        assert (values[:, 76] == number).all()


@given(arrays(np.float64, (12, 5), elements=st.floats(-1e6, 1e6)))
def test_a_trial_is_normalised_by_column_with_population_deviation(values: np.ndarray) -> None:
    values[:, 2] = 0.1  # constant, and not a binary fraction
    out = normalize_trial(values, np.ones(values.shape, bool), kept=1)
    np.testing.assert_array_equal(out[:, -1], values[:, -1])
    assert (out[:, 2] == 0).all()
    for column in (0, 1, 3):
        deviation = values[:, column].std()
        if deviation > 1e-6:
            np.testing.assert_allclose(
                out[:, column], (values[:, column] - values[:, column].mean()) / deviation, rtol=1e-6, atol=1e-6
            )


def test_unknown_cells_are_left_out_of_the_normalisation() -> None:
    values = np.array([[1.0, 0.0], [np.nan, 0.0], [3.0, np.nan]])
    known = np.isfinite(values)
    np.testing.assert_allclose(normalize_trial(values, known, kept=1), [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(normalize_trial(values, known), [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])


def test_paper77_masks_what_needs_a_heading_that_was_lost() -> None:
    frames, calibration = moving_body(10, 300, holes=False), calibration_of(NINE)
    valid = frames.valid.copy()
    valid[100:150, NINE.names.index("right-hand")] = False
    rows = featurize_all(Frames(0, frames.time_s, frames.values, valid), NINE, PAPER77, Side.RIGHT, calibration)
    for name, kept in (
        ("right-hand free acceleration x", True),
        ("right-hand quaternion x", False),
        ("wrist extension right", False),
        ("elbow flexion right", True),
        ("left-hand quaternion x", True),
    ):
        assert rows.valid[200:, PAPER77.index(name)].all() == kept, name
        assert rows.valid[:100, PAPER77.index(name)].all(), name


def test_paper77_wants_a_calibration() -> None:
    with pytest.raises(ValueError, match="paper77"):
        featurize_all(moving_body(1, 10), NINE, PAPER77, Side.LEFT)


def test_recipes_are_named_ordered_and_unique() -> None:
    assert len(BEDSIDE) == 87
    assert len(PAPER77) == 77
    for recipe in RECIPES.values():
        assert len(set(recipe.names)) == len(recipe)

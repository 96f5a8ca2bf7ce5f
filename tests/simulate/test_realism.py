"""The measures themselves, on motion whose answer is known, and on real drinks where they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rehabcount.datasets.drinking import FIT_SUBJECTS, read_drinks
from rehabcount.domain.arrays import Floats
from rehabcount.domain.rig import Side
from rehabcount.errors import DatasetMissing
from rehabcount.signals import rotation
from rehabcount.simulate.body import make_body, move_body
from rehabcount.simulate.impairment import draw_impairment
from rehabcount.simulate.motion import perform
from rehabcount.simulate.movement import MOTION_RATE_HZ, minimum_jerk
from rehabcount.simulate.realism import (
    ArmMotion,
    arc_length,
    count_peaks,
    find_phases,
    imu_windows,
    markers_of,
    measure_drink,
    speed_of,
    virtual_imu,
)
from rehabcount.simulate.scene import Furniture, Habits, Scene
from rehabcount.simulate.tabletop import single_drink


def way(length_s: float, *steps: tuple[float, float, list[float]]) -> Floats:
    """A path made of minimum-jerk steps: start, length, change."""
    t = np.arange(int(length_s * MOTION_RATE_HZ)) / MOTION_RATE_HZ
    path = np.zeros((len(t), 3))
    for start, took, change in steps:
        path += minimum_jerk((t - start) / took)[:, None] * np.array(change)
    return path


def test_phases_of_a_known_drink() -> None:
    wrist = way(
        8.0,
        (0.5, 0.8, [0.1, 0.0, -0.15]),
        (1.5, 1.2, [-0.2, 0.3, 0.0]),
        (3.5, 1.2, [0.2, -0.3, 0.0]),
        (5.5, 0.8, [-0.1, 0.0, 0.15]),
    )
    phases = find_phases(wrist)
    assert phases is not None
    middles = [(a + b) / 2 / MOTION_RATE_HZ for a, b in phases.values()]
    assert middles == pytest.approx([0.9, 2.1, 4.1, 5.9], abs=0.08)
    assert find_phases(wrist * [1, 0, 1]) is None  # nothing was raised


def test_one_smooth_step_has_one_peak_and_the_known_arc_length() -> None:
    smooth = speed_of(way(1.4, (0.2, 1.0, [0.3, 0.0, 0.0])), 40.0)[40:240]
    assert count_peaks(smooth) == 1
    assert arc_length(smooth) == pytest.approx(-1.41, abs=0.06)  # a single bell: about -1.4 in the literature
    jerky = speed_of(way(2.4, *((0.2 + 0.45 * i, 0.5, [0.08, 0, 0]) for i in range(4))), 40.0)[40:440]
    assert count_peaks(jerky) == 4
    assert arc_length(jerky) < arc_length(smooth) - 0.5


def test_a_still_cluster_feels_gravity_alone() -> None:
    place = {name: np.tile([0.3, 0.2, 0.1], (400, 1)) for name in ("thorax", "upper arm", "forearm")}
    turn = {name: np.tile([1.0, 0, 0, 0], (400, 1)) for name in place}
    motion = ArmMotion(np.zeros((400, 3)), place, turn)
    acc, gyr = virtual_imu(motion, "forearm")
    assert acc == pytest.approx(np.tile([0, 9.81, 0], (400, 1)), abs=1e-6)
    assert gyr == pytest.approx(np.zeros((400, 3)), abs=1e-9)
    assert imu_windows(motion).shape == (3, 72)


def test_a_left_drinker_measures_like_a_right_one() -> None:
    found = []
    for side in Side:
        rng = np.random.default_rng(4)
        body = make_body(1.7)
        scene = Scene(
            body, {each: draw_impairment(66, np.random.default_rng(1)) for each in Side}, Habits(), Furniture(), rng
        )
        single_drink(scene, side)
        pose = move_body(body, perform(scene).channels)
        measures = measure_drink(markers_of(body, pose, side, np.random.default_rng(0)))
        assert measures is not None
        found.append(measures)
    left, right = found
    for name in ("to mouth: duration (s)", "to mouth: peak speed (m/s)", "whole drink (s)"):
        assert left[name] == pytest.approx(right[name], rel=0.15)


def test_missing_recordings_say_where_they_belong(tmp_path: Path) -> None:
    with pytest.raises(DatasetMissing) as caught:
        next(read_drinks(tmp_path))
    assert "REHABCOUNT_DATA" in caught.value.advice


def test_real_drinks_are_read_and_measured(data_folder: Path) -> None:
    drinks = [drink for drink in read_drinks(data_folder) if drink.subject in FIT_SUBJECTS]
    assert len(drinks) == 30
    for drink in drinks[::6]:
        measures = measure_drink(ArmMotion(drink.wrist, drink.place, drink.turn))
        assert measures is not None, drink.trial
        assert 0.2 < measures["to mouth: peak speed (m/s)"] < 1.5
        assert 2.0 < measures["whole drink (s)"] < 15.0
        assert float(rotation.angle_between(drink.turn["thorax"][0], [1, 0, 0, 0])) < 0.05

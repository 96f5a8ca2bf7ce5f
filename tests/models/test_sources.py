"""Corpora as training sets. Real data where they are; needs torch only through the package's own imports."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rehabcount.errors import DatasetMissing
from rehabcount.models.data import TrainingSet, tokens_of
from rehabcount.models.sources import (
    ROBOT_COLUMNS,
    arm_gestures,
    jigsaws_gestures,
    jigsaws_primitives,
    open_data,
    robot_features,
)
from tests.models.conftest import write_set


def test_features_of_the_robot_do_not_see_the_quaternions_sign() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(20, 22))
    turned = values.copy()
    turned[:, 6:10] *= -1
    assert robot_features(values).shape == (20, len(ROBOT_COLUMNS))
    assert np.allclose(robot_features(values), robot_features(turned))


def test_real_jigsaws(data_folder: Path) -> None:
    data = jigsaws_gestures(data_folder / "jigsaws")
    assert len({trial.subject for trial in data.trials}) == 8
    assert data.labels[:2] == ("none", "G1")
    first = data.trials[1]
    assert [data.labels[token] for token in tokens_of(first, data.counted)][:3] == ["G1", "G5", "G8"]


def test_real_gestures_are_cut_in_a_pause(data_folder: Path) -> None:
    data = arm_gestures(data_folder / "gestures")
    assert [trial.split for trial in data.trials] == ["train"] * 4 + ["valid", "test"]
    assert all(trial.labels[0] == trial.labels[-1] == 0 for trial in data.trials)
    halves = [sum(len(t) for t in data.of(s)) for s in ("train", "valid", "test")]
    assert halves[0] + halves[1] == pytest.approx(halves[2], rel=0.05)
    assert sum(len(tokens_of(trial, data.counted)) for trial in data.trials) == 26 * 11


def test_folders_are_recognised(small_set: TrainingSet, tmp_path: Path, data_folder: Path) -> None:
    with pytest.raises(DatasetMissing) as caught:
        open_data(tmp_path)
    assert "set.json" in caught.value.advice
    write_set(tmp_path, small_set)
    assert open_data(tmp_path).name == "small"
    found = open_data(data_folder / "jigsaws")
    assert {trial.subject for trial in found.of("test")} == {"S09"}


def test_primitives_of_each_hand(data_folder: Path) -> None:
    data = jigsaws_primitives(data_folder / "jigsaws")
    bare = jigsaws_primitives(data_folder / "jigsaws", gripper=False)
    assert len(data.columns) - len(bare.columns) == 2
    left, right = data.trials[:2]
    assert (left.name, right.name) == ("S02_T01 left", "S02_T01 right")
    own = [i for i, name in enumerate(data.columns) if name.startswith("this")]
    other = [i for i, name in enumerate(data.columns) if name.startswith("other") and "from" not in name]
    np.testing.assert_allclose(left.rows[:, own], right.rows[:, other])
    assert data.excluded == ("none", "Idle")
    assert {data.labels[token] for token in tokens_of(left, data.counted)} <= {
        "Grasp",
        "Release",
        "Touch",
        "Untouch",
        "Pull",
        "Push",
    }

"""Readers of JIGSAWS and the arm gestures, on made files and (where they are) on the real ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rehabcount.datasets import gestures, jigsaws
from rehabcount.errors import DatasetChanged, DatasetMissing

COLUMNS = [
    f"{arm}_{name}"
    for arm in ("PSML", "PSMR")
    for name in (
        "position_x",
        "position_y",
        "position_z",
        "velocity_x",
        "velocity_y",
        "velocity_z",
        "orientation_x",
        "orientation_y",
        "orientation_z",
        "orientation_w",
        "gripper_angle",
    )
]


def write_task(path: Path, changes: dict[str, np.ndarray] | None = None) -> None:
    frames = 12
    rng = np.random.default_rng(0)
    motion = rng.normal(size=(frames, 22)).astype(np.float32)
    motion[:, 6:10] = [0.5, 0.5, 0.5, 0.5]
    motion[5:9, 6:10] *= -1  # the same orientation with the other sign
    arrays = {
        "columns": np.array(COLUMNS),
        "S02_T01/motion": motion,
        "S02_T01/gesture": np.array([""] * 2 + ["G1"] * 6 + ["G5"] * (frames - 8)),
        "S02_T01/primitive_L": np.array(["Idle"] * frames),
        "S02_T01/primitive_R": np.array(["Grasp"] * frames),
    }
    np.savez(path, allow_pickle=False, **{**arrays, **(changes or {})})


def test_a_made_task(tmp_path: Path) -> None:
    write_task(tmp_path / "suturing.npz")
    (trial,) = jigsaws.read_task(tmp_path, "suturing").trials
    assert (trial.name, trial.surgeon) == ("S02_T01", "S02")
    assert trial.gesture[:3] == (jigsaws.NONE, jigsaws.NONE, "G1")
    assert (trial.values[:, 6:10] == 0.5).all()  # no more leaps
    assert trial.primitive_right[0] == "Grasp"


def test_jigsaws_that_is_missing_or_other(tmp_path: Path) -> None:
    with pytest.raises(DatasetMissing, match=r"suturing\.npz") as caught:
        jigsaws.read_task(tmp_path, "suturing")
    assert caught.value.advice
    with pytest.raises(ValueError, match="knot_tying"):
        jigsaws.read_task(tmp_path, "juggling")
    write_task(tmp_path / "suturing.npz", {"S02_T01/gesture": np.array(["G1"] * 3)})
    with pytest.raises(DatasetChanged, match="S02_T01"):
        jigsaws.read_task(tmp_path, "suturing")
    write_task(tmp_path / "suturing.npz", {"columns": np.array(COLUMNS[:5])})
    with pytest.raises(DatasetChanged):
        jigsaws.read_task(tmp_path, "suturing")
    (tmp_path / "suturing.npz").write_bytes(b"PK")
    with pytest.raises(DatasetChanged):
        jigsaws.read_task(tmp_path, "suturing")


def write_gestures(path: Path, labels: np.ndarray) -> None:
    motion = np.random.default_rng(0).normal(size=(len(labels), 15)).astype(np.float32)
    names = np.array(["", "null", "Drink", "Cut"])
    np.savez(
        path,
        allow_pickle=False,
        motion=motion,
        label=labels,
        label_names=names,
        columns=np.array(list("abcdefghijklmno")),
    )


def test_made_gestures(tmp_path: Path) -> None:
    write_gestures(tmp_path / "subject1.npz", np.array([1, 1, 2, 2, 1, 3], np.int16))
    found = gestures.read_subject(tmp_path)
    assert found.label_names == ("null", "drink", "cut")
    assert found.labels.tolist() == [0, 0, 1, 1, 0, 2]


def test_gestures_that_are_missing_or_other(tmp_path: Path) -> None:
    with pytest.raises(DatasetMissing):
        gestures.read_subject(tmp_path)
    write_gestures(tmp_path / "subject1.npz", np.array([0, 1, 9], np.int16))
    with pytest.raises(DatasetChanged, match=r"0\.\.9"):
        gestures.read_subject(tmp_path)


def test_the_real_ones(data_folder: Path) -> None:
    task = jigsaws.read_task(data_folder / "jigsaws", "suturing")
    assert len(task.trials) == 38
    assert "S07_T01" not in [trial.name for trial in task.trials]
    for trial in task.trials:
        for first in (6, 17):
            turns = (trial.values[1:, first : first + 4] * trial.values[:-1, first : first + 4]).sum(axis=1)
            assert (turns >= 0).all()
    stream = gestures.read_subject(data_folder / "gestures")
    runs = stream.labels[np.concatenate([[True], stream.labels[1:] != stream.labels[:-1]])]
    counts = np.bincount(runs)[1:]
    assert len(counts) == 11
    assert (counts == 26).all()

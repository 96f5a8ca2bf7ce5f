"""A small, learnable training set. The tests of this folder need torch (`pip install "rehabcount[train]"`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rehabcount.models.data import Sensors, TrainingSet, Trial, write_trials


def write_set(folder: Path, data: TrainingSet) -> None:
    """Keep a set whose trials are at hand."""
    write_trials(folder, data, data.trials)


def make_trial(number: int, split: str, rng: np.random.Generator, movements: int = 12) -> Trial:
    """Three movements, each a constant push on one axis of one sensor with noise; repeats begin with a jerk."""
    labels, onsets, rows = list[int](), list[bool](), list[np.ndarray]()
    for _ in range(movements):
        label, length = int(rng.integers(3)), int(rng.integers(8, 20))
        block = rng.normal(0, 0.3, (length, 6))
        block[:, label] += 2.0
        block[0, 3] += 4.0
        rows.append(block)
        labels += [label] * length
        onsets += [True] + [False] * (length - 1)
    values = np.concatenate(rows).astype(np.float32)
    return Trial(
        f"{split} {number}",
        f"{split} person {number}",
        split,
        values,
        np.ones(values.shape, bool),
        np.array(labels, np.int16),
        np.array(onsets),
    )


@pytest.fixture
def small_set() -> TrainingSet:
    rng = np.random.default_rng(5)
    trials = [make_trial(i, "train", rng) for i in range(6)] + [make_trial(i, "valid", rng) for i in range(2)]
    sensors = Sensors(("a", "b"), ((0, 1, 2), (3, 4, 5)), (((0, 1, 2),), ((3, 4, 5),)), ((0,),))
    return TrainingSet("small", ("push", "pull", "rest"), (), 20.0, tuple("uvwxyz"), tuple(trials), sensors)

"""Training sets: kept and read back, split by subject, normalised, cut into batches, augmented. Needs torch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch", reason="batches need the extra `train`")

from rehabcount.errors import DatasetChanged, DatasetMissing
from rehabcount.inference.inputs import model_input
from rehabcount.models import augment as augmenting
from rehabcount.models.augment import GENTLE, AugmentSettings, augment, random_rotation
from rehabcount.models.batches import Cut, epoch_plan, make_batch, steps_of, target_of
from rehabcount.models.data import (
    Sensors,
    TrainingSet,
    input_spec,
    joined,
    onsets_of,
    read_set,
    tokens_of,
    with_splits,
)
from tests.models.conftest import write_set


def test_a_set_survives_its_folder(small_set: TrainingSet, tmp_path: Path) -> None:
    write_set(tmp_path / "set", small_set)
    again = read_set(tmp_path / "set")
    assert again.sha256 == small_set.sha256
    assert isinstance(again.trials[0].rows, np.memmap)
    assert [trial.name for trial in again.trials] == [trial.name for trial in small_set.trials]
    assert again.sensors == small_set.sensors


def test_the_hash_sees_every_number(small_set: TrainingSet) -> None:
    rows = np.array(small_set.trials[3].rows)
    rows[5, 2] += 1e-6
    trials = list(small_set.trials)
    trials[3] = replace(trials[3], rows=rows)
    assert replace(small_set, trials=tuple(trials)).sha256 != small_set.sha256


def test_folders_that_are_no_set(small_set: TrainingSet, tmp_path: Path) -> None:
    with pytest.raises(DatasetMissing, match=r"set\.json"):
        read_set(tmp_path)
    write_set(tmp_path, small_set)
    np.save(tmp_path / "rows.npy", np.zeros((3, 6), np.float32))
    with pytest.raises(DatasetChanged):
        read_set(tmp_path)


def test_other_sets_bring_people_to_train_and_validate_with_but_none_to_test(small_set: TrainingSet) -> None:
    split_of = {trial.subject: trial.split for trial in small_set.trials}
    tested = next(iter(split_of))
    other = with_splits(small_set, split_of | {tested: "test"})
    both = joined(small_set, [other, other])
    assert [len(both.of(split)) for split in ("train", "valid", "test")] == [6 + 5 + 5, 6, 0]
    assert len({trial.subject for trial in both.trials}) == 8 + 7 + 7
    with pytest.raises(DatasetChanged, match="rate_hz"):
        joined(small_set, [replace(small_set, rate_hz=50.0)])


def test_a_subject_is_in_one_split_only(small_set: TrainingSet) -> None:
    same = tuple(replace(trial, subject="one") for trial in small_set.trials)
    with pytest.raises(ValueError, match="by subject"):
        replace(small_set, trials=same)
    moved = with_splits(small_set, {"train person 0": "test", "train person 1": "train"})
    assert [trial.split for trial in moved.trials] == ["test", "train"]


def test_normalisation_is_by_training_trials_only(small_set: TrainingSet) -> None:
    trials = tuple(
        replace(trial, rows=trial.rows + (100 if trial.split == "valid" else 0)) for trial in small_set.trials
    )
    spec = input_spec(replace(small_set, trials=trials))
    inputs = np.concatenate([model_input(t.rows, t.valid, spec) for t in small_set.of("train")])
    assert inputs[:, :6].mean(axis=0) == pytest.approx(np.zeros(6), abs=1e-4)
    assert inputs[:, :6].std(axis=0) == pytest.approx(np.ones(6), abs=1e-3)
    assert (inputs[:, 6:] == 1).all()


def test_repeats_are_tokens_and_excluded_labels_are_not(small_set: TrainingSet) -> None:
    trial = small_set.trials[0]
    assert len(tokens_of(trial, (0, 1, 2))) == trial.onsets.sum()
    assert 2 not in tokens_of(trial, (0, 1))


@pytest.mark.parametrize(
    ("labels", "onsets", "cut", "expected"),
    [
        ([0] * 5 + [1] * 5, [0, 5], Cut(10, 5), (3, [0, 1])),
        ([0] * 5 + [0] * 5, [0, 5], Cut(10, 5), (3, [0, 0])),  # a repeat
        ([0] * 3 + [1] * 4 + [2] * 3, [0, 3, 7], Cut(10, 5, 3), (0, [1])),  # the margins are not the target's
        ([0] * 4 + [1] * 6, [0, 4], Cut(10, 5, 2), (0, [0, 1])),  # the stretch before has told of the first
        ([0] * 7 + [1] * 3, [0, 7], Cut(10, 5, 2), (0, [0])),  # less than half of the last lies inside
        ([1] * 10, [], Cut(10, 5, 2), (1, [1])),  # under way since before, never ending
        ([0] + [1] * 9, [0, 1], Cut(10, 5, 2), (0, [1])),  # less than half of it lies before: not told yet
        ([-1] * 2 + [1] * 4 + [2] * 4, [6], Cut(10, 5, 2), (3, [1, 2])),  # the trial begins behind the margin
        ([0] * 2 + [1] * 4 + [2] * 2, [2, 6], Cut(10, 5, 2), (0, [1, 2])),  # and ends before the other
        ([-1] * 2 + [1] * 3, [2], Cut(10, 5, 2), (3, [1])),  # a trial shorter than the part between them
    ],
)
def test_targets(labels: list[int], onsets: list[int], cut: Cut, expected: tuple[int, list[int]]) -> None:
    begins = np.zeros(len(labels), bool)
    begins[onsets] = True
    assert target_of(np.array(labels, np.int16), begins, cut, 3) == expected


def test_what_comes_before_a_window_is_what_the_window_before_ended_with() -> None:
    """In training the label before is taken from the reference, in use from the network: the two must mean the same."""
    rng = np.random.default_rng(3)
    cut = Cut(30, 20, 5)
    inner = 0
    for _ in range(50):
        labels = np.repeat(rng.integers(3, size=60), rng.integers(1, 15, 60)).astype(np.int16)
        onsets = onsets_of(labels)
        told: list[int] = []
        for start in range(0, len(labels) - cut.length, cut.length - 2 * cut.margin):
            previous, tokens = target_of(
                labels[start : start + cut.length], onsets[start : start + cut.length], cut, none=3
            )
            if told:
                assert previous == told[-1]
                inner += previous == tokens[0]
            told = tokens
    assert inner > 100  # a movement under way at the border is in both windows


def test_a_faster_stretch_has_its_end_too(small_set: TrainingSet) -> None:
    """Time warp takes more of the trial where it speeds up, instead of leaving the last frames empty."""
    trial = small_set.of("train")[0]
    trial = replace(trial, labels=np.zeros_like(trial.labels), onsets=np.zeros_like(trial.onsets))
    cut, spec, length = Cut(20, 10), input_spec(small_set), len(trial)
    empty = 0
    for seed in range(50):
        inner = make_batch(small_set, [trial], [(0, length // 4)], cut, spec, replace(GENTLE, warp=0.2), (seed, 0, 0))
        empty += int((inner.labels < 0).any())
    assert empty <= 2


def test_steps_keep_the_label_that_begins() -> None:
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1], np.int16)
    onsets = np.array([1, 0, 0, 0, 1, 0, 0, 0, 0], bool)
    found, begins = steps_of(labels, onsets, 3)
    assert found.tolist() == [0, 1, 1]
    assert begins.tolist() == [True, True, False]


def test_plans_and_batches_depend_on_nothing_but_their_numbers(small_set: TrainingSet) -> None:
    cut, spec = Cut(40, 20), input_spec(small_set)
    trials = small_set.of("train")
    plan = epoch_plan(trials, cut, 1, 7, 3)
    assert plan == epoch_plan(trials, cut, 1, 7, 3)
    assert plan != epoch_plan(trials, cut, 1, 7, 4)
    assert {i for i, _ in plan} == set(range(len(trials)))
    one, two = (
        make_batch(small_set, trials, plan[:4], cut, spec, AugmentSettings(), (7, 3, 0)).inputs for _ in range(2)
    )
    assert one.equal(two)
    assert one.shape == (4, 40, spec.width)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), degrees=st.floats(0, 180))
def test_rotations_are_rotations(seed: int, degrees: float) -> None:
    turn = random_rotation(degrees, np.random.default_rng(seed))
    assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-9)
    assert np.linalg.det(turn) == pytest.approx(1.0)


SENSORS = Sensors(("a", "b"), ((0, 1, 2), (3, 4, 5)), (((0, 1, 2),), ()), ((0,),))


def stretch(seed: int, frames: int = 80) -> augmenting.TrialPart:
    rng = np.random.default_rng(seed)
    labels = np.repeat(rng.integers(0, 3, frames // 10), 10).astype(np.int16)
    onsets = np.zeros(len(labels), bool)
    onsets[::10] = True
    return rng.normal(size=(len(labels), 6)).astype(np.float32), np.ones((len(labels), 6), bool), labels, onsets


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_rotation_keeps_lengths_of_vectors_and_leaves_the_rest(seed: int) -> None:
    one = stretch(seed)
    only = AugmentSettings(rotation_deg=30, warp=0, noise=0)
    rows, valid, labels, onsets = augment(one, SENSORS, 20.0, only, np.random.default_rng(seed))
    assert np.linalg.norm(rows[:, :3], axis=1) == pytest.approx(np.linalg.norm(one[0][:, :3], axis=1), rel=1e-4)
    assert np.array_equal(rows[:, 3:], one[0][:, 3:])
    assert np.array_equal(labels, one[2])
    assert np.array_equal(onsets, one[3])
    assert valid.all()


def test_rolls_turn_about_the_body_part_and_offsets_move_joint_angles_alone() -> None:
    one = stretch(1)
    only = AugmentSettings(rotation_deg=0, roll_deg=30, warp=0, noise=0)
    rows = augment(one, SENSORS, 20.0, only, np.random.default_rng(1))[0]
    assert rows[:, 1] == pytest.approx(one[0][:, 1], abs=1e-4)  # along the body part
    assert np.abs(rows[:, 0] - one[0][:, 0]).max() > 0.1
    assert np.hypot(rows[:, 0], rows[:, 2]) == pytest.approx(np.hypot(one[0][:, 0], one[0][:, 2]), rel=1e-4)
    joint = replace(SENSORS, columns=((0, 1, 2, 5), (3, 4, 5)))  # column 5 needs both sensors
    only = AugmentSettings(rotation_deg=0, offset_rad=0.3, warp=0, noise=0)
    moved = augment(one, joint, 20.0, only, np.random.default_rng(1))[0] - one[0]
    assert np.array_equal(moved[:, :5], np.zeros((len(moved), 5)))
    assert moved[:, 5] == pytest.approx(moved[0, 5], abs=1e-5)
    assert abs(moved[0, 5]) > 1e-3


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_warping_keeps_the_order_of_movements(seed: int) -> None:
    one = stretch(seed)
    only = AugmentSettings(rotation_deg=0, warp=0.2, noise=0)
    _, _, labels, onsets = augment(one, SENSORS, 20.0, only, np.random.default_rng(seed))
    before, after = one[2][one[3]].tolist(), labels[onsets].tolist()
    assert after == before[: len(after)]
    assert len(labels) == len(one[2])
    assert after


def test_a_faster_movement_turns_faster_and_is_pushed_harder() -> None:
    """Against the same swing computed at that speed: an arm of 0.4 m on a hinge, its sensor at the end."""
    rate_hz, factor = 100.0, 1.3

    def swing(speed: float) -> augmenting.TrialPart:
        t = np.arange(300) / rate_hz * speed
        angle, rate, turning = 0.8 * np.sin(2 * t), 1.6 * np.cos(2 * t) * speed, -3.2 * np.sin(2 * t) * speed**2
        up = np.stack([np.sin(angle), np.cos(angle), 0 * t], 1)
        force = up + 0.4 / 9.81 * np.stack([turning, rate**2, 0 * t], 1)
        rows = np.concatenate([np.stack([0 * t, 0 * t, rate], 1), force, up], 1).astype(np.float32)
        return rows, np.ones(rows.shape, bool), np.zeros(len(t), np.int16), np.arange(len(t)) == 0

    sensor = Sensors(("arm",), (tuple(range(9)),), (((0, 1, 2), (3, 4, 5), (6, 7, 8)),), (), inertial=True)
    slow, fast = swing(1.0), swing(factor)
    warped = augmenting.at_speed(slow, sensor, np.minimum(np.arange(300) * factor, 299.0))
    whole = slice(0, 225)
    assert warped[0][whole] == pytest.approx(fast[0][whole], abs=2e-3)
    assert np.abs(slow[0][whole] - fast[0][whole]).max() > 0.5


def test_a_filter_takes_what_is_fast_and_leaves_what_is_slow() -> None:
    t = np.arange(400) / 100
    slow, fast = np.sin(2 * np.pi * 0.5 * t), np.sin(2 * np.pi * 20 * t)
    rows = np.stack([slow, fast, slow, fast, slow, fast], 1).astype(np.float32)
    only = AugmentSettings(rotation_deg=0, warp=0, noise=0, smooth_chance=1.0)
    one = (rows, np.ones(rows.shape, bool), np.zeros(400, np.int16), np.arange(400) == 0)
    longest = max(range(20), key=lambda seed: np.random.default_rng(seed).random(2)[1])
    found = augment(one, SENSORS, 100.0, only, np.random.default_rng(longest))[0][20:-20]
    assert np.abs(found[:, 0] - slow[20:-20]).max() < 0.05
    assert np.abs(found[:, 1]).max() < 0.4


def test_what_is_not_valid_stays_where_it_is() -> None:
    rows, valid, labels, onsets = stretch(3)
    rows[5, 1], valid[5, 1] = np.nan, False
    found, _, _, _ = augment((rows, valid, labels, onsets), SENSORS, 20.0, augmenting.GENTLE, np.random.default_rng(3))
    assert np.isfinite(found).all()


def test_dropped_sensors_are_not_valid_and_zero(small_set: TrainingSet) -> None:
    lost = rig = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows, valid, _, _ = augment(stretch(seed), SENSORS, 20.0, augmenting.BEDSIDE, rng)
        assert (rows[~valid] == 0).all()
        for columns in SENSORS.columns:
            whole = valid[:, list(columns)]
            assert (whole == whole[:, :1]).all()  # a sensor is there or not, with all its columns
            gone = np.flatnonzero(~whole[:, 0])
            lost += bool(len(gone)) and whole[0, 0]
        rig += not valid[:, 3:].any()
    assert lost > 0
    assert rig > 5


def test_every_epoch_sees_both_ends_of_every_trial(small_set: TrainingSet) -> None:
    trials, cut = small_set.of("train"), Cut(40, 20)
    for epoch in range(5):
        plan = epoch_plan(trials, cut, 2, 7, epoch)
        for i, trial in enumerate(trials):
            starts = [start for j, start in plan if j == i]
            assert min(starts) == 0
            assert max(starts) == (len(trial) // 2 - 40) * 2
            assert len(starts) == len(set(starts))


def test_every_movement_of_a_trial_is_a_target_though_windows_have_margins(small_set: TrainingSet) -> None:
    """The first and the last movement last less than the margin; so does the whole trial."""
    labels = np.array([0] * 4 + [1] * 80 + [2] * 4, np.int16)
    rows, seen = np.zeros((88, 6), np.float32), np.ones((88, 6), bool)
    long = replace(small_set.trials[0], rows=rows, valid=seen, labels=labels, onsets=onsets_of(labels))
    short = replace(long, rows=long.rows[:6], valid=long.valid[:6], labels=labels[:6], onsets=long.onsets[:6])
    cut, spec = Cut(40, 20, 8), input_spec(small_set)
    for trial, expected in ((long, {0, 1, 2}), (short, {0, 1})):
        plan = epoch_plan([trial], cut, 1, 7, 0)
        batch = make_batch(small_set, [trial], plan, cut, spec, None, (7, 0, 0))
        assert set(batch.tokens[batch.tokens >= 0].tolist()) == expected
        assert batch.inputs.shape[1] == 40
        before = [max(0, -start) for _, start in plan]
        assert all((batch.labels[i, :n] == -1).all() for i, n in enumerate(before))


def test_a_trial_ends_anywhere_in_its_last_window(small_set: TrainingSet) -> None:
    """As when a whole trial is read: its end lies where the grid of windows happens to leave it."""
    trial, cut = small_set.of("train")[0], Cut(40, 20, 8)
    filled = set()
    for epoch in range(50):
        last = max(start for _, start in epoch_plan([trial], cut, 1, 7, epoch))
        filled.add(len(trial) - (last + cut.margin))
    assert min(filled) == 1
    assert max(filled) >= 20  # of the 24 steps of a centre: hops are as long as this


def test_stretches_without_labels_are_left_out(small_set: TrainingSet) -> None:
    trial = small_set.of("train")[0]
    labels = trial.labels.copy()
    labels[50:] = -1
    cut = Cut(20, 10)
    plan = epoch_plan([replace(trial, labels=labels)], cut, 1, 7, 0)
    assert plan
    assert all(start < 50 for _, start in plan)


def test_people_of_a_validating_set_all_validate(small_set: TrainingSet) -> None:
    tested = replace(small_set.trials[0], split="test", subject="t")
    other = replace(small_set, name="other", trials=(*small_set.trials, tested))
    both = joined(small_set, [], [other])
    assert both.of("train") == small_set.of("train")
    assert len(both.of("valid")) == len(small_set.of("valid")) + len(small_set.trials)
    assert not both.of("test")

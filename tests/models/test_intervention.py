"""The intervention: frequencies, joins, labels, people, reproducibility. Needs torch for the training itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

pytest.importorskip("torch", reason="training needs the extra `train`")

from rehabcount.errors import DatasetError, ModelMismatch
from rehabcount.models.data import Sensors, TrainingSet, Trial, read_set
from rehabcount.models.intervention import (
    PERSON,
    Intervention,
    draws,
    missing_steps,
    new_trials,
    pool_of,
    reassembled,
)
from rehabcount.models.train import TrainSettings, train
from tests.models.conftest import write_set

RATE = 20.0


def same(one: Trial, two: Trial) -> bool:
    return one.name == two.name and all(
        np.array_equal(getattr(one, name), getattr(two, name)) for name in ("rows", "valid", "labels", "onsets")
    )


def counting_set() -> TrainingSet:
    """Trials whose rows say where they come from: trial number, frame; steps of 6 to 20 frames."""
    rng = np.random.default_rng(3)
    trials = []
    for number in range(5):
        lengths = rng.integers(6, 21, 8 + number)
        labels = np.repeat(rng.integers(0, 3, len(lengths)), lengths).astype(np.int16)
        onsets = np.zeros(len(labels), bool)
        onsets[np.cumsum([0, *lengths[:-1]])] = True
        labels[:3], onsets[:3] = -1, False
        rows = np.stack([np.full(len(labels), number), np.arange(len(labels))], axis=1).astype(np.float32)
        valid = np.ones(rows.shape, bool)
        trials.append(Trial(f"t{number}", f"person {number % 2}", "train", rows, valid, labels, onsets))
    return TrainingSet("counting", ("a", "b", "c"), (), RATE, ("trial", "frame"), tuple(trials))


def test_steps_are_drawn_with_the_frequency_they_have_in_training() -> None:
    data = counting_set()
    pool = pool_of(data.trials)
    drawn = np.concatenate([chosen for _, chosen in draws(pool, Intervention(videos=400))])
    each = np.bincount(drawn, minlength=len(pool))
    assert chisquare(each).pvalue > 0.01
    classes = np.bincount(pool.label[drawn], minlength=3)
    expected = np.bincount(pool.label, minlength=3) / len(pool) * len(drawn)
    assert chisquare(classes, expected).pvalue > 0.01
    # What follows what is drawn anew as well: as often as independent draws give it.
    pairs = np.zeros((3, 3))
    for _, chosen in draws(pool, Intervention(videos=400, seed=2)):
        labels = pool.label[chosen[: len(chosen) // 2 * 2]].reshape(-1, 2)
        np.add.at(pairs, (labels[:, 0], labels[:, 1]), 1)
    share = np.bincount(pool.label, minlength=3) / len(pool)
    assert chisquare(pairs.ravel(), (np.outer(share, share) * pairs.sum()).ravel()).pvalue > 0.01


@pytest.mark.parametrize(("videos", "steps"), [(1.0, 1.0), (2.0, 0.5), (0.5, 1.5)])
def test_numbers_of_trials_and_steps(videos: float, steps: float) -> None:
    pool = pool_of(counting_set().trials)
    made = list(draws(pool, Intervention(videos=40 * videos, steps=steps)))
    assert len(made) == round(40 * videos * 5)
    counts = np.bincount(pool.trial)
    for model, chosen in made:
        assert len(chosen) == round(steps * counts[model])
    drawn = np.bincount([model for model, _ in made], minlength=5)
    assert chisquare(drawn).pvalue > 0.01


def test_labels_onsets_and_frames_are_those_of_the_steps() -> None:
    data = counting_set()
    pool = pool_of(data.trials)
    wanted = Intervention(fade_s=0.0)
    for trial, (_, chosen) in zip(new_trials(data, wanted), draws(pool, wanted), strict=True):
        at = 0
        for step in chosen:
            source, part = data.trials[pool.trial[step]], slice(pool.start[step], pool.end[step])
            here = slice(at, at + part.stop - part.start)
            assert np.array_equal(trial.rows[here], source.rows[part])
            assert np.array_equal(trial.labels[here], source.labels[part])
            assert trial.onsets[here].tolist() == [True] + [False] * (part.stop - part.start - 1)
            at = here.stop
        assert at == len(trial)
        assert trial.subject == PERSON


def smooth_set() -> TrainingSet:
    """Slow waves: no frame differs much from the one before."""
    trials = []
    rng = np.random.default_rng(1)
    for number in range(4):
        time = np.arange(600) / RATE
        rows = np.sin(time[:, None] * rng.uniform(0.5, 1.5, 6) + rng.uniform(0, 6, 6)).astype(np.float32)
        labels = (np.arange(600) // 15 % 3).astype(np.int16)
        onsets = np.arange(600) % 15 == 0
        trials.append(Trial(f"t{number}", f"p{number}", "train", rows, np.ones(rows.shape, bool), labels, onsets))
    return TrainingSet("smooth", ("a", "b", "c"), (), RATE, tuple("uvwxyz"), tuple(trials))


def test_joins_are_faded_and_labels_are_not() -> None:
    data = smooth_set()
    hard = list(new_trials(data, Intervention(fade_s=0.0)))
    faded = list(new_trials(data, Intervention(fade_s=0.5)))
    leap = {
        name: max(np.abs(np.diff(t.rows, axis=0)).max() for t in some) for name, some in (("h", hard), ("f", faded))
    }
    usual = max(np.abs(np.diff(t.rows, axis=0)).max() for t in data.trials)
    assert leap["h"] > 1.5
    assert leap["f"] < 2.0 * 2 / 10 + 2 * usual  # the largest difference of two waves, over ten frames
    for one, two in zip(hard, faded, strict=True):
        assert np.array_equal(one.labels, two.labels)
        assert np.array_equal(one.onsets, two.onsets)
        away = np.ones(len(one), bool)
        for join in np.flatnonzero(one.onsets):
            away[max(0, join - 5) : join + 5] = False
        assert np.array_equal(one.rows[away], two.rows[away])
        assert away.any()


def test_a_join_goes_on_in_both_trials() -> None:
    """In the middle of a join there is half of what came after the one step, and half of what came before the other."""
    data = counting_set()
    wanted = Intervention(fade_s=4 / RATE)
    pool = pool_of(data.trials)
    trial, (_, chosen) = next(zip(new_trials(data, wanted), draws(pool, wanted), strict=False))
    at, joins = 0, 0
    for one, two in pairwise(chosen):
        at += pool.end[one] - pool.start[one]
        if (pool.trial[one], pool.end[one]) == (pool.trial[two], pool.start[two]):
            continue
        last = len(data.trials[pool.trial[one]]) - 1
        for i, share in enumerate((0.125, 0.375, 0.625, 0.875)):
            old = np.array([pool.trial[one], min(pool.end[one] - 2 + i, last)])
            new = np.array([pool.trial[two], max(pool.start[two] - 2 + i, 0)])
            assert trial.rows[at - 2 + i] == pytest.approx((1 - share) * old + share * new, rel=1e-5)
        joins += 1
    assert joins > 3


def test_a_sensor_missing_on_one_side_is_missing_in_the_join() -> None:
    data = smooth_set()
    lost = data.trials[0].valid.copy()
    lost[:, :3] = False
    trials = (replace(data.trials[0], valid=lost), *data.trials[1:])
    data = replace(data, trials=trials)
    pool, wanted = pool_of(trials), Intervention(fade_s=0.5)
    found = 0
    for trial, (_, chosen) in zip(new_trials(data, wanted), draws(pool, wanted), strict=True):
        at = 0
        for one, two in pairwise(chosen):
            at += pool.end[one] - pool.start[one]
            if (pool.trial[one] == 0) != (pool.trial[two] == 0):
                found += 1
                assert not trial.valid[at - 5 : at + 5, :3].any()
                assert (trial.rows[at - 5 : at + 5, :3] == 0).all()
                assert trial.valid[at - 5 : at + 5, 3:].all()
    assert found > 5


def test_blended_directions_keep_their_length() -> None:
    data = smooth_set()
    rng = np.random.default_rng(0)
    trials = []
    for trial in data.trials:
        rows = trial.rows.copy()
        rows[:, 3:] = rng.normal(size=3)
        rows[:, 3:] /= np.linalg.norm(rows[:, 3:], axis=1, keepdims=True)
        trials.append(replace(trial, rows=rows))
    sensors = Sensors(("s",), (tuple(range(6)),), (((0, 1, 2), (0, 1, 2), (3, 4, 5)),), inertial=True)
    data = replace(data, trials=tuple(trials), sensors=sensors)
    for trial in new_trials(data, Intervention(fade_s=0.5)):
        assert np.linalg.norm(trial.rows[:, 3:], axis=1) == pytest.approx(np.ones(len(trial)), abs=1e-4)


def test_one_persons_steps_stay_together() -> None:
    data = counting_set()
    person_of = {float(i): trial.subject for i, trial in enumerate(data.trials)}
    for trial in new_trials(data, Intervention(videos=4, fade_s=0.0, within_person=True)):
        assert {person_of[number] for number in np.unique(trial.rows[:, 0]).tolist()} == {trial.subject}


def test_steps_drawn_together_followed_each_other() -> None:
    pool, together = pool_of(counting_set().trials), 3
    drawn = []
    for _, chosen in draws(pool, Intervention(videos=400, run=together)):
        drawn.append(chosen)
        for one, two in ((chosen[i], chosen[i + 1]) for i in range(len(chosen) - 1) if (i + 1) % together):
            own = np.flatnonzero(pool.trial == pool.trial[one])
            assert two == (own[0] if one == own[-1] else one + 1)
    each = np.bincount(np.concatenate(drawn), minlength=len(pool))
    assert each.min() > 0.8 * each.mean()
    assert each.max() < 1.2 * each.mean()


def test_only_training_people_are_mixed(small_set: TrainingSet) -> None:
    marked = tuple(
        replace(trial, rows=trial.rows + (100 if trial.split == "valid" else 0)) for trial in small_set.trials
    )
    new = reassembled(replace(small_set, trials=marked), Intervention(videos=2.0, seed=1))
    assert len(new) == 12
    assert all(trial.split == "train" and trial.rows.max() < 50 for trial in new)


def test_the_same_seed_gives_the_same_trials(small_set: TrainingSet, tmp_path: Path) -> None:
    one, two = (reassembled(small_set, Intervention(seed=4)) for _ in range(2))
    assert all(same(a, b) for a, b in zip(one, two, strict=True))
    other = reassembled(small_set, Intervention(seed=5))
    assert not all(len(a) == len(b) for a, b in zip(one, other, strict=True))
    kept = reassembled(small_set, Intervention(seed=4), tmp_path / "new")
    assert all(same(a, b) for a, b in zip(one, kept, strict=True))
    write_set(tmp_path / "mapped", small_set)
    mapped = reassembled(read_set(tmp_path / "mapped"), Intervention(seed=4))
    assert all(same(a, b) for a, b in zip(one, mapped, strict=True))
    before = (tmp_path / "new" / "rows.npy").stat().st_mtime_ns
    reassembled(small_set, Intervention(seed=4), tmp_path / "new")
    assert (tmp_path / "new" / "rows.npy").stat().st_mtime_ns == before  # those found are taken
    changed = reassembled(small_set, Intervention(seed=5), tmp_path / "new")
    assert all(same(a, b) for a, b in zip(other, changed, strict=True))


def test_long_draws_end_early() -> None:
    """One step in fifty is a thousand times as long: drawn too often, the new trials would fill a disk."""
    labels = np.zeros(5000, np.int16)
    labels[50:] = 1
    onsets = np.zeros(5000, bool)
    onsets[:51] = True
    rows = np.zeros((5000, 1), np.float32)
    trial = Trial("long", "p", "train", rows, np.ones(rows.shape, bool), labels, onsets)
    data = TrainingSet("long", ("a", "b"), (), RATE, ("x",), (trial,))
    for seed in range(10):
        made = list(new_trials(data, Intervention(videos=30, seed=seed)))
        assert made
        assert sum(map(len, made[1:])) <= 1.2 * 30 * 5000


def test_a_step_missing_from_training_is_named(small_set: TrainingSet) -> None:
    pushes = [replace(t, labels=np.where(t.labels == 1, 0, t.labels)) for t in small_set.of("train")]
    data = replace(small_set, trials=(*pushes, *small_set.of("valid")))
    assert missing_steps(data) == ["pull"]
    with pytest.raises(DatasetError, match="pull occurs in validation or test but not in training"):
        reassembled(data, Intervention())


@pytest.mark.parametrize("wrong", [{"videos": 0.0}, {"steps": -1.0}, {"fade_s": -0.1}, {"run": 0}])
def test_impossible_interventions_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        Intervention(**wrong)  # type: ignore[arg-type]


def test_a_resumed_training_with_intervention_is_the_same(small_set: TrainingSet, tmp_path: Path) -> None:
    settings = TrainSettings(
        "edtcn", "tiny", length_s=3.0, epochs=4, batch=4, augment="none", intervene=1.0, intervene_steps=0.5
    )
    straight = train(small_set, settings, tmp_path / "straight")

    class Stopped(Exception):
        pass

    def stop(now: object) -> None:
        if now.epoch == 2:  # type: ignore[attr-defined]
            raise Stopped

    with pytest.raises(Stopped):
        train(small_set, settings, tmp_path / "resumed", on_progress=stop, keep_every_s=0.0)
    resumed = train(small_set, settings, tmp_path / "resumed")
    for name, value in straight.network.state_dict().items():
        assert np.array_equal(value.numpy(), resumed.network.state_dict()[name].numpy()), name
    assert straight.durations.follow == pytest.approx(  # successions are those of people
        train(small_set, replace(settings, intervene=0.0, epochs=1)).durations.follow
    )
    with pytest.raises(ModelMismatch, match="other settings"):
        train(small_set, replace(settings, intervene_steps=1.0), tmp_path / "resumed")

"""Fitting and tuning the decoder; what is kept after training. Needs torch (extra `train`)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

import itertools

from rehabcount.errors import CardInvalid
from rehabcount.inference.duration_hmm import DurationModel
from rehabcount.models import decoding
from rehabcount.models.data import TrainingSet, Trial, kind_of, with_splits
from rehabcount.models.network import Estimate
from rehabcount.models.scoring import Score, score
from rehabcount.models.train import TrainSettings, train
from rehabcount.models.trained import read_decoder
from rehabcount.models.tuning import drawn_of, finish, frames_of, keep, measured


def noisy(trial: Trial, seed: int, sharpness: float) -> decoding.Scored:
    """Scores that lean towards the truth, with onsets half seen."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(len(trial), 3)) + sharpness * np.eye(3)[trial.labels]
    scores = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    onset = np.where(trial.onsets, 1.0, -2.0) + rng.normal(size=len(trial))
    return decoding.Scored(Estimate((), scores, onset), tuple(trial.labels[trial.onsets].tolist()))


def test_fit_counts_what_follows_what_and_how_long(small_set: TrainingSet) -> None:
    model = decoding.fit(small_set.of("train"), 3, 1, 20.0)
    assert np.exp(model.start).sum() == pytest.approx(1)
    assert np.exp(model.follow).sum(axis=1) == pytest.approx(np.ones(3))
    assert np.exp(model.durations).sum(axis=1) == pytest.approx(np.ones(3))
    mode = np.exp(model.durations).argmax(axis=1) + 1
    assert all(5 <= each <= 20 for each in mode)  # movements last 8 to 19 frames


def test_a_label_never_seen_can_still_be_decoded(small_set: TrainingSet) -> None:
    model = decoding.fit(small_set.of("train"), 4, 1, 20.0)
    scores = np.log(np.tile([0.01, 0.01, 0.01, 0.97], (30, 1)))
    assert [o.label for o in decoding.decode([Estimate((), scores)], model, None)[0]] == [3]


def test_what_is_not_counted_has_the_highest_price_that_costs_nothing() -> None:
    """Long pauses of label 2 are there at any price; where they are short and half sure, the price stays low."""
    flat, even = np.log(np.full((3, 80), 1 / 80)), np.log(np.full((3, 3), 1 / 3))
    model = DurationModel(even[0], even, flat, np.zeros(3))

    def scored(frames: int, sure: float) -> decoding.Scored:
        truth = np.repeat([0, 2, 1, 2, 0], [20, frames, 20, frames, 20])
        chance = np.full((len(truth), 3), 0.02)
        chance[np.arange(len(truth)), truth] = 0.96
        chance[truth == 2] = [1 - sure - 0.02, 0.02, sure]
        return decoding.Scored(Estimate((), np.log(chance)), (0, 1, 0))

    surest = decoding.price_uncounted([[scored(60, 0.97)]], model, 5, (0, 1))
    assert surest.count_bias.tolist() == [0, 0, -decoding.PRICES[0]]
    long = decoding.price_uncounted([[scored(60, 0.9)]], model, 5, (0, 1))
    assert long.count_bias.tolist() == [0, 0, -10.0]
    short = decoding.price_uncounted([[scored(6, 0.6)]], model, 5, (0, 1))
    found = decoding.score_of([scored(6, 0.6)], short, 5, (0, 1))
    assert found.aer <= decoding.score_of([scored(6, 0.6)], model, 5, (0, 1)).aer + decoding.DEAREST
    assert (
        decoding.price_uncounted([[scored(60, 0.97)]], model, 5, (0, 1, 2)) == model
    )  # all are counted: nothing to price


def test_durations_do_better_than_frames_and_tuning_not_worse(small_set: TrainingSet) -> None:
    scored = [noisy(trial, i, 1.5) for i, trial in enumerate(small_set.of("valid"))]
    model = decoding.fit(small_set.of("train"), 3, 1, 20.0)
    counted = small_set.counted
    assert all(each.estimate.log_probabilities is not None for each in scored)
    frames = [each.estimate.log_probabilities.argmax(axis=1) for each in scored]  # type: ignore[union-attr]
    runs = [[int(f[0]), *(int(b) for a, b in itertools.pairwise(f) if a != b)] for f in frames]
    plain = score([each.reference for each in scored], runs, 3)
    before = decoding.score_of(scored, model, 10, counted)
    tuned = decoding.tune([scored], model, 10, counted)
    after = decoding.score_of(scored, tuned, 10, counted)
    assert before.aer < plain.aer / 2
    assert after.aer <= before.aer


def test_each_kind_of_recording_has_the_same_say(small_set: TrainingSet) -> None:
    """Many recordings without errors beside one with some: only a rule that averages kinds still minds the one."""
    exact = [noisy(trial, i, 4.0) for i, trial in enumerate(small_set.of("train"))] * 20
    vague = [noisy(trial, i, 0.3) for i, trial in enumerate(small_set.of("valid"))]
    model, counted = decoding.fit(small_set.of("train"), 3, 1, 20.0), small_set.counted
    alone = [decoding.score_of(each, model, 10, counted).aer for each in (exact, vague)]
    assert decoding.mean_aer([exact, vague], model, 10, counted) == pytest.approx(sum(alone) / 2)
    assert decoding.score_of([*exact, *vague], model, 10, counted).aer < 0.6 * sum(alone) / 2


def test_kinds_are_drawn_in_equal_shares(small_set: TrainingSet) -> None:
    scored = [noisy(trial, i, 1.0) for i, trial in enumerate(small_set.of("train"))]
    length = frames_of(scored[0])
    kinds = drawn_of([scored * 5, scored * 2, scored[:1]], 12 * length, 2 * length)
    assert len(kinds) == 2  # one recording is too little for a say of its own
    assert all(5 * length < sum(map(frames_of, each)) < 8 * length for each in kinds)
    assert drawn_of([scored[:1]], 12 * length, 2 * length) == [scored[:1]]


def test_recordings_are_of_a_kind(small_set: TrainingSet) -> None:
    names = ("train/S07_session_1", "train/S07_made-up_right_1", "train/S07_shelf_right_1", "S07")
    kinds = [kind_of(replace(small_set.trials[0], name=name)) for name in names]
    assert kinds == ["session", "made-up", "activity", "activity"]


def test_bias_is_brought_within_the_bound(small_set: TrainingSet) -> None:
    scored = [noisy(trial, i, 2.0) for i, trial in enumerate(small_set.of("train"))]
    model = decoding.fit(small_set.of("train"), 3, 1, 20.0)
    eager = replace(model, count_bias=np.array([3.0, 0.0, -3.0]))
    before = decoding.score_of(scored, eager, None, small_set.counted).worst_bias
    settled = decoding.settle_bias(scored, eager, None, small_set.counted)
    after = decoding.score_of(scored, settled, None, small_set.counted).worst_bias
    assert after < before
    assert after <= 0.10


def test_a_count_that_leaps_is_taken_back(small_set: TrainingSet, monkeypatch: pytest.MonkeyPatch) -> None:
    """A label whose count is 20 % short up to a bonus of 1.2, right up to 1.3, and threefold beyond."""
    model = decoding.fit(small_set.of("train"), 3, 1, 20.0)

    def score_of(scored: object, tried: DurationModel, lag: int | None, counted: object) -> Score:
        bonus = float(tried.count_bias[1])
        bias = -0.2 if bonus < 1.2 else 0.0 if bonus < 1.3 else 2.0
        return Score(0.3, 70.0, (0.0, bias, 0.0), 100, 100)

    monkeypatch.setattr(decoding, "score_of", score_of)
    many = [decoding.Scored(Estimate(()), (1,) * 10_000)]
    settled = decoding.settle_bias(many, model, None, small_set.counted)
    assert 1.2 <= settled.count_bias[1] < 1.3
    few = [decoding.Scored(Estimate(()), (1,) * 2)]  # one more or less is nothing
    assert decoding.settle_bias(few, model, None, small_set.counted) is model


def test_what_is_kept_after_training(small_set: TrainingSet, tmp_path: Path) -> None:
    split = {trial.subject: trial.split for trial in small_set.trials} | {
        "train person 0": "test",
        "train person 1": "test",
    }
    data = with_splits(small_set, split)
    settings = TrainSettings("stream", "tiny", length_s=4.0, epochs=1, batch=4, durations=True, lag_s=0.4)
    outcome = train(data, settings, tmp_path)
    finished = finish(data, outcome, settings)
    document = keep(tmp_path, settings, outcome, finished)
    assert json.loads((tmp_path / "results.json").read_text()) == json.loads(json.dumps(document))
    assert [point["delay_s"] for point in document["curve"]] == [0.4, 0.6, 0.8, 1.0, 1.2, 1.6]
    rule = read_decoder(tmp_path)
    assert rule is not None
    assert isinstance(rule.model(), DurationModel)
    assert rule.lag_frames == 4  # 0.4 s at 10 frames a second
    scores = {each.metric: each for each in measured(tmp_path, "the test split")}
    assert scores["AER"].low is not None
    assert scores["AER"].low <= scores["AER"].value <= (scores["AER"].high or 0)
    (tmp_path / "decoder.json").write_text('{"lag_frames": 1}')
    with pytest.raises(CardInvalid):
        read_decoder(tmp_path)
    assert read_decoder(tmp_path / "nowhere") is None


def test_networks_of_their_own_way_keep_no_decoder(small_set: TrainingSet, tmp_path: Path) -> None:
    settings = TrainSettings("mstcn", "tiny", length_s=4.0, epochs=1, batch=4)
    outcome = train(small_set, settings, tmp_path)
    finished = finish(small_set, outcome, settings)
    assert finished.decoder is None
    assert finished.test is None
    keep(tmp_path, settings, outcome, finished)
    assert read_decoder(tmp_path) is None
    assert measured(tmp_path, "x") == ()


def test_empty_scores() -> None:
    nothing = score([], [], 2)
    assert np.isnan(nothing.aer)
    assert nothing.worst_bias == 0.0
    found = score([[0, 0, 1]], [[0, 1, 1, 1]], 3)
    assert found.bias == (-0.5, 2.0, None)
    assert found.worst_bias == 2.0
    assert found.total_bias == pytest.approx(1 / 3)

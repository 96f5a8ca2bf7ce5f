"""Seg2seq reads a segmenter's probabilities, one that has not seen the subject where such is given. Needs torch."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

from rehabcount.models.data import TrainingSet
from rehabcount.models.seg2seq import probability_set
from rehabcount.models.train import TrainSettings, build, train


def test_probabilities_in_place_of_rows(small_set: TrainingSet) -> None:
    settings = TrainSettings(
        "mstcn",
        "tiny",
        {"dropout": 0.0, "stages": 1},
        frames_per_step=2,
        length_s=4.0,
        epochs=8,
        batch=4,
        learning_rate=1e-2,
        bias_bound=float("inf"),
    )
    segmenter = train(small_set, settings)
    fresh, _ = build(small_set, settings)
    fresh.eval()
    found = probability_set(small_set, segmenter.spec, segmenter.network, {"train person 0": fresh})
    assert found.columns == ("p(push)", "p(pull)", "p(rest)")
    assert found.rate_hz == 10.0
    for trial, before in zip(found.trials, small_set.trials, strict=True):
        assert trial.rows.sum(axis=1) == pytest.approx(np.ones(len(trial)), abs=1e-4)
        assert len(trial) == len(before) // 2
        assert trial.onsets.sum() == before.onsets[: len(trial) * 2].sum()
    correct = [(trial.rows.argmax(axis=1) == trial.labels).mean() for trial in found.trials]
    assert min(correct[1:]) > correct[0]  # the first has a segmenter that has learned nothing
    outcome = train(found, TrainSettings("seg2seq", "tiny", epochs=1, batch=8))
    assert outcome.history


def test_a_network_of_another_rate_is_refused(small_set: TrainingSet) -> None:
    network, spec = build(small_set, TrainSettings("stream", "tiny"))
    with pytest.raises(ValueError, match="Stream"):
        probability_set(small_set, spec, network.eval())

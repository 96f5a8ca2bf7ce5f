"""The training loop: learns, selects by the rule, and goes on after a kill as if nothing had happened. Needs torch."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

import itertools

import torch

from rehabcount.errors import ArtifactMissing, CardInvalid, DatasetError, DatasetMissing, ModelMismatch
from rehabcount.models import tuning
from rehabcount.models.checkpoint import read_checkpoint
from rehabcount.models.data import Sensors, TrainingSet
from rehabcount.models.train import (
    Epoch,
    TrainingProgress,
    TrainSettings,
    learning_rate_at,
    selected,
    train,
    weights_sha256,
)
from tests.models.conftest import write_set

QUICK = TrainSettings("stream", "tiny", {"dropout": 0.2}, length_s=4.0, epochs=3, batch=4, learning_rate=5e-3)
ROOT = Path(__file__).parents[2]


class Killed(Exception):
    pass


@pytest.mark.parametrize("network", ["stream", "mstcn", "asrf", "raw2seq"])
def test_every_network_learns(network: str, small_set: TrainingSet) -> None:
    settings = TrainSettings(network, "tiny", length_s=4.0, epochs=4, batch=4, learning_rate=1e-2, augment="gentle")
    outcome = train(small_set, settings)
    assert len(outcome.history) == 4
    assert outcome.history[-1].loss < 0.95 * outcome.history[0].loss
    assert outcome.chosen in outcome.history


def test_stream_reads_the_small_set(small_set: TrainingSet) -> None:
    changes = {"maps": 16, "hidden": 16, "dropout": 0.0, "stride": 1}
    settings = replace(QUICK, changes=changes, epochs=15, learning_rate=1e-2, durations=True, lag_s=0.5)
    outcome = train(small_set, settings)
    assert outcome.chosen is not None
    assert outcome.chosen.aer < 0.35  # chance is about 0.9


@pytest.mark.parametrize(("stop_at", "average"), [(1, 0.0), (5, 0.9), (8, 0.0)])
def test_kill_and_resume_gives_the_same_bits(
    small_set: TrainingSet, tmp_path: Path, stop_at: int, average: float
) -> None:
    settings = replace(QUICK, average=average)
    whole = train(small_set, settings, tmp_path / "whole", keep_every_s=0.0)
    seen = 0

    def pull_the_plug(progress: TrainingProgress) -> None:
        nonlocal seen
        seen += 1
        if seen == stop_at:
            raise Killed

    with pytest.raises(Killed):
        train(small_set, settings, tmp_path / "cut", on_progress=pull_the_plug, keep_every_s=0.0)
    torch.rand(100)  # other use of the generator in between
    resumed = train(small_set, settings, tmp_path / "cut", keep_every_s=0.0)
    one, two = whole.network.state_dict(), resumed.network.state_dict()
    assert all(torch.equal(one[name], two[name]) for name in one)
    last, again = (read_checkpoint(tmp_path / each / "checkpoint.pt") for each in ("whole", "cut"))
    assert all(torch.equal(last.weights[name], again.weights[name]) for name in last.weights)
    assert [each.loss for each in whole.history] == [each.loss for each in resumed.history]


@pytest.mark.slow
def test_a_real_kill(small_set: TrainingSet, tmp_path: Path) -> None:
    write_set(tmp_path / "set", small_set)
    code = (
        "import sys; from pathlib import Path; from rehabcount.models.data import read_set; "
        "from rehabcount.models.train import TrainSettings, train; "
        "s = TrainSettings('stream', 'tiny', {'dropout': 0.2}, length_s=4.0, epochs=40, batch=4); "
        "o = train(read_set(Path(sys.argv[1])), s, Path(sys.argv[2]), keep_every_s=0.0); "
        "import torch; torch.save(o.network.state_dict(), Path(sys.argv[2]) / 'final.pt')"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def run(folder: Path) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "set"), str(folder)], env=environment)

    assert run(tmp_path / "whole").wait() == 0
    process = run(tmp_path / "cut")
    while not (tmp_path / "cut" / "checkpoint.pt").exists():
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "cut" / "final.pt").exists()
    assert run(tmp_path / "cut").wait() == 0
    one, two = (torch.load(tmp_path / each / "final.pt", weights_only=True) for each in ("whole", "cut"))
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_training_starts_from_given_weights(small_set: TrainingSet) -> None:
    first = train(small_set, QUICK).network.state_dict()
    again = replace(QUICK, epochs=1, start_sha256=weights_sha256(first))
    outcome = train(small_set, replace(again, learning_rate=0.0), start=first)
    assert all(torch.equal(outcome.network.state_dict()[name], first[name]) for name in first)
    fresh = train(small_set, replace(QUICK, epochs=1))
    assert train(small_set, again, start=first).history[0].loss < fresh.history[0].loss
    with pytest.raises(ModelMismatch, match="another shape"):
        train(small_set, replace(again, changes={"hidden": 7}), start=first)


def test_a_wider_network_begins_as_the_narrower_one(small_set: TrainingSet) -> None:
    two = {"layers": 2, "dropout": 0.0}
    first = train(small_set, replace(QUICK, changes=two, epochs=1)).network
    again = replace(QUICK, epochs=1, learning_rate=0.0, changes={**two, "hidden": 12})
    wider = train(small_set, again, start=first.state_dict()).network
    assert wider.settings.hidden == 12
    rows = np.random.default_rng(5).standard_normal((100, first.settings.width)).astype(np.float32)
    narrow, wide = first.estimate(rows), wider.estimate(rows)
    assert narrow.log_probabilities is not None
    assert wide.log_probabilities is not None
    np.testing.assert_allclose(wide.log_probabilities, narrow.log_probabilities, atol=1e-5)


def test_the_running_mean_of_the_weights_is_kept(small_set: TrainingSet, tmp_path: Path) -> None:
    settings = replace(QUICK, average=0.5, epochs=1, epoch_batches=2)
    seen: list[dict[str, torch.Tensor]] = []

    def keep(progress: TrainingProgress) -> None:
        seen.append(read_checkpoint(tmp_path / "checkpoint.pt").weights)

    outcome = train(small_set, settings, tmp_path, on_progress=keep, keep_every_s=-1.0)
    assert len(seen) == 2
    for name, value in outcome.network.state_dict().items():
        torch.testing.assert_close(value, 0.5 * seen[0][name] + 0.5 * seen[1][name])
    assert any(not torch.equal(value, seen[1][name]) for name, value in outcome.network.state_dict().items())


def test_other_settings_do_not_resume(small_set: TrainingSet, tmp_path: Path) -> None:
    train(small_set, replace(QUICK, epochs=1), tmp_path)
    with pytest.raises(ModelMismatch, match="other settings"):
        train(small_set, replace(QUICK, epochs=1, seed=8), tmp_path)


def test_checkpoints_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ArtifactMissing):
        read_checkpoint(tmp_path / "nothing.pt")
    (tmp_path / "half.pt").write_bytes(b"PK\x03\x04 half a file")
    with pytest.raises(CardInvalid):
        read_checkpoint(tmp_path / "half.pt")
    torch.save({"format": 0}, tmp_path / "old.pt")
    with pytest.raises(CardInvalid):
        read_checkpoint(tmp_path / "old.pt")


def test_learning_rate_rises_once_and_falls_to_nothing() -> None:
    settings = TrainSettings("stream", learning_rate=2.0)
    rates = [learning_rate_at(step, 200, settings) for step in range(200)]
    peak = rates.index(max(rates))
    assert max(rates) == pytest.approx(2.0)
    assert 15 <= peak <= 25
    assert all(a <= b for a, b in itertools.pairwise(rates[: peak + 1]))
    assert all(a >= b for a, b in itertools.pairwise(rates[peak:]))
    assert rates[-1] < 0.01


def epoch(number: int, aer: float, *bias: float | None) -> Epoch:
    return Epoch(number, 1.0, aer, 50.0, bias, 1.0)


def test_selection_prefers_unbiased_epochs() -> None:
    history = [epoch(0, 0.40, 0.02, -0.03), epoch(1, 0.30, -0.12, 0.0), epoch(2, 0.35, 0.01, None)]
    assert selected(history, 0.03) == (history[2], True)
    assert selected(history[1:2], 0.03) == (history[1], False)
    assert selected([epoch(0, 0.32, 0.1), history[1]], 0.03) == (history[1], False)  # all biased: the lowest error
    assert selected([epoch(0, math.nan)], 0.03) == (None, False)


def test_where_counts_are_settled_afterwards_the_lowest_error_is_chosen() -> None:
    history = [epoch(0, 0.40, 0.02, -0.03), epoch(1, 0.30, -0.12, 0.0), epoch(2, 0.35, 0.01, None)]
    assert selected(history, 0.03, settled=True) == (history[1], False)
    assert selected(history[2:], 0.03, settled=True) == (history[2], True)
    assert selected([epoch(0, math.nan)], 0.03, settled=True) == (None, False)


def test_same_seed_same_weights_other_seed_others(small_set: TrainingSet) -> None:
    settings = replace(QUICK, epochs=1)
    one, two = (train(small_set, settings).network.state_dict() for _ in range(2))
    three = train(small_set, replace(settings, seed=99)).network.state_dict()
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert not all(torch.equal(one[name], three[name]) for name in one)


def test_counts_are_settled_on_patients_at_exercise(small_set: TrainingSet) -> None:
    healthy, patient = (
        replace(trial, name=name)
        for trial, name in zip(
            small_set.of("valid"), ("healthy-train/H07_shelf_left_1", "train/S07_shelf_left_1"), strict=True
        )
    )
    session = replace(patient, name="train/S07_session_1")
    assert tuning.exercise([healthy, patient, session]) == [patient]
    assert tuning.exercise([healthy]) == [healthy]  # there are no other people


def test_counts_are_settled_with_smaller_rigs_as_well(small_set: TrainingSet) -> None:
    trials = small_set.of("train")[:2]
    smaller, one_lost = tuning.with_smaller_rigs(small_set, trials)
    assert smaller.valid[:, :3].all()
    assert not smaller.valid[:, 3:].any()
    assert not one_lost.valid.all()
    assert one_lost.valid.any()
    unknown = replace(small_set, sensors=Sensors())
    assert tuning.with_smaller_rigs(unknown, trials) == []


def test_a_set_without_training_people_and_numbers_that_are_none(small_set: TrainingSet) -> None:
    with pytest.raises(DatasetMissing, match="no people to train on"):
        train(replace(small_set, trials=small_set.of("valid")), QUICK)
    trials = small_set.of("train")
    broken = replace(trials[0], rows=np.full_like(trials[0].rows, np.inf))
    with pytest.raises(DatasetError, match="loss is nan"):
        train(replace(small_set, trials=(broken,), normalisation="none"), replace(QUICK, augment="none"))

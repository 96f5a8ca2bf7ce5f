"""A training fitted to a budget: as many batches as the seconds hold, and the time spent survives a resume."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

from rehabcount.models import budget
from rehabcount.models.checkpoint import read_checkpoint
from rehabcount.models.data import TrainingSet
from rehabcount.models.train import Progress, TrainSettings, train

TINY = TrainSettings("stream", "tiny", length_s=3.0, batch=2)


def test_the_budget_is_spent_on_batches_and_validations(
    small_set: TrainingSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "measure", lambda data, settings: (0.5, 2.0))
    found = budget.fitted(small_set, TINY, 600.0)
    assert (found.epochs, found.epoch_batches) == (12, 96)  # 12 * (96 * 0.5 + 2) = 600
    monkeypatch.setattr(budget, "measure", lambda data, settings: (0.5, 60.0))
    assert budget.fitted(small_set, TINY, 600.0).epochs == budget.FEWEST_EPOCHS
    assert budget.fitted(small_set, TINY, 1.0).epoch_batches == 1


def test_what_it_measures(small_set: TrainingSet) -> None:
    batch_s, valid_s = budget.measure(small_set, TINY)
    assert 0 < batch_s < 5
    assert 0 < valid_s < 5
    without = replace(small_set, trials=small_set.of("train"))
    assert budget.measure(without, TINY)[1] == 0


def test_short_epochs_and_the_time_they_took(small_set: TrainingSet, tmp_path: Path) -> None:
    settings = replace(TINY, epochs=3, epoch_batches=2)
    seen: list[Progress] = []

    def stop(now: Progress) -> None:
        seen.append(now)
        if now.epoch == 1 and now.batch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(small_set, settings, tmp_path, report=stop)
    assert {now.batches for now in seen} == {2}
    kept = read_checkpoint(tmp_path / "checkpoint.pt").about["cpu_s"]
    outcome = train(small_set, settings, tmp_path)
    assert len(outcome.history) == 3
    assert outcome.history[-1].cpu_s >= kept
    assert outcome.history[-1].cpu_s >= outcome.history[0].cpu_s

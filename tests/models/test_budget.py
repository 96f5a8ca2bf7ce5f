"""A training fitted to a budget: as many batches as the seconds hold, and the time spent survives a resume."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

from rehabcount.models import budget
from rehabcount.models.batches import Cut
from rehabcount.models.checkpoint import read_checkpoint
from rehabcount.models.data import TrainingSet
from rehabcount.models.train import Epoch, Schedule, TrainingProgress, TrainSettings, train

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


def test_every_epoch_gets_its_share_of_what_is_left(small_set: TrainingSet) -> None:
    """The first epoch was twice as slow as measured: the others have fewer batches, and the budget is kept."""
    settings = replace(TINY, epochs=4, epoch_batches=10, budget_s=48.0)
    schedule = Schedule(small_set.of("train"), Cut(60, 30), 1, settings)
    history: list[Epoch] = []
    spent_s, rates = 0.0, []
    for epoch in range(4):
        plan = schedule.plan(epoch, history)
        batches = schedule.batches[epoch]
        assert -(-len(plan) // settings.batch) == batches
        rates += [schedule.progress(epoch, batch) for batch in range(batches)]
        spent_s += 2.0 * batches + 1.0
        history.append(Epoch(epoch, 0.0, 0.5, 50.0, (), spent_s, batches, 1.0))
    assert schedule.batches == [10, 4, 4, 4]
    assert spent_s <= settings.budget_s
    assert spent_s > 0.9 * settings.budget_s
    assert rates == sorted(rates)
    assert 0.9 < rates[-1] < 1


def test_a_budget_that_holds_more_batches_than_there_are_stretches(small_set: TrainingSet) -> None:
    settings = replace(TINY, epochs=2, epoch_batches=1000, budget_s=1e6)
    schedule = Schedule(small_set.of("train"), Cut(60, 30), 1, settings)
    plan = schedule.plan(0, [])
    assert len(plan) == 2000
    once = len(set(plan))
    assert plan[:once] != plan[once : 2 * once]  # again, but in another order


def test_a_training_takes_its_budget_and_goes_on_after_a_stop(small_set: TrainingSet, tmp_path: Path) -> None:
    settings = replace(TINY, epochs=3, epoch_batches=2, budget_s=2.0)

    def stop(now: TrainingProgress) -> None:
        if now.epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(small_set, settings, tmp_path, on_progress=stop)
    begun = read_checkpoint(tmp_path / "checkpoint.pt").about["batches"]
    outcome = train(small_set, settings, tmp_path)
    assert [each.batches for each in outcome.history][:2] == begun[:2]
    assert begun[1] > 2  # the first epoch took a part of its share only


def test_what_it_measures(small_set: TrainingSet) -> None:
    batch_s, valid_s = budget.measure(small_set, TINY)
    assert 0 < batch_s < 5
    assert 0 < valid_s < 5
    without = replace(small_set, trials=small_set.of("train"))
    assert budget.measure(without, TINY)[1] == 0


def test_short_epochs_and_the_time_they_took(small_set: TrainingSet, tmp_path: Path) -> None:
    settings = replace(TINY, epochs=3, epoch_batches=2)
    seen: list[TrainingProgress] = []

    def stop(now: TrainingProgress) -> None:
        seen.append(now)
        if now.epoch == 1 and now.batch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(small_set, settings, tmp_path, on_progress=stop)
    assert {now.batches for now in seen} == {2}
    kept = read_checkpoint(tmp_path / "checkpoint.pt").about["cpu_s"]
    outcome = train(small_set, settings, tmp_path)
    assert len(outcome.history) == 3
    assert outcome.history[-1].cpu_s >= kept
    assert outcome.history[-1].cpu_s >= outcome.history[0].cpu_s

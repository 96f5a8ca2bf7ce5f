"""Unseen activities: what is left out plays no part in training or choosing, and the ratio is worked out as stated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rehabcount.bench import unseen
from rehabcount.bench.strokerehab_rows import activity_of
from rehabcount.bench.unseen_rows import (
    TrainingAmount,
    TrialErrors,
    UnseenName,
    UnseenRow,
    aer_of,
    data_of,
    left_out_of,
    row_of,
    train_row,
)
from rehabcount.errors import ConfigError, DatasetChanged, ModelMismatch
from rehabcount.models.data import Sensors, TrainingSet, Trial, write_trials
from rehabcount.models.trained import load_trained
from rehabcount.simulate.activities import ACTIVITIES


def made_set(name: str, people: dict[str, str], activities: list[str]) -> TrainingSet:
    """One trial an activity and person: two kinds of movement that push different axes, and pauses."""
    rng = np.random.default_rng(3)
    trials = []
    for person, split in people.items():
        for activity in activities:
            labels = np.tile(np.repeat([0, 1, 0, 2], 25), 4).astype(np.int16)
            rows = rng.normal(0, 0.2, (len(labels), 6)).astype(np.float32)
            rows[np.arange(len(labels)), labels] += 2.0
            onsets = np.concatenate([[True], labels[1:] != labels[:-1]])
            called = f"{split if split == 'test' else 'train'}/{person}_{activity.replace(' ', '-')}_left_1"
            trials.append(Trial(called, person, split, rows, np.ones(rows.shape, bool), labels, onsets))
    sensors = Sensors(("a", "b"), ((0, 1, 2), (3, 4, 5)), (((0, 1, 2),), ((3, 4, 5),)), ((0,),))
    labels_of = ("idle", "reach", "transport")
    return TrainingSet(name, labels_of, (), 20.0, tuple("uvwxyz"), tuple(trials), sensors, normalisation="none")


COHORT = made_set("cohort", {"S01": "train", "S02": "valid", "S03": "test"}, list(ACTIVITIES))
MADE_UP = made_set("made up", {"S01": "train", "S02": "valid"}, ["made up"])


def test_each_activity_is_left_out_once() -> None:
    hidden = [activity for split in (1, 2, 3) for activity in left_out_of(split)]
    assert sorted(hidden) == sorted(ACTIVITIES)
    assert left_out_of(0) == ()


def test_what_is_left_out_is_neither_trained_nor_chosen_on() -> None:
    for recipe in ("plain", "intervention", "made-up", "both"):
        data = data_of(COHORT, MADE_UP, UnseenName(recipe, 2))
        own = [trial for trial in (*data.of("train"), *data.of("valid")) if "/" in trial.name]
        assert not {activity_of(trial.name) for trial in own} & set(left_out_of(2))
        assert {activity_of(trial.name) for trial in data.of("test")} == set(ACTIVITIES)
    plain, both = (len(data_of(COHORT, MADE_UP, UnseenName(each, 2)).of("train")) for each in ("plain", "both"))
    assert (plain, both) == (6, 6 + 1)  # six activities; with the made-up one


def test_a_row_is_trained_once_and_read_again(tmp_path: Path) -> None:
    for data, name in ((COHORT, "cohort"), (MADE_UP, "made-up")):
        write_trials(tmp_path / name, data, data.trials)
    amount = TrainingAmount(epochs=1, epoch_batches=1, preset="tiny")
    row = row_of("both-1")
    done = train_row(tmp_path / "rows", tmp_path / "cohort", tmp_path / "made-up", amount, row)
    assert done.steps == 1
    kept = load_trained(tmp_path / "rows" / row.name / "checkpoint.pt").settings
    assert (kept.intervene, kept.seed) == (1.0, row.seed)  # `both` reassembles, by the way of `train --intervene`
    assert sum(trial.reference for trial in done.trials) == 9 * 16
    assert all(trial.edits <= max(trial.reference, trial.estimate) for trial in done.trials)
    assert train_row(tmp_path / "rows", tmp_path / "cohort", tmp_path / "made-up", amount, row) == done
    with pytest.raises(ModelMismatch, match="another number of steps"):
        train_row(tmp_path / "rows", tmp_path / "cohort", tmp_path / "made-up", replace(amount, epochs=2), row)
    (tmp_path / "rows" / row.name / "row.json").write_text("{}")
    with pytest.raises(DatasetChanged, match="not a finished row"):
        train_row(tmp_path / "rows", tmp_path / "cohort", tmp_path / "made-up", amount, row)


def test_names_of_rows() -> None:
    assert row_of("made-up-3@8") == UnseenName("made-up", 3, 8)
    assert row_of("plain-all").name == "plain-all@7"
    for wrong in ("plain", "plain-4", "magic-1", "plain-1@x"):
        with pytest.raises(ConfigError, match="no row"):
            row_of(wrong)


def finished(recipe: str, left_out: int, edits_unseen: int) -> UnseenRow:
    """Ten movements an activity; one error on each that was trained on."""
    trials = tuple(
        TrialErrors("S03", f"test/{activity}", edits_unseen if activity in left_out_of(left_out) else 1, 10, 10)
        for activity in ACTIVITIES
    )
    return UnseenRow(recipe, left_out, 7, 10, 1.0, 60.0, "", (), 0.1, trials)


def test_the_ratio_is_that_of_the_same_activities_when_they_were_trained_on(tmp_path: Path) -> None:
    rows = [finished(recipe, 0, 1) for recipe in ("plain", "intervention", "made-up", "both")]
    for recipe, edits in (("plain", 3), ("intervention", 2), ("made-up", 2), ("both", 1)):
        rows += [finished(recipe, split, edits) for split in (1, 2, 3)]
    found = unseen.summary(rows)
    assert found.figures["plain: AER unseen / seen, mean of the splits"] == pytest.approx(3.0)
    (claim,) = found.claims
    assert claim.name.endswith("both")
    assert claim.ours == pytest.approx(1.0)
    assert claim.match
    worse = unseen.summary([row if row.recipe != "both" else replace(row, left_out=0) for row in rows])
    assert worse.claims == ()  # a recipe lacks its splits
    assert aer_of(rows[4].trials, left_out_of(1)) == pytest.approx(0.3)
    unseen.draw(tmp_path / "bars.png", rows)
    assert (tmp_path / "bars.png").stat().st_size > 5000

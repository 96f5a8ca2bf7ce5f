"""The simulated cohort as training data: the product's own chain, subject-wise splits, columns that add up."""

from __future__ import annotations

import numpy as np
import pytest

from rehabcount.domain.labels import PRODUCT
from rehabcount.models.simulated import Plan, bedside_sensors, count, head, subjects, trial_of
from rehabcount.signals.features import BEDSIDE
from rehabcount.simulate.cohort import make_cohort
from rehabcount.simulate.recording import Recording, simulate_trial


@pytest.fixture(scope="module")
def drink() -> Recording:
    patient = next(subject for subject in make_cohort(0) if subject.group == "train")
    return simulate_trial(patient, "drinking", 1)


def test_a_trial_is_described_without_its_calibration(drink: Recording) -> None:
    trial = trial_of(drink, Plan(), "train")
    start_s = drink.span("calibration", "done")[1]
    assert len(trial) == pytest.approx((drink.length_s - start_s) * 100, abs=15)
    assert trial.rows.shape[1] == len(BEDSIDE)
    assert trial.valid[:-10].all()  # sensors end at slightly different times
    counted = [
        segment for segment in drink.of(drink.side) if segment.start_s >= start_s and segment.end_s < drink.length_s
    ]
    assert abs(int(trial.onsets.sum()) - len(counted)) <= 2
    middle = counted[len(counted) // 2]
    at = round(((middle.start_s + middle.end_s) / 2 - start_s) * 100)
    assert PRODUCT.names[trial.labels[at]] == middle.label


def test_the_papers_recipe_is_normalised_and_knows_five_labels(drink: Recording) -> None:
    trial = trial_of(drink, Plan(recipe="paper77"), "train")
    assert trial.rows.shape[1] == 77
    np.testing.assert_allclose(trial.rows[:, :76].mean(axis=0), 0, atol=1e-3)
    assert trial.labels.max() < 5


def test_plans_count_their_trials() -> None:
    patients = Plan(groups=("test",), repetitions=2, sessions=1)
    assert len(subjects(patients)) == 8
    assert count(patients) == 8 * (9 * 2 + 1)
    assert head(Plan()).labels == PRODUCT.names
    assert head(Plan()).excluded == ("other",)


def test_every_column_belongs_to_a_sensor() -> None:
    sensors = bedside_sensors()
    assert {column for columns in sensors.columns for column in columns} == set(range(len(BEDSIDE)))
    assert [len(rig) for rig in sensors.rigs] == [5, 3, 1]
    for columns, vectors in zip(sensors.columns, sensors.vectors, strict=True):
        assert {axis for vector in vectors for axis in vector} <= set(columns)

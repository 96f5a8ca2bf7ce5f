"""The simulated cohort as training data: the product's own chain, subject-wise splits, columns that add up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rehabcount.domain.labels import PRODUCT
from rehabcount.domain.rig import Side
from rehabcount.models import simulated
from rehabcount.models.data import onsets_of, read_set
from rehabcount.models.simulated import (
    SimulationPlan,
    assigned,
    bedside_sensors,
    count,
    count_of,
    head,
    trial_of,
    write,
)
from rehabcount.signals.features import BEDSIDE
from rehabcount.simulate import labelling
from rehabcount.simulate.cohort import Subject, make_cohort
from rehabcount.simulate.other import EPISODES, LIKE_EXERCISE
from rehabcount.simulate.recording import Recording, simulate_trial


@pytest.fixture(scope="module")
def drink() -> Recording:
    patient = next(subject for subject in make_cohort(0) if subject.group == "train")
    return simulate_trial(patient, "drinking", 1)


def test_a_trial_is_described_without_its_calibration(drink: Recording) -> None:
    trial = trial_of(drink, SimulationPlan(), "train")
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
    trial = trial_of(drink, SimulationPlan(recipe="paper77"), "train")
    assert trial.rows.shape[1] == 77
    np.testing.assert_allclose(trial.rows[:, :76].mean(axis=0), 0, atol=1e-3)
    assert trial.labels.max() < 5


def test_the_papers_recipe_has_annotators_who_err_and_the_products_has_none(
    drink: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sure to err, they change the paper's labels; those of the product are the script's, without annotators'
    mistakes."""
    paper, product = (trial_of(drink, SimulationPlan(recipe=recipe), "train") for recipe in ("paper77", "bedside"))
    monkeypatch.setattr(labelling, "MISTAKEN", 1.0)
    mistaken, same = (trial_of(drink, SimulationPlan(recipe=recipe), "train") for recipe in ("paper77", "bedside"))
    assert (mistaken.labels != paper.labels).mean() > 0.8
    assert (mistaken.onsets == onsets_of(mistaken.labels)).all()
    np.testing.assert_array_equal(same.labels, product.labels)


def test_plans_count_their_trials() -> None:
    patients = SimulationPlan(groups=("test",), repetitions=2, sessions=1)
    assert len(assigned(patients)) == 8
    assert count(patients) == 8 * (9 * 2 + 1)
    assert count(replace(patients, drinks=3)) == 8 * (9 * 2 + 3 + 1)
    assert count(replace(patients, held_out=1)) == 8 * (9 + 1)
    trained = replace(patients, groups=("train",), sessions=0, held_out=1)  # five of 35 validate
    assert count(trained) == 9 * (30 * 2 + 5)
    subject, split = assigned(trained)[6]
    assert split == "valid"
    assert count_of(subject, split, trained) == 9
    assert head(SimulationPlan()).labels == PRODUCT.names
    assert head(SimulationPlan()).excluded == ("other",)


def test_busy_sessions_are_trials_whose_breaks_look_like_exercise(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(simulated, "trial_of", lambda recording, plan, split: recording)
    monkeypatch.setattr(simulated, "simulate_session", lambda *_, **options: told.append(options["episodes"]))
    plan = SimulationPlan(groups=("test",), repetitions=0, sessions=1)
    subject, split = assigned(plan)[0]
    for each in (plan, replace(plan, busy=True)):
        list(simulated.subject_trials(each, subject, split))
    assert told == [tuple(EPISODES), LIKE_EXERCISE]
    assert "busy" in head(replace(plan, busy=True)).name


def test_made_up_exercises_are_trials_beside_the_activities_or_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = SimulationPlan(groups=("healthy-test",), repetitions=0, made_up=2)
    assert count(alone) == 4 * 2
    assert count(replace(alone, repetitions=1)) == 4 * (11 + 2)
    assert "made-up" in head(alone).name
    assert head(replace(alone, made_up=0)).name != head(alone).name
    told: list[tuple[object, ...]] = []
    monkeypatch.setattr(simulated, "trial_of", lambda recording, plan, split: recording)
    monkeypatch.setattr(simulated, "simulate_made_up", lambda subject, *rest: told.append((subject.name, *rest)))
    list(simulated.trials(replace(alone, seed=4)))
    assert told == [(name, number, 4) for name in ("H17", "H18", "H19", "H20") for number in (1, 2)]


def test_every_column_belongs_to_a_sensor() -> None:
    sensors = bedside_sensors()
    assert {column for columns in sensors.columns for column in columns} == set(range(len(BEDSIDE)))
    assert [len(rig) for rig in sensors.rigs] == [5, 3, 3, 1]
    for columns, vectors in zip(sensors.columns, sensors.vectors, strict=True):
        assert {axis for vector in vectors for axis in vector} <= set(columns)


@pytest.fixture
def two_people(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A cohort of two with one short activity each; gives the names of those that were simulated."""
    people = [subject for subject in make_cohort(0) if subject.group == "healthy-test"][:2]
    made: list[str] = []

    def trials_of(subject: Subject) -> list[tuple[str, Side]]:
        return [("glasses", subject.side)]

    def simulate(subject: Subject, *rest: object, **options: object) -> Recording:
        made.append(subject.name)
        return simulate_trial(subject, "glasses", 1)

    monkeypatch.setattr(simulated, "make_cohort", lambda seed: people)
    monkeypatch.setattr(simulated, "trials_of", trials_of)
    monkeypatch.setattr(simulated, "simulate_trial", simulate)
    return made


def test_an_interrupted_set_goes_on_with_the_parts_that_are_there(tmp_path: Path, two_people: list[str]) -> None:
    plan = SimulationPlan(groups=("healthy-test",), repetitions=1)
    steps: list[tuple[int, int]] = []

    def stop_after_one(done: int, total: int) -> None:
        steps.append((done, total))
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "cut", plan, on_progress=stop_after_one)
    assert steps == [(0, 2), (1, 2)]
    write(tmp_path / "cut", plan)
    assert two_people == ["H17", "H18"]  # each once
    write(tmp_path / "whole", plan)
    assert read_set(tmp_path / "cut").sha256 == read_set(tmp_path / "whole").sha256
    assert [path.name for path in (tmp_path / "cut").iterdir() if path.is_dir()] == []
    assert [trial.subject for trial in read_set(tmp_path / "cut").trials] == ["H17", "H18"]


def test_parts_of_another_plan_are_not_used(tmp_path: Path, two_people: list[str]) -> None:
    plan = SimulationPlan(groups=("healthy-test",), repetitions=1)
    simulated._start_parts(tmp_path / "parts", {"plan": "old"})
    (tmp_path / "parts" / "H17").mkdir()
    write(tmp_path, replace(plan, recipe="paper77"))
    assert two_people == ["H17", "H18"]


@pytest.mark.slow
def test_the_number_of_processes_changes_nothing(tmp_path: Path) -> None:
    plan = SimulationPlan(groups=("healthy-test",), repetitions=1)
    for jobs in (1, 2):
        write(tmp_path / str(jobs), plan, jobs)
    assert read_set(tmp_path / "1").sha256 == read_set(tmp_path / "2").sha256


def test_weak_people_are_the_same_patients_with_severe_arms() -> None:
    groups = ("train", "healthy-train")
    usual, weak = (assigned(SimulationPlan(groups=groups, seed=1, weak=each)) for each in (False, True))
    for (a, split), (b, same) in zip(usual, weak, strict=True):
        assert (a.name, a.body, a.habits, split) == (b.name, b.body, b.habits, same)
        if a.healthy:
            assert a == b
        else:
            assert 8 <= b.score <= 25
            assert b.arms[b.side].score == b.score
            assert b.arms[b.side.other] == a.arms[a.side.other]
    assert len({b.score for b, _ in weak}) > 10
    assert weak == assigned(SimulationPlan(groups=groups, seed=1, weak=True))
    assert head(SimulationPlan(weak=True)).name != head(SimulationPlan()).name


def test_wide_people_hold_their_elbows_farther_out_and_rest_elsewhere() -> None:
    usual, wide = (assigned(SimulationPlan(groups=("train",), seed=1, wide=each)) for each in (False, True))
    swivels = [(a.habits.swivel, b.habits.swivel) for (a, _), (b, _) in zip(usual, wide, strict=True)]
    assert all(a < b < a + 0.8 for a, b in swivels)
    for (a, _), (b, _) in zip(usual, wide, strict=True):
        assert 0.7 < b.layout.rest_forward / a.layout.rest_forward < 1.1
        assert replace(b.layout, rest_forward=a.layout.rest_forward) == a.layout
        assert replace(b, habits=a.habits, layout=a.layout) == a
    assert head(SimulationPlan(wide=True)).name != head(SimulationPlan()).name

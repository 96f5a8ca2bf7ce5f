"""Scores of a card: groups, rigs, sessions; a recogniser that is right scores 0, one that is deaf scores 1."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rehabcount.errors import CardInvalid, DatasetMissing
from rehabcount.models.card_scores import (
    LOST,
    Found,
    false_counts,
    keep,
    measure,
    read_scores,
    rigs_of,
    table,
    worn,
)
from rehabcount.models.data import Mask, Rows, Sensors, TrainingSet, Trial

PUSH, PULL, OTHER = 0, 1, 2


def make(name: str, subject: str, moves: list[tuple[int, int]]) -> Trial:
    """Moves of (label, frames); the label stands in the first column, which sensor a carries."""
    labels = np.concatenate([[label] * frames for label, frames in moves]).astype(np.int16)
    onsets = np.zeros(len(labels), bool)
    onsets[np.cumsum([0, *(frames for _, frames in moves[:-1])])] = True
    rows = np.stack([labels + 10.0 * onsets, labels], axis=1).astype(np.float32)
    return Trial(name, subject, "test", rows, np.ones(rows.shape, bool), labels, onsets)


@pytest.fixture
def data() -> TrainingSet:
    moves = [(PUSH, 20), (PULL, 20), (PUSH, 20)]
    trials = [make(f"{group}/{who}_drinking_{i}", who, moves) for group, who in PEOPLE for i in range(2)]
    trials.append(make("test/S1_session_1", "S1", [(PUSH, 20), (OTHER, 3600), (PULL, 20)]))
    sensors = Sensors(("a", "b"), ((0,), (1,)), ((), ()), ((1,),))
    labels = ("push", "pull", "other")
    return TrainingSet("made", labels, ("other",), 10.0, ("u", "v"), tuple(trials), sensors)


PEOPLE = (("test", "S1"), ("test", "S2"), ("severe", "S3"), ("healthy-test", "H1"))


def hears_sensor_a(rows: Rows, valid: Mask) -> Found:
    """Every onset, as long as sensor a is worn."""
    at = np.flatnonzero((rows[:, 0] >= 10) & valid[:, 0])
    return [(int(rows[i, 0]) - 10, i / 10.0) for i in at]


def test_a_perfect_recogniser_and_one_that_lost_its_sensor(data: TrainingSet) -> None:
    report = measure(data, hears_sensor_a)
    found = {(each.metric, each.on): each for each in report.scores}
    assert report.people == 4
    for who in ("stroke test set (2 people)", "severe test set (1 people)", "healthy test set (1 people)"):
        assert found["AER", f"simulated {who}, 2 sensors"].value == 0
        assert found["AER", f"simulated {who}, one sensor"].value == 1  # the smaller rig has only sensor b
        gap = found["AER above that of all sensors", f"simulated {who}, {LOST} sensor"]
        assert gap.value == 0.5  # every other trial loses sensor a
    assert found["counted / true", "simulated stroke test set (2 people), one sensor"].value == 0
    assert found["count bias of push", "simulated stroke test set (2 people), 2 sensors"].value == 0


def test_stroke_patients_of_further_sets_are_measured_with_all_sensors(data: TrainingSet) -> None:
    plain, report = measure(data, hears_sensor_a), measure(data, hears_sensor_a, further=[data, data])
    more = [each for each in report.scores if "further" in each.on]
    assert report.scores[: len(plain.scores) - 2] == plain.scores[:-2]  # the last two are of sessions
    assert {each.on for each in more} == {"simulated further stroke test set (4 people), 2 sensors"}
    assert {each.metric for each in more} >= {"AER", "count bias of push", "count bias of pull"}
    assert report.people == plain.people + 4
    without_patients = replace(data, trials=tuple(trial for trial in data.trials if trial.name.startswith("severe")))
    with pytest.raises(DatasetMissing, match="no stroke patients"):
        measure(data, hears_sensor_a, further=[without_patients])


def test_false_counts_are_those_between_exercises(data: TrainingSet) -> None:
    session = data.trials[-1]
    found: Found = [(PUSH, 0.0), (OTHER, 2.0), (PULL, 100.0), (OTHER, 101.0), (PUSH, 361.9), (PULL, 362.0)]
    wrong, seconds = false_counts(data, session, found)
    assert seconds == 360
    assert wrong == 2  # the pull at 100 s, and the push that ends at the end of `other`
    report = measure(data, lambda rows, valid: found if len(rows) > 1000 else [])
    rate = next(each for each in report.scores if each.metric.startswith("false counts"))
    assert rate.value == pytest.approx(20)
    assert rate.low is not None
    assert rate.high is not None
    assert rate.low < 20 < rate.high
    assert "0.10 h out of task" in rate.on


def test_sessions_without_time_between_exercises_have_no_rate(data: TrainingSet, tmp_path: Path) -> None:
    busy = replace(data, trials=(make("test/a_session_1", "a", [(PUSH, 200), (PULL, 200)]),))
    report = measure(busy, hears_sensor_a)
    assert [each.metric for each in report.scores] == ["AER"]
    assert "NaN" not in keep(tmp_path, report).read_text()


def test_rigs(data: TrainingSet) -> None:
    assert rigs_of(data) == {"2": (0, 1), "one": (1,), LOST: None}
    valid = data.trials[0].valid
    assert worn(data, valid, (0, 1), 0) is valid
    assert not worn(data, valid, (1,), 0)[:, 0].any()
    assert [bool(worn(data, valid, None, number)[0, 0]) for number in range(3)] == [False, True, False]
    assert rigs_of(replace(data, sensors=Sensors())) == {"all columns": ()}


def test_they_are_kept(data: TrainingSet, tmp_path: Path) -> None:
    report = measure(data, hears_sensor_a, every=2)
    assert read_scores(tmp_path) is None
    path = keep(tmp_path, report)
    assert read_scores(tmp_path) == report
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(CardInvalid, match="scores"):
        read_scores(tmp_path)
    with pytest.raises(DatasetMissing):
        measure(replace(data, trials=()), hears_sensor_a)


def test_a_table_has_a_row_for_each_group_and_rig(data: TrainingSet) -> None:
    header, *rows = table(measure(data, hears_sensor_a).scores)
    assert header[:2] == ["on", "AER"]
    assert header[-1] == "largest count bias"
    assert len(rows) == 3 * 3 + 2  # three groups with three rigs; sessions, and their time out of task
    assert rows[0][1].startswith("0.000 (")
    assert rows[0][-1].endswith("+0.0% (+0.0% to +0.0%)")
    assert all(len(row) == len(header) for row in rows)
    assert len(table(())) == 1

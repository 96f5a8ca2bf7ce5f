"""The cohort is that of Table 1, and test people come from elsewhere than training people."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from rehabcount.domain.rig import Side
from rehabcount.simulate.cohort import GROUPS, TRAINING, UNSEEN, Subject, make_cohort, spread_values


@pytest.mark.parametrize(
    ("group", "count", "low", "high", "mean", "left", "female"),
    [("train", 35, 26, 65, 48.1, 20, 19), ("test", 8, 27, 63, 49.4, 4, 4), ("severe", 8, 8, 23, 16.0, 4, 5)],
)
def test_table_1(
    cohort: tuple[Subject, ...], group: str, count: int, low: int, high: int, mean: float, left: int, female: int
) -> None:
    people = [subject for subject in cohort if subject.group == group]
    scores = [subject.score for subject in people]
    assert len(people) == count
    assert (min(scores), max(scores)) == (low, high)
    assert np.mean(scores) == pytest.approx(mean, abs=0.5)
    assert sum(subject.side is Side.LEFT for subject in people) == left
    assert sum(subject.sex == "F" for subject in people) == female


def test_51_stroke_and_20_healthy(cohort: tuple[Subject, ...]) -> None:
    assert sum(not subject.healthy for subject in cohort) == 51
    assert sum(subject.healthy for subject in cohort) == 20
    assert len({subject.name for subject in cohort}) == 71
    for subject in cohort:
        assert subject.arms[subject.side].score == subject.score
        assert subject.arms[subject.side.other].score == 66


def test_test_people_come_from_settings_that_training_never_sees(cohort: tuple[Subject, ...]) -> None:
    for field in fields(TRAINING):
        ours, theirs = getattr(TRAINING, field.name), getattr(UNSEEN, field.name)
        if field.name == "devices":
            assert not {kind.name for kind in ours} & {kind.name for kind in theirs}
        elif field.name != "name":
            for a, b in ours:
                for c, d in theirs:
                    assert b <= c or d <= a, f"{field.name}: {(a, b)} overlaps {(c, d)}"
    for subject in cohort:
        unseen = subject.group in ("test", "severe", "healthy-test")
        assert subject.settings == ("unseen" if unseen else "training")
        kinds = {kind.name for kind in (UNSEEN if unseen else TRAINING).devices}
        assert subject.device.name in kinds


def test_the_seed_decides_everything() -> None:
    assert make_cohort(3) == make_cohort(3)
    assert make_cohort(3) != make_cohort(4)


def test_groups_add_up() -> None:
    assert sum(group.count for group in GROUPS) == 71


def test_spread_values_meet_range_and_mean() -> None:
    values = spread_values(8, 23, 16.0, 8)
    assert (values[0], values[-1]) == (8, 23)
    assert np.mean(values) == pytest.approx(16, abs=0.4)
    assert spread_values(66, 66, 66.0, 3) == [66, 66, 66]

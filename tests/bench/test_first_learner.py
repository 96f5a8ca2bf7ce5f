from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.bench.first_learner import edit_distance, learn

words = st.lists(st.integers(0, 4), max_size=8)


@given(words, words)
def test_edit_distance_is_a_distance(a: list[int], b: list[int]) -> None:
    assert edit_distance(a, b) == edit_distance(b, a)
    assert (edit_distance(a, b) == 0) == (a == b)
    assert abs(len(a) - len(b)) <= edit_distance(a, b) <= max(len(a), len(b))


def test_edit_distance_of_the_paper_example() -> None:
    assert edit_distance([1, 0, 3], [1, 4]) == 2  # reach, idle, stabilize against reach, transport


@pytest.mark.slow
def test_unseen_people_are_hard_and_severe_ones_harder() -> None:
    pytest.importorskip("sklearn")
    scores = {score.group: score for score in learn(train_people=8, test_people=4, trials=3)}
    assert 0.15 < scores["test"].error_rate < 0.8
    assert scores["severe"].error_rate > scores["test"].error_rate + 0.05

"""A first learner on simulated people: far from perfect, and worse on severe ones."""

from __future__ import annotations

import pytest

from rehabcount.bench.first_learner import learn


@pytest.mark.slow
def test_unseen_people_are_hard_and_severe_ones_harder() -> None:
    pytest.importorskip("sklearn")
    scores = {score.group: score for score in learn(train_people=8, test_people=4, trials=3)}
    assert 0.15 < scores["test"].error_rate < 0.8
    assert scores["severe"].error_rate > scores["test"].error_rate + 0.05

"""Abstraction-aware F1: the channels of the paper's Fig. 2, an event-by-event oracle, properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.metrics import abstraction
from tests.metrics.oracles import abstraction_f1


@st.composite
def channels(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    length = draw(st.integers(1, 16))
    bits = st.lists(st.integers(0, 1), min_size=length, max_size=length)
    return draw(bits), draw(bits)


# Fig. 2: the output covers the middle of the truth's one long run.
CHANNEL_A = [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0]
CHANNEL_B = [0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0]


def test_figure_2() -> None:
    found = abstraction.compare(CHANNEL_A, CHANNEL_B)
    assert found.raw == pytest.approx(2 * 3 / (3 + 8))
    assert found.extended == 1  # channel C: the output, extended, is the truth
    assert found.staircase == pytest.approx(2 * 5 / (2 * 5 + 3))  # 3 overlaps, 5 extensions at 0.4
    earned = 3 + sum(1 - 0.001 * n for n in (1, 2, 1, 2, 3))
    assert found.gradient == pytest.approx(2 * earned / (2 * earned + 8 - earned))
    assert abstraction.compare(CHANNEL_A, CHANNEL_B, "B").staircase == 1


def test_figure_3() -> None:
    inside = abstraction.compare([0, 1, 1, 1, 1, 1, 0], [0, 0, 1, 1, 0, 0, 0])  # (a): later and shorter
    shifted = abstraction.compare([1, 1, 1, 1, 0, 0, 0], [0, 0, 1, 1, 1, 1, 0])  # (b): later at both ends
    bridged = abstraction.compare([1, 1, 0, 1, 1, 0, 0], [0, 1, 1, 1, 0, 0, 0])  # (c): the output bridges a pause
    for found in (inside, shifted, bridged):
        assert found.raw < found.staircase < found.gradient < found.extended == 1


def test_literal_staircase_rewards_any_neighbour() -> None:
    # Beside activity: events 1 to 10 are beside the truth; nothing else. TP = 3 + 0.4 * 10, raw FN = 5.
    found = abstraction.compare(CHANNEL_A, CHANNEL_B, "literal")
    assert found.staircase == pytest.approx(2 * 7 / (2 * 7 + 5))
    # Both dilated by one: events 3 to 7.
    assert found.extended == pytest.approx(2 * 5 / (2 * 5 + 5))
    assert found.gradient == pytest.approx(2 * (3 + 2 * 0.999) / (2 * (3 + 2 * 0.999) + 5))


@settings(max_examples=150, deadline=None)
@given(channels(), st.sampled_from(["A", "B", "C"]))
def test_against_growing_event_by_event(pair: tuple[list[int], list[int]], reading: abstraction.Reading) -> None:
    found = abstraction.compare(*pair, reading)
    scores = (found.raw, found.extended, found.staircase, found.gradient)
    assert scores == pytest.approx(abstraction_f1(*pair, reading))


@given(channels())
def test_order_bounds_and_symmetry(pair: tuple[list[int], list[int]]) -> None:
    truth, output = pair
    found = abstraction.compare(truth, output)
    assert 0 <= found.raw <= found.staircase + 1e-12
    assert found.staircase <= found.gradient + 1e-12 <= found.extended + 2e-12
    assert found.extended <= 1
    swapped = abstraction.compare(output, truth)
    for name in ("raw", "extended", "staircase", "gradient"):
        assert getattr(swapped, name) == pytest.approx(getattr(found, name))
    perfect = abstraction.compare(truth, truth)
    expected = 1.0 if any(truth) else 0.0
    assert perfect.raw == perfect.extended == perfect.staircase == perfect.gradient == expected


def test_runs_that_only_touch_are_not_joined() -> None:
    assert abstraction.compare([1, 1, 0, 0], [0, 0, 1, 1]).extended == 0


def test_thresholds_make_shares_alike_and_prefer_the_larger() -> None:
    truth = np.array([[1, 0], [1, 0], [0, 0], [0, 1]], bool)  # shares .5 and .25
    scores = np.array([[0.9, 0.2], [0.8, 0.2], [0.1, 0.9], [0.1, 0.2]])
    assert abstraction.choose_thresholds(truth, scores).tolist() == [0.8, 0.9]
    # Shares .25 and .75 are equally far from .5: the larger threshold.
    halves = np.array([[1], [1], [0], [0]], bool)
    assert abstraction.choose_thresholds(halves, np.array([[0.9], [0.5], [0.5], [0.1]])).tolist() == [0.9]


def test_each_activity_gets_the_topic_with_the_highest_extended_f1() -> None:
    truth = np.zeros((20, 2))
    truth[2:10, 0] = 1
    truth[12:18, 1] = 1
    scores = np.zeros((20, 3))
    scores[13:17, 0] = 0.9
    scores[4:6, 1] = 0.8
    scores[::2, 2] = 0.7
    result = abstraction.evaluate(truth, scores, thresholds=[0.5, 0.5, 0.5])
    assert result.matched.tolist() == [1, 0]
    assert result.best(1).extended == 1
    assert result.best(0).raw == pytest.approx(2 * 2 / (2 + 8))


@pytest.mark.parametrize(
    ("truth", "scores", "said"),
    [([1, 0], [0.5], "2 events"), ([], [], "at least one"), ([1], [np.nan], r"scores\[0, 0\] is nan")],
)
def test_wrong_input_is_refused(truth: list[int], scores: list[float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        abstraction.evaluate(truth, scores)
    with pytest.raises(ValueError, match="reading"):
        abstraction.evaluate([1], [0.5], reading="D")  # type: ignore[arg-type]


def test_scores_that_never_repeat_give_all_topics_the_first_activitys_share() -> None:
    """The paper's rule takes the smallest gap, and there every gap is 0; each pair's own threshold keeps its share."""
    rng = np.random.default_rng(3)
    truth = np.repeat(rng.integers(3, size=50), 8)[:, None] == np.arange(3)
    scores = rng.random((400, 2))
    chosen = abstraction.choose_thresholds(truth, scores)
    assert (scores >= chosen).mean(axis=0) == pytest.approx(truth.mean(axis=0)[[0, 0]])
    own = abstraction.candidate_thresholds(truth, scores)
    for g in range(3):
        assert (scores >= own[g]).mean(axis=0) == pytest.approx(truth.mean(axis=0)[[g, g]])
    result = abstraction.evaluate(truth, scores, thresholds=own)
    for g in range(3):
        for y in range(2):
            assert result.pairs[g][y] == abstraction.compare(truth[:, g], scores[:, y] >= own[g, y])

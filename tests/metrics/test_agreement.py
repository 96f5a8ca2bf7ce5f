"""Agreement of counts: published worked examples and properties."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.metrics import agreement
from tests.metrics.oracles import icc_absolute

# Shrout & Fleiss (1979), Table 2: six targets, four judges. ICC(2,1) = .29 there.
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
counts = st.lists(st.tuples(st.integers(1, 300), st.integers(1, 300)), min_size=3, max_size=20)


def test_icc_is_that_of_shrout_and_fleiss() -> None:
    found = agreement.icc_a1(SHROUT_FLEISS)
    assert (round(found.value, 2), round(found.low, 2), round(found.high, 2)) == (0.29, 0.02, 0.76)


@given(st.lists(st.tuples(*[st.integers(0, 50)] * 3), min_size=3, max_size=10))
def test_icc_by_sums_of_squares(rows: list[tuple[int, int, int]]) -> None:
    ratings = [[float(x) for x in row] for row in rows]
    found = agreement.icc_a1(ratings).value
    if math.isnan(found):
        assert len({x for row in rows for x in row}) == 1
        return
    assert found == pytest.approx(icc_absolute(ratings), abs=1e-9)


def test_icc_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    # Targets with variance 4, raters 0.25, error 0.75: ICC(A,1) = 4 / 5.
    covered = 0
    for _ in range(300):
        ratings = rng.normal(0, 2, (25, 1)) + rng.normal(0, 0.5, (1, 6)) + rng.normal(0, np.sqrt(0.75), (25, 6))
        found = agreement.icc_a1(ratings)
        covered += found.low <= 0.8 <= found.high
    assert 0.91 <= covered / 300 <= 0.99


@pytest.mark.parametrize("targets", [2, 3, 4])
def test_small_counts_have_an_icc_or_none(targets: int) -> None:
    """Every table of two raters with counts of 0 to 3 (0 to 2 for four targets)."""
    for values in itertools.product(range(4 if targets < 4 else 3), repeat=2 * targets):
        found = agreement.icc_a1(np.array(values, float).reshape(targets, 2))
        assert math.isnan(found.value) or found.value <= 1
        assert not found.low > found.value + 1e-9, values  # NaN: no interval
        assert not found.high < found.value - 1e-9, values
    exchanged = agreement.icc_a1(np.array([[2.0, 1.0], [1.0, 2.0]]))
    assert math.isnan(exchanged.value)


@pytest.mark.parametrize(("sessions", "share"), [(2, 0.64), (5, 0.85), (10, 0.91)])
def test_limits_of_few_sessions_hold_fewer_of_the_next_ones(sessions: int, share: float) -> None:
    rng = np.random.default_rng(2)
    logs = rng.normal(0, 0.2, (3000, sessions + 1))
    held = 0
    for *known, next_one in np.exp(logs).tolist():
        result = agreement.evaluate([1.0] * sessions, known)
        held += result.lower_limit <= next_one <= result.upper_limit
    assert held / len(logs) == pytest.approx(share, abs=0.025)


def test_errors_of_sessions_do_not_cancel_in_the_mean_absolute_error() -> None:
    result = agreement.evaluate([10, 20, 30], [13, 17, 30])
    assert (result.bias, result.mae) == (0, 2)


def test_limits_without_repeats_are_the_classical_ones() -> None:
    reference, estimate = [100, 50, 80, 120], [110, 45, 82, 118]
    logs = np.log(np.array(estimate) / reference)
    result = agreement.evaluate(reference, estimate)
    assert result.ratio == pytest.approx(math.exp(logs.mean()))
    assert result.upper_limit == pytest.approx(math.exp(logs.mean() + 1.959964 * logs.std(ddof=1)), rel=1e-6)
    assert result.lower_limit == pytest.approx(math.exp(logs.mean() - 1.959964 * logs.std(ddof=1)), rel=1e-6)


def test_repeats_of_one_person_are_told_from_differences_between_people() -> None:
    # By hand: subject a -1, 1 (mean 0), b 3, 5 (mean 4). Within 4/2 = 2; between 2*(4+4)/1 = 16; (16 - 2)/2 = 7.
    sd = agreement.repeated_measures_sd(np.array([-1.0, 1.0, 3.0, 5.0]), ["a", "a", "b", "b"])
    assert sd == pytest.approx(3.0)
    # One-way analysis of variance with unequal numbers: 1, 2, 3 of a and 7 of b; usual size (16 - 10)/(1 * 4) = 1.5.
    sd = agreement.repeated_measures_sd(np.array([1.0, 2.0, 3.0, 7.0]), ["a", "a", "a", "b"])
    within, between = 1.0, 3 * (2 - 3.25) ** 2 + (7 - 3.25) ** 2
    assert sd == pytest.approx(math.sqrt(within + (between - within) / 1.5))
    assert agreement.repeated_measures_sd(np.array([1.0, 3.0]), ["a", "a"]) == pytest.approx(math.sqrt(2))


@given(counts)
def test_a_perfect_counter_has_no_error(pairs: list[tuple[int, int]]) -> None:
    reference = [r for r, _ in pairs]
    result = agreement.evaluate(reference, reference)
    assert (result.bias, result.mape) == (0, 0)
    assert result.ratio == result.lower_limit == result.upper_limit == 1
    assert result.sem == pytest.approx(0, abs=1e-9)
    assert math.isnan(result.icc.value) if len(set(reference)) == 1 else result.icc.value == pytest.approx(1)


@given(counts)
def test_bounds_and_units(pairs: list[tuple[int, int]]) -> None:
    reference, estimate = [r for r, _ in pairs], [e for _, e in pairs]
    result = agreement.evaluate(reference, estimate)
    assert result.lower_limit <= result.ratio <= result.upper_limit
    assert result.mdc95 == pytest.approx(2.7718 * result.sem, rel=1e-4)
    if not math.isnan(result.icc.value):
        assert result.icc.value <= 1
    swapped = agreement.evaluate(estimate, reference)
    assert swapped.bias == pytest.approx(-result.bias)
    assert swapped.ratio == pytest.approx(1 / result.ratio)
    assert swapped.lower_limit == pytest.approx(1 / result.upper_limit)
    ten = agreement.evaluate([10 * r for r in reference], [10 * e for e in estimate])
    assert ten.upper_limit == pytest.approx(result.upper_limit)
    assert ten.sem == pytest.approx(10 * result.sem)


def test_sem_contains_the_disagreement_of_raters() -> None:
    # A constant offset of 10: no random error, rater variance 50.
    result = agreement.evaluate([10, 20, 30, 40], [20, 30, 40, 50])
    assert result.sem == pytest.approx(math.sqrt(50))
    assert result.bias == 10


def test_zero_counts_are_left_out_of_ratios_and_reported() -> None:
    result = agreement.evaluate([0, 10, 20], [3, 11, 19])
    assert result.without_ratio == 1
    assert result.mape == pytest.approx((10 + 5) / 2)
    only = agreement.evaluate([0], [3])
    assert math.isnan(only.ratio)
    assert math.isnan(only.mape)
    assert math.isnan(only.sem)
    assert only.bias == 3


def test_false_counts_an_hour() -> None:
    # Exact Poisson limits of 10 events: 4.795 and 18.39 (Garwood 1936).
    found = agreement.false_per_hour(10, 2.0)
    assert found.value == 5
    assert (2 * found.low, 2 * found.high) == pytest.approx((4.795, 18.39), abs=0.005)
    none = agreement.false_per_hour(0, 1.0)
    assert (none.value, none.low) == (0, 0)
    assert none.high == pytest.approx(3.689, abs=0.001)
    assert math.isnan(agreement.false_per_hour(0, 0.0).value)


@pytest.mark.parametrize(
    ("reference", "estimate", "said"),
    [([1, 2], [1], "2 sessions"), ([], [], "no session"), ([1, -1], [1, 1], "entry 1"), ([math.nan], [1], "entry 0")],
)
def test_wrong_counts_are_refused(reference: list[float], estimate: list[float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        agreement.evaluate(reference, estimate)

"""The bootstrap: what replicates hold, intervals that cover, pairs that cancel."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rehabcount.metrics import bootstrap, edit


def test_every_replicate_holds_as_many_trials_as_there_are() -> None:
    weights = bootstrap.weights(40, replicates=300, seed=3)
    assert weights.shape == (300, 40)
    assert np.all(weights.sum(axis=1) == 40)
    assert weights.mean() == pytest.approx(1)
    # A trial is missing from a replicate with probability (1 - 1/40)^40.
    assert np.mean(weights == 0) == pytest.approx((1 - 1 / 40) ** 40, abs=0.02)


def test_same_seed_same_weights() -> None:
    assert np.array_equal(bootstrap.weights(9, seed=1), bootstrap.weights(9, seed=1))
    assert not np.array_equal(bootstrap.weights(9, seed=1), bootstrap.weights(9, seed=2))


def test_a_subject_comes_with_all_its_trials() -> None:
    weights = bootstrap.weights(5, groups=["a", "b", "a", "c", "b"], replicates=50)
    assert np.array_equal(weights[:, 0], weights[:, 2])
    assert np.array_equal(weights[:, 1], weights[:, 4])
    assert np.all(weights[:, [0, 1, 3]].sum(axis=1) == 3)


def test_intervals_cover_a_mean_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    weights = bootstrap.weights(60, replicates=400)
    covered = 0
    for _ in range(200):
        sample = rng.normal(5, 2, 60)
        found = bootstrap.interval(weights @ sample / 60)
        covered += found.low <= 5 <= found.high
    assert 0.89 <= covered / 200 <= 0.99


def test_intervals_of_few_units_are_too_narrow() -> None:
    """Why there is a FEWEST_UNITS: about nine in ten hold a normal mean from there on, half of them of two units."""
    rng = np.random.default_rng(4)

    def covered(units: int) -> float:
        weights = bootstrap.weights(units, replicates=250, seed=1)
        found = [bootstrap.interval(weights @ rng.normal(0, 1, units) / units) for _ in range(1000)]
        return float(np.mean([each.low <= 0 <= each.high for each in found]))

    assert covered(2) == pytest.approx(0.51, abs=0.04)
    assert covered(bootstrap.FEWEST_UNITS // 2) == pytest.approx(0.82, abs=0.04)
    assert covered(bootstrap.FEWEST_UNITS) == pytest.approx(0.89, abs=0.03)


def test_replicates_equal_recomputing_on_repeated_trials() -> None:
    rng = np.random.default_rng(2)
    reference = [rng.integers(0, 3, 8).tolist() for _ in range(6)]
    estimate = [rng.integers(0, 3, 7).tolist() for _ in range(6)]
    weights = bootstrap.weights(6, replicates=5)
    fast = edit.evaluate(reference, estimate).aer(weights=weights)
    for value, row in zip(fast, weights, strict=True):
        chosen = [i for i, times in enumerate(row) for _ in range(int(times))]
        slow = edit.evaluate([reference[i] for i in chosen], [estimate[i] for i in chosen]).aer()
        assert value == pytest.approx(slow)


def test_pairing_removes_what_both_share() -> None:
    rng = np.random.default_rng(1)
    difficulty = rng.normal(0, 10, 50)
    weights = bootstrap.weights(50)
    first, second = weights @ difficulty / 50, weights @ (difficulty + 0.5) / 50
    found = bootstrap.paired(first, second)
    assert (found.mean, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))
    assert found.p_value == pytest.approx(2 / 250)
    assert bootstrap.paired(first, first).p_value == 1


def test_percentiles_and_unknown_replicates() -> None:
    found = bootstrap.interval([*range(101), math.nan])
    assert (found.mean, found.low, found.high) == pytest.approx((50, 2.5, 97.5))
    assert math.isnan(bootstrap.interval([math.nan]).mean)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        bootstrap.weights(0)
    with pytest.raises(ValueError, match="groups has 1"):
        bootstrap.weights(2, groups=["a"])
    with pytest.raises(ValueError, match="cannot be paired"):
        bootstrap.paired([1.0], [1.0, 2.0])

"""The Bayesian HMM that PRISM is compared with: states of whole recordings against enumeration, and what it finds."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from rehabcount.errors import InputRefused
from rehabcount.models.hmm_gibbs import HmmSettings, fit_hmm, most_frequent
from rehabcount.models.hmm_sweep import sample_states


def test_states_are_drawn_as_all_paths_listed_say() -> None:
    rng = np.random.default_rng(0)
    density, first = rng.normal(size=(5, 3)), np.array([0, 3, 5])
    start, moves = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3), size=3)
    weights = {}
    for path in itertools.product(range(3), repeat=5):
        weight = np.exp(density[np.arange(5), path].sum()) * start[path[0]] * start[path[3]]
        weights[path] = weight * moves[path[0], path[1]] * moves[path[1], path[2]] * moves[path[3], path[4]]
    total = sum(weights.values())
    states = np.empty(5, np.int64)
    seen = Counter[tuple[int, ...]]()
    draws = 40_000
    for _ in range(draws):
        sample_states(density, first, start, moves, rng.random(5), states)
        seen[tuple(states.tolist())] += 1
    expected = np.array([draws * weight / total for weight in weights.values()])
    found = np.array([seen[path] for path in weights])
    chi = ((found - expected) ** 2 / expected).sum()
    assert chi < len(weights) + 5 * np.sqrt(2 * len(weights))


def test_states_that_follow_each_other_are_found() -> None:
    rng = np.random.default_rng(1)
    truth = [np.repeat([0, 1, 2, 0, 1, 2], rng.integers(8, 15, size=6)) for _ in range(3)]
    recordings = [np.eye(3)[each] * 2 - 0.7 + 0.3 * rng.standard_normal((len(each), 3)) for each in truth]
    fitted = fit_hmm(recordings, HmmSettings(3, sweeps=200, kept=40, seed=2))
    together, found = np.concatenate(truth), np.concatenate(fitted.states)
    table = np.array([[((together == a) & (found == b)).sum() for b in range(3)] for a in range(3)])
    assert table.max(axis=1).sum() / len(together) > 0.97
    assert [each.shape for each in fitted.samples] == [(40, len(each)) for each in truth]
    again = fit_hmm(recordings, HmmSettings(3, sweeps=200, kept=40, seed=2))
    assert np.array_equal(np.concatenate(again.states), found)


def test_the_most_frequent_state_of_each_frame() -> None:
    samples = np.array([[0, 1, 2], [0, 2, 2], [1, 2, 0], [1, 1, 0]], np.int8)
    assert most_frequent(samples, 3).tolist() == [0, 1, 0]


def test_recordings_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(InputRefused, match="constant"):
        fit_hmm([np.ones((9, 1))], HmmSettings(2))

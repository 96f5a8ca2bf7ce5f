"""Rows to model input: masking, scaling, steps; any chopping in whole steps gives the same."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.inference.inputs import InputSpec, model_input

SPEC = InputSpec(("a", "b", "c"), (1.0, 0.0, -2.0), (2.0, 1.0, 0.5), ((0, 1), (2,)), frames_per_step=2)


def test_means_over_valid_rows_and_says_how_many_there_were() -> None:
    values = np.array([[3.0, 5.0, 0.0], [5.0, 7.0, 9.0], [1.0, 1.0, 1.0]])
    valid = np.array([[True, True, False], [True, False, False], [True, True, True]])
    found = model_input(values, valid, SPEC)
    assert found.tolist() == [[1.5, 5.0, 0.0, 0.75, 0.0]]  # the third row fills no step


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), cuts=st.lists(st.integers(1, 7), min_size=1, max_size=8))
def test_chopping_does_not_matter(seed: int, cuts: list[int]) -> None:
    rng = np.random.default_rng(seed)
    n = 2 * sum(cuts)
    values, valid = rng.normal(size=(n, 3)), rng.random((n, 3)) < 0.7
    edges = np.cumsum([0, *(2 * cut for cut in cuts)])
    pieces = [model_input(values[a:b], valid[a:b], SPEC) for a, b in itertools.pairwise(edges)]
    assert np.array_equal(np.concatenate(pieces), model_input(values, valid, SPEC))


def test_what_is_not_valid_cannot_matter() -> None:
    rng = np.random.default_rng(1)
    values, valid = rng.normal(size=(20, 3)), rng.random((20, 3)) < 0.5
    other = np.where(valid, values, 1e9)
    assert np.array_equal(model_input(values, valid, SPEC), model_input(other, valid, SPEC))


@pytest.mark.parametrize(
    "wrong",
    [
        {"mean": (0.0,)},
        {"scale": (1.0, 0.0, 1.0)},
        {"sensors": ((3,),)},
        {"frames_per_step": 0},
    ],
)
def test_a_spec_that_does_not_fit_is_refused(wrong: dict[str, tuple[float, ...]]) -> None:
    whole = {"columns": ("a", "b", "c"), "mean": (0.0,) * 3, "scale": (1.0,) * 3}
    with pytest.raises(ValueError):
        InputSpec(**{**whole, **wrong})  # type: ignore[arg-type]


def test_rows_of_another_width_are_refused() -> None:
    with pytest.raises(ValueError, match="3"):
        model_input(np.zeros((4, 2)), np.ones((4, 2), bool), SPEC)

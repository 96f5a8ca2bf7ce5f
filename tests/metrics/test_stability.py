from __future__ import annotations

import numpy as np
import pytest

from rehabcount.metrics import stability


def test_the_same_data_are_stable() -> None:
    active = np.random.default_rng(0).random((50, 3)) < 0.4
    found = stability.evaluate(active, active, train_bits=np.ones(50), test_bits=np.ones(50), plain_bits=3.0)
    assert (found.predictive, found.compressive) == (1.0, 1.0)
    assert found.train_ratio == pytest.approx(1 / 3)


def test_activities_that_do_not_come_again_are_not_stable() -> None:
    found = stability.evaluate([[1, 0]], [[0, 1]], train_bits=[1], test_bits=[4], plain_bits=2)
    assert (found.predictive, found.compressive) == (0.0, 0.25)


def test_order_of_the_parts_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    one, two = rng.random((40, 4)) < 0.3, rng.random((60, 4)) < 0.2
    bits = rng.random(40) + 1, rng.random(60) + 2
    there = stability.evaluate(one, two, train_bits=bits[0], test_bits=bits[1], plain_bits=4)
    back = stability.evaluate(two, one, train_bits=bits[1], test_bits=bits[0], plain_bits=4)
    assert (there.predictive, there.compressive) == pytest.approx((back.predictive, back.compressive))
    assert 0 < there.predictive < 1
    assert 0 < there.compressive < 1


def test_nothing_active_in_either_has_not_changed() -> None:
    assert stability.evaluate([[0]], [[0]], train_bits=[1], test_bits=[1], plain_bits=1).predictive == 1.0


@pytest.mark.parametrize(
    ("train", "test", "bits", "plain", "said"),
    [
        ([[1, 0]], [[1]], [1], 1.0, "activities"),
        ([[1]], [[1]], [1, 1], 1.0, "train_bits"),
        ([[1]], [[1]], [-1], 1.0, "train_bits"),
        ([[1]], [[1]], [1], 0.0, "plain_bits"),
        ([], [[1]], [], 1.0, "train must"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    train: list[list[int]], test: list[list[int]], bits: list[int], plain: float, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        stability.evaluate(train, test, train_bits=bits, test_bits=[1], plain_bits=plain)

"""`rc.discover`: what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rehabcount as rc
from rehabcount.errors import InputRefused

ARRAYS = [np.random.default_rng(i).normal(size=(40, 2)) for i in range(3)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"seed": -1}, "seed is -1"),
        ({"seed": 1.5}, "seed is 1.5"),
        ({"steps": "3"}, "steps is '3'"),
        ({"length": True}, "length is True"),
        ({"names": [1, 2]}, "a name is not text"),
    ],
)
def test_wrong_arguments_say_which(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputRefused, match=said):
        rc.discover(ARRAYS, 10.0, **given)


def test_complex_numbers_are_refused() -> None:
    with pytest.raises(InputRefused, match="recording 1 is not an array of numbers: numbers are complex"):
        rc.discover([ARRAYS[0], ARRAYS[1] * 1j], 10.0, steps=2, length=2)


def test_recordings_may_come_from_a_generator() -> None:
    found = rc.discover((each for each in ARRAYS), 10.0, steps=2, length=2)
    assert len(found.recordings) == 3

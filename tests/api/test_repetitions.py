"""Teaching and counting from Python: the number or the ends, an exercise or none."""

from __future__ import annotations

import numpy as np
import pytest

import rehabcount as rc
from tests.datasets.made_repetitions import CYCLE_S, motion

RATE_HZ, PLACES, SIDE = 50.0, ["right-wrist"], "right"


def arrays(repetitions: int) -> tuple[np.ndarray, np.ndarray]:
    made = motion(repetitions, 50.0)
    return made[:, :3], made[:, 3:]


@pytest.mark.parametrize("told", [5, [CYCLE_S * number for number in range(1, 6)]])
def test_what_was_taught_is_counted(told: int | list[float]) -> None:
    taught = rc.teach(*arrays(5), RATE_HZ, PLACES, SIDE, told, name="turn")
    assert (taught.name, taught.shown) == ("turn", 5)
    assert taught.cycle_s == pytest.approx(CYCLE_S, abs=0.02)
    counted = rc.count_repetitions(*arrays(9), RATE_HZ, PLACES, SIDE, taught)
    assert counted.number == 9
    assert len(counted.spans) == len(counted.repetitions) == 9


def test_without_an_example() -> None:
    assert abs(rc.count_repetitions(*arrays(12), RATE_HZ, PLACES, SIDE).number - 12) <= 1


def test_the_other_arm_is_refused() -> None:
    taught = rc.teach(*arrays(3), RATE_HZ, PLACES, SIDE, 3)
    with pytest.raises(rc.InputRefused, match="right arm"):
        rc.count_repetitions(*arrays(3), 50.0, ["left-wrist"], "left", taught)

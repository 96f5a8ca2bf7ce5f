"""What is repeated is found without an example."""

from __future__ import annotations

import numpy as np
import pytest

from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.inference.unshown import find_repetitions
from rehabcount.signals.free_motion import free_motion
from tests.repeated_motion import CURL, angles, rows_of_angles


def found_in(rows: Rows) -> int:
    free = free_motion(rows)
    found = find_repetitions(free.values, free.valid, FRAME_RATE_HZ)
    return 0 if found is None else found.number


@pytest.mark.parametrize("number", [4, 12, 20])
def test_repetitions_between_still_ends(number: int) -> None:
    lengths = np.random.default_rng(number).uniform(1.8, 2.2, number).tolist()
    assert abs(found_in(rows_of_angles(angles(CURL, [-3.0, *lengths, -4.0]))) - number) <= 1


def test_stillness_and_nothing_are_no_repetitions() -> None:
    assert found_in(rows_of_angles(angles(CURL, [-20.0]))) == 0
    rows = rows_of_angles(angles(CURL, [2.0] * 3))
    assert found_in(Rows(0, rows.time_s, 0 * rows.values, np.zeros_like(rows.valid))) == 0

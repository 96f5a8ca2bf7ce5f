"""Feature rows as posture and speed, ten times a second."""

from __future__ import annotations

import numpy as np
import pytest

from rehabcount.domain.motion import Rows
from rehabcount.signals.features import BEDSIDE
from rehabcount.signals.posture import posture_of


def rows(frames: int = 57) -> Rows:
    values = np.zeros((frames, len(BEDSIDE)))
    valid = np.zeros(values.shape, bool)
    for name in (*(f"forearm up {axis}" for axis in "xyz"), *(f"forearm rate {axis}" for axis in "xyz")):
        valid[:, BEDSIDE.index(name)] = True
    values[:, BEDSIDE.index("forearm up x")] = np.arange(frames)
    values[:, BEDSIDE.index("forearm rate x")] = 3.0
    values[:, BEDSIDE.index("forearm rate z")] = 4.0
    return Rows(0, 12.0 + np.arange(frames) / 100, values, valid)


def test_means_over_tenths_and_the_length_of_the_rate() -> None:
    found = posture_of(rows())
    assert (len(found), found.start_s, found.worn) == (5, 12.0, ("forearm",))
    assert found.held[:, found.names.index("forearm up x")] == pytest.approx([4.5, 14.5, 24.5, 34.5, 44.5])
    assert found.turning[:, 1] == pytest.approx(np.full(5, 5.0))
    assert np.isnan(found.turning[:, [0, 2]]).all()


def test_rows_that_are_not_valid_are_left_out_of_a_mean() -> None:
    given = rows()
    valid = given.valid.copy()
    column = BEDSIDE.index("forearm up x")
    valid[10:15, column] = False
    valid[20:30, column] = False
    found = posture_of(Rows(0, given.time_s, given.values, valid))
    up = found.held[:, found.names.index("forearm up x")]
    assert up[1] == pytest.approx(17.0)
    assert np.isnan(up[2])


def test_no_row_at_all() -> None:
    assert len(posture_of(Rows(0, np.empty(0), np.empty((0, len(BEDSIDE))), np.empty((0, len(BEDSIDE)), bool)))) == 0

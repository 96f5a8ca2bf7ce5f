"""Trunk lean against tilts that are known, however the sensor is mounted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.domain.motion import CHANNELS, QUAT, Frames
from rehabcount.domain.rig import Side, make_rig
from rehabcount.signals.rotation import about, multiply, normalize
from rehabcount.signals.trunk import FLAGGED_DEG, RELEASED_DEG, TrunkLean

RIG = make_rig("three", Side.RIGHT, "generic", 100.0)  # hand, upper arm, sternum


def frames(quat: object, start_s: float, seconds: float = 0.5, *, valid: bool = True) -> Frames:
    """All sensors turned alike."""
    number = round(seconds * 100)
    values = np.zeros((number, len(RIG), CHANNELS))
    values[:, :, QUAT] = np.asarray(quat)
    return Frames(round(start_s * 100), start_s + np.arange(number) / 100, values, np.full((number, len(RIG)), valid))


unit = st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: sum(x * x for x in q) > 0.1)


@given(unit, st.floats(-60, 60), st.floats(0, 360))
def test_the_tilt_is_found_however_the_sensor_sits(mounting: list[float], tilt_deg: float, heading_deg: float) -> None:
    """The trunk tilts about a level axis of any heading; the sensor is glued on at any angle."""
    mount = normalize(mounting)
    heading = np.radians(heading_deg)
    axis = np.array([np.cos(heading), np.sin(heading), 0.0])
    lean = TrunkLean(RIG)
    lean.look(frames(mount, 0.0, 1.0))
    lean.look(frames(multiply(about(axis, np.radians(tilt_deg)), mount), 1.0))
    assert lean.deg == pytest.approx(abs(tilt_deg), abs=1e-4)


def test_turning_about_the_vertical_is_no_lean() -> None:
    lean = TrunkLean(RIG)
    lean.look(frames([1, 0, 0, 0], 0.0, 1.0))
    lean.look(frames(about([0, 0, 1], np.radians(80)), 1.0))
    assert lean.deg == pytest.approx(0.0, abs=1e-5)


def test_the_flag_does_not_flicker() -> None:
    lean = TrunkLean(RIG)
    lean.look(frames([1, 0, 0, 0], 0.0, 1.0))
    between = (FLAGGED_DEG + RELEASED_DEG) / 2
    seen = []
    for number, tilt_deg in enumerate((between, FLAGGED_DEG + 1, between, RELEASED_DEG - 1, between)):
        lean.look(frames(about([1, 0, 0], np.radians(tilt_deg)), 1.0 + number))
        seen.append(lean.flagged)
    assert seen == [False, True, True, False, False]


def test_a_new_reference_starts_from_now() -> None:
    lean = TrunkLean(RIG)
    lean.look(frames([1, 0, 0, 0], 0.0, 1.0))
    tilted = about([1, 0, 0], np.radians(30))
    lean.rebase()
    lean.look(frames(tilted, 1.0, 1.0))
    lean.look(frames(tilted, 2.0))
    assert lean.deg == pytest.approx(0.0, abs=1e-5)


def test_nothing_is_said_without_data_or_without_a_sensor_on_the_trunk() -> None:
    lean = TrunkLean(RIG)
    lean.look(frames([np.nan] * 4, 0.0, 2.0, valid=False))
    assert lean.deg is None
    alone = TrunkLean(make_rig("one", Side.RIGHT, "generic", 100.0))
    alone.look(frames([1, 0, 0, 0], 0.0, 2.0))
    assert alone.deg is None

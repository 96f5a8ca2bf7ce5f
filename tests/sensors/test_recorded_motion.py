from __future__ import annotations

import numpy as np
import pytest

from rehabcount.domain.motion import Frames
from rehabcount.sensors.recorded_motion import motion_from
from rehabcount.sensors.swinging import Swing

SWING = Swing(0.8, 0.5, 0.4)


def recorded(n: int = 400) -> Frames:
    time_s = 3.0 + np.arange(n) / 100
    reading = SWING(time_s - 3.0)
    values = np.concatenate([reading.acc, reading.gyr, reading.quat], axis=1)[:, None]
    values[50:60, 0, 6:] *= -1  # the same orientations, written the other way
    return Frames(0, time_s, values, np.ones((n, 1), bool))


def test_between_frames_it_is_the_motion() -> None:
    time_s = np.arange(0, 3.9, 0.007)
    got, truth = motion_from(recorded(), 0)(time_s), SWING(time_s)
    np.testing.assert_allclose(got.acc, truth.acc, atol=5e-3)
    np.testing.assert_allclose(got.gyr, truth.gyr, atol=5e-3)
    np.testing.assert_allclose(np.abs(np.sum(got.quat * truth.quat, axis=1)), 1.0, atol=1e-6)


def test_it_begins_anew() -> None:
    motion = motion_from(recorded(), 0)
    np.testing.assert_allclose(motion(np.array([1.5])).acc, motion(np.array([5.5])).acc)


def test_holes_are_bridged_and_nothing_is_refused() -> None:
    frames = recorded()
    valid = np.array(frames.valid)
    valid[100:103] = False
    got = motion_from(Frames(0, frames.time_s, frames.values, valid), 0)(np.array([1.01]))
    np.testing.assert_allclose(got.gyr, SWING(np.array([1.01])).gyr, atol=0.02)
    with pytest.raises(ValueError, match="two frames"):
        motion_from(Frames(0, frames.time_s, frames.values, np.zeros_like(valid)), 0)

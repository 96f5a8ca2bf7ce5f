"""Swapped and misplaced sensors are noticed in the calibration movements; sensors in place are not doubted."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from rehabcount.domain.calibration import Verdict
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import CHANNELS, Frames
from rehabcount.domain.rig import Place, Rig, Sensor, Side
from rehabcount.signals.calibration import ArmMovements, TimeSpan, calibrate
from rehabcount.signals.orientation import orient_all
from tests.signals.motions import BENDING_S, POSE_S, TURNING_S, arm_motion, read

TRUE_PLACES = (Place.STERNUM, Place.RIGHT_UPPER_ARM, Place.RIGHT_FOREARM, Place.RIGHT_HAND, Place.LEFT_WRIST)
MOVEMENTS = {Side.RIGHT: ArmMovements(TimeSpan(*BENDING_S), TimeSpan(*TURNING_S))}


def recording(seed: int = 0, swing: float = 0.5, tilt_rad: float = 0.2) -> Frames:
    """24 s of calibration: trunk, right arm, and a left wrist that rests."""
    rng = np.random.default_rng(seed)
    values, _ = read(arm_motion(24.0, swing=swing), rng, tilt_rad=tilt_rad, noise=1.0)
    n = len(values)
    resting = np.concatenate([np.tile([0.0, 0.0, 9.81], (n, 1)), np.zeros((n, 3))], axis=1)
    resting += rng.normal(0, [0.05] * 3 + [0.01] * 3, (n, 6))
    table = np.full((n, 5, CHANNELS), np.nan)
    table[:, :4, :6], table[:, 4, :6] = values, resting
    return orient_all(Frames(0, np.arange(n) / 100, table, np.ones((n, 5), bool)))


def rig_of(places: tuple[Place, ...]) -> Rig:
    return Rig("five", tuple(Sensor(place.value, place, "generic", 100.0) for place in places))


@pytest.mark.parametrize("swing", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(5))
def test_sensors_in_place_are_not_doubted(seed: int, swing: float) -> None:
    result = calibrate(recording(seed, swing), rig_of(TRUE_PLACES), TimeSpan(*POSE_S), MOVEMENTS)
    assert result.verdict is not Verdict.REPEAT
    assert not [text for text in map(str, result.advice) if "swapped" in text or "strapped" in text]


@pytest.mark.parametrize("pair", list(itertools.combinations(range(5), 2)), ids=str)
def test_every_swap_is_noticed(pair: tuple[int, int]) -> None:
    places = list(TRUE_PLACES)
    places[pair[0]], places[pair[1]] = places[pair[1]], places[pair[0]]
    quiet = {Place.STERNUM, Place.LEFT_WRIST, Place.RIGHT_UPPER_ARM}
    result = calibrate(recording(swing=0.0), rig_of(tuple(places)), TimeSpan(*POSE_S), MOVEMENTS)
    swapped = [text for text in map(str, result.advice) if "swapped" in text]
    if {places[pair[0]], places[pair[1]]} <= quiet:  # neither of the two moves: nothing in the movements tells
        return
    assert result.verdict is Verdict.REPEAT
    assert any(places[pair[0]].value in text and places[pair[1]].value in text for text in swapped), result.advice


def test_a_sensor_that_lies_on_the_table_is_noticed() -> None:
    frames = recording()
    values = np.array(frames.values)
    values[:, 3] = values[:, 4]  # the hand's sensor rests like the other wrist's
    result = calibrate(
        Frames(0, frames.time_s, values, frames.valid), rig_of(TRUE_PLACES), TimeSpan(*POSE_S), MOVEMENTS
    )
    assert result.verdict is Verdict.REPEAT
    assert Message.of(Code.MOVED_WITHOUT, sensor="right-hand") in result.advice


def test_without_movements_nothing_is_doubted() -> None:
    places = (*TRUE_PLACES[:2], TRUE_PLACES[3], TRUE_PLACES[2], TRUE_PLACES[4])
    result = calibrate(recording(), rig_of(places), TimeSpan(*POSE_S))
    assert not [text for text in map(str, result.advice) if "swapped" in text]


def test_a_silent_sensor_is_not_called_swapped() -> None:
    frames = recording()
    valid = np.array(frames.valid)
    valid[350:, 3] = False
    result = calibrate(
        Frames(0, frames.time_s, frames.values, valid), rig_of(TRUE_PLACES), TimeSpan(*POSE_S), MOVEMENTS
    )
    assert not [text for text in map(str, result.advice) if "swapped" in text or "strapped" in text]

"""Units are judged by gravity: what is right passes, what is wrong is named, nothing depends on chunks."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

import rehabcount as rc
from rehabcount.api.units import UnitCheck
from rehabcount.domain.arrays import Floats
from rehabcount.sensors.importers import read_export


def motion_of(person: rc.SimulatedRecording) -> Floats:
    return np.concatenate([person.acc, person.gyr], axis=2)


def judge(person: rc.SimulatedRecording, motion: Floats, step: int | None = None) -> None:
    check = UnitCheck(person.places, person.rate_hz)
    step = step or len(motion)
    for begin in range(0, len(motion), step):
        check.push(motion[begin : begin + step])
    check.finish()


@pytest.mark.parametrize("subject", ["S20", "S48", "H17"])
@pytest.mark.parametrize("activity", ["drinking", "combing"])
def test_what_sensors_measure_passes(subject: str, activity: str) -> None:
    person = rc.simulate(activity, subject=subject)
    judge(person, motion_of(person))


@pytest.mark.parametrize(
    ("acc", "gyr", "advice"),
    [
        (1 / 9.80665, 1.0, "It looks like g: multiply by 9.80665"),
        (1000 / 9.80665, 1.0, "It looks like mg"),
        (1.0, 180 / np.pi, "multiply it by pi/180"),
        (1.0, np.pi / 180, "converted from deg/s twice"),
        (2.0, 1.0, "Give acceleration as the sensor measures it"),
    ],
)
@pytest.mark.parametrize("step", [None, 7])
def test_wrong_units_are_refused_with_advice(
    person: rc.SimulatedRecording, acc: float, gyr: float, advice: str, step: int | None
) -> None:
    motion = motion_of(person) * np.array([acc] * 3 + [gyr] * 3)
    with pytest.raises(rc.InputRefused) as found:
        judge(person, motion, step)
    assert advice in found.value.advice


def test_acceleration_without_gravity_is_refused(person: rc.SimulatedRecording) -> None:
    motion = motion_of(person)
    motion[:, :, :3] -= motion[300:500, :, :3].mean(axis=0)  # as far as the still pose goes
    with pytest.raises(rc.InputRefused, match="an accelerometer at rest"):
        judge(person, motion[:600])


def test_axes_that_were_mixed_up_are_refused(person: rc.SimulatedRecording) -> None:
    with pytest.raises(rc.InputRefused) as found:
        judge(person, motion_of(person)[:, :, [0, 1, 2, 4, 3, 5]])
    assert "same axes" in found.value.advice


def test_real_sensors_pass_and_are_refused_in_degrees(data_folder: Path) -> None:
    """Sensors that moved: three on a walking leg and pelvis, one on a wrist lifting weights (60 and 25 Hz)."""
    exports = data_folder / "device-exports"
    files = [[each] for each in sorted((exports / "movella-dot-app").glob("*.csv"))] + [
        sorted(exports.glob("A-bench*"))
    ]
    recordings = [read_export(each) for each in files if each]
    assert len(recordings) == 4
    for recording in recordings:
        (sensor,), (samples,) = recording.rig.sensors, recording.samples
        assert samples.acc is not None
        assert samples.gyr is not None
        for factor, refused in ((1.0, False), (180 / np.pi, True)):
            check = UnitCheck((sensor.name,), sensor.rate_hz)
            check.push(np.concatenate([samples.acc, samples.gyr * factor], axis=1)[:, None])
            with pytest.raises(rc.InputRefused) if refused else contextlib.nullcontext():
                check.finish()


def test_rest_alone_says_nothing_about_the_gyroscope(person: rc.SimulatedRecording) -> None:
    still = slice(*(round(at_s * person.rate_hz) for at_s in person.calibration["still"]))
    judge(person, motion_of(person)[still])


def test_samples_that_were_lost_are_not_judged(person: rc.SimulatedRecording) -> None:
    motion = motion_of(person)
    motion[np.random.default_rng(0).random(motion.shape[:2]) < 0.3] = np.nan
    judge(person, motion)
    judge(person, np.full_like(motion, np.nan))

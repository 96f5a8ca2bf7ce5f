"""Recordings made comparable, and every input that is refused with its reason."""

from __future__ import annotations

import numpy as np
import pytest

from rehabcount.errors import InputRefused
from rehabcount.models.steps_input import Channels, Demonstration, comparable
from rehabcount.signals.posture import ARM_PARTS, ELBOW, PARTS, Posture

NAMES = tuple(f"{part} up {axis}" for part in PARTS for axis in "xyz") + ELBOW


def posture(seed: int, worn: tuple[str, ...] = ("forearm", "upper-arm", "thorax"), seconds: float = 6.0) -> Posture:
    rng = np.random.default_rng(seed)
    frames = int(seconds * 10)
    held, turning = np.full((frames, len(NAMES)), np.nan), np.full((frames, len(ARM_PARTS)), np.nan)
    for part in worn:
        columns = [NAMES.index(f"{part} up {axis}") for axis in "xyz"]
        tilt = np.sin(np.linspace(0, 3, frames)) + rng.normal(0, 0.02, frames)
        held[:, columns] = np.stack([np.sin(tilt), np.cos(tilt), 0 * tilt], axis=1)
        if part in ARM_PARTS:
            turning[:, ARM_PARTS.index(part)] = np.abs(np.gradient(tilt)) * 10
    if {"forearm", "upper-arm"} <= set(worn):
        held[:, [NAMES.index(name) for name in ELBOW]] = rng.normal(0, 0.1, (frames, 2)).cumsum(axis=0)
    return Posture(0.0, NAMES, held, turning)


def channels(values: np.ndarray, rate_hz: float = 10.0) -> Demonstration:
    names = tuple(f"channel {i}" for i in range(values.shape[1] if values.ndim == 2 else 0))
    return Demonstration("some", Channels(0.0, rate_hz, names, values))


def noise(frames: int = 50, width: int = 3, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 1, (frames, width))


def test_postures_become_directions_changes_and_speed() -> None:
    data = comparable([Demonstration("a", posture(0)), Demonstration("b", posture(1))])
    together = np.concatenate(data.tables)
    assert together.shape[1] == 7
    assert np.abs(together.mean(axis=0)).max() < 1e-9
    assert together.std(axis=0) == pytest.approx(np.ones(7))
    assert np.corrcoef(together[:, 0], together[:, 1])[0, 1] == pytest.approx(0, abs=1e-9)
    assert data.rate_hz == 10.0
    assert not data.notes


def test_one_forearm_is_enough() -> None:
    data = comparable([Demonstration("a", posture(0, ("forearm",))), Demonstration("b", posture(1, ("forearm",)))])
    assert np.isfinite(np.concatenate(data.tables)).all()


def test_sensors_that_not_all_wear_are_left_out_and_named() -> None:
    data = comparable(
        [Demonstration("a", posture(0)), Demonstration("b", posture(1, ("hand", "forearm", "upper-arm")))]
    )
    assert data.notes == (
        "the sensor on the hand is left out: a has none.",
        "the sensor on the thorax is left out: b has none.",
    )
    with pytest.raises(InputRefused, match="no part of the arm wears a sensor in all recordings") as refused:
        comparable([Demonstration("a", posture(0, ("hand",))), Demonstration("b", posture(1, ("forearm",)))])
    assert "a: hand; b: forearm" in str(refused.value)


def test_elbow_angles_that_are_not_known_throughout_are_left_out() -> None:
    late = posture(1)
    held = late.held.copy()
    held[:5, NAMES.index(ELBOW[1])] = np.nan
    data = comparable([Demonstration("a", posture(0)), Demonstration("b", Posture(0.0, NAMES, held, late.turning))])
    assert data.notes == ("forearm pronation is left out: it is not known throughout in b.",)


def test_a_gap_is_refused_with_its_recording_sensor_and_time() -> None:
    broken = posture(1)
    held = broken.held.copy()
    held[20:27, NAMES.index("forearm up x")] = np.nan
    given = [Demonstration("a", posture(0)), Demonstration("b", Posture(4.0, NAMES, held, broken.turning))]
    with pytest.raises(InputRefused, match=r"b has no data of the forearm at 6\.0 s \(0\.7 s in all\)"):
        comparable(given)


def test_channels_are_slowed_down_and_standardised() -> None:
    values = np.repeat(noise(40), 5, axis=0)  # 50 Hz
    data = comparable([channels(values, 50.0), channels(np.repeat(noise(30, seed=1), 5, axis=0), 50.0)])
    assert [len(table) for table in data.tables] == [40, 30]
    together = np.concatenate([noise(40), noise(30, seed=1)])
    expected = (together - together.mean(axis=0)) / together.std(axis=0)
    assert np.concatenate(data.tables) == pytest.approx(expected)


def test_a_rate_that_is_no_multiple_and_a_slow_one() -> None:
    assert [len(each) for each in comparable([channels(noise(128), 32.0), channels(noise(64), 32.0)]).tables] == [
        40,
        20,
    ]
    slow = comparable([channels(noise(20), 4.0), channels(noise(25), 4.0)])
    assert (slow.rate_hz, [len(each) for each in slow.tables]) == (4.0, [20, 25])


def test_many_channels_are_put_together() -> None:
    mixing = noise(3, 12, seed=9)
    data = comparable([channels(noise(60, 3) @ mixing), channels(noise(50, 3, seed=1) @ mixing)])
    assert data.tables[0].shape == (60, 3)
    assert data.notes == ("12 channels were put together into 3 principal components.",)


def test_every_wrong_input_says_what_is_wrong() -> None:
    good, wrong = channels(noise()), noise()
    wrong[7, 1] = np.nan
    constant = noise()
    constant[:, 2] = 4.0
    long = channels(noise(20_000, 1))
    for given, what in (
        ([], "there is no recording"),
        ([good], "there is one recording only"),
        ([good, channels(noise(width=2))], "some has 2 channels .*some has 3"),
        ([good, channels(wrong)], "no number in channel 'channel 1' at row 7"),
        ([channels(constant), channels(constant)], "channel 'channel 2' is constant in all"),
        ([good, channels(noise(9))], "some has 9 values of 0.1 s each; 10 are the least"),
        ([good, channels(np.zeros((0, 3)))], "some is empty"),
        ([good, channels(np.zeros(20))], "some is no table"),
        ([good, Demonstration("a", posture(0))], "some recordings are of sensors on an arm"),
        ([long, long], "minutes together"),
    ):
        with pytest.raises(InputRefused, match=what) as refused:
            comparable(given)
        assert refused.value.advice

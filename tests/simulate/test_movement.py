from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from rehabcount.simulate.movement import (
    MOTION_RATE_HZ,
    Submovements,
    minimum_jerk,
    progress,
    ringing,
    rumble,
    split_movement,
)


def test_minimum_jerk_is_the_polynomial_with_still_ends() -> None:
    t = np.linspace(0, 1, 1001)
    path = minimum_jerk(t)
    speed = np.gradient(path, t)
    assert path[[0, -1]] == pytest.approx([0, 1])
    assert speed.max() == pytest.approx(1.875, rel=1e-3)  # known peak: 15/8 of the mean
    assert np.argmax(speed) == 500
    assert minimum_jerk([-3.0, 7.0]) == pytest.approx([0, 1])


@given(
    st.integers(0, 2**32 - 1),
    st.floats(0.3, 4.0),
    st.floats(0, 6),
    st.floats(0, 1),
    st.floats(0.1, 0.8),
    st.floats(0.8, 2.5),
)
@settings(max_examples=80, deadline=None)
def test_a_split_movement_arrives_and_takes_no_tiny_steps(
    seed: int, length_s: float, corrections: float, evenness: float, overlap: float, skew: float
) -> None:
    parts = split_movement(length_s, corrections, evenness, overlap, skew, np.random.default_rng(seed))
    assert parts.weight.sum() == pytest.approx(1.0)
    assert (parts.weight > 0).all()
    assert parts.length_s.min() > 0.25
    assert parts.length_s.max() < max(1.2 * length_s, 0.45)
    assert parts.end_s <= parts.length_s.sum() + 1e-9
    way = progress(np.array([-1.0, 0.0, parts.end_s, parts.end_s + 1]), parts) @ parts.weight
    assert way == pytest.approx([0, 0, 1, 1])


def test_skew_brings_the_peak_forward() -> None:
    t = np.arange(0, 1, 0.005)

    def peak(skew: float) -> int:
        parts = Submovements(np.zeros(1), np.ones(1), np.ones(1), skew)
        return int(np.argmax(np.diff(progress(t, parts)[:, 0])))

    assert peak(2.0) < peak(1.4) < peak(1.0)


@pytest.mark.parametrize("band", [(0.1, 1.2), (1.5, 5.0), (7.0, 13.0)])
def test_rumble_has_its_size_and_its_band(band: tuple[float, float]) -> None:
    noise = rumble(60_000, 3, band, np.random.default_rng(1))
    assert noise.std() == pytest.approx(1.0, abs=0.12)
    frequency, power = signal.welch(noise[:, 0], fs=MOTION_RATE_HZ, nperseg=8192)
    inside = (frequency > 0.7 * band[0]) & (frequency < 1.4 * band[1])
    assert power[inside].sum() / power.sum() > 0.9


def test_ringing_dies_away_and_starts_from_nothing() -> None:
    shape = ringing(18.0, 0.03)
    assert shape[0] == 0.0
    assert 0.3 < np.abs(shape).max() <= 1.0
    assert np.abs(shape[-5:]).max() < 0.02

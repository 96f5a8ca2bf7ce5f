"""Spectral arc length: a smooth movement has a short arc, whatever its size and length."""

from __future__ import annotations

import numpy as np
import pytest

from rehabcount.signals.smoothness import spectral_arc_length


def bell(length_s: float) -> np.ndarray:
    share = np.linspace(0.0, 1.0, round(100 * length_s))
    return np.asarray(30 * share**2 * (1 - share) ** 2)


def test_size_and_duration_do_not_matter() -> None:
    one = spectral_arc_length(bell(1.0), 100.0)
    assert one is not None
    assert -1.8 < one < -1.3  # a movement of minimal jerk: about -1.4
    assert spectral_arc_length(7 * bell(1.0), 100.0) == pytest.approx(one)
    assert spectral_arc_length(bell(2.0), 100.0) == pytest.approx(one, abs=0.1)


def test_a_halting_movement_is_less_smooth() -> None:
    one, halting = bell(1.0), np.concatenate([bell(0.4), bell(0.3), bell(0.3)])
    smooth, rough = spectral_arc_length(one, 100.0), spectral_arc_length(halting, 100.0)
    assert smooth is not None
    assert rough is not None
    assert rough < smooth - 0.3


def test_no_speed_has_no_smoothness() -> None:
    assert spectral_arc_length(np.zeros(100), 100.0) is None
    assert spectral_arc_length(np.ones(2), 100.0) is None
    assert spectral_arc_length(np.full(50, np.nan), 100.0) is None

"""The ribbon's clock: smooth between steps, still when the session is, never backwards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.gui.smooth_clock import AHEAD_S, SmoothClock


def test_it_runs_on_between_two_steps() -> None:
    clock = SmoothClock()
    clock.heard(10.0, 100.0)
    assert clock.now_s(100.2) == pytest.approx(10.2)
    assert clock.now_s(100.4) == pytest.approx(10.4)


def test_it_stands_still_when_the_session_does() -> None:
    clock = SmoothClock()
    clock.heard(10.0, 100.0)
    assert clock.now_s(110.0) == clock.now_s(120.0) == pytest.approx(10.0 + AHEAD_S)


def test_steps_of_the_recorder_are_not_seen() -> None:
    """The session's time comes in steps of a quarter second; frame by frame the shown time moves evenly."""
    clock, shown = SmoothClock(), []
    for frame in range(600):
        wall = frame / 30
        if frame % 8 == 0:
            clock.heard(int(wall * 4) / 4, wall)
        shown.append(clock.now_s(wall))
    steps = np.diff(shown[60:])
    assert steps.min() > 0.01
    assert steps.max() < 0.07


@given(st.lists(st.tuples(st.floats(0.0, 0.3), st.floats(0.0, 0.3)), min_size=1, max_size=50))
def test_it_never_runs_backwards(steps: list[tuple[float, float]]) -> None:
    clock, session_s, wall_s, last = SmoothClock(), 0.0, 0.0, 0.0
    for session_step, wall_step in steps:
        session_s, wall_s = session_s + session_step, wall_s + wall_step
        clock.heard(session_s, wall_s)
        now = clock.now_s(wall_s)
        assert last <= now <= session_s + AHEAD_S or now == last
        last = now


def test_it_follows_a_leap() -> None:
    clock = SmoothClock()
    clock.heard(10.0, 100.0)
    clock.heard(40.0, 100.1)
    assert clock.now_s(100.1) == pytest.approx(40.0)

"""Device clocks: wrap-around, drift, jitter, restarts, and independence of how the input was chopped."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.domain.arrays import Floats, Ints
from rehabcount.domain.update import ClockJump, Update
from rehabcount.signals.clock import ClockSpec, DeviceClock
from tests.signals.streams import chop

DOT = ClockSpec(1e6, 32, 60.0)
CLOCKLESS = ClockSpec(None, None, 100.0)


def session_seconds(tick: Ints | None, received_ns: Ints, spec: ClockSpec, origin_ns: int) -> Floats:
    """The whole recording of one sensor at once."""
    return DeviceClock(spec, origin_ns).times(tick, received_ns)


def ticks_and_receipts(
    times: np.ndarray, rng: np.random.Generator, *, drift: float = 0.0, start: int = 0, jitter_s: float = 0.02
) -> tuple[np.ndarray, np.ndarray]:
    tick = (start + np.rint(times * (1 + drift) * 1e6).astype(np.int64)) % 2**32
    received = np.maximum.accumulate(times + 0.008 + rng.exponential(jitter_s, len(times)))
    return tick, np.rint(received * 1e9).astype(np.int64)


@pytest.mark.parametrize("drift", [0.0, 50e-6, -200e-6, 0.03, -0.03])
def test_follows_the_host_through_drift_and_jitter(drift: float) -> None:
    """After the first half minute the error is a constant delay of a few ms with next to no wobble."""
    times = np.arange(0, 300, 1 / 60)
    tick, received = ticks_and_receipts(times, np.random.default_rng(1), drift=drift)
    error = session_seconds(tick, received, DOT, 0) - times
    settled = error[times > 30]
    assert 0 < np.median(settled) < 0.012
    assert settled.std() < 0.002
    assert np.abs(error).max() < 0.15


def test_wraps_twice_in_three_hours() -> None:
    times = np.arange(0, 3 * 3600, 0.05)
    tick, received = ticks_and_receipts(times, np.random.default_rng(2), drift=40e-6, start=2**32 - 5_000_000)
    assert (np.diff(tick) < 0).sum() == 3
    error = session_seconds(tick, received, DOT, 0) - times
    assert np.abs(error[times > 30]).max() < 0.02


def test_a_pause_longer_than_a_turn_of_the_counter() -> None:
    times = np.concatenate([np.arange(0, 60, 0.05), np.arange(6000, 6060, 0.05)])
    tick, received = ticks_and_receipts(times, np.random.default_rng(3), drift=20e-6)
    error = session_seconds(tick, received, DOT, 0) - times
    assert np.abs(error[times > 30]).max() < 0.2


def test_time_never_runs_backwards() -> None:
    times = np.arange(0, 120, 0.01)
    tick, received = ticks_and_receipts(times, np.random.default_rng(4), drift=0.01, jitter_s=0.05)
    assert (np.diff(session_seconds(tick, received, DOT, 0)) > 0).all()


def test_a_restarted_device_is_anchored_anew_and_reported() -> None:
    times = np.arange(0, 100, 0.05)
    tick, received = ticks_and_receipts(times, np.random.default_rng(5), start=3_000_000_000)
    restarted = times >= 60
    tick[restarted] -= tick[restarted][0]
    said: list[Update] = []
    out = DeviceClock(DOT, 0, sensor="hand", on_update=said.append).times(tick, received)
    assert np.abs(out - times).max() < 0.2
    assert len(said) == 1
    assert isinstance(said[0], ClockJump)
    assert said[0].sensor == "hand"
    assert said[0].at_s == pytest.approx(60, abs=0.2)


@pytest.mark.parametrize("at_s", [4.0, 60.0])
@pytest.mark.parametrize("jump_s", [3.0, -3.0, 0.7, -0.7])
def test_small_leaps_heal_within_two_seconds(at_s: float, jump_s: float) -> None:
    times = np.arange(0, 100, 0.01)
    tick, received = ticks_and_receipts(times, np.random.default_rng(7), start=100_000_000)
    tick[times >= at_s] += round(jump_s * 1e6)
    error = np.abs(session_seconds(tick, received, DOT, 0) - times)
    assert error[times > at_s + 2].max() < 0.03


def test_a_late_first_packet_is_forgotten_at_once() -> None:
    times = np.arange(0, 30, 0.01)
    tick, received = ticks_and_receipts(times, np.random.default_rng(8))
    received[:20] += 1_000_000_000
    error = np.abs(session_seconds(tick, np.maximum.accumulate(received), DOT, 0) - times)
    assert error[times > 2].max() < 0.06


def test_a_pause_after_a_few_readings_does_not_run_away() -> None:
    times = np.concatenate([np.arange(0, 6.5, 0.01), np.arange(606.5, 640, 0.01)])
    for seed in range(10):
        tick, received = ticks_and_receipts(times, np.random.default_rng(seed))
        assert np.abs(session_seconds(tick, received, DOT, 0) - times)[times > 600].max() < 0.06


def test_a_stall_that_empties_in_a_burst_is_not_counted_twice() -> None:
    times = np.arange(0, 30, 0.01)
    for stall_s in (0.6, 1.5, 3.0):
        held = np.where((times > 10) & (times < 10 + stall_s), 10 + stall_s, times + 0.01)
        received = np.rint(np.maximum.accumulate(held) * 1e9).astype(np.int64)
        error = np.abs(session_seconds(None, received, CLOCKLESS, 0) - times)
        assert error[times > 11 + stall_s].max() < 0.05


def test_without_a_clock_samples_are_spread_evenly() -> None:
    """Frames arrive in bunches of five; their times come out 10 ms apart."""
    times = np.arange(0, 60, 0.01)
    received = np.rint((np.repeat(times[4::5], 5) + 0.01) * 1e9).astype(np.int64)
    out = session_seconds(None, received, CLOCKLESS, 0)
    steps = np.diff(out[times > 5])
    assert np.abs(steps - 0.01).max() < 0.001
    assert np.abs(out - times)[times > 5].max() < 0.06


def test_without_a_clock_loss_and_a_wrong_rate_are_followed() -> None:
    rng = np.random.default_rng(6)
    times = np.arange(0, 120, 0.01 * 1.02)
    times = times[rng.random(len(times)) > 0.05]
    received = np.rint(np.maximum.accumulate(times + 0.008 + rng.exponential(0.01, len(times))) * 1e9).astype(np.int64)
    error = np.abs(session_seconds(None, received, CLOCKLESS, 0) - times)[times > 20]
    # A lost sample is 10 ms that were not counted; the fit needs a second or two to notice a run of them.
    assert np.percentile(error, 95) < 0.05
    assert error.max() < 0.1


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    cuts=st.integers(0, 10_000),
    drift=st.sampled_from([0.0, 1e-4, -0.02]),
    clockless=st.booleans(),
    jump=st.booleans(),
    reorder=st.booleans(),
)
def test_the_same_for_any_chopping(
    seed: int, cuts: int, drift: float, clockless: bool, jump: bool, reorder: bool
) -> None:
    rng = np.random.default_rng(seed)
    times = np.arange(0, 8, 0.02)[rng.random(400) > 0.1]
    tick, received = ticks_and_receipts(times, rng, drift=drift, start=2**32 - 3_000_000)
    if jump:
        tick[len(tick) // 2 :] = (tick[len(tick) // 2 :] + 77_000_000) % 2**32
    if reorder:
        swap = np.flatnonzero(rng.random(len(tick) - 1) < 0.1)
        for i in swap:
            tick[[i, i + 1]] = tick[[i + 1, i]]
    spec = CLOCKLESS if clockless else DOT
    whole = session_seconds(None if clockless else tick, received, spec, 0)
    clock = DeviceClock(spec, 0)
    # Samples with one receive time came in one packet, which is never cut.
    apart = [0, *(np.flatnonzero(np.diff(received)) + 1).tolist(), len(received)]
    ends = sorted({apart[np.searchsorted(apart, part.stop)] for part in chop(cuts, len(received))})
    parts = [
        clock.times(None if clockless else tick[start:end], received[start:end]) for start, end in pairwise([0, *ends])
    ]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_a_sensor_has_a_clock_or_has_none() -> None:
    clock = DeviceClock(DOT, 0, sensor="hand")
    assert len(clock.times(np.array([5]), np.array([0]))) == 1
    with pytest.raises(ValueError, match="hand"):
        clock.times(None, np.array([0]))
    with pytest.raises(ValueError, match="wrist"):
        DeviceClock(CLOCKLESS, 0, sensor="wrist").times(np.array([5]), np.array([0]))


def test_a_layout_with_optional_ticks_counts_where_there_are_none() -> None:
    received = np.arange(0, 10**9, 10**7)
    counted = session_seconds(None, received, ClockSpec(1e6, None, 100.0), 0)
    np.testing.assert_array_equal(counted, session_seconds(None, received, CLOCKLESS, 0))

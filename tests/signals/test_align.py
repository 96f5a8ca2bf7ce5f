"""Alignment: frames hold what was measured then, or say that nothing was; and do not depend on chopping."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.domain.message import Code
from rehabcount.domain.motion import BLOCK_FRAMES, Frames, Samples, Silence
from rehabcount.domain.rig import Place, Rig, Sensor, Side, make_rig
from rehabcount.domain.update import Discarded, Gap, Lost, Returned, Update
from rehabcount.errors import PacketMalformed
from rehabcount.sensors.packets import concatenate
from rehabcount.signals.align import LEAD_S, PAUSE_S, AlignSettings, align, align_all, align_parts, in_parts, resample
from rehabcount.signals.clock import ClockSpec
from tests.signals.streams import Radio, joined, record


def together(blocks: list[Frames]) -> Frames:
    return Frames(
        blocks[0].index,
        np.concatenate([block.time_s for block in blocks]),
        np.concatenate([block.values for block in blocks]),
        np.concatenate([block.valid for block in blocks]),
    )


def assert_same(a: Frames, b: Frames) -> None:
    np.testing.assert_array_equal(a.time_s, b.time_s)
    np.testing.assert_array_equal(a.valid, b.valid)
    np.testing.assert_array_equal(a.values, b.values)


RADIOS = st.builds(
    Radio,
    jitter_s=st.sampled_from([0.0, 0.02, 0.08]),
    loss=st.sampled_from([0.0, 0.05, 0.3]),
    reorder=st.sampled_from([0.0, 0.1]),
    duplicate=st.sampled_from([0.0, 0.1]),
    drift=st.sampled_from([0.0, 1e-4]),
    late=st.sampled_from([0.0, 0.02]),
    ticks=st.booleans(),
)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    radio=RADIOS,
    lag_s=st.sampled_from([0.0, 0.05, 0.15]),
    rate_hz=st.sampled_from([60.0, 100.0]),
)
def test_stream_equals_kernel(seed: int, radio: Radio, lag_s: float, rate_hz: float) -> None:
    rig, clocks, items = record(seed, radio, length_s=2.5, rate_hz=rate_hz)
    how = AlignSettings(lag_s=lag_s)
    blocks = list(align(items, rig, clocks, how))
    assert_same(together(blocks), align_all(items, rig, clocks, how))
    assert all(len(block) == BLOCK_FRAMES for block in blocks[:-1])
    # However the packets were joined on the way.
    assert_same(together(list(align(joined(items, seed), rig, clocks, how))), together(blocks))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), radio=RADIOS, lag_s=st.sampled_from([0.0, 0.15]), size=st.sampled_from([1, 7, 60]))
def test_parts_equal_the_stream(seed: int, radio: Radio, lag_s: float, size: int) -> None:
    """However the recording is parted; the numbers of the frames go on, too."""
    rig, clocks, items = record(seed, radio, length_s=2.5)
    how = AlignSettings(lag_s=lag_s)
    parts = list(in_parts(items, size))
    assert [item for part in parts for item in part] == items
    assert all(sum(len(item) if isinstance(item, Samples) else 1 for item in part) >= size for part in parts[:-1])
    blocks = list(align_parts(parts, rig, clocks, how))
    assert_same(together(blocks), together(list(align(items, rig, clocks, how))))
    assert [block.index for block in blocks] == [0, *np.cumsum([len(block) for block in blocks])[:-1]]


def test_frames_hold_what_was_measured() -> None:
    """Every sample carries its own time, so a frame must carry the frame's time, but for the clock's constant delay."""
    rig, clocks, items = record(1, Radio(jitter_s=0.01), sensors="nine", length_s=20, rate_hz=60)
    frames = align_all(items, rig, clocks)
    inside = (frames.time_s > 8) & (frames.time_s < 19)
    assert frames.valid[inside].all()
    error = frames.values[inside, :, 0] - frames.time_s[inside, None]
    # acc x is the true time; session time counts from the first receipt and lags by the shortest delay.
    assert np.ptp(np.median(error, axis=0)) < 0.01
    assert error.std(axis=0).max() < 0.003


def test_a_hole_is_marked_and_never_filled() -> None:
    rig = make_rig("one", Side.RIGHT, "none", 100.0)
    clocks = {rig.names[0]: ClockSpec(1e6, 32, 100.0)}
    times = np.concatenate([np.arange(0, 1, 0.01), np.arange(2, 3, 0.01)])
    items = _samples(rig.names[0], times)
    said: list[Update] = []
    frames = together(list(align(items, rig, clocks, on_update=said.append)))
    hole = (frames.time_s > 0.991) & (frames.time_s < 1.999)
    assert not frames.valid[hole].any()
    assert np.isnan(frames.values[hole]).all()
    assert frames.valid[~hole].all()
    [gap] = said
    assert isinstance(gap, Gap)
    assert gap.sensor == rig.names[0]
    assert [gap.start_s, gap.end_s] == pytest.approx([1.0, 2.0])


def test_one_lost_sample_is_bridged_and_two_are_not() -> None:
    rig = make_rig("one", Side.RIGHT, "none", 100.0)
    clocks = {rig.names[0]: ClockSpec(1e6, 32, 100.0)}
    times = np.arange(0, 1, 0.01)
    for lost, bridged in ((1, True), (2, False)):
        frames = align_all(_samples(rig.names[0], np.delete(times, range(50, 50 + lost))), rig, clocks)
        assert frames.valid[50:52].all() == bridged


def test_a_late_sensor_is_waited_for_and_then_no_longer() -> None:
    rig = Rig("two", (Sensor("a", Place.C7, "none", 100.0), Sensor("b", Place.T12, "none", 100.0)))
    clocks = {name: ClockSpec(1e6, 32, 100.0) for name in rig.names}
    times = np.arange(0, 3, 0.01)
    on_time = _samples("a", times)
    for delay_s, valid in ((0.05, True), (0.4, False)):
        late = _samples("b", times, delay_s=np.where(times > 1, delay_s, 0.0))
        items = sorted([*on_time, *late], key=lambda item: item.received_ns[0])
        said: list[Update] = []
        frames = together(list(align(items, rig, clocks, AlignSettings(lag_s=0.15), on_update=said.append)))
        body = (frames.time_s > 1.2) & (frames.time_s < 1.6)
        assert frames.valid[body, 0].all()
        assert frames.valid[body, 1].all() == valid
        assert any(isinstance(update, Discarded) and update.reason.code is Code.LATE for update in said) != valid


def test_silence_is_news_at_once_and_so_is_the_return() -> None:
    rig = Rig("two", (Sensor("a", Place.C7, "none", 100.0), Sensor("b", Place.T12, "none", 100.0)))
    clocks = {name: ClockSpec(1e6, 32, 100.0) for name in rig.names}
    items: list[Samples | Silence] = [*_samples("a", np.arange(0, 3, 0.01)), *_samples("b", np.arange(0, 1, 0.01))]
    items += [Silence("b", 990_000_000, 2_000_000_000), Silence("b", 990_000_000, 2_200_000_000)]
    items += _samples("b", np.arange(2.5, 3, 0.01), tick_from_s=0)
    items.sort(key=lambda item: int(np.max(item.received_ns)))
    said: list[Update] = []
    list(align(items, rig, clocks, on_update=said.append))
    assert [update for update in said if isinstance(update, Lost | Returned)] == [Lost("b", 0.99), Returned("b", 2.5)]


def test_an_orientation_and_its_negative_blend_as_one() -> None:
    q = np.array([0.5, 0.5, -0.5, 0.5])
    values = np.zeros((2, 10))
    values[0, 6:], values[1, 6:] = q, -q
    out, valid = resample(np.array([0.0, 0.01]), values, np.array([0.004]), 0.025)
    assert valid.all()
    np.testing.assert_allclose(out[0, 6:], q)


def test_a_sensor_that_never_speaks_is_lost_without_waiting_for_the_end() -> None:
    rig = Rig("two", (Sensor("a", Place.C7, "none", 100.0), Sensor("b", Place.T12, "none", 100.0)))
    clocks = {name: ClockSpec(1e6, 32, 100.0) for name in rig.names}
    said: list[Update] = []
    blocks = align(_samples("a", np.arange(0, 5, 0.01)), rig, clocks, on_update=said.append)
    for frames in blocks:
        if frames.time_s[-1] > 2:
            break
    assert said == [Lost("b", 0.0)]
    list(blocks)
    assert [update for update in said if isinstance(update, Gap)] == [Gap("b", 0.0, 5.0)]


def test_late_samples_are_told_once_a_second() -> None:
    rig = Rig("two", (Sensor("a", Place.C7, "none", 100.0), Sensor("b", Place.T12, "none", 100.0)))
    clocks = {name: ClockSpec(1e6, 32, 100.0) for name in rig.names}
    times = np.arange(0, 10, 0.01)
    late = _samples("b", times, delay_s=np.where(times > 1, 0.4, 0.0))
    items = sorted([*_samples("a", times), *late], key=lambda item: item.received_ns[0])
    said: list[Update] = []
    list(align(items, rig, clocks, on_update=said.append))
    assert 1 <= sum(isinstance(update, Discarded) for update in said) <= 12


def test_ticks_now_and_then_are_refused() -> None:
    rig = make_rig("one", Side.RIGHT, "none", 100.0)
    items = _samples(rig.names[0], np.arange(0, 1, 0.01))
    items[3] = Samples(rig.names[0], items[3].received_ns, None, items[3].acc, items[3].gyr)
    clocks = {rig.names[0]: ClockSpec(1e6, 32, 100.0)}
    with pytest.raises(PacketMalformed, match="some packets and not with others"):
        list(align(items, rig, clocks))
    with pytest.raises(PacketMalformed, match="some packets and not with others"):
        align_all(items, rig, clocks)


def test_an_empty_packet_does_not_start_the_clock() -> None:
    rig = make_rig("one", Side.RIGHT, "none", 100.0)
    clocks = {rig.names[0]: ClockSpec(1e6, 32, 100.0)}
    empty = Samples(rig.names[0], np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, 3)), np.empty((0, 3)))
    items = [empty, *_samples(rig.names[0], np.arange(0, 1, 0.01))]
    assert_same(together(list(align(items, rig, clocks))), align_all(items, rig, clocks))
    shifted = align_all(items, rig, clocks, origin_ns=-(10**9))
    assert shifted.valid[:, 0].argmax() == 100


def test_nothing_in_nothing_out() -> None:
    rig = make_rig("three", Side.LEFT, "none", 100.0)
    assert list(align([], rig, {})) == []
    assert len(align_all([], rig, {})) == 0


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="lag_s"):
        AlignSettings(lag_s=-0.1)
    with pytest.raises(ValueError, match="bridge_periods"):
        AlignSettings(bridge_periods=0.5)


def _samples(
    name: str, times: np.ndarray, *, delay_s: np.ndarray | float = 0.0, tick_from_s: float = 0.0
) -> list[Samples]:
    received = np.rint((times + delay_s) * 1e9).astype(np.int64)
    tick = np.rint((times - tick_from_s) * 1e6).astype(np.int64)
    acc = np.stack([times, np.zeros_like(times), np.full_like(times, 9.81)], axis=1)
    return [
        Samples(name, received[i : i + 1], tick[i : i + 1], acc[i : i + 1], np.zeros((1, 3))) for i in range(len(times))
    ]


@pytest.mark.parametrize("lag_s", [0.15, 1.0])
@pytest.mark.parametrize("silences", [False, True])
def test_a_pause_costs_frames_for_a_minute_only(silences: bool, lag_s: float) -> None:
    rig, clocks, items = record(3, Radio(late=0.02), length_s=4.0)
    hour_ns, how = 3600 * 10**9, AlignSettings(lag_s=lag_s)
    said = [Silence(rig.names[0], 0, 10**9 + int(at_s * 1e9)) for at_s in (30, 65, 1000, 1000.05)] if silences else []
    again = [_later(item, hour_ns) for item in items]
    much_later = [_later(item, 24 * hour_ns) for item in items]
    heard: list[Update] = []
    blocks = list(align([*items, *said, *again, *much_later], rig, clocks, how, on_update=heard.append))
    assert_same(together(blocks), align_all([*items, *said, *again, *much_later], rig, clocks, how))
    times = np.concatenate([block.time_s for block in blocks])
    assert (np.diff(times) > 0).all()
    assert all(block.index / 100 == block.time_s[0] for block in blocks)
    assert len(times) < 100 * (3 * 4 + 2 * (PAUSE_S + LEAD_S) + (LEAD_S if silences else 0) + 4)
    valid = [(float(block.time_s[0]), bool(block.valid.any())) for block in blocks]
    assert sum(is_valid for at, is_valid in valid if 3590 < at < 3700) > 30
    assert sum(is_valid for at, is_valid in valid if at > 80_000) > 30
    gaps = [update for update in heard if isinstance(update, Gap) and update.end_s - update.start_s > 3000]
    assert len(gaps) == 2 * len(rig)


def test_a_pause_is_the_same_however_its_end_was_chopped() -> None:
    rig, clocks, items = record(4, Radio(reorder=0.1), sensors="one", length_s=2.0)
    items = [*items, *(_later(item, 200 * 10**9) for item in items)]
    samples = [item for item in items if isinstance(item, Samples)]
    whole = concatenate(samples)
    apart = together(list(align(samples, rig, clocks)))
    assert_same(apart, together(list(align([whole], rig, clocks))))
    assert apart.time_s[-1] > 200
    assert len(apart) < 9000


def _later(item: Samples | Silence, by_ns: int) -> Samples | Silence:
    if isinstance(item, Silence):
        return replace(item, since_ns=item.since_ns + by_ns, received_ns=item.received_ns + by_ns)
    tick = None if item.tick is None else (item.tick + by_ns // 1000) % 2**32
    return replace(item, received_ns=item.received_ns + by_ns, tick=tick)

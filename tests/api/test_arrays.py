"""Arrays become packets: the same for any chopping, with holes where samples were lost; what cannot be is refused."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rehabcount as rc
from rehabcount.api.arrays import Packets, motion_from, rig_from, side_from
from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Rig, Side
from rehabcount.sensors.packets import decode_all

PLACES = ("right-hand", "sternum")
RATE_HZ = 52.0


def rig() -> Rig:
    return rig_from(PLACES, Side.RIGHT, RATE_HZ)


def motion(number: int) -> Floats:
    """Values that carry their own index; one in seven samples of one sensor was lost."""
    values = np.arange(number * 12, dtype=float).reshape(number, 2, 6)
    values[::7, 1] = np.nan
    return values


def packets_of(values: Floats, cuts: list[int], times: Floats | None = None) -> list[Packet]:
    cutter = Packets(rig())
    edges = [0, *sorted(cuts), len(values)]
    found: list[Packet] = []
    for begin, end in pairwise(edges):
        found += cutter.push(values[begin:end], None if times is None else times[begin:end])
    return found + cutter.finish()


@settings(max_examples=25)
@given(st.lists(st.integers(0, 200)), st.booleans())
def test_packets_do_not_depend_on_chunks(cuts: list[int], timed: bool) -> None:
    values = motion(200)
    times = 1.7e9 + np.arange(200) / RATE_HZ if timed else None
    assert packets_of(values, cuts, times) == packets_of(values, [], times)


def test_what_goes_in_comes_out_at_its_time() -> None:
    values = motion(200)
    found = decode_all(packets_of(values, [50]), rig())
    hand, sternum = found["right-hand"], found["sternum"]
    assert hand.acc is not None
    assert hand.gyr is not None
    assert sternum.tick is not None
    np.testing.assert_array_equal(np.concatenate([hand.acc, hand.gyr], axis=1), values[:, 0])
    np.testing.assert_array_equal(hand.received_ns, np.rint(np.arange(200) / RATE_HZ * 1e6).astype(int) * 1000)
    kept = np.flatnonzero(np.arange(200) % 7)
    np.testing.assert_array_equal(sternum.tick, np.rint(kept / RATE_HZ * 1e6))


def test_time_zero_is_the_first_sample_that_was_not_lost() -> None:
    values = motion(100)
    values[:10] = np.nan
    cutter = Packets(rig())
    first = cutter.push(values, 100.0 + np.arange(100) / RATE_HZ)[0]
    assert cutter.origin_s == pytest.approx(100.0 + 10 / RATE_HZ, abs=1e-6)
    assert first.received_ns / 1e9 == pytest.approx(10 / RATE_HZ, abs=1e-6)


def test_nothing_but_lost_samples_is_no_packet() -> None:
    assert packets_of(np.full((50, 2, 6), np.nan), [7]) == []


@pytest.mark.parametrize(
    ("acc", "gyr", "sensors", "words"),
    [
        (np.zeros((10, 3)), np.zeros((10, 3)), 2, "numpy.stack"),
        (np.zeros((2, 10, 3)), np.zeros((2, 10, 3)), 2, "(samples, 2, 3)"),
        (np.zeros((10, 2, 3)), np.zeros((9, 2, 3)), 2, "same instants"),
        ([["a"]], np.zeros((1, 1, 3)), 1, "acc in m/s2"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(acc: object, gyr: object, sensors: int, words: str) -> None:
    with pytest.raises(rc.InputRefused) as found:
        motion_from(acc, gyr, sensors)
    assert words in found.value.advice


def test_one_sensor_needs_no_axis_of_sensors() -> None:
    assert motion_from(np.zeros((10, 3)), np.zeros((10, 3)), 1).shape == (10, 1, 6)


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (np.arange(100) / RATE_HZ * 1000, "in seconds"),
        (np.r_[np.arange(99) / RATE_HZ, 0.5], "Sort the samples"),
        (np.arange(50) / RATE_HZ, "one time in seconds for each sample"),
        (np.r_[np.arange(99) / RATE_HZ, np.nan], "one time in seconds for each sample"),
        (np.r_[np.arange(99) / RATE_HZ, 1e8], "in seconds"),
    ],
)
def test_times_that_cannot_be_are_refused(times: Floats, words: str) -> None:
    with pytest.raises(rc.InputRefused) as found:
        Packets(rig()).push(motion(100), times)
    assert words in found.value.advice


def test_times_come_with_every_chunk_or_with_none() -> None:
    cutter = Packets(rig())
    cutter.push(motion(10), np.arange(10) / RATE_HZ)
    with pytest.raises(rc.InputRefused, match="now and then"):
        cutter.push(motion(10))


@pytest.mark.parametrize(
    ("places", "rate_hz", "words"),
    [
        (["right hand"], 100.0, "Did you mean right-hand?"),
        (["knee"], 100.0, "Places are pelvis"),
        (["sternum", "sternum"], 100.0, "each once"),
        ([], 100.0, "Name one place a sensor"),
        (["sternum"], 10.0, "25 or more"),
        (["sternum"], float("nan"), "25 or more"),
    ],
)
def test_places_and_rates_that_cannot_be_are_refused(places: list[str], rate_hz: float, words: str) -> None:
    with pytest.raises(rc.InputRefused) as found:
        rig_from(places, Side.LEFT, rate_hz)
    assert words in found.value.advice


def test_known_rigs_keep_their_names_in_any_order() -> None:
    assert rig_from(["sternum", "left-hand", "left-upper-arm"], Side.LEFT, 100.0).name == "three"
    assert rig_from(["sternum", "left-hand", "left-upper-arm"], Side.RIGHT, 100.0).name == "3 sensors of one's own"
    with pytest.raises(rc.InputRefused, match="side is 'Left'"):
        side_from("Left")

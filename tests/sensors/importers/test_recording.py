from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.domain.rig import Place
from rehabcount.sensors.importers.clocks import moment_s, read_clock, rising, typical_step
from rehabcount.sensors.importers.recording import ImportedMotion, Track, assemble, line_ranges, place_in
from rehabcount.sensors.packets import decode_all


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("Pelvis", Place.PELVIS),
        ("sternum", Place.STERNUM),
        ("T12", Place.T12),
        ("C7", Place.C7),
        ("LHand", Place.LEFT_HAND),
        ("R_Wrist", Place.RIGHT_WRIST),
        ("right upper arm", Place.RIGHT_UPPER_ARM),
        ("LeftUpperArm", Place.LEFT_UPPER_ARM),
        ("forearm-left", Place.LEFT_FOREARM),
        ("LTibia", None),
        ("Hand", None),
        ("Left", None),
        ("F3:89:79:49:6C:B3", None),
        ("pelvis 2", None),
        ("", None),
    ],
)
def test_a_name_gives_a_place_only_if_it_says_it(name: str, place: Place | None) -> None:
    assert place_in(name) == place


def track(name: str, start_us: int, has_clock: bool = True, n: int = 25) -> Track:
    time_us = 1000 + 10_000 * np.arange(n)
    return Track(name, "", 100.0, time_us, has_clock, start_us, ImportedMotion(np.ones((n, 3)), None, None))


def test_tracks_share_one_time_line() -> None:
    recording = assemble("r", [track("a", 500_000), track("b", 730_000, has_clock=False)], [], [])
    assert [int(samples.received_ns[0]) for samples in recording.samples] == [0, 230_000_000]
    assert recording.length_s == pytest.approx(0.47)
    packets = list(recording.packets())
    assert [packet.received_ns for packet in packets] == sorted(packet.received_ns for packet in packets)
    again = decode_all(packets, recording.rig)
    for samples in recording.samples:
        np.testing.assert_array_equal(again[samples.sensor].received_ns, samples.received_ns)


def test_places_are_given_and_taken() -> None:
    recording = assemble("r", [track("LHand", 0), track("b", 0)], [], [])
    assert recording.rig.places == (Place.LEFT_HAND, None)
    assert recording.placed({"b": Place.LEFT_HAND}).rig.places == (None, Place.LEFT_HAND)
    assert recording.placed({"b": Place.C7}).rig.places == (Place.LEFT_HAND, Place.C7)
    with pytest.raises(ValueError, match="no sensor 'c'"):
        recording.placed({"c": Place.C7})


def test_two_names_for_one_place_are_not_clear() -> None:
    assert assemble("r", [track("LHand", 0), track("left_hand", 0)], [], []).rig.places == (None, None)


@pytest.mark.parametrize(
    ("lines", "text"),
    [([7], "line 7"), ([3, 7, 8, 9], "lines 3, 7-9"), (list(range(1, 40, 2)), "lines 1, 3, 5, 7, 9, 11, 13, 15, ...")],
)
def test_lines_are_written_as_people_do(lines: list[int], text: str) -> None:
    assert line_ranges(lines) == text


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=9), st.booleans())
def test_the_longest_rising_subsequence(counts: list[int], strictly: bool) -> None:
    kept = rising(np.array(counts), strictly)
    chosen = np.array(counts)[kept]
    steps = np.diff(chosen)
    assert (steps > 0).all() if strictly else (steps >= 0).all()
    best = 0
    for mask in range(1 << len(counts)):  # all subsequences
        picked = [count for i, count in enumerate(counts) if mask >> i & 1]
        if all(a < b if strictly else a <= b for a, b in pairwise(picked)):
            best = max(best, len(picked))
    assert kept.sum() == best


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("12.5", 12.5),
        ("13:16:21.131", 47781.131),
        ("2000-01-02 00:00:01", 86401.0),
        ("2000-1-2 00:00:01:250", 86401.25),
        ("2000-01-02_00:00:01_500 GMT+8", 86401.5),
        ("2000/01/02T00:00:01,75", 86401.75),
        ("2000-13-02 00:00:01", None),
        ("null", None),
        ("nan", None),
        ("1e300", None),
        ("", None),
    ],
)
def test_moments_as_people_write_them(text: str, seconds: float | None) -> None:
    assert moment_s(text) == (None if seconds is None else pytest.approx(seconds))


def test_steps_of_a_rounded_clock_are_exact_and_deaf_to_gaps() -> None:
    counts = np.rint(np.arange(300) * 166.6667).astype(np.int64)
    assert typical_step(np.delete(counts, slice(50, 80))) == pytest.approx(166.6667, rel=1e-4)
    assert read_clock(counts, None).rate_hz == 60
    assert read_clock(counts, 60.0).unit == "0.1 ms"

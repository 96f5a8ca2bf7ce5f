from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.domain.message import Message
from rehabcount.domain.motion import Packet, Samples, Silence
from rehabcount.domain.rig import Rig, Sensor
from rehabcount.sensors.packets import decode, decode_all
from rehabcount.sensors.witmotion import ANSWER, MEASUREMENT, FrameCutter, dated_ticks


def ignore(_reason: Message, _number: int) -> None:
    pass


def frame_of(index: int, size: int = 20) -> bytes:
    """A frame that carries its own index in the first axis, so that a lost or doubled one shows."""
    date = bytes([26, 6, 22, 14, 41, index % 60, 0, 0]) if size == 28 else b""
    return MEASUREMENT + index.to_bytes(2, "little") + bytes(16) + date


def index_of(frame: bytes) -> int:
    return int.from_bytes(frame[2:4], "little")


def cut(stream: bytes, size: int, borders: list[int]) -> tuple[list[bytes], dict[str, int]]:
    cutter, counts, frames = FrameCutter(size), dict[str, int](), list[bytes]()

    def count(reason: Message, number: int) -> None:
        counts[str(reason)] = counts.get(str(reason), 0) + number

    edges = [0, *sorted(border % (len(stream) + 1) for border in borders), len(stream)]
    for start, end in pairwise(edges):
        frames += cutter.feed(stream[start:end], count)
    frames += cutter.end(count)
    return frames, counts


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from([20, 28]),
    st.lists(st.binary(max_size=60) | st.sampled_from([MEASUREMENT, ANSWER, b"\x55", frame_of(3), frame_of(3, 28)])),
    st.lists(st.integers(0, 10_000), max_size=12),
)
def test_frames_do_not_depend_on_the_chopping(size: int, pieces: list[bytes], borders: list[int]) -> None:
    stream = b"".join(pieces)
    assert cut(stream, size, borders) == cut(stream, size, [])
    assert cut(stream, size, list(range(len(stream)))) == cut(stream, size, [])


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([20, 28]),
    st.lists(st.binary(max_size=40).filter(lambda noise: b"\x55" not in noise), min_size=1, max_size=20),
    st.lists(st.integers(0, 10_000), max_size=12),
)
def test_every_frame_survives_noise_between(size: int, noises: list[bytes], borders: list[int]) -> None:
    stream = b"".join(noise + frame_of(i, size) for i, noise in enumerate(noises))
    frames, counts = cut(stream, size, borders)
    assert [index_of(frame) for frame in frames] == list(range(len(noises)))
    assert counts.get("bytes between frames", 0) == sum(map(len, noises))


@given(st.integers(2, 19), st.integers(1, 5))
def test_half_a_frame_does_not_swallow_the_next(kept: int, before: int) -> None:
    stream = b"".join(frame_of(i) for i in range(before)) + frame_of(99)[:kept] + frame_of(7) + frame_of(8)
    frames, counts = cut(stream, 20, [])
    assert [index_of(frame) for frame in frames] == [*range(before), 7, 8]
    assert counts == {"frame cut short": 1}


def test_a_header_inside_the_values_is_no_header() -> None:
    tricky = MEASUREMENT + bytes(6) + MEASUREMENT + bytes(10)
    frames, counts = cut(tricky + frame_of(1) + tricky, 20, [])
    assert frames == [tricky, frame_of(1), tricky]
    assert not counts


def test_a_frame_is_not_held_back_without_reason() -> None:
    cutter = FrameCutter(20)
    assert cutter.feed(frame_of(5), ignore) == [frame_of(5)]
    doubtful = MEASUREMENT + bytes(17) + b"\x55"  # the next byte decides
    assert cutter.feed(doubtful, ignore) == []
    assert cutter.feed(MEASUREMENT[:1], ignore) == []
    assert cutter.feed(frame_of(6)[1:], ignore) == [doubtful, frame_of(6)]


def test_devices_do_not_mix_their_bytes() -> None:
    rig = Rig("two", (Sensor("a", None, "wit-20", 100.0), Sensor("b", None, "wit-20", 100.0)))
    a, b = frame_of(1), frame_of(2)
    packets = [Packet("a", a[:7], 0), Packet("b", b[:12], 1), Packet("a", a[7:], 2), Packet("b", b[12:], 3)]
    got = [item for item in decode(packets, rig) if isinstance(item, Samples)]
    assert [item.sensor for item in got] == ["a", "b"]
    assert [item.received_ns.tolist() for item in got] == [[2], [3]]


def test_after_a_silence_the_stream_begins_anew() -> None:
    rig = Rig("one", (Sensor("a", None, "wit-20", 100.0),))
    frame = frame_of(4)
    items = list(decode([Packet("a", frame[:10], 0), Silence("a", 0, 1), Packet("a", frame[10:], 2)], rig))
    assert [type(item) for item in items] == [Silence]


def test_a_frame_held_back_comes_before_the_silence() -> None:
    rig = Rig("one", (Sensor("a", None, "wit-20", 100.0),))
    doubtful = MEASUREMENT + bytes(17) + b"\x55"
    items = list(decode([Packet("a", doubtful, 3), Silence("a", 3, 9)], rig))
    assert [type(item) for item in items] == [Samples, Silence]


EPOCH = datetime(2000, 1, 1)  # noqa: DTZ001 - the device's calendar knows no zone


@given(st.datetimes(EPOCH, EPOCH.replace(year=2255)))
def test_ticks_are_milliseconds_since_2000(moment: datetime) -> None:
    milliseconds = moment.microsecond // 1000
    date = bytes([moment.year - 2000, moment.month, moment.day, moment.hour, moment.minute, moment.second])
    frame = MEASUREMENT + bytes(18) + date + milliseconds.to_bytes(2, "little")
    expected = (moment - EPOCH) // timedelta(milliseconds=1)
    assert dated_ticks([frame]).tolist() == [expected]


def test_a_clock_that_nobody_set_still_counts() -> None:
    frame = MEASUREMENT + bytes(18) + bytes([0, 0, 0, 0, 0, 2]) + (5).to_bytes(2, "little")
    assert cut(frame, 28, [])[0] == [frame]
    assert dated_ticks([frame]).tolist() == [2005]


def test_only_two_frame_lengths_exist() -> None:
    with pytest.raises(ValueError, match="frame_bytes must be"):
        FrameCutter(24)


def test_a_real_capture(data_folder: Path) -> None:
    stream = (data_folder / "device-exports" / "witmotion-raw-packets.bin").read_bytes()
    rig = Rig("one", (Sensor("a", None, "wit-28", 20.0),))
    notifications = [Packet("a", stream[i : i + 20], i) for i in range(0, len(stream), 20)]  # as a short MTU would
    samples = decode_all(notifications, rig)["a"]
    assert len(samples) == len(stream) // 28
    assert samples.tick is not None
    assert set(np.diff(samples.tick)) == {50}  # ms: the clock runs evenly at 20 Hz
    assert samples.acc is not None
    assert abs(np.median(np.linalg.norm(samples.acc, axis=1)) - 9.81) < 0.05

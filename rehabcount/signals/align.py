"""Alignment: the samples of up to nine sensors -> one frame every 10 ms, with a validity mask.

In: Samples and Silences in the order they arrived. Out: blocks of ten Frames.

Sensors differ in rate, phase, delay and losses. Each sensor's values in a frame are interpolated linearly between the
samples before and after its instant (orientations along the shortest rotation), if the two are close enough
(`bridge_periods`). Otherwise the sensor is not valid there and its channels are NaN. Nothing is extrapolated.

A block is passed on when the newest receive time is `lag_s` past its last instant: this is the wait for a late sensor.
Samples that arrive later are too late for that block, and are counted. The decision uses the receive times in the
record, never the clock, so a replay decides the same way.

A pause without any samples (an interrupted recording, all sensors out of reach) has frames for its first minute, in
which all movements under way are settled. Then there are none until `LEAD_S` before the next arrival, so a long pause
costs no more than a minute. Frame numbers follow time, so they leap there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import overload

import numpy as np

from rehabcount.domain.arrays import Bools, Floats, Ints
from rehabcount.domain.motion import BLOCK_FRAMES, CHANNELS, FRAME_RATE_HZ, QUAT, Frames, Samples, Silence
from rehabcount.domain.rig import Rig
from rehabcount.domain.update import Update
from rehabcount.signals.buffer import Buffer, channels, in_order, saturated, ticks_of
from rehabcount.signals.clock import ClockSpec, DeviceClock
from rehabcount.signals.frames import joined
from rehabcount.signals.rotation import normalize


@dataclass(frozen=True, slots=True)
class AlignSettings:
    """`lag_s`: how long a block waits for a late sensor. `bridge_periods`: the widest hole, in periods of the sensor's
    nominal rate, that is still bridged by a straight line: 2.5 bridges one lost sample and not two."""

    lag_s: float = 0.15  # real loggers hold single packets back for more than 0.13 s
    bridge_periods: float = 2.5

    def __post_init__(self) -> None:
        if not 0 <= self.lag_s < math.inf:
            raise ValueError(f"lag_s must not be negative, nor without end, not {self.lag_s}")
        if not self.bridge_periods >= 1:
            raise ValueError(f"bridge_periods must be at least 1, not {self.bridge_periods}")


DEFAULT = AlignSettings()
MOST_AT_ONCE = 600 * BLOCK_FRAMES  # frames: a minute
PAUSE_S = 60.0  # longer than any window, delay bound or memory of the later steps
LEAD_S = 10.0  # before the arrival that ends a pause: no radio holds a packet back for half of this


def resample(times: Floats, values: Floats, at: Floats, bridge_s: float) -> tuple[Floats, Bools]:
    """Values (n, CHANNELS) at strictly increasing `times`, read off at `at`; and where that is possible."""
    out = np.full((len(at), CHANNELS), np.nan)
    if not len(times):
        return out, np.zeros(len(at), bool)
    right = np.searchsorted(times, at)
    if (
        right[0]
        and right[-1] < len(times)
        and (straight := _all_straight(times, values, at, right, bridge_s)) is not None
    ):
        return straight, np.ones(len(at), bool)
    left = np.maximum(right - 1, 0)
    right = np.minimum(right, len(times) - 1)
    exact = times[right] == at
    left = np.where(exact, right, left)
    inside = exact | ((times[left] < at) & (at < times[right]))
    valid = inside & (times[right] - times[left] <= bridge_s)
    left, right, exact = left[valid], right[valid], exact[valid]
    width = np.where(exact, 1.0, times[right] - times[left])
    share = ((at[valid] - times[left]) / width)[:, None]
    before, after = values[left], values[right]
    out[valid] = before + share * (after - before)
    # q and -q are one orientation: blend with the one that lies nearer.
    flip = np.where(np.sum(before[:, QUAT] * after[:, QUAT], axis=1, keepdims=True) < 0, -1.0, 1.0)
    out[valid, QUAT] = normalize(before[:, QUAT] + share * (flip * after[:, QUAT] - before[:, QUAT]))
    return out, valid


def _all_straight(times: Floats, values: Floats, at: Floats, right: Ints, bridge_s: float) -> Floats | None:
    """`resample` for the usual case that every instant lies between two close samples; None otherwise."""
    left = right - 1
    since, until = times[left], times[right]
    width = until - since
    if width.max() > bridge_s or (until == at).any():
        return None
    share = ((at - since) / width)[:, None]
    before, after = values[left], values[right]
    out = before + share * (after - before)
    if not np.isnan(before[:, QUAT.start]).all():  # it measures orientation
        flip = np.where(np.sum(before[:, QUAT] * after[:, QUAT], axis=1, keepdims=True) < 0, -1.0, 1.0)
        out[:, QUAT] = normalize(before[:, QUAT] + share * (flip * after[:, QUAT] - before[:, QUAT]))
    return out


def align(
    items: Iterable[Samples | Silence],
    rig: Rig,
    clocks: Mapping[str, ClockSpec],
    settings: AlignSettings = DEFAULT,
    *,
    origin_ns: int | None = None,
    on_update: Callable[[Update], None] = lambda update: None,
) -> Iterator[Frames]:
    """The stream. Time zero is `origin_ns`, or else the first item's receive time."""
    buffers: dict[str, Buffer] = {}
    first_frame = 0
    heard_s = 0.0  # the latest arrival of a sample

    def deadline_s() -> float:
        return _deadline_s(first_frame, settings.lag_s)

    def emit(number: int) -> Frames:
        nonlocal first_frame
        at = np.arange(first_frame, first_frame + number) / FRAME_RATE_HZ
        columns = []
        for buffer in buffers.values():
            buffer.absorb(_emitted_until_s(first_frame))
            values, valid = resample(buffer.times, buffer.values, at, buffer.bridge_s)
            buffer.attend(at, valid)
            buffer.trim(float(at[-1]))
            columns.append((values, valid))
        frames = _frames(first_frame, at, columns)
        first_frame += number
        return frames

    for item in items:
        received = item.received_ns if isinstance(item, Samples) else np.array([item.received_ns])
        if not len(received):
            continue
        if not buffers:
            origin_ns = int(received[0]) if origin_ns is None else origin_ns
            buffers = {
                sensor.name: Buffer(
                    sensor.name,
                    DeviceClock(clocks[sensor.name], origin_ns, sensor=sensor.name, on_update=on_update),
                    settings.bridge_periods / sensor.rate_hz,
                    on_update,
                )
                for sensor in rig.sensors
            }
        assert origin_ns is not None
        if len(received) == 1 and (int(received[0]) - origin_ns) / 1e9 < deadline_s():  # by far the most frequent case
            if isinstance(item, Samples):
                buffers[item.sensor].pending.append(item)
                heard_s = max(heard_s, (int(received[0]) - origin_ns) / 1e9)
        else:
            arrival_s = np.maximum.accumulate((received - origin_ns) / 1e9)
            done = 0
            while done < len(arrival_s):
                on_time = done + int(np.searchsorted(arrival_s[done:], deadline_s()))
                if on_time > done and isinstance(item, Samples):
                    buffers[item.sensor].pending.append(_part(item, done, on_time))
                    heard_s = max(heard_s, float(arrival_s[on_time - 1]))
                done = on_time
                if done < len(arrival_s):
                    next_frame = _over_the_pause(first_frame, heard_s, float(arrival_s[done]), settings.lag_s)
                    if next_frame == first_frame:
                        yield emit(BLOCK_FRAMES)
                    first_frame = max(first_frame, next_frame)
        if isinstance(item, Silence):
            buffers[item.sensor].silent((item.since_ns - origin_ns) / 1e9)

    last_s = -1.0
    for buffer in buffers.values():
        buffer.absorb(_emitted_until_s(first_frame))
        last_s = max(last_s, float(buffer.times[-1]) if len(buffer.times) else -1.0)
    while (left := _frames_until(last_s) - first_frame) > 0:
        yield emit(min(left, BLOCK_FRAMES))
    for buffer in buffers.values():
        buffer.end(first_frame / FRAME_RATE_HZ)


def align_all(
    items: Sequence[Samples | Silence],
    rig: Rig,
    clocks: Mapping[str, ClockSpec],
    settings: AlignSettings = DEFAULT,
    *,
    origin_ns: int | None = None,
) -> Frames:
    """The array kernel: a whole recording at once; the same frames as the stream's blocks put together."""
    return joined(list(align_parts([items], rig, clocks, settings, origin_ns=origin_ns)), len(rig))


def align_parts(
    parts: Iterable[Sequence[Samples | Silence]],
    rig: Rig,
    clocks: Mapping[str, ClockSpec],
    settings: AlignSettings = DEFAULT,
    *,
    origin_ns: int | None = None,
) -> Iterator[Frames]:
    """The array kernel for recordings that do not fit into memory: the frames do not depend on the parts.

    Frames come in the longest blocks that a part allows; the frame numbers of a block do not leap. Items that were
    received at one instant must be in one part (see `signals.clock`); `in_parts` does this.
    """
    tracks: dict[str, _Track] = {}
    next_frame = 0
    heard_s, arrived_s = 0.0, -math.inf  # the latest arrival of a sample, of anything
    widest_s = max(settings.bridge_periods / sensor.rate_hz for sensor in rig.sensors)

    for part in parts:
        items = [item for item in part if isinstance(item, Silence) or len(item)]
        if not items:
            continue
        received = [item.received_ns if isinstance(item, Samples) else np.array([item.received_ns]) for item in items]
        lengths = [len(each) for each in received]
        if origin_ns is None:
            origin_ns = int(received[0][0])
        if not tracks:
            tracks = {
                sensor.name: _Track(DeviceClock(clocks[sensor.name], origin_ns, sensor=sensor.name))
                for sensor in rig.sensors
            }
        raw_s = (np.concatenate(received) - origin_ns) / 1e9
        arrival_s = np.maximum(np.maximum.accumulate(raw_s), arrived_s)
        mine: dict[str, list[tuple[Samples, Floats]]] = {}
        for item, arrival in zip(items, np.split(arrival_s, np.cumsum(lengths)[:-1]), strict=True):
            if isinstance(item, Samples):
                mine.setdefault(item.sensor, []).append((item, arrival))
        for name, found in mine.items():
            tracks[name].extend(found)
        is_sample = np.repeat([isinstance(item, Samples) for item in items], lengths)
        heard = np.maximum.accumulate(np.concatenate([[heard_s], np.where(is_sample, raw_s, heard_s)]))
        numbers = _without_pauses(
            next_frame,
            _blocks_due(float(arrival_s[-1]), settings.lag_s) * BLOCK_FRAMES,
            np.concatenate([[arrived_s], arrival_s]),
            heard[:-1],
            settings.lag_s,
        )
        yield from _resampled(numbers, tracks.values(), rig, settings)
        heard_s, arrived_s = float(heard[-1]), float(arrival_s[-1])
        if len(numbers):
            next_frame = int(numbers[-1]) + 1
            for track in tracks.values():
                track.forget_before(next_frame / FRAME_RATE_HZ - 2 * widest_s)

    last_s = max((float(track.times.max()) for track in tracks.values() if len(track.times)), default=-1.0)
    yield from _resampled(np.arange(next_frame, _frames_until(last_s)), tracks.values(), rig, settings)


def in_parts(items: Iterable[Samples | Silence], samples: int) -> Iterator[list[Samples | Silence]]:
    """The items in parts of at least so many samples (the last may have fewer); items of one instant are in one
    part."""
    part: list[Samples | Silence] = []
    number, last_ns = 0, None
    for item in items:
        first_ns = item.received_ns if isinstance(item, Silence) else int(item.received_ns[0]) if len(item) else last_ns
        if number >= samples and first_ns != last_ns:
            yield part
            part, number = [], 0
        part.append(item)
        number += len(item) if isinstance(item, Samples) else 1
        last_ns = first_ns if isinstance(item, Silence) or not len(item) else int(item.received_ns[-1])
    if part:
        yield part


def _resampled(numbers: Ints, tracks: Iterable[_Track], rig: Rig, settings: AlignSettings) -> Iterator[Frames]:
    """The frames of these numbers, without a leap, a minute of them at a time: few samples may lie hours apart."""
    for first in range(0, len(numbers), MOST_AT_ONCE):
        yield from _resampled_at_once(numbers[first : first + MOST_AT_ONCE], tracks, rig, settings)


def _resampled_at_once(numbers: Ints, tracks: Iterable[_Track], rig: Rig, settings: AlignSettings) -> Iterator[Frames]:
    columns = [
        _resample_on_time(track, numbers, settings.bridge_periods / sensor.rate_hz, settings.lag_s)
        for sensor, track in zip(rig.sensors, tracks, strict=True)
    ]
    edges = [0, *(np.flatnonzero(np.diff(numbers) != 1) + 1), len(numbers)]
    for start, end in pairwise(edges):
        run = [(values[start:end], valid[start:end]) for values, valid in columns]
        yield _frames(int(numbers[start]), numbers[start:end] / FRAME_RATE_HZ, run)


def _without_pauses(next_frame: int, due_frame: int, arrival_s: Floats, heard_s: Floats, lag_s: float) -> Ints:
    """The numbers of all frames from `next_frame` to `due_frame`, without those that are skipped in pauses.

    `arrival_s` begins with the arrival before these; `heard_s` is, for each of the others, when the last sample before
    it had come.
    """
    pieces, done = [], next_frame
    for i in np.flatnonzero(arrival_s[1:] - heard_s > PAUSE_S + LEAD_S):
        begin = math.floor((heard_s[i] + PAUSE_S) * FRAME_RATE_HZ / BLOCK_FRAMES - 1) * BLOCK_FRAMES
        while begin / FRAME_RATE_HZ - heard_s[i] <= PAUSE_S:
            begin += BLOCK_FRAMES
        due = _blocks_due(float(arrival_s[i]), lag_s) * BLOCK_FRAMES if arrival_s[i] > -math.inf else 0
        begin = max(begin, due, done)
        end = _over_the_pause(begin, float(heard_s[i]), float(arrival_s[i + 1]), lag_s)
        if end > begin:
            pieces.append(np.arange(done, begin))
            done = end
    return np.concatenate([*pieces, np.arange(done, due_frame)])


class _Track:
    """The samples of one sensor in order of arrival, as far as frames to come may need them."""

    def __init__(self, clock: DeviceClock) -> None:
        self._clock = clock
        self.times: Floats = np.empty(0)
        self.arrivals: Floats = np.empty(0)
        self.values: Floats = np.empty((0, CHANNELS))

    def extend(self, found: Sequence[tuple[Samples, Floats]]) -> None:
        """Add the next blocks with the arrival time of each sample."""
        blocks = [block for block, _ in found]
        received = np.concatenate([block.received_ns for block in blocks])
        times = self._clock.times(ticks_of(blocks), received)
        values = channels(blocks)
        usable = ~saturated(values)
        arrivals = np.concatenate([arrival for _, arrival in found])
        self.times = np.concatenate([self.times, times[usable]])
        self.arrivals = np.concatenate([self.arrivals, arrivals[usable]])
        self.values = np.concatenate([self.values, values[usable]])

    def forget_before(self, time_s: float) -> None:
        keep = self.times >= time_s
        self.times, self.arrivals, self.values = self.times[keep], self.arrivals[keep], self.values[keep]


def _resample_on_time(track: _Track, numbers: Ints, bridge_s: float, lag_s: float) -> tuple[Floats, Bools]:
    """Resample at these frames; then again, without the late sample, each block for which a sample came too late."""
    times, arrivals, values = track.times, track.arrivals, track.values
    at = numbers / FRAME_RATE_HZ
    out, valid = resample(*in_order(times, values), at, bridge_s)
    # The first block that a sample could touch is the one to miss; most samples miss none.
    first = np.maximum(np.floor((times - bridge_s) * FRAME_RATE_HZ), 0).astype(np.int64) // BLOCK_FRAMES
    missed = np.flatnonzero(arrivals >= _deadline_s(first * BLOCK_FRAMES, lag_s))
    blocks = {
        block
        for i in missed
        for block in range(first[i], int((times[i] + bridge_s) * FRAME_RATE_HZ) // BLOCK_FRAMES + 1)
    }
    for block in blocks:
        here = slice(*np.searchsorted(numbers, [block * BLOCK_FRAMES, (block + 1) * BLOCK_FRAMES]))
        span = at[here]
        if not len(span):
            continue
        near = (
            (arrivals < _deadline_s(block * BLOCK_FRAMES, lag_s))
            & (times >= span[0] - bridge_s)
            & (times <= span[-1] + bridge_s)
        )
        out[here], valid[here] = resample(*in_order(times[near], values[near]), span, bridge_s)
    return out, valid


def _emitted_until_s(first_frame: int) -> float:
    """The last instant that was passed on; before the first block no sample is late."""
    return (first_frame - 1) / FRAME_RATE_HZ if first_frame else -np.inf


def _frames_until(last_s: float) -> int:
    """Frames that do not lie after `last_s`."""
    return int(np.floor(last_s * FRAME_RATE_HZ)) + 1


def _over_the_pause(first_frame: int, heard_s: float, arrival_s: float, lag_s: float) -> int:
    """The next frame before an arrival: `first_frame`, or a later one after a long pause."""
    if first_frame / FRAME_RATE_HZ - heard_s <= PAUSE_S:
        return first_frame
    last_s = arrival_s - lag_s - LEAD_S
    return max(first_frame, math.floor(last_s * FRAME_RATE_HZ / BLOCK_FRAMES) * BLOCK_FRAMES)


def _blocks_due(arrival_s: float, lag_s: float) -> int:
    """Blocks whose deadline an arrival at `arrival_s` has reached."""
    number = max(int((arrival_s - lag_s) * FRAME_RATE_HZ) // BLOCK_FRAMES - 1, 0)
    while _deadline_s(number * BLOCK_FRAMES, lag_s) <= arrival_s:
        number += 1
    return number


@overload
def _deadline_s(first_frame: int, lag_s: float) -> float: ...
@overload
def _deadline_s(first_frame: Ints, lag_s: float) -> Floats: ...
def _deadline_s(first_frame: int | Ints, lag_s: float) -> float | Floats:
    """When the block that begins with this frame is passed on."""
    return (first_frame + BLOCK_FRAMES - 1) / FRAME_RATE_HZ + lag_s


def _part(samples: Samples, start: int, end: int) -> Samples:
    if start == 0 and end == len(samples):
        return samples
    cut = slice(start, end)
    return Samples(
        samples.sensor,
        samples.received_ns[cut],
        None if samples.tick is None else samples.tick[cut],
        None if samples.acc is None else samples.acc[cut],
        None if samples.gyr is None else samples.gyr[cut],
        None if samples.quat is None else samples.quat[cut],
    )


def _frames(index: int, at: Floats, columns: Sequence[tuple[Floats, Bools]]) -> Frames:
    values = np.stack([values for values, _ in columns], axis=1)
    valid = np.stack([valid for _, valid in columns], axis=1)
    return Frames(index, at, values, valid)

"""Raw WitMotion packets in a file: the stream as the radio gave it, byte after byte.

28-byte frames carry date and time with milliseconds, which is the clock. 20-byte frames carry no time: then the caller
must give the rate. The frame length is found from the distances of the headers, unless the caller gives it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rehabcount.domain.arrays import Ints
from rehabcount.domain.message import Message
from rehabcount.domain.motion import G_M_S2
from rehabcount.errors import ImportRefused
from rehabcount.sensors.importers.clocks import (
    RATE_ADVICE,
    NoRate,
    gaps,
    nearest_rate,
    rate_of_receipts,
    rising,
    typical_step,
)
from rehabcount.sensors.importers.physics import norm_at_rest
from rehabcount.sensors.importers.recording import ImportedMotion, Track, check_order, counted
from rehabcount.sensors.layouts import LAYOUTS
from rehabcount.sensors.witmotion import BETWEEN_FRAMES, FrameCutter, dated_ticks, measurements

LEAST_COVERED = 0.5  # of the bytes must lie in frames for the file to be a capture
REST_TOLERANCE = 0.5  # a vibration sensor's frames have the same header and other numbers


def read_capture(path: Path, data: bytes, rate_hz: float | None, layout: str | None, notes: list[str]) -> Track:
    """The one sensor of a capture."""
    choices = (layout,) if layout else ("wit-28", "wit-20")
    cuts = {choice: _cut(data, LAYOUTS[choice].size) for choice in choices}
    chosen = max(choices, key=lambda choice: len(cuts[choice][0]) * LAYOUTS[choice].size)
    frames, counts = cuts[chosen]
    size = LAYOUTS[chosen].size
    if len(frames) < 2 or len(frames) * size < LEAST_COVERED * len(data):
        raise ImportRefused(
            path,
            f"it is neither text nor a stream of WitMotion packets (55 61 ...): {counted(len(frames), 'frame')} "
            f"in {len(data)} bytes",
            advice="Give a file as the software of Movella DOT, MetaMotion or WitMotion writes it.",
        )
    stray = counts.get(BETWEEN_FRAMES, 0)
    cut_short = sum(number for reason, number in counts.items() if reason != BETWEEN_FRAMES)
    notes.append(
        f"{len(frames)} frames of {size} bytes; {counted(stray, 'byte')} between frames, {cut_short} damaged frames"
    )
    acc, gyr, quat = measurements(frames)
    rest = norm_at_rest(acc)
    if abs(rest / G_M_S2 - 1) > REST_TOLERANCE:
        raise ImportRefused(
            path,
            f"read as {chosen}, the accelerometer shows {rest:.1f} m/s2 at its calmest, not 9.81",
            advice="Is it a motion sensor? Vibration sensors send packets that look alike.",
        )
    if size != LAYOUTS["wit-28"].size:
        if rate_hz is None:
            raise ImportRefused(path, "20-byte packets carry no time", advice=RATE_ADVICE)
        notes.append(f"no clock in the packets; counted at {rate_hz:g} Hz, as stated")
        time_us = np.rint(np.arange(len(frames)) * 1e6 / rate_hz).astype(np.int64)
        return Track(path.stem, "", rate_hz, time_us, True, 0, ImportedMotion(acc, gyr, quat))
    time_us = dated_ticks(frames) * 1000
    keep = rising(time_us)
    if not keep.all() and rising(time_us, strictly=False).all():
        notes.append("several packets share a millisecond: their calendar is no clock, it only tells the order")
        return _track(path, time_us, False, rate_hz, ImportedMotion(acc, gyr, quat), notes)
    check_order(path, keep, None)
    if not keep.all():
        notes.append(f"the clock does not rise at {counted(int((~keep).sum()), 'frame')}; lost")
        time_us, acc, gyr, quat = time_us[keep], acc[keep], gyr[keep], quat[keep]
    gap_before = gaps(time_us, 1e6 / typical_step(time_us))
    if gap_before.any():
        notes.append(f"the clock leaps {counted(int(gap_before.sum()), 'time')}: packets are missing there")
    return _track(path, time_us, True, rate_hz, ImportedMotion(acc, gyr, quat), notes)


def _track(
    path: Path, time_us: Ints, has_clock: bool, rate_hz: float | None, motion: ImportedMotion, notes: list[str]
) -> Track:
    try:
        nominal, measured = rate_of_receipts(time_us)
    except NoRate as problem:
        raise ImportRefused(path, str(problem), advice=RATE_ADVICE) from problem
    if has_clock:
        measured = 1e6 / typical_step(time_us)
        nominal = nearest_rate(measured)
    notes.append(f"time from the packets' calendar (ms): {measured:.2f} Hz")
    return Track(path.stem, "", rate_hz or nominal, time_us, has_clock, int(time_us[0]), motion)


def _cut(data: bytes, size: int) -> tuple[list[bytes], dict[Message, int]]:
    counts: dict[Message, int] = {}

    def count(reason: Message, number: int) -> None:
        counts[reason] = counts.get(reason, 0) + number

    cutter = FrameCutter(size)
    frames = cutter.feed(data, count)
    return frames + cutter.end(count), counts

"""Samples to bytes, for virtual sensors, tests and imported recordings; the inverse of `packets.decode`.

`encode(samples, layout)` gives the packets that a sensor of that layout would have sent: what it measures, to the
resolution of the layout, each received when its last sample was. Values beyond an int16 range are clipped, as the
sensor itself would. Layouts: generic, dot-26, wit-20, wit-28, sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rehabcount.domain.arrays import Floats, Ints
from rehabcount.domain.motion import Packet, Samples
from rehabcount.sensors import layouts, witmotion
from rehabcount.sensors.angles import angles_from_quat

DOT_LONG_NOTIFICATION_BYTES = 63
# A packet comes when its last sample is there, so its first is late by the packet's length: keep that well below the
# lag for which alignment waits (0.15 s).
GENERIC_SAMPLES = 6  # 60 ms at 100 Hz
SAMPLE_PACKET_US = 50_000  # of an imported recording
U16_MAX = 0xFFFF
U32_MASK = 0xFFFFFFFF
MS_A_DAY = 86_400_000


def encode(samples: Samples, layout: str) -> list[Packet]:
    """The packets of these samples. What the layout needs and the samples lack is a ValueError."""
    if layout not in _ENCODERS:
        raise ValueError(f"layout must be one of {', '.join(_ENCODERS)}, not {layout!r}")
    return list(_ENCODERS[layout](samples))


def _needed(samples: Samples, name: str, layout: str) -> Floats:
    values: Floats | None = getattr(samples, name)
    if values is None:
        raise ValueError(f"layout {layout} carries {name}, which the samples of {samples.sensor!r} lack")
    return values


def _ticks(samples: Samples, layout: str) -> Ints:
    if samples.tick is None:
        raise ValueError(f"layout {layout} carries a clock, which the samples of {samples.sensor!r} lack")
    return samples.tick


def _int16(values: Floats, full_scale: float) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
    counts = np.rint(values / full_scale * layouts.INT16_FULL_SCALE)
    return np.clip(counts, -layouts.INT16_FULL_SCALE, layouts.INT16_FULL_SCALE - 1).astype("<i2")


def _runs(starts_new: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], longest: int) -> Iterator[slice]:
    """Slices that cover all items, none longer than `longest`, a new one wherever `starts_new` says so."""
    begin = 0
    for i in range(1, len(starts_new) + 1):
        if i == len(starts_new) or starts_new[i] or i - begin == longest:
            yield slice(begin, i)
            begin = i


def _generic(samples: Samples) -> Iterator[Packet]:
    tick = _ticks(samples, "generic")
    acc = _int16(_needed(samples, "acc", "generic"), layouts.ACC_RANGE_MS2)
    gyr = _int16(_needed(samples, "gyr", "generic"), layouts.GYR_RANGE_RADS)
    table = np.concatenate([acc, gyr], axis=1)  # (n, 6)
    begin = 0
    while begin < len(samples):
        end = _evenly_spaced_end(tick, begin)
        dt_us = int(tick[begin + 1] - tick[begin]) if end > begin + 1 else 0
        head = layouts.GENERIC_HEAD.pack(layouts.GENERIC_VERSION, end - begin, int(tick[begin]) & U32_MASK, dt_us)
        yield Packet(samples.sensor, head + table[begin:end].tobytes(), int(samples.received_ns[end - 1]))
        begin = end


def _evenly_spaced_end(tick: Ints, begin: int) -> int:
    """Where the packet ends that begins here: one step from sample to sample, and one that its 16 bits can hold."""
    steps = np.diff(tick[begin : begin + GENERIC_SAMPLES])
    if not len(steps) or not 0 < steps[0] <= U16_MAX:
        return begin + 1
    uneven = np.flatnonzero(steps != steps[0])
    return begin + 1 + int(uneven[0] if len(uneven) else len(steps))


def _dot26(samples: Samples) -> Iterator[Packet]:
    tick, structure = _ticks(samples, "dot-26"), layouts.dot_struct(layouts.DOT_MODES[26])
    quat, acc = _needed(samples, "quat", "dot-26"), _needed(samples, "acc", "dot-26")
    gyr_deg = np.degrees(_needed(samples, "gyr", "dot-26"))
    for i in range(len(samples)):
        payload = structure.pack(int(tick[i]) & U32_MASK, *quat[i], *acc[i], *gyr_deg[i])
        yield Packet(samples.sensor, payload.ljust(DOT_LONG_NOTIFICATION_BYTES, b"\0"), int(samples.received_ns[i]))


def _wit(samples: Samples, layout: str) -> Iterator[Packet]:
    angles = angles_from_quat(_needed(samples, "quat", layout)) / np.pi * layouts.INT16_FULL_SCALE
    # 180 degrees is one count beyond the range and the same as -180: angles wrap, they are not clipped.
    turned = ((np.rint(angles) + layouts.INT16_FULL_SCALE) % (2 * layouts.INT16_FULL_SCALE)) - layouts.INT16_FULL_SCALE
    acc = _int16(_needed(samples, "acc", layout), layouts.ACC_RANGE_MS2)
    gyr = _int16(_needed(samples, "gyr", layout), layouts.GYR_RANGE_RADS)
    table = np.concatenate([acc, gyr, turned.astype("<i2")], axis=1)  # (n, 9)
    dates = [b""] * len(samples) if layout == "wit-20" else [_calendar(int(t)) for t in _ticks(samples, layout)]
    for i, date in enumerate(dates):
        frame = witmotion.MEASUREMENT + table[i].tobytes() + date
        yield Packet(samples.sensor, frame, int(samples.received_ns[i]))


def _calendar(tick_ms: int) -> bytes:
    """Milliseconds since the year 2000 as the eight bytes at the end of a dated frame."""
    days, in_day = divmod(tick_ms, MS_A_DAY)
    date = np.datetime64(f"{witmotion.EPOCH_YEAR}-01-01") + days
    year, month, day = (int(part) for part in str(date).split("-"))
    if not 0 <= year - witmotion.EPOCH_YEAR <= 0xFF:
        raise ValueError(f"tick must lie within 256 years of {witmotion.EPOCH_YEAR}, not in {year}")
    minutes, in_minute = divmod(in_day, 60_000)
    fields = (year - witmotion.EPOCH_YEAR, month, day, minutes // 60, minutes % 60, in_minute // 1000)
    return bytes(fields) + (in_minute % 1000).to_bytes(2, "little")


def _sample(samples: Samples) -> Iterator[Packet]:
    n, tick, received = len(samples), samples.tick, samples.received_ns
    starts_new = np.zeros(n, bool)
    # A packet has one receive time. Samples share it if their receive times follow from it: by their ticks, or equal
    # ones.
    expected = np.zeros(max(n - 1, 0), np.int64) if tick is None else np.diff(tick) * 1000
    starts_new[1:] = np.diff(received) != expected
    if tick is not None:
        starts_new[1:] |= np.diff(tick) <= 0
    present = {name: getattr(samples, name) for name in layouts.SAMPLE_FLAGS if getattr(samples, name) is not None}
    flags = sum(layouts.SAMPLE_FLAGS[name][0] for name in present) | (0 if tick is None else layouts.TICK_FLAG)
    period_us = float(np.median(np.diff(received))) / 1000 if n > 1 else SAMPLE_PACKET_US
    for run in _runs(starts_new, max(1, int(SAMPLE_PACKET_US / max(period_us, 1.0)))):
        parts = [layouts.SAMPLE_HEAD.pack(layouts.SAMPLE_VERSION, flags, run.stop - run.start)]
        if tick is not None:
            parts.append(tick[run].astype("<i8").tobytes())
        parts += [values[run].astype("<f8").tobytes() for values in present.values()]
        yield Packet(samples.sensor, b"".join(parts), int(received[run.stop - 1]))


_ENCODERS: dict[str, Callable[[Samples], Iterator[Packet]]] = {
    "generic": _generic,
    "dot-26": _dot26,
    "wit-20": lambda samples: _wit(samples, "wit-20"),
    "wit-28": lambda samples: _wit(samples, "wit-28"),
    "sample": _sample,
}

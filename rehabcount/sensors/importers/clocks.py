"""Columns of time -> microseconds: counters, device clocks of unknown unit, moments as people write them.

The unit of a device clock is found from the numbers: it is the one in which the steps give a rate that the device has.
A counter gives no rate; then the caller must give it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from datetime import date

import numpy as np

from rehabcount.domain.arrays import Bools, Floats, Ints

DOT_RATES_HZ = (1.0, 4.0, 10.0, 12.0, 15.0, 20.0, 30.0, 60.0, 120.0)
WIT_RATES_HZ = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0)
UNITS_US = {"1 us": 1, "0.1 ms": 100, "1 ms": 1000}  # in order of preference; the first two share no rate of a DOT
RATE_TOLERANCE = 0.02  # of a device clock
STATED_TOLERANCE = 0.1  # of a rate that header or user state
RECEIPT_TOLERANCE = 0.05  # of a rate told from receipt times, which come in bursts
GAP_STEPS = 1.5
COUNTER_MODULUS = 2**16  # of the number that a DOT gives each sample
MOST_IN_A_ROW = 10  # samples lost at once, where the length of a sample must be told from lengths of losses
EVEN_SHARE = 0.95  # of steps that must be whole multiples of one length; by chance a fifth are
STRAY_US = 3_600_000_000  # from the other samples
STRAYS = 10  # samples at most that such a time costs
WRAP_MARGIN = 0.05  # of a clock's range; a fall from elsewhere is a damaged time or a clock started anew
RATE_ADVICE = "Say how many samples there are in a second: --rate HZ."


class NoRate(ValueError):
    """The length of a step cannot be found from the numbers."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The unit and step of a column of device time."""

    unit: str  # of UNITS_US, or "counter"
    step_us: float  # microseconds of one count
    rate_hz: float


def read_clock(
    counts: Ints,
    stated_hz: float | None,
    known_hz: tuple[float, ...] = DOT_RATES_HZ,
    numbers: Ints | None = None,
) -> Clock:
    """What `counts` (unwrapped, rising) count. `stated_hz` is what header or user say; `numbers` those that the sensor
    gave its samples."""
    step = sample_step(counts, numbers)
    if 0.99 <= step <= 1.01:
        if stated_hz is None:
            raise NoRate("the time column is a counter (0, 1, 2, ...) and the file does not say the rate")
        return Clock("counter", 1e6 / stated_hz, stated_hz)
    for unit, unit_us in UNITS_US.items():
        rate_hz = 1e6 / (step * unit_us)
        if stated_hz is not None:
            if abs(rate_hz / stated_hz - 1) < STATED_TOLERANCE:
                return Clock(unit, unit_us, stated_hz)
        else:
            for known in known_hz:
                if abs(rate_hz / known - 1) < RATE_TOLERANCE:
                    return Clock(unit, unit_us, known)
    if stated_hz is not None:
        raise NoRate(f"the time column rises by {step:g} a sample, which fits {stated_hz:g} Hz in no unit")
    raise NoRate(f"the time column rises by {step:g} a sample, which is no rate of this sensor in any unit")


def sample_step(counts: Ints, numbers: Ints | None = None) -> float:
    """The step from one sample to the next, although most samples may be lost: then most steps span several.

    The samples' numbers say how many, if they rise with the clock. Otherwise the steps must be whole multiples of one
    length. If they are not (a clock that jitters), the result is the median step.
    """
    steps = np.diff(counts).astype(float)
    if numbers is not None and len(steps):
        passed = np.diff(numbers) % COUNTER_MODULUS
        base = float(np.median(steps / np.maximum(passed, 1)))
        even = (passed > 0) & (np.abs(steps - passed * base) <= passed * _give(base))
        if even.mean() >= EVEN_SHARE:
            return float(steps[even].sum() / passed[even].sum())
    for parts in range(1, MOST_IN_A_ROW + 1) if len(steps) else ():
        base = float(np.median(steps)) / parts
        passed = np.rint(steps / base)
        even = (passed > 0) & (passed <= MOST_IN_A_ROW) & (np.abs(steps - passed * base) <= _give(base))
        if even.mean() >= EVEN_SHARE:
            return float(steps[even].sum() / passed[even].sum())
    return typical_step(counts)


def _give(base: float) -> float:
    """How far a step may be from whole multiples: a tenth, and what rounding to whole counts costs."""
    return min(0.1 * base + 1, 0.25 * base)


def typical_step(counts: Ints) -> float:
    """The mean of the steps near the median: exact for rounded steps, and not affected by gaps."""
    steps = np.diff(counts)
    steps = steps[steps > 0]
    if not len(steps):
        raise NoRate("the time column stands still")
    middle = float(np.median(steps))
    near = steps[np.abs(steps - middle) <= 0.5 * middle]
    return float(near.mean()) if len(near) else middle


def unwrapped(counts: Floats, modulus: int) -> Ints:
    """Counts of a clock that falls back by `modulus` whenever it is full: from near its top to near its bottom."""
    whole = np.rint(counts).astype(np.int64)
    falls = (whole[:-1] > (1 - WRAP_MARGIN) * modulus) & (whole[1:] < WRAP_MARGIN * modulus)
    return whole + modulus * np.concatenate([[0], np.cumsum(falls)])


def rising(counts: Ints, strictly: bool = True) -> Bools:
    """The most samples whose times rise (or, not strictly, do not fall); the others are doubled or out of order.

    A single damaged time, however large, costs its own sample only: the longest rising subsequence leaves it out.
    """
    find = bisect_left if strictly else bisect_right
    ends: list[int] = []  # the smallest time in which a subsequence of each length can end
    owner: list[int] = []  # and the sample it belongs to
    before = np.full(len(counts), -1)
    for i, count in enumerate(counts.tolist()):
        at = find(ends, count)
        ends[at : at + 1], owner[at : at + 1] = [count], [i]
        before[i] = owner[at - 1] if at else -1
    kept = np.zeros(len(counts), bool)
    last = owner[-1] if owner else -1
    while last >= 0:
        kept[last] = True
        last = int(before[last])
    return kept


def near_others(time_us: Ints) -> Bools:
    """All but a few samples that stand hours from the rest: a damaged time rises, too, where it is the last, or the
    first. More than a few are a recording that was interrupted."""
    edges = np.flatnonzero(np.diff(time_us) > STRAY_US) + 1
    islands = np.split(np.arange(len(time_us)), edges)
    long = [island for island in islands if len(island) > STRAYS] or [max(islands, key=len)]
    kept = np.zeros(len(time_us), bool)
    kept[np.concatenate(long)] = True
    return kept


def gaps(time_us: Ints, rate_hz: float) -> Bools:
    """Before which samples others are missing."""
    late = np.diff(time_us) > GAP_STEPS * 1e6 / rate_hz
    return np.concatenate([[False], late])


def rate_of_receipts(time_us: Ints, known_hz: tuple[float, ...] = WIT_RATES_HZ) -> tuple[float, float]:
    """The nominal and the measured rate behind receipt times; without a nominal one nearby both are the measured."""
    span_s = int(time_us[-1] - time_us[0]) / 1e6
    if span_s <= 0:
        raise NoRate("all samples carry the same time")
    measured = (len(time_us) - 1) / span_s
    return nearest_rate(measured, known_hz), measured


def nearest_rate(measured_hz: float, known_hz: tuple[float, ...] = WIT_RATES_HZ) -> float:
    """The nominal rate near the measured one, if there is one; else the measured rate."""
    nominal = min(known_hz, key=lambda known: abs(np.log(measured_hz / known)))
    return nominal if abs(measured_hz / nominal - 1) < RECEIPT_TOLERANCE else measured_hz


_LARGEST = 1e19  # nanoseconds since 1970 are below it for three centuries
_EPOCH_DAY = date(2000, 1, 1).toordinal()  # near enough for microseconds to survive in a float
_CLOCK_TIME = re.compile(
    r"(?:(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})[T _]+)?(\d{1,2}):(\d{2}):(\d{2})(?:[.:,_](\d{1,9}))?.*"
)


def moment_s(text: str) -> float | None:
    """Seconds that a text means: a number, `2025-05-04T13:16:21.131`, `2021-08-20_20:21:13_804 GMT+8`, `13:16:21.131`.

    Time zones are not read: all moments of one export are in the same. A clock without a date counts from midnight.
    """
    text = text.strip()
    try:
        number = float(text)
        return number if abs(number) < _LARGEST else None  # nor is NaN
    except ValueError:
        pass
    match = _CLOCK_TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction = match.groups()
    seconds = (int(hour) * 60 + int(minute)) * 60 + int(second) + (float(f"0.{fraction}") if fraction else 0.0)
    if year is None:
        return seconds
    try:
        days = date(int(year), int(month), int(day)).toordinal() - _EPOCH_DAY
    except ValueError:
        return None
    return days * 86400.0 + seconds


_EPOCH_SCALES = ((1e11, 1.0), (1e14, 1e-3), (1e17, 1e-6), (float("inf"), 1e-9))  # s, ms, us, ns since 1970, by size
_FIRST_EPOCH = 1e8  # smaller numbers count from a start of their own
_SLOWEST_HZ = 4.0  # sensors are not slower: whole numbers that rise less often are milliseconds


def seconds_of(moments: Floats, unit: str | None) -> Floats:
    """Numbers of a time column in seconds: by the unit it states, else by their size."""
    if unit in ("s", "ms"):
        return moments * (1.0 if unit == "s" else 1e-3)
    if moments[0] > _FIRST_EPOCH:
        return moments * next(scale for limit, scale in _EPOCH_SCALES if moments[0] < limit)
    whole = bool((moments == np.rint(moments)).all())
    span = float(moments[-1] - moments[0])
    return moments * (1e-3 if whole and (len(moments) - 1) < _SLOWEST_HZ * span else 1.0)

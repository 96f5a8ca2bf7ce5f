"""Device clocks: ticks of one sensor -> seconds of the session.

In: the ticks of one sensor in the order they arrived, with the host's receive times. Out: for each sample the session
time (seconds since `origin_ns`) at which it was measured.

A sensor's clock wraps around, runs a little fast or slow, and may restart. A radio delivers late, never early. So the
difference between receive time and device time is never below the true offset of the two clocks. Its lowest value in
each second of device time (a *bin*) is a good estimate of the offset; a line through the estimates of the last minute
predicts the offset for the next second. Within a bin the map from device to session time is one straight line, fixed
when the bin opens. Consecutive bins join without a step, so time never runs backwards. A sample's time depends only on
samples before its bin, so the result is the same for chunks of any size.

Samples that came in one packet (one receive time) belong together: the first packet must not be cut.

A sensor without a clock (tick None) is given one that counts its samples at the nominal rate; samples lost without
trace then look like a slow clock, which shorter bins and a shorter fit follow.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Floats, Ints
from rehabcount.domain.update import ClockJump, Update

BIN_S = 1.0  # long enough to hold a packet that met no delay, short enough to follow a drift of some percent
FIT_BINS = 60  # one minute: a crystal's drift is steady over that
COUNTED_BIN_S, COUNTED_FIT_BINS, COUNTED_SLEW = 0.25, 8, 0.1  # without a device clock, loss bends the line at once
LINE_FROM_BINS = 5  # fewer readings do not fix a slope
SLEW = 0.02  # the session clock corrects an offset by at most 20 ms a second, so that no step enters the signal
EARLY_SLEW = 0.2  # until there is a line to follow: the first packets may have come late
# Three signs that the device clock itself has leapt (a restart, mostly), or that the anchor was a late packet:
JUMP_S = 5.0  # no radio holds a packet back this long
AHEAD_S = 0.25  # nothing is received before it was measured; this much is left to a line that errs
BEHIND_S = 0.5  # every packet of a bin was later than this
BACK_S = 1.0  # ticks that run backwards by more than any reordering
COUNTED_GAP_S = 1.0  # a pause this long between samples of a clockless sensor is a loss, not a stall
WIDE_BITS = 63  # such a counter outlasts every session, and its turns do not fit our integers
KEPT_BINS = 8  # for samples that arrive after their bin has been closed


@dataclass(frozen=True, slots=True)
class ClockSpec:
    """What a sensor's ticks mean, if it sends any (`tick_hz` None: it has none); samples come at `rate_hz`."""

    tick_hz: float | None
    tick_bits: int | None  # the counter's width; None: it does not wrap
    rate_hz: float


@dataclass(frozen=True, slots=True)
class _Line:
    """Session time over one bin: `session_s` at `device_s`, then `slope` seconds a second."""

    device_s: float
    session_s: float
    slope: float


class DeviceClock:
    """The clock of one sensor over one session."""

    def __init__(
        self,
        spec: ClockSpec,
        origin_ns: int,
        *,
        sensor: str = "",
        on_update: Callable[[Update], None] | None = None,
    ) -> None:
        self._spec = spec
        self._origin_ns = origin_ns
        self._sensor = sensor
        self._on_update = on_update
        self._counting: bool | None = None  # known with the first samples
        self._anchored = False
        self._counted = 0.0  # device seconds counted so far (clockless sensors)
        self._last_host_s = 0.0

    def times(self, tick: Ints | None, received_ns: Ints) -> Floats:
        """Session seconds of the next samples, in order of arrival."""
        host_s: Floats = (received_ns - self._origin_ns) / np.float64(1e9)
        self._choose(counting=tick is None)
        out = np.empty(len(host_s))
        done = 0
        while done < len(host_s):
            rest = None if tick is None else tick[done:]
            done += self._run(rest, host_s[done:], out[done:])
        return out

    def _choose(self, counting: bool) -> None:
        """Ticks or counted samples: one or the other for the whole session."""
        if self._counting is None and (counting or self._spec.tick_hz is not None):
            self._counting = counting
            self._bin_s = COUNTED_BIN_S if counting else BIN_S
            self._fit_bins = COUNTED_FIT_BINS if counting else FIT_BINS
            self._slew = COUNTED_SLEW if counting else SLEW
        if self._counting is not counting:
            raise ValueError(f"sensor {self._sensor!r} sends ticks now and then, or ticks without a known unit")

    def _run(self, tick: Ints | None, host_s: Floats, out: Floats) -> int:
        """Map samples until the end or until the device clock leaps; return how many were mapped."""
        beyond_doubt = 0  # samples of the packet that anchors, however old they are
        if not self._anchored:
            # Of the samples that came in the first packet the last one is the freshest.
            beyond_doubt = int(np.argmax(host_s != host_s[0])) or len(host_s)
            self._anchor(0 if tick is None else int(tick[beyond_doubt - 1]), float(host_s[0]))
        device_s = self._count(host_s) if tick is None else self._unwrap(tick, host_s)
        if not beyond_doubt and self._run_within_bin(device_s, host_s, out):
            return len(host_s)
        bins = np.floor(device_s / self._bin_s).astype(np.int64)
        current = np.maximum.accumulate(np.maximum(bins, self._bin))
        starts = np.flatnonzero(np.diff(current, prepend=current[0] - 1))
        for start, end in zip(starts, np.append(starts[1:], len(host_s)), strict=True):
            if current[start] > self._bin:
                self._open_bin(int(current[start]))
            here = slice(start, end)
            mapped = self._map(device_s[here], bins[here])
            late_s = host_s[here] - mapped
            back = bins[here] < self._bin - round(BACK_S / self._bin_s)
            leaps = np.flatnonzero((late_s > JUMP_S) | (late_s < -AHEAD_S) | back)
            leaps = leaps[leaps + start >= beyond_doubt]
            if len(leaps):
                stop = int(start + leaps[0])
                out[start:stop] = mapped[: leaps[0]]
                self._note(device_s[start:stop], host_s[start:stop], bins[start:stop])
                self._leap(float(host_s[stop]), float(late_s[leaps[0]]))
                return stop
            out[here] = mapped
            self._note(device_s[here], host_s[here], bins[here])
        return len(host_s)

    def _run_within_bin(self, device_s: Floats, host_s: Floats, out: Floats) -> bool:
        """The result of `_run` if all samples lie in the open bin and none leaps (nine calls of ten), at a third of the
        cost. Otherwise False, and nothing is changed."""
        first, last = np.floor(device_s.min() / self._bin_s), np.floor(device_s.max() / self._bin_s)
        if not first == last == self._bin:
            return False
        line = self._lines[self._bin]
        mapped = line.session_s + (device_s - line.device_s) * line.slope
        late_s = host_s - mapped
        if late_s.max() > JUMP_S or late_s.min() < -AHEAD_S:
            return False
        out[: len(mapped)] = mapped
        self._note_lowest(device_s, host_s)
        return True

    def _anchor(self, tick: int, host_s: float) -> None:
        """Begin: assume that this tick was measured when it was received."""
        self._anchored = True
        self._tick, self._host_s = tick, host_s
        self._counted, self._last_host_s = -1.0 / self._spec.rate_hz, host_s
        self._bin = 0
        self._lines: dict[int, _Line] = {0: _Line(0.0, host_s, 1.0)}
        self._readings: deque[tuple[float, float]] = deque(maxlen=self._fit_bins)
        self._lowest: tuple[float, float] | None = None  # (device_s, offset) of the open bin

    def _leap(self, host_s: float, jump_s: float) -> None:
        """Forget the anchor. This is reported if the clock's line was known or the leap is large."""
        if self._on_update is not None and (len(self._readings) >= LINE_FROM_BINS or abs(jump_s) > JUMP_S):
            self._on_update(ClockJump(self._sensor, host_s, jump_s))
        self._anchored = False

    def _unwrap(self, tick: Ints, host_s: Floats) -> Floats:
        """Device seconds since the anchor. The receive time says which turn of the counter it is, after any pause."""
        assert self._spec.tick_hz is not None
        raw = tick - self._tick
        if self._spec.tick_bits is not None and self._spec.tick_bits < WIDE_BITS:
            turn = 1 << self._spec.tick_bits
            expected = (host_s - self._host_s) * self._spec.tick_hz
            raw = raw + np.rint((expected - raw) / turn).astype(np.int64) * turn
        return raw / self._spec.tick_hz

    def _count(self, host_s: Floats) -> Floats:
        """Device seconds of a clockless sensor: one period a sample, and whole periods over a pause."""
        period_s = 1.0 / self._spec.rate_hz
        pauses = np.diff(host_s, prepend=self._last_host_s)
        steps = np.where(pauses > COUNTED_GAP_S, np.maximum(np.rint(pauses / period_s), 1.0), 1.0)
        # Whole numbers of periods add up exactly, so that the sum does not depend on how the input was chopped.
        counted = np.rint(self._counted / period_s) + np.cumsum(steps)
        self._counted = float(counted[-1]) * period_s
        self._last_host_s = float(host_s[-1])
        return counted * period_s

    def _map(self, device_s: Floats, bins: Ints) -> Floats:
        line = self._lines[self._bin]
        mapped = line.session_s + (device_s - line.device_s) * line.slope
        for i in np.flatnonzero(bins < self._bin):  # reordered across the border of a bin
            line = self._lines.get(int(bins[i])) or self._lines[min(self._lines)]
            mapped[i] = line.session_s + (device_s[i] - line.device_s) * line.slope
        return mapped

    def _note(self, device_s: Floats, host_s: Floats, bins: Ints) -> None:
        """Keep the lowest offset of the open bin."""
        mine = bins == self._bin
        if mine.any():
            self._note_lowest(device_s[mine], host_s[mine])

    def _note_lowest(self, device_s: Floats, host_s: Floats) -> None:
        offsets = host_s - device_s
        best = int(offsets.argmin())
        reading = (float(device_s[best]), float(offsets[best]))
        if self._lowest is None or reading[1] < self._lowest[1]:
            self._lowest = reading

    def _open_bin(self, number: int) -> None:
        """Fix the line of the next bin from the readings of those before it."""
        if self._lowest is not None:
            at, offset = self._lowest
            line = self._lines[self._bin]
            behind_s = offset + at - (line.session_s + (at - line.device_s) * line.slope)
            if behind_s > BEHIND_S:
                self._leap(at + offset, behind_s)
                self._anchored = True  # the bins continue; the estimates of the offset are dropped
                self._readings.clear()
                self._lines.clear()
            self._readings.append(self._lowest)
            self._lowest = None
        start = number * self._bin_s
        offset, drift = self._fit(start)
        target = start + self._bin_s + offset + drift * self._bin_s
        previous = self._lines.get(number - 1)
        if previous is None:  # after a pause there is nothing to join on to
            session_s = start + offset
        else:
            session_s = previous.session_s + (start - previous.device_s) * previous.slope
        slope = (target - session_s) / self._bin_s
        slew = self._slew if len(self._readings) >= LINE_FROM_BINS else EARLY_SLEW
        slope = min(max(slope, 1.0 + drift - slew), 1.0 + drift + slew)
        self._lines[number] = _Line(start, session_s, slope)
        if len(self._lines) > KEPT_BINS:
            del self._lines[min(self._lines)]
        self._bin = number

    def _fit(self, device_s: float) -> tuple[float, float]:
        """Offset at `device_s` and its drift, from the readings."""
        if not self._readings:
            line = self._lines[self._bin]
            return line.session_s - line.device_s, 0.0
        at, offset = np.array(self._readings).T
        if len(at) < LINE_FROM_BINS:
            return float(offset[-1]), 0.0
        centre = at.mean()
        drift = float(np.sum((at - centre) * (offset - offset.mean())) / np.sum((at - centre) ** 2))
        # A drift is valid for about as long as it was observed: after a long pause its error would grow too large.
        reach = min(device_s, 2 * at[-1] - at[0])
        return float(offset.mean() + drift * (reach - centre)), drift

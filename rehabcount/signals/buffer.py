"""The state of each sensor in alignment: samples that no block has used yet, and whether the sensor is lost.

`Buffer` is the stream's; `channels`, `in_order` and `ticks_of` serve the array kernel too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rehabcount.domain.arrays import Bools, Floats, Ints
from rehabcount.domain.limits import SENSOR_SILENT_S
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import ACC, CHANNELS, FRAME_RATE_HZ, G_M_S2, GYR, QUAT, Samples
from rehabcount.domain.update import Discarded, Gap, Lost, Returned, Update
from rehabcount.errors import PacketMalformed
from rehabcount.signals.clock import DeviceClock

MIN_GAP_S = 0.1  # shorter gaps are only masked; a Gap is reported to people
TELL_EVERY_S = 1.0  # late and saturated samples are reported at most this often
# The end of the range that every supported sensor has (16 g, 2000 degrees a second), less its last step: a sample
# there is a lower bound only, and an orientation computed from it would stay wrong.
SATURATED_M_S2, SATURATED_RAD_S = 0.999 * 16 * G_M_S2, 0.999 * 2000 * np.pi / 180
LATE, SATURATED = Message.of(Code.LATE), Message.of(Code.SATURATED)
_SATURATED = np.array([SATURATED_M_S2] * 3 + [SATURATED_RAD_S] * 3)


def channels(blocks: Sequence[Samples]) -> Floats:
    """Blocks of one sensor as one array (n, CHANNELS), NaN for what it does not measure."""
    values = np.full((sum(len(block) for block in blocks), CHANNELS), np.nan)
    for part, name in ((ACC, "acc"), (GYR, "gyr"), (QUAT, "quat")):
        found = [getattr(block, name) for block in blocks]
        if all(quantity is not None for quantity in found):
            values[:, part] = np.concatenate(found)
        else:  # measured in some packets and not in others
            start = 0
            for block, quantity in zip(blocks, found, strict=True):
                if quantity is not None:
                    values[start : start + len(block), part] = quantity
                start += len(block)
    return values


def saturated(values: Floats) -> Bools:
    """Which samples (n, CHANNELS) lie at the end of the sensor's range."""
    return np.asarray((np.abs(values[:, :6]) >= _SATURATED).any(axis=1))


def in_order(times: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Sorted by time; of samples with the same time the one that arrived first."""
    if len(times) > 1 and not (np.diff(times) > 0).all():
        _, keep = np.unique(times, return_index=True)  # the first of equals, in order of time
        return times[keep], values[keep]
    return times, values


def ticks_of(blocks: Sequence[Samples]) -> Ints | None:
    """The ticks of one sensor's blocks, None if it sends none. One that sends them now and then has no clock at all."""
    ticks = [block.tick for block in blocks if block.tick is not None]
    if not ticks:
        return None
    if len(ticks) < len(blocks):
        raise PacketMalformed(
            f"Sensor {blocks[0].sensor} sends the time with some packets and not with others.",
            advice="Check its firmware, or import the recording anew.",
        )
    return np.concatenate(ticks)


class Buffer:
    """One sensor on its way into frames."""

    def __init__(self, name: str, clock: DeviceClock, bridge_s: float, on_update: Callable[[Update], None]) -> None:
        self.name, self.clock, self.bridge_s = name, clock, bridge_s
        self.pending: list[Samples] = []
        self.times: Floats = np.empty(0)
        self.values: Floats = np.empty((0, CHANNELS))
        self._on_update = on_update
        self._until_s = 0.0  # the end of its last valid frame
        self._lost_since_s: float | None = None  # None: it is there
        self._unused = dict.fromkeys((LATE, SATURATED), 0)
        self._told_s = 0.0

    def absorb(self, emitted_until_s: float) -> None:
        """Give the pending samples their times and sort them in. Samples before the last block passed on are too
        late."""
        if not self.pending:
            return
        received = np.concatenate([samples.received_ns for samples in self.pending])
        fresh = self.clock.times(ticks_of(self.pending), received)
        values = channels(self.pending)
        self.pending.clear()
        over = saturated(values)
        if over.any():
            self._unused[SATURATED] += int(over.sum())
            fresh, values = fresh[~over], values[~over]
        self._unused[LATE] += int(np.sum(fresh < emitted_until_s))
        values = np.concatenate([self.values, values])
        self.times, self.values = in_order(np.concatenate([self.times, fresh]), values)

    def trim(self, before_s: float) -> None:
        """Drop samples that no frame after `before_s` needs."""
        keep = int(np.searchsorted(self.times, before_s - self.bridge_s))
        self.times, self.values = self.times[keep:], self.values[keep:]

    def silent(self, since_s: float) -> None:
        """The radio reports that the sensor is silent."""
        if self._lost_since_s is None:
            self._lost_since_s = since_s
            self._on_update(Lost(self.name, since_s))

    def attend(self, at: Floats, valid: Bools) -> None:
        """Report what these frames show: the sensor is lost, it has returned, which data are missing."""
        seen = np.flatnonzero(valid)
        if len(seen):
            first_s = float(at[seen[0]])
            if self._lost_since_s is not None:
                back = seen[at[seen] > self._lost_since_s]  # without samples that were on their way when it fell silent
                if len(back):
                    self._lost_since_s = None
                    self._on_update(Returned(self.name, float(at[back[0]])))
            self._tell_gap(first_s)
            self._until_s = float(at[seen[-1]]) + 1.0 / FRAME_RATE_HZ
        elif float(at[-1]) - self._until_s > SENSOR_SILENT_S:
            self.silent(self._until_s)
        if float(at[-1]) - self._told_s >= TELL_EVERY_S:
            self._tell_unused(float(at[-1]))

    def end(self, end_s: float) -> None:
        """No more frames: report what is still open."""
        self._tell_gap(end_s)
        self._tell_unused(end_s)

    def _tell_gap(self, until_s: float) -> None:
        if until_s - self._until_s > MIN_GAP_S:
            self._on_update(Gap(self.name, self._until_s, until_s))

    def _tell_unused(self, now_s: float) -> None:
        for reason, number in self._unused.items():
            if number:
                self._on_update(Discarded(self.name, reason, number, now_s))
                self._unused[reason], self._told_s = 0, now_s

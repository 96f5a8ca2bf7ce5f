"""Arrays of any sensor -> the packets that the walk reads, so that they go through the bedside's own chain.

In: acceleration and angular rate (samples, sensors, 3), in chunks of any size, with the times of the samples or a rate.
Out: packets of the lossless `sample` layout, each sample with its own tick and received when it was measured. Packets
are cut by the number of the sample, never by the chunk, so that the same samples give the same packets. A sample that
is NaN in any of its six values counts as lost: it is left out, and alignment finds the gap.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rehabcount.domain.arrays import Floats, Ints
from rehabcount.domain.motion import Packet, Samples
from rehabcount.domain.rig import FASTEST_HZ, Place, Rig, Sensor, Side, places_of
from rehabcount.errors import InputRefused
from rehabcount.sensors.encode import SAMPLE_PACKET_US, encode

LAYOUT = "sample"
SLOWEST_HZ = 24.0  # from 25 Hz on everything works (docs/generic-profile.md), and a sensor's clock may be a little slow
RATE_TOLERANCE = 0.2  # between the rate of the times and `rate_hz`; errors of clocks are far smaller
LONGEST_S = 31 * 86400.0  # as of session files: a month
UNITS = "acc in m/s2 with gravity, gyr in rad/s"


def side_from(side: str) -> Side:
    """`left` or `right`."""
    if side not in set(Side):
        raise InputRefused(f"side is {side!r}.", advice="Say which arm is counted: left or right.")
    return Side(side)


def rig_from(places: Sequence[str], side: Side, rate_hz: float) -> Rig:
    """A rig of sensors named after their places, in this order. One of the four known rigs is called by its name."""
    if not SLOWEST_HZ <= rate_hz <= FASTEST_HZ:
        raise InputRefused(f"rate_hz is {rate_hz:g}.", advice="Give samples per second, 25 or more.")
    if isinstance(places, str):
        places = (places,)
    worn = tuple(_place(each) for each in places)
    if not worn or len(set(worn)) < len(worn):
        raise InputRefused(
            f"places are {', '.join(map(str, places)) or 'empty'}.", advice="Name one place a sensor, each once."
        )
    known = (kind for kind in ("nine", "five", "three", "one") if set(places_of(kind, side)) == set(worn))
    sensors = tuple(Sensor(place.value, place, LAYOUT, float(rate_hz)) for place in worn)
    return Rig(next(known, f"{len(worn)} sensors of one's own"), sensors)


def _place(name: str) -> Place:
    if name in set(Place):
        return Place(name)
    near = difflib.get_close_matches(str(name).lower().replace(" ", "-").replace("_", "-"), list(Place), 1)
    guess = f"Did you mean {near[0]}? " if near else ""
    raise InputRefused(f"there is no place {name!r}.", advice=f"{guess}Places are {', '.join(Place)}.")


def motion_from(acc: Any, gyr: Any, sensors: int) -> Floats:
    """Both as one array (samples, sensors, 6); a lost sample is NaN in all six."""
    parts = [_array("acc", acc, sensors), _array("gyr", gyr, sensors)]
    if len(parts[0]) != len(parts[1]):
        raise InputRefused(
            f"acc has {len(parts[0])} samples, gyr has {len(parts[1])}.", advice="Give both for the same instants."
        )
    motion = np.concatenate(parts, axis=2)
    motion[~np.isfinite(motion).all(axis=2)] = np.nan
    return motion


def _array(name: str, values: Any, sensors: int) -> Floats:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as problem:
        raise InputRefused(f"{name} is not an array of numbers: {problem}.", advice=f"Give {UNITS}.") from problem
    if array.ndim == 2 and sensors == 1 and array.shape[1] == 3:
        array = array[:, None, :]
    if array.ndim != 3 or array.shape[1:] != (sensors, 3):
        raise InputRefused(
            f"{name} has the shape {array.shape}.",
            advice=f"It must be (samples, sensors, 3), here (samples, {sensors}, 3): numpy.stack([...], axis=1) makes "
            "it of one (samples, 3) array for each sensor.",
        )
    return array


class Packets:
    """Cuts arrays into packets. `origin_s` is the caller's time of the first packet, which is the walk's time zero;
    receive times count from `first_s`, the caller's time of the first sample."""

    def __init__(self, rig: Rig) -> None:
        self.origin_s = self.first_s = 0.0
        self._rig, self._rate_hz = rig, rig.sensors[0].rate_hz
        self._together = max(1, int(SAMPLE_PACKET_US * 1e-6 * self._rate_hz))  # samples in a packet
        self._motion: Floats = np.empty((0, len(rig), 6))
        self._times: Floats = np.empty(0)
        self._pushed = 0
        self._begun = False  # the first packet holds one sample, so that time zero is when it was measured
        self._timed: bool | None = None
        self._last_s = -np.inf
        self._early: Floats | None = np.empty(0)  # times, until there are enough of them to find the rate

    def push(self, motion: Floats, time_s: Any = None) -> list[Packet]:
        """The packets that these samples complete."""
        times = self._times_of(len(motion), time_s)
        if not len(times):
            return []
        if not self._pushed:
            self.first_s = float(times[0])
        if times[-1] - self.first_s > LONGEST_S:
            raise InputRefused("the samples span more than a month.", advice="Give time_s in seconds.")
        self._pushed += len(times)
        self._motion, self._times = np.concatenate([self._motion, motion]), np.concatenate([self._times, times])
        if not self._begun:
            there = np.flatnonzero(np.isfinite(self._motion[:, :, 0]).any(axis=1))
            first = int(there[0]) if len(there) else len(self._times)
            self._motion, self._times = self._motion[first:], self._times[first:]
            if not len(there):
                return []
            self._begun = True
            self.origin_s = round((float(self._times[0]) - self.first_s) * 1e6) * 1e-6 + self.first_s
            return list(self._cut(1)) + self._whole()
        return self._whole()

    def refuse_nothing(self) -> None:
        """InputRefused if no sample was valid."""
        if not self._begun:
            raise InputRefused(
                f"no sample is valid: of {self._pushed} samples, each has NaN in acc or gyr of every sensor."
                if self._pushed
                else "there is no sample: the arrays are empty.",
                advice=f"Check how the arrays were made: {UNITS}, NaN only where a sample was lost.",
            )

    def finish(self) -> list[Packet]:
        """The last, incomplete packet."""
        return list(self._cut(len(self._times))) if len(self._times) else []

    def _whole(self) -> list[Packet]:
        packets: list[Packet] = []
        while len(self._times) >= self._together:
            packets += self._cut(self._together)
        return packets

    def _cut(self, number: int) -> Iterator[Packet]:
        motion, times = self._motion[:number], self._times[:number]
        self._motion, self._times = self._motion[number:], self._times[number:]
        ticks: Ints = np.rint((times - self.first_s) * 1e6).astype(np.int64)
        packets: list[Packet] = []
        for sensor, name in enumerate(self._rig.names):
            there = np.isfinite(motion[:, sensor, 0])
            if there.any():
                mine, at = motion[there, sensor], ticks[there]
                packets += encode(Samples(name, at * 1000, at, mine[:, :3], mine[:, 3:]), LAYOUT)
        yield from sorted(packets, key=lambda packet: packet.received_ns)

    def _times_of(self, number: int, time_s: Any) -> Floats:
        if self._timed is None and number:
            self._timed = time_s is not None
        if number and self._timed is not (time_s is not None):
            raise InputRefused("time_s was given now and then.", advice="Give it with every chunk, or with none.")
        if time_s is None:
            return np.arange(self._pushed, self._pushed + number) / self._rate_hz
        times = np.asarray(time_s, dtype=float)
        if times.shape != (number,) or not np.isfinite(times).all():
            raise InputRefused(
                f"time_s has the shape {times.shape} or is not finite; there are {number} samples.",
                advice="Give one time in seconds for each sample; a lost sample has its time, and NaN in acc and gyr.",
            )
        if not number:
            return times
        steps = np.diff(times, prepend=self._last_s)
        if (steps <= 0).any():
            at = int(np.flatnonzero(steps <= 0)[0])
            raise InputRefused(
                f"time_s does not rise at sample {self._pushed + at} ({times[at]:.6f}).",
                advice="Sort the samples by time, and drop those that stand twice.",
            )
        self._check_rate(times)
        self._last_s = float(times[-1])
        return times

    def _check_rate(self, times: Floats) -> None:
        """Once, when there is a second's worth."""
        if self._early is None:
            return
        self._early = np.concatenate([self._early, times])
        if len(self._early) <= self._rate_hz:
            return
        found_hz = 1.0 / float(np.median(np.diff(self._early[: int(self._rate_hz) + 1])))
        self._early = None
        if abs(found_hz / self._rate_hz - 1) > RATE_TOLERANCE:
            raise InputRefused(
                f"time_s shows {found_hz:.4g} samples a second, rate_hz says {self._rate_hz:g}.",
                advice="Give time_s in seconds, and the rate at which the sensors sample.",
            )

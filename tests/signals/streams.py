"""Recordings as a radio would deliver them: drifting clocks, jitter, loss, bursts, reordering, silence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.motion import Samples, Silence
from rehabcount.domain.rig import Rig, Side, make_rig
from rehabcount.signals.clock import ClockSpec

MICROSECONDS = 1_000_000


@dataclass(frozen=True)
class Radio:
    """How badly the radio behaves."""

    jitter_s: float = 0.02
    loss: float = 0.0
    reorder: float = 0.0  # share of samples that swap places with the next
    duplicate: float = 0.0
    drift: float = 0.0  # spread of clock rates
    late: float = 0.0  # share of samples that come half a second late
    ticks: bool = True


def record(
    seed: int, radio: Radio, *, sensors: str = "three", length_s: float = 3.0, rate_hz: float = 100.0
) -> tuple[Rig, dict[str, ClockSpec], list[Samples | Silence]]:
    """One-sample packets of all sensors in the order of arrival. Every sample carries its true time in acc x."""
    rng = np.random.default_rng(seed)
    rig = make_rig(sensors, Side.RIGHT, "none", rate_hz)
    clocks = {}
    arrivals: list[tuple[int, Samples | Silence]] = []
    for sensor in rig.sensors:
        clocks[sensor.name] = (
            ClockSpec(float(MICROSECONDS), 32, rate_hz) if radio.ticks else ClockSpec(None, None, rate_hz)
        )
        times = np.arange(rng.uniform(0, 0.01), length_s, 1 / rate_hz)
        times = times[rng.random(len(times)) >= radio.loss]
        clock_rate = 1 + radio.drift * rng.normal()
        tick = (int(rng.integers(2**32)) + np.rint(times * clock_rate * MICROSECONDS).astype(np.int64)) % 2**32
        delay = 0.005 + rng.exponential(radio.jitter_s, len(times)) + 0.5 * (rng.random(len(times)) < radio.late)
        received = np.maximum.accumulate(times + delay)
        order = np.arange(len(times))
        for i in np.flatnonzero(rng.random(max(len(times) - 1, 0)) < radio.reorder):
            order[i], order[i + 1] = order[i + 1], order[i]
        for position, i in enumerate(order):
            quat = rng.normal(size=(1, 4))
            samples = Samples(
                sensor.name,
                np.array([1_000_000_000 + round(received[position] * 1e9)]),
                tick[i : i + 1] if radio.ticks else None,
                np.array([[times[i], np.sin(times[i]), 9.81]]),
                rng.normal(size=(1, 3)),
                quat / np.linalg.norm(quat),
            )
            arrivals.append((int(samples.received_ns[0]), samples))
            if rng.random() < radio.duplicate:
                arrivals.append((int(samples.received_ns[0]), samples))
    if radio.loss > 0.2:
        at = 1_000_000_000 + round(length_s * 0.6e9)
        arrivals.append((at, Silence(rig.names[0], at - 300_000_000, at)))
    arrivals.sort(key=lambda pair: pair[0])
    return rig, clocks, [item for _, item in arrivals]


def chop(seed: int, length: int, most: int = 40) -> list[slice]:
    """Random consecutive slices, some of them empty."""
    rng = np.random.default_rng(seed)
    cuts = [0]
    while cuts[-1] < length:
        cuts.append(min(length, cuts[-1] + int(rng.integers(0, most))))
    return [slice(a, b) for a, b in pairwise(cuts)]


def joined(items: Sequence[Samples | Silence], seed: int) -> list[Samples | Silence]:
    """The same record with neighbouring samples of one sensor put into common packets here and there."""
    rng = np.random.default_rng(seed)
    out: list[Samples | Silence] = []
    for item in items:
        last = out[-1] if out else None
        if (
            isinstance(item, Samples)
            and isinstance(last, Samples)
            and last.sensor == item.sensor
            and rng.random() < 0.7
        ):
            out[-1] = Samples(
                item.sensor,
                np.concatenate([last.received_ns, item.received_ns]),
                _put_together(last.tick, item.tick),
                _put_together(last.acc, item.acc),
                _put_together(last.gyr, item.gyr),
                _put_together(last.quat, item.quat),
            )
        else:
            out.append(item)
    return out


def _put_together(a: NDArray[Any] | None, b: NDArray[Any] | None) -> NDArray[Any] | None:
    return None if a is None or b is None else np.concatenate([a, b])

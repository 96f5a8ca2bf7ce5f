"""A link test: what arrived from one sensor in some seconds, and whether a session can be recorded with it. Pure.

In: the packets of one sensor and its last health. Out: a LinkCheck with figures and a verdict in words that a therapist
understands. Jitter is the deviation of the receive times from a steady clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.limits import LOSS_BEFORE, LOW_BATTERY_PERCENT, SENSOR_SILENT_S, WEAK_DBM
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Sensor
from rehabcount.domain.update import SensorHealth
from rehabcount.sensors.families import samples_in

# From here on a link is usable, and good. One lost sample is bridged; a hole of a second loses a movement.
LOSS = (LOSS_BEFORE, 0.01)
LONGEST_HOLE_S = (SENSOR_SILENT_S, 0.25)
FEWEST_PACKETS = 10


class LinkVerdict(StrEnum):
    GOOD = "good"
    USABLE = "usable"
    POOR = "poor"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class LinkCheck:
    sensor: str
    verdict: LinkVerdict
    rate_hz: float
    loss: float  # share of the samples that should have come while it was connected
    longest_hole_s: float
    jitter_ms: float | None  # middle 90 % of the receive times around a steady clock
    reconnections: int
    duplicates: int
    malformed: int
    battery_percent: int | None
    signal_dbm: int | None
    advice: Message | None


def check_link(sensor: Sensor, packets: Sequence[Packet], length_s: float, health: SensorHealth) -> LinkCheck:
    """The LinkCheck of `length_s` seconds of this sensor's packets."""
    received_s = np.array([packet.received_ns for packet in packets]) / 1e9
    samples = sum(samples_in(sensor.layout, packet.payload) for packet in packets)
    if len(packets) < FEWEST_PACKETS:
        return _judged(sensor, LinkVerdict.SILENT, 0.0, 1.0, length_s, None, health)
    span_s = max(float(received_s[-1] - received_s[0]), length_s / 2)
    rate_hz = samples / (span_s * len(packets) / (len(packets) - 1))
    loss = max(0.0, 1.0 - rate_hz / sensor.rate_hz)
    hole_s = float(np.max(np.diff(received_s)))
    verdict = LinkVerdict.POOR
    if loss <= LOSS[0] and hole_s <= LONGEST_HOLE_S[0] and health.reconnections <= 1:
        verdict = LinkVerdict.USABLE
        if loss <= LOSS[1] and hole_s <= LONGEST_HOLE_S[1] and not health.reconnections:
            verdict = LinkVerdict.GOOD
    return _judged(sensor, verdict, rate_hz, loss, hole_s, _jitter_ms(received_s), health)


def _jitter_ms(received_s: Floats) -> float:
    index = np.arange(len(received_s))
    slope, offset = np.polyfit(index, received_s - received_s[0], 1)
    low, high = np.percentile(received_s - received_s[0] - (slope * index + offset), (5, 95))
    return float(high - low) * 1000


def _judged(
    sensor: Sensor,
    verdict: LinkVerdict,
    rate_hz: float,
    loss: float,
    hole_s: float,
    jitter_ms: float | None,
    health: SensorHealth,
) -> LinkCheck:
    return LinkCheck(
        sensor=sensor.name,
        verdict=verdict,
        rate_hz=round(rate_hz, 1),
        loss=round(loss, 4),
        longest_hole_s=round(hole_s, 3),
        jitter_ms=None if jitter_ms is None else round(jitter_ms, 1),
        reconnections=health.reconnections,
        duplicates=health.duplicates,
        malformed=health.malformed,
        battery_percent=health.battery_percent,
        signal_dbm=health.signal_dbm,
        advice=_advice(verdict, health),
    )


def _advice(verdict: LinkVerdict, health: SensorHealth) -> Message | None:
    if verdict is LinkVerdict.SILENT:
        return Message.free(health.trouble) if health.trouble else Message.of(Code.LINK_SILENT)
    if health.battery_percent is not None and health.battery_percent <= LOW_BATTERY_PERCENT:
        return Message.of(Code.LINK_CHARGE, n=health.battery_percent)
    if verdict is LinkVerdict.GOOD:
        return None
    if health.signal_dbm is not None and health.signal_dbm < WEAK_DBM:
        return Message.of(Code.LINK_WEAK)
    return Message.of(Code.LINK_CROWDED)

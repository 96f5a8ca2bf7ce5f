"""Faults between sensors and engine: functions from the items that were sent to those that arrived.

    happen(items, recording, rng) -> items

Packets hold one sample, as those of real sensors do (`singles`); `metered` adds the radio's figures of its links.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rehabcount.domain.motion import Packet, Samples, Silence
from rehabcount.domain.rig import BodyPart, Rig
from rehabcount.domain.update import LinkState, Recorded, Said, SensorHealth
from rehabcount.sensors.encode import encode
from rehabcount.sensors.layouts import GENERIC_HEAD, GENERIC_SAMPLE_BYTES
from rehabcount.sensors.packets import decode_all
from rehabcount.sensors.radio.meter import Meter
from rehabcount.sensors.simulated import items_of
from rehabcount.simulate.recording import Recording

Rng = np.random.Generator
Happen = Callable[[list[Recorded], Recording, Rng], list[Recorded]]
HAND, TRUNK = (BodyPart.HAND,), (BodyPart.THORAX,)
ARM = (BodyPart.HAND, BodyPart.FOREARM, BodyPart.UPPER_ARM)
AWAY_FROM = 0.4  # from which share of the session on a sensor is away
SILENCE_S = 1.0  # after this a radio says that a sensor is silent
METERED_NS = 1_000_000_000  # how often a radio reports its links
WRAP_US = 2**32


def _packets(change: Callable[[Packet], list[Recorded]]) -> Callable[[list[Recorded]], list[Recorded]]:
    def changed(items: list[Recorded]) -> list[Recorded]:
        out = [new for item in items for new in (change(item) if isinstance(item, Packet) else [item])]
        return sorted(out, key=lambda item: item.received_ns)

    return changed


def lost(share: float) -> Happen:
    return lambda items, recording, rng: _packets(lambda packet: [] if rng.random() < share else [packet])(items)


def singles(items: list[Recorded]) -> list[Recorded]:
    """Packets of one sample each, in order, each as much earlier than its packet as it was measured."""
    newest: dict[str, int] = {}

    def split(packet: Packet) -> list[Recorded]:
        version, n, tick, step = GENERIC_HEAD.unpack_from(packet.payload)
        out: list[Recorded] = []
        for i in range(n):
            at = GENERIC_HEAD.size + i * GENERIC_SAMPLE_BYTES
            payload = GENERIC_HEAD.pack(version, 1, (tick + i * step) % WRAP_US, 0)
            payload += packet.payload[at : at + GENERIC_SAMPLE_BYTES]
            received_ns = max(newest.get(packet.sensor, 0), packet.received_ns - (n - 1 - i) * step * 1000)
            newest[packet.sensor] = received_ns
            out.append(Packet(packet.sensor, payload, received_ns))
        return out

    return _packets(split)(items)


def lost_in_sixes(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    return lost(0.05)(items_of(recording), recording, rng)


def not_numbers(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    """One sample in a hundred is NaN; the packets must have a layout that can hold NaN."""
    out: list[Recorded] = [item for item in items if not isinstance(item, Packet)]
    for name, block in decode_all(items, recording.rig).items():
        assert block.acc is not None
        acc = block.acc.copy()
        acc[rng.random(len(block)) < 0.01] = np.nan
        out += encode(Samples(name, block.received_ns, block.tick, acc, block.gyr), "sample")
    return sorted(out, key=lambda item: item.received_ns)


def jittered(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    def late(packet: Packet) -> list[Recorded]:
        return [replace(packet, received_ns=packet.received_ns + int(rng.uniform(0, 50e6)))]

    return _packets(late)(items)


def reordered(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    """Of four packets of a sensor the second is overtaken by the third: it comes right after it, and none early."""
    out = list(items)
    by_sensor: dict[str, list[int]] = {}
    for i, item in enumerate(items):
        if isinstance(item, Packet):
            by_sensor.setdefault(item.sensor, []).append(i)
    for places in by_sensor.values():
        for slow, fast in zip(places[1::4], places[2::4], strict=False):
            packet = items[slow]
            assert isinstance(packet, Packet)
            out[slow] = replace(packet, received_ns=items[fast].received_ns + 1)
    return sorted(out, key=lambda item: item.received_ns)


def doubled(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    return _packets(lambda packet: [packet, packet] if rng.random() < 0.2 else [packet])(items)


def away(where: tuple[BodyPart, ...], seconds: float) -> Happen:
    """The sensors there, of the trained arm or the trunk, fall silent; the radio notices after a second."""

    def happen(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
        places = [(sensor.name, sensor.place) for sensor in recording.rig.sensors if sensor.place is not None]
        gone = {n for n, place in places if place.part in where and place.side in (None, recording.side)}
        start_ns = items[0].received_ns + round(AWAY_FROM * recording.length_s * 1e9)
        end_ns = start_ns + round(min(seconds, 1e6) * 1e9)
        out = _packets(
            lambda packet: [] if packet.sensor in gone and start_ns <= packet.received_ns < end_ns else [packet]
        )(items)
        silences = [Silence(name, start_ns, start_ns + round(SILENCE_S * 1e9)) for name in sorted(gone)]
        return sorted([*out, *silences], key=lambda item: item.received_ns)

    return happen


def reticked(change: Callable[[int], int]) -> Happen:
    """The clocks of the devices differ."""

    def happen(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
        def ticked(packet: Packet) -> list[Recorded]:
            version, n, tick, step = GENERIC_HEAD.unpack_from(packet.payload)
            head = GENERIC_HEAD.pack(version, n, change(tick) % WRAP_US, step)
            return [replace(packet, payload=head + packet.payload[GENERIC_HEAD.size :])]

        return _packets(ticked)(items)

    return happen


def broken(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    """One packet in fifty is cut short."""

    def cut(packet: Packet) -> list[Recorded]:
        return [replace(packet, payload=packet.payload[:-3])] if rng.random() < 0.02 else [packet]

    return _packets(cut)(items)


def saturated(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    """One sample in a hundred lies at the end of the range."""

    def clipped(packet: Packet) -> list[Recorded]:
        if rng.random() >= 0.01:
            return [packet]
        at = GENERIC_HEAD.size + GENERIC_SAMPLE_BYTES - 2  # the last axis of the first sample's gyroscope
        return [replace(packet, payload=packet.payload[:at] + b"\xff\x7f" + packet.payload[at + 2 :])]

    return _packets(clipped)(items)


def turning(items: list[Recorded], recording: Recording, rng: Rng) -> list[Recorded]:
    """Every gyroscope has half a degree a second more about each axis: without a rest to find it, headings run away."""
    step = round(0.5 / 2000 * 32767)  # of the gyroscope's 16 bits over 2000 degrees a second

    def biased(packet: Packet) -> list[Recorded]:
        head, body = packet.payload[: GENERIC_HEAD.size], packet.payload[GENERIC_HEAD.size :]
        table = np.frombuffer(body, "<i2").reshape(-1, 6).astype(np.int32)
        table[:, 3:] += step
        return [replace(packet, payload=head + np.clip(table, -32768, 32767).astype("<i2").tobytes())]

    return _packets(biased)(items)


def metered(items: list[Recorded], rig: Rig) -> list[Recorded]:
    """The items, and every second the radio's report of each link: the share of the expected samples that came."""
    begun_ns = due_ns = items[0].received_ns
    meters = {sensor.name: Meter(sensor.rate_hz, begun_ns) for sensor in rig.sensors}
    out: list[Recorded] = []
    for item in items:
        while item.received_ns >= due_ns + METERED_NS:
            due_ns += METERED_NS
            for name, meter in meters.items():
                rate_hz, loss = meter.rate_hz(due_ns), meter.loss(due_ns)
                out.append(Said(SensorHealth(name, LinkState.STREAMING, 0.0, rate_hz or 0.0, loss), due_ns))
        if isinstance(item, Packet):
            meters[item.sensor].add(item.received_ns, GENERIC_HEAD.unpack_from(item.payload)[1])
        out.append(item)
    return out

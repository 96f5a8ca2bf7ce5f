"""Bytes to samples: `decode(packets, rig)`, pure; `decode_all` for whole recordings.

In: Packet and Silence, as a source yields them; entries of the therapist are skipped. Out: Samples (one block a packet,
or none) and the Silences, in order. Units and axes are those of `domain.motion`: specific force m/s2, angular rate
rad/s, quaternions sensor to earth. A quantity that the sensor's layout does not carry is None; nothing is integrated or
filtered here.

    free acceleration   with an orientation becomes specific force, R^T (free + g); alone it is not used
    delta quantities    are divided by the nominal sampling interval of the rig
    ticks               stay as the device counts them, wrapped (`Layout.tick_bits`, `tick_hz`); wit-28 counts ms since
                        the year 2000 in its own calendar, `sample` us
    received_ns         of every sample is its packet's; in `sample`, earlier ones lie as far before it as their ticks

Bytes that cannot be decoded are dropped and counted through `on_discarded(Discarded)`: the first of a kind at once, the
rest every second of packet time and at the end. No content of a packet raises an exception here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from rehabcount.domain.arrays import Bools, Floats, Ints
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import Packet, Samples, Silence
from rehabcount.domain.rig import Rig, Sensor
from rehabcount.domain.update import Discarded, Recorded, Said
from rehabcount.errors import PacketMalformed
from rehabcount.sensors import dot, layouts, witmotion
from rehabcount.sensors.layouts import Layout, layout_of

OnDiscarded = Callable[[Discarded], None]
OnDiscard = Callable[[Message, int], None]
Take = Callable[[Packet, OnDiscard], Samples | None]

REPORT_EVERY_NS = 1_000_000_000  # so that a noisy link does not fill the screen with messages
LONGEST_PACKET_US = 3_600_000_000  # ticks of one packet span less than an hour, or they are noise


def decode(
    packets: Iterable[Recorded], rig: Rig, on_discarded: OnDiscarded | None = None
) -> Iterator[Samples | Silence]:
    """The samples of each packet, by the layout that the rig names for its sensor."""
    sensors = {sensor.name: (sensor, layout_of(sensor.layout)) for sensor in rig.sensors}
    return _decode(packets, sensors, on_discarded or (lambda _: None))


def decode_all(packets: Iterable[Recorded], rig: Rig, on_discarded: OnDiscarded | None = None) -> dict[str, Samples]:
    """All samples of each sensor that sent any, in one block; a quantity missing now and then is NaN there."""
    blocks: dict[str, list[Samples]] = {}
    for item in decode(packets, rig, on_discarded):
        if isinstance(item, Samples):
            blocks.setdefault(item.sensor, []).append(item)
    return {name: concatenate(blocks[name]) for name in rig.names if name in blocks}


def concatenate(blocks: list[Samples]) -> Samples:
    """Blocks of one sensor, one after the other."""

    def joined(name: str, width: int) -> Floats | None:
        values = [getattr(block, name) for block in blocks]
        if all(value is None for value in values):
            return None
        lost = (np.full((len(block), width), np.nan) for block in blocks)
        return np.concatenate([nan if value is None else value for value, nan in zip(values, lost, strict=True)])

    ticks = [block.tick for block in blocks if block.tick is not None]
    return Samples(
        blocks[0].sensor,
        np.concatenate([block.received_ns for block in blocks]),
        np.concatenate(ticks) if len(ticks) == len(blocks) else None,
        joined("acc", 3),
        joined("gyr", 3),
        joined("quat", 4),
    )


class _Tally:
    """Counts discarded bytes and reports them at intervals, not at every packet."""

    def __init__(self, on_discarded: OnDiscarded) -> None:
        self._on_discarded = on_discarded
        self._start_ns: int | None = None
        self._now_ns = 0
        self._waiting: dict[
            tuple[str, Message], tuple[int, int]
        ] = {}  # (sensor, reason) -> number, time of last report

    def tell_time(self, now_ns: int) -> None:
        if self._start_ns is None:
            self._start_ns = now_ns
        self._now_ns = now_ns

    def add(self, sensor: str, reason: Message, number: int) -> None:
        waiting, last_ns = self._waiting.get((sensor, reason), (0, self._now_ns - REPORT_EVERY_NS))
        if self._now_ns - last_ns >= REPORT_EVERY_NS:
            self._say(sensor, reason, waiting + number)
            self._waiting[sensor, reason] = (0, self._now_ns)
        else:
            self._waiting[sensor, reason] = (waiting + number, last_ns)

    def end(self) -> None:
        for (sensor, reason), (number, _) in self._waiting.items():
            if number:
                self._say(sensor, reason, number)

    def _say(self, sensor: str, reason: Message, number: int) -> None:
        self._on_discarded(Discarded(sensor, reason, number, (self._now_ns - (self._start_ns or 0)) / 1e9))


def _decode(
    packets: Iterable[Recorded], sensors: dict[str, tuple[Sensor, Layout]], on_discarded: OnDiscarded
) -> Iterator[Samples | Silence]:
    tally = _Tally(on_discarded)
    cutters = {
        name: witmotion.FrameCutter(layout.size)
        for name, (_, layout) in sensors.items()
        if layout.name.startswith("wit-")
    }
    last_ns: dict[str, int] = {}  # of sensors with a cutter: receive time of the bytes that it holds back
    takes = {name: _take_of(sensor, layout, cutters.get(name), last_ns) for name, (sensor, layout) in sensors.items()}
    discards = {name: _discard_of(name, tally) for name in sensors}
    for item in packets:
        if isinstance(item, Said):
            continue
        tally.tell_time(item.received_ns)
        name = item.sensor
        if isinstance(item, Silence):
            # After a silence the link begins again: the rest of an incomplete frame will not come.
            if name in last_ns:
                yield from _flush(name, sensors[name][1], cutters[name], last_ns[name], discards[name])
            if name in sensors:
                yield item
            continue
        take = takes.get(name)
        if take is None:
            tally.add(name, Message.of(Code.NOT_IN_RIG), 1)
            continue
        try:
            samples = take(item, discards[name])
        except PacketMalformed as malformed:
            tally.add(name, malformed.messages[0], 1)
            continue
        if samples is not None:
            yield samples
    for name, received_ns in last_ns.items():
        yield from _flush(name, sensors[name][1], cutters[name], received_ns, discards[name])
    tally.end()


def _discard_of(name: str, tally: _Tally) -> OnDiscard:
    return lambda reason, number: tally.add(name, reason, number)


def _flush(
    name: str, layout: Layout, cutter: witmotion.FrameCutter, received_ns: int, on_discard: OnDiscard
) -> Iterator[Samples]:
    frames = cutter.end(on_discard)
    if frames:
        yield _wit_samples(name, layout, frames, received_ns)


def _take_of(sensor: Sensor, layout: Layout, cutter: witmotion.FrameCutter | None, last_ns: dict[str, int]) -> Take:
    if cutter is not None:
        return _wit_take(layout, cutter, last_ns)
    if layout.name == "generic":
        return _take_generic
    if layout.name == "sample":
        return _take_sample
    return _dot_take(dot.reader(layout, sensor.rate_hz))


def _dot_take(read: dot.Reader) -> Take:
    def take(packet: Packet, on_discard: OnDiscard) -> Samples | None:
        tick, acc, gyr, quat = read(packet.payload)
        return Samples(packet.sensor, np.array((packet.received_ns,)), np.array((tick,)), acc, gyr, quat)

    return take


def _wit_take(layout: Layout, cutter: witmotion.FrameCutter, last_ns: dict[str, int]) -> Take:
    def take(packet: Packet, on_discard: OnDiscard) -> Samples | None:
        last_ns[packet.sensor] = packet.received_ns
        frames = cutter.feed(packet.payload, on_discard)
        return _wit_samples(packet.sensor, layout, frames, packet.received_ns) if frames else None

    return take


def _wit_samples(name: str, layout: Layout, frames: list[bytes], received_ns: int) -> Samples:
    acc, gyr, quat = witmotion.measurements(frames)
    tick = witmotion.dated_ticks(frames) if layout.tick_hz else None
    return Samples(name, np.full(len(frames), received_ns), tick, acc, gyr, quat)


def _take_generic(packet: Packet, on_discard: OnDiscard) -> Samples | None:
    payload = packet.payload
    if len(payload) < layouts.GENERIC_HEAD.size:
        raise PacketMalformed(layouts.CUT_SHORT)
    version, n, t0_us, dt_us = layouts.GENERIC_HEAD.unpack_from(payload)
    if version != layouts.GENERIC_VERSION:
        raise PacketMalformed(Message.of(Code.PACKET_VERSION))
    if n == 0 or len(payload) != layouts.GENERIC_HEAD.size + n * layouts.GENERIC_SAMPLE_BYTES:
        raise PacketMalformed(Message.of(Code.PACKET_LENGTH))
    if n > 1 and dt_us == 0:
        raise PacketMalformed(Message.of(Code.NO_TIME_BETWEEN))
    table = np.frombuffer(payload, "<i2", offset=layouts.GENERIC_HEAD.size).reshape(n, 6) / layouts.INT16_FULL_SCALE
    tick = (t0_us + dt_us * np.arange(n)) & 0xFFFFFFFF  # wraps within a packet, too
    acc, gyr = table[:, :3] * layouts.ACC_RANGE_MS2, table[:, 3:] * layouts.GYR_RANGE_RADS
    return Samples(packet.sensor, np.full(n, packet.received_ns), tick, acc, gyr)


def _take_sample(packet: Packet, on_discard: OnDiscard) -> Samples | None:
    payload, head = packet.payload, layouts.SAMPLE_HEAD
    if len(payload) < head.size:
        raise PacketMalformed(layouts.CUT_SHORT)
    version, flags, n = head.unpack_from(payload)
    if version != layouts.SAMPLE_VERSION:
        raise PacketMalformed(Message.of(Code.PACKET_VERSION))
    present = [(name, width) for name, (flag, width) in layouts.SAMPLE_FLAGS.items() if flags & flag]
    has_tick = bool(flags & layouts.TICK_FLAG)
    known = layouts.TICK_FLAG | sum(flag for flag, _ in layouts.SAMPLE_FLAGS.values())
    numbers = has_tick + sum(width for _, width in present)
    if flags & ~known or n == 0 or len(payload) != head.size + 8 * n * numbers:
        raise PacketMalformed(Message.of(Code.PACKET_LENGTH))
    at = head.size
    received, tick = np.full(n, packet.received_ns), None
    if has_tick:
        tick = np.frombuffer(payload, "<i8", n, at)
        at += 8 * n
        if int(tick[-1]) - int(tick[0]) > LONGEST_PACKET_US or bool((tick[1:] <= tick[:-1]).any()):
            raise PacketMalformed(Message.of(Code.CLOCK_BACKWARDS))
        received = received - (tick[-1] - tick) * 1000
    values: dict[str, Floats] = {}
    for name, width in present:
        values[name] = np.frombuffer(payload, "<f8", n * width, at).reshape(n, width)
        at += 8 * n * width
    return _sound(packet.sensor, received, tick, values, on_discard)


def _sound(
    sensor: str, received: Ints, tick: Ints | None, values: dict[str, Floats], on_discard: OnDiscard
) -> Samples | None:
    """Samples without the rows that hold what cannot be measured."""
    n = len(received)
    finite: Bools = np.ones(n, bool)
    for block in values.values():
        finite &= np.isfinite(block).all(axis=1)
    turned = finite.copy()
    if "quat" in values:
        with np.errstate(invalid="ignore", over="ignore"):
            turned &= np.abs((values["quat"] ** 2).sum(axis=1) - 1.0) <= layouts.UNIT_TOLERANCE
    if not finite.all():
        on_discard(layouts.NOT_A_NUMBER, int(n - finite.sum()))
    if turned.sum() < finite.sum():
        on_discard(layouts.NO_ROTATION, int(finite.sum() - turned.sum()))
    if not turned.any():
        return None
    if not turned.all():
        received, tick = received[turned], None if tick is None else tick[turned]
        values = {name: block[turned] for name, block in values.items()}
    return Samples(sensor, received, tick, values.get("acc"), values.get("gyr"), values.get("quat"))

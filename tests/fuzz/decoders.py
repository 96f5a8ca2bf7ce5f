"""Random and mutated buffers for every decoder: it may raise only PacketMalformed.

    python -m tests.fuzz.decoders --buffers 1000000

Half of the buffers are valid ones with bytes flipped, cut off, repeated or spliced; the rest is noise.
Accepted values must be finite. Prints a table of how many were accepted and refused.
"""

from __future__ import annotations

import argparse
import random
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from rehabcount.domain.motion import Packet, Samples, Silence
from rehabcount.domain.rig import Rig, Sensor
from rehabcount.errors import PacketMalformed
from rehabcount.sensors import dot_device, dot_messages, generic_device, witmotion_device
from rehabcount.sensors.encode import encode
from rehabcount.sensors.families import FAMILIES, read_notice, samples_in, stamp_of
from rehabcount.sensors.layouts import DOT_MODES, DOT_PIECES, LAYOUTS
from rehabcount.sensors.packets import decode

LONGEST_NOISE = 300
STREAM_PACKETS = 500  # a decoder of streams is begun anew after so many, so that each sees beginnings and ends


@dataclass
class Tally:
    accepted: int = 0
    refused: int = 0


def seeds_of(layout: str) -> list[bytes]:
    """Valid payloads of a layout to mutate."""
    if layout.startswith("dot-"):
        pieces = DOT_MODES[int(layout.removeprefix("dot-"))]
        values: list[float] = []
        for piece in pieces:
            shape = DOT_PIECES[piece]
            values += [0.5 if shape.endswith("f") else 1] * int(shape[:-1] or 1)
        return [struct.pack("<I" + "".join(DOT_PIECES[piece] for piece in pieces), 7, *values).ljust(63, b"\0")]
    n = 40
    tick = np.arange(n) * 10_000 + 10**9
    acc, gyr = np.full((n, 3), 5.0), np.full((n, 3), 0.5)
    quat = np.tile([0.5, 0.5, 0.5, 0.5], (n, 1))
    return [packet.payload for packet in encode(Samples("a", tick * 1000, tick, acc, gyr, quat), layout)]


def mutated(rng: random.Random, seeds: list[bytes]) -> bytes:
    kind = rng.random()
    if kind < 0.5 or not seeds:
        return rng.randbytes(rng.choice((0, 1, 2, 3, 5, 19, 20, 21, 28, 34, 36, 44, 63, rng.randrange(LONGEST_NOISE))))
    raw = bytearray(rng.choice(seeds))
    for _ in range(rng.randrange(1, 4)):
        if not raw:
            break
        at = rng.randrange(len(raw))
        match rng.randrange(5):
            case 0:
                raw[at] ^= 1 << rng.randrange(8)
            case 1:
                raw[at] = rng.choice((0, 0x55, 0x61, 0x71, 0x7F, 0x80, 0xFF))
            case 2:
                del raw[at:]
            case 3:
                raw[at:at] = raw[:at]
            case 4:
                raw += rng.choice(seeds)[at:]
    return bytes(raw)


def fuzz_layout(layout: str, buffers: int, rng: random.Random) -> Tally:
    """A measurement decoder: packets of noise in a row, now and then a silence."""
    tally, seeds = Tally(), seeds_of(layout)
    rig = Rig("fuzz", (Sensor("a", None, layout, 60.0),))

    def packets(number: int) -> Iterator[Packet | Silence]:
        for i in range(number):
            payload = mutated(rng, seeds)
            samples_in(layout, payload)
            stamp_of(layout, payload)
            yield Packet("a", payload, i * 10**7)
            if rng.random() < 0.01:
                yield Silence("a", i * 10**7, i * 10**7)

    left = buffers
    while left:
        number = min(left, STREAM_PACKETS)
        left -= number
        for item in decode(packets(number), rig, lambda said: None):
            if isinstance(item, Samples):
                tally.accepted += 1
                for values in (item.acc, item.gyr, item.quat):
                    assert values is None or bool(np.isfinite(values).all()), (layout, values)
    tally.refused = buffers - min(tally.accepted, buffers)
    return tally


NOTICES = [(family, each) for family in FAMILIES.values() for each in (*family.notices, family.stream)]
READERS: dict[str, tuple[Callable[[bytes], object], list[bytes]]] = {
    "dot info": (
        dot_device.read_info,
        [
            dot_device.write_info(
                dot_device.DeviceInfo("D4:22:CD:00:00:01", "2.0.0", "2023-01-02 03:04:05", 1, "AA", "XS-T02")
            )
        ],
    ),
    "dot control": (dot_device.read_device_control, [dot_device.set_rate(60), dot_device.BLINK]),
    "dot battery": (dot_device.read_battery, [b"\x32\x01"]),
    "dot report": (dot_device.read_report, [bytes([5, 4, 1, 2, 3, 4]).ljust(36, b"\0")]),
    "dot message": (dot_messages.read_message, [dot_messages.ASK_SYNC, dot_messages.start_sync("D4:22:CD:00:00:01")]),
    "dot sync answer": (dot_messages.read_sync_answer, [bytes.fromhex("02020300f9"), bytes.fromhex("02025104a7")]),
    "wit answer": (
        lambda raw: (answer := witmotion_device.read_answer(raw)) and (answer.battery_percent, answer.quaternion),
        [witmotion_device.write_answer(witmotion_device.Answer(0x64, (390,) + (0,) * 7))],
    ),
    "wit command": (witmotion_device.read_command, [witmotion_device.UNLOCK, witmotion_device.set_rate(100)]),
    "generic battery": (generic_device.read_battery, [b"\x32"]),
    "notice": (
        lambda raw: read_notice(*NOTICES[sum(raw) % len(NOTICES)], raw),
        [b"\x32\x01", witmotion_device.write_answer(witmotion_device.Answer(0x64, (390,) + (0,) * 7))],
    ),
}


def fuzz_reader(name: str, buffers: int, rng: random.Random) -> Tally:
    read, seeds = READERS[name]
    tally = Tally()
    for _ in range(buffers):
        try:
            read(mutated(rng, seeds))
            tally.accepted += 1
        except PacketMalformed:
            tally.refused += 1
    return tally


def fuzz_all(buffers: int, seed: int) -> dict[str, Tally]:
    """`buffers` in all, shared evenly between the decoders."""
    rng = random.Random(seed)
    names = [*LAYOUTS, *READERS]
    share, rest = divmod(buffers, len(names))
    return {
        name: (fuzz_layout if name in LAYOUTS else fuzz_reader)(name, share + (i < rest), rng)
        for i, name in enumerate(names)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--buffers", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    begun = time.perf_counter()
    results = fuzz_all(options.buffers, options.seed)
    for name, tally in results.items():
        print(f"{name:16} {tally.accepted:8} accepted {tally.refused:8} refused")
    took_s = time.perf_counter() - begun
    print(f"{options.buffers} buffers over {len(results)} decoders in {took_s:.1f} s: nothing unexpected was raised.")


if __name__ == "__main__":
    main()

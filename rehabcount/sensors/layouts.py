"""Byte layouts of measurement notifications, as data: what `Sensor.layout` may say.

All integers and floats are little-endian. A layout says what a sensor measures, how its clock counts (`tick_bits` wide,
`tick_hz` a second; None without a clock) and how many bytes a frame has; `packets.decode` reads by it.

    generic   our own published profile for self-built sensors: u8 version (1), u8 n, u32 t0 (us), u16 dt (us), then
              n samples of 6 int16, acceleration (16 g = 32768) and angular rate (2000 deg/s = 32768); n at least 1
    dot-M     Movella DOT, payload mode M: u32 time (us), then the mode's pieces; a notification is padded with zeros
    wit-20    WitMotion 55 61 frames: 9 int16 = acceleration (16 g), rate (2000 deg/s), roll, pitch, yaw (180 deg)
    wit-28    the same, then year - 2000, month, day, hour, minute, second (u8 each) and u16 milliseconds
    sample    ours, lossless, for imported recordings: u8 version (1), u8 flags of what is present (1 tick, 2 acc,
              4 gyr, 8 quat), u16 n, then n int64 ticks (us) and float64 values, one quantity after the other, in
              the units of `domain.motion`

WitMotion's vibration sensors send 55 61 frames of another meaning, so a layout is chosen by device model, never guessed
from the header.

Sources: Movella DOT BLE Service Specification XD0506P rev C; WitMotion BWT901BLE 5.0 and WT901SDCL-BT50 protocols.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import G_M_S2
from rehabcount.errors import ConfigError

UP: Floats = np.array([0.0, 0.0, G_M_S2])  # specific force at rest, in earth axes

INT16_FULL_SCALE = 32768
ACC_RANGE_MS2 = 16 * G_M_S2  # both int16 families: 16 g and 2000 deg/s
GYR_RANGE_RADS = float(np.radians(2000.0))

# A quaternion this far (in squared length) from unit length is noise: float32 and rounded files stay within 1e-3.
UNIT_TOLERANCE = 0.1
# Reasons for discarding, where several decoders share one.
CUT_SHORT, NOT_A_NUMBER, NO_ROTATION = map(Message.of, (Code.PACKET_CUT_SHORT, Code.NOT_A_NUMBER, Code.NO_ROTATION))

GENERIC_VERSION = 1
GENERIC_HEAD = struct.Struct("<BBIH")  # version, n, t0_us, dt_us
GENERIC_SAMPLE_BYTES = 12
SAMPLE_VERSION = 1
SAMPLE_HEAD = struct.Struct("<BBH")  # version, flags, n
TICK_FLAG = 1
SAMPLE_FLAGS = {"acc": (2, 3), "gyr": (4, 3), "quat": (8, 4)}  # flag and width of each quantity, in payload order


@dataclass(frozen=True, slots=True)
class Layout:
    """How one kind of sensor writes its measurements."""

    name: str
    measures: tuple[str, ...]  # of "acc", "gyr", "quat"; those that the decoder can give
    tick_bits: int | None
    tick_hz: float | None
    size: int  # bytes of a frame; of the head where a packet holds several samples
    pieces: tuple[str, ...] = ()  # of a DOT payload, in order, after the time


# What a DOT payload is made of: piece -> struct format.
DOT_PIECES = {
    "quat": "4f",  # w, x, y, z
    "euler": "3f",  # deg: roll, pitch, yaw
    "free": "3f",  # m/s2, earth axes, gravity removed
    "acc": "3f",  # m/s2
    "gyr": "3f",  # deg/s
    "dq": "4f",  # rotation since the last sample
    "dv": "3f",  # m/s: velocity gained since the last sample, gravity included
    "mag": "3h",
    "status": "H",
    "clips": "2B",
}
DOT_MODES = {
    2: ("quat", "free", "status", "clips"),
    3: ("quat", "free"),
    4: ("euler",),
    5: ("quat",),
    6: ("free",),
    7: ("euler", "free", "status", "clips"),
    16: ("euler", "free"),
    18: ("dq", "dv", "mag"),
    19: ("dq", "dv"),
    20: ("acc", "gyr", "mag"),
    21: ("acc", "gyr"),
    22: ("euler", "free", "gyr"),
    23: ("euler", "free", "mag"),
    24: ("quat", "gyr"),
    26: ("quat", "acc", "gyr"),
}
RECOMMENDED_DOT_MODE = 26
SDK_ONLY_DOT_MODES = (1, 17, 25)  # compressed; only the vendor's library can read them


def dot_struct(pieces: tuple[str, ...]) -> struct.Struct:
    """The bytes of a DOT payload made of these pieces, its time first."""
    return struct.Struct("<I" + "".join(DOT_PIECES[piece] for piece in pieces))


def _dot_layout(mode: int, pieces: tuple[str, ...]) -> Layout:
    has = set(pieces)
    quat = bool(has & {"quat", "euler"})
    # Free acceleration becomes specific force where the orientation is known; alone (mode 6) it is of no use to us.
    acc = bool(has & {"acc", "dv"}) or ("free" in has and quat)
    gyr = bool(has & {"gyr", "dq"})
    measures = tuple(name for name, given in (("acc", acc), ("gyr", gyr), ("quat", quat)) if given)
    return Layout(f"dot-{mode}", measures, 32, 1e6, dot_struct(pieces).size, pieces)


_ALL = ("acc", "gyr", "quat")
LAYOUTS: dict[str, Layout] = {
    layout.name: layout
    for layout in (
        Layout("generic", ("acc", "gyr"), 32, 1e6, GENERIC_HEAD.size),
        *(_dot_layout(mode, pieces) for mode, pieces in DOT_MODES.items()),
        Layout("wit-20", _ALL, None, None, 20),
        Layout("wit-28", _ALL, 64, 1e3, 28),  # a calendar: does not wrap
        Layout("sample", _ALL, 64, 1e6, SAMPLE_HEAD.size),
    )
}


def layout_of(name: str) -> Layout:
    """The layout called `name`. A DOT mode that only the vendor's library can read is refused by its own message."""
    if name in LAYOUTS:
        return LAYOUTS[name]
    if name in {f"dot-{mode}" for mode in SDK_ONLY_DOT_MODES}:
        raise ConfigError(
            f"Movella DOT payload mode {name.removeprefix('dot-')} can be read by the vendor's SDK only.",
            advice=f"Set the sensor to payload mode {RECOMMENDED_DOT_MODE} (layout dot-{RECOMMENDED_DOT_MODE}).",
        )
    raise ConfigError(f"There is no sensor layout {name!r}.", advice=f"Choose one of {', '.join(LAYOUTS)}.")

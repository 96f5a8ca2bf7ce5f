"""One Movella DOT payload -> tick, specific force, angular rate, orientation; by the pieces that its mode is made of.

Numbers are unpacked by `struct` and reach numpy once, all together: this runs for every sample of every sensor.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, radians

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.errors import PacketMalformed
from rehabcount.sensors import layouts
from rehabcount.sensors.angles import quat_from_angles
from rehabcount.sensors.layouts import Layout
from rehabcount.signals.rotation import logarithm, unrotate

RAD_PER_DEG = radians(1.0)

Reckoned = tuple[Floats | None, Floats | None, Floats | None]  # acc (1, 3), gyr (1, 3), quat (1, 4)
Reader = Callable[[bytes], tuple[int, Floats | None, Floats | None, Floats | None]]


def reader(layout: Layout, rate_hz: float) -> Reader:
    """The function that reads payloads of this layout; what it cannot read is a PacketMalformed."""
    at = _places(layout.pieces)
    floats = max(where.stop for piece, where in at.items() if layouts.DOT_PIECES[piece].endswith("f"))
    unpack, size, reckon = layouts.dot_struct(layout.pieces).unpack_from, layout.size, _reckoning(at, rate_hz)

    def read(payload: bytes) -> tuple[int, Floats | None, Floats | None, Floats | None]:
        if len(payload) < size:  # longer is right: notifications are padded
            raise PacketMalformed("packet cut short")
        tick, *values = unpack(payload)
        del values[floats:]  # magnetometer, status and clip counts, where there are any, come last
        # float32 values cannot overflow a float64 sum: it is finite exactly if all of them are.
        if not isfinite(sum(values)):
            raise PacketMalformed(layouts.NOT_A_NUMBER)
        return (tick, *reckon(values))

    return read


def _places(pieces: tuple[str, ...]) -> dict[str, slice]:
    """Where each piece lies among the unpacked values behind the time."""
    at, offset = {}, 0
    for piece in pieces:
        repeat = layouts.DOT_PIECES[piece][:-1]
        at[piece] = slice(offset, offset + int(repeat or 1))
        offset = at[piece].stop
    return at


def _reckoning(at: dict[str, slice], rate_hz: float) -> Callable[[list[float]], Reckoned]:
    """From the unpacked numbers of one payload to what was measured."""

    def check_rotation(values: list[float], piece: str) -> None:
        w, x, y, z = values[at[piece]]
        if abs(w * w + x * x + y * y + z * z - 1.0) > layouts.UNIT_TOLERANCE:
            raise PacketMalformed(layouts.NO_ORIENTATION)

    def orientation(table: Floats) -> Floats | None:
        if "quat" in at:
            return table[:, at["quat"]]
        return quat_from_angles(table[:, at["euler"]] * RAD_PER_DEG) if "euler" in at else None

    def specific_force(table: Floats, quat: Floats | None) -> Floats | None:
        if "acc" in at:
            return table[:, at["acc"]]
        if "dv" in at:
            return table[:, at["dv"]] * rate_hz
        return unrotate(quat, table[:, at["free"]] + layouts.UP) if "free" in at and quat is not None else None

    def angular_rate(table: Floats) -> Floats | None:
        if "gyr" in at:
            return table[:, at["gyr"]] * RAD_PER_DEG
        return logarithm(table[:, at["dq"]]) * rate_hz if "dq" in at else None

    rotations = [piece for piece in ("quat", "dq") if piece in at]

    def reckon(values: list[float]) -> Reckoned:
        for piece in rotations:
            check_rotation(values, piece)
        table = np.array((values,))  # (1, numbers)
        quat = orientation(table)
        return specific_force(table, quat), angular_rate(table), quat

    return reckon

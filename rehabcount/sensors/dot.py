"""One Movella DOT payload -> tick, specific force, angular rate, orientation; by the pieces of its mode.

Numbers are unpacked by `struct` and passed to numpy together, for speed: this runs for every sample of every sensor.
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
            raise PacketMalformed(layouts.CUT_SHORT)
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
    """The conversion from the unpacked numbers of one payload to measurements; it is chosen once, not per packet."""
    rotations = [at[piece] for piece in ("quat", "dq") if piece in at]
    orientation = _orientation(at)
    specific_force = _specific_force(at, rate_hz)
    angular_rate = _angular_rate(at, rate_hz)

    def reckon(values: list[float]) -> Reckoned:
        for where in rotations:
            w, x, y, z = values[where]
            if abs(w * w + x * x + y * y + z * z - 1.0) > layouts.UNIT_TOLERANCE:
                raise PacketMalformed(layouts.NO_ROTATION)
        table = np.array((values,))  # (1, numbers)
        quat = orientation(table)
        return specific_force(table, quat), angular_rate(table), quat

    return reckon


def _orientation(at: dict[str, slice]) -> Callable[[Floats], Floats | None]:
    if "quat" in at:
        quat = at["quat"]
        return lambda table: table[:, quat]
    if "euler" in at:
        euler = at["euler"]
        return lambda table: quat_from_angles(table[:, euler] * RAD_PER_DEG)
    return lambda _: None


def _specific_force(at: dict[str, slice], rate_hz: float) -> Callable[[Floats, Floats | None], Floats | None]:
    if "acc" in at:
        acc = at["acc"]
        return lambda table, _: table[:, acc]
    if "dv" in at:
        dv = at["dv"]
        return lambda table, _: table[:, dv] * rate_hz
    if "free" in at:
        free = at["free"]
        return lambda table, quat: None if quat is None else unrotate(quat, table[:, free] + layouts.UP)
    return lambda table, _: None


def _angular_rate(at: dict[str, slice], rate_hz: float) -> Callable[[Floats], Floats | None]:
    if "gyr" in at:
        gyr = at["gyr"]
        return lambda table: table[:, gyr] * RAD_PER_DEG
    if "dq" in at:
        dq = at["dq"]
        return lambda table: logarithm(table[:, dq]) * rate_hz
    return lambda _: None

"""Messages to and from a WitMotion sensor other than measurements: registers, commands, battery. Pure.

A command is five bytes, `FF AA REGISTER LOW HIGH`. Settings count after `UNLOCK` (valid for 10 s) and survive a switch
off after `SAVE`. A read request is answered in the stream of measurements by `55 71 REGISTER 0` and eight int16: the
register and its seven successors.

Sources: WitMotion BWT901BLE 5.0 and WT901SDCL-BT50 protocols. They contradict each other on the code for 200 Hz, which
is therefore not offered. The rate that was set is always measured afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rehabcount.errors import PacketMalformed
from rehabcount.sensors.layouts import INT16_FULL_SCALE
from rehabcount.sensors.witmotion import ANSWER, ANSWER_BYTES

# The vendor's numbers end in 9a34fb; those of the Bluetooth SIG in 9b34fb.
SERVICE = "0000ffe5-0000-1000-8000-00805f9a34fb"
NOTIFY = "0000ffe4-0000-1000-8000-00805f9a34fb"
WRITE = "0000ffe9-0000-1000-8000-00805f9a34fb"
# Models that speak classic Bluetooth as well offer the same stream under these.
DUAL_NOTIFY = "49535343-1e4d-4bd9-ba61-23c647249616"
DUAL_WRITE = "49535343-8841-43f4-a8d4-ecbe34729bb3"

SAVE_REGISTER, RATE_REGISTER, READ_REGISTER, UNLOCK_REGISTER = 0x00, 0x03, 0x27, 0x69
MAGNETOMETER, TEMPERATURE, QUATERNION, BATTERY = 0x3A, 0x40, 0x51, 0x64
RATE_CODES = {1: 0x03, 2: 0x04, 5: 0x05, 10: 0x06, 20: 0x07, 50: 0x08, 100: 0x09}

# Register value (hundredths of a volt) from which the share of charge holds; the vendor's own knots.
BATTERY_KNOTS = (
    (397, 100),
    (393, 90),
    (387, 75),
    (382, 60),
    (379, 50),
    (377, 40),
    (373, 30),
    (370, 20),
    (368, 15),
    (350, 10),
    (340, 5),
)
TWO_CELLS_FROM = 550  # no single cell has 5.5 V
TWO_CELLS_EMPTY, TWO_CELLS_FULL = 650, 880
HIGHEST_VALUE = 1000  # 10 V: beyond what any model runs on


def command(register: int, value: int) -> bytes:
    return bytes((0xFF, 0xAA, register)) + value.to_bytes(2, "little")


UNLOCK = command(UNLOCK_REGISTER, 0xB588)
SAVE = command(SAVE_REGISTER, 0)


def set_rate(rate_hz: int) -> bytes:
    if rate_hz not in RATE_CODES:
        raise ValueError(f"rate_hz must be one of {', '.join(map(str, RATE_CODES))}, not {rate_hz}")
    return command(RATE_REGISTER, RATE_CODES[rate_hz])


def ask(register: int) -> bytes:
    """Request for a register and its seven successors."""
    return command(READ_REGISTER, register)


@dataclass(frozen=True, slots=True)
class Command:
    register: int
    value: int


def read_command(data: bytes) -> Command:
    """The decoded command; for virtual sensors."""
    if len(data) != 5 or data[:2] != b"\xff\xaa":
        raise PacketMalformed("no command")
    return Command(data[2], int.from_bytes(data[3:], "little"))


@dataclass(frozen=True, slots=True)
class Answer:
    """Values of `register` and its successors."""

    register: int
    values: tuple[int, ...]  # eight

    @property
    def quaternion(self) -> tuple[float, ...] | None:
        """(w, x, y, z), where the answer begins with that register."""
        if self.register != QUATERNION:
            return None
        return tuple(value / INT16_FULL_SCALE for value in self.values[:4])

    @property
    def battery_percent(self) -> int | None:
        return battery_percent(self.values[0]) if self.register == BATTERY else None


def read_answer(frame: bytes) -> Answer:
    if len(frame) < ANSWER_BYTES or not frame.startswith(ANSWER):
        raise PacketMalformed("no answer to a register request")
    values = np.frombuffer(frame, "<i2", 8, 4)
    return Answer(int.from_bytes(frame[2:4], "little"), tuple(int(value) for value in values))


def write_answer(answer: Answer) -> bytes:
    """The inverse of `read_answer`, for virtual sensors."""
    return ANSWER + answer.register.to_bytes(2, "little") + np.array(answer.values, "<i2").tobytes()


def battery_percent(value: int) -> int:
    """Charge from the battery register. One cell by the vendor's knots, two by a straight line between its limits."""
    if not 0 <= value <= HIGHEST_VALUE:
        raise PacketMalformed("battery level that is none")
    if value > TWO_CELLS_FROM:
        share = (value - TWO_CELLS_EMPTY) / (TWO_CELLS_FULL - TWO_CELLS_EMPTY)
        return round(100 * min(max(share, 0.0), 1.0))
    return next((percent for knot, percent in BATTERY_KNOTS if value >= knot), 0)

"""Virtual sensors: a motion becomes the very bytes that a DOT, a WitMotion or a self-built sensor would send.

A `VirtualSensor` replaces a sensor on the other side of the radio: it advertises, is connected to, read, written and
asked for its due notifications (`due`). It has no clock and no loop of its own, so that the in-process backend
(`radio/inprocess.py`) and a fake Bluetooth service can both use it. Faults happen at given times, or from now on
(`add_fault`).

    motion   seconds since it was switched on -> Reading (acc m/s2, gyr rad/s, quat)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import Samples
from rehabcount.errors import PacketMalformed
from rehabcount.sensors import dot_device, dot_messages, generic_device, witmotion_device
from rehabcount.sensors.encode import encode
from rehabcount.sensors.families import DOT, GENERIC, Family
from rehabcount.sensors.layouts import RECOMMENDED_DOT_MODE, layout_of
from rehabcount.sensors.virtual_faults import Fault, FaultKind, Faults
from rehabcount.sensors.virtual_profiles import NAMES, PROFILES

AHEAD_S = 1.0  # of bytes made at a time: numpy charges by the call
WRAP_US = 1 << 32
BATTERY, LOW_BATTERY = 80, 5  # percent
SIGNAL_DBM = -55


@dataclass(frozen=True, slots=True)
class IdealReading:
    """What an ideal sensor measures at the asked times."""

    acc: Floats  # (n, 3)
    gyr: Floats  # (n, 3)
    quat: Floats  # (n, 4)


class PlaceMotion(Protocol):
    """The motion of a place on the body."""

    def __call__(self, time_s: Floats) -> IdealReading: ...


class ConnectRefused(Exception):
    """The sensor does not take the connection."""


class VirtualSensor:
    """One virtual sensor. All times are the host's monotonic nanoseconds, and are given."""

    def __init__(
        self,
        address: str,
        family: Family,
        motion: PlaceMotion,
        begun_ns: int,
        *,
        faults: Iterable[Fault] = (),
        sync_s: float = 10.0,
    ) -> None:
        self.address = address
        self.family = family
        self.name = NAMES[family.name]
        self.characteristics = PROFILES[family.name]
        self.signal_dbm = SIGNAL_DBM
        self.connected = False
        self.blinks = 0
        self.sent = 0  # notifications of the stream, before any fault
        self.rate_hz = 10.0 if family.ask_battery else float(family.rate_hz)  # a WitMotion comes set to 10 Hz
        self.writes: list[tuple[str, bytes]] = []
        self._motion = motion
        self._begun_ns = begun_ns
        self._faults = Faults(faults, address)
        self._sync_s = sync_s
        self._sync_begun_s: float | None = None
        self._notifying: set[str] = set()
        self._measuring = False
        self._next = 0  # index of the first sample that was not yet made
        self._ahead: deque[tuple[int, bytes]] = deque()  # when it is due, what
        self._notices: deque[tuple[str, bytes]] = deque()
        self._battery_told = -1

    @property
    def services(self) -> tuple[str, ...]:
        """What it advertises: a DOT only its name and company."""
        return (generic_device.SERVICE,) if self.family is GENERIC else ()

    @property
    def companies(self) -> dict[int, bytes]:
        return {dot_device.COMPANY_ID: b"\0"} if self.family is DOT else {}

    def add_fault(self, kind: FaultKind, now_ns: int, length_s: float = float("inf"), share: float = 1.0) -> None:
        self._faults.add(Fault(kind, self._time_s(now_ns), length_s, share))

    def advertises(self, now_ns: int) -> bool:
        return not self.connected and not self._faults.hold(FaultKind.DEATH, self._time_s(now_ns))

    def connect(self, now_ns: int) -> None:
        if self._faults.hold(FaultKind.REFUSE, self._time_s(now_ns)) or self._faults.hold(
            FaultKind.DEATH, self._time_s(now_ns)
        ):
            raise ConnectRefused(self.address)
        self.connected = True

    def disconnect(self) -> None:
        self.connected = False
        self._notifying.clear()
        self._notices.clear()
        self._stop()

    def notify(self, uuid: str, on: bool, now_ns: int) -> None:
        if on:
            self._notifying.add(uuid)
        else:
            self._notifying.discard(uuid)
        if uuid == self.family.stream and self.family is not DOT:  # a DOT is started by command
            if on:
                self._start(now_ns)
            else:
                self._stop()

    def read(self, uuid: str, now_ns: int) -> bytes:
        if uuid == dot_device.BATTERY:
            return bytes((self._battery(now_ns), 0))
        if uuid == generic_device.BATTERY:
            return bytes((self._battery(now_ns),))
        if uuid == dot_device.DEVICE_INFO:
            return dot_device.write_info(
                dot_device.DeviceInfo(self.address, "3.0.0", "2023-07-01 12:00:00", 0, "D422CD0000000000", "XS-T02")
            )
        if uuid == dot_device.MESSAGE_ACKNOWLEDGE:
            done = self._synced(now_ns)
            result = dot_messages.SyncResult.DONE if done else dot_messages.SyncResult.NOT_STARTED
            return dot_messages.write_message(
                dot_messages.MessageKind.SYNC, bytes((dot_messages.SYNC_RESULT, result))
            ).ljust(160, b"\0")
        return b""

    def write(self, uuid: str, data: bytes, now_ns: int) -> None:
        self.writes.append((uuid, data))
        if handle := _WRITTEN.get(uuid):
            handle(self, data, now_ns)

    def due(self, now_ns: int) -> list[tuple[str, bytes]]:
        """What it notifies until now: characteristic and bytes, in the order in which they arrive."""
        if self.connected and self._faults.hold(FaultKind.DEATH, self._time_s(now_ns)):
            self.disconnect()
        if not self.connected:
            return []
        if self._faults.hold(FaultKind.STALL, self._time_s(now_ns)):
            self._skip(now_ns)
            return []
        self._tell_battery(now_ns)
        notices = [(uuid, data) for uuid, data in self._notices if uuid in self._notifying]
        self._notices.clear()
        return notices + [
            (self.family.stream, data) for data in self._faults.spoilt(self._stream_due(now_ns), self._time_s(now_ns))
        ]

    # -- measuring ---------------------------------------------------------------------------------------------------

    def _time_s(self, now_ns: int) -> float:
        return (now_ns - self._begun_ns) / 1e9

    def _start(self, now_ns: int) -> None:
        self._measuring = True
        self._skip(now_ns)

    def _stop(self) -> None:
        self._measuring = False
        self._ahead.clear()

    def _skip(self, now_ns: int) -> None:
        self._ahead.clear()
        self._next = int(self._time_s(now_ns) * self.rate_hz) + 1

    def _stream_due(self, now_ns: int) -> list[bytes]:
        if not self._measuring or self.family.stream not in self._notifying:
            return []
        found = []
        while True:
            while self._ahead and self._ahead[0][0] <= now_ns:
                found.append(self._ahead.popleft()[1])
            if self._ahead:
                break
            if self._begun_ns + self._next / self.rate_hz * 1e9 > now_ns:
                break
            self._make()
        self.sent += len(found)
        return found

    def _make(self) -> None:
        """The bytes of the next stretch."""
        count = max(1, round(AHEAD_S * self.rate_hz))
        time_s = (self._next + np.arange(count)) / self.rate_hz
        self._next += count
        reading = self._motion(time_s)
        received_ns = self._begun_ns + np.round(time_s * 1e9).astype(np.int64)
        layout = layout_of(self.family.layout)
        tick = None
        if layout.tick_hz:
            on_clock_s = time_s - self._faults.switched_on_s(float(time_s[0]))
            tick = np.round(on_clock_s * layout.tick_hz).astype(np.int64) + self._tick_offset()
        samples = Samples(self.address, received_ns, tick, reading.acc, reading.gyr, reading.quat)
        self._ahead.extend((packet.received_ns, packet.payload) for packet in encode(samples, layout.name))

    def _tick_offset(self) -> int:
        wraps_s = self._faults.wraps_s()
        return 0 if wraps_s is None else WRAP_US - round(wraps_s * 1e6)

    # -- battery, commands -------------------------------------------------------------------------------------------

    def _battery(self, now_ns: int) -> int:
        return LOW_BATTERY if self._faults.hold(FaultKind.LOW_BATTERY, self._time_s(now_ns)) else BATTERY

    def _tell_battery(self, now_ns: int) -> None:
        level = self._battery(now_ns)
        if self.family.battery in self._notifying and level != self._battery_told:
            self._battery_told = level
            self._notices.append((self.family.battery, self.read(self.family.battery, now_ns)))

    def press_button(self, now_ns: int) -> None:
        """A single click on a DOT."""
        milliseconds = round(self._time_s(now_ns) * 1000).to_bytes(4, "little")
        report = bytes((dot_device.ReportKind.SINGLE_CLICK, 4)) + milliseconds
        self._notices.append((dot_device.DEVICE_REPORT, report.ljust(36, b"\0")))

    def _synced(self, now_ns: int) -> bool:
        return self._sync_begun_s is not None and self._time_s(now_ns) - self._sync_begun_s >= self._sync_s

    def _dot_control(self, data: bytes, now_ns: int) -> None:
        if data == dot_device.start_measuring(RECOMMENDED_DOT_MODE):
            self._start(now_ns)
        elif data[:2] == b"\x01\x00":
            self._stop()

    def _dot_device_control(self, data: bytes, now_ns: int) -> None:
        control = dot_device.read_device_control(data)
        if dot_device.Visit.RATE in control.visit and not self._measuring:
            self.rate_hz = float(control.rate_hz)
        if dot_device.Visit.IDENTIFY in control.visit and control.identify:
            self.blinks += 1

    def _dot_message(self, data: bytes, now_ns: int) -> None:
        try:
            message = dot_messages.read_message(data)
        except PacketMalformed:
            return
        results = dot_messages.SyncResult
        if message.data[:1] == b"\x01":
            self._sync_begun_s = self._time_s(now_ns)
        elif data == dot_messages.STOP_SYNC:
            self._sync_begun_s = None
            self._answer_sync(dot_messages.SYNC_STOPPED, results.DONE)
        elif data == dot_messages.ASK_SYNC:
            self._answer_sync(dot_messages.SYNC_STATUS, results.SYNCED if self._synced(now_ns) else results.NOT_STARTED)

    def _answer_sync(self, about: int, result: dot_messages.SyncResult) -> None:
        answer = dot_messages.write_message(dot_messages.MessageKind.SYNC, bytes((about, result)))
        self._notices.append((dot_device.MESSAGE_NOTIFICATION, answer))

    def _wit_command(self, data: bytes, now_ns: int) -> None:
        command = witmotion_device.read_command(data)
        if command.register == witmotion_device.RATE_REGISTER:
            rates = {code: rate for rate, code in witmotion_device.RATE_CODES.items()}
            self.rate_hz = float(rates[command.value])
            self._skip(now_ns)
        elif command.register == witmotion_device.READ_REGISTER:
            value = 345 if self._faults.hold(FaultKind.LOW_BATTERY, self._time_s(now_ns)) else 387
            answer = witmotion_device.Answer(command.value, (value,) + (0,) * 7)
            self._notices.append((witmotion_device.NOTIFY, witmotion_device.write_answer(answer)))

    def _generic_control(self, data: bytes, now_ns: int) -> None:
        if data == generic_device.BLINK:
            self.blinks += 1
        elif data[:1] == bytes((generic_device.SET_RATE,)):
            self.rate_hz = float(int.from_bytes(data[1:3], "little"))
            self._skip(now_ns)


_WRITTEN: dict[str, Callable[[VirtualSensor, bytes, int], None]] = {
    dot_device.CONTROL: VirtualSensor._dot_control,
    dot_device.DEVICE_CONTROL: VirtualSensor._dot_device_control,
    dot_device.MESSAGE_CONTROL: VirtualSensor._dot_message,
    witmotion_device.WRITE: VirtualSensor._wit_command,
    generic_device.CONTROL: VirtualSensor._generic_control,
}

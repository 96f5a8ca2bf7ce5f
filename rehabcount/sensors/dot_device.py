"""Messages to and from a Movella DOT other than measurements: bytes to frozen values and back, pure.

    device info      0x1001   address, firmware, serial number, product
    device control   0x1002   blink, power, tag, output rate, filter
    device report    0x1004   button, power
    control          0x2001   start and stop of a measurement
    heading          0x2006   reset of the heading, and whether it worked (0x2007)
    battery          0x3001   level and charging
    messages         0x7001-3 synchronisation (and recording on board), with a checksum

All integers are little-endian. What cannot be read is a PacketMalformed. Measurement payloads are in `dot.py`.

Source: Movella DOT BLE Service Specification XD0506P rev C. Payload modes are decimal there: mode 26 is the byte 1A.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag

from rehabcount.errors import PacketMalformed
from rehabcount.sensors.layouts import DOT_MODES, dot_struct

COMPANY_ID = 2182
ADDRESS_HEAD = bytes.fromhex("d422cd")  # all DOTs begin with it
RATES_HZ = (1, 4, 10, 12, 15, 20, 30, 60)  # live; 120 Hz exists only for recording on board


def uuid(number: int) -> str:
    """The vendor's UUID with this number."""
    return f"1517{number:04x}-4947-11e9-8646-d663bd873d93"


CONFIGURATION_SERVICE, MEASUREMENT_SERVICE, BATTERY_SERVICE, MESSAGE_SERVICE = map(
    uuid, (0x1000, 0x2000, 0x3000, 0x7000)
)
DEVICE_INFO, DEVICE_CONTROL, DEVICE_REPORT = map(uuid, (0x1001, 0x1002, 0x1004))
CONTROL, LONG_PAYLOAD, MEDIUM_PAYLOAD, SHORT_PAYLOAD = map(uuid, (0x2001, 0x2002, 0x2003, 0x2004))
BATTERY = uuid(0x3001)
MESSAGE_CONTROL, MESSAGE_ACKNOWLEDGE, MESSAGE_NOTIFICATION = map(uuid, (0x7001, 0x7002, 0x7003))


def payload_characteristic(mode: int) -> str:
    """The characteristic that notifies payloads of this mode; it depends on their size."""
    if mode not in DOT_MODES:
        raise ValueError(f"mode must be one of {', '.join(map(str, DOT_MODES))}, not {mode}")
    size = dot_struct(DOT_MODES[mode]).size
    return SHORT_PAYLOAD if size <= 20 else MEDIUM_PAYLOAD if size <= 40 else LONG_PAYLOAD


def start_measuring(mode: int) -> bytes:
    """Written to CONTROL after notifications have been enabled; before, the first samples are lost."""
    payload_characteristic(mode)  # refuses modes that cannot be decoded
    return bytes((1, 1, mode))


def stop_measuring(mode: int) -> bytes:
    return bytes((1, 0, mode))


# -- device info ------------------------------------------------------------------------------------------------------

_INFO = struct.Struct("<6s3BH5BIQ6s")


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    address: str  # D4:22:CD:...; macOS shows it nowhere else
    firmware: str
    built: str  # year-month-day hour:minute:second
    soft_device: int
    serial: str
    product: str  # XS-T01 is the first DOT, XS-T02 the second


def read_info(data: bytes) -> DeviceInfo:
    if len(data) < _INFO.size:
        raise PacketMalformed("device info cut short")
    mac, major, minor, patch, year, month, day, hour, minute, second, soft, serial, product = _INFO.unpack_from(data)
    # The specification leaves open which end comes first; the vendor's prefix does not.
    if not mac.startswith(ADDRESS_HEAD):
        mac = mac[::-1]
    return DeviceInfo(
        address=mac.hex(":").upper(),
        firmware=f"{major}.{minor}.{patch}",
        built=f"{year:04d}-{month:02d}-{day:02d} {hour:02d}:{minute:02d}:{second:02d}",
        soft_device=soft,
        serial=f"{serial:016X}",
        product=_text(product),
    )


def write_info(info: DeviceInfo) -> bytes:
    """The inverse of `read_info`, for virtual sensors."""
    date, time = info.built.split(" ")
    return _INFO.pack(
        bytes.fromhex(info.address.replace(":", ""))[::-1],
        *map(int, info.firmware.split(".")),
        *map(int, date.split("-")),
        *map(int, time.split(":")),
        info.soft_device,
        int(info.serial, 16),
        info.product.encode("ascii"),
    )


def _text(raw: bytes) -> str:
    return raw.split(b"\0")[0].decode("ascii", "replace")


# -- device control ---------------------------------------------------------------------------------------------------

_CONTROL = struct.Struct("<7BB16sHB5x")


class Visit(IntFlag):
    """Which fields of a device control count; the sensor ignores the others."""

    IDENTIFY = 0x01
    POWER = 0x02
    POWER_SAVING = 0x04
    TAG = 0x08
    RATE = 0x10
    FILTER = 0x20


class Filter(IntEnum):
    GENERAL = 0
    DYNAMIC = 1


@dataclass(frozen=True, slots=True)
class DeviceControl:
    """Rate and filter cannot change while the sensor measures or is synchronised."""

    visit: Visit
    identify: int = 0
    power: int = 0
    power_saving: tuple[int, int, int, int] = (0, 0, 0, 0)  # minutes and seconds, before and after a connection
    tag: str = ""
    rate_hz: int = 0
    filter: Filter = Filter.GENERAL


def write_device_control(control: DeviceControl) -> bytes:
    tag = control.tag.encode("ascii")
    if len(tag) > 16:
        raise ValueError(f"tag must have at most 16 characters, not {control.tag!r}")
    if Visit.RATE in control.visit and control.rate_hz not in RATES_HZ:
        raise ValueError(f"rate_hz must be one of {', '.join(map(str, RATES_HZ))}, not {control.rate_hz}")
    return _CONTROL.pack(
        control.visit,
        control.identify,
        control.power,
        *control.power_saving,
        len(tag),
        tag,
        control.rate_hz,
        control.filter,
    )


def read_device_control(data: bytes) -> DeviceControl:
    if len(data) < _CONTROL.size:
        raise PacketMalformed("device control cut short")
    visit, identify, power, a, b, c, d, tag_length, tag, rate_hz, filter_number = _CONTROL.unpack_from(data)
    if filter_number not in list(Filter):
        raise PacketMalformed("unknown filter")
    if tag_length > 16:
        raise PacketMalformed("tag of wrong length")
    known = Visit(visit & sum(Visit))
    return DeviceControl(known, identify, power, (a, b, c, d), _text(tag[:tag_length]), rate_hz, Filter(filter_number))


def set_rate(rate_hz: int) -> bytes:
    return write_device_control(DeviceControl(Visit.RATE, rate_hz=rate_hz))


BLINK = write_device_control(DeviceControl(Visit.IDENTIFY, identify=1))


# -- battery, status, reports -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Battery:
    percent: int
    charging: bool


def read_battery(data: bytes) -> Battery:
    if len(data) < 2:
        raise PacketMalformed("battery cut short")
    if data[0] > 100 or data[1] > 1:
        raise PacketMalformed("battery level that is none")
    return Battery(data[0], bool(data[1]))


class ReportKind(IntEnum):
    POWER_OFF = 1
    POWER_SAVING = 4
    SINGLE_CLICK = 5
    DOUBLE_CLICK = 6
    TRIPLE_CLICK = 7


_CLICKS = (ReportKind.SINGLE_CLICK, ReportKind.DOUBLE_CLICK, ReportKind.TRIPLE_CLICK)


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """The sensor goes to sleep, or its button was pressed: `at_ms` on the sensor's clock, None without one."""

    kind: ReportKind
    at_ms: int | None = None


def read_report(data: bytes) -> DeviceReport:
    if not data:
        raise PacketMalformed("report cut short")
    if data[0] not in list(ReportKind):
        raise PacketMalformed("unknown report")
    kind = ReportKind(data[0])
    if kind not in _CLICKS:
        return DeviceReport(kind)
    if len(data) < 6 or data[1] != 4:
        raise PacketMalformed("report cut short")
    return DeviceReport(kind, int.from_bytes(data[2:6], "little"))

"""The generic profile of docs/generic-profile.md for self-built sensors; its measurements are in `layouts.py`.

7c5e0001  service, advertised; identifies the sensor
7c5e0002  data        notify; streams while notifications are enabled
7c5e0003  control     write; optional: `01` and u16 a rate in Hz, `02` blink
2a19      battery     read, notify; optional: the standard one, u8 per cent
"""

from __future__ import annotations

from rehabcount.errors import PacketMalformed

SERVICE = "7c5e0001-9c1f-4c7d-8a55-6d2f0b1e4a90"
DATA = "7c5e0002-9c1f-4c7d-8a55-6d2f0b1e4a90"
CONTROL = "7c5e0003-9c1f-4c7d-8a55-6d2f0b1e4a90"
BATTERY_SERVICE = "0000180f-0000-1000-8000-00805f9b34fb"
BATTERY = "00002a19-0000-1000-8000-00805f9b34fb"

SET_RATE = 1
BLINK = b"\x02"


def set_rate(rate_hz: int) -> bytes:
    return bytes((SET_RATE,)) + rate_hz.to_bytes(2, "little")


def read_battery(data: bytes) -> int:
    if not data or data[0] > 100:
        raise PacketMalformed("battery level that is none")
    return data[0]

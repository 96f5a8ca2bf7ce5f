"""What virtual sensors offer over Bluetooth: their services and characteristics, and the names they advertise."""

from __future__ import annotations

from dataclasses import dataclass

from rehabcount.sensors import dot_device, generic_device, witmotion_device


@dataclass(frozen=True, slots=True)
class Characteristic:
    uuid: str
    service: str
    flags: tuple[str, ...]


_DOT_TABLE = tuple(
    Characteristic(uuid, service, flags)
    for uuid, service, flags in (
        (dot_device.DEVICE_INFO, dot_device.CONFIGURATION_SERVICE, ("read",)),
        (dot_device.DEVICE_CONTROL, dot_device.CONFIGURATION_SERVICE, ("read", "write")),
        (dot_device.DEVICE_REPORT, dot_device.CONFIGURATION_SERVICE, ("notify",)),
        (dot_device.CONTROL, dot_device.MEASUREMENT_SERVICE, ("read", "write")),
        (dot_device.LONG_PAYLOAD, dot_device.MEASUREMENT_SERVICE, ("notify",)),
        (dot_device.MEDIUM_PAYLOAD, dot_device.MEASUREMENT_SERVICE, ("notify",)),
        (dot_device.SHORT_PAYLOAD, dot_device.MEASUREMENT_SERVICE, ("notify",)),
        (dot_device.BATTERY, dot_device.BATTERY_SERVICE, ("read", "notify")),
        (dot_device.MESSAGE_CONTROL, dot_device.MESSAGE_SERVICE, ("write",)),
        (dot_device.MESSAGE_ACKNOWLEDGE, dot_device.MESSAGE_SERVICE, ("read",)),
        (dot_device.MESSAGE_NOTIFICATION, dot_device.MESSAGE_SERVICE, ("notify",)),
    )
)
_WIT_TABLE = (
    Characteristic(witmotion_device.NOTIFY, witmotion_device.SERVICE, ("notify",)),
    Characteristic(witmotion_device.WRITE, witmotion_device.SERVICE, ("write", "write-without-response")),
)
_GENERIC_TABLE = (
    Characteristic(generic_device.DATA, generic_device.SERVICE, ("notify",)),
    Characteristic(generic_device.CONTROL, generic_device.SERVICE, ("write",)),
    Characteristic(generic_device.BATTERY, generic_device.BATTERY_SERVICE, ("read", "notify")),
)
PROFILES = {"dot": _DOT_TABLE, "wit": _WIT_TABLE, "wit-dated": _WIT_TABLE, "generic": _GENERIC_TABLE}
NAMES = {"dot": "Movella DOT", "wit": "WT901BLE68", "wit-dated": "WT901SDCL-BT50", "generic": "rehabcount generic"}

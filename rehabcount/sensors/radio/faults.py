"""Exceptions of bleak, bleak-retry-connector and the system underneath, as ours, with advice for this system.

`translate` never fails: an unknown exception becomes a SensorLost that quotes it. TRANSLATED lists every exception
class of the two libraries; a test fails when one of them has a new one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from bleak.exc import (
    BleakBluetoothNotAvailableError,
    BleakBluetoothNotAvailableReason,
    BleakCharacteristicNotFoundError,
    BleakDBusError,
    BleakDeviceNotFoundError,
    BleakError,
    BleakGATTProtocolError,
)
from bleak_retry_connector import (
    BleakAbortedError,
    BleakConnectionError,
    BleakNotFoundError,
    BleakOutOfConnectionSlotsError,
)

from rehabcount.errors import (
    BluetoothDenied,
    BluetoothMissing,
    BluetoothOff,
    SensorError,
    SensorLost,
    SensorNotFound,
    SensorRefused,
)

# What a call to the libraries may raise. bleak's BlueZ backend raises AssertionError, AttributeError and KeyError when
# the bus fails.
FAILURES = (BleakError, OSError, EOFError, TimeoutError, AssertionError, AttributeError, KeyError)

_Reason = BleakBluetoothNotAvailableReason

ADVICE: dict[str, dict[type[SensorError], str]] = {
    "linux": {
        BluetoothOff: "Turn Bluetooth on in the system's settings, or run: bluetoothctl power on (if it is blocked, "
        "rfkill unblock bluetooth).",
        BluetoothMissing: "Plug in a Bluetooth adapter, and see that the service runs: systemctl start bluetooth.",
        BluetoothDenied: "Allow this user to use Bluetooth: add it to the group bluetooth, then log in anew.",
    },
    "win32": {
        BluetoothOff: "Turn Bluetooth on: Settings, Bluetooth & devices.",
        BluetoothMissing: "Plug in a Bluetooth adapter (4.0 or newer) and see that Windows lists it under Settings, "
        "Bluetooth & devices.",
        BluetoothDenied: "Allow it: Settings, Privacy & security, Radios (or App permissions, Bluetooth).",
    },
    "darwin": {
        BluetoothOff: "Turn Bluetooth on in the Control Centre or in System Settings, Bluetooth.",
        BluetoothMissing: "This Mac shows no Bluetooth; restart it, or plug in an adapter that macOS supports.",
        BluetoothDenied: "Allow the terminal (or this app) under System Settings, Privacy & Security, Bluetooth, then "
        "start it anew.",
    },
}
NEARER = "Bring the sensor nearer, charge it, and keep the computer off the floor; it is tried again by itself."


def translate(error: BaseException, *, platform: str = sys.platform) -> SensorError:
    """The error as one of ours. Raise it `from` the original."""
    if isinstance(error, SensorError):
        return error
    for kind in type(error).__mro__:
        if kind in TRANSLATED:
            return TRANSLATED[kind](error, platform)
    return SensorLost(f"The radio failed: {_quoted(error)}.", advice=NEARER)


def _radio(kind: type[SensorError], message: str, platform: str) -> SensorError:
    return kind(message, advice=ADVICE.get(platform, ADVICE["linux"])[kind])


def _unavailable(error: BaseException, platform: str) -> SensorError:
    reason = error.args[1] if len(error.args) > 1 else _Reason.UNKNOWN
    if reason is _Reason.POWERED_OFF:
        return _radio(BluetoothOff, "Bluetooth is switched off.", platform)
    if reason in (_Reason.DENIED_BY_USER, _Reason.DENIED_BY_SYSTEM, _Reason.DENIED_BY_UNKNOWN):
        return _radio(BluetoothDenied, "This program may not use Bluetooth.", platform)
    if reason is _Reason.NO_BLE_CENTRAL_ROLE:
        return _radio(BluetoothMissing, "The Bluetooth adapter is too old: it has no Low Energy.", platform)
    return _radio(BluetoothMissing, "There is no Bluetooth adapter.", platform)


def _bus(error: BaseException, platform: str) -> SensorError:
    name = str(error.args[0]) if error.args else ""
    last = name.rsplit(".", 1)[-1]
    if last in ("ServiceUnknown", "NameHasNoOwner", "NoServer", "Disconnected", "FileNotFound"):
        return _radio(BluetoothMissing, "The system's Bluetooth service does not run.", platform)
    if last in ("AccessDenied", "AuthFailed", "NotAuthorized"):
        return _radio(BluetoothDenied, "This program may not use Bluetooth.", platform)
    if last == "NotReady":
        return _radio(BluetoothOff, "Bluetooth is switched off.", platform)
    if last in ("UnknownObject", "DoesNotExist"):
        return SensorNotFound("The sensor is not to be seen.", advice=NEARER)
    return SensorLost(f"The link failed: {_quoted(error)}.", advice=NEARER)


def _no_bus(error: BaseException, platform: str) -> SensorError:
    return _radio(BluetoothMissing, "The system's Bluetooth service cannot be reached.", platform)


def _no_permission(error: BaseException, platform: str) -> SensorError:
    return _radio(BluetoothDenied, "This program may not use Bluetooth.", platform)


def _not_found(error: BaseException, platform: str) -> SensorError:
    return SensorNotFound("The sensor is not to be seen.", advice=NEARER)


def _lost(error: BaseException, platform: str) -> SensorError:
    if str(error).startswith("adapter ") and str(error).endswith(" not found"):  # bleak has no type of its own for it
        return _radio(BluetoothMissing, f"There is no Bluetooth {str(error).removesuffix(' not found')}.", platform)
    return SensorLost(f"The link failed: {_quoted(error)}.", advice=NEARER)


def _no_slot(error: BaseException, platform: str) -> SensorError:
    return SensorLost(
        "The adapter carries no further link.", advice="Plug in a second adapter, or use fewer sensors at a time."
    )


def _unlike(error: BaseException, platform: str) -> SensorError:
    return SensorRefused(
        f"The sensor is not what its name says: {_quoted(error)}", advice="Update its firmware with the vendor's app."
    )


def _refused(error: BaseException, platform: str) -> SensorError:
    return SensorRefused(
        f"The sensor refused a setting: {_quoted(error)}.", advice="Switch the sensor off and on, then try again."
    )


def _silent(error: BaseException, platform: str) -> SensorError:
    return SensorLost("The sensor does not answer.", advice=NEARER)


def _quoted(error: BaseException) -> str:
    return (str(error) or type(error).__name__).rstrip(".")


TRANSLATED: dict[type[BaseException], Callable[[BaseException, str], SensorError]] = {
    BleakBluetoothNotAvailableError: _unavailable,
    BleakCharacteristicNotFoundError: _unlike,
    BleakDBusError: _bus,
    BleakDeviceNotFoundError: _not_found,
    BleakGATTProtocolError: _refused,
    BleakNotFoundError: _not_found,
    BleakConnectionError: _lost,
    BleakAbortedError: _lost,
    BleakOutOfConnectionSlotsError: _no_slot,
    BleakError: _lost,
    # Of the system: the bus is missing, failed, or refuses access.
    TimeoutError: _silent,
    PermissionError: _no_permission,
    FileNotFoundError: _no_bus,
    ConnectionError: _no_bus,
    EOFError: _no_bus,
    OSError: _lost,
    AssertionError: _lost,
    AttributeError: _lost,
    KeyError: _lost,
}

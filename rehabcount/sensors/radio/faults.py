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

from rehabcount.domain.message import Code, Message
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

ADVICE: dict[str, dict[type[SensorError], Message]] = {
    "linux": {
        BluetoothOff: Message.of(Code.DO_BLUETOOTH_ON_LINUX),
        BluetoothMissing: Message.of(Code.DO_BLUETOOTH_FIND_LINUX),
        BluetoothDenied: Message.of(Code.DO_BLUETOOTH_ALLOW_LINUX),
    },
    "win32": {
        BluetoothOff: Message.of(Code.DO_BLUETOOTH_ON_WINDOWS),
        BluetoothMissing: Message.of(Code.DO_BLUETOOTH_FIND_WINDOWS),
        BluetoothDenied: Message.of(Code.DO_BLUETOOTH_ALLOW_WINDOWS),
    },
    "darwin": {
        BluetoothOff: Message.of(Code.DO_BLUETOOTH_ON_MAC),
        BluetoothMissing: Message.of(Code.DO_BLUETOOTH_FIND_MAC),
        BluetoothDenied: Message.of(Code.DO_BLUETOOTH_ALLOW_MAC),
    },
}
NEARER = Message.of(Code.DO_SENSOR_NEARER)


def translate(error: BaseException, *, platform: str = sys.platform) -> SensorError:
    """The error as one of ours. Raise it `from` the original."""
    if isinstance(error, SensorError):
        return error
    for kind in type(error).__mro__:
        if kind in TRANSLATED:
            return TRANSLATED[kind](error, platform)
    return SensorLost(Message.of(Code.RADIO_FAILED_HOW, why=_quoted(error)), advice=NEARER)


def _radio(kind: type[SensorError], message: Message, platform: str) -> SensorError:
    return kind(message, advice=ADVICE.get(platform, ADVICE["linux"])[kind])


def _unavailable(error: BaseException, platform: str) -> SensorError:
    reason = error.args[1] if len(error.args) > 1 else _Reason.UNKNOWN
    if reason is _Reason.POWERED_OFF:
        return _radio(BluetoothOff, Message.of(Code.RADIO_OFF), platform)
    if reason in (_Reason.DENIED_BY_USER, _Reason.DENIED_BY_SYSTEM, _Reason.DENIED_BY_UNKNOWN):
        return _radio(BluetoothDenied, Message.of(Code.RADIO_DENIED), platform)
    if reason is _Reason.NO_BLE_CENTRAL_ROLE:
        return _radio(BluetoothMissing, Message.of(Code.RADIO_TOO_OLD), platform)
    return _radio(BluetoothMissing, Message.of(Code.RADIO_NO_ADAPTER), platform)


def _bus(error: BaseException, platform: str) -> SensorError:
    name = str(error.args[0]) if error.args else ""
    last = name.rsplit(".", 1)[-1]
    if last in ("ServiceUnknown", "NameHasNoOwner", "NoServer", "Disconnected", "FileNotFound"):
        return _radio(BluetoothMissing, Message.of(Code.RADIO_NO_SERVICE), platform)
    if last in ("AccessDenied", "AuthFailed", "NotAuthorized"):
        return _radio(BluetoothDenied, Message.of(Code.RADIO_DENIED), platform)
    if last == "NotReady":
        return _radio(BluetoothOff, Message.of(Code.RADIO_OFF), platform)
    if last in ("UnknownObject", "DoesNotExist"):
        return SensorNotFound(Message.of(Code.SENSOR_UNSEEN), advice=NEARER)
    return SensorLost(Message.of(Code.SENSOR_LINK_FAILED, why=_quoted(error)), advice=NEARER)


def _no_bus(error: BaseException, platform: str) -> SensorError:
    return _radio(BluetoothMissing, Message.of(Code.RADIO_SERVICE_UNREACHED), platform)


def _no_permission(error: BaseException, platform: str) -> SensorError:
    return _radio(BluetoothDenied, Message.of(Code.RADIO_DENIED), platform)


def _not_found(error: BaseException, platform: str) -> SensorError:
    return SensorNotFound(Message.of(Code.SENSOR_UNSEEN), advice=NEARER)


def _lost(error: BaseException, platform: str) -> SensorError:
    if str(error).startswith("adapter ") and str(error).endswith(" not found"):  # bleak has no type of its own for it
        return _radio(
            BluetoothMissing,
            Message.of(
                Code.RADIO_NO_SUCH_ADAPTER, adapter=str(error).removeprefix("adapter ").removesuffix(" not found")
            ),
            platform,
        )
    return SensorLost(Message.of(Code.SENSOR_LINK_FAILED, why=_quoted(error)), advice=NEARER)


def _no_slot(error: BaseException, platform: str) -> SensorError:
    return SensorLost(Message.of(Code.SENSOR_NO_SLOT), advice=Message.of(Code.DO_SECOND_ADAPTER))


def _unlike(error: BaseException, platform: str) -> SensorError:
    return SensorRefused(
        Message.of(Code.SENSOR_OTHERWISE, why=_quoted(error)), advice=Message.of(Code.DO_UPDATE_WITH_APP)
    )


def _refused(error: BaseException, platform: str) -> SensorError:
    return SensorRefused(
        Message.of(Code.SENSOR_NO_SETTING, why=_quoted(error)), advice=Message.of(Code.DO_OFF_AND_ON_RETRY)
    )


def _silent(error: BaseException, platform: str) -> SensorError:
    return SensorLost(Message.of(Code.SENSOR_NO_ANSWER), advice=NEARER)


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

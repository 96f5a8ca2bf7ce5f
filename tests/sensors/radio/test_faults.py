from __future__ import annotations

import inspect

import bleak
import bleak.exc
import bleak_retry_connector
import pytest
from bleak.exc import BleakBluetoothNotAvailableError, BleakBluetoothNotAvailableReason, BleakDBusError

from rehabcount.errors import (
    BluetoothDenied,
    BluetoothMissing,
    BluetoothOff,
    SensorError,
    SensorLost,
    SensorNotFound,
    SensorRefused,
)
from rehabcount.sensors.radio.faults import ADVICE, FAILURES, TRANSLATED, translate

Reason = BleakBluetoothNotAvailableReason


def exceptions_of(module: object) -> set[type[BaseException]]:
    return {
        each
        for _, each in inspect.getmembers(module, inspect.isclass)
        if issubclass(each, BaseException) and each.__module__.startswith(("bleak", "bleak_retry_connector"))
    }


def test_every_exception_of_the_libraries_is_translated() -> None:
    """Fails when bleak or bleak-retry-connector has a new exception that is not translated."""
    grown = (exceptions_of(bleak.exc) | exceptions_of(bleak) | exceptions_of(bleak_retry_connector)) - set(TRANSLATED)
    assert not grown


def test_whatever_is_caught_is_translated() -> None:
    for kind in FAILURES:
        assert isinstance(translate(kind("x")), SensorError)


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        (Reason.POWERED_OFF, BluetoothOff),
        (Reason.NO_BLUETOOTH, BluetoothMissing),
        (Reason.NO_BLE_CENTRAL_ROLE, BluetoothMissing),
        (Reason.UNKNOWN, BluetoothMissing),
        (Reason.DENIED_BY_USER, BluetoothDenied),
        (Reason.DENIED_BY_SYSTEM, BluetoothDenied),
        (Reason.DENIED_BY_UNKNOWN, BluetoothDenied),
    ],
)
@pytest.mark.parametrize("platform", ["linux", "win32", "darwin"])
def test_bluetooth_itself(reason: Reason, kind: type[SensorError], platform: str) -> None:
    error = translate(BleakBluetoothNotAvailableError("x", reason), platform=platform)
    assert type(error) is kind
    assert error.what_to_do == ADVICE[platform][kind]


def test_every_reason_is_known() -> None:
    assert len(Reason) == 7


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("org.freedesktop.DBus.Error.ServiceUnknown", BluetoothMissing),
        ("org.freedesktop.DBus.Error.AccessDenied", BluetoothDenied),
        ("org.bluez.Error.NotReady", BluetoothOff),
        ("org.freedesktop.DBus.Error.UnknownObject", SensorNotFound),
        ("org.bluez.Error.Failed", SensorLost),
        ("org.bluez.Error.InProgress", SensorLost),
    ],
)
def test_errors_of_the_bus(name: str, kind: type[SensorError]) -> None:
    error = translate(BleakDBusError(name, ["le-connection-abort-by-local"]))
    assert type(error) is kind
    assert error.advice


def test_ours_stay_as_they_are_and_strangers_are_quoted() -> None:
    ours = SensorRefused("no")
    assert translate(ours) is ours
    assert "division" in str(translate(ZeroDivisionError("division")))

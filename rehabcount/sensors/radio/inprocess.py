"""Virtual sensors as a bleak backend: the whole radio code runs, on any machine, without a radio.

`backend_of(sensors)` is what `Radio(backend=...)` takes. Notifications are delivered in the radio's own loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable
from typing import Any

from bleak.args import SizedBuffer
from bleak.backends.characteristic import BleakGATTCharacteristic
from bleak.backends.client import BaseBleakClient, NotifyCallback
from bleak.backends.descriptor import BleakGATTDescriptor
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData, BaseBleakScanner
from bleak.backends.service import BleakGATTService, BleakGATTServiceCollection
from bleak.exc import BleakDeviceNotFoundError, BleakError

from rehabcount.sensors.radio.airspace import Backend
from rehabcount.sensors.virtual import ConnectRefused, VirtualSensor

ADVERTISE_EVERY_S = 0.1
PUMP_EVERY_S = 0.01
MTU = 247


def backend_of(sensors: Iterable[VirtualSensor]) -> Backend:
    """A backend in whose air these sensors are."""
    air = {sensor.address: sensor for sensor in sensors}
    return Backend(type("VirtualScanner", (_Scanner,), {"air": air}), type("VirtualClient", (_Client,), {"air": air}))


class _Scanner(BaseBleakScanner):
    air: dict[str, VirtualSensor]

    def __init__(self, detection_callback: Any, service_uuids: Any, scanning_mode: Any, **_: Any) -> None:
        super().__init__(detection_callback, service_uuids)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._hear())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _hear(self) -> None:
        while True:
            for sensor in self.air.values():
                if sensor.advertises(time.monotonic_ns()):
                    advertised = AdvertisementData(
                        sensor.name, sensor.companies, {}, list(sensor.services), None, sensor.signal_dbm, ()
                    )
                    device = self.create_or_update_device(sensor.address, sensor.address, sensor.name, {}, advertised)
                    self.call_detection_callbacks(device, advertised)
            await asyncio.sleep(ADVERTISE_EVERY_S)


class _Client(BaseBleakClient):
    air: dict[str, VirtualSensor]

    def __init__(self, address_or_ble_device: BLEDevice | str, **arguments: Any) -> None:
        super().__init__(address_or_ble_device, **arguments)
        self._callbacks: dict[str, NotifyCallback] = {}
        self._task: asyncio.Task[None] | None = None
        self._connected = False

    @property
    def _sensor(self) -> VirtualSensor:
        return self.air[self.address]

    @property
    def name(self) -> str:
        return self._sensor.name

    @property
    def mtu_size(self) -> int:
        return MTU

    @property
    def is_connected(self) -> bool:
        return self._connected

    async def connect(self, pair: bool, **_: Any) -> None:
        if self.address not in self.air:
            raise BleakDeviceNotFoundError(self.address)
        try:
            self._sensor.connect(time.monotonic_ns())
        except ConnectRefused as error:
            raise BleakError("le-connection-abort-by-local") from error
        self._connected = True
        self.services = _services_of(self._sensor)
        self._task = asyncio.create_task(self._pump())

    async def disconnect(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        if self._connected:
            self._sensor.disconnect()
            self._leave()

    def _leave(self) -> None:
        self._connected = False
        self._callbacks.clear()
        self.services = None
        if self._disconnected_callback is not None:
            self._disconnected_callback()

    async def _pump(self) -> None:
        """Carries notifications until the sensor is gone."""
        while True:
            for uuid, data in self._sensor.due(time.monotonic_ns()):
                callback = self._callbacks.get(uuid)
                if callback is not None:
                    callback(bytearray(data))
            if not self._sensor.connected:
                self._leave()
                return
            await asyncio.sleep(PUMP_EVERY_S)

    async def pair(self, *_: Any, **__: Any) -> None:
        raise BleakError("virtual sensors are not paired")

    async def unpair(self) -> None:
        raise BleakError("virtual sensors are not paired")

    def _check(self) -> VirtualSensor:
        if not self._connected:
            raise BleakError("Not connected")
        return self._sensor

    async def read_gatt_char(
        self, characteristic: BleakGATTCharacteristic, *, use_cached: bool = False, **_: Any
    ) -> bytearray:
        return bytearray(self._check().read(characteristic.uuid, time.monotonic_ns()))

    async def write_gatt_char(self, characteristic: BleakGATTCharacteristic, data: SizedBuffer, response: bool) -> None:
        self._check().write(characteristic.uuid, bytes(data), time.monotonic_ns())

    async def start_notify(self, characteristic: BleakGATTCharacteristic, callback: NotifyCallback, **_: Any) -> None:
        self._callbacks[characteristic.uuid] = callback
        self._check().notify(characteristic.uuid, True, time.monotonic_ns())

    async def stop_notify(self, characteristic: BleakGATTCharacteristic) -> None:
        self._check().notify(characteristic.uuid, False, time.monotonic_ns())
        self._callbacks.pop(characteristic.uuid, None)

    async def read_gatt_descriptor(
        self, descriptor: BleakGATTDescriptor, *, use_cached: bool = False, **_: Any
    ) -> bytearray:
        raise BleakError("virtual sensors have no descriptors")

    async def write_gatt_descriptor(self, descriptor: BleakGATTDescriptor, data: SizedBuffer) -> None:
        raise BleakError("virtual sensors have no descriptors")


def _services_of(sensor: VirtualSensor) -> BleakGATTServiceCollection:
    collection = BleakGATTServiceCollection()
    services: dict[str, BleakGATTService] = {}
    size: Callable[[], int] = lambda: MTU - 3  # noqa: E731
    for handle, each in enumerate(sensor.characteristics, start=100):
        if each.service not in services:
            services[each.service] = BleakGATTService(None, len(services) + 1, each.service)
            collection.add_service(services[each.service])
        flags: Any = list(each.flags)
        collection.add_characteristic(
            BleakGATTCharacteristic(None, handle, each.uuid, flags, size, services[each.service])
        )
    return collection

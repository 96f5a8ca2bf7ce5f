"""One clock for all DOTs: the vendor's synchronisation, step by step.

Every sensor gets the root's address and is disconnected. The sensors receive the root's synchronisation signals for
some 14 s; then the result of each is read. A sensor that is still synchronised from an earlier session refuses, so it
is stopped first. A synchronised sensor's rate and filter cannot be changed; `stop` ends the synchronisation."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

from bleak.backends.characteristic import BleakGATTCharacteristic

from rehabcount.domain.message import Code, Message
from rehabcount.domain.rig import Sensor
from rehabcount.errors import PacketMalformed, SensorError, SensorLost
from rehabcount.sensors import dot_device
from rehabcount.sensors.dot_messages import (
    ASK_SYNC,
    STOP_SYNC,
    SYNC_STATUS,
    SYNC_STOPPED,
    SyncResult,
    read_sync_answer,
    start_sync,
)
from rehabcount.sensors.radio import settings as times
from rehabcount.sensors.radio.airspace import Airspace, Client, translated

Results = dict[str, SyncResult | SensorError]


async def synchronise(airspace: Airspace, sensors: Sequence[Sensor], wait_s: float) -> Results:
    """How it went, by the sensor's name. The first sensor is the root."""
    results: Results = {}
    root = ""
    for sensor in sensors:
        try:
            async with _connected(airspace, sensor) as client:
                root = root or dot_device.read_info(bytes(await _read(client, dot_device.DEVICE_INFO))).address
                if await _ask(client, ASK_SYNC, SYNC_STATUS) is SyncResult.SYNCED:
                    await _ask(client, STOP_SYNC, SYNC_STOPPED)
                await _write(client, dot_device.DEVICE_CONTROL, dot_device.set_rate(round(sensor.rate_hz)))
                await _write(client, dot_device.MESSAGE_CONTROL, start_sync(root))
        except (SensorError, PacketMalformed) as error:
            results[sensor.name] = error
    await asyncio.sleep(wait_s)
    for sensor in sensors:
        if sensor.name in results:
            continue
        try:
            async with _connected(airspace, sensor) as client:
                _, results[sensor.name] = read_sync_answer(bytes(await _read(client, dot_device.MESSAGE_ACKNOWLEDGE)))
        except (SensorError, PacketMalformed) as error:
            results[sensor.name] = error
    return results


async def stop(airspace: Airspace, sensors: Sequence[Sensor]) -> None:
    """Ends the synchronisation, where a sensor can still be reached; the others end it when they are switched off."""
    for sensor in sensors:
        with contextlib.suppress(SensorError, PacketMalformed):
            async with _connected(airspace, sensor) as client:
                await _ask(client, STOP_SYNC, SYNC_STOPPED)


@contextlib.asynccontextmanager
async def _connected(airspace: Airspace, sensor: Sensor) -> AsyncIterator[Client]:
    sightings = await airspace.find(sensor.serial)
    connection = await airspace.connect(sensor.serial, sensor.name, sightings, lambda: None)
    try:
        with translated():
            yield connection.client
    finally:
        await airspace.hang_up(connection, sensor.serial)


async def _read(client: Client, characteristic: str) -> bytearray:
    async with asyncio.timeout(times.ANSWER_S):
        return await client.read_gatt_char(characteristic)


async def _write(client: Client, characteristic: str, data: bytes) -> None:
    async with asyncio.timeout(times.ANSWER_S):
        await client.write_gatt_char(characteristic, data, response=True)


async def _ask(client: Client, message: bytes, about: int) -> SyncResult:
    """Send a message and wait for the notification that answers it."""
    answer: asyncio.Future[SyncResult] = asyncio.get_running_loop().create_future()

    def heard(_: BleakGATTCharacteristic, data: bytearray) -> None:
        with contextlib.suppress(PacketMalformed):
            subject, result = read_sync_answer(bytes(data))
            if subject == about and not answer.done():
                answer.set_result(result)

    await client.start_notify(dot_device.MESSAGE_NOTIFICATION, heard)
    try:
        await _write(client, dot_device.MESSAGE_CONTROL, message)
        async with asyncio.timeout(times.ANSWER_S):
            return await answer
    except TimeoutError as error:
        raise SensorLost(Message.of(Code.SENSOR_NO_SYNC), advice=Message.of(Code.DO_UPDATE_FIRMWARE)) from error
    finally:
        await client.stop_notify(dot_device.MESSAGE_NOTIFICATION)

"""The radio: one thread that owns one event loop and all sensors. Everything else calls it from outside.

    with Radio() as radio:
        found = radio.scan(5.0).found
        stream = radio.stream(rig, recorder.accept, on_report)
        ...
        stream.close()

`on_item` and `on_report` are called in the radio's thread; they must be quick, safe to call from there (as a Recorder's
are), and must not call the radio back. A sensor's address is the `serial` of its entry in the rig.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from bleak.backends.characteristic import BleakGATTCharacteristic

from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Rig
from rehabcount.domain.update import LinkState, Mark, SensorHealth
from rehabcount.errors import PacketMalformed, SensorError, SensorRefused
from rehabcount.sensors.dot_device import ReportKind
from rehabcount.sensors.dot_messages import SyncResult
from rehabcount.sensors.families import DOT, Family, battery_of, family_of_layout, read_notice
from rehabcount.sensors.radio import settings as times
from rehabcount.sensors.radio import sync
from rehabcount.sensors.radio.airspace import (
    Airspace,
    Backend,
    Client,
    Connection,
    Found,
    Scanned,
    leave_bus,
    translated,
)
from rehabcount.sensors.radio.link import Link, LinkCallbacks
from rehabcount.sensors.radio.settings import RadioSettings

log = logging.getLogger(__name__)
T = TypeVar("T")
OnItem = Callable[[Packet | Silence], None]
OnReport = Callable[[SensorHealth | Mark], None]


class Radio:
    """Owns the thread, from construction to `close`."""

    def __init__(self, settings: RadioSettings | None = None, *, backend: Backend | None = None) -> None:
        self._settings = settings or RadioSettings()
        self._backend = backend
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        self._end: asyncio.Event
        self._airspace: Airspace
        self._streams: list[RadioStream] = []
        self._thread = threading.Thread(target=self._run, name="radio", daemon=True)
        self._thread.start()
        self._ready.wait()

    def __enter__(self) -> Radio:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stops every stream and ends the thread."""
        for stream in list(self._streams):
            stream.close()
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end.set)
            self._thread.join()

    def scan(self, length_s: float = 5.0, *, batteries: bool = False) -> Scanned:
        """The sensors that advertise; with `batteries`, each that we can read is connected to and asked."""
        seen = self._call(self._airspace.scan(length_s))
        return replace(seen, found=tuple(self._call(self._with_battery(e)) for e in seen.found)) if batteries else seen

    def blink(self, found: Found) -> None:
        """Makes the sensor's light blink, so that it can be found. SensorRefused if it has none that we can switch."""
        if not found.family.blink:
            raise SensorRefused(
                Message.of(Code.NO_BLINK, sensor=found.family.title), advice=Message.of(Code.DO_MOVE_INSTEAD)
            )
        self._call(self._blink(found))

    def budget(self) -> dict[str, tuple[int, int]]:
        """Links in use and links possible, by adapter."""
        return self._airspace.budget()

    def synchronise(self, rig: Rig, wait_s: float = times.SYNC_WAIT_S) -> sync.Results:
        """One clock for all DOTs of the rig: how it went for each. Takes half a minute with nine."""
        dots = [sensor for sensor in rig.sensors if family_of_layout(sensor.layout) is DOT]
        return self._call(sync.synchronise(self._airspace, dots, wait_s))

    def stream(
        self, rig: Rig, on_item: OnItem, on_report: OnReport, *, synchronised: sync.Results | None = None
    ) -> RadioStream:
        """Starts all sensors of the rig. `synchronised` is what `synchronise` gave; it is ended with the stream."""
        synced = {name for name, result in (synchronised or {}).items() if result is SyncResult.DONE}
        stream = RadioStream(self, rig, on_item, on_report, synced)
        self._streams.append(stream)
        return stream

    # -- inside --------------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            runner.run(self._live())

    async def _live(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(_log_stray)
        self._end = asyncio.Event()
        self._airspace = Airspace(self._settings, self._backend)
        self._ready.set()
        await self._end.wait()
        await self._airspace.close()
        if self._backend is None:
            await _leave_shared_bus()

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs `work` in the radio's thread and waits for it; Ctrl+C here ends it there."""
        if not self._thread.is_alive():
            work.close()
            raise ValueError("the radio is closed")
        future: concurrent.futures.Future[T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def _blink(self, found: Found) -> None:
        connection = await self._connect(found)
        try:
            with translated():
                for write in found.family.blink:
                    await connection.client.write_gatt_char(write.characteristic, write.data, response=True)
        finally:
            await self._airspace.hang_up(connection, found.address)

    async def _with_battery(self, found: Found) -> Found:
        """The same with its battery level; None if the sensor does not answer."""
        try:
            connection = await self._connect(found)
        except SensorError:
            return found
        try:
            with translated():
                return replace(found, battery_percent=await _battery(connection.client, found.family))
        except SensorError:
            return found
        finally:
            await self._airspace.hang_up(connection, found.address)

    async def _connect(self, found: Found) -> Connection:
        sightings = await self._airspace.find(found.address)
        return await self._airspace.connect(found.address, found.name, sightings, lambda: None)


class RadioStream:
    """All sensors of a rig, streaming until `close`."""

    def __init__(self, radio: Radio, rig: Rig, on_item: OnItem, on_report: OnReport, synced: set[str]) -> None:
        self._radio = radio
        self._rig = rig
        self._on_item = on_item
        self._on_report = on_report
        self._synced = [sensor for sensor in rig.sensors if sensor.name in synced]
        self._first_ns: int | None = None  # of all packets: session time counts from there
        self._links: list[Link] = []
        self._tasks: list[asyncio.Task[None]] = []
        radio._call(self._start())

    def health(self) -> list[SensorHealth]:
        """How every link is doing now."""
        return self._radio._call(self._all_health())

    def close(self) -> None:
        """Stops the measurements and disconnects."""
        if self in self._radio._streams:
            self._radio._streams.remove(self)
            self._radio._call(self._stop())

    async def _start(self) -> None:
        callbacks = LinkCallbacks(self._heard, self._report_health, self._clicked)
        for sensor in self._rig.sensors:
            family = family_of_layout(sensor.layout)
            configured = sensor in self._synced
            self._links.append(Link(sensor, family, self._radio._airspace, callbacks, configured=configured))
        self._tasks = [asyncio.create_task(link.run(), name=link.sensor.name) for link in self._links]
        self._tasks.append(asyncio.create_task(self._report_regularly(), name="health"))
        self._report_health()

    async def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for link in self._links:
            link.state = LinkState.CLOSED
        if self._synced:
            await sync.stop(self._radio._airspace, self._synced)
        self._report_health()

    def _heard(self, item: Packet | Silence) -> None:
        if self._first_ns is None and isinstance(item, Packet):
            self._first_ns = item.received_ns
        self._on_item(item)

    def _session_s(self, now_ns: int) -> float:
        return 0.0 if self._first_ns is None else round((now_ns - self._first_ns) / 1e9, 3)

    def _clicked(self, sensor: str, click: ReportKind) -> None:
        name = click.name.lower().replace("_", " ")
        self._on_report(Mark(self._session_s(time.monotonic_ns()), f"{name} on {sensor}"))

    def _report_health(self) -> None:
        now_ns = time.monotonic_ns()
        for link in self._links:
            self._on_report(link.health(now_ns, self._session_s(now_ns)))

    async def _report_regularly(self) -> None:
        while True:
            await asyncio.sleep(times.HEALTH_EVERY_S)
            self._report_health()

    async def _all_health(self) -> list[SensorHealth]:
        now_ns = time.monotonic_ns()
        return [link.health(now_ns, self._session_s(now_ns)) for link in self._links]


def _log_stray(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log the exception of a library's own task; a failed bus causes several. The links find the loss by themselves."""
    log.info("in the radio's loop: %s", context.get("message"), exc_info=context.get("exception"))


async def _battery(client: Client, family: Family) -> int | None:
    """The level, by whichever way the family has."""
    if family.battery and client.services.get_characteristic(family.battery):
        return battery_of(family, bytes(await client.read_gatt_char(family.battery)))
    if family.ask_battery is None:
        return None
    level: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()

    def heard(_: BleakGATTCharacteristic, data: bytearray) -> None:
        with contextlib.suppress(PacketMalformed):
            notice = read_notice(family, family.stream, bytes(data))
            if notice is not None and notice.battery_percent is not None and not level.done():
                level.set_result(notice.battery_percent)

    def named(characteristic: str) -> str:
        present = client.services.get_characteristic(characteristic)
        return characteristic if present else family.substitutes.get(characteristic, characteristic)

    await client.start_notify(named(family.stream), heard)
    await client.write_gatt_char(named(family.ask_battery.characteristic), family.ask_battery.data, response=False)
    async with asyncio.timeout(times.ANSWER_S):
        return await level


async def _leave_shared_bus() -> None:
    """bleak keeps one connection to the system's bus for each event loop and closes it only when another loop needs
    one; we close it with the loop, so that nothing of a radio remains."""
    if sys.platform != "linux":
        return
    from bleak.backends.bluezdbus import manager as bluez

    manager = bluez._global_instances.pop(asyncio.get_running_loop(), None)
    if manager is not None:
        await leave_bus(manager._bus)

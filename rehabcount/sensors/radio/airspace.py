"""Scanning and connecting, one at a time, over one adapter or several, and how many links each carries.

An adapter cannot scan and connect at once, nor connect to two sensors at once, so one lock covers both. All searches
for sensors share one scan. It runs in short windows, because scanning disturbs links that stream.

The adapters are those in the settings. If the settings name none, all adapters that are switched on are used (Linux);
they are looked up with every scan, so that one that is plugged in during a session is used at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from bleak import BleakScanner
from bleak.backends.client import BaseBleakClient
from bleak.backends.device import BLEDevice
from bleak.backends.scanner import AdvertisementData, BaseBleakScanner
from bleak_retry_connector import BleakClientWithServiceCache, establish_connection

from rehabcount.domain.message import Code, Message
from rehabcount.errors import BluetoothMissing, SensorError, SensorNotFound
from rehabcount.sensors.families import Family, recognise, why_unreadable
from rehabcount.sensors.radio import settings as times
from rehabcount.sensors.radio.faults import FAILURES, translate
from rehabcount.sensors.radio.settings import RadioSettings

Client = BleakClientWithServiceCache
OWN_CHOICE = ""  # the adapter that the system chooses


class Backend(NamedTuple):
    """A replacement of the system's Bluetooth: virtual sensors."""

    scanner: type[BaseBleakScanner]
    client: type[BaseBleakClient]


@dataclass(frozen=True, slots=True)
class Sighting:
    """A sensor as one adapter saw it advertise."""

    device: BLEDevice
    signal_dbm: int


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a scan for one sensor; `battery_percent` only if it was read."""

    address: str
    name: str
    family: Family
    signal_dbm: int
    adapter: str
    battery_percent: int | None = None


@dataclass(frozen=True, slots=True)
class UnreadableSensor:
    """A sensor in the air that cannot be used, and why."""

    address: str
    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a scan saw: sensors that we can read, the strongest first, and motion sensors that we cannot."""

    found: tuple[Found, ...]
    unreadable: tuple[UnreadableSensor, ...]


@dataclass(frozen=True, slots=True)
class Connection:
    client: Client
    adapter: str
    signal_dbm: int


class Airspace:
    """All use of the adapters; belongs to one event loop."""

    def __init__(self, settings: RadioSettings, backend: Backend | None = None) -> None:
        self.settings = settings
        self._backend = backend
        self._lock = asyncio.Lock()
        self._wanted: dict[str, asyncio.Future[dict[str, Sighting]]] = {}
        self._search: asyncio.Task[None] | None = None
        self._taken: dict[str, set[str]] = {}  # adapter -> addresses it is linked to
        self._adapters = settings.adapters or (OWN_CHOICE,)  # of the last scan
        self._failed: Counter[str] = Counter()  # connections over each adapter, since the last that was made

    def budget(self) -> dict[str, tuple[int, int]]:
        """Links in use and links possible, by adapter."""
        return {name: (len(self._taken.get(name, ())), self.settings.links_per_adapter) for name in self._adapters}

    async def scan(self, length_s: float) -> Scanned:
        """Every motion sensor that advertises now."""
        seen: dict[str, Found] = {}
        unreadable: dict[str, UnreadableSensor] = {}

        def on_seen(adapter: str, device: BLEDevice, advertised: AdvertisementData) -> None:
            name = advertised.local_name or device.name or ""
            family = recognise(name, tuple(advertised.manufacturer_data), tuple(advertised.service_uuids))
            before = seen.get(device.address)
            if family is not None and (before is None or advertised.rssi >= before.signal_dbm or not before.name):
                seen[device.address] = Found(device.address, name, family, advertised.rssi, adapter)
            elif family is None and (why := why_unreadable(name)):
                unreadable[device.address] = UnreadableSensor(device.address, name, why)

        async with self._lock, self._scanning(on_seen):
            await asyncio.sleep(length_s)
        return Scanned(tuple(sorted(seen.values(), key=lambda found: -found.signal_dbm)), tuple(unreadable.values()))

    async def find(self, address: str) -> dict[str, Sighting]:
        """The adapters that see the sensor; SensorNotFound after a while. One search for each address at a time."""
        address = address.upper()
        future = self._wanted[address] = asyncio.get_running_loop().create_future()
        if self._search is None or self._search.done():
            self._search = asyncio.create_task(self._search_wanted())
        try:
            async with asyncio.timeout(times.FIND_S):
                return await future
        except TimeoutError:
            raise SensorNotFound(Message.of(Code.SENSOR_UNSEEN), advice=_WAKE) from None
        finally:
            self._wanted.pop(address, None)

    async def _search_wanted(self) -> None:
        """Scan in windows until no search is waiting."""
        while self._wanted:
            async with self._lock:
                try:
                    self._answer(await self._look())
                except SensorError as error:
                    self._refuse(error)
            streaming = any(self._taken.values())
            await asyncio.sleep(times.SCAN_PAUSE_STREAMING_S if streaming else times.SCAN_PAUSE_S)

    def _answer(self, sightings: dict[str, dict[str, Sighting]]) -> None:
        for address, future in self._wanted.items():
            if address in sightings and not future.done():
                future.set_result(sightings[address])

    def _refuse(self, error: SensorError) -> None:
        for future in self._wanted.values():
            if not future.done():
                future.set_exception(error)

    async def _look(self) -> dict[str, dict[str, Sighting]]:
        """One window: it ends when all are seen, a moment after the first was seen, or after its time."""
        sightings: dict[str, dict[str, Sighting]] = {}
        first_seen, all_seen = asyncio.Event(), asyncio.Event()

        def on_seen(adapter: str, device: BLEDevice, advertised: AdvertisementData) -> None:
            address = device.address.upper()
            if address in self._wanted:
                sightings.setdefault(address, {})[adapter] = Sighting(device, advertised.rssi)
                first_seen.set()
                if len(sightings) >= len(self._wanted):
                    all_seen.set()

        async with self._scanning(on_seen):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(first_seen.wait(), times.SCAN_WINDOW_S)
                await asyncio.wait_for(all_seen.wait(), times.SCAN_REST_S)
            if len(self._adapters) > 1 and sightings:
                await asyncio.sleep(times.SECOND_ADAPTER_S)
        return sightings

    @contextlib.asynccontextmanager
    async def _scanning(self, on_seen: Callable[[str, BLEDevice, AdvertisementData], None]) -> AsyncIterator[None]:
        """Scanners of all adapters, started; failures of theirs are translated.

        One adapter that works is enough, unless the settings ask for those that do not."""
        self._adapters = self.settings.adapters or await self._present()
        async with contextlib.AsyncExitStack() as stack:
            failures: list[SensorError] = []
            for adapter in self._adapters:
                try:
                    with translated():
                        stack.push_async_callback(_stop, await self._started(adapter, on_seen))
                except SensorError as error:
                    failures.append(error)
                    if self.settings.adapters or len(failures) == len(self._adapters):
                        raise
            with translated():
                yield

    async def _present(self) -> tuple[str, ...]:
        """The adapters that are switched on; the system's choice if they cannot be listed."""
        if self._backend is not None or sys.platform != "linux":
            return (OWN_CHOICE,)
        from bleak.backends.bluezdbus.manager import get_global_bluez_manager

        try:
            async with asyncio.timeout(times.AVAILABLE_S):
                manager = await get_global_bluez_manager()
            shown = {path: manager._properties[path]["org.bluez.Adapter1"] for path in manager._adapters}
            usable = [path for path, each in shown.items() if each["Powered"] and "central" in each["Roles"]]
        except TimeoutError as error:
            raise BluetoothMissing(_SILENT, advice=_RESTART) from error
        except FAILURES:
            return (OWN_CHOICE,)  # the scanner reports the error
        return tuple(sorted(path.rsplit("/", 1)[-1] for path in usable)) or (OWN_CHOICE,)

    async def _started(
        self, adapter: str, on_seen: Callable[[str, BLEDevice, AdvertisementData], None]
    ) -> BleakScanner:
        def detected(device: BLEDevice, data: AdvertisementData) -> None:
            on_seen(adapter or _adapter_of(device), device, data)

        scanner = BleakScanner(detected, **self._scanner_arguments(adapter))
        try:
            async with asyncio.timeout(times.AVAILABLE_S):
                await scanner.start()
        except TimeoutError as error:
            raise BluetoothMissing(_SILENT, advice=_RESTART) from error
        return scanner

    def _scanner_arguments(self, adapter: str) -> dict[str, Any]:
        arguments: dict[str, Any] = {"bluez": {"adapter": adapter}} if adapter else {}
        return arguments | ({"backend": self._backend.scanner} if self._backend else {})

    async def connect(
        self, address: str, name: str, sightings: dict[str, Sighting], on_gone: Callable[[], None]
    ) -> Connection:
        """A new client, connected over the adapter with most room. `on_gone` may be called more than once."""
        arguments: dict[str, Any] = {"backend": self._backend.client} if self._backend else {}
        async with self._lock:
            adapter = self._adapter_with_room(sightings)
            sighting = sightings[adapter]
            self._taken.setdefault(adapter, set()).add(address)
            try:
                with translated():
                    async with asyncio.timeout(times.CONNECT_S):
                        client = await establish_connection(
                            Client,
                            sighting.device,
                            name,
                            disconnected_callback=lambda _: on_gone(),
                            max_attempts=2,
                            **arguments,
                        )
            except BaseException:
                self._failed[adapter] += 1
                self.release(adapter, address)
                raise
            self._failed[adapter] = 0
        return Connection(client, adapter, sighting.signal_dbm)

    async def hang_up(self, connection: Connection, address: str) -> None:
        """Ends the link in any state. Never fails, and does not take long."""
        try:
            with contextlib.suppress(*FAILURES):
                async with asyncio.timeout(times.DISCONNECT_S):
                    await connection.client.disconnect()
        finally:
            self.release(connection.adapter, address)
            # bleak's client for BlueZ has a bus connection of its own, and keeps it when it could not disconnect.
            await leave_bus(getattr(connection.client._backend, "_bus", None))

    def release(self, adapter: str, address: str) -> None:
        """The link is gone; its place is free."""
        self._taken.get(adapter, set()).discard(address)

    def _adapter_with_room(self, sightings: dict[str, Sighting]) -> str:
        """The adapter with fewest links, then the one with the best signal. A failed connection counts as a link.

        A full adapter is tried as well: no adapter says how many links it carries, and an attempt costs only an
        error."""

        def burden(name: str) -> tuple[int, int]:
            return len(self._taken.get(name, ())) + self._failed[name], -sightings[name].signal_dbm

        return min(sightings, key=burden)

    async def close(self) -> None:
        if self._search is not None:
            self._search.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._search
        for future in self._wanted.values():
            future.cancel()


async def leave_bus(bus: Any) -> None:
    """Closes a connection to the system's bus, if there is one."""
    if bus is not None:
        bus.disconnect()
        with contextlib.suppress(*FAILURES):
            async with asyncio.timeout(times.DISCONNECT_S):
                await bus.wait_for_disconnect()


_WAKE = Message.of(Code.DO_WAKE)
_SILENT = Message.of(Code.RADIO_NO_ANSWER)
_RESTART = Message.of(Code.DO_RESTART_BLUETOOTH)


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Failures of the libraries inside come out as ours."""
    try:
        yield
    except FAILURES as error:
        raise translate(error) from error


def _adapter_of(device: BLEDevice) -> str:
    """On Linux the adapter is part of the device's path, /org/bluez/hci0/dev_...; elsewhere there is but one."""
    path = device.details.get("path", "") if isinstance(device.details, dict) else ""
    return path.split("/")[3] if path.startswith("/org/bluez/") else OWN_CHOICE


async def _stop(scanner: BleakScanner) -> None:
    with contextlib.suppress(*FAILURES):
        async with asyncio.timeout(times.DISCONNECT_S):
            await scanner.stop()

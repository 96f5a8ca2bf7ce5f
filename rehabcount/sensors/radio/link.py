"""One sensor's life on the radio: connecting, configuring, streaming, stale, lost, backing off, and again.

Each connection has a client of its own and a generation number; a callback that belongs to an earlier one is ignored.
After a reconnection every setting is written again and the measurement restarted. A sensor that falls silent is noted
in the stream of packets at once (`Silence`), so that the record shows when it was known.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from bleak.backends.characteristic import BleakGATTCharacteristic

from rehabcount.domain.limits import LOW_BATTERY_PERCENT, SENSOR_SILENT_S
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Sensor
from rehabcount.domain.update import LinkState, SensorHealth
from rehabcount.errors import PacketMalformed, SensorError, SensorLost, SensorNotFound, SensorRefused
from rehabcount.sensors.dot_device import ReportKind
from rehabcount.sensors.families import Family, Write, battery_of, read_notice, samples_in
from rehabcount.sensors.radio import settings as times
from rehabcount.sensors.radio.airspace import Airspace, Client, Connection, translated
from rehabcount.sensors.radio.faults import FAILURES, translate
from rehabcount.sensors.radio.meter import EchoFilter, Meter

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LinkCallbacks:
    """The callbacks of a link; called in the radio's thread."""

    on_item: Callable[[Packet | Silence], None]
    on_state: Callable[[], None]  # the link went into another state
    on_click: Callable[[str, ReportKind], None]  # sensor, which click


class Link:
    """One sensor of the rig. `run` never ends by itself; cancel it to close the link."""

    def __init__(
        self, sensor: Sensor, family: Family, airspace: Airspace, callbacks: LinkCallbacks, *, configured: bool
    ) -> None:
        """`configured`: the sensor has its settings already and must not get them again (it is synchronised)."""
        self.sensor = sensor
        self.state = LinkState.CONNECTING
        self._family = family
        self._airspace = airspace
        self._callbacks = callbacks
        self._configured = configured
        self._generation = 0
        self._gone = asyncio.Event()
        self._begun_ns = time.monotonic_ns()
        self._last_ns: int | None = None  # when the last data came
        self._silent = False  # whether the record has a Silence since then
        self._meter: Meter | None = None
        self._echoes = EchoFilter(sensor.layout)
        self._duplicates = self._malformed = 0
        self._connections = 0
        self._battery: int | None = None
        self._signal_dbm: int | None = None
        self._adapter = ""
        self._trouble: SensorError | None = None

    def health(self, now_ns: int, at_s: float) -> SensorHealth:
        """How it is doing now."""
        rate_hz = loss = None
        if self._meter is not None:
            rate_hz, loss = self._meter.rate_hz(now_ns), self._meter.loss(now_ns)
        return SensorHealth(
            sensor=self.sensor.name,
            state=self.state,
            at_s=at_s,
            rate_hz=round(rate_hz or 0.0, 1),
            loss=None if loss is None else round(loss, 3),
            age_s=None if self._last_ns is None else round((now_ns - self._last_ns) / 1e9, 2),
            battery_percent=self._battery,
            signal_dbm=self._signal_dbm,
            adapter=self._adapter,
            reconnections=max(0, self._connections - 1),
            duplicates=self._duplicates,
            trouble=self._trouble_in_words(rate_hz),
            malformed=self._malformed,
        )

    def _trouble_in_words(self, rate_hz: float | None) -> str:
        if self.state is not LinkState.STREAMING:
            return f"{self._trouble} {self._trouble.advice}".strip() if self._trouble else ""
        if rate_hz is not None and rate_hz > times.TOO_FAST * self.sensor.rate_hz:
            return f"It sends {rate_hz:.0f} samples a second instead of {self.sensor.rate_hz:.0f}."
        if rate_hz is not None and rate_hz < times.TOO_SLOW * self.sensor.rate_hz:
            return f"Of {self.sensor.rate_hz:.0f} samples a second only {rate_hz:.0f} arrive; bring it nearer."
        if self._battery is not None and self._battery <= LOW_BATTERY_PERCENT:
            return f"The battery is at {self._battery} %; charge it soon."
        return ""

    async def run(self) -> None:
        """Connects and streams until cancelled."""
        attempts = 0
        while True:
            self._go(LinkState.CONNECTING)
            try:
                await self._once()
            except SensorError as error:
                self._trouble = error
            except Exception as error:  # top of a task: an unexpected error must not end this sensor
                log.warning("%s failed unexpectedly", self.sensor.name, exc_info=error)
                self._trouble = translate(error)
            attempts = 0 if self.state in (LinkState.STREAMING, LinkState.STALE) else attempts + 1
            self._fall_silent(time.monotonic_ns())
            self._go(LinkState.LOST)
            if isinstance(self._trouble, SensorNotFound):
                continue  # the search has pauses of its own; another one would miss its window
            self._go(LinkState.BACKING_OFF)
            await asyncio.sleep(times.BACK_OFF_S[min(attempts, len(times.BACK_OFF_S) - 1)])

    async def _once(self) -> None:
        """One connection, from the search to its loss."""
        self._gone.clear()
        generation = self._generation = self._generation + 1
        sightings = await self._airspace.find(self.sensor.serial)
        connection = await self._airspace.connect(
            self.sensor.serial, self.sensor.name, sightings, lambda: self._left(generation)
        )
        try:
            self._signal_dbm, self._adapter = connection.signal_dbm, connection.adapter
            self._go(LinkState.CONFIGURING)
            await self._begin(connection.client, generation)
            self._connections += 1
            self._trouble = None
            self._go(LinkState.STREAMING)
            await self._watch(connection.client)
        finally:
            await self._leave(connection)
            self._generation += 1  # later callbacks of this connection are ignored
            self._meter = None

    async def _begin(self, client: Client, generation: int) -> None:
        """Settings, notifications, start: in this order, or the first samples are lost."""
        family = self._family
        with translated():
            if family.battery and self._has(client, family.battery):
                async with asyncio.timeout(times.ANSWER_S):
                    self._battery = battery_of(family, bytes(await client.read_gatt_char(family.battery)))
            if not self._configured:
                await self._write(client, family.configure(round(self.sensor.rate_hz)))
            self._echoes = EchoFilter(self.sensor.layout)
            self._meter = Meter(self.sensor.rate_hz, time.monotonic_ns())
            for characteristic in family.notices:
                if self._has(client, characteristic):
                    await self._listen(client, characteristic, generation)
            await self._listen(client, family.stream, generation)
            await self._write(client, family.start)
            if family.ask_battery:
                await self._write(client, (family.ask_battery,))

    def _has(self, client: Client, characteristic: str) -> bool:
        return client.services.get_characteristic(characteristic) is not None

    def _resolved(self, client: Client, characteristic: str) -> BleakGATTCharacteristic:
        """The characteristic, or the one that stands for it on some models."""
        for name in (characteristic, self._family.substitutes.get(characteristic)):
            if name and (found := client.services.get_characteristic(name)):
                return found
        raise SensorRefused(
            Message.of(Code.SENSOR_UNKNOWN_MODEL, sensor=self._family.title, characteristic=characteristic[:8]),
            advice=Message.of(Code.DO_SEE_MODELS),
        )

    async def _listen(self, client: Client, characteristic: str, generation: int) -> None:
        def heard(_: BleakGATTCharacteristic, data: bytearray) -> None:
            self._heard(generation, characteristic, bytes(data))

        async with asyncio.timeout(times.ANSWER_S):
            await client.start_notify(
                self._resolved(client, characteristic),
                heard,
                bluez={"use_start_notify": not self._airspace.settings.acquire_notify},
            )

    async def _write(self, client: Client, writes: tuple[Write, ...]) -> None:
        for write in writes:
            if write.optional and not self._has(client, write.characteristic):
                continue
            target = self._resolved(client, write.characteristic)
            async with asyncio.timeout(times.ANSWER_S):
                await client.write_gatt_char(target, write.data, response="write" in target.properties)
            if write.pause_s:
                await asyncio.sleep(write.pause_s)

    def _heard(self, generation: int, characteristic: str, data: bytes) -> None:
        now_ns = time.monotonic_ns()
        if generation != self._generation:
            self._duplicates += 1
            return
        try:
            notice = read_notice(self._family, characteristic, data)
        except PacketMalformed:
            self._malformed += 1
            return
        if notice is not None:
            self._battery = self._battery if notice.battery_percent is None else notice.battery_percent
            if notice.click is not None:
                self._callbacks.on_click(self.sensor.name, notice.click)
            return
        if self._echoes.is_echo(data):
            self._duplicates += 1
            return
        self._last_ns, self._silent = now_ns, False
        if self._meter is not None:
            self._meter.add(now_ns, samples_in(self.sensor.layout, data))
        self._callbacks.on_item(Packet(self.sensor.name, data, now_ns))

    async def _watch(self, client: Client) -> None:
        """Until the link is gone, or silent for too long."""
        streaming_since_ns = time.monotonic_ns()
        battery_due_s = time.monotonic() + times.BATTERY_EVERY_S
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._gone.wait(), times.WATCH_EVERY_S)
            now_ns = time.monotonic_ns()
            if self._gone.is_set():
                raise SensorLost(Message.of(Code.SENSOR_LINK_LOST), advice=Message.of(Code.DO_RECONNECTS))
            quiet_s = (now_ns - max(self._last_ns or 0, streaming_since_ns)) / 1e9
            if quiet_s > times.GIVE_UP_S:
                raise SensorLost(Message.of(Code.SENSOR_SENDS_NOTHING), advice=Message.of(Code.DO_OFF_AND_ON))
            if quiet_s > SENSOR_SILENT_S:
                self._fall_silent(now_ns)
            self._go(LinkState.STALE if quiet_s > SENSOR_SILENT_S else LinkState.STREAMING)
            if self._family.ask_battery and time.monotonic() > battery_due_s:
                battery_due_s = time.monotonic() + times.BATTERY_EVERY_S
                with translated():
                    await self._write(client, (self._family.ask_battery,))

    def _left(self, generation: int) -> None:
        if generation == self._generation:
            self._gone.set()

    def _fall_silent(self, now_ns: int) -> None:
        if not self._silent:
            self._silent = True
            self._callbacks.on_item(Silence(self.sensor.name, self._last_ns or self._begun_ns, now_ns))

    async def _leave(self, connection: Connection) -> None:
        """Stop the measurement, if the link is up, and disconnect. Nothing here may fail or take long."""
        with contextlib.suppress(SensorError, *FAILURES):
            if connection.client.is_connected and not self._gone.is_set():
                async with asyncio.timeout(times.DISCONNECT_S):
                    await self._write(connection.client, self._family.stop)
        await self._airspace.hang_up(connection, self.sensor.serial)

    def _go(self, state: LinkState) -> None:
        if state is not self.state:
            self.state = state
            self._callbacks.on_state()

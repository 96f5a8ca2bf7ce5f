"""A fake `org.bluez` with virtual sensors behind it, as a process of its own: python -m tests.sensors.radio.fake_bluez.

The bus is $DBUS_SYSTEM_BUS_ADDRESS. The first argument is a JSON document: {"sensors": [{"address", "family",
"place"}], "adapters": ["hci0"], "powered": true, "roles": ["central"], "connect_s": 0.0, "failing": ["hci1"]}; over
a failing adapter cannot connect to a sensor; a sensor with "motion", the
name of a file (motion_file.py), moves like that instead of swinging. Commands come as JSON lines on standard input and
are answered by one JSON line each; {"ready": true} is the first.

What bleak needs beyond the obvious: Roles with "central", Alias and Adapter of a device, NotifyAcquired of a
characteristic, object paths ending in /serviceXXXX/charXXXX. dbus-fast gives up on a full socket: send in small
portions and wait for each.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from rehabcount.domain.rig import Place
from rehabcount.sensors.families import FAMILIES
from rehabcount.sensors.swinging import noisy, swing_of
from rehabcount.sensors.virtual import ConnectRefused, VirtualSensor
from rehabcount.sensors.virtual_faults import FaultKind
from tests.sensors.radio import motion_file

ADAPTER, DEVICE = "org.bluez.Adapter1", "org.bluez.Device1"
SERVICE, CHARACTERISTIC = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
PROPERTIES, OBJECTS = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"
PUMP_S = 0.005
ADVERTISE_S = 0.1


@dataclass
class Device:
    """One virtual sensor as one adapter sees it."""

    sensor: VirtualSensor
    path: str
    adapter: str
    connected: bool = False
    shown: bool = False
    paths: dict[str, str] = field(default_factory=dict)  # uuid -> characteristic's path
    sockets: dict[str, socket.socket] = field(default_factory=dict)  # of AcquireNotify

    def properties(self) -> dict[str, Variant]:
        companies = {key: Variant("ay", value) for key, value in self.sensor.companies.items()}
        return {
            "Address": Variant("s", self.sensor.address),
            "AddressType": Variant("s", "random"),
            "Name": Variant("s", self.sensor.name),
            "Alias": Variant("s", self.sensor.name),
            "Adapter": Variant("o", self.adapter),
            "Paired": Variant("b", False),
            "Trusted": Variant("b", False),
            "Blocked": Variant("b", False),
            "LegacyPairing": Variant("b", False),
            "Connected": Variant("b", self.connected),
            "ServicesResolved": Variant("b", self.connected),
            "UUIDs": Variant("as", list(self.sensor.services)),
            "ManufacturerData": Variant("a{qv}", companies),
            "RSSI": Variant("n", self.sensor.signal_dbm),
        }

    def objects(self) -> dict[str, dict[str, dict[str, Variant]]]:
        """Its services and characteristics."""
        found: dict[str, dict[str, dict[str, Variant]]] = {}
        services: dict[str, str] = {}
        for i, each in enumerate(self.sensor.characteristics):
            if each.service not in services:
                services[each.service] = f"{self.path}/service{len(services) + 1:04x}"
                found[services[each.service]] = {
                    SERVICE: {
                        "UUID": Variant("s", each.service),
                        "Device": Variant("o", self.path),
                        "Primary": Variant("b", True),
                    }
                }
            path = f"{services[each.service]}/char{i + 0x100:04x}"
            self.paths[each.uuid] = path
            properties = {
                "UUID": Variant("s", each.uuid),
                "Service": Variant("o", services[each.service]),
                "Flags": Variant("as", list(each.flags)),
                "MTU": Variant("q", 247),
            }
            if "notify" in each.flags:
                properties |= {"Notifying": Variant("b", False), "NotifyAcquired": Variant("b", False)}
            found[path] = {CHARACTERISTIC: properties}
        return found


class FakeBlueZ:
    def __init__(self, bus: MessageBus, plan: dict[str, Any]) -> None:
        self.bus = bus
        self.powered = bool(plan.get("powered", True))
        self.roles: list[str] = plan.get("roles", ["central", "peripheral"])
        begun_ns = time.monotonic_ns()
        self.adapters = [f"/org/bluez/{name}" for name in plan.get("adapters", ["hci0"])]
        self.devices: list[Device] = []
        for i, each in enumerate(plan.get("sensors", [])):
            motion = (
                motion_file.read(Path(each["motion"])) if "motion" in each else noisy(swing_of(Place(each["place"])), i)
            )
            sensor = VirtualSensor(each["address"], FAMILIES[each["family"]], motion, begun_ns, sync_s=0.2)
            for adapter in self.adapters:
                path = f"{adapter}/dev_{sensor.address.replace(':', '_')}"
                self.devices.append(Device(sensor, path, adapter))
        self.by_path = {device.path: device for device in self.devices}
        self.discovering: set[str] = set()
        self.connect_s = float(plan.get("connect_s", 0.0))
        self.failing = [f"/org/bluez/{name}" for name in plan.get("failing", [])]
        self.notified = 0
        self.mood = ""  # "hang": answers nothing; "deny": refuses every caller; "clinging": never disconnects

    def managed(self) -> dict[str, Any]:
        shown: dict[str, Any] = {
            path: {
                ADAPTER: {
                    "Address": Variant("s", "00:00:00:00:00:01"),
                    "Powered": Variant("b", self.powered),
                    "Discovering": Variant("b", False),
                    "Roles": Variant("as", self.roles),
                }
            }
            for path in self.adapters
        }
        for device in self.devices:
            if device.shown:
                shown[device.path] = {DEVICE: device.properties()}
            if device.connected:
                shown |= device.objects()
        return shown

    # -- calls ---------------------------------------------------------------------------------------------------------

    def handle(self, message: Message) -> Message | bool | None:
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        name = f"_{message.member}"
        if self.mood == "hang" and message.interface == OBJECTS:
            return True  # handled, says the bus; no answer ever comes
        if self.mood == "deny" and message.interface == OBJECTS:
            return Message.new_error(message, "org.freedesktop.DBus.Error.AccessDenied", "Rejected send message")
        if message.interface not in (ADAPTER, DEVICE, CHARACTERISTIC, OBJECTS) or not hasattr(self, name):
            return None
        try:
            return getattr(self, name)(message)
        except ConnectRefused:
            return Message.new_error(message, "org.bluez.Error.Failed", "le-connection-refused")

    def _GetManagedObjects(self, message: Message) -> Message:  # noqa: N802
        return Message.new_method_return(message, "a{oa{sa{sv}}}", [self.managed()])

    def _SetDiscoveryFilter(self, message: Message) -> Message:  # noqa: N802
        return Message.new_method_return(message)

    def _StartDiscovery(self, message: Message) -> Message:  # noqa: N802
        if not self.powered:
            return Message.new_error(message, "org.bluez.Error.NotReady", "Resource Not Ready")
        self.discovering.add(path_of(message))
        return Message.new_method_return(message)

    def _StopDiscovery(self, message: Message) -> Message:  # noqa: N802
        self.discovering.discard(path_of(message))
        return Message.new_method_return(message)

    def _Connect(self, message: Message) -> Message | bool:  # noqa: N802
        if not self.connect_s:
            return self.connect(message)
        asyncio.get_running_loop().call_later(self.connect_s, self.connect_later, message)
        return True

    def connect_later(self, message: Message) -> None:
        try:
            self.bus.send(self.connect(message))
        except ConnectRefused:
            self.bus.send(Message.new_error(message, "org.bluez.Error.Failed", "le-connection-refused"))

    def connect(self, message: Message) -> Message:
        device = self.by_path[path_of(message)]
        if (device.sensor.connected and not device.connected) or device.adapter in self.failing:
            raise ConnectRefused
        device.sensor.connect(time.monotonic_ns())
        device.connected = True
        for path, interfaces in device.objects().items():
            self.signal("/", OBJECTS, "InterfacesAdded", "oa{sa{sv}}", [path, interfaces])
        self.changed(device.path, DEVICE, {"Connected": Variant("b", True), "ServicesResolved": Variant("b", True)})
        return Message.new_method_return(message)

    def _Disconnect(self, message: Message) -> Message:  # noqa: N802
        if self.mood == "clinging":
            return Message.new_error(message, "org.bluez.Error.Failed", "not now")
        self.drop(self.by_path[path_of(message)])
        return Message.new_method_return(message)

    def _of(self, message: Message) -> tuple[Device, str]:
        called = path_of(message)
        device = self.by_path[called[: called.index("/service")]]
        uuid = next(uuid for uuid, path in device.paths.items() if path == called)
        return device, uuid

    def _ReadValue(self, message: Message) -> Message:  # noqa: N802
        device, uuid = self._of(message)
        return Message.new_method_return(message, "ay", [device.sensor.read(uuid, time.monotonic_ns())])

    def _WriteValue(self, message: Message) -> Message:  # noqa: N802
        device, uuid = self._of(message)
        device.sensor.write(uuid, bytes(message.body[0]), time.monotonic_ns())
        return Message.new_method_return(message)

    def _StartNotify(self, message: Message) -> Message:  # noqa: N802
        device, uuid = self._of(message)
        device.sensor.notify(uuid, True, time.monotonic_ns())
        return Message.new_method_return(message)

    def _StopNotify(self, message: Message) -> Message:  # noqa: N802
        device, uuid = self._of(message)
        device.sensor.notify(uuid, False, time.monotonic_ns())
        return Message.new_method_return(message)

    def _AcquireNotify(self, message: Message) -> Message:  # noqa: N802
        device, uuid = self._of(message)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        device.sockets[uuid] = ours
        device.sensor.notify(uuid, True, time.monotonic_ns())
        return Message.new_method_return(message, "hq", [0, 247], unix_fds=[theirs.detach()])

    # -- signals -------------------------------------------------------------------------------------------------------

    def signal(self, path: str, interface: str, member: str, signature: str, body: list[Any]) -> Any:
        return self.bus.send(Message.new_signal(path, interface, member, signature, body))

    def changed(self, path: str, interface: str, values: dict[str, Variant]) -> Any:
        return self.signal(path, PROPERTIES, "PropertiesChanged", "sa{sv}as", [interface, values, []])

    def drop(self, device: Device) -> None:
        device.sensor.disconnect()
        device.connected = False
        for ours in device.sockets.values():
            ours.close()
        device.sockets.clear()
        self.changed(device.path, DEVICE, {"ServicesResolved": Variant("b", False), "Connected": Variant("b", False)})

    async def pump(self) -> None:
        while True:
            for device in self.devices:
                if not device.connected:
                    continue
                last = None
                for uuid, data in device.sensor.due(time.monotonic_ns()):
                    self.notified += uuid == device.sensor.family.stream
                    if uuid in device.sockets:
                        device.sockets[uuid].send(data)
                    else:
                        last = self.changed(device.paths[uuid], CHARACTERISTIC, {"Value": Variant("ay", data)})
                if last is not None:
                    await last
                if not device.sensor.connected:
                    self.drop(device)
            await asyncio.sleep(PUMP_S)

    async def advertise(self) -> None:
        while True:
            for device in self.devices:
                if device.adapter not in self.discovering or not device.sensor.advertises(time.monotonic_ns()):
                    continue
                if not device.shown:
                    device.shown = True
                    self.signal(
                        "/", OBJECTS, "InterfacesAdded", "oa{sa{sv}}", [device.path, {DEVICE: device.properties()}]
                    )
                else:
                    await self.changed(device.path, DEVICE, {"RSSI": Variant("n", device.sensor.signal_dbm)})
            await asyncio.sleep(ADVERTISE_S)

    # -- commands ------------------------------------------------------------------------------------------------------

    def obey(self, command: dict[str, Any]) -> Any:
        sensors = {device.sensor.address: device.sensor for device in self.devices}
        now_ns = time.monotonic_ns()
        match command["do"]:
            case "fault":
                sensor = sensors[command["sensor"]]
                sensor.add_fault(
                    FaultKind(command["kind"]), now_ns, command.get("length_s", float("inf")), command.get("share", 1.0)
                )
            case "drop":  # the link alone; it advertises again at once
                for device in self.devices:
                    if device.sensor.address == command["sensor"] and device.connected:
                        self.drop(device)
            case "click":
                sensors[command["sensor"]].press_button(now_ns)
            case "writes":
                return [[uuid, data.hex()] for uuid, data in sensors[command["sensor"]].writes]
            case "sent":
                return {address: sensor.sent for address, sensor in sensors.items()}
            case "links":
                return {device.path: device.connected for device in self.devices if device.connected}
            case "hang" | "deny" | "clinging":
                self.mood = command["do"]
            case "power":
                self.powered = command["on"]
                for path in self.adapters:
                    self.changed(path, ADAPTER, {"Powered": Variant("b", self.powered)})
        return True


def path_of(message: Message) -> str:
    assert message.path is not None
    return message.path


async def connections(bus: MessageBus) -> int:
    """How many clients the bus has."""
    reply = await bus.call(
        Message(
            destination="org.freedesktop.DBus",
            path="/org/freedesktop/DBus",
            interface="org.freedesktop.DBus",
            member="ListNames",
        )
    )
    assert reply is not None
    return sum(name.startswith(":") for name in reply.body[0])


async def main() -> None:
    bus = await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect()
    fake = FakeBlueZ(bus, json.loads(sys.argv[1]))
    bus.add_message_handler(fake.handle)
    await bus.request_name("org.bluez")
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb"))
    tasks = [asyncio.create_task(fake.pump()), asyncio.create_task(fake.advertise())]
    print(json.dumps({"ready": True}), flush=True)
    while line := await reader.readline():
        command = json.loads(line)
        answer = await connections(bus) if command["do"] == "connections" else fake.obey(command)
        print(json.dumps(answer), flush=True)
    for task in tasks:
        task.cancel()
    bus.disconnect()


if __name__ == "__main__":
    asyncio.run(main())

"""The radio over virtual sensors in process, and what remains of it when it is closed."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
import threading
import time
from pathlib import Path

import pytest

from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Rig, Sensor
from rehabcount.domain.update import LinkState, Mark, SensorHealth
from rehabcount.errors import (
    BluetoothDenied,
    BluetoothMissing,
    BluetoothOff,
    SensorError,
    SensorNotFound,
    SensorRefused,
)
from rehabcount.sensors import dot_device
from rehabcount.sensors.families import DOT, FAMILIES, GENERIC, WIT, Family
from rehabcount.sensors.radio import settings
from rehabcount.sensors.radio.inprocess import backend_of
from rehabcount.sensors.radio.settings import RadioSettings
from rehabcount.sensors.radio.supervisor import Radio
from rehabcount.sensors.swinging import noisy, swing_of
from rehabcount.sensors.virtual import VirtualSensor
from rehabcount.sensors.virtual_faults import Fault, FaultKind
from rehabcount.store.recorder import Recorder
from rehabcount.store.session_file import SessionFile
from tests.sensors.radio.conftest import Bus, nine, plan_of, until


def virtual(rig: Rig, *faults: Fault) -> list[VirtualSensor]:
    families = {family.layout: family for family in FAMILIES.values()}
    begun_ns = time.monotonic_ns()
    return [
        VirtualSensor(each.serial, families[each.layout], noisy(swing_of(each.place), i), begun_ns, faults=faults)
        for i, each in enumerate(rig.sensors)
        if each.place
    ]


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_what_was_sent_is_in_the_session_file(tmp_path: Path, family: Family) -> None:
    rig = nine(family)
    sensors = virtual(rig)
    path = tmp_path / "live.rehab"
    SessionFile.create(path, rig).close()
    updates: list[SensorHealth | Mark] = []
    with Recorder(path) as recorder, Radio(backend=backend_of(sensors)) as radio:
        stream = radio.stream(rig, recorder.accept, updates.append)
        until(lambda: all(health.age_s is not None for health in stream.health()), 10.0)
        time.sleep(1.0)
        stream.close()
    with SessionFile.open(path) as file:
        recorded = list(file.items())
    for sensor, each in zip(rig.sensors, sensors, strict=True):
        assert sum(isinstance(item, Packet) and item.sensor == sensor.name for item in recorded) == each.sent > 0
    assert not [item for item in recorded if isinstance(item, Silence)]


@pytest.mark.parametrize(
    ("kind", "share"),
    [(FaultKind.DROP, 0.2), (FaultKind.TRUNCATE, 0.2), (FaultKind.REORDER, 0.2), (FaultKind.WRAP, 1.0)],
)
def test_faults_do_not_stop_it(kind: FaultKind, share: float) -> None:
    rig = Rig("one", nine(DOT).sensors[:1])
    (sensor,) = virtual(rig, Fault(kind, 0.5, share=share))
    items: list[Packet | Silence] = []
    with Radio(backend=backend_of([sensor])) as radio:
        stream = radio.stream(rig, items.append, lambda update: None)
        until(lambda: len(items) > 100, 6.0)
        assert stream.health()[0].state is LinkState.STREAMING


def test_a_sensor_that_is_not_there_is_searched_for_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "FIND_S", 1.0)
    rig = Rig("two", nine(DOT).sensors[:2])
    items: list[Packet | Silence] = []
    with Radio(backend=backend_of(virtual(rig)[:1])) as radio:
        stream = radio.stream(rig, items.append, lambda update: None)
        until(lambda: "not to be seen" in stream.health()[1].trouble, 8.0)
        assert stream.health()[0].state is LinkState.STREAMING
        assert [item.sensor for item in items if isinstance(item, Silence)] == [rig.names[1]]


def test_what_nobody_foresaw_does_not_end_a_sensor(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig("one", nine(DOT).sensors[:1])
    (sensor,) = virtual(rig)
    read, failed = sensor.read, threading.Event()

    def read_once_wrongly(uuid: str, now_ns: int) -> bytes:
        if not failed.is_set():
            failed.set()
            raise ZeroDivisionError("a bug")
        return read(uuid, now_ns)

    monkeypatch.setattr(sensor, "read", read_once_wrongly)
    items: list[Packet | Silence] = []
    with Radio(backend=backend_of([sensor])) as radio:
        radio.stream(rig, items.append, lambda update: None)
        until(lambda: sum(isinstance(item, Packet) for item in items) > 10, 8.0)
    assert failed.is_set()


def test_a_closed_radio_says_so() -> None:
    radio = Radio(backend=backend_of([]))
    radio.close()
    radio.close()
    with pytest.raises(ValueError, match="closed"):
        radio.scan(0.1)


def test_a_vibration_sensor_is_named_and_not_used() -> None:
    rig = Rig("two", nine(WIT).sensors[:2])
    sensors = virtual(rig)
    sensors[1].name = "WTVB01-BT50"
    with Radio(backend=backend_of(sensors)) as radio:
        seen = radio.scan(0.3)
    assert [each.address for each in seen.found] == [rig.sensors[0].serial]
    (stranger,) = seen.unreadable
    assert (stranger.address, stranger.name) == (rig.sensors[1].serial, "WTVB01-BT50")
    assert "vibration" in stranger.why


def test_notices_that_nobody_can_read_are_counted() -> None:
    rig = Rig("one", nine(DOT).sensors[:1])
    (sensor,) = virtual(rig)
    with Radio(backend=backend_of([sensor])) as radio:
        stream = radio.stream(rig, lambda item: None, lambda update: None)
        until(lambda: stream.health()[0].battery_percent == 80, 8.0)
        sensor._notices.append((dot_device.BATTERY, b"\xff\x00"))
        until(lambda: stream.health()[0].malformed == 1, 2.0)
        assert stream.health()[0].battery_percent == 80


def test_blink() -> None:
    rig = Rig("three", (nine(DOT).sensors[0], nine(WIT).sensors[1], nine(GENERIC).sensors[2]))
    sensors = virtual(rig)
    with Radio(backend=backend_of(sensors)) as radio:
        by_family = {each.family.name: each for each in radio.scan(0.3).found}
        radio.blink(by_family["dot"])
        radio.blink(by_family["generic"])
        with pytest.raises(SensorRefused, match="cannot be made to blink"):
            radio.blink(by_family["wit"])
    assert [each.blinks for each in sensors] == [1, 0, 1]


def test_blink_of_a_sensor_that_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "FIND_S", 1.0)
    rig = Rig("one", nine(DOT).sensors[:1])
    (sensor,) = virtual(rig)
    with Radio(backend=backend_of([sensor])) as radio:
        (found,) = radio.scan(0.3).found
        sensor.add_fault(FaultKind.DEATH, time.monotonic_ns())
        with pytest.raises(SensorNotFound):
            radio.blink(found)


def test_a_layout_that_no_live_sensor_sends() -> None:
    rig = Rig("one", (Sensor("a", None, "dot-3", 60.0, "D4:22:CD:00:00:01"),))
    with Radio(backend=backend_of([])) as radio, pytest.raises(SensorRefused, match="dot-3"):
        radio.stream(rig, lambda item: None, lambda update: None)


# -- Bluetooth that is not there: said which, within three seconds -----------------------------------------------------


def refusal() -> tuple[SensorError, float]:
    begun = time.monotonic()
    with Radio() as radio, pytest.raises(SensorError) as caught:
        radio.scan(0.5)
    return caught.value, time.monotonic() - begun


def test_bluetooth_is_off(bus: Bus) -> None:
    bus.fake(powered=False)
    error, took_s = refusal()
    assert isinstance(error, BluetoothOff)
    assert "bluetoothctl power on" in error.advice
    assert took_s < 3.0


def test_there_is_no_adapter(bus: Bus) -> None:
    bus.fake(adapters=[])
    error, took_s = refusal()
    assert isinstance(error, BluetoothMissing)
    assert took_s < 3.0


def test_there_is_no_adapter_of_that_name(bus: Bus) -> None:
    bus.fake()
    with Radio(RadioSettings(adapters=("hci7",))) as radio, pytest.raises(BluetoothMissing, match="hci7"):
        radio.scan(0.5)


def test_the_adapter_is_too_old(bus: Bus) -> None:
    bus.fake(roles=["peripheral"])
    error, _ = refusal()
    assert isinstance(error, BluetoothMissing)
    assert "too old" in str(error)


def test_no_bluetooth_service_on_the_bus(bus: Bus) -> None:
    error, took_s = refusal()
    assert isinstance(error, BluetoothMissing)
    assert "systemctl start bluetooth" in error.advice
    assert took_s < 3.0


@pytest.mark.skipif(sys.platform != "linux", reason="the bus is Linux's")
def test_no_bus_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path / 'nowhere'}")
    error, took_s = refusal()
    assert isinstance(error, BluetoothMissing)
    assert took_s < 3.0


def test_the_service_hangs(bus: Bus) -> None:
    fake = bus.fake()
    fake("hang")
    error, took_s = refusal()
    assert isinstance(error, BluetoothMissing)
    assert "does not answer" in str(error)
    assert took_s < 3.5


def test_not_permitted(bus: Bus) -> None:
    fake = bus.fake()
    fake("deny")
    error, took_s = refusal()
    assert isinstance(error, BluetoothDenied)
    assert took_s < 3.0


# -- nothing remains --------------------------------------------------------------------------------------------------


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def start_and_stop(times: int, rig: Rig) -> None:
    for _ in range(times):
        items: list[Packet | Silence] = []
        with Radio() as radio, contextlib.closing(radio.stream(rig, items.append, lambda update: None)):
            until(lambda items=items: len(items) > 3, 5.0)  # type: ignore[misc]


def test_fifty_starts_and_stops_leave_nothing(bus: Bus) -> None:
    rig = Rig("one", nine(DOT).sensors[:1])
    fake = bus.fake(sensors=plan_of(rig))
    start_and_stop(2, rig)  # what is made once and kept is there now
    gc.collect()
    threads, files, connections = threading.active_count(), open_files(), fake("connections")
    start_and_stop(50, rig)
    gc.collect()
    assert threading.active_count() == threads
    assert open_files() == files
    assert fake("connections") == connections
    assert not [each for each in gc.get_objects() if type(each) is asyncio.Task]


def test_a_service_that_cannot_disconnect_leaves_nothing_open(bus: Bus) -> None:
    rig = Rig("one", nine(DOT).sensors[:1])
    fake = bus.fake(sensors=plan_of(rig))
    start_and_stop(1, rig)
    gc.collect()
    files = open_files()
    fake("clinging")
    items: list[Packet | Silence] = []
    with Radio() as radio, contextlib.closing(radio.stream(rig, items.append, lambda update: None)):
        until(lambda: len(items) > 3, 5.0)
    assert open_files() == files

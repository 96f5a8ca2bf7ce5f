"""The radio over bleak's real BlueZ backend, against a fake BlueZ in a process of its own."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Place, Rig
from rehabcount.domain.update import LinkState, Mark, SensorHealth
from rehabcount.sensors import dot_device
from rehabcount.sensors.families import DOT, WIT, Family
from rehabcount.sensors.radio.meter import PAIRS
from rehabcount.sensors.radio.settings import RadioSettings
from rehabcount.sensors.radio.supervisor import Radio, RadioStream
from rehabcount.sensors.swinging import swing_of
from rehabcount.sensors.virtual import VirtualSensor
from tests.sensors.radio import motion_file
from tests.sensors.radio.conftest import Bus, asked_directly, nine, plan_of, until


class Heard:
    """What a stream gives, kept in lists."""

    def __init__(self) -> None:
        self.items: list[Packet | Silence] = []
        self.updates: list[SensorHealth | Mark] = []

    def packets(self, sensor: str) -> list[Packet]:
        return [item for item in self.items if isinstance(item, Packet) and item.sensor == sensor]

    def silences(self, sensor: str) -> list[Silence]:
        return [item for item in self.items if isinstance(item, Silence) and item.sensor == sensor]

    def states(self, sensor: str) -> list[LinkState]:
        """The states that the sensor went through, in order."""
        found: list[LinkState] = []
        for update in self.updates:
            if isinstance(update, SensorHealth) and update.sensor == sensor and update.state not in found[-1:]:
                found.append(update.state)
        return found


def all_stream(stream: RadioStream) -> bool:
    return all(health.state is LinkState.STREAMING and health.age_s is not None for health in stream.health())


def thread_of_the_radio() -> int:
    ident = next(thread for thread in threading.enumerate() if thread.name == "radio").ident
    assert ident is not None
    return ident


def first(rig: Rig, number: int) -> Rig:
    return Rig(rig.name, rig.sensors[:number])


@pytest.mark.parametrize("family", [DOT, WIT], ids=["dot", "wit"])
def test_nine_sensors_lose_nothing(bus: Bus, family: Family) -> None:
    rig = nine(family)
    fake = bus.fake(sensors=plan_of(rig))
    heard = Heard()
    with Radio() as radio:
        found = radio.scan(0.5).found
        assert {each.address for each in found} == {sensor.serial for sensor in rig.sensors}
        assert {each.family for each in found} == {family}
        stream = radio.stream(rig, heard.items.append, heard.updates.append)
        until(lambda: all_stream(stream), 15.0)
        assert radio.budget() == {"hci0": (9, 7)}
        clock = time.pthread_getcpuclockid(thread_of_the_radio())
        spent_s = time.clock_gettime(clock)
        time.sleep(10.0)
        share = (time.clock_gettime(clock) - spent_s) / 10.0
        print(f"the radio's thread took {share:.1%} of a core")
        rates = {health.sensor: health.rate_hz for health in stream.health()}
        stream.close()
    sent = fake("sent")
    arrived = Counter(item.sensor for item in heard.items if isinstance(item, Packet))
    assert {sensor.serial: arrived[sensor.name] for sensor in rig.sensors} == sent
    # A busy machine's fake sends more slowly; a stream must not have more than was sent.
    assert all(0.5 < rate / family.rate_hz < 1.1 for rate in rates.values()), rates
    assert all(number > 9.5 * family.rate_hz for number in sent.values())
    # Silence of one sensor would be the radio's fault. Where all nine were silent at once, the machine stood still.
    came = [item.received_ns for item in heard.items if isinstance(item, Packet)]
    longest_s = max(b - a for a, b in pairwise(came)) / 1e9
    assert longest_s > 1.0 or not [item for item in heard.items if isinstance(item, Silence)]
    assert share < 0.15
    assert all(heard.states(name)[-1] is LinkState.CLOSED for name in rig.names)
    assert fake("links") == {}
    written = [tuple(each) for each in fake("writes", sensor=rig.sensors[0].serial)]
    expected = [
        (write.characteristic, write.data.hex()) for write in (*family.configure(family.rate_hz), *family.start)
    ]
    assert written[: len(expected)] == expected


def test_a_lost_sensor_comes_back_with_its_settings(bus: Bus) -> None:
    rig = first(nine(DOT), 2)
    fake = bus.fake(sensors=plan_of(rig), connect_s=0.7)  # as a real link takes
    lost, kept = rig.sensors
    heard = Heard()
    with Radio() as radio:
        stream = radio.stream(rig, heard.items.append, heard.updates.append)
        until(lambda: all_stream(stream), 10.0)
        fake("fault", sensor=lost.serial, kind="death", length_s=3.0)
        died = time.monotonic()
        until(lambda: bool(heard.silences(lost.name)), 1.5)
        silence = heard.silences(lost.name)[0]
        assert silence.since_ns == heard.packets(lost.name)[-1].received_ns <= silence.received_ns
        before = len(heard.packets(lost.name))
        until(lambda: len(heard.packets(lost.name)) > before, 8.0)
        assert time.monotonic() - died < 3.0 + 5.0
        until(lambda: all_stream(stream), 2.0)
        health = stream.health()[0]
        assert health.reconnections == 1
        stream.close()
    states = heard.states(lost.name)
    assert states[:3] == [LinkState.CONNECTING, LinkState.CONFIGURING, LinkState.STREAMING]
    assert LinkState.LOST in states
    assert LinkState.BACKING_OFF in states
    writes = [data for uuid, data in fake("writes", sensor=lost.serial)]
    assert writes.count("01011a") == 2  # started again
    assert sum(data.startswith("10") for data in writes) == 2  # and its rate set again
    assert len(heard.silences(lost.name)) == 1
    assert not heard.silences(kept.name)
    assert len(heard.packets(kept.name)) == fake("sent")[kept.serial]


def test_refused_reconnections_do_not_end_it(bus: Bus) -> None:
    rig = first(nine(DOT), 1)
    fake = bus.fake(sensors=plan_of(rig))
    heard = Heard()
    with Radio() as radio:
        stream = radio.stream(rig, heard.items.append, heard.updates.append)
        until(lambda: all_stream(stream), 10.0)
        fake("fault", sensor=rig.sensors[0].serial, kind="refuse", length_s=3.0)
        fake("drop", sensor=rig.sensors[0].serial)
        until(lambda: any("link failed" in each.trouble for each in stream.health()), 4.0)
        until(lambda: all_stream(stream), 9.0)


def test_a_stalled_sensor_is_stale_then_reconnected(bus: Bus) -> None:
    rig = first(nine(WIT), 1)
    fake = bus.fake(sensors=plan_of(rig))
    heard = Heard()
    name = rig.names[0]
    with Radio() as radio:
        stream = radio.stream(rig, heard.items.append, heard.updates.append)
        until(lambda: all_stream(stream), 10.0)
        fake("fault", sensor=rig.sensors[0].serial, kind="stall", length_s=4.0)
        until(lambda: LinkState.STALE in heard.states(name), 2.5)
        until(lambda: bool(heard.silences(name)), 0.5)
        until(lambda: LinkState.LOST in heard.states(name), 4.0)
        until(lambda: stream.health()[0].reconnections >= 1 and all_stream(stream), 8.0)


@pytest.mark.parametrize("acquire", [False, True], ids=["StartNotify", "AcquireNotify"])
@pytest.mark.parametrize("family", [DOT, WIT], ids=["dot", "wit"])
def test_doubled_notifications_count_once(bus: Bus, family: Family, acquire: bool) -> None:
    rig = first(nine(family), 1)
    fake = bus.fake(sensors=plan_of(rig))
    fake("fault", sensor=rig.sensors[0].serial, kind="double")
    heard = Heard()
    with Radio(RadioSettings(acquire_notify=acquire)) as radio:
        stream = radio.stream(rig, heard.items.append, heard.updates.append)
        until(lambda: len(heard.items) > family.rate_hz, 6.0)
        duplicates = stream.health()[0].duplicates
        stream.close()
    # Stamps tell at once; without them a few pass until it is clear that everything comes twice.
    extra = len(heard.packets(rig.names[0])) - fake("sent")[rig.sensors[0].serial]
    assert extra == (0 if family is DOT else PAIRS)
    assert duplicates > 0.9 * family.rate_hz


def test_low_battery_and_button(bus: Bus) -> None:
    rig = Rig("two", (nine(DOT).sensors[0], nine(WIT).sensors[1]))
    fake = bus.fake(sensors=plan_of(rig))
    for sensor in rig.sensors:
        fake("fault", sensor=sensor.serial, kind="low-battery")
    heard = Heard()
    with Radio() as radio:
        assert {each.battery_percent for each in radio.scan(0.4, batteries=True).found} == {5}
        stream = radio.stream(rig, heard.items.append, heard.updates.append)
        until(lambda: all_stream(stream), 10.0)
        until(lambda: all(health.battery_percent == 5 for health in stream.health()), 2.0)
        assert all("battery" in health.trouble for health in stream.health())
        fake("click", sensor=rig.sensors[0].serial)
        until(lambda: any(isinstance(update, Mark) for update in heard.updates), 2.0)
        assert next(update for update in heard.updates if isinstance(update, Mark)).note == "single click on pelvis"


def test_two_adapters_share_the_links(bus: Bus) -> None:
    rig = nine(DOT)
    bus.fake(sensors=plan_of(rig), adapters=["hci0", "hci1"])
    heard = Heard()
    with Radio(RadioSettings(adapters=("hci0", "hci1"))) as radio:
        stream = radio.stream(rig, heard.items.append, heard.updates.append)
        until(lambda: all_stream(stream), 15.0)
        budget = radio.budget()
        assert sorted(used for used, _ in budget.values()) == [4, 5]
        assert {health.adapter for health in stream.health()} == {"hci0", "hci1"}


def test_adapters_are_found_and_one_that_fails_is_left(bus: Bus) -> None:
    rig = first(nine(DOT), 5)
    bus.fake(sensors=plan_of(rig), adapters=["hci0", "hci1", "hci2"], failing=["hci1"])
    heard = Heard()
    with Radio() as radio:
        stream = radio.stream(rig, heard.items.append, heard.updates.append)
        until(lambda: all_stream(stream), 25.0)
        assert {name: used for name, (used, _) in radio.budget().items()}["hci1"] == 0
        assert sum(used for used, _ in radio.budget().values()) == 5
        assert {health.adapter for health in stream.health()} == {"hci0", "hci2"}


def test_the_bus_dies_and_returns(bus: Bus) -> None:
    rig = first(nine(DOT), 2)
    bus.fake(sensors=plan_of(rig))
    heard = Heard()
    with Radio() as radio:
        stream = radio.stream(rig, heard.items.append, heard.updates.append)
        until(lambda: all_stream(stream), 10.0)
        bus.kill()
        until(lambda: all(heard.silences(name) for name in rig.names), 3.0)
        until(lambda: all("Bluetooth service" in health.trouble for health in stream.health()), 12.0)
        before = len(heard.items)
        bus.start()
        bus.fake(sensors=plan_of(rig))
        until(lambda: all_stream(stream) and len(heard.items) > before + 50, 12.0)
        stream.close()


def test_synchronisation(bus: Bus) -> None:
    rig = first(nine(DOT), 2)
    fake = bus.fake(sensors=plan_of(rig))
    heard = Heard()
    with Radio() as radio:
        for _ in range(2):  # the second time the sensors are still synchronised
            results = radio.synchronise(rig, wait_s=0.3)
            assert set(results.values()) == {0}
        stream = radio.stream(rig, heard.items.append, heard.updates.append, synchronised=results)
        until(lambda: all_stream(stream), 10.0)
        stream.close()
    for sensor in rig.sensors:
        messages = [data for uuid, data in fake("writes", sensor=sensor.serial) if uuid == dot_device.MESSAGE_CONTROL]
        start = "020701" + bytes.fromhex("d422cd000000")[::-1].hex()
        assert [data[:18] for data in messages] == ["020108f5", start, "020108f5", "020102fb", start, "020102fb"]


def test_a_recorded_motion_arrives_byte_for_byte(bus: Bus, tmp_path: Path) -> None:
    """Over the bus comes what the same virtual sensor sends when it is asked directly."""
    motion_file.write(tmp_path / "hand.npz", swing_of(Place.RIGHT_HAND)(np.arange(500) / 100))
    rig = first(nine(DOT), 1)
    bus.fake(sensors=[{**plan_of(rig)[0], "motion": str(tmp_path / "hand.npz")}])
    heard = Heard()
    with Radio() as radio, contextlib.closing(radio.stream(rig, heard.items.append, heard.updates.append)):
        until(lambda: len(heard.items) > 200, 10.0)

    direct = VirtualSensor(rig.sensors[0].serial, DOT, motion_file.read(tmp_path / "hand.npz"), 0)
    sent = {data[:4]: data for data in asked_directly(direct, 60.0)}
    payloads = [packet.payload for packet in heard.packets(rig.names[0])]
    assert len(payloads) > 200
    assert all(sent[payload[:4]] == payload for payload in payloads)

"""Virtual sensors: their bytes mean the motion they were given, and every fault does what it says."""

from __future__ import annotations

import numpy as np
import pytest

from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import Packet, Samples
from rehabcount.domain.rig import BodyPart, Place, Rig, Sensor
from rehabcount.sensors import dot_device, dot_messages, generic_device, witmotion_device
from rehabcount.sensors.families import DOT, FAMILIES, GENERIC, WIT, Family
from rehabcount.sensors.packets import decode_all
from rehabcount.sensors.swinging import SWINGS, Swing, noisy, swing_of
from rehabcount.sensors.virtual import ConnectRefused, VirtualSensor
from rehabcount.sensors.virtual_faults import Fault, FaultKind
from rehabcount.signals.rotation import rotate, unrotate

S = 1_000_000_000
SWING = Swing(0.8, 0.5, 0.4)
ADDRESS = "D4:22:CD:00:00:01"


def sensor(family: Family, *faults: Fault) -> VirtualSensor:
    return VirtualSensor(ADDRESS, family, SWING, 0, faults=faults)


def started(each: VirtualSensor, at_ns: int = 0) -> VirtualSensor:
    each.connect(at_ns)
    for write in each.family.configure(each.family.rate_hz):
        each.write(write.characteristic, write.data, at_ns)
    each.notify(each.family.stream, True, at_ns)
    for write in each.family.start:
        each.write(write.characteristic, write.data, at_ns)
    return each


def stream(each: VirtualSensor, seconds: float, start_s: float = 0.0, step_s: float = 0.01) -> list[Packet]:
    """What it notifies, asked for every 10 ms."""
    packets = []
    for now_ns in range(round(start_s * S), round((start_s + seconds) * S), round(step_s * S)):
        packets += [Packet("a", data, now_ns) for uuid, data in each.due(now_ns) if uuid == each.family.stream]
    return packets


def decoded(packets: list[Packet], family: Family) -> Samples:
    return decode_all(packets, Rig("one", (Sensor("a", None, family.layout, family.rate_hz),)))["a"]


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_the_bytes_mean_the_motion(family: Family) -> None:
    packets = stream(started(sensor(family)), 3.0)
    samples = decoded(packets, family)
    assert abs(len(samples) - 3 * family.rate_hz) <= 7
    # wit-20 has no clock: it begins with the first sample after the start and runs evenly.
    time_s = (1.0 + np.arange(len(samples), dtype=np.float64)) / family.rate_hz
    truth = SWING(time_s)
    assert samples.acc is not None
    assert samples.gyr is not None
    np.testing.assert_allclose(samples.acc, truth.acc, atol=5e-3)
    np.testing.assert_allclose(samples.gyr, truth.gyr, atol=2e-3)
    if samples.quat is not None:
        np.testing.assert_allclose(np.abs(np.sum(samples.quat * truth.quat, axis=1)), 1.0, atol=1e-6)
    if samples.tick is not None:
        tick_hz = 1e6 if family.layout != "wit-28" else 1e3
        np.testing.assert_allclose(samples.tick / tick_hz, time_s, atol=1e-3)


@pytest.mark.parametrize("part", list(BodyPart))
def test_the_swing_is_exact(part: BodyPart) -> None:
    """Against numerical derivatives of where the sensor is."""
    swing = Swing(*SWINGS[part])
    step = 1e-4
    time_s = np.arange(0, 4.0, step)
    reading = swing(time_s)
    place: Floats = rotate(reading.quat, [0.0, -swing.length_m, 0.0])
    acceleration = np.gradient(np.gradient(place, step, axis=0), step, axis=0)
    felt = unrotate(reading.quat, acceleration + np.array([0, 0, 9.80665]))
    np.testing.assert_allclose(reading.acc[10:-10], felt[10:-10], atol=1e-4)
    np.testing.assert_allclose(reading.gyr[:, 2], np.gradient(swing.angle(time_s)[0], step), atol=1e-3)


def test_noise_is_the_same_again() -> None:
    time_s = np.arange(100) / 100
    one, again = noisy(SWING, 3)(time_s), noisy(SWING, 3)(time_s)
    np.testing.assert_array_equal(one.acc, again.acc)
    assert 0.01 < np.std(one.acc - SWING(time_s).acc) < 0.03
    assert swing_of(Place.LEFT_HAND) != swing_of(Place.RIGHT_HAND)


def test_a_witmotion_comes_at_ten_hertz() -> None:
    each = sensor(WIT)
    each.connect(0)
    each.notify(WIT.stream, True, 0)
    assert len(stream(each, 2.0)) == 19


def test_nothing_is_sent_before_it_is_asked_for() -> None:
    each = sensor(DOT)
    assert each.due(S) == []
    each.connect(S)
    each.write(dot_device.CONTROL, dot_device.start_measuring(26), S)
    assert stream(each, 1.0, 1.0) == []  # notifications were not enabled


def test_drop_and_share() -> None:
    assert not stream(started(sensor(DOT, Fault(FaultKind.DROP, 0.0))), 1.0)
    some = len(stream(started(sensor(DOT, Fault(FaultKind.DROP, 0.0, share=0.5))), 10.0))
    assert 200 < some < 400


def test_stall_leaves_a_hole_and_goes_on() -> None:
    samples = decoded(stream(started(sensor(DOT, Fault(FaultKind.STALL, 1.0, 2.0))), 4.0), DOT)
    assert samples.tick is not None
    steps_s = np.diff(samples.tick) / 1e6
    assert np.sum(steps_s > 0.1) == 1
    assert steps_s.max() == pytest.approx(2.0, abs=0.05)


def test_double_truncate_reorder() -> None:
    doubled = stream(started(sensor(DOT, Fault(FaultKind.DOUBLE, 0.0))), 1.0)
    assert [packet.payload for packet in doubled[::2]] == [packet.payload for packet in doubled[1::2]]
    cut = stream(started(sensor(DOT, Fault(FaultKind.TRUNCATE, 0.0))), 1.0)
    assert all(len(packet.payload) < 63 for packet in cut)
    turned = decoded(stream(started(sensor(DOT, Fault(FaultKind.REORDER, 0.0, share=0.2))), 5.0), DOT)
    assert turned.tick is not None
    backwards = np.sum(np.diff(turned.tick) < 0)
    assert 20 < backwards < 80
    assert len(set(turned.tick.tolist())) == len(turned)


def test_the_clock_wraps_when_told() -> None:
    samples = decoded(stream(started(sensor(DOT, Fault(FaultKind.WRAP, 1.0))), 2.0), DOT)
    assert samples.tick is not None
    fall = np.flatnonzero(np.diff(samples.tick) < 0)
    assert len(fall) == 1
    assert samples.received_ns[fall[0]] / S == pytest.approx(1.0, abs=0.05)


def test_death_ends_the_link_and_a_reboot_begins_the_clock_anew() -> None:
    each = started(sensor(DOT, Fault(FaultKind.DEATH, 2.0, 3.0)))
    stream(each, 2.5)
    assert not each.connected
    assert not each.advertises(round(2.5 * S))
    with pytest.raises(ConnectRefused):
        each.connect(3 * S)
    assert each.advertises(5 * S)
    started(each, 6 * S)
    samples = decoded(stream(each, 1.0, 6.0), DOT)
    assert samples.tick is not None
    assert samples.tick[0] / 1e6 == pytest.approx(1.0, abs=0.05)


def test_refusal() -> None:
    each = sensor(DOT, Fault(FaultKind.REFUSE, 0.0, 1.0))
    assert each.advertises(0)
    with pytest.raises(ConnectRefused):
        each.connect(0)
    each.connect(S)


def test_batteries() -> None:
    low = Fault(FaultKind.LOW_BATTERY, 1.0)
    assert [sensor(DOT, low).read(dot_device.BATTERY, at)[0] for at in (0, S)] == [80, 5]
    assert [sensor(GENERIC, low).read(generic_device.BATTERY, at)[0] for at in (0, S)] == [80, 5]
    each = started(sensor(WIT, low))
    each.write(witmotion_device.WRITE, witmotion_device.ask(witmotion_device.BATTERY), S)
    answers = [data for _, data in each.due(S) if data.startswith(b"\x55\x71")]
    assert witmotion_device.read_answer(answers[0]).battery_percent == 5


def test_synchronisation_takes_its_time() -> None:
    each = VirtualSensor(ADDRESS, DOT, SWING, 0, sync_s=10.0)
    each.connect(0)
    each.write(dot_device.MESSAGE_CONTROL, dot_messages.start_sync(ADDRESS), 0)
    for at_s, result in ((5, dot_messages.SyncResult.NOT_STARTED), (10, dot_messages.SyncResult.DONE)):
        answer = each.read(dot_device.MESSAGE_ACKNOWLEDGE, at_s * S)
        assert dot_messages.read_sync_answer(answer) == (dot_messages.SYNC_RESULT, result)

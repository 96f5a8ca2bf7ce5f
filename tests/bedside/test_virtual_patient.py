"""The simulated patient through virtual sensors: the frames that come out are those that went in."""

from __future__ import annotations

import heapq
import itertools

import numpy as np
import pytest

from rehabcount.bedside.rigging import Choice
from rehabcount.bedside.virtual_patient import session_of, worn_by
from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Rig, Sensor, Side
from rehabcount.engine import walk
from rehabcount.sensors.families import FAMILIES, Family
from rehabcount.sensors.simulated import packets_of
from rehabcount.sensors.virtual import VirtualSensor
from rehabcount.signals.frames import joined
from rehabcount.simulate.recording import Recording

S = 1_000_000_000
CHOICE = Choice("three", Side.RIGHT)


@pytest.fixture(scope="module")
def recording() -> Recording:
    return session_of(CHOICE, 0.5)


def test_all_at_once_is_the_stream_to_the_bit(recording: Recording) -> None:
    packets = packets_of(recording)
    stream = joined(list(walk.frames(packets, recording.rig)), len(recording.rig))
    at_once = walk.frames_all(packets, recording.rig)
    np.testing.assert_array_equal(at_once.values, stream.values)
    np.testing.assert_array_equal(at_once.valid, stream.valid)
    assert len(walk.frames_all([], recording.rig)) == 0


def test_in_parts_is_the_stream_to_the_bit(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "PART_SAMPLES", 500)
    packets = packets_of(recording)
    stream = joined(list(walk.frames(packets, recording.rig)), len(recording.rig))
    blocks = list(walk.frames_in_parts(packets, recording.rig))
    assert len(blocks) > 5
    in_parts = joined(blocks, len(recording.rig))
    np.testing.assert_array_equal(in_parts.time_s, stream.time_s)
    np.testing.assert_array_equal(in_parts.values, stream.values)
    np.testing.assert_array_equal(in_parts.valid, stream.valid)
    assert list(walk.frames_in_parts([], recording.rig)) == []


def sent_by(sensor: VirtualSensor, name: str, length_s: float) -> list[Packet]:
    """All packets of the sensor, each with the time at which it was due."""
    sensor.connect(0)
    for write in sensor.family.configure(sensor.family.rate_hz):
        sensor.write(write.characteristic, write.data, 0)
    sensor.notify(sensor.family.stream, True, 0)
    for write in sensor.family.start:
        sensor.write(write.characteristic, write.data, 0)
    return [
        Packet(name, data, now_ns)
        for now_ns in range(0, round(length_s * S), S // 200)
        for uuid, data in sensor.due(now_ns)
        if uuid == sensor.family.stream
    ]


@pytest.mark.parametrize(
    "family", [FAMILIES["dot"], FAMILIES["wit"], FAMILIES["generic"]], ids=["dot", "wit", "generic"]
)
def test_what_goes_in_comes_out(recording: Recording, family: Family) -> None:
    assert recording.side is Side.RIGHT
    motion_of, _ = worn_by(recording)
    places = CHOICE.places
    rig = Rig("three", tuple(Sensor(place.value, place, family.layout, family.rate_hz) for place in places))
    streams = [
        sent_by(VirtualSensor(f"D4:22:CD:00:00:{i:02X}", family, motion_of(place), 0), place.value, 28.0)
        for i, place in enumerate(places)
    ]
    packets = list(heapq.merge(*streams, key=lambda packet: packet.received_ns))
    got = joined(list(walk.frames(packets, rig)), len(rig))
    truth = joined(list(walk.frames(packets_of(recording), recording.rig)), len(recording.rig))
    start = round(packets[0].received_ns / S * 100)  # frames by which the second session begins later
    n = min(len(got), len(truth) - start) - 200
    for i, place in enumerate(places):
        j = recording.rig.places.index(place)
        both = got.valid[100:n, i] & truth.valid[100 + start : n + start, j]
        assert both.mean() > 0.95
        ours, theirs = got.gyr[100:n, i][both], truth.gyr[100 + start : n + start, j][both]
        off = min(
            float(np.sqrt(np.mean(np.sum((ours[k : len(ours) - 8 + k] - theirs[4:-4]) ** 2, axis=1)))) for k in range(9)
        )
        moved = float(np.sqrt(np.mean(np.sum(theirs**2, axis=1))))
        assert off < 0.15 * moved + 0.02, (place, off, moved)


def test_every_place_has_its_own_motion(recording: Recording) -> None:
    motion_of, _ = worn_by(recording)
    time_s = np.arange(0, 20, 0.1)
    for one, other in itertools.combinations(CHOICE.places, 2):
        assert np.abs(motion_of(one)(time_s).acc - motion_of(other)(time_s).acc).max() > 1.0

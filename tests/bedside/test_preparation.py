"""A set-up with virtual sensors: found, told apart by moving, calibrated, and handed over without a break."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from rehabcount.bedside import preparation as preparing
from rehabcount.bedside import rigging
from rehabcount.bedside.config import Settings
from rehabcount.bedside.guide_steps import GuideStep
from rehabcount.bedside.preparation import Air, Broken, News, Preparation, RigCalibrated
from rehabcount.bedside.rigging import Choice
from rehabcount.bedside.wearer import Wearer
from rehabcount.domain.arrays import Floats
from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Place, Rig, Side
from rehabcount.domain.update import Phase, PhaseName, Recorded, Said, SensorHealth
from rehabcount.errors import BluetoothOff, CalibrationError
from rehabcount.sensors import assignment
from rehabcount.sensors.assignment import Remembered, adopted
from rehabcount.sensors.families import FAMILIES
from rehabcount.sensors.radio.inprocess import backend_of
from rehabcount.sensors.radio.supervisor import Radio
from rehabcount.sensors.virtual import IdealReading, VirtualSensor
from rehabcount.sensors.virtual_faults import FaultKind

THREE = Choice("three", Side.RIGHT, "dot")


class Listener:
    def __init__(self) -> None:
        self.air: Air | None = None
        self.calibrated: RigCalibrated | None = None
        self.broken: Broken | None = None
        self._changed = threading.Condition()

    def __call__(self, news: News) -> None:
        with self._changed:
            if isinstance(news, Air):
                self.air = news
            elif isinstance(news, Broken):
                self.broken = news
            else:
                self.calibrated = news
            self._changed.notify_all()

    @property
    def now(self) -> Air:
        assert self.air is not None
        return self.air

    def wait(self, what: Callable[[Air], object], length_s: float = 20.0) -> Air:
        with self._changed:
            assert self._changed.wait_for(lambda: self.air is not None and what(self.air), length_s), self.air
            assert self.air is not None
            return self.air

    def wait_broken(self, length_s: float) -> Broken:
        with self._changed:
            assert self._changed.wait_for(lambda: self.broken is not None, length_s)
            assert self.broken is not None
            return self.broken

    def wait_calibrated(self, length_s: float) -> RigCalibrated:
        with self._changed:
            assert self._changed.wait_for(lambda: self.calibrated is not None, length_s)
            assert self.calibrated is not None
            return self.calibrated


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_folder=str(tmp_path))


@pytest.fixture
def begin(settings: Settings) -> Iterator[Callable[..., tuple[Preparation, Listener]]]:
    begun: list[Preparation] = []

    def make(choice: Choice = THREE, wake: Callable[[], Wearer] | None = None) -> tuple[Preparation, Listener]:
        listener = Listener()
        begun.append(Preparation(settings, choice, listener, wake=wake))
        return begun[-1], listener

    yield make
    for each in begun:
        each.close()


def resting(time_s: Floats) -> IdealReading:
    n = len(time_s)
    return IdealReading(np.tile([0.0, 0.0, 9.81], (n, 1)), np.zeros((n, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)))


class Limb:
    """Rests until it is lifted."""

    def __init__(self) -> None:
        self.lifted = False

    def __call__(self, time_s: Floats) -> IdealReading:
        reading = resting(time_s)
        if not self.lifted:
            return reading
        swing = np.sin(2 * np.pi * time_s)[:, None]
        return IdealReading(reading.acc + 4 * swing, np.tile([2.0, 0.0, 0.0], (len(time_s), 1)) * swing, reading.quat)


def test_sensors_come_in_and_fill_their_places(begin: Callable[..., tuple[Preparation, Listener]]) -> None:
    _, listener = begin()
    air = listener.wait(lambda air: air.sensors and not air.missing)
    assert {seen.place for seen in air.sensors} == set(THREE.places)
    assert all(seen.health is not None and seen.health.battery_percent == 80 for seen in air.sensors)


def test_a_lifted_limb_is_told_from_resting_ones_and_remembered(
    begin: Callable[..., tuple[Preparation, Listener]], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    limbs = {f"D4:22:CD:00:00:0{i}": Limb() for i in (1, 2)}
    air = [VirtualSensor(key, FAMILIES["dot"], limb, time.monotonic_ns()) for key, limb in limbs.items()]
    monkeypatch.setattr(preparing, "open_radio", lambda *_, **__: Radio(backend=backend_of(air)))
    preparation, listener = begin(Choice("three", Side.RIGHT))  # not virtual: nothing is remembered, and new is kept
    listener.wait(lambda air: len(air.sensors) == 2)
    assert all(seen.health is None for seen in listener.now.sensors)  # other people's sensors are not connected
    preparation.ask(Place.RIGHT_HAND)
    listener.wait(lambda air: all(seen.streams for seen in air.sensors))
    time.sleep(0.5)
    assert listener.now.asking is Place.RIGHT_HAND  # no limb has moved yet
    limbs["D4:22:CD:00:00:02"].lifted = True
    found = listener.wait(lambda air: air.at(Place.RIGHT_HAND))
    seen = found.at(Place.RIGHT_HAND)
    assert seen is not None
    assert seen.address == "D4:22:CD:00:00:02"
    assert found.asking is None
    deadline_s = time.monotonic() + 5
    while not assignment.load(settings.sensor_book) and time.monotonic() < deadline_s:
        time.sleep(0.05)
    assert assignment.load(settings.sensor_book) == (Remembered(seen.address, "dot", Place.RIGHT_HAND),)


def test_a_place_has_one_sensor(begin: Callable[..., tuple[Preparation, Listener]]) -> None:
    preparation, listener = begin()
    air = listener.wait(lambda air: not air.missing and air.sensors)
    hand, sternum = air.at(Place.RIGHT_HAND), air.at(Place.STERNUM)
    assert hand is not None
    assert sternum is not None
    preparation.assign(hand.address, Place.STERNUM)
    air = listener.wait(lambda air: air.at(Place.RIGHT_HAND) is None)
    assert {seen.address: seen.place for seen in air.sensors}[hand.address] is Place.STERNUM
    assert {seen.address: seen.place for seen in air.sensors}[sternum.address] is None


def test_trouble_is_told_and_tried_again(
    begin: Callable[..., tuple[Preparation, Listener]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "RETRY_S", 0.2)
    off = [True]

    def switched(*args: object, **options: object) -> Radio:
        if off[0]:
            raise BluetoothOff("Bluetooth is off.", advice="Switch it on.")
        return rigging.open_radio(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(preparing, "open_radio", switched)
    _, listener = begin()
    air = listener.wait(lambda air: air.trouble)
    assert isinstance(air.trouble, BluetoothOff)
    off[0] = False
    air = listener.wait(lambda air: not air.trouble and not air.missing and air.sensors)
    assert air.ready


@pytest.mark.slow  # half a minute, by the clock
def test_the_simulated_patient_is_calibrated_and_the_session_goes_on_from_there(
    begin: Callable[..., tuple[Preparation, Listener]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rehabcount.bedside.wearer.MINUTES", 0.5)
    preparation, listener = begin(wake=lambda: Wearer(THREE, 4))
    listener.wait(lambda air: air.sensors and not air.missing)
    length_s = preparation.begin_calibration()
    assert length_s < 30
    done = listener.wait_calibrated(length_s + 20)
    assert done.calibration.verdict is not Verdict.REPEAT, done.calibration.advice
    assert [sensor.place for sensor in done.rig.sensors] == list(THREE.places)
    stream: list[Recorded] = []
    ended = threading.Event()
    source = preparation.hand_over(done.rig)
    assert source.simulated
    source.start(stream.append, ended.set)
    kept = len(stream)
    time.sleep(1.0)
    source.close()
    assert ended.is_set()
    first = stream[0]
    assert isinstance(first, Said)
    assert first.what == Phase(PhaseName.CALIBRATING, 0.0)
    assert any(isinstance(each, Said) and isinstance(each.what, SensorHealth) for each in stream)
    heard = [item for item in stream if not isinstance(item, Said)]
    assert kept > length_s * 60 * 3 * 0.9  # all of the calibration, of three sensors at 60 Hz
    assert len(heard) > kept + 100  # and it goes on
    assert {item.sensor for item in heard} == set(done.rig.names)
    for name in done.rig.names:
        ticks = [item.received_ns for item in heard if item.sensor == name and isinstance(item, Packet)]
        assert max(np.diff(ticks)) < 0.5e9  # without a break


def test_nothing_heard_means_repeat(begin: Callable[..., tuple[Preparation, Listener]]) -> None:
    preparation, _ = begin()
    found = preparation._calibration([], Rig("three", ()), 0)
    assert found.verdict is Verdict.REPEAT
    assert found.advice


def test_after_a_calibration_that_failed_sensors_are_looked_for_again(
    begin: Callable[..., tuple[Preparation, Listener]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sensor that is switched on after a failed calibration must be found, or the next calibration fails, too."""
    monkeypatch.setattr(preparing, "GUIDE", (GuideStep("still", 0.1),))
    monkeypatch.setattr(preparing, "TRAILING_S", 0.0)
    preparation, listener = begin()
    listener.wait(lambda air: air.sensors and not air.missing)
    for verdict in (Verdict.REPEAT, Verdict.GOOD):
        monkeypatch.setattr(preparation, "_calibration", lambda *_, found=verdict: Calibration((), 0.0, found))
        listener.calibrated = None
        preparation.begin_calibration()
        assert listener.wait_calibrated(10).calibration.verdict is verdict
        assert preparation._settled == (verdict is Verdict.GOOD)


def test_without_a_sensor_there_is_no_calibration(
    begin: Callable[..., tuple[Preparation, Listener]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "open_radio", lambda *_, **__: Radio(backend=backend_of([])))
    preparation, listener = begin()
    assert not listener.wait(lambda air: air.ready).sensors
    with pytest.raises(CalibrationError, match="nothing to calibrate") as refused:
        preparation.begin_calibration()
    assert "Switch the sensors on" in refused.value.advice
    assert preparation._guide_begun_ns is None


def test_a_sensor_that_falls_silent_breaks_the_calibration_off_at_once(
    begin: Callable[..., tuple[Preparation, Listener]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        preparing, "GUIDE", (GuideStep("ready", 0.2), GuideStep("still", 600.0), GuideStep("elbow", 600.0))
    )
    air = {
        place: VirtualSensor(rigging._address(place), FAMILIES["dot"], resting, time.monotonic_ns())
        for place in THREE.places
    }
    monkeypatch.setattr(preparing, "open_radio", lambda *_, **__: Radio(backend=backend_of(air.values())))
    preparation, listener = begin()
    listener.wait(lambda air: air.sensors and not air.missing)
    assert preparation.begin_calibration() > 1000
    time.sleep(0.4)  # into the pose
    air[Place.RIGHT_HAND].add_fault(FaultKind.DEATH, time.monotonic_ns())
    assert listener.wait_broken(10) == Broken("still", (Place.RIGHT_HAND,))
    assert listener.calibrated is None
    listener.wait(lambda air: air.missing == (Place.RIGHT_HAND,))
    assert preparation.begin_calibration() > 1000  # with those that are left


def test_sensors_of_the_other_arm_take_over() -> None:
    book = [
        Remembered("A", "dot", Place.LEFT_HAND),
        Remembered("B", "dot", Place.STERNUM),
        Remembered("C", "dot", Place.LEFT_UPPER_ARM),
        Remembered("D", "dot", Place.RIGHT_UPPER_ARM),
    ]
    found = {each.place: each.address for each in adopted(book, THREE.places)}
    assert found == {Place.RIGHT_HAND: "A", Place.STERNUM: "B", Place.RIGHT_UPPER_ARM: "D"}

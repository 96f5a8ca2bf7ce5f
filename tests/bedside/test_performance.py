"""A simulated patient who trains without end: calibrated once, and the true movements are known at any time."""

from __future__ import annotations

import heapq
from itertools import pairwise

import numpy as np
import pytest

from rehabcount.bedside import wearer
from rehabcount.bedside.demo import Comparison, shifted
from rehabcount.bedside.performance import SEAM_S, Performance
from rehabcount.bedside.rigging import Choice
from rehabcount.bedside.session import LiveSession
from rehabcount.bedside.virtual_patient import session_of, worn_by
from rehabcount.bedside.wearer import Wearer
from rehabcount.domain.dose import Plan
from rehabcount.domain.labels import IDLE, OTHER
from rehabcount.domain.rig import Place, Rig, Sensor, Side
from rehabcount.domain.update import Calibrated as SaidCalibrated
from rehabcount.domain.update import Phase, PhaseName, Recorded, Said, Update
from rehabcount.sensors.families import GENERIC
from rehabcount.sensors.virtual import VirtualSensor
from rehabcount.signals.rotation import angle_between, angular_rate, rotate
from rehabcount.simulate.recording import Recording
from rehabcount.store.documents import SIDE, TrainedSide
from rehabcount.store.session_file import SessionFile
from tests.bedside.test_virtual_patient import sent_by
from tests.sensors.radio.patient import model_to_try

CHOICE = Choice("three", Side.RIGHT, "generic")
S = 1_000_000_000


@pytest.fixture(scope="module")
def recording() -> Recording:
    return session_of(CHOICE, 3.0, 13)


@pytest.fixture(scope="module")
def performance(recording: Recording) -> Performance:
    return Performance(recording, worn_by(recording)[0])


def test_the_simulated_patient_of_the_window_is_calibrated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the calibration was repeated after the recording's end, and nothing was counted for half a minute."""
    monkeypatch.setattr(wearer, "MINUTES", 0.5)
    patient = Wearer(CHOICE, 4)
    patient.begin()
    assert patient._begun_s is not None
    motion = patient.motion_of(CHOICE.places[0])
    time_s = np.arange(5.0, patient.recording.span("calibration", "done")[0], 0.1)
    calibration = motion(patient._begun_s + time_s).gyr
    again = motion(patient._begun_s + patient.recording.length_s + time_s).gyr
    alike = np.corrcoef(np.linalg.norm(calibration, axis=1), np.linalg.norm(again, axis=1))[0, 1]
    assert np.abs(calibration).max() > 0.5, "the elbow is bent"
    assert alike < 0.8


def test_after_the_calibration_training_never_stops(performance: Performance, recording: Recording) -> None:
    until_s = 20 * 60.0
    done_s = recording.span("calibration", "done")[1]
    segments = performance.segments(until_s)
    for side in Side:
        own = [each for each in segments if each.side is side]
        assert own[0].start_s == 0.0
        assert own[-1].end_s >= until_s
        for one, other in pairwise(own):
            assert one.end_s == pytest.approx(other.start_s), "what was done is known at every moment"
    counted = [each for each in segments if each.side is recording.side and each.label not in (IDLE.name, OTHER.name)]
    starts = np.array([each.start_s for each in counted])
    assert starts.min() >= done_s
    assert np.diff(starts).max() < 30.0
    assert until_s - starts.max() < 30.0


def test_every_round_is_another(performance: Performance) -> None:
    parts = performance._parts_until(30 * 60.0)
    assert len({part.from_s for part in parts[1:]}) > 2
    orders = [tuple(part.from_s for part in parts[k : k + 4]) for k in range(0, len(parts) - 4, 4)]
    assert len(set(orders)) > len(orders) / 2
    assert all(one.from_s != other.from_s for one, other in pairwise(parts)), "nothing twice in a row"


def test_the_same_recording_is_performed_the_same(performance: Performance, recording: Recording) -> None:
    again = Performance(recording, worn_by(recording)[0])
    assert again.segments(900.0) == performance.segments(900.0)
    time_s = np.arange(0.0, 600.0, 0.37)
    place = CHOICE.places[0]
    whole = performance.motion_of(place)(time_s)
    late = again.motion_of(place)  # asked in blocks, as a sensor does, and out of order
    blocks = [late(block) for block in np.array_split(time_s, 40)[::-1]][::-1]
    np.testing.assert_array_equal(whole.gyr, np.concatenate([block.gyr for block in blocks]))
    np.testing.assert_allclose(whole.quat, np.concatenate([block.quat for block in blocks]), atol=1e-12)


@pytest.mark.parametrize("place", CHOICE.places)
def test_a_seam_is_a_movement_that_a_body_can_make(performance: Performance, place: Place) -> None:
    """Rate, gravity and orientation are consistent and continuous."""
    motion = performance.motion_of(place)
    seams = [part for part in performance._parts_until(900.0) if part.seam_s]
    assert len(seams) > 5
    for part in seams:
        time_s = np.arange(part.start_s - SEAM_S - 0.05, part.start_s + 0.05, 0.01)
        reading = motion(time_s)
        steps = angle_between(reading.quat[:-1], reading.quat[1:])
        assert steps.max() < np.radians(4.0), "no leap"
        inside = (time_s > part.start_s - SEAM_S) & (time_s < part.start_s)
        turned = angular_rate(reading.quat[inside], 100.0)
        np.testing.assert_allclose(turned[1:], reading.gyr[inside][1:], atol=0.05)
        np.testing.assert_allclose(rotate(reading.quat, reading.acc)[inside], [[0, 0, 9.81]] * inside.sum(), atol=1e-9)


def test_calibrated_means_that_training_begins_at_once(recording: Recording) -> None:
    ready = Performance(recording, worn_by(recording)[0], calibrated=True)
    found = [each for each in ready.segments(20.0) if each.side is recording.side]
    assert found[0].start_s == 0.0
    assert [each for each in found if each.label not in (IDLE.name, OTHER.name)]
    assert OTHER.name not in {each.label for each in found}, "the calibration's label"


@pytest.mark.slow
def test_what_is_counted_in_later_rounds_is_what_was_done(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Eight minutes of a recording of three: the truth that the demo compares with is on the sensors' clock."""
    length_s = 480.0
    choice = Choice("five", Side.RIGHT, "generic")
    recording = session_of(choice, 3.0, 13)
    motion_of, calibration = worn_by(recording)
    performance = Performance(recording, motion_of, calibrated=True)
    rig = Rig("five", tuple(Sensor(each.value, each, GENERIC.layout, GENERIC.rate_hz) for each in choice.places))
    sensors = [
        VirtualSensor(f"D4:{i}", GENERIC, performance.motion_of(each), 0) for i, each in enumerate(choice.places)
    ]
    streams = [sent_by(each, place.value, length_s) for each, place in zip(sensors, choice.places, strict=True)]
    packets = list(heapq.merge(*streams, key=lambda packet: packet.received_ns))
    begun_ns = packets[0].received_ns
    said = [Said(SaidCalibrated(calibration, True, 0.0), begun_ns), Said(Phase(PhaseName.COUNTING, 0.0), begun_ns)]
    path = tmp_path_factory.mktemp("performance") / "a.rehab"
    items: list[Recorded] = [*said, *packets]
    with SessionFile.create(path, rig) as file:
        file.put_document(SIDE, TrainedSide(choice.side))
        file.append(items)
        file.close_session()
    updates: list[Update] = []
    session = LiveSession.replay(path, model_to_try(), None, on_update=updates.append)
    session.start()
    session.wait()
    truth = shifted(performance.segments(length_s), begun_ns)
    found = Comparison.of(updates, truth, Plan(), choice.side, length_s - begun_ns / S)
    repetitions, *primitives = found.rows()
    assert repetitions[2] > 40
    for what, counted, true in (repetitions, *primitives):
        assert abs(counted - true) <= 0.15 * true + 3, what

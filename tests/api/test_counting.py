"""Files, arrays and chunks are counted by the bedside's walk, and give the same."""

from __future__ import annotations

import gc
import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rehabcount as rc
from rehabcount.api.array_advice import FOR_ARRAYS
from rehabcount.domain.arrays import Floats
from rehabcount.domain.calibration import Verdict
from rehabcount.domain.message import ENGLISH, Code, blanks_of
from rehabcount.domain.motion import Samples
from rehabcount.domain.rig import Place, Rig, Sensor
from rehabcount.domain.update import Event, Phase, PhaseName, Recorded, Said
from rehabcount.engine.session import SessionSettings, updates
from rehabcount.inference.runtime import Model
from rehabcount.sensors.encode import encode

UNTIL_S = 34.0  # the calibration, and ten seconds of a drink


@pytest.fixture(scope="module")
def stranger(person: rc.SimulatedRecording) -> tuple[Floats, Floats, Floats]:
    """The times, acc and gyr of a sensor of 52 Hz that starts its clock at some other time, and loses samples."""
    times = np.arange(int(UNTIL_S * 52)) / 52.0
    acc, gyr = (
        np.stack(
            [
                np.stack([np.interp(times, person.time_s, array[:, sensor, axis]) for axis in range(3)], axis=1)
                for sensor in range(array.shape[1])
            ],
            axis=1,
        )
        for array in (person.acc, person.gyr)
    )
    acc[np.random.default_rng(1).random(acc.shape[:2]) < 0.01] = np.nan
    return times + 1000.0, acc, gyr


@pytest.fixture(scope="module")
def spans(person: rc.SimulatedRecording) -> dict[str, tuple[float, float]]:
    return {step: (start_s + 1000.0, end_s + 1000.0) for step, (start_s, end_s) in person.calibration.items()}


@pytest.fixture(scope="module")
def whole(
    stranger: tuple[Floats, Floats, Floats],
    spans: dict[str, tuple[float, float]],
    person: rc.SimulatedRecording,
    reflex: Model,
) -> rc.CountResult:
    times, acc, gyr = stranger
    return rc.count_arrays(acc, gyr, 52, person.places, person.side, calibration=spans, time_s=times)


def test_a_sensor_of_52_hz_is_counted_on_its_own_time_axis(
    whole: rc.CountResult, spans: dict[str, tuple[float, float]]
) -> None:
    assert whole.calibration is not None
    assert whole.calibration.verdict is Verdict.GOOD
    assert whole.length_s == pytest.approx(UNTIL_S, abs=0.1)
    assert whole.counted_s == pytest.approx(UNTIL_S - (spans["forearm"][1] - spans["still"][0]), abs=0.2)
    assert len(whole.events) > 10
    assert all(1000.0 <= event.start_s < event.end_s <= 1000.0 + UNTIL_S for event in whole.events)
    assert sum(amount.number for amount in whole.primitives.values()) > 0


def test_what_was_moved_for_the_calibration_does_not_count(
    whole: rc.CountResult, spans: dict[str, tuple[float, float]]
) -> None:
    within = [
        event for event in whole.events if spans["still"][0] <= event.start_s and event.end_s < spans["forearm"][1]
    ]
    assert within
    assert not any(event.counts for event in within)
    check_counts(whole)


def check_counts(result: rc.CountResult) -> None:
    """The events that say that they count are those in the numbers."""
    for count in result.dose.counts:
        mine = [event for event in result.events if event.counts and event.side is count.side]
        expected = 0 if count.label == "idle" else count.number
        assert sum(event.label == count.label for event in mine) == expected
    assert any(event.counts for event in result.events)
    assert not any(event.counts for event in result.events if event.label in ("idle", "other"))


def test_the_movements_of_a_calibration_object_count(
    stranger: tuple[Floats, Floats, Floats],
    spans: dict[str, tuple[float, float]],
    person: rc.SimulatedRecording,
    whole: rc.CountResult,
    reflex: Model,
) -> None:
    times, acc, gyr = stranger
    found = rc.calibrate_arrays(acc, gyr, 52, person.places, person.side, spans, time_s=times)
    assert found == whole.calibration
    result = rc.count_arrays(acc, gyr, 52, person.places, person.side, calibration=found, time_s=times)
    assert sum(event.counts for event in result.events) > sum(event.counts for event in whole.events)
    check_counts(result)


@settings(max_examples=4)
@given(data=st.data())
def test_chunks_give_the_events_of_the_whole(
    data: st.DataObject,
    stranger: tuple[Floats, Floats, Floats],
    spans: dict[str, tuple[float, float]],
    person: rc.SimulatedRecording,
    whole: rc.CountResult,
) -> None:
    times, acc, gyr = stranger
    cuts = data.draw(st.lists(st.integers(0, len(times)), max_size=30))
    calibration = data.draw(st.sampled_from([spans, whole.calibration]))
    assert calibration is not None
    counter = rc.Counter(person.places, person.side, calibration, 52)
    edges = [0, *sorted(cuts), len(times)]
    found: list[rc.CountedEvent] = []
    for begin, end in pairwise(edges):
        found += counter.push(acc[begin:end], gyr[begin:end], times[begin:end])
    found += counter.finish()
    assert tuple(found) == counter.result().events
    moved = [replace(event, counts=False) for event in found]
    assert moved == [replace(event, counts=False) for event in whole.events]
    if calibration is spans:
        assert counter.dose == whole.dose
        assert counter.result() == whole


def test_events_come_while_motion_comes_in(
    stranger: tuple[Floats, Floats, Floats],
    spans: dict[str, tuple[float, float]],
    person: rc.SimulatedRecording,
    reflex: Model,
) -> None:
    times, acc, gyr = stranger
    counter = rc.Counter(person.places, person.side, spans, 52)
    for begin in range(0, len(times), 26):
        here = slice(begin, begin + 26)
        for event in counter.push(acc[here], gyr[here], times[here]):
            waited_s = times[min(begin + 26, len(times)) - 1] - event.end_s
            assert waited_s < 3.0 or times[begin] < spans["forearm"][1] + 2.0
    assert counter.dose.counts
    counter.finish()


def test_arrays_give_what_the_walk_gives(person: rc.SimulatedRecording, whole: rc.CountResult, reflex: Model) -> None:
    """Another way to the same: the walk over packets that were cut otherwise, with what a therapist would have said."""
    number = int(UNTIL_S * person.rate_hz)
    result = rc.count_arrays(
        person.acc[:number], person.gyr[:number], 100, person.places, person.side, calibration=person.calibration
    )
    rig = Rig("three", tuple(Sensor(place, Place(place), "sample", 100.0) for place in person.places))
    ticks = np.arange(number, dtype=np.int64) * 10_000
    streams = [
        encode(Samples(name, ticks * 1000, ticks, person.acc[:number, i], person.gyr[:number, i]), "sample")
        for i, name in enumerate(rig.names)
    ]
    packets = sorted((packet for stream in streams for packet in stream), key=lambda packet: packet.received_ns)
    begun_ns = packets[0].received_ns
    still, turned = person.calibration["still"], person.calibration["forearm"]
    said = [
        Said(Phase(PhaseName.CALIBRATING, 0.0), round(still[0] * 1e9)),
        Said(Phase(PhaseName.COUNTING, 0.0), round(turned[1] * 1e9)),
    ]
    items: list[Recorded] = sorted([*said, *packets], key=lambda item: item.received_ns)
    expected = [
        (update.segment.label, update.segment.side, update.segment.start_s + begun_ns / 1e9)
        for update in updates(items, SessionSettings(rig, person.side, calibration=result.calibration), reflex)
        if isinstance(update, Event)
    ]
    found = [(event.label, event.side, event.start_s) for event in result.events]
    assert [each[:2] for each in found] == [each[:2] for each in expected]
    assert max(abs(a[2] - b[2]) for a, b in zip(found, expected, strict=True)) < 0.1


def test_a_count_of_a_file_writes_nothing_unless_asked(saved: Path, reflex: Model) -> None:
    before = saved.read_bytes()
    result = rc.count(saved)
    assert saved.read_bytes() == before
    assert rc.open_session(saved).events() == ()
    kept = rc.count(rc.open_session(saved), keep=True)
    assert kept.events == result.events
    check_counts(kept)
    again = rc.count(saved)  # from the file
    assert again.events == kept.events
    assert rc.open_session(saved).events() == tuple(sorted(kept.events, key=lambda event: event.start_s))


def test_the_other_arm_can_be_asked_for_and_a_wrong_one_is_refused(saved: Path, reflex: Model) -> None:
    with pytest.raises(rc.InputRefused, match="side is 'both'"):
        rc.count(saved, side="both")
    with pytest.raises(rc.RehabcountError, match="left arm"):
        rc.count(saved, side="left")


def test_a_result_says_that_it_is_an_estimate(whole: rc.CountResult) -> None:
    assert "Counts are estimates" in str(whole)
    assert "accuracy on patients unknown" in str(whole)
    assert {event.side for event in whole.events_of()} == {whole.side}


def test_a_sensor_that_gave_nothing_is_said(person: rc.SimulatedRecording, reflex: Model) -> None:
    acc = person.acc[:2700].copy()
    acc[:, 2] = np.nan
    result = rc.count_arrays(acc, person.gyr[:2700], 100, person.places, person.side, calibration=person.calibration)
    assert result.health["Lost"] == 1
    assert "Read with care: the input had faults (Gap 1, Lost 1); the calibration is usable only" in str(result)
    assert "sternum has no valid sample in the span `still`" in str(result)


@pytest.mark.parametrize(
    ("spans", "words"),
    [
        ({"still": (2, 5), "elbow": (6, 14)}, "belong together"),
        ({"elbow": (6, 14), "forearm": (15, 22)}, "still alone will do"),
        ({"pose": (2, 5)}, "still"),
        ({"still": (5, 2)}, "start_s comes first"),
        ({"still": (2, 5), "elbow": (15, 22), "forearm": (6, 14)}, "exchange the two spans"),
        ({"still": 5}, "start_s, end_s"),
        ([1, 2], "start_s, end_s"),
        ({"still": (900, 905)}, "on the time axis of the arrays"),
    ],
)
def test_a_calibration_that_cannot_be_is_refused(
    person: rc.SimulatedRecording, reflex: Model, spans: dict[str, tuple[float, float]], words: str
) -> None:
    with pytest.raises(rc.InputRefused) as found:
        rc.count_arrays(person.acc[:1000], person.gyr[:1000], 100, person.places, person.side, calibration=spans)
    assert words in found.value.advice


def test_a_calibration_that_must_be_repeated_is_not_counted_with(person: rc.SimulatedRecording, reflex: Model) -> None:
    moved = {"still": (26.0, 29.0), "elbow": (6.0, 14.0), "forearm": (15.0, 22.0)}  # the pose while drinking
    with pytest.raises(rc.CalibrationError) as found:
        rc.count_arrays(person.acc[:4000], person.gyr[:4000], 100, person.places, person.side, calibration=moved)
    assert found.value.advice.endswith("calibrate_arrays(..., keep_bad=True) gives it nevertheless.")
    arguments = person.acc[:4000], person.gyr[:4000], 100, person.places, person.side
    with pytest.raises(rc.CalibrationError, match="cannot be used"):
        rc.calibrate_arrays(*arguments, moved)
    kept = rc.calibrate_arrays(*arguments, moved, keep_bad=True)
    assert kept.verdict is Verdict.REPEAT
    result = rc.count_arrays(*arguments, calibration=kept)
    assert result.calibration == kept
    assert "the calibration is repeat only" in str(result)


def test_advice_about_a_calibration_speaks_of_arrays(person: rc.SimulatedRecording, reflex: Model) -> None:
    swapped = [person.places[2], person.places[1], person.places[0]]
    with pytest.raises(rc.CalibrationError) as found:
        rc.count_arrays(person.acc[:2700], person.gyr[:2700], 100, swapped, person.side, calibration=person.calibration)
    assert "check that `places` names the sensors in the order of the arrays" in found.value.advice
    for word in ("exchange them", "repeat.", "switch", "assign", "strapped"):
        assert word not in found.value.advice
    with pytest.raises(rc.CalibrationError) as found:
        rc.calibrate_arrays(
            np.where(np.arange(2700)[:, None, None] < 400, np.nan, person.acc[:2700, :1]),
            person.gyr[:2700, :1],
            100,
            ["right-hand"],
            "right",
            {"still": (4, 4.2)},
        )
    assert found.value.advice.startswith("Check the span, in seconds on the time axis of the arrays")


def test_every_advice_of_a_calibration_has_words_for_arrays() -> None:
    codes = {code for code in Code if code.value.startswith("calibration.")}
    of_the_radio = {Code.NONE_SENT, Code.CHECK_ALL_ON, Code.NO_ACCELERATION}  # arrays cannot get there
    assert set(FOR_ARRAYS) == codes - of_the_radio
    for code, sentence in FOR_ARRAYS.items():
        assert blanks_of(sentence) <= blanks_of(ENGLISH[code])


@pytest.mark.parametrize("lost", ["acc", "gyr", "both", "empty"])
def test_no_valid_sample_is_said(person: rc.SimulatedRecording, reflex: Model, lost: str) -> None:
    acc, gyr = person.acc[:1000].copy(), person.gyr[:1000].copy()
    if lost == "empty":
        acc, gyr = acc[:0], gyr[:0]
    if lost in ("acc", "both"):
        acc[:] = np.nan
    if lost in ("gyr", "both"):
        gyr[:] = np.nan
    words = "the arrays are empty" if lost == "empty" else "no sample is valid: of 1000 samples"
    with pytest.raises(rc.InputRefused, match=words):
        rc.count_arrays(acc, gyr, 100, person.places, person.side, calibration=person.calibration)
    with pytest.raises(rc.InputRefused, match=words):
        rc.calibrate_arrays(acc, gyr, 100, person.places, person.side, person.calibration)


def test_a_calibration_of_other_sensors_is_refused(person: rc.SimulatedRecording, whole: rc.CountResult) -> None:
    assert whole.calibration is not None
    with pytest.raises(rc.CalibrationError, match="left-hand"):
        rc.Counter(["left-hand"], "left", whole.calibration, 100)


def test_a_model_that_does_not_fit_is_refused_at_once(person: rc.SimulatedRecording, reflex: Model) -> None:
    with pytest.raises(rc.InputRefused, match="no sensor is on the left arm") as found:
        rc.Counter(["sternum"], "left", person.calibration, 100)
    assert found.value.advice.startswith("Check `places` (sternum) and `side` (left)")
    with pytest.raises(rc.InputRefused, match="needs a sensor"):
        rc.Counter(["left-upper-arm"], "left", person.calibration, 100)


def test_nothing_at_all_is_refused_plainly(person: rc.SimulatedRecording, reflex: Model) -> None:
    counter = rc.Counter(person.places, person.side, person.calibration, 100)
    assert counter.push(np.empty((0, 3, 3)), np.empty((0, 3, 3))) == ()
    with pytest.raises(rc.InputRefused):
        counter.finish()


def test_a_finished_counter_takes_no_more(whole: rc.CountResult, person: rc.SimulatedRecording, reflex: Model) -> None:
    assert whole.calibration is not None
    counter = rc.Counter(person.places, person.side, whole.calibration, 100)
    counter.push(person.acc[:300], person.gyr[:300])
    counter.finish()
    assert counter.finish() == ()
    with pytest.raises(rc.InputRefused, match="finished"):
        counter.push(person.acc[:300], person.gyr[:300])


def test_a_counter_that_is_dropped_leaves_no_thread(
    whole: rc.CountResult, person: rc.SimulatedRecording, reflex: Model
) -> None:
    assert whole.calibration is not None
    counter = rc.Counter(person.places, person.side, whole.calibration, 100)
    counter.push(person.acc[:300], person.gyr[:300])
    threads = [thread for thread in threading.enumerate() if thread.name == "rehabcount counter"]
    assert threads
    del counter
    gc.collect()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()

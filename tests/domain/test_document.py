"""Frozen types to JSON and back."""

from __future__ import annotations

import json
import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.domain.calibration import Calibration, Mounting, Verdict
from rehabcount.domain.document import from_document, read_json, to_document
from rehabcount.domain.dose import Count, Dose, Plan, PlannedActivity
from rehabcount.domain.message import Code, Message
from rehabcount.domain.rig import Place, Rig, Sensor, Side
from rehabcount.domain.sequence import Segment, Token
from rehabcount.domain.update import UPDATE_KINDS, Draft, Event, Gap, Update

RIG = Rig("two", (Sensor("a", Place.C7, "dot-26", 60.0, "D4"), Sensor("b", None, "generic", 100.0)))
CALIBRATION = Calibration(
    (
        Mounting(
            "a",
            Place.C7,
            (1.0, 0.0, 0.0, 0.0),
            0.3,
            0.9,
            "pose and mount",
            (Message.of(Code.PALM_DOWN, place="right-hand"),),
        ),
    ),
    0.9,
    Verdict.GOOD,
)
DOSE = Dose(
    (Count("reach", Side.LEFT, 3, 2.5),), 12.0, Plan((PlannedActivity("drinking", 20), PlannedActivity("shelf")))
)


@pytest.mark.parametrize(
    "value",
    [
        RIG,
        CALIBRATION,
        DOSE,
        Draft((Token("idle", Side.RIGHT, 0.0, 1.0, 0.5),)),
        Event(1, Segment("reach", Side.LEFT, 0.0, 0.5), 0.75),
        Gap("a", 1.0, 2.0),
    ],
)
def test_round_trip_through_json(value: object) -> None:
    assert from_document(type(value), json.loads(json.dumps(to_document(value)))) == value


@given(st.builds(Sensor, st.text(), st.sampled_from([None, *Place]), st.text(), st.floats(0.1, 1e4), st.text()))
def test_any_sensor_survives(sensor: Sensor) -> None:
    assert from_document(Sensor, json.loads(json.dumps(to_document(sensor)))) == sensor


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ({"name": "a", "place": "c7", "layout": "x"}, "Sensor lacks 'rate_hz'"),
        ({"name": "a", "place": "knee", "layout": "x", "rate_hz": 60}, "Sensor.place must be one of pelvis"),
        ({"name": 3, "place": "c7", "layout": "x", "rate_hz": 60}, "Sensor.name must be str, not 3"),
        ({"name": "a", "place": "c7", "layout": "x", "rate_hz": 60, "colour": 1}, "Sensor has no entry 'colour'"),
        ("a", "Sensor must be a table of Sensor"),
    ],
)
def test_complaints_name_the_place(document: object, complaint: str) -> None:
    with pytest.raises(ValueError) as caught:
        from_document(Sensor, document)
    assert complaint in str(caught.value)


def test_tuples_of_fixed_length_are_checked() -> None:
    document = to_document(CALIBRATION.mountings[0])
    document["quat"] = [1.0, 0.0]
    with pytest.raises(ValueError, match="quat must have 4 entries, not 2"):
        from_document(Mounting, document)


def test_what_has_no_json_form_is_refused() -> None:
    with pytest.raises(TypeError, match="set"):
        to_document({"a": {1, 2}})


def test_every_update_kind_is_listed_once() -> None:
    names = [kind.__name__ for kind in UPDATE_KINDS]
    assert len(set(names)) == len(names) == len(typing.get_args(Update))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000 + "]" * 100_000,
        "[NaN]",
        "[1" + "0" * 5000 + "]",
        '"\\ud800"',
        b"\xff",
        "[" + " " * 4_000_001 + "]",
    ],
)
def test_what_json_cannot_soundly_say_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError) as caught:
        read_json(text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("name", "value"),
    [("start_s", 1e400), ("start_s", 10**400), ("start_s", 3e6), ("end_s", -3e6), ("end_s", "x" * 10**6), ("side", [])],
)
def test_what_no_session_could_measure_is_refused(name: str, value: object) -> None:
    document = {"label": "reach", "side": "left", "start_s": 0.0, "end_s": 1.0, name: value}
    with pytest.raises(ValueError, match=name) as caught:
        from_document(Segment, document)
    assert len(str(caught.value)) < 200


def test_a_whole_number_beyond_64_bits_is_refused() -> None:
    with pytest.raises(ValueError, match="number"):
        from_document(PlannedActivity, {"name": "a", "target": 2**63})

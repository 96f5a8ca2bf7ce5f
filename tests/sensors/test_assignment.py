from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rehabcount.domain.motion import Samples
from rehabcount.domain.rig import Place, Side, places_of
from rehabcount.errors import ConfigError, SensorNotFound
from rehabcount.sensors.assignment import (
    Remembered,
    activity,
    asked,
    asking_order,
    load,
    most_moved,
    remember,
    require_complete,
    rig_of,
    save,
)
from rehabcount.sensors.families import DOT, WIT
from tests.signals.motions import Angle, Link, chain, sensor_on

HAND = Remembered("D4:22:CD:00:00:01", "dot", Place.RIGHT_HAND)
ARM = Remembered("D4:22:CD:00:00:02", "dot", Place.RIGHT_UPPER_ARM)
CHEST = Remembered("D4:22:CD:00:00:03", "dot", Place.STERNUM)


def test_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "sensors.json"
    assert load(path) == ()
    save(path, (HAND, ARM))
    assert load(path) == (HAND, ARM)
    save(path, (CHEST,))
    assert load(path) == (CHEST,)
    assert [each.name for each in path.parent.iterdir()] == ["sensors.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 1, "sensors": [{"address": 5}]}'])
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "sensors.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"sensors\.json") as caught:
        load(path)
    assert "assign the sensors anew" in caught.value.advice


def test_one_place_a_sensor_and_one_sensor_a_place() -> None:
    moved = Remembered(HAND.address, "dot", Place.STERNUM)
    assert remember((HAND, CHEST, ARM), moved) == (ARM, moved)
    other_family = Remembered("AA", "wit", Place.RIGHT_HAND)
    assert remember((HAND,), other_family) == (HAND, other_family)


def test_the_rig_of_those_present() -> None:
    present = {HAND.address: DOT, CHEST.address: DOT}
    rig, missing = rig_of("three", Side.RIGHT, (HAND, ARM, CHEST), present)
    assert rig.names == ("right-hand", "sternum")
    assert rig.sensors[0].serial == HAND.address
    assert (rig.sensors[0].layout, rig.sensors[0].rate_hz) == ("dot-26", 60.0)
    assert missing == (Place.RIGHT_UPPER_ARM,)
    with pytest.raises(SensorNotFound, match="right-upper-arm"):
        require_complete(rig, missing)
    require_complete(rig, ())


def test_an_address_that_changed_its_family_is_not_taken() -> None:
    _, missing = rig_of("one", Side.RIGHT, (Remembered("A", "dot", Place.RIGHT_WRIST),), {"A": WIT})
    assert missing == (Place.RIGHT_WRIST,)


def test_what_is_asked_and_when() -> None:
    order = asking_order(places_of("five", Side.RIGHT))
    assert order[0] is Place.RIGHT_HAND
    assert order[-1] is Place.STERNUM
    assert order.index(Place.RIGHT_FOREARM) < order.index(Place.RIGHT_UPPER_ARM)
    assert asked(Place.LEFT_WRIST) == "Lift the left hand a few times"
    assert "Lean" in asked(Place.STERNUM)


def lifted(shoulder: float, elbow: float) -> dict[str, Samples]:
    """An arm lifted in shoulder and elbow, its sensors, and a chest that breathes."""
    t = np.arange(0, 6, 0.01)
    z = (0.0, 0.0, 1.0)
    links = [
        Link(((z, Angle(0.0, sines=((0.01, 0.25, 0.0),))),), end=(0.0, 0.45, 0.18)),
        Link(((z, Angle(0.3, pulses=((shoulder, 0.0, 2.0, 3),))),), end=(0.0, -0.3, 0.0)),
        Link(((z, Angle(0.8, pulses=((elbow, 0.0, 2.0, 3),))),), end=(0.0, -0.26, 0.0)),
        Link(((z, Angle(0.0)),)),
    ]
    rng = np.random.default_rng(0)
    seats = {
        "chest": (0.1, 0.3, 0.0),
        "upper arm": (0.0, -0.15, 0.05),
        "forearm": (0.0, -0.15, 0.03),
        "hand": (0.0, -0.07, 0.02),
    }
    found = {}
    for (name, seat), pose in zip(seats.items(), chain(t, links), strict=True):
        reading = sensor_on(pose, Rotation.identity(), seat)
        noise = rng.normal(0, 0.03, reading.acc.shape)
        found[name] = Samples(name, np.arange(len(t)), None, reading.acc + noise, reading.gyr)
    return found


@pytest.mark.parametrize(
    ("shoulder", "elbow", "known", "expected"),
    [
        (0.9, 0.3, (), "hand"),
        (0.1, 1.0, ("hand",), "forearm"),
        (0.9, 0.2, ("hand", "forearm"), "upper arm"),
        (0.0, 0.0, (), None),
    ],
)
def test_the_lifted_limb_is_found(shoulder: float, elbow: float, known: tuple[str, ...], expected: str | None) -> None:
    moved = lifted(shoulder, elbow)
    assert most_moved({name: activity(each) for name, each in moved.items() if name not in known}) == expected


def test_two_alike_are_asked_again() -> None:
    assert most_moved({"a": 1.0, "b": 0.9}) is None
    assert most_moved({"a": 1.0, "b": float("nan")}) == "a"
    assert most_moved({}) is None
    assert np.isnan(activity(Samples("a", np.zeros(1, np.int64), None, np.zeros((1, 3)), None)))

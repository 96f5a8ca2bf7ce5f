"""Labels, rigs, motion: the checks of frozen types."""

from __future__ import annotations

import numpy as np
import pytest

from rehabcount.domain.labels import OTHER, PRIMITIVES, PRODUCT, REACH, Vocabulary
from rehabcount.domain.motion import Frames, Samples
from rehabcount.domain.rig import BodyPart, Place, Rig, Sensor, Side, make_rig, places_of
from rehabcount.domain.sequence import Segment


def test_vocabularies() -> None:
    assert PRIMITIVES.names == ("idle", "reach", "reposition", "stabilize", "transport")
    assert PRODUCT.labels[:5] == PRIMITIVES.labels
    assert not OTHER.counted
    assert PRODUCT["reach"] is REACH
    assert len({label.letter for label in PRODUCT.labels}) == 6
    with pytest.raises(ValueError, match="no label 'grasp'"):
        PRIMITIVES.index("grasp")
    with pytest.raises(ValueError, match="twice"):
        Vocabulary("double", (REACH, REACH))


@pytest.mark.parametrize(("kind", "number"), [("nine", 9), ("five", 5), ("three", 3), ("one", 1)])
@pytest.mark.parametrize("side", list(Side))
def test_rigs(kind: str, number: int, side: Side) -> None:
    rig = make_rig(kind, side, "generic", 100.0)
    assert len(rig) == len(set(rig.names)) == number
    mirrored = {place.mirrored for place in places_of(kind, side)}
    assert mirrored == set(places_of(kind, side.other))
    if kind != "nine":
        assert all(place.side in (side, None) or place.value.endswith("wrist") for place in places_of(kind, side))


def test_places() -> None:
    assert Place.LEFT_WRIST.part is BodyPart.FOREARM
    assert Place.STERNUM.part is Place.C7.part is BodyPart.THORAX
    assert Place.LEFT_HAND.mirrored is Place.RIGHT_HAND
    assert Place.PELVIS.mirrored is Place.PELVIS
    assert {place.part for place in Place} == set(BodyPart)
    with pytest.raises(ValueError, match="nine, five"):
        places_of("four", Side.LEFT)


def test_a_rig_is_consistent() -> None:
    with pytest.raises(ValueError, match="a sensor twice"):
        Rig("r", (Sensor("a", None, "x", 1.0), Sensor("a", None, "x", 1.0)))
    with pytest.raises(ValueError, match="one place"):
        Rig("r", (Sensor("a", Place.C7, "x", 1.0), Sensor("b", Place.C7, "x", 1.0)))
    with pytest.raises(ValueError, match="rate_hz"):
        Sensor("a", None, "x", 0.0)
    with pytest.raises(ValueError, match="no sensor 'z'"):
        make_rig("three", Side.LEFT, "x", 1.0).index("z")


def test_what_crosses_cannot_be_changed() -> None:
    samples = Samples("a", np.array([1]), None, np.zeros((1, 3)), None)
    assert samples.acc is not None
    with pytest.raises(ValueError, match="read-only"):
        samples.acc[0, 0] = 1.0
    with pytest.raises(AttributeError):
        samples.sensor = "b"  # type: ignore[misc]


def test_shapes_are_checked() -> None:
    with pytest.raises(ValueError, match="gyr of 'a' must have shape"):
        Samples("a", np.array([1, 2]), None, None, np.zeros((1, 3)))
    with pytest.raises(ValueError, match="values must have shape"):
        Frames(0, np.zeros(2), np.zeros((2, 1, 9)), np.ones((2, 1), bool))
    with pytest.raises(ValueError, match="before it starts"):
        Segment("reach", Side.LEFT, 2.0, 1.0)

"""Rig: which sensor sits on which part of the body, its byte layout, and its rate.

A `Place` is the position of a strap. Several places lie on one body part (C7 and sternum are on the thorax; a wrist
strap is on the forearm). Recipes name body parts, so that different rigs give the same features.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SLOWEST_HZ, FASTEST_HZ = 0.01, 100_000.0  # of samples; far beyond the rates of real sensors
MOST_SENSORS = 100  # in a rig: a person wears a dozen at most; each needs a filter


class Side(StrEnum):
    """An arm."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> Side:
        """The other arm."""
        return Side.RIGHT if self is Side.LEFT else Side.LEFT


class BodyPart(StrEnum):
    """A rigid part of the body. Those of the arm exist twice; `Place.side` tells which one."""

    PELVIS = "pelvis"
    LUMBAR = "lumbar"
    THORAX = "thorax"
    UPPER_ARM = "upper-arm"
    FOREARM = "forearm"
    HAND = "hand"


class Place(StrEnum):
    """Where a sensor is strapped."""

    PELVIS = "pelvis"
    T12 = "t12"
    C7 = "c7"
    STERNUM = "sternum"
    LEFT_UPPER_ARM = "left-upper-arm"
    LEFT_FOREARM = "left-forearm"
    LEFT_WRIST = "left-wrist"
    LEFT_HAND = "left-hand"
    RIGHT_UPPER_ARM = "right-upper-arm"
    RIGHT_FOREARM = "right-forearm"
    RIGHT_WRIST = "right-wrist"
    RIGHT_HAND = "right-hand"

    @property
    def side(self) -> Side | None:
        """The arm it belongs to; None on the trunk."""
        head = self.value.split("-")[0]
        return Side(head) if head in ("left", "right") else None

    @property
    def part(self) -> BodyPart:
        """The body part that a sensor here moves with."""
        return _PART_OF[self]

    @property
    def mirrored(self) -> Place:
        """The same place on the other side of the body."""
        if self.side is None:
            return self
        return Place(self.value.replace(self.side.value, self.side.other.value, 1))

    @classmethod
    def on(cls, side: Side, arm_place: str) -> Place:
        """`Place.on(Side.LEFT, "hand")` is the left hand."""
        return cls(f"{side.value}-{arm_place}")


_PART_OF = {
    Place.PELVIS: BodyPart.PELVIS,
    Place.T12: BodyPart.LUMBAR,
    Place.C7: BodyPart.THORAX,
    Place.STERNUM: BodyPart.THORAX,
} | {
    Place.on(side, name): part
    for side in Side
    for name, part in {
        "upper-arm": BodyPart.UPPER_ARM,
        "forearm": BodyPart.FOREARM,
        "wrist": BodyPart.FOREARM,
        "hand": BodyPart.HAND,
    }.items()
}


@dataclass(frozen=True, slots=True)
class Sensor:
    """One physical sensor: its name in packets and files, its place, the byte layout it sends, its nominal rate."""

    name: str
    place: Place | None  # None: recorded, but not assigned yet
    layout: str
    rate_hz: float
    serial: str = ""

    def __post_init__(self) -> None:
        if not SLOWEST_HZ <= self.rate_hz <= FASTEST_HZ:
            limits = f"{SLOWEST_HZ:g} and {FASTEST_HZ:g}"
            raise ValueError(f"rate_hz of sensor {self.name!r} must lie between {limits}, not {self.rate_hz}")


@dataclass(frozen=True, slots=True)
class Rig:
    """The sensors of one session, in the order of the frames."""

    name: str
    sensors: tuple[Sensor, ...]

    def __post_init__(self) -> None:
        if len(self.sensors) > MOST_SENSORS:
            raise ValueError(f"rig {self.name!r} has {len(self.sensors)} sensors; the most is {MOST_SENSORS}")
        if len(set(self.names)) != len(self.sensors):
            raise ValueError(f"rig {self.name!r} names a sensor twice: {self.names}")
        places = [sensor.place for sensor in self.sensors if sensor.place is not None]
        if len(set(places)) != len(places):
            raise ValueError(f"rig {self.name!r} puts two sensors on one place: {places}")

    def __len__(self) -> int:
        return len(self.sensors)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sensor.name for sensor in self.sensors)

    @property
    def places(self) -> tuple[Place | None, ...]:
        return tuple(sensor.place for sensor in self.sensors)

    def index(self, name: str) -> int:
        """Position in a frame of the sensor called `name`."""
        try:
            return self.names.index(name)
        except ValueError:
            raise ValueError(f"no sensor {name!r} in rig {self.name!r}; it has {', '.join(self.names)}") from None


def places_of(kind: str, side: Side) -> tuple[Place, ...]:
    """The places of a named rig for a patient whose affected arm is `side`: nine, five, three or one."""
    other = side.other
    plans: dict[str, tuple[Place, ...]] = {
        "nine": (
            Place.PELVIS,
            Place.T12,
            Place.C7,
            *(Place.on(each, part) for each in (Side.LEFT, Side.RIGHT) for part in ("upper-arm", "forearm", "hand")),
        ),
        "five": (
            Place.on(side, "hand"),
            Place.on(side, "forearm"),
            Place.on(side, "upper-arm"),
            Place.STERNUM,
            Place.on(other, "wrist"),
        ),
        "three": (Place.on(side, "hand"), Place.on(side, "upper-arm"), Place.STERNUM),
        "one": (Place.on(side, "wrist"),),
    }
    if kind not in plans:
        raise ValueError(f"kind must be one of {', '.join(plans)}, not {kind!r}")
    return plans[kind]


def make_rig(kind: str, side: Side, layout: str, rate_hz: float) -> Rig:
    """A rig of identical sensors, each named after its place."""
    return Rig(kind, tuple(Sensor(place.value, place, layout, rate_hz) for place in places_of(kind, side)))

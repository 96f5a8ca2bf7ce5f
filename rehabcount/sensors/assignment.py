"""Which sensor sits where: found by moving the limb, and kept for the next session.

Assignments are kept in one JSON file in the data folder; an entry has the place that a sensor (by its address) was last
assigned to. A rig takes the sensors that are assigned to its places and advertise now; missing places are named.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.domain.document import MOST_JSON, from_document, read_json, to_document
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import Samples
from rehabcount.domain.rig import Place, Rig, Sensor, Side, places_of
from rehabcount.errors import ConfigError, SensorNotFound
from rehabcount.sensors.families import FAMILIES, Family
from rehabcount.store.foreign import bytes_of
from rehabcount.store.private import write_private_text

VERSION = 1
SURE_SHARE = (
    1.2  # the most moved sensor must move so much more than the next; a lifted hand moves 1.4 times its forearm
)
MOVED = 0.5  # activity below this is breathing and noise
TURN_WEIGHT_M = 0.5  # weight of angular rate against acceleration: that of a limb of half a metre


@dataclass(frozen=True, slots=True)
class Remembered:
    """One sensor's last place."""

    address: str
    family: str
    place: Place


@dataclass(frozen=True, slots=True)
class _Book:
    version: int
    sensors: tuple[Remembered, ...]


def load(path: Path) -> tuple[Remembered, ...]:
    """The assignments in the file; none if there is no file."""
    try:
        book = from_document(_Book, read_json(bytes_of(path, MOST_JSON)), path.name)
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as problem:
        raise ConfigError(
            Message.of(Code.FILE_UNREADABLE, file=str(path), why=str(problem)), advice=Message.of(Code.DO_ASSIGN_ANEW)
        ) from (problem)
    return book.sensors


def save(path: Path, remembered: Iterable[Remembered]) -> None:
    """Writes the file whole or not at all."""
    write_private_text(path, json.dumps(to_document(_Book(VERSION, tuple(remembered))), indent=2) + "\n")


def remember(before: Iterable[Remembered], new: Remembered) -> tuple[Remembered, ...]:
    """With the new entry; a sensor has one place, and of one family a place has one sensor."""
    kept = [
        each for each in before if each.address != new.address and (each.place, each.family) != (new.place, new.family)
    ]
    return (*kept, new)


def rig_of(
    kind: str, side: Side, remembered: Iterable[Remembered], present: Mapping[str, Family]
) -> tuple[Rig, tuple[Place, ...]]:
    """The rig of these places from sensors that are present (address -> family), and the places that have none.

    Where sensors of two families are remembered for a place, the first one present is taken.
    """
    by_place: dict[Place, Remembered] = {}
    for each in remembered:
        if each.address in present and each.family == present[each.address].name:
            by_place.setdefault(each.place, each)
    places = places_of(kind, side)
    sensors = tuple(_sensor(by_place[place]) for place in places if place in by_place)
    return Rig(kind, sensors), tuple(place for place in places if place not in by_place)


def adopted(remembered: Sequence[Remembered], places: Sequence[Place]) -> tuple[Remembered, ...]:
    """The kept assignments for a rig of these places. If none is kept for a place, the sensor of the same place on the
    other arm takes it, because the next patient's affected arm is often the other one."""
    here = [each for each in remembered if each.place in places]
    taken = {each.place for each in here}
    for each in remembered:
        mirrored = each.place.mirrored
        if each.place not in places and mirrored in places and mirrored not in taken:
            here.append(Remembered(each.address, each.family, mirrored))
            taken.add(mirrored)
    return tuple(here)


def _sensor(entry: Remembered) -> Sensor:
    family = FAMILIES[entry.family]
    return Sensor(entry.place.value, entry.place, family.layout, float(family.rate_hz), entry.address)


def require_complete(rig: Rig, missing: tuple[Place, ...]) -> None:
    """SensorNotFound that names the places without a sensor, if there are any."""
    if missing:
        names = ", ".join(place.value for place in missing)
        raise SensorNotFound(
            Message.of(Code.SENSORS_MISSING, places=names),
            advice=Message.of(Code.DO_IDENTIFY),
        )


# -- by moving --------------------------------------------------------------------------------------------------------

ASKED = {
    "hand": "Lift the {side} hand a few times",
    "wrist": "Lift the {side} hand a few times",
    "forearm": "Bend and stretch the {side} elbow a few times",
    "upper-arm": "Lift the {side} arm a few times",
}
ASKED_TRUNK = "Lean forward and back a few times"


def asked(place: Place) -> str:
    """The movement of the patient by which the sensor of this place moves most of those left; the therapist may
    help."""
    if place.side is None:
        return ASKED_TRUNK
    return ASKED[place.value.split("-", 1)[1]].format(side=place.side.value)


def asking_order(places: Iterable[Place]) -> list[Place]:
    """Places far from the trunk first: a limb also moves the sensors farther out, which are assigned by then."""
    rank = {"hand": 0, "wrist": 1, "forearm": 2, "upper-arm": 3}
    return sorted(places, key=lambda place: 4 if place.side is None else rank[place.value.split("-", 1)[1]])


def activity(samples: Samples) -> float:
    """How much a sensor was moved: shaking (m/s2) and turning together. NaN without samples."""
    if len(samples) < 2:
        return float("nan")
    total = 0.0
    if samples.acc is not None:
        total += float(np.nanstd(np.linalg.norm(samples.acc, axis=1)))
    if samples.gyr is not None:
        total += TURN_WEIGHT_M * float(np.sqrt(np.nanmean(np.sum(samples.gyr**2, axis=1))))
    return total


def most_moved(activities: Mapping[str, float]) -> str | None:
    """The sensor that was moved, if one clearly was: it moved, and more than every other."""
    ranked = sorted(((value, name) for name, value in activities.items() if np.isfinite(value)), reverse=True)
    if not ranked or ranked[0][0] < MOVED:
        return None
    if len(ranked) > 1 and ranked[0][0] < SURE_SHARE * ranked[1][0]:
        return None
    return ranked[0][1]

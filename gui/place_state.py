"""The state of one place of the body in a set-up, in words and as one of five kinds. Plain functions, no widgets."""

from __future__ import annotations

from dataclasses import dataclass

from rehabcount.bedside.preparation import Air, Seen
from rehabcount.domain.limits import LOSS_BEFORE, LOW_BATTERY_PERCENT, SENSOR_SILENT_S, STRONG_DBM, WEAK_DBM
from rehabcount.domain.rig import BodyPart, Place, Side
from rehabcount.domain.update import LinkState, SensorHealth
from rehabcount.gui.language import tr
from rehabcount.sensors.families import UNREADABLE
from rehabcount.sensors.radio.airspace import UnreadableSensor

EMPTY, COMING, GOOD, DOUBTFUL, ASKED = "empty", "coming", "good", "doubtful", "asked"


@dataclass(frozen=True, slots=True)
class PlaceState:
    kind: str
    words: str


def called(sensor: str) -> str:
    """A sensor of a session: its name is its place; other names stay."""
    value = sensor.replace(" ", "-")
    return place_name(Place(value)) if value in list(Place) else sensor


def place_name(place: Place) -> str:
    """The place as a therapist calls it, on the patient's own left and right."""
    trunk = {
        Place.PELVIS: tr("Pelvis (back)"),
        Place.T12: tr("Lower back"),
        Place.C7: tr("Neck (back)"),
        Place.STERNUM: tr("Breastbone"),
    }
    if place in trunk:
        return trunk[place]
    left = {
        "upper-arm": tr("Left upper arm"),
        "forearm": tr("Left forearm"),
        "wrist": tr("Left wrist"),
        "hand": tr("Left hand"),
    }
    right = {
        "upper-arm": tr("Right upper arm"),
        "forearm": tr("Right forearm"),
        "wrist": tr("Right wrist"),
        "hand": tr("Right hand"),
    }
    part = place.value.split("-", 1)[1]
    return left[part] if place.side is Side.LEFT else right[part]


def part_name(part: str) -> str:
    """A body part, for sentences such as: needs a sensor on the hand."""
    return {
        BodyPart.HAND: tr("hand"),
        BodyPart.FOREARM: tr("forearm"),
        BodyPart.UPPER_ARM: tr("upper arm"),
        BodyPart.THORAX: tr("breastbone or neck"),
        BodyPart.LUMBAR: tr("lower back"),
        BodyPart.PELVIS: tr("pelvis"),
    }[BodyPart(part)]


def where_to_strap(place: Place) -> str:
    """How the sensor is worn there."""
    if place is Place.STERNUM:
        return tr("On the breastbone, face outward, its top up.")
    if place.side is None:
        return tr("On the back, in the middle, face outward, its top up.")
    ways = {
        "upper-arm": tr("On the outside of the upper arm, halfway down, its top towards the shoulder."),
        "forearm": tr("On the back of the forearm, halfway down, its top towards the elbow."),
        "wrist": tr("On the back of the wrist like a watch, its top towards the elbow."),
        "hand": tr("On the back of the hand, its top towards the wrist."),
    }
    return ways[place.value.split("-", 1)[1]]


def what_to_lift(place: Place) -> str:
    """What to ask the patient, or do for the patient, so that this sensor moves most."""
    if place.side is None:
        return tr("Lean forward and back a few times.")
    left, part = place.side is Side.LEFT, place.value.split("-", 1)[1]
    if part in ("hand", "wrist"):
        return tr("Lift the left hand a few times.") if left else tr("Lift the right hand a few times.")
    if part == "forearm":
        return (
            tr("Bend and stretch the left elbow a few times.")
            if left
            else tr("Bend and stretch the right elbow a few times.")
        )
    return tr("Lift the left arm a few times.") if left else tr("Lift the right arm a few times.")


def sensor_name(address: str) -> str:
    """A sensor by the end of its address, as it is often printed on it."""
    return tr("sensor {name}").format(name=address[-5:].replace(":", ""))


def unreadable_words(each: UnreadableSensor) -> str:
    """A sensor that is there and cannot be used: its name, and why."""
    meta = tr("MetaMotion: live it needs the maker's own library. Its files can be imported: rehabcount import.")
    known = {
        UNREADABLE["wtvb"]: tr("a vibration sensor of WitMotion: it does not measure motion. Take a WT901BLE."),
        UNREADABLE["movesense"]: tr("Movesense: its protocol is not built in. Take one of docs/sensors.md."),
        UNREADABLE["metamotion"]: meta,
    }
    why = known.get(each.why, each.why)
    return tr("{sensor} cannot be used. It is {why}").format(sensor=each.name, why=why)


def state_of(air: Air, place: Place) -> PlaceState:
    """The state of the place."""
    if air.asking is place:
        return PlaceState(ASKED, tr("move it now"))
    seen = air.at(place)
    if seen is None:
        return PlaceState(EMPTY, tr("no sensor yet"))
    return state_of_sensor(seen)


def state_of_sensor(seen: Seen) -> PlaceState:
    health = seen.health
    if health is None:
        return PlaceState(COMING, tr("found"))
    if health.state in (LinkState.CONNECTING, LinkState.CONFIGURING):
        return PlaceState(COMING, tr("connecting …"))
    if health.state is not LinkState.STREAMING:
        return PlaceState(DOUBTFUL, tr("no data, trying again …"))
    return _streaming(health, seen.signal_dbm)


def _streaming(health: SensorHealth, signal_dbm: int) -> PlaceState:
    if health.age_s is not None and health.age_s > SENSOR_SILENT_S:
        return PlaceState(DOUBTFUL, tr("last data {age:.0f} s ago").format(age=health.age_s))
    if health.battery_percent is not None and health.battery_percent <= LOW_BATTERY_PERCENT:
        return PlaceState(DOUBTFUL, tr("battery {percent} %: charge").format(percent=health.battery_percent))
    if health.loss is not None and health.loss > LOSS_BEFORE and health.rate_hz:
        return PlaceState(DOUBTFUL, tr("loses {percent:.0f} %: closer").format(percent=100 * health.loss))
    battery = [] if health.battery_percent is None else [tr("{percent} %").format(percent=health.battery_percent)]
    rate = [tr("{rate:.0f} Hz").format(rate=health.rate_hz)] if health.rate_hz else []
    return PlaceState(GOOD, " · ".join([*battery, *rate, signal_words(health.signal_dbm or signal_dbm)]))


def signal_words(dbm: int) -> str:
    """Radio signal in words: what is strong enough and what is not."""
    return tr("strong") if dbm >= STRONG_DBM else tr("fair") if dbm >= WEAK_DBM else tr("weak")

"""From sensors in the air to a rig: the radio (real or virtual), which sensors are found, and where each one sits.

`open_radio` gives a Radio; with `virtual` it has virtual sensors of that family, one for each place of the rig. Their
motion is `motion_of(place)`, by default that of a swinging arm.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rehabcount.bedside.config import Settings
from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Place, Rig, Sensor, Side, places_of
from rehabcount.errors import ConfigError
from rehabcount.sensors import assignment
from rehabcount.sensors.assignment import Remembered
from rehabcount.sensors.families import FAMILIES
from rehabcount.sensors.packets import decode_all
from rehabcount.sensors.radio.airspace import Found
from rehabcount.sensors.radio.inprocess import backend_of
from rehabcount.sensors.radio.supervisor import Radio
from rehabcount.sensors.swinging import noisy, swing_of
from rehabcount.sensors.virtual import PlaceMotion, VirtualSensor

SETTLE_S = 0.5  # after the request to move, before measuring: people need a moment


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rig, for which arm; `virtual` names a family, empty for real sensors."""

    kind: str
    side: Side
    virtual: str = ""

    @property
    def places(self) -> tuple[Place, ...]:
        return places_of(self.kind, self.side)


def choose(sensors: str, side: str, virtual: str) -> Choice:
    """The choice from words of the command line; unknown words are a ConfigError."""
    kinds = {"1": "one", "3": "three", "5": "five", "9": "nine"}
    kind = kinds.get(sensors, sensors)
    if kind not in kinds.values():
        raise ConfigError(f"There is no rig of {sensors} sensors.", advice="Choose 1, 3, 5 or 9.")
    if side not in list(Side):
        raise ConfigError(f"There is no {side} arm.", advice="Choose left or right: the affected one.")
    if virtual and virtual not in FAMILIES:
        raise ConfigError(f"There are no virtual {virtual} sensors.", advice=f"Choose one of {', '.join(FAMILIES)}.")
    return Choice(kind, Side(side), virtual)


def swinging(place: Place) -> PlaceMotion:
    """The motion of virtual sensors unless another is given."""
    return noisy(swing_of(place), list(Place).index(place))


def open_radio(
    settings: Settings,
    choice: Choice,
    motion_of: Callable[[Place], PlaceMotion] = swinging,
    begun_ns: int | None = None,
) -> Radio:
    """The radio for this choice; the caller closes it. Virtual motion began at `begun_ns`, by default now."""
    if not choice.virtual:
        return Radio(settings.radio)
    family, begun_ns = FAMILIES[choice.virtual], time.monotonic_ns() if begun_ns is None else begun_ns
    air = [VirtualSensor(_address(place), family, motion_of(place), begun_ns) for place in choice.places]
    return Radio(settings.radio, backend=backend_of(air))


def remembered(settings: Settings, choice: Choice) -> tuple[Remembered, ...]:
    """Which sensor sat where last time; the places of virtual sensors are fixed."""
    if choice.virtual:
        return tuple(Remembered(_address(place), choice.virtual, place) for place in choice.places)
    return assignment.load(settings.sensor_book)


def assemble(radio: Radio, settings: Settings, choice: Choice, scan_s: float) -> Rig:
    """The chosen rig from remembered sensors that are in the air; SensorNotFound names the places without a sensor."""
    found = radio.scan(scan_s).found
    present = {each.address: each.family for each in found}
    rig, missing = assignment.rig_of(choice.kind, choice.side, remembered(settings, choice), present)
    assignment.require_complete(rig, missing)
    return rig


def unassigned_rig(found: Sequence[Found]) -> Rig:
    """A rig of all sensors found, named by address, without places."""
    return Rig(
        "found",
        tuple(
            Sensor(each.address, None, each.family.layout, float(each.family.rate_hz), each.address) for each in found
        ),
    )


def assign_by_moving(
    radio: Radio,
    found: Sequence[Found],
    places: Sequence[Place],
    ask: Callable[[Place], bool],
    length_s: float,
) -> list[Remembered]:
    """Asks the patient to move one place after the other, and assigns to each the sensor that moved most.

    `ask(place)` tells the patient what to do and returns when the movement begins; False skips the place. If no sensor
    clearly moved most, the place is asked for again.
    """
    rig = unassigned_rig(found)
    families = {each.address: each.family.name for each in found}
    heard: list[Packet | Silence] = []
    chosen: list[Remembered] = []
    stream = radio.stream(rig, heard.append, lambda update: None)
    try:
        for place in assignment.asking_order(places):
            while ask(place):
                time.sleep(min(SETTLE_S, length_s / 4))
                heard.clear()
                time.sleep(length_s)
                taken = {each.address for each in chosen}
                blocks = decode_all(list(heard), rig)
                address = assignment.most_moved(
                    {name: assignment.activity(block) for name, block in blocks.items() if name not in taken}
                )
                if address is not None:
                    chosen.append(Remembered(address, families[address], place))
                    break
    finally:
        stream.close()
    return chosen


def _address(place: Place) -> str:
    return f"D4:22:CD:00:00:{list(Place).index(place) + 1:02X}"

"""A simulated patient who wears five DOTs: counted live over the fake bus, and from the same bytes without any radio.

The right arm is trained. Motion begins where the calibration is over; how the sensors sit is known.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from rehabcount.bedside.rigging import Choice
from rehabcount.bedside.session import LiveSession, SessionRequest
from rehabcount.bedside.sources import RadioSource
from rehabcount.bedside.virtual_patient import session_of, worn_by
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.dose import Dose, Plan
from rehabcount.domain.labels import IDLE, PRIMITIVES
from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Rig, Sensor, Side
from rehabcount.domain.update import Calibrated, Event, Late, Recorded, Said, Sayable, Update
from rehabcount.errors import ArtifactMissing
from rehabcount.inference.artifact import SHIPPED, Opened, find, open_model
from rehabcount.inference.runtime import Model
from rehabcount.metrics import edit
from rehabcount.sensors.families import DOT
from rehabcount.sensors.radio.supervisor import Radio
from rehabcount.sensors.virtual import VirtualSensor
from rehabcount.store.documents import SIDE, TrainedSide
from rehabcount.store.session_file import SessionFile
from tests.engine.oracle import ReflexModel
from tests.sensors.radio import motion_file
from tests.sensors.radio.conftest import asked_directly

SIDE_TRAINED = Side.RIGHT
CALIBRATION_S = 30.0  # which a simulated session begins with


def model_to_try() -> Opened:
    """The recogniser that is shipped; where there is none, one that needs no training."""
    try:
        artifact = find("stream", [SHIPPED])
    except ArtifactMissing:
        return Opened(cast(Model, ReflexModel()), "00" * 32)
    return Opened(open_model(artifact.folder), artifact.sha256)


@dataclass(frozen=True, slots=True)
class Patient:
    rig: Rig
    calibration: Calibration
    files: dict[str, Path]  # the motion of each sensor, by its name

    @classmethod
    def make(cls, folder: Path, length_s: float, seed: int = 0) -> Patient:
        choice = Choice("five", SIDE_TRAINED, "dot")
        recording = session_of(choice, (CALIBRATION_S + length_s) / 60, seed)
        motion_of, calibration = worn_by(recording)
        time_s = np.arange(recording.span("calibration", "done")[1], recording.length_s - 1.0, 0.01)
        sensors, files = [], {}
        for i, place in enumerate(choice.places):
            files[place.value] = folder / f"{place.value}.npz"
            motion_file.write(files[place.value], motion_of(place)(time_s))
            sensors.append(Sensor(place.value, place, DOT.layout, DOT.rate_hz, f"D4:22:CD:00:00:{i:02X}"))
        return cls(Rig("five", tuple(sensors)), calibration, files)

    def plan(self) -> list[dict[str, Any]]:
        """The sensors as the fake wants them."""
        return [
            {"address": each.serial, "family": "dot", "place": each.name, "motion": str(self.files[each.name])}
            for each in self.rig.sensors
        ]

    def sent(self, heard: Sequence[Packet]) -> list[Packet]:
        """What the sensors send from the first to the last packet heard of each, as a radio without delay brings it.

        The session begins when it did: what was measured before comes with the first packet. A sensor that was switched
        on anew, and counts from zero again, sends as if it had gone on."""
        ticks = {name: [tick_of(packet) for packet in heard if packet.sensor == name] for name in self.rig.names}
        latest, offset_ns = max(map(max, ticks.values())), clock_offset_ns(heard)
        found: list[Packet] = []
        for sensor in self.rig.sensors:
            mine = ticks[sensor.name]
            first, last = mine[0], mine[-1] if mine == sorted(mine) else latest
            direct = VirtualSensor(sensor.serial, DOT, motion_file.read(self.files[sensor.name]), 0)
            packets = (Packet(sensor.name, data, 0) for data in asked_directly(direct, last / 1e6 + 0.1))
            found += [
                replace(each, received_ns=max(heard[0].received_ns, offset_ns + 1000 * tick))
                for each in packets
                if first <= (tick := tick_of(each)) <= last
            ]
        return sorted(found, key=lambda packet: packet.received_ns)

    def write(self, path: Path, items: Sequence[Recorded]) -> None:
        """A session file with these items, made without any radio."""
        said = Said(Calibrated(self.calibration, True, 0.0), items[0].received_ns)
        with SessionFile.create(path, self.rig) as file:
            file.put_document(SIDE, TrainedSide(SIDE_TRAINED))
            file.append([said, *items])
            file.close_session()


def tick_of(packet: Packet) -> int:
    """When a DOT measured it: microseconds since it was switched on."""
    return int.from_bytes(packet.payload[:4], "little")


def clock_offset_ns(heard: Sequence[Packet]) -> int:
    """The host's clock when the sensors' clocks were at zero: no packet came with less delay than the quickest."""
    return min(packet.received_ns - 1000 * tick_of(packet) for packet in heard)


@contextlib.contextmanager
def counted_live(path: Path, patient: Patient, model: Opened, on_update: Callable[[Update], None]) -> Iterator[Radio]:
    """A live session over the Bluetooth of this test, ended at the end; gives the radio."""
    with Radio() as radio:
        request = SessionRequest(path, patient.rig, SIDE_TRAINED, Plan(), model, patient.calibration)
        session = LiveSession(request, RadioSource(radio, patient.rig), on_update=on_update)
        session.start()
        try:
            yield radio
        finally:
            session.end()


def replayed(path: Path, model: Opened) -> list[Update]:
    """All updates of a session file at full speed."""
    said: list[Update] = []
    session = LiveSession.replay(path, model, None, on_update=said.append)
    session.start()
    session.wait()
    return said


def items_in(path: Path) -> list[Recorded]:
    with SessionFile.open(path) as file:
        return list(file.items())


def said_in(path: Path) -> list[Sayable]:
    return [item.what for item in items_in(path) if isinstance(item, Said)]


def packets_in(path: Path) -> list[Packet]:
    return [item for item in items_in(path) if isinstance(item, Packet)]


def punctual(updates: Sequence[Update]) -> list[Update]:
    """Without what a slow machine adds."""
    return [update for update in updates if not isinstance(update, Late)]


def labels_of(updates: Sequence[Update], side: Side) -> list[str]:
    return [each.segment.label for each in updates if isinstance(each, Event) and each.segment.side is side]


def error_rate(reference: Sequence[Update], estimate: Sequence[Update]) -> tuple[float, int]:
    """The action error rate of both arms together, and the number of reference events."""
    result = edit.evaluate(*([labels_of(updates, side) for side in Side] for updates in (reference, estimate)))
    return float(result.aer()), int(result.reference_length.sum())


def counts_of(updates: Sequence[Update]) -> Counter[str]:
    """The last dose of the trained arm by primitive; `idle` is time and not counted."""
    dose = next(update for update in reversed(updates) if isinstance(update, Dose))
    names = [name for name in PRIMITIVES.names if name != IDLE.name]
    return Counter(
        {each.label: each.number for each in dose.counts if each.side is SIDE_TRAINED and each.label in names}
    )

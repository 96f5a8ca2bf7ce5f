"""Physical Therapy Exercises: people exercising an arm, five sensors at 25 Hz; here the one on the wrist.

Yurtman & Barshan 2014, UCI archive (CC BY 4.0 by the archive).

    in   <folder>/pte.npz: `s1_e6/u2/template`, `.../test` (T x 9: acceleration in m/s2, rotation in rad/s,
    magnetometer)
         of person, exercise and unit; unit u2 is on the wrist
    out  WornRecording of the wrist for each recording

**Axes are uncertain.** Which arm is trained and how the sensors are worn is not written down. On the wrist x points
away from the elbow: with hanging arms it points down, and curling the elbow turns about an axis square to it (checked
for each person). How the sensor is turned about the forearm is unknown: its z is taken to be the back of the forearm,
and users should try all other turns and give the range. The units on elbow and shoulder cannot help: some of them
measure up to 20 % less than 1 g at rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.datasets.mounted import main_axis, mounting
from rehabcount.datasets.worn import WornRecording, check_units, readable
from rehabcount.domain.arrays import Floats
from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.rig import Place
from rehabcount.errors import DatasetChanged, DatasetMissing
from rehabcount.store.npz import open_arrays

RATE_HZ = 25.0
WRIST = "u2"
CURL = "e6"
PLACE = Place.RIGHT_WRIST
LENGTH = (-1.0, 0.0, 0.0)  # of the forearm, towards the elbow, in sensor axes
ASSUMED_BACK = (0.0, 0.0, 1.0)  # of the forearm; unknown
SQUARE = 0.35  # cosine between the curl's axis and the length, at most
PARTS = ("template", "test")
LEAST_SAMPLES = 50  # two seconds
WHERE_FROM = "The recordings are Physical Therapy Exercises of the UCI archive, as pte.npz."


def read_recordings(folder: Path) -> list[WornRecording]:
    """The wrist in all recordings of all people."""
    path = folder / "pte.npz"
    if not path.is_file():
        raise DatasetMissing(f"{path} does not exist.", advice=WHERE_FROM)
    try:
        with open_arrays(path) as file:
            found = {name: _motion(file[name], name) for name in sorted(file) if _is_wrist(name)}
    except (ValueError, TypeError, OSError) as problem:
        raise DatasetChanged(f"{path.name} is not as expected: {problem}.", advice=WHERE_FROM) from problem
    if not found:
        raise DatasetChanged(f"{path.name} holds no recording of a wrist ({WRIST}).", advice=WHERE_FROM)
    recordings = list[WornRecording]()
    for person in sorted({name.split("_")[0] for name in found}):
        mine = {name: motion for name, motion in found.items() if name.split("_")[0] == person}
        check_units(f"{path.name}, {person}", list(mine.values()), RATE_HZ)
        for name, motion in mine.items():
            if f"_{CURL}/" in name and abs(_curl(motion) @ LENGTH) > SQUARE:
                raise DatasetChanged(
                    f"{path.name}, {name}: the elbow does not bend about an axis square to the sensor's x.",
                    advice="The wrist's sensor must be worn with x along the forearm. Leave this person out.",
                )
        recordings += list(_worn(person, mine))
    return recordings


def _worn(person: str, found: dict[str, Floats]) -> Iterator[WornRecording]:
    calibration = Calibration(
        (mounting(PLACE, np.array(LENGTH), np.array(ASSUMED_BACK), "movement"),), 1.0, Verdict.USABLE
    )
    for name, motion in found.items():
        exercise, _, part = name.split("_", 1)[1].split("/")
        yield WornRecording(person, f"{exercise} {part}", RATE_HZ, (PLACE,), motion, calibration)


def _curl(motion: Floats) -> Floats:
    """The main axis of the wrist's rotation."""
    return main_axis(motion[np.isfinite(motion[:, 0]).all(axis=1), 0, 3:])[0]


def _is_wrist(name: str) -> bool:
    return re.fullmatch(rf"[^_/]+_[^_/]+/{WRIST}/({'|'.join(PARTS)})", name) is not None


def _motion(values: Floats, name: str) -> Floats:
    if values.ndim != 2 or values.shape[1] < 6 or len(values) < LEAST_SAMPLES:
        raise ValueError(f"{name} has the shape {values.shape}, not (samples, 9)")
    return readable(values[:, None, :6])


# -- all five units, with the times of the examples --------------------------------------------------------------------

UNITS = ("u1", "u2", "u3", "u4", "u5")
# Only the wrist and the chest are worn where we have a name for it; the others stand in places that are free.
UNIT_PLACES = (Place.PELVIS, PLACE, Place.RIGHT_UPPER_ARM, Place.LEFT_UPPER_ARM, Place.STERNUM)


@dataclass(frozen=True, slots=True)
class ShownExercise:
    """One exercise of one person. `examples` (type, start_s, end_s): one good example of each type in `template`;
    `repetitions` the same in `test`, where that is known. Types: 1 correct, 2 fast, 3 low amplitude."""

    person: str
    exercise: str
    template: WornRecording
    test: WornRecording
    examples: tuple[tuple[int, float, float], ...]
    repetitions: tuple[tuple[int, float, float], ...]


def read_exercises(folder: Path) -> list[ShownExercise]:
    """All exercises of all people, with five sensors whose axes are their own."""
    path = folder / "pte.npz"
    if not path.is_file():
        raise DatasetMissing(f"{path} does not exist.", advice=WHERE_FROM)
    mountings = tuple(
        mounting(place, np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]), "none") for place in UNIT_PLACES
    )
    calibration = Calibration(mountings, 1.0, Verdict.USABLE)
    found = list[ShownExercise]()
    try:
        with open_arrays(path) as file:
            for name in sorted({each.split("/")[0] for each in file}):
                person, exercise = name.split("_")
                worn = dict[str, WornRecording]()
                for part in PARTS:
                    units = [_motion(file.need(f"{name}/{unit}/{part}"), name) for unit in UNITS]
                    shortest = min(map(len, units))
                    motion = np.concatenate([unit[:shortest] for unit in units], axis=1)
                    worn[part] = WornRecording(person, f"{exercise} {part}", RATE_HZ, UNIT_PLACES, motion, calibration)
                examples = file.need(f"{name}/template_times")
                times = file[f"{name}/test_times"] if f"{name}/test_times" in file else np.zeros((0, 4))
                found.append(
                    ShownExercise(
                        person,
                        exercise,
                        worn["template"],
                        worn["test"],
                        tuple((int(row[0]), row[1] / RATE_HZ, row[2] / RATE_HZ) for row in examples.tolist()),
                        tuple((int(row[1]), row[2] / RATE_HZ, row[3] / RATE_HZ) for row in times.tolist()),
                    )
                )
    except (ValueError, TypeError, OSError, IndexError) as problem:
        raise DatasetChanged(f"{path.name} is not as expected: {problem}.", advice=WHERE_FROM) from problem
    return found

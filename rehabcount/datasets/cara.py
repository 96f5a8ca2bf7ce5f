"""CaRaCount: people with a smartwatch who repeat everyday actions; how often is known for each recording.

Published with "CaRaCount" (TPAMI 2025). Of each action a person made a short recording (session 1: what somebody would
show) and longer ones (session 2: what is to be counted).

    in   <folder>/*.npz, one person each: `<action>/<session>/<start>/<count>/ms` (ms of each sample; bursts and gaps as
         the watch sent them) and `/motion` (T x 6, int16: acceleration in m/s2 x 300, rotation in rad/s x 900)
    out  CountedRecording: a WornRecording of the wrist on a grid of `RATE_HZ`, and the number of repetitions

How the watch is turned on the wrist is unknown, so the calibration says nothing: axes are those of the watch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.datasets.mounted import mounting
from rehabcount.datasets.worn import WornRecording, check_units, readable
from rehabcount.domain.arrays import Floats
from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.rig import Place
from rehabcount.errors import DatasetChanged, DatasetMissing
from rehabcount.store.npz import open_arrays

RATE_HZ = 50.0
FORCE_UNIT, RATE_UNIT = 300.0, 900.0  # of the integers
LONGEST_HOLE_S = 0.3
LEAST_S = 2.0
PLACE = Place.RIGHT_WRIST
WHERE_FROM = "The recordings are those of CaRaCount (TPAMI 2025), one npz for each person."
SHOWN, COUNTED = 1, 2  # sessions
# Actions that rehabilitation of the arm uses, or that are much like it.
# fmt: off
LIKE_REHABILITATION = frozenset((
    "Drinkingwater", "Pouringwater", "Pickingup", "Puttingdishes", "Puttingclothes", "Brushinghair", "Stirring",
    "Usingchopsticks", "Spreading", "Washingdishes", "Dusting", "Ironing", "Hanginglaundry", "Grooming",
    "Brushingteeth", "Cutting", "Slicing", "Peeling", "Writing",
))
# fmt: on


@dataclass(frozen=True, slots=True)
class CountedRecording:
    """One recording, and how often its exercise was repeated in it."""

    worn: WornRecording
    exercise: str
    session: int
    repetitions: int

    @property
    def person(self) -> str:
        return self.worn.person


def unmounted(place: Place) -> Calibration:
    """The calibration of a sensor that is worn in an unknown way: its axes are taken for those of the body part."""
    return Calibration(
        (mounting(place, np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]), "none"),), 1.0, Verdict.USABLE
    )


def read_people(folder: Path) -> list[Path]:
    """The files of all people in the folder, in order."""
    paths = sorted(folder.glob("*.npz"))
    if not paths:
        raise DatasetMissing(f"there is no recording in {folder}.", advice=WHERE_FROM)
    return paths


def read_person(path: Path) -> Iterator[CountedRecording]:
    """All recordings of one person."""
    calibration = unmounted(PLACE)
    try:
        with open_arrays(path) as file:
            names = sorted(name.removesuffix("/ms") for name in file if name.endswith("/ms"))
            found = [(name, _on_grid(file.need(f"{name}/ms"), file.need(f"{name}/motion"), name)) for name in names]
            told = [_told(name) for name in names]
    except (ValueError, TypeError, OSError) as problem:
        raise DatasetChanged(f"{path.name} is not as expected: {problem}.", advice=WHERE_FROM) from problem
    if not found:
        raise DatasetChanged(f"{path.name} holds no recording.", advice=WHERE_FROM)
    check_units(path.name, [motion for _, motion in found], RATE_HZ)
    for (name, motion), (action, session, repetitions) in zip(found, told, strict=True):
        worn = WornRecording(path.stem, name, RATE_HZ, (PLACE,), motion, calibration)
        yield CountedRecording(worn, action, session, repetitions)


def _told(name: str) -> tuple[str, int, int]:
    parts = name.split("/")
    if len(parts) != 4 or not int(parts[3]) > 0:
        raise ValueError(f"{name!r} is not action/session/start/count")
    return parts[0], int(parts[1]), int(parts[3])


def _on_grid(ms: Floats, integers: Floats, name: str) -> Floats:
    """(n, 1, 6) in m/s2 and rad/s, NaN in holes."""
    if ms.ndim != 1 or integers.shape != (len(ms), 6):
        raise ValueError(f"{name} has {ms.shape} times and motion of the shape {integers.shape}")
    time_s, first = np.unique(ms.astype(float) / 1000, return_index=True)
    if len(time_s) < 2 or time_s[-1] - time_s[0] < LEAST_S:
        raise ValueError(f"{name} lasts less than {LEAST_S:g} s")
    motion = integers[first].astype(float) / np.repeat([FORCE_UNIT, RATE_UNIT], 3)
    grid = np.arange(time_s[0], time_s[-1], 1 / RATE_HZ)
    out = np.stack([np.interp(grid, time_s, motion[:, axis]) for axis in range(6)], axis=1)
    after = np.clip(np.searchsorted(time_s, grid), 1, len(time_s) - 1)
    out[time_s[after] - time_s[after - 1] > LONGEST_HOLE_S] = np.nan
    return readable(out[:, None, :])

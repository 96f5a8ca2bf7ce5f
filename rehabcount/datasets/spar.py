"""SPAR: people who exercise a shoulder with a smartwatch, about twenty repetitions each; without examples.

    in   <folder>/spar.npz: `S1_E0_L` (T x 6, 50 Hz: acceleration in g, rotation in rad/s) of person, exercise and side
    out  CountedRecording of the wrist; the number is the protocol's, 20 (a few people made 19 or 21)

How the watch is turned on the wrist is unknown: axes are those of the watch. Licence: GPL-3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rehabcount.datasets.cara import CountedRecording, unmounted
from rehabcount.datasets.worn import WornRecording, readable
from rehabcount.domain.arrays import Floats
from rehabcount.domain.motion import G_M_S2
from rehabcount.domain.rig import Place
from rehabcount.errors import DatasetChanged, DatasetMissing
from rehabcount.store.npz import open_arrays

RATE_HZ = 50.0
REPETITIONS = 20  # of the protocol
LEAST_SAMPLES = 250
EXERCISES = (
    "pendulum",
    "abduction",
    "forward elevation",
    "internal rotation",
    "external rotation",
    "trapezius row",
    "bent-over row",
)
SIDES = {"L": Place.LEFT_WRIST, "R": Place.RIGHT_WRIST}
WHERE_FROM = "The recordings are SPAR-dataset on GitHub, as spar.npz."


def read_recordings(folder: Path) -> Iterator[CountedRecording]:
    """All recordings of all people, in order."""
    path = folder / "spar.npz"
    if not path.is_file():
        raise DatasetMissing(f"{path} does not exist.", advice=WHERE_FROM)
    try:
        with open_arrays(path) as file:
            found = {name: _motion(file[name], name) for name in file if re.fullmatch(r"[^_/]+_E\d_[LR]", name)}
    except (ValueError, TypeError, OSError) as problem:
        raise DatasetChanged(f"{path.name} is not as expected: {problem}.", advice=WHERE_FROM) from problem
    if not found:
        raise DatasetChanged(f"{path.name} holds no recording.", advice=WHERE_FROM)
    for name in sorted(found):
        person, exercise, side = name.split("_")
        if int(exercise[1]) >= len(EXERCISES):
            raise DatasetChanged(f"{path.name}: {name} is of an exercise that is not known.", advice=WHERE_FROM)
        place = SIDES[side]
        worn = WornRecording(person, name, RATE_HZ, (place,), found[name], unmounted(place))
        yield CountedRecording(worn, EXERCISES[int(exercise[1])], 1, REPETITIONS)


def _motion(values: Floats, name: str) -> Floats:
    if values.ndim != 2 or values.shape[1] != 6 or len(values) < LEAST_SAMPLES:
        raise ValueError(f"{name} has the shape {values.shape}, not (samples, 6)")
    motion = readable(values.astype(float)[:, None, :])
    motion[..., :3] *= G_M_S2
    return motion

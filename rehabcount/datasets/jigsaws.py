"""JIGSAWS: suturing, knot tying and needle passing by eight surgeons on a robot, 30 Hz.

In: the folder with `suturing.npz`, `knot_tying.npz`, `needle_passing.npz` (made from the COMPASS re-release; arrays
`S02_T01/motion`, `/gesture`, `/primitive_L`, `/primitive_R`, and `columns`). Out: `read_task(folder, task)`.

Oddities that the reader corrects: quaternions change sign from one frame to the next (they are made continuous
here); a surgeon's code S02 is B of the original naming. Frames without a gesture carry an empty string: they are
labelled `NONE`. S07_T01 of suturing is missing from the re-release. Left and right may be swapped against the
original.

Terms: non-commercial research only, no redistribution; so this program contains none of it.

Reference: Gao et al., JIGSAWS, M2CAI 2014; Hutchinson et al., COMPASS, 2023.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.domain.arrays import Floats, frozen
from rehabcount.errors import DatasetChanged, DatasetMissing
from rehabcount.store.npz import open_arrays

RATE_HZ = 30.0
TASKS = ("suturing", "knot_tying", "needle_passing")
NONE = "none"  # frames without a label
COLUMNS = 22
WHERE_FROM = "JIGSAWS is free for research; see the COMPASS re-release (github.com/UVA-DSA/COMPASS) and JHU-ISI."


@dataclass(frozen=True, slots=True)
class JigsawsTrial:
    """One trial: kinematics of both arms and three tracks of labels, a string a frame."""

    name: str
    surgeon: str
    values: Floats  # (frames, 22)
    gesture: tuple[str, ...]
    primitive_left: tuple[str, ...]
    primitive_right: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen(self.values))


@dataclass(frozen=True, slots=True)
class JigsawsTask:
    name: str
    columns: tuple[str, ...]
    trials: tuple[JigsawsTrial, ...]


def read_task(folder: Path, task: str) -> JigsawsTask:
    """All trials of one task, in order of surgeon and trial."""
    if task not in TASKS:
        raise ValueError(f"task must be one of {', '.join(TASKS)}, not {task!r}")
    path = folder / f"{task}.npz"
    if not path.is_file():
        raise DatasetMissing(f"JIGSAWS is not there: {path} does not exist.", advice=WHERE_FROM)
    try:
        with open_arrays(path) as file:
            columns = tuple(str(name) for name in file.need("columns"))
            names = sorted({name.split("/")[0] for name in file if "/" in name})
            trials = tuple(_trial(name, columns, {key: file.need(f"{name}/{key}") for key in _KEYS}) for name in names)
    except (ValueError, TypeError, OSError) as problem:
        raise DatasetChanged(f"{path.name} is not as expected: {problem}.", advice=WHERE_FROM) from problem
    if len(columns) != COLUMNS or not trials:
        raise DatasetChanged(f"{path.name}: {len(columns)} columns, {len(trials)} trials.", advice=WHERE_FROM)
    return JigsawsTask(task, columns, trials)


_KEYS = ("motion", "gesture", "primitive_L", "primitive_R")


def _trial(name: str, columns: tuple[str, ...], arrays: dict[str, np.ndarray]) -> JigsawsTrial:
    values = arrays["motion"].astype(np.float64)
    if values.ndim != 2 or values.shape[1] != len(columns):
        raise ValueError(f"{name} has motion of shape {values.shape}")
    if any(arrays[key].shape != (len(values),) for key in _KEYS[1:]):
        raise ValueError(f"{name} has tracks of different lengths")
    for first in (i for i, column in enumerate(columns) if column.endswith("orientation_x")):
        quaternion = values[:, first : first + 4]
        turned = (quaternion[1:] * quaternion[:-1]).sum(axis=1) < 0
        sign = np.cumprod(np.where(turned, -1.0, 1.0))
        quaternion[1:] *= sign[:, None]
    tracks = [tuple(str(label) or NONE for label in arrays[key]) for key in _KEYS[1:]]
    return JigsawsTrial(name, name.split("_")[0], values, *tracks)

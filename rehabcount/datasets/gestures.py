"""Arm gestures from real IMUs: 11 gestures, 26 repetitions each, one person, in a stream with pauses; 32 Hz.

In: the folder with `subject1.npz` (arrays `motion`, `label`, `label_names`, `columns`). Out: `read_subject(folder)`:
acceleration in units of about 1 g and two gyroscope axes, of right hand, lower arm and upper arm, and a label a frame.

Scales are not documented: acceleration is about mg and the gyroscope raw, around a resting value of some hundreds; a
network normalises them. Label 1 is the null class, called `NULL` here.

Reference: Bulling, Blanke, Schiele, A tutorial on human activity recognition using body-worn inertial sensors, ACM
Computing Surveys 2014 (ActRecTut).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.domain.arrays import Floats, Ints, frozen
from rehabcount.errors import DatasetChanged, DatasetMissing
from rehabcount.store.npz import open_arrays

RATE_HZ = 32.0
NULL = "null"
WHERE_FROM = "The recordings belong to ActRecTut (github.com/andreas-bulling/ActRecTut), free for research."


@dataclass(frozen=True, slots=True)
class GestureStream:
    """One person's recording."""

    subject: str
    columns: tuple[str, ...]
    values: Floats  # (frames, columns)
    labels: Ints  # (frames,), indices into label_names
    label_names: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen(self.values))
        object.__setattr__(self, "labels", frozen(self.labels, np.int64))


def read_subject(folder: Path, subject: str = "subject1") -> GestureStream:
    """The recording of one subject."""
    path = folder / f"{subject}.npz"
    if not path.is_file():
        raise DatasetMissing(f"the arm gestures are not there: {path} does not exist.", advice=WHERE_FROM)
    try:
        with open_arrays(path) as file:
            values, labels = file.need("motion").astype(np.float64), file.need("label").astype(np.int64)
            names = tuple(str(name).strip().lower() for name in file.need("label_names"))
            columns = tuple(str(name) for name in file.need("columns"))
    except (ValueError, TypeError, OSError) as problem:
        raise DatasetChanged(f"{path.name} is not as expected: {problem}.", advice=WHERE_FROM) from problem
    if labels.ndim != 1 or not len(labels) or not np.isfinite(values).all():
        raise DatasetChanged(f"{path.name} is not as expected: no labels, or no numbers.", advice=WHERE_FROM)
    if values.shape != (len(labels), len(columns)) or labels.min() < 1 or labels.max() >= len(names):
        raise DatasetChanged(
            f"{path.name}: motion {values.shape}, labels {labels.min()}..{labels.max()} of {len(names)} names.",
            advice=WHERE_FROM,
        )
    # Numbers count from 1 in the file; the empty name in front is no label.
    return GestureStream(subject, columns, values, labels - 1, names[1:])

"""Corpora as training sets: JIGSAWS, arm gestures, StrokeRehab.

Each function reads a corpus through its reader in `rehabcount.datasets` and gives a TrainingSet whose subjects are not
split yet (all in `train`) unless the corpus comes with its own split; `with_splits` of models.data splits by subject.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rehabcount.datasets import gestures, jigsaws, strokerehab
from rehabcount.domain.labels import PRIMITIVES
from rehabcount.models.data import Sensors, TrainingSet, Trial, onsets_of

CONSTANT = 1e-9  # a column whose deviation is below this is constant


def jigsaws_gestures(folder: Path, task: str = "suturing") -> TrainingSet:
    """Gestures; each trial normalised by itself, because the robot's origin and the camera differ between sessions."""
    read = jigsaws.read_task(folder, task)
    names = sorted(
        {label for trial in read.trials for label in trial.gesture} - {jigsaws.NONE}, key=lambda g: int(g[1:])
    )
    labels = (jigsaws.NONE, *names)
    number = {name: i for i, name in enumerate(labels)}
    trials = []
    for trial in read.trials:
        rows = by_trial(np.array(trial.values)).astype(np.float32)
        track = np.array([number[name] for name in trial.gesture], np.int16)
        trials.append(
            Trial(trial.name, trial.surgeon, "train", rows, np.ones(rows.shape, bool), track, onsets_of(track))
        )
    return TrainingSet(
        f"JIGSAWS {task}, gestures",
        labels,
        (jigsaws.NONE,),
        jigsaws.RATE_HZ,
        read.columns,
        tuple(trials),
        normalisation="none",
        evidence="real healthy people",
    )


def arm_gestures(folder: Path, *, split_at: float = 0.5, valid_share: float = 0.2) -> TrainingSet:
    """One person's stream cut in time: its first part trains (the end of that part validates), the rest is the test.

    The cut moves to the middle of the nearest null stretch. One person cannot be split by subject: the parts count as
    three subjects, and every report of it has to say so.
    """
    read = gestures.read_subject(folder)
    null = read.label_names.index(gestures.NULL)
    cuts = [
        _quiet_near(read.labels == null, int(len(read.labels) * share))
        for share in (split_at * (1 - valid_share), split_at)
    ]
    bounds = [0, *cuts, len(read.labels)]
    trials = []
    for split, a, b in zip(("train", "valid", "test"), bounds, bounds[1:], strict=False):
        rows, track = read.values[a:b].astype(np.float32), read.labels[a:b].astype(np.int16)
        name = f"{read.subject} {split}"
        trials.append(Trial(name, name, split, rows, np.ones(rows.shape, bool), track, onsets_of(track)))
    vectors = tuple(
        ((first, first + 1, first + 2),) for first in range(0, len(read.columns), 5)
    )  # acceleration; two gyroscope axes cannot be turned
    return TrainingSet(
        "arm gestures",
        read.label_names,
        (gestures.NULL,),
        gestures.RATE_HZ,
        read.columns,
        tuple(trials),
        Sensors(("hand", "lower arm", "upper arm"), tuple(tuple(range(i, i + 5)) for i in (0, 5, 10)), vectors),
        evidence="real healthy people",
    )


def _quiet_near(quiet: np.ndarray, wanted: int) -> int:
    """The middle of the run of `quiet` that is nearest to `wanted`."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], quiet.astype(np.int8), [0]])))
    middles = (edges[::2] + edges[1::2]) // 2
    return int(middles[np.abs(middles - wanted).argmin()])


def stroke_rehab(folder: Path, fold: int = 0) -> TrainingSet:
    """The sensor part of StrokeRehab with the authors' split: fold `fold` validates, their test subjects test."""
    trials = strokerehab.list_trials(folder)
    train, valid = strokerehab.training_split(trials, fold)
    test = strokerehab.of_subjects(trials, strokerehab.TEST_SUBJECTS)
    made = []
    columns: tuple[str, ...] = ()
    for split, chosen in (("train", train), ("valid", valid), ("test", test)):
        for trial in chosen:
            data = strokerehab.read_trial(trial)
            columns = data.names
            rows = strokerehab.normalized(data.values).astype(np.float32)
            track = data.labels.astype(np.int16)
            made.append(
                Trial(trial.path.stem, trial.subject, split, rows, np.isfinite(data.values), track, onsets_of(track))
            )
    return TrainingSet(
        "StrokeRehab",
        PRIMITIVES.names,
        (),
        strokerehab.RATE_HZ,
        columns,
        tuple(made),
        recipe="paper77",
        normalisation="none",
        evidence="real patients",
    )


def by_trial(values: np.ndarray) -> np.ndarray:
    """Every column to mean 0 and deviation 1 over the trial; a constant column to 0."""
    centred = values - values.mean(axis=0)
    spread = centred.std(axis=0)
    return np.where(spread > CONSTANT, centred / np.maximum(spread, CONSTANT), 0.0)

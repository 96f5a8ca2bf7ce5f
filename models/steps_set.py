"""Found steps as a training set: feature rows of recipe `bedside` with the steps as labels.

In: FoundSteps and the rows of each recording. Out: a folder that `models.data.read_set` and `rehabcount train` read.
Steps with the same name are one label. Stretches outside of the common procedure have no label. Every fifth person (or
session) validates, the last one at least; `people` says who is who.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.domain.steps import FoundSteps
from rehabcount.models.data import UNKNOWN, TrainingSet, Trial, onsets_of, write_trials
from rehabcount.models.simulated import bedside_sensors
from rehabcount.signals.features import BEDSIDE

VALID_EVERY = 5


def write_training_set(
    folder: Path, found: FoundSteps, rows: Sequence[Rows], people: Sequence[str], *, simulated: bool
) -> None:
    labels = tuple(dict.fromkeys(step.name for step in found.steps))
    if len(set(people)) < 2:  # one session: its repetitions take the place of people
        people = [recording.name for recording in found.recordings]
    names = sorted(set(people))
    validating = set(names[VALID_EVERY - 1 :: VALID_EVERY] or names[-1:])
    head = TrainingSet(
        "steps that were found",
        labels,
        (),
        FRAME_RATE_HZ,
        BEDSIDE.names,
        (),
        bedside_sensors(),
        recipe=BEDSIDE.name,
        normalisation="none",
        evidence="simulated" if simulated else "real patients",
    )
    trials = []
    for number, (recording, mine, person) in enumerate(zip(found.recordings, rows, people, strict=True), 1):
        track = np.full(len(mine), UNKNOWN, np.int16)
        for span in recording.spans:
            inside = (mine.time_s >= span.start_s - 1e-6) & (mine.time_s < span.end_s - 1e-6)
            track[inside] = labels.index(found.name_of(span)) if span.number else UNKNOWN
        trial = Trial(
            f"{number} {recording.name}",
            person,
            "train",
            mine.values.astype(np.float32),
            mine.valid,
            track,
            onsets_of(track),
        )
        trials.append(replace(trial, split="valid" if person in validating else "train"))
    write_trials(folder, head, trials)

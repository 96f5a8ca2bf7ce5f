"""The simulated cohort and whole sessions as a training set, through the product's own signal chain.

Each recording is simulated, aligned, oriented, calibrated from its own prelude and described by a recipe, exactly as
a bedside recording would be; the prelude itself is cut off. Subjects are split as in StrokeRehab: the training
patients with some of them held out for validation, the test patients, and (under names of their own) the severe and
the healthy.

    trials(plan)        one Trial after the other, nothing kept in memory
    write(folder, plan) the whole set, with a progress callback
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.domain.labels import OTHER, PRIMITIVES, PRODUCT, Vocabulary
from rehabcount.domain.motion import FRAME_RATE_HZ
from rehabcount.domain.rig import Side, make_rig
from rehabcount.models.data import Sensors, TrainingSet, Trial, write_trials
from rehabcount.signals.features import BEDSIDE, BEDSIDE_PARTS, RECIPES, featurize_all, normalize_trial
from rehabcount.simulate.accuracy import body_frames
from rehabcount.simulate.cohort import Subject, make_cohort
from rehabcount.simulate.recording import Recording, frame_labels, simulate_session, simulate_trial
from rehabcount.simulate.statistics import trials_of

VALID_EVERY = 7  # each seventh training subject validates: five of 35 patients
SPLIT_OF = {"train": "train", "healthy-train": "train", "test": "test", "severe": "test", "healthy-test": "test"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to simulate. `repetitions` of every activity, then `sessions` a training or test subject."""

    recipe: str = BEDSIDE.name
    groups: tuple[str, ...] = ("train", "healthy-train", "test", "severe", "healthy-test")
    repetitions: int = 5
    sessions: int = 0
    session_minutes: float = 15.0
    seed: int = 0

    @property
    def vocabulary(self) -> Vocabulary:
        """The product knows `other`; the bench of the paper knows the five primitives."""
        return PRODUCT if self.recipe == BEDSIDE.name else PRIMITIVES


def head(plan: Plan) -> TrainingSet:
    """The set without its trials."""
    bedside = plan.recipe == BEDSIDE.name
    return TrainingSet(
        f"simulated cohort, recipe {plan.recipe}, seed {plan.seed}",
        plan.vocabulary.names,
        (OTHER.name,) if bedside else (),
        FRAME_RATE_HZ,
        RECIPES[plan.recipe].names,
        (),
        bedside_sensors() if bedside else Sensors(),
        recipe=plan.recipe,
        normalisation="none",
        evidence="simulated",
    )


def write(folder: Path, plan: Plan, progress: Callable[[int, int], None] = lambda done, total: None) -> None:
    """Simulate the plan into a folder that `models.data.read_set` reads."""
    total = count(plan)

    def counted() -> Iterator[Trial]:
        for done, trial in enumerate(trials(plan), 1):
            yield trial
            progress(done, total)

    write_trials(folder, head(plan), counted())


def subjects(plan: Plan) -> list[Subject]:
    return [subject for subject in make_cohort(plan.seed) if subject.group in plan.groups]


def count(plan: Plan) -> int:
    """How many trials the plan gives."""
    return sum(len(trials_of(subject)) * plan.repetitions + plan.sessions for subject in subjects(plan))


def trials(plan: Plan) -> Iterator[Trial]:
    """All recordings of the plan as trials."""
    seen: dict[str, int] = {}
    for subject in subjects(plan):
        number = seen[subject.group] = seen.get(subject.group, 0) + 1
        split = SPLIT_OF[subject.group]
        if split == "train" and number % VALID_EVERY == 0:
            split = "valid"
        for activity, side in trials_of(subject):
            for repetition in range(1, plan.repetitions + 1):
                yield trial_of(simulate_trial(subject, activity, repetition, plan.seed, side=side), plan, split)
        for session in range(1, plan.sessions + 1):
            yield trial_of(simulate_session(subject, plan.session_minutes, plan.seed, number=session), plan, split)


def trial_of(recording: Recording, plan: Plan, split: str) -> Trial:
    """One recording, described; what comes before the end of its calibration is cut off."""
    frames, calibration = body_frames(recording)
    rows = featurize_all(frames, recording.rig, RECIPES[plan.recipe], recording.side, calibration)
    start = round(recording.span("calibration", "done")[1] * FRAME_RATE_HZ)
    segments = recording.of(recording.side)
    if plan.recipe != BEDSIDE.name:
        # The paper normalises each trial, so the calibration must not take part in it.
        rows = normalize_trial(type(rows)(0, rows.time_s[start:], rows.values[start:], rows.valid[start:]))
        values, valid = rows.values, rows.valid
    else:
        values, valid = rows.values[start:], rows.valid[start:]
    labels = frame_labels(segments, start + len(values), vocabulary=PRODUCT)[start:].astype(np.int16)
    labels[labels >= len(plan.vocabulary)] = -1
    onsets = np.zeros(len(values), bool)
    for segment in segments:
        at = int(np.ceil(segment.start_s * FRAME_RATE_HZ - 1e-9)) - start
        if 0 <= at < len(values):
            onsets[at] = True
    return Trial(
        f"{recording.subject.group}/{recording.name}",
        recording.subject.name,
        split,
        values.astype(np.float32),
        np.asarray(valid),
        labels,
        onsets,
    )


def bedside_sensors() -> Sensors:
    """Which columns of recipe `bedside` each body part's sensor carries, for augmentation."""
    columns: list[tuple[int, ...]] = []
    vectors: list[tuple[tuple[int, int, int], ...]] = []
    for number, part in enumerate(BEDSIDE_PARTS):
        first = 9 * number
        vectors.append(tuple((first + 3 * i, first + 3 * i + 1, first + 3 * i + 2) for i in range(3)))
        columns.append((*range(first, first + 9), *(BEDSIDE.index(name) for name in _ANGLES_OF.get(part, ()))))
    return Sensors(
        BEDSIDE_PARTS, tuple(columns), tuple(vectors), tuple(_rig(kind) for kind in ("five", "three", "one"))
    )


_ANGLES_OF = {
    "forearm": ("elbow flexion", "forearm pronation", "forearm inclination"),
    "upper-arm": ("elbow flexion", "forearm pronation", "upper-arm inclination"),
    "thorax": ("trunk lean forward", "trunk lean to this side"),
}


def _rig(kind: str) -> tuple[int, ...]:
    """Body parts, as positions in BEDSIDE_PARTS, that a smaller rig's sensors ride on."""

    side = Side.RIGHT
    parts = []
    for place in make_rig(kind, side, "generic", FRAME_RATE_HZ).places:
        assert place is not None
        prefix = "other-" if place.side is side.other else ""
        parts.append(BEDSIDE_PARTS.index(prefix + place.part.value))
    return tuple(parts)

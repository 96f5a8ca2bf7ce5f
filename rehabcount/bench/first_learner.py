"""How hard is the simulated patient? A first, simple learner, trained for minutes on training people.

Question: is it far from perfect on unseen people, and worse on severely impaired ones? (Kaku et al., 2022, Table 3:
action error rate .305 for stroke patients and .612 for severely impaired ones, with a network trained on hours of
real data.)

Gradient-boosted trees classify rows of recipe `bedside` ten times a second, with the rows up to a second around. A
running majority smooths the labels. Equal neighbours are merged into a sequence, which is compared by edit distance.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from rehabcount.bench.classifier import Classifier, boosted_trees
from rehabcount.domain.arrays import Floats, Ints
from rehabcount.domain.labels import PRIMITIVES
from rehabcount.domain.rig import BodyPart
from rehabcount.metrics.matching import distances
from rehabcount.signals.features import BEDSIDE, featurize_all
from rehabcount.simulate.accuracy import body_frames
from rehabcount.simulate.activities import ACTIVITIES
from rehabcount.simulate.cohort import Subject, make_cohort
from rehabcount.simulate.recording import Recording, frame_labels, simulate_trial

STRIDE = 10  # frames: ten rows a second
CONTEXT = (-10, -6, -3, -1, 0, 1, 3, 6, 10)  # rows around the one to be named
MAJORITY = 3  # rows to either side


@dataclass(frozen=True, slots=True)
class LearnerScore:
    """Of one group of people."""

    group: str
    people: int
    trials: int
    error_rate: float  # edits per reference primitive
    frame_accuracy: float


def learn(train_people: int = 16, test_people: int = 8, trials: int = 4, seed: int = 0) -> list[LearnerScore]:
    """Train on training people (stroke and healthy), score the unseen groups."""
    cohort = make_cohort(seed)
    groups = {name: [subject for subject in cohort if subject.group == name] for name in {s.group for s in cohort}}
    stroke = groups["train"][:: max(1, len(groups["train"]) // (3 * train_people // 4))]
    healthy = groups["healthy-train"][: train_people - train_people * 3 // 4]
    pieces = [_rows(recording) for recording in _record([*stroke, *healthy], trials, seed)]
    model = _trees().fit(np.concatenate([x for x, _ in pieces]), np.concatenate([y for _, y in pieces]))
    scores = []
    for group in ("healthy-test", "test", "severe"):
        people = groups[group][:test_people]
        edits = length = right = count = number = 0
        for recording in _record(people, trials, seed):
            rows, truth = _rows(recording)
            guess = _smooth(model.predict(rows))
            reference = _collapse(truth)
            edits += int(distances([reference], [_collapse(guess)])[0])
            length += len(reference)
            right += int((guess == truth).sum())
            count += len(truth)
            number += 1
        scores.append(LearnerScore(group, len(people), number, edits / length, right / count))
    return scores


def _record(people: Iterable[Subject], trials: int, seed: int) -> Iterable[Recording]:
    names = list(ACTIVITIES)
    for k, subject in enumerate(people):
        for i in range(trials):
            activity = names[(k * 2 + i * 2 + i // 5) % len(names)]
            yield simulate_trial(subject, activity, 1 + i % 5, seed)


def _rows(recording: Recording) -> tuple[Floats, Ints]:
    """Inputs and labels of the activity, ten a second."""
    frames, calibration = body_frames(recording)
    values = featurize_all(frames, recording.rig, BEDSIDE, recording.side, calibration).values
    start, end = recording.span("activity", recording.activity)
    labels = frame_labels(recording.of(recording.side), len(values))
    moving = [i for i, name in enumerate(BEDSIDE.names) if BodyPart.PELVIS.value not in name]
    smooth = values[: len(values) // STRIDE * STRIDE, moving].reshape(-1, STRIDE, len(moving))
    table = np.concatenate([smooth.mean(axis=1), smooth.std(axis=1)], axis=1)
    at = np.arange(int(start * 10) + 12, min(int(end * 10), len(table)) - 12)
    stacked = np.concatenate([table[at + shift] for shift in CONTEXT], axis=1)
    return stacked, labels[at * STRIDE + STRIDE // 2]


def _smooth(labels: Ints) -> Ints:
    votes = np.stack([np.convolve(labels == k, np.ones(2 * MAJORITY + 1), "same") for k in range(len(PRIMITIVES))])
    return votes.argmax(axis=0)


def _collapse(labels: Ints) -> list[int]:
    return [int(label) for label, _ in groupby(labels)]


def _trees() -> Classifier:
    return boosted_trees(max_iter=60, max_leaf_nodes=24, learning_rate=0.15, random_state=0)

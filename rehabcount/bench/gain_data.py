"""The two sources of the GAIN bench as training sets whose test trials are of known tasks and of unseen ones.

    simulated_set(folder, size, ...)    six of the nine activities to train on; the other three, and tasks put together
                                        anew from the steps of the six by the simulator, unseen; 25 Hz
    jigsaws_set(folder, source, target, surgeon)    one task of JIGSAWS to train on, another one unseen

A trial is named `in/task/...` or `ood/task/...`. Both tests are by the same people, none of whom trains. Steps of the
simulated tasks are primitives with the kind of place they go to (simulate/reassembled.py); those of JIGSAWS are its
gestures.

A test trial of an unseen task may hold a few frames of a step that training does not have. As in the paper they become
background, and a trial that has a long stretch of it is left out. Simulated sets have no background: there such frames
lose their label.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rehabcount.domain.document import to_document
from rehabcount.domain.labels import IDLE, REACH, REPOSITION, STABILIZE, TRANSPORT
from rehabcount.domain.motion import FRAME_RATE_HZ
from rehabcount.errors import DatasetMissing
from rehabcount.models.data import UNKNOWN, Labels, Mask, Rows, TrainingSet, Trial, read_set, write_trials
from rehabcount.models.simulated import bedside_sensors, simulator_sha256
from rehabcount.models.sources import jigsaws_gestures
from rehabcount.signals.features import BEDSIDE, featurize_all
from rehabcount.simulate.accuracy import body_frames
from rehabcount.simulate.activities import ACTIVITIES
from rehabcount.simulate.cohort import Subject, make_cohort
from rehabcount.simulate.reassembled import KINDS, TASKS, simulate_steps

IN, OOD = "in", "ood"
HELD_OUT = ("deodorant", "combing", "drinking")
TRAINED = tuple(name for name in ACTIVITIES if name not in HELD_OUT)
RATE_HZ = 25.0
STEPS = (
    IDLE.name,
    REPOSITION.name,
    *(f"{REACH.name} {kind}" for kind in KINDS if kind != "spot"),
    *(f"{TRANSPORT.name} {kind}" for kind in KINDS),
    *(f"{STABILIZE.name} {kind}" for kind in KINDS),
)
BACKGROUND = "none"  # of JIGSAWS: frames without a gesture
LONG_SHARE = 0.05  # of a trial: a longer part of undefined steps and the trial is left out


@dataclass(frozen=True, slots=True)
class SetSize:
    """How many simulated people, and how often each of them does a task."""

    people: int = 14
    tested: int = 8
    repetitions: int = 1
    seed: int = 0
    activities: tuple[str, ...] = TRAINED
    held_out: tuple[str, ...] = HELD_OUT
    tasks: tuple[str, ...] = tuple(TASKS)


QUICK = SetSize(
    people=3, tested=2, activities=("glasses", "feeding", "shelf"), held_out=("combing",), tasks=("telephone", "bread")
)


def where_of(trial: Trial) -> str:
    """`in`, `ood` or `train`."""
    return trial.name.split("/")[0]


def task_of(trial: Trial) -> str:
    return trial.name.split("/")[1]


def simulated_set(
    folder: Path, size: SetSize, on_progress: Callable[[int, int], None] = lambda done, total: None
) -> TrainingSet:
    """The set kept in the folder, made now if it is not there or was made otherwise."""
    stamp = json.dumps({"size": to_document(size), "simulator": simulator_sha256()}, sort_keys=True)
    written = folder / "made.json"
    if written.is_file() and written.read_text(encoding="utf-8") == stamp:
        return read_set(folder)
    head = TrainingSet(
        f"simulated steps, seed {size.seed}",
        STEPS,
        (),
        RATE_HZ,
        BEDSIDE.names,
        (),
        bedside_sensors(),
        recipe=BEDSIDE.name,
        normalisation="none",
        evidence="simulated",
    )
    written.unlink(missing_ok=True)
    write_trials(folder, head, _simulated_trials(size, on_progress))
    written.write_text(stamp, encoding="utf-8")
    return read_set(folder)


def people_of(size: SetSize) -> tuple[list[Subject], list[Subject]]:
    """Patients to train on, of all degrees of impairment, and the patients who test."""
    cohort = make_cohort(size.seed)
    train, test = ([subject for subject in cohort if subject.group == group] for group in ("train", "test"))
    chosen = []
    for group, number in ((train, size.people), (test, size.tested)):
        places = np.unique(np.linspace(0, len(group) - 1, number).round().astype(int))
        chosen.append([group[place] for place in places])
    return chosen[0], chosen[1]


def _simulated_trials(size: SetSize, on_progress: Callable[[int, int], None]) -> Iterator[Trial]:
    training, testing = people_of(size)
    plan = [
        *(("train", subject, task) for subject in training for task in size.activities),
        *((IN, subject, task) for subject in testing for task in size.activities),
        *((OOD, subject, task) for subject in testing for task in (*size.held_out, *size.tasks)),
    ]
    total = len(plan) * size.repetitions
    for done, (where, subject, task) in enumerate(each for each in plan for _ in range(size.repetitions)):
        on_progress(done, total)
        yield _simulated_trial(where, subject, task, done % size.repetitions + 1, size.seed)


def _simulated_trial(where: str, subject: Subject, task: str, repetition: int, seed: int) -> Trial:
    recording, steps = simulate_steps(subject, task, repetition, seed)
    frames, calibration = body_frames(recording)
    rows = featurize_all(frames, recording.rig, BEDSIDE, recording.side, calibration)
    begun_s = recording.span("calibration", "done")[1]
    start = round(begun_s * FRAME_RATE_HZ)
    labels = np.full(len(rows.values), UNKNOWN, np.int16)
    onsets = np.zeros(len(labels), bool)
    for segment, step in zip(recording.of(recording.side), steps, strict=True):
        a, b = (int(np.ceil(at * FRAME_RATE_HZ - 1e-9)) for at in (segment.start_s, segment.end_s))
        if step in STEPS and a < len(labels):
            labels[a:b], onsets[a] = STEPS.index(step), True
    parts = rows.values[start:].astype(np.float32), np.asarray(rows.valid[start:]), labels[start:], onsets[start:]
    split = "train" if where == "train" else "test"
    return Trial(f"{where}/{task}/{recording.name}", recording.subject.name, split, *slower(*parts))


def slower(
    rows: Rows, valid: Mask, labels: Labels, onsets: Mask, per: int = round(FRAME_RATE_HZ / RATE_HZ)
) -> tuple[Rows, Mask, Labels, Mask]:
    """`per` frames averaged into one; its label is that which begins there, else that of its middle."""
    from rehabcount.models.batches import steps_of

    frames = len(rows) // per
    known = valid[: frames * per].reshape(frames, per, -1)
    values = np.where(known, rows[: frames * per].reshape(known.shape), 0).sum(axis=1)
    mean = (values / np.maximum(known.sum(axis=1), 1)).astype(np.float32)
    return mean, np.asarray(known.any(axis=1)), *steps_of(labels, onsets, per)


def surgeons_of_both(folder: Path, source: str, target: str) -> list[str]:
    """Surgeons who did both tasks, in order."""
    people = [{trial.subject for trial in jigsaws_gestures(folder, task).trials} for task in (source, target)]
    return sorted(people[0] & people[1])


def jigsaws_set(folder: Path, source: str, target: str, surgeon: str) -> TrainingSet:
    """Everyone's `source` trains but the surgeon's, whose `source` and `target` are the tests."""
    one, two = jigsaws_gestures(folder, source), jigsaws_gestures(folder, target)
    labels = tuple(dict.fromkeys([BACKGROUND, *one.labels, *two.labels]))
    trials = []
    for data, task in ((one, source), (two, target)):
        number = np.array([labels.index(label) for label in data.labels], np.int16)
        for trial in data.trials:
            own = trial.subject == surgeon
            if own or task == source:
                where = "train" if not own else IN if task == source else OOD
                trials.append(
                    replace(
                        trial,
                        name=f"{where}/{task.replace('_', ' ')}/{trial.name}",
                        split="test" if own else "train",
                        labels=number[trial.labels],
                    )
                )
    if not any(trial.split == "test" for trial in trials):
        raise DatasetMissing(f"surgeon {surgeon} did no {source}.", advice="Choose one who did both tasks.")
    name = f"JIGSAWS, {source} to {target}, surgeon {surgeon} left out"
    return replace(one, name=name, labels=labels, trials=tuple(trials))


@dataclass(frozen=True, slots=True)
class Consistency:
    """What was done to test trials with steps that training does not have."""

    data: TrainingSet
    blanked: dict[str, int]  # frames that became background, by step
    left_out: tuple[str, ...]  # trials


def consistent(data: TrainingSet, background: str = BACKGROUND) -> Consistency:
    """The set without steps that training does not have; a set that has none is not changed."""
    known = {label for trial in data.of("train") for label in np.unique(trial.labels).tolist()}
    blanked: dict[str, int] = {}
    trials, left_out = [], []
    for trial in data.trials:
        unknown = ~np.isin(trial.labels, [*known, UNKNOWN])
        if unknown.mean() > LONG_SHARE:
            left_out.append(trial.name)
            continue
        if unknown.any():
            for label, frames in zip(*np.unique(trial.labels[unknown], return_counts=True), strict=True):
                blanked[data.labels[label]] = blanked.get(data.labels[label], 0) + int(frames)
            instead = data.labels.index(background) if background in data.labels else UNKNOWN
            track = np.where(unknown, instead, trial.labels).astype(np.int16)
            onsets = trial.onsets | np.append(True, track[1:] != track[:-1])
            trial = replace(trial, labels=track, onsets=onsets)
        trials.append(trial)
    return Consistency(replace(data, trials=tuple(trials)), blanked, tuple(left_out))

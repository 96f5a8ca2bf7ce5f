"""Corpora as training sets: JIGSAWS, arm gestures, StrokeRehab.

Each function reads a corpus through its reader in `rehabcount.datasets` and gives a TrainingSet whose subjects are not
split yet (all in `train`) unless the corpus comes with its own split; `with_splits` of models.data splits by subject.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from rehabcount.datasets import gestures, jigsaws, strokerehab
from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import PRIMITIVES
from rehabcount.errors import DatasetMissing
from rehabcount.models.data import Sensors, TrainingSet, Trial, onsets_of, read_set, with_splits
from rehabcount.models.sessions import read_sessions
from rehabcount.signals.features import normalize_trial

IDLE_PRIMITIVE = "Idle"  # of JIGSAWS' primitives


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
        values = robot_features(trial.values)
        known = np.ones(values.shape, bool)
        rows = normalize_trial(values, known).astype(np.float32)
        track = np.array([number[name] for name in trial.gesture], np.int16)
        trials.append(Trial(trial.name, trial.surgeon, "train", rows, known, track, onsets_of(track)))
    return TrainingSet(
        f"JIGSAWS {task}, gestures",
        labels,
        (jigsaws.NONE,),
        jigsaws.RATE_HZ,
        ROBOT_COLUMNS,
        tuple(trials),
        normalisation="none",
        evidence="real healthy people",
    )


def jigsaws_primitives(folder: Path, task: str = "suturing", *, gripper: bool = True) -> TrainingSet:
    """Primitives of each hand, a trial a hand: the hand's own columns first, then the other hand's, then the way to it.

    One network serves both hands. Idle is no movement. Without `gripper` the opening of the jaws is left out, because
    sensors on an arm do not measure it either.
    """
    read = jigsaws.read_task(folder, task)
    names = sorted(
        {label for trial in read.trials for track in (trial.primitive_left, trial.primitive_right) for label in track}
        - {jigsaws.NONE, IDLE_PRIMITIVE}
    )
    labels = (jigsaws.NONE, IDLE_PRIMITIVE, *names)
    number = {name: i for i, name in enumerate(labels)}
    kept = [i for i, name in enumerate(ROBOT_COLUMNS) if gripper or "gripper" not in name]
    trials = []
    for trial in read.trials:
        left = robot_features(trial.values)
        right = robot_features(np.concatenate([trial.values[:, 11:], trial.values[:, :11]], axis=1))
        for hand, values, track in (("left", left, trial.primitive_left), ("right", right, trial.primitive_right)):
            known = np.ones((len(values), len(kept)), bool)
            rows = normalize_trial(values[:, kept], known).astype(np.float32)
            labelled = np.array([number[name] for name in track], np.int16)
            name = f"{trial.name} {hand}"
            trials.append(Trial(name, trial.surgeon, "train", rows, known, labelled, onsets_of(labelled)))
    return TrainingSet(
        f"JIGSAWS {task}, primitives of each hand{'' if gripper else ', without the gripper'}",
        labels,
        (jigsaws.NONE, IDLE_PRIMITIVE),
        jigsaws.RATE_HZ,
        tuple(ROBOT_COLUMNS[i].replace("left", "this").replace("right", "other") for i in kept),
        tuple(trials),
        normalisation="none",
        evidence="real healthy people",
    )


ROBOT_COLUMNS = (
    *(
        f"{arm} {name}"
        for arm in ("left", "right")
        for name in (
            *(f"position {axis}" for axis in "xyz"),
            *(f"velocity {axis}" for axis in "xyz"),
            *(f"tool {one}{two}" for one in "xyz" for two in "xyz"),
            "gripper",
        )
    ),
    *(f"right from left {axis}" for axis in "xyz"),
)


def robot_features(values: Floats) -> Floats:
    """JIGSAWS' 22 columns with orientation as a rotation matrix, which has no sign to guess, and the arms' distance."""
    arms = []
    for arm in (values[:, :11], values[:, 11:]):
        matrix = Rotation.from_quat(arm[:, 6:10]).as_matrix().reshape(len(arm), 9)
        arms.append(np.concatenate([arm[:, :6], matrix, arm[:, 10:]], axis=1))
    return np.concatenate([*arms, values[:, 11:14] - values[:, :3]], axis=1)


def arm_gestures(folder: Path, *, split_at: float = 0.5, parts: int = 5) -> TrainingSet:
    """One person's stream cut in time: of its first half's parts the last validates and the others train, the rest is
    the test.

    Cuts move to the middle of the nearest null stretch. One person cannot be split by subject: the parts count as
    subjects, and every report of it has to say so.
    """
    read = gestures.read_subject(folder)
    null = read.label_names.index(gestures.NULL)
    cuts = [
        _quiet_near(read.labels == null, int(len(read.labels) * split_at * part / parts))
        for part in range(1, parts + 1)
    ]
    trials = []
    for number, (a, b) in enumerate(itertools.pairwise([0, *cuts, len(read.labels)]), start=1):
        rows, track = read.values[a:b].astype(np.float32), read.labels[a:b].astype(np.int16)
        split = "train" if number < parts else "valid" if number == parts else "test"
        name = f"{read.subject} {f'part {number}' if number <= parts else 'rest'}"
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
    """The sensor part of StrokeRehab with the authors' split: fold `fold` validates, their test subjects test.

    The severely impaired are tested, too; of subjects in none of the authors' lists, which are the healthy ones, every
    fifth tests (the paper tests four of twenty, without saying which) and every seventh of the others validates. A
    trial's name says its group: `test/s4_drinking_...`.
    """
    trials = strokerehab.list_trials(folder)
    train, valid = strokerehab.training_split(trials, fold)
    patients = {*strokerehab.TEST_SUBJECTS, *strokerehab.SEVERE_SUBJECTS, *itertools.chain(*strokerehab.FOLDS)}
    healthy = list(dict.fromkeys(trial.subject for trial in trials if trial.subject not in patients))
    healthy_test = healthy[4::5]
    healthy_train = [subject for subject in healthy if subject not in healthy_test]
    parts = [
        ("train", "train", train),
        ("train", "valid", valid),
        ("test", "test", strokerehab.of_subjects(trials, strokerehab.TEST_SUBJECTS)),
        ("severe", "test", strokerehab.of_subjects(trials, strokerehab.SEVERE_SUBJECTS)),
        ("healthy-test", "test", strokerehab.of_subjects(trials, healthy_test)),
        ("healthy-train", "valid", strokerehab.of_subjects(trials, healthy_train[6::7])),
        (
            "healthy-train",
            "train",
            strokerehab.of_subjects(trials, [each for i, each in enumerate(healthy_train) if i % 7 != 6]),
        ),
    ]
    made = []
    columns: tuple[str, ...] = ()
    for group, split, chosen in parts:
        for trial in chosen:
            data = strokerehab.read_trial(trial)
            columns = data.names
            known = np.isfinite(data.values)
            rows = normalize_trial(data.values, known, kept=1).astype(np.float32)  # the last column is the side
            track = data.labels.astype(np.int16)
            name = f"{group}/{trial.subject}_{trial.activity}_{trial.path.stem}"
            made.append(Trial(name, trial.subject, split, rows, known, track, onsets_of(track)))
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


def open_data(folder: Path) -> TrainingSet:
    """The training data in the folder: a kept set, sessions, JIGSAWS, arm gestures, or StrokeRehab.

    JIGSAWS comes without a split: the last surgeon tests, the one before validates.
    """
    if (folder / "set.json").is_file():
        return read_set(folder)
    if (folder / "suturing.npz").is_file():
        data = jigsaws_gestures(folder)
        surgeons = sorted({trial.subject for trial in data.trials})
        return with_splits(data, dict.fromkeys(surgeons, "train") | {surgeons[-2]: "valid", surgeons[-1]: "test"})
    if (folder / "subject1.npz").is_file():
        return arm_gestures(folder)
    if folder.is_dir() and any(folder.glob("*.csv")):
        return stroke_rehab(folder)
    if folder.is_dir() and any(folder.rglob("*.rehab")):
        return read_sessions(folder)[0]
    raise DatasetMissing(
        f"{folder} holds no training data.",
        advice="Give a kept set (set.json), corrected sessions (.rehab), JIGSAWS (suturing.npz), arm gestures "
        "(subject1.npz) or StrokeRehab's CSVs.",
    )

"""StrokeRehab, the sensor part: a folder of one CSV a trial -> labels and the 77 features, trial by trial.

In: the folder as registered users get it (SimTK, project primseq), 100 Hz. Out: `list_trials(folder)` names what there
is without reading it; `read_trial(trial)` reads one. `normalize_trial` of signals.features scales
it as the paper does.

File names are `<subject>_<activity>_..._<activity> <repetition>.csv`. As in the authors' code the subject is the text
before the first `_`, the activity the second field, the repetition the character before `.csv`; a few names end in a
blank or a letter, which is then the repetition, and such trials are not trained on. Thirteen spellings of activities
are nine activities.

Columns are taken by position, because most of their names are not public: without `markers`, `markernames` and the 27
course, pitch and roll angles there are a time, 76 kinematic columns, the affected side, and 16 more, the label
(`class`) among them. The features are the 76 and the side.

Deviation: a column that is constant through a trial is 0 after normalisation here; the authors' code makes it NaN.

Reference: Kaku et al., StrokeRehab: A Benchmark Dataset for Sub-second Action Identification, NeurIPS 2022; layout as
read in the authors' public code (aakashrkaku/seq2seq_hrar).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.domain.arrays import Floats, Ints, frozen
from rehabcount.domain.labels import PRIMITIVES
from rehabcount.errors import DatasetChanged, DatasetMissing

RATE_HZ = 100.0
KINEMATIC_COLUMNS = 76
FEATURES = KINEMATIC_COLUMNS + 1  # the last is the affected side
TRAILING_COLUMNS = 16
TURNED_COLUMNS = 27  # course, pitch and roll of nine sensors
LABEL_COLUMN = "class"
DROPPED_COLUMNS = ("markers", "markernames")

ACTIVITIES = {
    "deodorant": "deodorant",
    "deodrant": "deodorant",
    "combing": "combing",
    "glasses": "glasses",
    "drinking": "drinking",
    "feeding": "feeding",
    "brushing": "brushing",
    "face wash": "face wash",
    "RTT": "RTT",
    "RTT left side": "RTT",
    "RTT right side": "RTT",
    "shelf left side": "Shelf",
    "shelf right side": "Shelf",
}
LABELS = {
    "rest": "idle",
    "idle": "idle",
    "reach": "reach",
    "retract": "reposition",
    "reposition": "reposition",
    "stabilize": "stabilize",
    "transport": "transport",
}

TEST_SUBJECTS = ("s4", "s17", "s26", "s37", "s39", "s42", "s44", "s47")
SEVERE_SUBJECTS = ("s21", "s29", "s31", "s34", "s49", "s50", "s51")  # the paper counts 8, its code names 7
FOLDS = (
    ("s46", "s45", "s36", "s11", "s19", "s20", "s2", "s22"),
    ("s7", "s32", "s25", "s35", "s5", "s10", "s3", "s43"),
    ("s13", "s16", "s12", "s6", "s40", "s18", "s28", "s23"),
    ("s41", "s48", "s1", "s24", "s27", "s8", "s30", "s9", "s33"),
)
TRAINING_REPETITIONS = ("1", "2", "3", "4")

WHERE_FROM = (
    "StrokeRehab is free for research after registration at SimTK (simtk.org, project primseq); "
    "unpack it and give the folder that holds the CSV files."
)


@dataclass(frozen=True, slots=True)
class TrialFile:
    """One trial that the folder holds; not yet read."""

    path: Path
    subject: str
    activity: str  # one of nine
    spelling: str  # as the file's name has it
    repetition: str  # one character, as the authors read it; a digit in all but a few names


@dataclass(frozen=True, slots=True)
class TrialData:
    """One trial, as in its file. A cell without a number is NaN and counted in `missing`."""

    trial: TrialFile
    names: tuple[str, ...]  # (FEATURES,)
    values: Floats  # (frames, FEATURES), not normalised
    labels: Ints  # (frames,), indices into domain.labels.PRIMITIVES
    missing: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen(self.values))
        object.__setattr__(self, "labels", frozen(self.labels, np.int64))

    def __len__(self) -> int:
        return len(self.labels)


def list_trials(folder: Path) -> tuple[TrialFile, ...]:
    """All trials of the folder, in order of subject (as a number), activity and file name."""
    files = sorted(folder.glob("*.csv")) if folder.is_dir() else []
    files = [file for file in files if not file.name.startswith(".")]
    if not files:
        what = "holds no CSV files" if folder.is_dir() else "does not exist"
        raise DatasetMissing(f"StrokeRehab is not there: the folder {folder} {what}.", advice=WHERE_FROM)
    trials = [_trial_of(file) for file in files]
    return tuple(sorted(trials, key=lambda trial: (*_natural(trial.subject), trial.activity, trial.path.name)))


def _natural(subject: str) -> tuple[str, int]:
    digits = re.search(r"\d+", subject)
    return subject[: digits.start()] if digits else subject, int(digits[0]) if digits else 0


def _trial_of(file: Path) -> TrialFile:
    fields = file.name.split("_")
    spelling = fields[1].removesuffix(".csv") if len(fields) > 1 else ""
    known = {name.casefold(): activity for name, activity in ACTIVITIES.items()}
    activity = known.get(" ".join(spelling.split()).casefold())
    if not fields[0] or activity is None:
        raise DatasetChanged(
            f"{file.name}: the name is not <subject>_<activity>_... <repetition>.csv; "
            f"activity {spelling!r} is none of {', '.join(ACTIVITIES)}.",
            advice="Keep only the trials' CSV files in the folder, under their original names.",
        )
    return TrialFile(file, fields[0], activity, spelling, file.name[-5])


def of_subjects(trials: Iterable[TrialFile], subjects: Sequence[str]) -> tuple[TrialFile, ...]:
    return tuple(trial for trial in trials if trial.subject in subjects)


def training_split(trials: Iterable[TrialFile], fold: int) -> tuple[tuple[TrialFile, ...], tuple[TrialFile, ...]]:
    """Training and validation trials of fold 0..3: the fold validates, with all its repetitions; the other three train,
    with repetitions 1 to 4."""
    if not 0 <= fold < len(FOLDS):
        raise ValueError(f"fold must be 0 to {len(FOLDS) - 1}, not {fold}")
    trials = tuple(trials)
    training = [subject for i, subjects in enumerate(FOLDS) if i != fold for subject in subjects]
    return (
        tuple(each for each in of_subjects(trials, training) if each.repetition in TRAINING_REPETITIONS),
        of_subjects(trials, FOLDS[fold]),
    )


def read_trial(trial: TrialFile) -> TrialData:
    """The trial's features and labels. What does not fit the layout is a DatasetChanged that names line and column."""
    path = trial.path
    try:
        with path.open(newline="", encoding="utf-8-sig", errors="replace") as file:
            reader = csv.reader(file)
            header = [name.strip() for name in next(reader, [])]
            used, label = _columns(path, header)
            rows, labels, missing = _rows(path, reader, header, used, label)
    except FileNotFoundError as problem:
        raise DatasetMissing(f"{path.name} is no longer there.", advice=WHERE_FROM) from problem
    except (OSError, csv.Error) as problem:
        raise DatasetChanged(f"{path.name} cannot be read: {problem}.", advice="Unpack the corpus again.") from problem
    return TrialData(trial, tuple(header[i] for i in used), np.array(rows), np.array(labels), missing)


def _columns(path: Path, header: list[str]) -> tuple[list[int], int]:
    """Positions of the 77 features, and of the label."""
    turned = [i for i, name in enumerate(header) if re.search(r"(?<![a-z])(course|pitch|roll)(?![a-z])", name.lower())]
    if len(turned) != TURNED_COLUMNS:
        raise _changed(path, 1, f"{len(turned)} course, pitch and roll columns; {TURNED_COLUMNS} expected")
    dropped = {*turned, *(i for i, name in enumerate(header) if name.lower() in DROPPED_COLUMNS)}
    kept = [i for i in range(len(header)) if i not in dropped]
    expected = 1 + FEATURES + TRAILING_COLUMNS
    if len(kept) != expected:
        raise _changed(path, 1, f"{len(kept)} columns besides markers and course, pitch, roll; {expected} expected")
    labels = [i for i, name in enumerate(header) if name.lower() == LABEL_COLUMN]
    trailing = kept[-TRAILING_COLUMNS:]
    if len(labels) != 1 or labels[0] not in trailing:
        raise _changed(path, 1, f"the label column {LABEL_COLUMN!r} is not among the last {TRAILING_COLUMNS}")
    return kept[1:-TRAILING_COLUMNS], labels[0]


def _rows(
    path: Path, reader: Iterable[list[str]], header: list[str], used: list[int], label: int
) -> tuple[list[list[float]], list[int], int]:
    rows, labels, missing = list[list[float]](), list[int](), 0
    index = {name: PRIMITIVES.index(primitive) for name, primitive in LABELS.items()}
    for line, cells in enumerate(reader, start=2):
        if not cells:
            continue
        if len(cells) != len(header):
            raise _changed(path, line, f"{len(cells)} values; {len(header)} expected")
        name = cells[label].strip().lower()
        if name not in index:
            raise _changed(
                path, line, f"column {header[label]!r} says {cells[label]!r}; labels are {', '.join(LABELS)}"
            )
        try:
            numbers = [float(cells[i]) for i in used]
        except ValueError:
            numbers = [_number(path, line, header[i], cells[i]) for i in used]
        missing += sum(number != number for number in numbers)  # NaN is the one number that differs from itself
        rows.append(numbers)
        labels.append(index[name])
    if not rows:
        raise _changed(path, 1, "no frames")
    return rows, labels, missing


def _number(path: Path, line: int, column: str, cell: str) -> float:
    if not cell.strip():
        return float("nan")
    try:
        return float(cell)
    except ValueError:
        raise _changed(path, line, f"column {column!r} is not a number: {cell!r}") from None


def _changed(path: Path, line: int, what: str) -> DatasetChanged:
    return DatasetChanged(
        f"{path.name}, line {line}: {what}.", advice="The file is not as the corpus was published; unpack it again."
    )

"""Training data: trials of feature rows with their labels, split by subject.

Every network is trained on a `TrainingSet`, for every corpus. It is kept as a folder that is read through memory maps,
so that a cohort may be larger than memory:

    set.json      names, labels, rate, columns, sensors, and the trials with their extent
    rows.npy      (all frames, columns) float32
    valid.npy     (all frames, columns) bool
    labels.npy    (all frames,) int16, -1 without a label
    onsets.npy    (all frames,) bool, true where a movement begins: two reaches in a row are two

Labels that are `excluded` are recognised like the others but are no movements: they are left out of every sequence and
count (unlabelled stretches, the null class, `other`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.document import from_document, to_document
from rehabcount.errors import DatasetChanged, DatasetMissing
from rehabcount.inference.inputs import InputSpec

Rows = NDArray[np.float32]
Mask = NDArray[np.bool_]
Labels = NDArray[np.int16]
UNKNOWN = -1
SPLITS = ("train", "valid", "test")
SHORTEST_SPREAD = 1e-6  # a column that moves less than this is constant: its scale is 1


@dataclass(frozen=True, slots=True)
class Trial:
    """One recording of one person."""

    name: str
    subject: str
    split: str
    rows: Rows  # (frames, columns)
    valid: Mask  # (frames, columns)
    labels: Labels  # (frames,)
    onsets: Mask  # (frames,)

    def __post_init__(self) -> None:
        frames = len(self.rows)
        if self.split not in SPLITS:
            raise ValueError(f"split of {self.name!r} must be one of {', '.join(SPLITS)}, not {self.split!r}")
        if self.rows.ndim != 2 or self.valid.shape != self.rows.shape:
            raise ValueError(f"{self.name!r}: rows {self.rows.shape} and valid {self.valid.shape} must be alike")
        if self.labels.shape != (frames,) or self.onsets.shape != (frames,):
            raise ValueError(f"{self.name!r}: labels and onsets must have {frames} entries")

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Sensors:
    """For augmentation: which columns each sensor carries, and which three of them are a vector in its axes."""

    names: tuple[str, ...] = ()
    columns: tuple[tuple[int, ...], ...] = ()  # of each sensor; a column may need several sensors
    vectors: tuple[tuple[tuple[int, int, int], ...], ...] = ()  # of each sensor
    rigs: tuple[tuple[int, ...], ...] = ()  # sensors that smaller rigs have
    inertial: bool = False  # each sensor's vectors are its angular rate, its specific force in g, and up


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Trials that share labels, columns and rate."""

    name: str
    labels: tuple[str, ...]
    excluded: tuple[str, ...]
    rate_hz: float
    columns: tuple[str, ...]
    trials: tuple[Trial, ...]
    sensors: Sensors = Sensors()
    recipe: str = ""  # of signals.features, where that made the rows
    normalisation: str = "training"  # "training": by the training trials; "none": the rows are scaled already
    evidence: str = "simulated"  # simulated, real healthy people, real patients

    def __post_init__(self) -> None:
        for trial in self.trials:
            if trial.rows.shape[1] != len(self.columns):
                raise ValueError(f"{trial.name!r} has {trial.rows.shape[1]} columns; the set has {len(self.columns)}")
        unknown = set(self.excluded) - set(self.labels)
        if unknown:
            raise ValueError(f"excluded labels {sorted(unknown)} are not among {', '.join(self.labels)}")
        people = {split: {trial.subject for trial in self.of(split)} for split in SPLITS}
        for one, two in (("train", "valid"), ("train", "test"), ("valid", "test")):
            both = people[one] & people[two]
            if both:
                raise ValueError(f"subject {sorted(both)[0]!r} is in both {one} and {two}; a split is by subject")

    def of(self, split: str) -> tuple[Trial, ...]:
        return tuple(trial for trial in self.trials if trial.split == split)

    @property
    def counted(self) -> tuple[int, ...]:
        """Indices of the labels that make up sequences and counts."""
        return tuple(i for i, name in enumerate(self.labels) if name not in self.excluded)

    @property
    def sha256(self) -> str:
        """Of everything that training sees."""
        digest = hashlib.sha256(json.dumps(_document(self), sort_keys=True).encode())
        for trial in self.trials:
            for array in (trial.rows, trial.valid, trial.labels, trial.onsets):
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()


def is_session(trial: Trial) -> bool:
    """Whether a simulated trial is a whole session, not a single activity."""
    return "_session_" in trial.name


def kind_of(trial: Trial) -> str:
    """Of a simulated trial: a whole session, made-up exercises, or a single activity, as all others."""
    if is_session(trial):
        return "session"
    return "made-up" if "_made-up_" in trial.name else "activity"


def onsets_of(labels: Labels) -> Mask:
    """Onsets where only frame labels are known: wherever the label changes."""
    onsets = np.ones(len(labels), bool)
    onsets[1:] = labels[1:] != labels[:-1]
    return onsets


def tokens_of(trial: Trial, counted: Sequence[int]) -> list[int]:
    """The trial's reference sequence: one entry a movement."""
    first = trial.labels[trial.onsets]
    return [int(label) for label in first if label in counted]


def input_spec(data: TrainingSet, frames_per_step: int = 1) -> InputSpec:
    """Normalisation by the mean and deviation of the training trials' valid values."""
    width = len(data.columns)
    mean, scale = np.zeros(width), np.ones(width)
    if data.normalisation == "training":
        number, total, square = np.zeros(width), np.zeros(width), np.zeros(width)
        for trial in data.of("train"):
            values = np.where(trial.valid, trial.rows, 0.0).astype(np.float64)
            number += trial.valid.sum(axis=0)
            total += values.sum(axis=0)
            square += (values**2).sum(axis=0)
        number = np.maximum(number, 1)
        mean = total / number
        spread = np.sqrt(np.maximum(square / number - mean**2, 0))
        scale = np.where(spread > SHORTEST_SPREAD, spread, 1.0)
    return InputSpec(data.columns, tuple(mean.tolist()), tuple(scale.tolist()), data.sensors.columns, frames_per_step)


def with_splits(data: TrainingSet, split_of: dict[str, str]) -> TrainingSet:
    """The same trials with each subject in the split given; subjects not named are left out."""
    trials = (replace(trial, split=split_of[trial.subject]) for trial in data.trials if trial.subject in split_of)
    return replace(data, trials=tuple(trials))


def joined(data: TrainingSet, others: Sequence[TrainingSet], validating: Sequence[TrainingSet] = ()) -> TrainingSet:
    """The set with the training and validation people of other sets beside its own; its test people stay the only ones.

    All people of the sets `validating`, but for their test people, validate. People of different sets are taken for
    different people, even with the same names.
    """
    for each in validating:
        if each.name in (data.name, *(other.name for other in others)):
            raise DatasetChanged(f"{each.name} trains already.", advice="Validate on a set of other people.")
    trials = list(data.trials)
    others = [*others, *(_all_validating(each) for each in validating)]
    for number, other in enumerate(others, start=2):
        for what in ("labels", "excluded", "rate_hz", "columns", "sensors", "recipe", "normalisation"):
            if getattr(other, what) != getattr(data, what):
                raise DatasetChanged(
                    f"{other.name} and {data.name} differ in {what}.",
                    advice="Make both with the same version and the same recipe.",
                )
        trials += [
            replace(trial, name=f"{trial.name} ({number})", subject=f"{trial.subject} ({number})")
            for trial in other.trials
            if trial.split != "test"
        ]
    name = " and ".join([data.name, *(other.name for other in others)])
    return replace(data, name=name, trials=tuple(trials))


def _all_validating(data: TrainingSet) -> TrainingSet:
    trials = tuple(trial if trial.split == "test" else replace(trial, split="valid") for trial in data.trials)
    return replace(data, name=f"{data.name} (validation)", trials=trials)


def _document(data: TrainingSet) -> dict[str, Any]:
    return {
        "name": data.name,
        "labels": list(data.labels),
        "excluded": list(data.excluded),
        "rate_hz": data.rate_hz,
        "columns": list(data.columns),
        "sensors": to_document(data.sensors),
        "recipe": data.recipe,
        "normalisation": data.normalisation,
        "evidence": data.evidence,
        "trials": [_entry(trial) for trial in data.trials],
    }


def _entry(trial: Trial) -> dict[str, Any]:
    return {"name": trial.name, "subject": trial.subject, "split": trial.split, "frames": len(trial)}


def write_trials(folder: Path, head: TrainingSet, trials: Iterable[Trial]) -> None:
    """Write trials as they come, so that a cohort never lies in memory as a whole; `head` gives all but the trials."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "set.json").unlink(missing_ok=True)  # until the arrays are whole again there is no set
    width = len(head.columns)
    entries: list[dict[str, Any]] = []
    with ExitStack() as files:
        arrays = {
            name: files.enter_context(GrowingArray(folder / f"{name}.npy", dtype, inner))
            for name, dtype, inner in (
                ("rows", np.dtype(np.float32), (width,)),
                ("valid", np.dtype(np.bool_), (width,)),
                ("labels", np.dtype(np.int16), ()),
                ("onsets", np.dtype(np.bool_), ()),
            )
        }
        for trial in trials:
            for name, array in arrays.items():
                array.append(getattr(trial, name))
            entries.append(_entry(trial))
    document = {**_document(replace(head, trials=())), "trials": entries}
    (folder / "set.json").write_text(json.dumps(document, indent=1), encoding="utf-8")


class GrowingArray:
    """A .npy file that grows along its first axis; its header is written anew when it is closed."""

    def __init__(self, path: Path, dtype: np.dtype[Any], inner: tuple[int, ...]) -> None:
        self._dtype, self._inner, self._length = dtype, inner, 0
        self._file = path.open("wb")
        self._header()

    def append(self, block: NDArray[Any]) -> None:
        assert block.shape[1:] == self._inner
        self._file.write(np.ascontiguousarray(block, self._dtype).tobytes())
        self._length += len(block)

    def __enter__(self) -> GrowingArray:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.seek(0)
        self._header()
        self._file.close()

    def _header(self) -> None:
        # numpy leaves room for a longer first axis, so the header's own length never changes.
        shape = (self._length, *self._inner)
        layout = {"descr": np.lib.format.dtype_to_descr(self._dtype), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._file, layout)


def read_set(folder: Path) -> TrainingSet:
    """The set kept in a folder; its arrays stay on disk until they are used."""
    advice = "Make it again, or give the folder that holds set.json."
    try:
        document = json.loads((folder / "set.json").read_text(encoding="utf-8"))
        arrays = {
            name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
            for name in ("rows", "valid", "labels", "onsets")
        }
    except FileNotFoundError as problem:
        raise DatasetMissing(f"{folder} holds no training set: {problem.filename} is missing.", advice=advice) from None
    except (ValueError, OSError) as problem:
        raise DatasetChanged(f"the training set in {folder} cannot be read: {problem}.", advice=advice) from problem
    try:
        trials, at = [], 0
        for entry in document.pop("trials"):
            end = at + int(entry["frames"])
            parts = {name: array[at:end] for name, array in arrays.items()}
            trials.append(Trial(entry["name"], entry["subject"], entry["split"], **parts))
            at = end
        document["sensors"] = from_document(Sensors, document["sensors"])
        lists: dict[str, Any] = {name: tuple(document.pop(name)) for name in ("labels", "excluded", "columns")}
        if at != len(arrays["rows"]):
            raise ValueError(f"set.json describes {at} frames, rows.npy holds {len(arrays['rows'])}")
        return TrainingSet(trials=tuple(trials), **lists, **document)
    except (KeyError, TypeError, ValueError) as problem:
        raise DatasetChanged(f"the training set in {folder} does not fit together: {problem}.", advice=advice) from None

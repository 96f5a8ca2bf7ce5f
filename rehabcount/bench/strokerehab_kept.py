"""A finished row of the StrokeRehab bench, as kept in `row.json`: training, CPU time, output.

In `row.json` a few entries have other names ("trained on people"), which `read` and `write` translate.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rehabcount.bench.experiment import Json, clean, write_json
from rehabcount.domain.document import from_document, to_document
from rehabcount.errors import DatasetChanged

# name here -> name in the file
_ROW_WORDS = {
    "name": "row",
    "people_trained_on": "trained on people",
    "people_chosen_on": "chosen on people",
    "unbiased": "count bias within bound",
}
_SPENT_WORDS = {"training_s": "training and validation", "after_s": "choices on validation and test"}

Move = tuple[int, float, float]  # label, start, end; seconds
Choice = float | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class People:
    """The sets that a row was trained on, chosen on and tested on, by their sha256."""

    data: tuple[str, ...]
    validate: tuple[str, ...]
    further: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spent:
    """CPU seconds."""

    training_s: float  # validation included
    after_s: float  # choices on validation, and the test set

    @property
    def total_s(self) -> float:
        return self.training_s + self.after_s


@dataclass(frozen=True, slots=True)
class KeptEpoch:
    """One epoch of the history; None where nothing could be measured."""

    number: int
    loss: float | None
    aer: float | None
    edit_score: float | None
    bias: tuple[float | None, ...]
    cpu_s: float
    batches: int = 0
    validation_s: float = 0.0


@dataclass(frozen=True, slots=True)
class TrialSequences:
    """One test trial and both sequences."""

    subject: str
    group: str
    activity: str
    reference: tuple[Move, ...]
    estimate: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to decode the network: the choices made on validation, and the sequence of each test trial."""

    choices: dict[str, Choice]
    trials: tuple[TrialSequences, ...]


@dataclass(frozen=True, slots=True)
class FinishedRow:
    name: str
    network: str
    trained_on: str
    seed: int
    budget_min: float
    commit: str
    data: str  # the set's name
    people: People
    evidence: str
    labels: tuple[str, ...]
    people_trained_on: int
    people_chosen_on: int
    parameters: int
    cpu_s: Spent
    history: tuple[KeptEpoch, ...]
    chosen: KeptEpoch | None
    unbiased: bool
    ways: dict[str, Way]


def write(path: Path, row: FinishedRow, settings: Mapping[str, Json]) -> FinishedRow:
    """Keep the row with its training's settings; returns it as it will be read again."""
    document = {_ROW_WORDS.get(name, name): clean(value) for name, value in to_document(row).items()}
    document["cpu_s"] = {word: getattr(row.cpu_s, name) for name, word in _SPENT_WORDS.items()}
    write_json(path, {**document, "settings": settings})
    return _row_of(document)


def read(path: Path) -> FinishedRow:
    """The row that `path` keeps."""
    try:
        return _row_of(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, AttributeError, KeyError) as problem:
        raise DatasetChanged(f"{path} is not a finished row: {problem}.", advice=f"Remove {path.parent}.") from problem


def _row_of(document: Mapping[str, Json]) -> FinishedRow:
    words = {theirs: ours for ours, theirs in _ROW_WORDS.items()}
    named = {words.get(name, name): value for name, value in document.items() if name != "settings"}
    spent = named["cpu_s"]
    if not isinstance(spent, dict):
        raise ValueError("cpu_s must be a table")
    named["cpu_s"] = {ours: spent[theirs] for ours, theirs in _SPENT_WORDS.items()}
    return from_document(FinishedRow, named, "row")

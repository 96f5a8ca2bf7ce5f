"""A finished row of the GAIN bench, as kept in `row.json`: training, CPU time, and every test trial's segments.

Segments are (label, start, end) in steps of the row's rate; those of the estimate have the mean probability of their
label as fourth entry.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from rehabcount.bench.experiment import clean, write_json
from rehabcount.domain.document import from_document, to_document
from rehabcount.errors import DatasetChanged

Reference = tuple[int, int, int]
Estimated = tuple[int, int, int, float]


@dataclass(frozen=True, slots=True)
class TestedTrial:
    where: str  # in, ood
    task: str
    name: str
    reference: tuple[Reference, ...]
    estimate: tuple[Estimated, ...]


@dataclass(frozen=True, slots=True)
class GainRow:
    name: str
    source: str
    network: str
    causal: bool
    variant: str
    seed: int
    quick: bool
    data: str  # the set's name
    sha256: str  # of the set
    commit: str
    labels: tuple[str, ...]
    background: tuple[str, ...]
    rate_hz: float  # of the segments
    parameters: int
    gradient_steps: int
    learning_rate: float
    training_s: float  # CPU, also before an interruption
    testing_s: float  # CPU
    left_out: tuple[str, ...]  # test trials with steps that training does not have
    trials: tuple[TestedTrial, ...]


def write(path: Path, row: GainRow) -> GainRow:
    """Keep the row; returns it as it will be read again."""
    write_json(path, clean(to_document(row)))
    return read(path)


def read(path: Path) -> GainRow:
    try:
        return from_document(GainRow, json.loads(path.read_text(encoding="utf-8")), "row")
    except (ValueError, TypeError, KeyError) as problem:
        raise DatasetChanged(f"{path} is not a finished row: {problem}.", advice=f"Remove {path.parent}.") from problem

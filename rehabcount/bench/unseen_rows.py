"""One row of the bench of unseen activities: `stream` trained by one recipe, with three of the nine left out or none.

A row is a recipe and the split that is left out: `both-2`, `plain-all`. Its folder holds

    checkpoint.pt    from which an interrupted training goes on
    row.json         the finished row: the errors on every activity of the test people, CPU time, commit

All rows take the same number of optimiser steps of the same size, from fresh weights; the last weights are judged. The
decoder is fitted to the row's own training people and settled on its own validation people, so what was left out has no
part in any choice. A finished row is read again; rows may be trained by separate commands, side by side.

`plain` sees the activities that are not left out. `intervention` sees them, and their movements reassembled at random
(models/intervention.py). `made-up` sees them and tasks that the simulator makes up. `both` sees all of these.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rehabcount.bench.experiment import clean, commit, write_json
from rehabcount.bench.strokerehab_rows import activity_of, group_of
from rehabcount.domain.document import from_document, to_document
from rehabcount.errors import ConfigError, DatasetChanged, ModelMismatch
from rehabcount.metrics.edit import evaluate
from rehabcount.models.data import TrainingSet, joined, read_set, tokens_of
from rehabcount.simulate.activities import ACTIVITIES

if TYPE_CHECKING:  # torch is loaded where a row is trained, not where one is read
    from rehabcount.models.train import Outcome, TrainSettings

OnProgress = Callable[[str, int, int], None]
RECIPES = ("plain", "intervention", "made-up", "both")
SPLITS = 3  # each leaves out every third of the nine, so that all are left out once
ALL = 0  # the number of the row that leaves out none
FIRST_SEED = 7
LOOKAHEAD, LAG_S = 5, 0.4  # as in the shipped model: answers within a second
EPOCHS, EPOCH_BATCHES, BATCH, LENGTH_S = 12, 120, 16, 20.0
RATE = 2e-3


@dataclass(frozen=True, slots=True)
class UnseenName:
    recipe: str
    left_out: int = ALL  # 1 to SPLITS
    seed: int = FIRST_SEED

    @property
    def name(self) -> str:
        return f"{self.recipe}-{self.left_out or 'all'}@{self.seed}"


@dataclass(frozen=True, slots=True)
class TrialErrors:
    """One trial of a test person: corrections needed, and movements in the reference and in the estimate."""

    subject: str
    activity: str
    edits: int
    reference: int
    estimate: int


@dataclass(frozen=True, slots=True)
class UnseenRow:
    """What `row.json` keeps."""

    recipe: str
    left_out: int
    seed: int
    steps: int
    training_h: float  # of recordings that it could draw from
    cpu_s: float
    commit: str
    data: tuple[str, ...]  # sha256 of the sets
    validation_aer: float
    trials: tuple[TrialErrors, ...]


def left_out_of(split: int) -> tuple[str, ...]:
    """The activities that a split leaves out of training."""
    return tuple(list(ACTIVITIES)[split - 1 :: SPLITS]) if split else ()


def row_of(text: str) -> UnseenName:
    """The row called `both-2`, `plain-all`, `plain-1@8`; a ConfigError lists the possible names."""
    name, at, seed = text.strip().partition("@")
    recipe, _, split = name.rpartition("-")
    numbers = {"all": ALL, **{str(number): number for number in range(1, SPLITS + 1)}}
    if recipe not in RECIPES or split not in numbers or (at and not seed.isdigit()):
        raise ConfigError(
            f"there is no row {text!r}.",
            advice=f"A row is one of {', '.join(RECIPES)}, then -all or -1 to -{SPLITS}, then @SEED if wanted.",
        )
    return UnseenName(recipe, numbers[split], int(seed) if at else FIRST_SEED)


@dataclass(frozen=True, slots=True)
class TrainingAmount:
    """How much every row trains."""

    epochs: int = EPOCHS
    epoch_batches: int = EPOCH_BATCHES
    preset: str = "default"

    @property
    def steps(self) -> int:
        return self.epochs * self.epoch_batches


def train_row(
    folder: Path,
    cohort: Path,
    made_up: Path,
    amount: TrainingAmount,
    row: UnseenName,
    on_progress: OnProgress = lambda what, done, total: None,
) -> UnseenRow:
    """The finished row, trained now unless it is there."""
    sets = (read_set(cohort), read_set(made_up))
    hashes = tuple(each.sha256 for each in sets)
    path = folder / row.name / "row.json"
    if path.is_file():
        kept = read_row(path)
        if (kept.steps, kept.data) != (amount.steps, hashes):
            raise ModelMismatch(
                f"row {row.name} was trained with other data or another number of steps.",
                advice=f"Give the same settings, another --out, or remove {path.parent}.",
            )
        return kept
    from rehabcount.models.train import TrainingProgress, train

    begun = time.process_time()
    data = data_of(sets[0], sets[1], row)
    settings = _settings(row, amount)

    def report(now: TrainingProgress) -> None:
        done = now.epoch * now.batches + now.batch
        on_progress(f"{row.name}: loss {now.loss:.3f}", done, now.epochs * now.batches)

    outcome = train(data, settings, folder / row.name, on_progress=report)
    on_progress(f"{row.name}: test people", 0, 1)
    trained_s = outcome.history[-1].cpu_s
    judged = time.process_time()
    valid_aer, trials = judge(data, outcome, settings)
    finished = UnseenRow(
        row.recipe,
        row.left_out,
        row.seed,
        amount.steps,
        round(sum(map(len, data.of("train"))) / data.rate_hz / 3600, 2),
        round(max(trained_s, judged - begun) + time.process_time() - judged, 1),
        commit(),
        hashes,
        valid_aer,
        trials,
    )
    write_json(path, clean(to_document(finished)))
    # The reassembled trials are as large as the set, and are made again when they are needed.
    shutil.rmtree(folder / row.name / "reassembled", ignore_errors=True)
    return finished


def read_row(path: Path) -> UnseenRow:
    try:
        return from_document(UnseenRow, json.loads(path.read_text(encoding="utf-8")), "row")
    except (ValueError, TypeError, KeyError) as problem:
        raise DatasetChanged(f"{path} is not a finished row: {problem}.", advice=f"Remove {path.parent}.") from problem


def data_of(cohort: TrainingSet, made_up: TrainingSet, row: UnseenName) -> TrainingSet:
    """What the row is trained and chosen on, but for reassembled trials, which training adds by itself; all activities
    of the test people stay."""
    hidden = left_out_of(row.left_out)
    kept = [trial for trial in cohort.trials if trial.split == "test" or activity_of(trial.name) not in hidden]
    data = replace(cohort, trials=tuple(kept))
    if row.recipe in ("made-up", "both"):
        data = joined(data, [made_up])
    return data


def judge(data: TrainingSet, outcome: Outcome, settings: TrainSettings) -> tuple[float, tuple[TrialErrors, ...]]:
    """AER on the row's own validation people, and every test trial."""
    from rehabcount.models import decoding, tuning
    from rehabcount.models.train import estimates

    finished = tuning.finish(replace(data, trials=data.of("train") + data.of("valid")), outcome, settings)
    assert finished.decoder is not None  # stream is decoded with durations
    tested = data.of("test")
    found = decoding.decode(estimates(outcome.network, tested, outcome.spec), finished.decoder, finished.lag)
    trials = []
    for trial, onsets in zip(tested, found, strict=True):
        reference = tokens_of(trial, data.counted)
        estimate = [onset.label for onset in onsets if onset.label in data.counted]
        edits = int(evaluate([reference], [estimate]).edits[0])
        trials.append(TrialErrors(trial.subject, _what(trial.name), edits, len(reference), len(estimate)))
    return finished.valid.aer, tuple(trials)


def _what(name: str) -> str:
    """Group and activity, such as "test/drinking"."""
    return f"{group_of(name)}/{activity_of(name)}"


def _settings(row: UnseenName, amount: TrainingAmount) -> TrainSettings:
    from rehabcount.models.train import TrainSettings

    lookahead = {} if amount.preset == "tiny" else {"lookahead": LOOKAHEAD}
    return TrainSettings(
        "stream",
        amount.preset,
        lookahead,
        length_s=LENGTH_S,
        epochs=amount.epochs,
        batch=BATCH,
        learning_rate=RATE,
        seed=row.seed,
        augment="bedside",
        validate_every=amount.epochs,
        durations=True,
        lag_s=LAG_S,
        epoch_batches=amount.epoch_batches,
        intervene=float(row.recipe in ("intervention", "both")),
    )


def aer_of(trials: Sequence[TrialErrors], activities: Sequence[str], group: str = "test") -> float:
    """Corrections a movement over these activities of one group of test people."""
    wanted = {f"{group}/{activity}" for activity in activities}
    chosen = [trial for trial in trials if trial.activity in wanted]
    return sum(trial.edits for trial in chosen) / max(1, sum(trial.reference for trial in chosen))

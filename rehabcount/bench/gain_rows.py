"""The rows of the GAIN bench: one training each, trained one by one and kept.

A row's name is `source/network@seed`, with `c-` before a network that is trained on reassembled trials, too, and a
variant behind a plus: `simulated/edtcn@7`, `simulated/c-edtcn@7`, `simulated/c-edtcn+videos=1.5@7`,
`suturing/mstcnpp+rate=0.001@8`.

All rows of a source take the same number of gradient steps on stretches of the same length. Plain rows see originals
only; causal ones see as many stretches, drawn from originals and reassembled trials together. Nothing is chosen on
anything: the network after the last step is tested, as in the paper.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rehabcount.bench.experiment import commit
from rehabcount.bench.gain_data import (
    QUICK,
    Consistency,
    SetSize,
    consistent,
    jigsaws_set,
    simulated_set,
    surgeons_of_both,
    task_of,
    where_of,
)
from rehabcount.bench.gain_kept import GainRow, TestedTrial, read, write
from rehabcount.errors import ConfigError, DatasetMissing, ModelMismatch
from rehabcount.inference.spans import spans_of
from rehabcount.models.data import UNKNOWN, TrainingSet, Trial

if TYPE_CHECKING:
    from rehabcount.models.network import Estimate
    from rehabcount.models.train import TrainSettings

OnProgress = Callable[[str, int, int], None]
NETWORKS = {"lstm": "LSTM", "edtcn": "ED-TCN", "tresnet": "TResNet", "mstcnpp": "MS-TCN++"}
SOURCES = ("simulated", "suturing", "needle_passing")
OTHER_TASK = {"suturing": "needle_passing", "needle_passing": "suturing"}
SEEDS = (7, 8, 9)
RATES = (5e-4, 1e-3, 2e-3)  # Table 5
FACTORS = ("steps=0.5", "steps=1.5", "videos=0.5", "videos=1.5")  # Table 6
BEST_RATE = 2e-3  # that of the paper's main tables
VARIANTS = ("rate", "steps", "videos", "fade", "person", "run", "long")


@dataclass(frozen=True, slots=True)
class Effort:
    """How long a row trains, plain or causal; smaller networks than the paper's, because cores are few."""

    batches: int  # an epoch
    changes: dict[str, Any]


EPOCHS, BATCH = 20, 4
# Dropout of whole channels in ten layers, .3 in the two of Lea et al.: with .3 ED-TCN hardly learned in as many steps.
EFFORT = {
    "lstm": Effort(30, {}),
    "edtcn": Effort(30, {"filters": 32, "dropout": 0.0}),
    "tresnet": Effort(16, {"filters": 32, "dropout": 0.1}),
    "mstcnpp": Effort(20, {"filters": 32, "layers": 9, "refinement_layers": 8, "refinements": 2}),
}
LENGTH_S = {"simulated": 20.0, "suturing": 30.0, "needle_passing": 30.0}
FRAMES_PER_STEP = {"simulated": 1, "suturing": 2, "needle_passing": 2}
JIGSAWS_SHARE = 0.35  # of the gradient steps: there is less of it
QUICK_BATCHES = 2


@dataclass(frozen=True, slots=True)
class GainName:
    """Which row."""

    source: str
    network: str
    causal: bool
    seed: int = SEEDS[0]
    variant: str = ""  # key=value

    @property
    def name(self) -> str:
        more = f"+{self.variant}" if self.variant else ""
        return f"{self.source}/{'c-' if self.causal else ''}{self.network}{more}@{self.seed}"

    def value(self, key: str, default: float) -> float:
        """What the variant gives for this key."""
        name, _, text = self.variant.partition("=")
        return float(text) if name == key else default


def row_named(text: str) -> GainName:
    """The row called so; for other names a ConfigError says what there is."""
    source, slash, rest = text.strip().partition("/")
    rest, at, seed = rest.partition("@")
    network, plus, variant = rest.partition("+")
    causal = network.startswith("c-")
    network = network.removeprefix("c-")
    key, equals, value = variant.partition("=")
    try:
        right = not plus or (key in VARIANTS and bool(equals) and float(value) >= 0)
    except ValueError:
        right = False
    if not slash or source not in SOURCES or network not in NETWORKS or (at and not seed.isdigit()) or not right:
        raise ConfigError(
            f"there is no row {text!r}.",
            advice=f"A row is one of {', '.join(SOURCES)}, a slash, c- for the causal variant, one of "
            f"{', '.join(NETWORKS)}, +KEY=VALUE if wanted ({', '.join(VARIANTS)}), @SEED if wanted.",
        )
    return GainName(source, network, causal, int(seed) if at else SEEDS[0], variant)


def main_rows(sources: tuple[str, ...], seeds: int) -> list[GainName]:
    """Tables 2 to 4: all networks of the first seed before those of the next one."""
    return [
        GainName(source, network, causal, seed)
        for source in sources
        for seed in SEEDS[:seeds]
        for network in NETWORKS
        for causal in (False, True)
    ]


def parameter_rows() -> list[GainName]:
    """Tables 5 and 6 beyond the main rows: one seed, simulated."""
    rates = [
        GainName("simulated", "mstcnpp", causal, variant=f"rate={rate:g}")
        for rate in RATES
        if rate != BEST_RATE
        for causal in (False, True)
    ]
    return [*rates, *(GainName("simulated", "edtcn", True, variant=factor) for factor in FACTORS)]


def data_of(row: GainName, folder: Path, data: Path | None, *, quick: bool, on_progress: OnProgress) -> Consistency:
    """The row's set; those of JIGSAWS leave another surgeon out for every seed."""
    if row.source == "simulated":
        made = simulated_set(
            folder / ("simulated-quick" if quick else "simulated"),
            QUICK if quick else SetSize(),
            lambda done, total: on_progress("simulating", done, total),
        )
        return consistent(made)
    if data is None:
        raise DatasetMissing("JIGSAWS rows need the data.", advice="Add --data FOLDER (the folder jigsaws).")
    target = OTHER_TASK[row.source]
    people = surgeons_of_both(data, row.source, target)
    surgeon = people[(row.seed - SEEDS[0]) % len(people)]
    return consistent(jigsaws_set(data, row.source, target, surgeon))


def settings_of(row: GainName, data: TrainingSet, *, quick: bool) -> TrainSettings:
    from rehabcount.models.train import TrainSettings

    effort = EFFORT[row.network]
    share = 1.0 if row.source == "simulated" else JIGSAWS_SHARE
    batches = round(row.value("long", 1.0) * share * effort.batches)
    return TrainSettings(
        row.network,
        changes={"label_smoothing": 0.0, **effort.changes},
        frames_per_step=FRAMES_PER_STEP[row.source],
        length_s=LENGTH_S[row.source],
        epochs=EPOCHS,
        batch=BATCH,
        learning_rate=row.value("rate", BEST_RATE),
        seed=row.seed,
        augment="none",
        validate_every=EPOCHS,
        repeats=False,
        epoch_batches=QUICK_BATCHES if quick else batches,
        intervene=row.value("videos", 1.0) if row.causal else 0.0,
        intervene_steps=row.value("steps", 1.0),
        intervene_fade_s=row.value("fade", 0.2),
        intervene_within_person=bool(row.value("person", 0.0)),
        intervene_run=int(row.value("run", 1)),
    )


def train_gain_row(folder: Path, data: Path | None, row: GainName, *, quick: bool, on_progress: OnProgress) -> GainRow:
    """The finished row: the kept one, or trained now."""
    from rehabcount.models.train import estimates, train

    made = data_of(row, folder, data, quick=quick, on_progress=on_progress)
    here = folder / ("quick" if quick else "rows") / row.name
    if (here / "row.json").is_file():
        kept = read(here / "row.json")
        if kept.sha256 != made.data.sha256:
            raise ModelMismatch(f"row {row.name} was trained on other data.", advice=f"Remove {here}, or --out.")
        return kept
    settings = settings_of(row, made.data, quick=quick)
    batches: list[int] = []

    def tell(now: Any) -> None:
        batches[:] = [now.batches * now.epochs]
        on_progress(f"{row.name}: loss {now.loss:.3f}", now.epoch * now.batches + now.batch, batches[0])

    outcome = train(made.data, settings, here, on_progress=tell)
    trained = time.process_time()
    tests = made.data.of("test")
    found = estimates(outcome.network, tests, outcome.spec)
    per = settings.frames_per_step
    tested = tuple(tested_of(trial, each, per) for trial, each in zip(tests, found, strict=True))
    shutil.rmtree(here / "reassembled", ignore_errors=True)
    return write(
        here / "row.json",
        GainRow(
            row.name,
            row.source,
            row.network,
            row.causal,
            row.variant,
            row.seed,
            quick,
            made.data.name,
            made.data.sha256,
            commit(),
            made.data.labels,
            tuple(made.data.excluded),
            made.data.rate_hz / per,
            sum(each.numel() for each in outcome.network.parameters()),
            batches[0] if batches else 0,
            settings.learning_rate,
            outcome.history[-1].cpu_s,
            round(time.process_time() - trained, 1),
            made.left_out,
            tested,
        ),
    )


def tested_of(trial: Trial, estimate: Estimate, frames_per_step: int) -> TestedTrial:
    """Both labellings as segments; frames without a label are in no reference."""
    from rehabcount.models.batches import steps_of

    assert estimate.log_probabilities is not None
    labels, _ = steps_of(trial.labels, trial.onsets, frames_per_step)
    probability = np.exp(estimate.log_probabilities)
    return TestedTrial(
        where_of(trial),
        task_of(trial),
        trial.name,
        tuple((int(span.label), span.start, span.end) for span in spans_of(labels) if span.label != UNKNOWN),
        tuple(
            (
                int(span.label),
                span.start,
                span.end,
                round(float(probability[span.start : span.end, span.label].mean()), 4),
            )
            for span in estimate.spans
        ),
    )

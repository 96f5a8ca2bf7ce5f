"""One row of the StrokeRehab bench: a network trained within a budget of CPU time, and its output for the test set.

A row is a network, whom it is trained on and a seed: `raw2seq`, `raw2seq-healthy`, `stream@8`. Its folder holds

    settings.json    what was decided before training: the number of epochs and batches that fit the budget
    checkpoint.pt    from which an interrupted training goes on
    row.json         the finished row: history, choices, CPU time, commit, and every test trial's sequence

A finished row is read again, so rows may be trained by separate commands, side by side.

Scores are those of the paper: consecutive equal labels are one movement, in the reference and in the estimate. The
epoch, the smoothing window and the decoder's weights are chosen on validation.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rehabcount.bench.experiment import commit, write_json
from rehabcount.bench.strokerehab_kept import (
    Choice,
    FinishedRow,
    KeptEpoch,
    Move,
    People,
    Spent,
    TrialSequences,
    Way,
    read,
    write,
)
from rehabcount.domain.document import from_document, to_document
from rehabcount.errors import ConfigError, DatasetChanged, DatasetMissing, ModelMismatch
from rehabcount.inference.duration_hmm import Onset
from rehabcount.inference.spans import Span, merged, smoothed, spans_of
from rehabcount.models.data import TrainingSet

if TYPE_CHECKING:  # torch is loaded where a row is trained, not where one is read
    from rehabcount.models.network import Estimate
    from rehabcount.models.train import Epoch, Outcome, TrainingProgress, TrainSettings

OnProgress = Callable[[str, int, int], None]
TRAINED_ON = {"stroke": ("train",), "healthy": ("healthy-train",), "both": ("train", "healthy-train")}
FIRST_SEED = 7
BIAS_BOUND = 0.03
SMOOTHING_S = (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)  # lengths of the smoothing window that are tried
SMOOTHING_BETA = 3.0
LAG_S = 0.4  # of `stream`: with half a second of look-ahead and a chunk of 0.1 s it answers within 1 s


@dataclass(frozen=True, slots=True)
class OwnSettings:
    """What a network's training has of its own; the names are those of TrainSettings."""

    batch: int
    learning_rate: float
    length_s: float = -1.0
    durations: bool = False
    lag_s: float | None = None
    preset: str = "default"


# Stretches a step and highest learning rate: what each network's own paper or code does, scaled to short trainings. In
# minutes of CPU time many small steps learn more than few large ones, so all have half the usual number of stretches.
TRAINING = {
    "mstcn": OwnSettings(4, 1e-3),
    "asrf": OwnSettings(4, 1e-3),
    "raw2seq": OwnSettings(16, 1e-3),
    "seg2seq": OwnSettings(16, 1e-3),
    "stream": OwnSettings(8, 2e-3, 10.0, True, LAG_S),
}
SHOWN = {
    "mstcn": "MS-TCN",
    "asrf": "ASRF",
    "seg2seq": "Seg2seq",
    "raw2seq": "Raw2seq",
    "stream": "stream (ours)",
}
SMOOTHED = "MS-TCN + smoothing"
CHOOSING = ("mstcn", "stream")  # something is left to choose when they are trained: smoothing, decoder
FURTHER = "further"  # group: stroke patients of further sets, to test on
WEIGHED_ON = 400  # trials: the decoder's few weights need no more; the bonuses that put counts right take all there are


@dataclass(frozen=True, slots=True)
class RowName:
    network: str
    trained_on: str = "stroke"
    seed: int = FIRST_SEED

    @property
    def name(self) -> str:
        on = "" if self.trained_on == "stroke" else f"-{self.trained_on}"
        return f"{self.network}{on}@{self.seed}"


def row_of(text: str) -> RowName:
    """The row called `raw2seq`, `raw2seq-healthy`, `stream@8`; for other names a ConfigError lists the possible
    ones."""
    name, at, seed = text.strip().partition("@")
    network, _, on = name.partition("-")
    if network not in TRAINING or (on or "stroke") not in TRAINED_ON or (at and not seed.isdigit()):
        raise ConfigError(
            f"there is no row {text!r}.",
            advice=f"A row is one of {', '.join(TRAINING)}, then -healthy or -both if wanted, then @SEED if wanted.",
        )
    return RowName(network, on or "stroke", int(seed) if at else FIRST_SEED)


def group_of(name: str) -> str:
    return name.split("/")[0]


def activity_of(name: str) -> str:
    return name.split("/")[-1].split("_")[1].replace("-", " ")


def data_of(data: TrainingSet, trained_on: str) -> TrainingSet:
    """The set as the paper has it: repeats of a label are one movement; trained on the groups chosen, tested on all."""
    from rehabcount.models.data import onsets_of

    groups = TRAINED_ON[trained_on]
    trials = [trial for trial in data.trials if trial.split == "test" or group_of(trial.name) in groups]
    return replace(data, trials=tuple(replace(trial, onsets=onsets_of(trial.labels)) for trial in trials))


def with_further(data: TrainingSet, others: Sequence[TrainingSet]) -> TrainingSet:
    """The set with the stroke patients among the test people of others: for every set another group, other people."""
    trials = list(data.trials)
    for number, other in enumerate(others, start=1):
        if (other.labels, other.columns, other.recipe) != (data.labels, data.columns, data.recipe):
            raise DatasetChanged(
                f"{other.name} and {data.name} differ in labels, columns or recipe.",
                advice="Make both with the same version and the same recipe.",
            )
        patients = [trial for trial in other.of("test") if group_of(trial.name) == "test"]
        if not patients:
            raise DatasetMissing(
                f"{other.name} has no stroke patients to test on.",
                advice="Make one: rehabcount simulate --training DIR --recipe paper77 --subjects test --seed 3.",
            )
        trials += [
            replace(trial, name=trial.name.replace("test", FURTHER, 1), subject=f"{trial.subject} (further {number})")
            for trial in patients
        ]
    return replace(data, trials=tuple(trials))


def finished(folder: Path, row: RowName) -> FinishedRow | None:
    """The row as it was kept; None where it is not finished."""
    path = folder / row.name / "row.json"
    return read(path) if path.is_file() else None


@dataclass(frozen=True, slots=True)
class Sets:
    """The people of a row: whom it is trained on, on whom it is chosen beside them, who is tested beside them."""

    data: TrainingSet
    validate: tuple[TrainingSet, ...]
    further: tuple[TrainingSet, ...]

    @property
    def people(self) -> People:
        validate, further = (tuple(each.sha256 for each in sets) for sets in (self.validate, self.further))
        return People((self.data.sha256,), validate, further)


def train_row(
    folder: Path,
    data_folder: Path,
    row: RowName,
    minutes: float,
    on_progress: OnProgress = lambda what, done, total: None,
    *,
    validate: Sequence[Path] = (),
    further: Sequence[Path] = (),
) -> FinishedRow:
    """The finished row, trained now unless it is there. What is chosen after training is chosen on the people of
    `validate`, too; the stroke patients among the test people of `further` are tested beside the set's own."""
    from rehabcount.models.sources import open_data

    choosing = validate if row.network in CHOOSING else ()
    sets = Sets(open_data(data_folder), tuple(map(open_data, choosing)), tuple(map(open_data, further)))
    kept = finished(folder, row)
    if kept is not None:
        require_same(kept, minutes, sets.people, folder)
        return kept
    training, choosing_on = prepared(folder, row, sets)
    settings, begun_at = settings_of(folder / row.name, training, row, minutes)
    outcome = train_telling(folder / row.name, training, settings, row, on_progress)
    on_progress(f"{row.name}: test set", 0, 1)
    started = time.process_time()
    ways = ways_of(choosing_on, outcome, settings, row)
    done = FinishedRow(
        name=row.name,
        network=row.network,
        trained_on=row.trained_on,
        seed=row.seed,
        budget_min=minutes,
        commit=begun_at,
        data=choosing_on.name,
        people=sets.people,
        evidence=choosing_on.evidence,
        labels=choosing_on.labels,
        people_trained_on=len({trial.subject for trial in choosing_on.of("train")}),
        people_chosen_on=len({trial.subject for trial in choosing_on.of("valid")}),
        parameters=sum(each.numel() for each in outcome.network.parameters()),
        cpu_s=Spent(outcome.history[-1].cpu_s, round(time.process_time() - started, 1)),
        history=tuple(kept_epoch(each) for each in outcome.history),
        chosen=kept_epoch(outcome.chosen) if outcome.chosen is not None else None,
        unbiased=outcome.unbiased,
        ways=ways,
    )
    return write(folder / row.name / "row.json", done, to_document(settings))


def require_same(kept: FinishedRow, minutes: float, people: People, folder: Path) -> None:
    """ModelMismatch where a kept row had another budget or other people."""
    if kept.budget_min != minutes:
        raise ModelMismatch(
            f"row {kept.name} was trained for {kept.budget_min:g} CPU minutes, not {minutes:g}.",
            advice=f"Give the same --minutes, another --out, or remove {folder / kept.name}.",
        )
    for option, what, same in (
        ("data", "trained", kept.people.data == people.data),
        ("validate", "chosen", kept.people.validate == people.validate),
        ("further", "tested", kept.people.further == people.further),
    ):
        if not same:
            raise ModelMismatch(
                f"row {kept.name} was {what} on other people.",
                advice=f"Give the same --{option}, another --out, or remove {folder / kept.name}.",
            )


def prepared(folder: Path, row: RowName, sets: Sets) -> tuple[TrainingSet, TrainingSet]:
    """The set to train on, and the one to choose and test on."""
    from rehabcount.models.data import joined

    data = data_of(sets.data, row.trained_on)
    if not data.of("train"):
        raise DatasetMissing(
            f"{data.name} has no people to train {row.name} on.", advice="Give a set that has, or other rows."
        )
    others, tested_too = ([data_of(each, row.trained_on) for each in some] for some in (sets.validate, sets.further))
    choosing = with_further(joined(data, [], others) if others else data, tested_too)
    if row.network == "seg2seq":
        return probabilities_of(folder, data, row), probabilities_of(folder, choosing, row)
    return data, choosing


def train_telling(
    folder: Path, data: TrainingSet, settings: TrainSettings, row: RowName, on_progress: OnProgress
) -> Outcome:
    """The training, with progress."""
    from rehabcount.models.train import train

    def report(now: TrainingProgress) -> None:
        best = now.best
        known = f", AER {best.aer:.3f} (bias {best.worst_bias:+.0%})" if best is not None else ""
        on_progress(
            f"{row.name}: loss {now.loss:.3f}{known}", now.epoch * now.batches + now.batch, now.epochs * now.batches
        )

    return train(data, settings, folder, on_progress=report)


def kept_epoch(epoch: Epoch) -> KeptEpoch:
    return KeptEpoch(**to_document(epoch))


def settings_of(folder: Path, data: TrainingSet, row: RowName, minutes: float) -> tuple[TrainSettings, str]:
    """The settings of this training, and the commit that began it; they are kept, because measuring the speed again
    would give other numbers."""
    from rehabcount.models.budget import fitted
    from rehabcount.models.catalogue import frames_per_step
    from rehabcount.models.train import TrainSettings

    path = folder / "settings.json"
    if path.is_file():
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["budget_min"] != minutes:
            raise ModelMismatch(
                f"row {row.name} was begun with {kept['budget_min']:g} CPU minutes, not {minutes:g}.",
                advice=f"Give the same --minutes, another --out, or remove {folder}.",
            )
        return from_document(TrainSettings, kept["settings"]), str(kept["commit"])
    wanted = TrainSettings(
        row.network,
        frames_per_step=1 if row.network == "seg2seq" else frames_per_step(row.network, data.rate_hz),
        seed=row.seed,
        bias_bound=BIAS_BOUND,
        repeats=False,
    )
    wanted = replace(wanted, **asdict(TRAINING[row.network]))
    settings = fitted(data, wanted, 60.0 * minutes)
    begun_at = commit()
    write_json(path, {"budget_min": minutes, "commit": begun_at, "settings": to_document(settings)})
    return settings, begun_at


def probabilities_of(folder: Path, data: TrainingSet, row: RowName) -> TrainingSet:
    """What Seg2seq reads: the probabilities of the MS-TCN of the same seed and people."""
    from rehabcount.models.seg2seq import probability_set
    from rehabcount.models.trained import load_trained

    segmenter = replace(row, network="mstcn")
    if finished(folder, segmenter) is None:
        raise ConfigError(f"{row.name} reads the row {segmenter.name}.", advice=f"Train {segmenter.name} first.")
    trained = load_trained(folder / segmenter.name / "checkpoint.pt")
    return probability_set(data, trained.spec, trained.network)


def ways_of(data: TrainingSet, outcome: Outcome, settings: TrainSettings, row: RowName) -> dict[str, Way]:
    """The rows of the table that this training serves, each with its choices and the test trials' sequences."""
    from rehabcount.models.train import estimates, output_frames

    valid, test = (
        estimates(outcome.network, data.of(split), outcome.spec) if data.of(split) else []
        for split in ("valid", "test")
    )
    frame_s = output_frames(outcome.network, outcome.spec) / data.rate_hz
    if row.network == "stream":
        return {SHOWN[row.network]: way_of_stream(data, outcome, settings, valid, test)}
    ways = {SHOWN[row.network]: Way({}, tested(data, [each.spans for each in test], frame_s))}
    if row.network == "mstcn":
        length_s = best_smoothing(data, valid, frame_s)
        spans = [smoothed_spans(each, length_s, frame_s) for each in test]
        ways[SMOOTHED] = Way({"length_s": length_s}, tested(data, spans, frame_s))
    return ways


def way_of_stream(
    data: TrainingSet,
    outcome: Outcome,
    settings: TrainSettings,
    valid: Sequence[Estimate],
    test: Sequence[Estimate],
) -> Way:
    """`stream`, decoded within its lag by weights that were tuned on validation."""
    from rehabcount.models import decoding
    from rehabcount.models.data import tokens_of
    from rehabcount.models.train import lag_frames, output_frames
    from rehabcount.models.tuning import SETTLED_WITHIN

    output = output_frames(outcome.network, outcome.spec)
    frame_s = output / data.rate_hz
    lag = lag_frames(settings, 1 / frame_s)
    scored = [
        decoding.Scored(each, tuple(tokens_of(trial, data.counted)))
        for each, trial in zip(valid, data.of("valid"), strict=True)
    ]
    some = scored[:: max(1, len(scored) // WEIGHED_ON)]
    model = decoding.tune([some], outcome.durations, lag, data.counted)
    model = decoding.settle_bias(scored, model, lag, data.counted, bound=SETTLED_WITHIN)
    choices: dict[str, Choice] = {
        "frame_weight": model.frame_weight,
        "onset_weight": model.onset_weight,
        "onset_spread": model.onset_spread,
        "transition_weight": model.transition_weight,
        "duration_weight": model.duration_weight,
        "count_bias": tuple(model.count_bias.tolist()),
        "delay_s": round(0.1 + (outcome.network.settings.lookahead + (lag or 0)) * frame_s, 3),
    }
    spans = [
        spans_between(onsets, len(trial) // output)
        for onsets, trial in zip(decoding.decode(test, model, lag), data.of("test"), strict=True)
    ]
    return Way(choices, tested(data, spans, frame_s))


def spans_between(onsets: Sequence[Onset], frames: int) -> list[Span]:
    """Onsets as spans: each lasts until the next."""
    ends = [onset.frame for onset in onsets[1:]] + [max(frames, onsets[-1].frame + 1)] if onsets else []
    return [Span(onset.label, onset.frame, end) for onset, end in zip(onsets, ends, strict=True)]


def smoothed_spans(estimate: Estimate, length_s: float, frame_s: float) -> list[Span]:
    assert estimate.log_probabilities is not None  # MS-TCN has some for every frame
    track = smoothed(np.exp(estimate.log_probabilities), max(1, round(length_s / frame_s)), SMOOTHING_BETA)
    return spans_of(track.argmax(axis=1))


def best_smoothing(data: TrainingSet, estimates: Sequence[Estimate], frame_s: float) -> float:
    """The window that does best on validation, by the rule by which epochs are chosen."""
    from rehabcount.models.data import tokens_of
    from rehabcount.models.scoring import score

    reference = [tokens_of(trial, data.counted) for trial in data.of("valid")]
    if not reference:
        return 0.0
    scores = {}
    for length_s in SMOOTHING_S:
        found = (smoothed_spans(each, length_s, frame_s) for each in estimates)
        sequences = [[span.label for span in spans if span.label in data.counted] for spans in found]
        scores[length_s] = score(reference, sequences, len(data.labels))
    unbiased = {length: each for length, each in scores.items() if each.worst_bias <= BIAS_BOUND}
    return min(unbiased or scores, key=lambda length: scores[length].aer)


def tested(data: TrainingSet, estimates: Sequence[Sequence[Span]], frame_s: float) -> tuple[TrialSequences, ...]:
    """Every test trial: who, what, and both sequences with their times."""
    made = []
    for trial, spans in zip(data.of("test"), estimates, strict=True):
        true = [Span(span.label, span.start, span.end) for span in spans_of(trial.labels)]
        made.append(
            TrialSequences(
                trial.subject,
                group_of(trial.name),
                activity_of(trial.name),
                moves(true, data.counted, 1 / data.rate_hz),
                moves(merged(spans), data.counted, frame_s),
            )
        )
    return tuple(made)


def moves(spans: Sequence[Span], counted: Sequence[int], frame_s: float) -> tuple[Move, ...]:
    return tuple(
        (int(span.label), round(span.start * frame_s, 3), round(span.end * frame_s, 3))
        for span in spans
        if span.label in counted
    )

"""One row of the StrokeRehab bench: a network trained within a budget of CPU time, and what it says about the test set.

A row is a network, whom it is trained on and a seed: `raw2seq`, `raw2seq-healthy`, `stream@8`. Its folder holds

    settings.json    what was decided before training: the number of epochs and batches that fit the budget
    checkpoint.pt    from which an interrupted training goes on
    row.json         the finished row: history, choices, CPU time, commit, and every test trial's sequence

A finished row is read again, so rows may be trained by separate commands, side by side.

Everybody is scored as the paper scores: consecutive equal labels are one movement, in the reference and in the
estimate. Everything is chosen on validation: the epoch, the smoothing window, the decoder's weights.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rehabcount.bench.experiment import clean, commit, write_json
from rehabcount.domain.document import from_document, to_document
from rehabcount.errors import ConfigError, DatasetChanged, DatasetMissing, ModelMismatch
from rehabcount.inference.spans import Span, merged, smoothed, spans_of

TRAINED_ON = {"stroke": ("train",), "healthy": ("healthy-train",), "both": ("train", "healthy-train")}
FIRST_SEED = 7
BIAS_BOUND = 0.03
SMOOTHING_S = (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)  # lengths of the smoothing window that are tried
SMOOTHING_BETA = 3.0
LAG_S = 0.4  # of `stream`: with half a second of look-ahead and a chunk of 0.1 s it answers within 1 s
# Stretches a step and highest learning rate: what each network's own paper or code does, scaled to short trainings. In
# minutes of CPU time many small steps learn more than few large ones, so all have half the usual number of stretches.
TRAINING: dict[str, dict[str, Any]] = {
    "mstcn": {"batch": 4, "learning_rate": 1e-3},
    "asrf": {"batch": 4, "learning_rate": 1e-3},
    "raw2seq": {"batch": 16, "learning_rate": 1e-3},
    "seg2seq": {"batch": 16, "learning_rate": 1e-3},
    "stream": {"batch": 8, "length_s": 10.0, "learning_rate": 2e-3, "durations": True, "lag_s": LAG_S},
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
    """`raw2seq`, `raw2seq-healthy`, `stream@8`; a ConfigError says what there is."""
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


def data_of(data: Any, trained_on: str) -> Any:
    """The set as the paper has it: repeats of a label are one movement; trained on the groups chosen, tested on all."""
    from rehabcount.models.data import onsets_of

    groups = TRAINED_ON[trained_on]
    trials = [trial for trial in data.trials if trial.split == "test" or group_of(trial.name) in groups]
    return replace(data, trials=tuple(replace(trial, onsets=onsets_of(trial.labels)) for trial in trials))


def with_further(data: Any, others: Sequence[Any]) -> Any:
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


def finished(folder: Path, row: RowName) -> dict[str, Any] | None:
    """The row as it was kept; None where it is not finished."""
    path = folder / row.name / "row.json"
    if not path.is_file():
        return None
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def train_row(
    folder: Path,
    data_folder: Path,
    row: RowName,
    minutes: float,
    tell: Callable[[str, int, int], None] = lambda what, done, total: None,
    *,
    validate: Sequence[Path] = (),
    further: Sequence[Path] = (),
) -> dict[str, Any]:
    """The finished row, trained now unless it is there. What is chosen after training is chosen on the people of
    `validate`, too; the stroke patients among the test people of `further` are tested beside the set's own."""
    from rehabcount.models.data import joined
    from rehabcount.models.sources import open_data
    from rehabcount.models.train import TrainingProgress, train

    whole = open_data(data_folder)
    others = [open_data(each) for each in (validate if row.network in CHOOSING else ())]
    tested_too = [open_data(each) for each in further]
    people = {
        "data": [whole.sha256],
        "validate": [each.sha256 for each in others],
        "further": [each.sha256 for each in tested_too],
    }
    kept = finished(folder, row)
    if kept is not None:
        if kept["budget_min"] != minutes:
            raise ModelMismatch(
                f"row {row.name} was trained for {kept['budget_min']:g} CPU minutes, not {minutes:g}.",
                advice=f"Give the same --minutes, another --out, or remove {folder / row.name}.",
            )
        for option, what in (("data", "trained"), ("validate", "chosen"), ("further", "tested")):
            if kept["people"][option] != people[option]:
                raise ModelMismatch(
                    f"row {row.name} was {what} on other people.",
                    advice=f"Give the same --{option}, another --out, or remove {folder / row.name}.",
                )
        return kept
    data = data_of(whole, row.trained_on)
    if not data.of("train"):
        raise DatasetMissing(
            f"{data.name} has nobody to train on for {row.name}.", advice="Give a set that has, or other rows."
        )
    choosing = joined(data, [], [data_of(each, row.trained_on) for each in others]) if others else data
    choosing = with_further(choosing, [data_of(each, row.trained_on) for each in tested_too])
    if row.network == "seg2seq":
        data, choosing = probabilities_of(folder, data, row), probabilities_of(folder, choosing, row)
    settings, begun_at = settings_of(folder / row.name, data, row, minutes)
    best: Any = None

    def report(now: TrainingProgress) -> None:
        nonlocal best
        best = now.best
        known = f", AER {best.aer:.3f} (bias {best.worst_bias:+.0%})" if best is not None else ""
        tell(f"{row.name}: loss {now.loss:.3f}{known}", now.epoch * now.batches + now.batch, now.epochs * now.batches)

    outcome = train(data, settings, folder / row.name, report=report)
    tell(f"{row.name}: test set", 0, 1)
    started = time.process_time()
    data = choosing
    ways = ways_of(data, outcome, settings, row)
    document = {
        "row": row.name,
        "network": row.network,
        "trained_on": row.trained_on,
        "seed": row.seed,
        "budget_min": minutes,
        "commit": begun_at,
        "data": data.name,
        "people": people,
        "evidence": data.evidence,
        "labels": list(data.labels),
        "trained on people": len({trial.subject for trial in data.of("train")}),
        "chosen on people": len({trial.subject for trial in data.of("valid")}),
        "parameters": sum(each.numel() for each in outcome.network.parameters()),
        "settings": to_document(settings),
        "cpu_s": {
            "training and validation": outcome.history[-1].cpu_s,
            "choices on validation and test": round(time.process_time() - started, 1),
        },
        "history": [to_document(each) for each in outcome.history],
        "chosen": to_document(outcome.chosen) if outcome.chosen is not None else None,
        "count bias within bound": outcome.unbiased,
        "ways": ways,
    }
    write_json(folder / row.name / "row.json", document)
    cleaned: dict[str, Any] = clean(document)
    return cleaned


def settings_of(folder: Path, data: Any, row: RowName, minutes: float) -> tuple[Any, str]:
    """What this training does, and the commit that began it; decided once and kept, because the measurement would not
    come out the same again."""
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
        **TRAINING[row.network],
    )
    settings = fitted(data, wanted, 60.0 * minutes)
    begun_at = commit()
    write_json(path, {"budget_min": minutes, "commit": begun_at, "settings": to_document(settings)})
    return settings, begun_at


def probabilities_of(folder: Path, data: Any, row: RowName) -> Any:
    """What Seg2seq reads: the probabilities of the MS-TCN of the same seed and people."""
    from rehabcount.models.seg2seq import probability_set
    from rehabcount.models.trained import load_trained

    segmenter = replace(row, network="mstcn")
    if finished(folder, segmenter) is None:
        raise ConfigError(f"{row.name} reads the row {segmenter.name}.", advice=f"Train {segmenter.name} first.")
    trained = load_trained(folder / segmenter.name / "checkpoint.pt")
    return probability_set(data, trained.spec, trained.network)


def ways_of(data: Any, outcome: Any, settings: Any, row: RowName) -> dict[str, Any]:
    """The rows of the table that this training serves, each with its choices and the test trials' sequences."""
    from rehabcount.models import decoding
    from rehabcount.models.data import tokens_of
    from rehabcount.models.train import estimates, lag_frames, output_frames
    from rehabcount.models.tuning import SETTLED_WITHIN

    found = {
        split: estimates(outcome.network, data.of(split), outcome.spec) if data.of(split) else []
        for split in ("valid", "test")
    }
    output = output_frames(outcome.network, outcome.spec)
    frame_s = output / data.rate_hz
    shown = SHOWN[row.network]
    if row.network == "stream":
        lag = lag_frames(settings, 1 / frame_s)
        scored = [
            decoding.Scored(each, tuple(tokens_of(trial, data.counted)))
            for each, trial in zip(found["valid"], data.of("valid"), strict=True)
        ]
        some = scored[:: max(1, len(scored) // WEIGHED_ON)]
        model = decoding.tune(some, outcome.durations, lag, data.counted)
        model = decoding.settle_bias(scored, model, lag, data.counted, bound=SETTLED_WITHIN)
        choices = {
            "frame_weight": model.frame_weight,
            "onset_weight": model.onset_weight,
            "onset_spread": model.onset_spread,
            "transition_weight": model.transition_weight,
            "duration_weight": model.duration_weight,
            "count_bias": model.count_bias.tolist(),
            "delay_s": round(0.1 + (outcome.network.settings.lookahead + (lag or 0)) * frame_s, 3),
        }
        spans = [
            spans_between(onsets, len(trial) // output)
            for onsets, trial in zip(decoding.decode(found["test"], model, lag), data.of("test"), strict=True)
        ]
        return {shown: {"choices": choices, "trials": documents(data, spans, frame_s)}}
    ways: dict[str, Any] = {}
    ways[shown] = {"choices": {}, "trials": documents(data, [each.spans for each in found["test"]], frame_s)}
    if row.network == "mstcn":
        length_s = best_smoothing(data, found["valid"], frame_s)
        spans = [smoothed_spans(each, length_s, frame_s) for each in found["test"]]
        ways[SMOOTHED] = {"choices": {"length_s": length_s}, "trials": documents(data, spans, frame_s)}
    return ways


def spans_between(onsets: Sequence[Any], frames: int) -> list[Span]:
    """Onsets as spans: each lasts until the next."""
    ends = [onset.frame for onset in onsets[1:]] + [max(frames, onsets[-1].frame + 1)] if onsets else []
    return [Span(onset.label, onset.frame, end) for onset, end in zip(onsets, ends, strict=True)]


def smoothed_spans(estimate: Any, length_s: float, frame_s: float) -> list[Span]:
    track = smoothed(np.exp(estimate.log_probabilities), max(1, round(length_s / frame_s)), SMOOTHING_BETA)
    return spans_of(track.argmax(axis=1))


def best_smoothing(data: Any, estimates: Sequence[Any], frame_s: float) -> float:
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


def documents(data: Any, estimates: Sequence[Sequence[Span]], frame_s: float) -> list[dict[str, Any]]:
    """Every test trial: who, what, and both sequences with their times (label, start, end; seconds)."""
    made = []
    for trial, spans in zip(data.of("test"), estimates, strict=True):
        true = [Span(span.label, span.start, span.end) for span in spans_of(trial.labels)]
        made.append(
            {
                "subject": trial.subject,
                "group": group_of(trial.name),
                "activity": activity_of(trial.name),
                "reference": moves(true, data.counted, 1 / data.rate_hz),
                "estimate": moves(merged(spans), data.counted, frame_s),
            }
        )
    return made


def moves(spans: Sequence[Span], counted: Sequence[int], frame_s: float) -> list[list[float]]:
    return [
        [span.label, round(span.start * frame_s, 3), round(span.end * frame_s, 3)]
        for span in spans
        if span.label in counted
    ]

"""JIGSAWS, gestures of Suturing: a network that has never seen the surgeon writes down the sequence of gestures.

Question: are our recognisers, on real human movement and somebody else's labels, as good as the published ones?

Protocol: leave one surgeon out. For each test surgeon the next one in the alphabet validates (epoch and decoder
weights are chosen there), the other six train. Sequences are scored over all trials of all surgeons: AER pooled, edit
score as the mean over trials, both with 95 % intervals from resampling surgeons. Frames that nobody labelled are a
class of their own (`none`): recognised, not scored. Nothing about a test trial is known to the network but its
motion.

Rows that share a training: `MS-TCN`, its smoothing window and its duration decoder are one network decoded in three
ways; `BiGRU + durations` is the bidirectional form of `stream`; `ours, offline` averages the log-probabilities of
these two networks and decodes once; `stream` decides within its delay.

Citation: Kaku et al., StrokeRehab, NeurIPS 2022 (Table 2, Jigsaws); four-surgeon figures are those of public ED-TCN
predictions (Lea et al. 2017), scored by us.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from rehabcount.bench.frame import Claim, Context, Experiment, Results, Value, writing
from rehabcount.errors import ConfigError
from rehabcount.metrics.bootstrap import interval, weights
from rehabcount.metrics.edit import EditResult, evaluate
from rehabcount.models.extra import require_torch

FOUR_SURGEONS = ("S02", "S04", "S06", "S08")  # those of the public ED-TCN predictions
PUBLISHED = {  # row: (AER, edit score) over all surgeons
    "Seg2seq (paper)": (0.17, 83.87),
    "ASRF": (0.31, 74.6),
    "MS-TCN": (0.82, 61.44),
}
OURS = "ours, offline"
TARGET_AER, TARGET_EDIT = 0.17, 84.0
REPLICATES = 2000
WEIGHT_CHOICES: tuple[dict[str, Any], ...] = tuple(
    {"frame_weight": frame, "onset_weight": onset, "duration_weight": duration}
    for frame in (0.25, 0.15, 0.4)
    for onset in (0.0, 0.2)
    for duration in (0.5, 1.0)
)
SMOOTHING_S = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
TRAININGS: dict[str, dict[str, Any]] = {
    "offline": {
        "network": "stream",
        "changes": {"stride": 1, "lookahead": 0, "bidirectional": True, "hidden": 96},
        "durations": True,
    },
    "stream": {"network": "stream", "changes": {"stride": 1, "lookahead": 3}, "durations": True, "lag_s": 0.4},
    "mstcn": {"network": "mstcn", "changes": {"layers": 7}},
    "asrf": {"network": "asrf", "changes": {"layers": 7}},
}  # all with one output frame a step
AVERAGED = {"both": ("offline", "mstcn")}  # rows that average networks of other rows


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """Every row on every surgeon; finished folds are kept and not computed again."""
    require_torch()
    from rehabcount.models.sources import jigsaws_gestures

    folder = context.folder("jigsaws")
    surgeons = sorted({trial.subject for trial in jigsaws_gestures(folder, str(settings["task"])).trials})
    trainings = [name for name in str(settings["rows"]).split(",") if name]
    unknown = [name for name in trainings if name not in {**TRAININGS, **AVERAGED}]
    if unknown:
        raise ConfigError(f"there is no row {unknown[0]!r}.", advice=f"Rows: {', '.join([*TRAININGS, *AVERAGED])}.")
    tested = surgeons[:2] if context.quick else surgeons
    jobs = [(name, surgeon) for name in trainings for surgeon in tested]
    chosen = {**settings, "epochs": 3 if context.quick else settings["epochs"]}
    done = 0
    with (
        TemporaryDirectory() as aside,
        ProcessPoolExecutor(int(settings["processes"]), mp_context=get_context("spawn")) as processes,
        ThreadPoolExecutor(int(settings["processes"])) as threads,
    ):
        kept = str(context.steps or aside)

        def work(job: tuple[str, str]) -> dict[str, Any]:
            nonlocal done
            found: dict[str, Any] = context.step(
                f"{job[0]} {job[1]}", lambda: processes.submit(fold, str(folder), *job, chosen, kept).result()
            )
            done += 1
            context.progress(f"{job[0]}, surgeon {job[1]}", done, len(jobs))
            return found

        folds = list(threads.map(work, jobs))
    rows: dict[str, list[dict[str, Any]]] = {}
    for found in folds:
        for row, trials in found["rows"].items():
            rows.setdefault(row, []).extend(trials)
    return summary(rows, folds)


def fold(folder: str, training: str, surgeon: str, settings: Mapping[str, Value], kept: str) -> dict[str, Any]:
    """One training: sequences of the test surgeon's trials for every row that it serves. Runs in its own process.

    The networks' scores are kept in the folder `kept`: decoding them again costs seconds.
    """
    from rehabcount.models.data import with_splits
    from rehabcount.models.sources import jigsaws_gestures

    data = jigsaws_gestures(Path(folder), str(settings["task"]))
    surgeons = sorted({trial.subject for trial in data.trials})
    validating = surgeons[(surgeons.index(surgeon) + 1) % len(surgeons)]
    split = {each: {surgeon: "test", validating: "valid"}.get(each, "train") for each in surgeons}
    data = with_splits(data, split)
    parts = []
    for name in AVERAGED.get(training, (training,)):
        path = Path(kept) / f"{name}-{surgeon}.npz"
        if not path.is_file():
            with writing(path) as partial, partial.open("wb") as file:
                np.savez_compressed(file, allow_pickle=False, **trained_scores(data, name, settings))
        with np.load(path, allow_pickle=False) as file:
            parts.append({name: file[name] for name in file.files})
    scores = averaged(parts)
    output_hz = data.rate_hz / int(settings["frames_per_step"])
    rows = decoded(training, data, scores, int(settings["frames_per_step"]), output_hz)
    return {"surgeon": surgeon, "training": training, "cpu_s": float(scores["cpu_s"]), "rows": rows}


def averaged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Mean log-probabilities; onsets of the first network, which has a head for them. Averaging costs no training."""
    if len(parts) == 1:
        return parts[0]
    labels = {name: np.mean([part[name] for part in parts], axis=0) for name in parts[0] if name.endswith("/labels")}
    return {**parts[0], **labels, "cpu_s": 0.0}


def trained_scores(data: Any, training: str, settings: Mapping[str, Value]) -> dict[str, Any]:
    """Scores a frame of every validation and test trial, by a network that saw neither."""
    from rehabcount.models.train import TrainSettings, estimates, train

    chosen = TrainSettings(
        epochs=int(settings["epochs"]),
        frames_per_step=int(settings["frames_per_step"]),
        seed=int(settings["seed"]),
        length_s=60.0,
        batch=8,
        learning_rate=2e-3,
        validate_every=5,
        augment="lively",
        bias_bound=float("inf"),  # five validation trials hold a rare gesture once: its bias says nothing
        **TRAININGS[training],
    )
    outcome = train(data, chosen)
    scores: dict[str, Any] = {"cpu_s": outcome.history[-1].cpu_s}
    for split in ("valid", "test"):
        found = estimates(outcome.network, data.of(split), outcome.spec)
        for each, trial in zip(found, data.of(split), strict=True):
            scores[f"{trial.name}/labels"] = each.log_probabilities
            if each.onset_logits is not None:
                scores[f"{trial.name}/onset"] = each.onset_logits
    return scores


def decoded(
    training: str, data: Any, scores: Mapping[str, Any], frames_per_step: int, output_hz: float
) -> dict[str, list[dict[str, Any]]]:
    """The rows of one training: what the network says, decoded in each way, with everything tuned on validation."""
    from rehabcount.inference.frames import refined, spans_of
    from rehabcount.models import decoding
    from rehabcount.models.data import tokens_of
    from rehabcount.models.network import Estimate

    def scored_of(split: str) -> list[decoding.Scored]:
        return [
            decoding.Scored(
                Estimate((), scores[f"{trial.name}/labels"], scores.get(f"{trial.name}/onset")),
                tuple(tokens_of(trial, data.counted)),
            )
            for trial in data.of(split)
        ]

    valid, test = scored_of("valid"), scored_of("test")
    raw: list[tuple[Any, Any]] = [
        (scores[f"{trial.name}/labels"], scores.get(f"{trial.name}/onset")) for trial in data.of("test")
    ]
    fitted = decoding.fit(data.of("train"), len(data.labels), frames_per_step, output_hz)

    def by_durations(lag: int | None) -> list[list[int]]:
        models = [replace(fitted, **choice) for choice in WEIGHT_CHOICES]
        best = min(models, key=lambda model: decoding.score_of(valid, model, lag, data.counted).aer)
        found = (decoding.decode(each.estimate, best, lag) for each in test)
        return [[o.label for o in onsets if o.label in data.counted] for onsets in found]

    def by_spans(spans: Iterable[Iterable[Any]]) -> list[list[int]]:
        return [[span.label for span in each if span.label in data.counted] for each in spans]

    if training in ("offline", "both"):
        ways = {OURS if training == "both" else "BiGRU + durations": by_durations(None)}
    elif training == "stream":
        lag = round(TRAININGS["stream"]["lag_s"] * output_hz)
        delay_s = (TRAININGS["stream"]["changes"]["lookahead"] + lag) / output_hz
        ways = {f"stream, delay {delay_s:.1f} s": by_durations(lag)}
    elif training == "mstcn":
        ways = {
            "MS-TCN": by_spans(spans_of(labels.argmax(axis=1)) for labels, _ in raw),
            "MS-TCN + smoothing": by_smoothing(valid, test, output_hz, data),
            "MS-TCN + durations": by_durations(None),
        }
    else:
        ways = {"ASRF": by_spans(refined(np.exp(labels), 1 / (1 + np.exp(-boundary))) for labels, boundary in raw)}
    return {
        row: [
            {
                "trial": trial.name,
                "surgeon": trial.subject,
                "reference": [data.labels[token] for token in each.reference],
                "estimate": [data.labels[token] for token in tokens],
            }
            for trial, each, tokens in zip(data.of("test"), test, sequences, strict=True)
        ]
        for row, sequences in ways.items()
    }


def by_smoothing(valid: list[Any], test: list[Any], output_hz: float, data: Any) -> list[list[int]]:
    """The smoothing window whose length does best on validation."""
    from rehabcount.inference.frames import smoothed, spans_of
    from rehabcount.models.scoring import score

    def sequences(scored: list[Any], length_s: float) -> list[list[int]]:
        length = max(1, round(length_s * output_hz))
        tracks = (smoothed(np.exp(each.estimate.log_probabilities), length, 3.0) for each in scored)
        spans = (spans_of(track.argmax(axis=1)) for track in tracks)
        return [[span.label for span in each if span.label in data.counted] for each in spans]

    reference = [each.reference for each in valid]
    best = min(SMOOTHING_S, key=lambda length: score(reference, sequences(valid, length), len(data.labels)).aer)
    return sequences(test, best)


def summary(rows: Mapping[str, list[dict[str, Any]]], folds: list[dict[str, Any]]) -> Results:
    """Scores with intervals, over all surgeons and over the four of the public predictions."""
    claims, figures = [], dict[str, Any]()
    for row, trials in rows.items():
        every = _evaluate(trials)
        aer, edit = float(every.aer()), float(every.edit_score())
        resampled = weights(len(trials), replicates=REPLICATES, seed=1, groups=[trial["surgeon"] for trial in trials])
        for name, value, replicates in (
            ("AER", aer, every.aer(weights=resampled)),
            ("edit score", edit, every.edit_score(weights=resampled)),
        ):
            spread = interval(replicates)
            figures[f"{row}: {name}"] = round(value, 4)
            figures[f"{row}: {name}, 95 % interval"] = f"{spread.low:.3f} to {spread.high:.3f}"
        figures[f"{row}: counted / true"] = round(float(every.estimate_length.sum() / every.reference_length.sum()), 3)
        if row in PUBLISHED:
            claims += [
                Claim("Table 2, Jigsaws", f"{row}, AER", PUBLISHED[row][0], round(aer, 3), None, "other input columns"),
                Claim("Table 2, Jigsaws", f"{row}, edit score", PUBLISHED[row][1], round(edit, 1), None, "likewise"),
            ]
        four = [trial for trial in trials if trial["surgeon"] in FOUR_SURGEONS]
        if row == OURS:
            paper = PUBLISHED["Seg2seq (paper)"]
            claims += [
                Claim("Table 2, Jigsaws", f"best row, AER ({row})", paper[0], round(aer, 3), aer <= TARGET_AER),
                Claim("Table 2, Jigsaws", f"best row, edit ({row})", paper[1], round(edit, 1), edit >= TARGET_EDIT),
            ]
        if row == OURS and {trial["surgeon"] for trial in four} == set(FOUR_SURGEONS):
            few = _evaluate(four)
            aer, edit = float(few.aer()), float(few.edit_score())
            claims += [
                Claim("ED-TCN, four surgeons", f"AER ({row})", 0.176, round(aer, 3), aer <= 0.176),
                Claim("ED-TCN, four surgeons", f"edit score ({row})", 84.7, round(edit, 1), edit >= 84.7),
            ]
    figures["trials"] = max((len(trials) for trials in rows.values()), default=0)
    figures["CPU s of all trainings"] = round(sum(found["cpu_s"] for found in folds))
    return Results(tuple(claims), figures)


def _evaluate(trials: list[dict[str, Any]]) -> EditResult:
    return evaluate(
        [trial["reference"] for trial in trials],
        [trial["estimate"] for trial in trials],
        subjects=[trial["surgeon"] for trial in trials],
    )


EXPERIMENT = Experiment(
    "real-jigsaws",
    "Does a network that never saw the surgeon write down the gestures of suturing?",
    "Kaku et al. 2022, Table 2; Lea et al. 2017",
    "JIGSAWS (folder jigsaws); extra train",
    "half an hour on two free cores",
    run,
    {
        "task": "suturing",
        "rows": "offline,mstcn,both,stream,asrf",
        "epochs": 25,
        "frames_per_step": 6,
        "seed": 7,
        "processes": 2,
    },
    "jigsaws",
)

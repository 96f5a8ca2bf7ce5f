"""JIGSAWS, Suturing: a network that has never seen the surgeon writes down the sequence of gestures, or of primitives.

Question: are our recognisers, on real human movement and somebody else's labels, as good as the published ones?

Protocol: leave one surgeon out. For each test surgeon the next one in the alphabet validates (epoch and decoder weights
are chosen there), the other six train. In a second turn the one after that validates and the first trains instead:
decoder weights then rest on twice as many trials, and the networks together have seen all seven. The decoder's
durations and successions are those of everybody but the test surgeon. Sequences are scored over all trials of all
surgeons: AER pooled, edit score as the mean over trials, both with 95 % intervals from resampling surgeons. Frames that
nobody labelled are a class of their own (`none`): recognised, not scored. Nothing about a test trial is known to the
network but its motion.

Rows that share a training: `MS-TCN`, its smoothing window and its duration decoder are one network decoded in three
ways; `BiGRU + durations` is the bidirectional form of `stream`; `BiGRU, MS-TCN, ASRF + durations` averages the
log-probabilities of these three networks and decodes once, `ours, offline` those of both turns' three. `stream`
decides within its delay, once its columns are normalised, which is done over whole trials for all rows. `Seg2seq` reads
the probabilities of the fold's MS-TCN, also those on the trials that MS-TCN was trained on.

Primitives (grasp, release, touch, ...) are of each hand, in trials of their own; Idle is recognised, not scored. With
and without the gripper's opening, which a sensor on an arm does not know.

Citation: Kaku et al., StrokeRehab, NeurIPS 2022 (Table 2, Jigsaws); four-surgeon figures are those of public ED-TCN
predictions (Lea et al. 2017), scored by us.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from rehabcount.bench.experiment import Claim, Context, Experiment, Results, Value
from rehabcount.errors import ConfigError
from rehabcount.metrics.bootstrap import interval, weights
from rehabcount.metrics.edit import EditResult, evaluate
from rehabcount.models.torch_extra import require_torch
from rehabcount.store.private import written_whole

FOUR_SURGEONS = ("S02", "S04", "S06", "S08")  # those of the public ED-TCN predictions
PUBLISHED = {  # row: (AER, edit score) over all surgeons
    "Seg2seq": (0.17, 83.87),
    "ASRF": (0.31, 74.6),
    "MS-TCN": (0.82, 61.44),
    "MS-TCN + smoothing": (0.31, 76.54),
}
OURS = "ours, offline"
TARGET_AER, TARGET_EDIT = 0.17, 84.0
ED_TCN_AER, ED_TCN_EDIT = 0.176, 84.71  # of the public predictions, on four surgeons
REPLICATES = 2000
# Weights up to 1: a primitive may last two steps only, and its evidence has to pay for its transition and duration.
WEIGHT_CHOICES: tuple[dict[str, Any], ...] = tuple(
    {"frame_weight": frame, "onset_weight": onset, "duration_weight": duration}
    for frame in (0.25, 0.15, 0.4, 0.7, 1.0)
    for onset in (0.0, 0.2, 0.5)
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
    # Windows of 32 s: a gesture lasts several seconds.
    "seg2seq": {
        "network": "seg2seq",
        "changes": {"length": 160, "margin": 16, "max_tokens": 40},
        "batch": 32,
        "learning_rate": 1e-3,
        "length_s": -1.0,
        "augment": "none",
    },
}  # all with one output frame a step
READS = {"seg2seq": "mstcn"}  # trainings whose input is another one's output
GESTURES, PRIMITIVES, NO_GRIPPER = "gestures", "primitives", "primitives without gripper"
TARGETS = (GESTURES, PRIMITIVES, NO_GRIPPER)
AVERAGED = ("offline", "mstcn", "asrf")
TURNS = {"three": 1, "six": 2}  # rows that average those networks: how many surgeons validate, one after the other
BY_DURATIONS = {"offline": "BiGRU + durations", "three": "BiGRU, MS-TCN, ASRF + durations", "six": OURS}


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """Every row on every surgeon; finished folds are kept and not computed again."""
    require_torch()
    trainings = trainings_of(settings)
    folder = context.folder("jigsaws")
    surgeons = sorted({trial.subject for trial in data_of(folder, str(settings["task"]), GESTURES).trials})
    tested = surgeons[:2] if context.quick else surgeons
    jobs = [(target, name, surgeon) for target, name in trainings for surgeon in tested]
    chosen = {**settings, **({"epochs": 3, "primitive_epochs": 1} if context.quick else {})}
    done = 0
    with (
        TemporaryDirectory() as aside,
        ProcessPoolExecutor(int(settings["processes"]), mp_context=get_context("spawn")) as processes,
        ThreadPoolExecutor(int(settings["processes"])) as threads,
    ):
        kept = str(context.steps or aside)

        def work(job: tuple[str, str, str]) -> dict[str, Any]:
            nonlocal done
            found: dict[str, Any] = context.step(
                " ".join(job), lambda: processes.submit(fold, str(folder), *job, chosen, kept).result()
            )
            done += 1
            context.progress(f"{job[0]}, {job[1]}, surgeon {job[2]}", done, len(jobs))
            return found

        # What others read or average is trained to the end first, so that no two jobs train the same network.
        folds = [
            found
            for waiting in (False, True)
            for found in threads.map(work, (j for j in jobs if waits(j[1]) == waiting))
        ]
    rows: dict[str, list[dict[str, Any]]] = {}
    for found in folds:
        for row, trials in found["rows"].items():
            rows.setdefault(row, []).extend(trials)
    return summary(rows, folds)


def waits(name: str) -> bool:
    """Whether a row needs the networks of other rows."""
    return name in {**READS, **TURNS}


def trainings_of(settings: Mapping[str, Value]) -> list[tuple[str, str]]:
    """(target, training) of all rows that are wanted."""
    wanted = {GESTURES: str(settings["rows"]), PRIMITIVES: str(settings["primitive_rows"])}
    wanted[NO_GRIPPER] = wanted[PRIMITIVES]
    jobs = []
    for target in TARGETS:
        for name in (name for name in wanted[target].split(",") if name):
            if name not in {**TRAININGS, **TURNS}:
                known = ", ".join([*TRAININGS, *TURNS])
                raise ConfigError(f"there is no row {name!r}.", advice=f"Rows: {known}.")
            jobs.append((target, name))
    return jobs


def data_of(folder: Path, task: str, target: str) -> Any:
    from rehabcount.models.sources import jigsaws_gestures, jigsaws_primitives

    if target == GESTURES:
        return jigsaws_gestures(folder, task)
    return jigsaws_primitives(folder, task, gripper=target == PRIMITIVES)


def fold(
    folder: str, target: str, training: str, surgeon: str, settings: Mapping[str, Value], kept: str
) -> dict[str, Any]:
    """One training: sequences of the test surgeon's trials for every row that it serves. Runs in its own process.

    The networks' scores are kept in the folder `kept`: decoding them again costs seconds.
    """
    data = data_of(Path(folder), str(settings["task"]), target)
    epochs = int(settings["epochs" if target == GESTURES else "primitive_epochs"])
    spent_s: dict[str, float] = {}  # of every network that is heard, whoever trained it

    def scores_of(name: str, turn: int) -> dict[str, Any]:
        path = Path(kept) / f"{target}-{name}-{surgeon}-{turn}.npz"
        if not path.is_file():
            before = scores_of(READS[name], turn) if name in READS else None
            seeded = {**settings, "seed": int(settings["seed"]) + turn}
            found = trained_scores(split_for(data, surgeon, turn), name, epochs, seeded, before)
            with written_whole(path) as partial, partial.open("wb") as file:
                np.savez_compressed(file, allow_pickle=False, **found)
        with np.load(path, allow_pickle=False) as file:
            spent_s[path.name] = float(file["cpu_s"])
            return {key: file[key] for key in file.files}

    names = AVERAGED if training in TURNS else (training,)
    turns = [
        (split_for(data, surgeon, turn), averaged([scores_of(name, turn) for name in names]))
        for turn in range(TURNS.get(training, 1))
    ]
    frames_per_step = int(settings["frames_per_step"])
    rows = decoded(training, turns, frames_per_step, data.rate_hz / frames_per_step)
    if target != GESTURES:
        rows = {f"{target}: {row}": trials for row, trials in rows.items()}
    return {"surgeon": surgeon, "training": training, "cpu_s": spent_s, "rows": rows}


def split_for(data: Any, surgeon: str, turn: int) -> Any:
    """The trials with this surgeon's as the test; the next surgeon validates, in the next turn the one after that."""
    from rehabcount.models.data import with_splits

    surgeons = sorted({trial.subject for trial in data.trials})
    validating = surgeons[(surgeons.index(surgeon) + 1 + turn) % len(surgeons)]
    return with_splits(data, {each: {surgeon: "test", validating: "valid"}.get(each, "train") for each in surgeons})


def averaged(parts: Sequence[Mapping[str, Any]], tracks: tuple[str, ...] = ("/labels",)) -> Mapping[str, Any]:
    """Mean scores; whatever is not averaged is the first one's."""
    means = {name: np.mean([part[name] for part in parts], axis=0) for name in parts[0] if name.endswith(tracks)}
    return {**parts[0], **means}


def trained_scores(
    data: Any, training: str, epochs: int, settings: Mapping[str, Value], before: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Scores a frame of every trial, by a network that saw neither those of validation nor of the test.

    A network that writes sequences has no scores: its sequences are kept. `before`: scores that this training reads.
    """
    from rehabcount.models.seg2seq import with_probabilities
    from rehabcount.models.train import TrainSettings, estimates, train

    frames_per_step = int(settings["frames_per_step"])
    if before is not None:
        data = with_probabilities(data, frames_per_step, lambda trial: np.exp(before[f"{trial.name}/labels"]))
    common: dict[str, Any] = {"length_s": 60.0, "batch": 8, "learning_rate": 2e-3, "augment": "lively"}
    chosen = TrainSettings(
        epochs=epochs,
        frames_per_step=1 if before is not None else frames_per_step,
        seed=int(settings["seed"]),
        validate_every=5,
        bias_bound=float("inf"),  # five validation trials hold a rare gesture once: its bias says nothing
        **{**common, **TRAININGS[training]},
    )
    outcome = train(data, chosen)
    scores: dict[str, Any] = {"cpu_s": outcome.history[-1].cpu_s}
    for each, trial in zip(estimates(outcome.network, data.trials, outcome.spec), data.trials, strict=True):
        if before is not None:
            scores[f"{trial.name}/tokens"] = np.array([span.label for span in each.spans], np.int64)
            continue
        scores[f"{trial.name}/labels"] = each.log_probabilities
        if each.onset_logits is not None:
            scores[f"{trial.name}/onset"] = each.onset_logits
    return scores


def decoded(
    training: str, turns: Sequence[tuple[Any, Mapping[str, Any]]], frames_per_step: int, output_hz: float
) -> dict[str, list[dict[str, Any]]]:
    """The rows of one training, given data and scores of each turn: what the networks say, decoded in each way, with
    everything tuned on whoever validates."""
    from rehabcount.inference.spans import refined, spans_of
    from rehabcount.models import decoding
    from rehabcount.models.data import tokens_of
    from rehabcount.models.network import Estimate

    data, scores = turns[0][0], averaged([each for _, each in turns], ("/labels", "/onset"))
    if training in READS:
        written = [scores[f"{trial.name}/tokens"].tolist() for trial in data.of("test")]
        return {"Seg2seq": sequences_of(data, [[t for t in each if t in data.counted] for each in written])}

    def scored_of(trials: Iterable[Any], scores: Mapping[str, Any]) -> list[decoding.Scored]:
        return [
            decoding.Scored(
                Estimate((), scores[f"{trial.name}/labels"], scores.get(f"{trial.name}/onset")),
                tuple(tokens_of(trial, data.counted)),
            )
            for trial in trials
        ]

    valid = [scored for split, of_turn in turns for scored in scored_of(split.of("valid"), of_turn)]
    test = scored_of(data.of("test"), scores)
    raw: list[tuple[Any, Any]] = [(each.estimate.log_probabilities, each.estimate.onset_logits) for each in test]

    def by_durations(lag: int | None) -> list[list[int]]:
        # Weights are tried with the durations of whoever never validates, and used with those of all who are known.
        known = [trial for trial in data.trials if trial.split != "test"]
        validating = {trial.subject for split, _ in turns for trial in split.of("valid")}
        trying, using = (
            decoding.fit(trials, len(data.labels), frames_per_step, output_hz)
            for trials in ([trial for trial in known if trial.subject not in validating], known)
        )
        best = min(
            WEIGHT_CHOICES,
            key=lambda weights: decoding.score_of(valid, replace(trying, **weights), lag, data.counted).aer,
        )
        found = decoding.decode([each.estimate for each in test], replace(using, **best), lag)
        return [[o.label for o in onsets if o.label in data.counted] for onsets in found]

    def by_spans(spans: Iterable[Iterable[Any]]) -> list[list[int]]:
        return [[span.label for span in each if span.label in data.counted] for each in spans]

    if training in BY_DURATIONS:
        ways = {BY_DURATIONS[training]: by_durations(None)}
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
    return {row: sequences_of(data, sequences) for row, sequences in ways.items()}


def sequences_of(data: Any, estimates: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """The test trials with both sequences, in words."""
    from rehabcount.models.data import tokens_of

    return [
        {
            "trial": trial.name,
            "surgeon": trial.subject,
            "reference": [data.labels[token] for token in tokens_of(trial, data.counted)],
            "estimate": [data.labels[token] for token in tokens],
        }
        for trial, tokens in zip(data.of("test"), estimates, strict=True)
    ]


def by_smoothing(valid: list[Any], test: list[Any], output_hz: float, data: Any) -> list[list[int]]:
    """The smoothing window whose length does best on validation."""
    from rehabcount.inference.spans import smoothed, spans_of
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
            paper = PUBLISHED["Seg2seq"]
            claims += [
                Claim("Table 2, Jigsaws", f"best row, AER ({row})", paper[0], round(aer, 3), aer <= TARGET_AER),
                Claim("Table 2, Jigsaws", f"best row, edit ({row})", paper[1], round(edit, 1), edit >= TARGET_EDIT),
            ]
        if row == OURS and {trial["surgeon"] for trial in four} == set(FOUR_SURGEONS):
            few = _evaluate(four)
            aer, edit = float(few.aer()), float(few.edit_score())
            claims += [
                Claim("ED-TCN, four surgeons", f"AER ({row})", ED_TCN_AER, round(aer, 3), aer <= ED_TCN_AER),
                Claim("ED-TCN, four surgeons", f"edit score ({row})", ED_TCN_EDIT, round(edit, 2), edit >= ED_TCN_EDIT),
            ]
    of_hands = tuple(f"{target}: " for target in (PRIMITIVES, NO_GRIPPER))
    lengths = {row: len(trials) for row, trials in rows.items()}
    figures["trials"] = max((n for row, n in lengths.items() if not row.startswith(of_hands)), default=0)
    figures["trials of one hand"] = max((n for row, n in lengths.items() if row.startswith(of_hands)), default=0)
    figures["CPU s of all trainings"] = round(
        sum({k: s for found in folds for k, s in found["cpu_s"].items()}.values())
    )
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
    "two and a half hours on two free cores",
    run,
    {
        "task": "suturing",
        "rows": "offline,mstcn,asrf,stream,seg2seq,three,six",
        "primitive_rows": "offline",
        "epochs": 25,
        "primitive_epochs": 12,  # of twice as many trials
        "frames_per_step": 6,
        "seed": 7,
        "processes": 2,
    },
    "jigsaws",
)

"""JIGSAWS, Suturing: the sequence of gestures, or of primitives, by a network that was not trained on the surgeon.

Question: are our recognisers as good as the published ones, on real human movement and independent labels?

Protocol: leave one surgeon out. For each test surgeon the next one in the alphabet validates (epoch and decoder weights
are chosen there), the other six train. In a second turn the one after that validates and the first trains instead:
decoder weights are then chosen on twice as many trials, and the networks together are trained on all seven. The
decoder's durations and successions are those of all surgeons except the test surgeon. Sequences are scored over all
trials of all surgeons: AER pooled, edit score as the mean over trials, both with 95 % intervals from resampling
surgeons. Frames without a label are a class of their own (`none`): recognised, not scored. Of a test trial the network
gets only the motion.

Rows that share a training: `MS-TCN`, its smoothing window and its duration decoder are one network decoded in three
ways; `BiGRU + durations` is the bidirectional form of `stream`; `BiGRU, MS-TCN, ASRF + durations` averages the
log-probabilities of these three networks and decodes once, `ours, offline` those of both turns' three. `stream`
decides within its delay, once its columns are normalised, which is done over whole trials for all rows. `Seg2seq` reads
the probabilities of the fold's MS-TCN, also those on the trials that MS-TCN was trained on.

Primitives (grasp, release, touch, ...) are of each hand, in trials of their own; Idle is recognised, not scored. With
and without the gripper's opening, which a sensor on an arm does not measure.

Citation: Kaku et al., StrokeRehab, NeurIPS 2022 (Table 2, Jigsaws); four-surgeon figures are those of public ED-TCN
predictions (Lea et al. 2017), scored by us.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value
from rehabcount.errors import ConfigError
from rehabcount.inference.duration_hmm import DurationModel
from rehabcount.inference.spans import Span
from rehabcount.metrics.bootstrap import interval, weights
from rehabcount.metrics.edit import EditResult, evaluate
from rehabcount.models.data import TrainingSet, Trial
from rehabcount.models.torch_extra import require_torch
from rehabcount.store.private import written_whole

if TYPE_CHECKING:  # torch is loaded where it trains
    from rehabcount.models.decoding import Scored

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
WEIGHT_CHOICES = tuple(  # frame, onset, duration
    (frame, onset, duration)
    for frame in (0.25, 0.15, 0.4, 0.7, 1.0)
    for onset in (0.0, 0.2, 0.5)
    for duration in (0.5, 1.0)
)
SMOOTHING_S = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)


@dataclass(frozen=True, slots=True)
class OneTraining:
    """What a row's training has of its own; the names are those of TrainSettings."""

    network: str
    changes: dict[str, int | bool]
    durations: bool = False
    lag_s: float | None = None
    batch: int = 8
    learning_rate: float = 2e-3
    length_s: float = 60.0
    augment: str = "lively"


LAG_S, LOOKAHEAD = 0.4, 3  # of `stream`
TRAININGS = {
    "offline": OneTraining(
        "stream", {"stride": 1, "lookahead": 0, "bidirectional": True, "hidden": 96}, durations=True
    ),
    "stream": OneTraining("stream", {"stride": 1, "lookahead": LOOKAHEAD}, durations=True, lag_s=LAG_S),
    "mstcn": OneTraining("mstcn", {"layers": 7}),
    "asrf": OneTraining("asrf", {"layers": 7}),
    # Windows of 32 s: a gesture lasts several seconds.
    "seg2seq": OneTraining(
        "seg2seq",
        {"length": 160, "margin": 16, "max_tokens": 40},
        batch=32,
        learning_rate=1e-3,
        length_s=-1.0,
        augment="none",
    ),
}  # all with one output frame a step
READS = {"seg2seq": "mstcn"}  # trainings whose input is another one's output
GESTURES, PRIMITIVES, NO_GRIPPER = "gestures", "primitives", "primitives without gripper"
TARGETS = (GESTURES, PRIMITIVES, NO_GRIPPER)
AVERAGED = ("offline", "mstcn", "asrf")
TURNS = {"three": 1, "six": 2}  # rows that average those networks: how many surgeons validate, one after the other
BY_DURATIONS = {"offline": "BiGRU + durations", "three": "BiGRU, MS-TCN, ASRF + durations", "six": OURS}


@dataclass(frozen=True, slots=True)
class Sequences:
    """A test trial with both sequences, in words."""

    trial: str
    surgeon: str
    reference: tuple[str, ...]
    estimate: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """One training of one surgeon's turn, and the rows that it serves."""

    surgeon: str
    training: str
    cpu_s: dict[str, float]  # of every network that was used
    rows: dict[str, tuple[Sequences, ...]]


Scores = Mapping[str, NDArray[np.float64]]  # `trial/labels`, `trial/onset`, `trial/tokens`, and `cpu_s`


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

        def work(job: tuple[str, str, str]) -> Fold:
            nonlocal done
            found = context.step(
                Fold, " ".join(job), lambda: processes.submit(fold, str(folder), *job, chosen, kept).result()
            )
            done += 1
            context.on_progress(f"{job[0]}, {job[1]}, surgeon {job[2]}", done, len(jobs))
            return found

        # What others read or average is trained to the end first, so that no two jobs train the same network.
        folds = [
            found
            for waiting in (False, True)
            for found in threads.map(work, (j for j in jobs if waits(j[1]) == waiting))
        ]
    rows: dict[str, list[Sequences]] = {}
    for found in folds:
        for row, trials in found.rows.items():
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


def data_of(folder: Path, task: str, target: str) -> TrainingSet:
    from rehabcount.models.sources import jigsaws_gestures, jigsaws_primitives

    if target == GESTURES:
        return jigsaws_gestures(folder, task)
    return jigsaws_primitives(folder, task, gripper=target == PRIMITIVES)


def fold(folder: str, target: str, training: str, surgeon: str, settings: Mapping[str, Value], kept: str) -> Fold:
    """One training: sequences of the test surgeon's trials for every row that it serves. Runs in its own process.

    The networks' scores are kept in the folder `kept`: decoding them again costs seconds.
    """
    data = data_of(Path(folder), str(settings["task"]), target)
    epochs = int(settings["epochs" if target == GESTURES else "primitive_epochs"])
    spent_s: dict[str, float] = {}  # of every network that is used, also of kept ones

    def scores_of(name: str, turn: int) -> Scores:
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
    return Fold(surgeon, training, spent_s, rows)


def split_for(data: TrainingSet, surgeon: str, turn: int) -> TrainingSet:
    """The trials with this surgeon's as the test; the next surgeon validates, in the next turn the one after that."""
    from rehabcount.models.data import with_splits

    surgeons = sorted({trial.subject for trial in data.trials})
    validating = surgeons[(surgeons.index(surgeon) + 1 + turn) % len(surgeons)]
    return with_splits(data, {each: {surgeon: "test", validating: "valid"}.get(each, "train") for each in surgeons})


def averaged(parts: Sequence[Scores], tracks: tuple[str, ...] = ("/labels",)) -> Scores:
    """Mean scores; arrays that are not averaged are those of the first part."""
    means = {name: np.mean([part[name] for part in parts], axis=0) for name in parts[0] if name.endswith(tracks)}
    return {**parts[0], **means}


def trained_scores(
    data: TrainingSet, training: str, epochs: int, settings: Mapping[str, Value], before: Scores | None = None
) -> Scores:
    """Scores a frame of every trial, by a network that saw neither those of validation nor of the test.

    A network that writes sequences has no scores: its sequences are kept. `before`: scores that this training reads.
    """
    from rehabcount.models.seg2seq import with_probabilities
    from rehabcount.models.train import TrainSettings, estimates, train

    frames_per_step = int(settings["frames_per_step"])
    if before is not None:
        data = with_probabilities(data, frames_per_step, lambda trial: np.exp(before[f"{trial.name}/labels"]))
    own = TRAININGS[training]
    chosen = TrainSettings(
        own.network,
        epochs=epochs,
        frames_per_step=1 if before is not None else frames_per_step,
        seed=int(settings["seed"]),
        validate_every=5,
        bias_bound=float("inf"),  # five validation trials hold a rare gesture once: its bias is meaningless
    )
    chosen = replace(chosen, **asdict(own))
    outcome = train(data, chosen)
    scores = {"cpu_s": np.array(outcome.history[-1].cpu_s)}
    for each, trial in zip(estimates(outcome.network, data.trials, outcome.spec), data.trials, strict=True):
        if before is not None:
            scores[f"{trial.name}/tokens"] = np.array([span.label for span in each.spans], np.int64)
            continue
        assert each.log_probabilities is not None
        scores[f"{trial.name}/labels"] = each.log_probabilities
        if each.onset_logits is not None:
            scores[f"{trial.name}/onset"] = each.onset_logits
    return scores


def decoded(
    training: str, turns: Sequence[tuple[TrainingSet, Scores]], frames_per_step: int, output_hz: float
) -> dict[str, tuple[Sequences, ...]]:
    """The rows of one training, from data and scores of each turn: the networks' scores, decoded in each way. All
    choices are made on the validation surgeons."""
    from rehabcount.inference.spans import refined, spans_of
    from rehabcount.models import decoding
    from rehabcount.models.data import tokens_of
    from rehabcount.models.network import Estimate

    data, scores = turns[0][0], averaged([each for _, each in turns], ("/labels", "/onset"))
    if training in READS:
        written = [scores[f"{trial.name}/tokens"].tolist() for trial in data.of("test")]
        return {"Seg2seq": sequences_of(data, [[t for t in each if t in data.counted] for each in written])}

    def scored_of(trials: Iterable[Trial], scores: Scores) -> list[decoding.Scored]:
        return [
            decoding.Scored(
                Estimate((), scores[f"{trial.name}/labels"], scores.get(f"{trial.name}/onset")),
                tuple(tokens_of(trial, data.counted)),
            )
            for trial in trials
        ]

    valid = [scored for split, of_turn in turns for scored in scored_of(split.of("valid"), of_turn)]
    test = scored_of(data.of("test"), scores)
    labels = [scores[f"{trial.name}/labels"] for trial in data.of("test")]

    def by_durations(lag: int | None) -> list[list[int]]:
        # Weights are chosen with durations of surgeons who never validate, then used with those of all but the test
        # surgeon.
        known = [trial for trial in data.trials if trial.split != "test"]
        validating = {trial.subject for split, _ in turns for trial in split.of("valid")}
        trying, using = (
            decoding.fit(trials, len(data.labels), frames_per_step, output_hz)
            for trials in ([trial for trial in known if trial.subject not in validating], known)
        )
        best = min(
            WEIGHT_CHOICES,
            key=lambda weights: decoding.score_of(valid, weighted(trying, weights), lag, data.counted).aer,
        )
        found = decoding.decode([each.estimate for each in test], weighted(using, best), lag)
        return [[o.label for o in onsets if o.label in data.counted] for onsets in found]

    def by_spans(spans: Iterable[Iterable[Span]]) -> list[list[int]]:
        return [[span.label for span in each if span.label in data.counted] for each in spans]

    if training in BY_DURATIONS:
        ways = {BY_DURATIONS[training]: by_durations(None)}
    elif training == "stream":
        lag = round(LAG_S * output_hz)
        delay_s = (LOOKAHEAD + lag) / output_hz
        ways = {f"stream, delay {delay_s:.1f} s": by_durations(lag)}
    elif training == "mstcn":
        ways = {
            "MS-TCN": by_spans(spans_of(each.argmax(axis=1)) for each in labels),
            "MS-TCN + smoothing": by_smoothing(valid, test, output_hz, data),
            "MS-TCN + durations": by_durations(None),
        }
    else:
        borders = [1 / (1 + np.exp(-scores[f"{trial.name}/onset"])) for trial in data.of("test")]
        ways = {"ASRF": by_spans(refined(np.exp(a), b) for a, b in zip(labels, borders, strict=True))}
    return {row: sequences_of(data, sequences) for row, sequences in ways.items()}


def weighted(model: DurationModel, weights: tuple[float, float, float]) -> DurationModel:
    frame, onset, duration = weights
    return replace(model, frame_weight=frame, onset_weight=onset, duration_weight=duration)


def sequences_of(data: TrainingSet, estimates: Sequence[Sequence[int]]) -> tuple[Sequences, ...]:
    """The test trials with both sequences, in words."""
    from rehabcount.models.data import tokens_of

    return tuple(
        Sequences(
            trial.name,
            trial.subject,
            tuple(data.labels[token] for token in tokens_of(trial, data.counted)),
            tuple(data.labels[token] for token in tokens),
        )
        for trial, tokens in zip(data.of("test"), estimates, strict=True)
    )


def by_smoothing(valid: list[Scored], test: list[Scored], output_hz: float, data: TrainingSet) -> list[list[int]]:
    """The smoothing window whose length does best on validation."""
    from rehabcount.inference.spans import smoothed, spans_of
    from rehabcount.models.scoring import score

    def sequences(scored: list[Scored], length_s: float) -> list[list[int]]:
        length = max(1, round(length_s * output_hz))
        scores = [each.estimate.log_probabilities for each in scored]
        tracks = (smoothed(np.exp(each), length, 3.0) for each in scores if each is not None)
        spans = (spans_of(track.argmax(axis=1)) for track in tracks)
        return [[span.label for span in each if span.label in data.counted] for each in spans]

    reference = [each.reference for each in valid]
    best = min(SMOOTHING_S, key=lambda length: score(reference, sequences(valid, length), len(data.labels)).aer)
    return sequences(test, best)


def summary(rows: Mapping[str, Sequence[Sequences]], folds: Sequence[Fold]) -> Results:
    """Scores with intervals, over all surgeons and over the four of the public predictions."""
    claims, figures = [], dict[str, FigureValue]()
    for row, trials in rows.items():
        every = _evaluate(trials)
        aer, edit = float(every.aer()), float(every.edit_score())
        resampled = weights(len(trials), replicates=REPLICATES, seed=1, groups=[trial.surgeon for trial in trials])
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
        four = [trial for trial in trials if trial.surgeon in FOUR_SURGEONS]
        if row == OURS:
            paper = PUBLISHED["Seg2seq"]
            claims += [
                Claim("Table 2, Jigsaws", f"best row, AER ({row})", paper[0], round(aer, 3), aer <= TARGET_AER),
                Claim("Table 2, Jigsaws", f"best row, edit ({row})", paper[1], round(edit, 1), edit >= TARGET_EDIT),
            ]
        if row == OURS and {trial.surgeon for trial in four} == set(FOUR_SURGEONS):
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
    figures["CPU s of all trainings"] = round(sum({k: s for found in folds for k, s in found.cpu_s.items()}.values()))
    return Results(tuple(claims), figures)


def _evaluate(trials: Sequence[Sequences]) -> EditResult:
    return evaluate(
        [trial.reference for trial in trials],
        [trial.estimate for trial in trials],
        subjects=[trial.surgeon for trial in trials],
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

"""The scores of a card: on each group of test people, with each rig, and outside of exercise.

In: a recogniser (a checkpoint with its decoder, or a stream artifact as the bedside runs it) and a set with test
trials. Out: `ScoresReport`, whose `scores` go into the card; `keep` and `read_scores` keep it beside the checkpoint.

Groups are the first part of a trial's name (`severe/S45_drinking_right_1`). Rigs are made by taking the columns of the
sensors that a smaller rig lacks; `one lost` takes one of all sensors from each trial, in turn, from its first frame on.
Eight test people leave a count bias uncertain by several per cent: stroke patients of further sets narrow that down.
Whole sessions stand apart from single activities. A false count is a counted movement whose middle lies in time
labelled with a label that is not counted (`other`): between the exercises.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rehabcount.domain.document import from_document, to_document
from rehabcount.domain.labels import IDLE
from rehabcount.errors import CardInvalid, ConfigError, DatasetMissing
from rehabcount.inference.card import Kind, MeasuredScore
from rehabcount.inference.runtime import Model
from rehabcount.metrics.agreement import false_per_hour
from rehabcount.metrics.bootstrap import interval, paired, weights
from rehabcount.metrics.edit import EditResult, evaluate
from rehabcount.models.data import Mask, Rows, TrainingSet, Trial, is_session, tokens_of

REPLICATES = 1000
FURTHER = "further"  # stroke patients of other sets
GROUP_NAMES = {FURTHER: "further stroke", "test": "stroke", "severe": "severe", "healthy-test": "healthy"}
RIG_NAMES = {9: "nine", 5: "five", 3: "three", 1: "one"}
LOST = "one lost"
FILE = "scores.json"
PIECE = 1000  # rows that a stream artifact gets at once; the result does not depend on it

Found = list[tuple[int, float]]  # (label, start in s), in order
Recogniser = Callable[[Rows, Mask], Found]


@dataclass(frozen=True, slots=True)
class ScoresReport:
    name: str  # of the data
    people: int
    scores: tuple[MeasuredScore, ...]


def checkpoint_recogniser(path: Path) -> Recogniser:
    """A trained network with the decoder that was tuned for it."""
    from rehabcount.inference.inputs import model_input
    from rehabcount.models.decoding import decode
    from rehabcount.models.train import output_frames
    from rehabcount.models.trained import load_trained, read_decoder

    trained = load_trained(path)
    rule = read_decoder(path.parent)
    if trained.settings.durations and rule is None:
        raise CardInvalid(f"{path.parent} has no decoder.json.", advice="Let the training finish: run it again.")
    decoder = rule.model() if rule is not None else None
    lag = rule.lag_frames if rule is not None else None
    frame_s = output_frames(trained.network, trained.spec) / float(trained.about["data"]["rate_hz"])

    def recognise(rows: Rows, valid: Mask) -> Found:
        estimate = trained.network.estimate(model_input(rows, valid, trained.spec))
        if decoder is None:
            return [(span.label, span.start * frame_s) for span in estimate.spans]
        return [(onset.label, onset.frame * frame_s) for onset in decode([estimate], decoder, lag)[0]]

    return recognise


def artifact_recogniser(model: Model) -> Recogniser:
    """A stream artifact, run as at the bedside."""
    if model.card.kind is not Kind.STREAM:
        raise ConfigError(
            f"model {model.card.name} is of kind {model.card.kind}; only a stream is scored as it is.",
            advice="Give the checkpoint that it was exported from.",
        )

    def recognise(rows: Rows, valid: Mask) -> Found:
        session = model.start()
        settled = []
        for start in range(0, len(rows), PIECE):
            settled += session.push(rows[start : start + PIECE].astype(float), valid[start : start + PIECE])
        settled += session.finish()
        return [(model.card.labels.index(each.label), each.start_s) for each in settled]

    return recognise


def rigs_of(data: TrainingSet) -> dict[str, tuple[int, ...] | None]:
    """Rig -> sensors that it has; None: one sensor is lost. A set without sensor information has one rig."""
    number = len(data.sensors.columns)
    if not number:
        return {"all columns": ()}
    rigs: dict[str, tuple[int, ...] | None] = {RIG_NAMES.get(number, str(number)): tuple(range(number))}
    for kept in data.sensors.rigs:
        name = RIG_NAMES.get(len(kept), str(len(kept)))
        rigs[f"{name} ({', '.join(data.sensors.names[i] for i in kept)})" if name in rigs else name] = kept
    return {**rigs, LOST: None}


def worn(data: TrainingSet, valid: Mask, rig: tuple[int, ...] | None, number: int) -> Mask:
    """The part of a trial that this rig measures; `number` decides which sensor is lost."""
    sensors = data.sensors.columns
    if not sensors:
        return valid
    gone = [number % len(sensors)] if rig is None else sorted(set(range(len(sensors))) - set(rig))
    if not gone:
        return valid
    valid = np.array(valid)
    for sensor in gone:
        valid[:, list(sensors[sensor])] = False
    return valid


def measure(
    data: TrainingSet,
    recognise: Recogniser,
    *,
    every: int = 1,
    further: Sequence[TrainingSet] = (),
    on_progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> ScoresReport:
    """All scores; with `every` > 1 only one in so many single activities of each group, drawn by lot. Of the sets
    `further` the stroke patients among the test people, with all sensors."""
    groups: dict[str, list[Trial]] = {}
    for trial in data.of("test"):
        groups.setdefault(trial.name.split("/")[0] if "/" in trial.name else "test", []).append(trial)
    if not groups:
        raise DatasetMissing(f"{data.name} has no test trials.", advice="Give a set with a test split.")
    activities = {name: some([t for t in trials if not is_session(t)], every) for name, trials in groups.items()}
    sessions = {name: [t for t in trials if is_session(t)] for name, trials in groups.items()}
    rigs = rigs_of(data)
    total = sum(len(trials) for trials in activities.values()) * len(rigs) + sum(map(len, sessions.values()))
    todo = [(group, trials, rigs) for group, trials in activities.items() if trials]
    if further:
        others = [
            replace(trial, subject=f"{trial.subject} ({number})")
            for number, each in enumerate(further, start=2)
            for trial in each.of("test")
            if trial.name.startswith("test/") and not is_session(trial)
        ]
        if not others:
            raise DatasetMissing(
                f"{further[0].name} has no stroke patients to test on.",
                advice="Make one: rehabcount simulate --training DIR --subjects test --seed 3.",
            )
        todo.append((FURTHER, others, dict([next(iter(rigs.items()))])))
        total += len(others)
    done, scores = 0, list[MeasuredScore]()
    for group, trials, worn_rigs in todo:
        who = describe(data, group, trials)
        subjects = [trial.subject for trial in trials]
        resampled = weights(len(trials), replicates=REPLICATES, seed=1, groups=subjects)
        whole: EditResult | None = None
        for rig, kept in worn_rigs.items():
            estimates = []
            for number, trial in enumerate(trials):
                found = recognise(trial.rows, worn(data, trial.valid, kept, number))
                estimates.append([label for label, _ in found if label in data.counted])
                done += 1
                on_progress(f"{GROUP_NAMES.get(group, group)}, {rig}", done, total)
            result = evaluate([tokens_of(trial, data.counted) for trial in trials], estimates, subjects=subjects)
            on = f"{who}, {rig} sensor{'s' if rig not in ('one', LOST) else ''}"
            scores += of_result(result, data.labels, resampled, on, whole)
            whole = whole or result
    for group, trials in sessions.items():
        if trials:
            found_all = []
            for trial in trials:
                found_all.append(recognise(trial.rows, np.asarray(trial.valid)))
                done += 1
                on_progress(f"{GROUP_NAMES.get(group, group)}, whole sessions", done, total)
            scores += of_sessions(data, trials, found_all, describe(data, group, trials))
    people = {trial.subject for trials in [*groups.values(), *(trials for _, trials, _ in todo)] for trial in trials}
    return ScoresReport(data.name, len(people), tuple(scores))


def some(trials: list[Trial], every: int) -> list[Trial]:
    """One in `every`, drawn by lot: a fixed step would meet the same activities of every person again and again."""
    order = np.random.default_rng(1).permutation(len(trials))
    return [trials[i] for i in sorted(order[: -(-len(trials) // every)])]


def describe(data: TrainingSet, group: str, trials: Sequence[Trial]) -> str:
    who = GROUP_NAMES.get(group, group)
    people = len({trial.subject for trial in trials})
    prefix = "simulated " if data.evidence == "simulated" else ""
    return f"{prefix}{who} test set ({people} people)"


def of_result(
    result: EditResult, labels: Sequence[str], resampled: Any, on: str, whole: EditResult | None
) -> list[MeasuredScore]:
    """AER, edit score, counts; and against the whole rig, where this is a smaller one."""
    replicates = result.aer(weights=resampled)
    found = [_scored("AER", float(result.aer()), interval(replicates), on)]
    if whole is not None:
        difference = paired(whole.aer(weights=resampled), replicates)
        gap = float(result.aer() - whole.aer())
        found.append(_scored("AER above that of all sensors", gap, difference, on))
    else:
        found.append(
            _scored("edit score", float(result.edit_score()), interval(result.edit_score(weights=resampled)), on)
        )
    true, said = result.reference_counts, result.estimate_counts
    ratios = (resampled @ said.sum(axis=1)) / np.maximum(resampled @ true.sum(axis=1), 1)
    found.append(_scored("counted / true", float(said.sum() / max(1, true.sum())), interval(ratios), on))
    if whole is None:
        for column, label in enumerate(result.labels):
            number = true[:, column].sum()
            if number:
                spread = (resampled @ said[:, column]) / np.maximum(resampled @ true[:, column], 1) - 1
                bias = float(said[:, column].sum() / number - 1)
                found.append(_scored(f"count bias of {labels[int(str(label))]}", bias, interval(spread), on))
    return found


def of_sessions(data: TrainingSet, trials: Sequence[Trial], found: Sequence[Found], who: str) -> list[MeasuredScore]:
    """AER over whole sessions, and counts an hour in the time between exercises."""
    on = f"whole sessions, {who}"
    sequences = [[label for label, _ in each if label in data.counted] for each in found]
    subjects = [trial.subject for trial in trials]
    result = evaluate([tokens_of(trial, data.counted) for trial in trials], sequences, subjects=subjects)
    resampled = weights(len(trials), replicates=REPLICATES, seed=1, groups=subjects)
    scores = [_scored("AER", float(result.aer()), interval(result.aer(weights=resampled)), on)]
    false, out_s = 0, 0.0
    for trial, each in zip(trials, found, strict=True):
        wrong, seconds = false_counts(data, trial, each)
        false, out_s = false + wrong, out_s + seconds
    if out_s == 0:  # sessions without a pause, or labelled in exercise only: there is no rate, and JSON has no NaN
        return scores
    rate = false_per_hour(false, out_s / 3600)
    hours = f"{on}, {out_s / 3600:.2f} h out of task"
    scores.append(MeasuredScore("false counts an hour out of task", rate.value, rate.low, rate.high, hours))
    return scores


def false_counts(data: TrainingSet, trial: Trial, found: Found) -> tuple[int, float]:
    """Counted movements whose middle lies out of task, and the seconds that are out of task.

    `idle` is kept as time and never as a count, so an idle stretch is no false count.
    """
    shown = [i for i in data.counted if data.labels[i] != IDLE.name]
    out = np.array([label not in data.counted for label in range(len(data.labels))])
    outside = (trial.labels >= 0) & out[np.maximum(trial.labels, 0)]
    ends = [start for _, start in found[1:]] + [len(trial) / data.rate_hz]
    wrong = 0
    for (label, start), end in zip(found, ends, strict=True):
        middle = min(int((start + end) / 2 * data.rate_hz), len(trial) - 1)
        wrong += label in shown and bool(outside[middle])
    return wrong, float(outside.sum() / data.rate_hz)


def _scored(metric: str, value: float, spread: Any, on: str) -> MeasuredScore:
    known = [None if np.isnan(bound) else round(float(bound), 4) for bound in (spread.low, spread.high)]
    return MeasuredScore(metric, round(value, 4), known[0], known[1], on)


BIAS = "count bias of "


def table(scores: Sequence[MeasuredScore]) -> list[list[str]]:
    """For reading: a header, then one row for each group and rig, a cell for each metric, the label counted worst."""
    plain = [name for name in dict.fromkeys(each.metric for each in scores) if not name.startswith(BIAS)]
    rows = [["on", *plain, "largest count bias"]]
    for on in dict.fromkeys(each.on for each in scores):
        here = {each.metric: each for each in scores if each.on == on}
        biases = [each for each in here.values() if each.metric.startswith(BIAS)]
        worst = max(biases, key=lambda each: abs(each.value), default=None)
        said = f"{worst.metric.removeprefix(BIAS)} {worst.value:+.1%}" if worst is not None else ""
        if worst is not None and worst.low is not None and worst.high is not None:
            said += f" ({worst.low:+.1%} to {worst.high:+.1%})"
        rows.append([on, *(_cell(here.get(name)) for name in plain), said])
    return rows


def _cell(score: MeasuredScore | None) -> str:
    if score is None:
        return ""
    digits = 1 if abs(score.value) >= 10 else 3
    spread = f" ({score.low:.{digits}f} to {score.high:.{digits}f})" if None not in (score.low, score.high) else ""
    return f"{score.value:.{digits}f}{spread}"


def keep(folder: Path, report: ScoresReport) -> Path:
    """Write scores.json beside a checkpoint."""
    path = folder / FILE
    path.write_text(json.dumps(to_document(report), indent=1) + "\n", encoding="utf-8")
    return path


def forget(folder: Path) -> None:
    """Remove scores.json, because the model that it measured has changed."""
    (folder / FILE).unlink(missing_ok=True)


def read_scores(folder: Path) -> ScoresReport | None:
    """The scores that `keep` wrote; None if there are none."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        return from_document(ScoresReport, json.loads(path.read_text(encoding="utf-8")), FILE)
    except ValueError as problem:
        advice = "Measure again: rehabcount models score."
        raise CardInvalid(f"{path} does not hold scores: {problem}.", advice=advice) from problem

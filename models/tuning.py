"""After training: tune the decoder on validation, score it, and keep both beside the checkpoint.

decoder.json   the decoding rule that goes into the card (networks that are decoded with durations)
results.json   settings, history, chosen epoch, scores on validation and test, and the curve of AER and count bias
               against delay
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rehabcount.domain.document import from_document, to_document
from rehabcount.errors import ConfigError, ModelMismatch
from rehabcount.inference.card import Decoding, MeasuredScore
from rehabcount.inference.duration_hmm import DurationModel
from rehabcount.metrics.bootstrap import interval, weights
from rehabcount.metrics.edit import evaluate
from rehabcount.models import decoding
from rehabcount.models.card_scores import rigs_of, worn
from rehabcount.models.data import TrainingSet, Trial, is_session, kind_of, tokens_of
from rehabcount.models.scoring import Score, score
from rehabcount.models.train import Epoch, Outcome, TrainSettings, chosen_of, estimates, lag_frames, output_frames
from rehabcount.models.trained import load_trained

T = TypeVar("T")

REPLICATES = 1000
TUNED_H = 9.0  # of validation, for the decoder's weights: from less of it they come out by chance
LEAST_KIND_H = 0.2  # of a kind of recording that has a say of its own
SETTLED_WITHIN = 0.01  # count bias that the decoder's bonuses leave; what other people add comes on top
DELAYS_S = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.6)  # of the curve; a delay shorter than the look-ahead has no point on it


@dataclass(frozen=True, slots=True)
class Finished:
    decoder: DurationModel | None
    lag: int | None
    valid: Score
    test: Score | None
    intervals: dict[str, tuple[float, float]]  # of AER and edit score on test, from resampling its subjects
    curve: tuple[tuple[float, Score], ...]  # (delay in s, score on validation)


def finish(data: TrainingSet, outcome: Outcome, settings: TrainSettings) -> Finished:
    """Everything is chosen on validation; the test split is scored once, at the end."""
    scored = {split: scored_of(data, outcome, data.of(split)) for split in ("valid", "test")}
    reference = {split: [each.reference for each in found] for split, found in scored.items()}
    if not settings.durations:
        spans = {
            split: [[span.label for span in each.estimate.spans if span.label in data.counted] for each in found]
            for split, found in scored.items()
        }
        valid, tested = (score(reference[split], spans[split], len(data.labels)) for split in ("valid", "test"))
        return Finished(
            None, None, valid, tested if scored["test"] else None, intervals(data, reference["test"], spans["test"]), ()
        )
    output_hz = data.rate_hz / output_frames(outcome.network, outcome.spec)
    lag = lag_frames(settings, output_hz)
    excluded = [label for label in range(len(data.labels)) if label not in data.counted]
    model = replace(outcome.durations, false_starts=decoding.false_starts(outcome.durations, excluded))
    if scored["valid"]:
        patients = exercise(data.of("valid"))
        rigged = scored_of(data, outcome, with_smaller_rigs(data, patients))
        paused = [trial for trial in data.of("valid") if is_session(trial)]
        bare = scored_of(data, outcome, with_smaller_rigs(data, some(paused, TUNED_H / 4 * 3600 * data.rate_hz, len)))
        kinds = [*by_kind(data.of("valid"), scored["valid"]).values(), rigged, bare]
        drawn = drawn_of(kinds, TUNED_H * 3600 * output_hz, LEAST_KIND_H * 3600 * output_hz)
        model = decoding.tune(drawn, model, lag, data.counted)
        model = decoding.price_uncounted(drawn, model, lag, data.counted)
        names = {trial.name for trial in patients}
        unrigged = [each for each, trial in zip(scored["valid"], data.of("valid"), strict=True) if trial.name in names]
        settled_on = [*unrigged, *rigged]
        model = decoding.settle_bias(settled_on, model, lag, data.counted, bound=SETTLED_WITHIN)
        # Once more, with the bonuses: without them transitions seemed to deserve less trust than they do.
        model = decoding.tune(drawn, model, lag, data.counted, rounds=1)
        model = decoding.settle_bias(settled_on, model, lag, data.counted, bound=SETTLED_WITHIN)
    curve = []
    lookahead = int(getattr(outcome.network.settings, "lookahead", 0))
    for delay_s in DELAYS_S if scored["valid"] else ():
        frames = round(delay_s * output_hz) - lookahead
        if frames >= 1:
            curve.append((delay_s, decoding.score_of(scored["valid"], model, frames, data.counted)))
    valid = decoding.score_of(scored["valid"], model, lag, data.counted)
    found = decoding.decode([each.estimate for each in scored["test"]], model, lag)
    sequences = [[onset.label for onset in onsets if onset.label in data.counted] for onsets in found]
    test = score(reference["test"], sequences, len(data.labels)) if scored["test"] else None
    return Finished(model, lag, valid, test, intervals(data, reference["test"], sequences), tuple(curve))


def scored_of(data: TrainingSet, outcome: Outcome, trials: Sequence[Trial]) -> list[decoding.Scored]:
    found = estimates(outcome.network, trials, outcome.spec)
    return [
        decoding.Scored(each, tuple(tokens_of(trial, data.counted))) for each, trial in zip(found, trials, strict=True)
    ]


def exercise(trials: Sequence[Trial]) -> list[Trial]:
    """The validation trials in which patients exercise, if any: their counts must be right on average.

    Healthy people and people between exercises pause less, so a bonus that fits all trials together fits no group."""
    found = [trial for trial in trials if not trial.name.startswith("healthy") and not is_session(trial)]
    return found or list(trials)


def with_smaller_rigs(data: TrainingSet, trials: Sequence[Trial]) -> list[Trial]:
    """Each trial as one of the smaller rigs would have measured it, in turn; none where the sensors are not known."""
    rigs = list(rigs_of(data).values())[1:]
    return [
        replace(trial, valid=worn(data, trial.valid, rigs[number % len(rigs)], number))
        for number, trial in enumerate(trials if rigs else ())
    ]


def again(path: Path, data: TrainingSet) -> tuple[TrainSettings, Outcome]:
    """What training gave, from its checkpoint; `data` holds the sets that it was trained on, and maybe more people to
    validate on."""
    trained = load_trained(path)
    if not trained.settings.durations:
        raise ConfigError(
            f"{trained.settings.network} has no decoder to settle.", advice="Give the checkpoint of a stream."
        )
    if not data.name.startswith(trained.about["data"]["name"]):
        raise ModelMismatch(
            f"{path} was trained on {trained.about['data']['name']}, not on {data.name}.",
            advice="Give --data and --also as in training.",
        )
    output = output_frames(trained.network, trained.spec)
    durations = decoding.fit(data.of("train"), len(data.labels), output, data.rate_hz / output)
    history = tuple(from_document(Epoch, each) for each in trained.about["history"])
    chosen, unbiased = chosen_of(history, trained.settings)
    return trained.settings, Outcome(trained.network, trained.spec, durations, history, chosen, unbiased)


def by_kind(trials: Sequence[Trial], scored: Sequence[decoding.Scored]) -> dict[str, list[decoding.Scored]]:
    """Whole sessions, made-up exercises, single activities: a decoder that fits all movements together fits the most
    frequent kind, and sessions lose by it."""
    found: dict[str, list[decoding.Scored]] = {}
    for trial, each in zip(trials, scored, strict=True):
        found.setdefault(kind_of(trial), []).append(each)
    return found


def drawn_of(
    kinds: Sequence[Sequence[decoding.Scored]], most_frames: float, least_frames: float
) -> list[list[decoding.Scored]]:
    """Each kind, drawn by lot down to its share of the frames. What is too little for its own say joins another."""
    large = [list(each) for each in kinds if sum(map(frames_of, each)) >= least_frames]
    small = [scored for each in kinds if sum(map(frames_of, each)) < least_frames for scored in each]
    large = [[*large[0], *small], *large[1:]] if large else [small]
    return [some(each, most_frames / len(large), frames_of) for each in large]


def frames_of(scored: decoding.Scored) -> int:
    return 0 if (each := scored.estimate.log_probabilities) is None else len(each)


def some(items: Sequence[T], most: float, length: Callable[[T], int]) -> list[T]:
    """Drawn by lot until their lengths are enough; in their order."""
    order = np.random.default_rng(1).permutation(len(items))
    enough = int(np.searchsorted(np.cumsum([length(items[i]) for i in order]), most)) + 1
    return [items[i] for i in sorted(order[:enough])]


def intervals(
    data: TrainingSet, reference: Sequence[Sequence[int]], estimate: Sequence[Sequence[int]]
) -> dict[str, tuple[float, float]]:
    """95 % intervals over the subjects of the test split; none where there is one subject or none."""
    subjects = [trial.subject for trial in data.of("test")]
    if len(set(subjects)) < 2:
        return {}
    result = evaluate(reference, estimate, subjects=subjects)
    resampled = weights(len(subjects), replicates=REPLICATES, groups=subjects)
    found = {
        "aer": interval(result.aer(weights=resampled)),
        "edit_score": interval(result.edit_score(weights=resampled)),
    }
    return {name: (each.low, each.high) for name, each in found.items()}


def keep(folder: Path, settings: TrainSettings, outcome: Outcome, finished: Finished) -> dict[str, Any]:
    """Write decoder.json and results.json; the document of the latter is returned."""
    if finished.decoder is not None and finished.lag is not None:
        rule = Decoding.of(finished.decoder, finished.lag)
        (folder / "decoder.json").write_text(json.dumps(to_document(rule)), encoding="utf-8")
    document = {
        "settings": to_document(settings),
        "history": [to_document(each) for each in outcome.history],
        "chosen": to_document(outcome.chosen) if outcome.chosen is not None else None,
        "count bias within bound": outcome.unbiased,
        "valid": to_document(finished.valid),
        "test": to_document(finished.test) if finished.test is not None else None,
        "test intervals": {name: list(each) for name, each in finished.intervals.items()},
        "curve": [{"delay_s": delay_s, **to_document(point)} for delay_s, point in finished.curve],
    }
    (folder / "results.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return document


def measured(folder: Path, on: str) -> tuple[MeasuredScore, ...]:
    """The scores of the test split in results.json, in the form of a card; empty if nothing was tested."""
    path = folder / "results.json"
    document = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    test = document.get("test")
    if not test:
        return ()
    spread = document["test intervals"]
    biases = [abs(bias) for bias in test["bias"] if bias is not None]
    found = []
    for metric, key in (("AER", "aer"), ("edit score", "edit_score")):
        low, high = spread.get(key, (None, None))
        found.append(MeasuredScore(metric, test[key], low, high, on))
    found.append(MeasuredScore("largest count bias of a label", max(biases, default=0.0), None, None, on))
    return tuple(found)

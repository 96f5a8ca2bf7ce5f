"""Fitting the duration decoder: which movement follows which, how long each lasts, and how much to trust the network.

`fit` counts in the references of training trials; `false_starts` are successions of a counted and an uncounted movement
that do not occur there. `tune` tries weights on validation scores, `price_uncounted` finds the cost of an `other`, and
`settle_bias` changes the count bonus of each label until estimated and true numbers agree on validation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rehabcount.inference.duration_hmm import DurationModel, Onset, decode_all, decode_many
from rehabcount.models.batches import steps_of
from rehabcount.models.data import UNKNOWN, Trial
from rehabcount.models.network import Array, Estimate
from rehabcount.models.scoring import Score, score

FOLLOW_PRIOR = 0.1  # pseudo-counts a row: a transition never seen costs, but is not impossible
LONGEST_S = 12.0  # durations beyond are one tail
SPREAD = 0.25  # kernel width of log duration: durations of movements spread by about that factor
FLAT_SHARE = 0.02  # of a duration density that favours nothing
FIRST_MOVE = 0.5  # of a count bonus, in units of log-probability
CHANCE = 0.3  # of the deviation by chance of a count, which is its root
LEAP = 0.3  # of a count bias by one move: too far
PRICES = (15.0, 10.0, 8.0, 6.0, 4.0, 2.0)  # of a movement that is not counted, in units of log-probability
DEAREST = 0.001  # AER on validation that such a price may cost
NEVER = 0.002  # share of the successors of a movement; rarer ones count as never
IMPOSSIBLE = -30.0  # log-probability
SHARE_OF_SELF = 0.02  # chance kept for a label to follow itself even where training never saw it


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of one trial and its reference sequence."""

    estimate: Estimate
    reference: tuple[int, ...]


def movements_of(trial: Trial, frames_per_output: int) -> list[tuple[int, int]]:
    """(label, length in output frames) of every labelled movement."""
    labels, onsets = steps_of(trial.labels, trial.onsets, frames_per_output)
    starts = np.flatnonzero(onsets)
    lengths = np.diff([*starts, len(labels)])
    return [(int(labels[s]), int(n)) for s, n in zip(starts, lengths, strict=True) if labels[s] != UNKNOWN]


def fit(
    trials: Sequence[Trial], labels: int, frames_per_output: int, output_hz: float, *, repeats: bool = True
) -> DurationModel:
    """A model with all weights 1 and no bias; without `repeats` no label follows itself."""
    longest = max(2, round(LONGEST_S * output_hz))
    start, follow = np.full(labels, FOLLOW_PRIOR), np.full((labels, labels), FOLLOW_PRIOR)
    lengths: list[list[int]] = [[] for _ in range(labels)]
    for trial in trials:
        movements = movements_of(trial, frames_per_output)
        for i, (label, length) in enumerate(movements):
            lengths[label].append(length)
            if i == 0:
                start[label] += 1
            else:
                follow[movements[i - 1][0], label] += 1
    # A label that training never saw starting may still be the first one at the bedside.
    start = 0.9 * start / start.sum() + 0.1 / labels
    follow /= follow.sum(axis=1, keepdims=True)
    follow = (1 - SHARE_OF_SELF) * follow + SHARE_OF_SELF * np.eye(labels)
    log_follow = np.log(follow) if repeats else np.where(np.eye(labels, dtype=bool), IMPOSSIBLE, np.log(follow))
    everything = [length for each in lengths for length in each]
    density = np.stack([_density(each or everything, longest) for each in lengths])
    return DurationModel(np.log(start), log_follow, np.log(density), np.zeros(labels))


def _density(lengths: Sequence[int], longest: int) -> Array:
    """Chance of each duration 1..longest (the last: or longer): kernels on a log scale."""
    grid = np.log(np.arange(1, longest + 1))
    centres = np.log(np.minimum(np.maximum(lengths, 1), longest)) if lengths else np.log([longest / 4])
    kernel = np.exp(-0.5 * ((grid[:, None] - centres[None, :]) / SPREAD) ** 2) / np.exp(grid)[:, None]
    density = kernel.sum(axis=1)
    return (1 - FLAT_SHARE) * density / density.sum() + FLAT_SHARE / longest


def decode(estimates: Sequence[Estimate], model: DurationModel, lag: int | None) -> list[list[Onset]]:
    """With a lag as at the bedside, or (None) with the whole trial seen first."""
    scores = []
    for each in estimates:
        assert each.log_probabilities is not None
        onset = each.onset_logits if each.onset_logits is not None else np.zeros(len(each.log_probabilities))
        scores.append((each.log_probabilities, onset))
    return [decode_all(*each, model) for each in scores] if lag is None else decode_many(scores, model, lag)


def false_starts(model: DurationModel, excluded: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Which movement is never followed by which excluded label in training."""
    chance = np.exp(model.follow)
    counted = [label for label in range(model.labels) if label not in excluded]
    return tuple((a, b) for a in counted for b in excluded if chance[a, b] < NEVER)


def score_of(scored: Sequence[Scored], model: DurationModel, lag: int | None, counted: Sequence[int]) -> Score:
    found = decode([each.estimate for each in scored], model, lag)
    estimates = [[onset.label for onset in onsets if onset.label in counted] for onsets in found]
    return score([each.reference for each in scored], estimates, model.labels)


WEIGHTS: dict[str, tuple[float, ...]] = {
    "onset_spread": (0, 1, 2, 3),
    "frame_weight": (0.15, 0.3, 0.5, 0.75, 1.0),
    "onset_weight": (0.0, 0.25, 0.5, 1.0, 1.5),
    "transition_weight": (0.5, 1.0, 1.5, 2.0),
    "duration_weight": (0.5, 1.0, 1.5),
}


def mean_aer(kinds: Sequence[Sequence[Scored]], model: DurationModel, lag: int | None, counted: Sequence[int]) -> float:
    """The AER of each kind of recording, averaged: each has the same say, however many movements it has."""
    return float(np.mean([score_of(each, model, lag, counted).aer for each in kinds]))


def tune(
    kinds: Sequence[Sequence[Scored]],
    model: DurationModel,
    lag: int | None,
    counted: Sequence[int],
    *,
    rounds: int = 2,
    on_aer: Callable[[str, float], None] = lambda what, aer: None,
) -> DurationModel:
    """Weights one after the other, each at its best mean AER on validation; a tie keeps what there was."""
    best = mean_aer(kinds, model, lag, counted)
    for _ in range(rounds):
        before = model
        for name, values in WEIGHTS.items():
            for value in values:
                change: dict[str, Any] = {name: value}
                tried = replace(model, **change)
                found = mean_aer(kinds, tried, lag, counted)
                if found < best - 1e-9:
                    best, model = found, tried
            on_aer(name, best)
        if model is before:
            break
    return model


def price_uncounted(
    kinds: Sequence[Sequence[Scored]], model: DurationModel, lag: int | None, counted: Sequence[int]
) -> DurationModel:
    """The highest cost for an uncounted movement at which validation has hardly more errors than without a cost.

    Networks are surer of simulated pauses than of real ones. A short `other` amid exercise with a probability of about
    a half is more often an unusual movement. A real pause is long, so its frames outweigh the cost."""
    excluded = [label for label in range(model.labels) if label not in counted]
    if not excluded:
        return model
    free = mean_aer(kinds, model, lag, counted)
    for price in PRICES:
        bias = np.array(model.count_bias)
        bias[excluded] = -price
        tried = replace(model, count_bias=bias)
        if mean_aer(kinds, tried, lag, counted) <= free + DEAREST:
            return tried
    return model


def settle_bias(
    scored: Sequence[Scored],
    model: DurationModel,
    lag: int | None,
    counted: Sequence[int],
    *,
    bound: float = 0.03,
    rounds: int = 25,
) -> DurationModel:
    """Each label's bonus moved against its count bias until all are within `bound`; gives the best model met.

    A count depends on its bonus in steps, and on those of its neighbours. So moves grow while the bias keeps its sign
    and halve when it changes. Above some bonus a label follows itself repeatedly and its count leaps; such a move is
    undone, and the next one is half as long. A rare label has a wider bound, because its count differs by chance
    between people."""
    number = np.bincount([label for each in scored for label in each.reference], minlength=model.labels)
    near = np.maximum(bound, CHANCE / np.sqrt(np.maximum(number, 1)))
    best, best_bias = model, float("inf")
    step, before = np.full(model.labels, FIRST_MOVE), np.zeros(model.labels)
    for _ in range(rounds):
        found = score_of(scored, model, lag, counted)
        if found.worst_bias < best_bias:
            best, best_bias = model, found.worst_bias
        if found.worst_bias > best_bias + LEAP:
            found = score_of(scored, best, lag, counted)
            model, step, before = best, step * 0.5, np.zeros(model.labels)
        bias = np.array([found.bias[label] or 0.0 if label in counted else 0.0 for label in range(model.labels)])
        sign = np.where(np.abs(bias) > near, np.sign(bias), 0.0)
        if not sign.any():
            return model
        step = np.where(sign * before > 0, step * 1.5, np.where(sign * before < 0, step * 0.5, step))
        before = np.where(sign != 0, sign, before)
        model = replace(model, count_bias=model.count_bias - sign * step)
    return best

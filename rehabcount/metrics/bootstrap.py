"""Bootstrap: how far would a score move with other trials, or other people?

`weights` says how often each replicate holds each trial; `interval` makes an interval of the scores of replicates.
Every result object of this package takes such weights, so that sequences are aligned only once.

Conventions
-----------
Resampling is with replacement, as many units as there are. The unit is a trial, or a subject with all of its trials
(`groups`): people differ more than their trials do, so intervals for new patients must be over subjects. Percentiles of
few units are too narrow: "95 %" intervals of a normal mean contain the true value in 51 of 100 samples of 2 units, in
82 of 5 units, in 89 of 10, in 93 of 20. From FEWEST_UNITS on about nine in ten do; with fewer, results for people are
shown without an interval. The functions here compute an interval of any number of units. The generator is seeded and
the same seed gives the same weights. To compare two systems, score both with one `weights` and look at the differences.

Metrics
-------
interval   percentiles of the replicates, and their mean (the papers report that mean, not the score of the sample).
           Replicates without a value (NaN) are left out; none left: NaN.
paired     the interval of a difference, and the share of replicates on the other side of zero, doubled.

References
----------
Efron & Tibshirani, An Introduction to the Bootstrap, 1993. Kaku et al., StrokeRehab, NeurIPS 2022 (mean and 2.5 to
97.5 percentiles of replicates over trials).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rehabcount.domain.arrays import Floats, frozen

REPLICATES = 250  # the papers'
FEWEST_UNITS = 10  # trials, or subjects, that a 95 % interval needs: see Conventions


@dataclass(frozen=True, slots=True)
class Interval:
    """Mean and percentiles of replicates."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """`second - first` over paired replicates. `p_value` is two-sided and no smaller than 2 / replicates."""

    mean: float
    low: float
    high: float
    p_value: float


def weights(
    trials: int, *, replicates: int = REPLICATES, seed: int = 0, groups: Sequence[Hashable] | None = None
) -> Floats:
    """(replicates, trials): how often each replicate holds each trial."""
    if trials < 1 or replicates < 1:
        raise ValueError(f"trials={trials}, replicates={replicates}: both must be at least 1")
    rng = np.random.default_rng(seed)
    if groups is None:
        return frozen(_multiplicities(rng, replicates, trials))
    if len(groups) != trials:
        raise ValueError(f"groups has {len(groups)} entries for {trials} trials")
    number = {group: i for i, group in enumerate(dict.fromkeys(groups))}
    member = np.array([number[group] for group in groups])
    return frozen(_multiplicities(rng, replicates, len(number))[:, member])


def interval(replicates: Any, level: float = 0.95) -> Interval:
    """Percentile interval of the scores of replicates."""
    known = _known(replicates)
    if not len(known):
        return Interval(float("nan"), float("nan"), float("nan"))
    low, high = np.percentile(known, [50 * (1 - level), 50 * (1 + level)])
    return Interval(float(known.mean()), float(low), float(high))


def paired(first: Any, second: Any, level: float = 0.95) -> Difference:
    """The difference of two systems scored with the same weights."""
    first, second = np.asarray(first, float), np.asarray(second, float)
    if first.shape != second.shape:
        raise ValueError(f"{first.shape} and {second.shape} replicates cannot be paired")
    difference = _known(second - first)
    found = interval(difference, level)
    if not len(difference):
        return Difference(found.mean, found.low, found.high, float("nan"))
    beyond = 2 * min(np.mean(difference <= 0), np.mean(difference >= 0))
    return Difference(found.mean, found.low, found.high, float(np.clip(beyond, 2 / len(difference), 1.0)))


def _multiplicities(rng: np.random.Generator, replicates: int, units: int) -> Floats:
    drawn = rng.integers(0, units, (replicates, units)) + units * np.arange(replicates)[:, None]
    return np.bincount(drawn.ravel(), minlength=replicates * units).reshape(replicates, units).astype(float)


def _known(values: Any) -> Floats:
    values = np.ravel(np.asarray(values, float))
    return values[np.isfinite(values)]

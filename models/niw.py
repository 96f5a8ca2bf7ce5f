"""Gaussian clusters with a Normal-inverse-Wishart prior: what samplers of structure share.

In: sums over the frames of each cluster (their number, the sum of the values, the sum of the outer products). Out:
the log marginal likelihood of such a cluster, draws of its mean and covariance, and the log density of frames.

Conventions: a covariance is kept as `root`, the lower triangular W with inverse covariance W'W, so that the log
density of x is `log_norm - |W (x - mean)|^2 / 2`. The functions are loops that numba compiles; random numbers come in
as arrays, so that each result is a function of its arguments alone.

References: K. P. Murphy, Conjugate Bayesian analysis of the Gaussian distribution, 2007; M. S. Bartlett's
decomposition of a Wishart matrix.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from rehabcount.domain.arrays import Floats, Ints

_LOG_PI = math.log(math.pi)
_LOG_TWO_PI = math.log(2 * math.pi)


@dataclass(frozen=True, slots=True)
class NiwPrior:
    """mean ~ Normal(centre, covariance / strength), covariance ~ InverseWishart(scatter, freedom)."""

    centre: Floats  # (channels,)
    strength: float
    scatter: Floats  # (channels, channels)
    freedom: float


@dataclass(frozen=True, slots=True)
class Sums:
    """Of each group of frames: how many, their sum, and the sum of their outer products."""

    count: Floats  # (groups,)
    total: Floats  # (groups, channels)
    outer: Floats  # (groups, channels, channels)


@dataclass(frozen=True, slots=True)
class Gaussians:
    """A mean and a covariance of each cluster."""

    mean: Floats  # (clusters, channels)
    root: Floats  # (clusters, channels, channels)
    log_norm: Floats  # (clusters,)


def _factor(a: Floats) -> float:
    """Replaces the lower triangle by its Cholesky factor; gives half the log determinant."""
    half = 0.0
    for j in range(len(a)):
        diagonal = a[j, j]
        for k in range(j):
            diagonal -= a[j, k] * a[j, k]
        diagonal = math.sqrt(max(diagonal, 1e-300))
        a[j, j] = diagonal
        half += math.log(diagonal)
        for i in range(j + 1, len(a)):
            value = a[i, j]
            for k in range(j):
                value -= a[i, k] * a[j, k]
            a[i, j] = value / diagonal
    return half


factor: Callable[[Floats], float] = njit(cache=True)(_factor)


def _posterior(
    count: float,
    total: Floats,
    outer: Floats,
    centre: Floats,
    strength: float,
    scatter: Floats,
    mean: Floats,
    to: Floats,
) -> None:
    """Writes the posterior's centre to `mean` and its scatter to `to`."""
    channels = len(centre)
    together = strength + count
    for i in range(channels):
        mean[i] = (strength * centre[i] + total[i]) / together
    for i in range(channels):
        for j in range(i + 1):
            value = scatter[i, j] + outer[i, j] + strength * centre[i] * centre[j] - together * mean[i] * mean[j]
            to[i, j] = value
            to[j, i] = value


posterior: Callable[..., None] = njit(cache=True)(_posterior)


def _log_marginal(
    count: float, total: Floats, outer: Floats, centre: Floats, strength: float, scatter: Floats, freedom: float
) -> float:
    """Log density of a cluster's frames with its mean and covariance integrated out; 0 for an empty cluster."""
    if count <= 0.0:
        return 0.0
    channels = len(centre)
    mean, work = np.empty(channels), np.empty((channels, channels))
    posterior(count, total, outer, centre, strength, scatter, mean, work)
    half_after = factor(work)
    work[:, :] = scatter
    half_before = factor(work)
    value = -0.5 * count * channels * _LOG_PI + 0.5 * channels * math.log(strength / (strength + count))
    value += freedom * half_before - (freedom + count) * half_after
    for i in range(channels):
        value += math.lgamma(0.5 * (freedom + count - i)) - math.lgamma(0.5 * (freedom - i))
    return value


log_marginal: Callable[..., float] = njit(cache=True)(_log_marginal)


def _draw(
    sums: tuple[Floats, Floats, Floats],
    prior: tuple[Floats, float, Floats],
    chi: Floats,
    normal: Floats,
    spread: Floats,
    into: tuple[Floats, Floats, Floats],
) -> None:
    """One draw of each cluster's mean and covariance. `chi` (clusters, channels) are roots of chi-squared draws with
    freedom, freedom - 1, ...; `normal` (clusters, channels, channels) and `spread` (clusters, channels) standard
    normal."""
    counts, totals, outers = sums
    centre, strength, scatter = prior
    means, roots, log_norms = into
    channels = len(centre)
    lower, inverse = np.empty((channels, channels)), np.empty((channels, channels))
    middle = np.empty(channels)
    for k in range(len(counts)):
        posterior(counts[k], totals[k], outers[k], centre, strength, scatter, middle, lower)
        factor(lower)
        inverse[:, :] = 0.0
        for j in range(channels):  # of a lower triangular matrix
            inverse[j, j] = 1.0 / lower[j, j]
            for i in range(j + 1, channels):
                value = 0.0
                for m in range(j, i):
                    value -= lower[i, m] * inverse[m, j]
                inverse[i, j] = value / lower[i, i]
        # The precision is inverse' A A' inverse with Bartlett's lower triangular A, so W = A' inverse. A second factor
        # makes W lower triangular, which the density uses.
        log_norm = -0.5 * channels * _LOG_TWO_PI
        half = np.zeros((channels, channels))  # A' inverse
        for i in range(channels):
            for j in range(channels):
                value = chi[k, i] * inverse[i, j]
                for m in range(i + 1, channels):
                    value += normal[k, m, i] * inverse[m, j]
                half[i, j] = value
            log_norm += math.log(chi[k, i]) + math.log(inverse[i, i])
        # W'W = U'U with W lower triangular: factor the precision from its last row on.
        for i in range(channels):
            for j in range(channels):
                value = 0.0
                for m in range(channels):
                    value += half[m, channels - 1 - i] * half[m, channels - 1 - j]
                lower[i, j] = value
        factor(lower)
        for i in range(channels):
            for j in range(channels):
                roots[k, i, j] = lower[channels - 1 - j, channels - 1 - i] if j <= i else 0.0
        # mean = centre + W^-1 e / sqrt(strength after)
        for i in range(channels):
            value = spread[k, i] / math.sqrt(strength + counts[k])
            for j in range(i):
                value -= roots[k, i, j] * means[k, j]
            means[k, i] = value / roots[k, i, i]
        for i in range(channels):
            means[k, i] += middle[i]
        log_norms[k] = log_norm


draw_in_loops: Callable[..., None] = njit(cache=True)(_draw)


def _densities(values: Floats, means: Floats, roots: Floats, log_norms: Floats, to: Floats) -> None:
    """Log density of each frame under each cluster: (frames, clusters)."""
    channels = values.shape[1]
    shift = np.empty(channels)  # W mean
    for k in range(len(means)):
        for i in range(channels):
            shift[i] = 0.0
            for j in range(i + 1):
                shift[i] += roots[k, i, j] * means[k, j]
        for t in range(len(values)):
            squares = 0.0
            for i in range(channels):
                value = -shift[i]
                for j in range(i + 1):
                    value += roots[k, i, j] * values[t, j]
                squares += value * value
            to[t, k] = log_norms[k] - 0.5 * squares


densities_in_loops: Callable[..., None] = njit(cache=True)(_densities)


def _sum_up(values: Floats, group: Ints, count: Floats, total: Floats, outer: Floats) -> None:
    channels = values.shape[1]
    for t in range(len(values)):
        g = group[t]
        count[g] += 1.0
        for i in range(channels):
            total[g, i] += values[t, i]
            for j in range(i + 1):
                outer[g, i, j] += values[t, i] * values[t, j]
    for g in range(len(count)):
        for i in range(channels):
            for j in range(i):
                outer[g, j, i] = outer[g, i, j]


sum_up_in_loops: Callable[..., None] = njit(cache=True)(_sum_up)


def sums_of(values: Floats, group: Ints, groups: int) -> Sums:
    """The sums of each group of frames."""
    channels = values.shape[1]
    count, total, outer = np.zeros(groups), np.zeros((groups, channels)), np.zeros((groups, channels, channels))
    sum_up_in_loops(values, group, count, total, outer)
    return Sums(count, total, outer)


def gathered(sums: Sums, group: Ints, groups: int) -> Sums:
    """Sums of groups of groups: `group` says which each belongs to."""
    channels = sums.total.shape[1]
    count, total, outer = np.zeros(groups), np.zeros((groups, channels)), np.zeros((groups, channels, channels))
    np.add.at(count, group, sums.count)
    np.add.at(total, group, sums.total)
    np.add.at(outer, group, sums.outer)
    return Sums(count, total, outer)


def draw_gaussians(rng: np.random.Generator, sums: Sums, prior: NiwPrior) -> Gaussians:
    """Mean and covariance of each cluster, from their posterior."""
    clusters, channels = sums.total.shape
    freedom = prior.freedom + sums.count[:, None] - np.arange(channels)
    chi = np.sqrt(rng.chisquare(freedom))
    normal = rng.standard_normal((clusters, channels, channels))
    spread = rng.standard_normal((clusters, channels))
    into = np.empty((clusters, channels)), np.empty((clusters, channels, channels)), np.empty(clusters)
    plain = (prior.centre, prior.strength, prior.scatter)
    draw_in_loops((sums.count, sums.total, sums.outer), plain, chi, normal, spread, into)
    return Gaussians(*into)


def log_densities(values: Floats, clusters: Gaussians) -> Floats:
    """(frames, clusters)"""
    to = np.empty((len(values), len(clusters.mean)))
    densities_in_loops(values, clusters.mean, clusters.root, clusters.log_norm, to)
    return to


def log_marginals(sums: Sums, prior: NiwPrior) -> float:
    """Of all clusters together."""
    each: Any = zip(sums.count, sums.total, sums.outer, strict=True)
    return sum(log_marginal(n, t, o, prior.centre, prior.strength, prior.scatter, prior.freedom) for n, t, o in each)

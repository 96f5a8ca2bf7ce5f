"""How well the chains of a sampler have mixed: split R-hat and the number of effective samples of one quantity.

In: its values, one row a chain. Out: R-hat (1 if the halves of all chains agree) and how many independent draws tell as
much. NaN where there are fewer than four values a chain, or the values never change.

References: Gelman et al., Bayesian Data Analysis, third edition, 11.4 and 11.5; Geyer, Practical Markov chain Monte
Carlo, 1992 (initial positive sequence).
"""

from __future__ import annotations

import numpy as np

from rehabcount.domain.arrays import Floats


def split_r_hat(values: Floats) -> float:
    halves = _halves(values)
    if halves is None:
        return float("nan")
    within = float(halves.var(axis=1, ddof=1).mean())
    between = float(halves.mean(axis=1).var(ddof=1))
    length = halves.shape[1]
    return float(np.sqrt(((length - 1) / length * within + between) / within)) if within > 0 else float("nan")


def effective_samples(values: Floats) -> float:
    halves = _halves(values)
    if halves is None:
        return float("nan")
    chains, length = halves.shape
    within = float(halves.var(axis=1, ddof=1).mean())
    if within <= 0:
        return float("nan")
    spread = (length - 1) / length * within + float(halves.mean(axis=1).var(ddof=1))
    centred = halves - halves.mean(axis=1, keepdims=True)
    size = 1 << (2 * length - 1).bit_length()
    power = np.abs(np.fft.rfft(centred, size, axis=1)) ** 2
    covariance = np.fft.irfft(power, size, axis=1)[:, :length].mean(axis=0) / length
    correlation = 1 - (within - covariance * length / (length - 1)) / spread
    pairs = correlation[: length // 2 * 2].reshape(-1, 2).sum(axis=1)  # of lags 0 and 1, 2 and 3, ...
    negative = np.flatnonzero(pairs < 0)
    kept = np.minimum.accumulate(pairs[: negative[0] if len(negative) else len(pairs)])
    time = max(-1 + 2 * float(kept.sum()), 1 / np.log10(chains * length + 1))
    return min(chains * length / time, chains * length * float(np.log10(chains * length)))


def _halves(values: Floats) -> Floats | None:
    values = np.atleast_2d(np.asarray(values, float))
    half = values.shape[1] // 2
    if half < 2:
        return None
    return np.concatenate([values[:, :half], values[:, -half:]])

"""A Bayesian hidden Markov model sampled by Gibbs: what PRISM is compared with.

In: recordings (frames x channels), about standardised. Out: kept samples of the states of all frames, and for each
frame the state that most samples give it.

The settings are those of the experiments of Goel & Brunskill (ICLR 2019): the rows of the transition matrix and the
first states have symmetric Dirichlet priors whose concentrations are divided among the states (.1, 1 or 100 in all
for a row, .1 for the first state); states are normal with a Normal-inverse-Wishart prior whose mean is worth a tenth
of a frame. After 1,000 sweeps 100 more are kept. Their scores are those of the most frequent state of each frame,
without matching the labels of different samples; `most_frequent` does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.arrays import Floats, Ints, frozen
from rehabcount.models.prism_chain import JoinedRecordings, joined


@dataclass(frozen=True, slots=True)
class HmmSettings:
    states: int
    concentration: float = 1.0  # of a row of the transition matrix, all states together
    first: float = 0.1  # of the first state, all states together
    strength: float = 0.1
    sweeps: int = 1000
    kept: int = 100  # further sweeps
    seed: int = 0


@dataclass(frozen=True, slots=True)
class HmmFit:
    states: tuple[Ints, ...]  # the most frequent state of each frame, one array a recording
    samples: tuple[NDArray[np.int8], ...]  # kept samples x frames


def fit_hmm(
    recordings: Sequence[Floats],
    settings: HmmSettings,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> HmmFit:
    """Sample; `on_progress` hears of every hundredth sweep."""
    from rehabcount.models import niw
    from rehabcount.models.hmm_sweep import sample_states

    frames = joined(recordings)
    rng = np.random.default_rng(settings.seed)
    channels, k = frames.values.shape[1], settings.states
    prior = niw.NiwPrior(np.zeros(channels), settings.strength, np.eye(channels), channels + 2.0)
    states = _from_prior(rng, frames, settings)
    kept = []
    total = settings.sweeps + settings.kept
    for sweep in range(total):
        clusters = niw.draw_gaussians(rng, niw.sums_of(frames.values, states, k), prior)
        start, moves = _transitions(rng, frames, settings, states)
        density = niw.log_densities(frames.values, clusters)
        sample_states(density, frames.first, start, moves, rng.random(len(states)), states)
        if sweep >= settings.sweeps:
            kept.append(states.astype(np.int8))
        if sweep % 100 == 0:
            on_progress(sweep, total)
    samples = np.array(kept)
    best = most_frequent(samples, k)
    return HmmFit(
        tuple(frozen(part, np.int64) for part in np.split(best, frames.first[1:-1])),
        tuple(frozen(part, np.int8) for part in np.split(samples, frames.first[1:-1], axis=1)),
    )


def most_frequent(samples: NDArray[np.int8], states: int) -> Ints:
    """For each frame the state that most samples (rows) give it; the first of equals."""
    return np.argmax([(samples == k).sum(axis=0) for k in range(states)], axis=0).astype(np.int64)


def _transitions(
    rng: np.random.Generator, frames: JoinedRecordings, settings: HmmSettings, states: Ints
) -> tuple[Floats, Floats]:
    """Shares of the first state, and the transition matrix, drawn given all states."""
    k = settings.states
    within = np.ones(len(states), bool)
    within[frames.first[1:] - 1] = False  # the last frame of a recording is followed by another recording
    here = np.flatnonzero(within)
    counts = np.bincount(states[here] * k + states[here + 1], minlength=k * k).reshape(k, k)
    first = np.bincount(states[frames.first[:-1]], minlength=k)
    rows = [_shares(rng, row + settings.concentration / k) for row in counts]
    return _shares(rng, first + settings.first / k), np.array(rows)


def _shares(rng: np.random.Generator, weight: NDArray[Any]) -> Floats:
    """A draw of the Dirichlet distribution; tiny weights may give zeros, which are kept from being exactly that."""
    share = np.maximum(rng.dirichlet(weight), 1e-300)
    return share / share.sum()


def _from_prior(rng: np.random.Generator, frames: JoinedRecordings, settings: HmmSettings) -> Ints:
    k = settings.states
    start = _shares(rng, np.full(k, settings.first / k))
    moves = np.array([_shares(rng, np.full(k, settings.concentration / k)) for _ in range(k)])
    states = np.empty(len(frames.values), np.int64)
    for begin, end in zip(frames.first[:-1], frames.first[1:], strict=True):
        states[begin] = rng.choice(k, p=start)
        for t in range(begin + 1, end):
            states[t] = rng.choice(k, p=moves[states[t - 1]])
    return states

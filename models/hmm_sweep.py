"""The loop of `models.hmm_gibbs`, compiled by numba: all states of each recording at once, given everything else."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numba import njit

from rehabcount.domain.arrays import Floats, Ints


def _sample_states(density: Floats, first: Ints, start: Floats, moves: Floats, uniform: Floats, states: Ints) -> None:
    """Filter forward, draw backward. `density` (frames, states) is of logarithms, `moves` the transition matrix."""
    k = len(start)
    reached = np.empty((len(density), k))
    weight = np.empty(k)
    onward = moves.T.copy()
    for i in range(len(first) - 1):
        for t in range(first[i], first[i + 1]):
            most = density[t].max()
            total = 0.0
            for b in range(k):
                if t == first[i]:
                    before = start[b]
                else:
                    before = 0.0
                    for a in range(k):
                        before += reached[t - 1, a] * onward[b, a]
                reached[t, b] = before * math.exp(density[t, b] - most)
                total += reached[t, b]
            if total > 0.0:
                reached[t] /= total
            else:  # nothing that can be reached explains the frame: the density alone decides
                reached[t] = np.exp(density[t] - most)
                reached[t] /= reached[t].sum()
        for t in range(first[i + 1] - 1, first[i] - 1, -1):
            total = 0.0
            for a in range(k):
                weight[a] = reached[t, a] if t == first[i + 1] - 1 else reached[t, a] * moves[a, states[t + 1]]
                total += weight[a]
            limit = uniform[t] * total
            chosen, along = k - 1, 0.0
            for a in range(k):
                along += weight[a]
                if along > limit:
                    chosen = a
                    break
            states[t] = chosen


sample_states: Callable[..., None] = njit(cache=True)(_sample_states)

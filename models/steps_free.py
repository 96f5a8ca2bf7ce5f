"""A recording read by the kinds of steps alone, without their order: to see what is not in order.

In: recordings, and the state of each of their frames as PRISM found it. Out: for each recording the likeliest states
if each may follow each (a hidden Markov model with the same normal distribution of each state, and a small probability
of a change, that of the given states), and how its sequence differs from the common procedure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rehabcount.domain.arrays import Floats, Ints

PRIOR_FRAMES = 3.0  # of unit covariance, beside the frames of a state: keeps covariances of few frames regular
SHORTEST_FRAMES = 2  # shorter stretches are no step of their own
LEAST_CHANGES = 1e-3  # a frame


@dataclass(frozen=True, slots=True)
class FreeReading:
    """The state of each frame, and the sequence of states, each of SHORTEST_FRAMES or more."""

    states: Ints
    sequence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OrderFound:
    """A free reading beside the procedure: `missing` steps, `additional` ones, and `displaced` ones, which are in both
    but at another place."""

    missing: int
    additional: int
    displaced: int


def read_freely(tables: Sequence[Floats], states: Sequence[Ints], kinds: int) -> tuple[FreeReading, ...]:
    """Every recording read with the distributions that the given states have in all of them together."""
    values, labels = np.concatenate(tables), np.concatenate(states)
    density = np.stack([_log_density(values, values[labels == kind]) for kind in range(kinds)], axis=1)
    changes = sum(int(np.sum(np.diff(each) != 0)) for each in states)
    change = max(changes / len(labels), LEAST_CHANGES)
    stay, go = np.log1p(-min(change, 0.5)), np.log(change / max(kinds - 1, 1))
    cuts = np.cumsum([len(each) for each in tables])[:-1]
    found = [_likeliest(part, float(stay), float(go)) for part in np.split(density, cuts)]
    return tuple(FreeReading(each, _sequence(each)) for each in found)


def compare(reading: FreeReading, procedure: Sequence[int]) -> OrderFound:
    """The longest common subsequence is in order; of the rest, what is in both is displaced."""
    given = reading.sequence
    common = np.zeros((len(given) + 1, len(procedure) + 1), np.int64)
    for i, one in enumerate(given):
        for j, other in enumerate(procedure):
            common[i + 1, j + 1] = common[i, j] + 1 if one == other else max(common[i, j + 1], common[i + 1, j])
    spare, lacking = _rest(given, procedure, common)
    displaced = 0
    for state in spare[:]:
        if state in lacking:
            spare.remove(state)
            lacking.remove(state)
            displaced += 1
    return OrderFound(len(lacking), len(spare), displaced)


def _rest(given: Sequence[int], procedure: Sequence[int], common: Ints) -> tuple[list[int], list[int]]:
    """What of either sequence is not in their longest common subsequence."""
    i, j = len(given), len(procedure)
    spare, lacking = list[int](), list[int]()
    while i and j:
        if given[i - 1] == procedure[j - 1]:
            i, j = i - 1, j - 1
        elif common[i - 1, j] >= common[i, j - 1]:
            i -= 1
            spare.append(given[i])
        else:
            j -= 1
            lacking.append(procedure[j])
    return [*given[:i], *reversed(spare)], [*procedure[:j], *reversed(lacking)]


def _log_density(values: Floats, mine: Floats) -> Floats:
    """Of each value under the normal distribution of these; far below all others where there are none."""
    width = values.shape[1]
    if not len(mine):
        return np.full(len(values), -1e9)
    mean = mine.mean(axis=0)
    scatter = (mine - mean).T @ (mine - mean) + PRIOR_FRAMES * np.eye(width)
    root = np.linalg.cholesky(scatter / (len(mine) + PRIOR_FRAMES))
    away = np.linalg.solve(root, (values - mean).T)
    return -0.5 * np.sum(away**2, axis=0) - np.log(np.diag(root)).sum() - 0.5 * width * np.log(2 * np.pi)


def _likeliest(density: Floats, stay: float, go: float) -> Ints:
    """Viterbi's path where every change has the same probability."""
    frames, kinds = density.shape
    best = density[0].copy()
    origin = np.zeros((frames, kinds), np.int64)
    for frame in range(1, frames):
        top = int(best.argmax())
        moved = best[top] + go
        stays = best + stay >= moved
        origin[frame] = np.where(stays, np.arange(kinds), top)
        best = np.where(stays, best + stay, moved) + density[frame]
    path = np.empty(frames, np.int64)
    path[-1] = int(best.argmax())
    for frame in range(frames - 1, 0, -1):
        path[frame - 1] = origin[frame, path[frame]]
    return path


def _sequence(states: Ints) -> tuple[int, ...]:
    edges = np.concatenate([[0], np.flatnonzero(np.diff(states)) + 1, [len(states)]])
    long = [int(states[a]) for a, b in pairwise(edges.tolist()) if b - a >= SHORTEST_FRAMES]
    return tuple(state for at, state in enumerate(long) if not at or state != long[at - 1])

"""The loops of PRISM's sampler, compiled by numba.

Conventions: recordings lie one after another in one table of frames; recording i has the frames `first[i]:first[i +
1]`. The bag `u` holds a slot for each frame in no order; sorted within each recording it says which slot each frame
belongs to. `border` (slots,) of one recording holds the frame behind the last one of each slot. `count` (slots,) is
over all recordings. Random numbers come in as arrays of uniform draws.

Moving one entry of the bag from slot r to a later slot q moves the borders of r, ..., q - 1 by one frame to the left:
one frame a border changes its slot. All targets of one entry are therefore weighed in one walk over the borders, and
a sweep costs frames x slots, however long the recordings are.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numba import njit

from rehabcount.domain.arrays import Floats, Ints
from rehabcount.models.niw import log_marginal


def _pick(log_weight: Floats, uniform: float) -> int:
    """An index drawn with these log weights, which are overwritten."""
    most = log_weight.max()
    total = 0.0
    for i in range(len(log_weight)):
        total += math.exp(log_weight[i] - most)
        log_weight[i] = total
    limit = uniform * total
    for i in range(len(log_weight)):
        if log_weight[i] > limit:
            return i
    return len(log_weight) - 1


pick: Callable[[Floats, float], int] = njit(cache=True)(_pick)


def _move_bag(
    u: Ints,
    first: Ints,
    procedure: Ints,
    density: Floats,
    count: Ints,
    concentration: float,
    uniform: Floats,
) -> None:
    """One Gibbs update of every entry of the bag, with the shares of the slots integrated out."""
    slots = len(procedure)
    weight = np.empty(slots)
    border = np.empty(slots, np.int64)
    log_share = np.empty(slots)
    for r in range(slots):
        log_share[r] = math.log(count[r] + concentration)
    for i in range(len(first) - 1):
        begin, end = first[i], first[i + 1]
        border[:] = 0
        for j in range(begin, end):
            border[u[j]] += 1
        place = begin
        for r in range(slots):
            place += border[r]
            border[r] = place
        for j in range(begin, end):
            here = u[j]
            count[here] -= 1
            log_share[here] = math.log(count[here] + concentration)
            weight[here] = log_share[here]
            change = 0.0
            for r in range(here, slots - 1):
                if procedure[r] != procedure[r + 1]:
                    change += density[border[r] - 1, procedure[r + 1]] - density[border[r] - 1, procedure[r]]
                weight[r + 1] = log_share[r + 1] + change
            change = 0.0
            for r in range(here - 1, -1, -1):
                if procedure[r] != procedure[r + 1]:
                    change += density[border[r], procedure[r]] - density[border[r], procedure[r + 1]]
                weight[r] = log_share[r] + change
            there = pick(weight, uniform[j])
            for r in range(here, there):
                border[r] -= 1
            for r in range(there, here):
                border[r] += 1
            u[j] = there
            count[there] += 1
            log_share[there] = math.log(count[there] + concentration)


move_bag: Callable[..., None] = njit(cache=True)(_move_bag)


def _choose_states(
    procedure: Ints,
    slot_sums: tuple[Floats, Floats, Floats],
    state_sums: tuple[Floats, Floats, Floats],
    prior: tuple[Floats, float, Floats, float],
    uniform: Floats,
) -> None:
    """One Gibbs update of the state of every slot, with the clusters' means and covariances integrated out.

    `state_sums` are the sums of the frames of each state; they follow the procedure.
    """
    counts, totals, outers = slot_sums
    held, held_total, held_outer = state_sums
    centre, strength, scatter, freedom = prior
    states = len(held)
    weight, without = np.empty(states), np.empty(states)
    for k in range(states):
        without[k] = log_marginal(held[k], held_total[k], held_outer[k], centre, strength, scatter, freedom)
    for r in range(len(procedure)):
        if counts[r] <= 0.0:
            procedure[r] = min(int(uniform[r] * states), states - 1)
            continue
        old = procedure[r]
        kept = without[old]
        held[old] = max(held[old] - counts[r], 0.0)
        held_total[old] -= totals[r]
        held_outer[old] -= outers[r]
        without[old] = log_marginal(held[old], held_total[old], held_outer[old], centre, strength, scatter, freedom)
        for k in range(states):
            if k == old:
                weight[k] = kept - without[k]
            else:
                weight[k] = -without[k] + log_marginal(
                    held[k] + counts[r],
                    held_total[k] + totals[r],
                    held_outer[k] + outers[r],
                    centre,
                    strength,
                    scatter,
                    freedom,
                )
        gain = weight.copy()
        new = pick(weight, uniform[r])
        held[new] += counts[r]
        held_total[new] += totals[r]
        held_outer[new] += outers[r]
        without[new] += gain[new]
        procedure[r] = new


choose_states: Callable[..., None] = njit(cache=True)(_choose_states)


def _choose_states_given(procedure: Ints, slot: Ints, density: Floats, uniform: Floats) -> None:
    """The same given the clusters' means and covariances, as in the paper."""
    states = density.shape[1]
    weight = np.zeros((len(procedure), states))
    for t in range(len(slot)):
        for k in range(states):
            weight[slot[t], k] += density[t, k]
    for r in range(len(procedure)):
        procedure[r] = pick(weight[r], uniform[r])


choose_states_given: Callable[..., None] = njit(cache=True)(_choose_states_given)


def _sort_bag(u: Ints, first: Ints, slots: int, slot: Ints) -> None:
    """The slot of each frame: the bag of each recording in ascending order."""
    number = np.empty(slots, np.int64)
    for i in range(len(first) - 1):
        number[:] = 0
        for j in range(first[i], first[i + 1]):
            number[u[j]] += 1
        place = first[i]
        for r in range(slots):
            slot[place : place + number[r]] = r
            place += number[r]


sort_bag: Callable[[Ints, Ints, int, Ints], None] = njit(cache=True)(_sort_bag)


def _log_predictive(density: Floats, procedure: Ints, log_extent: Floats) -> float:
    """Log density of one recording, summed over all ways to divide its frames among the slots.

    `log_extent` (slots, frames + 1) is the log weight of each number of frames of a slot.
    """
    frames, slots = len(density), len(procedure)
    reached = np.full(frames + 1, -np.inf)
    reached[0] = 0.0
    further = np.empty(frames + 1)
    along = np.empty(frames + 1)
    for r in range(slots):
        along[0] = 0.0
        for t in range(frames):
            along[t + 1] = along[t] + density[t, procedure[r]]
        for t in range(frames + 1):
            most = -np.inf
            for b in range(t + 1):
                value = reached[b] - along[b] + log_extent[r, t - b]
                most = max(most, value)
            total = 0.0
            if most > -np.inf:
                for b in range(t + 1):
                    total += math.exp(reached[b] - along[b] + log_extent[r, t - b] - most)
                further[t] = along[t] + most + math.log(total)
            else:
                further[t] = -np.inf
        reached[:] = further
    return float(reached[frames])


log_predictive: Callable[[Floats, Ints, Floats], float] = njit(cache=True)(_log_predictive)

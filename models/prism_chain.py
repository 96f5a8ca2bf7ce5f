"""One chain of PRISM's sampler: its beginning, some more sweeps, and how it is kept in a file.

In: all recordings one after another, and the settings. Out: a `Chain`, which holds everything that is needed to go on.
A chain after 50 sweeps and 50 more is the chain after 100, also when it was written and read between.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import gammaln

from rehabcount.domain.arrays import Floats, Ints
from rehabcount.errors import InputRefused
from rehabcount.store.npz import open_arrays
from rehabcount.store.private import written_whole

if TYPE_CHECKING:
    from rehabcount.models.niw import Gaussians, NiwPrior

MOST_STATES = 100


@dataclass(frozen=True, slots=True)
class PrismSettings:
    """Sizes, priors and schedule. The defaults of the priors are those of the paper."""

    states: int
    slots: int
    chains: int = 2
    sweeps: int = 1000
    burn_in: int = 500
    thin: int = 5
    seed: int = 0
    concentration: float = 0.1  # beta: the lower, the fewer slots are used
    strength: float = 1.0  # kappa: how many frames the prior mean 0 is worth
    scatter: float = 1.0  # of the prior covariance, times the identity
    extra_freedom: float = 2.0  # degrees of freedom beyond the channels
    collapsed: bool = True

    def __post_init__(self) -> None:
        wrong = [
            (not 1 <= self.states <= MOST_STATES, f"states must be 1 to {MOST_STATES}"),
            (self.slots < 1, "there must be at least one slot"),
            (self.chains < 1, "there must be at least one chain"),
            (not 0 <= self.burn_in < self.sweeps, "burn_in must be less than sweeps"),
            (self.thin < 1, "thin must be at least 1"),
            (min(self.concentration, self.strength, self.scatter) <= 0, "priors must be above zero"),
            (self.extra_freedom <= -1, "extra_freedom must be above -1"),
        ]
        for each, why in wrong:
            if each:
                raise InputRefused(f"these settings cannot be: {why}.")


@dataclass(frozen=True, slots=True)
class JoinedRecordings:
    """All recordings one after another."""

    values: Floats  # (frames, channels), C order
    first: Ints  # (recordings + 1,)


@dataclass(frozen=True, slots=True)
class Chain:
    """Everything a chain needs to go on: arrays that `np.savez` can keep."""

    sweep: int
    random: str  # the state of its random numbers, as JSON
    bag: Ints
    procedure: Ints
    mean: Floats
    root: Floats
    log_norm: Floats
    log_joint: Floats  # of the sweeps so far
    best: float
    best_slot: Ints
    best_procedure: Ints
    share: Floats  # (frames, states): how many kept samples
    samples: NDArray[np.int8]  # (kept, frames), labels as in `share`
    kept_procedure: Ints
    kept_count: Ints
    kept_mean: Floats
    kept_root: Floats
    kept_log_norm: Floats


def joined(recordings: Sequence[Floats], channels: int | None = None) -> JoinedRecordings:
    """One table, if the recordings can be used together."""
    if len(recordings) == 0:
        raise InputRefused("there is no recording.", advice="Give at least one; a procedure shows in several.")
    tables = [np.asarray(each, dtype=np.float64) for each in recordings]
    for number, each in enumerate(tables, 1):
        if each.ndim != 2 or each.shape[1] == 0:
            raise InputRefused(f"recording {number} is no table of frames x channels.")
        if len(each) == 0:
            raise InputRefused(f"recording {number} has no frames.", advice="Leave it out.")
        if each.shape[1] != (channels or tables[0].shape[1]):
            raise InputRefused(
                f"recording {number} has {each.shape[1]} channels, the others {channels or tables[0].shape[1]}.",
                advice="Give the same channels of each recording.",
            )
        if not np.isfinite(each).all():
            row, column = np.argwhere(~np.isfinite(each))[0]
            raise InputRefused(
                f"recording {number} has no number in frame {row}, channel {column}.",
                advice="Cut the gap out, or fill it before.",
            )
    values = np.ascontiguousarray(np.concatenate(tables))
    if channels is None:
        still = np.flatnonzero(np.ptp(values, axis=0) == 0)
        if len(still):
            raise InputRefused(
                f"channel {still[0]} is constant in all recordings.", advice="Leave it out: it says nothing."
            )
    return JoinedRecordings(values, np.concatenate([[0], np.cumsum([len(each) for each in tables])]).astype(np.int64))


def digest_of(frames: JoinedRecordings, settings: PrismSettings) -> str:
    """Of all that a kept chain depends on."""
    made = sha256(repr(settings).encode())
    made.update(frames.values.tobytes())
    made.update(frames.first.tobytes())
    return made.hexdigest()


def begin(frames: JoinedRecordings, settings: PrismSettings, number: int, folder: Path | None, digest: str) -> Chain:
    """The chain that is kept in the folder, or a new one: segments of equal length, neighbours with other states."""
    if folder is not None:
        kept = read(folder / f"chain-{number}.npz", digest)
        if kept is not None:
            return kept
    from rehabcount.models.niw import draw_gaussians, sums_of

    rng = np.random.default_rng([settings.seed, number])
    bag = np.concatenate([np.arange(length) % settings.slots for length in np.diff(frames.first)]).astype(np.int64)
    procedure = np.zeros(settings.slots, np.int64)
    procedure[0] = rng.integers(settings.states)
    for r in range(1, settings.slots if settings.states > 1 else 1):
        procedure[r] = (procedure[r - 1] + 1 + rng.integers(settings.states - 1)) % settings.states
    slot = slots_of(bag, frames.first, settings.slots)
    clusters = draw_gaussians(
        rng, sums_of(frames.values, procedure[slot], settings.states), prior_of(settings, frames.values.shape[1])
    )
    states, channels = clusters.mean.shape
    return Chain(
        sweep=0,
        random=json.dumps(rng.bit_generator.state),
        bag=bag,
        procedure=procedure,
        mean=clusters.mean,
        root=clusters.root,
        log_norm=clusters.log_norm,
        log_joint=np.zeros(0),
        best=-np.inf,
        best_slot=slot,
        best_procedure=procedure,
        share=np.zeros((len(bag), states)),
        samples=np.zeros((0, len(bag)), np.int8),
        kept_procedure=np.zeros((0, settings.slots), np.int64),
        kept_count=np.zeros((0, settings.slots), np.int64),
        kept_mean=np.zeros((0, states, channels)),
        kept_root=np.zeros((0, states, channels, channels)),
        kept_log_norm=np.zeros((0, states)),
    )


def prior_of(settings: PrismSettings, channels: int) -> NiwPrior:
    from rehabcount.models.niw import NiwPrior

    scatter = np.eye(channels) * settings.scatter
    return NiwPrior(np.zeros(channels), settings.strength, scatter, channels + settings.extra_freedom)


def slots_of(bag: Ints, first: Ints, slots: int) -> Ints:
    from rehabcount.models.prism_sweep import sort_bag

    slot = np.empty_like(bag)
    sort_bag(bag, first, slots, slot)
    return slot


@dataclass(slots=True)
class Moving:
    """What one sweep changes."""

    bag: Ints
    slot: Ints  # the bag of each recording, sorted
    count: Ints  # frames of each slot, over all recordings
    procedure: Ints
    clusters: Gaussians


def sweep_once(frames: JoinedRecordings, settings: PrismSettings, rng: np.random.Generator, at: Moving) -> None:
    """States of slots, then means and covariances, then slots of frames, each given the others (see models.prism)."""
    from rehabcount.models import niw, prism_sweep

    prior = prior_of(settings, frames.values.shape[1])
    slots = niw.sums_of(frames.values, at.slot, settings.slots)
    if settings.collapsed:
        states = niw.gathered(slots, at.procedure, settings.states)
        prism_sweep.choose_states(
            at.procedure,
            (slots.count, slots.total, slots.outer),
            (states.count, states.total, states.outer),
            (prior.centre, prior.strength, prior.scatter, prior.freedom),
            rng.random(settings.slots),
        )
    else:
        density = niw.log_densities(frames.values, at.clusters)
        prism_sweep.choose_states_given(at.procedure, at.slot, density, rng.random(settings.slots))
    # A draw of states without means and covariances has to be followed by theirs.
    at.clusters = niw.draw_gaussians(rng, niw.gathered(slots, at.procedure, settings.states), prior)
    density = niw.log_densities(frames.values, at.clusters)
    uniform = rng.random(len(at.bag))
    prism_sweep.move_bag(at.bag, frames.first, at.procedure, density, at.count, settings.concentration, uniform)
    prism_sweep.sort_bag(at.bag, frames.first, settings.slots, at.slot)


def advance(frames: JoinedRecordings, settings: PrismSettings, chain: Chain, sweeps: int) -> Chain:
    """The chain after so many more sweeps (or at its end)."""
    rng = np.random.default_rng()
    rng.bit_generator.state = json.loads(chain.random)
    clusters = _gaussians(chain.mean, chain.root, chain.log_norm)
    slot = slots_of(chain.bag, frames.first, settings.slots)
    count = np.bincount(chain.bag, minlength=settings.slots)
    at = Moving(chain.bag.copy(), slot, count, chain.procedure.copy(), clusters)
    joint, best, best_slot, best_procedure = [], chain.best, chain.best_slot, chain.best_procedure
    share = chain.share.copy()
    kept: list[tuple[Any, ...]] = []
    last = min(chain.sweep + sweeps, settings.sweeps)
    for sweep in range(chain.sweep, last):
        sweep_once(frames, settings, rng, at)
        joint.append(log_joint(frames, settings, at))
        if joint[-1] > best:
            best, best_slot, best_procedure = joint[-1], at.slot.copy(), at.procedure.copy()
        if sweep >= settings.burn_in and (sweep - settings.burn_in) % settings.thin == 0:
            kept.append(_sample(at, share))
            share[np.arange(len(at.slot)), kept[-1][0]] += 1
    return replace(
        chain,
        sweep=last,
        random=json.dumps(rng.bit_generator.state),
        bag=at.bag,
        procedure=at.procedure,
        mean=at.clusters.mean,
        root=at.clusters.root,
        log_norm=at.clusters.log_norm,
        log_joint=np.concatenate([chain.log_joint, joint]),
        best=best,
        best_slot=best_slot,
        best_procedure=best_procedure,
        share=share,
        **{
            name: np.concatenate([getattr(chain, name), *([sample[i][None] for sample in kept])])
            for i, name in enumerate(_SAMPLE)
        },
    )


# What each kept sample consists of.
_SAMPLE = ("samples", "kept_procedure", "kept_count", "kept_mean", "kept_root", "kept_log_norm")


def _sample(at: Moving, share: Floats) -> tuple[NDArray[Any], ...]:
    """A kept sample, its labels matched to those of the samples before it."""
    states = at.procedure[at.slot]
    labels = matching(states, share)
    order = np.argsort(labels)
    clusters = at.clusters
    return (
        labels[states].astype(np.int8),
        labels[at.procedure],
        at.count.copy(),
        *(part[order] for part in (clusters.mean, clusters.root, clusters.log_norm)),
    )


def _gaussians(mean: Floats, root: Floats, log_norm: Floats) -> Gaussians:
    from rehabcount.models import niw

    return niw.Gaussians(mean, root, log_norm)


def log_joint(frames: JoinedRecordings, settings: PrismSettings, at: Moving) -> float:
    """Of procedure, slots of the frames and values, with shares, means and covariances integrated out."""
    from rehabcount.models import niw

    slot, count, procedure = at.slot, at.count, at.procedure
    prior = prior_of(settings, frames.values.shape[1])
    beta, slots = settings.concentration, settings.slots
    joint = niw.log_marginals(niw.sums_of(frames.values, procedure[slot], settings.states), prior)
    joint -= slots * np.log(settings.states)
    joint += gammaln(slots * beta) - gammaln(slots * beta + len(slot))
    joint += gammaln(count + beta).sum() - slots * gammaln(beta)
    # A recording's slots in order stand for many bags, all equally likely.
    lengths = np.diff(frames.first)
    recording = np.repeat(np.arange(len(lengths)), lengths)
    extents = np.bincount(recording * slots + slot, minlength=len(lengths) * slots)
    return float(joint + gammaln(lengths + 1).sum() - gammaln(extents + 1).sum())


def matching(labels: Ints, share: Floats) -> Ints:
    """For each label the one of `share` (frames, labels) that it is nearest to, one to one."""
    return matching_of_shares(np.eye(share.shape[1])[labels], share)


def matching_of_shares(share: Floats, other: Floats) -> Ints:
    """For each column of `share` the column of `other` that it agrees with, one to one."""
    _, matched = linear_sum_assignment(-(share.T @ other))
    return matched.astype(np.int64)


def keep(path: Path, chain: Chain, digest: str) -> None:
    arrays = {name: np.asarray(getattr(chain, name)) for name in Chain.__dataclass_fields__}
    with written_whole(path) as partial, partial.open("wb") as file:
        np.savez(file, allow_pickle=False, digest=np.array(digest), **arrays)


def read(path: Path, digest: str) -> Chain | None:
    """The chain of that file; None if there is none, or one of other recordings or settings, or it cannot be read."""
    try:
        with open_arrays(path) as arrays:
            if str(arrays.need("digest")) != digest:
                return None
            found: dict[str, Any] = {name: arrays.need(name) for name in Chain.__dataclass_fields__}
    except (OSError, ValueError):
        return None
    return Chain(
        **{**found, "sweep": int(found["sweep"]), "random": str(found["random"]), "best": float(found["best"])}
    )

"""PRISM: the procedure that repeated recordings share, found without labels, and the extent of its steps in each.

In: recordings of the same procedure, each frames x channels, about standardised (mean 0, standard deviation 1 over
all of them). Out: a `PrismFit`: the common procedure (a state for each of its slots), the slot and the state of each
frame, how sure each state is, and how well the chains agree.

The model (Goel & Brunskill, ICLR 2019, section 4 and appendix C): slot r of the procedure has the state p_r, uniform
over the states. Each frame of a recording draws a slot from shares that all recordings have in common (a symmetric
Dirichlet prior, `concentration`); the slots of a recording, sorted, say which slot each frame belongs to. The frames
of a state are normal, with a Normal-inverse-Wishart prior. The prior of p_r has a concentration (alpha) in the paper
that has no effect, because each p_r is drawn once from shares of its own: there is no such setting here.

The sampler is Gibbs with the border trick of appendix C.2 (prism_sweep.py). Differences to the published code, each
on purpose:

- states of slots are drawn with means and covariances integrated out, so that states which hold few frames can still
  attract a slot; `collapsed=False` draws them given means and covariances, as the paper does;
- a state with one frame has no scatter. The published code adds the variance across that frame's channels to every
  entry of the scatter matrix (a one-row case of numpy.cov);
- the first draw of means and covariances has the prior of all others; the published code takes channels + 1 degrees
  of freedom there and channels + 2 later;
- recordings and frames are visited in fixed order. The entries of a bag have no order, so nothing depends on it;
- samples of different chains, and of one chain, carry the same labels: each is matched to those before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from rehabcount.domain.arrays import Floats, Ints, frozen
from rehabcount.models.mixing import effective_samples, split_r_hat
from rehabcount.models.prism_chain import (
    Chain,
    JoinedRecordings,
    PrismSettings,
    advance,
    begin,
    digest_of,
    joined,
    keep,
    matching,
    matching_of_shares,
)

__all__ = ["PrismDraws", "PrismFit", "PrismSettings", "SamplingProgress", "evidence", "fit"]
_PARTS = 20  # a chain reports and is kept this often


@dataclass(frozen=True, slots=True)
class SamplingProgress:
    """Of one chain; `log_joint` is that of its last sweep."""

    chain: int
    sweep: int
    sweeps: int
    log_joint: float


@dataclass(frozen=True, slots=True)
class PrismDraws:
    """The kept samples of all chains: what is needed to say how likely another recording is."""

    procedure: Ints  # (samples, slots)
    count: Ints  # (samples, slots): frames of each slot over all recordings
    mean: Floats  # (samples, states, channels)
    root: Floats  # (samples, states, channels, channels); see models.niw
    log_norm: Floats  # (samples, states)


@dataclass(frozen=True, slots=True)
class PrismFit:
    """The best sample (highest log joint density) and what all kept samples say."""

    procedure: Ints  # the state of each slot of the common procedure, of the best sample
    slots: tuple[Ints, ...]  # of that sample: the slot of each frame, one array a recording
    states: tuple[Ints, ...]  # of that sample: the state of each frame
    share: tuple[Floats, ...]  # of the kept samples: frames x states, how often each state
    samples: tuple[NDArray[np.int8], ...]  # kept samples (chain by chain) x frames: the state of each frame
    log_joint: Floats  # chains x sweeps
    r_hat: float  # of the log joint after burn-in
    effective_samples: float
    draws: PrismDraws
    settings: PrismSettings


def fit(
    recordings: Sequence[Floats],
    settings: PrismSettings,
    *,
    processes: int = 1,
    folder: Path | None = None,
    on_progress: Callable[[SamplingProgress], None] = lambda progress: None,
) -> PrismFit:
    """Sample the procedure of the recordings.

    Several `processes` share the chains; the result does not depend on how many. With `folder`, chains are kept there,
    and an interrupted fit goes on where it was. An exception from `on_progress` ends the fit.
    """
    frames = joined(recordings)
    digest = digest_of(frames, settings)
    chains = [begin(frames, settings, number, folder, digest) for number in range(settings.chains)]
    steps = max(1, settings.sweeps // _PARTS)

    def done(number: int, chain: Chain) -> bool:
        chains[number] = chain
        if folder is not None:
            keep(folder / f"chain-{number}.npz", chain, digest)
        on_progress(SamplingProgress(number, chain.sweep, settings.sweeps, float(chain.log_joint[-1])))
        return chain.sweep >= settings.sweeps

    if processes == 1 or settings.chains == 1:
        for number in range(settings.chains):
            while chains[number].sweep < settings.sweeps and not done(
                number, advance(frames, settings, chains[number], steps)
            ):
                pass
    else:
        _share_out(frames, settings, chains, done, processes, steps)
    return _gathered(frames, settings, chains)


def evidence(fitted: PrismFit, recordings: Sequence[Floats], *, most_draws: int = 20) -> Floats:
    """Log density of each recording, which the fit has not seen, by at most `most_draws` of its kept samples.

    Exact for each sample: all ways to divide the frames among the slots are summed, with the shares of the slots
    integrated out. Costs slots x frames squared.
    """
    from rehabcount.models.niw import Gaussians, log_densities
    from rehabcount.models.prism_sweep import log_predictive

    frames = joined(recordings, channels=fitted.draws.mean.shape[2])
    draws, concentration = fitted.draws, fitted.settings.concentration
    chosen = np.unique(np.linspace(0, len(draws.procedure) - 1, most_draws).round().astype(np.int64))
    found = np.empty((len(chosen), len(recordings)))
    for row, s in enumerate(chosen):
        clusters = Gaussians(draws.mean[s], draws.root[s], draws.log_norm[s])
        density = log_densities(frames.values, clusters)
        weight = draws.count[s] + concentration
        for i, (start, end) in enumerate(zip(frames.first[:-1], frames.first[1:], strict=True)):
            number = np.arange(end - start + 1)
            log_extent = gammaln(weight[:, None] + number) - gammaln(weight)[:, None] - gammaln(number + 1)
            length = float(end - start)
            all_ways = gammaln(length + 1) + gammaln(weight.sum()) - gammaln(weight.sum() + length)
            found[row, i] = all_ways + log_predictive(density[start:end], draws.procedure[s], log_extent)
    most = found.max(axis=0)
    return most + np.log(np.exp(found - most).mean(axis=0))


def _share_out(
    frames: JoinedRecordings,
    settings: PrismSettings,
    chains: list[Chain],
    done: Callable[[int, Chain], bool],
    processes: int,
    steps: int,
) -> None:
    """Advance all chains in several processes; `done` takes each part of a chain and says whether it was the last."""
    with ProcessPoolExecutor(processes, get_context("spawn"), _take, (frames, settings)) as pool:
        try:
            running: dict[Future[Chain], int] = {
                pool.submit(_part, chain, steps): number
                for number, chain in enumerate(chains)
                if chain.sweep < settings.sweeps
            }
            while running:
                for each in wait(running, return_when=FIRST_COMPLETED).done:
                    number = running.pop(each)
                    if not done(number, each.result()):
                        running[pool.submit(_part, chains[number], steps)] = number
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


_taken: list[tuple[JoinedRecordings, PrismSettings]] = []  # of a process of `_share_out`: what all parts have in common


def _take(frames: JoinedRecordings, settings: PrismSettings) -> None:
    _taken[:] = [(frames, settings)]


def _part(chain: Chain, steps: int) -> Chain:
    frames, settings = _taken[0]
    return advance(frames, settings, chain, steps)


def _gathered(frames: JoinedRecordings, settings: PrismSettings, chains: Sequence[Chain]) -> PrismFit:
    """All chains with the labels of the one that has the best sample."""
    best = max(chains, key=lambda chain: chain.best)
    share = best.share.copy()
    to_best = {}
    for number, chain in enumerate(chains):
        to_best[number] = np.arange(settings.states)
        if chain is not best:
            to_best[number] = matching_of_shares(chain.share, best.share)
            share[:, to_best[number]] += chain.share
    share /= share.sum(axis=1, keepdims=True)
    final = matching(best.best_procedure[best.best_slot], share)  # the best sample in the labels of all
    back = np.argsort(final)  # and all in the labels of the best sample
    share = share[:, final]
    samples = np.empty((sum(len(chain.samples) for chain in chains), len(share)), np.int8)
    rows = iter(samples)
    for number, chain in enumerate(chains):
        for sample in chain.samples:  # one by one: an array of indices takes eight times the memory
            next(rows)[:] = back[to_best[number]][sample]
    procedures = np.concatenate([back[to_best[number]][chain.kept_procedure] for number, chain in enumerate(chains)])
    orders = [np.argsort(back[to_best[number]]) for number in range(len(chains))]
    joint = np.array([chain.log_joint for chain in chains])
    draws = PrismDraws(
        frozen(procedures, np.int64),
        frozen(np.concatenate([chain.kept_count for chain in chains]), np.int64),
        *(
            frozen(
                np.concatenate([getattr(chain, name)[:, order] for chain, order in zip(chains, orders, strict=True)])
            )
            for name in ("kept_mean", "kept_root", "kept_log_norm")
        ),
    )

    def cut(values: NDArray[Any], dtype: Any) -> tuple[NDArray[Any], ...]:
        return tuple(frozen(part, dtype) for part in np.split(values, frames.first[1:-1]))

    return PrismFit(
        procedure=frozen(best.best_procedure, np.int64),
        slots=cut(best.best_slot, np.int64),
        states=cut(best.best_procedure[best.best_slot], np.int64),
        share=cut(share, np.float64),
        samples=tuple(frozen(part, np.int8) for part in np.split(samples, frames.first[1:-1], axis=1)),
        log_joint=frozen(joint),
        r_hat=split_r_hat(joint[:, settings.burn_in :]),
        effective_samples=effective_samples(joint[:, settings.burn_in :]),
        draws=draws,
        settings=settings,
    )

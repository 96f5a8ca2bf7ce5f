"""One method on one set of recordings, seed by seed: the rows of PRISM's tables.

In: a `ProcedureSet`, a method's name, seeds. Out: for each seed NMI and TSS over all recordings together, and CPU
seconds. A published score of PRISM is the mean over ten samples of the last 50 of 501 sweeps, that of an HMM belongs
to the most frequent state of each frame in 100 samples, that of a mixture to its prediction.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rehabcount.bench.prism_data import ProcedureSet
from rehabcount.bench.prism_tables import AS_PUBLISHED, BEST, HMM, MIXTURE, OURS
from rehabcount.domain.arrays import Ints
from rehabcount.errors import MissingExtra
from rehabcount.metrics import structure
from rehabcount.models.hmm_gibbs import HmmSettings, fit_hmm
from rehabcount.models.prism import PrismFit, PrismSettings, fit

SWEEPS, LAST, EVERY = 501, 46, 5  # ten samples: sweeps 455, 460, ..., 500


@dataclass(frozen=True, slots=True)
class ProcedureRow:
    """Of each seed; `joint` is the log joint density of PRISM's best sample, else 0."""

    nmi: tuple[float, ...]
    tss: tuple[float, ...]
    joint: tuple[float, ...]
    cpu_s: float  # a seed, on average

    def mean(self) -> tuple[float, float]:
        return float(np.mean(self.nmi)), float(np.mean(self.tss))

    def spread(self) -> tuple[float, float]:
        return float(np.std(self.nmi)), float(np.std(self.tss))

    def best_of(self, chains: int) -> tuple[float, float]:
        """The mean where of so many seeds each time the one with the highest joint density is taken."""
        groups = np.arange(len(self.joint) // chains * chains).reshape(-1, chains)
        chosen = groups[np.arange(len(groups)), np.array(self.joint)[groups].argmax(axis=1)]
        return float(np.array(self.nmi)[chosen].mean()), float(np.array(self.tss)[chosen].mean())


def measure(
    given: ProcedureSet, methods: Sequence[str], seeds: Sequence[int], on_seed: Callable[[int], None]
) -> dict[str, ProcedureRow]:
    """Rows of methods that come from the same fit (PRISM and its best sample), or of one method."""
    scores: dict[str, list[tuple[float, float]]] = {method: [] for method in methods}
    joints = []
    spent = 0.0
    for seed in seeds:
        on_seed(seed)
        begun = time.process_time()
        labellings, joint = labelled(given, methods[0], seed)
        spent += time.process_time() - begun
        joints.append(joint)
        for method in methods:
            chosen = labellings[:1] if method == BEST else labellings[-10:]
            each = [scored(given, labelling) for labelling in chosen]
            nmi, tss = np.mean(each, axis=0).tolist()
            scores[method].append((nmi, tss))
    return {
        method: ProcedureRow(
            tuple(nmi for nmi, _ in of), tuple(tss for _, tss in of), tuple(joints), spent / len(seeds)
        )
        for method, of in scores.items()
    }


def labelled(given: ProcedureSet, method: str, seed: int) -> tuple[list[Ints], float]:
    """Labellings of all frames, of PRISM the best sample and then the last ten; and the joint density."""
    if method == MIXTURE:
        return [mixture(given, seed)], 0.0
    if method in HMM.values():
        (concentration,) = (a for a, name in HMM.items() if name == method)
        settings = HmmSettings(given.states, concentration, sweeps=given.hmm_sweeps, seed=seed)
        return [np.concatenate(fit_hmm(given.recordings, settings).states)], 0.0
    fitted = prism(given, seed, collapsed=method != AS_PUBLISHED)
    samples = np.concatenate(fitted.samples, axis=1).astype(np.int64)
    return [np.concatenate(fitted.states), *samples], float(fitted.log_joint.max())


def prism(given: ProcedureSet, seed: int, *, collapsed: bool = True) -> PrismFit:
    """One chain with the paper's schedule."""
    settings = PrismSettings(
        given.states,
        given.slots,
        chains=1,
        sweeps=SWEEPS,
        burn_in=SWEEPS - LAST,
        thin=EVERY,
        seed=seed,
        concentration=given.concentration,
        collapsed=collapsed,
    )
    return fit(given.recordings, settings)


def mixture(given: ProcedureSet, seed: int) -> Ints:
    """A Gaussian mixture of all frames, which knows no time: scikit-learn's with full covariances."""
    try:
        from sklearn.mixture import GaussianMixture
    except ImportError as error:
        raise MissingExtra("scikit-learn", "bench") from error
    together = np.concatenate(given.recordings)
    # The authors seed numpy's own generator and let scikit-learn take its numbers from there: a RandomState of the same
    # seed gives the same.
    made = GaussianMixture(given.states, max_iter=1000, random_state=np.random.RandomState(seed))
    states: Ints = made.fit(together).predict(together).astype(np.int64)
    return states


def scored(given: ProcedureSet, states: Ints) -> tuple[float, float]:
    """NMI and TSS of all recordings, one after another."""
    lengths = [len(each) for each in given.labels]
    result = structure.evaluate(np.concatenate(given.labels), states, sequence_lengths=lengths)
    return result.nmi(), result.tss()


def groups_of_methods() -> tuple[tuple[str, ...], ...]:
    """Methods that one fit serves."""
    return ((MIXTURE,), *((name,) for name in HMM.values()), (AS_PUBLISHED,), (OURS, BEST))

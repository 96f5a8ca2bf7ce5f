"""How fast are the metrics, against the definition in plain Python and against the clock?

No paper: three promises of our own, measured in one run on made-up labellings. TSS at 10,000 frames against
`plain_tss`; TSS of a million frames; action error rate of 3,000 trials with bootstrap intervals.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping

import numpy as np

from rehabcount.bench.experiment import Claim, Context, Experiment, Results, Value
from rehabcount.bench.plain_tss import temporal_structure_score
from rehabcount.domain.arrays import Ints
from rehabcount.metrics import bootstrap, edit, structure

LABELS = 10
RATIO, LARGE_S, LARGE_MB, AER_S = 50.0, 20.0, 1000.0, 2.0  # the bounds: at least; at most; at most; at most
REPETITIONS = 9  # taken by turns; the best of each counts, for other work on the machine can only slow a run down


def run(settings: Mapping[str, Value], context: Context) -> Results:
    rng = np.random.default_rng(int(settings["seed"]))
    shrink = 10 if context.quick else 1
    context.on_progress("TSS against plain Python", 0, 3)
    reference = labelling(rng, 10_000, 900)
    estimate = with_noise(rng, reference, 2_500)
    structure.evaluate(reference, estimate)  # so that numba compiles before the measurement
    fast_s, plain_s = _best_s(
        lambda: structure.evaluate(reference, estimate).tss(),
        lambda: temporal_structure_score(reference.tolist(), estimate.tolist()),
    )
    gap = abs(
        structure.evaluate(reference, estimate).tss()
        - temporal_structure_score(reference.tolist(), estimate.tolist())[2]
    )

    context.on_progress("TSS of a million frames", 1, 3)
    frames, segments = 1_000_000 // shrink, 20_000 // shrink
    large, other = labelling(rng, frames, segments), labelling(rng, frames, segments)
    large_s = _seconds(lambda: structure.evaluate(large, other).tss())
    peak_mb = _peak_mb()

    context.on_progress("error rate of many trials", 2, 3)
    trials = [rng.integers(0, 5, rng.integers(10, 70)).tolist() for _ in range(3_000 // shrink)]
    guesses = [
        [label if rng.random() > 0.1 else int(rng.integers(0, 5)) for label in t if rng.random() > 0.1] for t in trials
    ]
    aer_s = _seconds(lambda: _aer_with_interval(trials, guesses))
    context.on_progress("done", 3, 3)

    where = "promise" if not context.quick else "promise, a tenth of the size"
    ratio = plain_s / fast_s
    speed = "TSS, 10,000 frames, 2,500 segments: times faster than plain Python"
    large_name = f"TSS, {frames:,} frames, {segments:,} segments: seconds"
    aer_name = f"AER, {len(trials):,} trials, 250 replicates: seconds"
    small = None if peak_mb is None else peak_mb <= LARGE_MB
    claims = (
        Claim(where, speed, RATIO, ratio, ratio >= RATIO, "at least"),
        Claim(where, large_name, LARGE_S, large_s, large_s <= LARGE_S, "at most"),
        Claim(where, "its memory: MB", LARGE_MB, peak_mb, small, "at most; the whole process"),
        Claim(where, aer_name, AER_S, aer_s, aer_s <= AER_S, "at most"),
    )
    figures = {
        "TSS plain s": plain_s,
        "TSS ours s": fast_s,
        "TSS difference": gap,
        "estimated segments": 1 + int(np.count_nonzero(np.diff(estimate))),
    }
    return Results(claims, figures)


def labelling(rng: np.random.Generator, frames: int, segments: int) -> Ints:
    """`segments` runs of random length over ten labels, neighbours different."""
    cuts = np.sort(rng.choice(np.arange(1, frames), segments - 1, replace=False))
    step = rng.integers(1, LABELS, segments)  # never 0: the next label differs
    return np.repeat(np.cumsum(step) % LABELS, np.diff(np.concatenate([[0], cuts, [frames]])))


def with_noise(rng: np.random.Generator, labels: Ints, segments: int) -> Ints:
    """The labelling with single frames changed until it has about `segments` runs."""
    noisy = labels.copy()
    for at in rng.permutation(len(labels)):
        if 1 + np.count_nonzero(np.diff(noisy)) >= segments:
            break
        noisy[at] = rng.integers(0, LABELS)
    return noisy


def _aer_with_interval(reference: list[list[int]], estimate: list[list[int]]) -> bootstrap.Interval:
    result = edit.evaluate(reference, estimate)
    return bootstrap.interval(result.aer(weights=bootstrap.weights(len(reference), replicates=250, seed=0)))


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _best_s(*works: Callable[[], object]) -> list[float]:
    """The shortest time of each, measured by turns so that all meet the same machine."""
    rounds = [[_seconds(work) for work in works] for _ in range(REPETITIONS)]
    return [min(times) for times in zip(*rounds, strict=True)]


def _peak_mb() -> float | None:
    """The largest memory of this process so far; None if the system does not give it."""
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)  # bytes there, kilobytes here


EXPERIMENT = Experiment(
    name="metrics",
    question="How fast are the metrics, against the definition in plain Python and against the clock?",
    citation="our own promises",
    needs="numba for the full speed (rehabcount[bench])",
    takes="15 seconds",
    run=run,
    settings={"seed": 0},
)

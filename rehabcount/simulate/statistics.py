"""Statistics of the cohort, compared with those of the StrokeRehab paper and its code.

Counted as the paper counts: consecutive equal labels of the labelled arm are one primitive (its labels are per frame
and cannot tell two transports in a row apart). Our references keep the repeats; `repeats` says how many that hides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from rehabcount.domain.labels import IDLE, PRIMITIVES, REACH
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.simulate.activities import ACTIVITIES, ONE_HANDED
from rehabcount.simulate.cohort import Subject
from rehabcount.simulate.recording import REPETITIONS, reference_of, script_trial

TOLERANCE = 0.15


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """One number of ours beside the paper's; `paper` None where the paper gives none."""

    name: str
    ours: float
    paper: float | None
    note: str = ""

    @property
    def deviation(self) -> float | None:
        return None if self.paper is None else self.ours / self.paper - 1.0

    @property
    def close(self) -> bool:
        return self.deviation is None or abs(self.deviation) <= TOLERANCE


def trials_of(subject: Subject) -> list[tuple[str, Side]]:
    """Activities and arms of one round. Healthy people move the object with either hand (the paper's file names say
    so)."""
    rounds = [(activity, subject.side) for activity in ACTIVITIES]
    if subject.healthy:
        rounds += [(activity, subject.side.other) for activity in ONE_HANDED]
    return rounds


def cohort_trials(subjects: Iterable[Subject]) -> Iterator[tuple[Subject, str, int, Side]]:
    """Every trial of the cohort: subject, activity, repetition, arm."""
    for subject in subjects:
        for activity, side in trials_of(subject):
            for repetition in range(1, REPETITIONS + 1):
                yield subject, activity, repetition, side


def merged(segments: Iterable[Segment]) -> list[Segment]:
    """One arm's segments with equal neighbours joined, as frame labels would show them."""
    joined = []
    for label, run in groupby(segments, key=lambda segment: segment.label):
        parts = list(run)
        joined.append(Segment(label, parts[0].side, parts[0].start_s, parts[-1].end_s))
    return joined


def describe(
    subjects: tuple[Subject, ...], seed: int = 0, every: int = 1, on_trial: Callable[[], None] = lambda: None
) -> list[PaperFigure]:
    """Statistics of the cohort; `every` takes only each n-th trial (totals are scaled up)."""
    chosen = list(cohort_trials(subjects))
    total = len(chosen)
    seconds, primitives, events = 0.0, 0, 0
    counts: Counter[str] = Counter()
    follows: Counter[tuple[str, str]] = Counter()
    lengths: list[float] = []
    for subject, activity, repetition, side in chosen[::every]:
        reference = [s for s in reference_of(script_trial(subject, activity, repetition, seed, side)) if s.side is side]
        joined = merged(reference)
        events += len(reference)
        primitives += len(joined)
        seconds += joined[-1].end_s
        counts.update(segment.label for segment in joined)
        follows.update((a.label, b.label) for a, b in pairwise(joined))
        lengths += [segment.length_s for segment in joined]
        on_trial()
    used = len(chosen[::every])
    scale = total / used
    after_idle = sum(n for (first, _), n in follows.items() if first == IDLE.name)
    shares = {"idle": 18.8, "reach": 19.9, "reposition": 15.4, "stabilize": 19.6, "transport": 26.4}
    spread = np.array(lengths)
    return [
        PaperFigure(
            "trials", total, 3372, "five repetitions of nine activities; healthy people use either hand at two of them"
        ),
        PaperFigure("hours", seconds / 3600 * scale, 43.48),
        PaperFigure("primitives", primitives * scale, 120_891),
        PaperFigure("primitives a trial", primitives / used, 120_891 / 3372),
        PaperFigure(
            "mean duration (s)", float(spread.mean()), 43.48 * 3600 / 120_891, "1.27 s on the paper's test set"
        ),
        PaperFigure(
            "shorter than 1 s (%)", 100 * float((spread < 1.0).mean()), None, 'the paper says "sub-second": most'
        ),
        PaperFigure("median duration (s)", float(np.median(spread)), None),
        *(PaperFigure(f"{name} (%)", 100 * counts[name] / primitives, shares[name]) for name in PRIMITIVES.names),
        PaperFigure("idle followed by reach (%)", 100 * follows[IDLE.name, REACH.name] / after_idle, 69.3),
        PaperFigure("events with repeats kept", events * scale, None, "two transports in a row are two events"),
    ]

"""GAIN's three principles for a benchmark of unseen tasks, checked; and how often each step occurs, as in its Fig. 3.

In: a training set whose trials are named `train/task/...`, `in/task/...`, `ood/task/...`. Out: a `SplitReport` with
every violation by name.

1. Tasks do not overlap: no unseen task is one that training has.
2. Steps are consistent: every step of a test trial occurs in training.
3. Categories are diverse. The paper gives no number ("the larger number of task categories is the better"); ours: the
   effective number of unseen tasks (the exponential of the entropy of their shares of the trials) is at least
   FEWEST_TASKS, and no task has more than LARGEST_SHARE of the trials. A set of one unseen task violates it, and the
   report says so.

The distance between two distributions of steps is half the sum of absolute differences (0: alike, 1: nothing in
common).

Reference: Li et al., GAIN, ICLR 2023, section 2.2 and Fig. 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rehabcount.bench.gain_data import IN, OOD, task_of, where_of
from rehabcount.domain.arrays import Floats
from rehabcount.models.data import UNKNOWN, TrainingSet, Trial

FEWEST_TASKS, LARGEST_SHARE = 3.0, 0.5
GROUPS = ("train", IN, OOD)


@dataclass(frozen=True, slots=True)
class Violation:
    """One principle that does not hold, and what breaks it."""

    principle: str  # "tasks do not overlap", "steps are consistent", "categories are diverse"
    what: str


@dataclass(frozen=True, slots=True)
class SplitReport:
    tasks: dict[str, dict[str, int]]  # group -> task -> trials
    people: dict[str, int]
    minutes: dict[str, float]
    steps: dict[str, dict[str, float]]  # group -> step -> share of its steps
    violations: tuple[Violation, ...]
    effective_tasks: float  # of the unseen ones

    def distance(self, one: str, two: str) -> float:
        """Between the distributions of steps of two groups."""
        names = {*self.steps[one], *self.steps[two]}
        return 0.5 * sum(abs(self.steps[one].get(n, 0.0) - self.steps[two].get(n, 0.0)) for n in names)


def check(data: TrainingSet) -> SplitReport:
    groups = {group: [trial for trial in data.trials if where_of(trial) == group] for group in GROUPS}
    tasks = {group: dict(Counter(task_of(trial) for trial in trials)) for group, trials in groups.items()}
    counts = {group: step_counts(data, trials) for group, trials in groups.items()}
    effective = effective_number(list(tasks[OOD].values()))
    return SplitReport(
        tasks,
        {group: len({trial.subject for trial in trials}) for group, trials in groups.items()},
        {group: round(sum(map(len, trials)) / data.rate_hz / 60, 1) for group, trials in groups.items()},
        {group: shares(data, counts[group]) for group in GROUPS},
        tuple(_violations(data, tasks, counts, effective)),
        round(effective, 2),
    )


def _violations(
    data: TrainingSet, tasks: dict[str, dict[str, int]], counts: dict[str, Floats], effective: float
) -> list[Violation]:
    found = [
        Violation("tasks do not overlap", f"{task} is trained and unseen")
        for task in sorted(set(tasks["train"]) & set(tasks[OOD]))
    ]
    found += [
        Violation("steps are consistent", f"{data.labels[step]} is tested ({group}) and not trained")
        for group in (IN, OOD)
        for step in np.flatnonzero((counts[group] > 0) & (counts["train"] == 0))
    ]
    number = sum(tasks[OOD].values())
    if effective < FEWEST_TASKS - 1e-9:
        found.append(Violation("categories are diverse", f"{effective:.1f} unseen tasks in effect"))
    found += [
        Violation("categories are diverse", f"{task} is {trials / number:.0%} of the unseen trials")
        for task, trials in tasks[OOD].items()
        if trials / number > LARGEST_SHARE
    ]
    return found


def step_counts(data: TrainingSet, trials: Sequence[Trial]) -> Floats:
    """How often each step begins."""
    counts = np.zeros(len(data.labels))
    for trial in trials:
        labels = np.asarray(trial.labels)
        begins = np.array(trial.onsets, bool)
        begins[1:] |= labels[1:] != labels[:-1]
        first = labels[begins & (labels != UNKNOWN)]
        counts += np.bincount(first, minlength=len(counts))
    return counts


def shares(data: TrainingSet, counts: Floats) -> dict[str, float]:
    total = max(1.0, float(counts.sum()))
    return {name: round(float(count) / total, 4) for name, count in zip(data.labels, counts, strict=True)}


def effective_number(trials: Sequence[int]) -> float:
    """The exponential of the entropy of the shares; 0 for none."""
    if not trials:
        return 0.0
    share = np.array(trials, float) / sum(trials)
    return float(np.exp(-(share * np.log(share)).sum()))

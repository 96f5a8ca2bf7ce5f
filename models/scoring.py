"""Scores that training watches: action error rate, edit score, and the count bias of each label.

Conventions are those of `rehabcount.metrics.edit`: AER is summed over trials (edits over reference tokens), the edit
score is the mean over trials. Count bias of a label: estimated over true number, less 1; a label that never occurs
has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rehabcount.metrics.edit import evaluate


@dataclass(frozen=True, slots=True)
class Score:
    aer: float
    edit_score: float
    bias: tuple[float | None, ...]  # of each label
    reference: int  # tokens
    estimate: int

    @property
    def worst_bias(self) -> float:
        """The largest count bias of any label, in either direction."""
        return max((abs(value) for value in self.bias if value is not None), default=0.0)

    @property
    def total_bias(self) -> float:
        return self.estimate / self.reference - 1 if self.reference else 0.0


def score(reference: Sequence[Sequence[int]], estimate: Sequence[Sequence[int]], labels: int) -> Score:
    """Over trials; an empty pair scores 100 and adds nothing to the rate."""
    if not reference:
        return Score(float("nan"), float("nan"), (None,) * labels, 0, 0)
    result = evaluate(reference, estimate)
    true, found = np.zeros(labels, np.int64), np.zeros(labels, np.int64)
    for column, label in enumerate(result.labels):
        assert isinstance(label, int)
        true[label] = result.reference_counts[:, column].sum()
        found[label] = result.estimate_counts[:, column].sum()
    return Score(
        float(result.aer()),
        float(result.edit_score()),
        tuple(float(f / t - 1) if t else None for f, t in zip(found, true, strict=True)),
        int(true.sum()),
        int(found.sum()),
    )

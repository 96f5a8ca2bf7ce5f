"""Scores that training watches: action error rate, edit score, and the count bias of each label.

Conventions are those of `rehabcount.metrics.edit`: AER is summed over trials (edits over reference tokens), the edit score
is the mean over trials. Count bias of a label: estimated over true number, less 1; a label that never occurs has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


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
    edits = [edit_distance(r, e) for r, e in zip(reference, estimate, strict=True)]
    length = sum(len(r) for r in reference)
    each = [
        100.0 * (1 - d / max(len(r), len(e), 1)) for d, r, e in zip(edits, reference, estimate, strict=True)
    ]
    true = np.bincount([token for r in reference for token in r], minlength=labels)
    found = np.bincount([token for e in estimate for token in e], minlength=labels)
    return Score(
        sum(edits) / length if length else float("nan"),
        float(np.mean(each)) if each else float("nan"),
        tuple(float(f / t - 1) if t else None for f, t in zip(found, true, strict=True)),
        int(length),
        int(found.sum()),
    )


def edit_distance(one: Sequence[int], two: Sequence[int]) -> int:
    """Levenshtein. (The joint with `rehabcount.metrics.edit`, which does it faster once it is here.)"""
    row = np.arange(len(two) + 1)
    other = np.asarray(two)
    for i, token in enumerate(one, start=1):
        best = np.minimum(row[:-1] + (other != token), row[1:] + 1)  # substitution or match, deletion
        # Insertions run along the row: a running minimum of value less position.
        new = np.concatenate([[i], best])
        row = np.minimum.accumulate(new - np.arange(len(new))) + np.arange(len(new))
    return int(row[-1])

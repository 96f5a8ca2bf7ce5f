"""Stability of discovered activities: do they occur as often, and describe as well, in data they were not found in?

Activities found on one part of the data in, judged on that part and on another; no reference is needed.

Conventions
-----------
`train` and `test` are (events, activities) of booleans: where each activity is active. An event may have several
activities or none. Bits are those that each event costs in a code that uses the activities; `plain_bits` are those of
an event in a code that knows nothing: log2 of the number of different events.

Metrics
-------
predictive   1 - sum |a - b| / sum (a + b) over activities, with a and b the shares of events where the activity is
             active: 1 where all are as frequent in both parts, 0 where none occurs in both.
compressive  the smaller of the two compression ratios over the larger: 1 where the activities describe both parts
             equally well. A ratio is the mean bits of an event over the plain ones; below 1 the code is shorter.
Where nothing is active in either part, predictive is 1: nothing has changed.

References
----------
Rogers, Ross & Kelleher, AIAI 2018, section 2.1, after Cook & Krishnan, Activity Learning, 2015. Both name the ideas
only; the formulas are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rehabcount.domain.arrays import Floats, frozen


@dataclass(frozen=True, slots=True)
class StabilityResult:
    """Shares of events by activity, and compression ratios, of both parts."""

    train_shares: Floats  # (activities,)
    test_shares: Floats
    train_ratio: float
    test_ratio: float

    @property
    def predictive(self) -> float:
        both = float((self.train_shares + self.test_shares).sum())
        return 1.0 - float(np.abs(self.train_shares - self.test_shares).sum()) / both if both else 1.0

    @property
    def compressive(self) -> float:
        low, high = sorted((self.train_ratio, self.test_ratio))
        return low / high


def evaluate(train: Any, test: Any, *, train_bits: Any, test_bits: Any, plain_bits: float) -> StabilityResult:
    """Compare both parts. `train_bits` and `test_bits` hold a number an event."""
    parts = [_table(name, part) for name, part in (("train", train), ("test", test))]
    if parts[0].shape[1] != parts[1].shape[1]:
        raise ValueError(f"train has {parts[0].shape[1]} activities, test has {parts[1].shape[1]}")
    if not plain_bits > 0:
        raise ValueError(f"plain_bits must be above 0, not {plain_bits}")
    ratios = []
    for name, part, bits in zip(("train", "test"), parts, (train_bits, test_bits), strict=True):
        values = np.asarray(bits, float)
        if values.shape != (len(part),) or not np.all(values >= 0):
            raise ValueError(f"{name}_bits must be {len(part)} numbers of 0 or more")
        ratios.append(max(float(values.mean()), np.finfo(float).tiny) / plain_bits)
    return StabilityResult(frozen(parts[0].mean(axis=0)), frozen(parts[1].mean(axis=0)), *ratios)


def _table(name: str, active: Any) -> Floats:
    table = np.asarray(active).astype(bool).astype(float)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or not len(table):
        raise ValueError(f"{name} must be (events, activities) with at least one event, not {np.shape(active)}")
    return table

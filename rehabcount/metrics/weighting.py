"""Sums, means and ratios over trials, plain or once per bootstrap replicate.

`weights` (replicates x trials) says how often each replicate holds each trial; None means every trial once. A division
by zero gives NaN, never an error; the docstring of each metric says what this means there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rehabcount.domain.arrays import Floats


def total(values: Any, weights: Floats | None) -> Any:
    """Sum over trials (the first axis); one sum per replicate where weights are given."""
    return np.asarray(values, float).sum(axis=0) if weights is None else weights @ np.asarray(values, float)


def mean(values: Any, weights: Floats | None) -> Any:
    """Mean over the trials whose value is known."""
    values = np.asarray(values, float)
    known = np.isfinite(values)
    return ratio(total(np.where(known, values, 0.0), weights), total(known, weights))


def mean_of_known(values: Any) -> Any:
    """Mean over the last axis without NaN; NaN if all are NaN."""
    known = np.isfinite(values)
    return ratio(np.where(known, values, 0.0).sum(axis=-1), known.sum(axis=-1))


def ratio(part: Any, whole: Any) -> Any:
    """part / whole, NaN where whole is zero."""
    whole = np.asarray(whole, float)
    return np.divide(part, whole, out=np.full(np.broadcast(part, whole).shape, np.nan), where=whole != 0)[()]

"""Agreement: can the counts replace those of a person?

Counts of many sessions by a person and by us in; one `AgreementResult` out. Each kind of movement is compared by
itself: in a sum of several, one that was missed and one that was invented would cancel.

Conventions
-----------
One pair per session; `subjects` says whose it was, because sessions of one person are alike: treating them as
independent makes limits too narrow. Errors of counts grow with the count, so limits of agreement are those of the ratio
estimate / reference, computed on logarithms. A pair with a zero has no ratio: it is left out there, and `without_ratio`
says how many. At least two pairs are needed for anything that is a spread; with fewer it is NaN.

Metrics
-------
bias             mean of estimate - reference.
mae              mean of |estimate - reference|: errors of different sessions do not cancel, as they do in the bias.
ratio, limits    geometric mean of the ratios, and the range in which 95 % of single sessions are expected. The variance
                 is within subjects plus between subjects, from a one-way analysis of variance for unequal numbers of
                 sessions (true value varies; Bland & Altman 2007, section 3). A negative component counts as zero; with
                 one subject only, the spread within is used alone. The limits treat the spread as exact: from two
                 sessions they contain 64 % of later ones, from five 85 %, from ten 91 % (normal logarithms). Below
                 `bootstrap.FEWEST_UNITS` subjects they must not be shown as 95 % limits.
icc              ICC(A,1): two-way, absolute agreement, single measurement, with its F-based interval.
mape             mean of |estimate - reference| / reference, in percent; sessions with reference 0 left out.
sem, mdc95       standard error of measurement (disagreement of the raters included), and the smallest change of one
                 person's count that is not measurement error with 95 % confidence: 1.96 * sqrt(2) * SEM.
false_per_hour   counts in time without exercise, per hour, with an exact Poisson interval; no hours: NaN.

References
----------
Bland & Altman, Agreement between methods of measurement with multiple observations per individual, J Biopharm Stat
2007. McGraw & Wong, Forming inferences about some intraclass correlation coefficients, Psychol Methods 1996.
de Vet et al., When to use agreement versus reliability measures, J Clin Epidemiol 2006.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rehabcount.domain.arrays import Floats

NORMAL_95 = 1.959963984540054  # the 97.5th percentile of the normal distribution


@dataclass(frozen=True, slots=True)
class WithInterval:
    """A value and its 95 % interval, from `low` to `high`."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AgreementResult:
    """How far counts agree.

    Attributes
    ----------
    sessions, subjects : int
    bias, mae : float
        Mean of estimate - reference, and of its absolute value, in counts.
    ratio, lower_limit, upper_limit : float
        Estimate over reference, and the limits between which 95 % of single sessions are expected. NaN without two
        sessions that have a ratio; too narrow for fewer than ten people (page "Agreement").
    without_ratio : int
        Sessions with a zero count, which have no ratio.
    icc : WithInterval
        ICC(A,1), absolute agreement of single counts.
    mape : float
        Mean absolute error in percent of the reference.
    sem, mdc95 : float
        Standard error of measurement, and the smallest change that is more than measurement error, in counts.
    """

    sessions: int
    subjects: int
    bias: float
    mae: float
    ratio: float
    lower_limit: float
    upper_limit: float
    without_ratio: int
    icc: WithInterval
    mape: float
    sem: float
    mdc95: float


def evaluate(reference: Any, estimate: Any, *, subjects: Sequence[Hashable] | None = None) -> AgreementResult:
    """Compare counts session by session. Without `subjects` each session is another person's."""
    r, e = _counts("reference", reference), _counts("estimate", estimate)
    if len(r) != len(e):
        raise ValueError(f"reference has {len(r)} sessions, estimate has {len(e)}")
    if not len(r):
        raise ValueError("there is no session to compare")
    people = list(subjects) if subjects is not None else list(range(len(r)))
    if len(people) != len(r):
        raise ValueError(f"subjects has {len(people)} entries for {len(r)} sessions")
    number = {subject: i for i, subject in enumerate(dict.fromkeys(people))}
    whose = np.array([number[subject] for subject in people])

    both = (r > 0) & (e > 0)
    logs = np.log(e[both] / r[both])
    middle = float(logs.mean()) if len(logs) else float("nan")
    spread = NORMAL_95 * repeated_measures_sd(logs, whose[both])
    squares = _mean_squares(np.column_stack([r, e]))
    sem = _sem(squares, len(r))
    some = r > 0
    return AgreementResult(
        sessions=len(r),
        subjects=len(number),
        bias=float((e - r).mean()),
        mae=float(np.abs(e - r).mean()),
        ratio=float(np.exp(middle)),
        lower_limit=float(np.exp(middle - spread)),
        upper_limit=float(np.exp(middle + spread)),
        without_ratio=int((~both).sum()),
        icc=icc_a1(np.column_stack([r, e])),
        mape=float(100 * np.mean(np.abs(e - r)[some] / r[some])) if some.any() else float("nan"),
        sem=sem,
        mdc95=NORMAL_95 * math.sqrt(2) * sem,
    )


def repeated_measures_sd(differences: Floats, subjects: Any) -> float:
    """Standard deviation of a single difference, where several come from one subject. NaN for fewer than two."""
    if len(differences) < 2:
        return float("nan")
    _, member = np.unique(subjects, return_inverse=True)
    sizes = np.bincount(member).astype(float)
    means = np.bincount(member, weights=differences) / sizes
    people, total = len(sizes), len(differences)
    if people == total:
        return float(np.std(differences, ddof=1))
    within = float(((differences - means[member]) ** 2).sum() / (total - people))
    if people == 1:
        return float(np.sqrt(within))
    between = float((sizes * (means - differences.mean()) ** 2).sum() / (people - 1))
    usual_size = (total**2 - (sizes**2).sum()) / ((people - 1) * total)
    return float(np.sqrt(within + max(0.0, (between - within) / usual_size)))


def icc_a1(ratings: Any, level: float = 0.95) -> WithInterval:
    """ICC(A,1) of `ratings` (targets x raters) with its interval. Fewer than two of either: NaN."""
    from scipy.special import fdtri

    ratings = np.asarray(ratings, float)
    n, k = ratings.shape
    if n < 2 or k < 2:
        return WithInterval(float("nan"), float("nan"), float("nan"))
    if np.ptp(ratings) == 0:  # nothing distinguishes the targets
        return WithInterval(float("nan"), float("nan"), float("nan"))
    rows, columns, error = _mean_squares(ratings)
    variance = rows + (k - 1) * error + k / n * (columns - error)
    if variance <= 1e-12 * error:  # two targets that the raters have exchanged
        return WithInterval(float("nan"), float("nan"), float("nan"))
    icc = (rows - error) / variance
    if icc > 1 - 1e-12:  # perfect up to rounding
        return WithInterval(1.0, 1.0, 1.0)
    # The raters differ by a constant and the targets not at all; or neither differ, and all is error.
    if max(rows, error) <= 1e-12 * columns or max(rows, columns) <= 1e-12 * error:
        return WithInterval(float(icc), float("nan"), float("nan"))
    a = k * icc / (n * (1 - icc))
    b = 1 + k * icc * (n - 1) / (n * (1 - icc))
    freedom = (a * columns + b * error) ** 2 / ((a * columns) ** 2 / (k - 1) + (b * error) ** 2 / ((n - 1) * (k - 1)))
    tail = 1 - (1 - level) / 2
    f_low, f_high = float(fdtri(n - 1, freedom, tail)), float(fdtri(freedom, n - 1, tail))
    rest = k * columns + (k * n - k - n) * error
    low = n * (rows - f_low * error) / (f_low * rest + n * rows)
    high = n * (f_high * rows - error) / (rest + n * f_high * rows)
    return WithInterval(float(icc), float(low), float(high))


def false_per_hour(false_counts: int, hours: float, level: float = 0.95) -> WithInterval:
    """Rate of counts in time that holds no exercise."""
    from scipy.special import gammaincinv

    if false_counts < 0 or hours < 0:
        raise ValueError(f"false_counts={false_counts}, hours={hours}: neither can be negative")
    if hours == 0:
        return WithInterval(float("nan"), float("nan"), float("nan"))
    tail = (1 - level) / 2
    low = float(gammaincinv(false_counts, tail)) if false_counts else 0.0
    high = float(gammaincinv(false_counts + 1, 1 - tail))
    return WithInterval(false_counts / hours, low / hours, high / hours)


def _counts(name: str, values: Any) -> Floats:
    counts = np.asarray(values, float)
    wrong = np.flatnonzero(~(np.isfinite(counts) & (counts >= 0))) if counts.ndim == 1 else [0]
    if counts.ndim != 1 or len(wrong):
        raise ValueError(f"{name} must be one count per session, none negative or missing; entry {wrong[0]} is not")
    return counts


def _mean_squares(ratings: Floats) -> tuple[float, float, float]:
    """Of targets, raters and what remains, in the two-way table without replication."""
    n, k = ratings.shape
    if n < 2:
        return float("nan"), float("nan"), float("nan")
    grand = ratings.mean()
    rows, columns = ratings.mean(axis=1) - grand, ratings.mean(axis=0) - grand
    rest = ratings - grand - rows[:, None] - columns
    return (
        float(k * (rows**2).sum() / (n - 1)),
        float(n * (columns**2).sum() / (k - 1)),
        float((rest**2).sum() / ((n - 1) * (k - 1))),
    )


def _sem(mean_squares: tuple[float, float, float], targets: int) -> float:
    _, raters, error = mean_squares
    return float(np.sqrt(max(0.0, (raters - error) / targets) + error)) if targets > 1 else float("nan")

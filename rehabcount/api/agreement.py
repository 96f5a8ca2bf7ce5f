"""Counts against a person's counts: the numbers behind a Bland-Altman plot, and false counts outside of exercise."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rehabcount.domain.arrays import Floats, frozen
from rehabcount.errors import InputRefused
from rehabcount.metrics import agreement
from rehabcount.metrics.agreement import NORMAL_95, AgreementResult, WithInterval, repeated_measures_sd
from rehabcount.metrics.bootstrap import FEWEST_UNITS


@dataclass(frozen=True, slots=True)
class BlandAltman:
    """The numbers of a Bland-Altman plot, session by session and in all.

    Attributes
    ----------
    mean : array, shape (sessions,)
        Of reference and estimate: the horizontal axis.
    difference : array, shape (sessions,)
        Estimate minus reference: the vertical axis.
    bias, lower, upper : float
        Mean difference, and the limits between which 95 % of single sessions are expected. Several sessions of one
        person are taken into account; NaN for fewer than two sessions. Of fewer than ten people they are too narrow:
        `print` says so.
    ratio, lower_ratio, upper_ratio : float
        The same of estimate / reference. Errors of counts grow with the count, so with sessions of different length
        these limits are the ones to report.
    agreement : AgreementResult
        ICC(A,1) with its interval, mean absolute error in percent, SEM and MDC95 (the page "Agreement").

    Examples
    --------
    >>> import rehabcount as rc
    >>> found = rc.bland_altman([100, 120, 60, 66], [104, 118, 57, 66])
    >>> found.mean.tolist()
    [102.0, 119.0, 58.5, 66.0]
    >>> print(found)
    4 sessions of 4 people
    estimate - reference:  mean -0.2, limits of agreement -6.3 to +5.8, mean absolute error 2.2
    estimate / reference:  mean 0.993, limits of agreement 0.922 to 1.069
    Read with care: limits of agreement from fewer than 10 people are too narrow.
    """

    mean: Floats
    difference: Floats
    bias: float
    lower: float
    upper: float
    ratio: float
    lower_ratio: float
    upper_ratio: float
    agreement: AgreementResult

    def __str__(self) -> str:
        found = self.agreement
        few = found.subjects < FEWEST_UNITS
        difference = f"limits of agreement {self.lower:+.1f} to {self.upper:+.1f}, mean absolute error {found.mae:.1f}"
        ratio = f"limits of agreement {self.lower_ratio:.3f} to {self.upper_ratio:.3f}"
        lines = [
            f"{found.sessions} sessions of {found.subjects} people",
            f"estimate - reference:  mean {self.bias:+.1f}, {difference}",
            f"estimate / reference:  mean {self.ratio:.3f}, {ratio}",
            f"Sessions with a zero count, which have no ratio: {found.without_ratio}." if found.without_ratio else "",
            f"Read with care: limits of agreement from fewer than {FEWEST_UNITS} people are too narrow." if few else "",
        ]
        return "\n".join(line for line in lines if line)


def bland_altman(reference: Any, estimate: Any, *, subjects: Sequence[Hashable] | None = None) -> BlandAltman:
    """How far counts agree with a person's counts of the same sessions.

    Parameters
    ----------
    reference : array, shape (sessions,)
        What a person counted.
    estimate : array, shape (sessions,)
        What was counted instead, in the same order.
    subjects : sequence, optional
        Whose session each was; without it each is another person's.

    Returns
    -------
    BlandAltman

    Examples
    --------
    >>> import rehabcount as rc
    >>> therapist = [100, 120, 60, 66, 200, 180]
    >>> counted = [104, 118, 57, 66, 210, 186]
    >>> found = rc.bland_altman(therapist, counted, subjects=["ann", "ann", "bo", "bo", "cy", "cy"])
    >>> round(found.bias, 1), round(found.lower, 1), round(found.upper, 1)
    (2.5, -8.1, 13.1)
    >>> round(found.ratio, 3), round(found.lower_ratio, 2), round(found.upper_ratio, 2)
    (1.009, 0.93, 1.09)
    """
    try:
        found = agreement.evaluate(reference, estimate, subjects=subjects)
    except (TypeError, ValueError) as problem:
        raise InputRefused(
            f"these are no counts of sessions: {problem}.", advice="Give one count a session."
        ) from problem
    r, e = np.asarray(reference, float), np.asarray(estimate, float)
    whose = list(subjects) if subjects is not None else list(range(len(r)))
    number = {subject: i for i, subject in enumerate(dict.fromkeys(whose))}
    spread = NORMAL_95 * repeated_measures_sd(e - r, np.array([number[subject] for subject in whose]))
    return BlandAltman(
        mean=frozen((r + e) / 2),
        difference=frozen(e - r),
        bias=found.bias,
        lower=found.bias - spread,
        upper=found.bias + spread,
        ratio=found.ratio,
        lower_ratio=found.lower_limit,
        upper_ratio=found.upper_limit,
        agreement=found,
    )


def false_per_hour(false_counts: int, hours: float) -> WithInterval:
    """How often something is counted in time that holds no exercise.

    Parameters
    ----------
    false_counts : int
        Counts in time that holds no exercise (walking, talking, being moved).
    hours : float
        How long that time was.

    Returns
    -------
    WithInterval
        `.value` an hour, with its exact 95 % Poisson interval `.low` to `.high`; NaN for no time.

    Examples
    --------
    >>> import rehabcount as rc
    >>> rate = rc.false_per_hour(3, hours=2.0)
    >>> rate.value, round(rate.low, 2), round(rate.high, 2)
    (1.5, 0.31, 4.38)
    """
    try:
        return agreement.false_per_hour(false_counts, hours)
    except ValueError as problem:
        raise InputRefused(
            f"this is no rate: {problem}.", advice="Give a count and a length, not negative."
        ) from problem

"""Trend: one figure of many sessions, in order, and where it changed by more than measurement error.

A change is marked only if the smallest detectable change (`mdc95`) is known for the recogniser that counted both
sessions; counts of different recognisers are not compared. The reference is the first session, then the last marked
one, so that a slow rise is marked, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rehabcount.domain.labels import PRIMITIVES
from rehabcount.domain.session_summary import Summary

Measure = Callable[[Summary], float | None]


@dataclass(frozen=True, slots=True)
class Point:
    """One session in the trend. `change` is the difference to its reference session, if it is marked."""

    summary: Summary
    value: float | None
    target: float | None = None
    change: float | None = None


def repetitions(summary: Summary) -> float:
    return float(summary.dose.repetitions)


def active_minutes(summary: Summary) -> float:
    return summary.dose.active_s / 60


def primitives(summary: Summary) -> float:
    return float(
        sum(
            count.number
            for count in summary.dose.counts
            if count.side is summary.side and PRIMITIVES[count.label].counted
        )
    )


def pace(summary: Summary) -> float | None:
    return summary.pace_per_min


def trend(summaries: Sequence[Summary], measure: Measure = repetitions) -> tuple[Point, ...]:
    """The sessions in order of time. Only the trend of task repetitions has targets and changes."""
    ordered = sorted(summaries, key=lambda each: (each.begun_utc_ns or 0, each.file))
    if measure is not repetitions:
        return tuple(Point(each, measure(each)) for each in ordered)
    points: list[Point] = []
    compared: Summary | None = None
    for each in ordered:
        change = _change(compared, each) if compared is not None else None
        if compared is None or change is not None or not _comparable(compared, each):
            compared = each
        target = each.dose.plan.target
        points.append(Point(each, repetitions(each), None if target is None else float(target), change))
    return tuple(points)


def _change(before: Summary, after: Summary) -> float | None:
    """The difference if it exceeds measurement error; None otherwise, or if that error is unknown."""
    difference = repetitions(after) - repetitions(before)
    mdc95 = after.model.mdc95 if after.model is not None and _comparable(before, after) else None
    return difference if mdc95 is not None and abs(difference) > mdc95 else None


def _comparable(before: Summary, after: Summary) -> bool:
    return (
        before.model is not None
        and after.model is not None
        and before.model.sha256 == after.model.sha256
        and before.side is after.side
    )

"""Dose: how much was asked for and how much was done.

Optimal dose is unknown; a target is the therapist's, and there is no default.
"""

from __future__ import annotations

from dataclasses import dataclass

from rehabcount.domain.rig import Side


@dataclass(frozen=True, slots=True)
class PlannedActivity:
    """One activity of a plan; `target` counts task repetitions, None where none was set."""

    name: str
    target: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What the therapist intends for this session."""

    activities: tuple[PlannedActivity, ...] = ()

    @property
    def target(self) -> int | None:
        """Task repetitions asked for in all; None when no activity has a target."""
        targets = [activity.target for activity in self.activities if activity.target is not None]
        return sum(targets) if targets else None


@dataclass(frozen=True, slots=True)
class Count:
    """How often one label occurred on one side, and for how long."""

    label: str
    side: Side
    number: int
    length_s: float


@dataclass(frozen=True, slots=True)
class Dose:
    """What was done so far."""

    counts: tuple[Count, ...]
    active_s: float
    plan: Plan

"""Dose: how much was planned and how much was done.

Two numbers are kept apart: **task repetitions**, which clinical targets count (one cycle of handling an object, from
contact to release), and **primitives**, which the research counts. The optimal dose is unknown; the therapist sets the
target, and there is no default.
"""

from __future__ import annotations

from dataclasses import dataclass

from rehabcount.domain.rig import Side

MOST_ACTIVITIES = 1000  # of a plan; every dose names each of them
SHORTEST_PACED_S = 10.0  # in a shorter time one repetition more is a pace of six a minute more


@dataclass(frozen=True, slots=True)
class PlannedActivity:
    """One activity of a plan; `target` counts task repetitions, None if none was set."""

    name: str
    target: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The therapist's plan for this session."""

    activities: tuple[PlannedActivity, ...] = ()

    def __post_init__(self) -> None:
        if len(self.activities) > MOST_ACTIVITIES:
            raise ValueError(f"a plan has at most {MOST_ACTIVITIES} activities, not {len(self.activities)}")

    @property
    def target(self) -> int | None:
        """The sum of all targets in task repetitions; None if no activity has a target."""
        targets = [activity.target for activity in self.activities if activity.target is not None]
        return sum(targets) if targets else None


@dataclass(frozen=True, slots=True)
class Count:
    """How often one label occurred on one side, and for how long. Assisted movements are counted separately.

    Attributes
    ----------
    label : str
    side : Side
    number : int
        How many, without assisted ones.
    length_s : float
        Their length in all, in seconds.
    assisted : int
        How many the therapist helped with.
    """

    label: str
    side: Side
    number: int
    length_s: float
    assisted: int = 0


@dataclass(frozen=True, slots=True)
class ActivityDose:
    """Task repetitions of one activity of the plan (name empty: outside any) against its target."""

    name: str
    repetitions: int
    target: int | None = None


@dataclass(frozen=True, slots=True)
class Dose:
    """The dose so far.

    Attributes
    ----------
    counts : tuple of Count
        The primitives of each arm, where there are some.
    active_s : float
        Seconds of all counted primitives of the trained arm but `idle`.
    plan : Plan
        What was intended; empty for arrays.
    repetitions, assisted_repetitions : int
        Task repetitions of the trained arm, without and with the therapist's help.
    activities : tuple of ActivityDose
        Task repetitions by activity of the plan; an empty name is time outside of activities.
    use_ratio : float or None
        Active time of the trained arm over that of the other arm; None if only one wears sensors.
    """

    counts: tuple[Count, ...]
    active_s: float
    plan: Plan
    repetitions: int = 0
    assisted_repetitions: int = 0
    activities: tuple[ActivityDose, ...] = ()
    use_ratio: float | None = None  # active time of the trained arm over the other's; None if only one arm has sensors

    @property
    def of_plan(self) -> int | None:
        """Repetitions towards the plan; those beyond an activity's target do not count for another activity. None
        without a target."""
        if self.plan.target is None:
            return None
        done = {each.name: each.repetitions for each in self.activities}
        return sum(min(done.get(each.name, 0), each.target) for each in self.plan.activities if each.target is not None)


def pace_per_min(repetitions: int, counted_s: float) -> float | None:
    """The pace: task repetitions for each counted minute, without pauses and assisted time. None if the counted time is
    too short."""
    return repetitions / counted_s * 60 if counted_s >= SHORTEST_PACED_S else None

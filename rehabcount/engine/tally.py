"""Counting: settled events -> the dose.

In: events of one or both arms in the order they settled, the session's phases as the therapist changes them, and when
an arm's sensor set is incomplete. Out: a new Dose after each event. No count is ever taken back. docs/counting.md
explains the definitions to users.

**Task repetition**: one cycle of handling an object, from contact to release. In primitives: an unbroken run of
transport and stabilize of the trained arm with at least one transport. Any other label ends it. It is counted at its
first transport, so that the number on the screen rises while the patient moves. A hand that holds a jar still while the
other hand unscrews it makes no transport, and so no repetition.

**What stops the count**: an event counts by the phase in which its middle lies. Counting: it counts. Assisted: it is
counted apart. Paused, calibrating, or with the sensor set incomplete: it is recorded and not counted. `idle` is kept
as time, `other` is never counted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rehabcount.domain.dose import ActivityDose, Count, Dose, Plan
from rehabcount.domain.labels import IDLE, PRIMITIVES, STABILIZE, TRANSPORT
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event, Phase, PhaseName, SensorSet

_COUNTED = frozenset(label.name for label in PRIMITIVES.labels if label.counted)
HANDLING = (TRANSPORT.name, STABILIZE.name)
BREAK_S = 2.0  # after a longer time without recognised movements, handling is a new cycle


@dataclass
class _Cell:
    number: int = 0
    assisted: int = 0
    length_s: float = 0.0


@dataclass
class Tally:
    """The running count of one session. `side` is the arm that is trained."""

    plan: Plan
    side: Side
    both_arms: bool = False
    _phases: list[Phase] = field(default_factory=list)
    _lacking: dict[Side, list[tuple[float, bool]]] = field(default_factory=dict)  # (since when, whether incomplete)
    _cells: dict[tuple[str, Side], _Cell] = field(default_factory=dict)
    _repetitions: dict[str, int] = field(default_factory=dict)  # by activity
    _assisted_repetitions: int = 0
    _handling_until_s: float | None = None  # end of the handling run that goes on
    _counted_run: bool = False  # whether that run has had its transport

    def enter(self, phase: Phase) -> None:
        """The session goes into another phase; phases come in order of time."""
        if self._phases and phase.at_s < self._phases[-1].at_s:
            raise ValueError(f"phase {phase.name!r} at {phase.at_s} s comes after one at {self._phases[-1].at_s} s")
        self._phases.append(phase)

    def equip(self, sensors: SensorSet) -> None:
        """An arm's sensor set becomes incomplete, or complete again."""
        self._lacking.setdefault(sensors.side, []).append((sensors.at_s, bool(sensors.missing)))

    def count(self, event: Event) -> Dose:
        """Count an event; the dose so far."""
        segment = event.segment
        middle_s = (segment.start_s + segment.end_s) / 2
        phase = self._phase_at(middle_s)
        if self.counts_at(segment.side, middle_s) and segment.label in PRIMITIVES.names:
            cell = self._cells.setdefault((segment.label, segment.side), _Cell())
            assisted = phase.name == PhaseName.ASSISTED
            cell.assisted += assisted
            cell.number += not assisted
            cell.length_s += 0.0 if assisted else segment.length_s
            if segment.side is self.side:
                self._handle(event, phase)
        elif segment.side is self.side:
            self._handling_until_s = None
        return self.dose()

    def is_counted(self, segment: Segment) -> bool:
        """Whether a movement adds to the numbers of the dose: not idle, not `other`, not assisted."""
        middle_s = (segment.start_s + segment.end_s) / 2
        counting = self.counts_at(segment.side, middle_s) and self._phase_at(middle_s).name != PhaseName.ASSISTED
        return counting and segment.label in _COUNTED

    def counts_at(self, side: Side, time_s: float) -> bool:
        """Whether a movement of that arm at that time is counted, with assistance or without."""
        counting = self._phase_at(time_s).name in (PhaseName.COUNTING, PhaseName.ASSISTED)
        return counting and not self._lacks_at(side, time_s)

    def _handle(self, event: Event, phase: Phase) -> None:
        segment = event.segment
        if segment.label not in HANDLING:
            self._handling_until_s = None
            return
        begun = self._handling_until_s
        if begun is None or segment.start_s - begun > BREAK_S:
            self._counted_run = False
        self._handling_until_s = segment.end_s
        if segment.label == TRANSPORT.name and not self._counted_run:
            self._counted_run = True
            if phase.name == PhaseName.ASSISTED:
                self._assisted_repetitions += 1
            else:
                self._repetitions[phase.activity] = self._repetitions.get(phase.activity, 0) + 1

    def dose(self) -> Dose:
        """What was done so far."""
        counts = tuple(
            Count(label, side, cell.number, round(cell.length_s, 3), cell.assisted)
            for label in PRIMITIVES.names
            for side in Side
            if (cell := self._cells.get((label, side))) is not None
        )
        active = {
            side: sum((count.length_s for count in counts if count.side is side and count.label != IDLE.name), 0.0)
            for side in Side
        }
        other = active[self.side.other]
        planned = {activity.name: activity.target for activity in self.plan.activities}
        activities = tuple(
            ActivityDose(name, self._repetitions.get(name, 0), planned.get(name))
            for name in dict.fromkeys([*planned, *self._repetitions])
        )
        return Dose(
            counts=counts,
            active_s=round(active[self.side], 3),
            plan=self.plan,
            repetitions=sum(self._repetitions.values()),
            assisted_repetitions=self._assisted_repetitions,
            activities=activities,
            use_ratio=round(active[self.side] / other, 3) if self.both_arms and other > 0 else None,
        )

    def _phase_at(self, time_s: float) -> Phase:
        """The phase in force then; before the first one everything counts (a replayed recording has none)."""
        index = bisect_right([phase.at_s for phase in self._phases], time_s) - 1
        return self._phases[index] if index >= 0 else Phase(PhaseName.COUNTING, 0.0)

    def _lacks_at(self, side: Side, time_s: float) -> bool:
        changes = self._lacking.get(side, [])
        index = bisect_right([at_s for at_s, _ in changes], time_s) - 1
        return index >= 0 and changes[index][1]


def tally(
    updates: Iterable[Event | Phase | SensorSet], plan: Plan, side: Side, *, both_arms: bool = False
) -> Iterator[Dose]:
    """The stream: a dose after every event."""
    running = Tally(plan, side, both_arms)
    for update in updates:
        if isinstance(update, Phase):
            running.enter(update)
        elif isinstance(update, SensorSet):
            running.equip(update)
        else:
            yield running.count(update)


def uncounted(context: Iterable[Phase | SensorSet], side: Side, length_s: float) -> tuple[tuple[float, float], ...]:
    """When no movement of that arm is counted: half-open spans within the session, in order."""
    running = Tally(Plan(), side)
    edges = {0.0}
    for each in context:
        edges.add(each.at_s)
        if isinstance(each, Phase):
            running.enter(each)
        else:
            running.equip(each)
    spans: list[tuple[float, float]] = []
    inside = sorted(edge for edge in edges if 0.0 <= edge < length_s)
    for start_s, end_s in zip(inside, [*inside[1:], length_s], strict=True):
        if running.counts_at(side, start_s):
            continue
        if spans and spans[-1][1] == start_s:
            spans[-1] = (spans[-1][0], end_s)
        else:
            spans.append((start_s, end_s))
    return tuple(spans)

"""Counting: settled events -> the dose.

In: events of one or both arms in the order they settled, the session's phases as the therapist changes them, when an
arm's sensor set is incomplete, and what is believed of the recogniser. Out: a new Dose after each event, and one at the
end (`close`), when the last event needs to wait for none. No count is ever taken back. docs/counting.md
explains the definitions to users.

**Task repetition**: one cycle of handling an object, from contact to release. In primitives: an unbroken run of
transport and stabilize of the trained arm with at least one transport. Any other label ends it. A hand that holds a jar
still while the other hand unscrews it makes no transport, and so no repetition. Events of a recogniser may be wrong. If
it has a `Belief`, each event begins a share of a repetition (`believed.py`), and the shares are added up: the number
rises when their sum passes the next half. Without one every run counts, at its first transport.

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
from rehabcount.domain.update import Believing, Context, Event, Phase, PhaseName, SensorSet
from rehabcount.engine.believed import Believer, Share

_COUNTED = frozenset(label.name for label in PRIMITIVES.labels if label.counted)
HANDLING = (TRANSPORT.name, STABILIZE.name)
BREAK_S = 2.0  # after a longer time without recognised movements, handling is a new cycle
HALF = 0.5  # of a repetition, from which the sum of shares is rounded up


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
    _believer: Believer | None = None  # None: every run counts
    _left: dict[bool, float] = field(default_factory=dict)  # sum of shares less what was counted, by whether assisted
    _heard_until_s: float | None = None  # end of the newest event that the believer heard

    def follow(self, context: Context) -> None:
        """What decides which events count, and how: entries in order of time, before the events that they concern."""
        match context:
            case Phase():
                self.enter(context)
            case SensorSet():
                self.equip(context)
            case Believing():
                self._believer = Believer(context.belief)

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
        middle_s = _middle(segment)
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
        if self._believer is not None and segment.side is self.side:
            self._believe(self._believer, event)
        return self.dose()

    def close(self) -> Dose:
        """No more events come: what waits for the next movement is decided by what is known."""
        if self._believer is not None:
            self._add(self._believer.rest())
        return self.dose()

    def is_counted(self, segment: Segment) -> bool:
        """Whether a movement adds to the numbers of the dose: not idle, not `other`, not assisted."""
        middle_s = _middle(segment)
        counting = self.counts_at(segment.side, middle_s) and self._phase_at(middle_s).name != PhaseName.ASSISTED
        return counting and segment.label in _COUNTED

    def counts_at(self, side: Side, time_s: float) -> bool:
        """Whether a movement of that arm at that time is counted, with assistance or without."""
        counting = self._phase_at(time_s).name in (PhaseName.COUNTING, PhaseName.ASSISTED)
        return counting and not self._lacks_at(side, time_s)

    def _handle(self, event: Event, phase: Phase) -> None:
        segment = event.segment
        if self._believer is not None:
            return
        if segment.label not in HANDLING:
            self._handling_until_s = None
            return
        begun = self._handling_until_s
        if begun is None or segment.start_s - begun > BREAK_S:
            self._counted_run = False
        self._handling_until_s = segment.end_s
        if segment.label == TRANSPORT.name and not self._counted_run:
            self._counted_run = True
            self._repeat(phase)

    def _repeat(self, phase: Phase) -> None:
        """One more repetition, made in this phase."""
        if phase.name == PhaseName.ASSISTED:
            self._assisted_repetitions += 1
        else:
            self._repetitions[phase.activity] = self._repetitions.get(phase.activity, 0) + 1

    def _believe(self, believer: Believer, event: Event) -> None:
        segment = event.segment
        uncounted = not self.counts_at(segment.side, _middle(segment))
        if uncounted or (self._heard_until_s is not None and segment.start_s - self._heard_until_s > BREAK_S):
            self._add(believer.rest())
        if not uncounted:
            self._heard_until_s = segment.end_s
            self._add(believer.hear(event))

    def _add(self, shares: Iterable[Share]) -> None:
        """Unassisted and assisted shares are added up separately."""
        for each in shares:
            phase = self._phase_at(_middle(each.event.segment))
            assisted = phase.name == PhaseName.ASSISTED
            left = self._left.get(assisted, 0.0) + each.share
            if left >= HALF:
                self._repeat(phase)
                left -= 1.0
            self._left[assisted] = left

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


def tally(updates: Iterable[Event | Context], plan: Plan, side: Side, *, both_arms: bool = False) -> Iterator[Dose]:
    """The stream: a dose after every event, and one more at the end if that changes it."""
    running = Tally(plan, side, both_arms)
    dose = None
    for update in updates:
        if isinstance(update, Event):
            dose = running.count(update)
            yield dose
        else:
            running.follow(update)
    last = running.close()
    if dose is not None and last != dose:
        yield last


def uncounted(context: Iterable[Context], side: Side, length_s: float) -> tuple[tuple[float, float], ...]:
    """When no movement of that arm is counted: half-open spans within the session, in order."""
    running = Tally(Plan(), side)
    edges = {0.0}
    for each in context:
        edges.add(each.at_s)
        running.follow(each)
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


def _middle(segment: Segment) -> float:
    return (segment.start_s + segment.end_s) / 2

"""Corrected events: what stands once people have had their say.

In: the settled events of one counting, and its corrections in the order they were made. Out: the events that hold, each
with what the recogniser had said.

An event keeps its number for ever. One that a person added has a number below zero, in the order of adding: -1 is the
first, -2 the second, so that it can be changed and removed like any other. Of several corrections of one event the last
holds; `confirm` and `restore` bring back what the recogniser had said (of an added event: what was added).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event

CERTAIN = 1.0  # the confidence of what a person said


@dataclass(frozen=True, slots=True)
class CorrectedEvent:
    """An event as it stands. `automatic` is what the recogniser said, None for one that a person added."""

    number: int
    segment: Segment
    confidence: float
    automatic: Segment | None
    last: Correction | None = None  # the correction that holds; None: nobody said anything

    @property
    def is_changed(self) -> bool:
        return self.segment != self.automatic

    def as_event(self) -> Event:
        """For whoever counts events."""
        return Event(self.number, self.segment, self.confidence)


def corrected(events: Iterable[Event], corrections: Iterable[Correction]) -> tuple[CorrectedEvent, ...]:
    """The events that stand, in order of time. Corrections of events that do not exist say nothing."""
    automatic = {event.number: event for event in events}
    added: dict[int, Segment] = {}
    holds: dict[int, Correction] = {}
    for correction in corrections:
        if correction.event is None:
            assert correction.segment is not None
            number = -len(added) - 1
            added[number] = correction.segment
        else:
            number = correction.event
        holds[number] = correction
    standing = []
    for number in [*automatic, *added]:
        last = holds.get(number)
        first = automatic[number].segment if number in automatic else added[number]
        segment = standing_segment(first, last)
        if segment is None:
            continue
        event = automatic.get(number)
        unsaid = event is not None and (last is None or last.action is Action.RESTORE)
        confidence = event.confidence if event is not None and unsaid else CERTAIN
        standing.append(CorrectedEvent(number, segment, confidence, event.segment if event else None, last))
    return in_order(standing)


def standing_segment(first: Segment, last: Correction | None) -> Segment | None:
    """What holds of an event that was `first` said to be so; None: it was removed."""
    if last is None:
        return first
    if last.action is Action.REMOVE:
        return None
    return last.segment if last.action in (Action.REPLACE, Action.ADD) else first


def in_order(standing: Iterable[CorrectedEvent]) -> tuple[CorrectedEvent, ...]:
    return tuple(sorted(standing, key=lambda each: (each.segment.start_s, each.segment.end_s, each.number)))


def opinions(corrections: Sequence[Correction]) -> int:
    """How many events somebody holds an opinion on: corrected, added or confirmed, and not taken back."""
    holds: dict[int, Action] = {}
    added = 0
    for correction in corrections:
        if correction.event is None:
            added += 1
        holds[-added if correction.event is None else correction.event] = correction.action
    taken_back = sum(
        action is Action.RESTORE or (number < 0 and action is Action.REMOVE) for number, action in holds.items()
    )
    return len(holds) - taken_back

"""Corrected events: the events of a counting after people's corrections.

In: the settled events of one counting, and its corrections in the order in which they were made. Out: the corrected
events, each with the recogniser's segment.

An event keeps its number for ever. Events added by a person have negative numbers in the order of adding (-1, -2, ...),
so that they can be changed and removed like others. The last correction of an event is valid; `confirm` and `restore`
return to the recogniser's segment (of an added event: to the added one).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event

CERTAIN = 1.0  # the confidence of a person's correction


@dataclass(frozen=True, slots=True)
class CorrectedEvent:
    """An event after corrections. `automatic` is the recogniser's segment, None for an event that a person added."""

    number: int
    segment: Segment
    confidence: float
    automatic: Segment | None
    last: Correction | None = None  # the valid correction; None: it was not corrected

    @property
    def is_changed(self) -> bool:
        return self.segment != self.automatic

    def as_event(self) -> Event:
        """As an event, for counting."""
        return Event(self.number, self.segment, self.confidence)


def corrected(events: Iterable[Event], corrections: Iterable[Correction]) -> tuple[CorrectedEvent, ...]:
    """The events after corrections, in order of time. Corrections of events that do not exist are ignored."""
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
    """The valid segment of an event that was `first`; None: it was removed."""
    if last is None:
        return first
    if last.action is Action.REMOVE:
        return None
    return last.segment if last.action in (Action.REPLACE, Action.ADD) else first


def in_order(standing: Iterable[CorrectedEvent]) -> tuple[CorrectedEvent, ...]:
    return tuple(sorted(standing, key=lambda each: (each.segment.start_s, each.segment.end_s, each.number)))


def opinions(corrections: Sequence[Correction]) -> int:
    """The number of events that people corrected, added or confirmed, without those undone later."""
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

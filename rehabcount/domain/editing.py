"""Editing: a person changes, splits, merges, deletes and adds events; each edit can be undone and redone.

`Editing` is the state while one counting is edited: its events, all corrections so far, and the steps that can be
undone. Edits are pure functions from one state to the next; the additional corrections of the next state (`news`) are
rows to be stored. Undo adds rows, too: no correction is ever removed.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from rehabcount.domain.corrected import CorrectedEvent, corrected
from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event

SHORTEST_S = 0.05  # five frames: purposeful movements are longer, and a shorter event cannot be clicked
TOUCHING_S = 0.02  # two frames: events that lie so close share a border
UNDO, REDO = "undo", "redo"  # notes of corrections that undo or redo one


@dataclass(frozen=True, slots=True)
class Author:
    """Who edits, and when."""

    who: str
    at_utc_ns: int


@dataclass(frozen=True, slots=True)
class Touch:
    """One event before and after an edit. None: it does not exist or was removed."""

    number: int
    before: Segment | None
    after: Segment | None


@dataclass(frozen=True, slots=True)
class EditStep:
    """One edit, with a name for the undo button."""

    name: str
    touches: tuple[Touch, ...]


@dataclass(frozen=True)  # without slots: the corrected events are computed once a state
class Editing:
    events: tuple[Event, ...]
    corrections: tuple[Correction, ...] = ()
    done: tuple[EditStep, ...] = ()  # the last can be undone
    undone: tuple[EditStep, ...] = ()  # the last can be redone

    @functools.cached_property
    def standing(self) -> tuple[CorrectedEvent, ...]:
        return corrected(self.events, self.corrections)

    @functools.cached_property
    def added(self) -> int:
        return sum(correction.action is Action.ADD for correction in self.corrections)

    @functools.cached_property
    def _by_number(self) -> dict[int, CorrectedEvent]:
        return {each.number: each for each in self.standing}

    def __contains__(self, number: int) -> bool:
        return number in self._by_number

    def __getitem__(self, number: int) -> CorrectedEvent:
        if number not in self._by_number:
            raise ValueError(f"no event {number} stands")
        return self._by_number[number]

    def at(self, time_s: float, side: Side) -> CorrectedEvent | None:
        """The event of that arm at that time."""
        for each in self.standing:
            if each.segment.side is side and each.segment.start_s <= time_s < each.segment.end_s:
                return each
        return None

    def free_around(self, time_s: float, side: Side) -> tuple[float, float] | None:
        """The span without an event of that arm around that time, infinite without a bound; None within an event."""
        if self.at(time_s, side) is not None:
            return None
        mine = [each.segment for each in self.standing if each.segment.side is side]
        before = max((segment.end_s for segment in mine if segment.end_s <= time_s), default=0.0)
        after = min((segment.start_s for segment in mine if segment.start_s > time_s), default=math.inf)
        return before, after


def news(before: Editing, after: Editing) -> tuple[Correction, ...]:
    """The corrections that `after` has in addition."""
    return after.corrections[len(before.corrections) :]


def change(
    editing: Editing,
    number: int,
    author: Author,
    *,
    label: str | None = None,
    start_s: float | None = None,
    end_s: float | None = None,
) -> Editing:
    """Another label or other limits. No row is added if nothing changes."""
    segment = editing[number].segment
    new = Segment(
        segment.label if label is None else label,
        segment.side,
        segment.start_s if start_s is None else start_s,
        segment.end_s if end_s is None else end_s,
    )
    if new == segment:
        return editing
    if new.length_s < segment.length_s:  # the label of a very short event can still be changed
        _long_enough(new)
    return _do(editing, EditStep("change", (Touch(number, segment, new),)), author)


def move_edge(editing: Editing, number: int, edge: str, at_s: float, author: Author) -> Editing:
    """Move the `start` or `end` of an event. A neighbour of the same arm that touches it there is changed, too; events
    never overlap or become shorter than SHORTEST_S."""
    if edge not in ("start", "end"):
        raise ValueError(f"edge must be start or end, not {edge!r}")
    segment = editing[number].segment
    others = [each for each in editing.standing if each.number != number and each.segment.side is segment.side]
    if edge == "start":
        before = [each for each in others if each.segment.end_s <= segment.start_s + TOUCHING_S]
        neighbour = max(before, key=lambda each: each.segment.end_s, default=None)
        at_s = min(at_s, segment.end_s - SHORTEST_S)
        if neighbour is not None and abs(neighbour.segment.end_s - segment.start_s) <= TOUCHING_S:
            at_s = max(at_s, neighbour.segment.start_s + SHORTEST_S)
            moved = dataclasses.replace(neighbour.segment, end_s=at_s)
        else:
            at_s = max(at_s, neighbour.segment.end_s if neighbour else 0.0)
            neighbour = None
        changed = dataclasses.replace(segment, start_s=at_s)
    else:
        after = [each for each in others if each.segment.start_s >= segment.end_s - TOUCHING_S]
        neighbour = min(after, key=lambda each: each.segment.start_s, default=None)
        at_s = max(at_s, segment.start_s + SHORTEST_S)
        if neighbour is not None and abs(neighbour.segment.start_s - segment.end_s) <= TOUCHING_S:
            at_s = min(at_s, neighbour.segment.end_s - SHORTEST_S)
            moved = dataclasses.replace(neighbour.segment, start_s=at_s)
        else:
            at_s = min(at_s, neighbour.segment.start_s) if neighbour else at_s
            neighbour = None
        changed = dataclasses.replace(segment, end_s=at_s)
    if changed == segment:
        return editing
    touches = [Touch(number, segment, changed)]
    if neighbour is not None:
        touches.append(Touch(neighbour.number, neighbour.segment, moved))
    return _do(editing, EditStep("change", tuple(touches)), author)


def split(editing: Editing, number: int, at_s: float, author: Author, *, label: str | None = None) -> Editing:
    """Two events where one was; the second may get another label."""
    segment = editing[number].segment
    first = _long_enough(dataclasses.replace(segment, end_s=at_s))
    second = _long_enough(Segment(label or segment.label, segment.side, at_s, segment.end_s))
    new = -editing.added - 1
    return _do(editing, EditStep("split", (Touch(number, segment, first), Touch(new, None, second))), author)


def merge(editing: Editing, numbers: Sequence[int], author: Author) -> Editing:
    """Several events of one arm become one: the first one's label, from the first start to the last end."""
    chosen = [each for each in editing.standing if each.number in set(numbers)]
    if len(chosen) < 2 or len({each.segment.side for each in chosen}) > 1:
        raise ValueError(f"numbers must be two or more events of one arm, not {tuple(numbers)}")
    first, rest = chosen[0], chosen[1:]
    whole = dataclasses.replace(first.segment, end_s=max(each.segment.end_s for each in chosen))
    touches = (Touch(first.number, first.segment, whole), *(Touch(each.number, each.segment, None) for each in rest))
    return _do(editing, EditStep("merge", touches), author)


def delete(editing: Editing, numbers: Sequence[int], author: Author) -> Editing:
    """Remove events: there was no movement."""
    touches = tuple(Touch(number, editing[number].segment, None) for number in numbers)
    return _do(editing, EditStep("delete", touches), author) if touches else editing


def add(editing: Editing, segment: Segment, author: Author) -> Editing:
    """Add an event that was missed."""
    return _do(editing, EditStep("add", (Touch(-editing.added - 1, None, _long_enough(segment)),)), author)


def confirm(editing: Editing, number: int, author: Author) -> Editing:
    """The recogniser's event is right. Kept for training; it changes no count, so there is no undo.

    An event that a person has changed is left as it is.
    """
    if editing[number].is_changed:
        return editing
    said = Correction(Action.CONFIRM, author.who, author.at_utc_ns, number)
    return dataclasses.replace(editing, corrections=(*editing.corrections, said))


def replace_all(editing: Editing, segments: Sequence[Segment], author: Author, note: str) -> Editing:
    """Take over an annotator's segments: equal ones stay; a segment that mostly covers an event of its arm changes that
    event; other events are removed, and other segments are added."""
    wanted = list(segments)
    left: list[CorrectedEvent] = []
    for each in editing.standing:
        if each.segment in wanted:
            wanted.remove(each.segment)
        else:
            left.append(each)
    touches: list[Touch] = []
    for each in left:
        shared = max(wanted, key=lambda segment: _overlap(each.segment, segment), default=None)
        if shared is not None and _overlap(each.segment, shared) > 0.5:
            wanted.remove(shared)
            touches.append(Touch(each.number, each.segment, shared))
        else:
            touches.append(Touch(each.number, each.segment, None))
    touches += [Touch(-editing.added - 1 - i, None, segment) for i, segment in enumerate(wanted)]
    return _do(editing, EditStep("import", tuple(touches)), author, note) if touches else editing


def undo(editing: Editing, author: Author) -> Editing:
    """Undo the last step, if there is one."""
    if not editing.done:
        return editing
    step = editing.done[-1]
    back = tuple(Touch(touch.number, touch.after, touch.before) for touch in reversed(step.touches))
    after = _say(editing, back, author, UNDO)
    return dataclasses.replace(after, done=editing.done[:-1], undone=(*editing.undone, step))


def redo(editing: Editing, author: Author) -> Editing:
    """Redo the step that was undone last."""
    if not editing.undone:
        return editing
    step = editing.undone[-1]
    after = _say(editing, step.touches, author, REDO)
    return dataclasses.replace(after, done=(*editing.done, step), undone=editing.undone[:-1])


def _do(editing: Editing, step: EditStep, author: Author, note: str = "") -> Editing:
    after = _say(editing, step.touches, author, note or step.name)
    return dataclasses.replace(after, done=(*editing.done, step), undone=())


def _say(editing: Editing, touches: Sequence[Touch], author: Author, note: str) -> Editing:
    automatic = {event.number: event.segment for event in editing.events}
    added = editing.added
    said = []
    for number, segment in ((touch.number, touch.after) for touch in touches):
        new = number == -added - 1
        added += new
        if new:
            action = Action.ADD
        elif segment is None:
            action = Action.REMOVE
        else:
            action = Action.RESTORE if automatic.get(number) == segment else Action.REPLACE
        said.append(
            Correction(
                action,
                author.who,
                author.at_utc_ns,
                None if new else number,
                segment if action in (Action.ADD, Action.REPLACE) else None,
                note,
            )
        )
    return dataclasses.replace(editing, corrections=(*editing.corrections, *said))


def _overlap(one: Segment, other: Segment) -> float:
    """Shared time as part of the longer of two segments; 0 for different arms."""
    shared = min(one.end_s, other.end_s) - max(one.start_s, other.start_s)
    longer = max(one.length_s, other.length_s)
    return shared / longer if one.side is other.side and longer > 0 else 0.0


def _long_enough(segment: Segment) -> Segment:
    if segment.length_s < SHORTEST_S - 1e-9:
        raise ValueError(f"an event must last at least {SHORTEST_S} s, not {segment.length_s:.3f} s")
    return segment

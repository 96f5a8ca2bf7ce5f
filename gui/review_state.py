"""The state of a review: plain data without Qt. The view, the chosen events, and the edits.

Edits are pure functions from one state to the next; their additions to `editing.corrections` are written to the file.
An edit that is not possible leaves the state as it is and gives the reason in `hint`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from rehabcount.domain import editing as edits
from rehabcount.domain.corrected import CorrectedEvent
from rehabcount.domain.editing import Author, Editing
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Adjusted, Believing, Event
from rehabcount.engine.repetitions import repetitions_in

SHORTEST_VIEW_S, FIRST_VIEW_S = 1.0, 30.0
ADDED_S = 1.0  # how long an event is that was added with a key; a reach takes about so long
ZOOM = 1.6  # a press or a notch of the wheel
DOUBTFUL = 0.6  # events with a lower confidence are checked first: it is little better than chance between two labels

# Reasons why an edit was not made; the screen translates them.
NOTHING_CHOSEN, NOTHING_HERE, OCCUPIED, TOO_SHORT, NEEDS_TWO = "chosen", "here", "occupied", "short", "two"
NO_DOUBT = "sure"
TAKEN_BACK = "taken"
UNCOUNTED = "uncounted"  # the edit was made, but does not change the counts


@dataclass(frozen=True, slots=True)
class Uncounted:
    """A span in which that arm is not counted: before Start, in a pause, without its sensors, after the end."""

    side: Side
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class OtherCounting:
    """Another counting, to compare with."""

    events: tuple[Event, ...] = ()
    believing: Believing | None = None  # how its task repetitions are computed


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Repetitions added by hand that were undone in one step, and the steps before it."""

    done: tuple[edits.EditStep, ...]
    by_hand: tuple[Adjusted, ...]


@dataclass(frozen=True, slots=True)
class ReviewState:
    editing: Editing
    side: Side  # the arm whose events are edited
    length_s: float
    view_start_s: float = 0.0
    view_s: float = FIRST_VIEW_S
    cursor_s: float = 0.0
    chosen: tuple[int, ...] = ()  # numbers of events
    compared: tuple[Event, ...] = ()  # of another counting
    compared_by: Believing | None = None  # how its task repetitions are computed
    by_hand: tuple[Adjusted, ...] = ()  # task repetitions of the therapist's own, all that the file holds
    taken: tuple[TakenBack, ...] = ()  # the last can be undone
    untaken: tuple[TakenBack, ...] = ()  # the last can be done again
    uncounted: tuple[Uncounted, ...] = ()
    steps: tuple[Segment, ...] = ()  # of the exercise, as found in its repetitions and named
    hint: str = ""

    def counts(self, segment: Segment) -> bool:
        """Whether the segment is counted: by its middle, as in the tally."""
        middle_s = (segment.start_s + segment.end_s) / 2
        return not any(each.side is segment.side and each.start_s <= middle_s < each.end_s for each in self.uncounted)

    @property
    def view_end_s(self) -> float:
        return self.view_start_s + self.view_s

    @property
    def lane(self) -> tuple[CorrectedEvent, ...]:
        """The events of the arm that is edited, in order of time."""
        return tuple(each for each in self.editing.standing if each.segment.side is self.side)

    @property
    def can_undo(self) -> bool:
        return bool(self.editing.done) or _is_next(self.taken, self)

    @property
    def can_redo(self) -> bool:
        return bool(self.editing.undone) or _is_next(self.untaken, self)

    @property
    def chosen_events(self) -> tuple[CorrectedEvent, ...]:
        return tuple(each for each in self.editing.standing if each.number in self.chosen)


def marked_repetitions(state: ReviewState) -> tuple[tuple[float, float], ...]:
    """The repetitions of the arm that is edited, as counted with corrections; only those that hold chosen events, if
    there are any."""
    counted = (each.segment for each in state.lane if state.counts(each.segment))
    found = repetitions_in(counted, state.side, state.length_s)
    middles = [(each.segment.start_s + each.segment.end_s) / 2 for each in state.chosen_events]
    return tuple(span for span in found if not middles or any(span[0] <= at_s < span[1] for at_s in middles))


# -- looking ----------------------------------------------------------------------------------------------------------


def look(state: ReviewState, start_s: float, length_s: float) -> ReviewState:
    """Show this stretch, as far as there is one."""
    whole = max(state.length_s, SHORTEST_VIEW_S)
    length_s = min(max(length_s, SHORTEST_VIEW_S), whole)
    return replace(state, view_start_s=min(max(0.0, start_s), whole - length_s), view_s=length_s)


def zoom(state: ReviewState, factor: float, at_s: float | None = None) -> ReviewState:
    """Show `factor` times less; what is at `at_s` (else the cursor, if it is in sight) stays where it is."""
    inside = state.view_start_s <= state.cursor_s <= state.view_end_s
    centre_s = state.cursor_s if inside else state.view_start_s + state.view_s / 2
    fixed_s = centre_s if at_s is None else at_s
    length_s = state.view_s / factor
    share = (fixed_s - state.view_start_s) / state.view_s
    length_s = min(max(length_s, SHORTEST_VIEW_S), max(state.length_s, SHORTEST_VIEW_S))
    return look(state, fixed_s - share * length_s, length_s)


def pan(state: ReviewState, by_s: float) -> ReviewState:
    return look(state, state.view_start_s + by_s, state.view_s)


def fit(state: ReviewState) -> ReviewState:
    """The whole session."""
    return look(state, 0.0, state.length_s)


def seek(state: ReviewState, at_s: float) -> ReviewState:
    """The cursor goes there, and into sight."""
    at_s = min(max(0.0, at_s), state.length_s)
    moved = replace(state, cursor_s=at_s)
    if not state.view_start_s <= at_s <= state.view_end_s:
        moved = look(moved, at_s - state.view_s / 4, state.view_s)
    return moved


def other_arm(state: ReviewState) -> ReviewState:
    return replace(state, side=state.side.other, chosen=(), hint="")


# -- choosing ---------------------------------------------------------------------------------------------------------


def choose(state: ReviewState, number: int | None, *, add: bool = False) -> ReviewState:
    """This event alone, or with those that are chosen already (or without it, if it was). None: nothing."""
    if number is None:
        return replace(state, chosen=(), hint="")
    side = state.editing[number].segment.side
    if not add or side is not state.side:
        chosen: tuple[int, ...] = (number,)
    elif number in state.chosen:
        chosen = tuple(each for each in state.chosen if each != number)
    else:
        chosen = (*state.chosen, number)
    return replace(state, side=side, chosen=chosen, hint="")


def step(state: ReviewState, by: int, *, extend: bool = False) -> ReviewState:
    """To the next event (by 1) or the one before (by -1); the cursor goes to its start. Without one chosen, from the
    cursor on."""
    lane = state.lane
    if not lane:
        return replace(state, hint=NOTHING_HERE)
    places = [i for i, each in enumerate(lane) if each.number in state.chosen]
    if places:
        place = (max(places) if by > 0 else min(places)) + by
    elif by > 0:
        place = next((i for i, each in enumerate(lane) if each.segment.end_s > state.cursor_s), len(lane) - 1)
    else:
        before = [i for i, each in enumerate(lane) if each.segment.start_s <= state.cursor_s]
        place = before[-1] if before else 0
    event = lane[min(max(0, place), len(lane) - 1)]
    chosen = (*state.chosen, event.number) if extend and event.number not in state.chosen else (event.number,)
    if extend and event.number in state.chosen:
        chosen = state.chosen
    return _in_sight(replace(state, chosen=chosen, cursor_s=event.segment.start_s, hint=""), event.segment)


def next_doubtful(state: ReviewState) -> ReviewState:
    """To the next counted event with a low confidence that was not checked yet; after the last one, from the start."""
    doubtful = [
        each for each in state.lane if each.last is None and each.confidence < DOUBTFUL and state.counts(each.segment)
    ]
    if not doubtful:
        return replace(state, hint=NO_DOUBT)
    beyond = state.cursor_s if state.chosen else state.cursor_s - 1e-6
    event = next((each for each in doubtful if each.segment.start_s > beyond), doubtful[0])
    return _in_sight(replace(state, chosen=(event.number,), cursor_s=event.segment.start_s, hint=""), event.segment)


def _in_sight(state: ReviewState, segment: Segment) -> ReviewState:
    if state.view_start_s <= segment.start_s and segment.end_s <= state.view_end_s:
        return state
    return look(state, segment.start_s - state.view_s / 4, state.view_s)


def said_if_uncounted(before: ReviewState, after: ReviewState) -> ReviewState:
    """`after`, with a hint if all corrections are in time that is not counted."""
    stood, stands = ({each.number: each for each in state.editing.standing} for state in (before, after))
    said = [number for number in {**stood, **stands} if stood.get(number) != stands.get(number)]
    touched = [each.segment for number in said for each in (stood.get(number), stands.get(number)) if each is not None]
    if not touched or any(map(after.counts, touched)):
        return after
    return replace(after, hint=UNCOUNTED)


# -- editing ----------------------------------------------------------------------------------------------------------


def relabel(state: ReviewState, label: str, author: Author) -> ReviewState:
    """Change the label of the chosen events."""
    if not state.chosen:
        return replace(state, hint=NOTHING_CHOSEN)
    made = state.editing
    for number in state.chosen:
        made = edits.change(made, number, author, label=label)
    return replace(state, editing=made, hint="")


def delete(state: ReviewState, author: Author) -> ReviewState:
    """Delete the chosen events; the one after them is chosen next."""
    if not state.chosen:
        return replace(state, hint=NOTHING_CHOSEN)
    lane = state.lane
    last = max(i for i, each in enumerate(lane) if each.number in state.chosen)
    left = [each for each in lane[last + 1 :] + lane[:last][::-1] if each.number not in state.chosen]
    made = edits.delete(state.editing, state.chosen, author)
    return replace(state, editing=made, chosen=(left[0].number,) if left else (), hint="")


def split(state: ReviewState, author: Author) -> ReviewState:
    """The event under the cursor becomes two; without one there, the chosen one is halved."""
    event = state.editing.at(state.cursor_s, state.side)
    at_s = state.cursor_s
    if event is None or (state.chosen and event.number not in state.chosen):
        if len(state.chosen) != 1:
            return replace(state, hint=NOTHING_HERE)
        event = state.editing[state.chosen[0]]
        at_s = (event.segment.start_s + event.segment.end_s) / 2
    elif at_s - event.segment.start_s < edits.SHORTEST_S:  # the cursor is at its start, where stepping puts it
        at_s = (event.segment.start_s + event.segment.end_s) / 2
    number = event.number
    made = _tried(state, lambda: edits.split(state.editing, number, round(at_s, 3), author))
    return made if made.hint else replace(made, chosen=(number,))


def merge(state: ReviewState, author: Author) -> ReviewState:
    """The chosen events become one; a single one is joined with the next."""
    chosen = state.chosen_events
    if not chosen:
        return replace(state, hint=NOTHING_CHOSEN)
    if len(chosen) == 1:
        lane = state.lane
        place = next(i for i, each in enumerate(lane) if each.number == chosen[0].number)
        chosen = lane[place : place + 2]
        if len(chosen) < 2:
            return replace(state, hint=NEEDS_TWO)
    made = edits.merge(state.editing, [each.number for each in chosen], author)
    return replace(state, editing=made, chosen=(chosen[0].number,), hint="")


def add(state: ReviewState, label: str, author: Author, span: tuple[float, float] | None = None) -> ReviewState:
    """An event in this span, or from the cursor on, as far as there is room."""
    start_s, end_s = span if span is not None else (state.cursor_s, state.cursor_s + ADDED_S)
    free = state.editing.free_around(start_s if span is None else (start_s + end_s) / 2, state.side)
    if free is None:
        return replace(state, hint=OCCUPIED)
    start_s, end_s = max(start_s, free[0]), min(end_s, free[1], state.length_s)
    if end_s - start_s < edits.SHORTEST_S:
        return replace(state, hint=TOO_SHORT)
    segment = Segment(label, state.side, round(start_s, 3), round(end_s, 3))
    number = -state.editing.added - 1
    made = _tried(state, lambda: edits.add(state.editing, segment, author))
    return made if made.hint else replace(made, chosen=(number,))


def move_edge(state: ReviewState, number: int, edge: str, at_s: float, author: Author) -> ReviewState:
    at_s = min(max(0.0, round(at_s, 3)), state.length_s)
    return _tried(state, lambda: edits.move_edge(state.editing, number, edge, at_s, author))


def set_edge(state: ReviewState, edge: str, author: Author) -> ReviewState:
    """The chosen event starts, or ends, at the cursor."""
    if len(state.chosen) != 1:
        return replace(state, hint=NOTHING_CHOSEN)
    return move_edge(state, state.chosen[0], edge, state.cursor_s, author)


def confirm(state: ReviewState, author: Author) -> ReviewState:
    """The chosen events are right; on to the next."""
    if not state.chosen:
        return replace(state, hint=NOTHING_CHOSEN)
    made = state.editing
    for number in state.chosen:
        made = edits.confirm(made, number, author)
    return step(replace(state, editing=made, hint=""), 1)


def take_back(state: ReviewState, author: Author) -> ReviewState:
    """Undo repetitions added by hand: each gets an opposite entry, and all stay in the file."""
    standing = _standing(state.by_hand)
    if not standing:
        return replace(state, hint="")
    taken = (*state.taken, TakenBack(state.editing.done, standing))
    made = replace(state, editing=replace(state.editing, undone=()), taken=taken, untaken=(), hint=TAKEN_BACK)
    return _adjust(made, standing, author, -1)


def _standing(by_hand: tuple[Adjusted, ...]) -> tuple[Adjusted, ...]:
    """The adjustments that have no opposite entry."""
    left: dict[tuple[float, str], Adjusted] = {}
    for each in by_hand:
        before = left.get((each.at_s, each.activity))
        left[each.at_s, each.activity] = each if before is None else replace(before, by=before.by + each.by)
    return tuple(each for each in left.values() if each.by)


def _adjust(state: ReviewState, by_hand: tuple[Adjusted, ...], author: Author, sign: int) -> ReviewState:
    said = (replace(each, by=sign * each.by, who=author.who) for each in by_hand)
    return replace(state, by_hand=(*state.by_hand, *said))


def _is_next(stack: tuple[TakenBack, ...], state: ReviewState) -> bool:
    """Whether the last of the stack was done, or undone, just where the editing of events is now."""
    return bool(stack) and stack[-1].done == state.editing.done


def undo(state: ReviewState, author: Author) -> ReviewState:
    if _is_next(state.taken, state):
        last = state.taken[-1]
        made = replace(state, taken=state.taken[:-1], untaken=(*state.untaken, last), hint="")
        return _adjust(made, last.by_hand, author, 1)
    return _keep_chosen(replace(state, editing=edits.undo(state.editing, author), hint=""))


def redo(state: ReviewState, author: Author) -> ReviewState:
    if _is_next(state.untaken, state):
        last = state.untaken[-1]
        made = replace(state, taken=(*state.taken, last), untaken=state.untaken[:-1], hint=TAKEN_BACK)
        return _adjust(made, last.by_hand, author, -1)
    return _keep_chosen(replace(state, editing=edits.redo(state.editing, author), hint=""))


def _keep_chosen(state: ReviewState) -> ReviewState:
    return replace(state, chosen=tuple(number for number in state.chosen if number in state.editing))


def _tried(state: ReviewState, act: Callable[[], Editing]) -> ReviewState:
    try:
        return replace(state, editing=act(), hint="")
    except ValueError:
        return replace(state, hint=TOO_SHORT)

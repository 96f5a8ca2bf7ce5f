"""The review without a window: looking, choosing, every act and its undo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.domain.editing import Author, Editing
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Adjusted, Event
from rehabcount.gui import review_state as review
from rehabcount.gui.review_state import ReviewState, Uncounted

AB = Author("AB", 5)
LABELS = ("reach", "transport", "reposition")


@pytest.fixture
def state() -> ReviewState:
    """Three events of the right arm, a second each, from 10 s on with a gap before the last; one of the left arm."""
    spans = ((10.0, 11.0), (11.0, 12.0), (15.0, 16.0))
    events = [Event(i, Segment(LABELS[i - 1], Side.RIGHT, *span), 0.8) for i, span in enumerate(spans, 1)]
    events.append(Event(4, Segment("idle", Side.LEFT, 10.0, 20.0), 0.8))
    return ReviewState(Editing(tuple(events)), Side.RIGHT, length_s=100.0)


def rows(state: ReviewState) -> list[tuple[str, float, float]]:
    return [(each.segment.label, each.segment.start_s, each.segment.end_s) for each in state.lane]


def test_looking_stays_within_the_session(state: ReviewState) -> None:
    assert (review.fit(state).view_start_s, review.fit(state).view_s) == (0.0, 100.0)
    near = review.zoom(state, 10.0, at_s=15.0)
    assert near.view_s == pytest.approx(3.0)
    assert (15.0 - near.view_start_s) / near.view_s == pytest.approx(0.5)  # what was in the middle stays there
    assert review.zoom(state, 1e9).view_s == review.SHORTEST_VIEW_S
    assert review.zoom(state, 1e-9).view_s == 100.0
    assert review.pan(state, -50).view_start_s == 0.0
    assert review.pan(state, 5000).view_end_s == 100.0
    assert review.seek(state, 500).cursor_s == 100.0
    sought = review.seek(state, 60.0)
    assert sought.view_start_s < 60.0 < sought.view_end_s
    assert review.seek(state, 7.0).view_start_s == 0.0


def test_a_session_without_length_can_be_looked_at() -> None:
    empty = ReviewState(Editing(()), Side.LEFT, 0.0)
    assert review.fit(review.zoom(empty, 2.0)).view_s == review.SHORTEST_VIEW_S
    assert review.step(empty, 1).hint == review.NOTHING_HERE


def test_choosing_one_after_the_other(state: ReviewState) -> None:
    assert review.step(state, 1).chosen == (1,)
    second = review.step(review.step(state, 1), 1)
    assert second.chosen == (2,)
    assert second.cursor_s == 11.0
    assert review.step(second, -1).chosen == (1,)
    assert review.step(second, 1, extend=True).chosen == (2, 3)
    assert review.step(review.seek(state, 13.0), 1).chosen == (3,)
    assert review.step(review.seek(state, 13.0), -1).chosen == (2,)
    assert review.step(review.step(review.step(second, 1), 1), 1).chosen == (3,)  # the last stays the last
    both = review.choose(review.choose(state, 1), 3, add=True)
    assert both.chosen == (1, 3)
    assert review.choose(both, 3, add=True).chosen == (1,)
    assert review.choose(both, None).chosen == ()
    left = review.choose(both, 4, add=True)
    assert (left.chosen, left.side) == ((4,), Side.LEFT)  # arms are not chosen together
    assert review.other_arm(left).side is Side.RIGHT


def test_doubtful_events_one_after_the_other(state: ReviewState) -> None:
    events = tuple(Event(i, Segment("reach", Side.RIGHT, i, i + 0.9), 0.5 if i % 2 else 0.9) for i in range(1, 6))
    state = ReviewState(Editing(events), Side.RIGHT, 20.0)
    seen = []
    for _ in range(4):
        state = review.next_doubtful(state)
        seen.append(state.chosen[0])
    assert seen == [1, 3, 5, 1]
    state = review.confirm(state, AB)
    assert review.next_doubtful(review.seek(review.choose(state, None), 0.0)).chosen == (3,)
    sure = ReviewState(Editing(events[1:2]), Side.RIGHT, 20.0)
    assert review.next_doubtful(sure).hint == review.NO_DOUBT


def test_what_is_said_about_uncounted_time_is_said_to_change_nothing(state: ReviewState) -> None:
    state = replace(state, uncounted=(Uncounted(Side.RIGHT, 0.0, 11.0), Uncounted(Side.LEFT, 0.0, 100.0)))
    early, later = review.choose(state, 1), review.choose(state, 2)

    def hint(before: ReviewState, act: Callable[[ReviewState], ReviewState]) -> str:
        return review.said_if_uncounted(before, act(before)).hint

    for act in (
        lambda s: review.relabel(s, "idle", AB),
        lambda s: review.delete(s, AB),
        lambda s: review.split(s, AB),
        lambda s: review.confirm(s, AB),
        lambda s: review.add(review.seek(s, 3.0), "reach", AB),
    ):
        assert hint(early, act) == review.UNCOUNTED
    assert hint(later, lambda s: review.relabel(s, "idle", AB)) == ""
    assert hint(later, lambda s: review.add(review.seek(s, 20.0), "reach", AB)) == ""
    assert hint(early, lambda s: review.merge(s, AB)) == ""  # with one that counts
    assert hint(early, lambda s: review.move_edge(s, 2, "end", 12.5, AB)) == ""
    assert hint(early, lambda s: review.step(s, 1)) == ""  # nothing was said
    assert hint(early, lambda s: review.relabel(review.choose(s, None), "idle", AB)) == review.NOTHING_CHOSEN
    done = review.relabel(early, "idle", AB)
    assert hint(done, lambda s: review.undo(s, AB)) == review.UNCOUNTED


def test_a_doubtful_event_that_does_not_count_is_not_looked_at() -> None:
    events = tuple(Event(i, Segment("reach", Side.RIGHT, i, i + 0.9), 0.3) for i in range(1, 6))
    state = ReviewState(Editing(events), Side.RIGHT, 20.0, uncounted=(Uncounted(Side.RIGHT, 0.0, 3.0),))
    seen = []
    for _ in range(4):
        state = review.next_doubtful(state)
        seen.append(state.chosen[0])
    assert seen == [3, 4, 5, 3]


def test_acts_on_what_is_chosen(state: ReviewState) -> None:
    one = review.choose(state, 1)
    assert rows(review.relabel(one, "idle", AB))[0] == ("idle", 10.0, 11.0)
    gone = review.delete(one, AB)
    assert (len(gone.lane), gone.chosen) == (2, (2,))
    assert review.delete(review.choose(state, 3), AB).chosen == (2,)
    halved = review.split(one, AB)
    assert rows(halved)[:2] == [("reach", 10.0, 10.5), ("reach", 10.5, 11.0)]
    assert rows(review.split(review.seek(one, 10.2), AB))[0] == ("reach", 10.0, 10.2)
    assert rows(review.merge(one, AB))[0] == ("reach", 10.0, 12.0)
    assert rows(review.merge(review.choose(one, 3, add=True), AB))[0] == ("reach", 10.0, 16.0)
    assert rows(review.set_edge(review.seek(one, 10.4), "start", AB))[0] == ("reach", 10.4, 11.0)
    assert rows(review.set_edge(review.seek(one, 10.4), "end", AB))[:2] == [
        ("reach", 10.0, 10.4),
        ("transport", 10.4, 12.0),
    ]
    confirmed = review.confirm(one, AB)
    assert (confirmed.chosen, len(confirmed.editing.corrections)) == ((2,), 1)


def test_adding_where_there_is_room(state: ReviewState) -> None:
    added = review.add(review.seek(state, 13.0), "idle", AB)
    assert rows(added)[2] == ("idle", 13.0, 14.0)
    assert added.chosen == (-1,)
    assert rows(review.add(review.seek(state, 14.5), "idle", AB))[2] == ("idle", 14.5, 15.0)
    assert rows(review.add(state, "idle", AB, (11.5, 15.4)))[2] == ("idle", 12.0, 15.0)  # as far as there is room
    assert review.add(review.seek(state, 10.5), "idle", AB).hint == review.OCCUPIED
    assert review.add(review.seek(state, 14.98), "idle", AB).hint == review.TOO_SHORT
    assert rows(review.add(review.seek(state, 99.5), "idle", AB))[-1] == ("idle", 99.5, 100.0)


def test_what_makes_no_sense_says_why_and_changes_nothing(state: ReviewState) -> None:
    acts: list[tuple[Callable[[ReviewState], ReviewState], str]] = [
        (lambda s: review.relabel(s, "idle", AB), review.NOTHING_CHOSEN),
        (lambda s: review.delete(s, AB), review.NOTHING_CHOSEN),
        (lambda s: review.split(s, AB), review.NOTHING_HERE),
        (lambda s: review.merge(s, AB), review.NOTHING_CHOSEN),
        (lambda s: review.set_edge(s, "end", AB), review.NOTHING_CHOSEN),
        (lambda s: review.confirm(s, AB), review.NOTHING_CHOSEN),
        (lambda s: review.merge(review.choose(s, 3), AB), review.NEEDS_TWO),
        (lambda s: review.split(review.seek(review.choose(s, 1), 10.97), AB), review.TOO_SHORT),
    ]
    for act, why in acts:
        after = act(state)
        assert after.hint == why
        assert after.editing == state.editing


@given(
    st.lists(
        st.sampled_from(
            ["relabel", "delete", "split", "merge", "add", "start", "end", "left", "right", "undo", "redo"]
        ),
        max_size=15,
    )
)
def test_undo_takes_everything_back(acts: list[str]) -> None:
    events = tuple(Event(i, Segment(LABELS[i % 3], Side.RIGHT, float(i), i + 0.9), 0.8) for i in range(1, 6))
    first = state = ReviewState(Editing(events), Side.RIGHT, 20.0)
    for act in acts:
        match act:
            case "relabel":
                state = review.relabel(state, "stabilize", AB)
            case "delete":
                state = review.delete(state, AB)
            case "split":
                state = review.split(state, AB)
            case "merge":
                state = review.merge(state, AB)
            case "add":
                state = review.add(review.seek(state, state.cursor_s + 0.95), "idle", AB)
            case "start" | "end":
                state = review.set_edge(review.seek(state, state.cursor_s + 0.1), act, AB)
            case "left" | "right":
                state = review.step(state, 1 if act == "right" else -1)
            case "undo":
                state = review.undo(state, AB)
            case "redo":
                state = review.redo(state, AB)
        assert set(state.chosen) <= {each.number for each in state.editing.standing}
    while state.editing.done:
        state = review.undo(state, AB)
    assert rows(state) == rows(first)


def total(state: ReviewState) -> int:
    return sum(each.by for each in state.by_hand)


def test_what_was_taken_back_is_undone_in_its_turn(state: ReviewState) -> None:
    by_hand = (Adjusted(1, 9.0, "cups", "AB"), Adjusted(1, 9.5, "cups", "AB"), Adjusted(-1, 9.5, "cups", "AB"))
    state = review.relabel(review.choose(replace(state, by_hand=by_hand), 1), "idle", AB)
    state = review.take_back(state, AB)
    assert (total(state), state.by_hand[3:]) == (0, (Adjusted(-1, 9.0, "cups", "AB"),))
    assert review.take_back(state, AB).by_hand == state.by_hand  # there is nothing left to take back
    state = review.delete(review.choose(state, 2), AB)
    seen = []
    for _ in range(3):
        assert state.can_undo
        state = review.undo(state, AB)
        seen.append((len(state.lane), total(state), rows(state)[0][0]))
    assert seen == [(3, 0, "idle"), (3, 1, "idle"), (3, 1, "reach")]
    assert not state.can_undo
    seen = []
    for _ in range(3):
        assert state.can_redo
        state = review.redo(state, AB)
        seen.append((len(state.lane), total(state), rows(state)[0][0]))
    assert seen == [(3, 1, "idle"), (3, 0, "idle"), (2, 0, "idle")]
    assert not state.can_redo


def test_a_new_act_forgets_what_was_undone(state: ReviewState) -> None:
    state = review.undo(review.take_back(replace(state, by_hand=(Adjusted(2, 9.0, "cups", "AB"),)), AB), AB)
    assert state.can_redo
    state = review.delete(review.choose(state, 2), AB)
    assert not state.can_redo
    assert total(review.redo(state, AB)) == 2

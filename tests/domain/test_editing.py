"""Corrected events and their editing: every act, its undo and redo, against a list that is edited by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.domain import editing
from rehabcount.domain.corrected import corrected, opinions
from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.editing import Author, Editing, news
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event

ANNA = Author("AB", 1_000)
EVENTS = tuple(
    Event(n, Segment(label, Side.RIGHT, float(n), n + 1.0), 0.5 + n / 10)
    for n, label in enumerate(("reach", "transport", "stabilize", "reposition"), 1)
)


def segment(label: str, start_s: float, end_s: float) -> Segment:
    return Segment(label, Side.RIGHT, start_s, end_s)


def spans(state: Editing) -> list[tuple[str, float, float]]:
    return [(each.segment.label, each.segment.start_s, each.segment.end_s) for each in state.standing]


def test_the_last_correction_of_an_event_holds() -> None:
    said = [
        Correction(Action.REMOVE, "A", 1, 1),
        Correction(Action.REPLACE, "A", 2, 2, segment("transport", 2.2, 2.9)),
        Correction(Action.REMOVE, "A", 3, 3),
        Correction(Action.CONFIRM, "A", 4, 3),  # a change of mind
        Correction(Action.ADD, "A", 5, None, segment("idle", 0.0, 0.5)),
        Correction(Action.ADD, "A", 6, None, segment("reach", 7.0, 7.5)),
        Correction(Action.REPLACE, "A", 7, -2, segment("reach", 7.0, 8.0)),
        Correction(Action.REMOVE, "A", 8, 99),  # of no event: ignored
    ]
    found = corrected(EVENTS, said)
    assert [(each.number, each.segment.label, each.segment.start_s, each.segment.end_s) for each in found] == [
        (-1, "idle", 0.0, 0.5),
        (2, "transport", 2.2, 2.9),
        (3, "stabilize", 3.0, 4.0),
        (4, "reposition", 4.0, 5.0),
        (-2, "reach", 7.0, 8.0),
    ]
    assert [each.is_changed for each in found] == [True, True, False, False, True]
    assert [each.confidence for each in found] == [1.0, 1.0, 1.0, 0.9, 1.0]
    assert found[1].automatic == EVENTS[1].segment
    assert corrected(EVENTS, []) == corrected(reversed(EVENTS), [])


def test_each_act_does_what_it_is_called() -> None:
    start = Editing(EVENTS)
    assert spans(editing.change(start, 1, ANNA, label="transport"))[0] == ("transport", 1.0, 2.0)
    assert spans(editing.change(start, 1, ANNA, end_s=1.5))[0] == ("reach", 1.0, 1.5)
    assert spans(editing.split(start, 2, 2.25, ANNA, label="idle"))[1:3] == [
        ("transport", 2.0, 2.25),
        ("idle", 2.25, 3.0),
    ]
    assert spans(editing.merge(start, [3, 1, 2], ANNA)) == [("reach", 1.0, 4.0), ("reposition", 4.0, 5.0)]
    assert spans(editing.delete(start, [1, 4], ANNA)) == [("transport", 2.0, 3.0), ("stabilize", 3.0, 4.0)]
    assert spans(editing.add(start, segment("idle", 5.0, 6.0), ANNA))[-1] == ("idle", 5.0, 6.0)


def test_corrections_name_their_author_and_time_and_what_was_done() -> None:
    before = Editing(EVENTS)
    after = editing.split(before, 2, 2.5, Author("CD", 77))
    assert [(each.action, each.who, each.at_utc_ns, each.event, each.note) for each in news(before, after)] == [
        (Action.REPLACE, "CD", 77, 2, "split"),
        (Action.ADD, "CD", 77, None, "split"),
    ]
    undone = editing.undo(after, Author("EF", 78))
    assert [(each.action, each.who, each.event, each.note) for each in news(after, undone)] == [
        (Action.REMOVE, "EF", -1, "undo"),
        (Action.RESTORE, "EF", 2, "undo"),
    ]
    again = editing.redo(undone, ANNA)
    assert [(each.action, each.event, each.note) for each in news(undone, again)] == [
        (Action.REPLACE, 2, "redo"),
        (Action.REPLACE, -1, "redo"),
    ]
    assert spans(again) == spans(after)


def test_what_changes_nothing_leaves_no_row() -> None:
    start = Editing(EVENTS)
    assert editing.change(start, 1, ANNA, label="reach") == start
    assert editing.delete(start, [], ANNA) == start
    assert editing.undo(start, ANNA) == start
    assert editing.redo(start, ANNA) == start
    assert editing.replace_all(start, [event.segment for event in EVENTS], ANNA, "elsewhere") == start


@pytest.mark.parametrize(
    "act",
    [
        lambda start: editing.change(start, 9, ANNA, label="idle"),
        lambda start: editing.change(start, 1, ANNA, end_s=1.01),
        lambda start: editing.split(start, 1, 1.0, ANNA),
        lambda start: editing.split(start, 1, 5.0, ANNA),
        lambda start: editing.merge(start, [1], ANNA),
        lambda start: editing.add(start, segment("idle", 3.0, 3.0), ANNA),
    ],
)
def test_what_cannot_be_is_refused(act: object) -> None:
    with pytest.raises(ValueError):
        act(Editing(EVENTS))  # type: ignore[operator]


@pytest.mark.parametrize(
    ("number", "edge", "at_s", "wanted"),
    [
        (2, "start", 1.6, [("reach", 1.0, 1.6), ("transport", 1.6, 3.0)]),  # the border is shared
        (2, "start", 0.0, [("reach", 1.0, 1.05), ("transport", 1.05, 3.0)]),
        (1, "end", 9.0, [("reach", 1.0, 2.95), ("transport", 2.95, 3.0)]),
        (1, "start", -5.0, [("reach", 0.0, 2.0), ("transport", 2.0, 3.0)]),
        (1, "start", 7.0, [("reach", 1.95, 2.0), ("transport", 2.0, 3.0)]),
    ],
)
def test_a_border_moves_for_both_sides_of_it(number: int, edge: str, at_s: float, wanted: list[object]) -> None:
    start = Editing(EVENTS)
    moved = editing.move_edge(start, number, edge, at_s, ANNA)
    assert [(label, round(a, 9), round(b, 9)) for label, a, b in spans(moved)[:2]] == wanted
    assert spans(editing.undo(moved, ANNA)) == spans(start)


def test_an_edge_stops_at_a_neighbour_that_does_not_touch() -> None:
    apart = (
        EVENTS[0],
        Event(2, segment("transport", 3.0, 4.0), 0.9),
        Event(3, Segment("reach", Side.LEFT, 2.0, 9.0), 0.9),
    )
    state = Editing(apart)
    assert editing.move_edge(state, 1, "end", 3.5, ANNA)[1].segment.end_s == 3.0
    assert editing.move_edge(state, 2, "start", 0.0, ANNA)[2].segment.start_s == 2.0
    assert editing.move_edge(state, 2, "end", 50.0, ANNA)[2].segment.end_s == 50.0
    assert editing.move_edge(state, 2, "end", 4.0, ANNA) == state
    assert state.free_around(2.5, Side.RIGHT) == (2.0, 3.0)
    assert state.free_around(3.5, Side.RIGHT) is None
    assert state.free_around(9.5, Side.LEFT) == (9.0, float("inf"))
    with pytest.raises(ValueError, match="edge"):
        editing.move_edge(state, 1, "middle", 3.5, ANNA)


def test_what_the_recogniser_made_very_short_can_be_called_otherwise() -> None:
    short = Editing((Event(1, segment("reach", 1.0, 1.02), 0.4),))
    assert spans(editing.change(short, 1, ANNA, label="idle")) == [("idle", 1.0, 1.02)]
    with pytest.raises(ValueError, match="at least"):
        editing.change(short, 1, ANNA, end_s=1.01)


def test_arms_are_not_merged() -> None:
    other = Event(5, Segment("reach", Side.LEFT, 5.0, 6.0), 0.5)
    with pytest.raises(ValueError, match="one arm"):
        editing.merge(Editing((*EVENTS, other)), [4, 5], ANNA)


def test_confirming_is_an_opinion_and_undoing_takes_it_back() -> None:
    start = Editing(EVENTS)
    confirmed = editing.confirm(start, 1, ANNA)
    assert spans(confirmed) == spans(start)
    assert opinions(confirmed.corrections) == 1
    changed = editing.change(start, 1, ANNA, label="idle")
    assert editing.confirm(changed, 1, ANNA) == changed  # a person's change is kept
    assert opinions(changed.corrections) == 1
    assert opinions(editing.undo(changed, ANNA).corrections) == 0
    added = editing.add(start, segment("idle", 8.0, 9.0), ANNA)
    assert opinions(added.corrections) == 1
    assert opinions(editing.undo(added, ANNA).corrections) == 0


def test_what_an_annotator_made_elsewhere_replaces_only_what_differs() -> None:
    start = Editing(EVENTS)
    wanted = [EVENTS[0].segment, segment("transport", 2.0, 2.9), EVENTS[2].segment, EVENTS[2].segment]
    after = editing.replace_all(start, wanted, ANNA, "ELAN")
    assert sorted(spans(after)) == sorted((s.label, s.start_s, s.end_s) for s in wanted)
    assert {each.note for each in news(start, after)} == {"ELAN"}
    assert spans(editing.undo(after, ANNA)) == spans(start)


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["change", "split", "merge", "delete", "add", "undo", "redo", "import"]),
        st.integers(0, 20),
        st.integers(0, 20),
        st.sampled_from(["reach", "transport", "idle"]),
    ),
    max_size=25,
)


@settings(max_examples=150)
@given(ACTS)
def test_any_sequence_of_acts_equals_a_list_edited_by_hand(acts: list[tuple[str, int, int, str]]) -> None:
    """The oracle keeps all its states; undo and redo go through them."""
    state = Editing(EVENTS)
    states = [sorted(spans(state))]
    at = 0
    for act, i, j, label in acts:
        before, standing = state, state.standing
        if act == "undo":
            state, at = editing.undo(state, ANNA), max(0, at - 1)
            assert sorted(spans(state)) == states[at]
            continue
        if act == "redo":
            state, at = editing.redo(state, ANNA), min(len(states) - 1, at + 1)
            assert sorted(spans(state)) == states[at]
            continue
        mine = list(spans(state))
        if act == "add":
            state = editing.add(state, segment(label, i / 2, i / 2 + 0.5), ANNA)
            mine.append((label, i / 2, i / 2 + 0.5))
        elif act == "import":
            wanted = [segment(label, k / 4, k / 4 + 0.25) for k in range(i % 4)]
            state = editing.replace_all(state, wanted, ANNA, "x")
            mine = [(s.label, s.start_s, s.end_s) for s in wanted]
        elif not standing:
            continue
        else:
            one = standing[i % len(standing)]
            row = mine.pop(i % len(standing))
            if act == "delete":
                state = editing.delete(state, [one.number], ANNA)
            elif act == "change":
                state = editing.change(state, one.number, ANNA, label=label)
                mine.append((label, row[1], row[2]))
            elif act == "split":
                middle = (row[1] + row[2]) / 2
                if middle - row[1] < editing.SHORTEST_S or row[2] - middle < editing.SHORTEST_S:
                    continue
                state = editing.split(state, one.number, middle, ANNA, label=label)
                mine += [(row[0], row[1], middle), (label, middle, row[2])]
            else:
                two = standing[j % len(standing)]
                if two.number == one.number:
                    continue
                rest = spans(state)
                second = rest[j % len(standing)]
                first = min(i % len(standing), j % len(standing))
                mine.remove(second)
                mine.append((rest[first][0], rest[first][1], max(row[2], second[2])))
                state = editing.merge(state, [one.number, two.number], ANNA)
        assert sorted(spans(state)) == sorted(mine)
        assert state.corrections[: len(before.corrections)] == before.corrections  # no correction is removed
        if state != before:
            states = [*states[: at + 1], sorted(mine)]
            at += 1

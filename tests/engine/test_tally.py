"""Counting: what is a repetition, what stops the count, and that nothing is taken back."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.domain.dose import ActivityDose, Dose, Plan, PlannedActivity
from rehabcount.domain.labels import PRODUCT
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event, Phase, PhaseName, SensorSet
from rehabcount.engine.tally import Tally, tally, uncounted

DRINK = ("idle", "reach", "transport", "stabilize", "transport", "reposition")


def events(labels: tuple[str, ...], side: Side = Side.RIGHT, start_s: float = 0.0) -> list[Event]:
    return [Event(i + 1, Segment(label, side, start_s + i, start_s + i + 1), 0.9) for i, label in enumerate(labels)]


def last(updates: list[Event | Phase], plan: Plan | None = None, side: Side = Side.RIGHT) -> Dose:
    return list(tally(updates, plan or Plan(), side))[-1]


def numbers(dose: Dose) -> dict[str, int]:
    return {count.label: count.number for count in dose.counts}


@pytest.mark.parametrize(
    ("labels", "repetitions"),
    [
        (DRINK, 1),
        (DRINK * 3, 3),
        (("reach", "transport", "transport", "transport", "idle"), 1),  # bites with the spoon kept in hand
        (("reach", "transport", "reach", "transport"), 2),  # put down, next object
        (("reach", "stabilize", "idle"), 0),  # held for the other hand: nothing was conveyed
        (("stabilize", "transport", "stabilize", "transport"), 1),
        (("reach", "reach", "reposition"), 0),
        (("transport", "other", "transport"), 2),
    ],
)
def test_a_repetition_is_one_handling_of_an_object(labels: tuple[str, ...], repetitions: int) -> None:
    assert last([*events(labels)]).repetitions == repetitions


def test_it_counts_with_the_first_transport() -> None:
    doses = list(tally(events(DRINK), Plan(), Side.RIGHT))
    assert [dose.repetitions for dose in doses] == [0, 0, 1, 1, 1, 1]


def test_primitives_are_counted_beside_and_never_mixed() -> None:
    dose = last([*events(DRINK * 2)])
    assert numbers(dose) == {"idle": 2, "reach": 2, "transport": 4, "stabilize": 2, "reposition": 2}
    assert dose.active_s == 10.0  # without the two idles


def test_other_is_never_counted() -> None:
    dose = last([*events(("other", "other", "reach"))])
    assert numbers(dose) == {"reach": 1}


def test_paused_and_assisted() -> None:
    updates: list[Event | Phase] = [
        Phase(PhaseName.COUNTING, 0.0, "drinking"),
        *events(DRINK),
        Phase(PhaseName.PAUSED, 6.0),
        *events(DRINK, start_s=6.0),
        Phase(PhaseName.ASSISTED, 12.0, "drinking"),
        *events(DRINK, start_s=12.0),
        Phase(PhaseName.COUNTING, 18.0, "shelf"),
        *events(DRINK, start_s=18.0),
    ]
    plan = Plan((PlannedActivity("drinking", 10), PlannedActivity("combing")))
    dose = last(updates, plan)
    assert dose.repetitions == 2
    assert dose.assisted_repetitions == 1
    assert numbers(dose)["transport"] == 4
    assert {count.label: count.assisted for count in dose.counts}["transport"] == 2
    assert dose.activities == (
        ActivityDose("drinking", 1, 10),
        ActivityDose("combing", 0, None),
        ActivityDose("shelf", 1, None),
    )
    assert dose.plan.target == 10


def test_an_event_belongs_to_the_phase_of_its_middle() -> None:
    running = Tally(Plan(), Side.RIGHT)
    running.enter(Phase(PhaseName.PAUSED, 10.0))
    assert numbers(running.count(Event(1, Segment("reach", Side.RIGHT, 9.0, 10.8), 1.0))) == {"reach": 1}
    assert numbers(running.count(Event(2, Segment("reach", Side.RIGHT, 9.5, 11.0), 1.0))) == {"reach": 1}
    with pytest.raises(ValueError, match="comes after"):
        running.enter(Phase(PhaseName.COUNTING, 5.0))


def test_the_other_arm_is_counted_apart() -> None:
    updates = [*events(DRINK), *events(("reach", "transport", "idle"), Side.LEFT)]
    dose = list(tally(updates, Plan(), Side.RIGHT, both_arms=True))[-1]
    assert dose.repetitions == 1
    assert dose.use_ratio == pytest.approx(5 / 2)
    assert list(tally(updates, Plan(), Side.RIGHT))[-1].use_ratio is None


@given(st.lists(st.tuples(st.sampled_from(PRODUCT.names), st.sampled_from(list(Side)), st.booleans()), max_size=60))
def test_no_number_ever_falls(steps: list[tuple[str, Side, bool]]) -> None:
    running = Tally(Plan(), Side.LEFT)
    doses = [running.dose()]
    for i, (label, side, pause) in enumerate(steps):
        if pause:
            running.enter(Phase((PhaseName.PAUSED, PhaseName.COUNTING, PhaseName.ASSISTED)[i % 3], float(i)))
        doses.append(running.count(Event(i + 1, Segment(label, side, float(i), i + 1.0), 1.0)))
    for before, after in pairwise(doses):
        assert after.repetitions >= before.repetitions
        later = {(count.label, count.side): count.number for count in after.counts}
        for count in before.counts:
            assert later[count.label, count.side] >= count.number


def test_an_incomplete_sensor_set_stops_the_count_of_that_arm_only() -> None:
    lacking = [SensorSet(Side.RIGHT, ("right-hand",), 2.0), SensorSet(Side.RIGHT, (), 4.0)]
    both = [*events(("reach",) * 6), *events(("reach",) * 6, Side.LEFT)]
    dose = list(tally([*lacking, *both], Plan(), Side.RIGHT, both_arms=True))[-1]
    assert {count.side: count.number for count in dose.counts} == {Side.RIGHT: 4, Side.LEFT: 6}


def test_handling_that_was_interrupted_by_a_missing_sensor_is_another_repetition() -> None:
    lacking = [SensorSet(Side.RIGHT, ("right-hand",), 1.0), SensorSet(Side.RIGHT, (), 2.0)]
    assert list(tally([*lacking, *events(("transport",) * 3)], Plan(), Side.RIGHT))[-1].repetitions == 2


@given(
    st.lists(
        st.tuples(
            st.integers(0, 60),
            st.sampled_from(PhaseName),
        ),
        max_size=6,
    ),
    st.lists(st.tuples(st.integers(0, 60), st.booleans(), st.sampled_from(list(Side))), max_size=4),
)
def test_when_nothing_counts_is_when_nothing_is_counted(
    phases: list[tuple[int, PhaseName]], sets: list[tuple[int, bool, Side]]
) -> None:
    """Asked of the tally itself, second by second."""
    context: list[Phase | SensorSet] = [Phase(name, float(at)) for at, name in sorted(phases, key=lambda each: each[0])]
    context += [
        SensorSet(side, ("hand",) if gone else (), float(at))
        for at, gone, side in sorted(sets, key=lambda each: each[0])
    ]
    spans = uncounted(context, Side.RIGHT, 50.0)
    for second in range(50):
        doses = tally(
            [*context, Event(1, Segment("reach", Side.RIGHT, second + 0.4, second + 0.6), 0.9)], Plan(), Side.RIGHT
        )
        counted = bool(list(doses)[-1].counts)
        assert counted != any(start_s <= second + 0.5 < end_s for start_s, end_s in spans)
    assert all(start_s < end_s for start_s, end_s in spans)
    assert all(one[1] < other[0] for one, other in pairwise(spans))

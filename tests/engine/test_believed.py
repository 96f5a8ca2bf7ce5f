"""What a repetition is believed to be: with the belief of the shipped `stream`, on the patterns that were counted
wrongly, and that certain events keep the definition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.domain.corrected import CERTAIN
from rehabcount.domain.dose import Dose, Plan
from rehabcount.domain.labels import PRODUCT
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Believing, Event, Phase, PhaseName, SensorSet
from rehabcount.engine.believed import DOUBT, SURE, Believer
from rehabcount.engine.tally import Tally, tally
from rehabcount.inference.addendum import default_belief

BELIEVING = Believing(default_belief())
Said = tuple[str, float, float]  # label, confidence, length

DRINK: tuple[Said, ...] = (
    ("idle", 0.9, 1.0),
    ("reach", 0.9, 1.0),
    ("transport", 0.92, 1.2),
    ("stabilize", 0.9, 0.8),
    ("transport", 0.92, 1.2),
    ("reposition", 0.9, 1.0),
)
# The hand misses the cup and draws back: the network calls that a transport. Then it reaches again, and drinks.
MISSED: tuple[Said, ...] = (("idle", 0.8, 0.8), ("reach", 0.8, 0.9), ("transport", 0.45, 1.1), ("idle", 0.6, 0.5))
# One drink that a short idle and a reach of a twentieth of a second cut in two.
CUT: tuple[Said, ...] = (
    ("reach", 0.9, 1.0),
    ("transport", 0.91, 1.0),
    ("stabilize", 0.8, 1.5),
    ("idle", 0.44, 0.9),
    ("reach", 0.12, 0.05),
    ("transport", 0.91, 1.0),
    ("reposition", 0.9, 1.0),
)
# Someone talks with his hands.
TALKING: tuple[Said, ...] = (
    ("other", 0.95, 6.0),
    ("transport", 0.41, 0.7),
    ("other", 0.9, 4.0),
    ("transport", 0.06, 0.4),
    ("other", 0.9, 5.0),
    ("transport", 0.49, 0.6),
    ("other", 0.95, 5.0),
)


def events(said: Sequence[Said], side: Side = Side.RIGHT, start_s: float = 0.0) -> list[Event]:
    found = []
    for number, (label, confidence, length_s) in enumerate(said, 1):
        found.append(Event(number, Segment(label, side, start_s, start_s + length_s), confidence))
        start_s += length_s
    return found


def doses(said: Sequence[Said], *context: Phase | SensorSet | Believing) -> list[Dose]:
    return list(tally([*context, *events(said)], Plan(), Side.RIGHT))


def believed(said: Sequence[Said]) -> int:
    return doses(said, BELIEVING)[-1].repetitions


def by_definition(said: Sequence[Said]) -> int:
    return doses(said)[-1].repetitions


@pytest.mark.parametrize(
    ("said", "runs", "least", "most"),
    [
        (DRINK * 3, 3, 3, 3),
        (TALKING * 4, 12, 0, 0),
        ((*MISSED, *DRINK[1:]) * 8, 16, 8, 13),  # doubtful: some are believed, as some are true
        (CUT * 8, 16, 8, 15),  # most of what looks so is a new repetition after all, but not each
        ((*DRINK, *TALKING, *MISSED, *CUT, *DRINK), 8, 4, 5),
    ],
)
def test_one_wrong_movement_adds_less_than_a_repetition(
    said: tuple[Said, ...], runs: int, least: int, most: int
) -> None:
    assert by_definition(said) == runs
    assert least <= believed(said) <= most


def test_a_clear_repetition_counts_at_its_first_transport() -> None:
    assert [dose.repetitions for dose in doses(DRINK, BELIEVING)] == [0, 0, 1, 1, 1, 1]


def test_a_doubtful_one_counts_with_the_movement_after_it() -> None:
    said = (*DRINK[:2], ("transport", 0.55, 0.9), *DRINK[3:])
    assert [dose.repetitions for dose in doses(said, BELIEVING)][:4] == [0, 0, 0, 1]


def test_shares_are_added_up() -> None:
    said = (*MISSED, ("reach", 0.6, 0.8), ("transport", 0.6, 0.3), ("idle", 0.6, 0.6)) * 12
    believer = Believer(BELIEVING.belief)
    shares = [each for event in events(said) for each in believer.hear(event)] + believer.rest()
    assert all(each.share in (0.0, 1.0) or DOUBT <= each.share < SURE for each in shares)
    assert [each.event.number for each in shares] == [event.number for event in events(said)]  # each has one, in order
    total = sum(each.share for each in shares)
    assert any(DOUBT <= each.share < SURE for each in shares)
    assert abs(believed(said) - total) <= 0.5 + 1e-9
    assert 0 < believed(said) < by_definition(said)


def test_what_waits_is_decided_at_the_end() -> None:
    said = (*DRINK[:2], ("transport", 0.7, 0.9))
    found = doses(said, BELIEVING)
    assert len(found) in (3, 4)
    assert found[-1].repetitions == 1
    running = Tally(Plan(), Side.RIGHT)
    running.follow(BELIEVING)
    for event in events(said):
        running.count(event)
    assert running.close() == found[-1]
    assert running.close() == running.dose()  # closing twice changes nothing


def test_other_arm_and_unknown_labels_change_nothing() -> None:
    mixed: list[Event | Believing] = [BELIEVING, *events(DRINK), *events(DRINK, Side.LEFT)]
    assert list(tally(mixed, Plan(), Side.RIGHT, both_arms=True))[-1].repetitions == 1
    assert believed((("juggle", 0.9, 3.0), *DRINK)) == 1


def test_a_pause_ends_the_wait_and_counts_nothing() -> None:
    pause, back = Phase(PhaseName.PAUSED, 6.2), Phase(PhaseName.COUNTING, 12.4)
    found = doses(DRINK * 3, BELIEVING, Phase(PhaseName.COUNTING, 0.0), pause, back)
    assert found[-1].repetitions == 2
    lacking = SensorSet(Side.RIGHT, ("hand",), 6.2), SensorSet(Side.RIGHT, (), 12.4)
    assert doses(DRINK * 3, BELIEVING, *lacking)[-1].repetitions == 2


def test_assisted_repetitions_stand_apart() -> None:
    dose = doses(DRINK * 3, BELIEVING, Phase(PhaseName.COUNTING, 0.0), Phase(PhaseName.ASSISTED, 6.2))[-1]
    assert (dose.repetitions, dose.assisted_repetitions) == (1, 2)


def test_after_a_hole_a_new_chain_begins() -> None:
    later = [*events(DRINK[:3]), *events(DRINK[2:], start_s=20.0)]
    assert list(tally([BELIEVING, *later], Plan(), Side.RIGHT))[-1].repetitions == 2


SAID = st.tuples(st.sampled_from(PRODUCT.names), st.floats(0.0, 1.0, allow_subnormal=False), st.floats(0.05, 5.0))


@given(st.lists(SAID, max_size=40))
def test_nothing_is_taken_back(said: list[Said]) -> None:
    numbers = [dose.repetitions for dose in doses(said, BELIEVING)]
    assert all(before <= after <= before + 2 for before, after in pairwise([0, *numbers]))


@given(st.lists(st.sampled_from(PRODUCT.names), min_size=1, max_size=40))
def test_certain_events_keep_the_definition(labels: list[str]) -> None:
    certain = [(label, CERTAIN, 1.0) for label in labels]
    assert [dose.repetitions for dose in doses(certain, BELIEVING)] == [d.repetitions for d in doses(certain)]

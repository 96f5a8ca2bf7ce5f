"""Where repetitions lie, from the movements of an arm."""

from __future__ import annotations

from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.engine.repetitions import repetitions_in


def moves(words: str, side: Side = Side.RIGHT) -> list[Segment]:
    """`reach 1` takes a second; one after the other from 0."""
    found, at_s = [], 0.0
    for word in words.split(", "):
        label, length = word.split()
        found.append(Segment(label, side, at_s, at_s + float(length)))
        at_s += float(length)
    return found


DRINK = "reach 1, transport 1, stabilize 1, transport 1, reposition 1"


def test_each_run_of_handling_with_the_way_there_and_back() -> None:
    given = moves(f"idle 3, {DRINK}, idle 4, {DRINK}, idle 3")
    assert repetitions_in(given, Side.RIGHT, 20.0) == ((2.5, 8.5), (11.5, 17.5))


def test_little_rest_between_two_is_divided() -> None:
    given = moves(f"{DRINK}, idle 0.4, {DRINK}")
    assert repetitions_in(given, Side.RIGHT, 10.4) == ((0.0, 5.2), (5.2, 10.4))


def test_a_short_stop_before_the_way_back_belongs_to_it() -> None:
    given = moves("idle 2, reach 1, transport 2, idle 1, reposition 1, idle 5")
    assert repetitions_in(given, Side.RIGHT, 12.0) == ((1.5, 7.5),)


def test_holding_without_transport_and_the_other_arm_are_none() -> None:
    given = [*moves("reach 1, stabilize 2, reposition 1, idle 2"), *moves(DRINK, Side.LEFT)]
    assert repetitions_in(given, Side.RIGHT, 10.0) == ()
    assert len(repetitions_in(given, Side.LEFT, 10.0)) == 1


def test_handling_after_a_long_silence_is_another_repetition() -> None:
    given = [Segment("transport", Side.RIGHT, 1.0, 2.0), Segment("transport", Side.RIGHT, 6.0, 7.0)]
    assert repetitions_in(given, Side.RIGHT, 9.0) == ((0.5, 2.5), (5.5, 7.5))

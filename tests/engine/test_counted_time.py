"""When a session was counting, and why nothing came of it."""

from __future__ import annotations

import pytest

from rehabcount.domain.dose import Count, Dose, Plan
from rehabcount.domain.rig import Side
from rehabcount.domain.update import Phase, PhaseName, SensorSet, Update
from rehabcount.engine.counted_time import counted_spans, why_nothing

RIGHT, LEFT = Side.RIGHT, Side.LEFT
CALIBRATED_AT_25 = [
    SensorSet(RIGHT, ("calibration",), 0.09),
    Phase(PhaseName.CALIBRATING, 0.0),
    SensorSet(RIGHT, (), 25.0),
    Phase(PhaseName.COUNTING, 24.8),
]


@pytest.mark.parametrize(
    ("said", "spans"),
    [
        ([], ((0.0, 60.0),)),
        (CALIBRATED_AT_25, ((25.0, 60.0),)),
        ([Phase(PhaseName.CALIBRATING, 0.0), Phase(PhaseName.COUNTING, 24.8)], ((24.8, 60.0),)),
        (
            [
                Phase(PhaseName.PAUSED, 10.0),
                Phase(PhaseName.COUNTING, 20.0, "drinking"),
                Phase(PhaseName.ASSISTED, 30.0),
            ],
            ((0, 10), (20, 60)),
        ),
        ([SensorSet(RIGHT, ("right-hand",), 10.0), SensorSet(RIGHT, (), 12.0)], ((0.0, 10.0), (12.0, 60.0))),
        ([SensorSet(LEFT, ("left-hand",), 10.0)], ((0.0, 60.0),)),
        ([Phase(PhaseName.ENDED, 40.0)], ((0.0, 40.0),)),
        ([Phase(PhaseName.ENDED, 70.0)], ((0.0, 60.0),)),
        (
            [Phase(PhaseName.PAUSED, 5.0), Phase(PhaseName.COUNTING, 5.0)],
            ((0.0, 60.0),),
        ),  # of one instant the last holds
        ([SensorSet(RIGHT, ("calibration",), 0.09)], ()),
    ],
)
def test_spans_are_those_in_which_a_movement_counts(said: list[Update], spans: tuple[tuple[float, float], ...]) -> None:
    assert counted_spans(said, RIGHT, 60.0) == spans


def dose(*counts: tuple[str, int], repetitions: int = 0) -> Dose:
    return Dose(tuple(Count(label, RIGHT, number, 1.0) for label, number in counts), 0.0, Plan(), repetitions)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ([*CALIBRATED_AT_25[:2], dose()], "the calibration was not completed"),
        ([SensorSet(RIGHT, ("right-hand",), 0.5), Phase(PhaseName.PAUSED, 0.0), dose()], "right-hand gave nothing"),
        ([Phase(PhaseName.PAUSED, 0.0), dose()], "calibrating or paused all the time"),
        ([*CALIBRATED_AT_25, dose(("idle", 3))], "no movement of the right arm was recognised in the 35 s of counting"),
        ([dose(("reach", 2), ("stabilize", 1))], "none of the 3 movements was a transport"),
        ([dose(("reach", 1))], "none of the 1 movement was a transport"),
    ],
)
def test_why_nothing_was_counted_is_said(said: list[Update], words: str) -> None:
    assert words in why_nothing(said, RIGHT, 60.0)


def test_there_is_nothing_to_explain_where_something_was_counted() -> None:
    assert why_nothing([dose(("transport", 2), repetitions=1)], RIGHT, 60.0) == ""

"""Which changes from session to session are marked: none if the smallest detectable change is unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rehabcount.domain.dose import Dose, Plan, PlannedActivity
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.session_summary import Agreement, Compared, ModelFacts, Summary
from rehabcount.domain.trend import active_minutes, trend

MODEL = ModelFacts("ab" * 32, mdc95=20.0)


def make(number: int, repetitions: int, model: ModelFacts | None = MODEL) -> Summary:
    dose = Dose((), 60.0 * number, Plan((PlannedActivity("a", 50),)), repetitions)
    return Summary(
        file=f"{number}.rehab",
        session="",
        patient="P",
        begun_utc_ns=number,
        length_s=100.0,
        start_s=0.0,
        counting_s=100.0,
        assisted_s=0.0,
        paused_s=0.0,
        pauses=(),
        side=Side.LEFT,
        simulated=False,
        rig=Rig("none", ()),
        counting=1,
        model=model,
        dose=dose,
        automatic=dose,
        agreement=Agreement(Compared("", 0, 0), (), 0, 0, 0, 0, 0),
        bin_s=60.0,
        bins=(),
        missing=(),
        entries=0,
        editors=(),
        notes=(),
        software="",
    )


def changes(summaries: list[Summary]) -> list[float | None]:
    return [point.change for point in trend(summaries)]


def test_a_slow_rise_is_marked_when_it_has_added_up() -> None:
    assert changes([make(i, 100 + 9 * i) for i in range(6)]) == [None, None, None, 27.0, None, None]
    assert changes([make(1, 100), make(2, 121), make(3, 120), make(4, 99)]) == [None, 21.0, None, -22.0]
    assert changes([make(1, 100), make(2, 120)]) == [None, None]  # equal to measurement error: not marked


@pytest.mark.parametrize("other", [None, ModelFacts("ab" * 32), ModelFacts("cd" * 32, mdc95=20.0)])
def test_nothing_is_marked_without_a_known_measurement_error(other: ModelFacts | None) -> None:
    assert changes([make(1, 100), make(2, 300, other)]) == [None, None]
    assert changes([make(1, 100, other), make(2, 300)]) == [None, 200.0 if other == ModelFacts("ab" * 32) else None]


def test_arms_are_not_compared() -> None:
    assert changes([make(1, 100), replace(make(2, 300), side=Side.RIGHT)]) == [None, None]


def test_sessions_are_put_in_order_and_other_measures_have_no_target() -> None:
    points = trend([make(3, 5), make(1, 7)])
    assert [(point.value, point.target) for point in points] == [(7.0, 50.0), (5.0, 50.0)]
    assert [(point.value, point.target) for point in trend([make(3, 5), make(1, 7)], active_minutes)] == [
        (1.0, None),
        (3.0, None),
    ]
    assert trend([]) == ()

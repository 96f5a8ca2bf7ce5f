from __future__ import annotations

import pytest

from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.simulate.cohort import Subject
from rehabcount.simulate.statistics import cohort_trials, describe, merged


def test_equal_neighbours_merge_as_frame_labels_would() -> None:
    run = [Segment(label, Side.LEFT, i, i + 1.0) for i, label in enumerate(["idle", "reach", "reach", "idle"])]
    assert [(s.label, s.start_s, s.end_s) for s in merged(run)] == [("idle", 0, 1), ("reach", 1, 3), ("idle", 3, 4)]
    assert merged([]) == []


def test_trials_of_the_cohort(cohort: tuple[Subject, ...]) -> None:
    trials = list(cohort_trials(cohort))
    assert len(trials) == 51 * 9 * 5 + 20 * 11 * 5
    assert len({(s.name, a, r, side) for s, a, r, side in trials}) == len(trials)


def test_every_figure_of_the_paper_is_met_within_15_percent(cohort: tuple[Subject, ...]) -> None:
    figures = describe(cohort, 0, every=5)  # everybody at everything once; with some left out, hours scatter by 3 %
    assert [figure.name for figure in figures if not figure.close] == []
    by_name = {figure.name: figure.ours for figure in figures}
    assert by_name["median duration (s)"] < 1.05  # "sub-second"
    assert by_name["events with repeats kept"] > by_name["primitives"]
    assert sum(by_name[f"{name} (%)"] for name in ("idle", "reach", "reposition", "stabilize", "transport")) == (
        pytest.approx(100)
    )

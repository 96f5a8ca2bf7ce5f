"""Edit metrics: the paper's examples, the two published predictions, properties, and a literal oracle."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.metrics import edit
from tests.metrics.oracles import edit_distance, published_script

G = ["reach", "idle", "stabilize"]
sequences = st.lists(st.sampled_from("abc"), max_size=6)
trials = st.lists(st.tuples(sequences, sequences), min_size=1, max_size=5)


def test_the_papers_example_of_a_distance() -> None:
    assert edit.evaluate([G], [["reach", "transport"]]).edits.tolist() == [2]


def test_the_papers_example_of_leniency() -> None:
    short, long = ["reach", "idle"], ["reach", "idle", "stabilize", "transport"]
    assert edit.edit_score(G, short) == pytest.approx(100 * 2 / 3)
    assert edit.edit_score(G, long) == pytest.approx(75.0)
    assert edit.aer(G, short) == edit.aer(G, long) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("file", "score", "rate"), [("jigsaws-edtcn.npz", 84.71, 0.176), ("breakfast-mstcn.npz", 57.28, 1.261)]
)
def test_published_predictions(data_folder: Path, file: str, score: float, rate: float) -> None:
    with np.load(data_folder / "segmentations" / file, allow_pickle=False) as held:
        names = [name.removesuffix("/reference") for name in held if name.endswith("/reference")]
        reference = [edit.tokens(held[f"{name}/reference"]) for name in names]
        estimate = [edit.tokens(held[f"{name}/estimate"]) for name in names]
    result = edit.evaluate(reference, estimate)
    assert round(result.edit_score(), 2) == score
    assert round(result.aer(), 3) == rate


@settings(max_examples=100, deadline=None)
@given(trials)
def test_against_the_literal_definition(cases: list[tuple[list[str], list[str]]]) -> None:
    result = edit.evaluate([r for r, _ in cases], [e for _, e in cases])
    assert result.edits.tolist() == [edit_distance(r, e) for r, e in cases]
    scores = [100 * (1 - edit_distance(r, e) / max(len(r), len(e))) if r or e else 100.0 for r, e in cases]
    assert result.edit_score() == pytest.approx(sum(scores) / len(scores))
    length = sum(len(r) for r, _ in cases)
    assert (math.isnan(result.aer()) and length == 0) or result.aer() == pytest.approx(sum(result.edits) / length)
    ratios = [edit_distance(r, e) / len(r) for r, e in cases if r]
    assert (
        math.isnan(result.aer("per_trial")) if not ratios else result.aer("per_trial") == pytest.approx(np.mean(ratios))
    )

    pairs: Counter[tuple[object, object]] = Counter()
    for r, e in cases:
        for i, j in published_script(r, e):
            pairs[None if i is None else r[i], None if j is None else e[j]] += 1
    for a, label in enumerate(result.labels):
        assert result.pairs[a].tolist() == [pairs[label, other] for other in result.labels]
        assert result.missed[a] == pairs[label, None]
        assert result.invented[a] == pairs[None, label]


@given(trials)
def test_a_perfect_estimate_has_no_errors(cases: list[tuple[list[str], list[str]]]) -> None:
    reference = [r for r, _ in cases]
    result = edit.evaluate(reference, reference)
    assert result.edit_score() == 100
    assert sum(result.edits) == 0
    if any(reference):
        assert result.aer() == 0
        assert result.sensitivity() == 1
        assert result.false_discovery() == 0


@given(trials)
def test_scores_do_not_depend_on_names_and_stay_in_bounds(cases: list[tuple[list[str], list[str]]]) -> None:
    rename = {"a": "z", "b": "a", "c": "q"}
    one = edit.evaluate([r for r, _ in cases], [e for _, e in cases])
    two = edit.evaluate([[rename[x] for x in r] for r, _ in cases], [[rename[x] for x in e] for _, e in cases])
    assert one.edits.tolist() == two.edits.tolist()
    assert 0 <= one.edit_score() <= 100
    swapped = edit.evaluate([e for _, e in cases], [r for r, _ in cases])
    assert swapped.edit_score() == pytest.approx(one.edit_score())
    for value in (one.sensitivity(), one.false_discovery()):
        assert math.isnan(value) or 0 <= value <= 1


def test_sensitivity_is_summed_within_a_subject_and_averaged_between() -> None:
    # Ann: 4 of 6 found over two trials; Bo: 1 of 1. One false alarm of Bo's.
    reference = [["a", "b", "a"], ["a", "b", "c"], ["a"]]
    estimate = [["a", "b", "a"], ["a"], ["a", "b"]]
    result = edit.evaluate(reference, estimate, subjects=["ann", "ann", "bo"])
    assert result.sensitivity() == pytest.approx((4 / 6 + 1) / 2)
    assert result.false_discovery() == pytest.approx((0 + 1 / 2) / 2)


def test_weights_repeat_trials() -> None:
    reference, estimate = [["a", "b"], ["a"], ["b", "c", "a"]], [["a"], ["b"], ["b", "c"]]
    people = ["x", "y", "x"]
    result = edit.evaluate(reference, estimate, subjects=people)
    weights = np.array([[2.0, 0.0, 1.0], [1.0, 1.0, 1.0]])
    chosen = [0, 0, 2]
    repeated = edit.evaluate(
        [reference[i] for i in chosen], [estimate[i] for i in chosen], subjects=[people[i] for i in chosen]
    )
    for score in ("edit_score", "aer", "sensitivity", "false_discovery"):
        by_weight = getattr(result, score)(weights=weights)
        assert by_weight[0] == pytest.approx(getattr(repeated, score)())
        assert by_weight[1] == pytest.approx(getattr(result, score)())
    assert result.aer("per_trial", weights)[0] == pytest.approx(repeated.aer("per_trial"))


def test_repeats_count_as_events_but_not_as_runs() -> None:
    reaches = [Segment("reach", Side.LEFT, float(i), i + 1.0) for i in range(3)]
    assert edit.tokens(reaches) == ["reach"]
    assert edit.tokens(reaches, "events") == ["reach"] * 3


def test_what_an_excluded_label_separated_is_not_joined() -> None:
    assert edit.tokens(["a", "bg", "a"], exclude=["bg"]) == ["a", "a"]


def test_merged_vocabulary_collapses_again() -> None:
    frames = ["reach", "transport", "stabilize", "idle", "reposition"]
    assert edit.tokens(frames, merged=edit.MOVE_HOLD_IDLE) == ["move", "hold", "idle", "move"]


def test_confusion_rows_are_fractions_of_the_reference() -> None:
    result = edit.evaluate([["a", "b", "b", "a"]], [["a", "b", "a", "c"]])
    table = result.confusion()
    assert table.shape == (3, 5)
    assert np.allclose(table[:2, :4].sum(axis=1), 1.0)
    assert np.isnan(table[2]).all()
    every_token = sum(result.hits) + sum(result.edits)
    assert result.confusion(fractions=False).sum() == every_token


def test_counts_by_activity_are_means_over_people() -> None:
    result = edit.evaluate(
        [["a"] * 4, ["a"] * 2, ["a"] * 3],
        [["a"] * 5, ["a"] * 2, ["a"] * 3],
        subjects=["x", "y", "x"],
        activities=["shelf", "shelf", "brushing"],
    )
    brushing, shelf = result.counts_by_activity()
    assert (brushing.reference, brushing.estimate, brushing.relative_error) == (3, 3, 0)
    assert (shelf.reference, shelf.estimate) == (3, 3.5)


def test_lengths_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="2 reference trials, 1"):
        edit.evaluate([["a"], ["b"]], [["a"]])
    with pytest.raises(ValueError, match="subjects has 2"):
        edit.evaluate([["a"]], [["a"]], subjects=["x", "y"])

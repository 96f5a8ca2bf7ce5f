"""Segment metrics against a computation with sets of frames, on toys and on published predictions."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.metrics import segment
from tests.metrics.oracles import literal_f1_counts, literal_runs


@st.composite
def labelled_pairs(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    length = draw(st.integers(1, 24))
    frames = st.lists(st.integers(0, 2), min_size=length, max_size=length)
    return draw(frames), draw(frames)


def mean_f1(rows: list[tuple[int, int, int]]) -> float:
    return 100 * sum(2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 0.0 for tp, fp, fn in rows) / len(rows)


def pooled_f1(rows: list[tuple[int, int, int]]) -> float:
    tp, fp, fn = (sum(row[i] for row in rows) for i in range(3))
    return 100 * 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 0.0


@settings(max_examples=150, deadline=None)
@given(st.lists(labelled_pairs(), min_size=1, max_size=4), st.sampled_from([(), (0,)]))
def test_f1_is_the_set_of_frames_definition(
    trials: list[tuple[list[int], list[int]]], background: tuple[int, ...]
) -> None:
    reference, estimate = [r for r, _ in trials], [e for _, e in trials]
    result = segment.evaluate(reference, estimate, background=background)
    for k in (0.10, 0.25, 0.50):
        rows = [literal_f1_counts(r, e, k, background) for r, e in trials]
        assert result.f1(k) == pytest.approx(pooled_f1(rows))
        assert result.f1(k, "per_trial") == pytest.approx(mean_f1(rows))
    agreed = [np.mean(np.array(r) == np.array(e)) for r, e in trials]
    assert result.frame_accuracy("per_trial") == pytest.approx(np.mean(agreed))
    lengths = [len(r) for r, _ in trials]
    assert result.frame_accuracy() == pytest.approx(np.average(agreed, weights=lengths))


@pytest.mark.parametrize(
    ("file", "background"),
    [
        ("jigsaws-edtcn.npz", ()),
        ("jigsaws-edtcn.npz", (0,)),
        ("breakfast-mstcn.npz", ()),
        ("breakfast-mstcn.npz", (1,)),  # its silence: numbers begin at 1 there
    ],
)
def test_published_predictions_agree_with_sets_of_frames(
    data_folder: Path, file: str, background: tuple[int, ...]
) -> None:
    with np.load(data_folder / "segmentations" / file, allow_pickle=False) as held:
        names = [name.removesuffix("/reference") for name in held if name.endswith("/reference")]
        reference = [held[f"{name}/reference"] for name in names]
        estimate = [held[f"{name}/estimate"] for name in names]
    result = segment.evaluate(reference, estimate, background=background)
    for k in (0.10, 0.25, 0.50):
        rows = [
            literal_f1_counts(r.tolist(), e.tolist(), k, background) for r, e in zip(reference, estimate, strict=True)
        ]
        assert result.f1(k) == pytest.approx(pooled_f1(rows), abs=1e-9)
        assert result.f1(k, "per_trial") == pytest.approx(mean_f1(rows), abs=1e-9)


@given(labelled_pairs())
def test_a_perfect_estimate_is_perfect_and_names_do_not_matter(pair: tuple[list[int], list[int]]) -> None:
    reference, estimate = pair
    perfect = segment.evaluate([reference], [reference])
    assert perfect.frame_accuracy() == 1
    assert perfect.f1(0.5) == perfect.boundary_f1() == 100
    one = segment.evaluate([reference], [estimate])
    names = ["reach", "idle", "hold"]
    two = segment.evaluate([[names[x] for x in reference]], [[names[x] for x in estimate]])
    assert one.f1(0.25) == two.f1(0.25)
    assert one.frame_accuracy() == two.frame_accuracy()
    assert 100 >= one.f1(0.10) >= one.f1(0.25) >= one.f1(0.50) >= 0


@given(labelled_pairs(), st.integers(2, 4))
def test_stretching_time_changes_no_share(pair: tuple[list[int], list[int]], factor: int) -> None:
    reference, estimate = pair
    one = segment.evaluate([reference], [estimate])
    two = segment.evaluate([np.repeat(reference, factor)], [np.repeat(estimate, factor)])
    assert [one.f1(k) for k in one.overlaps] == [two.f1(k) for k in two.overlaps]
    assert one.frame_accuracy() == pytest.approx(two.frame_accuracy())


@settings(max_examples=150, deadline=None)
@given(labelled_pairs(), st.integers(0, 4))
def test_boundaries_against_their_definitions(pair: tuple[list[int], list[int]], tolerance: int) -> None:
    reference, estimate = pair
    true, said = [a for _, a, _ in literal_runs(reference)], [a for _, a, _ in literal_runs(estimate)]
    taken: set[int] = set()
    for at in said:
        best = min(range(len(true)), key=lambda i: (abs(true[i] - at), i))
        if abs(true[best] - at) <= tolerance:
            taken.add(best)
    nearest = segment.evaluate([reference], [estimate], tolerance=tolerance)
    assert nearest.boundary_f1() == pytest.approx(100 * 2 * len(taken) / (len(true) + len(said)))
    assert np.flatnonzero(nearest.onset_found).tolist() == sorted(taken)
    optimal = segment.evaluate([reference], [estimate], tolerance=tolerance, boundaries="optimal")
    assert int(optimal.boundary_true_positives[0]) >= len(taken)
    if len(true) <= 5 and len(said) <= 5:
        few, many = sorted((true, said), key=len)
        most = max(
            sum(abs(a - b) <= tolerance for a, b in zip(few, chosen, strict=True))
            for chosen in itertools.permutations(many, len(few))
        )
        assert int(optimal.boundary_true_positives[0]) == most


def test_boundary_accuracy_by_duration() -> None:
    #            a lasts 2, b lasts 6, c lasts 2: the onset of c is 3 frames off
    reference = [0] * 2 + [1] * 6 + [2] * 2
    estimate = [0] * 2 + [1] * 3 + [2] * 5
    short, long = segment.evaluate([reference], [estimate], tolerance=1).boundary_accuracy((0, 4, np.inf))
    assert (short.onsets, short.found, short.accuracy) == (2, 1, 0.5)
    assert (long.onsets, long.found) == (1, 1)
    empty = segment.evaluate([[0]], [[0]]).boundary_accuracy((5, 9))[0]
    assert math.isnan(empty.accuracy)


def test_segments_in_seconds_work_as_frames_do() -> None:
    reference = [Segment("a", Side.LEFT, 0.0, 1.0), Segment("b", Side.LEFT, 1.0, 3.0)]
    estimate = [Segment("a", Side.LEFT, 0.0, 1.5), Segment("b", Side.LEFT, 1.5, 3.0)]
    result = segment.evaluate([reference], [estimate], tolerance=0.6)
    assert result.frame_accuracy() == pytest.approx(2.5 / 3)
    assert result.f1(0.5) == result.boundary_f1() == 100


def test_weights_repeat_trials() -> None:
    trials = ([0, 0, 1, 1], [0, 0, 0, 1]), ([1, 1, 2], [1, 2, 2])
    result = segment.evaluate([r for r, _ in trials], [e for _, e in trials])
    twice = segment.evaluate([trials[0][0]] * 2, [trials[0][1]] * 2)
    weights = np.array([[2.0, 0.0]])
    for pooling in ("pooled", "per_trial"):
        assert result.frame_accuracy(pooling, weights)[0] == pytest.approx(twice.frame_accuracy(pooling))
        assert result.f1(0.5, pooling, weights)[0] == pytest.approx(twice.f1(0.5, pooling))


def test_frames_that_differ_in_number_are_refused() -> None:
    with pytest.raises(ValueError, match="trial 0 has 3 reference frames and 2"):
        segment.evaluate([[1, 1, 1]], [[1, 1]])

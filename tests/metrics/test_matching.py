"""The alignment and the matcher of spans, against literal definitions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rehabcount.metrics
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.metrics.matching import UNPAIRED, Spans, align, distances, first_claims, overlaps, runs, spans_of
from tests.metrics.oracles import edit_distance, published_script

sequences = st.lists(st.integers(0, 3), max_size=7)


def as_arrays(trials: list[list[int]]) -> list[np.ndarray]:
    return [np.array(trial, np.int64) for trial in trials]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(sequences, sequences), max_size=4))
def test_alignment_is_the_published_walk(trials: list[tuple[list[int], list[int]]]) -> None:
    found = align(as_arrays([r for r, _ in trials]), as_arrays([e for _, e in trials]))
    for number, (reference, estimate) in enumerate(trials):
        here = found.trial == number
        script = [
            (None if r == UNPAIRED else r, None if e == UNPAIRED else e)
            for r, e in zip(found.reference[here].tolist(), found.estimate[here].tolist(), strict=True)
        ]
        assert script == published_script(reference, estimate)


@settings(max_examples=100, deadline=None)
@given(sequences, sequences)
def test_both_ways_of_breaking_ties_need_the_same_number_of_edits(reference: list[int], estimate: list[int]) -> None:
    expected = edit_distance(reference, estimate)
    assert distances([reference], [estimate]).tolist() == [expected]
    r, e = as_arrays([reference]), as_arrays([estimate])
    for found in (align(r, e), align(r, e, ties="rapidfuzz")):
        pairs = list(zip(found.reference.tolist(), found.estimate.tolist(), strict=True))
        wrong = sum(a == UNPAIRED or b == UNPAIRED or reference[a] != estimate[b] for a, b in pairs)
        assert wrong == expected
        assert [a for a, _ in pairs if a != UNPAIRED] == list(range(len(reference)))
        assert [b for _, b in pairs if b != UNPAIRED] == list(range(len(estimate)))


def test_ties_differ_where_the_definition_is_silent() -> None:
    r, e = as_arrays([[0, 1]]), as_arrays([[1, 0]])
    assert UNPAIRED not in align(r, e).reference
    assert UNPAIRED in align(r, e, ties="rapidfuzz").reference


def test_a_long_trial_beside_many_short_ones_keeps_the_order_of_trials() -> None:
    rng = np.random.default_rng(1)
    reference = [rng.integers(0, 4, size) for size in (3, 2500, 0, 40, 7)]
    estimate = [rng.integers(0, 4, size) for size in (0, 2400, 2, 50, 7)]
    found = align(reference, estimate)
    assert found.trial.tolist() == sorted(found.trial.tolist())
    wrong = np.zeros(5, int)
    for t, a, b in zip(found.trial.tolist(), found.reference.tolist(), found.estimate.tolist(), strict=True):
        wrong[t] += UNPAIRED in (a, b) or reference[t][a] != estimate[t][b]
    assert wrong.tolist() == distances([r.tolist() for r in reference], [e.tolist() for e in estimate]).tolist()


@given(st.lists(st.integers(0, 2), max_size=30))
def test_runs_tile_the_frames(frames: list[int]) -> None:
    spans = runs(frames)
    rebuilt = [
        int(label)
        for label, a, b in zip(spans.labels, spans.starts, spans.ends, strict=True)
        for _ in range(int(b - a))
    ]
    assert rebuilt == frames
    assert all(a != b for a, b in zip(spans.labels[:-1], spans.labels[1:], strict=True))


def test_runs_stop_at_breaks() -> None:
    assert runs([1, 1, 1, 2], breaks=[2]).starts.tolist() == [0, 2, 3]


def test_segments_become_spans_in_time_order() -> None:
    spans = spans_of([Segment("reach", Side.LEFT, 2.0, 3.0), Segment("idle", Side.LEFT, 0.0, 2.0)])
    assert spans.labels.tolist() == ["idle", "reach"]
    assert spans.without(["idle"]).starts.tolist() == [2.0]


@pytest.mark.parametrize(
    ("frames", "said"),
    [([0.0, float("nan")], r"frames\[1\] is nan"), ([[1, 2]], "shape"), ([0.5], r"frames\[0\]"), ([None], "object")],
)
def test_what_is_no_label_is_named(frames: list[object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        runs(frames)


def test_overlapping_spans_are_refused() -> None:
    with pytest.raises(ValueError, match="span 0"):
        Spans(np.array(["a", "b"]), np.array([0.0, 1.0]), np.array([2.0, 3.0]))


@given(st.lists(st.integers(0, 2), min_size=1, max_size=25), st.data())
def test_overlaps_are_all_pairs_that_share_frames(reference: list[int], data: st.DataObject) -> None:
    estimate = data.draw(st.lists(st.integers(0, 2), min_size=len(reference), max_size=len(reference)))
    r, e = runs(reference).without([0]), runs(estimate).without([0])
    found = overlaps(r, e)
    expected = []
    for j in range(len(e)):
        for i in range(len(r)):
            mine = set(range(int(r.starts[i]), int(r.ends[i])))
            yours = set(range(int(e.starts[j]), int(e.ends[j])))
            if mine & yours:
                expected.append((i, j, len(mine & yours), len(mine | yours)))
    assert list(zip(found.reference, found.estimate, found.shared, found.union, strict=True)) == expected


def test_a_thing_is_given_to_the_first_who_wants_it() -> None:
    assert first_claims(np.array([2, UNPAIRED, 2, 0, UNPAIRED])).tolist() == [True, False, False, True, False]


def test_importing_metrics_loads_nothing_heavy() -> None:
    folder = Path(rehabcount.metrics.__path__[0])
    modules = [f"rehabcount.metrics.{path.stem}" for path in folder.glob("[a-z]*.py")]
    code = f"import sys, {', '.join(['rehabcount.metrics', *modules])}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert "rehabcount" in loaded
    assert not loaded & {"sklearn", "numba", "matplotlib", "rapidfuzz", "torch", "pandas"}


def test_spans_within_windows_and_closed_up() -> None:
    spans = Spans(np.array(["a", "b", "c"]), np.array([0.0, 2.0, 5.0]), np.array([2.0, 5.0, 9.0]))
    windows = [(1.0, 3.0), (4.995, 7.0)]
    cut = spans.within(windows, shortest=0.01)
    assert list(zip(cut.labels, cut.starts, cut.ends, strict=True)) == [("a", 1, 2), ("b", 2, 3), ("c", 5, 7)]
    assert spans.within(windows).labels.tolist() == ["a", "b", "b", "c"]
    closed = cut.closed_up(windows)
    assert closed.starts == pytest.approx([0, 1, 2.005])
    assert closed.ends == pytest.approx([1, 2, 4.005])
    assert len(spans.within([])) == 0
    assert spans.closed_up([]) is spans

"""mAP@mid: a literal matching, and scikit-learn's average precision as the second computation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.metrics import detection
from rehabcount.metrics.matching import Spans
from tests.metrics.oracles import literal_runs, midpoint_flags


def second_computation(
    reference: list[list[int]], estimate: list[list[int]], confidences: list[list[float]], excluded: tuple[int, ...]
) -> float:
    """Runs and matching by hand, average precision by scikit-learn, rescaled to all true segments.

    scikit-learn gets ranks instead of confidences, because it treats equal scores as one.
    """
    metrics = pytest.importorskip("sklearn.metrics")
    labels = sorted({x for video in reference for x in video} - set(excluded))
    values = []
    for label in labels:
        flags: list[bool] = []
        scores: list[float] = []
        total = 0
        for r, e, c in zip(reference, estimate, confidences, strict=True):
            true = [(float(a), float(b)) for name, a, b in literal_runs(r) if name == label]
            runs = literal_runs(e)
            said = [(float(a), float(b), c[i]) for i, (name, a, b) in enumerate(runs) if name == label]
            total += len(true)
            flags += midpoint_flags(true, said)
            scores += [score for _, _, score in said]
        order = sorted(range(len(scores)), key=lambda i: -scores[i])
        standing = [-order.index(i) for i in range(len(scores))]
        found = metrics.average_precision_score(flags, standing) * sum(flags) / total if any(flags) else 0.0
        values.append(found)
    return float(np.mean(values))


@st.composite
def videos(draw: st.DrawFn) -> list[tuple[list[int], list[int]]]:
    def one() -> tuple[list[int], list[int]]:
        length = draw(st.integers(1, 20))
        frames = st.lists(st.integers(0, 2), min_size=length, max_size=length)
        return draw(frames), draw(frames)

    return [one() for _ in range(draw(st.integers(1, 3)))]


@settings(max_examples=100, deadline=None)
@given(videos(), st.integers(0, 1000))
def test_against_the_second_computation(cases: list[tuple[list[int], list[int]]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    confidences = [rng.random(len(literal_runs(e))).tolist() for _, e in cases]
    result = detection.evaluate(
        [r for r, _ in cases],
        [(e_spans(e), c) for (_, e), c in zip(cases, confidences, strict=True)],
    )
    expected = second_computation([r for r, _ in cases], [e for _, e in cases], confidences, ())
    assert result.map() == pytest.approx(expected)
    assert 0 <= result.map() <= 1


def e_spans(frames: list[int]) -> Spans:
    found = literal_runs(frames)
    return Spans(
        np.array([label for label, _, _ in found]),
        np.array([float(a) for _, a, _ in found]),
        np.array([float(b) for _, _, b in found]),
    )


@pytest.mark.parametrize("background", [(), (0,)])
def test_published_jigsaws_predictions(data_folder: Path, background: tuple[int, ...]) -> None:
    reference, scored = jigsaws(data_folder)
    result = detection.evaluate(reference, [(spans, c) for _, spans, c in scored], background=background)
    expected = second_computation(
        [r.tolist() for r in reference],
        [e.tolist() for e, _, _ in scored],
        [c.tolist() for _, _, c in scored],
        background,
    )
    assert result.map() == pytest.approx(expected, abs=1e-9)
    assert 0.5 < result.map() < 1


def jigsaws(data_folder: Path) -> tuple[list[Any], list[Any]]:
    reference, scored = [], []
    with np.load(data_folder / "segmentations" / "jigsaws-edtcn.npz", allow_pickle=False) as held:
        for name in sorted(key.removesuffix("/reference") for key in held if key.endswith("/reference")):
            reference.append(held[f"{name}/reference"])
            estimate = held[f"{name}/estimate"]
            scored.append((estimate, *detection.scored_segments(estimate, held[f"{name}/scores"])))
    return reference, scored


def test_the_more_confident_of_two_in_one_segment_is_right() -> None:
    reference = ["a"] * 10
    spans = Spans(np.array(["a", "a"]), np.array([0.0, 6.0]), np.array([4.0, 9.0]))
    sure_second = detection.evaluate([reference], [(spans, [0.2, 0.9])])
    sure_first = detection.evaluate([reference], [(spans, [0.9, 0.2])])
    assert sure_first.map() == sure_second.map() == 1  # a false positive below every hit costs nothing
    assert sure_first.true_positives.tolist() == [1]


def test_a_confident_mistake_halves_precision() -> None:
    reference = ["a"] * 4 + ["b"] * 4
    spans = Spans(np.array(["a", "a"]), np.array([0.0, 4.0]), np.array([4.0, 8.0]))
    result = detection.evaluate([reference], [(spans, [0.1, 0.9])])
    assert dict(zip(result.labels, result.average_precision, strict=True)) == {"a": 0.5, "b": 0.0}
    assert result.map() == 0.25


def test_the_midpoint_may_not_be_the_end() -> None:
    reference = ["a"] * 4 + ["b"] * 4
    on_the_border = Spans(np.array(["a"]), np.array([2.0]), np.array([6.0]))
    assert detection.evaluate([reference], [(on_the_border, [1.0])]).true_positives.tolist() == [0, 0]


def test_perfect_and_empty() -> None:
    frames = [0, 0, 1, 1, 0]
    perfect = detection.evaluate([frames], [(e_spans(frames), [0.3, 0.2, 0.1])])
    assert perfect.map() == 1
    nothing = Spans(np.array([], int), np.array([]), np.array([]))
    assert detection.evaluate([frames], [(nothing, [])]).map() == 0
    assert np.isnan(detection.evaluate([frames], [(nothing, [])], background=[0, 1]).map())


def test_mean_score_of_the_own_label() -> None:
    spans, confidence = detection.scored_segments([0, 0, 1], [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    assert spans.labels.tolist() == [0, 1]
    assert confidence.tolist() == pytest.approx([0.7, 0.8])
    named = detection.scored_segments(["b", "a"], [[0.1, 0.9], [0.4, 0.6]], labels=["a", "b"])[1]
    assert named.tolist() == pytest.approx([0.9, 0.4])


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="video 0"):
        detection.evaluate([[0]], [(e_spans([0]), [float("nan")])])
    with pytest.raises(ValueError, match="2 frames are scored, 1"):
        detection.scored_segments([0], [[1.0], [1.0]])

"""Frame scores to movements: smoothing, refinement, and laying a sequence over frames."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.inference.spans import Span, align_tokens, boundaries_of, refined, smoothed, spans_of


def test_runs() -> None:
    assert spans_of(np.array([2, 2, 0, 1, 1])) == [Span(2, 0, 2), Span(0, 2, 3), Span(1, 3, 5)]
    assert spans_of(np.array([], int)) == []


def test_smoothing_keeps_length_and_level_and_removes_a_flicker() -> None:
    probabilities = np.tile([0.9, 0.1], (40, 1))
    probabilities[20] = [0.2, 0.8]
    smooth = smoothed(probabilities, 9, 3.0)
    assert smooth.shape == probabilities.shape
    assert smooth[10] == pytest.approx([0.9, 0.1])
    assert len(spans_of(probabilities.argmax(axis=1))) == 3
    assert len(spans_of(smooth.argmax(axis=1))) == 1
    assert np.array_equal(smoothed(probabilities, 1, 0.0), probabilities)


def test_boundaries_are_strict_peaks_of_at_least_a_half() -> None:
    boundary = np.array([0.9, 0.2, 0.6, 0.55, 0.4, 0.49, 0.4, 0.8, 0.8, 0.1])
    assert boundaries_of(boundary).tolist() == [0, 2]  # 0.49 is too low, 0.8 0.8 is no strict peak


def test_refinement_takes_the_majority_of_each_piece() -> None:
    probabilities = np.array([[0.6, 0.4], [0.4, 0.6], [0.7, 0.3], [0.2, 0.8], [0.9, 0.1], [0.1, 0.9]])
    boundary = np.array([0.0, 0.0, 0.1, 0.9, 0.0, 0.0])
    assert refined(probabilities, boundary) == [Span(0, 0, 3), Span(1, 3, 6)]


def test_a_tie_goes_to_the_larger_sum() -> None:
    probabilities = np.array([[0.51, 0.49], [0.1, 0.9]])
    assert refined(probabilities, np.zeros(2)) == [Span(1, 0, 2)]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), frames=st.integers(1, 7), number=st.integers(0, 4), onsets=st.booleans())
def test_alignment_is_the_best_of_all(seed: int, frames: int, number: int, onsets: bool) -> None:
    rng = np.random.default_rng(seed)
    scores, tokens = rng.normal(size=(frames, 3)), rng.integers(0, 3, number).tolist()
    if number > frames:
        with pytest.raises(ValueError):
            align_tokens(tokens, scores)
        return
    begins = rng.normal(size=frames) if onsets else np.zeros(frames)
    found = align_tokens(tokens, scores, begins if onsets else None)
    assert [span.label for span in found] == tokens
    if not number:
        return
    assert found[0].start == 0
    assert found[-1].end == frames
    assert all(a.end == b.start for a, b in itertools.pairwise(found))

    def total(starts: tuple[int, ...]) -> float:
        edges = [0, *starts, frames]
        fit = sum(scores[a:b, t].sum() for t, a, b in zip(tokens, edges[:-1], edges[1:], strict=True))
        return float(fit + begins[list(starts)].sum())

    best = max(total(starts) for starts in itertools.combinations(range(1, frames), number - 1))
    assert total(tuple(span.start for span in found[1:])) == pytest.approx(best)


def test_repeats_share_evenly_what_no_onset_divides() -> None:
    scores = np.log(np.array([[0.9, 0.1]] * 2 + [[0.1, 0.9]] * 6))
    assert align_tokens([0, 1, 1, 1], scores) == [Span(0, 0, 2), Span(1, 2, 4), Span(1, 4, 6), Span(1, 6, 8)]

"""From numbers a frame to a sequence of movements, without torch: collapsing, smoothing, refining by boundaries.

In: class probabilities (frames, labels), sometimes boundary probabilities (frames,). Out: `Span`s, half-open and
counted in frames.

    spans_of        runs of the most probable label
    merged          consecutive spans of one label as one
    smoothed        each label's track convolved with a Kaiser window: StrokeRehab's smoothing row
    refined         ASRF: the likely boundaries cut the recording, each piece takes the majority label
    told_before     which of two neighbouring windows has a movement that crosses their border
    align_tokens    a given sequence of labels laid over the frames where it fits best: times for a sequence network

References: Kaku et al. 2022 (smoothing); Ishikawa et al. 2021, ASRF (refinement: boundaries are the first frame and
the strict local maxima of at least 0.5; a tie takes the label with the larger summed score).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.arrays import Ints

Array = NDArray[Any]
BOUNDARY_THRESHOLD = 0.5  # ASRF's


@dataclass(frozen=True, slots=True)
class Span:
    """A label's stretch of frames `[start, end)`."""

    label: int
    start: int
    end: int


def spans_of(labels: Array) -> list[Span]:
    """Runs of equal labels."""
    if not len(labels):
        return []
    edges = [0, *(np.flatnonzero(labels[1:] != labels[:-1]) + 1).tolist(), len(labels)]
    return [Span(int(labels[a]), a, b) for a, b in itertools.pairwise(edges)]


def merged(spans: Iterable[Span]) -> list[Span]:
    """Consecutive spans of one label as one."""
    out: list[Span] = []
    for span in spans:
        if out and out[-1].label == span.label:
            out[-1] = Span(span.label, out[-1].start, span.end)
        else:
            out.append(span)
    return out


def smoothed(probabilities: Array, length: int, beta: float) -> Array:
    """Each column convolved with a Kaiser window of `length` frames that sums to 1; as long as before."""
    if length < 1:
        raise ValueError(f"length must be at least 1 frame, not {length}")
    window = np.kaiser(length, beta)
    window /= window.sum()
    lead, frames = (length - 1) // 2, len(probabilities)
    tracks = [np.convolve(column, window)[lead : lead + frames] for column in probabilities.T]
    return np.stack(tracks, axis=1)


def told_before(began: float, border: float, ends: float) -> bool:
    """Whether a movement counts as the last one of the window that ends at `border`: at least half of it lies there."""
    return 2 * (border - began) >= ends - began


def boundaries_of(boundary: Array, threshold: float = BOUNDARY_THRESHOLD) -> Ints:
    """Frame 0 and every strict local maximum that reaches the threshold."""
    high = np.where(boundary >= threshold, boundary, 0.0)
    inner = np.flatnonzero((high[1:-1] > high[:-2]) & (high[1:-1] > high[2:])) + 1
    return np.concatenate([[0], inner]).astype(np.int64)


def refined(probabilities: Array, boundary: Array, threshold: float = BOUNDARY_THRESHOLD) -> list[Span]:
    """ASRF's refinement; neighbouring pieces of one label become one."""
    frames, labels = probabilities.shape
    if not frames:
        return []
    best = probabilities.argmax(axis=1)
    out = np.empty(frames, np.int64)
    edges = [*boundaries_of(boundary, threshold).tolist(), frames]
    for a, b in itertools.pairwise(edges):
        votes = np.bincount(best[a:b], minlength=labels)
        winners = np.flatnonzero(votes == votes.max())
        out[a:b] = winners[probabilities[a:b, winners].sum(axis=0).argmax()]
    return spans_of(out)


def align_tokens(tokens: Sequence[int], log_probabilities: Array, onset_logits: Array | None = None) -> list[Span]:
    """The tokens as spans that together cover all frames, each at least one frame, with the largest summed score.

    A token that begins at a frame adds the onset's logit there. Where no onsets are known, repeats of one label share
    their frames evenly, because the scores show no border between them.

    More tokens than frames cannot be laid out: ValueError.
    """
    frames, number = len(log_probabilities), len(tokens)
    if number > frames:
        raise ValueError(f"{number} tokens do not fit into {frames} frames")
    if not number:
        return []
    emit = log_probabilities[:, list(tokens)]  # (frames, tokens)
    score = np.full(number, -np.inf)
    score[0] = emit[0, 0]
    moved = np.zeros((frames, number), bool)
    begins = np.zeros(frames) if onset_logits is None else onset_logits
    for t in range(1, frames):
        from_before = np.concatenate([[-np.inf], score[:-1] + begins[t]])
        moved[t] = from_before > score
        score = np.maximum(score, from_before) + emit[t]
    starts, token = [0] * number, number - 1
    for t in range(frames - 1, 0, -1):
        if token and (moved[t, token] or t == token):  # t == token: only one path is left
            starts[token] = t
            token -= 1
    if onset_logits is None:
        _share_evenly(tokens, starts, frames)
    ends = [*starts[1:], frames]
    return [Span(int(label), a, b) for label, a, b in zip(tokens, starts, ends, strict=True)]


def _share_evenly(tokens: Sequence[int], starts: list[int], frames: int) -> None:
    """Move the borders between repeats of one label."""
    first = 0
    for last in range(len(tokens)):
        if last + 1 < len(tokens) and tokens[last + 1] == tokens[first]:
            continue
        begin, end = starts[first], starts[last + 1] if last + 1 < len(tokens) else frames
        number = last + 1 - first
        starts[first : last + 1] = [begin + (end - begin) * i // number for i in range(number)]
        first = last + 1

"""Detection: are the segments that a recogniser is most sure of the right ones?

True segments and scored segments of many videos in; one `DetectionResult` out.

Conventions
-----------
A detection hits a true segment of its label if its midpoint lies in `[start, end)`. Within a video and a label the true
segments, in time order, each take the most confident detection that is still free and hits them; what is left over is a
false positive. Then all videos' detections of the label are ranked by confidence; among equals the earlier comes first
(order of videos, then of time).

Metrics
-------
average_precision  per label: precision at each true positive's rank, summed, divided by the number of true segments.
                   No detection at all: 0.
map                mean over the labels that occur in the reference, `background` excluded; none: NaN.

References
----------
Singh et al., A multi-stream bi-directional recurrent neural network for fine-grained action detection, CVPR 2016.
Lea et al., CVPR 2017 (mAP@mid). Li et al., GAIN: On the Generalization of Instructional Action Understanding, Table 4.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rehabcount.domain.arrays import Bools, Floats, Ints, frozen
from rehabcount.metrics.matching import Spans, runs, spans_of


@dataclass(frozen=True, slots=True)
class DetectionResult:
    labels: tuple[Hashable, ...]  # those of the reference, without background
    true_segments: Ints  # (labels,)
    detections: Ints  # (labels,)
    true_positives: Ints  # (labels,)
    average_precision: Floats  # (labels,)

    def map(self) -> float:
        return float(self.average_precision.mean()) if len(self.labels) else float("nan")


def scored_segments(estimate: Any, frame_scores: Any, labels: Sequence[Hashable] | None = None) -> tuple[Spans, Floats]:
    """The runs of frame labels, each with the mean score of its own label over its frames.

    `labels` names the columns of `frame_scores`; without it the label is the column's number.
    """
    spans, table = runs(estimate), np.asarray(frame_scores, float)
    if len(table) != len(np.asarray(estimate)):
        raise ValueError(f"{len(table)} frames are scored, {len(np.asarray(estimate))} are labelled")
    column = {label: i for i, label in enumerate(labels)} if labels is not None else None
    confidence = [
        table[int(a) : int(b), int(label) if column is None else column[label]].mean()
        for label, a, b in zip(spans.labels.tolist(), spans.starts, spans.ends, strict=True)
    ]
    return spans, np.array(confidence, float)


def evaluate(
    reference: Sequence[Any],
    estimate: Sequence[tuple[Any, Any]],
    *,
    background: Iterable[Hashable] = (),
) -> DetectionResult:
    """`reference` has a labelling a video, `estimate` a pair (segments, confidence of each) a video."""
    if len(reference) != len(estimate):
        raise ValueError(f"{len(reference)} reference videos, {len(estimate)} estimated ones")
    true = [spans_of(video) for video in reference]
    said = [(spans_of(segments), np.asarray(confidence, float)) for segments, confidence in estimate]
    for number, (segments, confidence) in enumerate(said):
        if len(segments) != len(confidence) or not np.all(np.isfinite(confidence)):
            raise ValueError(f"video {number}: each of its {len(segments)} segments needs one finite confidence")
    excluded = set(background)
    labels = sorted(
        {label for video in true for label in video.labels.tolist()} - excluded, key=lambda x: (isinstance(x, str), x)
    )
    rows = [_label_row(label, true, said) for label in labels]
    return DetectionResult(
        labels=tuple(labels),
        true_segments=frozen([row[0] for row in rows], np.int64),
        detections=frozen([row[1] for row in rows], np.int64),
        true_positives=frozen([row[2] for row in rows], np.int64),
        average_precision=frozen([row[3] for row in rows]),
    )


def _label_row(label: Hashable, true: list[Spans], said: list[tuple[Spans, Floats]]) -> tuple[int, int, int, float]:
    hits, confidences, total = [], [], 0
    for video, (segments, confidence) in zip(true, said, strict=True):
        mine, yours = video.labels == label, segments.labels == label
        total += int(mine.sum())
        middle = (segments.starts[yours] + segments.ends[yours]) / 2
        hits.append(_taken(video.starts[mine], video.ends[mine], middle, confidence[yours]))
        confidences.append(confidence[yours])
    hit = np.concatenate(hits)[np.argsort(-np.concatenate(confidences), kind="stable")]
    precision = np.cumsum(hit) / np.arange(1, len(hit) + 1)
    return total, len(hit), int(hit.sum()), float(precision[hit].sum() / total)


def _taken(starts: Floats, ends: Floats, middle: Floats, confidence: Floats) -> Bools:
    """Which detections a true segment takes: the most confident of those whose midpoint it holds.

    True segments do not overlap, so no detection is wanted twice.
    """
    hit = np.zeros(len(middle), bool)
    holder = np.searchsorted(starts, middle, side="right") - 1
    inside = (holder >= 0) & (middle < ends[holder]) if len(starts) else hit
    best = np.lexsort((-confidence, holder))  # by true segment, most confident first; stable, so earlier first
    best = best[inside[best]]
    hit[best[np.unique(holder[best], return_index=True)[1]]] = True
    return hit

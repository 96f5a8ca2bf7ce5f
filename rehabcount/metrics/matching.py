"""Matching: the one alignment of two label sequences and the one matcher of labelled spans.

Labels in, correspondences out; all families of metrics use these two.

Conventions
-----------
A labelling is either one label per frame or `Spans`: labelled stretches `[start, end)` in time order that do not
overlap, in frames or seconds. `runs` turns the first into the second. Labels are integers or strings, never NaN.

An alignment pairs the tokens of two sequences with the fewest edits. Several alignments may be equally short but have
other misses and substitutions, so the choice is part of the definition. `ties="published"` is the order of the
StrokeRehab evaluation: from the end backwards, take a hit or substitution if that is on a shortest path, else a miss,
else a false alarm. `ties="rapidfuzz"` takes rapidfuzz's script, which prefers misses and false alarms to
substitutions. The number of edits is the same.

References
----------
Kaku et al., StrokeRehab: A Benchmark Dataset for Sub-second Action Identification, NeurIPS 2022, section 3.2.
Lea et al., Temporal Convolutional Networks for Action Segmentation and Detection, CVPR 2017 (segmental F1).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.arrays import Bools, Floats, Ints, frozen
from rehabcount.domain.sequence import Segment

Ties = Literal["published", "rapidfuzz"]
Window = tuple[float, float]  # `[start, end)`, in the unit of the spans
UNPAIRED = -1  # stands for the missing partner in a pair

# Cells aligned at once, one byte each, and a few working rows.
_BATCH_CELLS = 4_000_000
_PAIR, _MISS, _FALSE_ALARM = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Spans:
    """Labelled stretches `[starts, ends)` of one trial, in time order, not overlapping."""

    labels: NDArray[Any]
    starts: Floats
    ends: Floats

    def __post_init__(self) -> None:
        if not len(self.labels) == len(self.starts) == len(self.ends):
            raise ValueError(f"{len(self.labels)} labels, {len(self.starts)} starts, {len(self.ends)} ends")
        if len(self.labels) and not (np.all(self.starts <= self.ends) and np.all(self.ends[:-1] <= self.starts[1:])):
            at = int(np.argmin(np.append(self.ends[:-1] <= self.starts[1:], True) & (self.starts <= self.ends)))
            raise ValueError(f"span {at} ({self.labels[at]}) overlaps the next one or ends before it starts")

    def __len__(self) -> int:
        return len(self.labels)

    def without(self, labels: Iterable[Hashable]) -> Spans:
        """Only the spans whose label is not among `labels`."""
        excluded = set(labels)
        keep = np.array([label not in excluded for label in self.labels.tolist()], bool)
        return Spans(self.labels[keep], self.starts[keep], self.ends[keep])

    def within(self, windows: Sequence[Window], shortest: float = 0.0) -> Spans:
        """The parts in these windows, which are in order and apart; parts no longer than `shortest` are dropped."""
        parts = [
            (at, max(start, since), min(end, until))
            for since, until in windows
            for at, (start, end) in enumerate(zip(self.starts.tolist(), self.ends.tolist(), strict=True))
            if min(end, until) - max(start, since) > shortest
        ]
        at = np.array([part[0] for part in parts], np.int64)
        return Spans(self.labels[at], frozen([part[1] for part in parts]), frozen([part[2] for part in parts]))

    def closed_up(self, windows: Sequence[Window]) -> Spans:
        """Spans `within` these windows on a time of their own, which begins at 0 and stands still between windows."""
        if not windows:
            return self
        edges = np.array(windows, float)
        passed = np.concatenate([[0.0], np.cumsum(edges[:, 1] - edges[:, 0])])
        own = np.column_stack([passed[:-1], passed[1:]]).ravel()
        starts, ends = (np.interp(times, edges.ravel(), own) for times in (self.starts, self.ends))
        return Spans(self.labels, frozen(starts), frozen(ends))


def frame_labels(frames: Any, name: str = "frames") -> NDArray[Any]:
    """One label per frame as a flat array; a ValueError says which frame is no label."""
    array = np.asarray(frames)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one label per frame, not an array of shape {array.shape}")
    if array.dtype.kind == "f":
        wrong = np.flatnonzero(~np.isfinite(array) | (array != np.round(array)))
        if len(wrong):
            raise ValueError(f"{name}[{wrong[0]}] is {array[wrong[0]]}, which is no label")
        return array.astype(np.int64)
    if array.dtype.kind not in "iubUS":
        raise ValueError(f"{name} must hold integers or strings, not {array.dtype}")
    return array


def runs(frames: Any, breaks: Iterable[int] = ()) -> Spans:
    """The maximal stretches of equal labels, in frames. A run also ends at each frame number in `breaks`."""
    array = frame_labels(frames)
    if not len(array):
        return Spans(array, frozen([]), frozen([]))
    change = np.concatenate([[True], array[1:] != array[:-1]])
    change[[at for at in breaks if 0 < at < len(array)]] = True
    starts = np.flatnonzero(change)
    return Spans(array[starts], frozen(starts), frozen(np.append(starts[1:], len(array))))


def spans_of(labelling: Any) -> Spans:
    """`Spans` as they are, `Segment`s as spans in seconds, or one label per frame as runs."""
    if isinstance(labelling, Spans):
        return labelling
    if isinstance(labelling, Sequence) and labelling and isinstance(labelling[0], Segment):
        ordered = sorted(labelling, key=lambda segment: segment.start_s)
        return Spans(
            np.array([segment.label for segment in ordered]),
            frozen([segment.start_s for segment in ordered]),
            frozen([segment.end_s for segment in ordered]),
        )
    return runs(labelling)


@dataclass(frozen=True, slots=True)
class Alignment:
    """Pairs of many trials, flat and in order. `reference[i]` and `estimate[i]` are token numbers within trial
    `trial[i]`; UNPAIRED stands for a missing partner: no reference is a false alarm, no estimate is a miss."""

    trial: Ints
    reference: Ints
    estimate: Ints


def align(reference: Sequence[Ints], estimate: Sequence[Ints], ties: Ties = "published") -> Alignment:
    """Align each trial's reference tokens with its estimated ones; tokens are integers."""
    if len(reference) != len(estimate):
        raise ValueError(f"{len(reference)} reference trials, {len(estimate)} estimated ones")
    parts: list[tuple[Ints, Ints, Ints]] = []
    if ties == "rapidfuzz":
        parts = [_rapidfuzz_script(i, r, e) for i, (r, e) in enumerate(zip(reference, estimate, strict=True))]
    else:
        bands = _bands(reference, estimate)
        parts = [_align_batch(batch, reference, estimate, bands[batch]) for batch in _batches(reference, bands)]
    if not parts:
        return Alignment(*(frozen([], np.int64) for _ in range(3)))
    trial, r, e = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(trial, kind="stable")
    return Alignment(*(frozen(column[order], np.int64) for column in (trial, r, e)))


def distances(reference: Sequence[Sequence[Hashable]], estimate: Sequence[Sequence[Hashable]]) -> Ints:
    """The number of edits between each trial's two token sequences."""
    from rapidfuzz.distance import Levenshtein

    pairs = zip(reference, estimate, strict=True)
    return np.array([Levenshtein.distance(list(r), list(e)) for r, e in pairs], np.int64)


def _rapidfuzz_script(trial: int, reference: Ints, estimate: Ints) -> tuple[Ints, Ints, Ints]:
    from rapidfuzz.distance import Levenshtein

    r, e = [], []
    for block in Levenshtein.opcodes(estimate.tolist(), reference.tolist()):
        wide = max(block.src_end - block.src_start, block.dest_end - block.dest_start)
        e += list(range(block.src_start, block.src_end)) or [UNPAIRED] * wide
        r += list(range(block.dest_start, block.dest_end)) or [UNPAIRED] * wide
    return np.full(len(r), trial), np.array(r, np.int64), np.array(e, np.int64)


def _bands(reference: Sequence[Ints], estimate: Sequence[Ints]) -> Ints:
    """(trials, 2): the smallest and largest lead of the estimate over the reference on any shortest path.

    A path that leads by k must make |k| edits to get there and |k - surplus| to come back, and there are only as many
    as rapidfuzz says. All shortest paths lie within these limits, so only cells within them are computed.
    """
    edits = distances([r.tolist() for r in reference], [e.tolist() for e in estimate])
    surplus = np.array([len(e) - len(r) for r, e in zip(reference, estimate, strict=True)], np.int64)
    return np.column_stack([-((edits - surplus) // 2), (edits + surplus) // 2])


def _batches(reference: Sequence[Ints], bands: Ints) -> list[list[int]]:
    """Trial numbers, grouped so that trials of similar length are aligned together within the memory bound."""
    batches: list[list[int]] = []
    height = low = high = 0  # of the batch being filled; its first trial is its longest
    for i in sorted(range(len(reference)), key=lambda i: -len(reference[i])):
        low, high = min(low, int(bands[i, 0])), max(high, int(bands[i, 1]))
        if batches and (len(batches[-1]) + 1) * height * (high - low + 1) <= _BATCH_CELLS:
            batches[-1].append(i)
        else:
            height, low, high = len(reference[i]) + 1, int(bands[i, 0]), int(bands[i, 1])
            batches.append([i])
    return batches


def _align_batch(
    trials: list[int], reference: Sequence[Ints], estimate: Sequence[Ints], bands: Ints
) -> tuple[Ints, Ints, Ints]:
    """Shortest scripts of several trials at once: one step per reference token, all trials and leads together.

    Column c of the table stands for the estimate leading by `low + c` tokens, so a pair stays in its column, a miss
    comes from the next and a false alarm from the one before.
    """
    count = len(trials)
    rows = np.array([len(reference[i]) for i in trials])
    columns = np.array([len(estimate[i]) for i in trials])
    low, width, height = int(bands[:, 0].min()), int(bands[:, 1].max() - bands[:, 0].min()) + 1, int(rows.max())
    # Estimates are laid out from position -low on, padded with what equals nothing.
    r = np.full((count, height), -1, np.int32)
    e = np.full((count, height + width + int(columns.max()) - low), -2, np.int32)
    for k, i in enumerate(trials):
        r[k, : rows[k]], e[k, -low : columns[k] - low] = reference[i], estimate[i]

    step = np.empty((count, height + 1, width), np.uint8)
    step[:, 0] = _FALSE_ALARM
    lead = np.arange(low, low + width, dtype=np.int32)
    far = np.int32(height + width + 1)  # more edits than any path within the band needs
    above = np.broadcast_to(np.where(lead >= 0, lead, far), (count, width))
    miss = np.empty((count, width), np.int32)
    for i in range(1, height + 1):
        pair = above + (r[:, i - 1, None] != e[:, i - 1 : i - 1 + width])
        miss[:, :-1], miss[:, -1] = above[:, 1:], far
        miss += 1
        row = np.minimum(pair, miss)
        row[:, lead < -i] = far  # before the estimate's first token
        row = np.minimum.accumulate(row - lead, axis=1) + lead  # false alarms: a run to the right
        step[:, i] = np.where(pair == row, _PAIR, np.where(miss == row, _MISS, _FALSE_ALARM))
        above = row

    at_row, at_column, which = rows, columns - rows - low, np.arange(count)
    walked = []
    while len(which):
        alive = (at_row > 0) | (at_row + at_column + low > 0)
        at_row, at_column, which = at_row[alive], at_column[alive], which[alive]
        move = step[which, at_row, at_column]
        at_row = at_row - (move != _FALSE_ALARM)
        at_column = at_column + (move == _MISS) - (move == _FALSE_ALARM)
        token = at_row + at_column + low
        walked.append(
            (which, np.where(move == _FALSE_ALARM, UNPAIRED, at_row), np.where(move == _MISS, UNPAIRED, token))
        )
    which, at_row, at_column = (np.concatenate(column) for column in zip(*reversed(walked), strict=True))
    return np.array(trials)[which], at_row, at_column


@dataclass(frozen=True, slots=True)
class Overlaps:
    """Every pair of a reference span and an estimated span that share time, ordered by estimate, then reference."""

    reference: Ints
    estimate: Ints
    shared: Floats  # length of the intersection
    union: Floats


def overlaps(reference: Spans, estimate: Spans) -> Overlaps:
    """The overlapping pairs; at most as many as there are spans in both, in any order in time."""
    first = np.searchsorted(reference.ends, estimate.starts, side="right")
    last = np.searchsorted(reference.starts, estimate.ends, side="left")
    number = np.maximum(last - first, 0)
    e = np.repeat(np.arange(len(estimate)), number)
    r = np.arange(len(e)) - np.repeat(np.cumsum(number) - number, number) + np.repeat(first, number)
    shared = np.minimum(reference.ends[r], estimate.ends[e]) - np.maximum(reference.starts[r], estimate.starts[e])
    union = np.maximum(reference.ends[r], estimate.ends[e]) - np.minimum(reference.starts[r], estimate.starts[e])
    some = shared > 0
    return Overlaps(r[some], e[some], shared[some], union[some])


def first_claims(wanted: Ints) -> Bools:
    """Which claims come first: `wanted[i]` is the number of the claimed item, or UNPAIRED; each item is given once."""
    granted = np.zeros(len(wanted), bool)
    _, first = np.unique(wanted, return_index=True)
    granted[first] = True
    return granted & (wanted != UNPAIRED)

"""Structure metrics: does an unlabelled clustering of time find the segments, and call repetitions by one name?

Two labellings of the same frames in; one `StructureResult` out. Names of the estimated clusters mean nothing.

Conventions
-----------
G is the reference, C the estimate; a segment is a maximal run of equal labels. Several sequences are concatenated
before anything is computed, and a segment may run across their border if the labels are equal, as in the published
tables. `borders="kept"` ends every segment at the border instead. S_G and S_C are the identities of the segments, H an
entropy in nats (the base cancels). A score with zero entropy as its divisor is 1, because no error was possible. Scores
never fall below 0. No frame at all is a ValueError.

Metrics
-------
rss      repeated structure. For each pair of reference segments of one label (a segment with itself included) the
         heaviest `substring` that C shows in both, or `subsequence`, divided by the most that was possible. Pruning by
         purity (Algorithm 1, on by default) gives a cluster no weight outside the label that it overlaps most; equal
         overlaps go to the label that sorts first.
lass     1 - [H(S_C|S_G) + H(S_G|S_C)] / [H(S_C) + H(S_G)]; lass_o punishes over-segmentation, lass_u its opposite.
segmental_homogeneity, segmental_completeness   1 - H(G|S_C)/H(G) and 1 - H(C|S_G)/H(C).
sss      1 - [H(S_C|S_G) + H(S_G|S_C) + H(C|S_G) + H(G|S_C)] / [H(S_C) + H(S_G) + H(C) + H(G)].
tss      (1 + beta) RSS SSS / (beta RSS + SSS); 0 where both are 0.
nmi      mutual information over the geometric mean of H(G) and H(C) (as in the tables), or the arithmetic mean.
ari, homogeneity, completeness   as everywhere. munkres: accuracy under the best one-to-one naming.
beta_sensitivity   how well the ranking under one beta agrees with that under another (NDCG, Fig. 6i).

References
----------
Goel & Brunskill, Learning Procedural Abstractions and Evaluating Discrete Latent Temporal Structure, ICLR 2019.
Rosenberg & Hirschberg, V-Measure, EMNLP 2007. Hubert & Arabie, Comparing Partitions, 1985.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.arrays import Bools, Floats, Ints, frozen
from rehabcount.metrics.matching import frame_labels

Common = Literal["substring", "subsequence"]
Borders = Literal["ignored", "kept"]
Averaging = Literal["geometric", "arithmetic"]

# Cells of the pairwise comparison held at once: 8 MB a matrix, six of them.
_BLOCK_CELLS = 2_000_000
# From this many cells on compiled loops save more time than loading numba takes (a third of a second, once).
_COMPILED_FROM_CELLS = 250_000


@dataclass(frozen=True, slots=True)
class StructureResult:
    """Entropies and counts of one comparison; the scores are read from it. Names say H(what | given what)."""

    rss: float
    h_reference: float  # H(G)
    h_estimate: float  # H(C)
    h_reference_segments: float  # H(S_G)
    h_estimate_segments: float  # H(S_C)
    h_estimate_segments_given_reference: float  # H(S_C | S_G)
    h_reference_segments_given_estimate: float  # H(S_G | S_C)
    h_estimate_given_reference_segments: float  # H(C | S_G)
    h_reference_given_estimate_segments: float  # H(G | S_C)
    contingency: Ints  # frames by reference label (row) and cluster (column)

    def lass(self) -> float:
        lost = self.h_estimate_segments_given_reference + self.h_reference_segments_given_estimate
        return _kept(lost, self.h_estimate_segments + self.h_reference_segments)

    def lass_o(self) -> float:
        return _kept(self.h_estimate_segments_given_reference, self.h_estimate_segments)

    def lass_u(self) -> float:
        return _kept(self.h_reference_segments_given_estimate, self.h_reference_segments)

    def segmental_homogeneity(self) -> float:
        return _kept(self.h_reference_given_estimate_segments, self.h_reference)

    def segmental_completeness(self) -> float:
        return _kept(self.h_estimate_given_reference_segments, self.h_estimate)

    def sss(self) -> float:
        lost = (
            self.h_estimate_segments_given_reference
            + self.h_reference_segments_given_estimate
            + self.h_estimate_given_reference_segments
            + self.h_reference_given_estimate_segments
        )
        whole = self.h_estimate_segments + self.h_reference_segments + self.h_estimate + self.h_reference
        return _kept(lost, whole)

    def tss(self, beta: float = 1.0) -> float:
        return float(combine(self.rss, self.sss(), beta))

    def homogeneity(self) -> float:
        return _kept(self.h_reference - self._information(), self.h_reference)

    def completeness(self) -> float:
        return _kept(self.h_estimate - self._information(), self.h_estimate)

    def nmi(self, averaging: Averaging = "geometric") -> float:
        if self.h_reference == 0 and self.h_estimate == 0:
            return 1.0
        if averaging == "geometric":
            whole = np.sqrt(self.h_reference * self.h_estimate)
        else:
            whole = (self.h_reference + self.h_estimate) / 2
        return float(self._information() / whole) if whole else 0.0

    def ari(self) -> float:
        """1 for identical partitions, about 0 for random ones, negative for worse ones."""
        table = self.contingency.astype(float)
        total = table.sum()
        together = _pairs(table).sum()
        in_reference, in_estimate = _pairs(table.sum(axis=1)).sum(), _pairs(table.sum(axis=0)).sum()
        by_chance = in_reference * in_estimate / max(_pairs(total), 1.0)
        at_most = (in_reference + in_estimate) / 2
        return float((together - by_chance) / (at_most - by_chance)) if at_most != by_chance else 1.0

    def munkres(self) -> float:
        from scipy.optimize import linear_sum_assignment

        row, column = linear_sum_assignment(self.contingency, maximize=True)
        return float(self.contingency[row, column].sum() / self.contingency.sum())

    def _information(self) -> float:
        """Mutual information of labels and clusters."""
        return self.h_reference + self.h_estimate - _entropy(self.contingency.ravel())


def evaluate(
    reference: Any,
    estimate: Any,
    *,
    sequence_lengths: Sequence[int] | None = None,
    borders: Borders = "ignored",
    common: Common = "substring",
    prune: bool = True,
) -> StructureResult:
    """Compare two labellings frame by frame. With `sequence_lengths` they are several sequences one after the other."""
    g_labels, c_labels = frame_labels(reference, "reference"), frame_labels(estimate, "estimate")
    if len(g_labels) != len(c_labels):
        raise ValueError(f"reference has {len(g_labels)} frames, estimate has {len(c_labels)}")
    if not len(g_labels):
        raise ValueError("there is no frame to compare")
    if common not in get_args(Common) or borders not in get_args(Borders):
        raise ValueError(f"common={common!r}, borders={borders!r}: must be of {get_args(Common)}, {get_args(Borders)}")
    if sequence_lengths is not None and sum(sequence_lengths) != len(g_labels):
        raise ValueError(f"sequence_lengths sum to {sum(sequence_lengths)}, but there are {len(g_labels)} frames")
    g, g_size = _numbered(g_labels)
    c, c_size = _numbered(c_labels)
    cut = np.zeros(len(g), bool)
    cut[0] = True
    if borders == "kept" and sequence_lengths is not None:
        cut[np.cumsum(sequence_lengths)[:-1]] = True
    pieces = _cut_into_pieces(g, c, cut)
    contingency = np.bincount(pieces.g * c_size + pieces.c, weights=pieces.length, minlength=g_size * c_size).reshape(
        g_size, c_size
    )
    given_g, given_c = _lengths(pieces.g_segment, pieces.length), _lengths(pieces.c_segment, pieces.length)
    return StructureResult(
        rss=_repeated_structure(pieces, contingency, common, prune),
        h_reference=_entropy(contingency.sum(axis=1)),
        h_estimate=_entropy(contingency.sum(axis=0)),
        h_reference_segments=_entropy(given_g),
        h_estimate_segments=_entropy(given_c),
        h_estimate_segments_given_reference=_conditional(pieces.g_segment, given_g, pieces.length),
        h_reference_segments_given_estimate=_conditional(pieces.c_segment, given_c, pieces.length),
        h_estimate_given_reference_segments=_conditional_labels(pieces.g_segment, given_g, pieces.c, pieces.length),
        h_reference_given_estimate_segments=_conditional_labels(pieces.c_segment, given_c, pieces.g, pieces.length),
        contingency=frozen(contingency, np.int64),
    )


def combine(rss: Any, sss: Any, beta: float = 1.0) -> Any:
    """TSS from its two parts; arrays welcome."""
    rss, sss = np.asarray(rss, float), np.asarray(sss, float)
    below = beta * rss + sss
    return np.divide((1 + beta) * rss * sss, below, out=np.zeros_like(below), where=below > 0)


def beta_sensitivity(rss: Sequence[float], sss: Sequence[float], beta: float, used: float = 1.0) -> float:
    """NDCG of the ranking of methods by TSS(used), where TSS(beta) is what a method is worth.

    Positions are discounted by log2(rank + 1). Methods of no worth at all rank as well as any other: 1.
    """
    worth = combine(rss, sss, beta)
    order = np.argsort(-combine(rss, sss, used), kind="stable")
    discount = 1 / np.log2(np.arange(len(worth)) + 2)
    best = float(np.sort(worth)[::-1] @ discount)
    return float(worth[order] @ discount) / best if best else 1.0


def _numbered(labels: NDArray[Any]) -> tuple[Ints, int]:
    """Labels as numbers from 0 in sorted order, and how many there are."""
    if labels.dtype.kind in "iu" and labels.min() >= 0 and labels.max() <= len(labels):  # counting beats sorting
        present = np.bincount(labels) > 0
        return (np.cumsum(present) - 1)[labels], int(present.sum())
    names, numbers = np.unique(labels, return_inverse=True)
    return numbers, len(names)


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Time cut wherever either labelling changes: one entry per piece."""

    length: Ints
    g: Ints  # reference label
    c: Ints  # cluster
    g_segment: Ints
    c_segment: Ints


def _cut_into_pieces(g: Ints, c: Ints, cut: Bools) -> _Pieces:
    g_change, c_change = cut.copy(), cut.copy()
    g_change[1:] |= g[1:] != g[:-1]
    c_change[1:] |= c[1:] != c[:-1]
    starts = np.flatnonzero(g_change | c_change)
    length = np.diff(np.append(starts, len(g)))
    g_segment, c_segment = np.cumsum(g_change[starts]) - 1, np.cumsum(c_change[starts]) - 1
    return _Pieces(length, g[starts], c[starts], g_segment, c_segment)


def _repeated_structure(pieces: _Pieces, contingency: Any, common: Common, prune: bool) -> float:
    belongs = np.argmax(contingency, axis=0)  # the label each cluster overlaps most; argmax takes the first of equals
    weight = np.where(belongs[pieces.c] == pieces.g, pieces.length, 0) if prune else pieces.length
    by_label = np.argsort(pieces.g, kind="stable")
    limits = np.searchsorted(pieces.g[by_label], np.arange(len(contingency) + 1))
    large = common == "substring" and int((np.diff(limits) ** 2).sum()) >= _COMPILED_FROM_CELLS
    compare = (_compiled_loops() if large else None) or partial(common_weight, common=common)
    found, possible = 0, 0
    for first, last in pairwise(limits.tolist()):
        here = by_label[first:last]
        segment_starts = np.flatnonzero(np.append(True, np.diff(pieces.g_segment[here]) > 0))
        found += int(compare(pieces.c[here], weight[here], segment_starts))
        possible += 2 * len(segment_starts) * int(pieces.length[here].sum())
    return found / possible


@cache
def _compiled_loops() -> Callable[[Ints, Ints, Ints], int] | None:
    """`common_weight_in_loops`, compiled; None where numba is not installed, and numpy does the same more slowly."""
    try:
        from numba import njit
    except ImportError:
        return None
    compiled: Callable[[Ints, Ints, Ints], int] = njit(cache=True)(common_weight_in_loops)
    return compiled


def common_weight_in_loops(token: Ints, weight: Ints, starts: Ints) -> int:
    """What `common_weight` does for substrings, as loops for numba: one row of the table per pair, from its end."""
    ends = np.append(starts[1:], len(token))
    row = np.zeros(len(token) + 1, np.int64)
    total = 0
    for a in range(len(starts)):
        total += 2 * weight[starts[a] : ends[a]].sum()  # with itself
        for b in range(a + 1, len(starts)):
            left = starts[b]
            row[: ends[b] - left + 1] = 0
            best = 0
            for i in range(starts[a], ends[a]):
                for j in range(ends[b] - 1, left - 1, -1):
                    if token[i] == token[j]:
                        score = row[j - left] + weight[i] + weight[j]
                        row[j - left + 1] = score
                        best = max(best, score)
                    else:
                        row[j - left + 1] = 0
            total += 2 * best
    return total


def common_weight(token: Ints, weight: Ints, starts: Ints, common: Common) -> int:
    """Sum over all ordered pairs of segments of their heaviest common substring or subsequence.

    `token` and `weight` list the segments one after another. All segments (rows) are compared with all tokens of all
    segments (columns) at once; step p takes the p-th token of every row that has one. Rows are sorted by their number
    of tokens, so the rows still alive are the first ones.
    """
    token, weight = token.astype(np.int32), weight.astype(np.int32)
    sizes = np.diff(np.append(starts, len(token)))
    order = np.argsort(-sizes, kind="stable")
    rows_at_once = max(1, _BLOCK_CELLS // len(token))
    offset = np.repeat(np.arange(len(starts), dtype=np.int64), sizes) * (4 * int(weight.sum()) + 1)
    total = 0
    for first in range(0, len(order), rows_at_once):
        block = order[first : first + rows_at_once]
        score = np.zeros((len(block), len(token)), np.int32)  # of the best match that ends here
        best = score.copy() if common == "substring" else score
        for p in range(int(sizes[block[0]])):
            alive = int(np.searchsorted(-sizes[block], -p, side="left"))
            at = starts[block[:alive]] + p
            longer = np.zeros((alive, len(token)), np.int32)
            longer[:, 1:] = score[:alive, :-1]
            longer[:, starts] = 0
            longer += weight
            longer += weight[at, None]
            longer *= token[at, None] == token
            if common == "substring":
                score[:alive] = longer
                np.maximum(best[:alive], longer, out=best[:alive])
            else:  # a subsequence may skip: carry the best so far along the row, within each segment
                np.maximum(longer, score[:alive], out=longer)
                score[:alive] = np.maximum.accumulate(longer + offset, axis=1) - offset
        total += int(np.maximum.reduceat(best, starts, axis=1).sum(dtype=np.int64))
    return total


def _kept(lost: float, whole: float) -> float:
    return max(0.0, 1.0 - lost / whole) if whole > 0 else 1.0


def _pairs(counts: Any) -> Any:
    return counts * (counts - 1) / 2


def _lengths(segment: Ints, length: Ints) -> Floats:
    return np.bincount(segment, weights=length).astype(float)


def _entropy(counts: Any) -> float:
    share = counts[counts > 0] / counts.sum()
    return max(0.0, float(-(share * np.log(share)).sum()))


def _conditional(given: Ints, given_length: Floats, length: Ints) -> float:
    """Entropy of the pieces within the segments `given`."""
    return max(0.0, float(-(length * np.log(length / given_length[given])).sum() / length.sum()))


def _conditional_labels(given: Ints, given_length: Floats, label: Ints, length: Ints) -> float:
    """Entropy of the labels within the segments `given`: pieces of one label in one segment count as one."""
    both, member = np.unique(given * (int(label.max()) + 1) + label, return_inverse=True)
    return _conditional(both // (int(label.max()) + 1), given_length, np.bincount(member, weights=length))

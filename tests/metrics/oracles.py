"""Definitions written down as slowly and literally as possible. Nothing of `rehabcount.metrics` is imported here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache


def edit_distance(reference: Sequence[object], estimate: Sequence[object]) -> int:
    """Levenshtein's recurrence."""

    @cache
    def d(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        return min(
            d(i - 1, j - 1) + (reference[i - 1] != estimate[j - 1]),
            d(i - 1, j) + 1,
            d(i, j - 1) + 1,
        )

    return d(len(reference), len(estimate))


def published_script(reference: Sequence[object], estimate: Sequence[object]) -> list[tuple[int | None, int | None]]:
    """Walk back from the end along a shortest path: pair if possible, else miss, else false alarm."""
    i, j = len(reference), len(estimate)
    script: list[tuple[int | None, int | None]] = []
    while i or j:
        here = edit_distance(reference[:i], estimate[:j])
        if (
            i
            and j
            and edit_distance(reference[: i - 1], estimate[: j - 1]) + (reference[i - 1] != estimate[j - 1]) == (here)
        ):
            i, j = i - 1, j - 1
            script.append((i, j))
        elif i and edit_distance(reference[: i - 1], estimate[:j]) + 1 == here:
            i -= 1
            script.append((i, None))
        else:
            j -= 1
            script.append((None, j))
    return script[::-1]


def literal_runs(frames: Sequence[object]) -> list[tuple[object, int, int]]:
    """(label, first frame, frame after the last) of every maximal run."""
    found: list[tuple[object, int, int]] = []
    for at, label in enumerate(frames):
        if found and found[-1][0] == label:
            found[-1] = (label, found[-1][1], at + 1)
        else:
            found.append((label, at, at + 1))
    return found


def literal_f1_counts(
    reference: Sequence[object], estimate: Sequence[object], threshold: float, background: Sequence[object] = ()
) -> tuple[int, int, int]:
    """TP, FP, FN of F1@k, with segments as sets of frames."""
    true = [(label, set(range(a, b))) for label, a, b in literal_runs(reference) if label not in background]
    said = [(label, set(range(a, b))) for label, a, b in literal_runs(estimate) if label not in background]
    taken: set[int] = set()
    tp = 0
    for label, frames in said:
        shares = [len(frames & t) / len(frames | t) if name == label else 0.0 for name, t in true]
        if shares:
            best = max(range(len(shares)), key=lambda i: (shares[i], -i))
            if shares[best] >= threshold and best not in taken:
                taken.add(best)
                tp += 1
    return tp, len(said) - tp, len(true) - tp


def heaviest_common(one: list[tuple[object, int]], two: list[tuple[object, int]], *, contiguous: bool) -> int:
    """Every choice of tokens from both lists is tried; (token, weight) lists."""

    def choices(tokens: list[tuple[object, int]]) -> list[list[tuple[object, int]]]:
        size = len(tokens)
        if contiguous:
            return [tokens[a:b] for a in range(size) for b in range(a + 1, size + 1)]
        return [[tokens[i] for i in range(size) if mask >> i & 1] for mask in range(1, 2**size)]

    best = 0
    for a in choices(one):
        for b in choices(two):
            if [token for token, _ in a] == [token for token, _ in b]:
                best = max(best, sum(weight for _, weight in (*a, *b)))
    return best


def repeated_structure(
    reference: Sequence[int], estimate: Sequence[int], *, contiguous: bool = True, prune: bool = True
) -> float:
    """RSS by trying every common substring or subsequence."""
    purest = {
        c: max(
            sorted(set(reference)),
            key=lambda g: sum(x == g and y == c for x, y in zip(reference, estimate, strict=True)),
        )
        for c in set(estimate)
    }
    segments = []
    for label, a, b in literal_runs(reference):
        inside = [
            (token, (stop - start) if not prune or purest[token] == label else 0)  # type: ignore[index]
            for token, start, stop in literal_runs(estimate[a:b])
        ]
        segments.append((label, b - a, inside))
    score = possible = 0
    for label, _, one in segments:
        for other, length, two in segments:
            if label == other:
                score += heaviest_common(one, two, contiguous=contiguous)
                possible += 2 * length
    return score / possible


def extended_channels(truth: list[int], output: list[int]) -> tuple[list[int], list[int]]:
    """Both channels grown event by event, from where they overlap, only along runs that the other had already."""
    g, b = list(truth), list(output)
    grown = True
    while grown:
        grown = False
        for i in range(len(g)):
            for j in (i - 1, i + 1):
                if 0 <= j < len(g) and g[j] and b[j]:  # the neighbour is an overlap
                    if truth[i] and truth[j] and not b[i]:
                        b[i], grown = 1, True
                    if output[i] and output[j] and not g[i]:
                        g[i], grown = 1, True
    return g, b


def f1(tp: float, fp: float, fn: float) -> float:
    return 2 * tp / (2 * tp + fp + fn) if 2 * tp + fp + fn else 0.0


def abstraction_f1(truth: list[int], output: list[int], reading: str) -> tuple[float, float, float, float]:
    """raw, extended, staircase, gradient, from the grown channels; readings A, B and C."""
    n = len(truth)
    g, b = extended_channels(truth, output)
    overlap = [i for i in range(n) if truth[i] and output[i]]
    raw = f1(
        len(overlap),
        sum(output[i] and not truth[i] for i in range(n)),
        sum(truth[i] and not output[i] for i in range(n)),
    )
    joined = {i for i in range(n) if g[i] and b[i]}
    scores = [raw, f1(len(joined), sum(b[i] and not g[i] for i in range(n)), sum(g[i] and not b[i] for i in range(n)))]

    def linked(i: int, j: int) -> bool:
        """Whether one run or overlapping runs lead from event i to event j."""
        steps = range(min(i, j), max(i, j))
        return all((truth[k] and truth[k + 1]) or (output[k] and output[k + 1]) for k in steps)

    for stairs in (True, False):
        tp = fp = fn = 0.0
        for i in range(n):
            if i in overlap:
                tp += 1
                continue
            near = [abs(i - o) for o in overlap if i not in joined or linked(i, o)]
            w = 0.4 if stairs else max(0.0, 1 - 0.001 * min(near)) if near else 1.0
            if i in joined:
                tp += w
                if reading == "A":
                    fp += (1 - w) * output[i]
                    fn += (1 - w) * truth[i]
            else:
                fp += output[i] * (w if reading == "C" else 1)
                fn += truth[i] * (w if reading == "C" else 1)
        scores.append(f1(tp, fp, fn))
    return scores[0], scores[1], scores[2], scores[3]


def midpoint_flags(true: list[tuple[float, float]], said: list[tuple[float, float, float]]) -> list[bool]:
    """For each detection (start, end, confidence) of one label in one video whether it is a true positive."""
    order = sorted(range(len(said)), key=lambda i: -said[i][2])
    taken: set[int] = set()
    for start, end in true:
        for i in order:
            if i not in taken and start <= (said[i][0] + said[i][1]) / 2 < end:
                taken.add(i)
                break
    return [i in taken for i in range(len(said))]


def icc_absolute(ratings: list[list[float]]) -> float:
    """ICC(A,1) from sums of squares, in loops (targets by row, raters by column)."""
    n, k = len(ratings), len(ratings[0])
    grand = sum(map(sum, ratings)) / (n * k)
    row = [sum(line) / k for line in ratings]
    column = [sum(line[j] for line in ratings) / n for j in range(k)]
    ms_rows = k * sum((m - grand) ** 2 for m in row) / (n - 1)
    ms_columns = n * sum((m - grand) ** 2 for m in column) / (k - 1)
    rest = sum((ratings[i][j] - row[i] - column[j] + grand) ** 2 for i in range(n) for j in range(k))
    ms_error = rest / ((n - 1) * (k - 1))
    return (ms_rows - ms_error) / (ms_rows + (k - 1) * ms_error + k / n * (ms_columns - ms_error))

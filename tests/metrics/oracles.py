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

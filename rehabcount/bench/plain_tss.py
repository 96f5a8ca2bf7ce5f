"""The temporal structure score exactly as it is defined, in plain Python and nothing else.

Labels per frame in, (RSS, SSS, TSS) out. It exists to be compared with: `rehabcount bench metrics` measures how much
faster `rehabcount.metrics.structure` is, and the tests ask both for the same number. It follows Algorithm 1 and section
3 of Goel & Brunskill (ICLR 2019) step by step; every pair of segments has its own table of common substrings.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from math import log
from typing import TypeVar

Labels = Sequence[int]
Name = TypeVar("Name", bound=Hashable)


def temporal_structure_score(reference: Labels, estimate: Labels, beta: float = 1.0) -> tuple[float, float, float]:
    """(RSS, SSS, TSS) with purity pruning and the heaviest common substring."""
    rss = repeated_structure_score(reference, estimate)
    sss = segment_structure_score(reference, estimate)
    below = beta * rss + sss
    return rss, sss, (1 + beta) * rss * sss / below if below else 0.0


def tokens_and_weights(labels: Labels) -> tuple[list[int], list[int]]:
    """P and W: labels without running repeats, and how often each was repeated."""
    tokens: list[int] = []
    weights: list[int] = []
    for label in labels:
        if tokens and tokens[-1] == label:
            weights[-1] += 1
        else:
            tokens.append(label)
            weights.append(1)
    return tokens, weights


def repeated_structure_score(reference: Labels, estimate: Labels) -> float:
    overlap: dict[int, Counter[int]] = defaultdict(Counter)
    for g, c in zip(reference, estimate, strict=True):
        overlap[c][g] += 1
    purest = {c: min(by_label, key=lambda g: (-by_label[g], g)) for c, by_label in overlap.items()}

    segments: dict[int, list[tuple[list[int], list[int]]]] = defaultdict(list)
    frames: Counter[int] = Counter(reference)
    start = 0
    for label, length in zip(*tokens_and_weights(reference), strict=True):
        tokens, weights = tokens_and_weights(estimate[start : start + length])
        weights = [weight if purest[token] == label else 0 for token, weight in zip(tokens, weights, strict=True)]
        segments[label].append((tokens, weights))
        start += length

    score = 0
    for group in segments.values():
        for tokens_1, weights_1 in group:
            for tokens_2, weights_2 in group:
                score += heaviest_common_substring(tokens_1, weights_1, tokens_2, weights_2)
    return score / (2 * sum(len(group) * frames[label] for label, group in segments.items()))


def heaviest_common_substring(
    tokens_1: list[int], weights_1: list[int], tokens_2: list[int], weights_2: list[int]
) -> int:
    best = 0
    above = [0] * (len(tokens_2) + 1)
    for token_1, weight_1 in zip(tokens_1, weights_1, strict=True):
        row = [0] * (len(tokens_2) + 1)
        for j, token_2 in enumerate(tokens_2):
            if token_1 == token_2:
                row[j + 1] = above[j] + weight_1 + weights_2[j]
                best = max(best, row[j + 1])
        above = row
    return best


def segment_structure_score(reference: Labels, estimate: Labels) -> float:
    reference_segments, estimate_segments = segment_numbers(reference), segment_numbers(estimate)
    lost = (
        conditional_entropy(estimate_segments, reference_segments)
        + conditional_entropy(reference_segments, estimate_segments)
        + conditional_entropy(estimate, reference_segments)
        + conditional_entropy(reference, estimate_segments)
    )
    whole = entropy(reference_segments) + entropy(estimate_segments) + entropy(reference) + entropy(estimate)
    return max(0.0, 1 - lost / whole) if whole else 1.0


def segment_numbers(labels: Labels) -> list[int]:
    """For each frame the number of its segment."""
    numbers: list[int] = []
    for at, label in enumerate(labels):
        numbers.append(numbers[-1] + (label != labels[at - 1]) if at else 0)
    return numbers


def entropy(names: Sequence[Name]) -> float:
    return -sum(n / len(names) * log(n / len(names)) for n in Counter(names).values())


def conditional_entropy(names: Sequence[Name], given: Sequence[int]) -> float:
    """H(names | given)."""
    within: dict[int, list[Name]] = defaultdict(list)
    for name, condition in zip(names, given, strict=True):
        within[condition].append(name)
    return sum(len(some) / len(names) * entropy(some) for some in within.values())

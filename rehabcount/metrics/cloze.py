"""Cloze: were the blanked words filled in, and how probable were the right words to the model?

Slots of words in, one `ClozeResult` out.

Conventions
-----------
A *slot* is one blank of one or more words; `gold` and `predicted` hold the words of each slot, equally many. Ranks
count from 0 among the allowed words, and probabilities are renormalised over them (`rank_and_probability`). Natural
logarithms. Without any blank every score is NaN.

Metrics
-------
match         share of exact matches: `word` counts words (the paper's sentence), `slot` whole slots (the code's).
top(k)        share of blank words whose rank is below k. mean_rank: mean of ranks.
surprisal     mean of -ln p(gold) over blank words; infinite if a gold word was not allowed. `transitions="counted"`
              adds ln 2 once a slot and once a word: what the published transducer figure contains, its alignment moves
              having probability 1/2 each. Comparable between models only when left out.
average_span  mean number of target words per source word that is used at all.

References
----------
Bisk, Buys, Pichotta & Choi, Benchmarking Hierarchical Script Knowledge, NAACL 2019, section 4.1 and Table 4.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rehabcount.domain.arrays import Floats, Ints, frozen

Unit = Literal["word", "slot"]
Transitions = Literal["left out", "counted"]
TOP = 5  # the paper's k


@dataclass(frozen=True, slots=True)
class ClozeResult:
    word_hits: Ints  # (words,) 0 or 1
    slot_hits: Ints  # (slots,) 0 or 1
    ranks: Ints | None  # (words,)
    surprisals: Floats | None  # (words,)

    def match(self, unit: Unit = "word") -> float:
        return _mean(self.word_hits if unit == "word" else self.slot_hits)

    def top(self, k: int = TOP) -> float:
        return _mean(_given(self.ranks, "ranks") < k)

    def mean_rank(self) -> float:
        return _mean(_given(self.ranks, "ranks"))

    def surprisal(self, transitions: Transitions = "left out") -> float:
        plain = _mean(_given(self.surprisals, "probabilities"))
        if transitions == "left out" or not len(self.word_hits):
            return plain
        return plain + float(np.log(2)) * (1 + len(self.slot_hits) / len(self.word_hits))


def evaluate(
    gold: Sequence[Sequence[Hashable]],
    predicted: Sequence[Sequence[Hashable]],
    *,
    ranks: Sequence[int] | None = None,
    probabilities: Sequence[float] | None = None,
) -> ClozeResult:
    """Compare slot by slot. `ranks` and `probabilities` are those of the gold words, in order of all words."""
    if len(gold) != len(predicted):
        raise ValueError(f"{len(gold)} gold slots, {len(predicted)} predicted ones")
    for number, (right, said) in enumerate(zip(gold, predicted, strict=True)):
        if len(right) != len(said) or not right:
            raise ValueError(f"slot {number} has {len(right)} gold words and {len(said)} predicted ones")
    hits = [[a == b for a, b in zip(right, said, strict=True)] for right, said in zip(gold, predicted, strict=True)]
    words = [hit for slot in hits for hit in slot]
    for name, values in (("ranks", ranks), ("probabilities", probabilities)):
        if values is not None and len(values) != len(words):
            raise ValueError(f"{name} has {len(values)} entries for {len(words)} blank words")
    surprisals = None
    if probabilities is not None:
        p = np.asarray(probabilities, float)
        if np.any((p < 0) | (p > 1) | np.isnan(p)):
            raise ValueError("probabilities must lie between 0 and 1")
        surprisals = frozen(-np.log(p, out=np.full(len(p), -np.inf), where=p > 0))
    return ClozeResult(
        word_hits=frozen(words, np.int64),
        slot_hits=frozen([all(slot) for slot in hits], np.int64),
        ranks=None if ranks is None else frozen(ranks, np.int64),
        surprisals=surprisals,
    )


def rank_and_probability(logits: Any, gold: int, allowed: Collection[int] | None = None) -> tuple[int, float]:
    """Rank (from 0) and probability of word `gold` among the `allowed` ones. Not allowed: last rank, probability 0.

    Of equal logits the smaller word number ranks first.
    """
    logits = np.asarray(logits, float)
    words = np.arange(len(logits)) if allowed is None else np.array(sorted(allowed), np.int64)
    if gold not in words:
        return len(words), 0.0
    kept = logits[words]
    shares = np.exp(kept - kept.max())
    ahead = (kept > logits[gold]) | ((kept == logits[gold]) & (words < gold))
    return int(ahead.sum()), float(shares[words == gold][0] / shares.sum())


def blanks(words: Sequence[str], kept: Sequence[int]) -> list[list[str]]:
    """The slots of a template: contiguous words whose tag is 0."""
    if len(words) != len(kept):
        raise ValueError(f"{len(words)} words, {len(kept)} tags")
    slots: list[list[str]] = []
    for at, (word, tag) in enumerate(zip(words, kept, strict=True)):
        if tag == 0:
            if at == 0 or kept[at - 1] != 0:
                slots.append([])
            slots[-1].append(word)
    return slots


def average_span(alignments: Sequence[Sequence[int]]) -> float:
    """Mean number of target words per used source word; `alignments` has the source position of each target word."""
    targets = sum(len(alignment) for alignment in alignments)
    sources = sum(len(set(alignment)) for alignment in alignments)
    return targets / sources if sources else float("nan")


def _given(values: Any, name: str) -> Any:
    if values is None:
        raise ValueError(f"evaluate() was not told the {name} of the gold words")
    return values


def _mean(values: Any) -> float:
    return float(np.mean(values)) if len(values) else float("nan")

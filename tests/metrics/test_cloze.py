"""Cloze metrics: by hand, by brute force, and the sizes of the published cloze set."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.metrics import cloze

# The paper's third example in Table 2, with the tools blanked.
WORDS = "drain the water from the tofu using a strainer . use a wooden spoon to stir".split()  # noqa: SIM905
KEPT = [1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1]


def test_blanks_of_a_template() -> None:
    assert cloze.blanks(WORDS, KEPT) == [["strainer"], ["wooden", "spoon"]]


def test_words_and_slots_are_matched_differently() -> None:
    gold = cloze.blanks(WORDS, KEPT)
    result = cloze.evaluate(gold, [["strainer"], ["metal", "spoon"]], ranks=[0, 7, 0], probabilities=[0.5, 0.01, 0.25])
    assert result.match() == pytest.approx(2 / 3)
    assert result.match("slot") == pytest.approx(1 / 2)
    assert result.top() == pytest.approx(2 / 3)
    assert result.top(8) == 1
    assert result.mean_rank() == pytest.approx(7 / 3)
    plain = -(math.log(0.5) + math.log(0.01) + math.log(0.25)) / 3
    assert result.surprisal() == pytest.approx(plain)
    # ln 2 for each of two slots and three words, over three words.
    assert result.surprisal("counted") == pytest.approx(plain + math.log(2) * 5 / 3)


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), max_size=6), st.permutations(range(4)))
def test_perfect_relabelling_and_bounds(gold: list[list[int]], names: list[int]) -> None:
    perfect = cloze.evaluate(gold, gold)
    if not gold:
        assert math.isnan(perfect.match())
        return
    assert perfect.match() == perfect.match("slot") == 1
    other = [[names[word] for word in slot] for slot in gold]
    one = cloze.evaluate(gold, other)
    two = cloze.evaluate([[names[w] for w in slot] for slot in gold], [[names[w] for w in slot] for slot in other])
    assert one.match() == two.match()
    assert 0 <= one.match("slot") <= 1


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=8), st.data())
def test_rank_and_probability_by_sorting(logits: list[float], data: st.DataObject) -> None:
    allowed = data.draw(st.sets(st.integers(0, len(logits) - 1), min_size=1))
    gold = data.draw(st.integers(0, len(logits) - 1))
    rank, probability = cloze.rank_and_probability(logits, gold, allowed)
    if gold not in allowed:
        assert (rank, probability) == (len(allowed), 0.0)
        return
    assert sorted(allowed, key=lambda word: (-logits[word], word)).index(gold) == rank
    assert probability == pytest.approx(math.exp(logits[gold]) / sum(math.exp(logits[word]) for word in allowed))


def test_a_forbidden_gold_word_is_infinitely_surprising() -> None:
    assert cloze.evaluate([["x"]], [["y"]], probabilities=[0.0]).surprisal() == math.inf


def test_average_span() -> None:
    # Source word 0 produces three words, 2 produces one; in the second pair one word produces two.
    assert cloze.average_span([[0, 0, 0, 2], [1, 1]]) == pytest.approx(6 / 3)
    assert math.isnan(cloze.average_span([]))


def test_sizes_of_the_published_cloze_set(data_folder: Path) -> None:
    items = slots = words = 0
    with gzip.open(data_folder / "kidscook" / "valid.template.tsv.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            _, concrete, tags = line.rstrip("\n").split("\t")
            found = cloze.blanks(concrete.split(" "), [int(tag) for tag in tags.split()])
            items += 1
            slots += len(found)
            words += sum(len(slot) for slot in found)
    assert (items, slots, words) == (1007, 4787, 5941)


@pytest.mark.parametrize(
    ("gold", "said", "options", "message"),
    [
        ([["a"]], [], {}, "1 gold slots"),
        ([["a"]], [["a", "b"]], {}, "slot 0"),
        ([["a"]], [["a"]], {"ranks": [1, 2]}, "ranks has 2"),
        ([["a"]], [["a"]], {"probabilities": [np.nan]}, "between 0 and 1"),
    ],
)
def test_wrong_input_is_refused(
    gold: list[list[str]], said: list[list[str]], options: dict[str, list[float]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        cloze.evaluate(gold, said, **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not told the ranks"):
        cloze.evaluate([["a"]], [["a"]]).top()

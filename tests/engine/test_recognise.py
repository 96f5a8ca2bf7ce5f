"""Recognition: windows read by a network that knows the truth give the truth; chopping changes nothing."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import StitchRule, Token
from rehabcount.engine.recognise import laid_out, recogniser_of
from rehabcount.inference.artifact import open_model
from rehabcount.inference.card import Kind
from rehabcount.inference.runtime import Model
from rehabcount.inference.spans import spans_of
from tests.engine.oracle import MARGIN, TINY, OracleModel, cut, oracle, rows_of
from tests.inference.scripted import ScriptedModel, script

RULE = StitchRule()
KINDS = [Kind.SEQUENCE, Kind.FRAMES]
START = 1230  # rows before the recogniser was started


def movements(seed: int, length_s: float = 30.0) -> NDArray[np.int64]:
    """A label a row: movements of 0.6 to 2.5 s, no label after itself, and an idle of 9 s that no window holds."""
    rng = np.random.default_rng(seed)
    pieces: list[NDArray[np.int64]] = []
    label = 0
    while sum(map(len, pieces)) < length_s * 100:
        label = int((label + rng.integers(1, 4)) % 4)
        pieces.append(np.full(int(rng.integers(60, 250)), label))
        if label == 0 and len(pieces) == 6:
            pieces[-1] = np.full(900, 0)
    return np.concatenate(pieces)


def run(model: Model, labels: NDArray[np.int64], edges: list[int]) -> tuple[list[Token], list[float]]:
    """(tokens, how long after its end each was settled)."""
    rows = rows_of(labels, len(model.card.inputs.columns), START)
    recogniser = recogniser_of(model, Side.LEFT, START / 100, RULE)
    tokens: list[Token] = []
    delays: list[float] = []
    for piece in cut(rows, edges):
        found = recogniser.push(piece)
        tokens += found
        delays += [float(piece.time_s[-1]) + 0.01 - token.end_s for token in found]
    if isinstance(model, OracleModel):
        model.at_the_end = True
    return tokens + recogniser.finish(), delays


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_network_that_knows_the_truth_gives_the_truth_in_time(kind: Kind, seed: int) -> None:
    labels = movements(seed)
    model = oracle(kind)
    tokens, delays = run(model, labels, list(range(10, len(labels), 10)))
    true = spans_of(labels)
    assert [token.label for token in tokens] == [model.card.labels[span.label] for span in true]
    borders = np.array([token.end_s for token in tokens])[:-1] - START / 100
    assert np.abs(borders - np.array([span.end for span in true[:-1]]) / 100).max() <= 0.05
    assert all(token.side is Side.LEFT and 0 < token.confidence <= 1 for token in tokens)
    # Windows are read every 25 rows, but told with the block of ten that they end in.
    assert max(delays) <= RULE.deadline_s + 0.1
    assert sorted(delays)[len(delays) // 2] < RULE.deadline_s


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 100), edges=st.lists(st.integers(1, 3000), max_size=40))
def test_chopping_changes_nothing(kind: Kind, seed: int, edges: list[int]) -> None:
    labels = movements(seed, 20.0)
    assert run(oracle(kind), labels, edges)[0] == run(oracle(kind), labels, [])[0]


@pytest.mark.parametrize("told_under_way", [False, True])
def test_a_sequence_network_is_told_what_came_before(told_under_way: bool) -> None:
    """Before the movement under way, or what the window before ended with: as the network learnt it."""
    labels = movements(1)
    model = OracleModel(Kind.SEQUENCE)
    model.card = replace(model.card, told_under_way=told_under_way)
    run(model, labels, list(range(10, len(labels), 10)))  # type: ignore[arg-type]
    spans = spans_of(labels)
    hop = round(100 * RULE.hop_s)
    first = 200 // hop + 1  # reading: its centre begins after two margins
    begins = [max(0, hop * i - 600 + 100) for i in range(first, first - 1 + len(model.previous))]
    checked = under_way_told = 0
    for begin, told in zip(begins, model.previous[:-1], strict=True):
        under_way = next((i for i, span in enumerate(spans) if span.start <= begin < span.end), None)
        # Not at a border, which the frames blur.
        if under_way and spans[under_way].start + 20 < begin < spans[under_way].end - 20:
            span = spans[under_way]
            share = (begin - span.start) / (min(span.end, begin + MARGIN) - span.start)
            if told_under_way and abs(share - 0.5) < 0.1:
                continue  # where half of it is past is blurred, too
            goes_on = told_under_way and share > 0.5
            assert told == (span.label if goes_on else spans[under_way - 1].label), (begin, under_way)
            checked += 1
            under_way_told += goes_on
    assert checked > 20
    assert (under_way_told > 5) is told_under_way


def test_symbols_are_laid_out_over_the_frames() -> None:
    scores = np.log(np.array([[0.9, 0.1]] * 4 + [[0.1, 0.9]] * 4))

    def laid(symbols: list[int], onset: list[float] | None = None) -> list[tuple[int, int, int]]:
        begins = np.array(onset) if onset is not None else None
        return [(span.label, span.start, span.end) for span in laid_out(symbols, 2, scores, begins)]

    assert laid([0, 1, 2, 0]) == [(0, 0, 4), (1, 4, 8)]
    assert laid([0, 1, 0, 2]) == [(0, 0, 4), (1, 4, 8)]  # of the last symbol its frames know nothing
    alone = np.log(np.array([[0.95, 0.05]] * 8))
    for begins, number in ((None, 1), ([-5.0] * 8, 1), ([-5.0] * 4 + [2.0] + [-5.0] * 3, 2)):
        onset = np.array(begins) if begins is not None else None
        spans = laid_out([0, 1, 0, 2], 2, alone, onset)  # what was dropped kept its neighbours apart
        assert [span.label for span in spans] == [0] * number
    assert laid([0, 1, 1, 2]) == [(0, 0, 4), (1, 4, 8)]  # the begin of the second is unknown
    assert laid([0, 1, 1, 2], [-2, -2, -2, -2, 2, -2, -2, 2]) == [(0, 0, 4), (1, 4, 7), (1, 7, 8)]
    assert [label for label, _, _ in laid([1, 1, 1, 1], [0.0] * 8)] == [1]  # no END: it has lost its way
    assert laid([2]) == []
    assert laid_out([0, 2], 2, scores[:0], None) == []


@pytest.fixture(scope="module")
def tiny() -> Model:
    return open_model(TINY)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 50), edges=st.lists(st.integers(1, 900), max_size=30))
def test_a_stream_settles_every_moment_once_and_chopping_changes_nothing(
    tiny: Model, seed: int, edges: list[int]
) -> None:
    rng = np.random.default_rng(seed)
    labels = np.repeat(rng.integers(0, 3, 30), 30)
    rows = rows_of(labels, len(tiny.card.inputs.columns), START)
    recogniser = recogniser_of(tiny, Side.RIGHT, START / 100, RULE)
    tokens: list[Token] = []
    for piece in cut(rows, edges):
        tokens += recogniser.push(piece)
        draft = recogniser.draft()
        assert all(a.end_s == b.start_s for a, b in pairwise(draft))
        if tokens and draft:
            assert draft[0].start_s == tokens[-1].end_s
    tokens += recogniser.finish()
    assert tokens[0].start_s == START / 100
    assert tokens[-1].end_s == START / 100 + 9.0
    assert all(a.end_s == b.start_s for a, b in pairwise(tokens))
    assert all(token.side is Side.RIGHT for token in tokens)
    assert [token.end_s for token in tokens] == [token.end_s for token in run(tiny, labels, [])[0]]


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), pairs=st.sets(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=3))
def test_successions_that_never_occur_are_not_told(tiny: Model, seed: int, pairs: set[tuple[int, int]]) -> None:
    logp, onset = script(tiny.card, seed, 30)
    labels = np.zeros(len(logp) * tiny.card.steps_per_frame, np.int64)

    def told(impossible: set[tuple[int, int]]) -> list[Token]:
        model = ScriptedModel(tiny.card, logp, onset)
        assert model.card.decoding is not None
        model.card = replace(model.card, decoding=replace(model.card.decoding, false_starts=tuple(impossible)))
        return run(cast(Model, model), labels, [])[0]

    plain, found = told(set()), told(pairs)
    names = tiny.card.labels
    assert len(plain) > 8  # the script has 30 segments; of 1,500 seeds the fewest were 12
    assert all(a.end_s == b.start_s for a, b in pairwise(found))
    assert not {(names.index(a.label), names.index(b.label)) for a, b in pairwise(found)} & pairs
    if not {(names.index(a.label), names.index(b.label)) for a, b in pairwise(plain)} & pairs:
        assert found == plain


@pytest.mark.parametrize("kind", [*KINDS, Kind.STREAM])
def test_nothing_in_nothing_out(kind: Kind, tiny: Model) -> None:
    recogniser = recogniser_of(tiny if kind is Kind.STREAM else oracle(kind), Side.LEFT, 0.0, RULE)
    assert recogniser.draft() == ()
    assert recogniser.finish() == []

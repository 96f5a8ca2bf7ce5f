"""Stitching: overlapping readings of one truth give that truth back, repetitions included, within the deadline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.domain.labels import PRIMITIVES
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import StitchRule, Token
from rehabcount.engine.stitch import Reading, Stitcher

RULE = StitchRule()


def stitch(readings: Iterable[Reading], rule: StitchRule) -> Iterator[Token]:
    stitcher = Stitcher(rule)
    for reading in readings:
        yield from stitcher.add(reading)
    yield from stitcher.finish()


def truth(seed: int, length_s: float = 40.0) -> list[Token]:
    """Primitives of 0.5 to 2.5 s; the same label may follow itself."""
    rng = np.random.default_rng(seed)
    tokens, at = [], 0.0
    while at < length_s:
        end = at + rng.uniform(0.5, 2.5)
        tokens.append(Token(str(rng.choice(PRIMITIVES.names)), Side.RIGHT, at, end, 0.9))
        at = end
    return tokens


def read(
    tokens: list[Token], *, jitter_s: float = 0.0, seed: int = 0, hop_s: float = RULE.hop_s, window_s: float = 6.0
) -> list[Reading]:
    """What a good recogniser reads in each window: tokens at least half inside, their borders off by a little."""
    rng = np.random.default_rng(seed)
    out = []
    for start in np.arange(0.0, tokens[-1].end_s, hop_s):
        inside = []
        for token in tokens:
            begin, end = max(token.start_s, start), min(token.end_s, start + window_s)
            if end - begin >= (token.end_s - token.start_s) / 2:
                off = rng.uniform(-jitter_s, jitter_s, 2) if jitter_s else (0.0, 0.0)
                inside.append(
                    Token(token.label, token.side, begin + off[0], max(end + off[1], begin + off[0] + 0.05), 0.9)
                )
        out.append(Reading(float(start), float(start + window_s), tuple(inside)))
    return out


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), jitter_s=st.sampled_from([0.0, 0.05, 0.1]))
def test_gives_the_truth_back_with_repetitions(seed: int, jitter_s: float) -> None:
    tokens = truth(seed)
    settled = list(stitch(read(tokens, jitter_s=jitter_s, seed=seed), RULE))
    assert [token.label for token in settled] == [token.label for token in tokens]
    assert all(a.end_s <= b.start_s + 1e-9 or a.start_s < b.start_s for a, b in pairwise(settled))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_settles_within_the_deadline_and_takes_nothing_back(seed: int) -> None:
    tokens = truth(seed)
    stitcher = Stitcher(RULE)
    settled: list[Token] = []
    for reading in read(tokens, jitter_s=0.1, seed=seed):
        new = stitcher.add(reading)
        settled += new
        for token in new if reading.start_s > 0 else ():  # before the first window is full nothing can be read
            assert reading.end_s - token.end_s <= RULE.deadline_s + RULE.hop_s
    assert stitcher.settled_until_s == settled[-1].end_s


def test_windows_that_never_agree_are_settled_by_the_most_central_one() -> None:
    """Every second window calls the movement something else; at the deadline the central one's word holds."""
    readings = [
        Reading(
            start,
            start + 6.0,
            (
                Token(
                    "reach" if abs(start + 3.0 - 10.0) < 0.3 else ("idle" if i % 2 else "transport"),
                    Side.LEFT,
                    9.5,
                    10.5,
                    0.5,
                ),
            ),
        )
        for i, start in enumerate(np.arange(5.0, 14.0, 0.5))
        if start < 9.5 < start + 6.0
    ]
    patient = replace(RULE, deadline_s=3.5)  # long enough for a window to have it in its middle
    assert [token.label for token in stitch(readings, patient)] == ["reach"]


def test_a_movement_that_follows_itself_is_counted_twice() -> None:
    tokens = [
        Token(label, Side.LEFT, float(i), i + 1.0, 1.0)
        for i, label in enumerate(["idle", "reach", "transport", "transport", "idle", "reach"])
    ]
    assert [token.label for token in stitch(read(tokens), RULE)].count("transport") == 2


def test_the_draft_goes_on_where_the_settled_ends() -> None:
    tokens = truth(3)
    stitcher = Stitcher(RULE)
    for reading in read(tokens)[:30]:
        stitcher.add(reading)
    until = stitcher.settled_until_s
    assert stitcher.last is not None
    assert stitcher.last.end_s == until
    assert all(token.end_s > until for token in stitcher.draft())


@pytest.mark.parametrize("readings", [[], [Reading(0.0, 6.0, ())]])
def test_nothing_in_nothing_out(readings: list[Reading]) -> None:
    assert list(stitch(readings, RULE)) == []


def test_a_short_movement_is_not_swallowed_when_the_border_before_it_wanders() -> None:
    """The reach was settled until 10.0; later readings let it end earlier, and a short transport lies on the border."""
    stitcher = Stitcher(RULE)
    reach = ("reach", 8.0, 10.0)
    settled = []
    for number, tokens in enumerate(
        [
            [reach],
            [reach],
            [("reach", 8.0, 9.7), ("transport", 9.7, 10.1), ("idle", 10.1, 10.9)],
            [("reach", 8.0, 9.7), ("transport", 9.7, 10.1), ("idle", 10.1, 10.9)],
            [("reach", 8.0, 9.7), ("transport", 9.7, 10.1), ("idle", 10.1, 10.9)],
        ]
    ):
        end_s = 11.25 + 0.25 * number
        found = tuple(Token(label, Side.RIGHT, a, b, 0.9) for label, a, b in tokens)
        settled += stitcher.add(Reading(end_s - 6.0, end_s, found))
    settled += stitcher.finish()
    assert [token.label for token in settled] == ["reach", "transport", "idle"]
    assert all(a.end_s <= b.start_s for a, b in pairwise(settled))


def test_an_earlier_movement_of_the_same_label_is_not_the_last_one() -> None:
    """A settled reach that later readings call something else lets nothing be counted in its place."""
    first = [("reach", 6.0, 7.0), ("transport", 7.0, 8.0), ("reach", 8.0, 9.0)]
    then = [("reach", 6.0, 7.0), ("transport", 7.0, 8.0), ("stabilize", 8.0, 9.1), ("idle", 9.1, 10.0)]
    stitcher, settled = Stitcher(RULE), []
    for number, tokens in enumerate([first, first, then, then, then]):
        end_s = 10.25 + 0.25 * number
        found = tuple(Token(label, Side.RIGHT, a, b, 0.9) for label, a, b in tokens)
        settled += stitcher.add(Reading(end_s - 6.0, end_s, found))
    settled += stitcher.finish()
    assert [token.label for token in settled] == ["reach", "transport", "reach", "idle"]

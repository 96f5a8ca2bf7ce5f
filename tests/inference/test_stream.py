"""A session of a stream model against the decoder on the whole: movements, ends, confidence, delay, drafts."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from rehabcount.inference.artifact import open_model
from rehabcount.inference.card import ModelCard
from rehabcount.inference.duration_hmm import decode_stream
from rehabcount.inference.runtime import CONFIDENT_FRAMES, Movement
from tests.inference.scripted import LAG, ScriptedModel, script

CARD = open_model(Path(__file__).parent / "artifacts" / "tiny-1.0").card
FRAME_ROWS = CARD.steps_per_frame
MOVEMENTS = 40


def heard(logp: np.ndarray, onset: np.ndarray, piece: int, card: ModelCard = CARD) -> list[Movement]:
    session = ScriptedModel(card, logp, onset).start()
    rows = np.zeros((len(logp) * FRAME_ROWS, len(card.inputs.columns)))
    found: list[Movement] = []
    for start in range(0, len(rows), piece):
        part = rows[start : start + piece]
        new = session.push(part, part == 0)
        now_s = (start + len(part)) / 100
        # A movement comes when the next beginning is `lag` old, behind look-ahead and chunk.
        latest_s = (CARD.lookahead_frames + LAG) * card.frame_s + card.chunk_steps / 100 + piece / 100
        assert all(now_s - each.end_s <= latest_s + 1e-9 for each in new)
        found += new
        draft = session.draft()
        assert all(a.end_s == b.start_s for a, b in pairwise(draft))
        if found and draft:
            assert draft[0].start_s == found[-1].end_s
    assert len(found) > MOVEMENTS / 4  # while it goes on, not at its end
    return found + session.finish()


@pytest.mark.parametrize("seed", range(4))
def test_a_session_says_what_the_decoder_says_of_the_whole(seed: int) -> None:
    logp, onset = script(CARD, seed, MOVEMENTS)
    expected = list(decode_stream([(logp, onset)], ScriptedModel(CARD, logp, onset).decoder, LAG))
    found = heard(logp, onset, 10)
    assert [CARD.labels.index(each.label) for each in found] == [each.label for each in expected]
    assert [each.start_s for each in found] == pytest.approx([each.frame * CARD.frame_s for each in expected])
    ends = [each.frame for each in expected[1:]] + [len(logp)]
    assert [each.end_s for each in found] == pytest.approx([end * CARD.frame_s for end in ends])
    for movement, onset_, end in zip(found, expected, ends, strict=True):
        of_it = np.exp(logp[onset_.frame : end, onset_.label])
        assert movement.confidence == pytest.approx(of_it.mean(), abs=1e-6)


@pytest.mark.parametrize("piece", [1, 7, 37])
def test_any_chopping_gives_the_same(piece: int) -> None:
    logp, onset = script(CARD, 7, MOVEMENTS)
    assert heard(logp, onset, piece) == heard(logp, onset, 10)


def test_a_long_movement_is_remembered_by_its_last_frames() -> None:
    logp, onset = script(CARD, 3, MOVEMENTS)
    long = np.tile(np.log([0.6, 0.2, 0.2]), (2 * CONFIDENT_FRAMES, 1))
    long[:CONFIDENT_FRAMES] = np.log([0.9, 0.05, 0.05])
    found = heard(np.concatenate([logp, long]), np.concatenate([onset, np.full(len(long), -4.0)]), 10)
    assert found[-1].label == CARD.labels[0]
    assert found[-1].end_s - found[-1].start_s >= len(long) * CARD.frame_s
    assert found[-1].confidence == pytest.approx(0.6, abs=0.01)

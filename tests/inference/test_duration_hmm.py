"""The decoder against every possible sequence of a tiny problem, and the stream against the whole."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.inference.duration_hmm import (
    DurationModel,
    FixedLag,
    Onset,
    decode_all,
    decode_many,
    decode_stream,
)


def random_problem(seed: int, frames: int, labels: int, longest: int) -> tuple[DurationModel, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    model = DurationModel(
        np.log(rng.dirichlet(np.ones(labels))),
        np.log(rng.dirichlet(np.ones(labels), size=labels)),
        np.log(rng.dirichlet(np.ones(longest), size=labels)),
        rng.normal(size=labels) * 0.5,
        frame_weight=float(rng.uniform(0.3, 1.5)),
        onset_weight=float(rng.uniform(0, 1.5)),
        transition_weight=float(rng.uniform(0.5, 1.5)),
        duration_weight=float(rng.uniform(0.5, 1.5)),
        onset_spread=seed % 3,
    )
    return model, np.log(rng.dirichlet(np.ones(labels), size=frames)), rng.normal(size=frames) * 2


def score_of(onsets: list[Onset], model: DurationModel, logp: np.ndarray, onset_logits: np.ndarray) -> float:
    """The definition in the module's docstring, movement by movement."""
    frames, longest = len(logp), model.durations.shape[1]
    pmf = np.exp(model.durations)
    total = 0.0
    for i, onset in enumerate(onsets):
        end = onsets[i + 1].frame if i + 1 < len(onsets) else frames
        length, chances = end - onset.frame, pmf[onset.label]
        before = model.start[onset.label] if i == 0 else model.follow[onsets[i - 1].label, onset.label]
        total += model.transition_weight * before + model.count_bias[onset.label]
        total += model.frame_weight * logp[onset.frame : end, onset.label].sum()
        heard = onset_logits[max(0, onset.frame - model.onset_spread) : onset.frame + 1]
        begins = 1 - np.prod(1 / (1 + np.exp(heard)))
        total += model.onset_weight * np.log(begins / (1 - begins))
        beyond = max(0, length - longest)
        at_least = chances[min(length, longest) - 1 :].sum() * (1 - 1 / longest) ** beyond
        if i + 1 == len(onsets):
            lasting = at_least
        elif length < longest:
            lasting = chances[length - 1]
        else:
            lasting = at_least / longest
        total += model.duration_weight * np.log(lasting)
    return float(total)


def every_sequence(frames: int, labels: int) -> itertools.chain[list[Onset]]:
    def of(pattern: tuple[int, ...]) -> list[Onset]:
        return [Onset(label, frame) for frame, label in enumerate(pattern) if label >= 0]

    patterns = itertools.product(range(-1, labels), repeat=frames)
    return itertools.chain(of(pattern) for pattern in patterns if pattern[0] >= 0)


@pytest.mark.parametrize("seed", range(12))
def test_the_whole_is_the_best_of_all_sequences(seed: int) -> None:
    labels, frames = 2 + seed % 2, 6 - seed % 2
    model, logp, onset = random_problem(seed, frames, labels, longest=2 + seed % 3)
    best = max(every_sequence(frames, labels), key=lambda sequence: score_of(sequence, model, logp, onset))
    found = decode_all(logp, onset, model)
    assert score_of(found, model, logp, onset) == pytest.approx(score_of(best, model, logp, onset))
    assert found == best


@pytest.mark.parametrize("seed", range(12))
def test_fixed_lag_keeps_one_sequence_a_candidate_and_drops_who_disagrees(seed: int) -> None:
    """The rule of the docstring played with explicit sequences: no ages, no scores carried along."""
    labels, frames, lag = 3, 12, 1 + seed % 4
    model, logp, onset = random_problem(100 + seed, frames, labels, longest=2 + seed % 3)
    alive, expected = [[Onset(label, 0)] for label in range(labels)], list[Onset]()
    for t in range(frames):
        seen = t + 1

        def score(sequence: list[Onset], seen: int = seen) -> float:
            return score_of(sequence, model, logp[:seen], onset[:seen])

        if t:
            grown = [[*sequence, Onset(label, t)] for sequence in alive for label in range(labels)]
            alive += [max((g for g in grown if g[-1].label == label), key=score) for label in range(labels)]
        if t >= lag:
            best = max(alive, key=score)
            begins = any(o.frame == t - lag for o in best)
            alive = [sequence for sequence in alive if any(o.frame == t - lag for o in sequence) == begins]
            if begins:
                decided = [o for o in best if o.frame < t - lag]
                alive = [sequence for sequence in alive if [o for o in sequence if o.frame < t - lag] == decided]
                assert decided[: len(expected)] == expected  # nothing that came out is taken back
                expected = decided
    assert list(decode_stream([(logp, onset)], model, lag)) == max(alive, key=score)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), cuts=st.lists(st.integers(1, 9), min_size=1), lag=st.integers(1, 15))
def test_any_chopping_gives_the_same_onsets(seed: int, cuts: list[int], lag: int) -> None:
    frames = sum(cuts)
    model, logp, onset = random_problem(seed, frames, 4, longest=6)
    edges = np.cumsum([0, *cuts])
    pieces = [(logp[a:b], onset[a:b]) for a, b in itertools.pairwise(edges)]
    assert list(decode_stream(pieces, model, lag)) == list(decode_stream([(logp, onset)], model, lag))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), frames=st.integers(1, 60))
def test_a_lag_longer_than_the_recording_finds_the_best_whole(seed: int, frames: int) -> None:
    model, logp, onset = random_problem(seed, frames, 3, longest=7)
    patient, whole = list(decode_stream([(logp, onset)], model, frames + 1)), decode_all(logp, onset, model)
    # Not the sequences: two may be equally good to the last digit.
    assert score_of(patient, model, logp, onset) == pytest.approx(score_of(whole, model, logp, onset))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), lengths=st.lists(st.integers(0, 40), max_size=6), lag=st.integers(1, 9))
def test_side_by_side_is_as_alone(seed: int, lengths: list[int], lag: int) -> None:
    model, logp, onset = random_problem(seed, 41, 3, 7)
    rng = np.random.default_rng(seed)
    pieces = [(logp[a : a + n], onset[a : a + n]) for n in lengths for a in [int(rng.integers(41 - n))]]
    assert decode_many(pieces, model, lag) == [list(decode_stream([piece], model, lag)) for piece in pieces]


def test_delay_is_bounded_and_words_are_kept() -> None:
    model, logp, onset = random_problem(7, 400, 4, longest=9)
    decoder, lag, found = FixedLag(model, 5), 5, list[Onset]()
    for t in range(len(logp)):
        since = decoder.since
        new = decoder.push(logp[t : t + 1], onset[t : t + 1])
        # A movement comes out when its end, which is the next beginning, is `lag` frames old.
        assert [o.frame for o in new] in ([], [since])
        if new:
            assert decoder.since == t - lag
        found += new
    found += decoder.finish()
    assert [o.frame for o in found] == sorted({o.frame for o in found})
    assert found[0].frame == 0
    assert found == list(decode_stream([(logp, onset)], model, lag))


def test_a_label_may_follow_itself_and_the_bias_moves_the_count() -> None:
    frames, labels = 60, 2
    logp = np.log(np.tile([0.9, 0.1], (frames, 1)))
    onset = np.full(frames, -3.0)
    onset[[0, 20, 40]] = 3.0
    flat = np.log(np.full((labels, 30), 1 / 30))
    half = np.log(np.full((labels, labels), 0.5))

    def count(bias: float) -> int:
        return len(decode_all(logp, onset, DurationModel(half[0], half, flat, np.full(labels, bias))))

    assert [o.frame for o in decode_all(logp, onset, DurationModel(half[0], half, flat, np.zeros(labels)))] == [
        0,
        20,
        40,
    ]
    assert count(-8.0) == 1
    assert count(8.0) > 3


def test_an_hour_does_not_lose_digits() -> None:
    model, logp, onset = random_problem(3, 300, 3, longest=5)
    long = [(logp, onset)] * 60
    late = [o for o in decode_stream(long, model, 8) if o.frame >= 300 * 59]
    once = [o for o in decode_stream(long[:2], model, 8) if o.frame >= 300]
    assert [(o.label, o.frame - 300 * 58) for o in late] == [(o.label, o.frame) for o in once]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), lag=st.integers(1, 9))
def test_false_starts_are_in_no_sequence(seed: int, lag: int) -> None:
    model, logp, onset = random_problem(seed, 80, 3, longest=6)
    strict = replace(model, false_starts=((1, 2),))
    for found in (list(decode_stream([(logp, onset)], strict, lag)), decode_all(logp, onset, strict)):
        assert (1, 2) not in {(a.label, b.label) for a, b in itertools.pairwise(found)}


def test_a_movement_is_known_by_all_of_it_not_by_its_beginning() -> None:
    """Its first second looks like label 1, the rest like label 2: at its end it is 2, with however short a lag."""
    logp = np.log(np.tile([0.98, 0.01, 0.01], (90, 1)))
    logp[20:30], logp[30:70] = np.log([0.01, 0.6, 0.39]), np.log([0.01, 0.2, 0.79])
    onset = np.full(90, -4.0)
    onset[[0, 20, 70]] = 4.0
    flat, third = np.log(np.full((3, 60), 1 / 60)), np.log(np.full((3, 3), 1 / 3))
    model = DurationModel(third[0], third, flat, np.zeros(3))
    assert list(decode_stream([(logp, onset)], model, 3)) == [Onset(0, 0), Onset(2, 20), Onset(0, 70)]


def test_no_frames_no_onsets() -> None:
    model, logp, onset = random_problem(0, 3, 2, longest=2)
    assert decode_all(logp[:0], onset[:0], model) == []
    assert list(decode_stream([], model, 4)) == []

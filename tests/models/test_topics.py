"""Topics: the sampler's conditionals against brute force, both fits on clear data, windows, the code of events."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from rehabcount.errors import InputRefused, MissingExtra
from rehabcount.models import topics
from rehabcount.models.topics import Method, TopicModel, TopicSettings, code_bits, counts_of, event_topics, fit

# A corpus so small that all assignments can be listed: (document, word) of each token.
TINY = ((0, 0), (0, 1), (0, 1), (1, 2), (1, 0))
TOPICS, WORDS, DOCUMENTS = 3, 3, 2
SHARE_PRIOR, WORD_PRIOR = 0.4, 0.7


def joint(assigned: Sequence[int]) -> float:
    """Probability of the topics and the words, token by token: the shares, integrated out, make urns of them."""
    chance, seen = 1.0, list[tuple[int, int, int]]()
    for (document, word), topic in zip(TINY, assigned, strict=True):
        here = [t for d, _, t in seen if d == document]
        chance *= (SHARE_PRIOR + here.count(topic)) / (TOPICS * SHARE_PRIOR + len(here))
        alike = [w for _, w, t in seen if t == topic]
        chance *= (WORD_PRIOR + alike.count(word)) / (WORDS * WORD_PRIOR + len(alike))
        seen.append((document, word, topic))
    return chance


EVERY = {assigned: joint(assigned) for assigned in itertools.product(range(TOPICS), repeat=len(TINY))}


def tokens_of(assigned: Sequence[int]) -> np.ndarray:
    return np.array([(*pair, topic) for pair, topic in zip(TINY, assigned, strict=True)], np.int64)


def test_full_conditionals_are_those_of_all_assignments() -> None:
    priors, chances = np.array([SHARE_PRIOR, WORD_PRIOR]), np.zeros(TOPICS)
    for assigned in list(EVERY)[::7]:
        for number in range(len(TINY)):
            tokens = tokens_of(assigned)
            counts = counts_of(tokens, (DOCUMENTS, TOPICS, WORDS))
            topics.sweep_in_loops(tokens[number : number + 1], *counts, priors, np.array([0.5]), chances)
            wanted = [EVERY[(*assigned[:number], k, *assigned[number + 1 :])] for k in range(TOPICS)]
            assert chances / chances.sum() == pytest.approx(np.array(wanted) / sum(wanted))
            again = counts_of(tokens, (DOCUMENTS, TOPICS, WORDS))  # the counts moved with the token
            assert all(np.array_equal(one, two) for one, two in zip(counts, again, strict=True))


def test_sweeps_visit_assignments_as_often_as_they_are_probable() -> None:
    rng, tokens = np.random.default_rng(1), tokens_of([0] * len(TINY))
    counts = counts_of(tokens, (DOCUMENTS, TOPICS, WORDS))
    priors, chances, rounds = np.array([SHARE_PRIOR, WORD_PRIOR]), np.zeros(TOPICS), 12000
    seen = Counter[tuple[int, ...]]()
    for _ in range(rounds):
        topics.sweep_in_loops(tokens, *counts, priors, rng.random(len(tokens)), chances)
        seen[tuple(tokens[:, 2].tolist())] += 1
    total = sum(EVERY.values())
    distance = 0.5 * sum(abs(seen[each] / rounds - chance / total) for each, chance in EVERY.items())
    assert distance < 0.06  # independent draws would be about .04 away


def test_compiled_loops_do_the_same() -> None:
    pytest.importorskip("numba")
    rng = np.random.default_rng(2)
    tokens = np.stack([np.sort(rng.integers(6, size=200)), rng.integers(9, size=200), rng.integers(4, size=200)], 1)
    priors, uniform = np.array([0.1, 0.2]), rng.random(200)
    outcome = []
    for sweep in (topics.sweep_in_loops, topics._compiled_sweep()):
        mine = tokens.copy()
        counts = counts_of(mine, (6, 4, 9))
        sweep(mine, *counts, priors, uniform, np.zeros(4))
        outcome.append((mine, *counts))
    assert all(np.array_equal(one, two) for one, two in zip(*outcome, strict=True))


def two_activities(seed: int = 0) -> tuple[list[list[str]], np.ndarray]:
    """Sequences of runs of two activities with words of their own."""
    rng, words, truth = np.random.default_rng(seed), list[list[str]](), list[int]()
    for _ in range(4):
        states = np.repeat(rng.permutation([0, 1, 0, 1]), 30)
        words.append([f"{'ab'[state]}{rng.integers(3)}" for state in states])
        truth += states.tolist()
    return words, np.array(truth)


@pytest.mark.parametrize("method", ["gibbs", "variational"])
@pytest.mark.parametrize("longest", [1, 2])
def test_two_activities_become_two_topics(method: Method, longest: int) -> None:
    pytest.importorskip("numba" if method == "gibbs" else "sklearn")
    words, truth = two_activities()
    settings = TopicSettings(2, 8, longest, method, seed=3, sweeps=30, averaged=10)
    model = fit(words, settings)
    assert model.word_shares.sum(axis=1) == pytest.approx(np.ones(2))
    again = fit(words, settings)
    assert np.array_equal(model.word_shares, again.word_shares)
    for by, enough in (("token", 0.99), ("window", 0.93)):
        found = event_topics(model, words, by)  # type: ignore[arg-type]
        assert found.sum(axis=1) == pytest.approx(np.ones(len(truth)))
        right = float(np.mean(found.argmax(axis=1) == truth))
        assert max(right, 1 - right) >= enough
    if longest == 2:
        assert any(" " in word for word in model.words)


def test_a_sequence_has_as_many_windows_as_places_and_a_short_one_has_one() -> None:
    words = [list("abcabcabca"), list("ab"), []]
    settings = TopicSettings(2, 4, 2, least=1)
    windows = topics._cut(words, settings, topics.words_of(words, 2, 1))
    assert windows.lengths.tolist() == [4] * 7 + [2]
    assert windows.first_event.tolist() == [0, 1, 2, 3, 4, 5, 6, 10]
    # Four events and the three pairs inside; none reaches back out of the window.
    assert np.bincount(windows.documents).tolist() == [7] * 7 + [3]
    assert windows.events[-2:].tolist() == [10, 11]


def test_rare_runs_are_no_words_and_rare_events_are() -> None:
    assert topics.words_of([list("aab"), list("aa")], 2, 2) == ("a", "a a", "b")


def model_of(shares: list[list[float]], words: str, window: int = 3) -> TopicModel:
    return TopicModel(TopicSettings(len(shares), window), tuple(words), np.array(shares))


def test_an_unknown_event_is_of_no_topic_more_than_of_another() -> None:
    model = model_of([[0.9, 0.1], [0.1, 0.9]], "ab")
    assert event_topics(model, [["x"]], "token").tolist() == [[0.5, 0.5]]
    found = event_topics(model, [["a", "a", "x", "b", "b"]], "window")
    assert found[0, 0] > 0.9
    assert found[4, 1] > 0.9


def test_labels_make_topics_of_their_words() -> None:
    settings = TopicSettings(2, 2, word_prior=1e-9)
    model = topics.from_labels([list("abca")], [[0, 0, 1, -1]], settings)
    assert model.words == ("a", "b", "c")
    assert model.word_shares == pytest.approx(np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]), abs=1e-6)


def test_the_code_of_an_event_could_be_read_back() -> None:
    """After the same events, what all words and the escape cost adds up to a probability of one."""
    model = model_of([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]], "abc")
    for before in ([], ["a"], ["c", "c", "c", "b"]):
        chances = [2.0 ** -code_bits(model, [[*before, word]])[-1] for word in ("a", "b", "c", "x")]
        assert sum(chances) == pytest.approx(1.0)
    expected = -np.log2(0.5 * (0.7 + 0.1) * (1 - 1 / 16))
    assert code_bits(model, [["a"]])[0] == pytest.approx(expected)


def test_topics_shorten_the_code_of_what_they_were_found_in() -> None:
    pytest.importorskip("numba")
    words, _ = two_activities()
    others, _ = two_activities(1)
    plain, two = (fit(words, TopicSettings(count, 8, sweeps=30, averaged=10)) for count in (1, 2))
    for part in (words, others):
        assert code_bits(two, part).mean() < code_bits(plain, part).mean() - 0.4


@pytest.mark.parametrize(
    "change",
    [
        {"topics": 0},
        {"window": 0},
        {"longest": 9},
        {"longest": 0},
        {"method": "other"},
        {"share_prior": 0.0},
        {"averaged": 1000},
    ],
)
def test_settings_that_cannot_be_are_refused(change: dict[str, int]) -> None:
    with pytest.raises(InputRefused):
        replace(TopicSettings(2, 8), **change)  # type: ignore[arg-type]


def test_without_events_there_is_nothing_to_find() -> None:
    with pytest.raises(InputRefused, match="no events"):
        fit([[]], TopicSettings(2, 8))


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    topics._compiled_sweep.cache_clear()
    with pytest.raises(MissingExtra, match="numba"):
        fit([list("ab")], TopicSettings(2, 2))
    topics._compiled_sweep.cache_clear()
    monkeypatch.setitem(sys.modules, "sklearn.decomposition", None)
    with pytest.raises(MissingExtra, match="scikit-learn"):
        fit([list("ab")], TopicSettings(2, 2, method="variational"))

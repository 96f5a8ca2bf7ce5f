"""Topics: activities in sequences of events that nothing labels, found as mixtures of words that occur together.

In: sequences of events, each event a word (a primitive, or a primitive with what else is known of it). Out: a
`TopicModel`, and for every event of a sequence the probability of each topic.

Each sequence of L events is cut into L - w + 1 windows of w events (one, if it is shorter). Each window is a document
of a topic model (latent Dirichlet allocation): its words are the events and, if `longest` is above 1, the runs of up to
so many successive events. Two methods fit it: `gibbs`, a collapsed Gibbs sampler (needs numba), and `variational`,
scikit-learn's. Both give the share of each word in each topic; the rest is the same for both and needs neither.

Two probabilities of an event are offered. `window`: the share of the topic in the windows that the event lies in, on
average. `token`: the probability that the event itself is of the topic, given its word, on average over the windows.
The first is smooth, the second follows each event.

References: Rogers, Ross & Kelleher, AIAI 2018, section 6 (windows as documents); Blei, Ng & Jordan, JMLR 2003;
Griffiths & Steyvers, PNAS 2004 (the sampler).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast

import numpy as np

from rehabcount.domain.arrays import Floats, Ints, frozen
from rehabcount.errors import InputRefused, MissingExtra

Method = Literal["gibbs", "variational"]
By = Literal["window", "token"]
Sweep = Callable[[Ints, Floats, Floats, Floats, Floats, Floats, Floats], None]
ROUNDS = 25  # of the fixed point in `_mixtures`; shares move by less than .001 after that
GRAM = " "  # between the words of a run


@dataclass(frozen=True, slots=True)
class TopicSettings:
    """Sizes, priors and schedule."""

    topics: int
    window: int  # events
    longest: int = 1  # of a run of events that is one word
    method: Method = "gibbs"
    seed: int = 0
    share_prior: float = 0.1  # of each topic in a window
    word_prior: float = 0.1  # of each word in a topic
    sweeps: int = 100  # of the sampler, or most iterations of the variational method
    averaged: int = 30  # last sweeps over which the shares of words are averaged
    least: int = 5  # a run of two or more events that occurs less often is no word

    def __post_init__(self) -> None:
        wrong = [
            (self.topics < 1, "topics must be at least 1"),
            (self.window < 1, "window must be at least 1"),
            (not 1 <= self.longest <= self.window, "longest must be 1 to window"),
            (self.method not in ("gibbs", "variational"), "method must be gibbs or variational"),
            (min(self.share_prior, self.word_prior) <= 0, "priors must be above 0"),
            (not 1 <= self.averaged <= self.sweeps, "averaged must be 1 to sweeps"),
        ]
        for is_wrong, what in wrong:
            if is_wrong:
                raise InputRefused(f"topics: {what}.", advice="See the settings of models/topics.py.")


@dataclass(frozen=True, slots=True)
class TopicModel:
    """What a fit found: how often each word occurs in each topic."""

    settings: TopicSettings
    words: tuple[str, ...]
    word_shares: Floats  # (topics, words); rows sum to 1


@dataclass(frozen=True, slots=True)
class _Windows:
    """All windows as documents. Tokens are sorted by document."""

    documents: Ints  # (tokens,) of each token
    words: Ints  # (tokens,)
    singles: Ints  # numbers of the tokens that are single events
    events: Ints  # (singles,) the event of each, counted over all sequences
    first_event: Ints  # (documents,)
    lengths: Ints  # (documents,) events

    @property
    def count(self) -> int:
        return len(self.first_event)


# -- words and windows ------------------------------------------------------------------------------------------------


def words_of(sequences: Sequence[Sequence[str]], longest: int, least: int) -> tuple[str, ...]:
    """Every event, and every run of two to `longest` events that occurs at least so often; sorted by name."""
    counts = Counter(gram for sequence in sequences for row in _grams(sequence, longest) for gram in row)
    return tuple(sorted(gram for gram, times in counts.items() if times >= least or GRAM not in gram))


def _grams(sequence: Sequence[str], longest: int) -> list[list[str]]:
    """For each event the runs that end there, the shortest first."""
    return [
        [GRAM.join(sequence[end - length : end]) for length in range(1, min(longest, end) + 1)]
        for end in range(1, len(sequence) + 1)
    ]


def _cut(sequences: Sequence[Sequence[str]], settings: TopicSettings, words: Sequence[str]) -> _Windows:
    """Words that the vocabulary lacks are left out."""
    number_of = {word: number for number, word in enumerate(words)}
    documents, found, events, lengths_of, firsts, lengths = list[Ints](), list[Ints](), list[Ints](), [], [], []
    offset = begun = 0
    for sequence in sequences:
        if not sequence:
            continue
        ids = np.full((len(sequence), settings.longest), -1)
        for at, row in enumerate(_grams(sequence, settings.longest)):
            ids[at, : len(row)] = [number_of.get(gram, -1) for gram in row]
        size = min(settings.window, len(sequence))
        starts = np.arange(len(sequence) - size + 1)
        inside = np.broadcast_to(np.arange(size), (len(starts), size))
        here = starts[:, None] + inside
        for length in range(1, settings.longest + 1):
            token = ids[here, length - 1]
            whole = (token >= 0) & (inside >= length - 1)  # runs do not reach out of the window
            documents.append((begun + np.broadcast_to(starts[:, None], here.shape))[whole])
            found.append(token[whole])
            events.append(offset + here[whole])
            lengths_of.append(np.full(int(whole.sum()), length))
        firsts.append(offset + starts)
        lengths.append(np.full(len(starts), size))
        offset, begun = offset + len(sequence), begun + len(starts)
    if not firsts:
        raise InputRefused("topics: there are no events.", advice="Give at least one sequence with events.")
    document = np.concatenate(documents)
    order = np.argsort(document, kind="stable")
    singles = np.flatnonzero(np.concatenate(lengths_of)[order] == 1)
    return _Windows(
        document[order],
        np.concatenate(found)[order],
        singles,
        np.concatenate(events)[order][singles],
        np.concatenate(firsts),
        np.concatenate(lengths),
    )


# -- fitting ----------------------------------------------------------------------------------------------------------


def fit(sequences: Sequence[Sequence[str]], settings: TopicSettings) -> TopicModel:
    """Find topics. The same seed gives the same topics."""
    words = words_of(sequences, settings.longest, settings.least)
    windows = _cut(sequences, settings, words)
    found = _sampled if settings.method == "gibbs" else _variational
    counts = found(windows, len(words), settings) + settings.word_prior
    return TopicModel(settings, words, frozen(counts / counts.sum(axis=1, keepdims=True)))


def from_labels(
    sequences: Sequence[Sequence[str]], labels: Sequence[Sequence[int]], settings: TopicSettings
) -> TopicModel:
    """Topics whose words are counted by known labels (-1: none), for comparison; a run has the label of its last event.

    It says what words of windows tell where what belongs together is known.
    """
    words = words_of(sequences, settings.longest, settings.least)
    number_of = {word: number for number, word in enumerate(words)}
    counts = np.full((settings.topics, len(words)), settings.word_prior)
    for sequence, known in zip(sequences, labels, strict=True):
        for row, label in zip(_grams(sequence, settings.longest), known, strict=True):
            for gram in row:
                if label >= 0 and gram in number_of:
                    counts[label, number_of[gram]] += 1
    return TopicModel(settings, words, frozen(counts / counts.sum(axis=1, keepdims=True)))


def sweep_in_loops(
    tokens: Ints,
    in_document: Floats,
    of_word: Floats,
    of_topic: Floats,
    priors: Floats,
    uniform: Floats,
    chances: Floats,
) -> None:
    """One sweep of collapsed Gibbs over these tokens, in place; plain loops, for numba.

    `tokens` (tokens, 3) are document, word and topic. `in_document` (documents, topics), `of_word` (topics, words) and
    `of_topic` (topics,) count all tokens. `priors` are those of shares and of words, `uniform` holds a random number a
    token. `chances` (topics,) holds the last token's full conditional, not normalised.
    """
    count = len(of_topic)
    smoothing = of_word.shape[1] * priors[1]
    for i in range(len(tokens)):
        document, word, old = tokens[i, 0], tokens[i, 1], tokens[i, 2]
        in_document[document, old] -= 1
        of_word[old, word] -= 1
        of_topic[old] -= 1
        total = 0.0
        for k in range(count):
            chance = (in_document[document, k] + priors[0]) * (of_word[k, word] + priors[1])
            chances[k] = chance / (of_topic[k] + smoothing)
            total += chances[k]
        left, new = uniform[i] * total, 0
        while new < count - 1 and left >= chances[new]:
            left -= chances[new]
            new += 1
        tokens[i, 2] = new
        in_document[document, new] += 1
        of_word[new, word] += 1
        of_topic[new] += 1


@cache
def _compiled_sweep() -> Sweep:
    try:
        from numba import njit
    except ImportError as error:
        raise MissingExtra("numba", "bench") from error
    return cast(Sweep, njit(cache=True)(sweep_in_loops))


def counts_of(tokens: Ints, shape: tuple[int, int, int]) -> tuple[Floats, Floats, Floats]:
    """Tokens by document and topic, by topic and word, by topic; `shape` says how many documents, topics, words."""
    documents, topics, words = shape
    in_document, of_word = np.zeros((documents, topics)), np.zeros((topics, words))
    np.add.at(in_document, (tokens[:, 0], tokens[:, 2]), 1)
    np.add.at(of_word, (tokens[:, 2], tokens[:, 1]), 1)
    return in_document, of_word, of_word.sum(axis=1)


def _sampled(windows: _Windows, vocabulary: int, settings: TopicSettings) -> Floats:
    """Tokens of each word in each topic, on average over the last sweeps."""
    sweep, rng = _compiled_sweep(), np.random.default_rng(settings.seed)
    drawn = rng.integers(settings.topics, size=len(windows.words))
    tokens = np.stack([windows.documents, windows.words, drawn], axis=1)
    counts = counts_of(tokens, (windows.count, settings.topics, vocabulary))
    mean, chances = np.zeros_like(counts[1]), np.zeros(settings.topics)
    priors = np.array([settings.share_prior, settings.word_prior])
    for number in range(settings.sweeps):
        sweep(tokens, *counts, priors, rng.random(len(tokens)), chances)
        if number >= settings.sweeps - settings.averaged:
            mean += counts[1] / settings.averaged
    return mean


def _variational(windows: _Windows, vocabulary: int, settings: TopicSettings) -> Floats:
    """scikit-learn's batch variational Bayes: expected tokens of each word in each topic."""
    try:
        from sklearn.decomposition import LatentDirichletAllocation
    except ImportError as error:
        raise MissingExtra("scikit-learn", "bench") from error
    from scipy.sparse import csr_array

    ones = np.ones(len(windows.words))
    table = csr_array((ones, (windows.documents, windows.words)), shape=(windows.count, vocabulary))
    model = LatentDirichletAllocation(
        settings.topics,
        doc_topic_prior=settings.share_prior,
        topic_word_prior=settings.word_prior,
        max_iter=settings.sweeps,
        random_state=settings.seed,
    )
    return np.maximum(np.asarray(model.fit(table).components_) - settings.word_prior, 0.0)


# -- reading ----------------------------------------------------------------------------------------------------------


def event_topics(model: TopicModel, sequences: Sequence[Sequence[str]], by: By = "window") -> Floats:
    """(events of all sequences, topics): the probability of each topic for each event; rows sum to 1."""
    return read(model, sequences)[by]


def read(model: TopicModel, sequences: Sequence[Sequence[str]]) -> dict[By, Floats]:
    """Both probabilities at once. An event whose word the model lacks has even ones by `token`."""
    windows = _cut(sequences, model.settings, model.words)
    shares, chances = _mixtures(model, windows)
    shape = (sum(len(sequence) for sequence in sequences), model.settings.topics)
    summed: dict[By, Floats] = {"window": np.zeros(shape), "token": np.zeros(shape)}
    times: dict[By, Floats] = {by: np.zeros(shape[0]) for by in summed}
    for at in range(int(windows.lengths.max())):
        here = windows.lengths > at
        np.add.at(summed["window"], windows.first_event[here] + at, shares[here])
        np.add.at(times["window"], windows.first_event[here] + at, 1)
    np.add.at(summed["token"], windows.events, chances[windows.singles])
    np.add.at(times["token"], windows.events, 1)
    return {
        by: np.where(times[by][:, None] > 0, summed[by] / np.maximum(times[by], 1)[:, None], 1.0 / shape[1])
        for by in summed
    }


def _mixtures(model: TopicModel, windows: _Windows) -> tuple[Floats, Floats]:
    """Shares of the topics in each window, and of each token the probability of each topic.

    With the shares of words known, each token's probabilities follow from those of its window's other tokens; repeated
    until they agree with each other (zero-order collapsed variational Bayes).
    """
    prior, likely = model.settings.share_prior, model.word_shares[:, windows.words].T  # (tokens, topics)
    chances = likely / likely.sum(axis=1, keepdims=True)
    sums = np.zeros((windows.count, model.settings.topics))
    for number in range(ROUNDS + 1):
        sums[:] = 0.0
        if len(windows.words):
            firsts = np.flatnonzero(np.append(True, np.diff(windows.documents) > 0))
            sums[windows.documents[firsts]] = np.add.reduceat(chances, firsts, axis=0)
        if number < ROUNDS:
            chances = np.maximum(sums[windows.documents] - chances, 0.0) + prior
            chances *= likely
            chances /= chances.sum(axis=1, keepdims=True)
    shares = sums + prior
    return shares / shares.sum(axis=1, keepdims=True), chances


def code_bits(model: TopicModel, sequences: Sequence[Sequence[str]]) -> Floats:
    """Bits that each event costs in a code that knows the topics and the `window` events before it.

    The first event of a sequence is coded with even shares of the topics; a word that the model has not seen with the
    share of an escape. Nothing after an event helps to code it, so that the code could be read back.
    """
    settings, alone = model.settings, [number for number, word in enumerate(model.words) if GRAM not in word]
    place = {model.words[number]: at for at, number in enumerate(alone)}
    singles = model.word_shares[:, alone] / model.word_shares[:, alone].sum(axis=1, keepdims=True)
    escape = 1.0 / (len(alone) + 1) ** 2
    bits = []
    for sequence in sequences:
        shares = np.full((len(sequence), settings.topics), 1.0 / settings.topics)
        # The window before an event: shorter ones at the beginning of a sequence.
        before = [list(sequence[max(0, at - settings.window) : at]) for at in range(1, len(sequence))]
        if before:
            shares[1:] = _mixtures(model, _cut(before, settings, model.words))[0]
        for share, word in zip(shares, sequence, strict=True):
            known = (1 - escape) * float(share @ singles[:, place[word]]) if word in place else escape
            bits.append(-np.log2(known))
    return np.array(bits)

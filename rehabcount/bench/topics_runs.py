"""The runs of the topics bench: artificial data, choosing settings on some simulated people, the others' sessions.

A run is a fit and its scores. Runs are steps of the experiment: they are kept, and an interrupted bench goes on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import numpy as np

from rehabcount.bench.experiment import Context
from rehabcount.bench.topics_data import (
    BEYOND_SENSORS,
    WORD_KINDS,
    EventData,
    PersonEvents,
    WordEdges,
    event_data,
    machine,
    session_events,
)
from rehabcount.bench.topics_scores import Rule, TopicScore, mean_of, scores_of
from rehabcount.domain.arrays import Floats
from rehabcount.domain.document import to_document
from rehabcount.metrics import abstraction, stability
from rehabcount.models.believing import drawn
from rehabcount.models.simulated import simulator_sha256
from rehabcount.models.topics import (
    By,
    Method,
    TopicModel,
    TopicSettings,
    code_bits,
    event_topics,
    fit,
    from_labels,
    read,
)

MACHINE_WINDOW = 20  # as long as the machine stays with an activity on average
MACHINE_TOPICS = 5
# What is tried for each kind of word, on the people of the training groups: each window with each number of topics
# (nine, and more), then runs of events at the best of these.
WINDOWS, TOPICS, LONGEST = (20, 30), (9, 14, 20), (2,)
FIRST_CHOICE = TopicSettings(9, 25)
CHOOSING = (("train", 12), ("healthy-train", 4))
REPORTING = (("test", 12), ("healthy-test", 4))
CHOOSING_SEED, REPORTING_SEED = 501, 601
NEW_SEEDS = (11, 12, 13)  # of the fits that the kind of word is chosen by
RULES: tuple[Rule, Rule] = ("paper", "own")
KEY = "topics-2"  # of kept steps; it changes with the code of the runs


@dataclass(frozen=True, slots=True)
class TopicRun:
    """One fit on one dataset: scores with the paper's thresholds, and with each pair's own."""

    scores: tuple[TopicScore, ...]
    own: tuple[TopicScore, ...]
    computing_s: float


@dataclass(frozen=True, slots=True)
class Chosen:
    """Settings and kind of probability for one kind of word, with all that was tried."""

    kind: str
    topics: int
    window: int
    longest: int
    by: str
    staircase: float  # mean over the activities, of the people that it was chosen on
    extended: float
    tried: int

    @property
    def settings(self) -> TopicSettings:
        return TopicSettings(self.topics, self.window, self.longest)


@dataclass(frozen=True, slots=True)
class StabilityRun:
    """Topics of one half of the people, on that half and on the other."""

    what: str
    predictive: float
    train_ratio: float
    test_ratio: float
    compressive: float


@dataclass(frozen=True, slots=True)
class SessionsFound:
    """All that was done with sessions; runs and labelled topics by kind of word, on the reporting people."""

    choosing: tuple[PersonEvents, ...]
    reporting: tuple[PersonEvents, ...]
    edges: WordEdges
    minutes: float
    chosen: list[Chosen]
    again: dict[str, list[TopicRun]]  # new fits on the choosing people
    runs: dict[str, list[TopicRun]]
    labelled: dict[str, TopicRun]
    steady: StabilityRun | None  # of the kind of word that is chosen


@dataclass(frozen=True, slots=True)
class TopicsFound:
    """Everything: artificial data by both fits, a run a seed, and sessions."""

    artificial: list[TopicRun]
    variational: list[TopicRun]
    steady: list[StabilityRun]
    sessions: SessionsFound


# -- artificial data --------------------------------------------------------------------------------------------------


def machine_run(seed: int, events: int, method: Method, shifts: int) -> TopicRun:
    begun_s = time.process_time()
    data = machine(seed, events)
    model = fit(data.words, machine_settings(seed, method))
    spent_s = time.process_time() - begun_s
    return _run(data, event_topics(model, data.words), shifts, spent_s)


def _run(data: EventData, probabilities: Floats, shifts: int, spent_s: float) -> TopicRun:
    scores, own = (scores_of(data, probabilities, shifts, rule) for rule in RULES)
    return TopicRun(scores, own, round(spent_s, 2))


def machine_settings(seed: int, method: Method) -> TopicSettings:
    sweeps, averaged = (100, 30) if method == "gibbs" else (20, 1)
    return TopicSettings(MACHINE_TOPICS, MACHINE_WINDOW, method=method, seed=seed, sweeps=sweeps, averaged=averaged)


def machine_stability(seed: int, events: int) -> StabilityRun:
    """The first half of the events and the second."""
    data = machine(seed, events)
    middle = events // 2
    halves = [
        EventData(data.activities, (data.words[0][part],), (data.labels[0][part],))
        for part in (slice(0, middle), slice(middle, events))
    ]
    return stability_run(f"artificial, seed {seed}", halves[0], halves[1], machine_settings(seed, "gibbs"), "window")


# -- sessions ---------------------------------------------------------------------------------------------------------


def people_of(
    groups: Sequence[tuple[str, int]], seed: int, minutes: float, context: Context
) -> tuple[PersonEvents, ...]:
    """The sessions of so many people of each group, made once."""
    people = list(drawn(seed, groups))
    simulator = simulator_sha256()
    found = []
    for done, (subject, its_seed) in enumerate(people):
        context.on_progress("sessions", done, len(people))
        key = json.dumps(["topics-1", "session", simulator, subject.name, its_seed, minutes])
        found.append(context.step(PersonEvents, key, partial(session_events, subject, its_seed, minutes)))
    return tuple(found)


def session_run(data: EventData, settings: TopicSettings, by: By, shifts: int) -> TopicRun:
    begun_s = time.process_time()
    model = fit(data.words, settings)
    probabilities = event_topics(model, data.words, by)
    spent_s = time.process_time() - begun_s
    return _run(data, probabilities, shifts, spent_s)


def labelled_run(train: EventData, test: EventData, settings: TopicSettings, by: By) -> TopicRun:
    """Topics whose words were counted on labelled people, on others: what the words can tell at all."""
    begun_s = time.process_time()
    model = labelled_model(train, settings)
    probabilities = event_topics(model, test.words, by)
    spent_s = time.process_time() - begun_s
    return _run(test, probabilities, 0, spent_s)


def labelled_model(train: EventData, settings: TopicSettings) -> TopicModel:
    return from_labels(train.words, train.labels, replace(settings, topics=len(train.activities)))


def tried_settings(quick: bool) -> list[TopicSettings]:
    if quick:
        return [replace(FIRST_CHOICE, sweeps=10, averaged=5)]
    return [TopicSettings(topics, window) for window in WINDOWS for topics in TOPICS]


def choose(people: Sequence[PersonEvents], kind: str, edges: WordEdges, context: Context) -> Chosen:
    """By the mean staircase F1: the extended one alone is high for an output that flickers, too."""
    data = event_data(people, kind, edges)
    tried = list[tuple[TopicSettings, By, float, float]]()

    def best() -> tuple[TopicSettings, By, float, float]:
        return max(tried, key=lambda each: each[2])

    for settings in tried_settings(context.quick):
        tried += _tried(data, settings)
    for longest in () if context.quick else LONGEST:
        tried += _tried(data, replace(best()[0], longest=longest))
    settings, by, staircase, extended = best()
    return Chosen(
        kind,
        settings.topics,
        settings.window,
        settings.longest,
        by,
        round(staircase, 4),
        round(extended, 4),
        len(tried),
    )


def _tried(data: EventData, settings: TopicSettings) -> list[tuple[TopicSettings, By, float, float]]:
    found = list[tuple[TopicSettings, By, float, float]]()
    for by, probabilities in read(fit(data.words, settings), data.words).items():
        scores = scores_of(data, probabilities, 0)
        found.append((settings, by, mean_of(scores, "staircase"), mean_of(scores, "extended")))
    return found


def measurable(sessions: SessionsFound) -> Chosen:
    """The best kind of word among those that motion sensors could give, by new fits on the choosing people."""
    possible = [each for each in sessions.chosen if not set(WORD_KINDS[each.kind]) & set(BEYOND_SENSORS)]
    return max(possible, key=lambda each: new_staircase(sessions, each.kind))


def new_staircase(sessions: SessionsFound, kind: str) -> float:
    """Mean over the new fits and the activities."""
    return float(np.mean([mean_of(run.scores, "staircase") for run in sessions.again[kind]]))


def chosen_by(chosen: Chosen) -> By:
    return cast(By, chosen.by)


def stability_run(what: str, train: EventData, test: EventData, settings: TopicSettings, by: By) -> StabilityRun:
    """Thresholds are those of the first part."""
    model = fit(train.words, settings)
    scores = [event_topics(model, part.words, by) for part in (train, test)]
    thresholds: Floats = abstraction.choose_thresholds(train.truth, scores[0])
    words = {word for part in (train, test) for sequence in part.words for word in sequence}
    found = stability.evaluate(
        scores[0] >= thresholds,
        scores[1] >= thresholds,
        train_bits=code_bits(model, train.words),
        test_bits=code_bits(model, test.words),
        plain_bits=float(np.log2(max(2, len(words)))),
    )
    ratios = [round(each, 4) for each in (found.train_ratio, found.test_ratio, found.compressive)]
    return StabilityRun(what, round(found.predictive, 4), *ratios)


def key_of(*parts: object) -> str:
    return json.dumps([KEY, *(to_document(part) for part in parts)])

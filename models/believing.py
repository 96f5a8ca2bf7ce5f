"""Settling the belief of a recogniser: how it mistakes movements, and how ready a repetition is to be believed.

In: whole sessions of validation people with the true movements and the events that the recogniser made of them. Out:
the `Belief` for its card, and how far the repetitions agree in people who took no part (each fifth of the people is
counted with the belief of the others). The readiness is settled so that these repetitions are right on average; the
rest is counted.

Sessions are simulated here, of people of the training groups, with seeds that no test uses.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.belief import (
    EXCLUDED,
    HELD_AFTER,
    HELD_BEFORE,
    STATES,
    Belief,
    Table,
    label_of,
    place_of,
)
from rehabcount.domain.document import from_document, to_document
from rehabcount.domain.dose import Plan
from rehabcount.domain.labels import PRODUCT, STABILIZE, TRANSPORT
from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment, StitchRule, Token
from rehabcount.domain.session_agreement import SessionAgreement
from rehabcount.domain.update import Believing, Event
from rehabcount.engine.recognise import recogniser_of
from rehabcount.engine.tally import BREAK_S, HANDLING, Tally
from rehabcount.errors import CardInvalid
from rehabcount.inference.runtime import CONFIDENT_FRAMES, Model
from rehabcount.metrics.agreement import AgreementResult, evaluate
from rehabcount.models.data import Mask
from rehabcount.models.data import Rows as Values
from rehabcount.models.simulated import SimulationPlan, trial_of
from rehabcount.simulate.cohort import Subject, make_cohort
from rehabcount.simulate.recording import simulate_session

FILE, SESSIONS = "belief.json", "sessions.json"  # beside a checkpoint
CONFIDENCE_EDGES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.88)
LENGTH_EDGES_S = (0.2, 0.5, 1.0, 2.0)
SEEN_ANYWAY = 0.3  # sessions in which everything was seen once: nothing is impossible
SEEN_LOOKS = 0.5  # the same of confidences and lengths
DIGITS = 5  # of a probability in a card
FOLDS = 5
ROUNDS = 12  # halvings of the range of the readiness
MOST_READY = 3.0  # and its inverse
TOO_SHORT = 1e-9
# People of each seed's cohort. Severely affected arms take no part: half of their movements are wrong, and no belief
# makes a usable count of that (page "Sessions").
GROUPS = (("train", 36), ("healthy-train", 8))

T = TypeVar("T")
Recognise = Callable[[Values, Mask, float, Side], list[Token]]


@dataclass(frozen=True, slots=True)
class Practice:
    """One session of the counted arm."""

    person: str
    group: str
    side: Side
    truth: tuple[Segment, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Settled:
    belief: Belief
    plain: AgreementResult  # every run of handling counted
    believed: AgreementResult  # people counted with the belief of others


# -- sessions ---------------------------------------------------------------------------------------------------------


def practise(
    recognise: Recognise,
    seed: int,
    minutes: float,
    groups: Sequence[tuple[str, int]] = GROUPS,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[Practice]:
    """Simulated sessions of so many people of each group, recognised. Cohorts have few people: more come from the
    seeds that follow."""
    people = list(drawn(seed, groups))
    for number, (subject, its_seed) in enumerate(people, 1):
        yield practise_one(recognise, subject, its_seed, minutes)
        on_progress(number, len(people))


def practise_one(recognise: Recognise, subject: Subject, seed: int, minutes: float) -> Practice:
    """One session, simulated and recognised."""
    recording = simulate_session(subject, minutes, seed)
    trial = trial_of(recording, SimulationPlan(), "valid")
    start_s = recording.span("calibration", "done")[1]
    tokens = recognise(trial.rows, np.asarray(trial.valid), start_s, recording.side)
    truth = tuple(each for each in recording.of(recording.side) if each.start_s >= start_s - 0.05)
    events = tuple(
        Event(i, Segment(token.label, token.side, token.start_s, token.end_s), token.confidence)
        for i, token in enumerate(tokens, 1)
    )
    return Practice(f"{subject.name}@{seed}", subject.group, recording.side, truth, events)


def drawn(seed: int, groups: Sequence[tuple[str, int]]) -> Iterator[tuple[Subject, int]]:
    """People and the seeds of their cohorts."""
    for group, number in groups:
        left, its_seed = number, seed
        while left > 0:
            members = [subject for subject in make_cohort(its_seed) if subject.group == group][:left]
            if not members:
                raise ValueError(f"no group {group!r}")
            yield from ((subject, its_seed) for subject in members)
            left, its_seed = left - len(members), its_seed + 1


def artifact_events(model: Model) -> Recognise:
    """A model as the bedside runs it."""

    def recognise(values: Values, valid: Mask, start_s: float, side: Side) -> list[Token]:
        recogniser = recogniser_of(model, side, start_s, StitchRule())
        found: list[Token] = []
        for first in range(0, len(values), 1000):
            part = slice(first, min(first + 1000, len(values)))
            time_s = start_s + np.arange(part.start, part.stop) / FRAME_RATE_HZ
            rows = Rows(first, time_s, np.asarray(values[part], np.float64), valid[part])
            found += recogniser.push(rows)
        return found + recogniser.finish()

    return recognise


def checkpoint_events(path: Path) -> Recognise:
    """A trained stream with the decoder beside it."""
    from rehabcount.inference.inputs import model_input
    from rehabcount.models.decoding import decode
    from rehabcount.models.train import output_frames
    from rehabcount.models.trained import load_trained, read_decoder

    trained, rule = load_trained(path), read_decoder(path.parent)
    if rule is None:
        raise CardInvalid(f"{path.parent} has no decoder.json.", advice="Let the training finish: run it again.")
    decoder, lag = rule.model(), rule.lag_frames
    labels = tuple(trained.about["data"]["labels"])
    frame_s = output_frames(trained.network, trained.spec) / float(trained.about["data"]["rate_hz"])

    def recognise(values: Values, valid: Mask, start_s: float, side: Side) -> list[Token]:
        estimate = trained.network.estimate(model_input(values, valid, trained.spec))
        scores = estimate.log_probabilities
        assert scores is not None
        onsets = decode([estimate], decoder, lag)[0]
        ends = [onset.frame for onset in onsets[1:]] + [len(scores)]
        found = []
        for onset, end in zip(onsets, ends, strict=True):
            seen = scores[max(onset.frame, end - CONFIDENT_FRAMES) : end, onset.label]
            sure = round(float(np.exp(seen).mean()), 4)
            start, stop = (round(start_s + frame * frame_s, 3) for frame in (onset.frame, end))
            found.append(Token(labels[onset.label], side, start, stop, sure))
        return found

    return recognise


# -- fitting ----------------------------------------------------------------------------------------------------------


def states_of(truth: Sequence[Segment]) -> list[int]:
    """The true state of every movement, in order of time."""
    states, begun, until_s = list[int](), False, -math.inf
    for segment in truth:
        if segment.label not in HANDLING or segment.start_s - until_s > BREAK_S:
            begun = False
        if segment.label in HANDLING:
            until_s = segment.end_s
        if segment.label == TRANSPORT.name:
            begun = True
        held = segment.label == STABILIZE.name
        states.append((HELD_AFTER if begun else HELD_BEFORE) if held else place_of(segment.label))
    return states


def states_behind(practice: Practice) -> list[int]:
    """The true state with which each event shares most time."""
    truth = sorted(practice.truth, key=lambda segment: segment.start_s)
    states, first, found = states_of(truth), 0, list[int]()
    for event in practice.events:
        shared = np.zeros(len(STATES))
        while first < len(truth) and truth[first].end_s <= event.segment.start_s:
            first += 1
        at = first
        while at < len(truth) and truth[at].start_s < event.segment.end_s:
            both = min(truth[at].end_s, event.segment.end_s) - max(truth[at].start_s, event.segment.start_s)
            shared[states[at]] += max(0.0, both)
            at += 1
        found.append(int(shared.argmax()) if shared.max() > TOO_SHORT else place_of("other"))
    return found


def fit(sessions: Iterable[Practice]) -> Belief:
    """How states follow one another, and how the recogniser names them; with a readiness of 1."""
    number, labels = len(STATES), len(PRODUCT)
    start, follow = np.full(number, SEEN_LOOKS), np.full((number, number), SEEN_ANYWAY)
    named = np.full((number, labels), SEEN_ANYWAY)
    sure = np.full((labels, 2, len(CONFIDENCE_EDGES) + 1), SEEN_LOOKS)
    long = np.full((labels, 2, len(LENGTH_EDGES_S) + 1), SEEN_LOOKS)
    for practice in sessions:
        states = states_behind(practice)
        for i, (event, state) in enumerate(zip(practice.events, states, strict=True)):
            label = place_of(event.segment.label)
            right = int(label_of(state) == label)
            named[state, label] += 1
            sure[label, right, np.searchsorted(CONFIDENCE_EDGES, event.confidence, side="right")] += 1
            long[label, right, np.searchsorted(LENGTH_EDGES_S, event.segment.length_s, side="right")] += 1
            if i:
                follow[states[i - 1], state] += 1
            else:
                start[state] += 1
    for before, after in EXCLUDED:
        follow[before, after] = 0.0
    start[HELD_AFTER] = 0.0
    return Belief(
        _row(start),
        _table(follow),
        _table(named),
        CONFIDENCE_EDGES,
        tuple(_table(each) for each in sure),
        LENGTH_EDGES_S,
        tuple(_table(each) for each in long),
    )


def _row(counts: Floats) -> tuple[float, ...]:
    shares = np.round(counts / counts.sum(), DIGITS)
    return tuple(np.where(counts > 0, np.maximum(shares, 10.0**-DIGITS), 0.0).tolist())


def _table(counts: Floats) -> Table:
    return tuple(_row(row) for row in counts)


def repetitions_of(practice: Practice, belief: Belief | None) -> int:
    """As the engine counts them; by the definition without a belief."""
    return _counted(practice.events, practice.side, belief)


def true_repetitions(practice: Practice) -> int:
    events = [Event(i, segment, 1.0) for i, segment in enumerate(practice.truth, 1)]
    return _counted(events, practice.side, None)


def _counted(events: Iterable[Event], side: Side, belief: Belief | None) -> int:
    running = Tally(Plan(), side)
    if belief is not None:
        running.follow(Believing(belief))
    for event in events:
        running.count(event)
    return running.close().repetitions


def settle(sessions: Sequence[Practice]) -> Settled:
    """The belief of all sessions, and its agreement where each person is counted with the belief of others."""
    people = sorted({practice.person for practice in sessions})
    order = np.random.default_rng(0).permutation(len(people))
    fold = {people[place]: i % FOLDS for i, place in enumerate(order)}
    others = [fit(each for each in sessions if fold[each.person] != number) for number in range(FOLDS)]
    true = [true_repetitions(each) for each in sessions]

    def counted(readiness: float) -> list[int]:
        return [repetitions_of(each, replace(others[fold[each.person]], readiness=readiness)) for each in sessions]

    low, high = -math.log(MOST_READY), math.log(MOST_READY)
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        low, high = (low, middle) if sum(counted(math.exp(middle))) > sum(true) else (middle, high)
    readiness = round(math.exp((low + high) / 2), 3)
    subjects = [each.person for each in sessions]
    plain = [repetitions_of(each, None) for each in sessions]
    return Settled(
        replace(fit(sessions), readiness=readiness),
        evaluate(true, plain, subjects=subjects),
        evaluate(true, counted(readiness), subjects=subjects),
    )


# -- beside a checkpoint ----------------------------------------------------------------------------------------------


def keep(path: Path, belief: Belief) -> None:
    path.write_text(json.dumps(to_document(belief), indent=1) + "\n", encoding="utf-8")


def forget(folder: Path) -> None:
    """Remove both files, because the recogniser that they are about has changed."""
    for name in (FILE, SESSIONS):
        (folder / name).unlink(missing_ok=True)


def read_belief(folder: Path) -> Belief | None:
    """The belief beside a checkpoint; None if none was settled."""
    return _read(Belief, folder / FILE, "rehabcount models believe")


def read_sessions(folder: Path) -> SessionAgreement | None:
    """What a single session's count is worth, as `bench sessions` wrote it beside a checkpoint; None: not measured."""
    return _read(SessionAgreement, folder / SESSIONS, "rehabcount bench sessions")


def _read(kind: type[T], path: Path, command: str) -> T | None:
    if not path.is_file():
        return None
    try:
        return from_document(kind, json.loads(path.read_text(encoding="utf-8")), path.name)
    except ValueError as problem:
        raise CardInvalid(f"{path} cannot be read: {problem}.", advice=f"Make it again: {command}.") from problem

"""What the topics bench discovers activities in: events of a state machine, and movements of simulated sessions.

Out: `EventData`, sequences of words with the true activity of every event beside them. Words of a session are the true
primitives of the counted arm, with what else is asked for: how long, what the other arm does, how high the hand goes,
how heavy the thing in the hand is. A sequence ends where something that is not exercise begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Bools, Ints
from rehabcount.domain.labels import OTHER, PRODUCT, STABILIZE, TRANSPORT
from rehabcount.domain.sequence import Segment
from rehabcount.simulate.activities import ACTIVITIES
from rehabcount.simulate.body import WRIST
from rehabcount.simulate.cohort import Subject
from rehabcount.simulate.moves import GOES_ON, Move
from rehabcount.simulate.recording import reference_of, script_session
from rehabcount.simulate.scene import Scene

NO_ACTIVITY = -1
ENDS_WITH_S = 0.06  # a segment ends with the move that it labels; a very short one is made this much longer
# The state machine. The paper gives none of these numbers.
MACHINE_ACTIVITIES = ("Activity A", "Activity B", "Activity C", "Activity D", "Activity E")
MACHINE_SHARES = (0.35, 0.25, 0.20, 0.13, 0.07)  # of being entered
MACHINE_WORDS, MACHINE_STAYS, MACHINE_EVENTS = 25, 0.95, 5000
# What a word may tell beside the primitive; the last is beyond motion sensors.
LENGTH, OTHER_ARM, HEIGHT, LOAD = "length", "other arm", "height", "load"
LEVELS = {LENGTH: 3, HEIGHT: 4}
LOAD_EDGES_KG = (0.04, 0.2, 0.5)
WORD_KINDS: dict[str, tuple[str, ...]] = {
    "primitive": (),
    "+ length": (LENGTH,),
    "+ other arm": (OTHER_ARM,),
    "+ height": (HEIGHT,),
    "+ height, other arm": (HEIGHT, OTHER_ARM),
    "+ height, other arm, load": (HEIGHT, OTHER_ARM, LOAD),
}
BEYOND_SENSORS = (LOAD,)


@dataclass(frozen=True, slots=True)
class EventData:
    """Sequences of events, and which activity each belongs to (NO_ACTIVITY: none)."""

    activities: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    labels: tuple[tuple[int, ...], ...]

    @property
    def truth(self) -> Bools:
        """(events of all sequences, activities)."""
        flat = np.array([label for sequence in self.labels for label in sequence], np.int64)
        return np.asarray(flat[:, None] == np.arange(len(self.activities)))

    @property
    def breaks(self) -> Ints:
        """Of all sequences but the first, the number of its first event."""
        return np.cumsum([len(sequence) for sequence in self.words])[:-1]

    @property
    def alphabet(self) -> int:
        """How many different words occur."""
        return len({word for sequence in self.words for word in sequence})


def machine(seed: int, events: int = MACHINE_EVENTS) -> EventData:
    """Events of a state machine that goes from activity to activity.

    Each activity has shares of the 25 events of its own, drawn uniformly from all shares; it is left with probability
    1/20 after an event, for another one by MACHINE_SHARES.
    """
    rng = np.random.default_rng([seed, 23])
    shares, count = np.array(MACHINE_SHARES), len(MACHINE_ACTIVITIES)
    emitted = rng.dirichlet(np.ones(MACHINE_WORDS), count)
    state = int(rng.choice(count, p=shares / shares.sum()))
    words, labels = [], []
    for _ in range(events):
        words.append(f"e{int(rng.choice(MACHINE_WORDS, p=emitted[state])):02d}")
        labels.append(state)
        if rng.random() >= MACHINE_STAYS:
            others = np.where(np.arange(count) == state, 0.0, shares)
            state = int(rng.choice(count, p=others / others.sum()))
    return EventData(MACHINE_ACTIVITIES, (tuple(words),), (tuple(labels),))


@dataclass(frozen=True, slots=True)
class MovementEvent:
    """One primitive of the counted arm, and what is known of it."""

    label: str
    start_s: float
    length_s: float
    other_arm: str  # the other arm's primitive at its middle
    height: float  # of the wrist above the hips where it ends, share of the stature
    load_kg: float  # in the hand
    activity: str  # "" where it belongs to none
    repetition: int  # of all activities of the session, in order of time; -1: none


@dataclass(frozen=True, slots=True)
class PersonEvents:
    """One simulated session of one person."""

    person: str
    group: str
    events: tuple[MovementEvent, ...]


def session_events(subject: Subject, seed: int, minutes: float) -> PersonEvents:
    """The true movements of one simulated session, from its script."""
    scene = script_session(subject, minutes, seed)
    segments = reference_of(scene)
    mine = [segment for segment in segments if segment.side is subject.side]
    others = [segment for segment in segments if segment.side is not subject.side]
    moves = [move for move in scene.moves if move.side is subject.side and move.label != GOES_ON]
    spans = [span for span in scene.stretches if span.kind == "activity"]
    starts = np.array([other.start_s for other in others])
    found = []
    for segment in mine:
        middle = (segment.start_s + segment.end_s) / 2
        other = others[max(0, int(np.searchsorted(starts, middle, "right")) - 1)]
        move = _move_of(segment, moves)
        inside = [n for n, span in enumerate(spans) if span.start_s - 0.05 <= segment.start_s < span.end_s - 0.05]
        within = inside[0] if inside and segment.label != OTHER.name else -1
        found.append(
            MovementEvent(
                segment.label,
                round(segment.start_s, 3),
                round(segment.length_s, 3),
                other.label,
                round(_rest_height(scene, subject) if move is None else _height(move, subject), 4),
                0.0 if move is None else move.load_kg,
                spans[within].name if within >= 0 else "",
                within,
            )
        )
    return PersonEvents(f"{subject.name}@{seed}", subject.group, tuple(found))


def _move_of(segment: Segment, moves: Sequence[Move]) -> Move | None:
    """The move that a movement's segment ends with; of a stillness the last one before."""
    before = [move for move in moves if move.end_s <= segment.end_s + ENDS_WITH_S]
    same = [move for move in before if move.label == segment.label and move.end_s >= segment.end_s - ENDS_WITH_S]
    found = same or before
    return found[-1] if found else None


def _height(move: Move, subject: Subject) -> float:
    return float(move.goal[WRIST][1]) / subject.body.stature


def _rest_height(scene: Scene, subject: Subject) -> float:
    return float(scene.rest_place(subject.side)[1]) / subject.body.stature


@dataclass(frozen=True, slots=True)
class WordEdges:
    """Where levels of length (of each label) and height begin."""

    length_s: dict[str, tuple[float, ...]]
    height: tuple[float, ...]


def edges_of(people: Sequence[PersonEvents]) -> WordEdges:
    """Quantiles, so that each level holds as many events; heights of movements, not of rest between them."""
    events = [event for person in people for event in person.events]
    lengths = {
        name: _quantiles([event.length_s for event in events if event.label == name], LEVELS[LENGTH])
        for name in PRODUCT.names
    }
    moved = [event.height for event in events if event.label not in ("idle", "stabilize", OTHER.name)]
    return WordEdges(lengths, _quantiles(moved, LEVELS[HEIGHT]))


def _quantiles(values: Sequence[float], levels: int) -> tuple[float, ...]:
    if not values:
        return ()
    return tuple(float(value) for value in np.quantile(values, np.arange(1, levels) / levels))


def event_data(people: Sequence[PersonEvents], kind: str, edges: WordEdges) -> EventData:
    """The sequences of these people in words of one kind."""
    names, parts = tuple(ACTIVITIES), WORD_KINDS[kind]
    words, labels = list[tuple[str, ...]](), list[tuple[int, ...]]()
    for person in people:
        for run in _between_breaks(person.events):
            words.append(tuple(word_of(event, parts, edges) for event in run))
            labels.append(tuple(names.index(e.activity) if e.activity else NO_ACTIVITY for e in run))
    return EventData(names, tuple(words), tuple(labels))


def _between_breaks(events: Sequence[MovementEvent]) -> list[list[MovementEvent]]:
    runs: list[list[MovementEvent]] = [[]]
    for event in events:
        if event.label == OTHER.name:
            runs.append([])
        else:
            runs[-1].append(event)
    return [run for run in runs if run]


def word_of(event: MovementEvent, parts: Sequence[str], edges: WordEdges) -> str:
    """Such as `transport.h3.stabilize`; without blanks, which join words to runs."""
    said = {
        LENGTH: lambda: f"t{np.searchsorted(edges.length_s[event.label], event.length_s)}",
        OTHER_ARM: lambda: event.other_arm,
        HEIGHT: lambda: f"h{np.searchsorted(edges.height, event.height)}",
        LOAD: lambda: (
            f"l{np.searchsorted(LOAD_EDGES_KG, event.load_kg)}"
            if event.label in (STABILIZE.name, TRANSPORT.name)
            else "l"
        ),
    }
    return ".".join([event.label, *(said[part]() for part in parts)])

"""Belief: what is known of a recogniser's mistakes, from which the number of task repetitions is computed.

A recogniser names movements, each with a confidence. Behind each named movement there is a true state of the arm
(`STATES`). The table says how the states follow one another, and how a recogniser names them: with which label, how
confident, how long. It is settled on simulated validation people (`rehabcount models believe`), for one recogniser, and
stands in its card. `engine/believed.py` counts with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rehabcount.domain.labels import OTHER, PRODUCT, STABILIZE, TRANSPORT

# The true states: the labels, but stabilize twice. An object that is held before its first transport is no repetition
# yet; one that is held after a transport belongs to the repetition that goes on.
STATES = (*PRODUCT.names, "stabilize after transport")
HELD_BEFORE, CONVEYED, HELD_AFTER = PRODUCT.index(STABILIZE.name), PRODUCT.index(TRANSPORT.name), len(PRODUCT)
WITHIN = (CONVEYED, HELD_AFTER)  # states of a repetition that has begun
OUTSIDE = tuple(state for state in range(len(STATES)) if state not in WITHIN)
# Successions that the meaning of the two kinds of stabilize excludes.
EXCLUDED = (
    *((state, HELD_AFTER) for state in OUTSIDE),
    *((state, HELD_BEFORE) for state in WITHIN),
)
MOST_BINS = 100  # of a table
LEAST = 1e-6  # of a probability: nothing that a recogniser says is impossible

Table = tuple[tuple[float, ...], ...]


def label_of(state: int) -> int:
    """The label (its index in PRODUCT) of a true state."""
    return HELD_BEFORE if state == HELD_AFTER else state


def place_of(label: str) -> int:
    """The index of a recogniser's label; a label that we do not know is no exercise."""
    return PRODUCT.index(label) if label in PRODUCT.names else PRODUCT.index(OTHER.name)


@dataclass(frozen=True, slots=True)
class Belief:
    """Probabilities. Rows of `follow` and `named` are states; `confidence` and `length` have two rows for each label:
    how confident and how long the recogniser is where this label is wrong, and where it is right."""

    start: tuple[float, ...]
    follow: Table  # which state follows which
    named: Table  # the label that a recogniser gives a state
    confidence_edges: tuple[float, ...]  # borders of the bins, rising
    confidence: tuple[Table, ...]  # label, wrong or right, bin
    length_edges_s: tuple[float, ...]
    length: tuple[Table, ...]  # label, wrong or right, bin
    readiness: float = 1.0  # factor of every begin of a repetition, so that counts are right on average

    def __post_init__(self) -> None:
        states, labels = len(STATES), len(PRODUCT)
        _check("start", [self.start], 1, states)
        _check("follow", self.follow, states, states)
        _check("named", self.named, states, labels, least=LEAST)
        for what, edges, tables in (
            ("confidence", self.confidence_edges, self.confidence),
            ("length", self.length_edges_s, self.length),
        ):
            if list(edges) != sorted(set(edges)) or len(edges) >= MOST_BINS:
                raise ValueError(f"{what}: edges must rise, and be fewer than {MOST_BINS}")
            if len(tables) != labels:
                raise ValueError(f"{what} must have {labels} labels, not {len(tables)}")
            for table in tables:
                _check(what, table, 2, len(edges) + 1, least=LEAST)
        pairs = [(a, b) for a in range(states) for b in range(states)]
        if any((self.follow[a][b] < LEAST) != ((a, b) in EXCLUDED) for a, b in pairs):
            raise ValueError("follow must let every state follow every other, but for the two kinds of stabilize")
        if not 0.01 <= self.readiness <= 100:
            raise ValueError(f"readiness must lie in 0.01..100, not {self.readiness}")


def _check(what: str, rows: Iterable[tuple[float, ...]], number: int, width: int, *, least: float = 0.0) -> None:
    found = list(rows)
    if len(found) != number or any(len(row) != width for row in found):
        raise ValueError(f"{what} must be {number} x {width}, not {[len(row) for row in found][:10]}")
    if any(not least <= each <= 1.0 for row in found for each in row):
        raise ValueError(f"{what} must hold probabilities of {least:g} or more")

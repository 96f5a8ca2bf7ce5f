"""What the cards of older models lack: the belief by which task repetitions are computed, and what a session's count is
worth.

The card of a new model has both. The shipped `stream` 1.5 is older; its own are in `addendum.json`, written by
`rehabcount models believe stream-1.5 --out` and `rehabcount bench sessions`. Its belief also serves other streams
without one, which are trained like it. Models of other kinds without a belief have none: every run of handling that
they recognise is a repetition.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from rehabcount.domain.belief import Belief
from rehabcount.domain.document import from_document, read_json
from rehabcount.inference.card import Kind, ModelCard, SessionAgreement

FILE = Path(__file__).parent / "addendum.json"


@dataclass(frozen=True, slots=True)
class Addendum:
    """To one card."""

    name: str
    version: str
    belief: Belief
    sessions: SessionAgreement | None = None


def belief_of(card: ModelCard) -> Belief | None:
    """None: every run of handling counts."""
    if card.belief is not None:
        return card.belief
    return addendum().belief if card.kind is Kind.STREAM else None


def sessions_of(card: ModelCard) -> SessionAgreement | None:
    """None: not measured."""
    own = addendum()
    return (
        own.sessions
        if card.sessions is None and (card.name, card.version) == (own.name, own.version)
        else card.sessions
    )


@functools.cache
def addendum() -> Addendum:
    return from_document(Addendum, read_json(FILE.read_text(encoding="utf-8")), FILE.name)

"""What the cards of older models lack: the belief by which task repetitions are computed, and what a session's count is
worth.

The card of a new model has both. That of the shipped `stream` 1.5 is older; its own are beside this module, written by
`rehabcount models believe stream-1.5 --out` and `rehabcount bench sessions --set card=FILE`. Its belief also serves
other streams without one, which are trained like it. Models of other kinds without a belief have none: every run of
handling that they recognise is a repetition.
"""

from __future__ import annotations

import functools
from pathlib import Path

from rehabcount.domain.belief import Belief
from rehabcount.domain.document import from_document, read_json
from rehabcount.domain.session_agreement import SessionAgreement
from rehabcount.inference.card import Kind, ModelCard

OF = ("stream", "1.5")
BELIEF, SESSIONS = (Path(__file__).parent / f"{'-'.join(OF)}.{what}.json" for what in ("belief", "sessions"))


def belief_of(card: ModelCard) -> Belief | None:
    """None: every run of handling counts."""
    if card.belief is not None:
        return card.belief
    return default_belief() if card.kind is Kind.STREAM else None


def sessions_of(card: ModelCard) -> SessionAgreement | None:
    """None: not measured."""
    if card.sessions is None and (card.name, card.version) == OF:
        return _sessions()
    return card.sessions


@functools.cache
def default_belief() -> Belief:
    return from_document(Belief, read_json(BELIEF.read_text(encoding="utf-8")), BELIEF.name)


@functools.cache
def _sessions() -> SessionAgreement | None:
    if not SESSIONS.is_file():
        return None
    return from_document(SessionAgreement, read_json(SESSIONS.read_text(encoding="utf-8")), SESSIONS.name)

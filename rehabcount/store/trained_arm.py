"""Which arm a session trains: the one rule, for who counts, who shows and who reports."""

from __future__ import annotations

from typing import Any

from rehabcount.domain.rig import Side
from rehabcount.store.documents import COUNTED_SIDE, PATIENT, SIDE, SIMULATION
from rehabcount.store.session_file import SessionFile


def side_of(session: SessionFile, counting: int | None = None) -> Side:
    """The arm that is trained: as was said when the counting was made; else as the file says; else the one that wears
    more sensors (the right one of equals)."""
    told = (version.content for version in reversed(session.document_versions(COUNTED_SIDE)))
    mine = [each for each in told if isinstance(each, dict) and each.get("counting") == counting]
    for document in (*mine, *(_document(session, name) for name in (SIDE, PATIENT, SIMULATION))):
        if document.get("side") in list(Side):
            return Side(document["side"])
    worn = [place.side for place in session.rig.places if place is not None]
    return max((Side.RIGHT, Side.LEFT), key=worn.count)


def _document(session: SessionFile, name: str) -> dict[str, Any]:
    return session.document(name, dict) or {}

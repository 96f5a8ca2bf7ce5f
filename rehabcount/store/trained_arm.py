"""Which arm a session trains: one rule for counting, screens and reports."""

from __future__ import annotations

from rehabcount.domain.rig import Side
from rehabcount.store.documents import COUNTED_SIDE, PATIENT, SIDE, SIMULATION
from rehabcount.store.session_file import SessionFile


def side_of(session: SessionFile, counting: int | None = None) -> Side:
    """The trained arm: as chosen for the counting; else as the file says; else the one with more sensors (the right one
    if both have the same number)."""
    told = (version.content for version in reversed(session.document_versions(COUNTED_SIDE)))
    mine = (each for each in told if each.counting == counting)
    for said in (next(mine, None), session.legible(SIDE), session.legible(PATIENT)):
        if said is not None and said.side is not None:
            return said.side
    simulated = (session.legible(SIMULATION) or {}).get("side")
    if simulated in list(Side):
        return Side(simulated)
    worn = [place.side for place in session.rig.places if place is not None]
    return max((Side.RIGHT, Side.LEFT), key=worn.count)

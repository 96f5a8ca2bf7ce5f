"""How weak the arm is that a session file is about, where anybody knows: counts of weak arms are worth less.

A simulated session says its patient's score itself; of a real one the library knows it by the patient's code.
"""

from __future__ import annotations

from pathlib import Path

from rehabcount.domain.patient import HIGHEST_SCORE, Severity, severity_of
from rehabcount.errors import RehabcountError
from rehabcount.store.documents import PATIENT, SIMULATION
from rehabcount.store.library import Library
from rehabcount.store.session_file import SessionFile


def severity_in(session: SessionFile, data: Path) -> Severity | None:
    """The severity; None where no score is known. `data` is the folder in which the library lies."""
    score = (session.legible(SIMULATION) or {}).get("score")
    if isinstance(score, int) and 0 <= score <= HIGHEST_SCORE:
        return severity_of(score)
    owner = session.legible(PATIENT)
    if owner is None:
        return None
    try:
        return severity_of(Library(data).patient(owner.code).score)
    except RehabcountError:  # no such patient, or no library that can be read: the count goes on without
        return None

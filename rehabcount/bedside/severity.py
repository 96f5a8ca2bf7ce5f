"""The severity of the trained arm's paresis in a session, if it is known: counts of weak arms are less accurate.

A simulated session holds its patient's score; that of a real patient is in the library.
"""

from __future__ import annotations

from pathlib import Path

from rehabcount.domain.patient import HIGHEST_SCORE, Severity, severity_of
from rehabcount.errors import RehabcountError
from rehabcount.store.documents import PATIENT, SIMULATION
from rehabcount.store.library import Library
from rehabcount.store.session_file import SessionFile


def severity_in(session: SessionFile, data: Path) -> Severity | None:
    """The severity; None if no score is known. `data` is the folder of the library."""
    score = (session.legible(SIMULATION) or {}).get("score")
    if isinstance(score, int) and 0 <= score <= HIGHEST_SCORE:
        return severity_of(score)
    owner = session.legible(PATIENT)
    if owner is None:
        return None
    try:
        return severity_of(Library(data).patient(owner.code).score)
    except RehabcountError:  # the patient or the library cannot be read: the count goes on without a severity
        return None

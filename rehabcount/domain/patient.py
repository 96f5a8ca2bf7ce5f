"""Patient: the person of a session, known by a code that only the clinic can assign to a name."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from rehabcount.domain.rig import Side

LONGEST_CODE = 40  # characters: a longer text is likely to be a sentence with a name
HIGHEST_SCORE = 66  # of the upper-extremity part of the Fugl-Meyer assessment
SEVERE_BELOW = 26  # of it: StrokeRehab's limit, also used for the test groups of the cards


class Severity(StrEnum):
    """The groups of patients on which models are measured."""

    MODERATE = "mild or moderate"
    SEVERE = "severe"


def severity_of(score: int | None) -> Severity | None:
    """The group of a patient with this Fugl-Meyer score; None: unknown. A patient may have the full score."""
    if score is None:
        return None
    return Severity.SEVERE if score < SEVERE_BELOW else Severity.MODERATE


@dataclass(frozen=True, slots=True)
class Patient:
    """One patient. `score` is the raw Fugl-Meyer score of the upper extremity and `score_date` its day (ISO 8601)."""

    code: str
    side: Side  # the affected arm: the one that is trained and counted
    score: int | None = None
    score_date: str = ""
    notes: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "code", tidy_code(self.code))
        if self.score is not None and not 0 <= self.score <= HIGHEST_SCORE:
            raise ValueError(f"score must lie between 0 and {HIGHEST_SCORE}, not {self.score}")
        if self.score_date:
            date.fromisoformat(self.score_date)


def tidy_code(code: str) -> str:
    """The code as it is kept: composed characters, single spaces. ValueError with the reason if it is not valid."""
    tidied = " ".join(unicodedata.normalize("NFC", code).split())
    odd = next((mark for mark in tidied if unicodedata.category(mark) in ("Cc", "Cf", "Cs", "Co", "Cn")), None)
    if odd is not None:
        raise ValueError(f"a code has only characters that can be seen, not {odd!r}")
    if not tidied:
        raise ValueError("a code must not be empty")
    if len(tidied) > LONGEST_CODE:
        raise ValueError(f"a code has at most {LONGEST_CODE} characters, not {len(tidied)}")
    return tidied


def folded(code: str) -> str:
    """A form that is equal for codes that look alike: p-01 and P-01 must not be two patients."""
    return unicodedata.normalize("NFKC", tidy_code(code)).casefold()


DEMO = Patient("DEMO", Side.RIGHT, notes="Simulated. No person.")

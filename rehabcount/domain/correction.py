"""Correction: what a person says about a settled event. It stands beside the event and never replaces it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rehabcount.domain.sequence import Segment


class Action(StrEnum):
    CONFIRM = "confirm"  # the event is right
    REMOVE = "remove"  # nothing happened there
    REPLACE = "replace"  # another label or other limits: `segment` says which
    ADD = "add"  # something was missed: `segment` says what
    RESTORE = "restore"  # earlier corrections of the event are taken back; nothing is said about whether it is right


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction. Of several about the same event the last one holds."""

    action: Action
    who: str  # initials or a role, as the therapist chose to be called
    at_utc_ns: int
    event: int | None = None  # number of the event it is about; None when one is added; -2: the second that was added
    segment: Segment | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if (self.event is None) != (self.action is Action.ADD):
            raise ValueError(f"event of a correction that says {self.action} must not be {self.event}")
        if (self.segment is None) == (self.action in (Action.ADD, Action.REPLACE)):
            raise ValueError(f"segment of a correction that says {self.action} must not be {self.segment}")

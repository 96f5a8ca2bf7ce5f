"""Correction: a person's change or confirmation of a settled event. It is kept beside the event."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rehabcount.domain.sequence import Segment


class Action(StrEnum):
    CONFIRM = "confirm"  # the event is right
    REMOVE = "remove"  # nothing happened there
    REPLACE = "replace"  # another label or other limits: `segment` says which
    ADD = "add"  # something was missed: `segment` says what
    RESTORE = "restore"  # earlier corrections of the event are undone; it is not confirmed


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction. The last one of an event is valid."""

    action: Action
    who: str  # initials or a role, chosen by the therapist
    at_utc_ns: int
    event: int | None = None  # number of the event it is about; None when one is added; -2: the second that was added
    segment: Segment | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if (self.event is None) != (self.action is Action.ADD):
            raise ValueError(f"event of a correction that says {self.action} must not be {self.event}")
        if (self.segment is None) == (self.action in (Action.ADD, Action.REPLACE)):
            raise ValueError(f"segment of a correction that says {self.action} must not be {self.segment}")

"""Updates: all that a session can say while it runs. Each is a row in the session file and a step of the screen.

News of recognition (Draft, Event, Dose) waits for the recogniser. Bad news (Gap, Lost, Returned, Late, ClockJump,
Discarded) does not: a stage reports it the moment it notices. `Mark` and `Phase` are what the therapist says.
"""

from __future__ import annotations

from dataclasses import dataclass

from rehabcount.domain.dose import Dose
from rehabcount.domain.sequence import Segment, Token


@dataclass(frozen=True, slots=True)
class Draft:
    """What the recogniser believes now; may change, is never counted."""

    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """A settled primitive. Numbered from 1; never changes by itself."""

    number: int
    segment: Segment
    confidence: float


@dataclass(frozen=True, slots=True)
class Gap:
    """A sensor has no valid frames in `[start_s, end_s)`."""

    sensor: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Lost:
    """A sensor has fallen silent."""

    sensor: str
    since_s: float


@dataclass(frozen=True, slots=True)
class Returned:
    """A lost sensor speaks again."""

    sensor: str
    at_s: float


@dataclass(frozen=True, slots=True)
class Late:
    """The engine is this far behind the recording."""

    behind_s: float


@dataclass(frozen=True, slots=True)
class ClockJump:
    """A device clock leapt against the host's (a reboot, a wrap nobody could follow); its time was anchored anew."""

    sensor: str
    at_s: float
    jump_s: float


@dataclass(frozen=True, slots=True)
class Discarded:
    """Input that could not be used, counted by reason since the last such update."""

    sensor: str
    reason: str
    number: int
    at_s: float


@dataclass(frozen=True, slots=True)
class Mark:
    """The therapist marked this moment."""

    at_s: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Phase:
    """The session went into this state: calibrating, counting, paused, assisted, or ended."""

    name: str
    at_s: float
    activity: str = ""


Update = Draft | Event | Dose | Gap | Lost | Returned | Late | ClockJump | Discarded | Mark | Phase
UPDATE_KINDS: tuple[type[Update], ...] = (
    Draft,
    Event,
    Dose,
    Gap,
    Lost,
    Returned,
    Late,
    ClockJump,
    Discarded,
    Mark,
    Phase,
)

"""Updates: all that a session can say while it runs. Each is a row in the session file and a step of the screen.

News of recognition (Draft, Event, Dose) waits for the recogniser. Bad news (Gap, Lost, Returned, Late, ClockJump,
Discarded, SensorSet, Doubt) does not: a stage reports it the moment it notices. `SensorHealth` comes every second from
a live radio. `Phase`, `Mark`, `Unmarked`, `Adjusted` and `CalibrationAsked` are what the therapist says.

What the therapist and the radio say while a session is recorded goes into the stream of packets as `Said`, in the order
in which it was said, so that a replay hears it in the same place.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rehabcount.domain.calibration import Calibration
from rehabcount.domain.dose import Dose
from rehabcount.domain.message import Message
from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Side
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
    reason: Message
    number: int
    at_s: float


class LinkState(StrEnum):
    """Where the radio stands with one sensor."""

    CONNECTING = "connecting"
    CONFIGURING = "configuring"
    STREAMING = "streaming"
    STALE = "stale"  # connected, but nothing has come for a second
    LOST = "lost"
    BACKING_OFF = "backing off"  # a moment's rest before the next attempt
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class SensorHealth:
    """How one sensor's link is doing. What is not known is None; rate and loss are those of the last seconds."""

    sensor: str
    state: LinkState
    at_s: float
    rate_hz: float = 0.0
    loss: float | None = None  # share of the samples that the nominal rate promised
    age_s: float | None = None  # of the last packet
    battery_percent: int | None = None
    signal_dbm: int | None = None  # when it was last seen advertising
    adapter: str = ""
    reconnections: int = 0
    duplicates: int = 0  # notifications that came twice and were dropped, since the beginning
    trouble: str = ""  # why it is not streaming, or what is wrong although it does
    malformed: int = 0  # battery levels, clicks and answers that nobody could read, since the beginning


@dataclass(frozen=True, slots=True)
class Mark:
    """The therapist marked this moment."""

    at_s: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Unmarked:
    """The newest mark that stands is taken back."""

    at_s: float


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The therapist says that so many task repetitions more (or fewer) were done than counted."""

    by: int
    at_s: float
    activity: str = ""
    who: str = ""


class PhaseName(StrEnum):
    """The states of a session."""

    CALIBRATING = "calibrating"
    COUNTING = "counting"
    PAUSED = "paused"
    ASSISTED = "assisted"  # the therapist helps: counted apart
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Phase:
    """The session went into this state."""

    name: PhaseName
    at_s: float
    activity: str = ""


@dataclass(frozen=True, slots=True)
class Posed:
    """When a step of the calibration was done: `still` (no side), `elbow` or `forearm`."""

    step: str
    start_s: float
    end_s: float
    side: Side | None = None


@dataclass(frozen=True, slots=True)
class CalibrationAsked:
    """The patient has gone through these steps; the sensors' mountings are to be found from them."""

    steps: tuple[Posed, ...]
    at_s: float


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What the steps gave. Counting goes on with it unless it has to be repeated (`used` False)."""

    calibration: Calibration
    used: bool
    at_s: float


UNCALIBRATED = "calibration"  # what a SensorSet lacks before there is one


@dataclass(frozen=True, slots=True)
class SensorSet:
    """What counting the arm cannot do without and lacks now: names of sensors, or `UNCALIBRATED`. Empty: complete."""

    side: Side
    missing: tuple[str, ...]
    at_s: float


@dataclass(frozen=True, slots=True)
class Doubt:
    """A sensor measures what a body part hardly does: worn otherwise than calibrated, or faulty. None: no more."""

    sensor: str
    reason: Message | None
    at_s: float


Sayable = Phase | Mark | Unmarked | Adjusted | CalibrationAsked | Calibrated | SensorHealth


@dataclass(frozen=True, slots=True)
class Said:
    """Something said during the recording, part of its stream like a packet. The walk dates it by `received_ns`."""

    what: Sayable
    received_ns: int


Recorded = Packet | Silence | Said  # an item of the recorded stream

Update = (
    Draft
    | Event
    | Dose
    | Gap
    | Lost
    | Returned
    | Late
    | ClockJump
    | Discarded
    | SensorHealth
    | Mark
    | Unmarked
    | Adjusted
    | Phase
    | CalibrationAsked
    | Calibrated
    | SensorSet
    | Doubt
)
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
    SensorHealth,
    Mark,
    Unmarked,
    Adjusted,
    Phase,
    CalibrationAsked,
    Calibrated,
    SensorSet,
    Doubt,
)
SAID_KINDS: tuple[type[Sayable], ...] = (
    Phase,
    Mark,
    Unmarked,
    Adjusted,
    CalibrationAsked,
    Calibrated,
    SensorHealth,
)

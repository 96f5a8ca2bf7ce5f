"""Updates: all reports of a running session. Each is a row in the session file and changes the screen.

Results (Draft, Event, Dose) come when the recogniser is ready; `Believing` comes before them. Problems (Gap, Lost,
Returned, Late, ClockJump, Discarded, SensorSet, Doubt) are reported at once by the stage that notices them.
`SensorHealth` comes every second from a live radio. `Phase`, `Mark`, `Unmarked`, `Adjusted` and `CalibrationAsked` are
entries of the therapist.

Entries of the therapist and reports of the radio go into the stream of packets as `Said`, in order, so that a replay
has them at the same position.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rehabcount.domain.belief import Belief
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.dose import Dose
from rehabcount.domain.message import Message
from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment, Token


@dataclass(frozen=True, slots=True)
class Draft:
    """The recogniser's present estimate; it may change and is not counted."""

    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """A settled primitive. Numbered from 1; never changes by itself."""

    number: int
    segment: Segment
    confidence: float


@dataclass(frozen=True, slots=True)
class Believing:
    """How task repetitions are computed from events, from `at_s` on. A counting without it (of earlier versions, or by
    a model without a belief) counts every run of handling with a transport."""

    belief: Belief
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Repeated:
    """A repetition of a taught exercise that is over. Numbered from 1 for each exercise of an arm; never changes.

    `similarity` is 1 for motion that is equal to what was shown, `amplitude` 1 for motion as large, `smoothness` the
    spectral arc length of the rotation (nearer to 0 is smoother), `lean_rad` how much the trunk's lean changed; the
    last two are None where no sensor measured them."""

    exercise: str
    side: Side
    number: int
    start_s: float
    end_s: float
    similarity: float
    amplitude: float
    smoothness: float | None = None
    lean_rad: float | None = None

    @property
    def length_s(self) -> float:
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class Repeating:
    """What is under way: how much of a repetition of the exercise was gone through. It may change."""

    exercise: str
    side: Side
    share: float


@dataclass(frozen=True, slots=True)
class Gap:
    """A sensor has no valid frames in `[start_s, end_s)`."""

    sensor: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Lost:
    """A sensor has stopped sending."""

    sensor: str
    since_s: float


@dataclass(frozen=True, slots=True)
class Returned:
    """A lost sensor sends again."""

    sensor: str
    at_s: float


@dataclass(frozen=True, slots=True)
class Late:
    """The engine is this far behind the recording."""

    behind_s: float


@dataclass(frozen=True, slots=True)
class ClockJump:
    """A device clock leapt against the host's (a reboot, an unknown wrap); it was aligned to the host again."""

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
    """The state of the radio's link to one sensor."""

    CONNECTING = "connecting"
    CONFIGURING = "configuring"
    STREAMING = "streaming"
    STALE = "stale"  # connected, but without data for a second
    LOST = "lost"
    BACKING_OFF = "backing off"  # waiting before the next attempt
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class SensorHealth:
    """The state of one sensor's link. Unknown values are None; rate and loss are those of the last seconds."""

    sensor: str
    state: LinkState
    at_s: float
    rate_hz: float = 0.0
    loss: float | None = None  # share of the samples that the nominal rate gives
    age_s: float | None = None  # of the last packet
    battery_percent: int | None = None
    signal_dbm: int | None = None  # when it was last seen advertising
    adapter: str = ""
    reconnections: int = 0
    duplicates: int = 0  # repeated notifications, which were dropped, since the beginning
    trouble: str = ""  # why it is not streaming, or another problem
    malformed: int = 0  # battery levels, clicks and answers that could not be read, since the beginning


@dataclass(frozen=True, slots=True)
class Mark:
    """The therapist marked this moment."""

    at_s: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Unmarked:
    """The newest mark is undone."""

    at_s: float


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The therapist adds (or removes) this number of task repetitions."""

    by: int
    at_s: float
    activity: str = ""
    who: str = ""


class PhaseName(StrEnum):
    """The states of a session."""

    CALIBRATING = "calibrating"
    COUNTING = "counting"
    PAUSED = "paused"
    ASSISTED = "assisted"  # the therapist helps: counted separately
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Phase:
    """The session enters this state."""

    name: PhaseName
    at_s: float
    activity: str = ""


@dataclass(frozen=True, slots=True)
class Posed:
    """The time of a calibration step: `still` (no side), `elbow` or `forearm`."""

    step: str
    start_s: float
    end_s: float
    side: Side | None = None


@dataclass(frozen=True, slots=True)
class CalibrationAsked:
    """Request to calibrate the sensors from these steps."""

    steps: tuple[Posed, ...]
    at_s: float


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The calibration from these steps. Counting uses it unless it must be repeated (`used` False)."""

    calibration: Calibration
    used: bool
    at_s: float


UNCALIBRATED = "calibration"  # named as missing in a SensorSet before the first calibration


@dataclass(frozen=True, slots=True)
class SensorSet:
    """What is missing to count the arm now: names of sensors, or `UNCALIBRATED`. Empty: nothing."""

    side: Side
    missing: tuple[str, ...]
    at_s: float


@dataclass(frozen=True, slots=True)
class Doubt:
    """A sensor measures implausible motion: it slipped or is faulty. `reason` None: the doubt has ended."""

    sensor: str
    reason: Message | None
    at_s: float


Sayable = Phase | Mark | Unmarked | Adjusted | CalibrationAsked | Calibrated | SensorHealth


@dataclass(frozen=True, slots=True)
class Said:
    """An entry during the recording, part of its stream like a packet. The walk dates it by `received_ns`."""

    what: Sayable
    received_ns: int


Recorded = Packet | Silence | Said  # an item of the recorded stream

Context = Phase | SensorSet | Believing  # what decides which events count, and how

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
    | Believing
    | Repeated
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
    Believing,
    Repeated,
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

"""What a script leaves behind: moves, rhythms, paths and named stretches of time, as frozen records."""

from __future__ import annotations

from dataclasses import dataclass

from rehabcount.domain.arrays import Floats
from rehabcount.domain.rig import Side
from rehabcount.simulate.movement import Submovements

# Label of a move that is not counted: it continues the movement before it, or is a shift of a hand at rest.
GOES_ON = ""


@dataclass(frozen=True, slots=True)
class Landing:
    """How an object that is carried arrives."""

    contact: float = 0.0  # strength of the touch; 0: it stays in the air
    supported: bool = False  # the arm rests on something afterwards
    after_s: float = 0.0  # s, until it stands still


IN_THE_AIR = Landing()
SET_DOWN = Landing(1.0, True, 0.05)


@dataclass(frozen=True, slots=True)
class Manner:
    """How a movement is done, and the state after it."""

    lift_m: float | None = None  # above the straight line; None: as the person is used to
    contact: float = 0.0
    holding: bool = False
    supported: bool = False
    after_s: float = 0.0  # to close or open the hand
    load_kg: float = 0.0
    quick: float = 1.0  # speed against the person's own
    skew: float = 1.3  # above 1 the peak of the speed comes early


@dataclass(frozen=True, slots=True)
class Move:
    """One arm's way from one posture to the next."""

    side: Side
    label: str
    start_s: float
    parts: Submovements
    end_s: float  # of the event: after the last submovement, and after closing or opening the hand
    origin: Floats  # (ARM_WIDTH,)
    goal: Floats  # (ARM_WIDTH,)
    hump: Floats  # (3,) how far the middle of the way lies off the straight line
    wander: Floats  # (submovements, 3)
    trunk_origin: Floats  # (9,)
    trunk_goal: Floats  # (9,)
    trunk_lead_s: float
    contact: float  # strength of the touch at the end; 0: none
    holding: bool  # an object is in the hand afterwards
    supported: bool  # the arm rests on something afterwards
    load_kg: float = 0.0


@dataclass(frozen=True, slots=True)
class Wiggle:
    """A rhythmic movement laid over what the arm does: scrubbing, brushing, gesturing, swinging."""

    side: Side | None  # None: the trunk channels
    start_s: float
    end_s: float
    frequency_hz: float
    amplitude: Floats  # per channel of the arm (ARM_WIDTH,) or of root and trunk (13,)
    irregularity: float = 0.15
    phase: float = 0.0


@dataclass(frozen=True, slots=True)
class Trace:
    """A path given sample by sample, laid over what the arm (or root and trunk) does; it starts and ends at zero."""

    side: Side | None
    start_s: float
    values: Floats  # (n, ARM_WIDTH) or (n, 13)


@dataclass(frozen=True, slots=True)
class NamedSpan:
    """A time span with a name: an activity's repetition, a calibration movement, something that is not exercise."""

    kind: str  # "activity", "calibration", "other"
    name: str
    start_s: float
    end_s: float

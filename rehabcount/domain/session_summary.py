"""Summary: one session as a therapist wants to see it afterwards, as plain data.

The screen, the report and the tables all show this and nothing else, so they cannot disagree.

**One clock**: a time that people read is the time since Start, the moment at which counting began; the clock goes on in
pauses. `since_start` makes it of the record's own seconds. A record that says nothing of phases began with Start.
"""

from __future__ import annotations

from dataclasses import dataclass

from rehabcount.domain.dose import Dose, pace_per_min
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.update import Mark

DISCLAIMER = "Research use only. Not a medical device. Counts are estimates."
SIMULATED = "Simulated data: no person was measured."
NOT_SHIPPED = "not shipped with this rehabcount"
ACCURACY_UNKNOWN = "Accuracy on patients unknown"


@dataclass(frozen=True, slots=True)
class Bin:
    """What was done in `[start_s, end_s)` since Start. The last one may be shorter."""

    start_s: float
    end_s: float
    repetitions: int
    assisted_repetitions: int
    primitives: int
    active_s: float


@dataclass(frozen=True, slots=True)
class Pause:
    """When nothing was counted because the session was paused, since Start."""

    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Compared:
    """How often a primitive of the trained arm was counted: by the recogniser, and after people's corrections."""

    label: str
    automatic: int
    corrected: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """Automatic against corrected. Meaningful only where somebody went through the session (`opinions` above 0)."""

    repetitions: Compared
    primitives: tuple[Compared, ...]
    kept: int  # events that stand as the recogniser had them
    changed: int  # another label or other limits
    removed: int
    added: int
    opinions: int  # events that a person confirmed, changed, removed or added
    by_hand: int = 0  # task repetitions that the therapist added (or took off) while they happened

    @property
    def corrected(self) -> int:
        """Events that are not as the recogniser had them: the one way in which corrections are counted."""
        return self.changed + self.removed + self.added

    @property
    def is_checked(self) -> bool:
        """Whether a person had a say in the numbers."""
        return self.opinions > 0 or self.by_hand != 0

    @property
    def share_kept(self) -> float | None:
        """Of the automatic events those that stand unchanged; None where there were none."""
        automatic = self.kept + self.changed + self.removed
        return self.kept / automatic if automatic else None


@dataclass(frozen=True, slots=True)
class Missing:
    """Time without valid data of one sensor."""

    sensor: str
    gaps: int
    length_s: float


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Which recogniser counted, and how far what is known of it goes. What the file does not say is empty."""

    sha256: str
    name: str = ""
    version: str = ""
    evidence: str = ""  # on whom it was measured: simulated, real healthy people, real patients
    evidence_people: int = 0
    is_shipped: bool = False  # whether this rehabcount came with it
    mdc95: float | None = None  # smallest change of task repetitions that is not measurement error; None: not known

    @property
    def called(self) -> str:
        """Name and version; of a model that nobody knows here, the beginning of its hash."""
        return f"{self.name} {self.version}".strip() or f"model {self.sha256[:8]}"

    @property
    def described(self) -> str:
        """What it is called, and that somebody else made it, if so."""
        return described(self.called, self.is_shipped)

    @property
    def accuracy(self) -> str:
        """One sentence about what the counts are worth."""
        if self.evidence == "real patients" and self.evidence_people > 0:
            return f"Measured on {self.evidence_people} real patients"
        measured = f"; measured on {self.evidence} only" if self.evidence else ""
        return f"{ACCURACY_UNKNOWN}{measured}"


def described(model: str, is_shipped: bool) -> str:
    """A model as people are told with every count: which one, and whether it came with the program."""
    return model if is_shipped else f"{model} ({NOT_SHIPPED})"


@dataclass(frozen=True, slots=True)
class Editor:
    """Who corrected or confirmed, how often (what was taken back included), and when last."""

    who: str
    entries: int
    last_utc_ns: int


@dataclass(frozen=True, slots=True)
class Summary:
    """One counting of one session, with people's corrections."""

    file: str
    session: str  # its random id
    patient: str  # code; empty where the file does not say
    begun_utc_ns: int | None
    length_s: float
    start_s: float  # of the record: when counting began
    counting_s: float  # without pauses and without help
    assisted_s: float
    paused_s: float
    pauses: tuple[Pause, ...]
    side: Side  # the arm that is trained
    simulated: bool
    rig: Rig
    counting: int | None  # its number; None where nobody counted yet
    model: ModelFacts | None
    dose: Dose  # after corrections, and with what the therapist added by hand
    automatic: Dose
    agreement: Agreement
    bin_s: float
    bins: tuple[Bin, ...]
    missing: tuple[Missing, ...]
    entries: int  # in the log of corrections: confirmations and what was taken back included
    editors: tuple[Editor, ...]
    notes: tuple[Mark, ...]
    software: str

    @property
    def assisted_share(self) -> float | None:
        """Of all task repetitions those with the therapist's help; None where there were none."""
        total = self.dose.repetitions + self.dose.assisted_repetitions
        return self.dose.assisted_repetitions / total if total else None

    @property
    def pace_per_min(self) -> float | None:
        """Task repetitions for each minute counted."""
        return pace_per_min(self.dose.repetitions, self.counting_s)

    def since_start(self, at_s: float) -> float:
        """The record's seconds on the clock that people read; below zero before Start."""
        return at_s - self.start_s

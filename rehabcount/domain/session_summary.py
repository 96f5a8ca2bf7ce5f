"""Summary: the results of one session for the therapist, as plain data.

Screen, report and tables all show only this, so that they agree.

**One clock**: times that people read are since Start, the moment at which counting began, pauses included.
`since_start` computes them from the record's seconds. In a record without phases, Start is its beginning.
"""

from __future__ import annotations

from dataclasses import dataclass

from rehabcount.domain.dose import Dose, pace_per_min
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.session_agreement import SessionAgreement
from rehabcount.domain.update import Mark

DISCLAIMER = "Research use only. Not a medical device. Counts are estimates."
SIMULATED = "Simulated data: no person was measured."
NOT_SHIPPED = "not shipped with this rehabcount"
ACCURACY_UNKNOWN = "Accuracy on patients unknown"


@dataclass(frozen=True, slots=True)
class Bin:
    """The counts in `[start_s, end_s)` since Start. The last bin may be shorter."""

    start_s: float
    end_s: float
    repetitions: int
    assisted_repetitions: int
    primitives: int
    active_s: float


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause of the session, in seconds since Start."""

    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Compared:
    """Counts of a primitive of the trained arm: by the recogniser, and after corrections."""

    label: str
    automatic: int
    corrected: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """Automatic against corrected counts. Meaningful only if the session was reviewed (`opinions` above 0)."""

    repetitions: Compared
    primitives: tuple[Compared, ...]
    kept: int  # events that are unchanged
    changed: int  # another label or other limits
    removed: int
    added: int
    opinions: int  # events that a person confirmed, changed, removed or added
    by_hand: int = 0  # task repetitions that the therapist added or removed during the session

    @property
    def corrected(self) -> int:
        """The number of events that differ from the recogniser's; corrections are always counted in this way."""
        return self.changed + self.removed + self.added

    @property
    def is_checked(self) -> bool:
        """Whether a person has checked or changed the counts."""
        return self.opinions > 0 or self.by_hand != 0

    @property
    def share_kept(self) -> float | None:
        """The share of automatic events that are unchanged; None if there are none."""
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
    """Which recogniser counted, and the evidence for its accuracy. Facts that the file lacks are empty."""

    sha256: str
    name: str = ""
    version: str = ""
    evidence: str = ""  # on whom it was measured: simulated, real healthy people, real patients
    evidence_people: int = 0
    is_shipped: bool = False  # whether this rehabcount came with it
    mdc95: float | None = None  # smallest change of task repetitions that is not measurement error; None: not known
    sessions: SessionAgreement | None = None  # what the count of a single session is worth; None: not known

    @property
    def called(self) -> str:
        """Name and version; the beginning of its hash if the model is not known here."""
        return f"{self.name} {self.version}".strip() or f"model {self.sha256[:8]}"

    @property
    def described(self) -> str:
        """Its name, with a remark if it is not a shipped model."""
        return described(self.called, self.is_shipped)

    @property
    def accuracy(self) -> str:
        """One sentence about the accuracy of the counts."""
        if self.evidence == "real patients" and self.evidence_people > 0:
            return f"Measured on {self.evidence_people} real patients"
        measured = f"; measured on {self.evidence} only" if self.evidence else ""
        return f"{ACCURACY_UNKNOWN}{measured}"


def described(model: str, is_shipped: bool) -> str:
    """The description of a model beside every count: its name, and whether it came with the program."""
    return model if is_shipped else f"{model} ({NOT_SHIPPED})"


@dataclass(frozen=True, slots=True)
class Editor:
    """Who corrected or confirmed, how often (undone ones included), and when last."""

    who: str
    entries: int
    last_utc_ns: int


@dataclass(frozen=True, slots=True)
class Summary:
    """One counting of one session, with corrections."""

    file: str
    session: str  # its random id
    patient: str  # code; empty if the file names none
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
    counting: int | None  # its number; None if the session was not counted yet
    model: ModelFacts | None
    dose: Dose  # after corrections, with repetitions that the therapist added by hand
    automatic: Dose
    agreement: Agreement
    bin_s: float
    bins: tuple[Bin, ...]
    missing: tuple[Missing, ...]
    entries: int  # in the log of corrections, confirmations and undone ones included
    editors: tuple[Editor, ...]
    notes: tuple[Mark, ...]
    software: str

    @property
    def assisted_share(self) -> float | None:
        """The share of task repetitions with the therapist's help; None if there are none."""
        total = self.dose.repetitions + self.dose.assisted_repetitions
        return self.dose.assisted_repetitions / total if total else None

    @property
    def pace_per_min(self) -> float | None:
        """Task repetitions for each counted minute."""
        return pace_per_min(self.dose.repetitions, self.counting_s)

    def since_start(self, at_s: float) -> float:
        """The record's seconds as time since Start; negative before it."""
        return at_s - self.start_s

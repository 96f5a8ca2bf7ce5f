"""The documents of session files: each kind has a name in the file, and the type that its content is read as.

    file.put_document(PLAN, Plan(...))
    plan = file.document(PLAN)          a Plan, or None

This is the only place where their names are written. A name never changes: files of earlier versions have it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rehabcount.domain.calibration import Calibration
from rehabcount.domain.document import from_document
from rehabcount.domain.dose import Dose, Plan
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.session_summary import ModelFacts
from rehabcount.domain.taught import TaughtExercises
from rehabcount.store.losses import Losses

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DocumentKind(Generic[T]):
    """One kind of document. The newest of its versions in a file is valid."""

    name: str  # in the file
    content: type[T]

    def read(self, content: Any) -> T:
        """JSON values as the content that they describe; ValueError if they do not fit."""
        return from_document(self.content, content, self.name)


Documents = Mapping[DocumentKind[Any], object]  # each content has the type of its kind


@dataclass(frozen=True, slots=True)
class Owner:
    """The patient of a session. `side` is the patient's affected arm."""

    code: str
    side: Side | None = None


@dataclass(frozen=True, slots=True)
class TrainedSide:
    """The trained arm of the session, as set when it was recorded."""

    side: Side


@dataclass(frozen=True, slots=True)
class CountedSide:
    """The trained arm that was chosen for a recount, if it is not the file's."""

    counting: int
    side: Side


@dataclass(frozen=True, slots=True)
class CountedFrom:
    """The inputs of a recount as a key, so that the same recount is not computed twice."""

    counting: int
    key: str
    updates: int  # number of updates of the complete counting
    length_s: float


@dataclass(frozen=True, slots=True)
class KeptSteps:
    """The layer of steps that holds; empty: none, as after the last was undone."""

    layer: str


RIG = DocumentKind("rig", Rig)  # which sensors there are; written by `SessionFile.set_rig`
CALIBRATION = DocumentKind("calibration", Calibration)  # made after the recording; one made during it is an update
PLAN = DocumentKind("plan", Plan)
PATIENT = DocumentKind("patient", Owner)
TAUGHT = DocumentKind("taught exercises", TaughtExercises)  # counted beside the primitives
SIDE = DocumentKind("side", TrainedSide)
MODEL = DocumentKind("model", ModelFacts)  # a version for each counting, with at least name and hash
DOSE = DocumentKind("dose", Dose)  # the dose after corrections; without it that of the last counting is valid
COUNTED_SIDE = DocumentKind("counting side", CountedSide)  # of each counting its own
COUNTED_FROM = DocumentKind("counted from", CountedFrom)  # of each counting its own
SALVAGE = DocumentKind("salvage", Losses)  # what a salvaged file lacks
SIMULATION = DocumentKind("simulation", dict[str, Any])  # marks a simulated session, and says what was simulated
IMPORT = DocumentKind("import", dict[str, Any])  # which files an imported session was made of, and how they were read
STEPS = DocumentKind("found steps", KeptSteps)  # which layer of labels holds the steps of the exercise
KINDS: tuple[DocumentKind[Any], ...] = (
    RIG, CALIBRATION, PLAN, PATIENT, SIDE, MODEL, DOSE, COUNTED_SIDE, COUNTED_FROM, SALVAGE, SIMULATION, IMPORT, STEPS,
    TAUGHT,
)  # fmt: skip

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
from rehabcount.store.losses import Losses

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DocumentKind(Generic[T]):
    """One kind of document. Of its versions in a file the newest holds."""

    name: str  # in the file
    content: type[T]

    def read(self, content: Any) -> T:
        """JSON values as the content that they describe; ValueError where they do not fit."""
        return from_document(self.content, content, self.name)


Documents = Mapping[DocumentKind[Any], object]  # what a file is to say of itself, each fitting its kind


@dataclass(frozen=True, slots=True)
class Owner:
    """Whom a session is about. `side` is the patient's affected arm."""

    code: str
    side: Side | None = None


@dataclass(frozen=True, slots=True)
class TrainedSide:
    """The arm that the session trains, as was said when it was recorded."""

    side: Side


@dataclass(frozen=True, slots=True)
class CountedSide:
    """The arm that a recount was told to take for the trained one, against what the file says."""

    counting: int
    side: Side


@dataclass(frozen=True, slots=True)
class CountedFrom:
    """What decided a recount, as a key, so that the same need not be counted twice."""

    counting: int
    key: str
    updates: int  # that the counting has, when all of them are kept
    length_s: float


RIG = DocumentKind("rig", Rig)  # which sensors there are; written by `SessionFile.set_rig`
CALIBRATION = DocumentKind("calibration", Calibration)  # said after the recording; what was found in it is an update
PLAN = DocumentKind("plan", Plan)
PATIENT = DocumentKind("patient", Owner)
SIDE = DocumentKind("side", TrainedSide)
MODEL = DocumentKind("model", ModelFacts)  # which counted; a version for each counting, its name and hash at least
DOSE = DocumentKind("dose", Dose)  # what was done once people have had their say; without it the last count holds
COUNTED_SIDE = DocumentKind("counting side", CountedSide)  # of each counting its own
COUNTED_FROM = DocumentKind("counted from", CountedFrom)  # of each counting its own
SALVAGE = DocumentKind("salvage", Losses)  # what a salvaged file lacks
SIMULATION = DocumentKind("simulation", dict[str, Any])  # that no person was measured, and what was simulated
IMPORT = DocumentKind("import", dict[str, Any])  # which files an imported session was made of, and how they were read
KINDS: tuple[DocumentKind[Any], ...] = (
    RIG, CALIBRATION, PLAN, PATIENT, SIDE, MODEL, DOSE, COUNTED_SIDE, COUNTED_FROM, SALVAGE, SIMULATION, IMPORT,
)  # fmt: skip

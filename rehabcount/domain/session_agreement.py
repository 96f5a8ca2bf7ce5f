"""What the count of a single session is worth: how far whole sessions of a model's test people were counted rightly."""

from __future__ import annotations

from dataclasses import dataclass

from rehabcount.domain.patient import Severity

STROKE, SEVERE, HEALTHY = "stroke", "severe", "healthy"
GROUP_OF = {Severity.MODERATE: STROKE, Severity.SEVERE: SEVERE}
NOT_MEASURED = "how far the count of a single session is off was not measured for this model"


@dataclass(frozen=True, slots=True)
class SessionGroup:
    """Whole sessions of people of one severity: how many of `sessions` had a count within `off` repetitions of the true
    one, and how many repetitions they had on average."""

    group: str  # stroke, severe, healthy
    sessions: int
    within: int
    off: int
    repetitions: float

    def __post_init__(self) -> None:
        if not (0 <= self.within <= self.sessions and self.off >= 0 and self.repetitions >= 0):
            raise ValueError(f"{self.within} of {self.sessions} sessions within {self.off} of {self.repetitions}")


@dataclass(frozen=True, slots=True)
class SessionAgreement:
    """Of all groups (`rehabcount bench sessions`)."""

    on: str  # "48 simulated sessions of 20 min, seeds 301 to 304"
    evidence: str  # on whom: simulated, real healthy people, real patients
    groups: tuple[SessionGroup, ...]
    sensors: int  # that they wore

    def for_patient(self, severity: Severity | None) -> tuple[SessionGroup, ...]:
        """That group; of a patient whose severity is not known both, the weaker arms last. Empty: not measured."""
        wanted = [GROUP_OF[each] for each in ((severity,) if severity is not None else tuple(Severity))]
        found = {each.group: each for each in self.groups}
        return tuple(found[group] for group in wanted) if all(group in found for group in wanted) else ()


def in_english(agreement: SessionAgreement | None, severity: Severity | None = None) -> str:
    """For the terminal and for tables; a clause without a full stop."""
    groups = agreement.for_patient(severity) if agreement is not None else ()
    if agreement is None or not groups:
        return NOT_MEASURED
    on = "simulated patients" if agreement.evidence == "simulated" else agreement.evidence
    first, rest = groups[0], groups[1:]
    words = f"on {on} with {agreement.sensors} sensors {_within(first)} repetitions of the true number, "
    words += f"{first.repetitions:.0f} on average"
    return words + "".join(f"; with a severely affected arm {_within(each)} of {each.repetitions:.0f}" for each in rest)


def _within(group: SessionGroup) -> str:
    return f"{group.within} of {group.sessions} sessions were counted within {group.off}"

"""A simulated patient for the demo, and the error of the demo's count.

The true movements of a simulated patient are known: after the session they are counted by the same rules as the
recognised ones, and both counts are shown side by side.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from rehabcount.bedside.config import Settings
from rehabcount.bedside.counting import true_dose
from rehabcount.bedside.performance import Performance
from rehabcount.bedside.rigging import Choice, assemble, open_radio
from rehabcount.bedside.session import LiveSession
from rehabcount.bedside.virtual_patient import worn_by
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.dose import Dose, Plan
from rehabcount.domain.labels import IDLE, PRIMITIVES
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event, PhaseName, Update
from rehabcount.sensors.radio.supervisor import Radio
from rehabcount.simulate.cohort import Subject, make_cohort
from rehabcount.simulate.recording import Recording, simulate_session

VIRTUAL_SCAN_S = 0.5  # virtual sensors advertise at once


def demo_patient(seed: int) -> Subject:
    """A moderately impaired patient of the simulated cohort, chosen by the seed."""
    patients = [subject for subject in make_cohort(seed) if subject.group == "test"]
    return patients[seed % len(patients)]


def demo_recording(seed: int, seconds: float, rig: str) -> Recording:
    """A session of that patient, at least `seconds` long."""
    return simulate_session(demo_patient(seed), max(0.5, seconds / 60), seed, rig=rig)


@contextmanager
def virtual_radio(
    settings: Settings, choice: Choice, recording: Recording
) -> Iterator[tuple[Radio, Rig, Calibration, Performance, int]]:
    """(radio, rig, calibration, what the patient does, when it began): virtual sensors on the recording's patient."""
    motion_of, calibration = worn_by(recording)
    choice = replace(choice, side=recording.side)
    begun_ns = time.monotonic_ns()
    performance = Performance(recording, motion_of)
    with open_radio(settings, choice, performance.motion_of, begun_ns) as radio:
        yield radio, assemble(radio, settings, choice, VIRTUAL_SCAN_S), calibration, performance, begun_ns


@contextmanager
def calibrating(session: LiveSession, recording: Recording, begun_ns: int) -> Iterator[None]:
    """Counting begins after the calibration movements of the patient."""
    session.enter(PhaseName.CALIBRATING)
    left_s = recording.span("calibration", "done")[1] - (time.monotonic_ns() - begun_ns) / 1e9
    done = threading.Timer(max(0.0, left_s), session.enter, (PhaseName.COUNTING,))
    done.start()
    try:
        yield
    finally:
        done.cancel()
        done.join()


def shifted(segments: Iterable[Segment], by_ns: int) -> list[Segment]:
    """The true movements on the clock of a session that began `by_ns` after the patient."""
    by_s = by_ns / 1e9
    return [Segment(s.label, s.side, max(0.0, s.start_s - by_s), s.end_s - by_s) for s in segments if s.end_s > by_s]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The count beside the truth."""

    side: Side
    counted: Dose
    true: Dose

    @classmethod
    def of(
        cls, said: Sequence[Update], reference: Sequence[Segment], plan: Plan, side: Side, until_s: float
    ) -> Comparison:
        counted = next((update for update in reversed(said) if isinstance(update, Dose)), Dose((), 0.0, plan))
        settled_s = max((update.segment.end_s for update in said if isinstance(update, Event)), default=0.0)
        true = true_dose(reference, said, plan, side, max(until_s, settled_s))
        return cls(side, counted, true or Dose((), 0.0, plan))

    def rows(self) -> list[tuple[str, int, int]]:
        """(what, counted, true): task repetitions, then each primitive that is counted."""

        def numbers(dose: Dose) -> dict[str, int]:
            return {count.label: count.number for count in dose.counts if count.side is self.side}

        counted, true = numbers(self.counted), numbers(self.true)
        names = [name for name in PRIMITIVES.names if name != IDLE.name]
        return [
            ("task repetitions", self.counted.repetitions, self.true.repetitions),
            *((name, counted.get(name, 0), true.get(name, 0)) for name in names),
        ]

    def document(self) -> list[dict[str, Any]]:
        return [{"what": what, "counted": counted, "true": true} for what, counted, true in self.rows()]

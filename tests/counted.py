"""A counted session with everything in it that a summary shows: phases, activities, help, gaps, marks, corrections."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import numpy as np

from rehabcount.domain import editing
from rehabcount.domain.correction import Correction
from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.editing import Author, Editing
from rehabcount.domain.motion import Packet
from rehabcount.domain.rig import Side, make_rig
from rehabcount.domain.sequence import Segment
from rehabcount.domain.session_summary import ModelFacts
from rehabcount.domain.update import Adjusted, Event, Gap, Mark, Phase, PhaseName, Update
from rehabcount.store import documents
from rehabcount.store.packets import Origin
from rehabcount.store.session_file import SessionFile

MODEL = "5c" * 32
PLAN = Plan((PlannedActivity("drinking", 40), PlannedActivity("shelf", 30), PlannedActivity("combing")))
BEGUN_UTC_NS = 1_790_000_000 * 10**9
CYCLE = (
    ("reach", 0.9),
    ("transport", 1.1),
    ("stabilize", 0.6),
    ("transport", 0.8),
    ("reposition", 0.7),
    ("idle", 1.3),
)


def make_counted_session(
    path: Path,
    *,
    minutes: float = 12.0,
    simulated: bool = False,
    corrected: bool = True,
    patient: str = "P-07",
    seed: int = 0,
    begun_utc_ns: int = BEGUN_UTC_NS,
    by_hand: int = 0,
) -> Path:
    """Writes the session: the left arm is trained, three sensors, a pause, help, a gap, and some corrections; so many
    task repetitions were added by hand while it happened."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_session(minutes, simulated, corrected, patient, seed, begun_utc_ns, by_hand))
    return path


@functools.cache  # every transaction waits for the disk, and tests make many such sessions
def _session(
    minutes: float, simulated: bool, corrected: bool, patient: str, seed: int, begun_utc_ns: int, by_hand: int
) -> bytes:
    end_s = minutes * 60
    rig = make_rig("three", Side.LEFT, "generic", 100.0)
    events = make_events(end_s, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.rehab"
        with SessionFile.create(path, rig, origin=Origin(0, begun_utc_ns)) as session:
            session.append([Packet(name, b"", round(at_s * 1e9)) for at_s in (0.0, end_s) for name in rig.names])
            session.put_document(documents.PATIENT, documents.Owner(patient, Side.LEFT))
            session.put_document(documents.PLAN, PLAN)
            session.put_document(documents.MODEL, ModelFacts(MODEL, "bedside", "1.0", "simulated"))
            if simulated:
                session.put_document(documents.SIMULATION, {"name": "S01", "side": "left"})
            session.accept(*_phases(end_s), Mark(95.0, "Shoulder hurts a little"), Mark(end_s * 0.7))
            number = session.begin_counting(MODEL).number
            updates: list[Update] = [*events, Gap(rig.names[0], 200.0, 203.5), Gap(rig.names[0], 410.0, 411.0)]
            session.accept(*updates, *(Adjusted(1, 100.0 + i, "drinking", "AB") for i in range(by_hand)))
            if corrected:
                session.correct(number, *_corrections(tuple(events), begun_utc_ns))
            session.close_session()
        return path.read_bytes()


def make_events(end_s: float, seed: int = 0) -> list[Event]:
    """Task cycles of the left arm, one after the other, with a reach of the right arm now and then."""
    random = np.random.default_rng(seed)
    events: list[Event] = []
    at_s, turn = 30.0, 0
    while at_s < end_s - 12:
        turn += 1
        if turn % 9 == 0:
            events.append(Event(len(events) + 1, Segment("reach", Side.RIGHT, at_s, at_s + 0.7), 0.6))
        for label, length_s in CYCLE:
            if random.random() < 0.08:
                continue
            length_s *= random.uniform(0.7, 1.6)
            segment = Segment(label, Side.LEFT, round(at_s, 2), round(at_s + length_s, 2))
            events.append(Event(len(events) + 1, segment, float(round(random.uniform(0.5, 1.0), 3))))
            at_s += length_s
        at_s += random.uniform(0.0, 3.0)
    return events


def _phases(end_s: float) -> list[Phase]:
    share = {
        0.03: (PhaseName.COUNTING, "drinking"),
        0.4: (PhaseName.PAUSED, "drinking"),
        0.45: (PhaseName.COUNTING, "shelf"),
        0.6: (PhaseName.ASSISTED, "shelf"),
        0.68: (PhaseName.COUNTING, "shelf"),
        0.8: (PhaseName.COUNTING, "combing"),
        0.99: (PhaseName.ENDED, ""),
    }
    return [Phase(name, end_s * at, activity) for at, (name, activity) in share.items()]


def _corrections(events: tuple[Event, ...], begun_utc_ns: int) -> tuple[Correction, ...]:
    author = Author("AB", begun_utc_ns + 3600 * 10**9)
    left = [event.number for event in events if event.segment.side is Side.LEFT]
    state = editing.delete(Editing(events), [left[4]], author)
    state = editing.change(state, left[10], author, label="transport")
    state = editing.split(state, left[20], sum(_span(state, left[20])) / 2, author)
    state = editing.merge(state, left[30:32], author)
    state = editing.add(state, Segment("reach", Side.LEFT, 5.0, 6.25), Author("CD", author.at_utc_ns + 10**9))
    return editing.undo(state, author).corrections


def _span(state: Editing, number: int) -> tuple[float, float]:
    segment = state[number].segment
    return segment.start_s, segment.end_s

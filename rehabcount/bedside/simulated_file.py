"""Writes a simulated recording as a session file: packets as from the radio, labels as reference.

Only this module joins the simulation with packet layouts and the store.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from rehabcount.sensors.simulated import items_of
from rehabcount.simulate.recording import Recording
from rehabcount.store.documents import SIMULATION
from rehabcount.store.layers import REFERENCE
from rehabcount.store.packets import Origin
from rehabcount.store.session_file import SessionFile

PACKETS_AT_ONCE = 5000  # a transaction each


def save(recording: Recording, path: Path) -> None:
    """Write the recording; an existing file of that name is refused by the store."""
    with SessionFile.create(path, recording.rig, origin=Origin(0, None)) as session:
        left = iter(items_of(recording))
        while block := list(islice(left, PACKETS_AT_ONCE)):
            session.append(block)
        session.add_segments(REFERENCE, recording.segments)
        session.put_document(SIMULATION, describe_recording(recording))
        session.close_session()


def describe_recording(recording: Recording) -> dict[str, object]:
    """The origin of the file; `stretches` holds activities, calibration movements and episodes."""
    subject = recording.subject
    return {
        "name": recording.name,
        "subject": subject.name,
        "group": subject.group,
        "settings": subject.settings,
        "score": subject.score,
        "side": recording.side.value,
        "activity": recording.activity,
        "length_s": round(recording.length_s, 3),
        "device": subject.device.name,
        "stretches": [
            {"kind": s.kind, "name": s.name, "start_s": round(s.start_s, 3), "end_s": round(s.end_s, 3)}
            for s in recording.stretches
        ],
    }

"""A session from the sensors on the patient: found, recorded, counted (or only watched) and shown."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import partial
from pathlib import Path

from rehabcount.bedside.chosen_model import open_chosen
from rehabcount.bedside.config import Settings, load_settings
from rehabcount.bedside.ending import asked_to_end
from rehabcount.bedside.guide import guide
from rehabcount.bedside.performance import Performance
from rehabcount.bedside.rigging import Choice, assemble, open_radio, swinging
from rehabcount.bedside.session import LiveSession, SessionRequest
from rehabcount.bedside.simulated_file import describe_recording
from rehabcount.bedside.sources import RadioSource
from rehabcount.bedside.virtual_patient import session_of, worn_by
from rehabcount.cli.board import Board
from rehabcount.cli.console import errors, output
from rehabcount.cli.live_view import show
from rehabcount.cli.outcome import tell_counted, tell_watched
from rehabcount.cli.sensor_watch import RecordedSensors, Watch
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.dose import Plan
from rehabcount.domain.patient import severity_of
from rehabcount.domain.rig import Place, Rig
from rehabcount.domain.sequence import StitchRule
from rehabcount.engine.arm import arms_of
from rehabcount.engine.ports import Source
from rehabcount.engine.uncertainty import in_words
from rehabcount.errors import CalibrationError, SensorError
from rehabcount.sensors.dot_messages import SyncResult
from rehabcount.sensors.radio.supervisor import Radio
from rehabcount.sensors.radio.sync import Results
from rehabcount.sensors.virtual import PlaceMotion
from rehabcount.store.documents import SIDE, SIMULATION, Documents, TrainedSide
from rehabcount.store.session_file import SessionFile

PATIENT_MINUTES = 3.0  # of a simulated patient with virtual sensors, then repeated in another order


@dataclass(frozen=True, slots=True)
class LiveRequest:
    """What to record, from which sensors, and how to count it."""

    choice: Choice
    file: Path | None = None  # None: a new one in the data folder
    seconds: float | None = None  # None: until a request to end
    scan_s: float = 5.0
    synchronise: bool = False
    model: str = ""  # empty: the default
    calibration: Path | None = None  # a session whose calibration is still valid
    keep_bad: bool = False  # count even with a calibration that should be repeated
    fugl_meyer: int | None = None
    record_only: bool = False
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class KnownPatient:
    """The patient, as known before the session."""

    calibration: Calibration | None
    score: int | None  # Fugl-Meyer
    documents: Documents  # of the session file, before the first packet
    motion_of: Callable[[Place], PlaceMotion] = swinging  # of virtual sensors


@dataclass(frozen=True, slots=True)
class Ready:
    """All that a session needs to begin."""

    path: Path
    rig: Rig
    source: Source
    patient: KnownPatient
    settings: Settings


def run_live(request: LiveRequest) -> None:
    settings, patient = load_settings(), _patient(request)
    path = request.file or settings.sessions / f"{datetime.now().astimezone():%Y-%m-%d_%H%M%S}.rehab"
    with open_radio(settings, request.choice, patient.motion_of) as radio:
        with errors.status("Listening for sensors"):
            rig = assemble(radio, settings, request.choice, request.scan_s)
        results = _synchronised(radio, rig) if request.synchronise else None
        ready = Ready(path, rig, RadioSource(radio, rig, results), patient, settings)
        if request.record_only:
            _record(request, ready)
        else:
            _count(request, ready)
    if not request.as_json:
        output.print(f"Recorded into {path}", highlight=False)


def _patient(request: LiveRequest) -> KnownPatient:
    """The patient of the options; with virtual sensors, a simulated one."""
    known: Calibration | None = None
    if request.calibration is not None:
        with SessionFile.open(request.calibration) as earlier:
            known = earlier.calibration()
        if known is None:
            raise CalibrationError(f"{request.calibration.name} holds no calibration.", advice="Leave the option out.")
    if not request.choice.virtual:
        return KnownPatient(known, request.fugl_meyer, {})
    with errors.status("Waking the simulated patient"):
        simulated = session_of(request.choice, PATIENT_MINUTES)
        recorded, known = worn_by(simulated)
        performance = Performance(simulated, recorded, calibrated=True)
    documents: Documents = {SIMULATION: describe_recording(simulated)}
    return KnownPatient(known, simulated.subject.score, documents, performance.motion_of)


def _synchronised(radio: Radio, rig: Rig) -> Results:
    with errors.status("Giving all sensors one clock"):
        results = radio.synchronise(rig)
    for name, result in results.items():
        if result is not SyncResult.DONE:
            errors.print(f"{name} keeps a clock of its own: {_why(result)}", style="yellow")
    return results


def _why(result: SyncResult | SensorError) -> str:
    """Why a sensor was not synchronised."""
    return result.name.lower().replace("_", " ") if isinstance(result, Enum) else str(result)


def _count(request: LiveRequest, ready: Ready) -> None:
    opened = open_chosen(ready.settings, request.model)
    rig, side, patient = ready.rig, request.choice.side, ready.patient
    arms_of(opened.model, rig, side, StitchRule(), both=False)  # report a model that does not fit before the session
    links = ready.settings.radio.links_per_adapter
    board = Board(ready.path.name, rig, side, length_s=request.seconds, links_per_adapter=links)
    board.model = opened.described
    board.accuracy = in_words(opened.card, rig.name, severity_of(patient.score), 0)
    asked_for = SessionRequest(
        ready.path, rig, side, Plan(), opened, patient.calibration, ready.settings.align, patient.documents
    )
    session = LiveSession(asked_for, ready.source, on_update=board.hear, on_frames=board.see)
    with asked_to_end() as asked:
        session.start()
        if patient.calibration is None:
            lead = partial(guide, session, side, board.tell, keep_bad=request.keep_bad)
            threading.Thread(target=lead, name="guide", daemon=True).start()
        show(session, board, errors, asked, seconds=request.seconds)
    tell_counted(session, board, request.as_json)


def _record(request: LiveRequest, ready: Ready) -> None:
    with SessionFile.create(ready.path, ready.rig) as file:
        file.put_document(SIDE, TrainedSide(request.choice.side))
        for kind, content in ready.patient.documents.items():
            file.put_document(kind, content)
    seen = Watch(ready.rig, ready.path.name, request.seconds)
    with asked_to_end() as asked:
        sensors = RecordedSensors(ready.path, ready.source, seen, ready.settings.align)
        sensors.start()
        show(sensors, seen, errors, asked, seconds=request.seconds)
    tell_watched(seen, request.as_json)

"""`rehabcount live`: a session from the sensors on the patient, recorded, counted and shown."""

from __future__ import annotations

import threading
from datetime import datetime
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rehabcount.cli.commands.count import ModelOption
from rehabcount.cli.commands.replay import report, tell
from rehabcount.cli.commands.sensors import Arm, ScanSeconds, Sensors, Virtual
from rehabcount.cli.console import errors, output
from rehabcount.errors import RehabcountError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rehabcount.bedside.config import Settings
    from rehabcount.cli.sensor_watch import Watch
    from rehabcount.domain.calibration import Calibration
    from rehabcount.domain.rig import Place, Rig
    from rehabcount.errors import SensorError
    from rehabcount.sensors.dot_messages import SyncResult
    from rehabcount.sensors.radio.supervisor import Radio
    from rehabcount.sensors.radio.sync import Results
    from rehabcount.sensors.virtual import PlaceMotion

PATIENT_MINUTES = 3.0  # of a simulated patient behind virtual sensors, who then goes on in another order


def live(
    file: Annotated[Path | None, typer.Option(help="Record into this file; otherwise into the data folder.")] = None,
    seconds: Annotated[float | None, typer.Option(min=1.0, help="End after so long; otherwise with Ctrl+C.")] = None,
    sensors: Sensors = "5",
    side: Arm = "right",
    virtual: Virtual = "",
    scan_seconds: ScanSeconds = 5.0,
    sync: Annotated[bool, typer.Option(help="Give all DOTs one clock first; takes half a minute.")] = False,
    model: ModelOption = "",
    calibration: Annotated[
        Path | None, typer.Option(help="Take the calibration of this session: the straps were not moved since.")
    ] = None,
    keep_bad: Annotated[
        bool, typer.Option("--keep-bad", help="Count even with a calibration that ought to be repeated.")
    ] = False,
    fugl_meyer: Annotated[
        int | None,
        typer.Option("--fugl-meyer", min=0, max=66, help="The patient's score: says how far the count may be off."),
    ] = None,
    record_only: Annotated[bool, typer.Option("--record-only", help="Do not count; watch the sensors.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON document.")] = False,
) -> None:
    """Record a session from the sensors on the patient, and count it live.

    Everything a sensor sends is kept before anything else happens to it. A sensor that is lost reconnects by itself;
    the gap is marked. Places must have been assigned: `rehabcount sensors identify --assign`. The session begins with
    the calibration, step by step; one that fails is repeated, and nothing is counted before. With --virtual, a
    simulated patient wears the sensors and is calibrated already.

    Example: `rehabcount live --sensors 5 --side left`
    """
    from rehabcount.bedside.config import load_settings
    from rehabcount.bedside.rigging import assemble, choose, open_radio, swinging
    from rehabcount.engine.summarise import SIDE
    from rehabcount.errors import CalibrationError
    from rehabcount.sensors.dot_messages import SyncResult
    from rehabcount.store.session_file import SessionFile

    settings, choice = load_settings(), choose(sensors, side, virtual)
    motion_of: Callable[[Place], PlaceMotion] = swinging
    known: Calibration | None = None
    score = fugl_meyer
    documents: dict[str, object] = {}  # what the file says of itself from its first moment on
    if calibration is not None:
        with SessionFile.open(calibration) as earlier:
            known = earlier.calibration()
        if known is None:
            raise CalibrationError(f"{calibration.name} holds no calibration.", advice="Leave the option out.")
    if choice.virtual:
        from rehabcount.bedside.performance import Performance
        from rehabcount.bedside.simulated_file import DOCUMENT, describe_recording
        from rehabcount.bedside.virtual_patient import session_of, worn_by

        with errors.status("Waking the simulated patient"):
            patient = session_of(choice, PATIENT_MINUTES)
            recorded, known = worn_by(patient)
            motion_of = Performance(patient, recorded, calibrated=True).motion_of
        documents[DOCUMENT] = describe_recording(patient)
        score = patient.subject.score
    path = file or settings.sessions / f"{datetime.now().astimezone():%Y-%m-%d_%H%M%S}.rehab"
    with open_radio(settings, choice, motion_of) as radio:
        with errors.status("Listening for sensors"):
            rig = assemble(radio, settings, choice, scan_seconds)
        results = None
        if sync:
            with errors.status("Giving all sensors one clock"):
                results = radio.synchronise(rig)
            for name, result in results.items():
                if result is not SyncResult.DONE:
                    errors.print(f"{name} keeps a clock of its own: {_in_words(result)}", style="yellow")
        if record_only:
            report(_record(radio, rig, path, settings, seconds, results, {**documents, SIDE: {"side": side}}), as_json)
        else:
            _count(
                radio, rig, path, settings, seconds, results, model, side, known, documents, score, keep_bad, as_json
            )
    if not as_json:
        output.print(f"Recorded into {path}", highlight=False)


def _in_words(result: SyncResult | SensorError) -> str:
    """Why a sensor was not synchronised."""
    return result.name.lower().replace("_", " ") if isinstance(result, Enum) else str(result)


def _count(
    radio: Radio,
    rig: Rig,
    path: Path,
    settings: Settings,
    seconds: float | None,
    results: Results | None,
    model: str,
    side: str,
    known: Calibration | None,
    documents: dict[str, object],
    score: int | None,
    keep_bad: bool,
    as_json: bool,
) -> None:
    from rehabcount.bedside.chosen_model import open_chosen
    from rehabcount.bedside.ending import asked_to_end
    from rehabcount.bedside.guide import guide
    from rehabcount.bedside.session import LiveSession, SessionRequest
    from rehabcount.bedside.sources import RadioSource
    from rehabcount.cli.board import Board
    from rehabcount.cli.live_view import show
    from rehabcount.domain.dose import Plan
    from rehabcount.domain.patient import severity_of
    from rehabcount.domain.rig import Side
    from rehabcount.domain.sequence import StitchRule
    from rehabcount.engine.arm import arms_of
    from rehabcount.engine.uncertainty import in_words

    opened = open_chosen(settings, model)
    arms_of(opened.model, rig, Side(side), StitchRule(), both=False)  # a model that does not fit is better said now
    board = Board(path.name, rig, Side(side), length_s=seconds, links_per_adapter=settings.radio.links_per_adapter)
    board.model = opened.described
    board.accuracy = in_words(opened.card, rig.name, severity_of(score), 0)
    request = SessionRequest(path, rig, Side(side), Plan(), opened, known, settings.align, documents)
    session = LiveSession(request, RadioSource(radio, rig, results), on_update=board.hear, on_frames=board.see)
    with asked_to_end() as asked:
        session.start()
        if known is None:
            lead = partial(guide, session, Side(side), board.tell, keep_bad=keep_bad)
            threading.Thread(target=lead, name="guide", daemon=True).start()
        show(session, board, errors, asked, seconds=seconds)
    tell(session, board, as_json)


def _record(
    radio: Radio,
    rig: Rig,
    path: Path,
    settings: Settings,
    seconds: float | None,
    results: Results | None,
    documents: dict[str, object],
) -> Watch:
    from rehabcount.bedside.ending import asked_to_end
    from rehabcount.bedside.sources import RadioSource
    from rehabcount.cli.live_view import end_patiently
    from rehabcount.cli.sensor_watch import watch
    from rehabcount.domain.update import Recorded, Said, SensorHealth
    from rehabcount.store.recorder import Recorder, follow
    from rehabcount.store.session_file import SessionFile

    with SessionFile.create(path, rig) as file:
        for name, content in documents.items():
            file.put_document(name, content)
    health: dict[str, SensorHealth] = {}
    refused = threading.Event()

    def accept(item: Recorded) -> None:
        if isinstance(item, Said) and isinstance(item.what, SensorHealth):
            health[item.what.sensor] = item.what
        recorder.accept(item)

    def end_when_asked() -> None:
        """In a thread of its own: who watches sees everything that was recorded, and then the closed session."""
        asked.event.wait(seconds)
        try:
            try:
                source.close()
            finally:
                end_patiently(recorder.close, recorder, errors, asked)
        except RehabcountError:
            refused.set()  # who watches has seen what there is to see, and can say so

    def say_trouble(trouble: RehabcountError | None) -> None:
        """Nothing is drawn meanwhile: who watches sees what is on the disk."""
        words = f"{trouble} What comes meanwhile waits in memory." if trouble else "The disk takes everything again."
        errors.print(words, style="bold red" if trouble else "", markup=False, highlight=False)

    with asked_to_end() as asked:
        recorder, source = Recorder(path, on_trouble=say_trouble), RadioSource(radio, rig, results)
        ending = threading.Thread(target=end_when_asked, name="end", daemon=True)
        ending.start()
        try:
            source.start(accept, lambda: None)
            items = follow(path, refused)
            return watch(items, rig, settings.align, title=path.name, length_s=seconds, console=errors, health=health)
        finally:
            asked.event.set()
            ending.join()
            recorder.close()

"""From a SessionSpec to a session. Called in the session thread: it may take its time.

The engine and the simulation are loaded there, too: they take a second, and the window must not wait.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rehabcount.domain.message import Code, Message
from rehabcount.errors import ArtifactMissing
from rehabcount.gui.desk import DemoPatient, Desk, FileSource, SessionSpec
from rehabcount.gui.session_thread import OnFrames, OnUpdate, Opener, Running
from rehabcount.inference.artifact import Opened, open_model
from rehabcount.store.documents import PATIENT, SIMULATION, DocumentKind, Owner

if TYPE_CHECKING:
    from rehabcount.bedside.session import SessionRequest
    from rehabcount.engine.ports import Source

DEMO_S = 300.0  # of a simulated patient: enough to look around, and ready within seconds


def opener_of(desk: Desk, spec: SessionSpec, path: Path) -> Opener:
    """The function that opens the session of `spec` with the file `path`."""

    def open_session(on_update: OnUpdate, on_frames: OnFrames) -> Running:
        try:
            artifact = desk.artifact()
            if artifact is None:
                raise ArtifactMissing(Message.of(Code.NO_MODEL), advice=Message.of(Code.DO_CHOOSE_MODEL))
            model = Opened(open_model(artifact.folder), artifact.sha256)
        except Exception:
            if not isinstance(spec.source, DemoPatient | FileSource):
                spec.source.close()  # or the next set-up could not reach these sensors
            raise
        from rehabcount.bedside.session import LiveSession

        if isinstance(spec.source, FileSource):
            played, speed = spec.source.path, spec.source.speed
            return LiveSession.replay(played, model, speed, on_update=on_update, on_frames=on_frames)
        request, source = _requested(desk, spec, path, model)
        return LiveSession(request, source, on_update=on_update, on_frames=on_frames)

    return open_session


def _requested(desk: Desk, spec: SessionSpec, path: Path, model: Opened) -> tuple[SessionRequest, Source]:
    """The request of the session, and its source."""
    from rehabcount.bedside.session import SessionRequest

    documents: dict[DocumentKind[Any], object] = {PATIENT: Owner(spec.patient, spec.side)}
    align = desk.settings.align
    match spec.source:
        case DemoPatient(seed, speed):
            from rehabcount.bedside.rigging import Choice
            from rehabcount.bedside.simulated_file import describe_recording
            from rehabcount.bedside.sources import SimulatedSource
            from rehabcount.bedside.virtual_patient import session_of

            recording = session_of(Choice(spec.rig.name, spec.side), DEMO_S / 60, seed)
            documents[SIMULATION] = describe_recording(recording)
            request = SessionRequest(
                path,
                recording.rig,
                spec.side,
                spec.plan,
                model,
                align=align,
                documents=documents,
                reference=recording.segments,
            )
            return request, SimulatedSource(recording, DEMO_S, speed, calibrated=True)
        case FileSource():
            raise ValueError("a recorded session is replayed, not asked for")
        case prepared:
            if prepared.simulated:
                documents[SIMULATION] = {"side": spec.side.value, "name": "virtual sensors"}
            request = SessionRequest(path, spec.rig, spec.side, spec.plan, model, spec.calibration, align, documents)
            return request, prepared

"""From a SessionSpec to a running session. Called in the session thread: it may take its time.

The engine and the simulation are loaded there, too: they take a second, and the window must not wait.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rehabcount.bedside.screen_state import Words
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import Packet, Silence
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Phase, Recorded, Said
from rehabcount.errors import ArtifactMissing, RehabcountError
from rehabcount.gui.desk import DemoSource, Desk, FileSource, RadioSource, SessionSpec
from rehabcount.gui.session_thread import OnFrames, OnUpdate, Opener, Running
from rehabcount.inference.artifact import Artifact, Opened, open_model
from rehabcount.store.recorder import LAST_TRIES_S
from rehabcount.store.session_file import SessionFile

if TYPE_CHECKING:
    from rehabcount.bedside.preparation import PreparedSource
    from rehabcount.bedside.session import LiveSession

DEMO_S = 300.0  # of a simulated patient: enough to look around, and ready within seconds
# Documents of the session file: whose it is, what counted it, that nobody was measured. And the truth of a simulation.
PATIENT, MODEL, SIMULATION, REFERENCE_LAYER = "patient", "model", "simulation", "reference"


def opener_of(desk: Desk, spec: SessionSpec, path: Path) -> Opener:
    """What opens the session of `spec` into `path`."""

    def open_session(on_update: OnUpdate, on_frames: OnFrames) -> Running:
        try:
            artifact = desk.artifact()
            if artifact is None:
                raise ArtifactMissing(Message.of(Code.NO_MODEL), advice=Message.of(Code.DO_CHOOSE_MODEL))
            model = Opened(open_model(artifact.folder), artifact.sha256)
        except Exception:
            if isinstance(spec.source, RadioSource):
                spec.source.prepared.close()  # or the next set-up could not reach these sensors
            raise
        from rehabcount.bedside.session import LiveSession

        documents: dict[str, Any] = {
            PATIENT: {"code": spec.patient, "side": spec.side.value},
            MODEL: facts_of(artifact),
        }
        segments: Sequence[Segment] = ()
        match spec.source:
            case FileSource(source, speed):
                session = LiveSession.replay(source, model, speed, on_update=on_update, on_frames=on_frames)
                return RunningSession(session, {}, ())
            case DemoSource(seed, speed):
                from rehabcount.bedside.rigging import Choice
                from rehabcount.bedside.simulated_file import describe_recording
                from rehabcount.bedside.sources import ReadyDemoSource
                from rehabcount.bedside.virtual_patient import session_of

                recording = session_of(Choice(spec.rig.name, spec.side), DEMO_S / 60, seed)
                documents[SIMULATION] = describe_recording(recording)
                segments = recording.segments
                session = LiveSession(
                    path, ReadyDemoSource(recording, DEMO_S, speed), recording.rig, spec.side, spec.plan, model,
                    on_update=on_update, on_frames=on_frames, align=desk.settings.align,
                )  # fmt: skip
            case RadioSource(prepared, simulated):
                if simulated:
                    documents[SIMULATION] = {"side": spec.side.value, "name": "virtual sensors"}
                session = LiveSession(
                    path, OpenedAir(prepared), spec.rig, spec.side, spec.plan, model,
                    on_update=on_update, on_frames=on_frames, calibration=spec.calibration, align=desk.settings.align,
                )  # fmt: skip
        return RunningSession(session, documents, segments)

    return open_session


def facts_of(artifact: Artifact) -> dict[str, Any]:
    """What a session keeps of the model that counted it, so that a report can say so without the artifact."""
    card = artifact.card
    return {
        "name": card.name,
        "version": card.version,
        "sha256": artifact.sha256,
        "evidence": card.evidence.value,
        "evidence_people": card.evidence_people,
    }


class OpenedAir:
    """What the set-up prepared, as a session's source. Nothing counts before somebody says so: that is said first.

    How the links are doing becomes part of the record.
    """

    speed: float | None = 1.0

    def __init__(self, prepared: PreparedSource) -> None:
        self._prepared = prepared
        self._first = True

    def start(self, accept: Callable[[Recorded], None], over: Callable[[], None]) -> None:
        def take(item: Packet | Silence) -> None:
            if self._first:
                self._first = False
                accept(Said(Phase("calibrating", 0.0), item.received_ns))
            accept(item)

        self._prepared.start(take, over)
        self._prepared.listen(lambda health: accept(Said(health, self.now_ns())))

    def now_ns(self) -> int:
        return self._prepared.now_ns()

    def close(self) -> None:
        self._prepared.close()


class RunningSession:
    """A LiveSession whose file says whose it is from its first moment on."""

    def __init__(self, session: LiveSession, documents: Mapping[str, Any], segments: Sequence[Segment]) -> None:
        self._session, self._documents, self._segments = session, documents, segments
        self.path = session.path

    def start(self) -> None:
        self._session.start()
        if not self._documents:
            return
        with SessionFile.annotate(self.path) as file:
            for name, content in self._documents.items():
                file.put_document(name, content)
            if self._segments:
                file.add_segments(REFERENCE_LAYER, self._segments)

    @property
    def running(self) -> bool:
        return self._session.running

    @property
    def trouble(self) -> RehabcountError | None:
        return self._session.trouble

    @property
    def unwritten_s(self) -> float:
        return self._session.unwritten_s

    def say(self, words: Words) -> None:
        with contextlib.suppress(ValueError):  # the source has just run out and the record is closed: it is over
            self._session.say(words)

    def end(self) -> None:
        self._session.end(LAST_TRIES_S)

"""How the window opens a session, and which facts of the model the file keeps after each way of counting."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from rehabcount.bedside.counting import count_file
from rehabcount.bedside.rigging import Choice
from rehabcount.bedside.session import LiveSession, SessionRequest
from rehabcount.bedside.sources import PreparedSource, SimulatedSource
from rehabcount.bedside.virtual_patient import session_of
from rehabcount.domain.dose import Plan
from rehabcount.domain.patient import DEMO
from rehabcount.domain.rig import Side, make_rig
from rehabcount.domain.session_summary import ModelFacts
from rehabcount.domain.update import Update
from rehabcount.engine.summarise import facts_of, summarise
from rehabcount.gui import opening
from rehabcount.gui.desk import DEMO_CODE, DemoPatient, Desk, SessionSpec
from rehabcount.gui.opening import opener_of
from rehabcount.inference.artifact import Opened, open_model
from rehabcount.inference.runtime import Model
from rehabcount.store.documents import PATIENT, SIMULATION, Owner
from rehabcount.store.session_file import SessionFile
from tests.engine.oracle import ReflexModel
from tests.gui.fake_session import SPEC

AT_ONCE = 1000.0  # times real time
MODEL = Opened(cast(Model, ReflexModel()), "ab" * 32)
PATH = Path("a.rehab")


@pytest.mark.parametrize("simulated", [True, False])
def test_sensors_of_a_set_up_are_the_source_itself(desk: Desk, simulated: bool) -> None:
    prepared = PreparedSource(None, SPEC.rig, simulated=simulated)
    spec = replace(SPEC, patient="P-1", source=prepared)
    assert spec.simulated is simulated
    request, source = opening._requested(desk, spec, PATH, MODEL)
    assert source is prepared
    assert request.documents[PATIENT] == Owner("P-1", Side.RIGHT)
    assert (SIMULATION in request.documents) is simulated
    assert (request.rig, request.plan, request.align) == (SPEC.rig, SPEC.plan, desk.settings.align)
    assert not request.reference


def test_what_the_demo_patient_does_is_known_before_the_session(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "DEMO_S", 30.0)
    spec = replace(SPEC, source=DemoPatient(speed=4.0))
    assert spec.simulated
    request, source = opening._requested(desk, spec, PATH, MODEL)
    assert isinstance(source, SimulatedSource)
    assert source.speed == 4.0
    assert request.documents[PATIENT] == Owner(DEMO_CODE, Side.RIGHT)
    assert "score" in cast(dict[str, object], request.documents[SIMULATION])
    assert request.reference


def kept_of_model(path: Path) -> ModelFacts | None:
    """What a report can say of the model from the file alone."""
    with SessionFile.open(path) as file:
        return summarise(file).model


def test_window_and_terminal_keep_the_same_of_the_model(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "DEMO_S", 30.0)
    artifact = desk.artifact()
    assert artifact is not None
    known = facts_of(artifact.card, artifact.sha256)
    assert known.evidence

    in_window = tmp_path / "window.rehab"
    rig = make_rig("one", Side.RIGHT, "generic", 100.0)
    spec = SessionSpec(DEMO.code, rig, Side.RIGHT, Plan(), DemoPatient(0, AT_ONCE))
    heard: list[Update] = []
    running = opener_of(desk, spec, in_window)(heard.append, lambda frames: None)
    running.start()
    running.end()
    assert kept_of_model(in_window) == known

    in_terminal = tmp_path / "live.rehab"
    model = Opened(open_model(artifact.folder), artifact.sha256)
    recording = session_of(Choice("one", Side.RIGHT), 0.5, 0)
    request = SessionRequest(in_terminal, recording.rig, recording.side, Plan(), model)
    live = LiveSession(request, SimulatedSource(recording, 40.0, None), on_update=heard.append)
    live.start()
    assert live.wait(60)
    assert kept_of_model(in_terminal) == known

    recounted = Path(shutil.copy(in_terminal, tmp_path / "recounted.rehab"))
    other = Opened(model.model, "ab" * 32)
    assert count_file(recounted, other, desk.settings).kept == "kept as counting 2"
    assert kept_of_model(recounted) == facts_of(other.card, other.sha256)

"""What the window asks of a session, and that its file says so from its first moment on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from rehabcount.bedside.sources import PreparedSource, SimulatedSource
from rehabcount.gui import opening
from rehabcount.gui.desk import DEMO_CODE, DemoPatient, Desk
from rehabcount.inference.artifact import Opened
from rehabcount.inference.runtime import Model
from tests.engine.oracle import ReflexModel
from tests.gui.fake_session import SPEC

MODEL = Opened(cast(Model, ReflexModel()), "ab" * 32)
PATH = Path("a.rehab")


@pytest.mark.parametrize("simulated", [True, False])
def test_sensors_of_a_set_up_are_the_source_itself(desk: Desk, simulated: bool) -> None:
    prepared = PreparedSource(None, SPEC.rig, simulated=simulated)
    spec = replace(SPEC, patient="P-1", source=prepared)
    assert spec.simulated is simulated
    request, source = opening._requested(desk, spec, PATH, MODEL)
    assert source is prepared
    assert request.documents["patient"] == {"code": "P-1", "side": "right"}
    assert ("simulation" in request.documents) is simulated
    assert (request.rig, request.plan, request.align) == (SPEC.rig, SPEC.plan, desk.settings.align)
    assert not request.reference


def test_what_the_demo_patient_does_is_known_before_the_session(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "DEMO_S", 30.0)
    spec = replace(SPEC, source=DemoPatient(speed=4.0))
    assert spec.simulated
    request, source = opening._requested(desk, spec, PATH, MODEL)
    assert isinstance(source, SimulatedSource)
    assert source.speed == 4.0
    assert request.documents["patient"] == {"code": DEMO_CODE, "side": "right"}
    assert "score" in cast(dict[str, object], request.documents["simulation"])
    assert request.reference

"""What a session file keeps of the model that counted it, whichever way it was counted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rehabcount.bedside.counting import count_file
from rehabcount.bedside.rigging import Choice
from rehabcount.bedside.session import LiveSession
from rehabcount.bedside.sources import DemoSource as SimulatedSource
from rehabcount.bedside.virtual_patient import session_of
from rehabcount.domain.dose import Plan
from rehabcount.domain.patient import DEMO
from rehabcount.domain.rig import Side, make_rig
from rehabcount.domain.session_summary import ModelFacts
from rehabcount.domain.update import Update
from rehabcount.engine.summarise import facts_of, summarise
from rehabcount.gui import opening
from rehabcount.gui.desk import DemoSource, Desk, SessionSpec
from rehabcount.gui.opening import opener_of
from rehabcount.inference.artifact import Opened, open_model
from rehabcount.store.session_file import SessionFile

AT_ONCE = 1000.0  # times real time


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
    spec = SessionSpec(
        DEMO.code, make_rig("one", Side.RIGHT, "generic", 100.0), Side.RIGHT, Plan(), DemoSource(0, AT_ONCE)
    )
    heard: list[Update] = []
    running = opener_of(desk, spec, in_window)(heard.append, lambda frames: None)
    running.start()
    running.end()
    assert kept_of_model(in_window) == known

    in_terminal = tmp_path / "live.rehab"
    model = Opened(open_model(artifact.folder), artifact.sha256)
    recording = session_of(Choice("one", Side.RIGHT), 0.5, 0)
    source = SimulatedSource(recording, 40.0, None)
    live = LiveSession(in_terminal, source, recording.rig, recording.side, Plan(), model, on_update=heard.append)
    live.start()
    assert live.wait(60)
    assert kept_of_model(in_terminal) == known

    recounted = Path(shutil.copy(in_terminal, tmp_path / "recounted.rehab"))
    other = Opened(model.model, "ab" * 32)
    assert count_file(recounted, other, desk.settings).kept == "kept as counting 2"
    assert kept_of_model(recounted) == facts_of(other.card, other.sha256)

"""What tests of the door share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

import rehabcount as rc
from rehabcount.api import bedside
from rehabcount.inference.artifact import Opened
from rehabcount.inference.runtime import Model
from tests.engine.oracle import ReflexModel


@pytest.fixture(scope="session")
def person() -> rc.SimulatedRecording:
    """A healthy person with three sensors at 100 Hz."""
    return rc.simulate("drinking", subject="H17", rig="three")


@pytest.fixture(scope="module")
def reflex() -> Iterator[Model]:
    """Counting takes a model that needs no network, so that it is fast."""
    model = cast(Model, ReflexModel())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bedside, "open_model", lambda which: Opened(model, "0" * 64))
        yield model


@pytest.fixture
def saved(person: rc.SimulatedRecording, tmp_path: Path) -> Path:
    return person.save(tmp_path / "one.rehab")

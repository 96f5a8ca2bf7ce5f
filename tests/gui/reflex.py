"""The engine tests' reflex in place of the shipped model, where a test wants events that follow from the recording."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from rehabcount.inference.runtime import Model
from tests.engine.oracle import TINY as TINY
from tests.engine.oracle import ReflexModel


def reflex(_: Path) -> Model:
    """In place of `open_model`."""
    return cast(Model, ReflexModel())

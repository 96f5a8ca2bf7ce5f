"""Fixtures for all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Real recordings to measure on; they are not part of the repository."""
    folder = Path(os.environ.get("REHABCOUNT_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no real data here: set REHABCOUNT_DATA to the folder that holds them")
    return folder

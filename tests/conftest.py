"""What tests of all packages share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real recordings, which is not part of the repository."""
    folder = Path(os.environ.get("REHABCOUNT_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data folder at {folder}; set REHABCOUNT_DATA")
    return folder

"""What tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no defect: examples have no time limit of their own.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real recordings, which is never committed: $REHABCOUNT_DATA, or ../shared/data beside the root."""
    folder = Path(os.environ.get("REHABCOUNT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no real recordings: set REHABCOUNT_DATA to the folder that holds them")
    return folder

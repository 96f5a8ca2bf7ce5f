"""What several test files share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real recordings: REHABCOUNT_DATA, or ../shared/data beside the repository."""
    folder = Path(os.environ.get("REHABCOUNT_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real recordings: {folder} does not exist")
    return folder

"""Keeps cache files of libraries in our folders, and removes telemetry files that a library left."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from rehabcount.bedside import APP
from rehabcount.store.telemetry_queue import remove_own_events


def keep_to_our_folders() -> None:
    """Call it before matplotlib and numba are loaded, which read the folder once. A folder set by the user stays."""
    cache = Path(platformdirs.user_cache_dir(APP, False))
    os.environ.setdefault("MPLCONFIGDIR", str(cache / "matplotlib"))
    os.environ.setdefault("NUMBA_CACHE_DIR", str(cache / "numba"))
    remove_own_events()

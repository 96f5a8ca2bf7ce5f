"""What libraries would leave in places of their own is kept in ours; what telemetry left there is removed."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from rehabcount.bedside import APP
from rehabcount.store.telemetry_queue import remove_own_events


def keep_to_our_folders() -> None:
    """Said before matplotlib and numba are loaded, which look once. A place that the user has chosen stays."""
    cache = Path(platformdirs.user_cache_dir(APP, False))
    os.environ.setdefault("MPLCONFIGDIR", str(cache / "matplotlib"))
    os.environ.setdefault("NUMBA_CACHE_DIR", str(cache / "numba"))
    remove_own_events()

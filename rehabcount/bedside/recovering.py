"""After a crash: the interrupted session is closed and counted to its end.

The record is complete up to the last commit; the counting may end a moment earlier. Counting the record again gives the
result of a session that ended at that commit.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from rehabcount.bedside.chosen_model import find_model
from rehabcount.bedside.config import Settings
from rehabcount.bedside.counting import Counted, count_file
from rehabcount.errors import ArtifactError, CalibrationError
from rehabcount.inference.artifact import SHIPPED, Artifact, Opened, find, open_model
from rehabcount.store.recovery import close_interrupted
from rehabcount.store.session_file import SessionFile


def recover_and_count(path: Path, settings: Settings) -> Counted | None:
    """Close the session and count it with the model that counted it; None if there is no model or nothing to count.

    The record is kept in that case, too, and can be counted later.
    """
    close_interrupted(path)
    artifact = _model_of(path, settings)
    if artifact is None:
        return None
    try:
        return count_file(path, Opened(open_model(artifact.folder), artifact.sha256), settings)
    except CalibrationError:
        return None


def _model_of(path: Path, settings: Settings) -> Artifact | None:
    """The artifact of the last counting, or else the default model."""
    with SessionFile.open(path) as file:
        countings = file.countings()
    with contextlib.suppress(ArtifactError):
        if countings:
            return find(countings[-1].model, [settings.models, SHIPPED])
    try:
        return find_model(settings)
    except ArtifactError:
        return None

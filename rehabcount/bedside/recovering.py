"""After a crash: the interrupted session is closed and counted to its end.

What was recorded is whole up to the last commit; what was counted may lag behind it by a moment. Counting the record
again gives what a session that had ended there would have shown.
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
    """Close the session and count it by the model that counted it; None where there is nothing to count with or in it.

    Nothing is lost then: it is recorded, and can be counted at any time.
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
    """The artifact of the last counting, or else the one that counts today."""
    with SessionFile.open(path) as file:
        countings = file.countings()
    with contextlib.suppress(ArtifactError):
        if countings:
            return find(countings[-1].model, [settings.models, SHIPPED])
    try:
        return find_model(settings)
    except ArtifactError:
        return None

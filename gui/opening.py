"""From a SessionSpec to a running session. Called in the session thread: it may take its time."""

from __future__ import annotations

from pathlib import Path

from rehabcount.errors import ArtifactMissing
from rehabcount.gui.desk import Desk, SessionSpec
from rehabcount.gui.session_thread import OnFrames, OnUpdate, Opener, Running


def opener_of(desk: Desk, spec: SessionSpec, path: Path) -> Opener:
    """What opens the session of `spec` into `path`."""

    def open_session(on_update: OnUpdate, on_frames: OnFrames) -> Running:
        artifact = desk.artifact()
        if artifact is None:
            raise ArtifactMissing("There is no model to count with.", advice="Choose one under Settings.")
        raise NotImplementedError

    return open_session

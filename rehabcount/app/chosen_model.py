"""The model that a command counts with: the shipped one unless another is named."""

from __future__ import annotations

from rehabcount.app.config import Settings
from rehabcount.errors import ArtifactMissing
from rehabcount.inference.artifact import SHIPPED, Artifact, Opened, find, open_model

DEFAULT_MODEL = "stream"


def find_model(settings: Settings, which: str = "") -> Artifact:
    """The artifact called `which`, or the default one; if there is none, what to do about it."""
    try:
        return find(which or DEFAULT_MODEL, [SHIPPED, settings.models])
    except ArtifactMissing as problem:
        if which:
            raise
        raise ArtifactMissing(
            "there is no model to count with.",
            advice=f"Put an artifact into {settings.models}, or make one: rehabcount simulate, train, models export.",
        ) from problem


def open_chosen(settings: Settings, which: str = "") -> Opened:
    """Found, verified and ready."""
    artifact = find_model(settings, which)
    return Opened(open_model(artifact.folder), artifact.sha256)

"""The model that counts: the one that was named, else the one that the settings fix, else the newest default there is.

A newer one of the default's name in the user's folder becomes the default: that is how a clinic's own training comes
into use. Wherever its counts are shown stands which model it was and that it is not the shipped one; `rehabcount models
use` and the window's settings fix the default against it.
"""

from __future__ import annotations

from rehabcount.bedside.config import Settings
from rehabcount.domain.message import Code, Message
from rehabcount.errors import ArtifactMissing
from rehabcount.inference.artifact import SHIPPED, Artifact, Opened, find, open_model

DEFAULT_MODEL = "stream"


def find_model(settings: Settings, which: str = "") -> Artifact:
    """The artifact called `which`, or the one that counts by default; if there is none, what to do about it."""
    try:
        return find(which or settings.model or DEFAULT_MODEL, [SHIPPED, settings.models])
    except ArtifactMissing as problem:
        if which:
            raise
        if settings.model:
            raise ArtifactMissing(
                Message.of(Code.NO_CHOSEN_MODEL, model=repr(settings.model)),
                advice=Message.of(Code.DO_MODEL_BACK),
            ) from problem
        raise ArtifactMissing(
            Message.of(Code.NO_MODEL),
            advice=Message.of(Code.DO_MAKE_MODEL, folder=str(settings.models)),
        ) from problem


def name_of(artifact: Artifact | Opened, settings: Settings) -> str:
    """What to call an artifact so that it and no other is found: its name and version, or its hash."""
    name = f"{artifact.card.name}-{artifact.card.version}"
    return name if find(name, [SHIPPED, settings.models]).sha256 == artifact.sha256 else artifact.sha256


def open_chosen(settings: Settings, which: str = "") -> Opened:
    """Found, verified and ready."""
    artifact = find_model(settings, which)
    return Opened(open_model(artifact.folder), artifact.sha256)

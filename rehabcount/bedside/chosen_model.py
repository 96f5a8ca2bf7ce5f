"""The model that counts: the one that was named, else the one in the settings, else the newest version of the default.

A newer version of the default model in the user's folder becomes the default; so a clinic can use a model that it
trained. Its counts are always shown with the model's name and the remark that it is not the shipped one. `rehabcount
models use` and the window's settings fix one model instead.
"""

from __future__ import annotations

from rehabcount.bedside.config import Settings
from rehabcount.domain.document import shown
from rehabcount.domain.message import Code, Message
from rehabcount.errors import ArtifactMissing
from rehabcount.inference.artifact import SHIPPED, Artifact, Opened, find, open_model

DEFAULT_MODEL = "stream"


def find_model(settings: Settings, which: str = "") -> Artifact:
    """The artifact called `which`, or the default one; the error says what to do if there is none."""
    try:
        return find(which or settings.model or DEFAULT_MODEL, [SHIPPED, settings.models])
    except ArtifactMissing as problem:
        if which:
            raise
        if settings.model:
            raise ArtifactMissing(
                Message.of(Code.NO_CHOSEN_MODEL, model=shown(settings.model)),
                advice=Message.of(Code.DO_MODEL_BACK),
            ) from problem
        raise ArtifactMissing(
            Message.of(Code.NO_MODEL),
            advice=Message.of(Code.DO_MAKE_MODEL, folder=str(settings.models)),
        ) from problem


def name_of(artifact: Artifact | Opened, settings: Settings) -> str:
    """A unique name of the artifact: its name and version, or its hash if that is not unique."""
    name = f"{artifact.card.name}-{artifact.card.version}"
    return name if find(name, [SHIPPED, settings.models]).sha256 == artifact.sha256 else artifact.sha256


def open_chosen(settings: Settings, which: str = "") -> Opened:
    """The chosen model, verified and ready."""
    artifact = find_model(settings, which)
    return Opened(open_model(artifact.folder), artifact.sha256)

"""An interrupted session is counted by the model that counted it, or by the default model."""

from __future__ import annotations

from pathlib import Path

import pytest

from rehabcount.bedside import recovering
from rehabcount.bedside.config import Settings
from rehabcount.domain.rig import Side, make_rig
from rehabcount.errors import ArtifactMissing
from rehabcount.store.session_file import SessionFile


@pytest.mark.parametrize("counted", [False, True])
def test_the_model_that_is_chosen_counts_where_none_has_or_that_one_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted: bool
) -> None:
    path = tmp_path / "a.rehab"
    with SessionFile.create(path, make_rig("one", Side.LEFT, "generic", 100.0)) as session:
        if counted:
            session.begin_counting("ab" * 32)
    asked: list[str] = []

    def find(settings: Settings, which: str = "") -> None:
        asked.append(which or settings.model)
        raise ArtifactMissing("nowhere")

    monkeypatch.setattr(recovering, "find_model", find)
    settings = Settings(str(tmp_path), model="mine")
    assert recovering.recover_and_count(path, settings) is None
    assert asked == ["mine"]

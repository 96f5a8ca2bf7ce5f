"""Blended weights: between the two, the ends themselves, and nothing of another shape. Needs torch."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

import torch

from rehabcount.errors import ModelMismatch
from rehabcount.models.blend import blend
from rehabcount.models.data import TrainingSet
from rehabcount.models.train import TrainSettings, train
from rehabcount.models.trained import load_trained


@pytest.fixture
def trained(small_set: TrainingSet, tmp_path: Path) -> Path:
    train(small_set, TrainSettings("stream", "tiny", length_s=4.0, epochs=1, batch=4), tmp_path / "run")
    return tmp_path / "run" / "checkpoint.pt"


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_weights_lie_between(trained: Path, tmp_path: Path, share: float) -> None:
    own = load_trained(trained).network.state_dict()
    other = {name: tensor + 1.0 for name, tensor in own.items() if not name.startswith("sequence.")}
    found = load_trained(blend(trained, other, share, tmp_path / "blend")).network.state_dict()
    for name, tensor in found.items():
        moved = 0.0 if name.startswith("sequence.") else 1 - share  # a head that only the checkpoint has
        assert torch.allclose(tensor, own[name] + moved, atol=1e-6)


def test_another_shape_and_a_share_out_of_range_are_refused(trained: Path, tmp_path: Path) -> None:
    own = load_trained(trained).network.state_dict()
    with pytest.raises(ModelMismatch):
        blend(trained, {**own, "labels.weight": torch.zeros(7, 7)}, 0.5, tmp_path / "blend")
    with pytest.raises(ValueError, match="share"):
        blend(trained, own, 1.5, tmp_path / "blend")
    assert not (tmp_path / "blend").exists()

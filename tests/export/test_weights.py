"""A training can start from an artifact: its weights are those that were packed."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="export needs the extra `train`")
pytest.importorskip("onnx", reason="export needs the extra `train`")

import torch

from rehabcount.errors import ModelMismatch
from rehabcount.export.onnx import graph_of, write_onnx
from rehabcount.export.weights import weights_of
from rehabcount.models.catalogue import CATALOGUE, settings_of
from rehabcount.models.train import start_from

TRAINING_ALONE = {"stream": {"sequence.weight", "sequence.bias"}}


@pytest.mark.parametrize("name", ["stream", "raw2seq", "mstcn", "asrf"])
def test_what_was_exported_comes_back(name: str, tmp_path: Path) -> None:
    chosen = settings_of(name, "tiny", 6, 4, {})
    torch.manual_seed(1)
    network = CATALOGUE[name].network(chosen)
    with torch.no_grad():
        for weight in network.parameters():  # fresh ones are alike in places, and the exporter keeps one of them
            weight.copy_(torch.randn(weight.shape))
    path = tmp_path / "model.onnx"
    write_onnx(path, graph_of(network, 50.0), name, "1.0")
    found = weights_of(path)
    expected = network.state_dict()
    assert set(expected) - set(found) == TRAINING_ALONE.get(name, set())
    assert all(torch.equal(found[key], expected[key]) for key in found)
    torch.manual_seed(2)
    other = CATALOGUE[name].network(chosen)
    start_from(other, found)
    assert all(torch.equal(other.state_dict()[key], expected[key]) for key in found)
    del found[next(name for name in found if name.endswith("weight"))]
    with pytest.raises(ModelMismatch):
        start_from(other, found)

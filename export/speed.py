"""A network as two calls on the same input, to measure the speed of torch and of onnxruntime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from numpy.typing import NDArray

from rehabcount.export.onnx import Graph


def torch_call(graph: Graph, steps: int) -> tuple[Callable[[], object], dict[str, NDArray[Any]]]:
    """(a call of torch on one thread, the same input by name). `steps` holds where the graph leaves the time free."""
    torch.set_num_threads(1)
    example = list(graph.example)
    if graph.free_time:
        example[0] = torch.randn(1, steps, example[0].shape[2])

    def call() -> object:
        with torch.no_grad():
            return graph.module(*example)

    return call, {name: tensor.numpy() for name, tensor in zip(graph.inputs, example, strict=True)}

"""A network's weights back out of an artifact, so that a training can go on from a model whose checkpoint is elsewhere.

In: the `model.onnx` that `onnx.py` wrote. Out: torch's state dictionary. The tracing exporter keeps most tensors under
their names; it turns the matrices of linear layers round, and puts the gates of a GRU in another order and both of
its biases into one. A head that is used in training alone (CTC) is not in the graph, and not in the result; nor is a
tensor that equals another to the last bit, of which the exporter keeps one (trained ones never do).
`models.train.start_from` refuses weights that lack anything else.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

DIRECTIONS = ("", "_reverse")
WRAPPED = "network."  # what `FrameScores` puts before the names of the network inside it


def weights_of(path: Path) -> dict[str, Tensor]:
    """Every tensor of the network under the name that it has in torch."""
    graph = onnx.load(str(path)).graph
    arrays = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    found = {name: array for name, array in arrays.items() if not name.startswith("onnx::")}
    turned = {node.output[0]: arrays[node.input[1]] for node in graph.node if _is_linear(node, arrays)}
    for node in graph.node:
        if node.op_type == "GRU":
            module = node.name.strip("/").rpartition("/")[0].replace("/", ".")
            found |= _gru(module, *(arrays[name] for name in node.input[1:4]))
        elif node.op_type == "Add":
            # The exporter renames a layer's matrix, but not the bias that is added to its product.
            bias = next((name for name in node.input if name.endswith(".bias")), None)
            product = next((turned[name] for name in node.input if name in turned), None)
            if bias is not None and product is not None:
                found[bias.removesuffix("bias") + "weight"] = product.T
    return {name.removeprefix(WRAPPED): torch.from_numpy(np.array(array)) for name, array in found.items()}


def _is_linear(node: onnx.NodeProto, arrays: dict[str, np.ndarray]) -> bool:
    return node.op_type == "MatMul" and node.input[1] in arrays


def _gru(module: str, inputs: np.ndarray, hidden: np.ndarray, biases: np.ndarray) -> dict[str, np.ndarray]:
    """ONNX has the gates as update, reset, new; torch as reset, update, new."""
    found = {}
    for direction, end in enumerate(DIRECTIONS[: len(inputs)]):
        both = np.split(biases[direction], 2)
        for name, array in (
            ("weight_ih", inputs[direction]),
            ("weight_hh", hidden[direction]),
            ("bias_ih", both[0]),
            ("bias_hh", both[1]),
        ):
            update, reset, new = np.split(array, 3)
            found[f"{module}.{name}_l0{end}"] = np.concatenate([reset, update, new])
    return found

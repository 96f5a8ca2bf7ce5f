"""A trained network as an ONNX graph: the shapes are those of the bedside, the arithmetic is torch's own tracing.

    stream    one chunk and the state -> label log-probabilities, onset logits, the next state
    frames    rows of any number -> label log-probabilities, and boundary logits where the network has them
    sequence  one window and the label before it -> symbol log-probabilities (greedy, unrolled), label log-probabilities
              and onset logits of its frames

The tracing exporter (`dynamo=False`) is used on purpose: it keeps GRUs whole, takes seconds instead of minutes, and
allows a free time axis. Its deprecation is silenced here; torch is pinned, and parity is measured at every export.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn

from rehabcount.errors import ConfigError
from rehabcount.inference import card
from rehabcount.inference.card import Kind
from rehabcount.models.asrf import Asrf
from rehabcount.models.mstcn import Mstcn
from rehabcount.models.network import Network
from rehabcount.models.raw2seq import Raw2seq
from rehabcount.models.seg2seq import Seg2seq
from rehabcount.models.stream import StreamNetwork

OPSET = 17
CHUNK_S = 0.1  # the bedside feeds a tenth of a second at a time


class FrameScores(nn.Module):
    """MS-TCN or ASRF without masks: every row given is a row recorded."""

    def __init__(self, network: Mstcn | Asrf) -> None:
        super().__init__()
        self.network = network

    def forward(self, inputs: Tensor) -> tuple[Tensor, ...]:
        mask = torch.ones_like(inputs[:, :, 0], dtype=torch.bool)
        if isinstance(self.network, Asrf):
            labels, boundaries = self.network(inputs, mask)
            return torch.log_softmax(labels[-1], dim=1).transpose(1, 2), boundaries[-1][:, 0]
        return (torch.log_softmax(self.network(inputs, mask)[-1], dim=1).transpose(1, 2),)


@dataclass(frozen=True, slots=True)
class Graph:
    """What is traced: a module, an example of its arguments, and their names."""

    kind: Kind
    module: nn.Module
    example: tuple[Tensor, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    chunk_steps: int
    free_time: bool = False


def graph_of(network: Network, rate_hz: float) -> Graph:
    """How this network is run at the bedside; `rate_hz` is that of its steps."""
    network.eval()
    width = int(network.settings.width)
    if isinstance(network, StreamNetwork):
        if network.settings.bidirectional:
            raise ValueError("a bidirectional stream sees the whole trial: it has no place at the bedside")
        stride = network.settings.stride
        steps = max(1, round(CHUNK_S * rate_hz / stride)) * stride
        state = network.start()
        names = tuple(f"state{i}" for i in range(len(state)))
        return Graph(
            Kind.STREAM,
            network,
            (torch.randn(1, steps, width), *state),
            ("chunk", *names),
            ("labels", "onset", *(f"next_{name}" for name in names)),
            steps,
        )
    if isinstance(network, Seg2seq):
        raise ValueError("Seg2seq reads another network's output: alone it has no place at the bedside")
    if isinstance(network, Raw2seq):
        steps = network.settings.length
        example = (torch.randn(1, steps, width), torch.tensor([network.end]))
        return Graph(Kind.SEQUENCE, network, example, ("window", "previous"), ("symbols", "labels", "onset"), steps)
    if isinstance(network, Mstcn | Asrf):
        outputs = ("labels", "boundary") if isinstance(network, Asrf) else ("labels",)
        module = FrameScores(network)
        module.eval()
        return Graph(Kind.FRAMES, module, (torch.randn(1, 64, width),), ("rows",), outputs, 0, free_time=True)
    raise ConfigError(
        f"{type(network).__name__} reads the whole trial: it is for comparisons, not for the bedside.",
        advice="Export stream, raw2seq, mstcn or asrf.",
    )


def write_onnx(path: Path, graph: Graph, name: str, version: str) -> None:
    """Trace the graph into `path`, with name and version in its metadata."""
    axes = {each: {1: "time"} for each in (*graph.inputs, *graph.outputs)} if graph.free_time else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer's deprecation, and remarks on shapes that are constant on purpose
        torch.onnx.export(
            graph.module,
            graph.example,
            str(path),
            input_names=list(graph.inputs),
            output_names=list(graph.outputs),
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
    model = onnx.load(str(path))
    for key, value in (("name", name), ("version", version)):
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def signature(path: Path) -> tuple[tuple[card.Tensor, ...], tuple[card.Tensor, ...]]:
    """Names and shapes as they stand in the file."""
    model = onnx.load(str(path), load_external_data=False)

    def tensors(values: object) -> tuple[card.Tensor, ...]:
        found = []
        for value in values:  # type: ignore[attr-defined]
            shape = value.type.tensor_type.shape.dim
            found.append(card.Tensor(value.name, tuple(d.dim_value if d.HasField("dim_value") else -1 for d in shape)))
        return tuple(found)

    return tensors(model.graph.input), tensors(model.graph.output)

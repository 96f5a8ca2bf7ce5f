"""MS-TCN: a label for every frame, refined over several stages of dilated convolutions.

Farha and Gall, MS-TCN, CVPR 2019. Each stage is a 1x1 convolution, residual layers of dilation 1, 2, 4, ..., and a 1x1
convolution to the labels; later stages see the softmax of the stage before only. The loss, summed over stages, is cross
entropy and 0.15 times the squared change of log-probability between neighbouring frames, clipped at 16.

Departures: AdamW with a schedule and mini-batches of stretches instead of one video at a time (train.py); label
smoothing. The smoothing-window row of StrokeRehab is `rehabcount.inference.spans.smoothed` on these probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rehabcount.models.batches import Batch
from rehabcount.models.network import Estimate, Network, frame_estimate, smoothed_targets

CHANGE_WEIGHT = 0.15  # lambda of the paper
LARGEST_CHANGE = 16.0  # tau = 4, squared


@dataclass(frozen=True, slots=True)
class MstcnSettings:
    width: int
    labels: int
    stages: int = 3
    layers: int = 8
    maps: int = 64
    dropout: float = 0.5
    label_smoothing: float = 0.1


PRESETS: dict[str, dict[str, float]] = {
    "default": {},
    "tiny": {"stages": 2, "layers": 3, "maps": 8},
    "paper": {"stages": 4, "layers": 10, "maps": 64, "label_smoothing": 0.0},
}


class Residual(nn.Module):
    """One dilated layer: convolution of length 3, relu, 1x1, dropout, added to its input."""

    def __init__(self, maps: int, dilation: int, dropout: float) -> None:
        super().__init__()
        self.dilated = nn.Conv1d(maps, maps, 3, padding=dilation, dilation=dilation)
        self.mix = nn.Conv1d(maps, maps, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return (x + self.dropout(self.mix(torch.relu(self.dilated(x))))) * mask


class Stage(nn.Module):
    """1x1 in, dilated layers, and one 1x1 head for each entry of `outputs`."""

    def __init__(self, width: int, outputs: tuple[int, ...], layers: int, maps: int, dropout: float) -> None:
        super().__init__()
        self.enter = nn.Conv1d(width, maps, 1)
        self.layers = nn.ModuleList([Residual(maps, 2**layer, dropout) for layer in range(layers)])
        self.heads = nn.ModuleList([nn.Conv1d(maps, output, 1) for output in outputs])

    def forward(self, x: Tensor, mask: Tensor) -> list[Tensor]:
        x = self.enter(x) * mask  # (batch, maps, time)
        for layer in self.layers:
            x = layer(x, mask)
        return [head(x) * mask for head in self.heads]


class StagedNetwork(Network):
    """A network whose forward(inputs, mask) gives the logits of every stage, each (batch, labels, time)."""

    def loss(self, batch: Batch, progress: float) -> Tensor:
        labels = batch.labels.masked_fill(~batch.mask, -1)
        total = batch.inputs.new_zeros(())
        for logits in self(batch.inputs, batch.mask):
            total = total + smoothed_targets(logits, labels, self.settings.label_smoothing)
            total = total + CHANGE_WEIGHT * change_loss(logits, batch.mask)
        return total

    def estimate(self, inputs: NDArray[np.float32]) -> Estimate:
        return frame_estimate(self, inputs)


class Mstcn(StagedNetwork):
    def __init__(self, settings: MstcnSettings) -> None:
        super().__init__()
        s = self.settings = settings
        widths = [s.width] + [s.labels] * (s.stages - 1)
        self.stages = nn.ModuleList([Stage(width, (s.labels,), s.layers, s.maps, s.dropout) for width in widths])

    def forward(self, inputs: Tensor, mask: Tensor) -> list[Tensor]:
        """Logits of every stage, each (batch, labels, time)."""
        x, seen = inputs.transpose(1, 2), mask[:, None].to(inputs.dtype)
        out: list[Tensor] = []
        for stage in self.stages:
            out.append(stage(x, seen)[0])
            x = torch.softmax(out[-1], dim=1) * seen
        return out


def change_loss(logits: Tensor, mask: Tensor) -> Tensor:
    """Mean clipped squared change of log-probability; the gradient flows through the later frame only."""
    scores = torch.log_softmax(logits, dim=1)
    change = (scores[:, :, 1:] - scores[:, :, :-1].detach()).square().clamp(max=LARGEST_CHANGE)
    seen = mask[:, None, 1:].to(logits.dtype)
    return (change * seen).sum() / (seen.sum() * logits.shape[1]).clamp(min=1.0)

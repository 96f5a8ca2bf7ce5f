"""MS-TCN++: labels from layers that look near and far at once, refined over further stages.

Li et al., MS-TCN++, TPAMI 2020. The first stage projects the features to 64 channels; each of its layers has two
dilated convolutions, one whose dilation doubles from layer to layer and one whose dilation halves, joined by a 1x1
convolution. Refinement stages are those of MS-TCN (mstcn.py) and read the softmax of the stage before. The loss is
MS-TCN's, summed over stages.

Departures: as in mstcn.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from rehabcount.models.mstcn import Stage, StagedNetwork


@dataclass(frozen=True, slots=True)
class MstcnppSettings:
    width: int
    labels: int
    layers: int = 11  # of the first stage
    refinements: int = 3
    refinement_layers: int = 10
    maps: int = 64  # of the projection
    filters: int = 64  # of every layer
    dropout: float = 0.5
    label_smoothing: float = 0.1


PRESETS: dict[str, dict[str, float]] = {
    "default": {},
    "tiny": {"layers": 4, "refinements": 1, "refinement_layers": 3, "maps": 8, "filters": 8},
    "paper": {"label_smoothing": 0.0},
}


class DualLayer(nn.Module):
    """Two dilated convolutions side by side, joined, relu, dropout, added to the input."""

    def __init__(self, maps: int, near: int, far: int, dropout: float) -> None:
        super().__init__()
        self.near = nn.Conv1d(maps, maps, 3, padding=near, dilation=near)
        self.far = nn.Conv1d(maps, maps, 3, padding=far, dilation=far)
        self.join = nn.Conv1d(2 * maps, maps, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        both = torch.cat([self.near(x), self.far(x)], dim=1)
        return (x + self.dropout(torch.relu(self.join(both)))) * mask


class Mstcnpp(StagedNetwork):
    def __init__(self, settings: MstcnppSettings) -> None:
        super().__init__()
        s = self.settings = settings
        self.project = nn.Conv1d(s.width, s.maps, 1)
        self.enter = nn.Conv1d(s.maps, s.filters, 1)
        self.layers = nn.ModuleList(
            [DualLayer(s.filters, 2**layer, 2 ** (s.layers - 1 - layer), s.dropout) for layer in range(s.layers)]
        )
        self.labels = nn.Conv1d(s.filters, s.labels, 1)
        self.stages = nn.ModuleList(
            [Stage(s.labels, (s.labels,), s.refinement_layers, s.filters, s.dropout) for _ in range(s.refinements)]
        )

    def forward(self, inputs: Tensor, mask: Tensor) -> list[Tensor]:
        """Logits of every stage, each (batch, labels, time)."""
        seen = mask[:, None].to(inputs.dtype)
        x = self.enter(self.project(inputs.transpose(1, 2))) * seen
        for layer in self.layers:
            x = layer(x, seen)
        out = [self.labels(x) * seen]
        for stage in self.stages:
            out.append(stage(torch.softmax(out[-1], dim=1) * seen, seen)[0])
        return out


def reach_of(settings: MstcnppSettings) -> int:
    """So many frames before and after a frame can change its label."""
    first = sum(max(2**layer, 2 ** (settings.layers - 1 - layer)) for layer in range(settings.layers))
    return first + settings.refinements * (2**settings.refinement_layers - 1)

"""ED-TCN: a label for every frame from convolutions that halve the rate and double it again.

Lea et al., Temporal Convolutional Networks for Action Segmentation and Detection, CVPR 2017, in the size of GAIN: the
features are projected to 64 channels, then five encoder layers and five decoder layers with filters of length 25. An
encoder layer is convolution, dropout of whole channels, relu, division by the frame's largest channel, pooling by 2; a
decoder layer repeats every step once and goes on like an encoder layer without pooling.

Steps beyond an example's end are zero in every layer, so padding changes nothing.

Departures: AdamW with a schedule and mini-batches of stretches (train.py); label smoothing; as many filters in every
layer; batch normalisation after each convolution. Without it the ten layers did not learn more than the most frequent
step in the few hundred gradient steps of our comparison (Lea et al. have two layers each way, and 200 epochs).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from rehabcount.models.network import FrameNetwork

SMALLEST = 1e-5  # added to a frame's largest channel before the division


@dataclass(frozen=True, slots=True)
class EdtcnSettings:
    width: int
    labels: int
    maps: int = 64  # of the projection
    filters: int = 64  # of every layer
    layers: int = 5  # each way
    kernel: int = 25
    dropout: float = 0.3
    label_smoothing: float = 0.1


PRESETS: dict[str, dict[str, float]] = {
    "default": {},
    "tiny": {"maps": 8, "filters": 8, "layers": 2, "kernel": 5},
    "paper": {"label_smoothing": 0.0},
}


class ScaledConvolution(nn.Module):
    """Convolution, batch normalisation, dropout of channels, relu, each frame divided by its largest channel."""

    def __init__(self, entering: int, maps: int, kernel: int, dropout: float) -> None:
        super().__init__()
        self.convolution = nn.Conv1d(entering, maps, kernel, padding=kernel // 2, bias=False)
        self.norm = nn.BatchNorm1d(maps)
        self.dropout = nn.Dropout1d(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = torch.relu(self.dropout(self.norm(self.convolution(x))))
        return x / (x.amax(dim=1, keepdim=True) + SMALLEST) * mask


class Edtcn(FrameNetwork):
    def __init__(self, settings: EdtcnSettings) -> None:
        super().__init__()
        s = self.settings = settings
        if s.kernel % 2 == 0:
            raise ValueError(f"kernel must be odd, not {s.kernel}")
        self.project = nn.Conv1d(s.width, s.maps, 1)
        widths = [s.maps] + [s.filters] * (2 * s.layers - 1)
        layers = [ScaledConvolution(width, s.filters, s.kernel, s.dropout) for width in widths]
        self.encoder, self.decoder = nn.ModuleList(layers[: s.layers]), nn.ModuleList(layers[s.layers :])
        self.labels = nn.Conv1d(s.filters, s.labels, 1)

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """Logits, (batch, labels, time)."""
        x, masks = padded(inputs, mask, self.settings.layers)
        x = self.project(x) * masks[0]
        for layer, seen in zip(self.encoder, masks, strict=False):
            x = nn.functional.max_pool1d(layer(x, seen), 2)
        for layer, seen in zip(self.decoder, masks[-2::-1], strict=True):
            x = layer(x.repeat_interleave(2, dim=2), seen)
        logits: Tensor = self.labels(x) * masks[0]
        return logits[:, :, : inputs.shape[1]]


def padded(inputs: Tensor, mask: Tensor, halvings: int) -> tuple[Tensor, list[Tensor]]:
    """Inputs as (batch, width, time) with a time that can be halved so often, and the mask at every rate."""
    more = -inputs.shape[1] % 2**halvings
    x = nn.functional.pad(inputs.transpose(1, 2), (0, more))
    masks = [nn.functional.pad(mask[:, None].to(inputs.dtype), (0, more))]
    for _ in range(halvings):
        masks.append(nn.functional.max_pool1d(masks[-1], 2))
    return x, masks


def reach_of(layers: int, kernel: int) -> int:
    """At most so many frames before and after a frame can change its label."""
    encoder = sum((kernel // 2) * 2**layer for layer in range(layers))
    decoder = sum((kernel // 2) * 2**layer for layer in range(layers))
    return encoder + decoder + 2 ** (layers + 1)  # a pooled step covers 2, 4, ... frames

"""TResNet: ED-TCN beside a residual stream that keeps the full rate.

GAIN's baseline after He et al. 2016 and Lei & Todorovic, CVPR 2018, with ED-TCN's numbers: the features, projected to
64 channels, are the residual stream. Each of the five encoder and five decoder layers reads its own stream at its own
rate together with the residual stream pooled to that rate, and adds a 1x1 convolution of what it finds to the residual
stream, from which the labels are read. Lei & Todorovic's convolutions are deformable; these are ordinary ones, as in
their comparison without deformation.

Departures: as in edtcn.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from rehabcount.models.edtcn import PRESETS as EDTCN_PRESETS
from rehabcount.models.edtcn import EdtcnSettings, ScaledConvolution, padded
from rehabcount.models.network import FrameNetwork

PRESETS = EDTCN_PRESETS


@dataclass(frozen=True, slots=True)
class TresnetSettings(EdtcnSettings):
    """As ED-TCN's; the projection is the residual stream."""


class Tresnet(FrameNetwork):
    def __init__(self, settings: TresnetSettings) -> None:
        super().__init__()
        s = self.settings = settings
        if s.kernel % 2 == 0:
            raise ValueError(f"kernel must be odd, not {s.kernel}")
        self.project = nn.Conv1d(s.width, s.maps, 1)
        widths = [2 * s.maps] + [s.maps + s.filters] * (2 * s.layers - 1)
        self.layers = nn.ModuleList([ScaledConvolution(width, s.filters, s.kernel, s.dropout) for width in widths])
        self.back = nn.ModuleList([nn.Conv1d(s.filters, s.maps, 1) for _ in widths])
        self.labels = nn.Conv1d(s.maps, s.labels, 1)

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """Logits, (batch, labels, time)."""
        s = self.settings
        x, masks = padded(inputs, mask, s.layers)
        stream = self.project(x) * masks[0]  # (batch, maps, time), the residual stream
        x = stream
        # Encoder layers work at rates 0, 1, ... and are pooled afterwards; decoder layers are doubled first.
        rates = [*range(s.layers), *reversed(range(s.layers))]
        for number, (rate, layer, back) in enumerate(zip(rates, self.layers, self.back, strict=True)):
            if number >= s.layers:
                x = x.repeat_interleave(2, dim=2)
            pooled = nn.functional.max_pool1d(stream, 2**rate) if rate else stream
            x = layer(torch.cat([x, pooled * masks[rate]], dim=1), masks[rate])
            stream = (stream + back(x).repeat_interleave(2**rate, dim=2)) * masks[0]
            if number < s.layers:
                x = nn.functional.max_pool1d(x, 2)
        logits: Tensor = self.labels(stream) * masks[0]
        return logits[:, :, : inputs.shape[1]]

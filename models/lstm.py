"""LSTM: a label for every frame from one bidirectional LSTM over the whole trial. Offline.

The baseline of GAIN (Li et al., On the Generalization of Instructional Action Understanding), after Hochreiter and
Schmidhuber 1997: a 1x1 convolution projects the features to `maps` channels, an LSTM reads them in both directions, and
a linear layer gives the labels. The paper gives no size; 64 units are those of Lea et al.'s code.

Departures: AdamW with a schedule and mini-batches of stretches (train.py); label smoothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from rehabcount.models.network import FrameNetwork


@dataclass(frozen=True, slots=True)
class LstmSettings:
    width: int
    labels: int
    maps: int = 64  # of the projection
    hidden: int = 64  # of each direction
    dropout: float = 0.3
    label_smoothing: float = 0.1


PRESETS: dict[str, dict[str, float]] = {
    "default": {},
    "tiny": {"maps": 8, "hidden": 8},
    "paper": {"label_smoothing": 0.0},
}


class LstmNetwork(FrameNetwork):
    def __init__(self, settings: LstmSettings) -> None:
        super().__init__()
        s = self.settings = settings
        self.project = nn.Conv1d(s.width, s.maps, 1)
        self.forwards, self.backwards = (nn.LSTM(s.maps, s.hidden, batch_first=True) for _ in range(2))
        self.dropout = nn.Dropout(s.dropout)
        self.labels = nn.Linear(2 * s.hidden, s.labels)

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """Logits, (batch, labels, time). The backward direction begins at an example's own last step."""
        x = self.project(inputs.transpose(1, 2)).transpose(1, 2)  # (batch, time, maps)
        turned = _turned(mask)[:, :, None]
        back, _ = self.backwards(x.gather(1, turned.expand_as(x)))
        back = back.gather(1, turned.expand_as(back))
        x = torch.cat([self.forwards(x)[0], back], dim=2)
        logits: Tensor = self.labels(self.dropout(x)).transpose(1, 2)
        return logits * mask[:, None]


def _turned(mask: Tensor) -> Tensor:
    """(batch, time): each example's own steps from last to first, then its padding as it is. Packed sequences do the
    same, at three times the cost."""
    time, length = torch.arange(mask.shape[1]), mask.sum(dim=1, keepdim=True)
    return torch.where(time < length, length - 1 - time, time)

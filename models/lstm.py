"""LSTM: a label for every frame from one bidirectional LSTM over the whole trial. Offline.

The baseline of GAIN (Li et al., On the Generalization of Instructional Action Understanding), after Hochreiter and
Schmidhuber 1997: a 1x1 convolution projects the features to `maps` channels, an LSTM reads them in both directions, and
a linear layer gives the labels. The paper gives no size; 64 units are those of Lea et al.'s code.

Departures: AdamW with a schedule and mini-batches of stretches (train.py); label smoothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from rehabcount.models.batches import Batch
from rehabcount.models.network import Estimate, Network, frame_estimate, smoothed_targets


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


class LstmNetwork(Network):
    def __init__(self, settings: LstmSettings) -> None:
        super().__init__()
        s = self.settings = settings
        self.project = nn.Conv1d(s.width, s.maps, 1)
        self.lstm = nn.LSTM(s.maps, s.hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(s.dropout)
        self.labels = nn.Linear(2 * s.hidden, s.labels)

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """Logits, (batch, labels, time). The backward direction begins at an example's own last step."""
        x = self.project(inputs.transpose(1, 2)).transpose(1, 2)  # (batch, time, maps)
        if bool(mask.all()):
            x, _ = self.lstm(x)
        else:
            packed = pack_padded_sequence(x, mask.sum(dim=1), batch_first=True, enforce_sorted=False)
            x, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=inputs.shape[1])
        logits: Tensor = self.labels(self.dropout(x)).transpose(1, 2)
        return logits * mask[:, None]

    def loss(self, batch: Batch, progress: float) -> Tensor:
        labels = batch.labels.masked_fill(~batch.mask, -1)
        return smoothed_targets(self(batch.inputs, batch.mask), labels, self.settings.label_smoothing)

    def estimate(self, inputs: NDArray[np.float32]) -> Estimate:
        return frame_estimate(self, inputs)

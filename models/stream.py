"""stream: the live recogniser, causal and with a state; each output has a fixed look-ahead.

Chunks of rows in (100 ms at the bedside), scores out: a frame is `stride` steps, and the frame that comes out now is
`lookahead` frames old, so the network has seen that much of what followed. A convolution with stride, two more causal
ones, GRUs, three heads:

    labels    which movement this frame belongs to
    onset     whether a movement begins here, which separates two reaches in a row
    sequence  CTC over the whole stretch, in training only: pulls the encoding towards the order of movements

The scores go to the fixed-lag decoder (`rehabcount.inference.duration_hmm`). Delay of an end: one chunk, the
look-ahead, and the decoder's lag.

State is explicit: `step(chunk, *state)` gives scores and the next state, and any chopping gives the same scores as one
pass (tested). Convolutions keep their last inputs, GRUs their hidden vectors; all zeros is the start of a session.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rehabcount.inference.spans import spans_of
from rehabcount.models.batches import Batch, frames_of
from rehabcount.models.network import ONSET_PRIOR_LOGIT, Estimate, Network, one_trial, onset_loss, smoothed_targets

ONSET_LOSS_WEIGHT = 1.0
SEQUENCE_LOSS_WEIGHT = 0.2


@dataclass(frozen=True, slots=True)
class StreamSettings:
    width: int
    labels: int
    stride: int = 5  # steps a frame: 20 frames a second from 100
    lookahead: int = 10  # frames: 500 ms
    maps: int = 96
    hidden: int = 128
    layers: int = 2
    dropout: float = 0.3
    label_smoothing: float = 0.1
    bidirectional: bool = False  # sees the whole trial: for offline use and as a teacher, not for the bedside


PRESETS: dict[str, dict[str, float]] = {
    "default": {},
    "tiny": {"maps": 8, "hidden": 8, "layers": 1, "stride": 2, "lookahead": 2},
    "large": {"maps": 128, "hidden": 256},
}
KERNEL = 3


class StreamNetwork(Network):
    def __init__(self, settings: StreamSettings) -> None:
        super().__init__()
        s = self.settings = settings
        self.enter = nn.Conv1d(s.width, s.maps, 2 * s.stride, stride=s.stride)
        self.more = nn.ModuleList([nn.Conv1d(s.maps, s.maps, KERNEL) for _ in range(2)])
        self.norms = nn.ModuleList([nn.LayerNorm(s.maps) for _ in range(3)])
        both = s.bidirectional
        wide = s.hidden * (1 + both)
        self.grus = nn.ModuleList(
            [
                nn.GRU(s.maps if i == 0 else wide, s.hidden, batch_first=True, bidirectional=both)
                for i in range(s.layers)
            ]
        )
        self.dropout = nn.Dropout(s.dropout)
        self.labels = nn.Linear(wide, s.labels)
        self.onset = nn.Linear(wide, 1)
        self.sequence = nn.Linear(wide, s.labels + 1)  # the last symbol is CTC's blank
        nn.init.constant_(self.onset.bias, ONSET_PRIOR_LOGIT)

    def start(self, batch: int = 1) -> list[Tensor]:
        """The state at the beginning of a session: the inputs that each convolution still needs, the GRUs' vectors."""
        s = self.settings
        return [
            torch.zeros(batch, s.stride, s.width),
            *(torch.zeros(batch, KERNEL - 1, s.maps) for _ in self.more),
            *(torch.zeros(1 + s.bidirectional, batch, s.hidden) for _ in self.grus),
        ]

    def encode(self, chunk: Tensor, state: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """(batch, steps, width) -> (batch, steps / stride, hidden), and the state afterwards."""
        new = []
        x = torch.cat([state[0], chunk], dim=1)
        new.append(x[:, -self.settings.stride :])
        x = torch.relu(self.norms[0](self.enter(x.transpose(1, 2)).transpose(1, 2)))  # (batch, frames, maps)
        for i, convolution in enumerate(self.more):
            padded = torch.cat([state[1 + i], x], dim=1)
            new.append(padded[:, -(KERNEL - 1) :])
            x = x + torch.relu(self.norms[1 + i](convolution(padded.transpose(1, 2)).transpose(1, 2)))
        for i, gru in enumerate(self.grus):
            x, hidden = gru(self.dropout(x), state[1 + len(self.more) + i])
            new.append(hidden)
        return self.dropout(x), new

    def forward(self, chunk: Tensor, *state: Tensor) -> tuple[Tensor, ...]:
        """One step: label log-probabilities (batch, frames, labels), onset logits (batch, frames), the next state."""
        x, new = self.encode(chunk, list(state))
        return torch.log_softmax(self.labels(x), dim=2), self.onset(x)[:, :, 0], *new

    def loss(self, batch: Batch, progress: float) -> Tensor:
        s = self.settings
        steps = batch.inputs.shape[1] // s.stride * s.stride
        # Zeros for the look-ahead past the end, as at the end of a session.
        inputs = nn.functional.pad(batch.inputs[:, :steps], (0, 0, 0, s.lookahead * s.stride))
        x = self.encode(inputs, self.start(len(inputs)))[0][:, s.lookahead :]  # frame t with its look-ahead
        labels, onsets = frames_of(batch, s.stride)
        total = smoothed_targets(self.labels(x).transpose(1, 2), labels, s.label_smoothing)
        total = total + ONSET_LOSS_WEIGHT * onset_loss(self.onset(x)[:, :, 0], onsets, labels)
        return total + SEQUENCE_LOSS_WEIGHT * self.sequence_loss(x, labels, onsets)

    def sequence_loss(self, x: Tensor, labels: Tensor, onsets: Tensor) -> Tensor:
        """CTC over the labelled frames, wherever they lie; the target is the label of every onset."""
        known = labels >= 0
        begins = onsets & known
        lengths = begins.sum(dim=1)
        frames = known.sum(dim=1).clamp(min=1)
        first = torch.argsort(
            (~known).to(torch.uint8), dim=1, stable=True
        )  # labelled frames, in order, then the others
        scores = torch.log_softmax(self.sequence(x), dim=2).gather(
            1, first[:, :, None].expand(-1, -1, self.settings.labels + 1)
        )
        scores = scores.transpose(0, 1)  # (frames, batch, symbols)
        loss = nn.functional.ctc_loss(
            scores, labels[begins], frames, lengths, blank=self.settings.labels, reduction="none", zero_infinity=True
        )
        return (loss / frames).mean()

    def scores(self, inputs: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """A whole trial at once: (frames, labels) log-probabilities and (frames,) onset logits, look-ahead removed."""
        s = self.settings
        frames = len(inputs) // s.stride
        padded = np.zeros(((frames + s.lookahead) * s.stride, inputs.shape[1]), np.float32)
        padded[: frames * s.stride] = inputs[: frames * s.stride]
        with torch.no_grad():
            labels, onset, *_ = self(one_trial(padded), *self.start())
        return labels[0, s.lookahead :].numpy(), onset[0, s.lookahead :].numpy()

    def estimate(self, inputs: NDArray[np.float32]) -> Estimate:
        labels, onset = self.scores(inputs)
        return Estimate(tuple(spans_of(labels.argmax(axis=1))), labels, onset, self.settings.stride)

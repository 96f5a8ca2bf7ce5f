"""What every network here can do, so that one plain loop trains them all.

    loss(batch, progress)   the training loss; `progress` runs from 0 to 1 over the whole training (teacher forcing)
    estimate(inputs)        a whole trial: movements in steps, and the scores a frame behind them

`inputs` of `estimate` is what `rehabcount.inference.inputs.model_input` gives: (steps, width).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rehabcount.inference.spans import Span, spans_of
from rehabcount.models.batches import Batch

Array = NDArray[Any]
ONSET_BLUR = (0.25, 0.6, 1.0, 0.6, 0.25)  # annotators agree on a border within a frame or two
ONSET_PRIOR_LOGIT = -2.5  # one frame in a dozen begins a movement; starting there spares the first epoch


@dataclass(frozen=True, slots=True)
class Estimate:
    """A network's output for a trial. Spans and scores are counted in output frames of `steps_per_frame` steps."""

    spans: tuple[Span, ...]
    log_probabilities: Array | None = None  # (frames, labels)
    onset_logits: Array | None = None  # (frames,)
    steps_per_frame: int = 1


class Network(nn.Module):
    """A network with its own loss and its own way to a sequence."""

    settings: Any  # the frozen settings of its file

    @abstractmethod
    def loss(self, batch: Batch, progress: float) -> Tensor: ...

    @abstractmethod
    def estimate(self, inputs: NDArray[np.float32]) -> Estimate: ...


class FrameNetwork(Network):
    """A network whose forward(inputs, mask) gives logits (batch, labels, time): a label for every frame."""

    def loss(self, batch: Batch, progress: float) -> Tensor:
        labels = batch.labels.masked_fill(~batch.mask, -1)
        return smoothed_targets(self(batch.inputs, batch.mask), labels, self.settings.label_smoothing)

    def estimate(self, inputs: NDArray[np.float32]) -> Estimate:
        return frame_estimate(self, inputs)


def one_trial(inputs: NDArray[np.float32]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(inputs))[None]  # (1, steps, width)


def frame_estimate(network: Network, inputs: NDArray[np.float32]) -> Estimate:
    """Of a network whose forward gives logits (batch, labels, time), or a list of them, the last being the result."""
    with torch.no_grad():
        found = network(one_trial(inputs), torch.ones(1, len(inputs), dtype=torch.bool))
        logits = found[-1] if isinstance(found, list) else found
        scores = torch.log_softmax(logits, dim=1)[0].T.numpy()
    return Estimate(tuple(spans_of(scores.argmax(axis=1))), scores)


def smoothed_targets(logits: Tensor, labels: Tensor, smoothing: float, weight: Tensor | None = None) -> Tensor:
    """Cross entropy over labelled frames, 0 where there are none; logits (batch, classes, time), UNKNOWN = -1."""
    if not (labels >= 0).any():
        return logits.sum() * 0.0
    return nn.functional.cross_entropy(logits, labels, weight, ignore_index=-1, label_smoothing=smoothing)


def onset_loss(logits: Tensor, onsets: Tensor, labels: Tensor) -> Tensor:
    """Binary cross entropy over labelled frames, 0 where there are none; all are (batch, time)."""
    known = labels >= 0
    if not known.any():
        return logits.sum() * 0.0
    return nn.functional.binary_cross_entropy_with_logits(logits[known], blurred(onsets)[known])


def blurred(onsets: Tensor) -> Tensor:
    """Onsets spread over their neighbours; overlapping ones take the larger value."""
    reach = len(ONSET_BLUR) // 2
    padded = nn.functional.pad(onsets.to(torch.float32), (reach, reach))
    shifted = [padded[:, i : i + onsets.shape[1]] * weight for i, weight in enumerate(ONSET_BLUR)]
    return torch.stack(shifted).amax(dim=0)

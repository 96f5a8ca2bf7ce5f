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

from rehabcount.inference.frames import Span
from rehabcount.models.batches import Batch

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a network says about a trial. Spans and scores are counted in output frames of `steps_per_frame` steps."""

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


def one_trial(inputs: NDArray[np.float32]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(inputs))[None]  # (1, steps, width)


def smoothed_targets(logits: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    """Cross entropy over labelled frames; logits (batch, classes, time), labels with UNKNOWN = -1."""
    return nn.functional.cross_entropy(logits, labels, ignore_index=-1, label_smoothing=smoothing)


def parameters_of(network: nn.Module) -> int:
    return sum(parameter.numel() for parameter in network.parameters())

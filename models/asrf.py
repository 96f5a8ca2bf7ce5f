"""ASRF: labels a frame from one branch, boundaries from another, each refined; the boundaries cut the labels.

Ishikawa et al., ASRF, WACV 2021. A shared trunk of dilated layers has two heads; each branch has further stages of
its own. Loss: class-weighted cross entropy and a change loss that is eased where the input itself changes (both
averaged over stages), and 0.1 times a weighted binary cross entropy of the boundaries.

Departures: the change loss takes the softmax over labels, as the paper writes it (the published code takes it over
time); boundary weights are those of the training batch; AdamW with a schedule (train.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rehabcount.inference.spans import refined
from rehabcount.models.batches import Batch
from rehabcount.models.mstcn import LARGEST_CHANGE, Stage
from rehabcount.models.network import Estimate, Network, one_trial, smoothed_targets

BOUNDARY_WEIGHT = 0.1  # lambda_b of the paper
SIMILARITY_WIDTH = 1.0  # sigma of the paper's similarity of neighbouring inputs


@dataclass(frozen=True, slots=True)
class AsrfSettings:
    width: int
    labels: int
    stages: int = 3  # of each branch, the trunk included
    layers: int = 8
    maps: int = 64
    dropout: float = 0.5
    change_weight: float = 1.0
    label_smoothing: float = 0.0


PRESETS: dict[str, dict[str, float]] = {
    "default": {},
    "tiny": {"stages": 2, "layers": 3, "maps": 8},
    "paper": {"stages": 4, "layers": 10},
    "strokerehab": {"stages": 3, "layers": 10, "change_weight": 8.4},
}


class Asrf(Network):
    def __init__(self, settings: AsrfSettings) -> None:
        super().__init__()
        s = self.settings = settings
        self.trunk = Stage(s.width, (s.labels, 1), s.layers, s.maps, s.dropout)
        more = range(s.stages - 1)
        self.label_stages = nn.ModuleList([Stage(s.labels, (s.labels,), s.layers, s.maps, s.dropout) for _ in more])
        self.boundary_stages = nn.ModuleList([Stage(1, (1,), s.layers, s.maps, s.dropout) for _ in more])

    def forward(self, inputs: Tensor, mask: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        """(label logits, boundary logits) of every stage: (batch, labels, time), (batch, 1, time)."""
        seen = mask[:, None].to(inputs.dtype)
        label, boundary = self.trunk(inputs.transpose(1, 2), seen)
        labels, boundaries = [label], [boundary]
        for stage in self.label_stages:
            labels.append(stage(torch.softmax(labels[-1], dim=1) * seen, seen)[0])
        for stage in self.boundary_stages:
            boundaries.append(stage(torch.sigmoid(boundaries[-1]) * seen, seen)[0])
        return labels, boundaries

    def loss(self, batch: Batch, progress: float) -> Tensor:
        s = self.settings
        known = batch.mask & (batch.labels >= 0)
        labels = batch.labels.masked_fill(~known, -1)
        weights = class_weights(labels[known], s.labels)
        target = batch.onsets & batch.mask
        positive = batch.mask.sum() / target.sum().clamp(min=1)
        all_labels, all_boundaries = self(batch.inputs, batch.mask)
        total = batch.inputs.new_zeros(())
        for logits in all_labels:
            total = total + smoothed_targets(logits, labels, s.label_smoothing, weights)
            total = total + s.change_weight * eased_change_loss(logits, batch.inputs, batch.mask)
        total = total / len(all_labels)
        for logits in all_boundaries:
            each = nn.functional.binary_cross_entropy_with_logits(
                logits[:, 0][batch.mask], target[batch.mask].to(logits.dtype), pos_weight=positive
            )
            total = total + BOUNDARY_WEIGHT * each / len(all_boundaries)
        return total

    def estimate(self, inputs: NDArray[np.float32]) -> Estimate:
        with torch.no_grad():
            labels, boundaries = self(one_trial(inputs), torch.ones(1, len(inputs), dtype=torch.bool))
            scores = torch.log_softmax(labels[-1], dim=1)[0].T.numpy()
            boundary = boundaries[-1][0, 0].numpy()
        return Estimate(tuple(refined(np.exp(scores), 1 / (1 + np.exp(-boundary)))), scores, boundary)


def class_weights(labels: Tensor, classes: int) -> Tensor:
    """Median frequency over frequency; 1 for a class that the batch lacks."""
    counts = torch.bincount(labels, minlength=classes).to(torch.float32)
    present = counts > 0
    if not bool(present.any()):
        return torch.ones(classes)
    return torch.where(present, counts[present].median() / counts.clamp(min=1), torch.ones(classes))


def eased_change_loss(logits: Tensor, inputs: Tensor, mask: Tensor) -> Tensor:
    """Clipped squared change of log-probability, weighted by how alike the neighbouring inputs are."""
    scores = torch.log_softmax(logits, dim=1)
    change = (scores[:, :, 1:] - scores[:, :, :-1]).square().clamp(max=LARGEST_CHANGE)  # (batch, labels, time - 1)
    distance = (inputs[:, 1:] - inputs[:, :-1]).norm(dim=2)
    alike = torch.exp(-distance / (2 * SIMILARITY_WIDTH**2))[:, None]
    seen = mask[:, None, 1:].to(logits.dtype)
    return (change * alike * seen).sum() / (seen.sum() * logits.shape[1]).clamp(min=1.0)

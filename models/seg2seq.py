"""Seg2seq: Raw2seq on the frame probabilities of a segmentation network, for sequences with long memory.

Kaku et al., StrokeRehab, NeurIPS 2022. The segmentation network (MS-TCN) sees whole trials and is trained first; its
probabilities, a frame of numbers each, are what Raw2seq then reads in windows. So Seg2seq is trained on another
TrainingSet: `probability_set` makes it from a trained segmenter. Probabilities are better on the segmenter's training
subjects than on others, and the second network would rely on them too much. So for some subjects another segmenter may
be given that was not trained on them (cross-fitting).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from rehabcount.inference.inputs import InputSpec, model_input
from rehabcount.models.batches import steps_of
from rehabcount.models.data import Sensors, TrainingSet, Trial
from rehabcount.models.network import Network
from rehabcount.models.raw2seq import PRESETS, Raw2seq, Raw2seqSettings

__all__ = ["PRESETS", "Seg2seq", "Seg2seqSettings", "probability_set", "with_probabilities"]

Seg2seqSettings = Raw2seqSettings


class Seg2seq(Raw2seq):
    """The same network on other input."""


def probability_set(
    data: TrainingSet, spec: InputSpec, segmenter: Network, others: Mapping[str, Network] | None = None
) -> TrainingSet:
    """The set with each trial's rows replaced by the segmenter's probabilities; `others`: segmenters by subject."""
    torch.set_num_threads(1)  # as in training: sums depend on it, and a checkpoint holds the hash of the set

    def probabilities(trial: Trial) -> NDArray[np.float32]:
        network = (others or {}).get(trial.subject, segmenter)
        estimate = network.estimate(model_input(trial.rows, trial.valid, spec))
        if estimate.log_probabilities is None or estimate.steps_per_frame != 1:
            raise ValueError(f"{type(network).__name__} gives no probabilities a step")
        return np.exp(estimate.log_probabilities).astype(np.float32)

    return with_probabilities(data, spec.frames_per_step, probabilities)


def with_probabilities(
    data: TrainingSet, frames_per_step: int, rows_of: Callable[[Trial], NDArray[np.float32]]
) -> TrainingSet:
    """The set with a segmenter's probabilities for rows, one a step of so many frames."""
    trials = []
    for trial in data.trials:
        rows = rows_of(trial)
        labels, onsets = steps_of(trial.labels, trial.onsets, frames_per_step)
        trials.append(replace(trial, rows=rows, valid=np.ones(rows.shape, bool), labels=labels, onsets=onsets))
    return replace(
        data,
        trials=tuple(trials),
        columns=tuple(f"p({label})" for label in data.labels),
        sensors=Sensors(),
        rate_hz=data.rate_hz / frames_per_step,
        recipe="",
        normalisation="none",
    )

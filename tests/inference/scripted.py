"""A stream model that says what a script says: the runtime and the recogniser with movements known beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from rehabcount.inference.card import Decoding, ModelCard
from rehabcount.inference.duration_hmm import DurationModel
from rehabcount.inference.runtime import Model, Recognition

LAG = 4


class ScriptedModel:
    """Stands for a `Model` of the given card, for one session: gives log-probabilities and onset logits frame after
    frame, the card's look-ahead late."""

    def __init__(self, card: ModelCard, logp: np.ndarray, onset: np.ndarray) -> None:
        labels = len(card.labels)
        flat = np.log(np.full((labels, 40), 1 / 40))
        even = np.log(np.full((labels, labels), 1 / labels))
        self.decoder = DurationModel(even[0], even, flat, np.zeros(labels))
        self.card = replace(card, decoding=Decoding.of(self.decoder, LAG))
        before = card.lookahead_frames
        self._logp = np.concatenate([np.zeros((before, labels)), logp])
        self._onset = np.concatenate([np.zeros(before), onset])
        self._at = 0

    def run(self, feed: Mapping[str, Any]) -> dict[str, Any]:
        names = [tensor.name for tensor in self.card.network_outputs]
        frames = self.card.network_outputs[1].shape[1]
        said = slice(self._at, self._at + frames)
        self._at += frames
        missing = frames - len(self._logp[said])
        logp = np.pad(self._logp[said], ((0, missing), (0, 0)))[None]
        states = [feed[tensor.name] for tensor in self.card.network_inputs[1:]]
        return dict(zip(names, [logp, np.pad(self._onset[said], (0, missing))[None], *states], strict=True))

    def start(self) -> Recognition:
        return Recognition(cast(Model, self))


def script(card: ModelCard, seed: int, movements: int, longest: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Scores of that many movements of random labels and lengths (in frames), in some doubt."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(card.labels), movements)
    lengths = rng.integers(8, longest, movements)
    truth = np.repeat(labels, lengths)
    probability = np.full((len(truth), len(card.labels)), 0.1)
    probability[np.arange(len(truth)), truth] = rng.uniform(0.5, 0.9, len(truth))
    probability /= probability.sum(axis=1, keepdims=True)
    onset = np.full(len(truth), -4.0)
    onset[np.cumsum(lengths) - lengths] = 3.0
    return np.log(probability), onset

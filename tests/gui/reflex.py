"""A recogniser that needs no training: a hand at rest is idle, a hand that moves reaches or transports by its tilt.

It stands in for the shipped model where a test wants events that follow from the recording, whatever they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rehabcount.inference.artifact import verify
from rehabcount.inference.card import Kind, Tensor
from rehabcount.inference.runtime import Model

TINY = Path(__file__).parents[1] / "inference" / "artifacts" / "tiny-1.0"
STEPS_A_FRAME = 4
MOVING_RAD_S, RAISED = 0.3, 0.8
SURE, UNSURE = np.log(0.94), np.log(0.02)


class Reflex:
    def __init__(self) -> None:
        card = verify(TINY).card
        width = len(card.inputs.columns)
        inputs = replace(card.inputs, mean=(0.0,) * width, scale=(1.0,) * width, frames_per_step=1, sensors=())
        self.card = replace(
            card,
            kind=Kind.FRAMES,
            labels=("idle", "reach", "transport", "other"),
            inputs=inputs,
            decoding=None,
            steps_per_frame=STEPS_A_FRAME,
            chunk_steps=0,
            margin_steps=0,
            required_parts=("hand",),
            network_inputs=(Tensor("rows", ()),),
            network_outputs=(Tensor("labels", ()),),
        )
        self._rates = [card.inputs.columns.index(f"hand rate {axis}") for axis in "xyz"]
        self._tilt = card.inputs.columns.index("hand up z")

    def run(self, feed: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        rows = feed["rows"][0]
        whole = len(rows) // STEPS_A_FRAME
        frames = rows[: whole * STEPS_A_FRAME].reshape(whole, STEPS_A_FRAME, -1).mean(axis=1)
        moving = np.linalg.norm(frames[:, self._rates], axis=1) > MOVING_RAD_S
        chosen = np.where(moving, np.where(frames[:, self._tilt] > RAISED, 1, 2), 0)
        scores = np.full((whole, 4), UNSURE, np.float32)
        scores[np.arange(whole), chosen] = SURE
        return {"labels": scores[None]}


def reflex(_: Path) -> Model:
    """In place of `open_model`."""
    return cast(Model, Reflex())

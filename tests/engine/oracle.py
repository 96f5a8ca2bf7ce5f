"""Networks that know the answer: the label of every row stands in its first column.

`OracleModel` stands in for a windowed network of either kind; its card is the test artifact's with what differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.motion import Rows
from rehabcount.inference.artifact import verify
from rehabcount.inference.card import Kind, ModelCard, Tensor
from rehabcount.inference.runtime import Model
from rehabcount.inference.spans import spans_of

TINY = Path(__file__).parents[1] / "inference" / "artifacts" / "tiny-1.0"
MARGIN, LENGTH = 100, 600
NOTHING = -1  # what a row outside the recording reads as
SURE, UNSURE = np.log(0.94), np.log(0.02)


def oracle_card(kind: Kind) -> ModelCard:
    card = verify(TINY).card
    columns = len(card.inputs.columns)
    inputs = replace(card.inputs, mean=(0.0,) * columns, scale=(1.0,) * columns, frames_per_step=1, sensors=())
    sequence = kind is Kind.SEQUENCE
    return replace(
        card,
        kind=kind,
        labels=("idle", "reach", "transport", "other"),
        inputs=inputs,
        decoding=None,
        steps_per_frame=4,
        chunk_steps=LENGTH if sequence else 0,
        margin_steps=MARGIN if sequence else 0,
        network_inputs=(Tensor("window", ()), Tensor("previous", ())) if sequence else (Tensor("rows", ()),),
        network_outputs=(Tensor("symbols", ()), Tensor("labels", ())) if sequence else (Tensor("labels", ()),),
    )


class OracleModel:
    """Reads the labels off its input. `previous` collects what it was told came before."""

    def __init__(self, kind: Kind) -> None:
        self.card = oracle_card(kind)
        self.previous: list[int] = []
        self.at_the_end = False  # of the recording: there is no context to come

    def run(self, feed: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        steps = feed[self.card.network_inputs[0].name][0]
        labels = steps[:, 0].astype(int) - 1  # (steps,), NOTHING where no row was
        frames = labels[: len(labels) // 4 * 4].reshape(-1, 4)[:, 2]
        scores = np.full((len(frames), len(self.card.labels)), UNSURE, np.float32)
        known = frames != NOTHING
        scores[known, frames[known]] = SURE
        if self.card.kind is Kind.FRAMES:
            return {"labels": scores[None]}
        self.previous.append(int(feed["previous"][0]))
        until = np.flatnonzero(known)[-1] + 1  # what comes within the margin before the end is context, as in training
        centre = frames[MARGIN // 4 : until if self.at_the_end else until - MARGIN // 4]
        tokens = [span.label for span in spans_of(centre[centre != NOTHING])]
        symbols = np.full((1, 20, len(self.card.labels) + 1), UNSURE, np.float32)
        for i, token in enumerate([*tokens, len(self.card.labels)]):
            symbols[0, i, token] = SURE
        return {"symbols": symbols, "labels": scores[None]}


class ReflexModel:
    """Knows nothing and reacts to what the hand does: still is idle; moving is reach or transport, by where it points.

    It needs no training, and its sequences are as rich as the motion.
    """

    def __init__(self) -> None:
        card = oracle_card(Kind.FRAMES)
        self.card = replace(card, required_parts=("hand",))
        self._rate = [card.inputs.columns.index(f"hand rate {axis}") for axis in "xyz"]
        self._up = card.inputs.columns.index("hand up z")

    def run(self, feed: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        steps = feed["rows"][0]
        frames = steps[: len(steps) // 4 * 4].reshape(-1, 4, steps.shape[1]).mean(axis=1)
        fast = np.linalg.norm(frames[:, self._rate], axis=1) > 0.3
        label = np.where(~fast, 0, np.where(frames[:, self._up] > 0.8, 1, 2))
        scores = np.full((len(frames), len(self.card.labels)), UNSURE, np.float32)
        scores[np.arange(len(frames)), label] = SURE
        return {"labels": scores[None]}


def oracle(kind: Kind) -> Model:
    return cast(Model, OracleModel(kind))


def rows_of(labels: NDArray[np.int64], columns: int, start: int = 0) -> Rows:
    """Rows that carry their label; row 0 has number `start`."""
    values = np.zeros((len(labels), columns))
    values[:, 0] = labels + 1
    index = np.arange(start, start + len(labels))
    return Rows(start, index / 100.0, values, np.ones(values.shape, bool))


def cut(rows: Rows, edges: list[int]) -> list[Rows]:
    """The same rows in pieces."""
    bounds = sorted({0, len(rows), *(edge for edge in edges if 0 < edge < len(rows))})
    return [Rows(rows.index + a, rows.time_s[a:b], rows.values[a:b], rows.valid[a:b]) for a, b in pairwise(bounds)]

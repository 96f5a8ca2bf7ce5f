"""Parity: the exported network must repeat the trained one, number for number and sequence for sequence.

1,000 windows of real or realistic input go through torch and through onnxruntime. Every output must agree within 1e-5
(absolute, or relative where a number is larger than 1), and the sequences made of them must be the same, token for
token; else the export fails.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from rehabcount.errors import ModelMismatch
from rehabcount.export.onnx import Graph
from rehabcount.inference.card import Kind, Parity
from rehabcount.inference.duration_hmm import DurationModel, FixedLag
from rehabcount.inference.runtime import Model
from rehabcount.inference.spans import spans_of
from rehabcount.models.raw2seq import tokens_of

Windows = NDArray[np.float32]
TOLERANCE = 1e-5
WINDOWS = 1000
FRAMES_WINDOW = 128  # steps of a window for networks that take any length


def window_steps(graph: Graph) -> int:
    return graph.chunk_steps or FRAMES_WINDOW


def measure(graph: Graph, model: Model, windows: Windows, decoder: DurationModel | None, lag: int) -> Parity:
    """Run every window through both; consecutive windows of a stream are one session, so its state is compared too."""
    largest = 0.0
    sequences: list[Sequence[object]] = [[], []]
    decoders = [FixedLag(decoder, lag) for _ in range(2)] if decoder is not None and graph.kind is Kind.STREAM else []
    state = [[tensor.numpy() for tensor in graph.example[1:]] for _ in range(2)]
    for window in windows:
        feeds = [[window[None], *each] for each in state]
        with torch.no_grad():
            found = graph.module(*(torch.from_numpy(np.ascontiguousarray(each)) for each in feeds[0]))
        ours = [tensor.numpy() for tensor in found]
        theirs = list(model.run(dict(zip(graph.inputs, feeds[1], strict=True))).values())
        if graph.kind is Kind.SEQUENCE:  # the output after END is not used
            ours[0], theirs[0] = (said[:, : words(said[0])] for said in (ours[0], theirs[0]))
            if ours[0].shape != theirs[0].shape:
                return Parity(len(windows), largest, sequences_equal=False)
        for a, b in zip(ours, theirs, strict=True):
            largest = max(largest, float((np.abs(a - b) / np.maximum(1.0, np.abs(a))).max(initial=0.0)))
        if graph.kind is Kind.STREAM:
            state = [ours[2:], theirs[2:]]
        for side, outputs in enumerate((ours, theirs)):
            if decoders:
                sequences[side] = [*sequences[side], *decoders[side].push(outputs[0][0], outputs[1][0])]
            else:
                best = outputs[0][0].argmax(axis=1)
                tokens = best.tolist() if graph.kind is Kind.SEQUENCE else [span.label for span in spans_of(best)]
                sequences[side] = [*sequences[side], *tokens]
    for side, decoder_of_side in enumerate(decoders):
        sequences[side] = [*sequences[side], *decoder_of_side.finish()]
    return Parity(len(windows), largest, sequences[0] == sequences[1])


def words(symbols: NDArray[np.float32]) -> int:
    """How many of these steps are meant: up to the first END, which is the last symbol, and with it."""
    return min(len(symbols), len(tokens_of(symbols, symbols.shape[1] - 1)) + 1)


def require(parity: Parity, tolerance: float = TOLERANCE) -> None:
    """Refuse an export that is not the network that was trained."""
    if parity.largest_difference > tolerance or not parity.sequences_equal:
        same = "the same" if parity.sequences_equal else "different"
        raise ModelMismatch(
            f"torch and onnxruntime differ by {parity.largest_difference:.2g} over {parity.windows} windows, and give "
            f"{same} sequences.",
            advice="Do not use this export; report it with the versions of torch and onnxruntime.",
        )

"""The same model with access to the whole recording: the reference for streaming.

    stream    all scores first, then the best sequence of all (`decode_all`)
    sequence  windows whose centres tile the recording, put end to end, equal labels at a border merged (Kaku et al.)
    frames    the whole recording in one call; runs of the most probable label, or ASRF's refinement

Rows come from the array kernels, as in training; streaming comes from packets.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import StitchRule
from rehabcount.engine.recognise import laid_out, recogniser_of
from rehabcount.inference.card import Kind
from rehabcount.inference.duration_hmm import decode_all
from rehabcount.inference.inputs import model_input
from rehabcount.inference.runtime import Model
from rehabcount.inference.spans import refined, spans_of
from rehabcount.models.data import Trial

Array = NDArray[np.float32]


def offline_labels(trial: Trial, model: Model) -> list[str]:
    """The counted labels of a recording, in order."""
    inputs = model_input(trial.rows, trial.valid, model.card.inputs)
    labels = {Kind.STREAM: _stream, Kind.SEQUENCE: _sequence, Kind.FRAMES: _frames}[model.card.kind](model, inputs)
    names = (model.card.labels[label] for label in labels)
    return [name for name in names if name not in model.card.uncounted]


def same_rule_labels(trial: Trial, model: Model, side: Side) -> list[str]:
    """The same rows as `offline_labels`, recognised and settled by the rule of the bedside: what packets cost."""
    index = np.arange(len(trial.rows))
    rows = Rows(0, index / FRAME_RATE_HZ, np.asarray(trial.rows, np.float64), np.asarray(trial.valid))
    recogniser = recogniser_of(model, side, 0.0, StitchRule())
    tokens = [*recogniser.push(rows), *recogniser.finish()]
    return [token.label for token in tokens if token.label not in model.card.uncounted]


def _stream(model: Model, inputs: Array) -> list[int]:
    card = model.card
    assert card.decoding is not None
    state = {tensor.name: np.zeros(tensor.shape, np.float32) for tensor in card.network_inputs[1:]}
    outputs = [tensor.name for tensor in card.network_outputs]
    frames = len(inputs) // card.steps_per_frame
    chunks = -(-(frames + card.lookahead_frames) * card.steps_per_frame // card.chunk_steps)
    padded = np.zeros((chunks * card.chunk_steps, inputs.shape[1]), np.float32)
    padded[: frames * card.steps_per_frame] = inputs[: frames * card.steps_per_frame]
    scores, onsets = [], []
    for i in range(chunks):
        chunk = padded[i * card.chunk_steps : (i + 1) * card.chunk_steps]
        found = model.run({card.network_inputs[0].name: chunk[None], **state})
        state = dict(zip(state, (found[name] for name in outputs[2:]), strict=True))
        scores.append(found[outputs[0]][0])
        onsets.append(found[outputs[1]][0])
    ahead = slice(card.lookahead_frames, card.lookahead_frames + frames)
    decoder = card.decoding.model()
    sequence = decode_all(np.concatenate(scores)[ahead], np.concatenate(onsets)[ahead], decoder)
    return [onset.label for onset in sequence]


def _sequence(model: Model, inputs: Array) -> list[int]:
    card = model.card
    centre, lead = card.chunk_steps - 2 * card.margin_steps, card.margin_steps // card.steps_per_frame
    number = max(1, -(-len(inputs) // centre))
    padded = np.zeros((number * centre + 2 * card.margin_steps, inputs.shape[1]), np.float32)
    padded[card.margin_steps : card.margin_steps + len(inputs)] = inputs
    out, previous = list[int](), len(card.labels)
    for i in range(number):
        window = padded[i * centre : i * centre + card.chunk_steps]
        found = list(
            model.run(
                {card.network_inputs[0].name: window[None], card.network_inputs[1].name: np.array([previous])}
            ).values()
        )
        read = slice(lead, lead + min(centre, len(inputs) - i * centre) // card.steps_per_frame)
        onset = found[2][0, read] if len(found) > 2 else None
        spans = laid_out(found[0][0].argmax(axis=1).tolist(), len(card.labels), found[1][0, read], onset)
        said = [span.label for span in spans]
        out += said[1:] if out and said and said[0] == out[-1] else said
        previous = said[-1] if said else previous
    return out


def _frames(model: Model, inputs: Array) -> list[int]:
    found = list(model.run({model.card.network_inputs[0].name: inputs[None]}).values())
    if len(found) > 1:
        spans = refined(np.exp(found[0][0]), 1 / (1 + np.exp(-found[1][0])))
    else:
        spans = spans_of(found[0][0].argmax(axis=1))
    return [span.label for span in spans]

"""Packing: makes an artifact folder of a checkpoint; on failure no folder is left.

In: a checkpoint, the training set it came from (for windows to measure parity on), and what a person has to say about
it. Out: a folder with model.onnx, card.json, golden.npz and SHA256SUMS, under 6 MB, opened once as the bedside would.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.belief import Belief
from rehabcount.domain.motion import BLOCK_FRAMES, FRAME_RATE_HZ
from rehabcount.domain.sequence import StitchRule
from rehabcount.domain.session_agreement import SessionAgreement
from rehabcount.errors import ModelMismatch, StoreUnwritable
from rehabcount.export import parity as parity_check
from rehabcount.export.onnx import Graph, graph_of, signature, write_onnx
from rehabcount.inference import artifact
from rehabcount.inference.card import (
    Decoding,
    Evidence,
    Kind,
    MeasuredScore,
    ModelCard,
    Parity,
    TrainingData,
    write_card,
)
from rehabcount.inference.duration_hmm import DurationModel
from rehabcount.inference.inputs import InputSpec, model_input
from rehabcount.inference.runtime import Model
from rehabcount.inference.sound import VERSION
from rehabcount.models.data import TrainingSet
from rehabcount.models.network import Network
from rehabcount.models.train import output_frames
from rehabcount.models.trained import Trained
from rehabcount.signals.align import AlignSettings

# Before the network sees a row: late sensors are waited for, and a block has to fill.
BEDSIDE_WAIT_S = AlignSettings().lag_s + BLOCK_FRAMES / FRAME_RATE_HZ
LARGEST_BYTES = 6_000_000
LICENCE = "GPL-3.0-or-later"
INTENDED_USE = "Research on counting functional arm movements. Not a medical device; counts are estimates."
GOLDEN_WARM_UP = 7  # chunks before the golden one, so that the state it starts from is not zero


@dataclass(frozen=True, slots=True)
class Description:
    """Facts that are not in the checkpoint."""

    name: str
    version: str
    made_by: str
    limits: str
    required_parts: tuple[str, ...] = ()
    trained_rigs: tuple[str, ...] = ()
    scores: tuple[MeasuredScore, ...] = ()
    evidence_people: int = 0
    belief: Belief | None = None  # how task repetitions are computed from its events
    sessions: SessionAgreement | None = None  # what a single session's count is worth


def pack(
    folder: Path,
    trained: Trained,
    data: TrainingSet,
    description: Description,
    *,
    decoder: DurationModel | None = None,
    lag: int = 1,
    windows: int = parity_check.WINDOWS,
) -> artifact.Artifact:
    """Write the artifact into `folder`, which must not exist."""
    if data.sha256 != trained.about["data"]["sha256"]:
        raise ModelMismatch(
            f"the checkpoint was trained on other data than {data.name!r} as it is now.",
            advice="Give the same --data as in training.",
        )
    if not VERSION.fullmatch(description.version):
        raise ModelMismatch(
            f"{description.version!r} is no version.", advice="Letters and digits with dots between them, such as 1.0."
        )
    try:
        folder.mkdir(parents=True)
    except FileExistsError as problem:
        raise StoreUnwritable(f"{folder} exists.", advice="Give another folder or version.") from problem
    try:
        return _pack_into(folder, trained, data, description, decoder, lag, windows)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _pack_into(
    folder: Path,
    trained: Trained,
    data: TrainingSet,
    description: Description,
    decoder: DurationModel | None,
    lag: int,
    windows: int,
) -> artifact.Artifact:
    graph = graph_of(trained.network, data.rate_hz / trained.spec.frames_per_step)
    if (graph.kind is Kind.STREAM) != (decoder is not None):
        raise ValueError(f"decoder {'must' if graph.kind is Kind.STREAM else 'must not'} be given for {graph.kind}")
    rule = Decoding.of(decoder, lag) if decoder is not None else None
    path = folder / artifact.NETWORK
    write_onnx(path, graph, description.name, description.version)
    card = card_of(path, graph, trained, data, description, rule)
    model = Model(path, card)
    examples = example_windows(data, trained.spec, parity_check.window_steps(graph), windows)
    found = parity_check.measure(graph, model, examples, rule.model() if rule is not None else None, lag)
    parity_check.require(found)
    write_card(folder / artifact.CARD, replace(card, parity=found))
    np.savez_compressed(folder / artifact.GOLDEN, allow_pickle=False, **golden(model, graph.kind, examples))
    artifact.write_sums(folder)
    require_small(folder)
    artifact.open_model(folder)
    return artifact.verify(folder)


def card_of(
    path: Path, graph: Graph, trained: Trained, data: TrainingSet, description: Description, rule: Decoding | None
) -> ModelCard:
    """The card of the network at `path`; parity is not measured yet."""
    spec, network = trained.spec, trained.network
    inputs, outputs = signature(path)
    return ModelCard(
        name=description.name,
        version=description.version,
        kind=graph.kind,
        network=trained.settings.network,
        labels=data.labels,
        uncounted=data.excluded,
        recipe=data.recipe,
        inputs=spec,
        rate_hz=data.rate_hz,
        required_parts=description.required_parts,
        trained_rigs=description.trained_rigs,
        steps_per_frame=output_frames(network, spec) // spec.frames_per_step,
        chunk_steps=graph.chunk_steps,
        margin_steps=int(getattr(network.settings, "margin", 0)),
        lookahead_frames=lookahead_of(network),
        decoding=rule,
        delay_bound_s=delay_bound_s(graph, trained, data.rate_hz, rule),
        network_inputs=inputs,
        network_outputs=outputs,
        training=training_data(data),
        scores=description.scores,
        evidence=Evidence(data.evidence),
        evidence_people=description.evidence_people,
        parity=Parity(0, 0.0, True),
        made_by=description.made_by,
        licence=LICENCE,
        intended_use=INTENDED_USE,
        limits=description.limits,
        told_under_way=graph.kind is Kind.SEQUENCE,
        belief=description.belief,
        sessions=description.sessions,
    )


def lookahead_of(network: Network) -> int:
    """Output frames that the network waits for."""
    return int(getattr(network.settings, "lookahead", 0))


def delay_bound_s(graph: Graph, trained: Trained, rate_hz: float, rule: Decoding | None) -> float:
    """The longest that a movement's end may wait for its event."""
    if rule is None:
        # Windows are read every hop, and what ended before the deadline is settled.
        return round(BEDSIDE_WAIT_S + (StitchRule().deadline_s + StitchRule().hop_s), 6)
    # An end is decided once its look-ahead and the lag are in; a chunk may have to fill up first.
    per_step = trained.spec.frames_per_step
    steps_per_frame = output_frames(trained.network, trained.spec) // per_step
    frame_s = steps_per_frame * per_step / rate_hz
    chunk_s = graph.chunk_steps * per_step / rate_hz
    return round(BEDSIDE_WAIT_S + (chunk_s + (lookahead_of(trained.network) + rule.lag_frames) * frame_s), 6)


def require_small(folder: Path) -> None:
    """ModelMismatch where the artifact is larger than may be shipped."""
    size = sum(file.stat().st_size for file in folder.iterdir())
    if size > LARGEST_BYTES:
        raise ModelMismatch(
            f"the artifact has {size / 1e6:.1f} MB; {LARGEST_BYTES / 1e6:.0f} are allowed.",
            advice="Train with a smaller preset.",
        )


def training_data(data: TrainingSet) -> TrainingData:
    trials = data.of("train")
    frames = sum(len(trial) for trial in trials)
    people = len({trial.subject for trial in trials})
    return TrainingData(data.name, data.sha256, people, len(trials), round(frames / data.rate_hz / 3600, 3))


def example_windows(data: TrainingSet, spec: InputSpec, steps: int, number: int) -> NDArray[np.float32]:
    """`number` consecutive windows of the set's own rows, trial after trial; round again if they run out."""
    found: list[NDArray[np.float32]] = []
    rows = steps * spec.frames_per_step
    while len(found) < number:
        before = len(found)
        for trial in data.trials:
            whole = len(trial) // rows
            wanted = min(whole, number - len(found))
            if wanted:
                part = model_input(trial.rows[: wanted * rows], trial.valid[: wanted * rows], spec)
                found += list(part.reshape(wanted, steps, spec.width))
        if len(found) == before:
            raise ValueError(f"no trial has the {rows} rows of one window")
    return np.stack(found)


def golden(model: Model, kind: Kind, windows: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    """One call's inputs and outputs, by name; a stream's after a few chunks."""
    names = [tensor.name for tensor in model.card.network_inputs]
    rest: Sequence[NDArray[Any]]
    if kind is Kind.STREAM:
        rest = [np.zeros(tensor.shape, np.float32) for tensor in model.card.network_inputs[1:]]
        for window in windows[:GOLDEN_WARM_UP]:
            rest = list(model.run(dict(zip(names, [window[None], *rest], strict=True))).values())[2:]
    elif kind is Kind.SEQUENCE:
        rest = [np.array([len(model.card.labels)])]
    else:
        rest = []
    feed = dict(zip(names, [windows[min(GOLDEN_WARM_UP, len(windows) - 1)][None], *rest], strict=True))
    out = model.run(feed)
    return {**{f"in/{k}": v for k, v in feed.items()}, **{f"out/{k}": v for k, v in out.items()}}

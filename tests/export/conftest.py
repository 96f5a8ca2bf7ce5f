"""A trained checkpoint and its artifact, small. These tests need torch and onnx (`pip install "rehabcount[train]"`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="export needs the extra `train`")
pytest.importorskip("onnx", reason="export needs the extra `train`")

from rehabcount.export.pack import Description, pack
from rehabcount.models.data import TrainingSet, Trial
from rehabcount.models.train import Outcome, TrainSettings, train
from rehabcount.models.trained import Trained, load_trained
from rehabcount.signals.features import BEDSIDE

LAG = 4


@dataclass(frozen=True, slots=True)
class Made:
    data: TrainingSet
    outcome: Outcome
    trained: Trained
    artifact: Path


def bedside_set(seed: int = 3) -> TrainingSet:
    """Rows of the right shape with movements that can be told apart; some rows are not valid."""
    rng = np.random.default_rng(seed)
    trials = []
    for number in range(3):
        labels = np.repeat(rng.integers(0, 3, 12), 30).astype(np.int16)
        rows = rng.normal(0, 1, (len(labels), len(BEDSIDE))).astype(np.float32)
        rows[np.arange(len(labels)), labels] += 3
        onsets = np.zeros(len(labels), bool)
        onsets[::30] = True
        split = "valid" if number == 2 else "train"
        valid = rng.random(rows.shape) < 0.9
        trials.append(Trial(f"t{number}", f"s{number}", split, rows, valid, labels, onsets))
    return TrainingSet(
        "bedside rows", ("idle", "reach", "other"), ("other",), 100.0, BEDSIDE.names, tuple(trials), recipe="bedside"
    )


DESCRIPTION = Description("tiny", "1.0", "a test", "Knows nothing.", required_parts=("hand",), trained_rigs=("nine",))


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("made")
    data = bedside_set()
    settings = TrainSettings("stream", "tiny", length_s=2.0, epochs=2, batch=4, frames_per_step=1)
    outcome = train(data, settings, folder / "run")
    trained = load_trained(folder / "run" / "checkpoint.pt")
    pack(folder / "tiny-1.0", trained, data, DESCRIPTION, decoder=outcome.durations, lag=LAG, windows=60)
    return Made(data, outcome, trained, folder / "tiny-1.0")

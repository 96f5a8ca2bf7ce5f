"""Checkpoints: everything that is needed to continue a training with identical results.

A checkpoint is a file written by torch.save and read with weights_only, so that opening one runs no code. It holds
the weights, the optimiser's moments, torch's random state, the position (epoch, batch), the best weights so far, and
as JSON the settings, the input specification, the data's description and the history.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from rehabcount.errors import ArtifactMissing, CardInvalid, StoreUnwritable

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Checkpoint:
    about: dict[str, Any]  # settings, spec, data, history: JSON values
    epoch: int
    batch: int  # batches of this epoch that are done
    weights: dict[str, Tensor]
    optimiser: dict[str, Any]
    random: Tensor
    best: dict[str, Tensor] | None = None
    average: dict[str, Tensor] | None = None  # the running mean of the weights


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Whole or not at all: a kill while writing leaves the checkpoint before."""
    document = {
        "format": FORMAT,
        "about": json.dumps(checkpoint.about),
        "epoch": checkpoint.epoch,
        "batch": checkpoint.batch,
        "weights": checkpoint.weights,
        "optimiser": checkpoint.optimiser,
        "random": checkpoint.random,
        "best": checkpoint.best,
        "average": checkpoint.average,
    }
    partial = path.with_name(path.name + ".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.save(document, partial)
        partial.replace(path)
    except (OSError, RuntimeError) as problem:  # torch reports a full disk as a RuntimeError
        raise StoreUnwritable(f"the checkpoint {path} cannot be written: {problem}.", advice="Free space.") from problem


def read_checkpoint(path: Path) -> Checkpoint:
    """The checkpoint at `path`."""
    try:
        document = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as problem:
        raise ArtifactMissing(f"there is no checkpoint {path}.", advice="Train first: rehabcount train.") from problem
    except Exception as problem:
        raise CardInvalid(f"{path} is not a whole checkpoint: {problem}.", advice="Train again.") from problem
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise CardInvalid(f"{path} is not a checkpoint of this rehabcount.", advice="Train again with this version.")
    return Checkpoint(
        json.loads(document["about"]),
        document["epoch"],
        document["batch"],
        document["weights"],
        document["optimiser"],
        document["random"],
        document["best"],
        document.get("average"),
    )

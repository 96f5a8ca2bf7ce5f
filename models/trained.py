"""A network from a checkpoint with its settings: for export, for scoring, as input of a second network."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rehabcount.domain.document import from_document
from rehabcount.errors import CardInvalid
from rehabcount.inference.card import Decoding
from rehabcount.inference.inputs import InputSpec
from rehabcount.models.checkpoint import read_checkpoint
from rehabcount.models.network import Network
from rehabcount.models.train import TrainSettings, build_network


@dataclass(frozen=True, slots=True)
class Trained:
    network: Network
    settings: TrainSettings
    spec: InputSpec
    about: dict[str, Any]  # settings, spec, data and history from the checkpoint


def load_trained(path: Path) -> Trained:
    """The chosen weights of a checkpoint; the last ones where none were chosen."""
    kept = read_checkpoint(path)
    settings = TrainSettings(**kept.about["settings"])
    spec = from_document(InputSpec, kept.about["spec"])
    data = kept.about["data"]
    network = build_network(settings, spec, len(data["labels"]), float(data["rate_hz"]))
    network.load_state_dict(kept.best if kept.best is not None else kept.weights)
    network.eval()
    return Trained(network, settings, spec, kept.about)


def read_decoder(folder: Path) -> Decoding | None:
    """The decoding rule kept beside a checkpoint; None where there is none."""
    path = folder / "decoder.json"
    if not path.is_file():
        return None
    try:
        return from_document(Decoding, json.loads(path.read_text(encoding="utf-8")), "decoder")
    except ValueError as problem:
        raise CardInvalid(f"{path} is not a decoding rule: {problem}.", advice="Train again.") from problem

"""A network fitted to training data, with live progress. Needs torch."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from rehabcount.cli.console import output, print_json, progress
from rehabcount.cli.work.models import model_folders
from rehabcount.errors import ConfigError
from rehabcount.export.weights import weights_of
from rehabcount.inference.artifact import NETWORK, find
from rehabcount.models import tuning
from rehabcount.models.catalogue import CATALOGUE, frames_per_step
from rehabcount.models.data import TrainingSet, joined
from rehabcount.models.seg2seq import probability_set
from rehabcount.models.sources import open_data
from rehabcount.models.train import TrainingProgress, TrainSettings, train, weights_sha256
from rehabcount.models.trained import load_trained


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """Which network to fit to which data, and how; a training found in `out` goes on."""

    name: str
    data: Path
    out: Path
    also: tuple[Path, ...] = ()  # their training and validation people join in
    start: str = ""  # weights to start from: a checkpoint or a model
    preset: str = "default"
    epochs: int = 30
    batch: int = 16
    rate: float = 1e-3
    step: int = 0  # rows averaged into one; 0: as the network likes
    segmenter: Path | None = None  # a checkpoint, for seg2seq
    augment: str = ""  # empty: by the data's recipe
    lag_s: float = 0.4
    seed: int = 7
    intervene: float = 0.0  # reassembled trials for each original one
    intervene_steps: float = 1.0
    intervene_within_person: bool = False
    average: float = 0.0  # share of the running mean of the weights that a step leaves; 0: none
    changes: tuple[str, ...] = ()  # key=value of the network's own settings
    as_json: bool = False


def run_training(request: TrainRequest) -> None:
    name, out = request.name, request.out
    changes = _changes(name, request.changes)
    data = joined(open_data(request.data), [open_data(each) for each in request.also])
    data = _with_segmenter(name, data, request.segmenter)
    weights = weights_named(request.start) if request.start else None
    settings = TrainSettings(
        name,
        request.preset,
        changes,
        frames_per_step=request.step or frames_per_step(name, data.rate_hz),
        epochs=request.epochs,
        batch=request.batch,
        learning_rate=request.rate,
        seed=request.seed,
        augment=request.augment or ("bedside" if data.recipe == "bedside" else "gentle"),
        durations=name == "stream",
        lag_s=request.lag_s if name == "stream" else None,
        start_sha256=weights_sha256(weights) if weights is not None else "",
        intervene=request.intervene,
        intervene_steps=request.intervene_steps,
        intervene_within_person=request.intervene_within_person,
        average=request.average,
    )
    with progress() as bar:
        task = bar.add_task(name, total=None)

        def show(now: TrainingProgress) -> None:
            done = now.epoch * now.batches + now.batch
            bar.update(task, description=_describe(name, now), completed=done, total=now.epochs * now.batches)

        outcome = train(data, settings, out, start=weights, on_progress=show)
        bar.update(task, description=f"{name}: decoder")
        document = tuning.keep(out, settings, outcome, tuning.finish(data, outcome, settings))
    if request.as_json:
        print_json(document)
        return
    print_results(document, data.labels, out, request.data, request.also)


def weights_named(start: str) -> Any:
    """Of a checkpoint, or of a model by name, hash or folder."""
    if Path(start).suffix == ".pt":
        return load_trained(Path(start)).network.state_dict()
    return weights_of(find(start, model_folders()).folder / NETWORK)


def _with_segmenter(name: str, data: TrainingSet, segmenter: Path | None) -> TrainingSet:
    """The data as seg2seq reads them: a segmentation network's probabilities."""
    if (name == "seg2seq") != (segmenter is not None):
        raise ConfigError(
            "seg2seq, and only seg2seq, reads a segmentation network's output.",
            advice="Train mstcn first, then: rehabcount train seg2seq --segmenter runs/mstcn/checkpoint.pt ...",
        )
    if segmenter is None:
        return data
    trained = load_trained(segmenter)
    return probability_set(data, trained.spec, trained.network)


def _describe(name: str, now: TrainingProgress) -> str:
    """One line: where it is, loss, and how the last epochs did on validation."""
    text = f"{name}: epoch {now.epoch + 1}/{now.epochs}, loss {now.loss:.3f}"
    if now.last is not None:
        text += f", AER {now.last.aer:.3f}, bias {now.last.worst_bias:+.0%}"
    if now.best is not None:
        text += f" (best {now.best.aer:.3f} in {now.best.number + 1})"
    return text


def _changes(name: str, changes: Sequence[str]) -> dict[str, Any]:
    """key=value for the network's own settings, read as the setting's type."""
    if name not in CATALOGUE:
        raise ConfigError(f"there is no network {name!r}.", advice=f"There are: {', '.join(CATALOGUE)}.")
    fields = {
        f.name: f.default for f in dataclasses.fields(CATALOGUE[name].settings) if f.name not in ("width", "labels")
    }
    found: dict[str, Any] = {}
    for change in changes:
        key, equals, text = change.partition("=")
        if not equals or key not in fields:
            raise ConfigError(f"--set {change!r} is no setting of {name}.", advice=f"Settings: {', '.join(fields)}.")
        kind: Any = type(fields[key])
        try:
            found[key] = {"true": True, "false": False}[text.lower()] if kind is bool else kind(text)
        except (KeyError, ValueError):
            raise ConfigError(f"--set {change}: not a {kind.__name__}.", advice=f"Default: {fields[key]}.") from None
    return found


def print_results(
    document: Mapping[str, Any], labels: tuple[str, ...], out: Path, data: Path, also: Sequence[Path]
) -> None:
    table = Table("split", "AER", "edit score", "counted / true", "worst count bias")
    for split in ("valid", "test"):
        found = document[split]
        if found is not None and found["reference"]:
            biases = [(abs(b), labels[i], b) for i, b in enumerate(found["bias"]) if b is not None]
            worst = max(biases, default=(0.0, "", 0.0))
            ratio = found["estimate"] / found["reference"]
            table.add_row(
                split,
                f"{found['aer']:.3f}",
                f"{found['edit_score']:.1f}",
                f"{ratio:.3f}",
                f"{worst[1]} {worst[2]:+.1%}",
            )
    output.print(table)
    settled = document["settings"]["durations"]  # counts are put right after training, so the epochs' own say nothing
    if document["chosen"] is not None and not document["count bias within bound"] and not settled:
        output.print("No epoch had every count within the bound; the best compromise was kept.", markup=False)
    words = [
        str(out / "checkpoint.pt"),
        "--data",
        str(data),
        *(word for each in also for word in ("--also", str(each))),
    ]
    words += ["--name", document["settings"]["network"], "--version", "1.0"]
    text = f"Kept in {out}; next: rehabcount models export {shlex.join(words)}"
    output.print(text, markup=False, highlight=False, soft_wrap=True)

"""`rehabcount train`: fit a network to training data, with live progress; goes on where it was interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from rehabcount.cli.console import output, print_json, progress


def train(
    name: Annotated[str, typer.Argument(help="stream, raw2seq, seg2seq, mstcn or asrf.", metavar="NAME")],
    data: Annotated[Path, typer.Option(help="Folder of training data.", metavar="DIR")],
    out: Annotated[Path, typer.Option(help="Folder for checkpoint and results; a training found there goes on.")],
    also: Annotated[
        list[Path] | None, typer.Option(help="More data: its training and validation people join in.", metavar="DIR")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option("--from", help="Start from the weights of a checkpoint or a model.", metavar="CHECKPOINT|MODEL"),
    ] = None,
    preset: Annotated[str, typer.Option(help="Size by name: default, paper, tiny, ...")] = "default",
    epochs: Annotated[int, typer.Option(help="Passes over the training trials.", min=1)] = 30,
    batch: Annotated[int, typer.Option(help="Stretches a step.", min=1)] = 16,
    rate: Annotated[float, typer.Option(help="Highest learning rate.")] = 1e-3,
    step: Annotated[int, typer.Option(help="Rows averaged into one step; 0: as the network likes.", min=0)] = 0,
    segmenter: Annotated[
        Path | None, typer.Option(help="Checkpoint of the segmentation network that seg2seq reads.", show_default=False)
    ] = None,
    augment: Annotated[str, typer.Option(help="none, gentle or bedside; default by the data's recipe.")] = "",
    lag: Annotated[float, typer.Option(help="Seconds that the decoder of `stream` may wait.", metavar="S")] = 0.4,
    seed: Annotated[int, typer.Option(help="Everything random follows from it.")] = 7,
    changes: Annotated[list[str] | None, typer.Option("--set", help="A network setting: key=value.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as one JSON document.")] = False,
) -> None:
    """Train a network. DIR holds a kept set, JIGSAWS, arm gestures or StrokeRehab. Needs the extra `train`.

    Example: `rehabcount train stream --data cohort --out runs/stream --epochs 40`

    A clinic's own sessions, from a model that exists: `rehabcount train stream --data corrected --also cohort --from
    stream --out runs/ours`
    """
    from rehabcount.models.torch_extra import require_torch

    require_torch()
    from rehabcount.models import train as training
    from rehabcount.models import tuning
    from rehabcount.models.catalogue import frames_per_step
    from rehabcount.models.data import joined
    from rehabcount.models.sources import open_data

    network_changes = _changes(name, changes or [])
    chosen_data = _with_segmenter(name, joined(open_data(data), [open_data(each) for each in also or []]), segmenter)
    weights = weights_named(start) if start is not None else None
    settings = training.TrainSettings(
        name,
        preset,
        network_changes,
        frames_per_step=step or frames_per_step(name, chosen_data.rate_hz),
        epochs=epochs,
        batch=batch,
        learning_rate=rate,
        seed=seed,
        augment=augment or ("bedside" if chosen_data.recipe == "bedside" else "gentle"),
        durations=name == "stream",
        lag_s=lag if name == "stream" else None,
        start_sha256=training.weights_sha256(weights) if weights is not None else "",
    )
    with progress() as bar:
        task = bar.add_task(name, total=None)

        def show(now: training.TrainingProgress) -> None:
            done = now.epoch * now.batches + now.batch
            bar.update(task, description=describe(name, now), completed=done, total=now.epochs * now.batches)

        outcome = training.train(chosen_data, settings, out, start=weights, report=show)
        bar.update(task, description=f"{name}: decoder")
        document = tuning.keep(out, settings, outcome, tuning.finish(chosen_data, outcome, settings))
    if as_json:
        print_json(document)
        return
    print_results(document, chosen_data.labels, out)


def weights_named(start: str) -> Any:
    """Of a checkpoint, or of a model by name, hash or folder."""
    from rehabcount.cli.commands.models import folders
    from rehabcount.export.weights import weights_of
    from rehabcount.inference.artifact import NETWORK, find
    from rehabcount.models.trained import load_trained

    if Path(start).suffix == ".pt":
        return load_trained(Path(start)).network.state_dict()
    return weights_of(find(start, folders(None)).folder / NETWORK)


def _with_segmenter(name: str, data: Any, segmenter: Path | None) -> Any:
    """The data as seg2seq reads them: a segmentation network's probabilities."""
    from rehabcount.errors import ConfigError

    if (name == "seg2seq") != (segmenter is not None):
        raise ConfigError(
            "seg2seq, and only seg2seq, reads a segmentation network's output.",
            advice="Train mstcn first, then: rehabcount train seg2seq --segmenter runs/mstcn/checkpoint.pt ...",
        )
    if segmenter is None:
        return data
    from rehabcount.models.seg2seq import probability_set
    from rehabcount.models.trained import load_trained

    trained = load_trained(segmenter)
    return probability_set(data, trained.spec, trained.network)


def describe(name: str, now: Any) -> str:
    """One line: where it is, loss, and how the last epochs did on validation."""
    text = f"{name}: epoch {now.epoch + 1}/{now.epochs}, loss {now.loss:.3f}"
    if now.last is not None:
        text += f", AER {now.last.aer:.3f}, bias {now.last.worst_bias:+.0%}"
    if now.best is not None:
        text += f" (best {now.best.aer:.3f} in {now.best.number + 1})"
    return text


def _changes(name: str, changes: list[str]) -> dict[str, Any]:
    """key=value for the network's own settings, read as the setting's type."""
    import dataclasses

    from rehabcount.errors import ConfigError
    from rehabcount.models.catalogue import CATALOGUE

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


def print_results(document: dict[str, Any], labels: tuple[str, ...], out: Path) -> None:
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
    output.print(f"Kept in {out}; next: rehabcount models export {out / 'checkpoint.pt'}", markup=False)

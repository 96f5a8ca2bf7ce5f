"""`rehabcount train`: fit a network to training data, with live progress; goes on where it was interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def train(
    name: Annotated[
        str,
        typer.Argument(help="stream, raw2seq, seg2seq, mstcn, asrf, lstm, edtcn, tresnet or mstcnpp.", metavar="NAME"),
    ],
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
    intervene: Annotated[
        float, typer.Option(help="Trials with the steps in random order, for each original one; 0: none.", min=0.0)
    ] = 0.0,
    intervene_steps: Annotated[
        float, typer.Option(help="Steps of a reassembled trial, against those of an original one.", min=0.01)
    ] = 1.0,
    within_person: Annotated[
        bool, typer.Option("--intervene-within-person", help="A reassembled trial has the steps of one person only.")
    ] = False,
    average: Annotated[
        float,
        typer.Option(help="Share that a step leaves of a running mean of the weights; 0: none.", min=0, max=0.99999),
    ] = 0.0,
    changes: Annotated[list[str] | None, typer.Option("--set", help="A network setting: key=value.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as one JSON document.")] = False,
) -> None:
    """Train a network. DIR holds a kept set, JIGSAWS, arm gestures or StrokeRehab. Needs the extra `train`.

    Example: `rehabcount train stream --data cohort --out runs/stream --epochs 40`

    A clinic's own sessions, from a model that exists: `rehabcount train stream --data corrected --also cohort --from
    stream --out runs/ours`

    For tasks that training does not have: `rehabcount train stream --data cohort --out runs/stream --intervene 1.0`
    """
    from rehabcount.models.torch_extra import require_torch

    require_torch()
    from rehabcount.cli.work.train import TrainRequest, run_training

    run_training(
        TrainRequest(
            name,
            data,
            out,
            also=tuple(also or ()),
            start=start or "",
            preset=preset,
            epochs=epochs,
            batch=batch,
            rate=rate,
            step=step,
            segmenter=segmenter,
            augment=augment,
            lag_s=lag,
            seed=seed,
            intervene=intervene,
            intervene_steps=intervene_steps,
            intervene_within_person=within_person,
            average=average,
            changes=tuple(changes or ()),
            as_json=as_json,
        )
    )

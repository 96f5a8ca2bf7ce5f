"""`rehabcount discover`: the steps that recordings of one exercise share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def discover(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Session files, folders of them, or tables; FILE@12-20,25-33 for stretches.", metavar="FILE..."
        ),
    ],
    repetitions: Annotated[
        str,
        typer.Option(
            "--repetitions",
            help="Cut sessions into their task repetitions: `counted`, or a layer of labels such as `reference`.",
            metavar="LAYER",
        ),
    ] = "",
    steps: Annotated[
        int | None, typer.Option(help="Different steps; default: chosen from the recordings.", min=1, max=26)
    ] = None,
    length: Annotated[
        int | None,
        typer.Option(help="Steps of the whole procedure, repeated ones included; default: chosen.", min=1, max=60),
    ] = None,
    names: Annotated[
        str, typer.Option(help="Names, with commas: one for each step, or one for each kind.", metavar="A,B,...")
    ] = "",
    out: Annotated[Path | None, typer.Option(help="Folder for tables, labels, ELAN files and the picture.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Also keep the steps in the session files, as labels.")] = False,
    side: Annotated[str, typer.Option(help="Which arm, where not the trained one: left or right.")] = "",
    seed: Annotated[int, typer.Option(help="Everything random follows from it.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Find the steps of an exercise in several recordings of it, without any labels.

    Shows the common procedure, how long each step took in each recording, and what was missing or out of order. Each
    session is one repetition, or is cut into several. Sessions need a calibration (docs/discover.md).

    Example: `rehabcount discover monday.rehab --repetitions counted --out steps --names rest,reach,lift,back`
    """
    from rehabcount.cli.work.discover import DiscoverRequest, find_steps
    from rehabcount.domain.rig import Side

    if side not in ("", *Side):
        raise typer.BadParameter("must be left or right", param_hint="--side")
    find_steps(
        DiscoverRequest(
            tuple(files),
            repetitions,
            steps,
            length,
            tuple(name.strip() for name in names.split(",")) if names.strip() else (),
            out,
            keep,
            Side(side) if side else None,
            seed,
            as_json,
        )
    )

"""`rehabcount teach`: an exercise, from a stretch of a session in which it was repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def teach(
    file: Annotated[Path, typer.Argument(help="The session file.", metavar="FILE")],
    from_s: Annotated[float, typer.Option("--from", help="Where the first repetition begins.", metavar="S", min=0.0)],
    to_s: Annotated[float, typer.Option("--to", help="Where the last one ends.", metavar="S", min=0.0)],
    repetitions: Annotated[int, typer.Option(help="How many there are between: three to ten are best.")],
    name: Annotated[str, typer.Option(help="What the exercise is called.")],
    side: Annotated[str, typer.Option(help="The arm, if it is not the trained one: left or right.")] = "",
    out: Annotated[Path | None, typer.Option(help="Where to write it; NAME.taught.json otherwise.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the taught exercise as JSON.")] = False,
) -> None:
    """Teach an exercise: from then on, its repetitions are counted.

    Nothing is needed but a stretch of a session and how often the exercise was made in it. The file that is written
    goes to `rehabcount count --taught`.

    Example: `rehabcount teach monday.rehab --from 12 --to 31 --repetitions 5 --name "elbow curl"`
    """
    from rehabcount.cli.work.teach import TeachRequest, teach_exercise
    from rehabcount.domain.rig import Side

    if side not in ("", *Side):
        raise typer.BadParameter("must be left or right", param_hint="--side")
    if to_s <= from_s:
        raise typer.BadParameter("must be later than --from", param_hint="--to")
    teach_exercise(TeachRequest(file, from_s, to_s, repetitions, name, Side(side) if side else None, out, as_json))

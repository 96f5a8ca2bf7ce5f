"""`rehabcount bench simulated`: the simulated patient against real people, written as tables and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rehabcount.cli.options import PARTS


def simulated(
    data: Annotated[Path, typer.Option(help="Folder with the folders drinking and moca.", envvar="REHABCOUNT_DATA")],
    out: Annotated[Path, typer.Option(help="Folder for the tables and pictures.")],
    only: Annotated[
        list[str] | None, typer.Option(help=f"Only this part: {', '.join(PARTS)}. May be repeated; others stay.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out the learner and the long sessions.")] = False,
    seed: Annotated[int, typer.Option(help="Of the simulated people.", min=0)] = 0,
) -> None:
    """Measure how like real patients the simulated one is: movement, shortcuts, a first learner, recovered angles.

    Takes about eight minutes; every part is written as soon as it is done.

    Example: `rehabcount bench simulated --data recordings --out docs/simulated`
    """
    from rehabcount.cli.work.bench_simulated import SimulatedRequest, measure_simulated

    measure_simulated(SimulatedRequest(data, out, tuple(only or ()), quick, seed))

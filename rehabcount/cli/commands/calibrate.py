"""`rehabcount calibrate`: how the sensors of a recording sat, from the pose and the movements in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def calibrate(
    file: Annotated[Path, typer.Argument(help="The session file.", metavar="FILE")],
    pose: Annotated[str, typer.Option(help="The still pose, as START:END in seconds.", metavar="A:B")],
    bending: Annotated[
        list[str] | None, typer.Option(help="Elbow bending, as SIDE=START:END; once an arm.", metavar="SIDE=A:B")
    ] = None,
    turning: Annotated[
        list[str] | None, typer.Option(help="Forearm turning, as SIDE=START:END; once an arm.", metavar="SIDE=A:B")
    ] = None,
    keep_bad: Annotated[bool, typer.Option("--keep-bad", help="Keep it even if the verdict is repeat.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Find out how each sensor sits on its body part, and keep it in the session file.

    A calibration whose verdict is "repeat" is shown and not kept (exit code 7), so that it cannot replace a good one.
    The pose and the movements are described in docs/body-axes.md. Features and joint angles need a calibration.

    Example: `rehabcount calibrate monday.rehab --pose 0.5:3.5 --bending right=4:13 --turning right=14:23`
    """
    from rehabcount.cli.work.calibrate import CalibrateRequest, calibrate_session

    calibrate_session(CalibrateRequest.read(file, pose, bending or (), turning or (), keep_bad, as_json))

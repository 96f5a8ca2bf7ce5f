"""`rehabcount calibrate`: how the sensors of a recording sat, from the pose and the movements in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from rehabcount.cli.console import errors, new_table, output, print_json
from rehabcount.errors import CalibrationError

if TYPE_CHECKING:
    from rehabcount.domain.calibration import Calibration
    from rehabcount.domain.rig import Side
    from rehabcount.signals.calibration import TimeSpan


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
    from rehabcount.bedside.config import load_settings
    from rehabcount.domain.calibration import Verdict
    from rehabcount.domain.document import to_document
    from rehabcount.engine import walk
    from rehabcount.signals import calibration as signals
    from rehabcount.signals.frames import joined
    from rehabcount.store.documents import CALIBRATION
    from rehabcount.store.session_file import SessionFile

    bends = dict(_sided(text, "--bending") for text in bending or [])
    turns = dict(_sided(text, "--turning") for text in turning or [])
    if set(bends) != set(turns):
        raise typer.BadParameter("--bending and --turning must name the same arms")
    spans = {side: signals.ArmMovements(bends[side], turns[side]) for side in bends}
    still = _span(pose, "--pose")
    last_s = max([still.end_s, *(span.end_s for span in (*bends.values(), *turns.values()))])

    with SessionFile.open(file) as session:
        rig = session.rig
        for side in spans:
            if not any(place is not None and place.side is side for place in rig.places):
                raise typer.BadParameter(f"no sensor of this session is on the {side} arm")
        blocks = []
        for block in walk.frames(session.items(), rig, load_settings().align):
            blocks.append(block)
            if block.time_s[-1] > last_s:
                break
    result = signals.calibrate(joined(blocks, len(rig)), rig, still, spans)
    kept = keep_bad or result.verdict is not Verdict.REPEAT
    if kept:
        with SessionFile.annotate(file) as session:
            session.put_document(CALIBRATION, result)
    if as_json:
        print_json({**to_document(result), "kept": kept})
    else:
        _say(result)
    if not kept:
        errors.print("Not kept: repeat the movements, or say --keep-bad.", highlight=False)
        raise typer.Exit(CalibrationError.exit_code)


def _say(result: Calibration) -> None:
    title = f"Calibration: {result.verdict} ({result.quality:.2f})"
    table = new_table(title, "sensor", "place", "quality", "from")
    for mounting in result.mountings:
        table.add_row(escape(mounting.sensor), mounting.place.value, f"{mounting.quality:.2f}", mounting.method)
    output.print(table)
    for advice in result.advice:
        output.print(f"- {advice}", markup=False)


def _span(text: str, option: str) -> TimeSpan:
    from rehabcount.signals.calibration import TimeSpan

    try:
        start, end = (float(part) for part in text.split(":"))
    except ValueError:
        raise typer.BadParameter(f"{option} takes START:END in seconds, not {text!r}") from None
    if not start < end:
        raise typer.BadParameter(f"{option}: {text} ends before it starts")
    return TimeSpan(start, end)


def _sided(text: str, option: str) -> tuple[Side, TimeSpan]:
    from rehabcount.domain.rig import Side

    side, _, span = text.partition("=")
    if side not in list(Side):
        raise typer.BadParameter(f"{option} takes SIDE=START:END with left or right, not {text!r}")
    return Side(side), _span(span, option)

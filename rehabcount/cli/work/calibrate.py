"""The calibration of a recording from the pose and the movements in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import typer
from rich.markup import escape

from rehabcount.bedside.config import load_settings
from rehabcount.cli.console import errors, new_table, output, print_json
from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.document import to_document
from rehabcount.domain.rig import Side
from rehabcount.engine import walk
from rehabcount.errors import CalibrationError
from rehabcount.signals.calibration import ArmMovements, TimeSpan, calibrate
from rehabcount.signals.frames import joined
from rehabcount.store.documents import CALIBRATION
from rehabcount.store.session_file import SessionFile


@dataclass(frozen=True, slots=True)
class CalibrateRequest:
    """Which stretches of a session show the pose and each arm's movements."""

    file: Path
    pose: TimeSpan
    movements: Mapping[Side, ArmMovements] = field(default_factory=dict)
    keep_bad: bool = False  # keep it even if it should be repeated
    as_json: bool = False

    @classmethod
    def read(
        cls, file: Path, pose: str, bending: Sequence[str], turning: Sequence[str], keep_bad: bool, as_json: bool
    ) -> CalibrateRequest:
        """From START:END, and SIDE=START:END once an arm."""
        bends = dict(_sided(text, "--bending") for text in bending)
        turns = dict(_sided(text, "--turning") for text in turning)
        if set(bends) != set(turns):
            raise typer.BadParameter("--bending and --turning must name the same arms")
        movements = {side: ArmMovements(bends[side], turns[side]) for side in bends}
        return cls(file, _span(pose, "--pose"), movements, keep_bad, as_json)

    @property
    def last_s(self) -> float:
        """The end of the last stretch."""
        spans = [span for arm in self.movements.values() for span in (arm.bending, arm.turning)]
        return max(span.end_s for span in (self.pose, *spans))


def calibrate_session(request: CalibrateRequest) -> None:
    """Exit code 7 if it should be repeated and is not kept."""
    with SessionFile.open(request.file) as session:
        rig = session.rig
        for side in request.movements:
            if not any(place is not None and place.side is side for place in rig.places):
                raise typer.BadParameter(f"no sensor of this session is on the {side} arm")
        blocks = []
        for block in walk.frames(session.items(), rig, load_settings().align):
            blocks.append(block)
            if block.time_s[-1] > request.last_s:
                break
    result = calibrate(joined(blocks, len(rig)), rig, request.pose, request.movements)
    kept = request.keep_bad or result.verdict is not Verdict.REPEAT
    if kept:
        with SessionFile.annotate(request.file) as session:
            session.put_document(CALIBRATION, result)
    if request.as_json:
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
    try:
        start, end = (float(part) for part in text.split(":"))
    except ValueError:
        raise typer.BadParameter(f"{option} takes START:END in seconds, not {text!r}") from None
    if not start < end:
        raise typer.BadParameter(f"{option}: {text} ends before it starts")
    return TimeSpan(start, end)


def _sided(text: str, option: str) -> tuple[Side, TimeSpan]:
    side, _, span = text.partition("=")
    if side not in list(Side):
        raise typer.BadParameter(f"{option} takes SIDE=START:END with left or right, not {text!r}")
    return Side(side), _span(span, option)

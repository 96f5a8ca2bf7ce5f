"""Exercises that are taught from a session, and repetitions counted in sessions: `teach`, `count --taught` and
`count --repetitions`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.bedside.repetitions import count_taught, count_unshown, load, save, teach_from
from rehabcount.cli.console import new_table, output, print_json
from rehabcount.domain.document import to_document
from rehabcount.domain.rig import Side
from rehabcount.domain.taught import Clarity, TaughtExercise
from rehabcount.domain.update import Repeated

VERDICTS = {
    Clarity.CLEAR: "The shown repetitions are alike: it can be counted.",
    Clarity.WEAK: "The shown repetitions differ, or are few: show two more, and teach it again.",
    Clarity.NOT_PERIODIC: "Nothing was repeated that often there: check the number and the times.",
}


@dataclass(frozen=True, slots=True)
class TeachRequest:
    """A stretch of a session, and how often something was repeated in it."""

    file: Path
    from_s: float
    to_s: float
    repetitions: int
    name: str
    side: Side | None = None
    out: Path | None = None
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class RepetitionsRequest:
    """Sessions whose repetitions are counted: of taught exercises, or (without any) of whatever was repeated."""

    files: tuple[Path, ...]
    taught: tuple[Path, ...] = ()
    from_s: float = 0.0
    to_s: float | None = None
    side: Side | None = None
    as_json: bool = False


def teach_exercise(request: TeachRequest) -> None:
    exercise = teach_from(request.file, request.from_s, request.to_s, request.repetitions, request.name, request.side)
    path = request.out or Path(f"{re.sub(r'[^A-Za-z0-9]+', '-', request.name).strip('-') or 'exercise'}.taught.json")
    save(exercise, path)
    if request.as_json:
        print_json({**to_document(exercise), "hash": exercise.hash, "file": str(path)})
        return
    output.print(
        f"{exercise.name}: {exercise.shown} repetitions of the {exercise.side.value} arm, {exercise.cycle_s:.1f} s "
        f"each, learned from {len(exercise.columns) // 6} sensor{'s' if len(exercise.columns) > 6 else ''}.",
        markup=False,
        highlight=False,
    )
    output.print(VERDICTS[exercise.clarity], style=None if exercise.clarity is Clarity.CLEAR else "yellow")
    output.print(f"Written to {path}.", style="dim", markup=False, highlight=False)


def count_repetitions(request: RepetitionsRequest) -> None:
    if request.taught:
        exercises = [load(path) for path in request.taught]
        found = {str(path): count_taught(path, exercises) for path in request.files}
        if request.as_json:
            print_json({file: [to_document(each) for each in over] for file, over in found.items()})
        else:
            _say_taught(found, exercises)
        return
    unshown = {str(path): count_unshown(path, request.from_s, request.to_s, request.side) for path in request.files}
    if request.as_json:
        print_json({file: to_document(each) for file, each in unshown.items()})
        return
    for file, each in unshown.items():
        said = f"{each.number} repetitions, {each.cycle_s:.1f} s each" if each.number else "nothing periodic"
        output.print(f"{file}: {said}", markup=False, highlight=False)


def _say_taught(found: dict[str, list[Repeated]], exercises: Sequence[TaughtExercise]) -> None:
    table = new_table("Repetitions of taught exercises", "session", "exercise", "reps", "s each", "shown", "amplitude")
    for column in table.columns[2:]:
        column.justify = "right"
    for file, over in found.items():
        for exercise in exercises:
            mine = [each for each in over if (each.exercise, each.side) == (exercise.name, exercise.side)]
            length = f"{np.median([each.length_s for each in mine]):.1f}" if mine else "–"
            size = f"{100 * np.median([each.amplitude for each in mine]):.0f} %" if mine else "–"
            table.add_row(file, exercise.name, str(len(mine)), length, f"{exercise.cycle_s:.1f}", size)
    table.caption = "s each: median duration, beside the shown one; amplitude: of the motion, 100 % as shown"
    table.caption_justify = "left"
    output.print(table)

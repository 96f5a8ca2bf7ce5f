"""Exercises that are taught from session files, and counted in them; no model is needed.

rows_of_session   rows of one arm; where the session was never calibrated, in the axes of its sensors
teach_from        a stretch of a session, and how often something was repeated in it -> TaughtExercise
count_taught      the repetitions of taught exercises in a session
count_unshown     how often whatever was repeated in a stretch was repeated
save, load        a taught exercise as a file
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rehabcount.domain.calibration import Calibration, Mounting, Verdict
from rehabcount.domain.document import from_document, read_json, to_document
from rehabcount.domain.dose import Plan
from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.taught import TaughtExercise
from rehabcount.domain.update import CalibrationAsked, Phase, Repeated, Said
from rehabcount.engine import walk
from rehabcount.engine.tally import Tally
from rehabcount.engine.taught import repetitions_in, teach
from rehabcount.errors import InputRefused
from rehabcount.inference.unshown import find_repetitions
from rehabcount.signals.calibration import calibration_from_steps
from rehabcount.signals.features import BEDSIDE
from rehabcount.signals.free_motion import free_motion
from rehabcount.store.foreign import bytes_of
from rehabcount.store.private import write_private_text
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of

MOST_BYTES = 1_000_000  # of a taught exercise
UNTURNED = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Unshown:
    """What was repeated in a stretch. Spans (start_s, end_s) are those of the repetitions."""

    number: int
    cycle_s: float
    spans: tuple[tuple[float, float], ...]


def calibration_of(file: SessionFile) -> Calibration | None:
    """The calibration that counts: one that was made or used before, else from the steps that were asked for in the
    record; None if there is none that may be used."""
    known = file.calibration()
    if known is not None:
        return known
    items = list(file.items())
    asked = [item.what for item in items if isinstance(item, Said) and isinstance(item.what, CalibrationAsked)]
    for steps in reversed([each.steps for each in asked]):
        found = calibration_from_steps(walk.frames_all(items, file.rig), file.rig, steps)
        if found.verdict is not Verdict.REPEAT:
            return found
    return None


def unmounted(rig: Rig) -> Calibration:
    """Sensors whose axes are taken for those of their body parts: for a rig that was never calibrated."""
    mountings = tuple(
        Mounting(sensor.name, sensor.place, UNTURNED, 0.0, 1.0, "none")
        for sensor in rig.sensors
        if sensor.place is not None
    )
    return Calibration(mountings, 1.0, Verdict.USABLE)


def rows_of_session(file: SessionFile, side: Side) -> Iterator[Rows]:
    """Rows of recipe `bedside` of one arm, some seconds at a time."""
    calibration = calibration_of(file) or unmounted(file.rig)
    return walk.rows(walk.frames_in_parts(file.items(), file.rig), file.rig, calibration, BEDSIDE, side)


def stretch_of(file: SessionFile, side: Side, from_s: float, to_s: float | None) -> Rows:
    """The rows of a stretch; InputRefused if the session has none there."""
    until_s = np.inf if to_s is None else to_s
    parts = list[Rows]()
    for rows in rows_of_session(file, side):
        inside = (rows.time_s >= from_s) & (rows.time_s < until_s)
        if inside.any():
            first = rows.index + int(np.flatnonzero(inside)[0])
            parts.append(Rows(first, rows.time_s[inside], rows.values[inside], rows.valid[inside]))
    if not parts:
        raise InputRefused(
            f"there is no motion from {from_s:g} s to {until_s:g} s.",
            advice="Times are seconds from the beginning of the session; `rehabcount info FILE` says how long it is.",
        )
    return Rows(
        parts[0].index,
        np.concatenate([rows.time_s for rows in parts]),
        np.concatenate([rows.values for rows in parts]),
        np.concatenate([rows.valid for rows in parts]),
    )


def teach_from(
    path: Path, from_s: float, to_s: float, repetitions: int, name: str, side: Side | None = None
) -> TaughtExercise:
    """The exercise that was repeated that often in this stretch of a session file."""
    with SessionFile.open(path) as file:
        arm = side or side_of(file)
        return teach(stretch_of(file, arm, from_s, to_s), repetitions, name=name, side=arm)


def count_taught(path: Path, exercises: Sequence[TaughtExercise]) -> list[Repeated]:
    """The repetitions of all of them, each on its arm, in the order of their ends; none in a pause or a calibration."""
    found = list[Repeated]()
    with SessionFile.open(path) as file:
        phases = Tally(Plan(), Side.RIGHT)
        for phase in phases_in(file):
            phases.enter(phase)
        for side in Side:
            mine = [each for each in exercises if each.side is side]
            if mine:
                found += repetitions_in(rows_of_session(file, side), mine)
    numbers = Counter[tuple[str, Side]]()
    kept = list[Repeated]()
    for each in sorted(found, key=lambda each: each.end_s):
        if phases.counts_at(each.side, (each.start_s + each.end_s) / 2):
            numbers[each.exercise, each.side] += 1
            kept.append(replace(each, number=numbers[each.exercise, each.side]))
    return kept


def phases_in(file: SessionFile) -> Iterator[Phase]:
    """The phases of the record, as the walk dates them."""
    origin_ns: int | None = None
    since_s = 0.0
    for item in file.items():
        if not isinstance(item, Said):
            origin_ns = item.received_ns if origin_ns is None else origin_ns
        elif isinstance(item.what, Phase):
            at_s = 0.0 if origin_ns is None else max(0.0, round((item.received_ns - origin_ns) / 1e9, 3))
            since_s = max(at_s, since_s)
            yield replace(item.what, at_s=since_s)


def count_unshown(path: Path, from_s: float, to_s: float | None, side: Side | None = None) -> Unshown:
    """How often whatever was repeated in this stretch was repeated."""
    with SessionFile.open(path) as file:
        rows = stretch_of(file, side or side_of(file), from_s, to_s)
    free = free_motion(rows)
    found = find_repetitions(free.values, free.valid, FRAME_RATE_HZ)
    if found is None:
        return Unshown(0, 0.0, ())
    at_s = float(rows.time_s[0])
    spans = tuple(
        (round(at_s + each.start / FRAME_RATE_HZ, 3), round(at_s + each.end / FRAME_RATE_HZ, 3))
        for each in found.cycles
        if each.counted
    )
    return Unshown(found.number, round(found.cycle_s, 3), spans)


def save(exercise: TaughtExercise, path: Path) -> None:
    write_private_text(path, json.dumps({**to_document(exercise), "hash": exercise.hash}, indent=1) + "\n")


def load(path: Path) -> TaughtExercise:
    """InputRefused if the file holds no taught exercise, or was changed."""
    try:
        document = read_json(bytes_of(path, MOST_BYTES))
        told = document.pop("hash", "")
        exercise = from_document(TaughtExercise, document, path.name)
    except (ValueError, AttributeError, TypeError, OSError) as problem:
        raise InputRefused(
            f"{path.name} holds no taught exercise: {problem}.", advice="Make one: rehabcount teach --help."
        ) from problem
    if told != exercise.hash:
        raise InputRefused(f"{path.name} was changed after it was taught.", advice="Teach the exercise again.")
    return exercise

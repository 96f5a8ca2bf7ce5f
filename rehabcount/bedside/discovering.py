"""The steps of an exercise found in recorded sessions and tables: reading them, searching, and keeping what was found.

In: `ExerciseStretch`es of session files, or tables. Out: `FoundSteps` (domain/steps.py) of `models.discovery`, which
only this module imports: searching for steps needs no torch, and is done at the bedside.

A session needs its calibration: its body parts have to be known. Whole sessions begin where counting began; without
phases, where the calibration of a simulated patient ended.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from rehabcount.domain.arrays import Floats, frozen
from rehabcount.domain.corrected import corrected
from rehabcount.domain.document import shown
from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.steps import FoundSteps
from rehabcount.domain.update import Event, Phase, PhaseName
from rehabcount.engine import walk
from rehabcount.engine.repetitions import repetitions_in
from rehabcount.engine.summarise import counting_that_holds
from rehabcount.errors import CalibrationError, ImportRefused, InputRefused
from rehabcount.models.discovery import DiscoverySettings as DiscoverySettings
from rehabcount.models.discovery import discover
from rehabcount.models.steps_input import Channels, Demonstration
from rehabcount.signals.align import AlignSettings
from rehabcount.signals.calibration import mount_all
from rehabcount.signals.features import BEDSIDE, featurize_all
from rehabcount.signals.posture import posture_of
from rehabcount.store.documents import SIMULATION, STEPS, KeptSteps
from rehabcount.store.foreign import bytes_of
from rehabcount.store.layers import STEPS_LAYER, Layer
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of

COUNTED = ""  # as the layer of a request: the repetitions that were counted, with corrections
MOST_TABLE_BYTES = 16 << 20  # an hour of ten channels at 50 Hz; read, a table takes ten times its size
LARGEST = 1e12  # of any number in a table
TIME = "time_s"
SPARE_S = 0.5  # by which a stretch may lie outside of a recording: ends are typed by hand
SHORTEST_S = 1.0  # of a stretch
UNEVEN = 0.5  # of a table's steps of time: more shows a gap

OnProgress = Callable[[str, int, int], None]
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Wanted:
    """One file and which stretches of it: spans in session seconds, or the repetitions of a layer of labels (COUNTED:
    those that were counted), or the whole."""

    path: Path
    spans: tuple[Span, ...] = ()
    layer: str | None = None
    side: Side | None = None  # None: the trained arm


@dataclass(frozen=True, slots=True)
class ExerciseStretch:
    """One recording of the exercise. `rows`: the feature rows of its arm, of a session; a table does not say who was
    measured, and what is made of rows must."""

    name: str
    path: Path | None
    side: Side
    demonstration: Demonstration
    rows: Rows | None = None
    simulated: bool = False


def layer_called(repetitions: str) -> str | None:
    """What a person calls it: `counted`, a layer of labels, or nothing for whole sessions."""
    return None if not repetitions else COUNTED if repetitions == "counted" else repetitions


def read_stretches(
    wanted: Iterable[Wanted], align: AlignSettings, on_file: Callable[[], None]
) -> list[ExerciseStretch]:
    """All stretches of all files, in order; `on_file` after each file."""
    found = list[ExerciseStretch]()
    read = set[Path]()
    for each in wanted:
        if each.path.resolve() in read:
            raise InputRefused(
                f"{each.path.name} is given twice.", advice="Give all its stretches at once: FILE@12-20,25-33."
            )
        read.add(each.path.resolve())
        found += _of_table(each) if is_table(each.path) else _of_session(each, align)
        on_file()
    return found


def is_table(path: Path) -> bool:
    return path.suffix.lower() in (".csv", ".tsv")


def find(
    stretches: Sequence[ExerciseStretch],
    settings: DiscoverySettings,
    on_progress: OnProgress = lambda what, done, total: None,
) -> FoundSteps:
    """What they have in common."""
    return discover([each.demonstration for each in stretches], settings, on_progress=on_progress)


def find_in_arrays(
    arrays: Sequence[Floats],
    rate_hz: float,
    names: Sequence[str],
    settings: DiscoverySettings,
    on_progress: OnProgress = lambda what, done, total: None,
) -> FoundSteps:
    """The same for arrays (samples, channels) of any origin."""
    given = []
    for name, values in zip(names, arrays, strict=True):
        channels = tuple(f"channel {i}" for i in range(values.shape[1] if values.ndim == 2 else 0))
        given.append(Demonstration(name, Channels(0.0, rate_hz, channels, values)))
    return discover(given, settings, on_progress=on_progress)


def segments_of(found: FoundSteps, number: int, side: Side) -> tuple[Segment, ...]:
    """The steps of one recording as labels; what is not of the common procedure has none."""
    return tuple(
        Segment(found.name_of(span), side, span.start_s, span.end_s)
        for span in found.recordings[number].spans
        if span.number
    )


def in_order(found: FoundSteps, segments: Iterable[Segment]) -> tuple[Segment, ...]:
    """Labels of steps by the place of their name in the procedure, and those of one name by time."""
    place = {step.name: step.number for step in reversed(found.steps)}  # the first of a name that several have
    return tuple(sorted(segments, key=lambda each: (place[each.label], each.start_s)))


# -- kept in a session ------------------------------------------------------------------------------------------------


def keep_steps(path: Path, segments: Sequence[Segment]) -> Layer | None:
    """Writes the steps as a new layer of labels, and says that it holds; without any, that none does. Their order is
    kept: the names of the procedure in its order, and of each name in order of time, as `in_order` gives it."""
    with SessionFile.annotate(path) as session:
        layer = None
        if segments:
            taken = set(session.layers())
            names = (Layer(STEPS_LAYER if n == 1 else f"{STEPS_LAYER} {n}") for n in range(1, len(taken) + 2))
            layer = next(name for name in names if name not in taken)
            session.add_segments(layer, segments)
        session.put_document(STEPS, KeptSteps(layer or ""))
    return layer


def hold_layer(path: Path, layer: str) -> None:
    """An earlier layer of steps holds again; empty: none."""
    with SessionFile.annotate(path) as session:
        session.put_document(STEPS, KeptSteps(layer))


def kept_steps(session: SessionFile) -> tuple[str, tuple[Segment, ...]]:
    """The layer of steps that holds and its segments; nothing if there is none."""
    kept = session.legible(STEPS)
    if kept is None or not kept.layer or kept.layer not in session.layers():
        return "", ()
    return kept.layer, session.segments(Layer(kept.layer))


# -- sessions ---------------------------------------------------------------------------------------------------------


def _of_session(wanted: Wanted, align: AlignSettings) -> list[ExerciseStretch]:
    with SessionFile.open(wanted.path) as session:
        number = counting_that_holds(session)
        side = wanted.side or side_of(session, number)
        rig, calibration = session.rig, session.calibration()
        if calibration is None:
            raise CalibrationError(
                f"{wanted.path.name} has no calibration, so its body parts are not known.",
                advice="Count the session if the patient was calibrated in it (rehabcount count), "
                "or calibrate it now (rehabcount calibrate).",
            )
        spans, simulated = _spans(session, wanted, side, number), session.has_document(SIMULATION)
        frames = mount_all(walk.frames_all(session.items(), rig, align), rig, calibration)
    rows = featurize_all(frames, rig, BEDSIDE, side, calibration)
    found = []
    for start_s, end_s in spans:
        name = wanted.path.stem if not wanted.spans and wanted.layer is None else f"{wanted.path.stem} {start_s:.1f} s"
        part = _part(rows, start_s, end_s, wanted.path)
        found.append(ExerciseStretch(name, wanted.path, side, Demonstration(name, posture_of(part)), part, simulated))
    return found


def _part(rows: Rows, start_s: float, end_s: float, path: Path) -> Rows:
    first, last = np.searchsorted(rows.time_s, [start_s - 1e-6, end_s - 1e-6])
    times = rows.time_s[first:last]
    if len(times) > 1 and float(np.diff(times).max()) > 1.5 / FRAME_RATE_HZ:
        raise InputRefused(
            f"{path.name} was interrupted between {start_s:.1f} and {end_s:.1f} s.",
            advice="Mark a stretch before or after the interruption.",
        )
    return Rows(rows.index + int(first), times, rows.values[first:last], rows.valid[first:last])


def _spans(session: SessionFile, wanted: Wanted, side: Side, number: int | None) -> tuple[Span, ...]:
    length_s = session.length_s()
    if wanted.spans:
        _check_spans(wanted, 0.0, length_s)
        return wanted.spans
    if wanted.layer is None:
        return ((_begun_s(session), length_s),)
    if wanted.layer == COUNTED:
        if number is None:
            raise InputRefused(
                f"nothing was counted in {wanted.path.name}.", advice="Count it first: rehabcount count."
            )
        events = [update for update in session.updates(number, Event) if isinstance(update, Event)]
        segments = [each.segment for each in corrected(events, session.corrections(number))]
    else:
        if wanted.layer not in session.layers():
            has = ", ".join(session.layers()) or "none"
            raise InputRefused(
                f"{wanted.path.name} has no layer {wanted.layer!r}; it has {has}.", advice="Name one that it has."
            )
        segments = list(session.segments(Layer(wanted.layer)))
    begun_s = _begun_s(session)
    spans = repetitions_in((each for each in segments if each.start_s >= begun_s), side, length_s)
    spans = tuple((max(start_s, begun_s), end_s) for start_s, end_s in spans)
    if not spans:
        raise InputRefused(
            f"there is no task repetition of the {side} arm in {wanted.path.name}.",
            advice="Mark stretches instead, as in monday.rehab@12.5-20.",
        )
    return spans


def _check_spans(wanted: Wanted, first_s: float, last_s: float) -> None:
    """Refuse stretches that the file does not have, or that overlap: labels of both could not be kept."""
    name = wanted.path.name
    for start_s, end_s in wanted.spans:
        if not first_s - SPARE_S <= start_s < end_s <= last_s + SPARE_S:
            raise InputRefused(
                f"{name} has no stretch from {start_s:g} to {end_s:g} s; it has {first_s:.1f} to {last_s:.1f} s.",
                advice="Give seconds of the recording, the start first.",
            )
        if end_s - start_s < SHORTEST_S:
            raise InputRefused(
                f"the stretch of {name} from {start_s:g} to {end_s:g} s is too short.",
                advice=f"Give at least {SHORTEST_S:g} s.",
            )
    for (_, end_s), (start_s, _) in pairwise(sorted(wanted.spans)):
        if start_s < end_s:
            raise InputRefused(
                f"two stretches of {name} overlap between {start_s:g} and {end_s:g} s.", advice="Let one end before."
            )


def _begun_s(session: SessionFile) -> float:
    """When exercise began."""
    phases = [each for each in session.updates(None, Phase) if isinstance(each, Phase)]
    number = counting_that_holds(session)
    if number is not None:
        phases += [each for each in session.updates(number, Phase) if isinstance(each, Phase)]
    begun = [each.at_s for each in phases if each.name in (PhaseName.COUNTING, PhaseName.ASSISTED)]
    simulated = session.legible(SIMULATION) or {}
    ends = [each.get("end_s") for each in simulated.get("stretches", ()) if _is_calibration(each)]
    known = [float(end_s) for end_s in ends if isinstance(end_s, int | float) and math.isfinite(end_s)]
    return max([min(begun, default=0.0), *known])


def _is_calibration(stretch: object) -> bool:
    return isinstance(stretch, Mapping) and stretch.get("kind") == "calibration"


# -- tables -----------------------------------------------------------------------------------------------------------


def _of_table(wanted: Wanted) -> list[ExerciseStretch]:
    """A table of numbers with a column `time_s`: the features that `rehabcount export` writes, or any channels."""
    names, table = _read_table(wanted.path)
    times = table[:, names.index(TIME)]
    steps = np.diff(times)
    if len(times) < 2 or not np.isfinite(times).all() or (steps <= 0).any():
        raise ImportRefused(wanted.path, f"the column {TIME} does not rise", advice="Give seconds, in order.")
    step_s = float(np.median(steps))
    if float(steps.max()) > (1 + UNEVEN) * step_s:
        at_s = float(times[int(np.argmax(steps))])
        raise ImportRefused(wanted.path, f"there is a gap at {at_s:.2f} s", advice="Give a file without gaps.")
    if wanted.layer is not None:
        raise ImportRefused(wanted.path, "a table has no repetitions", advice="Mark stretches: FILE@12.5-20,22-30.")
    _check_spans(wanted, float(times[0]), float(times[-1]) + step_s)
    spans = wanted.spans or ((float(times[0]), float(times[-1]) + step_s),)
    side = wanted.side or (Side.LEFT if wanted.path.stem.endswith("-left") else Side.RIGHT)  # as exports are called
    found = []
    for start_s, end_s in spans:
        inside = (times >= start_s - 1e-9) & (times < end_s - 1e-9)
        name = wanted.path.stem if not wanted.spans else f"{wanted.path.stem} {start_s:.1f} s"
        if set(BEDSIDE.names) <= set(names) and abs(step_s * FRAME_RATE_HZ - 1) < 0.01:
            values = table[inside][:, [names.index(each) for each in BEDSIDE.names]]
            values = values / np.array([column.scale for column in BEDSIDE.columns])
            known = np.isfinite(values)
            rows = Rows(0, times[inside], np.where(known, values, 0.0), known)
            found.append(ExerciseStretch(name, wanted.path, side, Demonstration(name, posture_of(rows))))
            continue
        kept = [i for i, each in enumerate(names) if each != TIME]
        start = float(times[inside][0]) if inside.any() else start_s
        channels = Channels(start, 1 / step_s, tuple(names[i] for i in kept), frozen(table[inside][:, kept]))
        found.append(ExerciseStretch(name, wanted.path, side, Demonstration(name, channels)))
    return found


def _read_table(path: Path) -> tuple[list[str], Floats]:
    try:
        text = bytes_of(path, MOST_TABLE_BYTES).decode("utf-8-sig")
    except OSError as problem:
        raise ImportRefused(path, f"cannot be read: {problem.strerror}", advice="Check the name.") from problem
    except UnicodeDecodeError as problem:
        raise ImportRefused(path, "not a text file in UTF-8", advice="Save it as UTF-8.") from problem
    head = text.splitlines()[0] if text.strip() else ""
    rows = csv.reader(text.splitlines(), delimiter=max(",;\t", key=head.count))
    try:
        names = [name.strip() for name in next(rows, [])]
        if TIME not in names or len(names) < 2 or len(set(names)) < len(names):
            raise ImportRefused(
                path,
                f"the first line must name a column {TIME} and channels, each once",
                line=1,
                advice="Give seconds in that column. Exports of sensors are made into sessions by rehabcount import.",
            )
        table = [[_number(path, rows.line_num, cell) for cell in row] for row in rows if row]
    except csv.Error as problem:
        raise ImportRefused(path, f"not a table ({problem})", line=rows.line_num) from problem
    wrong = next((at for at, row in enumerate(table) if len(row) != len(names)), None)
    if wrong is not None or not table:
        said = "there is no row" if wrong is None else f"it has {len(table[wrong])} cells, {len(names)} are named"
        raise ImportRefused(path, said, line=2 if wrong is None else wrong + 2, advice="Write the table again.")
    return names, np.array(table)


def _number(path: Path, line: int, cell: str) -> float:
    if not cell.strip():
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        value = math.inf
    if abs(value) > LARGEST:
        raise ImportRefused(path, f"{shown(cell)} is not a number", line=line, advice="Leave columns of words out.")
    return value


def renamed(stretches: Sequence[ExerciseStretch]) -> list[ExerciseStretch]:
    """The same with names that differ: a number is added where two are alike."""
    seen: dict[str, int] = {}
    found = []
    for each in stretches:
        seen[each.name] = seen.get(each.name, 0) + 1
        name = each.name if seen[each.name] == 1 else f"{each.name} ({seen[each.name]})"
        found.append(replace(each, name=name, demonstration=replace(each.demonstration, name=name)))
    return found

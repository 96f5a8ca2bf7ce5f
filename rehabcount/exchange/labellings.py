"""Labellings from files, read into spans; every error message names the file and the line.

    .txt, .lab      one label a line, one line a frame
    .csv            a table of segments: label and start_s, end_s (or start_frame, end_frame), optionally side;
                    or the one column label, one line a frame
    .npz            `<trial>/reference` and `<trial>/estimate` per frame; or `<trial>` alone; `label_names` are optional
    .rehab          a session file: a layer of reference labels, or the events of its last counting
    a folder        all of these in it; a trial is called after its file

A file or folder in, a `Labelling` per trial out. The two arms of a recording are two trials.
"""

from __future__ import annotations

import contextlib
import csv
import difflib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.document import LONGEST_S, shown
from rehabcount.domain.labels import PRODUCT
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event
from rehabcount.errors import DatasetMissing, ImportRefused
from rehabcount.metrics.matching import Spans, runs
from rehabcount.store.foreign import bytes_of
from rehabcount.store.layers import STEPS_LAYER, Layer
from rehabcount.store.npz import Arrays, open_arrays
from rehabcount.store.session_file import SessionFile

Role = Literal["reference", "estimate"]
Unit = Literal["frame", "second"]

TEXT_SUFFIXES = (".txt", ".lab", ".labels")
SUFFIXES = (*TEXT_SUFFIXES, ".csv", ".npz", ".rehab")
MOST_BYTES = 64 << 20  # of a file of text: a day of labels, one a frame, has nine million lines
MOST_FRAMES = 10_000_000  # of a trial: 27 hours at 100 Hz
MOST_SPANS = 20_000  # of a trial: each is aligned with each of the other side
MOST_LABELS = 500  # different ones in a trial: a table has a row and a column for each
LONGEST_LABEL = 100  # characters
LARGEST_LABEL = 1e15  # of labels that are numbers
_NO_LABEL = ("", "nan", "none", "null")  # what other programs write for a missing value


@dataclass(frozen=True, slots=True)
class Labelling:
    """One trial of the reference or of the estimate. `lines` are the line (or entry) numbers of its spans, for
    messages.

    `every_frame`: it has a label for each frame, so another such labelling of the trial must have the same length.
    `recording`: the recording that the trials of two arms share.
    """

    trial: str
    path: Path
    spans: Spans
    unit: Unit
    lines: tuple[int, ...]
    every_frame: bool
    recording: str
    counting: int | None = None  # the number of the counting whose events these are

    @property
    def length(self) -> float:
        """Frames or seconds up to the end of the last span."""
        return float(self.spans.ends[-1]) if len(self.spans) else 0.0


def read_labellings(
    path: Path, role: Role, *, layer: str | None = None, names_from: int | None = None
) -> dict[str, Labelling]:
    """Every trial of a file or folder. An npz that holds both sides gives the one called `role`.

    `names_from` is the number that the first of an npz's `label_names` stands for. Files disagree on it (0 or 1), so
    without it names are used only where the numbers leave no doubt, and the numbers stay as they are elsewhere.
    """
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in SUFFIXES)
        if not files:
            raise DatasetMissing(f"{path} holds no file of labels.", advice=f"Known: {', '.join(SUFFIXES)}.")
    elif path.is_file():
        files = [path]
    else:
        raise DatasetMissing(f"there is no file or folder {path}.", advice="Check the name.")
    found: dict[str, Labelling] = {}
    for file in files:
        for labelling in _read_file(file, role, layer, names_from):
            if labelling.trial in found:
                first = found[labelling.trial].path.name
                raise ImportRefused(file, f"trial {labelling.trial!r} is also in {first}", advice="Rename one of them.")
            found[labelling.trial] = labelling
    return found


def vocabulary_of(labels: Iterable[object]) -> tuple[str, ...] | None:
    """The vocabulary that these labels seem to be of: the product's, if at least two of its labels are among them."""
    return PRODUCT.names if len({str(label) for label in labels} & set(PRODUCT.names)) > 1 else None


def check_vocabulary(
    labellings: Iterable[Labelling], known: Sequence[str], otherwise: str = "Use --labels any to accept every label."
) -> None:
    """Raise an error for the first label that is not `known`, with its line."""
    for labelling in labellings:
        for label, line in zip(labelling.spans.labels.tolist(), labelling.lines, strict=True):
            if str(label) not in known:
                raise ImportRefused(
                    labelling.path,
                    f"unknown label {label!r}",
                    line=line,
                    advice=f"{known_in_words(str(label), known)} {otherwise}",
                )


def known_in_words(label: str, known: Sequence[str]) -> str:
    """Which labels are known, and first the one that was probably meant by `label`."""
    near = difflib.get_close_matches(label.lower(), known, 1)
    return f"{f'Did you mean {near[0]}? ' if near else ''}Known: {', '.join(known)}."


def _read_file(path: Path, role: Role, layer: str | None, names_from: int | None) -> Iterator[Labelling]:
    suffix = path.suffix.lower()
    if suffix == ".npz":
        yield from _read_npz(path, role, names_from)
    elif suffix == ".rehab":
        yield from _read_session(path, role, layer)
    elif suffix == ".csv":
        yield from _read_csv(path)
    else:
        yield _read_text(path)


def _read_text(path: Path) -> Labelling:
    return _from_frames(path, path.stem, _without_empty_end(_text_of(path).splitlines()), first_line=1)


def _without_empty_end(lines: list[str]) -> list[str]:
    """Labels, one a line; empty lines at the end are ignored."""
    labels = [line.strip().strip('"') for line in lines]
    while labels and not labels[-1]:
        labels.pop()
    return labels


def _read_csv(path: Path) -> Iterator[Labelling]:
    text = _text_of(path)
    header = text.splitlines()[0] if text.strip() else ""
    delimiter = max(",;\t", key=header.count)
    rows = csv.DictReader(text.splitlines(), delimiter=delimiter)
    try:
        yield from _read_rows(path, text, rows)
    except csv.Error as error:
        raise ImportRefused(
            path, f"not a table ({error})", line=rows.line_num + 1, advice="Give label, start_s and end_s, a line each."
        ) from error


def _read_rows(path: Path, text: str, rows: csv.DictReader[str]) -> Iterator[Labelling]:
    names = [(name or "").strip().lower() for name in rows.fieldnames or []]
    rows.fieldnames = names
    if "label" not in names:
        raise ImportRefused(
            path,
            "there is no column `label`" if text.strip() else "the file is empty",
            line=1,
            advice="Give the columns label, start_s, end_s, or the one column label.",
        )
    for unit in ("second", "frame"):
        start, end = ("start_s", "end_s") if unit == "second" else ("start_frame", "end_frame")
        if start in names and end in names:
            yield from _segments_from_rows(path, rows, start, end, unit)
            return
    if len(names) > 1:
        raise ImportRefused(
            path, "the columns start_s and end_s (or start_frame, end_frame) are missing", line=1, advice="Add them."
        )
    yield _from_frames(path, path.stem, _without_empty_end(text.splitlines()[1:]), first_line=2)


def _segments_from_rows(path: Path, rows: csv.DictReader[str], start: str, end: str, unit: Unit) -> Iterator[Labelling]:
    found: dict[str, list[tuple[int, str, float, float]]] = {}
    for row in rows:
        line = rows.line_num
        label = _label(path, line, (row["label"] or "").strip())
        if label.lower() in _NO_LABEL:
            raise ImportRefused(path, f"{label!r} is no label", line=line, advice="Name the movement or drop the line.")
        since, until = _number(path, line, start, row[start]), _number(path, line, end, row[end])
        if until <= since:
            raise ImportRefused(path, f"{label!r} ends at {until:g}, it starts at {since:g}", line=line)
        side = (row.get("side") or "").strip().lower()
        found.setdefault(f"{path.stem} {side}".strip(), []).append((line, label, since, until))
    if not found:
        raise ImportRefused(path, "there is no segment", line=2, advice="Check that the file was written to its end.")
    for trial, segments in found.items():
        yield _from_segments(path, trial, segments, unit)


def _from_segments(
    path: Path, trial: str, segments: list[tuple[int, str, float, float]], unit: Unit, counting: int | None = None
) -> Labelling:
    segments = sorted(segments, key=lambda segment: segment[2])
    for (_, before, _, until), (line, label, since, _) in pairwise(segments):
        if since < until:
            raise ImportRefused(path, f"{label!r} starts at {since:g}, before {before!r} ends at {until:g}", line=line)
    lines = tuple(line for line, *_ in segments)
    _check_number(path, len(segments), len({label for _, label, _, _ in segments}))
    labels = np.array([label for _, label, _, _ in segments], np.str_)
    starts, ends = (np.array([segment[at] for segment in segments], float) for at in (2, 3))
    return Labelling(trial, path, Spans(labels, starts, ends), unit, lines, False, path.stem, counting)


def _from_frames(path: Path, trial: str, labels: Any, first_line: int) -> Labelling:
    if not len(labels):
        raise ImportRefused(path, "the file is empty", line=1, advice="Check that it was written to its end.")
    if len(labels) > MOST_FRAMES:
        raise ImportRefused(path, f"{trial!r} has {len(labels)} frames, where no trial has more than {MOST_FRAMES}")
    for at, label in enumerate(labels):
        if isinstance(label, str):
            _label(path, first_line + at, label)
        if isinstance(label, str) and label.lower() in _NO_LABEL:
            said = f"{label!r} is no label" if label else "the line is empty"
            raise ImportRefused(
                path, said, line=first_line + at, advice="Every frame needs a label; use idle for rest."
            )
    spans = runs(labels)
    _check_number(path, len(spans), len(np.unique(spans.labels)))
    lines = tuple(first_line + int(start) for start in spans.starts)
    return Labelling(trial, path, spans, "frame", lines, True, trial)


def _label(path: Path, line: int, label: str) -> str:
    """The label, where it is one: a word or a few that can be seen."""
    if len(label) > LONGEST_LABEL or not label.isprintable():
        raise ImportRefused(path, f"{shown(label)} is no label", line=line, advice="Name the movement in plain words.")
    return label


def _check_number(path: Path, spans: int, labels: int) -> None:
    """Refuses more labels than a person makes: the time to compare them grows with the square of their number."""
    if spans > MOST_SPANS:
        raise ImportRefused(
            path, f"a trial of {spans} stretches, where none has more than {MOST_SPANS}", advice="Divide the recording."
        )
    if labels > MOST_LABELS:
        raise ImportRefused(path, f"{labels} different labels, where no vocabulary has more than {MOST_LABELS}")


def holds_both(path: Path) -> bool:
    """Whether one file has a reference and an estimate."""
    if path.suffix.lower() == ".rehab":
        return True
    if path.suffix.lower() != ".npz" or not path.is_file():
        return False
    with _arrays(path) as held:
        return {"reference", "estimate"} <= {key.rpartition("/")[2] for key in held}


def _read_npz(path: Path, role: Role, names_from: int | None) -> Iterator[Labelling]:
    with _arrays(path) as held:
        mine = [key for key in held if key.rpartition("/")[2] == role]
        either = any(key.rpartition("/")[2] in ("reference", "estimate") for key in held)
        if either and not mine:
            raise ImportRefused(path, f"there is no array `{role}` or `<trial>/{role}`", advice="Name the other file.")
        keys = mine if either else [key for key in held if key not in ("label_names", "sequence_lengths")]
        if not keys:
            raise ImportRefused(path, "there is no array of labels")
        # All arrays of the file are used to find the first number, not only this side's.
        sides = keys if not either else [k for k in held if k.rpartition("/")[2] in ("reference", "estimate")]
        arrays = {key: _frames_of(path, key, held) for key in sides}
        name = _namer(path, held, arrays, names_from)
        for key in keys:
            trial = (key.rpartition("/")[0] or path.stem) if either else key
            yield _from_frames(path, trial, name(arrays[key]), first_line=1)


@contextlib.contextmanager
def _arrays(path: Path) -> Iterator[Arrays]:
    try:
        with open_arrays(path) as held:
            yield held
    except OSError as error:
        raise ImportRefused(path, f"cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ImportRefused(path, f"not an npz of labels: {error}", advice="Save it with numpy.savez.") from error


def _frames_of(path: Path, key: str, held: Arrays) -> NDArray[Any]:
    frames = held[key]
    if frames.ndim != 1 or frames.dtype.kind not in "iufUb":
        raise ImportRefused(path, f"{key} is {frames.dtype} of shape {frames.shape}, not one label a frame")
    if frames.dtype.kind == "f":
        wrong = np.flatnonzero(~(np.abs(frames) < LARGEST_LABEL) | (frames != np.round(frames)))
        if len(wrong):
            raise ImportRefused(path, f"{key}[{wrong[0]}] is {frames[wrong[0]]}, which is no label")
    if frames.dtype.kind in "fu":
        frames = frames.astype(np.int64)
    return frames


def _namer(
    path: Path, held: Arrays, arrays: dict[str, NDArray[Any]], names_from: int | None
) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """How to turn this file's numbers into names."""
    numbers = [frames for frames in arrays.values() if frames.dtype.kind in "iu" and len(frames)]
    if "label_names" not in held or not numbers:
        return lambda frames: frames
    names = held["label_names"]
    if names.ndim != 1:
        raise ImportRefused(path, f"label_names has the shape {names.shape}, not one name a label")
    smallest, largest = min(int(f.min()) for f in numbers), max(int(f.max()) for f in numbers)
    first = names_from
    if first is None and smallest == 0:
        first = 0
    if first is None and largest == len(names):
        first = 1
    if first is None:
        return lambda frames: frames
    if not first <= smallest <= largest < first + len(names):
        wrong = smallest if smallest < first else largest
        raise ImportRefused(
            path, f"label {wrong} has no name: label_names has {len(names)}, from {first}", advice="See --names-from."
        )
    return lambda frames: names[frames.astype(np.int64) - first]


def _read_session(path: Path, role: Role, layer: str | None) -> list[Labelling]:
    """A layer of a session file; without a name its only layer for the reference, its last counting's events else."""
    with SessionFile.open(path) as session:
        if layer is None and role == "estimate":
            return _last_counting(path, session)
        layers = session.layers()
        if layer is None:  # steps that were found are never meant without their name
            layers = tuple(each for each in layers if not each.startswith(STEPS_LAYER)) or layers
        if layer is None and len(layers) != 1:
            has = ", ".join(layers) or "none"
            raise ImportRefused(path, f"which layer is meant? It has {has}", advice="Name it with --reference-layer.")
        segments = session.segments(Layer(layer) if layer is not None else layers[0])
    sides = sorted({segment.side for segment in segments})
    if not sides:
        raise ImportRefused(path, "there is no segment", advice="Choose another layer.")
    return [of_side(path, side, segments) for side in sides]


def _last_counting(path: Path, session: SessionFile) -> list[Labelling]:
    """Its events, by arm; where it found none at all, that of each arm that wears sensors."""
    countings = session.countings()
    if not countings:
        raise ImportRefused(path, "nothing was counted in this session", advice="Name a layer of labels.")
    number = countings[-1].number
    segments = [update.segment for update in session.updates(number, Event) if isinstance(update, Event)]
    worn = {place.side for place in session.rig.places if place is not None and place.side is not None}
    sides = {segment.side for segment in segments} or worn
    return [of_side(path, side, segments, number) for side in sorted(sides)]


def of_side(path: Path, side: Side, segments: Sequence[Segment], counting: int | None = None) -> Labelling:
    """One arm of a session."""
    mine = [(i, s.label, s.start_s, s.end_s) for i, s in enumerate(segments, 1) if s.side is side]
    return _from_segments(path, f"{path.stem} {side.value}", mine, "second", counting)


def _text_of(path: Path) -> str:
    try:
        content = bytes_of(path, MOST_BYTES)
    except OSError as error:
        raise ImportRefused(path, f"cannot be read: {error.strerror}") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ImportRefused(path, "not a text file in UTF-8", line=line, advice="Save it as UTF-8.") from error


def _number(path: Path, line: int, name: str, text: str | None) -> float:
    try:
        value = float((text or "").strip().replace(",", "."))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ImportRefused(
            path, f"{name} is {shown(text)}, not a number", line=line, advice="Give seconds, as in 12.34."
        )
    if abs(value) > LONGEST_S * 100:  # or as many frames
        raise ImportRefused(path, f"{name} is {value:g}, which is beyond any recording", line=line)
    return value

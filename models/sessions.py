"""A clinic's own sessions as training data: session files that a person has labelled or corrected.

In: a folder of `.rehab` files, one subfolder a patient (a file that lies outside a subfolder is a patient of its
own). Out: a TrainingSet in recipe `bedside`, one trial for each arm that carries labels, through the same walk as at
the bedside.

Labels come from the layer `reference` if there is one; else from the last counting with its corrections, but only if a
person corrected or confirmed an event: an uncorrected count is the recogniser's own output. Stretches without a label
are unknown, not idle. Each fifth patient validates, at least one of two or more. Sessions that cannot be used are left
out and named with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from rehabcount.domain.corrected import corrected, opinions
from rehabcount.domain.labels import OTHER, PRODUCT
from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Event
from rehabcount.engine import walk
from rehabcount.errors import DatasetMissing, StoreError
from rehabcount.models.data import UNKNOWN, TrainingSet, Trial, with_splits
from rehabcount.models.simulated import bedside_sensors
from rehabcount.signals.features import BEDSIDE
from rehabcount.store.layers import REFERENCE
from rehabcount.store.session_file import SessionFile

VALID_EVERY = 5


def read_sessions(folder: Path) -> tuple[TrainingSet, tuple[str, ...]]:
    """(the set, the sessions that were left out with the reason)."""
    files = sorted(folder.rglob("*.rehab"))
    trials: list[Trial] = []
    left_out: list[str] = []
    for file in files:
        try:
            found = trials_of(file, _patient(folder, file))
        except StoreError as problem:
            left_out.append(str(problem))
            continue
        trials += found
        if not found:
            left_out.append(f"{file.name}: no calibration, or no labels and no corrections.")
    if not trials:
        raise DatasetMissing(
            f"{folder} holds no session to train on: {' '.join(left_out) or 'no .rehab files.'}",
            advice="Calibrate the sessions, correct their counts, and give the folder that holds them.",
        )
    patients = sorted({trial.subject for trial in trials})
    validating = patients[VALID_EVERY - 1 :: VALID_EVERY] or patients[1:][-1:]
    made = TrainingSet(
        "corrected sessions",
        PRODUCT.names,
        (OTHER.name,),
        FRAME_RATE_HZ,
        BEDSIDE.names,
        tuple(trials),
        bedside_sensors(),
        recipe=BEDSIDE.name,
        normalisation="none",
        evidence="real patients",
    )
    split = {patient: "valid" if patient in validating else "train" for patient in patients}
    return with_splits(made, split), tuple(left_out)


def _patient(folder: Path, file: Path) -> str:
    inside = file.relative_to(folder)
    return inside.parts[0] if len(inside.parts) > 1 else file.stem


def trials_of(file: Path, patient: str) -> list[Trial]:
    """One trial for each labelled arm of a session; none if the session cannot be used."""
    trials = []
    with SessionFile.open(file) as session:
        rig, calibration = session.rig, session.calibration()
        segments = labelled(session)
        if calibration is None:
            return []
        for side in Side:
            mine = [segment for segment in segments if segment.side is side]
            if not mine:
                continue
            made = walk.rows(walk.frames(session.items(), rig), rig, calibration, BEDSIDE, side)
            for number, blocks in enumerate(_unbroken(made), 1):
                values = np.concatenate([block.values for block in blocks]).astype(np.float32)
                valid = np.concatenate([block.valid for block in blocks])
                labels, onsets = tracks(mine, blocks[0].index, len(values))
                name = f"{patient}/{file.stem} {side}" + (f" ({number})" if number > 1 else "")
                trials.append(Trial(name, patient, "train", values, valid, labels, onsets))
    return trials


def _unbroken(blocks: Iterable[Rows]) -> list[list[Rows]]:
    """The blocks between pauses of the recording, over which frames leap."""
    stretches: list[list[Rows]] = []
    next_index = None
    for block in blocks:
        if block.index != next_index:
            stretches.append([])
        stretches[-1].append(block)
        next_index = block.index + len(block)
    return stretches


def labelled(session: SessionFile) -> list[Segment]:
    """The movements according to a person; empty if there are no labels and no corrections."""
    if REFERENCE in session.layers():
        return list(session.segments(REFERENCE))
    for counting in reversed(session.countings()):
        corrections = session.corrections(counting.number)
        if opinions(corrections):
            events = (update for update in session.updates(counting.number, Event) if isinstance(update, Event))
            return [each.segment for each in corrected(events, corrections)]
    return []


def tracks(segments: Iterable[Segment], first: int, frames: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels and onsets a frame; `first` is the number of the first frame. Labels of other vocabularies are unknown."""
    labels, onsets = np.full(frames, UNKNOWN, np.int16), np.zeros(frames, bool)
    for segment in segments:
        start, end = (round(time_s * FRAME_RATE_HZ) - first for time_s in (segment.start_s, segment.end_s))
        start, end = max(start, 0), min(end, frames)
        if segment.label in PRODUCT.names and start < end:
            labels[start:end] = PRODUCT.index(segment.label)
            onsets[start] = True
            if end < frames and labels[end] == UNKNOWN:
                onsets[end] = True  # where the unknown begins, a movement has ended
    return labels, onsets

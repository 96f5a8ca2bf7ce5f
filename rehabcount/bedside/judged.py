"""The counting that `evaluate` judges: which one it is, what it counted, and whether the file has a newer calibration.

Movements outside the counted time (calibration, pauses, missing sensors) could not be found, so reference and estimate
are cut to the counted time of each arm. An arm that the counting did not cover is not judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rehabcount.domain.rig import Side
from rehabcount.domain.update import Event, Phase, SensorSet
from rehabcount.engine.counted_time import Span, counted_spans
from rehabcount.engine.summarise import length_of, model_of
from rehabcount.errors import ImportRefused
from rehabcount.exchange.labellings import Labelling, of_side
from rehabcount.store.documents import CALIBRATION, COUNTED_FROM
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of

Trials = dict[str, Labelling]


@dataclass(frozen=True, slots=True)
class JudgedCounting:
    """One counting of one session file."""

    path: Path
    number: int
    model: str  # name and version
    begun_utc_ns: int
    length_s: float  # of the session
    spans: Mapping[Side, tuple[Span, ...]]  # counted time of each arm that it covers
    newer_calibration_utc_ns: int | None  # of a calibration made after the counting; None: there is none

    def counted_s(self, side: Side) -> float:
        return sum(end_s - start_s for start_s, end_s in self.spans.get(side, ()))


@dataclass(frozen=True, slots=True)
class CountedTrials:
    """Reference and estimate without the arms that were not counted, and the countings of the others."""

    said: Trials
    judged: Trials
    countings: Mapping[str, tuple[JudgedCounting, Side]]  # by the estimate's trial; of estimates that are countings
    not_counted: tuple[str, ...]  # trials of the reference that are left out


def counted_trials(said: Trials, judged: Trials) -> CountedTrials:
    """Reference and estimate cut to counted time; unchanged if the estimate is no counting."""
    said, judged, left_out = dict(said), dict(judged), []
    countings: dict[str, tuple[JudgedCounting, Side]] = {}
    files = {each.path: each.counting for each in judged.values() if each.counting is not None}
    for path, number in files.items():
        counting = judged_counting(path, number)
        for side in Side:
            empty = of_side(path, side, (), number)
            if counting.counted_s(side) > 0 and (empty.trial in said or empty.trial in judged):
                judged.setdefault(empty.trial, empty)
                countings[empty.trial] = counting, side
                continue
            judged.pop(empty.trial, None)
            if said.pop(empty.trial, None) is not None:
                left_out.append(empty.trial)
    if files and not judged:
        raise ImportRefused(
            next(iter(files)),
            "its last counting counted nothing of what the reference speaks of",
            advice="See when and why: rehabcount count.",
        )
    return CountedTrials(said, judged, countings, tuple(left_out))


def judged_counting(path: Path, number: int) -> JudgedCounting:
    """What the file says about this counting."""
    with SessionFile.open(path) as file:
        counting = next(each for each in file.countings() if each.number == number)
        updates = [*file.updates(None, Phase, SensorSet), *file.updates(number, Phase, SensorSet, Event)]
        length_s = length_of(file, updates)
        heard = {update.side for update in updates if isinstance(update, SensorSet)}
        heard |= {update.segment.side for update in updates if isinstance(update, Event)}
        arms = heard | {side_of(file, number)}
        return JudgedCounting(
            path,
            number,
            model_of(counting.model, file, {}).called,
            counting.begun_utc_ns,
            length_s,
            {side: counted_spans(updates, side, length_s) for side in arms},
            _newer_calibration(file, number, counting.begun_utc_ns),
        )


def _newer_calibration(file: SessionFile, number: int, begun_utc_ns: int) -> int | None:
    """When the file got a calibration that neither this counting nor a later one with the same result has used."""
    calibrations = file.document_versions(CALIBRATION)
    confirmed = (
        version.at_utc_ns for version in file.document_versions(COUNTED_FROM) if version.content.counting == number
    )
    known_until = max([begun_utc_ns, *confirmed])
    return calibrations[-1].at_utc_ns if calibrations and calibrations[-1].at_utc_ns > known_until else None

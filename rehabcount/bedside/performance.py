"""A simulated patient without end: a recording's calibration once, then its training again and again.

In: a recording and the motion of its sensors (`bedside/virtual_patient.py`). Out: the motion of each place at any time,
and the true movements until then, on the same clock. The first round has the recording's order; each later round has
another. Long parts without exercise (a walk, hands in the lap) are left out, because a demo in which nothing is counted
looks broken. The calibration is not repeated, as in a real session.

Parts that did not follow each other in the recording are joined by `SEAM_S` seconds in which the body turns smoothly
from one pose into the other, with the rates and the gravity of that turn. Headings have no absolute reference, so they
continue from part to part.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.labels import IDLE
from rehabcount.domain.motion import GRAVITY_M_S2
from rehabcount.domain.rig import Place, Side
from rehabcount.domain.sequence import Segment
from rehabcount.sensors.virtual import IdealReading, PlaceMotion
from rehabcount.signals.rotation import conjugate, exponential, logarithm, multiply, normalize, unrotate
from rehabcount.simulate.movement import minimum_jerk
from rehabcount.simulate.recording import Recording

SEAM_S = 1.0  # both arms rest before and after it, a few centimetres apart
BREAK_S = 8.0  # the longest pause that is kept: a person who watches a demo still waits for its end
UP_M_S2 = np.array([0.0, 0.0, GRAVITY_M_S2])  # what a sensor at rest measures, earth axes
MARGIN_S = 0.05  # the last frames of a recording may be incomplete


@dataclass(frozen=True, slots=True)
class Part:
    """Seconds `from_s` to `to_s` of the recording, performed from `start_s` on, after a seam of `seam_s`."""

    start_s: float
    from_s: float
    to_s: float
    seam_s: float = 0.0

    @property
    def end_s(self) -> float:
        return self.start_s + self.to_s - self.from_s


class Performance:
    """The motion of a recording's patient, without end. Several threads may use it."""

    def __init__(
        self, recording: Recording, motion_of: Callable[[Place], PlaceMotion], *, calibrated: bool = False
    ) -> None:
        """`calibrated`: the training begins at once, without the calibration."""
        self._recording, self._recorded = recording, motion_of
        self._guard = threading.Lock()
        done_s = recording.span("calibration", "done")[1]
        self._coming = _order(recording, done_s, np.random.default_rng(round(recording.length_s * 1000)))
        first = next(self._coming)
        self._parts = [Part(0.0, done_s if calibrated else 0.0, first[1])]

    def motion_of(self, place: Place) -> PlaceMotion:
        return _Placed(self._recorded(place), self._parts_until)

    def segments(self, until_s: float) -> list[Segment]:
        """The true movements of both arms until then, in order of time within an arm."""
        found = []
        for side in Side:
            own: list[Segment] = []
            for part in self._parts_until(until_s):
                if part.seam_s:
                    own.append(Segment(IDLE.name, side, part.start_s - part.seam_s, part.start_s))
                by_s = part.start_s - part.from_s
                own += [
                    replace(
                        each, start_s=max(each.start_s, part.from_s) + by_s, end_s=min(each.end_s, part.to_s) + by_s
                    )
                    for each in self._recording.of(side)
                    if each.end_s > part.from_s and each.start_s < part.to_s
                ]
            found += [each for each in _joined(own) if each.start_s < until_s]
        return found

    def _parts_until(self, time_s: float) -> list[Part]:
        """All parts that begin before then, and the one after."""
        with self._guard:
            while self._parts[-1].start_s - self._parts[-1].seam_s <= time_s:
                last, (from_s, to_s) = self._parts[-1], next(self._coming)
                seam_s = 0.0 if from_s == last.to_s else SEAM_S
                self._parts.append(Part(last.end_s + seam_s, from_s, to_s, seam_s))
            return list(self._parts)


def _order(recording: Recording, done_s: float, rng: np.random.Generator) -> Iterator[tuple[float, float]]:
    """The spans of the training, round by round, for ever: activities, and short pauses between them."""
    spans = [
        (each.start_s, min(each.end_s, recording.length_s - MARGIN_S))
        for each in recording.stretches
        if each.start_s >= done_s and (each.kind == "activity" or each.end_s - each.start_s <= BREAK_S)
    ]
    yield from spans
    last = len(spans) - 1
    while True:
        order = rng.permutation(len(spans))
        if len(spans) > 1 and order[0] == last:  # a part does not follow itself
            order = np.roll(order, 1)
        yield from (spans[each] for each in order)
        last = int(order[-1])


def _joined(segments: list[Segment]) -> list[Segment]:
    """Adjacent idle segments become one, because rest goes on through a seam."""
    found: list[Segment] = []
    for each in segments:
        if found and each.label == IDLE.name == found[-1].label and each.start_s - found[-1].end_s < 1e-6:
            found[-1] = replace(found[-1], end_s=each.end_s)
        else:
            found.append(each)
    return found


class _Placed:
    """The motion of one sensor through all parts. Its heading continues over a seam, as on a body."""

    def __init__(self, recorded: PlaceMotion, parts_until: Callable[[float], list[Part]]) -> None:
        self._recorded, self._parts_until = recorded, parts_until
        self._headings: list[Floats] = [np.array([1.0, 0.0, 0.0, 0.0])]  # by which each part is turned about up

    def __call__(self, time_s: Floats) -> IdealReading:
        parts = self._parts_until(float(np.max(time_s, initial=0.0)))
        starts = [part.start_s - part.seam_s for part in parts]
        reading = IdealReading(np.empty((len(time_s), 3)), np.empty((len(time_s), 3)), np.empty((len(time_s), 4)))
        which = np.array([max(0, bisect_right(starts, at) - 1) for at in time_s], int)
        for i in np.unique(which):
            rows = which == i
            now = self._of_part(parts, int(i), time_s[rows])
            reading.acc[rows], reading.gyr[rows], reading.quat[rows] = now.acc, now.gyr, now.quat
        return reading

    def _of_part(self, parts: list[Part], i: int, time_s: Floats) -> IdealReading:
        heading, part = self._heading(parts, i), parts[i]
        played = self._recorded(np.clip(part.from_s + time_s - part.start_s, part.from_s, part.to_s))
        quat = multiply(heading, played.quat)
        seam = time_s < part.start_s
        if not part.seam_s or not seam.any():
            return IdealReading(played.acc, played.gyr, quat)
        before = multiply(self._heading(parts, i - 1), self._pose(parts[i - 1].to_s))
        turn = logarithm(multiply(conjugate(before), multiply(heading, self._pose(part.from_s))))
        share = (time_s - part.start_s) / part.seam_s + 1.0
        turned = normalize(multiply(before, exponential(turn * minimum_jerk(share)[:, None])))
        rate = turn * (30.0 * (share * (1.0 - share)) ** 2 / part.seam_s)[:, None]  # minimum_jerk's slope
        rows = seam[:, None]
        return IdealReading(
            np.where(rows, unrotate(turned, UP_M_S2), played.acc),
            np.where(rows, rate, played.gyr),
            np.where(rows, turned, quat),
        )

    def _pose(self, at_s: float) -> Floats:
        return self._recorded(np.array([at_s])).quat[0]

    def _heading(self, parts: list[Part], i: int) -> Floats:
        """The turn about the vertical that brings a part's first pose nearest to the last pose of the part before."""
        while len(self._headings) <= i:
            k = len(self._headings)
            off = multiply(self._pose(parts[k - 1].to_s), conjugate(self._pose(parts[k].from_s)))
            twist = normalize(np.array([off[0], 0.0, 0.0, off[3]]))
            self._headings.append(multiply(self._headings[k - 1], twist))
        return self._headings[i]

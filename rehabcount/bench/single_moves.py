"""Single reaches and transports: one real healthy person (MoCA) beside simulated healthy people at the shelf.

Question: do duration, peak speed, its time, number of speed peaks and smoothness of single movements agree? One
person is no population; the table shows where the simulated ones stand, and nothing was fitted to it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import signal

from rehabcount.datasets.moca import RATE_HZ, read_repetitions
from rehabcount.domain.arrays import Floats
from rehabcount.domain.rig import BodyPart
from rehabcount.simulate.body import move_body
from rehabcount.simulate.cohort import make_cohort
from rehabcount.simulate.motion import perform
from rehabcount.simulate.movement import MOTION_RATE_HZ
from rehabcount.simulate.realism import arc_length, count_peaks, speed_of
from rehabcount.simulate.recording import script_trial

MEASURES = ("way (m)", "duration (s)", "peak speed (m/s)", "time to peak (share)", "speed peaks", "spectral arc length")


def measure_move(way: Floats) -> list[float] | None:
    """MEASURES of one movement (n, 3) at MOTION_RATE_HZ, between the moments at an eighth of its highest speed."""
    speed = speed_of(way)
    fast = np.flatnonzero(speed > speed.max() / 8.0)
    start, stop = int(fast[0]), int(fast[-1]) + 1
    part = speed[start:stop]
    if len(part) < 30:
        return None
    return [
        float(np.linalg.norm(way[stop - 1] - way[start])),
        len(part) / MOTION_RATE_HZ,
        float(part.max()),
        float(np.argmax(part)) / len(part),
        float(count_peaks(part)),
        arc_length(part),
    ]


def real_moves(folder: Path) -> dict[str, list[list[float]]]:
    """Reaches (the way out of each) and transports."""
    found: dict[str, list[list[float]]] = {"reach": [], "transport": []}
    for way in read_repetitions(folder, "reaching"):
        dense = _dense(way)
        furthest = int(np.argmax(np.linalg.norm(dense - dense[0], axis=1)))
        found["reach"] += [m for m in [measure_move(dense[: furthest + 1])] if m]
    for way in read_repetitions(folder, "transporting"):
        found["transport"] += [m for m in [measure_move(_dense(way))] if m]
    return found


def simulated_moves(people: int = 8, seed: int = 0) -> dict[str, list[list[float]]]:
    """Reaches and transports of healthy people at the shelf."""
    found: dict[str, list[list[float]]] = {"reach": [], "transport": []}
    for subject in [s for s in make_cohort(seed) if s.healthy][:people]:
        motion = perform(script_trial(subject, "shelf", 1, seed))
        wrist = move_body(subject.body, motion.channels).origin[BodyPart.HAND, subject.side]
        for segment in motion.segments:
            if segment.side is subject.side and segment.label in found:
                part = slice(max(0, int((segment.start_s - 0.1) * MOTION_RATE_HZ)), int(segment.end_s * MOTION_RATE_HZ))
                found[segment.label] += [m for m in [measure_move(wrist[part])] if m]
    return found


def compare_moves(folder: Path) -> list[tuple[str, str, Floats, Floats]]:
    """Movement, measure, quartiles of the real person, quartiles of the simulated people."""
    real, simulated = real_moves(folder), simulated_moves()
    return [
        (label, name, *(np.nanpercentile(np.array(moves[label])[:, i], [25, 50, 75]) for moves in (real, simulated)))
        for label in real
        for i, name in enumerate(MEASURES)
    ]


def _dense(way: Floats) -> Floats:
    """The way at MOTION_RATE_HZ."""
    return signal.resample_poly(way - way[0], int(MOTION_RATE_HZ / RATE_HZ), 1, axis=0, padtype="line")

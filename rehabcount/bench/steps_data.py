"""Drinks with known phases: what `rehabcount discover` finds is compared with them.

In: simulated patients, or the drinking recordings (Averta et al. 2021) of real people. Out: a `DrinkSet` each:
postures of every drink, and the true phase of each of their tenths of a second.

Phases: rest, reach, to mouth, drink, back, return, and rest again. Of simulated drinks they come from the frame truth:
the reach, the first transport, what lies before the second, the second until the reposition, the reposition. Of real
ones from the four speed peaks of the wrist, by the same measure as the simulator's tests (simulate/realism.py); a
pause belongs to the phase before it. Real drinks are cut close to the movement; half a second of rest at either end is
made (bench/real_arms.py), the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.bench.real_arms import HELD_S, rows_of
from rehabcount.bench.simulated_patient import motion_of
from rehabcount.datasets import drinking_imus
from rehabcount.datasets.drinking import FIT_SUBJECTS, read_drinks
from rehabcount.domain.arrays import Ints
from rehabcount.domain.labels import REACH, REPOSITION, TRANSPORT
from rehabcount.domain.motion import Rows
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment
from rehabcount.models.steps_input import Demonstration
from rehabcount.signals.features import BEDSIDE, featurize_all
from rehabcount.signals.posture import POSTURE_RATE_HZ, posture_of
from rehabcount.simulate.accuracy import body_frames
from rehabcount.simulate.movement import MOTION_RATE_HZ
from rehabcount.simulate.realism import find_phases
from rehabcount.simulate.recording import Recording
from rehabcount.simulate.repeated_drinks import REPETITION

PHASES = ("rest", "reach", "to mouth", "drink", "back", "return")
REST_S = 0.5  # of made rest at either end of a real drink
GROUPS = ("test healthy", "test stroke", "fit healthy", "fit stroke")


@dataclass(frozen=True, slots=True)
class DrinkSet:
    """Drinks of one group. `phases`: of each a phase (by its place in PHASES) for each tenth of a second; None where
    the speed peaks cannot be told apart."""

    name: str
    drinks: tuple[Demonstration, ...]
    phases: tuple[Ints | None, ...]


def simulated_set(recording: Recording, name: str) -> DrinkSet:
    """The drinks of one simulated person, through the bedside's chain."""
    frames, calibration = body_frames(recording)
    rows = featurize_all(frames, recording.rig, BEDSIDE, recording.side, calibration)
    drinks, phases = [], []
    for stretch in recording.stretches:
        if stretch.kind == REPETITION:
            part = between(rows, stretch.start_s, stretch.end_s)
            posture = posture_of(part)
            drinks.append(Demonstration(stretch.name, posture))
            inside = [each for each in recording.of(recording.side) if _within(each, stretch.start_s, stretch.end_s)]
            phases.append(_at_tenths(borders_of_labels(inside), posture.start_s, len(posture)))
    return DrinkSet(name, tuple(drinks), tuple(phases))


def real_sets(
    folder: Path, seed: int = 1, every: int = 1, on_drink: Callable[[int, int], None] = lambda done, total: None
) -> dict[str, DrinkSet]:
    """The four groups of real people."""
    borders = {drink.trial: borders_of_peaks(find_phases(motion_of(drink).wrist)) for drink in read_drinks(folder)}
    names = drinking_imus.trials(folder)[::every]
    found: dict[str, tuple[list[Demonstration], list[Ints | None]]] = {group: ([], []) for group in GROUPS}
    for number, name in enumerate(names, 1):
        drink = drinking_imus.load(folder, name)
        rows = rows_of(drink.parts, Side(drink.side), drink.rate_hz, drink.carrying_rad, seed + number)
        length_s = float(rows.time_s[-1]) - 2 * HELD_S
        posture = posture_of(between(rows, HELD_S - REST_S, HELD_S + length_s + REST_S))
        person = name.split("_")[0]
        group = f"{'fit' if person in FIT_SUBJECTS else 'test'} {'stroke' if person.startswith('S') else 'healthy'}"
        known = borders.get(name)
        track = None if known is None else _at_tenths([HELD_S + each for each in known], posture.start_s, len(posture))
        found[group][0].append(Demonstration(name, posture))
        found[group][1].append(track)
        on_drink(number, len(names))
    return {group: DrinkSet(group, tuple(a), tuple(b)) for group, (a, b) in found.items() if a}


def between(rows: Rows, start_s: float, end_s: float) -> Rows:
    first, last = np.searchsorted(rows.time_s, [start_s - 1e-6, end_s - 1e-6])
    return Rows(int(first), rows.time_s[first:last], rows.values[first:last], rows.valid[first:last])


def borders_of_labels(segments: Sequence[Segment]) -> list[float]:
    """When reach, to mouth, drink, back and return begin, and when the last ends."""
    reach = next(each for each in segments if each.label == REACH.name)
    transports = [each for each in segments if each.label == TRANSPORT.name]
    leave = [each for each in segments if each.label == REPOSITION.name][-1]
    return [
        reach.start_s,
        transports[0].start_s,
        transports[0].end_s,
        transports[1].start_s,
        leave.start_s,
        leave.end_s,
    ]


def borders_of_peaks(found: dict[str, tuple[int, int]] | None) -> list[float] | None:
    """The same from the phases about the four speed peaks."""
    if found is None:
        return None
    reach, up, down, leave = (found[name] for name in ("reach", "to mouth", "back", "reposition"))
    return [at / MOTION_RATE_HZ for at in (reach[0], up[0], up[1], down[0], leave[0], leave[1])]


def _within(segment: Segment, start_s: float, end_s: float) -> bool:
    return segment.start_s < end_s - 0.01 and segment.end_s > start_s + 0.01


def _at_tenths(borders: Sequence[float], start_s: float, number: int) -> Ints:
    """The phase at the middle of each tenth of a second."""
    middles = start_s + (np.arange(number) + 0.5) / POSTURE_RATE_HZ
    return np.searchsorted(np.asarray(borders), middles, side="right") % len(PHASES)

"""How much of what real sensors measure was simulated? Windows of a second, real against simulated.

In: feature rows of recipe `bedside`, real and simulated. Out: the share of real windows that lie outside of what was
simulated, and by which quantities.

**A window** (1 s) is described by quantities of each worn part: the mean direction of up in its axes (3), the log of
the rms angular rate about each axis (3), of the rms free force (force less gravity), and of how far up wandered; and
of the elbow, where both of its parts are worn: mean flexion, and the log of its spread. Logs have a floor at what
sensors resolve.

**Outside.** Each quantity has a unit, about what differs between repetitions of one movement by one person: .2 of a
direction (12 degrees), a factor of 1.8 of a rate or force, 20 degrees of the elbow. In these units the distance to the
fifth nearest simulated window is measured. The simulated people are cut in two: for either half, the limit is the
distance within which 99 % of the windows of the other half's people lie, and a real window farther away is outside.
The share outside is the mean of both. So simulated people whom a simulation has not seen have 1 % outside; real people
would have 1 % if the simulation were perfect.

**Two limits.** A wider simulation of as many windows is a thinner one, and its own limit is larger. So a second
simulation is also measured with the limit of the first one: that share falls only where windows come nearer.

**Guidance.** For the windows outside: how much each quantity contributes to the squared distance from the nearest
simulated window, whether it is too high or too low there, and its values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.arrays import Bools, Floats, Ints
from rehabcount.domain.motion import FRAME_RATE_HZ
from rehabcount.models.data import TrainingSet
from rehabcount.signals.features import BEDSIDE, FORCE_SCALE_M_S2

WINDOW = round(FRAME_RATE_HZ)  # frames: a second
KNOWN = 0.9  # of a window's frames; fewer, and it is left out
NEIGHBOUR = 5
WITHIN = 0.99  # of the windows of further simulated people are within
MOST_ASKED = 4000  # of the windows that a limit is found with
ASKED_AT_ONCE = 200
UNIT_UP, UNIT_LOG, UNIT_FLEXION_RAD = 0.2, 0.25, 0.35
FLOOR_RATE_RAD_S, FLOOR_FORCE_M_S2, FLOOR_UP, FLOOR_ELBOW_RAD = 0.03, 0.1, 0.01, 0.01  # what sensors resolve
ELBOW = ("forearm", "upper-arm")
PARTS = ("hand", "forearm", "upper-arm", "thorax")  # of which a corpus has some


@dataclass(frozen=True, slots=True)
class WindowSet:
    """Windows (n, quantities) and whose they are."""

    values: Floats
    people: tuple[str, ...]  # of each window

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True)
class QuantityGap:
    """One quantity of the windows outside."""

    quantity: str
    share: float  # of the squared distance
    high: float  # share of the windows outside in which it is higher than in the nearest simulated window
    real: float  # its median there
    simulated: tuple[float, float]  # 1st and 99th percentile of the simulation


@dataclass(frozen=True, slots=True)
class Covered:
    """The share of real windows outside, each window's own (0, half or 1), and the quantities that put them there."""

    outside: float
    each: Floats
    gaps: tuple[QuantityGap, ...]


def quantities(parts: Sequence[str]) -> tuple[str, ...]:
    """Names of a window's quantities."""
    names = [f"{part}: {name}" for part in parts for name in _OF_A_PART]
    return tuple(names + (list(_OF_THE_ELBOW) if set(ELBOW) <= set(parts) else []))


def units(parts: Sequence[str]) -> Floats:
    """The unit of each quantity."""
    return np.array(
        [
            UNIT_LOG if ": log" in name else UNIT_FLEXION_RAD if name.startswith("elbow") else UNIT_UP
            for name in quantities(parts)
        ]
    )


_OF_A_PART = (
    *(f"up {axis}" for axis in "xyz"),
    *(f"log rotation about {axis} (rad/s)" for axis in "xyz"),
    "log free force (m/s2)",
    "log wandering of up",
)
_OF_THE_ELBOW = ("elbow: flexion (rad)", "elbow: log spread of flexion (rad)")


def windows(rows: Floats | NDArray[np.float32], valid: Bools, parts: Sequence[str], every: int = 1) -> Floats:
    """The windows (n, quantities) of feature rows (frames, columns), one after the other or one in `every`; those with
    too few known frames of any part are left out."""
    number = len(rows) // WINDOW
    if not number:
        return np.empty((0, len(quantities(parts))))
    columns = [BEDSIDE.index(f"{part} {name} {axis}") for part in parts for name in _VECTORS for axis in "xyz"]
    elbow = set(ELBOW) <= set(parts)
    if elbow:
        columns.append(BEDSIDE.index("elbow flexion"))
    cut, known = (
        np.asarray(each[: number * WINDOW]).reshape(number, WINDOW, -1)[::every, :, columns] for each in (rows, valid)
    )
    cut = cut.astype(np.float64)
    there: Bools = np.all(known, axis=2)
    kept = np.asarray(there.mean(axis=1) >= KNOWN)
    cut, weight = cut[kept], there[kept].astype(np.float64)
    weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1.0)
    found = list[Floats]()

    def mean(values: Floats) -> Floats:
        return np.asarray(np.einsum("nt,nt...->n...", weight, values))

    for i in range(len(parts)):
        rate, force, up = (cut[:, :, 9 * i + 3 * j : 9 * i + 3 * j + 3] for j in range(3))
        middle = mean(up)
        free = (force - up) * FORCE_SCALE_M_S2
        found += [
            middle,
            np.log10(np.sqrt(mean(rate**2)) + FLOOR_RATE_RAD_S),
            np.log10(np.sqrt(mean(np.sum(free**2, axis=2))) + FLOOR_FORCE_M_S2)[:, None],
            np.log10(np.sqrt(mean(np.sum((up - middle[:, None]) ** 2, axis=2))) + FLOOR_UP)[:, None],
        ]
    if elbow:
        flexion = cut[:, :, -1]
        middle = mean(flexion)
        spread = np.sqrt(mean((flexion - middle[:, None]) ** 2))
        found.append(np.stack([middle, np.log10(spread + FLOOR_ELBOW_RAD)], axis=1))
    return np.concatenate(found, axis=1)


_VECTORS = ("rate", "force", "up")


def simulated_windows(data: TrainingSet, every: int = 1) -> WindowSet:
    """One in `every` windows of all trials of a set, all PARTS. A set is read once, whatever it is compared with."""
    values, people = [np.empty((0, len(quantities(PARTS))))], list[str]()
    for trial in data.trials:
        found = windows(trial.rows, trial.valid, PARTS, every)
        values.append(found)
        people += [trial.subject] * len(found)
    return WindowSet(np.concatenate(values), tuple(people))


def joined(found: Sequence[WindowSet], parts: Sequence[str]) -> WindowSet:
    """The windows of several sets, of these parts. A person of one set is another one than the person of the same name
    in another."""
    columns = [quantities(PARTS).index(name) for name in quantities(parts)]
    people = (f"{number} {person}" for number, each in enumerate(found) for person in each.people)
    return WindowSet(np.concatenate([each.values[:, columns] for each in found]), tuple(people))


class Simulated:
    """What was simulated for one set of body parts, ready to be compared with; ValueError if it is too little. `limits`
    are its own unless others are given (of either half, in units for each quantity)."""

    def __init__(self, found: WindowSet, parts: Sequence[str], limits: tuple[float, float] | None = None) -> None:
        self.names = quantities(parts)
        self._units = units(parts)
        order = sorted(set(found.people))
        if len(order) < 2 or len(found) < 10 * NEIGHBOUR:
            raise ValueError(f"{len(found)} simulated windows of {len(order)} people are too few")
        self._values = found.values
        half = np.array([order.index(person) % 2 for person in found.people])
        self._halves = [np.flatnonzero(half == i) for i in (0, 1)]
        self._placed = [found.values[rows] / self._units for rows in self._halves]
        self.limits = limits or (self._limit(0), self._limit(1))

    def _limit(self, half: int) -> float:
        """How far windows of the other half's people are from this half: all but one in a hundred."""
        rows = self._halves[1 - half]
        some = rows[np.unique(np.linspace(0, len(rows) - 1, MOST_ASKED).astype(int))]
        return float(np.quantile(_far(self._placed[half], self._values[some] / self._units)[0], WITHIN))

    def compare(self, real: Floats) -> Covered:
        """Real windows (n, quantities) against the simulation."""
        if not len(real):
            return Covered(float("nan"), np.empty(0), ())
        placed = real / self._units
        outside, nearest = list[Bools](), list[Ints]()
        for near_ones, rows, limit in zip(self._placed, self._halves, self.limits, strict=True):
            far, near = _far(near_ones, placed)
            outside.append(far > limit)
            nearest.append(rows[near])
        each = np.mean(outside, axis=0)
        return Covered(float(each.mean()), each, tuple(self._gaps(real, outside, nearest)))

    def _gaps(self, real: Floats, outside: Sequence[Bools], nearest: Sequence[Ints]) -> Iterator[QuantityGap]:
        apart = np.concatenate(
            [
                (real[there] - self._values[near[there]]) / self._units
                for there, near in zip(outside, nearest, strict=True)
            ]
        )
        if not len(apart):
            return
        there = np.concatenate([real[each] for each in outside])
        share = (apart**2).sum(axis=0) / (apart**2).sum()
        low, high = np.percentile(self._values, (1, 99), axis=0)
        for i in np.argsort(-share):
            above = float((apart[:, i] > 0).mean())
            yield QuantityGap(
                self.names[i], float(share[i]), above, float(np.median(there[:, i])), (float(low[i]), float(high[i]))
            )


def _far(near_ones: Floats, asked: Floats) -> tuple[Floats, Ints]:
    """Distance of each to the fifth nearest, and which is the nearest. All distances are computed: in so many
    dimensions a search tree looks at nearly all of them, too, and takes longer."""
    distances, nearest = [np.empty(0)], [np.empty(0, np.int64)]
    squares = np.sum(near_ones**2, axis=1)
    for start in range(0, len(asked), ASKED_AT_ONCE):
        some = asked[start : start + ASKED_AT_ONCE]
        apart = squares - 2 * some @ near_ones.T + np.sum(some**2, axis=1)[:, None]
        fifth = np.partition(apart, NEIGHBOUR - 1, axis=1)[:, NEIGHBOUR - 1]
        distances.append(np.sqrt(np.maximum(fifth, 0.0)))
        nearest.append(apart.argmin(axis=1).astype(np.int64))
    return np.concatenate(distances), np.concatenate(nearest)


def in_words(gaps: Sequence[QuantityGap], most: int = 5) -> str:
    """The largest gaps as one line."""
    said = []
    for gap in gaps[:most]:
        way = "high" if gap.high > 0.65 else "low" if gap.high < 0.35 else "either way"
        said.append(
            f"{gap.quantity} {way} ({100 * gap.share:.0f} %; {gap.real:.2f}, simulated {gap.simulated[0]:.2f} to "
            f"{gap.simulated[1]:.2f})"
        )
    return "; ".join(said)


def by_kind(each: Floats, kinds: Sequence[str]) -> Mapping[str, float]:
    """The share outside of each kind of window."""
    return {
        kind: float(np.mean([e for e, k in zip(each, kinds, strict=True) if k == kind]))
        for kind in dict.fromkeys(kinds)
    }

"""A taught exercise: what one repetition looks like, on the sensors with which it was shown.

It is a document: kept with a patient's plan and in the record of a session, the same for every later session. It holds
a cycle of `PHASES` phases; each phase has the mean of every column (rotation and free acceleration of a body part, in
units of `scale`), and each column has a spread about that mean. `inference/teaching.py` makes one from a stretch in
which the exercise was repeated a known number of times; `inference/repeating.py` counts with it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from rehabcount.domain.document import to_document
from rehabcount.domain.rig import Side

VERSION = 1
PHASES = 24  # of a cycle
SHORTEST_CYCLE_S, LONGEST_CYCLE_S = 0.3, 60.0
MOST_COLUMNS = 100


class Clarity(StrEnum):
    """How well the shown stretch can be counted by what was learned from it."""

    CLEAR = "clear"
    WEAK = "weak"  # the shown repetitions differ, or are few: show two more
    NOT_PERIODIC = "not periodic"  # nothing was repeated that often


@dataclass(frozen=True, slots=True)
class TaughtExercise:
    """One exercise of one arm. `shown` is the number of repetitions that it was learned from, `cycle_s` how long one of
    them took, `likeness` how similar the shown ones are to the mean (middle one; 1 is equal)."""

    name: str
    side: Side
    columns: tuple[str, ...]
    scale: tuple[float, ...]  # of each column: rad/s or m/s2
    pattern: tuple[tuple[float, ...], ...]  # (PHASES, columns)
    spread: tuple[float, ...]
    cycle_s: float
    shown: int
    likeness: float
    weight: float  # of the motion against the course of a repetition
    clarity: Clarity = Clarity.CLEAR
    posture: tuple[float, ...] = ()  # the mean direction of up in the axes of each part that has columns: three numbers
    version: int = VERSION

    def __post_init__(self) -> None:
        width = len(self.columns)
        if self.version != VERSION:
            raise ValueError(f"a taught exercise of version {self.version}; this program reads version {VERSION}")
        if not 1 <= width <= MOST_COLUMNS or len(set(self.columns)) != width:
            raise ValueError(f"a taught exercise has 1 to {MOST_COLUMNS} different columns, not {width}")
        if len(self.scale) != width or len(self.spread) != width:
            raise ValueError(f"{width} columns need as many scales and spreads")
        if len(self.posture) not in (0, width // 2) or not all(map(math.isfinite, self.posture)):
            raise ValueError("the posture has three numbers for each body part, or none")
        if len(self.pattern) != PHASES or any(len(row) != width for row in self.pattern):
            raise ValueError(f"the pattern must be {PHASES} x {width}")
        if not all(
            map(
                math.isfinite,
                [
                    *self.scale,
                    *self.spread,
                    self.weight,
                    self.likeness,
                    *(each for row in self.pattern for each in row),
                ],
            )
        ):
            raise ValueError("a taught exercise holds finite numbers only")
        if min(*self.scale, *self.spread, self.weight) <= 0:
            raise ValueError("scales, spreads and the weight are greater than 0")
        if not SHORTEST_CYCLE_S <= self.cycle_s <= LONGEST_CYCLE_S:
            raise ValueError(f"a repetition takes {SHORTEST_CYCLE_S:g} to {LONGEST_CYCLE_S:g} s, not {self.cycle_s:g}")
        if self.shown < 1:
            raise ValueError(f"learned from {self.shown} repetitions")

    @property
    def hash(self) -> str:
        """Of all that counting depends on: the same exercise has the same hash, whatever it is called."""
        content = to_document(replace(self, name=""))
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class TaughtExercises:
    """The exercises that a session counts, in order."""

    exercises: tuple[TaughtExercise, ...] = ()

    def __post_init__(self) -> None:
        names = [(each.name, each.side) for each in self.exercises]
        if len(set(names)) != len(names):
            raise ValueError("two taught exercises of one arm have the same name")

    def of(self, side: Side) -> Sequence[TaughtExercise]:
        return [each for each in self.exercises if each.side is side]


NOTHING_TAUGHT = TaughtExercises()

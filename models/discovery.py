"""The steps of an exercise, found in several recordings of it without any label.

In: `Demonstration`s (models.steps_input). Out: `FoundSteps`: the common procedure, the extent of each step in each
recording, and how regular each recording was.

PRISM (models.prism) gives every frame a slot of the common procedure and every slot a state. Neighbouring slots with
the same state are one step; steps that fewer than half of the recordings have are not of the common procedure. How
regular a recording was is seen by a second reading that knows the states but no procedure (models.steps_free).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from string import ascii_uppercase

import numpy as np

from rehabcount.domain.arrays import Ints
from rehabcount.domain.steps import ExerciseStep, FoundSteps, RecordedSteps, StepSpan, default_name
from rehabcount.errors import InputRefused
from rehabcount.models import prism, step_choice
from rehabcount.models.prism import PrismSettings, SamplingProgress
from rehabcount.models.steps_free import FreeReading, compare, read_freely
from rehabcount.models.steps_input import Comparable, Demonstration, comparable

MOST_KINDS, MOST_SLOTS = len(ascii_uppercase), 60
COMMON_SHARE = 0.5  # of the recordings that a step of the common procedure is in
FINAL = PrismSettings(states=2, slots=4, chains=6, sweeps=300, burn_in=200, thin=5)

OnProgress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class DiscoverySettings:
    """`kinds` of steps and `slots` of the procedure; None: chosen by models.step_choice."""

    kinds: int | None = None
    slots: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kinds is not None and not 1 <= self.kinds <= MOST_KINDS:
            raise InputRefused(f"{self.kinds} kinds of steps cannot be found.", advice=f"Give 1 to {MOST_KINDS}.")
        if self.slots is not None and not (self.kinds or 1) <= self.slots <= MOST_SLOTS:
            raise InputRefused(
                f"a procedure of {self.slots} steps cannot be found.",
                advice=f"Give at least as many as kinds, and {MOST_SLOTS} at the most.",
            )


def _silent(what: str, done: int, total: int) -> None:
    pass


def discover(
    recordings: Sequence[Demonstration],
    settings: DiscoverySettings = DiscoverySettings(),  # noqa: B008 (frozen)
    *,
    on_progress: OnProgress = _silent,
) -> FoundSteps:
    """What the recordings have in common. An exception from `on_progress` ends the search."""
    data = comparable(recordings)
    tries = step_choice.steps_of_choice(settings.kinds, settings.slots)
    total = tries + FINAL.chains
    done = 0
    on_progress("choosing the number of steps" if tries else "finding the steps", 0, total)

    def on_step() -> None:
        nonlocal done
        done += 1
        on_progress("choosing the number of steps", done, total)

    size, tried = step_choice.choose(data.tables, settings.kinds, settings.slots, seed=settings.seed, on_step=on_step)

    def on_sweeps(at: SamplingProgress) -> None:
        on_progress("finding the steps", tries + at.chain + (at.sweep == at.sweeps), total)

    wanted = replace(FINAL, states=size.kinds, slots=size.slots, seed=settings.seed)
    fitted = prism.fit(data.tables, wanted, on_progress=on_sweeps)
    steps, places = _procedure(fitted.procedure, fitted.slots)
    free = read_freely(data.tables, fitted.states, size.kinds)
    agreed = [share[np.arange(len(state)), state] for share, state in zip(fitted.share, fitted.states, strict=True)]
    letters = _letters([kind for kind, _ in steps], size.kinds)
    return FoundSteps(
        _described(steps, places, data, letters),
        tuple(
            _recorded(data, number, places[number], fitted.states[number], free[number], steps, letters)
            for number in range(len(places))
        ),
        tried,
        data.notes,
        float(np.concatenate(agreed).mean()),
    )


def _procedure(states: Ints, slots: Sequence[Ints]) -> tuple[list[tuple[int, int]], tuple[Ints, ...]]:
    """Steps of the common procedure as (state, number), and for each frame the number of its step; 0: not of it.

    Slots without frames are dropped; neighbours of the same state become one.
    """
    used = np.unique(np.concatenate(slots)).tolist()

    def merged(kept: Sequence[int]) -> list[list[int]]:
        groups: list[list[int]] = []
        for slot in kept:
            if groups and states[groups[-1][-1]] == states[slot]:
                groups[-1].append(slot)
            else:
                groups.append([slot])
        return groups

    def recordings_with(group: Sequence[int]) -> int:
        return sum(bool(np.isin(each, group).any()) for each in slots)

    common = [group for group in merged(used) if recordings_with(group) >= COMMON_SHARE * len(slots)]
    groups = merged([slot for group in common for slot in group])  # a rare step may have lain between two alike
    number_of = np.zeros(len(states), np.int64)
    for number, group in enumerate(groups, 1):
        number_of[group] = number
    return [(int(states[group[0]]), number) for number, group in enumerate(groups, 1)], tuple(
        number_of[each] for each in slots
    )


def _letters(states: Sequence[int], kinds: int) -> dict[int, str]:
    """A for the first kind of the procedure, B for the next other one, ...; then those that are not in it."""
    order = list(dict.fromkeys([*states, *range(kinds)]))
    return {state: ascii_uppercase[at] for at, state in enumerate(order)}


def _described(
    steps: Sequence[tuple[int, int]], places: Sequence[Ints], data: Comparable, letters: dict[int, str]
) -> tuple[ExerciseStep, ...]:
    found = []
    for state, number in steps:
        lengths = [float(np.sum(each == number)) / data.rate_hz for each in places]
        there = [length for length in lengths if length > 0]
        median = float(np.median(there)) if there else 0.0
        found.append(ExerciseStep(number, letters[state], default_name(number), round(median, 3), len(there)))
    return tuple(found)


def _recorded(
    data: Comparable,
    number: int,
    place: Ints,
    state: Ints,
    free: FreeReading,
    steps: Sequence[tuple[int, int]],
    letters: dict[int, str],
) -> RecordedSteps:
    start_s, rate_hz = data.start_s[number], data.rate_hz
    key = place * (MOST_KINDS + 1) + np.where(place > 0, 0, state)  # a step is one whatever its slots
    edges = [0, *(np.flatnonzero(np.diff(key)) + 1).tolist(), len(key)]
    spans = tuple(
        StepSpan(
            int(place[begin]),
            letters[int(state[begin])],
            round(start_s + begin / rate_hz, 3),
            round(start_s + end / rate_hz, 3),
        )
        for begin, end in pairwise(edges)
    )
    here = set(place.tolist())
    order = compare(free, [state for state, _ in steps])
    return RecordedSteps(
        data.names[number],
        spans[0].start_s,
        spans[-1].end_s,
        spans,
        tuple(step for _, step in steps if step not in here),
        order.additional,
        order.displaced,
        float(np.mean(free.states == state)),
    )

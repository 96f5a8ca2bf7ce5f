"""What the search for steps reads: recordings of one exercise, made comparable.

In: `Demonstration`s, either of sensors (a `Posture` each) or of any channels. Out: `Comparable`: tables of about
standardised channels at one low rate, and notes on what was left out.

Of sensors: the main directions in which the held posture differs over all recordings (principal components in units of
tilt, so that a part which hardly moves counts little), how fast each changes, and the logarithm of the angular rate of
the arm. Which kinds of channels these are was chosen on the fit half of the people of the drinking recordings and on
simulated patients, by TSS. Channels of other origin are standardised, and put together by principal components where
there are many. Every problem of the input is an InputRefused that says in which recording.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Floats, frozen
from rehabcount.errors import InputRefused
from rehabcount.signals.posture import ARM_PARTS, ELBOW, PARTS, POSTURE_RATE_HZ, Posture

DIRECTIONS = 3  # of posture: a drink's main three hold nine tenths of what changes
MOST_CHANNELS = 8  # of other origin; more are put together
KEPT_SHARE = 0.95  # of their variance
RATE_FLOOR_RAD_S = 0.1  # below it an arm is at rest, and noise decides
FEWEST_FRAMES = 10  # a second
MOST_FRAMES = 30_000  # of all recordings: fifty minutes; the time it takes grows with them
CONSTANT = 1e-9  # of a channel's size: what rounding leaves


@dataclass(frozen=True, slots=True)
class Channels:
    """Channels of any origin; `rate_hz` is that of `values` (frames, channels)."""

    start_s: float
    rate_hz: float
    names: tuple[str, ...]
    values: Floats


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One recording of the exercise, as its name and what was measured."""

    name: str
    measured: Posture | Channels


@dataclass(frozen=True, slots=True)
class Comparable:
    """All recordings as tables (frames, channels) of the same channels."""

    names: tuple[str, ...]  # of the recordings
    start_s: tuple[float, ...]
    rate_hz: float
    tables: tuple[Floats, ...]
    notes: tuple[str, ...]


def comparable(recordings: Sequence[Demonstration]) -> Comparable:
    """The recordings as the model reads them."""
    if len(recordings) < 2:
        raise InputRefused(
            "there is one recording only." if recordings else "there is no recording.",
            advice="Give at least two recordings of the same exercise: steps are what they have in common.",
        )
    postures = [each.measured for each in recordings if isinstance(each.measured, Posture)]
    channels = [each.measured for each in recordings if isinstance(each.measured, Channels)]
    if postures and channels:
        raise InputRefused(
            "some recordings are of sensors on an arm, others are tables of channels.", advice="Give one kind only."
        )
    names = tuple(each.name for each in recordings)
    made, notes, rate_hz = (
        (*_of_postures(names, postures), POSTURE_RATE_HZ) if postures else (*_of_channels(names, channels),)
    )
    for name, table in zip(names, made, strict=True):
        if len(table) < FEWEST_FRAMES:
            raise InputRefused(
                f"{name} has {len(table)} values of {1 / rate_hz:.2g} s each; {FEWEST_FRAMES} are the least.",
                advice="Leave it out, or mark a longer stretch.",
            )
    if (total := sum(map(len, made))) > MOST_FRAMES:
        raise InputRefused(
            f"the recordings have {total / rate_hz / 60:.0f} minutes together; "
            f"{MOST_FRAMES / rate_hz / 60:.0f} are the most.",
            advice="Give fewer recordings, or mark single repetitions.",
        )
    starts = tuple(each.start_s for each in (postures or channels))
    return Comparable(names, starts, rate_hz, tuple(frozen(table) for table in made), notes)


# -- sensors on an arm ------------------------------------------------------------------------------------------------


def _of_postures(names: Sequence[str], postures: Sequence[Posture]) -> tuple[list[Floats], tuple[str, ...]]:
    """Main directions of posture, their changes, and the rate of the arm."""
    worn, notes = _common_parts(names, postures)
    held = [column for column in postures[0].names if column.rpartition(" up ")[0] in worn]
    turning = [part for part in ARM_PARTS if part in worn]
    for name, each in zip(names, postures, strict=True):
        _refuse_gaps(name, each, held, turning)
    for angle in ELBOW:
        if {"upper-arm", "forearm"} <= set(worn):
            lacking = [
                name
                for name, each in zip(names, postures, strict=True)
                if not np.isfinite(each.held[:, each.names.index(angle)]).all()
            ]
            if lacking:
                notes.append(f"{angle} is left out: it is not known throughout in {', '.join(lacking)}.")
            else:
                held.append(angle)
    table = [each.held[:, [each.names.index(name) for name in held]] for each in postures]
    directions = _main_directions(table, DIRECTIONS)
    change = _standard([np.gradient(each, axis=0) for each in directions])
    at = [ARM_PARTS.index(part) for part in turning]
    rate = [np.sqrt(np.sum(each.turning[:, at] ** 2, axis=1, keepdims=True)) for each in postures]
    speed = _standard([np.log(each + RATE_FLOOR_RAD_S) for each in rate])
    made = [np.concatenate(parts, axis=1) for parts in zip(directions, change, speed, strict=True)]
    return made, tuple(notes)


def _common_parts(names: Sequence[str], postures: Sequence[Posture]) -> tuple[tuple[str, ...], list[str]]:
    """The parts that every recording has a sensor on, and which are left out."""
    wears = [set(each.worn) for each in postures]
    worn = tuple(part for part in PARTS if all(part in each for each in wears))
    if not set(worn) & set(ARM_PARTS):
        listed = "; ".join(
            f"{name}: {', '.join(each.worn) or 'none'}" for name, each in zip(names, postures, strict=True)
        )
        raise InputRefused(
            f"no part of the arm wears a sensor in all recordings ({listed}).",
            advice="Give recordings with the same sensors on the same arm.",
        )
    notes = []
    for part in PARTS:
        lacking = [name for name, each in zip(names, wears, strict=True) if part not in each]
        if part not in worn and len(lacking) < len(names):
            notes.append(f"the sensor on the {part} is left out: {', '.join(lacking)} has none.")
    return worn, notes


def _refuse_gaps(name: str, each: Posture, held: Sequence[str], turning: Sequence[str]) -> None:
    columns = [each.held[:, each.names.index(column)] for column in held]
    columns += [each.turning[:, ARM_PARTS.index(part)] for part in turning]
    for column, what in zip(columns, (*held, *turning), strict=True):
        missing = np.flatnonzero(~np.isfinite(column))
        if len(missing):
            at_s = each.start_s + missing[0] / POSTURE_RATE_HZ
            raise InputRefused(
                f"{name} has no data of the {what.partition(' up ')[0]} at {at_s:.1f} s "
                f"({len(missing) / POSTURE_RATE_HZ:.1f} s in all).",
                advice="Leave this recording out, or mark a stretch without the gap.",
            )


# -- channels of any origin -------------------------------------------------------------------------------------------


def _of_channels(names: Sequence[str], given: Sequence[Channels]) -> tuple[list[Floats], tuple[str, ...], float]:
    first, notes = given[0], list[str]()
    for name, each in zip(names, given, strict=True):
        if each.values.ndim != 2 or each.values.shape[1] != len(each.names):
            raise InputRefused(f"{name} is no table of frames and channels.", advice="Give one row for each instant.")
        if each.names != first.names:
            raise InputRefused(
                f"{name} has {len(each.names)} channels ({_listed(each.names)}), "
                f"{names[0]} has {len(first.names)} ({_listed(first.names)}).",
                advice="Give the same channels of every recording, in the same order.",
            )
        wrong = np.argwhere(~np.isfinite(each.values))
        if len(wrong):
            row, column = wrong[0]
            raise InputRefused(
                f"{name} has no number in channel {each.names[column]!r} at row {row} "
                f"({len(wrong)} such values in all).",
                advice="Leave the recording or the channel out, or cut the gap off.",
            )
    rate_hz = min(POSTURE_RATE_HZ, *(each.rate_hz for each in given))
    values = [_slower(each.values, each.rate_hz, rate_hz) for each in given]
    if not all(len(each) for each in values):
        raise InputRefused(f"{names[[len(each) for each in values].index(0)]} is empty.", advice="Leave it out.")
    together = np.concatenate(values)
    still = np.ptp(together, axis=0) <= CONSTANT * np.maximum(np.abs(together).max(axis=0), 1.0)
    if still.any():
        raise InputRefused(
            f"channel {first.names[int(np.flatnonzero(still)[0])]!r} is constant in all recordings.",
            advice="Leave it out: it says nothing about steps.",
        )
    values = _standard(values)
    if len(first.names) > MOST_CHANNELS:
        values = _main_directions(values, MOST_CHANNELS, KEPT_SHARE)
        notes.append(f"{len(first.names)} channels were put together into {values[0].shape[1]} principal components.")
    return values, tuple(notes), rate_hz


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")


def _slower(values: Floats, rate_hz: float, wanted_hz: float) -> Floats:
    """Means over each stretch of 1 / wanted_hz; an incomplete last one is left out."""
    number = int(np.floor(len(values) * wanted_hz / rate_hz + 1e-9))
    edges = np.round(np.arange(number + 1) * rate_hz / wanted_hz).astype(np.int64)
    if not number:
        return values[:0]
    return np.add.reduceat(values[: edges[-1]], edges[:-1], axis=0) / np.diff(edges)[:, None]


# -- arithmetic -------------------------------------------------------------------------------------------------------


def _standard(tables: Sequence[Floats]) -> list[Floats]:
    """Mean 0 and standard deviation 1 over all recordings; what does not change becomes 0."""
    together = np.concatenate(tables)
    spread = together.std(axis=0)
    spread = np.where(spread > CONSTANT, spread, 1.0)
    return [(each - together.mean(axis=0)) / spread for each in tables]


def _main_directions(tables: Sequence[Floats], most: int, share: float = 1.0) -> list[Floats]:
    """Principal components over all recordings, standardised: `most`, or those that hold this share of the variance."""
    together = np.concatenate(tables)
    middle = together.mean(axis=0)
    _, size, axes = np.linalg.svd(together - middle, full_matrices=False)
    real = int(np.sum(size > CONSTANT * max(size[0], 1e-300)))
    enough = int(np.searchsorted(np.cumsum(size**2) / np.sum(size**2), share - 1e-12)) + 1
    number = max(1, min(most, real, enough))
    # The sign of a component is arbitrary; here its largest weight is positive.
    chosen = axes[:number]
    chosen = chosen * np.sign(chosen[np.arange(number), np.abs(chosen).argmax(axis=1)])[:, None]
    scale = size[:number] / np.sqrt(len(together))
    return [(each - middle) @ chosen.T / np.where(scale > 0, scale, 1.0) for each in tables]

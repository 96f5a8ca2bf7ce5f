"""Repetitions of taught exercises, from arrays of any sensor; through the bedside's own walk, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rehabcount.api.arrays import Packets, motion_from, rig_from, side_from
from rehabcount.api.units import UnitCheck
from rehabcount.domain.calibration import Calibration, Mounting, Verdict
from rehabcount.domain.motion import FRAME_RATE_HZ, Rows
from rehabcount.domain.rig import Rig
from rehabcount.domain.taught import TaughtExercise
from rehabcount.domain.update import Repeated
from rehabcount.engine import walk
from rehabcount.engine.taught import repetitions_in
from rehabcount.engine.taught import teach as teach_rows
from rehabcount.errors import InputRefused
from rehabcount.inference.unshown import find_repetitions
from rehabcount.signals.calibration import mount_all
from rehabcount.signals.features import BEDSIDE, featurize_all
from rehabcount.signals.free_motion import free_motion

UNTURNED = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class RepetitionCount:
    """How often an exercise was repeated.

    Attributes
    ----------
    number : int
    spans : tuple of (float, float)
        Start and end of each repetition in seconds, from the first sample on.
    repetitions : tuple of Repeated
        Of a taught exercise: each with duration, amplitude, similarity to what was shown, and smoothness.

    Examples
    --------
    >>> import rehabcount as rc
    >>> found = rc.RepetitionCount(2, ((0.0, 1.5), (1.5, 3.25)))
    >>> [end_s - start_s for start_s, end_s in found.spans]
    [1.5, 1.75]
    """

    number: int
    spans: tuple[tuple[float, float], ...]
    repetitions: tuple[Repeated, ...] = ()


def teach(
    acc: Any,
    gyr: Any,
    rate_hz: float,
    places: Sequence[str],
    side: str,
    repetitions: int | Sequence[float],
    *,
    name: str = "exercise",
    calibration: Calibration | None = None,
) -> TaughtExercise:
    """Teach an exercise: the arrays show it that often, and nothing else.

    Parameters
    ----------
    acc, gyr, rate_hz, places, side
        As in `count_arrays`.
    repetitions : int or sequence of float
        How often it is made: three to ten are best. Or when each repetition ended, in seconds from the first sample on,
        the last one at the end of the arrays.
    name : str
        What it is called.
    calibration : Calibration, optional
        What `calibrate_arrays` found. With one, the exercise is counted with sensors that are strapped anew; without,
        the axes of the sensors are used as they are, and each sensor must be worn as it was.

    Returns
    -------
    TaughtExercise
        `.clarity` says whether it can be counted: `clear`, `weak` (show two more), or `not periodic`.

    Raises
    ------
    InputRefused
        The arrays cannot be motion, or that number of repetitions cannot be in them.

    Examples
    --------
    >>> import numpy as np
    >>> import rehabcount as rc
    >>> t = np.arange(0, 12, 0.02)
    >>> angle = 0.6 * np.sin(np.pi * t) + 0.3 * np.sin(2 * np.pi * t)  # a repetition takes two seconds
    >>> gyr = np.stack([np.gradient(angle, 0.02), 0 * t, 0 * t], axis=1)
    >>> acc = 9.81 * np.stack([0 * t, np.sin(angle), np.cos(angle)], axis=1)
    >>> taught = rc.teach(acc, gyr, 50, ["right-wrist"], "right", 6, name="curl")
    >>> rc.count_repetitions(acc, gyr, 50, ["right-wrist"], "right", taught).number
    6
    """
    rows = _rows(acc, gyr, rate_hz, places, side, calibration)
    ends_s = () if isinstance(repetitions, int) else [float(end_s) for end_s in repetitions]
    number = repetitions if isinstance(repetitions, int) else len(ends_s)
    return teach_rows(rows, number, name=name, side=side_from(side), ends_s=ends_s)


def count_repetitions(
    acc: Any,
    gyr: Any,
    rate_hz: float,
    places: Sequence[str],
    side: str,
    taught: TaughtExercise | None = None,
    *,
    calibration: Calibration | None = None,
) -> RepetitionCount:
    """Count the repetitions of a taught exercise; or, without one, of whatever is repeated in the arrays.

    Parameters
    ----------
    acc, gyr, rate_hz, places, side
        As in `count_arrays`.
    taught : TaughtExercise, optional
        What `teach` made, of the same arm. Without it, nothing is known but the arrays: they should hold one exercise.
    calibration : Calibration, optional
        As in `teach`; with one if the exercise was taught with one.

    Returns
    -------
    RepetitionCount
        An estimate.

    Examples
    --------
    >>> import numpy as np
    >>> import rehabcount as rc
    >>> t = np.arange(0, 16, 0.02)
    >>> angle = 0.6 * np.sin(np.pi * t) + 0.3 * np.sin(2 * np.pi * t)  # a repetition takes two seconds
    >>> gyr = np.stack([np.gradient(angle, 0.02), 0 * t, 0 * t], axis=1)
    >>> acc = 9.81 * np.stack([0 * t, np.sin(angle), np.cos(angle)], axis=1)
    >>> rc.count_repetitions(acc, gyr, 50, ["right-wrist"], "right").number  # of whatever is repeated
    8
    >>> shown = slice(0, 300)  # three repetitions
    >>> taught = rc.teach(acc[shown], gyr[shown], 50, ["right-wrist"], "right", 3)
    >>> rc.count_repetitions(acc, gyr, 50, ["right-wrist"], "right", taught).number
    8
    """
    rows = _rows(acc, gyr, rate_hz, places, side, calibration)
    if taught is not None:
        if taught.side is not side_from(side):
            raise InputRefused(
                f"{taught.name!r} was taught of the {taught.side} arm.", advice="Count the arm of which it was taught."
            )
        over = tuple(repetitions_in([rows], [taught]))
        return RepetitionCount(len(over), tuple((each.start_s, each.end_s) for each in over), over)
    free = free_motion(rows)
    found = find_repetitions(free.values, free.valid, FRAME_RATE_HZ)
    cycles = [each for each in found.cycles if each.counted] if found is not None else []
    spans = tuple((each.start / FRAME_RATE_HZ, each.end / FRAME_RATE_HZ) for each in cycles)
    return RepetitionCount(len(spans), spans)


def _rows(
    acc: Any, gyr: Any, rate_hz: float, places: Sequence[str], side: str, calibration: Calibration | None
) -> Rows:
    arm = side_from(side)
    rig = rig_from(places, arm, rate_hz)
    motion = motion_from(acc, gyr, len(rig))
    check = UnitCheck(rig.names, rate_hz)
    check.push(motion)
    check.finish()
    packets = Packets(rig)
    items = [*packets.push(motion), *packets.finish()]
    packets.refuse_nothing()
    used = calibration or _unturned(rig)
    return featurize_all(mount_all(walk.frames_all(items, rig), rig, used), rig, BEDSIDE, arm, used)


def _unturned(rig: Rig) -> Calibration:
    """Sensors whose axes are taken for those of their body parts."""
    mountings = tuple(
        Mounting(sensor.name, sensor.place, UNTURNED, 0.0, 1.0, "none")
        for sensor in rig.sensors
        if sensor.place is not None
    )
    return Calibration(mountings, 1.0, Verdict.USABLE)

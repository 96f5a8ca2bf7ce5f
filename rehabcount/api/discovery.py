"""The steps of an exercise from arrays of any origin or from session files; without labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rehabcount.api import bedside
from rehabcount.domain.arrays import Floats
from rehabcount.domain.steps import FoundSteps
from rehabcount.errors import InputRefused


def discover(
    recordings: Sequence[Any],
    rate_hz: float | None = None,
    *,
    steps: int | None = None,
    length: int | None = None,
    names: Sequence[str] = (),
    repetitions: str = "",
    seed: int = 0,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> FoundSteps:
    """Find the steps that several recordings of one exercise share, and where they are in each.

    Parameters
    ----------
    recordings : sequence of arrays of shape (samples, channels), or of paths
        At least two recordings of the same exercise. Arrays may hold any channels that say how the body is held and how
        it moves, the same in all; they are averaged to ten a second, standardised, and put together by principal
        components where there are more than eight. Paths are session files (`.rehab`) or tables (`.csv` with a column
        `time_s`); each is one recording unless `repetitions` is given.
    rate_hz : float, optional
        Samples per second of arrays.
    steps : int, optional
        How many different steps there are; chosen from the recordings if it is not given.
    length : int, optional
        How many steps the whole procedure has, repeated ones included; likewise.
    names : sequence of str
        Names: one for each step, or one for each kind of step.
    repetitions : str
        Of session files: `counted` cuts them into the task repetitions that were counted; the name of a layer of labels
        (`reference`) into those of the labels.
    seed : int
        The same seed and recordings give the same steps.
    on_progress : callable, optional
        Is called with what is done, and how much of how much is done. An exception from it ends the search.

    Returns
    -------
    FoundSteps
        `.steps` is the common procedure, `.recordings` has the extents of the steps in each recording and what was
        missing or out of order, `.named([...])` gives names.

    Raises
    ------
    InputRefused
        One recording only, other channels in one of them, NaN, a constant channel, or too short recordings; the message
        names the recording.

    Examples
    --------
    >>> import numpy as np
    >>> import rehabcount as rc
    >>> rng = np.random.default_rng(0)
    >>> places = np.repeat([0.0, 1.0, 2.0, 0.0], 15)[:, None]  # rest, there, further, rest: 1.5 s each
    >>> repetitions = [np.hstack([places, -places]) + rng.normal(0, 0.1, (60, 2)) for _ in range(4)]
    >>> found = rc.discover(repetitions, rate_hz=10.0, steps=3, length=4, names=["rest", "there", "further", "rest"])
    >>> [step.name for step in found.steps], found.recordings[0].spans[1].start_s
    (['rest', 'there', 'further', 'rest'], 1.5)
    """
    if isinstance(recordings, str | PathLike):
        recordings = [recordings]
    paths = [isinstance(each, str | PathLike) for each in recordings]
    if any(paths) and not all(paths):
        raise InputRefused("some recordings are arrays, others are paths.", advice="Give one kind only.")
    report, size = on_progress or _silent, (steps, length, seed)
    if all(paths) and len(recordings):
        found = bedside.discover_files([Path(each) for each in recordings], repetitions, size, report)
    else:
        if rate_hz is None or not 0 < rate_hz < 1e6:
            raise InputRefused(f"rate_hz is {rate_hz}.", advice="Give the samples per second of the arrays.")
        tables = [_array(number, each) for number, each in enumerate(recordings)]
        found = bedside.discover_arrays(tables, float(rate_hz), size, report)
    try:
        return found.named(names) if len(names) else found
    except ValueError as problem:
        procedure = ", ".join(step.kind for step in found.steps)
        raise InputRefused(f"{problem}.", advice=f"The procedure that was found is {procedure}.") from problem


def _array(number: int, values: Any) -> Floats:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as problem:
        raise InputRefused(f"recording {number} is not an array of numbers: {problem}.") from problem
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise InputRefused(f"recording {number} has the shape {array.shape}.", advice="It must be (samples, channels).")
    return array


def _silent(what: str, done: int, total: int) -> None:
    pass

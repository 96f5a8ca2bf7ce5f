"""OpenPack: people packing boxes, sensors on both wrists and upper arms at 33 Hz, every action timed.

CC BY-NC-SA 4.0: measure only, never redistribute.

    in   <folder>/*.npz, one session each: `atr01`..`atr04` with `/ms` (time of each sample) and `/motion` (T x 10:
         acceleration in g, rotation in deg/s, quaternion): right wrist, left wrist, right upper arm, left upper arm;
         `openpack-actions/csv` with the columns user, box, action, start, end
    out  PackingSession: a WornRecording, and the boxes with their timed actions

**Units** are checked (`worn.check_units`).

**Axes.** The sensor axis nearest to up, on average over the session, runs along the upper arm. All else follows from
the elbow being a hinge (`mounted.hinged`). On the session that we have, both elbows are hinges within 5 degrees, in
either half of the session, bend by 40 to 110 degrees, and the wrist's sensors sit like watches: y along the forearm,
face on its back. In the first second, in which this person stands still with hanging arms, both forearms then hang,
too (their y is within 25 degrees of up), which was not used to find the axes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from rehabcount.datasets.mounted import ArmAxes, hinged, mounting, orientations, strapped, windows_of
from rehabcount.datasets.worn import WornRecording, check_units, readable
from rehabcount.domain.arrays import Floats
from rehabcount.domain.calibration import Calibration, Mounting, Verdict
from rehabcount.domain.motion import G_M_S2
from rehabcount.domain.rig import Place, Side
from rehabcount.errors import DatasetChanged, DatasetMissing
from rehabcount.signals.rotation import conjugate, rotate
from rehabcount.store.npz import Arrays, open_arrays

PLACES = {
    "atr01": Place.RIGHT_WRIST,
    "atr02": Place.LEFT_WRIST,
    "atr03": Place.RIGHT_UPPER_ARM,
    "atr04": Place.LEFT_UPPER_ARM,
}
WHERE_FROM = "The recordings belong to OpenPack (open-pack.github.io): one npz for each session, with its actions."
COLUMNS = ("user", "box", "action", "start", "end")
RATES_HZ = (24.0, 1000.0)
LONGEST_HOLE_S = 0.1  # between samples; a longer one is a gap
SHORTEST_S = 15.0
ALONG = 0.6  # cosine between the axis along an upper arm and up, on average; .9 here
# Penalties of the elbow: .1 here; a wrong direction along the forearm has 2 and more.
LARGEST_COST, CLEARLY = 1.0, 1.5


@dataclass(frozen=True, slots=True)
class Box:
    """One box: when it was packed (seconds of the recording, half-open), and the timed actions."""

    number: int
    start_s: float
    end_s: float
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PackingSession:
    recording: WornRecording
    boxes: tuple[Box, ...]
    axes: Mapping[Side, ArmAxes]


def read_sessions(folder: Path) -> Iterator[PackingSession]:
    """All sessions in the folder."""
    paths = sorted(folder.glob("*.npz"))
    if not paths:
        raise DatasetMissing(f"there is no recording in {folder}.", advice=WHERE_FROM)
    for path in paths:
        yield read_session(path)


def read_session(path: Path) -> PackingSession:
    try:
        with open_arrays(path) as file:
            motion, begin_ms, rate_hz = _motion(file)
            person, boxes = _boxes(str(file.need("openpack-actions/csv")), begin_ms)
    except (ValueError, TypeError, OSError, csv.Error) as problem:
        raise DatasetChanged(f"{path.name} is not as expected: {problem}.", advice=WHERE_FROM) from problem
    check_units(path.name, [motion], rate_hz)
    try:
        mountings, found = _mountings(motion, rate_hz)
    except ValueError as problem:
        raise DatasetChanged(f"{path.name}: {problem}.", advice="Leave this session out.") from problem
    calibration = Calibration(mountings, 1.0, Verdict.GOOD)
    places = tuple(PLACES.values())
    recording = WornRecording(person, path.stem, rate_hz, places, motion, calibration)
    return PackingSession(recording, boxes, found)


def _motion(file: Arrays) -> tuple[Floats, float, float]:
    """All sensors (n, sensors, 6) in m/s2 and rad/s on one grid of times; its first time (ms) and its rate."""
    times, values = [], []
    for name in PLACES:
        ms, motion = file.need(f"{name}/ms").astype(float), file.need(f"{name}/motion").astype(float)
        if ms.ndim != 1 or motion.ndim != 2 or len(ms) != len(motion) or motion.shape[1] < 6 or len(ms) < 2:
            raise ValueError(f"{name} has {ms.shape} times and motion of the shape {motion.shape}")
        motion = readable(motion[:, :6])
        known = np.isfinite(motion).all(axis=1) & np.isfinite(ms)
        ms, motion = ms[known], motion[known]
        if len(ms) < 2 or (np.diff(ms) <= 0).any():
            raise ValueError(f"the times of {name} do not rise")
        times.append(ms)
        values.append(motion)
    step_ms = float(np.median(np.concatenate([np.diff(ms) for ms in times])))
    if not RATES_HZ[0] <= 1000 / step_ms <= RATES_HZ[1]:
        raise ValueError(f"a rate of {1000 / step_ms:.1f} Hz")
    begin, end = max(ms[0] for ms in times), min(ms[-1] for ms in times)
    if end - begin < 1000 * SHORTEST_S:
        raise ValueError(f"the sensors have {max(0.0, end - begin) / 1000:.0f} s in common")
    grid = np.arange(begin, end, step_ms)
    motion = np.stack([_at(grid, ms, one) for ms, one in zip(times, values, strict=True)], axis=1)
    motion[..., :3] *= G_M_S2
    motion[..., 3:] = np.radians(motion[..., 3:])
    return motion, begin, 1000 / step_ms


def _at(grid: Floats, ms: Floats, motion: Floats) -> Floats:
    """Interpolated; NaN in holes."""
    out = np.stack([np.interp(grid, ms, motion[:, i]) for i in range(6)], axis=1)
    after = np.clip(np.searchsorted(ms, grid), 1, len(ms) - 1)
    out[(ms[after] - ms[after - 1]) > 1000 * LONGEST_HOLE_S] = np.nan
    return out


def _boxes(text: str, begin_ms: float) -> tuple[str, tuple[Box, ...]]:
    """The person, and the boxes in order; a box lasts until the next one begins."""
    rows = list(csv.DictReader(io.StringIO(text)))
    if not rows or (lacking := [name for name in COLUMNS if name not in rows[0]]):
        raise ValueError(f"the actions have no column {', '.join(lacking) if rows else COLUMNS[0]}")
    found: dict[int, list[tuple[float, float, str]]] = {}
    for row in rows:
        start, end = (datetime.fromisoformat(row[key]).timestamp() - begin_ms / 1000 for key in ("start", "end"))
        found.setdefault(int(row["box"]), []).append((start, end, row["action"]))
    ordered = sorted(found, key=lambda number: min(found[number])[0])
    starts = [min(found[number])[0] for number in ordered]
    ends = [*starts[1:], max(end for _, end, _ in found[ordered[-1]])]
    boxes = tuple(
        Box(number, start, end, tuple(action for _, _, action in sorted(found[number])))
        for number, start, end in zip(ordered, starts, ends, strict=True)
    )
    return rows[0]["user"], boxes


def _mountings(motion: Floats, rate_hz: float) -> tuple[tuple[Mounting, ...], dict[Side, ArmAxes]]:
    places = list(PLACES.values())
    known = np.isfinite(motion).all(axis=(1, 2))  # of all sensors: they must stay side by side
    turns = [orientations(motion[known, sensor], rate_hz) for sensor in range(len(places))]
    mountings, found = dict[Place, Mounting](), dict[Side, ArmAxes]()
    for side in Side:
        upper, fore = places.index(Place.on(side, "upper-arm")), places.index(Place.on(side, "wrist"))
        up = rotate(conjugate(turns[upper]), [0.0, 0.0, 1.0]).mean(axis=0)
        along = strapped(up)
        if along @ up < ALONG:
            raise ValueError(
                f"no axis of the sensor on the {side} upper arm is up on average (at most {along @ up:.2f})"
            )
        axes = hinged(*windows_of([turns[upper]], [turns[fore]]), along, side)
        if axes.cost > LARGEST_COST or axes.next_cost < CLEARLY * axes.cost:
            figures = f"penalty {axes.cost:.2f}, the next {axes.next_cost:.2f}"
            raise ValueError(f"the {side} elbow does not show how its sensors sit ({figures})")
        found[side] = axes
        # Only the limits of its own turn say how the forearm's sensor is turned about its length: within 35 degrees or
        # so. It is taken to be worn straight.
        straight = strapped(axes.fore_z)
        for sensor, y, z in ((upper, axes.upper_y, axes.upper_z), (fore, axes.fore_y, straight)):
            mountings[places[sensor]] = mounting(places[sensor], y, z, "movement")
    return tuple(mountings[place] for place in places), found

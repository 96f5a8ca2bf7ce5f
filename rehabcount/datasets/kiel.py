"""Kiel: healthy people walking, turning, standing up and balancing, with sensors on trunk and both arms at 100 Hz.

From the Validation-dataset of the Neurogeriatrics group in Kiel (GPL-3). Nothing in it is exercise of the arms, so
nothing in it should be counted.

    in   <folder>/*.npz, one person each: `<recording>` (T x 6 x sensors: acceleration in g, rotation in deg/s),
         `places` (names of the sensors)
    out  WornRecording for each recording, with the person's calibration

**Axes.** In recordings called `calibration...` people stand upright with the arms hanging. There the sensor axis along
an upper arm, and gravity itself for trunk and upper arm, is the part's y. A forearm hangs a little bent at the elbow,
so its y is the sensor axis along the strap. To the right: standing up leans the trunk forward and swings the upper
arms, both about their z; where that movement is not in one plane, and on the forearm, the sensor's face (z) points
away from the body, on an arm to the outside. Two checks: leaning turns the trunk's front down, and the hanging
forearm's x does not point down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from rehabcount.datasets.mounted import main_axis, mounting, square, strapped
from rehabcount.datasets.worn import WornRecording, check_units, readable
from rehabcount.domain.arrays import Floats
from rehabcount.domain.calibration import Calibration, Mounting, Verdict
from rehabcount.domain.motion import G_M_S2
from rehabcount.domain.rig import BodyPart, Place, Side
from rehabcount.errors import DatasetChanged, DatasetMissing
from rehabcount.signals.rotation import normalize
from rehabcount.store.npz import open_arrays

RATE_HZ = 100.0
POSE, RISING = "calibration_", "chairrise"  # how recordings of the pose, and of standing up, are called
WHERE_FROM = "The recordings are the Validation-dataset of neurogeriatricskiel on GitHub, one npz for each person."
PLACES = {
    "sternum": Place.STERNUM,
    **{f"{side}_upper_arm": Place.on(side, "upper-arm") for side in Side},
    **{f"{side}_fore_arm": Place.on(side, "forearm") for side in Side},
}
LEAST_SAMPLES = 100  # a second
HANGING = 0.82  # cosine: the strap's axis is within 35 degrees of up while the arm hangs
PLANAR = 0.75  # share of the rotation about one axis, from which a movement shows where z is
NEAR_STRAP = 0.82  # cosine between z from the movement and z from the strap
DOWNWARD = -0.35  # the hanging forearm's x, by gravity: further down, the elbow would bend backwards


def read_recordings(folder: Path) -> Iterator[WornRecording]:
    """All recordings of all people in the folder, poses included."""
    paths = sorted(folder.glob("*.npz"))
    if not paths:
        raise DatasetMissing(f"there is no recording in {folder}.", advice=WHERE_FROM)
    for path in paths:
        yield from read_person(path)


def read_person(path: Path) -> list[WornRecording]:
    """One person's recordings."""
    try:
        with open_arrays(path) as file:
            names = [str(name) for name in file.need("places").ravel()]
            if lacking := sorted(set(PLACES) - set(names)):
                raise ValueError(f"no sensor is called {', '.join(lacking)}")
            kept = [names.index(name) for name in PLACES]
            parts = {name: _motion(file[name], name, len(names), kept) for name in file if name != "places"}
    except (ValueError, TypeError, OSError) as problem:
        raise DatasetChanged(f"{path.name} is not as expected: {problem}.", advice=WHERE_FROM) from problem
    for kind in (POSE, RISING):
        if not any(name.startswith(kind) for name in parts):
            raise DatasetChanged(f"{path.name} has no recording called {kind}...", advice=WHERE_FROM)
    check_units(path.name, list(parts.values()), RATE_HZ)
    places = tuple(PLACES.values())
    calibration = Calibration(tuple(_mountings(path.name, parts)), 1.0, Verdict.GOOD)
    return [WornRecording(path.stem, name, RATE_HZ, places, motion, calibration) for name, motion in parts.items()]


def _motion(values: Floats, name: str, sensors: int, kept: list[int]) -> Floats:
    """(n, sensors, 6) in m/s2 and rad/s."""
    if values.ndim != 3 or values.shape[1:] != (6, sensors) or len(values) < LEAST_SAMPLES:
        raise ValueError(f"{name} has the shape {values.shape}, not (samples, 6, {sensors})")
    motion = readable(values.transpose(0, 2, 1)[:, kept])
    motion[..., :3] *= G_M_S2
    motion[..., 3:] = np.radians(motion[..., 3:])
    if np.isnan(motion).all(axis=(0, 2)).any():
        raise ValueError(f"a sensor of {name} measured nothing")
    return motion


def _mountings(what: str, parts: Mapping[str, Floats]) -> Iterator[Mounting]:
    pose, rising = (
        np.concatenate([motion for name, motion in parts.items() if name.startswith(kind)]) for kind in (POSE, RISING)
    )
    for index, place in enumerate(PLACES.values()):
        still = pose[:, index, :3]
        felt = np.nanmedian(still, axis=0)
        up = normalize(felt)
        moved = rising[np.isfinite(rising[:, index]).all(axis=1), index]
        if place.part is BodyPart.THORAX:
            yield _trunk(what, place, up, moved)
            continue
        along = strapped(up)
        if along @ up < HANGING:
            raise DatasetChanged(
                f"{what}: the {place} does not hang in the recordings called {POSE}...",
                advice="The pose is to stand upright with hanging arms. Leave this person out.",
            )
        outward = np.array([0.0, 0.0, 1.0 if place.side is Side.RIGHT else -1.0])
        if place.part is BodyPart.UPPER_ARM:
            axis, share = main_axis(moved[:, 3:])
            axis = square(axis * np.sign(axis @ outward), up)
            moving = share > PLANAR and axis @ square(outward, up) > NEAR_STRAP
            yield mounting(place, up, axis if moving else outward, "movement" if moving else "pose and mount")
            continue
        if np.cross(along, outward) @ up < DOWNWARD:
            raise DatasetChanged(
                f"{what}: the elbow would bend backwards while the {place} hangs.",
                advice="Sensors must face away from the body, on both arms to the outside. Leave this person out.",
            )
        yield mounting(place, along, outward, "pose and mount")


def _trunk(what: str, place: Place, up: Floats, moved: Floats) -> Mounting:
    axis, share = main_axis(moved[:, 3:])
    axis = square(axis, up)
    leaning = np.median(moved[:, :3], axis=0)
    # Leaning forward turns the front (y x z) towards the ground.
    if np.cross(up, axis) @ (normalize(leaning) - up) > 0:
        axis = -axis
    if share < PLANAR or axis @ np.cross([0.0, 0.0, 1.0], up) < NEAR_STRAP:
        raise DatasetChanged(
            f"{what}: standing up does not lean the trunk forward as its sensor is worn.",
            advice="The sensor on the sternum must face forward. Leave this person out.",
        )
    return mounting(place, up, axis, "movement")

"""Features: frames in body-part axes -> rows, by one of two recipes.

A Recipe is a named, ordered list of columns with units and scales. `featurize` is the stream, `featurize_all` the array
kernel. If a column is unknown (no such sensor in the rig, or no valid data now) its value is 0 and not valid.

**bedside**: quantities that consumer sensors measure well and that do not depend on heading. They describe one arm
("this" arm): for each of nine body parts the angular rate, the specific force and the direction of up, in its own axes;
then elbow flexion, forearm rotation, lean of the trunk and inclination of the arm. Scales are fixed, so that a row
depends on its past only. A left arm is mirrored, so that one model serves both; two arms are two runs over the frames.

**paper77**: the input of StrokeRehab (Kaku et al. 2022): 27 free accelerations, 27 quaternion vector parts with w >=
0, 22 joint angles, and the side; normalised over each trial by `normalize_trial`, which needs the whole trial and so
belongs to the bench. The authors' code divides a constant column by zero; here it becomes 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Bools, Floats
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.motion import ACC, CHANNELS, FRAME_RATE_HZ, GRAVITY_M_S2, GYR, QUAT, Frames, Rows
from rehabcount.domain.rig import BodyPart, Rig, Side
from rehabcount.signals.elbow import ElbowTracker
from rehabcount.signals.joints import ANGLE_NAMES, JOINT_PARTS, joint_angles
from rehabcount.signals.orientation import BRIDGED_S
from rehabcount.signals.rotation import multiply, positive, unrotate


@dataclass(frozen=True, slots=True)
class Column:
    """One feature: its name, and the physical value that one unit of the row stands for."""

    name: str
    unit: str
    scale: float


@dataclass(frozen=True, slots=True)
class Recipe:
    """A named, ordered list of features."""

    name: str
    columns: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def index(self, name: str) -> int:
        """Position of the column called `name`."""
        return self.names.index(name)


BEDSIDE_PARTS = (
    "hand",
    "forearm",
    "upper-arm",
    "thorax",
    "lumbar",
    "pelvis",
    "other-upper-arm",
    "other-forearm",
    "other-hand",
)
_HAND, _FOREARM, _UPPER_ARM, _THORAX = range(4)
# Scales: about the standard deviation in exercise, so that a network sees numbers near 1.
RATE_SCALE_RAD_S, FORCE_SCALE_M_S2, ANGLE_SCALE_RAD = 1.0, GRAVITY_M_S2, 1.0

BEDSIDE = Recipe(
    "bedside",
    tuple(
        Column(f"{part} {quantity} {axis}", unit, scale)
        for part in BEDSIDE_PARTS
        for quantity, unit, scale in (
            ("rate", "rad/s", RATE_SCALE_RAD_S),
            ("force", "m/s2", FORCE_SCALE_M_S2),
            ("up", "1", 1.0),
        )
        for axis in "xyz"
    )
    + tuple(
        Column(name, "rad", ANGLE_SCALE_RAD)
        for name in (
            "elbow flexion",
            "forearm pronation",
            "trunk lean forward",
            "trunk lean to this side",
            "upper-arm inclination",
            "forearm inclination",
        )
    ),
)

PAPER77 = Recipe(
    "paper77",
    tuple(Column(f"{part} free acceleration {axis}", "m/s2", 1.0) for part in JOINT_PARTS for axis in "xyz")
    + tuple(Column(f"{part} quaternion {axis}", "1", 1.0) for part in JOINT_PARTS for axis in "xyz")
    + tuple(Column(name, "deg", 1.0) for name in ANGLE_NAMES)
    + (Column("side", "0 left, 1 right", 1.0),),
)

RECIPES = {recipe.name: recipe for recipe in (BEDSIDE, PAPER77)}


def bedside(blocks: Iterable[Frames], rig: Rig, side: Side, calibration: Calibration | None = None) -> Iterator[Rows]:
    """The stream of recipe `bedside` for one arm; frames are in body-part axes (`calibration.mount`)."""
    slots = _slots(rig, _bedside_slot_names(side))
    fore = slots[_FOREARM]
    mounting = calibration.of(rig.names[fore]) if calibration is not None and fore is not None else None
    elbow = ElbowTracker(mounting.carrying_rad if mounting is not None else 0.0)
    for frames in blocks:
        values, valid = _pick(frames, slots)
        if side is Side.LEFT:
            values = mirror(values)
        up = unrotate(values[:, :, QUAT], [0.0, 0.0, 1.0])  # (n, parts, 3)
        parts = np.concatenate(
            [values[:, :, GYR] / RATE_SCALE_RAD_S, values[:, :, ACC] / FORCE_SCALE_M_S2, up], axis=2
        )  # (n, parts, 9)
        both = valid[:, _UPPER_ARM] & valid[:, _FOREARM]
        both &= np.isfinite(up[:, [_UPPER_ARM, _FOREARM]]).all(axis=(1, 2))
        flexion, pronation = elbow.angles(frames.index, values[:, _UPPER_ARM, QUAT], values[:, _FOREARM, QUAT], both)
        trunk = up[:, _THORAX]
        angles = np.stack(
            [
                flexion,
                pronation,
                np.arctan2(-trunk[:, 0], trunk[:, 1]),
                np.arctan2(-trunk[:, 2], trunk[:, 1]),
                _inclination(up[:, _UPPER_ARM]),
                _inclination(up[:, _FOREARM]),
            ],
            axis=1,
        )
        yield _rows(
            frames,
            np.concatenate([parts.reshape(len(frames), len(BEDSIDE_PARTS) * 9), angles / ANGLE_SCALE_RAD], axis=1),
        )


def paper77(blocks: Iterable[Frames], rig: Rig, side: Side, calibration: Calibration) -> Iterator[Rows]:
    """The stream of recipe `paper77`, not yet normalised.

    The calibration of the same recording aligns the headings, because the angles of trunk and shoulder need a common
    heading.
    """
    slots = _slots(rig, JOINT_PARTS)
    headings = np.zeros(len(JOINT_PARTS))
    for slot, sensor in enumerate(slots):
        mounting = calibration.of(rig.names[sensor]) if sensor is not None else None
        headings[slot] = mounting.heading_rad if mounting is not None else 0.0
    turn = np.stack([np.cos(headings / 2), 0 * headings, 0 * headings, -np.sin(headings / 2)], axis=-1)
    heading = _HeadingKept(len(JOINT_PARTS))
    for frames in blocks:
        values, valid = _pick(frames, slots)
        quats = multiply(turn, values[:, :, QUAT])
        free = values[:, :, ACC] - unrotate(quats, [0.0, 0.0, GRAVITY_M_S2])
        quats[~heading.kept(frames.index, valid)] = np.nan
        columns = [
            free.reshape(len(frames), 27),
            positive(quats)[:, :, 1:].reshape(len(frames), 27),
            np.degrees(joint_angles(quats)),
            np.full((len(frames), 1), float(side is Side.RIGHT)),
        ]
        yield _rows(frames, np.concatenate(columns, axis=1))


class _HeadingKept:
    """Which parts still have the heading of their calibration: those without a gap too long for the orientation
    filter."""

    def __init__(self, parts: int) -> None:
        self._last = np.full(parts, -1)  # frame number of the last valid frame
        self._lost = np.zeros(parts, bool)

    def kept(self, index: int, valid: Bools) -> Bools:
        """(n, parts), for frames `index`..."""
        out = np.zeros(valid.shape, bool)
        for part in range(valid.shape[1]):
            seen = np.flatnonzero(valid[:, part])
            if not len(seen):
                continue
            before = np.concatenate([[self._last[part]], index + seen[:-1]])
            broken = (before >= 0) & (index + seen - before - 1 > BRIDGED_S * FRAME_RATE_HZ)
            lost = self._lost[part] | np.logical_or.accumulate(broken)
            out[seen, part] = ~lost
            self._last[part], self._lost[part] = index + seen[-1], lost[-1]
        return out


def featurize(
    blocks: Iterable[Frames], rig: Rig, recipe: Recipe, side: Side, calibration: Calibration | None = None
) -> Iterator[Rows]:
    """The stream of either recipe."""
    if recipe.name == BEDSIDE.name:
        return bedside(blocks, rig, side, calibration)
    if recipe.name == PAPER77.name:
        if calibration is None:
            raise ValueError("recipe paper77 needs the calibration, which holds the headings")
        return paper77(blocks, rig, side, calibration)
    raise ValueError(f"recipe must be one of {', '.join(RECIPES)}, not {recipe.name!r}")


def featurize_all(frames: Frames, rig: Rig, recipe: Recipe, side: Side, calibration: Calibration | None = None) -> Rows:
    """The array kernel: a whole recording at once."""
    return next(featurize([frames], rig, recipe, side, calibration))


def normalize_trial(values: Floats, known: Bools, *, kept: int = 0) -> Floats:
    """Each column (n, width) to mean 0 and population standard deviation 1 over the trial's known cells. Constant
    columns and unknown cells become 0. The last `kept` columns, such as the side, stay as they are."""
    out = np.where(known, values, 0.0)
    scaled = slice(0, out.shape[1] - kept)
    x, there = out[:, scaled], known[:, scaled]
    count = np.maximum(there.sum(axis=0), 1)
    centred = np.where(there, x - x.sum(axis=0) / count, 0.0)
    deviation = np.sqrt((centred**2).sum(axis=0) / count)
    # A constant column has no deviation but rounding: far below what a sensor resolves, relative to its size.
    moving = deviation > 1e-12 * np.maximum(np.abs(x).max(axis=0), 1e-300)
    out[:, scaled] = np.where(moving, centred / np.where(moving, deviation, 1.0), 0.0)
    return out


def mirror(values: Floats) -> Floats:
    """Channels (..., CHANNELS) of a body reflected left to right. The caller exchanges left and right sensors.

    The body is reflected in its own z, the earth in its y (any upright mirror would do: headings are arbitrary). Only
    signs and places change, so two reflections give back every bit.
    """
    w, x, y, z = np.moveaxis(values[..., QUAT], -1, 0)
    return np.concatenate(
        [
            values[..., ACC] * np.array([1.0, 1.0, -1.0]),
            values[..., GYR] * np.array([-1.0, -1.0, 1.0]),
            np.stack([x, w, -z, -y], axis=-1),
        ],
        axis=-1,
    )


def _inclination(up: Floats) -> Floats:
    """Angle between the part's y and the vertical: 0 for a hanging arm."""
    return np.arctan2(np.hypot(up[:, 0], up[:, 2]), up[:, 1])


def _bedside_slot_names(side: Side) -> tuple[str, ...]:
    """Body parts as they are called in a rig, in the order of BEDSIDE_PARTS."""
    trunk = {BodyPart.THORAX.value, BodyPart.LUMBAR.value, BodyPart.PELVIS.value}
    return tuple(
        name
        if name in trunk
        else f"{side.other}-{name.removeprefix('other-')}"
        if name.startswith("other-")
        else f"{side}-{name}"
        for name in BEDSIDE_PARTS
    )


def _slots(rig: Rig, parts: Iterable[str]) -> list[int | None]:
    """Which sensor of the rig rides on each part; the first where there are two, None where there is none."""
    carried: dict[str, int] = {}
    for index, place in enumerate(rig.places):
        if place is not None:
            name = place.part.value if place.side is None else f"{place.side}-{place.part}"
            carried.setdefault(name, index)
    return [carried.get(part) for part in parts]


def _pick(frames: Frames, slots: list[int | None]) -> tuple[Floats, Bools]:
    """Channels and validity in the order of the slots; NaN and False where there is no sensor."""
    values = np.full((len(frames), len(slots), CHANNELS), np.nan)
    valid = np.zeros((len(frames), len(slots)), bool)
    for slot, sensor in enumerate(slots):
        if sensor is not None:
            values[:, slot], valid[:, slot] = frames.values[:, sensor], frames.valid[:, sensor]
    values[~valid] = np.nan
    return values, valid


def _rows(frames: Frames, values: Floats) -> Rows:
    known = np.isfinite(values)
    return Rows(frames.index, frames.time_s, np.where(known, values, 0.0), known)

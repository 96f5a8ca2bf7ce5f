"""The body: a chain of nine parts with anatomical limits, moved by a table of channels.

    in   Body (sizes in metres), channels (frames x CHANNELS): where root and wrists are, how the trunk bends
    out  Pose: orientation and origin of each part at each frame

Axes and signs are those of docs/body-axes.md. Inside this package the world has the same axes as a standing body (x
forward, y up, z right; "room axes"); `to_earth` turns orientations into earth axes with z up.

The wrist is placed in space and the arm follows: the elbow's flexion comes from the distance between shoulder and
wrist, the swivel angle turns the elbow about the line between them. So a hand on the table stays there while the
trunk leans, and two hands on one towel stay together. Left arms are computed as right arms in a mirror (z reflected).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rehabcount.domain.arrays import Floats
from rehabcount.domain.rig import BodyPart, Side
from rehabcount.signals import rotation

# One row of channels: root, trunk, then each arm.
ROOT = slice(0, 4)  # position (m, room axes), heading (rad, about +y)
TRUNK = slice(4, 13)  # rotation vectors: pelvis in the room, lumbar on pelvis, thorax on lumbar
ARM_WIDTH = 8  # wrist x, y, z (m, from the root), swivel, pronation, wrist flexion, radial deviation, girdle (m)
ARM = {Side.RIGHT: slice(13, 13 + ARM_WIDTH), Side.LEFT: slice(13 + ARM_WIDTH, 13 + 2 * ARM_WIDTH)}
CHANNELS = 13 + 2 * ARM_WIDTH
WRIST, SWIVEL, PRONATION, FLEXION, DEVIATION, GIRDLE = slice(0, 3), 3, 4, 5, 6, 7  # within an arm

# Active ranges of a healthy adult (AAOS), in radians; joints never leave them.
ELBOW_RANGE = (np.radians(4.0), np.radians(145.0))  # below 4 degrees the plane of the arm is undetermined
PRONATION_RANGE = (np.radians(-85.0), np.radians(85.0))
FLEXION_RANGE = (np.radians(-65.0), np.radians(75.0))
DEVIATION_RANGE = (np.radians(-32.0), np.radians(22.0))
GIRDLE_RANGE = (-0.02, 0.06)
# Where the elbow goes at swivel 0: down while the hand is before the body; back and out as the arm comes to hang (its
# own line then points down); forward and out as the hand goes above the head.
ELBOW_DOWN = np.array([0.0, -1.0, 0.0])
ELBOW_BACK = np.array([-0.8, 0.0, 0.6])
ELBOW_OUT = np.array([0.35, 0.0, 0.94])
ROOM_TO_EARTH: Floats = rotation.from_axes([1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0])

PARTS: tuple[tuple[BodyPart, Side | None], ...] = (
    (BodyPart.PELVIS, None),
    (BodyPart.LUMBAR, None),
    (BodyPart.THORAX, None),
    *((part, side) for side in Side for part in (BodyPart.UPPER_ARM, BodyPart.FOREARM, BodyPart.HAND)),
)


@dataclass(frozen=True, slots=True)
class Body:
    """Sizes in metres. `make_body` scales them from stature (segment fractions after Drillis and Contini)."""

    stature: float
    upper_arm: float
    forearm: float
    hand: float  # wrist to the middle of the grip
    pelvis: float  # hip centre to lumbar joint
    lumbar: float
    thorax: float  # lumbar-thoracic joint to the height of the shoulders
    half_width: float  # between the shoulders
    girth: float  # limb thickness against an average body: how far sensors sit from the bone

    @property
    def shoulder_height(self) -> float:
        """Above the hip centre, sitting upright."""
        return self.pelvis + self.lumbar + self.thorax

    @property
    def arm(self) -> float:
        return self.upper_arm + self.forearm


def make_body(stature: float, arm_ratio: float = 1.0, width_ratio: float = 1.0, girth: float = 1.0) -> Body:
    """A body of that stature; the ratios deviate from average proportions."""
    return Body(
        stature=stature,
        upper_arm=0.186 * stature * arm_ratio,
        forearm=0.146 * stature * arm_ratio,
        hand=0.047 * stature * arm_ratio,
        pelvis=0.055 * stature,
        lumbar=0.090 * stature,
        thorax=0.143 * stature,
        half_width=0.112 * stature * width_ratio,
        girth=girth,
    )


@dataclass(frozen=True, slots=True)
class Pose:
    """What the chain gives: each part's orientation (n, 4), part axes to room axes, and origin (n, 3), its near joint.

    Per side also the joint angles as the anatomist counts them: elbow flexion, pronation (rad), and the shoulder as a
    turn.
    """

    orientation: dict[tuple[BodyPart, Side | None], Floats]
    origin: dict[tuple[BodyPart, Side | None], Floats]
    elbow: dict[Side, Floats]
    pronation: dict[Side, Floats]
    shoulder: dict[Side, Floats]  # upper arm against thorax, quaternion


def mirrored(vector: ArrayLike) -> Floats:
    """A position seen in the mirror that swaps left and right."""
    return np.asarray(vector, float) * np.array([1.0, 1.0, -1.0])


def mirrored_turn(quat: ArrayLike) -> Floats:
    """An orientation seen in the mirror."""
    return np.asarray(quat, float) * np.array([1.0, -1.0, -1.0, 1.0])


def to_earth(quat: ArrayLike) -> Floats:
    """An orientation in room axes, in earth axes."""
    return rotation.multiply(ROOM_TO_EARTH, quat)


def limited(values: ArrayLike, bounds: tuple[float, float], margin: float = 0.12) -> Floats:
    """Values eased into `bounds`: untouched inside, bending smoothly within `margin` of either end, never beyond."""
    x = np.asarray(values, float)
    low, high = bounds
    over, under = x - (high - margin), (low + margin) - x
    x = np.where(over > 0, high - margin * np.exp(-np.maximum(over, 0) / margin), x)
    return np.where(under > 0, low + margin * np.exp(-np.maximum(under, 0) / margin), x)


def move_body(body: Body, channels: Floats) -> Pose:
    """The pose of every part for each row of channels."""
    n = len(channels)
    heading = rotation.about(np.array([0.0, 1.0, 0.0]), channels[:, 3])
    moves = bool(np.any(channels[:, ROOT]))
    bends = rotation.exponential(channels[:, TRUNK].reshape(n, 3, 3))
    pelvis = bends[:, 0]
    lumbar = rotation.multiply(pelvis, bends[:, 1])
    thorax = rotation.multiply(lumbar, bends[:, 2])
    up = np.array([0.0, 1.0, 0.0])
    lumbar_joint = rotation.rotate(pelvis, up * body.pelvis)
    thorax_joint = lumbar_joint + rotation.rotate(lumbar, up * body.lumbar)
    orientation: dict[tuple[BodyPart, Side | None], Floats] = {
        (BodyPart.PELVIS, None): pelvis,
        (BodyPart.LUMBAR, None): lumbar,
        (BodyPart.THORAX, None): thorax,
    }
    origin: dict[tuple[BodyPart, Side | None], Floats] = {
        (BodyPart.PELVIS, None): np.zeros((n, 3)),
        (BodyPart.LUMBAR, None): lumbar_joint,
        (BodyPart.THORAX, None): thorax_joint,
    }
    elbow, pronation, shoulder = {}, {}, {}
    for side in Side:
        arm = channels[:, ARM[side]]
        if side is Side.RIGHT:
            placed = _place_arm(body, thorax, thorax_joint, arm)
        else:
            placed = _place_arm(body, mirrored_turn(thorax), mirrored(thorax_joint), arm).in_mirror()
        for i, part in enumerate((BodyPart.UPPER_ARM, BodyPart.FOREARM, BodyPart.HAND)):
            orientation[part, side], origin[part, side] = placed.quats[i], placed.origins[i]
        elbow[side], pronation[side], shoulder[side] = placed.flexion, placed.pronation, placed.joint
    if moves:
        orientation = {key: rotation.multiply(heading, quat) for key, quat in orientation.items()}
        origin = {key: channels[:, :3] + rotation.rotate(heading, place) for key, place in origin.items()}
    return Pose(orientation, origin, elbow, pronation, shoulder)


@dataclass(frozen=True, slots=True)
class _Arm:
    quats: tuple[Floats, Floats, Floats]
    origins: tuple[Floats, Floats, Floats]
    flexion: Floats
    pronation: Floats
    joint: Floats

    def in_mirror(self) -> _Arm:
        upper, fore, hand = (mirrored_turn(quat) for quat in self.quats)
        shoulder, elbow, wrist = (mirrored(origin) for origin in self.origins)
        return _Arm(
            (upper, fore, hand), (shoulder, elbow, wrist), self.flexion, self.pronation, mirrored_turn(self.joint)
        )


def _place_arm(body: Body, thorax: Floats, thorax_joint: Floats, arm: Floats) -> _Arm:
    """A right arm whose wrist is where the channels say, as far as the limits allow."""
    girdle = limited(arm[:, GIRDLE], GIRDLE_RANGE, 0.01)
    socket = np.zeros((len(arm), 3))
    socket[:, 1], socket[:, 2] = body.thorax + girdle, body.half_width - 0.3 * girdle
    shoulder = thorax_joint + rotation.rotate(thorax, socket)
    wrist = arm[:, WRIST]
    line = wrist - shoulder
    distance = np.sqrt(np.sum(line * line, axis=-1))
    along = line / np.maximum(distance, 1e-6)[:, None]
    upper, fore = body.upper_arm, body.forearm
    bounds = tuple(_span(upper, fore, angle) for angle in (ELBOW_RANGE[1], ELBOW_RANGE[0]))
    reach = limited(distance, (bounds[0], bounds[1]), 0.035)
    flexion = np.pi - np.arccos((upper**2 + fore**2 - reach**2) / (2 * upper * fore))
    # The elbow lies on a circle about the line from shoulder to wrist.
    to_foot = (reach**2 + upper**2 - fore**2) / (2 * reach)
    radius = np.sqrt(np.maximum(upper**2 - to_foot**2, 0.0))
    low, out = elbow_circle(along)
    swivel = arm[:, SWIVEL, None]
    elbow_from_shoulder = to_foot[:, None] * along + radius[:, None] * (np.cos(swivel) * low + np.sin(swivel) * out)
    fore_y = (elbow_from_shoulder - reach[:, None] * along) / fore
    upper_y = -elbow_from_shoulder / upper
    upper_z = rotation.normalize(np.cross(upper_y, fore_y))
    upper_quat = rotation.from_axes(np.cross(upper_y, upper_z), upper_y, upper_z)
    turn = limited(arm[:, PRONATION], PRONATION_RANGE)
    bend, tilt = limited(arm[:, FLEXION], FLEXION_RANGE), limited(arm[:, DEVIATION], DEVIATION_RANGE, 0.06)
    forearm_quat = rotation.multiply(upper_quat, _z_then_y(flexion, turn))
    hand_quat = rotation.multiply(forearm_quat, _x_then_z(bend, tilt))
    elbow_place = shoulder + elbow_from_shoulder
    wrist_place = shoulder + reach[:, None] * along
    joint = rotation.multiply(rotation.conjugate(thorax), upper_quat)
    return _Arm((upper_quat, forearm_quat, hand_quat), (shoulder, elbow_place, wrist_place), flexion, turn, joint)


def elbow_circle(along: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors across the line from shoulder to wrist: where the elbow goes at swivel 0, and at a quarter
    turn."""
    height = along[..., 1:2]
    hanging = _ease((-0.55 - height) / 0.40)
    overhead = _ease((height - 0.55) / 0.60)
    hint = (1.0 - hanging - overhead) * ELBOW_DOWN + hanging * ELBOW_BACK + overhead * ELBOW_OUT
    low = hint - np.sum(along * hint, axis=-1, keepdims=True) * along
    low = low / np.sqrt(np.sum(low * low, axis=-1, keepdims=True))
    return low, np.cross(low, along)  # for a forward arm: low x forward = out to the right


def _ease(share: Floats) -> Floats:
    """0 below 0, 1 above 1, smooth between."""
    u = np.clip(share, 0.0, 1.0)
    return u * u * u * (10.0 + u * (6.0 * u - 15.0))


def _span(upper: float, fore: float, flexion: float) -> float:
    """Distance from shoulder to wrist at that elbow flexion."""
    return float(np.sqrt(upper**2 + fore**2 + 2 * upper * fore * np.cos(flexion)))


def _z_then_y(z: Floats, y: Floats) -> Floats:
    """Rotation about z, then about the turned y."""
    cz, sz, cy, sy = np.cos(z / 2), np.sin(z / 2), np.cos(y / 2), np.sin(y / 2)
    return np.stack([cz * cy, -sz * sy, cz * sy, sz * cy], axis=-1)


def _x_then_z(x: Floats, z: Floats) -> Floats:
    """Rotation about x, then about the turned z."""
    cx, sx, cz, sz = np.cos(x / 2), np.sin(x / 2), np.cos(z / 2), np.sin(z / 2)
    return np.stack([cx * cz, sx * cz, -sx * sz, cx * sz], axis=-1)


def shoulder_at(body: Body, trunk: ArrayLike, side: Side) -> Floats:
    """Where the shoulder is, from the root, for trunk channels (9,) or (n, 9)."""
    bends = rotation.exponential(np.asarray(trunk, float).reshape(*np.shape(trunk)[:-1], 3, 3))
    lumbar = rotation.multiply(bends[..., 0, :], bends[..., 1, :])
    thorax = rotation.multiply(lumbar, bends[..., 2, :])
    up = np.array([0.0, 1.0, 0.0])
    sign = 1.0 if side is Side.RIGHT else -1.0
    return (
        rotation.rotate(bends[..., 0, :], up * body.pelvis)
        + rotation.rotate(lumbar, up * body.lumbar)
        + rotation.rotate(thorax, np.array([0.0, body.thorax, sign * body.half_width]))
    )


def landmark(body: Body, trunk: ArrayLike, place: ArrayLike) -> Floats:
    """A point fixed to the thorax and head (metres from the middle between the shoulders), from the root."""
    middle = (shoulder_at(body, trunk, Side.RIGHT) + shoulder_at(body, trunk, Side.LEFT)) / 2
    bends = rotation.exponential(np.asarray(trunk, float).reshape(*np.shape(trunk)[:-1], 3, 3))
    thorax = rotation.multiply(rotation.multiply(bends[..., 0, :], bends[..., 1, :]), bends[..., 2, :])
    return middle + rotation.rotate(thorax, place)


MOUTH = np.array([0.085, 0.078, 0.0])  # landmarks as fractions of stature, right side
HAIR_SIDE = np.array([0.040, 0.140, 0.055])
HAIR_TOP = np.array([0.060, 0.165, 0.025])
HAIR_BACK = np.array([0.005, 0.125, 0.060])
ARMPIT = np.array([0.040, -0.055, 0.085])
EAR = np.array([0.030, 0.105, 0.050])
FOREHEAD = np.array([0.075, 0.135, 0.010])
CHEEK = np.array([0.070, 0.095, 0.030])

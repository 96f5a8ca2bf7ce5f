"""The chain: conventions of docs/body-axes.md, lengths, limits, mirror."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.domain.arrays import Floats
from rehabcount.domain.rig import BodyPart, Side
from rehabcount.signals import rotation
from rehabcount.simulate.body import (
    ARM,
    ARM_WIDTH,
    CHANNELS,
    ELBOW_RANGE,
    PARTS,
    PRONATION_RANGE,
    TRUNK,
    limited,
    make_body,
    mirrored,
    mirrored_turn,
    move_body,
    shoulder_at,
    to_earth,
)
from rehabcount.simulate.other import hanging_swivel

BODY = make_body(1.72)


def posture(wrist: Floats, pronation: float = 0.0, swivel: float = 0.0) -> Floats:
    """Channels of one frame with both wrists at mirrored places."""
    row = np.zeros((1, CHANNELS))
    for side in Side:
        row[0, ARM[side]] = [*wrist, swivel, pronation, 0.0, 0.0, 0.0]
    return row


def forward_wrist(flexion: float = np.pi / 2) -> Floats:
    """The wrist of a right arm whose upper arm hangs."""
    shoulder = shoulder_at(BODY, np.zeros(9), Side.RIGHT)
    return shoulder + np.array([BODY.forearm * np.sin(flexion), -BODY.upper_arm - BODY.forearm * np.cos(flexion), 0.0])


def test_earth_axes_of_a_standing_body() -> None:
    trunk = to_earth(move_body(BODY, posture(forward_wrist())).orientation[BodyPart.THORAX, None])[0]
    axes = rotation.rotate(trunk, np.eye(3))
    assert axes == pytest.approx(np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]), abs=1e-12)


def test_forearm_forward_from_a_hanging_upper_arm() -> None:
    pose = move_body(BODY, posture(forward_wrist(np.radians(90)), swivel=_hanging()))
    for side in Side:
        upper, fore = (pose.orientation[part, side][0] for part in (BodyPart.UPPER_ARM, BodyPart.FOREARM))
        assert rotation.rotate(upper, [0, 1, 0]) == pytest.approx([0, 1, 0], abs=1e-6)  # y points to the shoulder
        assert rotation.rotate(upper, [0, 0, 1]) == pytest.approx([0, 0, 1], abs=1e-6)  # z to the right, either arm
        assert rotation.rotate(fore, [0, 1, 0]) == pytest.approx([-1, 0, 0], abs=1e-6)  # hand to elbow: backwards
        assert pose.elbow[side][0] == pytest.approx(np.pi / 2, abs=1e-6)
        # Elbow flexion is a turn about +z of the upper arm.
        bend = rotation.logarithm(rotation.multiply(rotation.conjugate(upper), fore))
        assert bend == pytest.approx([0, 0, np.pi / 2], abs=1e-6)


def _hanging() -> float:
    return hanging_swivel(BODY)


@pytest.mark.parametrize(("side", "sign"), [(Side.RIGHT, 1.0), (Side.LEFT, -1.0)])
def test_pronation_turns_the_thumb_inwards(side: Side, sign: float) -> None:
    neutral, pronated = (
        move_body(BODY, posture(forward_wrist(), pronation=p, swivel=_hanging())).orientation[BodyPart.FOREARM, side][0]
        for p in (0.0, 0.8)
    )
    # Zero: thumb (x of the forearm) up when the elbow is bent.
    assert rotation.rotate(neutral, [1, 0, 0]) == pytest.approx([0, 1, 0], abs=1e-6)
    turn = rotation.logarithm(rotation.multiply(rotation.conjugate(neutral), pronated))
    assert turn == pytest.approx([0, 0.8 * sign, 0], abs=1e-6)
    # Pronated, the thumb has gone towards the middle: to the left on the right arm.
    assert rotation.rotate(pronated, [1, 0, 0])[2] * sign < 0


def test_leaning_forward_is_a_turn_about_minus_z() -> None:
    row = posture(forward_wrist())
    row[0, TRUNK] = np.tile([0.0, 0.0, -0.1], 3)
    pose = move_body(BODY, row)
    assert rotation.rotate(pose.orientation[BodyPart.THORAX, None][0], [0, 1, 0])[0] > 0.25


@st.composite
def channels(draw: st.DrawFn) -> Floats:
    """Anything the scripts could ask for, and more."""
    numbers = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = np.zeros((8, CHANNELS))
    rows[:, TRUNK] = numbers.normal(0, 0.2, (8, 9))
    for side in Side:
        rows[:, ARM[side]] = numbers.normal(0, 1, (8, ARM_WIDTH)) * [0.4, 0.4, 0.4, 1.0, 1.5, 1.5, 1.0, 0.05]
        rows[:, ARM[side]] += [0.4, 0.4, 0.1, 0, 0, 0, 0, 0]
    return rows


@given(channels())
@settings(max_examples=60, deadline=None)
def test_bones_keep_their_length_and_joints_their_range(rows: Floats) -> None:
    pose = move_body(BODY, rows)
    for side in Side:
        shoulder, elbow, wrist = (
            pose.origin[part, side] for part in (BodyPart.UPPER_ARM, BodyPart.FOREARM, BodyPart.HAND)
        )
        assert np.linalg.norm(elbow - shoulder, axis=1) == pytest.approx(np.full(8, BODY.upper_arm))
        assert np.linalg.norm(wrist - elbow, axis=1) == pytest.approx(np.full(8, BODY.forearm))
        assert (pose.elbow[side] >= ELBOW_RANGE[0] - 1e-9).all()
        assert (pose.elbow[side] <= ELBOW_RANGE[1] + 1e-9).all()
        assert (np.abs(pose.pronation[side]) <= PRONATION_RANGE[1]).all()
        # The bone lies along the part's own y axis.
        along = rotation.rotate(pose.orientation[BodyPart.UPPER_ARM, side], [0, 1, 0])
        assert along == pytest.approx((shoulder - elbow) / BODY.upper_arm)


@given(channels())
@settings(max_examples=40, deadline=None)
def test_left_is_the_mirror_of_right(rows: Floats) -> None:
    swapped = rows.copy()
    swapped[:, ARM[Side.LEFT]], swapped[:, ARM[Side.RIGHT]] = rows[:, ARM[Side.RIGHT]], rows[:, ARM[Side.LEFT]]
    swapped[:, TRUNK] = rows[:, TRUNK] * np.tile([-1.0, -1.0, 1.0], 3)
    one, other = move_body(BODY, rows), move_body(BODY, swapped)
    for part, side in PARTS:
        opposite = (part, None if side is None else side.other)
        assert mirrored(one.origin[part, side]) == pytest.approx(other.origin[opposite], abs=1e-9)
        gap = rotation.angle_between(mirrored_turn(one.orientation[part, side]), other.orientation[opposite])
        assert gap == pytest.approx(np.zeros(len(gap)), abs=1e-6)


@given(st.floats(-20, 20), st.floats(-3, 0), st.floats(0.5, 3), st.floats(0.01, 0.2))
def test_limits_ease_in(value: float, low: float, width: float, margin: float) -> None:
    high = low + width
    eased = float(limited(value, (low, high), margin))
    assert low <= eased <= high
    if low + margin <= value <= high - margin:
        assert eased == value


def test_a_wrist_within_reach_is_reached() -> None:
    wanted = np.array([0.35, 0.35, 0.15])
    pose = move_body(BODY, posture(wanted))
    assert pose.origin[BodyPart.HAND, Side.RIGHT][0] == pytest.approx(wanted)
    assert pose.origin[BodyPart.HAND, Side.LEFT][0] == pytest.approx(wanted * [1, 1, -1])

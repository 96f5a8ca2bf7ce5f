"""Labels follow the taxonomy and the motion; repeats are kept."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from rehabcount.domain.rig import BodyPart, Side
from rehabcount.simulate.activities import ACTIVITIES
from rehabcount.simulate.body import make_body, move_body
from rehabcount.simulate.cohort import Subject
from rehabcount.simulate.impairment import draw_impairment
from rehabcount.simulate.motion import Motion, perform
from rehabcount.simulate.movement import MOTION_RATE_HZ
from rehabcount.simulate.posture import HEAD, SIDE, TOP
from rehabcount.simulate.realism import speed_of
from rehabcount.simulate.recording import reference_of, script_trial
from rehabcount.simulate.scene import Furniture, Habits, Scene
from rehabcount.simulate.tabletop import single_drink

BODY = make_body(1.72)


def healthy_scene(seed: int = 0) -> Scene:
    rng = np.random.default_rng(seed)
    arms = {side: draw_impairment(66, rng) for side in Side}
    return Scene(BODY, arms, Habits(), Furniture(), rng)


def labels(motion: Motion, side: Side) -> list[str]:
    return [segment.label for segment in motion.segments if segment.side is side]


def test_a_drink_is_the_sequence_that_the_recordings_hold() -> None:
    scene = healthy_scene(3)
    single_drink(scene, Side.RIGHT)
    found = labels(perform(scene), Side.RIGHT)
    moving = [label for label in found if label not in ("idle", "stabilize")]
    assert moving == ["reach", "transport", "transport", "reposition"]
    assert found[0] == found[-1] == "idle"
    assert labels(perform(scene), Side.LEFT) == ["idle"]


def test_two_transports_in_a_row_are_two_segments() -> None:
    scene = healthy_scene()
    scene.stay(Side.RIGHT, 1.0)
    scene.reach(Side.RIGHT, scene.spot(Side.RIGHT, 0.40, 0.05), SIDE)
    scene.carry(Side.RIGHT, scene.spot(Side.RIGHT, 0.40, 0.25), SIDE)
    scene.carry(Side.RIGHT, scene.spot(Side.RIGHT, 0.45, 0.0), SIDE)
    found = [segment for segment in perform(scene).segments if segment.side is Side.RIGHT]
    assert [s.label for s in found][:4] == ["idle", "reach", "transport", "transport"]
    assert found[2].end_s == found[3].start_s


def test_what_is_held_decides_between_stabilize_and_idle() -> None:
    scene = healthy_scene()
    scene.stay(Side.RIGHT, 1.0)
    scene.reach(Side.RIGHT, scene.spot(Side.RIGHT, 0.40, 0.05), TOP)
    scene.stay(Side.RIGHT, 1.5)
    scene.let_go(Side.RIGHT)
    scene.stay(Side.RIGHT, 1.5)
    scene.retreat(Side.RIGHT)
    scene.stay(Side.RIGHT, 1.0)
    assert labels(perform(scene), Side.RIGHT) == ["idle", "reach", "stabilize", "idle", "reposition", "idle"]


@pytest.mark.parametrize("activity", ACTIVITIES)
def test_labels_tile_both_arms_of_every_activity(cohort: tuple[Subject, ...], activity: str) -> None:
    for subject in (cohort[3], cohort[45], cohort[60]):
        reference = reference_of(script_trial(subject, activity, 1, 0))
        for side in Side:
            arm = [segment for segment in reference if segment.side is side]
            assert arm[0].start_s == 0.0
            for a, b in itertools.pairwise(arm):
                assert a.end_s == pytest.approx(b.start_s)
                assert a.length_s > 0.04


def test_drinks_are_reach_two_transports_and_reposition(cohort: tuple[Subject, ...]) -> None:
    healthy = cohort[60]
    arm = [each.label for each in reference_of(script_trial(healthy, "drinks", 1, 0)) if each.side is healthy.side]
    moving = [label for label in arm if label not in ("idle", "stabilize")]
    order = [label for label, _ in itertools.groupby(moving)]  # a hand may halt on its way
    number = order.count("reach")
    assert 2 <= number <= 4
    assert order == ["reach", "transport", "reposition"] * number
    assert moving.count("transport") >= 2 * number


def test_a_hand_that_goes_on_or_shifts_makes_no_second_movement() -> None:
    scene = healthy_scene()
    home = scene.rest_place(Side.RIGHT)
    scene.stay(Side.RIGHT, 1.0)
    scene.retreat(Side.RIGHT, scene.spot(Side.RIGHT, 0.40, 0.05))
    scene.go_on(Side.RIGHT, home)  # at once: part of the same movement
    landed = scene.now
    scene.stay(Side.RIGHT, 1.0)
    scene.go_on(Side.RIGHT, home + np.array([0.015, 0.0, 0.0]))  # after a pause: part of the stillness
    scene.stay(Side.RIGHT, 1.0)
    motion = perform(scene)
    assert labels(motion, Side.RIGHT) == ["idle", "reposition", "idle"]
    reposition = next(each for each in motion.segments if each.label == "reposition")
    assert reposition.end_s == pytest.approx(landed)


def test_script_and_motion_agree_on_the_labels(cohort: tuple[Subject, ...]) -> None:
    subject = cohort[8]
    alone = reference_of(script_trial(subject, "combing", 2, 5))
    assert perform(script_trial(subject, "combing", 2, 5)).segments == alone


def test_moving_labels_move_and_still_labels_do_not(cohort: tuple[Subject, ...]) -> None:
    """Not a shortcut: it is what the words mean. Wrist speed tells movement from stillness, and nothing more."""
    subject = cohort[60]
    motion = perform(script_trial(subject, "shelf", 1, 0))
    pose = move_body(subject.body, motion.channels)
    speed = speed_of(pose.origin[BodyPart.HAND, subject.side], 10.0)
    typical: dict[str, list[float]] = {}
    for segment in motion.segments:
        if segment.side is subject.side and segment.length_s > 0.3:
            inside = speed[int(segment.start_s * MOTION_RATE_HZ) : int(segment.end_s * MOTION_RATE_HZ)]
            typical.setdefault(segment.label, []).append(float(np.median(inside)))
    medians = {label: float(np.median(values)) for label, values in typical.items()}
    assert max(medians["idle"], medians["stabilize"]) < 0.05
    assert min(medians["reach"], medians["transport"], medians["reposition"]) > 0.1


def test_a_hand_at_rest_stays_while_the_trunk_leans() -> None:
    scene = healthy_scene()
    scene.stay(Side.RIGHT, 0.5)
    scene.reach(Side.RIGHT, np.array([0.85, 0.25, 0.1]), SIDE)  # too far for the arm alone
    pose = move_body(BODY, perform(scene).channels)
    chest = pose.origin[BodyPart.UPPER_ARM, Side.RIGHT]
    resting = pose.origin[BodyPart.HAND, Side.LEFT]
    assert np.linalg.norm(chest[-1] - chest[0]) > 0.10
    assert np.ptp(resting, axis=0).max() < 0.02


def test_the_hand_keeps_clear_of_its_own_shoulder() -> None:
    scene = healthy_scene()
    scene.reach(Side.RIGHT, scene.spot(Side.RIGHT, 0.45, 0.1), TOP)
    scene.carry(Side.RIGHT, scene.on_body(np.array([0.04, 0.14, 0.055]), Side.RIGHT), HEAD)
    pose = move_body(BODY, perform(scene).channels)
    gap = np.linalg.norm(pose.origin[BodyPart.HAND, Side.RIGHT] - pose.origin[BodyPart.UPPER_ARM, Side.RIGHT], axis=1)
    assert gap.min() > 0.3 * BODY.arm

"""Exercises that are made up: their grammar, their labels and their movement."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from rehabcount.domain.labels import PRODUCT
from rehabcount.domain.rig import BodyPart, Side
from rehabcount.simulate.body import elbow_circle, move_body, shoulder_at
from rehabcount.simulate.cohort import Subject
from rehabcount.simulate.drawn_tasks import FAMILIES, draw_family, draw_task
from rehabcount.simulate.elsewhere import ELSEWHERE, elsewhere, fitting
from rehabcount.simulate.grammar import HandStep, Task, Verb, check, rounds_of
from rehabcount.simulate.made_up import do, simulate_made_up, stage_made_up
from rehabcount.simulate.motion import perform
from rehabcount.simulate.recording import Recording, frame_labels, reference_of
from rehabcount.simulate.setting import ANYWHERE, HOME_KINDS, STANCES, Setting, draw_setting
from rehabcount.simulate.stage import BEFORE, BELOW, IN_THE_AIR_HOMES, OpenScene, Unrest, elbow_turn
from tests.simulate.test_recording import content


@pytest.fixture(scope="module")
def made_up(cohort: tuple[Subject, ...]) -> Recording:
    return simulate_made_up(cohort[12], 1, seed=1)


def stage_in(subject: Subject, seed: int) -> tuple[OpenScene, Setting]:
    rng = np.random.default_rng(seed)
    setting = draw_setting(rng, subject.body)
    stage = OpenScene(subject.body, subject.arms, subject.habits, setting.layout, rng, homes=setting.homes)
    stage.take_place(setting.unrest, setting.homes, setting.farthest_lean)
    stage.settled_s = 0.0
    return stage, setting


def test_every_sentence_obeys_the_taxonomy(cohort: tuple[Subject, ...]) -> None:
    families = set()
    for seed in range(250):
        stage, setting = stage_in(cohort[seed % 71], seed)
        task = draw_task(stage, setting, Side.LEFT if seed % 2 else Side.RIGHT)
        families.add(task.name)
        holding = dict.fromkeys(Side, False)
        rounds = list(rounds_of(task, stage.rng))
        assert len(rounds) == task.rounds
        for steps in rounds:
            holding = check(steps, holding)
        assert not any(holding.values())
    assert len(families) > len(FAMILIES)  # tools have names of their own


def tasks_of(cohort: tuple[Subject, ...], name: str, wanted: int = 4) -> list[tuple[OpenScene, Setting, Task]]:
    """Drawn tasks of that name, each in a stage of its own."""
    found = []
    for seed in range(2000):
        stage, setting = stage_in(cohort[seed % 71], seed)
        task = draw_task(stage, setting, Side.RIGHT)
        if task.name == name:
            found.append((stage, setting, task))
        if len(found) == wanted:
            return found
    raise AssertionError(name)


def verbs_of(task: Task, stage: OpenScene) -> list[Verb]:
    """What the leading hand does, without waiting and holding."""
    still = (Verb.WAIT, Verb.HOLD, Verb.LET_GO)
    steps = itertools.chain.from_iterable(rounds_of(task, stage.rng))
    return [step.verb for step in steps if step.side is task.lead and step.verb not in still]


def test_long_rows_of_touch_and_go(cohort: tuple[Subject, ...]) -> None:
    backs = set()
    for stage, _, task in tasks_of(cohort, "touch and go", 8):
        verbs = verbs_of(task, stage)
        assert 10 <= len(verbs) / 2 <= 25
        assert set(verbs[::2]) == {Verb.TOUCH}
        assert set(verbs[1:-1:2]) == {Verb.RETURN if task.hovers is None else Verb.ASIDE}
        backs |= set(verbs[1:-1:2])
    assert backs == {Verb.RETURN, Verb.ASIDE}


def test_long_rows_of_carrying(cohort: tuple[Subject, ...]) -> None:
    for stage, _, task in tasks_of(cohort, "to and fro"):
        verbs = verbs_of(replace(task, steadies=None), stage)
        assert verbs.count(Verb.TAKE) <= 2  # taken anew at most by a slip
        assert verbs.count(Verb.CARRY) >= 20
    for stage, _, task in tasks_of(cohort, "bring"):
        steps = [step for each in rounds_of(replace(task, slips=0.0), stage.rng) for step in each]
        taken = [step.place for step in steps if step.verb is Verb.TAKE and step.side is task.lead]
        assert len(taken) == task.rounds >= 10
        assert np.ptp(np.array(taken), axis=0).max() < 0.12  # always at the same place


def test_work_at_a_bench_is_short_movements_of_both_hands(cohort: tuple[Subject, ...]) -> None:
    healthy = [subject for subject in cohort if subject.score == 66][:3]
    assert healthy
    lengths, holding = [], dict.fromkeys(Side, False)
    for seed, subject in enumerate(healthy):
        stage, setting = stage_in(subject, seed)
        task = draw_family("bench", stage, setting, Side.RIGHT)
        stage.tempo = task.pace.tempo
        for steps in rounds_of(task, stage.rng):
            holding = check(steps, holding)
            for step in steps:
                do(stage, step)
        for side in Side:
            arm = [segment for segment in reference_of(stage) if segment.side is side]
            assert sum(segment.label in ("idle", "stabilize") for segment in arm) < 0.5 * len(arm)
            lengths += [segment.length_s for segment in arm if segment.label not in ("idle", "stabilize")]
    assert np.median(lengths) < 0.85


def test_stretched_arms_reach(cohort: tuple[Subject, ...]) -> None:
    """Some targets need a straight elbow."""
    bends = []
    for stage, setting, _ in tasks_of(cohort, "touch and go", 12):
        stage.farthest_lean = min(stage.farthest_lean, 0.3)
        task = replace(draw_family("touch and go", stage, setting, Side.RIGHT), rounds=1)
        for step in next(iter(rounds_of(task, stage.rng))):
            do(stage, step)
        move = next(move for move in stage.moves if move.label == "reach" and move.side is Side.RIGHT)
        shoulder = shoulder_at(stage.body, move.trunk_goal + stage.recline, Side.RIGHT)
        bends.append(np.linalg.norm(move.goal[:3] - shoulder) / stage.body.arm)
    assert max(bends) > 0.93
    assert min(bends) < 0.85


def test_sentences_that_cannot_be_are_refused() -> None:
    right = Side.RIGHT
    at = np.zeros(3)
    for wrong in (
        [HandStep(Verb.CARRY, right, at)],
        [HandStep(Verb.HOLD, right)],
        [HandStep(Verb.TAKE, right, at), HandStep(Verb.TAKE, right, at)],
        [HandStep(Verb.TAKE, right, at), HandStep(Verb.RETURN, right)],
        [HandStep(Verb.TAKE, right, at), HandStep(Verb.WAIT, right)],
        [HandStep(Verb.TAKE, right, at), HandStep(Verb.PUT, right, at), HandStep(Verb.CARRY, right, at)],
    ):
        with pytest.raises(ValueError, match=rf"step {len(wrong)}: {wrong[-1].verb.value}"):
            check(wrong)


def test_labels_follow_what_the_hand_holds(cohort: tuple[Subject, ...]) -> None:
    """In the reference of whole recordings: what may follow what."""
    seen = set()
    for number in range(1, 6):
        stage = stage_made_up(cohort[8 * number], number, 5)
        segments = reference_of(stage)
        for side in Side:
            arm = [segment.label for segment in segments if segment.side is side]
            seen |= set(itertools.pairwise(arm))
            assert all(label in PRODUCT.names for label in arm)
    assert ("transport", "transport") in seen
    # An empty hand does not transport or keep anything still, and what is held is not idle.
    assert not seen & {
        ("reposition", "transport"),
        ("reposition", "stabilize"),
        ("idle", "transport"),
        ("idle", "stabilize"),
        ("other", "transport"),
        ("other", "stabilize"),
    }


def test_same_number_same_bytes(cohort: tuple[Subject, ...], made_up: Recording) -> None:
    first = content(made_up)
    assert content(simulate_made_up(cohort[12], 1, seed=1)) == first
    assert content(simulate_made_up(cohort[12], 2, seed=1)) != first
    assert content(simulate_made_up(cohort[12], 1, seed=2)) != first


def test_a_recording_is_whole(made_up: Recording) -> None:
    assert made_up.activity == "made up"
    assert 60 < made_up.length_s < 600
    for samples in made_up.samples.values():
        assert samples.acc is not None
        assert samples.gyr is not None
        assert np.isfinite(samples.acc).all()
        assert np.isfinite(samples.gyr).all()
    for side in Side:
        labels = frame_labels(made_up.of(side), int(made_up.length_s * 100))
        assert (labels >= 0).all()
    rounds = [stretch for stretch in made_up.stretches if stretch.kind == "activity"]
    names = {stretch.name for stretch in rounds}
    assert 2 <= len(names) <= 6
    assert len(rounds) > len(names)
    for name in names:
        each = [stretch for stretch in rounds if stretch.name == name]
        assert all(a.end_s <= b.start_s + 1e-9 for a, b in itertools.pairwise(each))


def test_people_move_as_people_do(cohort: tuple[Subject, ...]) -> None:
    """Speeds of wrists, hands that arrive, wrists outside the trunk."""
    peaks, errors, inside, frames = [], [], 0, 0
    for number, subject in enumerate(cohort[3::18], 1):
        stage = stage_made_up(subject, number, 4)
        motion = perform(stage)
        assert np.isfinite(motion.channels).all()
        still = motion.channels.copy()
        still[:, :4] = 0.0  # the room goes along with the feet
        pose = move_body(subject.body, still)
        for side in Side:
            wrist = pose.origin[BodyPart.HAND, side]
            mirror = np.array([1.0, 1.0, 1.0 if side is Side.RIGHT else -1.0])
            speed = np.linalg.norm(np.gradient(wrist, axis=0), axis=1) * 200
            for move in stage.moves:
                start, end = int(200 * move.start_s), int(200 * (move.start_s + move.parts.end_s))
                way = np.linalg.norm(move.goal[:3] - move.origin[:3])
                if move.side is side and end < len(wrist) and way > 0.1 and move.label != "other":
                    peaks.append(speed[start:end].max())
                    wanted = still[end, 13:16] if side is Side.RIGHT else still[end, 21:24]
                    errors.append(np.linalg.norm(wrist[end] * mirror - wanted))
            middle = pose.origin[BodyPart.THORAX, None]
            off = wrist - middle
            inside += int(((np.abs(off[:, 1]) < 0.15) & (np.hypot(off[:, 0], off[:, 2]) < 0.09)).sum())
            frames += len(off)
    assert 0.35 < np.median(peaks) < 0.9
    assert np.quantile(peaks, 0.05) > 0.15
    assert np.quantile(peaks, 0.95) < 1.6
    assert np.quantile(errors, 0.98) < 0.03
    assert inside / frames < 0.002


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_is_not_exercise_is_other_and_ends_at_rest(cohort: tuple[Subject, ...], name: str) -> None:
    done = 0
    for seed in range(12):
        stage, setting = stage_in(cohort[5 * seed], seed)
        if name not in fitting(setting.stance):
            with pytest.raises(ValueError, match=setting.stance):
                elsewhere(stage, name, setting.stance)
            continue
        elsewhere(stage, name, setting.stance)
        for side in Side:
            stage.stay(side, 1.0)
        stage.finish()
        motion = perform(stage)
        done += 1
        assert {segment.label for segment in motion.segments} <= {"other", "idle"}
        assert np.abs(motion.channels[-1, :3]).max() < 0.08  # sway, but back where it was
        assert abs(motion.channels[-1, 3]) < 0.4  # and facing there
        for side in Side:
            assert np.linalg.norm(stage.hands[side].posture[:3]) < 1.0
    assert done > 1


def test_people_stand_up_with_the_hands_on_the_thighs(cohort: tuple[Subject, ...]) -> None:
    """The hips rise by the height of a seat while both hands stay near them; all of it is no exercise."""
    seed = next(each for each in range(99) if stage_in(cohort[40], each)[1].stance == "sitting")
    stage, setting = stage_in(cohort[40], seed)
    elsewhere(stage, "hands on the thighs", setting.stance)
    stage.finish()
    motion = perform(stage)
    up = motion.channels[:, 1] > 0.3
    assert up.any()
    assert motion.channels[~up, 1].min() < 0.05
    for column in (13, 21):
        assert (np.linalg.norm(motion.channels[up, column : column + 2], axis=1) < 0.6).all()
    assert {segment.label for segment in motion.segments} <= {"other", "idle"}


def test_fast_walking_swings_the_elbow_more(cohort: tuple[Subject, ...]) -> None:
    spread: dict[str, list[float]] = {"walking about": [], "walking fast": []}
    for seed in range(10):
        for name, found in spread.items():
            stage, setting = stage_in(cohort[-1 - seed], seed)
            if setting.stance not in ("sitting", "standing"):
                continue
            elsewhere(stage, name, setting.stance)
            stage.finish()
            channels = perform(stage).channels
            middle = channels[len(channels) // 3 : len(channels) // 2]
            found.append(float(middle[:, 13].std()))
    assert np.median(spread["walking fast"]) > 1.15 * np.median(spread["walking about"])


def test_elbows_turn_smoothly_wherever_the_hand_is() -> None:
    """The body's own swivel 0 has places beside the shoulder where a centimetre of way turns the elbow about."""
    rng = np.random.default_rng(0)
    line = rng.normal(0.0, 1.0, (4000, 3))
    along = line / np.linalg.norm(line, axis=1, keepdims=True)
    along = along[along @ BEFORE > -0.9]
    near = along + rng.normal(0.0, 0.004, along.shape)
    elbows = []
    for each in (along, near / np.linalg.norm(near, axis=1, keepdims=True)):
        low, out = elbow_circle(each)
        turn = np.array([elbow_turn(one[None])[0] for one in each])[:, None]
        elbows.append(np.cos(turn) * low + np.sin(turn) * out)
    assert np.linalg.norm(elbows[0] - elbows[1], axis=1).max() < 0.12
    before = elbow_turn(BEFORE[None])
    low, out = elbow_circle(BEFORE[None])
    assert (np.cos(before) * low + np.sin(before) * out)[0] == pytest.approx(BELOW, abs=0.01)


def test_a_carrying_with_stops_is_one_transport(cohort: tuple[Subject, ...]) -> None:
    """Stops and corrections on the way are inside one labelled movement; the object stays in the hand."""
    stopped = 0
    for seed in range(12):
        stage, setting = stage_in(cohort[6 * seed], seed)
        task = draw_family("carry", stage, setting, Side.RIGHT)
        first, second = task.sources[0], task.targets[0]
        right = Side.RIGHT
        steps = [
            HandStep(Verb.TAKE, right, first, task.grip, contact=0.5),
            HandStep(Verb.HOLD, right, seconds=1.0),
            HandStep(Verb.CARRY, right, second, task.grip, 0.8, stops=2),
            HandStep(Verb.HOLD, right, seconds=1.0),
            HandStep(Verb.PUT, right, first, task.grip, 0.8, stops=1),
            HandStep(Verb.WAIT, right, seconds=1.0),
        ]
        check(steps)
        for step in steps:
            do(stage, step)
        stopped += sum(move.label == "" for move in stage.moves)
        labels = [segment.label for segment in reference_of(stage) if segment.side is right]
        assert labels.count("transport") == 2
        assert not stage.hands[right].holding
        assert stage.hands[right].supported
    assert stopped == 12 * 3


def test_a_tilted_cup_turns_the_forearm_and_is_held(cohort: tuple[Subject, ...]) -> None:
    for stage, _, task in tasks_of(cohort, "drink", 3):
        calm = replace(
            task, uses=(replace(task.uses[0], dwells=True),), pace=replace(task.pace, dwell_s=1.5, stopping=0)
        )
        steps = list(itertools.chain.from_iterable(rounds_of(replace(calm, rounds=1), stage.rng)))
        start_s = None
        for step in steps:
            if step.tilt_rad:
                start_s = stage.hands[task.lead].at
            do(stage, step)
        assert start_s is not None
        stage.finish()
        held = [s for s in reference_of(stage) if s.side is task.lead and s.label == "stabilize"]
        assert any(s.start_s <= start_s + 0.2 and s.end_s >= start_s + 1.2 for s in held)
        at = slice(int(200 * (start_s - 0.3)), int(200 * (start_s + 1.8)))
        turned = np.ptp(perform(stage).channels[at, 17 if task.lead is Side.RIGHT else 25])
        assert np.radians(10) < turned


def test_hands_rest_anywhere_and_are_idle_there(cohort: tuple[Subject, ...]) -> None:
    """Held up without a support, on the other arm, at a straight elbow: nothing is in the hand, so it is idle."""
    lengths: dict[str, list[float]] = {name: [] for name in ANYWHERE}
    for seed, name in itertools.product(range(5), ANYWHERE):
        stage, setting = stage_in(cohort[11 * seed], seed)
        if setting.stance not in ("sitting", "standing"):
            continue
        body = stage.body
        shoulder = shoulder_at(body, stage.recline, Side.RIGHT) * np.array([1.0, 1.0, 0.0])
        homes = {side: HOME_KINDS[name](side, stage.rng, body, shoulder, setting.height) for side in Side}
        stage.take_place(setting.unrest, homes, setting.farthest_lean)
        for side in Side:
            stage.touch(side, stage.rest_place(side) + np.array([0.1, 0.15, 0.0]), homes[side].grip)
            stage.come_home(side)
            stage.stay(side, 3.0)
            assert stage.hands[side].supported == (name not in IN_THE_AIR_HOMES)
        assert reference_of(stage)[-1].label == "idle"
        hand = stage.hands[Side.RIGHT]
        line = hand.posture[:3] - shoulder_at(body, hand.trunk + stage.recline, Side.RIGHT)
        lengths[name].append(float(np.linalg.norm(line)) / body.arm)
    assert min(lengths["straight"]) > 0.8
    assert np.median(lengths["hovering"]) < 0.8


def test_hanging_arms_go_along_with_the_trunk_and_hands_on_the_table_stay(cohort: tuple[Subject, ...]) -> None:
    subject = cohort[55]
    for name, follows in (("hanging", True), ("table", False)):
        rng = np.random.default_rng(3)
        setting = next(each for _ in range(99) if (each := draw_setting(rng, subject.body)).stance == "standing")
        shoulder = np.array([0.0, subject.body.shoulder_height, 0.0])
        homes = {side: HOME_KINDS[name](side, rng, subject.body, shoulder, 0.1) for side in Side}
        stage = OpenScene(subject.body, subject.arms, subject.habits, setting.layout, rng, homes=homes, settled_s=0.0)
        stage.take_place(Unrest(0.0, np.zeros(9), 0.0, 0.0), homes, 0.8)
        for side in Side:
            stage.drop_home(side, "other")
            stage.stay(side, 2.0)
        path = np.zeros((800, 13))
        path[:, 6] = -0.3 * np.sin(np.linspace(0.0, np.pi, 800)) ** 2
        start = stage.now
        stage.trace(None, path)
        stage.finish()
        channels = perform(stage).channels
        before, middle = (channels[int(200 * at), 13:16] for at in (start, start + 2.0))
        moved = shoulder_at(subject.body, path[400, 4:13], Side.RIGHT) - shoulder_at(
            subject.body, np.zeros(9), Side.RIGHT
        )
        assert np.linalg.norm(moved) > 0.1
        assert middle - before == pytest.approx(moved if follows else np.zeros(3), abs=0.03)


def test_bodies_sway_and_do_not_shake(cohort: tuple[Subject, ...]) -> None:
    """The hips of people who rest go slowly to and fro: sensors on the trunk measure little but gravity."""
    for seed in range(6):
        stage, setting = stage_in(cohort[9 * seed], seed)
        for side in Side:
            stage.stay(side, 40.0)
        stage.finish()
        hips = perform(stage).channels[:, :3]
        acceleration = np.diff(hips, 2, axis=0) * 200.0**2
        assert np.abs(hips).max() < 4.5 * max(setting.unrest.sway_m, 1e-6)
        assert acceleration.std(axis=0).max() < 18.0 * setting.unrest.sway_m + 1e-3  # (rad/s)2 of 0.7 Hz


def test_all_stances_are_drawn(cohort: tuple[Subject, ...]) -> None:
    found = [draw_setting(np.random.default_rng(seed), cohort[seed % 71].body) for seed in range(60)]
    assert {setting.stance for setting in found} == set(STANCES)
    assert all(setting.surfaces and 1 <= len(setting.things) <= 6 for setting in found)
    assert min(setting.height for setting in found) < 0.0 < 0.25 < max(setting.height for setting in found)

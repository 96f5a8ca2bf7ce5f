"""Recordings of exercises that are made up: a drawn setting, drawn tasks, and what is not exercise in between.

    simulate_made_up(subject, number)    calibration, three to six tasks in one setting or two, as sensors record them

Beside the nine activities, which are always the same ones, these differ from recording to recording. The same subject,
number and seed give the same bytes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rehabcount.domain.rig import Side
from rehabcount.simulate.cohort import Subject
from rehabcount.simulate.drawn_tasks import draw_task
from rehabcount.simulate.elsewhere import elsewhere, fitting
from rehabcount.simulate.grammar import HandStep, Task, Verb, check, rounds_of
from rehabcount.simulate.motion import perform
from rehabcount.simulate.moves import SET_DOWN, Landing, NamedSpan
from rehabcount.simulate.prelude import calibrate
from rehabcount.simulate.recording import Recording, record
from rehabcount.simulate.setting import STANDING, Setting, draw_setting, settle
from rehabcount.simulate.stage import OpenScene, Unrest

TASKS = (3, 6)
LONGEST_S = 260.0  # no further task begins after this
LONGEST_TASK_S = 75.0  # no further round begins after this
TRAINED = 0.8  # share of the tasks that the trained arm leads
WITHOUT_EXERCISE = 0.55  # chance of something else between two tasks
QUICKEST = 0.55  # tempo of a task times the person's own pace, at least
LONG_M = 0.4  # ways longer than this are the slower for it: a whole arm's length is not crossed in half a second
OPENING_S = 0.2  # from letting go to a quick reach
EARLIEST_S = -0.28  # how long before its end a movement may turn into the next
# Habits of a recording (rad), on top of the person's own. Some people work with the elbow as high as the hand.
SWIVELS, WINGED, WINGED_SHARE = (-0.15, 0.85), (0.8, 1.5), 0.3
PRONATIONS, LEVELS = (-0.6, 0.4), 0.65  # a palm stays about level: it turns back by that share of the elbow's way up
THUMB_UP, THUMB_UP_SHARE = (-1.5, -0.4), 0.45  # recorded workers and cooks hold the thumb up as often as the palm down


def simulate_made_up(
    subject: Subject, number: int, seed: int = 0, *, side: Side | None = None, rig: str = "nine"
) -> Recording:
    """One recording, three to five minutes long."""
    side = side or subject.side
    stage = stage_made_up(subject, number, seed, side)
    name = f"{subject.name}_made-up_{side.value}_{number}"
    return record(name, subject, side, "made up", perform(stage), stage.rng, seed, rig)


def stage_made_up(subject: Subject, number: int, seed: int = 0, side: Side | None = None) -> OpenScene:
    """The same, played but not yet turned into motion."""
    if number < 1:
        raise ValueError(f"number counts from 1, not {number}")
    side = side or subject.side
    rng = np.random.default_rng([seed, 8, subject.number, number, int(side is Side.LEFT)])
    swivel = float(rng.uniform(*(WINGED if rng.random() < WINGED_SHARE else SWIVELS)))
    turned = float(rng.uniform(*(THUMB_UP if rng.random() < THUMB_UP_SHARE else PRONATIONS)))
    habits = replace(
        subject.habits,
        swivel=subject.habits.swivel + swivel,
        pronation=subject.habits.pronation + turned - LEVELS * max(swivel, 0.0),
    )
    setting = draw_setting(rng, subject.body)
    stage = OpenScene(subject.body, subject.arms, habits, setting.layout, rng, homes=setting.homes)
    upright = Unrest(0.0, np.zeros(9), setting.unrest.sway_m, setting.unrest.sway_rad)
    stage.take_place(upright, setting.homes, setting.farthest_lean)
    calibrate(stage, side)
    stage.settled_s = stage.now
    settle(stage, setting)
    count = int(rng.integers(TASKS[0], TASKS[1] + 1))
    moves_at = int(rng.integers(1, count)) if rng.random() < 0.5 else count
    for each in range(count):
        if stage.now > LONGEST_S:
            break
        if each == moves_at:
            setting = draw_setting(rng, subject.body)
            settle(stage, setting)
        exercise(stage, setting, side, each + 1)
        _between(stage, setting)
    stage.finish()
    return stage


def exercise(stage: OpenScene, setting: Setting, trained: Side, number: int) -> Task:
    """Draw a task and do it, round by round; each round is a span of its name."""
    rng = stage.rng
    lead = trained if rng.random() < TRAINED else trained.other
    stage.main = lead
    task = draw_task(stage, setting, lead)
    stage.tempo = max(task.pace.tempo, QUICKEST * max(1.0, _longest(stage, task) / LONG_M) / stage.habits.pace)
    holding = dict.fromkeys(Side, False)
    begun, start = stage.now, stage.hands[lead].at
    rounds = list(rounds_of(task, rng))
    for at, steps in enumerate(rounds):
        late = stage.now - begun > LONGEST_TASK_S
        if late and at < len(rounds) - 1:
            continue
        holding = check(steps, holding)
        for step in steps:
            do(stage, step)
        if at < len(rounds) - 1:
            _feet(stage, setting, lead)
        end = stage.now
        stage.stretches.append(NamedSpan("activity", f"{task.name} {number}", start, end))
        start = end
    stage.sync()
    return task


def _longest(stage: OpenScene, task: Task) -> float:
    """About the longest way of a task (m)."""
    places = [stage.rest_place(task.lead), *task.sources, *task.targets, *(p for use in task.uses for p in use.places)]
    if task.hovers is not None:
        places.append(task.hovers)
    return max(float(np.linalg.norm(place - each)) for place in places for each in places)


def do(stage: OpenScene, step: HandStep) -> None:
    """One step of one hand."""
    side, place = step.side, step.place
    if step.together:
        stage.sync()
    match step.verb:
        case Verb.HOLD if step.tilt_rad:
            stage.tilt(side, step.tilt_rad, step.seconds if step.seconds > 0.05 else max(step.seconds, EARLIEST_S))
        case Verb.WAIT | Verb.HOLD:
            _pause(stage, side, step.seconds)
        case Verb.RETURN:
            stage.come_home(side, quick=step.quick)
        case Verb.LET_GO:
            stage.let_go(side)
        case _:
            assert place is not None
            _go(stage, step, place)


def _go(stage: OpenScene, step: HandStep, place: np.ndarray) -> None:
    side = step.side
    match step.verb:
        case Verb.TAKE:
            # The hand opens first: a short quick reach would end before it is seen to be empty.
            opened = max((at for where, at in stage.releases if where is side), default=-OPENING_S)
            opened += OPENING_S if step.quick > 1.0 else 0.25 * OPENING_S
            stage.stay(side, max(0.0, opened - stage.hands[side].at))
            stage.reach(
                side, place, step.grip, lift_m=step.lift_m, load_kg=step.kg, contact=step.contact, quick=step.quick
            )
        case Verb.TOUCH:
            stage.touch(side, place, step.grip, contact=step.contact, quick=step.quick)
        case Verb.ASIDE:
            stage.aside(side, place, step.grip, quick=step.quick)
        case Verb.CARRY | Verb.PUT:
            puts = step.verb is Verb.PUT
            landing = SET_DOWN if puts else Landing(step.contact, step.contact > 0)
            if step.stops:
                stage.carry_with_stops(side, place, step.grip, step.stops, landing, step.quick)
            else:
                stage.carry(side, place, step.grip, lift_m=step.lift_m, landing=landing, quick=step.quick)
            if puts:
                stage.let_go(side)
        case _:
            raise AssertionError(step.verb)


def _pause(stage: OpenScene, side: Side, seconds: float) -> None:
    """Wait; or, with less than nothing, let the next movement begin while the last one fades."""
    if seconds > 0.05:
        stage.wait(side, seconds)
        return
    last = next((move for move in reversed(stage.moves) if move.side is side), None)
    earliest = stage.hands[side].at if last is None else max(last.start_s + 0.3, last.end_s + EARLIEST_S)
    stage.hands[side].at = max(stage.hands[side].at + seconds, min(earliest, stage.hands[side].at))


def _feet(stage: OpenScene, setting: Setting, lead: Side) -> None:
    """Standing people shift their feet now and then."""
    rng = stage.rng
    if setting.stance == STANDING and rng.random() < setting.steps_a_minute * 4.0 / 60.0:
        way = rng.normal(0.0, 1.0, 3) * np.array([0.10, 0.15, 0.15])
        stage.step(stage.hands[lead].at + float(rng.uniform(-0.5, 1.0)), way)


def _between(stage: OpenScene, setting: Setting) -> None:
    """Idle, and often something that is not exercise."""
    rng = stage.rng
    for side in Side:
        stage.wait(side, float(rng.choice([0.5, rng.uniform(1.0, 8.0)])))
    stage.sync()
    while rng.random() < WITHOUT_EXERCISE:
        elsewhere(stage, str(rng.choice(fitting(setting.stance))), setting.stance)
        for side in Side:
            stage.wait(side, float(rng.uniform(0.3, 3.0)))
        stage.sync()

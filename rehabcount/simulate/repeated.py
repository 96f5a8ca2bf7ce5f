"""Recordings of one made-up task that is repeated: what is shown, and what is to be counted.

    simulate_repeated(subject, task, session)   calibration, then the same task `ROUNDS` times; each round is a span

The same subject and task are the same exercise in every session: the same setting and places, with straps put on anew
and other chances. The same arguments give the same bytes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rehabcount.simulate.cohort import Subject
from rehabcount.simulate.drawn_tasks import draw_task
from rehabcount.simulate.grammar import check, rounds_of
from rehabcount.simulate.made_up import do
from rehabcount.simulate.motion import perform
from rehabcount.simulate.moves import NamedSpan
from rehabcount.simulate.prelude import calibrate
from rehabcount.simulate.recording import Recording, record
from rehabcount.simulate.setting import draw_setting, settle
from rehabcount.simulate.stage import OpenScene, Unrest

ROUNDS = 15
REST_S = (2.0, 6.0)  # before and after


def simulate_repeated(subject: Subject, task: int, session: int, seed: int = 0, rig: str = "nine") -> Recording:
    """One session of one task."""
    stage = stage_repeated(subject, task, session, seed)
    name = f"{subject.name}_repeated_{task}_{session}"
    return record(name, subject, subject.side, "made up", perform(stage), stage.rng, seed, rig)


def stage_repeated(subject: Subject, task: int, session: int, seed: int = 0) -> OpenScene:
    """The same, played but not yet turned into motion."""
    rng = np.random.default_rng([seed, 9, subject.number, task])
    setting = draw_setting(rng, subject.body)
    stage = OpenScene(subject.body, subject.arms, subject.habits, setting.layout, rng, homes=setting.homes)
    upright = Unrest(0.0, np.zeros(9), setting.unrest.sway_m, setting.unrest.sway_rad)
    stage.take_place(upright, setting.homes, setting.farthest_lean)
    calibrate(stage, subject.side)
    stage.settled_s = stage.now
    settle(stage, setting)
    stage.main = subject.side
    drawn = replace(draw_task(stage, setting, subject.side), rounds=ROUNDS)
    stage.rng = np.random.default_rng([seed, 10, subject.number, task, session])
    stage.tempo = drawn.pace.tempo
    stage.wait(subject.side, float(stage.rng.uniform(*REST_S)))
    stage.sync()
    holding = dict.fromkeys((subject.side, subject.side.other), False)
    start = stage.now
    for steps in rounds_of(drawn, stage.rng):
        holding = check(steps, holding)
        for step in steps:
            do(stage, step)
        stage.stretches.append(NamedSpan("activity", drawn.name, start, stage.now))
        start = stage.now
    stage.wait(subject.side, float(stage.rng.uniform(*REST_S)))
    stage.sync()
    stage.finish()
    return stage

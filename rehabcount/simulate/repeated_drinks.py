"""A simulated person who drinks several times with one hand, after a calibration: one exercise, repeated.

In: a subject and a number. Out: a Recording whose stretches of kind `repetition` are the drinks, from rest to rest.
"""

from __future__ import annotations

import numpy as np

from rehabcount.domain.rig import Side
from rehabcount.simulate.cohort import TRAINING, Subject, draw_subject
from rehabcount.simulate.motion import perform
from rehabcount.simulate.prelude import calibrate
from rehabcount.simulate.recording import EVERYDAY_TEMPO, Recording, record
from rehabcount.simulate.scene import Scene
from rehabcount.simulate.tabletop import single_drink

REPETITION = "repetition"
KIND = 17  # of random numbers: apart from those of other recordings


def simulate_drinks(subject: Subject, number: int, seed: int = 0, *, rig: str = "five") -> Recording:
    """That many drinks of the subject's affected (or dominant) arm."""
    rng = np.random.default_rng([seed, KIND, subject.number, number])
    scene = Scene(subject.body, subject.arms, subject.habits, subject.layout, rng, tempo=EVERYDAY_TEMPO)
    calibrate(scene, subject.side)
    scene.main = subject.side
    for drink in range(1, number + 1):
        start = scene.now
        single_drink(scene, subject.side)
        scene.sync()
        scene.mark(REPETITION, f"drink {drink}", start)
    name = f"{subject.name}_drinks_{number}"
    return record(name, subject, subject.side, "drinks", perform(scene), rng, seed, rig)


def patient(score: int, number: int, seed: int = 0) -> Subject:
    """A patient of this Fugl-Meyer score (0 to 66) who is not of the cohort."""
    rng = np.random.default_rng([seed, KIND, 0, number, score])
    side, sex = (Side.LEFT, Side.RIGHT)[number % 2], "FM"[number % 2]
    return draw_subject(number, "train", TRAINING, score, side, sex, int(rng.integers(45, 75)), rng)

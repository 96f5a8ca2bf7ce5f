"""Can a primitive be guessed from anything that a real recording would not have?

Each probe gets one kind of information and nothing else, and has to name the primitive of every segment of people and
trials it was not trained on. Chance is the share of the commonest primitive. Noise and identity must stay at chance;
time and pause length are reported, because some of what they tell is real (trials begin at rest; pauses precede
reaches).

    sensor noise       spread, mean and extremes of what the device added to the true signal of the hand sensor
    sensor identity    kind of device, its biases and its clock
    subject identity   who it is (trained on other repetitions of the same people)
    absolute time      seconds since the start of the trial, and of it the share
    pause before       length of the stillness just before the segment
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rehabcount.bench.classifier import Classifier, boosted_trees
from rehabcount.domain.arrays import Floats, Ints
from rehabcount.domain.labels import PRIMITIVES
from rehabcount.domain.rig import Place
from rehabcount.simulate.activities import ACTIVITIES
from rehabcount.simulate.body import move_body
from rehabcount.simulate.cohort import Subject, draw_device, make_cohort
from rehabcount.simulate.imu import sense, strapped
from rehabcount.simulate.motion import perform
from rehabcount.simulate.recording import script_trial
from rehabcount.simulate.statistics import merged

STILL = ("idle", "stabilize")


@dataclass(frozen=True, slots=True)
class Probe:
    """How often one probe was right, and what guessing the commonest primitive would have given."""

    name: str
    accuracy: float
    chance: float
    forbidden: bool  # must not beat chance by more than two points

    @property
    def gain(self) -> float:
        return self.accuracy - self.chance


@dataclass(frozen=True, slots=True)
class _Case:
    """One segment, as the probes see it."""

    label: int
    subject: int
    repetition: int
    noise: Floats
    sensor: Floats
    time: Floats
    pause: Floats


def probe_shortcuts(
    subjects: int = 12, activities: tuple[str, ...] = tuple(ACTIVITIES), repetitions: int = 3, seed: int = 0
) -> list[Probe]:
    """All probes on some subjects of the cohort, spread over its groups."""
    cohort = make_cohort(seed)
    chosen = [cohort[i] for i in np.linspace(0, len(cohort) - 1, subjects).astype(int)]
    cases = [
        case
        for subject in chosen
        for activity in activities
        for repetition in range(1, repetitions + 1)
        for case in _cases(subject, activity, repetition, seed)
    ]
    people = np.array([case.subject for case in cases])
    rounds = np.array([case.repetition for case in cases])
    names: list[tuple[str, Callable[[_Case], Floats], Ints, bool]] = [
        ("sensor noise", lambda case: case.noise, people, True),
        ("sensor identity", lambda case: case.sensor, rounds, True),
        ("subject identity", lambda case: np.array([float(case.subject)]), rounds, True),
        ("absolute time", lambda case: case.time, people, False),
        ("pause before", lambda case: case.pause, people, False),
    ]
    labels = np.array([case.label for case in cases])
    return [
        Probe(name, *_cross_validate(np.array([read(case) for case in cases]), labels, folds), forbidden)
        for name, read, folds, forbidden in names
    ]


def _cases(subject: Subject, activity: str, repetition: int, seed: int) -> list[_Case]:
    motion = perform(script_trial(subject, activity, repetition, seed))
    pose = move_body(subject.body, motion.channels)
    place = Place.on(subject.side, "hand")
    rng = np.random.default_rng([seed, 8, subject.number, repetition])
    strap = strapped(subject.body, place, rng, motion.length_s)
    device = draw_device(subject.device, np.random.default_rng([seed, 5, subject.number, 0]))
    silent = replace(
        device, acc_noise=0.0, gyr_noise=0.0, gyr_walk=0.0, acc_bias=(0.0, 0.0, 0.0), gyr_bias=(0.0, 0.0, 0.0)
    )
    noisy, clean = (
        sense(subject.body, pose, strap, each, "hand", np.random.default_rng([seed, 9, subject.number, repetition]))
        for each in (device, silent)
    )
    assert noisy.acc is not None
    assert noisy.gyr is not None
    assert clean.acc is not None
    assert clean.gyr is not None
    residue = np.concatenate([noisy.acc - clean.acc, noisy.gyr - clean.gyr], axis=1)
    sensor = np.array([device.rate_hz, device.clock_ppm, *device.acc_bias, *device.gyr_bias])
    cases = []
    pause = 0.0
    for segment in merged([s for s in motion.segments if s.side is subject.side]):
        start, stop = (int(at * device.rate_hz) for at in (segment.start_s, segment.end_s))
        part = residue[start:stop]
        if len(part) >= 10:
            # As many samples from every segment: the extremes of a long one are larger, and length is no noise.
            part = part[:10]
            noise = np.concatenate([part.std(axis=0), part.mean(axis=0), part.min(axis=0), part.max(axis=0)])
            time = np.array([segment.start_s, segment.start_s / motion.length_s])
            cases.append(
                _Case(
                    PRIMITIVES.index(segment.label), subject.number, repetition, noise, sensor, time, np.array([pause])
                )
            )
        pause = segment.length_s if segment.label in STILL else 0.0
    return cases


def _cross_validate(values: Floats, labels: Ints, folds: Ints) -> tuple[float, float]:
    """Accuracy on left-out folds, and that of always saying the commonest label of the training part."""
    right = guessed = 0
    groups = np.array_split(np.unique(folds), min(4, len(np.unique(folds))))
    for group in groups:
        test = np.isin(folds, group)
        model = _trees().fit(values[~test], labels[~test])
        right += int((model.predict(values[test]) == labels[test]).sum())
        guessed += int((labels[test] == np.bincount(labels[~test]).argmax()).sum())
    return right / len(labels), guessed / len(labels)


def _trees() -> Classifier:
    # Few and small trees: a probe that overfits scores below chance and would hide a shortcut.
    return boosted_trees(max_iter=25, max_leaf_nodes=6, min_samples_leaf=40, random_state=0)

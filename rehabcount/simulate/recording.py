"""Recordings: trials of the cohort and whole sessions, as sensors would have recorded them, with the truth beside.

    simulate_trial(subject, activity, repetition)    one repetition of one activity
    simulate_session(subject, minutes)               calibration, exercise, and at least a third that is not
    script_trial(...), script_session(...)           the script alone: labels without motion, for statistics

The same seed gives the same bytes: every random number comes from a generator seeded with (seed, kind, subject, ...).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Floats, Ints, frozen
from rehabcount.domain.labels import PRODUCT, Vocabulary
from rehabcount.domain.motion import FRAME_RATE_HZ, Samples
from rehabcount.domain.rig import Rig, Side, make_rig
from rehabcount.domain.sequence import Segment
from rehabcount.simulate.activities import ACTIVITIES, EXERCISES, ONE_HANDED
from rehabcount.simulate.body import PARTS, move_body, to_earth
from rehabcount.simulate.cohort import Subject, draw_device
from rehabcount.simulate.impairment import HEALTHY_SCORE
from rehabcount.simulate.imu import Device, Strap, sense, strapped
from rehabcount.simulate.labelling import label
from rehabcount.simulate.motion import Motion, perform
from rehabcount.simulate.movement import MOTION_RATE_HZ
from rehabcount.simulate.moves import NamedSpan
from rehabcount.simulate.other import EPISODES, episode
from rehabcount.simulate.prelude import calibrate
from rehabcount.simulate.scene import Scene

LAYOUT = "generic"  # the packet layout in which a simulated recording is written
EVERYDAY_TEMPO = 0.77  # everyday tasks go faster than a drink in a laboratory: sets the paper's mean primitive duration
EXERCISE_SHARE = 0.60  # of a session, at most; the rest is not exercise
REPETITIONS = 5
SCRIPTS = {**ACTIVITIES, **EXERCISES}


@dataclass(frozen=True, slots=True)
class Truth:
    """The true orientations of all body parts in earth axes and elbow angles, at FRAME_RATE_HZ."""

    orientation: Floats  # (n, len(PARTS), 4); the order is that of body.PARTS
    elbow: dict[Side, Floats]  # flexion, rad
    pronation: dict[Side, Floats]


@dataclass(frozen=True, slots=True)
class Recording:
    """One simulated recording. Times are seconds from its first frame."""

    name: str
    subject: Subject
    side: Side  # the arm that is counted: the affected one, or the trial's arm of a healthy person
    activity: str  # "session" if it holds several
    length_s: float
    rig: Rig
    samples: dict[str, Samples]  # sensor name -> all its samples
    straps: dict[str, Strap]
    devices: dict[str, Device]
    segments: tuple[Segment, ...]  # both arms, in order of time within an arm
    stretches: tuple[NamedSpan, ...]
    truth: Truth

    def of(self, side: Side) -> list[Segment]:
        """The reference of one arm."""
        return [segment for segment in self.segments if segment.side is side]

    def span(self, kind: str, name: str) -> tuple[float, float]:
        """Start and end of a stretch, such as ("calibration", "still")."""
        for stretch in self.stretches:
            if stretch.kind == kind and stretch.name == name:
                return stretch.start_s, stretch.end_s
        raise ValueError(f"recording {self.name!r} has no {kind} {name!r}")


def frame_labels(
    segments: list[Segment], count: int, rate_hz: float = FRAME_RATE_HZ, vocabulary: Vocabulary = PRODUCT
) -> Ints:
    """One arm's label index per frame; -1 without a label."""
    labels = np.full(count, -1, np.int64)
    for segment in segments:
        start, stop = (int(np.ceil(at * rate_hz - 1e-9)) for at in (segment.start_s, segment.end_s))
        labels[start:stop] = vocabulary.index(segment.label)
    return labels


def script_trial(
    subject: Subject, activity: str, repetition: int, seed: int, side: Side | None = None, *, prelude: bool = False
) -> Scene:
    """The scene of one trial, played but not yet turned into motion. A calibration before it changes nothing in it."""
    if activity not in SCRIPTS:
        raise ValueError(f"activity must be one of {', '.join(SCRIPTS)}, not {activity!r}")
    side = side or subject.side
    key = [seed, 3, subject.number, list(SCRIPTS).index(activity), repetition, int(side is Side.LEFT)]
    scene = _scene(subject, np.random.default_rng(key))
    if prelude:
        own, scene.rng = scene.rng, np.random.default_rng([*key, 1])
        calibrate(scene, side)
        scene.rng = own
    _play(scene, subject, activity, side)
    return scene


def reference_of(scene: Scene) -> tuple[Segment, ...]:
    """The labels of a scene, the same that `perform` gives."""
    _, annotators = scene.rng.spawn(2)
    return label(scene, annotators)


def simulate_trial(
    subject: Subject,
    activity: str,
    repetition: int,
    seed: int = 0,
    *,
    side: Side | None = None,
    prelude: bool = True,
    rig: str = "nine",
) -> Recording:
    """One repetition of one activity; with `prelude` after a calibration, as a recording that stands alone needs it."""
    side = side or subject.side
    scene = script_trial(subject, activity, repetition, seed, side, prelude=prelude)
    name = f"{subject.name}_{activity.replace(' ', '-')}_{side.value}_{repetition}"
    return record(name, subject, side, activity, perform(scene), scene.rng, seed, rig)


def simulate_session(
    subject: Subject,
    minutes: float,
    seed: int = 0,
    *,
    number: int = 1,
    rig: str = "nine",
    episodes: Sequence[str] = tuple(EPISODES),
) -> Recording:
    """A whole session. Exercise comes in blocks of repetitions, with everything else (`episodes`) in between."""
    scene = script_session(subject, minutes, seed, number=number, episodes=episodes)
    rng = scene.rng
    return record(f"{subject.name}_session_{number}", subject, subject.side, "session", perform(scene), rng, seed, rig)


def script_session(
    subject: Subject,
    minutes: float,
    seed: int = 0,
    *,
    number: int = 1,
    episodes: Sequence[str] = tuple(EPISODES),
) -> Scene:
    """The scene of a whole session, played but not yet turned into motion."""
    if not 0.5 <= minutes <= 120:
        raise ValueError(f"minutes must lie in 0.5..120, not {minutes}")
    rng = np.random.default_rng([seed, 4, subject.number, number, round(minutes * 60)])
    scene = _scene(subject, rng)
    calibrate(scene, subject.side)
    exercised = other = 0.0
    queue: list[str] = []
    while scene.now < minutes * 60.0:
        if exercised <= EXERCISE_SHARE * (exercised + other):
            if not queue or rng.random() < 0.25:
                queue = [str(rng.choice(list(ACTIVITIES)))] * int(rng.integers(2, 6))
            before = scene.now
            _play(scene, subject, queue.pop(), subject.side)
            exercised += scene.now - before
        else:
            before = scene.now
            episode(scene, str(rng.choice(list(episodes))))
            other += scene.now - before
    return scene


def _scene(subject: Subject, rng: np.random.Generator) -> Scene:
    return Scene(subject.body, subject.arms, subject.habits, subject.layout, rng, tempo=EVERYDAY_TEMPO)


def _play(scene: Scene, subject: Subject, activity: str, side: Side) -> None:
    start = scene.now
    scene.main = leading_arm(subject, activity, side, scene.rng)
    SCRIPTS[activity](scene)
    scene.sync()
    scene.mark("activity", activity, start)


def leading_arm(subject: Subject, activity: str, side: Side, rng: np.random.Generator) -> Side:
    """Which arm does the skilled part: the labelled one where only one works; else the dominant right, unless it is
    weak."""
    if activity in ONE_HANDED or activity in EXERCISES:
        return side
    if subject.healthy:
        return Side.RIGHT if rng.random() < 0.9 else Side.LEFT
    weak = subject.arms[subject.side].score
    # Therapy asks for the affected arm; how often it leads depends on what it can do.
    leads = np.clip(0.15 + 0.65 * weak / HEALTHY_SCORE + (0.1 if subject.side is Side.RIGHT else -0.1), 0.05, 0.9)
    return subject.side if rng.random() < leads else subject.side.other


def record(
    name: str,
    subject: Subject,
    side: Side,
    activity: str,
    motion: Motion,
    rng: np.random.Generator,
    seed: int,
    rig_kind: str,
) -> Recording:
    """Let the subject's sensors record a motion. Straps are put on anew for each recording; devices are the
    subject's."""
    pose = move_body(subject.body, motion.channels)
    rig = make_rig(rig_kind, side, LAYOUT, subject.device.rate_hz)
    samples, straps, devices = {}, {}, {}
    for i, sensor in enumerate(rig.sensors):
        assert sensor.place is not None
        devices[sensor.name] = draw_device(subject.device, np.random.default_rng([seed, 5, subject.number, i]))
        straps[sensor.name] = strapped(subject.body, sensor.place, rng, motion.length_s)
        samples[sensor.name] = sense(subject.body, pose, straps[sensor.name], devices[sensor.name], sensor.name, rng)
    every = round(MOTION_RATE_HZ / FRAME_RATE_HZ)
    orientation = np.stack([to_earth(pose.orientation[part][::every]) for part in PARTS], axis=1)
    truth = Truth(
        frozen(orientation),
        {each: frozen(pose.elbow[each][::every]) for each in Side},
        {each: frozen(pose.pronation[each][::every]) for each in Side},
    )
    return Recording(
        name,
        subject,
        side,
        activity,
        motion.length_s,
        rig,
        samples,
        straps,
        devices,
        motion.segments,
        motion.stretches,
        truth,
    )

"""The cohort: 51 stroke patients and 20 healthy people with bodies, habits, arms and sensors of their own.

Splits, sides, sexes and score ranges are those of StrokeRehab's Table 1. Everything about a subject follows from the
seed and the subject's number. Training subjects are drawn from TRAINING, test and severe subjects from UNSEEN: ranges
of body proportions, furniture, habits and kinds of sensors that training never contains (the intervals interleave, so
a test subject is not extreme, only new).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rehabcount.domain.arrays import Floats
from rehabcount.domain.rig import Side
from rehabcount.simulate.body import Body, make_body
from rehabcount.simulate.impairment import HEALTHY_SCORE, Impairment, draw_impairment
from rehabcount.simulate.imu import Device
from rehabcount.simulate.scene import Furniture, Habits

WIDEST = 0.8  # rad, of `with_wide_postures`
RESTING = (0.72, 1.08)  # how far forward hands rest there, against the others
SEVERE_SCORES = (8, 25)  # Fugl-Meyer, of `with_severe_arm`: below what the training patients have
Intervals = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class DeviceKind:
    """A family of sensors: nominal rate, noise per sample, low-pass, delay."""

    name: str
    rate_hz: float
    acc_noise: float
    gyr_noise: float
    filter_hz: float
    delay_s: float


@dataclass(frozen=True, slots=True)
class CohortSettings:
    """Where the people of one part of the cohort come from."""

    name: str
    arm_ratio: Intervals
    width_ratio: Intervals
    girth: Intervals
    table: Intervals  # height above the hips, as a share of the shoulders' height
    near: Intervals  # working row, m
    variant: Intervals  # preferences of the scripts
    swivel: Intervals
    devices: tuple[DeviceKind, ...]


TRAINING = CohortSettings(
    "training",
    arm_ratio=((0.93, 0.97), (0.99, 1.03)),
    width_ratio=((0.90, 0.97), (1.02, 1.08)),
    girth=((0.85, 1.00), (1.10, 1.25)),
    table=((0.34, 0.39), (0.42, 0.46)),
    near=((0.32, 0.35), (0.37, 0.39)),
    variant=((0.0, 0.20), (0.35, 0.65), (0.80, 1.0)),
    swivel=((-0.12, -0.02), (0.05, 0.18)),
    devices=(
        DeviceKind("A", 100.0, 0.012, 0.0014, 45.0, 0.012),
        DeviceKind("B", 100.0, 0.030, 0.0035, 38.0, 0.025),
        DeviceKind("C", 120.0, 0.020, 0.0020, 50.0, 0.018),
    ),
)
UNSEEN = CohortSettings(
    "unseen",
    arm_ratio=((0.97, 0.99), (1.03, 1.06)),
    width_ratio=((0.97, 1.02), (1.08, 1.11)),
    girth=((1.00, 1.10), (1.25, 1.35)),
    table=((0.39, 0.42), (0.46, 0.48)),
    near=((0.35, 0.37), (0.39, 0.41)),
    variant=((0.20, 0.35), (0.65, 0.80)),
    swivel=((-0.02, 0.05), (0.18, 0.24)),
    devices=(
        DeviceKind("D", 100.0, 0.018, 0.0025, 42.0, 0.020),
        DeviceKind("E", 60.0, 0.025, 0.0016, 25.0, 0.030),
    ),
)


@dataclass(frozen=True, slots=True)
class Subject:
    """One simulated person."""

    name: str
    number: int
    group: str  # "train", "test", "severe", "healthy-train", "healthy-test"
    settings: str
    score: int
    side: Side  # affected; of a healthy person the dominant
    sex: str
    age: int
    body: Body
    arms: dict[Side, Impairment]
    habits: Habits
    layout: Furniture
    device: DeviceKind

    @property
    def healthy(self) -> bool:
        return self.score == HEALTHY_SCORE


@dataclass(frozen=True, slots=True)
class Group:
    """One column of Table 1."""

    name: str
    settings: CohortSettings
    count: int
    scores: tuple[int, int, float]  # lowest, highest, mean
    left: int
    female: int
    ages: tuple[float, float, float]


GROUPS = (
    Group("train", TRAINING, 35, (26, 65, 48.1), 20, 19, (21.2, 82.7, 56.6)),
    Group("test", UNSEEN, 8, (27, 63, 49.4), 4, 4, (42.6, 84.2, 60.8)),
    Group("severe", UNSEEN, 8, (8, 23, 16.0), 4, 5, (41.0, 74.3, 59.7)),
    Group("healthy-train", TRAINING, 16, (66, 66, 66.0), 0, 7, (42.0, 82.9, 62.5)),
    Group("healthy-test", UNSEEN, 4, (66, 66, 66.0), 0, 2, (42.0, 82.9, 62.5)),
)


def make_cohort(seed: int = 0) -> tuple[Subject, ...]:
    """All 71 subjects, S01..S51 (stroke) and H01..H20 (healthy)."""
    subjects = []
    number = 0
    for group in GROUPS:
        rng = np.random.default_rng([seed, 1, GROUPS.index(group)])
        scores = spread_values(*group.scores, group.count)
        ages = spread_values(*group.ages, group.count)
        sides = [Side.LEFT] * group.left + [Side.RIGHT] * (group.count - group.left)
        sexes = ["F"] * group.female + ["M"] * (group.count - group.female)
        order = [rng.permutation(group.count) for _ in range(3)]
        for i in range(group.count):
            number += 1
            subjects.append(
                draw_subject(
                    number,
                    group.name,
                    group.settings,
                    scores[i],
                    sides[order[0][i]],
                    sexes[order[1][i]],
                    ages[order[2][i]],
                    np.random.default_rng([seed, 2, number]),
                )
            )
    return tuple(subjects)


def with_wide_postures(subject: Subject, seed: int) -> Subject:
    """The same person with the elbow farther out, the palm turned in further and the hands resting nearer or farther
    away, by amounts of the person's own.

    Recorded people drink so: their upper arms hang up to 30 degrees farther out than ours (docs/simulated-patient.md),
    and some rest with the elbow beside the trunk.
    """
    rng = np.random.default_rng([seed, 6, subject.number])
    habits, layout = subject.habits, subject.layout
    swivel, pronation = habits.swivel + rng.uniform(0.0, WIDEST), habits.pronation - rng.uniform(0.0, WIDEST)
    rest = layout.rest_forward * rng.uniform(*RESTING)
    return replace(
        subject,
        habits=replace(habits, swivel=float(swivel), pronation=float(pronation)),
        layout=replace(layout, rest_forward=float(rest)),
    )


def with_severe_arm(subject: Subject, seed: int) -> Subject:
    """The same patient with an arm that is severely affected; healthy people stay as they are."""
    if subject.healthy:
        return subject
    rng = np.random.default_rng([seed, 7, subject.number])
    low, high = SEVERE_SCORES
    score = int(rng.integers(low, high, endpoint=True))
    return replace(subject, score=score, arms={**subject.arms, subject.side: draw_impairment(score, rng)})


def spread_values(low: float, high: float, mean: float, count: int) -> list[int]:
    """Whole numbers from `low` to `high` whose mean is `mean`, evenly spread apart from the bend that needs."""
    if high <= low:
        return [round(low)] * count
    share = np.linspace(0.0, 1.0, count)
    bends = np.geomspace(0.2, 5.0, 400)
    means = np.array([(low + (high - low) * share**bend).mean() for bend in bends])
    bend = bends[int(np.argmin(np.abs(means - mean)))]
    return [
        int(np.floor(low + (high - low) * s**bend + 0.5)) if 0 < s < 1 else round(low + (high - low) * s) for s in share
    ]


def draw_subject(
    number: int,
    group: str,
    settings: CohortSettings,
    score: int,
    side: Side,
    sex: str,
    age: int,
    rng: np.random.Generator,
) -> Subject:
    """A person from these settings."""
    stature = float(np.clip(rng.normal(1.63 if sex == "F" else 1.76, 0.065), 1.48, 1.95))
    body = make_body(
        stature, _from(settings.arm_ratio, rng), _from(settings.width_ratio, rng), _from(settings.girth, rng)
    )
    healthy = score == HEALTHY_SCORE
    arms = {side: draw_impairment(score, rng), side.other: draw_impairment(HEALTHY_SCORE, rng)}
    name = f"H{number - 51:02d}" if healthy else f"S{number:02d}"
    return Subject(
        name,
        number,
        group,
        settings.name,
        score,
        side,
        sex,
        age,
        body,
        arms,
        draw_habits(rng, settings, age),
        draw_layout(rng, body, settings),
        settings.devices[int(rng.integers(len(settings.devices)))],
    )


def draw_habits(rng: np.random.Generator, settings: CohortSettings = TRAINING, age: int = 60) -> Habits:
    """How this person does things."""
    return Habits(
        pace=float(np.exp(rng.normal(0.003 * (age - 60), 0.10))),
        haste=float(np.exp(rng.normal(0.0, 0.22))),
        lift_m=float(rng.uniform(0.012, 0.045)),
        contact=float(np.exp(rng.normal(0.0, 0.4))),
        swivel=_from(settings.swivel, rng),
        go_along=(float(rng.normal(-0.035, 0.035)), float(rng.normal(-0.03, 0.05)), float(rng.normal(0.008, 0.035))),
        variants=tuple(_from(settings.variant, rng) for _ in range(8)),
    )


def draw_layout(rng: np.random.Generator, body: Body, settings: CohortSettings = TRAINING) -> Furniture:
    """The furniture this person meets; reachable things move with arm length."""
    reach = body.arm / 0.565
    near = _from(settings.near, rng) * reach
    return Furniture(
        table=_from(settings.table, rng) * body.shoulder_height,
        rest_forward=float(rng.uniform(0.44, 0.52)) * reach,
        rest_outward=float(rng.uniform(0.23, 0.31)) * reach,
        near=near,
        far=near + 0.12 * reach,
        shelf_forward=near + 0.10 * reach,
    )


def _from(intervals: Intervals, rng: np.random.Generator) -> float:
    """Uniform over a union of intervals."""
    widths = np.array([high - low for low, high in intervals])
    low, high = intervals[int(rng.choice(len(intervals), p=widths / widths.sum()))]
    return float(rng.uniform(low, high))


def draw_device(kind: DeviceKind, rng: np.random.Generator) -> Device:
    """One specimen: its bias, scale and clock."""
    return Device(
        rate_hz=kind.rate_hz,
        acc_noise=kind.acc_noise * float(np.exp(rng.normal(0, 0.1))),
        gyr_noise=kind.gyr_noise * float(np.exp(rng.normal(0, 0.1))),
        acc_bias=_triple(rng.normal(0, 0.04, 3)),
        gyr_bias=_triple(rng.normal(0, np.radians(0.35), 3)),
        gyr_walk=float(np.radians(0.004) * np.exp(rng.normal(0, 0.4))),
        scale=(1.0 + float(rng.normal(0, 0.004)), 1.0 + float(rng.normal(0, 0.005))),
        filter_hz=kind.filter_hz,
        delay_s=kind.delay_s,
        clock_ppm=float(rng.normal(0, 25.0)),
    )


def _triple(values: Floats) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])

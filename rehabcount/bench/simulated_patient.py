"""Is the simulated patient like real ones? Averta et al. (2021), U-Limb: drinking with markers, healthy and stroke.

Question: does each measure's simulated median lie within the interquartile range of the real ones, and can a
classifier tell real windows of virtual sensors from simulated ones? Simulation was fitted on healthy 01-09 and stroke
S1-S9; the others are for testing only. The simulated people have the scores of mildly to moderately impaired
patients, like the real ones.

    compare(folder, part)     one Row per measure and group
    classify(folder)          share of held-out windows that a classifier assigns rightly (one half is chance)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rehabcount.bench.classifier import area_under_curve, boosted_trees
from rehabcount.datasets.drinking import FIT_SUBJECTS, Drink, read_drinks
from rehabcount.domain.arrays import Floats
from rehabcount.domain.rig import Side
from rehabcount.simulate.body import move_body
from rehabcount.simulate.cohort import TRAINING, draw_subject
from rehabcount.simulate.motion import perform
from rehabcount.simulate.realism import ArmMotion, as_recorded, imu_windows, markers_of, measure_drink
from rehabcount.simulate.scene import Scene
from rehabcount.simulate.tabletop import single_drink

UNSMOOTHED = ("01",)  # the one subject whose recordings were not smoothed by their authors
# Hand-and-arm parts of 16-19 of 20 belong to patients of about this whole score.
STROKE_SCORES = (50, 62)
DRINKS_EACH = 3
GROUPS = ("healthy", "stroke")


@dataclass(frozen=True, slots=True)
class QuartileRow:
    """Quartiles of one measure in one group."""

    measure: str
    group: str
    real: tuple[float, float, float]
    simulated: tuple[float, float, float]

    @property
    def inside(self) -> bool:
        """The simulated median lies within the real interquartile range."""
        return self.real[0] <= self.simulated[1] <= self.real[2]


def real_drinks(folder: Path, part: str) -> dict[str, list[tuple[str, ArmMotion]]]:
    """Drinks of the "fit" or the "test" subjects by group, as (subject, motion)."""
    if part not in ("fit", "test"):
        raise ValueError(f"part must be fit or test, not {part!r}")
    found: dict[str, list[tuple[str, ArmMotion]]] = {group: [] for group in GROUPS}
    for drink in read_drinks(folder):
        if (drink.subject in FIT_SUBJECTS) == (part == "fit"):
            found[GROUPS[drink.stroke]].append((drink.subject, motion_of(drink)))
    return found


def motion_of(drink: Drink) -> ArmMotion:
    motion = ArmMotion(drink.wrist, drink.place, drink.turn)
    return as_recorded(motion) if drink.subject in UNSMOOTHED else motion


def simulated_drinks(people: int, seed: int = 0) -> dict[str, list[tuple[str, ArmMotion]]]:
    """Drinks of that many simulated people in each group, with markers and smoothing as in the recordings."""
    found: dict[str, list[tuple[str, ArmMotion]]] = {group: [] for group in GROUPS}
    for which, group in enumerate(GROUPS):
        for i in range(people):
            rng = np.random.default_rng([seed, 10, which, i])
            score = int(rng.integers(STROKE_SCORES[0], STROKE_SCORES[1] + 1)) if group == "stroke" else 66
            person = draw_subject(i, group, TRAINING, score, Side.RIGHT, "FM"[i % 2], int(rng.integers(45, 75)), rng)
            for _ in range(DRINKS_EACH):
                scene = Scene(person.body, person.arms, person.habits, person.layout, rng)
                single_drink(scene, Side.RIGHT)
                pose = move_body(person.body, perform(scene).channels)
                found[group].append((f"{group} {i}", as_recorded(markers_of(person.body, pose, Side.RIGHT, rng))))
    return found


def compare(folder: Path, part: str = "fit", people: int = 30, seed: int = 0) -> list[QuartileRow]:
    """Every measure of both groups."""
    real, simulated = real_drinks(folder, part), simulated_drinks(people, seed)
    rows = []
    for group in GROUPS:
        ours, theirs = (
            [measures for _, motion in drinks[group] if (measures := measure_drink(motion)) is not None]
            for drinks in (simulated, real)
        )
        rows += [QuartileRow(name, group, _quartiles(theirs, name), _quartiles(ours, name)) for name in theirs[0]]
    return rows


def _quartiles(drinks: list[dict[str, float]], name: str) -> tuple[float, float, float]:
    low, middle, high = np.nanpercentile([drink[name] for drink in drinks if name in drink], [25, 50, 75])
    return float(low), float(middle), float(high)


@dataclass(frozen=True, slots=True)
class Separation:
    """How often held-out windows were assigned rightly (mean of real and simulated), and what gave them away."""

    accuracy: float
    windows: int
    telling: tuple[tuple[str, float], ...]  # features by how well each alone separates (area under the curve)


def classify(folder: Path, people: int = 5, seed: int = 1, groups: tuple[str, ...] = GROUPS) -> Separation:
    """Trained on the fit subjects and some simulated people, tested on the other real subjects and other simulated
    people."""
    train = _windows(real_drinks(folder, "fit"), simulated_drinks(people, seed), groups)
    test = _windows(real_drinks(folder, "test"), simulated_drinks(people, seed + 1), groups)
    model = boosted_trees(max_iter=100, class_weight="balanced", random_state=0).fit(*train)
    right = model.predict(test[0]) == test[1]
    accuracy = float((right[test[1] == 1].mean() + right[test[1] == 0].mean()) / 2)
    areas = [(name, area_under_curve(train[1], train[0][:, i])) for i, name in enumerate(feature_names())]
    telling = tuple(sorted(areas, key=lambda item: -abs(item[1] - 0.5))[:12])
    return Separation(accuracy, len(test[1]), telling)


def feature_names() -> list[str]:
    """The columns of `imu_windows`."""
    axes = [f"{quantity} {axis}" for quantity in ("force", "rate") for axis in "xyz"]
    return [
        f"{cluster} {axis}: {what}"
        for what in ("mean", "spread", "roughness", "range")
        for cluster in ("thorax", "upper arm", "forearm")
        for axis in axes
    ]


def _windows(
    real: dict[str, list[tuple[str, ArmMotion]]],
    simulated: dict[str, list[tuple[str, ArmMotion]]],
    groups: tuple[str, ...],
) -> tuple[Floats, Floats]:
    parts, truth = [], []
    for is_real, drinks in ((1, real), (0, simulated)):
        for group in groups:
            for _, motion in drinks[group]:
                windows = imu_windows(motion)
                parts.append(windows)
                truth.append(np.full(len(windows), float(is_real)))
    return np.concatenate(parts), np.concatenate(truth)

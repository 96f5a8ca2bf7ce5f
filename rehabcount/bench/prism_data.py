"""What PRISM was measured on: simulated sequences, dancing bees, and surgeons at a robot.

In: the folder that holds `bees/bees.npz` and `jigsaws/*.npz`, if it is there. Out: `ProcedureSet`s: recordings with
the label of each frame, and the sizes and priors of Table 10.

- **Simulated**: the authors drew it once with torch (seed 0). `torch_normal` gives the same numbers without torch.
- **Bees 4** has the paper's input: x, y, cosine and sine of the heading, standardised. Of **bees 1 to 3** there are
  x, y and differences of the heading, each scaled to 0..1 by an unknown range. Summing the differences gives the
  heading, but for its scale and offset: those are chosen so that the bee moves where it heads (no label is used).
  `heading_of` says how; on bees 4, where the truth is known, they come within 1 %.
- **JIGSAWS**: appendix D's 38 columns are not in the re-release, which has 22: position, velocity, a quaternion and
  the gripper of both arms. Rotation matrix and angular velocity are computed from the quaternions, which gives 38
  columns of the same kinds. Then as in appendix D: every third frame, 12 principal components of all demonstrations
  of the task, ten frames stacked, 10 principal components of the chosen demonstrations, standardised. The experts
  are D and E.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from rehabcount.datasets import jigsaws
from rehabcount.domain.arrays import Floats, Ints
from rehabcount.errors import DatasetChanged
from rehabcount.store.npz import open_arrays

STEPS = np.repeat([ord(step) - ord("A") for step in "ABACADAEAFAGAHAAAA"], 2)
SURGERY = {"suturing": 10, "needle_passing": 8, "knot_tying": 6}  # gestures of each task, by the authors' count
EXPERTS = ("S04", "S05")  # D and E of the original naming
KEPT_EVERY, STACKED, FIRST_COMPONENTS, COMPONENTS = 3, 10, 12, 10


@dataclass(frozen=True, slots=True)
class ProcedureSet:
    """Recordings of one procedure, their true labels, and what the paper chose for them."""

    name: str
    recordings: tuple[Floats, ...]
    labels: tuple[Ints, ...]
    states: int
    slots: int
    concentration: float
    hmm_sweeps: int = 1000


def every_set(data: Path | None) -> Iterator[ProcedureSet]:
    """The simulated one, and all that the folder holds."""
    yield simulated()
    if data is None:
        return
    bees = next((each for each in (data / "bees" / "bees.npz", data / "bees.npz") if each.is_file()), None)
    if bees is not None:
        yield from dances(bees)
    surgery = data / "jigsaws" if (data / "jigsaws").is_dir() else data
    for task in SURGERY:
        if (surgery / f"{task}.npz").is_file():
            yield demonstrations(surgery, task, EXPERTS)
    if (surgery / "suturing.npz").is_file():
        yield demonstrations(surgery, "suturing", EXPERTS[1:])


def simulated() -> ProcedureSet:
    """Ten sequences of A B A C A D ..., two frames a step, around (0, 0), (1, 1), ... with deviations of .35."""
    words = np.random.RandomState(0)
    recordings = []
    for _ in range(10):
        noise = torch_normal(words, 2 * len(STEPS)).reshape(-1, 2)
        recordings.append((noise * np.float32(0.35) + STEPS[:, None].astype(np.float32)).astype(np.float64))
    return ProcedureSet("simulated", tuple(recordings), (STEPS,) * 10, states=8, slots=25, concentration=0.1)


def torch_normal(words: np.random.RandomState, number: int) -> Floats:
    """Standard normal numbers as torch draws them on a processor: Box and Muller's method on sixteen 24-bit numbers at
    once, from the same Mersenne twister; the last sixteen are drawn anew if `number` is no multiple of sixteen."""

    def uniform(count: int) -> Floats:
        bits = words.randint(0, 2**32, size=count, dtype=np.uint64) & 0xFFFFFF
        return (bits / 2**24).astype(np.float32)

    def sixteen(u: Floats) -> Floats:
        radius, angle = np.sqrt(-2 * np.log(1 - u[:8])), np.float32(2 * np.pi) * u[8:]
        return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])

    drawn = uniform(number)
    for first in range(0, number - 15, 16):
        drawn[first : first + 16] = sixteen(drawn[first : first + 16])
    if number % 16:
        drawn[-16:] = sixteen(uniform(16))
    return drawn


def dances(path: Path) -> Iterator[ProcedureSet]:
    """Each sequence by itself."""
    try:
        with open_arrays(path) as held:
            for number in itertools.count(1):
                if f"labels_{number}" not in held:
                    return
                labels = held.need(f"labels_{number}")
                if f"x_y_sin_cos_zscored_{number}" in held:
                    values = held.need(f"x_y_sin_cos_zscored_{number}")
                else:
                    values = dance_values(held.need(f"xy_dtheta_minmax_{number}"))
                    labels = labels[1:]  # the first frame has no difference
                if values.shape != (len(labels), 4):
                    raise ValueError(f"sequence {number} has values of shape {values.shape}, {len(labels)} labels")
                states = np.unique(labels, return_inverse=True)[1].astype(np.int64)
                yield ProcedureSet(f"bees {number}", (values,), (states,), 3, 200, 1.0, hmm_sweeps=2000)
    except (OSError, ValueError, IndexError) as problem:
        raise DatasetChanged(f"{path.name} is not as expected: {problem}.") from problem


def dance_values(scaled: Floats) -> Floats:
    """x, y, cosine and sine of the heading, standardised, from x, y and scaled differences of the heading."""
    heading = heading_of(scaled)
    values = np.column_stack([scaled[:, :2], np.cos(heading), np.sin(heading)])
    return (values - values.mean(axis=0)) / values.std(axis=0)


def heading_of(scaled: Floats) -> Floats:
    """The heading of each frame but for a constant, by the scale and the offset that agree best with the movement.

    Agreement of a window: the mean over its frames of the direction of movement less the heading, as a unit vector, in
    length; steps count by their length, at most the median one. Short windows, in which an offset does little harm, are
    tried on a grid; from its best places longer and longer windows are used, at last the whole sequence. The aspect of
    x and y, whose scales are unknown too, is found along.
    """
    difference = scaled[:, 2]

    def agreement(chosen: Floats, window: int) -> float:
        steps = np.diff(scaled[:, :2] * [1.0, chosen[2]], axis=0) @ np.array([1, 1j])
        length = np.abs(steps)
        weight = np.minimum(length, np.median(length))
        heading = np.concatenate([[0.0], np.cumsum(chosen[0] * (difference[1:] - chosen[1]))])
        turned = steps / np.maximum(length, 1e-9) * weight * np.exp(-0.5j * (heading[:-1] + heading[1:]))
        used = len(turned) // window * window
        sums: Floats = np.abs(turned[:used].reshape(-1, window).sum(axis=1))
        return float(sums.sum() / weight[:used].sum())

    def less(chosen: Floats, window: int) -> float:
        return -agreement(chosen, window)

    shortest = min(40, len(scaled) - 1)
    middle = float(np.median(difference))
    grid = [
        np.array([sign * scale, middle + offset, 1.0])
        for sign in (1, -1)
        for scale in np.linspace(0.6, 3.0, 49)
        for offset in np.linspace(-0.06, 0.06, 49)
    ]
    best = sorted(grid, key=lambda chosen: -agreement(chosen, shortest))[:5]
    found = []
    for at in best:
        chosen = at
        for window in (shortest, *(w for w in (80, 160, 320) if w < len(scaled) - 1), len(scaled) - 1):
            reach = np.diag([0.03 * chosen[0], 0.3 / window / abs(chosen[0]), 0.05])
            simplex = chosen + np.vstack([np.zeros(3), reach])
            options: Any = {"initial_simplex": simplex, "xatol": 1e-7, "fatol": 1e-8}
            chosen = minimize(less, chosen, args=(window,), method="Nelder-Mead", options=options).x
        found.append((agreement(chosen, len(scaled) - 1), *chosen[:2]))
    _, scale, offset = max(found)
    heading: Floats = np.concatenate([[0.0], np.cumsum(scale * (difference[1:] - offset))])
    return heading


def demonstrations(folder: Path, task: str, surgeons: tuple[str, ...]) -> ProcedureSet:
    """Of the chosen surgeons; the first components are those of all."""
    trials = jigsaws.read_task(folder, task).trials
    values = [robot_columns(trial.values)[::KEPT_EVERY] for trial in trials]
    values = _components(values, values, FIRST_COMPONENTS)
    chosen = [i for i, trial in enumerate(trials) if trial.surgeon in surgeons]
    if not chosen:
        raise DatasetChanged(f"{task} holds no demonstration of {', '.join(surgeons)}.")
    stacked = []
    for i in chosen:
        frames = len(values[i]) - STACKED
        stacked.append(np.hstack([values[i][first : first + frames] for first in range(STACKED)]))
    stacked = _components(stacked, stacked, COMPONENTS)
    together = np.concatenate(stacked)
    mean, spread = together.mean(axis=0), together.std(axis=0)
    names = sorted({label for trial in trials for label in trial.gesture})
    labels = [np.array([names.index(label) for label in trials[i].gesture])[::KEPT_EVERY] for i in chosen]
    name = task.replace("_", " ") + (", one expert" if len(surgeons) == 1 else "")
    return ProcedureSet(
        name,
        tuple((each - mean) / spread for each in stacked),
        tuple(each[STACKED - 1 : -1].astype(np.int64) for each in labels),
        SURGERY[task],
        25,
        0.1,
    )


def robot_columns(values: Floats) -> Floats:
    """38 columns from 22: of each arm position, rotation matrix, velocity, angular velocity, gripper."""
    arms = []
    for arm in (values[:, :11], values[:, 11:]):
        turned = Rotation.from_quat(arm[:, 6:10])
        turns = (turned[1:] * turned[:-1].inv()).as_rotvec() * jigsaws.RATE_HZ
        rates = np.concatenate([turns, turns[-1:]])
        arms.append(np.column_stack([arm[:, :3], turned.as_matrix().reshape(-1, 9), arm[:, 3:6], rates, arm[:, 10]]))
    return np.concatenate(arms, axis=1)


def _components(tables: list[Floats], of: list[Floats], number: int) -> list[Floats]:
    """The first principal components of `of` in each table."""
    together = np.concatenate(of)
    middle = together.mean(axis=0)
    _, _, axes = np.linalg.svd(together - middle, full_matrices=False)
    return [(table - middle) @ axes[:number].T for table in tables]

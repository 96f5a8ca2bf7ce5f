"""The intervention of GAIN: training trials reassembled from steps, so that no step can be told from its neighbours.

In: a TrainingSet. Out: the same set with further training trials. Every labelled step of every training trial (from one
onset to the next) is one item of a pool. A new trial draws as many steps as one of the originals has, times a factor,
each with the same chance and with replacement. So the frequency of a step is that of the training set, whatever stands
beside it (Monte Carlo form of the back-door adjustment, P(z) in place of P(z | s)). Labels and onsets are those of the
drawn steps, unchanged. The paper's steps last 12 s, our primitives one: with `run` a few that followed each other are
drawn together.

Joins: features of a body cannot leap. Around a join the step that ends goes on as it did in its own trial, and the
next one is shown as it came about in its own; over FADE_S the one is faded into the other. Two directions of gravity
are blended to the length that they had. A value is valid there if it is valid in both. Labels are not blended: they
change at the middle of the join. 0.2 s is a quarter of the shortest usual movement and about the time in which an arm
can change its direction; a shorter fade is a jerk that no arm makes, a longer one would show most of a short step
under a wrong label.

Trials are made one by one and written into a folder that is read through memory maps, so that sets of many hours do
not lie in memory; without a folder they are kept in memory.

    reassembled(data, intervention, folder)   the new trials alone

Reference: Li et al., GAIN: On the Generalization of Instructional Action Understanding, ICLR 2023, section 3, Table 6.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rehabcount.domain.document import to_document
from rehabcount.errors import DatasetError, DatasetMissing
from rehabcount.models.data import UNKNOWN, Labels, Mask, Rows, Sensors, TrainingSet, Trial, read_set, write_trials

FADE_S = 0.2
PERSON = "reassembled"  # who moves in a trial of several people's steps
SLACK = 1.2  # the new trials are at most so much longer than planned: a few draws of long steps must not fill a disk


@dataclass(frozen=True, slots=True)
class Intervention:
    """How many trials are made anew, from which steps, and how they are joined."""

    videos: float = 1.0  # new trials for each original one
    steps: float = 1.0  # steps of a new trial, against those of an original one
    fade_s: float = FADE_S
    within_person: bool = False  # a new trial has the steps of one person only: sensors sit differently on others
    seed: int = 7
    run: int = 1  # steps that are drawn together, as they followed each other

    def __post_init__(self) -> None:
        if self.videos <= 0 or self.steps <= 0 or self.run < 1 or self.fade_s < 0:
            raise ValueError("videos, steps and run must be positive, fade_s not negative")


@dataclass(frozen=True, slots=True)
class Pool:
    """Every labelled step of the training trials, in order of trials and time."""

    trials: tuple[Trial, ...]
    trial: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    label: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.trial)


def pool_of(trials: Sequence[Trial]) -> Pool:
    """The steps: stretches of one label from an onset to the next; unlabelled stretches are none."""
    found = []
    for number, trial in enumerate(trials):
        labels = np.asarray(trial.labels)
        begins = np.array(trial.onsets, bool)
        begins[1:] |= labels[1:] != labels[:-1]
        begins[:1] = True
        starts = np.flatnonzero(begins)
        ends = np.append(starts[1:], len(labels))
        known = labels[starts] != UNKNOWN
        found += [(number, s, e, labels[s]) for s, e in zip(starts[known], ends[known], strict=True)]
    table = np.array(found, np.int64).reshape(-1, 4)
    return Pool(tuple(trials), *(table[:, i] for i in range(4)))


def missing_steps(data: TrainingSet, splits: Sequence[str] = ("valid", "test")) -> list[str]:
    """Labels that occur in these splits and not in training."""
    there: dict[str, set[int]] = {}
    for split in ("train", *splits):
        seen: set[int] = set()
        for trial in data.of(split):
            seen |= set(np.unique(trial.labels).tolist())
        there[split] = seen - {UNKNOWN}
    lacking = set().union(*(there[split] for split in splits)) - there["train"]
    return [data.labels[label] for label in sorted(lacking)]


def draws(pool: Pool, intervention: Intervention) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Of each new trial: an original trial whose length (and person) it takes, and the numbers of its steps."""
    rng = np.random.default_rng([intervention.seed, 8])
    counts = np.bincount(pool.trial, minlength=len(pool.trials))
    originals = np.flatnonzero(counts)
    people = [trial.subject for trial in pool.trials]
    of_person = {
        person: np.flatnonzero(np.isin(pool.trial, [i for i, each in enumerate(people) if each == person]))
        for person in (dict.fromkeys(people) if intervention.within_person else ())
    }
    for _ in range(max(1, round(intervention.videos * len(originals)))):
        model = int(rng.choice(originals))
        number = max(1, round(intervention.steps * int(counts[model])))
        some = of_person[people[model]] if intervention.within_person else None
        drawn = rng.integers(len(pool) if some is None else len(some), size=-(-number // intervention.run))
        begun = drawn if some is None else some[drawn]
        yield model, _with_followers(pool, begun, counts, intervention.run)[:number]


def _with_followers(pool: Pool, begun: NDArray[np.int64], counts: NDArray[np.int64], run: int) -> NDArray[np.int64]:
    """Each step and those after it in its trial. A trial's last step is followed by its first one: so every step is
    drawn equally often."""
    trial = pool.trial[begun]
    first = np.searchsorted(pool.trial, trial)
    offsets = (begun - first)[:, None] + np.arange(run)
    return np.asarray(first[:, None] + offsets % counts[trial][:, None]).ravel()


def new_trials(data: TrainingSet, intervention: Intervention) -> Iterator[Trial]:
    """The new trials one by one; they end early if they become much longer than the originals."""
    lacking = missing_steps(data)
    if lacking:
        raise DatasetError(
            f"{data.name}: {', '.join(lacking)} occurs in validation or test but not in training.",
            advice="Train on people who do these steps, too, or leave them out of the others.",
        )
    pool = pool_of(data.of("train"))
    if not len(pool):
        raise DatasetMissing(f"{data.name} has no labelled steps to train on.", advice="Give a set that has.")
    most = SLACK * intervention.videos * intervention.steps * sum(map(len, pool.trials))
    fade = round(intervention.fade_s * data.rate_hz)
    frames = 0
    for number, (model, chosen) in enumerate(draws(pool, intervention), start=1):
        made = _assemble(pool, chosen, fade, data.sensors)
        frames += len(made[0])
        if frames > most and number > 1:
            return
        person = pool.trials[model].subject if intervention.within_person else PERSON
        yield Trial(f"reassembled {number}", person, "train", *made)


def reassembled(data: TrainingSet, intervention: Intervention, folder: Path | None = None) -> tuple[Trial, ...]:
    """The new trials. With a folder they are kept there and read through memory maps; those found there that were made
    from the same data in the same way are taken."""
    if folder is None:
        return tuple(new_trials(data, intervention))
    stamp = json.dumps({"from": data.sha256, "intervention": to_document(intervention)}, sort_keys=True)
    written = folder / "made.json"
    if not (written.is_file() and written.read_text(encoding="utf-8") == stamp):
        written.unlink(missing_ok=True)
        head = replace(data, name=f"{data.name}, reassembled", trials=())
        write_trials(folder, head, new_trials(data, intervention))
        written.write_text(stamp, encoding="utf-8")
    return read_set(folder).trials


def _assemble(pool: Pool, chosen: NDArray[np.int64], fade: int, sensors: Sensors) -> tuple[Rows, Mask, Labels, Mask]:
    """The chosen steps one after the other, joined."""
    lengths = (pool.end - pool.start)[chosen]
    borders = np.concatenate([[0], np.cumsum(lengths)])
    width = pool.trials[0].rows.shape[1]
    rows, valid = np.empty((borders[-1], width), np.float32), np.empty((borders[-1], width), bool)
    labels, onsets = np.empty(borders[-1], np.int16), np.zeros(borders[-1], bool)
    for step, at in zip(chosen, borders, strict=False):
        trial, part = pool.trials[pool.trial[step]], slice(pool.start[step], pool.end[step])
        here = slice(at, at + part.stop - part.start)
        rows[here], valid[here] = trial.rows[part], trial.valid[part]
        labels[here], onsets[at] = pool.label[step], True
    for (one, two), at in zip(itertools.pairwise(chosen), borders[1:], strict=False):
        if (pool.trial[one], pool.end[one]) == (pool.trial[two], pool.start[two]):
            continue  # they followed each other anyway
        half = min(fade // 2, int(pool.end[one] - pool.start[one]) // 2, int(pool.end[two] - pool.start[two]) // 2)
        if half:
            window = slice(at - half, at + half)
            rows[window], valid[window] = _joined(pool, int(one), int(two), half, sensors)
    return rows, valid, labels, onsets


def _joined(pool: Pool, one: int, two: int, half: int, sensors: Sensors) -> tuple[Rows, Mask]:
    """`2 half` frames in which the end of one step becomes the beginning of another."""
    before, after = pool.trials[pool.trial[one]], pool.trials[pool.trial[two]]
    # Past the end of a trial its last frame stays, and its first one before its beginning.
    ending = np.clip(np.arange(-half, half) + pool.end[one], 0, len(before) - 1)
    beginning = np.clip(np.arange(-half, half) + pool.start[two], 0, len(after) - 1)
    old, new = before.rows[ending], after.rows[beginning]
    valid = before.valid[ending] & after.valid[beginning]
    share = ((np.arange(2 * half, dtype=np.float32) + 0.5) / (2 * half))[:, None]
    blend = (1 - share) * old + share * new
    if sensors.inertial:
        for vectors in sensors.vectors:
            up = list(vectors[-1])
            wanted = (1 - share) * _length(old[:, up]) + share * _length(new[:, up])
            blend[:, up] *= wanted / np.maximum(_length(blend[:, up]), 1e-6)
    return np.where(valid, blend, np.float32(0)).astype(np.float32), valid


def _length(vectors: Rows) -> Rows:
    return np.asarray(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)

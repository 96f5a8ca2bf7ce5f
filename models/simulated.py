"""The simulated cohort and whole sessions as a training set, through the product's own signal chain.

Each recording is simulated, aligned, oriented, calibrated from its own prelude and described by a recipe, exactly as
a bedside recording would be; the prelude itself is cut off. Subjects are split as in StrokeRehab: the training
patients with some of them held out for validation, the test patients, and (under names of their own) the severe and
the healthy.

    trials(plan)        one Trial after the other, nothing kept in memory
    write(folder, plan) the whole set, in several processes, with a progress callback

`write` makes a part for each subject and then joins the parts in the cohort's order. So the set does not depend on the
number of processes, and an interrupted run continues after the finished parts.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import rehabcount
from rehabcount.domain.document import to_document
from rehabcount.domain.labels import OTHER, PRIMITIVES, PRODUCT, Vocabulary
from rehabcount.domain.motion import FRAME_RATE_HZ
from rehabcount.domain.rig import Side, make_rig
from rehabcount.models.data import Sensors, TrainingSet, Trial, onsets_of, read_set, write_trials
from rehabcount.signals.features import BEDSIDE, BEDSIDE_PARTS, RECIPES, featurize_all, normalize_trial
from rehabcount.simulate.accuracy import body_frames
from rehabcount.simulate.cohort import Subject, make_cohort, with_severe_arm, with_wide_postures
from rehabcount.simulate.labelling import annotated
from rehabcount.simulate.made_up import simulate_made_up
from rehabcount.simulate.other import EPISODES, LIKE_EXERCISE
from rehabcount.simulate.recording import Recording, frame_labels, simulate_session, simulate_trial
from rehabcount.simulate.statistics import trials_of

VALID_EVERY = 7  # each seventh training subject validates: five of 35 patients
SPLIT_OF = {"train": "train", "healthy-train": "train", "test": "test", "severe": "test", "healthy-test": "test"}


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    """What to simulate. `repetitions` of every activity, then `sessions` a training or test subject."""

    recipe: str = BEDSIDE.name
    groups: tuple[str, ...] = ("train", "healthy-train", "test", "severe", "healthy-test")
    repetitions: int = 5
    sessions: int = 0
    session_minutes: float = 15.0
    seed: int = 0
    every: int = 1  # simulate only one in so many groups of seven subjects; a small set still has all splits
    activities: tuple[str, ...] = ()  # only these; empty: all nine
    drinks: int = 0  # trials a subject of an exercise that StrokeRehab does not have
    wide: bool = False  # people who hold their elbows farther out
    weak: bool = False  # patients whose arms are severely affected
    busy: bool = False  # time without exercise in the sessions has movements that look most like exercise
    held_out: int = 0  # repetitions of validation and test people; 0: as many as of the training people
    made_up: int = 0  # recordings a subject of exercises that are drawn, not of the nine

    def repetitions_of(self, split: str) -> int:
        return self.held_out if self.held_out and split != "train" else self.repetitions

    @property
    def vocabulary(self) -> Vocabulary:
        """The labels: with `other` for the product, the five primitives for the paper's bench."""
        return PRODUCT if self.recipe == BEDSIDE.name else PRIMITIVES


def head(plan: SimulationPlan) -> TrainingSet:
    """The set without its trials."""
    bedside = plan.recipe == BEDSIDE.name
    return TrainingSet(
        f"simulated cohort, recipe {plan.recipe}, seed {plan.seed}"
        + (", elbows out" if plan.wide else "")
        + (f", {plan.drinks} drinking exercises each" if plan.drinks else "")
        + (", severe arms" if plan.weak else "")
        + (", busy between exercises" if plan.busy else "")
        + (f", {plan.made_up} recordings of made-up exercises each" if plan.made_up else ""),
        plan.vocabulary.names,
        (OTHER.name,) if bedside else (),
        FRAME_RATE_HZ,
        RECIPES[plan.recipe].names,
        (),
        bedside_sensors() if bedside else Sensors(),
        recipe=plan.recipe,
        normalisation="none",
        evidence="simulated",
    )


def write(
    folder: Path,
    plan: SimulationPlan,
    jobs: int = 1,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Simulate the plan into a folder that `models.data.read_set` reads; `jobs` processes share the subjects."""
    parts = folder / "parts"
    stamp = {"plan": to_document(plan), "simulator": simulator_sha256()}
    _start_parts(parts, stamp)
    todo = assigned(plan)
    total, done = count(plan), 0
    missing = []
    for subject, split in todo:
        if (parts / subject.name).is_dir():
            done += count_of(subject, split, plan)
        else:
            missing.append((subject, split))
    on_progress(done, total)
    if jobs == 1 or len(missing) < 2:
        for subject, split in missing:
            done += _write_part(parts, plan, subject, split)
            on_progress(done, total)
    else:
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            running = [pool.submit(_write_part, parts, plan, subject, split) for subject, split in missing]
            try:
                for each in as_completed(running):
                    done += each.result()
                    on_progress(done, total)
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise
    every = (trial for subject, _ in todo for trial in read_set(parts / subject.name).trials)
    write_trials(folder, head(plan), every)
    shutil.rmtree(parts)


def _start_parts(parts: Path, stamp: dict[str, object]) -> None:
    """Parts of another plan or of another simulator are of no use."""
    written = parts / "plan.json"
    text = json.dumps(stamp, sort_keys=True)
    if parts.is_dir() and not (written.is_file() and written.read_text(encoding="utf-8") == text):
        shutil.rmtree(parts)
    parts.mkdir(parents=True, exist_ok=True)
    written.write_text(text, encoding="utf-8")


def _write_part(parts: Path, plan: SimulationPlan, subject: Subject, split: str) -> int:
    """One subject's trials; the folder takes its name when it is whole. Gives how many there are."""
    partial = parts / f"{subject.name}.partial"
    write_trials(partial, head(plan), subject_trials(plan, subject, split))
    partial.replace(parts / subject.name)
    return count_of(subject, split, plan)


def simulator_sha256() -> str:
    """The hash of the source files that determine a recording."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for package in ("simulate", "signals"):
        for source in sorted((Path(rehabcount.__file__).parent / package).glob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()


def assigned(plan: SimulationPlan) -> list[tuple[Subject, str]]:
    """The plan's subjects, each with its split."""
    seen: dict[str, int] = {}
    found = []
    for subject in make_cohort(plan.seed):
        if subject.group in plan.groups:
            number = seen[subject.group] = seen.get(subject.group, 0) + 1
            split = SPLIT_OF[subject.group]
            if split == "train" and number % VALID_EVERY == 0:
                split = "valid"
            if (number - 1) // VALID_EVERY % plan.every == 0:
                found.append((_changed(subject, plan), split))
    return found


def _changed(subject: Subject, plan: SimulationPlan) -> Subject:
    """The subject as the plan wants its people."""
    if plan.weak:
        subject = with_severe_arm(subject, plan.seed)
    return with_wide_postures(subject, plan.seed) if plan.wide else subject


def count(plan: SimulationPlan) -> int:
    """How many trials the plan gives."""
    return sum(count_of(subject, split, plan) for subject, split in assigned(plan))


def count_of(subject: Subject, split: str, plan: SimulationPlan) -> int:
    return len(rounds_of(subject, plan)) * plan.repetitions_of(split) + plan.drinks + plan.sessions + plan.made_up


def rounds_of(subject: Subject, plan: SimulationPlan) -> list[tuple[str, Side]]:
    """Activities and arms of one round."""
    every = trials_of(subject)
    return [(activity, side) for activity, side in every if not plan.activities or activity in plan.activities]


def trials(plan: SimulationPlan) -> Iterator[Trial]:
    """All recordings of the plan as trials."""
    for subject, split in assigned(plan):
        yield from subject_trials(plan, subject, split)


def subject_trials(plan: SimulationPlan, subject: Subject, split: str) -> Iterator[Trial]:
    """One subject's activities, then drinks, then the whole sessions, then made-up exercises."""
    for activity, side in rounds_of(subject, plan):
        for repetition in range(1, plan.repetitions_of(split) + 1):
            yield trial_of(simulate_trial(subject, activity, repetition, plan.seed, side=side), plan, split)
    for repetition in range(1, plan.drinks + 1):
        yield trial_of(simulate_trial(subject, "drinks", repetition, plan.seed), plan, split)
    episodes = LIKE_EXERCISE if plan.busy else tuple(EPISODES)
    for session in range(1, plan.sessions + 1):
        recording = simulate_session(subject, plan.session_minutes, plan.seed, number=session, episodes=episodes)
        yield trial_of(recording, plan, split)
    for number in range(1, plan.made_up + 1):
        yield trial_of(simulate_made_up(subject, number, plan.seed), plan, split)


def trial_of(recording: Recording, plan: SimulationPlan, split: str) -> Trial:
    """One recording, described; what comes before the end of its calibration is cut off."""
    frames, calibration = body_frames(recording)
    rows = featurize_all(frames, recording.rig, RECIPES[plan.recipe], recording.side, calibration)
    start = round(recording.span("calibration", "done")[1] * FRAME_RATE_HZ)
    segments = recording.of(recording.side)
    if plan.recipe != BEDSIDE.name:
        # The paper normalises each trial, so the calibration must not take part in it.
        valid = rows.valid[start:]
        values = normalize_trial(rows.values[start:], valid, kept=1)  # the last column is the side
    else:
        values, valid = rows.values[start:], rows.valid[start:]
    labels = frame_labels(segments, start + len(values), vocabulary=PRODUCT)[start:].astype(np.int16)
    labels[labels >= len(plan.vocabulary)] = -1
    if plan.recipe == BEDSIDE.name:
        onsets = np.zeros(len(values), bool)
        at = np.array([np.ceil(segment.start_s * FRAME_RATE_HZ - 1e-9) for segment in segments], int) - start
        onsets[at[(at >= 0) & (at < len(values))]] = True
    else:
        # The paper's labels are annotators', mistakes included, and per frame: two transports in a row are one there.
        labels = annotated(labels, np.random.default_rng([plan.seed, 9, *recording.name.encode()]))
        onsets = onsets_of(labels)
    return Trial(
        f"{recording.subject.group}/{recording.name}",
        recording.subject.name,
        split,
        values.astype(np.float32),
        np.asarray(valid),
        labels,
        onsets,
    )


def bedside_sensors() -> Sensors:
    """Which columns of recipe `bedside` each body part's sensor carries, for augmentation."""
    columns: list[tuple[int, ...]] = []
    vectors: list[tuple[tuple[int, int, int], ...]] = []
    for number, part in enumerate(BEDSIDE_PARTS):
        first = 9 * number
        vectors.append(tuple((first + 3 * i, first + 3 * i + 1, first + 3 * i + 2) for i in range(3)))
        columns.append((*range(first, first + 9), *(BEDSIDE.index(name) for name in _ANGLES_OF.get(part, ()))))
    # The rig of three also with the wrist instead of the hand: people wear it there, like a watch.
    at_wrist = tuple(BEDSIDE_PARTS.index(part) for part in ("forearm", "upper-arm", "thorax"))
    rigs = (_rig("five"), _rig("three"), at_wrist, _rig("one"))
    return Sensors(BEDSIDE_PARTS, tuple(columns), tuple(vectors), rigs, inertial=True)


_ANGLES_OF = {
    "forearm": ("elbow flexion", "forearm pronation", "forearm inclination"),
    "upper-arm": ("elbow flexion", "forearm pronation", "upper-arm inclination"),
    "thorax": ("trunk lean forward", "trunk lean to this side"),
}


def _rig(kind: str) -> tuple[int, ...]:
    """Body parts, as positions in BEDSIDE_PARTS, that a smaller rig's sensors ride on."""

    side = Side.RIGHT
    parts = []
    for place in make_rig(kind, side, "generic", FRAME_RATE_HZ).places:
        assert place is not None
        prefix = "other-" if place.side is side.other else ""
        parts.append(BEDSIDE_PARTS.index(prefix + place.part.value))
    return tuple(parts)

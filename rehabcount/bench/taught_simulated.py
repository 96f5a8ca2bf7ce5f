"""Simulated people repeat made-up tasks: taught on three repetitions, how well are they counted, and how soon?

Each person makes each task `ROUNDS` times in two sessions. The first three repetitions of the first session show it;
the others of that session, and all of a later session with straps put on anew, are counted. All people and tasks are
simulated; groups are those of severity.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value
from rehabcount.domain.motion import BLOCK_FRAMES, Rows
from rehabcount.domain.taught import TaughtExercise
from rehabcount.engine.taught import RepetitionStage, teach
from rehabcount.errors import InputRefused
from rehabcount.signals.features import BEDSIDE, featurize_all
from rehabcount.simulate.accuracy import body_frames
from rehabcount.simulate.cohort import Subject, make_cohort
from rehabcount.simulate.recording import Recording
from rehabcount.simulate.repeated import simulate_repeated

SHOWN = 3
BEFORE_S = 2.0  # of rest before the first repetition
WORN = "three"
NEAR_SHARE = 0.05
TARGET, LATEST_S, SHARE_OF_A_CORE = 0.90, 0.7, 0.05
GROUPS = {"test": "mild and moderate", "severe": "severe"}
METHOD = 3


@dataclass(frozen=True, slots=True)
class RepeatedCount:
    """One person, one task, one session."""

    group: str
    task: int
    later: bool  # another session than the one that showed it
    clarity: str
    true: int
    counted: int
    delays_s: tuple[float, ...]
    cost: float  # computing time over the length


@dataclass(frozen=True, slots=True)
class RepeatedCounts:
    each: tuple[RepeatedCount, ...] = ()


def run(settings: Mapping[str, Value], context: Context) -> Results:
    """Each person's tasks are a step that is kept."""
    people, tasks = int(settings["people"]), int(settings["tasks"])
    people, tasks = (1, 1) if context.quick else (people, tasks)
    chosen = [each for group in GROUPS for each in _some(group, people)]
    found = list[RepeatedCount]()
    for number, subject in enumerate(chosen, 1):
        key = f"taught simulated {METHOD} {subject.name} {tasks}"
        found += context.step(RepeatedCounts, key, lambda subject=subject: count_subject(subject, tasks)).each  # type: ignore[misc]
        context.on_progress(subject.name, number, len(chosen))
    return summary(found)


def _some(group: str, people: int) -> list[Subject]:
    mine = [each for each in make_cohort(0) if each.group == group]
    return mine[: max(1, people // len(GROUPS))]


def count_subject(subject: Subject, tasks: int) -> RepeatedCounts:
    counts = list[RepeatedCount]()
    for task in range(tasks):
        first, later = (simulate_repeated(subject, task, session, rig=WORN) for session in (1, 2))
        rows, others = _rows(first), _without_calibration(_rows(later), rounds_in(later))
        spans = rounds_in(first)
        begin, end = (round(at_s * 100) for at_s in (spans[0][0], spans[SHOWN - 1][1]))
        shown = Rows(begin, rows.time_s[begin:end], rows.values[begin:end], rows.valid[begin:end])
        rest = Rows(end, rows.time_s[end:], rows.values[end:], rows.valid[end:])
        group = GROUPS[subject.group]
        try:
            taught = teach(shown, SHOWN, name=f"task {task}", side=subject.side)
        except InputRefused:  # slower than an exercise may be: nothing is counted
            number = len(spans)
            counts.append(RepeatedCount(group, task, False, "refused", number - SHOWN, 0, (), 0.0))
            counts.append(RepeatedCount(group, task, True, "refused", number, 0, (), 0.0))
            continue
        counts.append(counted(taught, rest, spans[SHOWN:], (group, task, False)))
        counts.append(counted(taught, others, rounds_in(later), (group, task, True)))
    return RepeatedCounts(tuple(counts))


def rounds_in(recording: Recording) -> list[tuple[float, float]]:
    """The repetitions, in order."""
    return [(each.start_s, each.end_s) for each in recording.stretches if each.kind == "activity"]


def _without_calibration(rows: Rows, spans: Sequence[tuple[float, float]]) -> Rows:
    """From a moment before the first repetition: the movements of the calibration are not counted in a session."""
    begin = max(0, round((spans[0][0] - BEFORE_S) * 100))
    return Rows(begin, rows.time_s[begin:], rows.values[begin:], rows.valid[begin:])


def _rows(recording: Recording) -> Rows:
    frames, calibration = body_frames(recording)
    return featurize_all(frames, recording.rig, BEDSIDE, recording.side, calibration)


def counted(
    taught: TaughtExercise, rows: Rows, spans: Sequence[tuple[float, float]], which: tuple[str, int, bool]
) -> RepeatedCount:
    """In blocks, as they come live; each repetition is dated by the block that said it."""
    stage, delays, number = RepetitionStage([taught]), list[float](), 0
    ends = np.array([end_s for _, end_s in spans])
    begun = time.process_time()
    for at in range(0, len(rows), BLOCK_FRAMES):
        part = slice(at, at + BLOCK_FRAMES)
        over = stage.push(Rows(rows.index + at, rows.time_s[part], rows.values[part], rows.valid[part]))
        for each in over:
            number += 1
            nearest_s = float(ends[np.abs(ends - each.end_s).argmin()])
            delays.append(round(float(rows.time_s[part][-1]) - nearest_s, 3))
    number += len(stage.finish())
    cost = (time.process_time() - begun) / max(len(rows) / 100, 1e-9)
    return RepeatedCount(*which, taught.clarity.value, len(spans), number, tuple(delays), cost)


def near(each: RepeatedCount) -> bool:
    return abs(each.counted - each.true) <= max(1.0, NEAR_SHARE * each.true)


def summary(found: Sequence[RepeatedCount]) -> Results:
    claims, figures = list[Claim](), dict[str, FigureValue]()
    for group in GROUPS.values():
        for later, session in ((False, "same session"), (True, "later session")):
            mine = [each for each in found if each.group == group and each.later is later]
            if not mine:
                continue
            share = float(np.mean([near(each) for each in mine]))
            off = float(np.mean([abs(each.counted - each.true) for each in mine]))
            note = f"{len(mine)} recordings, simulated; mean error {off:.2f}; bound {TARGET}"
            match = share >= TARGET if group == GROUPS["test"] else None
            claims.append(
                Claim(f"simulated, {group}, {session}", "within one or 5 %", None, round(share, 3), match, note)
            )
            clear = [each for each in mine if each.clarity == "clear"]
            if clear:
                figures[f"{group}, {session}: within one or 5 % where the verdict is clear"] = (
                    f"{float(np.mean([near(each) for each in clear])):.3f} of {len(clear)}"
                )
    delays = [delay for each in found for delay in each.delays_s if abs(delay) < 5.0]
    if delays:
        late = float(np.percentile(delays, 95))
        claims.append(
            Claim("simulated", "delay, 95 %, s", None, round(late, 2), late <= LATEST_S, f"{len(delays)} repetitions")
        )
    cost = 2 * float(np.mean([each.cost for each in found]))
    claims.append(
        Claim(
            "simulated",
            "share of a core, both arms",
            None,
            round(cost, 4),
            cost <= SHARE_OF_A_CORE,
            "one exercise each",
        )
    )
    for task in sorted({each.task for each in found}):
        mine = [each for each in found if each.task == task and each.group == GROUPS["test"]]
        figures[f"task {task}, mild and moderate"] = ", ".join(f"{each.counted} of {each.true}" for each in mine)
    return Results(tuple(claims), figures)


EXPERIMENT = Experiment(
    "repetitions",
    "How well, and how soon, are made-up tasks of simulated people counted after three repetitions?",
    "ours",
    "nothing",
    "half an hour",
    run,
    {"people": 10, "tasks": 20},
)

"""Whole sessions: how far the counts of single sessions agree with the truth.

Simulated people whom nothing was chosen on (48 of the test groups of seeds 301 and after: 32 stroke patients with a
Fugl-Meyer score of 26 or more, 8 severely affected, 8 healthy) train for twenty minutes each. `rehabcount simulate`
writes each session as a file and `rehabcount count` counts it, in processes of their own, as a clinic would. A counted
session is a finished step, and its file is removed unless `keep` is set.

Compared are task repetitions and each primitive of the counted arm, session by session: bias, mean absolute error, ICC,
limits of agreement and the Bland-Altman picture, by severity and in all; and the same of the rule that counts every run
of handling with a transport. The truth are the simulator's labels, counted by the same definition. With `card` the
share of sessions within a few repetitions is written for the model's card.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rehabcount.bench.experiment import Claim, Context, Experiment, FigureValue, Results, Value, write_json
from rehabcount.bench.sessions_page import write_page
from rehabcount.bench.sessions_tables import (
    ALL,
    BOUNDS,
    EVERY_RUN,
    REPETITIONS,
    SEVERE,
    STROKE,
    SessionCount,
    agreement_of,
    agreements,
    measures_of,
)
from rehabcount.domain.document import to_document
from rehabcount.domain.dose import Plan
from rehabcount.domain.labels import IDLE, PRIMITIVES
from rehabcount.domain.update import Believing, Event
from rehabcount.engine.summarise import context_of, counting_that_holds, dose_of
from rehabcount.errors import RehabcountError
from rehabcount.inference.addendum import belief_of
from rehabcount.inference.artifact import SHIPPED, Artifact, find
from rehabcount.models.believing import drawn
from rehabcount.models.simulated import simulator_sha256
from rehabcount.simulate.cohort import Subject
from rehabcount.store.documents import PLAN
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of

GROUP_OF = {"test": STROKE, "severe": SEVERE, "healthy-test": "healthy"}
SHARES = (("severe", 6), ("healthy-test", 6))  # one session in six each; the rest are the other patients'
QUICK_MINUTES = 2.0


def run(settings: Mapping[str, Value], context: Context) -> Results:
    artifact = find(str(settings["model"]), [SHIPPED])
    minutes = QUICK_MINUTES if context.quick else float(settings["minutes"])
    number = 3 if context.quick else int(settings["sessions"])
    people = list(drawn(int(settings["seed"]), groups(number)))
    kept = context.out / "sessions" if settings["keep"] and context.out is not None else None
    counted = list[SessionCount]()
    for done, (subject, seed) in enumerate(people):
        context.on_progress("sessions", done, len(people))
        task = SessionTask(artifact.folder, subject, seed, minutes, kept)
        counted.append(context.step(SessionCount, _key(artifact, task), task.done))
    context.on_progress("sessions", len(people), len(people))
    name = f"{artifact.card.name} {artifact.card.version}"
    seeds = sorted({seed for _, seed in people})
    what = f"{len(people)} simulated sessions of {minutes:g} min, seeds {seeds[0]} to {seeds[-1]}"
    if settings["card"]:
        write_json(Path(str(settings["card"])), to_document(agreement_of(counted, what)))
    if context.out is not None:
        write_page(context.out, name, what, counted)
    return Results(claims_of(counted), figures_of(name, counted))


def groups(number: int) -> tuple[tuple[str, int], ...]:
    """How many sessions of each group."""
    others = [(group, max(1, number // share)) for group, share in SHARES] if number > 2 else []
    return (("test", max(1, number - sum(each for _, each in others))), *others)


@dataclass(frozen=True, slots=True)
class SessionTask:
    """One session to be made and counted."""

    model: Path  # the artifact's folder
    subject: Subject
    seed: int  # of the subject's cohort and of the session
    minutes: float
    kept: Path | None  # where its file stays; None: it is removed

    def done(self) -> SessionCount:
        """Write the session's file, count it, and read what was counted."""
        subject, seed, before_s = self.subject, str(self.seed), _children_s()
        with _folder(self.kept, seed) as folder:
            told = ["--subjects", subject.name, "--sessions", "1", "--minutes", f"{self.minutes:g}", "--seed", seed]
            made = _said("simulate", "--out", str(folder), *told)["recordings"]
            path = folder / made[0]["file"]
            simulated_s = _children_s() - before_s
            found = _said("count", str(path), "--model", str(self.model), "--jobs", "1")["sessions"][0]
            spent_s = _children_s() - before_s
            every_run = _every_run(path)
        return SessionCount(
            f"{subject.name}@{seed}",
            GROUP_OF[subject.group],
            subject.score,
            found["minutes"],
            {**_numbers(found["dose"], found["side"]), EVERY_RUN: every_run},
            _numbers(found["truth"], found["side"]),
            round(simulated_s, 2),
            round(spent_s - simulated_s, 2),
        )


def _key(artifact: Artifact, task: SessionTask) -> str:
    """All that decides a session and its count, but the code of the walk."""
    belief = belief_of(artifact.card)
    how = to_document(belief) if belief is not None else None
    return json.dumps([artifact.sha256, how, simulator_sha256(), task.subject.name, task.seed, task.minutes])


@contextmanager
def _folder(kept: Path | None, seed: str) -> Iterator[Path]:
    if kept is not None:
        (kept / seed).mkdir(parents=True, exist_ok=True)
        yield kept / seed
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _said(*command: str) -> dict[str, Any]:
    """What a command of the bedside says as JSON."""
    line = [sys.executable, "-m", "rehabcount", *command, "--json"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RehabcountError(
            f"rehabcount {command[0]} ended with {done.returncode}: {done.stderr.strip()[-300:]}",
            advice="Run it by itself to see why.",
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _numbers(dose: Mapping[str, Any], side: str) -> dict[str, int]:
    """Task repetitions and primitives of the counted arm."""
    mine = {count["label"]: int(count["number"]) for count in dose["counts"] if count["side"] == side}
    names = [name for name in PRIMITIVES.names if name != IDLE.name]
    return {REPETITIONS: int(dose["repetitions"]), **{name: mine.get(name, 0) for name in names}}


def _every_run(path: Path) -> int:
    """Task repetitions of the same events if every run of handling with a transport counted."""
    with SessionFile.open(path) as file:
        number = counting_that_holds(file)
        updates = [*file.updates(None), *file.updates(number)]
        side, plan = side_of(file, number), file.document(PLAN)
    context = [each for each in context_of(updates) if not isinstance(each, Believing)]
    events = [update for update in updates if isinstance(update, Event)]
    return dose_of(events, context, plan or Plan(), side).repetitions


def claims_of(counted: Sequence[SessionCount]) -> tuple[Claim, ...]:
    """The bounds, for the stroke patients and for everybody."""
    found = list[Claim]()
    for group in (STROKE, ALL):
        result = measures_of(counted, group, REPETITIONS)
        if result is None:
            continue
        for name, (limit, direction, value) in BOUNDS.items():
            ours = value(result)
            met = ours >= limit if direction == "at least" else ours <= limit
            found.append(Claim(group, f"task repetitions, {name}", limit, round(ours, 4), met, direction))
    return tuple(found)


def figures_of(model: str, counted: Sequence[SessionCount]) -> dict[str, FigureValue]:
    figures: dict[str, FigureValue] = {"model": model, "sessions": len(counted)}
    for row in agreements(counted):
        where = f"{row.group}, {row.what}"
        figures[f"{where}: counted"], figures[f"{where}: true"] = row.counted, row.true
        figures[f"{where}: bias"] = round(row.result.bias, 3)
        figures[f"{where}: MAPE"] = round(row.result.mape, 2)
        icc = row.result.icc
        figures[f"{where}: ICC(A,1)"] = round(icc.value, 4)
        figures[f"{where}: ICC(A,1), low"], figures[f"{where}: ICC(A,1), high"] = round(icc.low, 4), round(icc.high, 4)
        figures[f"{where}: limits, low"] = round(row.result.lower_limit - 1, 4)
        figures[f"{where}: limits, high"] = round(row.result.upper_limit - 1, 4)
    for group in agreement_of(counted, "").groups:
        figures[f"{group.group}: sessions within {group.off} repetitions"] = group.within
    figures["CPU min, simulating"] = round(sum(each.simulating_s for each in counted) / 60, 1)
    figures["CPU min, counting"] = round(sum(each.counting_s for each in counted) / 60, 1)
    return figures


EXPERIMENT = Experiment(
    "sessions",
    "What is the count of a single session worth?",
    "ours",
    "no data; a model",
    "half an hour",
    run,
    {"model": "stream", "sessions": 48, "minutes": 20.0, "seed": 301, "keep": False, "card": ""},
)

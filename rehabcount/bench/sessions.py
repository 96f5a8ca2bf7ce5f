"""Whole sessions: how far the counts of single sessions agree with the truth.

Simulated people whom nothing was chosen on (48 of the test groups of seeds 301 and after: 32 stroke patients with a
Fugl-Meyer score of 26 or more, 8 severely affected, 8 healthy) train for twenty minutes each. `rehabcount simulate`
writes each session as a file and `rehabcount count` counts it, in processes of their own, as a clinic would. A counted
session is a finished step, and its file is removed unless `keep` is set. The step keeps the events. Task repetitions
follow from them, so that a model whose belief was settled anew need not recognise sixteen hours again; `count` and the
events must give the same number when the step is made. A session that `count` refuses, because its calibration would
have to be repeated, is named and left out. With `files=no` the same sessions are recognised from their rows in one
process, without a file and without the other arm: four times as fast, with the calibration that training uses.

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
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rehabcount.bench import experiment
from rehabcount.bench.experiment import Claim, Experiment, FigureValue, Results, Value, write_json
from rehabcount.bench.sessions_page import write_page
from rehabcount.bench.sessions_tables import (
    ALL,
    BOUNDS,
    EVERY_RUN,
    REPETITIONS,
    SessionCount,
    agreement_of,
    agreements,
    measures_of,
)
from rehabcount.domain.belief import Belief
from rehabcount.domain.corrected import CERTAIN
from rehabcount.domain.document import to_document
from rehabcount.domain.dose import Plan
from rehabcount.domain.labels import IDLE, PRIMITIVES
from rehabcount.domain.rig import Side
from rehabcount.domain.session_agreement import HEALTHY, SEVERE, STROKE
from rehabcount.domain.update import Believing, Context, Event, Phase, SensorSet
from rehabcount.engine.summarise import counting_that_holds, dose_of, phases_of
from rehabcount.errors import RehabcountError
from rehabcount.inference.addendum import belief_of
from rehabcount.inference.artifact import SHIPPED, Artifact, find, open_model
from rehabcount.models.believing import artifact_events, drawn, practise_one
from rehabcount.models.simulated import simulator_sha256
from rehabcount.simulate.cohort import Subject
from rehabcount.store.session_file import SessionFile

GROUP_OF = {"test": STROKE, "severe": SEVERE, "healthy-test": HEALTHY}
SHARES = (("severe", 6), ("healthy-test", 6))  # one session in six each; the rest are the other patients'
QUICK_MINUTES = 2.0


def run(settings: Mapping[str, Value], context: experiment.Context) -> Results:
    artifact = find(str(settings["model"]), [SHIPPED])
    minutes = QUICK_MINUTES if context.quick else float(settings["minutes"])
    number = 3 if context.quick else int(settings["sessions"])
    people = mixed(drawn(int(settings["seed"]), groups(number)))
    kept = context.out / "sessions" if settings["keep"] and context.out is not None else None
    belief = belief_of(artifact.card)
    counted, refused = list[SessionCount](), list[str]()
    for done, (subject, seed) in enumerate(people):
        context.on_progress("sessions", done, len(people))
        task = SessionTask(artifact, subject, seed, minutes, kept)
        how = task.done if settings["files"] else task.recognised
        file = context.step(CountedFile, task.key, how)
        if file.refused:
            refused.append(f"{file.person} ({file.group}): {file.refused}")
        else:
            counted.append(_counted(file, belief))
    context.on_progress("sessions", len(people), len(people))
    name = f"{artifact.card.name} {artifact.card.version}"
    seeds = sorted({seed for _, seed in people})
    way = "" if settings["files"] else ", recognised without files"
    what = f"{len(people)} simulated sessions of {minutes:g} min, seeds {seeds[0]} to {seeds[-1]}{way}"
    if settings["card"]:
        write_json(Path(str(settings["card"])), to_document(agreement_of(counted, what)))
    if context.out is not None:
        write_page(context.out, f"{name}; {what}", counted, refused)
    return Results(claims_of(counted), {**figures_of(name, counted), "sessions refused": "; ".join(refused) or "none"})


def groups(number: int) -> tuple[tuple[str, int], ...]:
    """How many sessions of each group."""
    others = [(group, max(1, number // share)) for group, share in SHARES] if number > 2 else []
    return (("test", max(1, number - sum(each for _, each in others))), *others)


def mixed(people: Iterable[tuple[Subject, int]]) -> list[tuple[Subject, int]]:
    """In an order in which the groups keep their shares from the beginning on, for a run that ends early."""
    of_group: dict[str, list[tuple[Subject, int]]] = {}
    for each in people:
        of_group.setdefault(each[0].group, []).append(each)
    placed = [((i + 0.5) / len(group), each) for group in of_group.values() for i, each in enumerate(group)]
    return [each for _, each in sorted(placed, key=lambda pair: pair[0])]


@dataclass(frozen=True, slots=True)
class CountedFile:
    """A session file after its counting: the counted arm's events, with what decides which of them count."""

    person: str
    group: str
    score: int  # Fugl-Meyer
    minutes: float
    side: Side
    events: tuple[Event, ...]
    phases: tuple[Phase, ...]
    sensors: tuple[SensorSet, ...]
    said: dict[str, int]  # by `count`
    true: dict[str, int]
    simulating_s: float
    counting_s: float
    refused: str = ""  # why `count` did not count it

    def repetitions(self, belief: Belief | None) -> int:
        """Task repetitions of these events; without a belief every run of handling is one."""
        context: list[Context] = [*self.phases, *self.sensors]
        context += [Believing(belief)] if belief is not None else []
        return dose_of(self.events, context, Plan(), self.side).repetitions


@dataclass(frozen=True, slots=True)
class SessionTask:
    """One session to be made and counted."""

    model: Artifact
    subject: Subject
    seed: int  # of the subject's cohort and of the session
    minutes: float
    kept: Path | None  # where its file stays; None: it is removed

    @property
    def key(self) -> str:
        """All that decides the session and its events, but the code of the walk."""
        return json.dumps([self.model.sha256, simulator_sha256(), self.subject.name, self.seed, self.minutes])

    def done(self) -> CountedFile:
        """Write the session's file, count it, and read what was counted."""
        subject, seed, before_s = self.subject, str(self.seed), _children_s()
        with _folder(self.kept, seed) as folder:
            told = ["--subjects", subject.name, "--sessions", "1", "--minutes", f"{self.minutes:g}", "--seed", seed]
            made = _said("simulate", "--out", str(folder), *told)["recordings"]
            path = folder / made[0]["file"]
            simulated_s = _children_s() - before_s
            said = _said("count", str(path), "--model", str(self.model.folder), "--jobs", "1")
            spent_s = _children_s() - before_s
            with SessionFile.open(path) as file:
                number = counting_that_holds(file)
                updates = [*file.updates(None), *(file.updates(number) if number is not None else ())]
        if not said["sessions"]:
            return self._refused(str(said["failed"][0]["error"]), simulated_s, spent_s - simulated_s)
        found = said["sessions"][0]
        side = Side(found["side"])
        counted = CountedFile(
            f"{subject.name}@{seed}",
            GROUP_OF[subject.group],
            subject.score,
            found["minutes"],
            side,
            tuple(each for each in updates if isinstance(each, Event) and each.segment.side is side),
            tuple(phases_of(updates)),
            tuple(each for each in updates if isinstance(each, SensorSet)),
            _numbers(found["dose"], side),
            _numbers(found["truth"], side),
            round(simulated_s, 2),
            round(spent_s - simulated_s, 2),
        )
        again = counted.repetitions(belief_of(self.model.card))
        if again != counted.said[REPETITIONS]:
            raise AssertionError(f"{path.name}: count says {counted.said[REPETITIONS]}, its events say {again}")
        return counted

    def recognised(self) -> CountedFile:
        """The same session without a file: its rows, read by the recogniser in this process."""
        begun_s = time.process_time()
        practice = practise_one(artifact_events(open_model(self.model.folder)), self.subject, self.seed, self.minutes)
        spent_s = time.process_time() - begun_s
        side, belief = practice.side, belief_of(self.model.card)
        context = [Believing(belief)] if belief is not None else []
        truth = [Event(number, segment, CERTAIN) for number, segment in enumerate(practice.truth, 1)]
        said = dose_of(practice.events, context, Plan(), side)
        return CountedFile(
            practice.person,
            GROUP_OF[practice.group],
            self.subject.score,
            self.minutes,
            side,
            practice.events,
            (),
            (),
            _numbers(to_document(said), side),
            _numbers(to_document(dose_of(truth, [], Plan(), side)), side),
            0.0,
            round(spent_s, 2),
        )

    def _refused(self, why: str, simulated_s: float, counted_s: float) -> CountedFile:
        subject = self.subject
        person, group = f"{subject.name}@{self.seed}", GROUP_OF[subject.group]
        nothing: dict[str, int] = {}
        spent = round(simulated_s, 2), round(counted_s, 2)
        return CountedFile(
            person, group, subject.score, self.minutes, subject.side, (), (), (), nothing, nothing, *spent, why
        )


def _counted(file: CountedFile, belief: Belief | None) -> SessionCount:
    repetitions = {REPETITIONS: file.repetitions(belief), EVERY_RUN: file.repetitions(None)}
    return SessionCount(
        file.person,
        file.group,
        file.score,
        file.minutes,
        {**file.said, **repetitions},
        file.true,
        file.simulating_s,
        file.counting_s,
    )


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
    if not done.stdout:
        raise RehabcountError(
            f"rehabcount {command[0]} ended with {done.returncode}: {done.stderr.strip()[-300:]}",
            advice="Run it by itself to see why.",
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _numbers(dose: Mapping[str, Any], side: Side) -> dict[str, int]:
    """Task repetitions and primitives of the counted arm."""
    mine = {count["label"]: int(count["number"]) for count in dose["counts"] if count["side"] == side.value}
    names = [name for name in PRIMITIVES.names if name != IDLE.name]
    return {REPETITIONS: int(dose["repetitions"]), **{name: mine.get(name, 0) for name in names}}


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
    {"model": "stream", "sessions": 48, "minutes": 20.0, "seed": 301, "keep": False, "card": "", "files": True},
)

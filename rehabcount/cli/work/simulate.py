"""Simulated patients written as session files or as a training set, described in numbers, and drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import typer

from rehabcount.bedside.simulated_file import describe_recording, save
from rehabcount.cli.console import errors, new_table, output, print_json, progress
from rehabcount.models.data import read_set
from rehabcount.models.simulated import SPLIT_OF, SimulationPlan, write
from rehabcount.signals.features import RECIPES
from rehabcount.simulate.activities import ACTIVITIES
from rehabcount.simulate.cohort import Subject, make_cohort
from rehabcount.simulate.drawing import draw_drink
from rehabcount.simulate.made_up import simulate_made_up
from rehabcount.simulate.recording import Recording, simulate_session, simulate_trial
from rehabcount.simulate.statistics import TOLERANCE, PaperFigure, cohort_trials, describe, trials_of

SHORTEST_MIN, LONGEST_MIN = 10.0, 60.0  # of a whole session
SESSION_MIN = 15.0  # of a whole session in a training set
SAMPLE_EVERY = 7  # --describe looks at each seventh of the 3395 trials unless --all is given
NO_ACTIVITIES = "none"
RIGS = ("nine", "five", "three", "one")


@dataclass(frozen=True, slots=True)
class SimulateRequest:
    """What to make: each of the first four separately. The others set the subjects, the amount and the details."""

    out: Path | None = None  # session files into this folder
    training: Path | None = None  # a training set into this one
    draw: Path | None = None  # a picture
    describe: bool = False  # the cohort in numbers
    everything: bool = False  # in numbers: of every trial
    subjects: str = "all"  # names or groups, with commas
    activities: str = "all"  # with commas
    repetitions: int = 5
    sessions: int = 0  # whole sessions; 0: single activities
    minutes: float | None = None  # of a session
    hours: float | None = None  # of session files, then it is enough
    rig: str = "nine"
    seed: int = 0
    recipe: str = "bedside"  # this and what follows: of a training set
    held_out: int = 0
    drinks: int = 0
    wide: bool = False
    weak: bool = False
    busy: bool = False
    made_up: int = 0  # recordings a subject of made-up exercises: in a training set, or instead of activities
    jobs: int = 1
    as_json: bool = False

    def __post_init__(self) -> None:
        if not (self.out or self.training or self.draw or self.describe):
            raise typer.BadParameter("say --out DIR, --training DIR, --describe or --draw FILE")
        if self.rig not in RIGS:
            raise typer.BadParameter("must be nine, five, three or one", param_hint="--rig")
        if self.draw is not None and self.draw.suffix.lower() not in (".gif", ".png"):
            raise typer.BadParameter("the name must end in .gif or .png", param_hint="--draw")
        if not (self.of_each or self.sessions or self.drinks or self.made_up):
            raise typer.BadParameter("with no activities, say --sessions or --made-up", param_hint="--repetitions")
        if self.training is not None and self.recipe not in RECIPES:
            raise typer.BadParameter(f"must be {' or '.join(RECIPES)}, not {self.recipe!r}", param_hint="--recipe")

    @property
    def of_each(self) -> int:
        """Repetitions of each of the nine activities."""
        return 0 if self.activities == NO_ACTIVITIES else self.repetitions

    def plan(self) -> SimulationPlan:
        """Of the training set."""
        every = self.subjects == "all"
        groups = tuple(SPLIT_OF) if every else tuple(word.strip() for word in self.subjects.split(","))
        unknown = [group for group in groups if group not in SPLIT_OF]
        if unknown:
            raise typer.BadParameter(
                f"a training set is made of whole groups ({', '.join(SPLIT_OF)}), not {unknown[0]!r}",
                param_hint="--subjects",
            )
        return SimulationPlan(
            self.recipe,
            groups,
            self.of_each,
            self.sessions,
            self.minutes or SESSION_MIN,
            self.seed,
            activities=() if self.activities in ("all", NO_ACTIVITIES) else tuple(_choose_activities(self.activities)),
            drinks=self.drinks,
            wide=self.wide,
            weak=self.weak,
            busy=self.busy,
            held_out=self.held_out,
            made_up=self.made_up,
        )


def run_simulation(request: SimulateRequest) -> None:
    cohort = make_cohort(request.seed)
    if request.training is not None:
        _write_training(request.training, request)
    if request.draw is not None:
        draw_drink(request.draw, request.seed)
    if request.describe:
        _describe(cohort, request)
    if request.out is not None:
        _write_sessions(cohort, request.out, request)


def _write_training(folder: Path, request: SimulateRequest) -> None:
    plan = request.plan()
    with progress() as bar:
        task = bar.add_task("Simulating", total=None)
        write(folder, plan, request.jobs, lambda done, total: bar.update(task, completed=done, total=total))
    data = read_set(folder)
    found: dict[str, dict[str, float]] = {
        split: {
            "subjects": len({trial.subject for trial in data.of(split)}),
            "trials": len(data.of(split)),
            "hours": round(sum(map(len, data.of(split))) / data.rate_hz / 3600, 3),
        }
        for split in ("train", "valid", "test")
    }
    if request.as_json:
        print_json({"folder": str(folder), "name": data.name, **found})
        return
    table = new_table(data.name, "split", "subjects", "trials", "hours")
    for split, facts in found.items():
        table.add_row(split, *(str(value) for value in facts.values()))
    output.print(table)


def _write_sessions(cohort: tuple[Subject, ...], folder: Path, request: SimulateRequest) -> None:
    chosen = _choose_subjects(cohort, request.subjects)
    if request.sessions:
        todo, count = _sessions(chosen, request), request.sessions
    elif request.made_up:
        todo, count = _made_up(chosen, request), request.made_up * len(chosen)
    else:
        names = _choose_activities(request.activities)
        todo, count = _trials(chosen, names, request), _count_trials(chosen, names, request.repetitions)
    written = _write(todo, count, folder, request.hours)
    if request.as_json:
        print_json({"folder": str(folder), "recordings": written})
    else:
        total = sum(float(str(item["length_s"])) for item in written) / 3600
        output.print(
            f"{len(written)} recording{'s' if len(written) != 1 else ''}, {total:.2f} hours, in {folder}.",
            highlight=False,
            markup=False,
        )


def _choose_subjects(cohort: tuple[Subject, ...], text: str) -> list[Subject]:
    if text == "all":
        return list(cohort)
    wanted = [word.strip() for word in text.split(",") if word.strip()]
    known = {subject.name for subject in cohort} | {subject.group for subject in cohort}
    unknown = [word for word in wanted if word not in known]
    if unknown or not wanted:
        raise typer.BadParameter(f"no subject or group {unknown[0] if unknown else text!r}", param_hint="--subjects")
    return [subject for subject in cohort if subject.name in wanted or subject.group in wanted]


def _choose_activities(text: str) -> list[str]:
    if text == "all":
        return list(ACTIVITIES)
    wanted = [word.strip().replace("-", " ") for word in text.split(",") if word.strip()]
    unknown = [word for word in wanted if word not in ACTIVITIES]
    if unknown or not wanted:
        raise typer.BadParameter(
            f"no activity {unknown[0] if unknown else text!r}; there are {', '.join(ACTIVITIES)}",
            param_hint="--activities",
        )
    return [name for name in ACTIVITIES if name in wanted]


def _count_trials(subjects: list[Subject], activities: list[str], repetitions: int) -> int:
    return sum(activity in activities for subject in subjects for activity, _ in trials_of(subject)) * repetitions


def _trials(subjects: list[Subject], activities: list[str], request: SimulateRequest) -> Iterator[Recording]:
    for subject in subjects:
        for activity, side in trials_of(subject):
            if activity in activities:
                for repetition in range(1, request.repetitions + 1):
                    yield simulate_trial(subject, activity, repetition, request.seed, side=side, rig=request.rig)


def _sessions(subjects: list[Subject], request: SimulateRequest) -> Iterator[Recording]:
    count, seed = request.sessions, request.seed
    lengths = np.random.default_rng([seed, 7]).uniform(SHORTEST_MIN, LONGEST_MIN, count)
    for i in range(count):
        subject = subjects[i % len(subjects)]
        length = request.minutes if request.minutes is not None else float(lengths[i])
        yield simulate_session(subject, length, seed, number=i // len(subjects) + 1, rig=request.rig)


def _made_up(subjects: list[Subject], request: SimulateRequest) -> Iterator[Recording]:
    for subject in subjects:
        for number in range(1, request.made_up + 1):
            yield simulate_made_up(subject, number, request.seed, rig=request.rig)


def _write(todo: Iterator[Recording], count: int, folder: Path, hours: float | None) -> list[dict[str, object]]:
    written: list[dict[str, object]] = []
    seconds = 0.0
    with progress() as bar:
        task = bar.add_task("Simulating", total=count)
        for recording in todo:
            path = folder / f"{recording.name}.rehab"
            save(recording, path)
            facts = describe_recording(recording)
            written.append(
                {"file": path.name, **{key: facts[key] for key in ("subject", "activity", "side", "length_s")}}
            )
            seconds += recording.length_s
            bar.advance(task)
            if hours is not None and seconds >= 3600 * hours:
                break
    return written


def _describe(cohort: tuple[Subject, ...], request: SimulateRequest) -> None:
    every = 1 if request.everything else SAMPLE_EVERY
    total = sum(1 for _ in cohort_trials(cohort))
    with progress() as bar:
        task = bar.add_task("Reading scripts", total=len(range(0, total, every)))
        figures = describe(cohort, request.seed, every, lambda: bar.advance(task))
    if request.as_json:
        print_json([_figure_document(figure) for figure in figures])
        return
    table = new_table("The simulated cohort beside StrokeRehab", "figure", "ours", "paper", "deviation", "note")
    for figure in figures:
        paper = "" if figure.paper is None else f"{figure.paper:,.2f}"
        deviation = "" if figure.deviation is None else f"{100 * figure.deviation:+.1f} %"
        table.add_row(figure.name, f"{figure.ours:,.2f}", paper, deviation, figure.note)
    output.print(table)
    far = [figure.name for figure in figures if not figure.close]
    if far:
        errors.print(f"Off by more than {100 * TOLERANCE:.0f} %: {', '.join(far)}", highlight=False)


def _figure_document(figure: PaperFigure) -> dict[str, object]:
    return {
        "name": figure.name,
        "ours": figure.ours,
        "paper": figure.paper,
        "deviation": figure.deviation,
        "close": figure.close,
    }

"""`rehabcount simulate`: the simulated patient as session files, in numbers, and drawn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rehabcount.cli.console import errors, new_table, output, print_json, progress

if TYPE_CHECKING:
    from rehabcount.simulate.cohort import Subject
    from rehabcount.simulate.recording import Recording
    from rehabcount.simulate.statistics import PaperFigure

SHORTEST_MIN, LONGEST_MIN = 10.0, 60.0  # of a whole session
SESSION_MIN = 15.0  # of a whole session in a training set
SAMPLE_EVERY = 7  # --describe looks at each seventh of the 3395 trials unless --all is given


def simulate(
    out: Annotated[Path | None, typer.Option(help="Folder for the session files.", metavar="DIR")] = None,
    subjects: Annotated[
        str,
        typer.Option(
            help="Names (S01..S51, H01..H20) or groups (train, test, severe, healthy-train, healthy-test), with commas."
        ),
    ] = "all",
    activities: Annotated[str, typer.Option(help="Activities, comma-separated.")] = "all",
    repetitions: Annotated[int, typer.Option(help="Repetitions of each activity.", min=1, max=5)] = 5,
    held_out: Annotated[
        int,
        typer.Option(help="With --training: repetitions of people whom nobody trains on; 0: as many.", min=0, max=5),
    ] = 0,
    sessions: Annotated[
        int,
        typer.Option(
            help="Write this many whole sessions (10-60 minutes) instead of single activities; with --training: this "
            "many a subject, beside them.",
            min=0,
        ),
    ] = 0,
    minutes: Annotated[
        float | None, typer.Option(help="Length of each session, where not drawn.", min=1, max=120)
    ] = None,
    hours: Annotated[float | None, typer.Option(help="Stop when this much has been written.", min=0)] = None,
    rig: Annotated[str, typer.Option(help="Sensors worn: nine, five, three or one.")] = "nine",
    seed: Annotated[int, typer.Option(help="The same seed gives the same packets and labels.", min=0)] = 0,
    describe: Annotated[
        bool, typer.Option("--describe", help="Print the cohort's statistics beside the paper's.")
    ] = False,
    training: Annotated[
        Path | None, typer.Option(help="Write a training set into this folder instead.", metavar="DIR")
    ] = None,
    recipe: Annotated[str, typer.Option(help="Features of the training set: bedside or paper77.")] = "bedside",
    drinks: Annotated[
        int, typer.Option(help="With --training: trials a subject of drinking with one hand, again and again.", min=0)
    ] = 0,
    wide: Annotated[
        bool, typer.Option("--wide", help="With --training: people who hold their elbows farther out.")
    ] = False,
    busy: Annotated[
        bool,
        typer.Option("--busy", help="With --training: between exercises people do what looks most like exercise."),
    ] = False,
    jobs: Annotated[int, typer.Option(help="Processes that make the training set.", min=1)] = 1,
    everything: Annotated[bool, typer.Option("--all", help="With --describe: look at every trial.")] = False,
    draw: Annotated[
        Path | None, typer.Option(help="Draw a drink at four impairment levels.", metavar="FILE.gif|png")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Simulate stroke patients and healthy people at exercise, with sensors on and labels known.

    Example: `rehabcount simulate --out simulated --subjects test --activities drinking,shelf`

    A training set (an interrupted one goes on): `rehabcount simulate --training cohort --sessions 1 --jobs 2`
    """
    if not (out or describe or draw or training):
        raise typer.BadParameter("say --out DIR, --training DIR, --describe or --draw FILE")
    if rig not in ("nine", "five", "three", "one"):
        raise typer.BadParameter("must be nine, five, three or one", param_hint="--rig")
    from rehabcount.simulate.cohort import make_cohort

    cohort = make_cohort(seed)
    if training:
        _write_training(
            training,
            recipe,
            subjects,
            repetitions,
            sessions,
            minutes,
            seed,
            drinks,
            wide,
            busy,
            held_out,
            jobs=jobs,
            as_json=as_json,
        )
    if draw:
        if draw.suffix.lower() not in (".gif", ".png"):
            raise typer.BadParameter("the name must end in .gif or .png", param_hint="--draw")
        from rehabcount.simulate.drawing import draw_drink

        draw_drink(draw, seed)
    if describe:
        _describe(cohort, seed, 1 if everything else SAMPLE_EVERY, as_json)
    if out:
        chosen = _choose_subjects(cohort, subjects)
        if sessions:
            todo = _sessions(chosen, sessions, minutes, seed, rig)
            count = sessions
        else:
            names = _choose_activities(activities)
            todo = _trials(chosen, names, repetitions, seed, rig)
            count = _count_trials(chosen, names, repetitions)
        written = _write(todo, count, out, hours)
        if as_json:
            print_json({"folder": str(out), "recordings": written})
        else:
            total = sum(float(str(item["length_s"])) for item in written) / 3600
            output.print(f"{len(written)} recordings, {total:.2f} hours, in {out}.", highlight=False, markup=False)


def _write_training(
    folder: Path,
    recipe: str,
    subjects: str,
    repetitions: int,
    sessions: int,
    minutes: float | None,
    seed: int,
    drinks: int,
    wide: bool,
    busy: bool,
    held_out: int,
    *,
    jobs: int,
    as_json: bool,
) -> None:
    from rehabcount.models.data import read_set
    from rehabcount.models.simulated import SPLIT_OF, SimulationPlan, write
    from rehabcount.signals.features import RECIPES

    if recipe not in RECIPES:
        raise typer.BadParameter(f"must be {' or '.join(RECIPES)}, not {recipe!r}", param_hint="--recipe")
    groups = tuple(SPLIT_OF) if subjects == "all" else tuple(word.strip() for word in subjects.split(","))
    unknown = [group for group in groups if group not in SPLIT_OF]
    if unknown:
        raise typer.BadParameter(
            f"a training set is made of whole groups ({', '.join(SPLIT_OF)}), not {unknown[0]!r}",
            param_hint="--subjects",
        )
    length_min = minutes or SESSION_MIN
    plan = SimulationPlan(
        recipe, groups, repetitions, sessions, length_min, seed, drinks=drinks, wide=wide, busy=busy, held_out=held_out
    )
    with progress() as bar:
        task = bar.add_task("Simulating", total=None)
        write(folder, plan, jobs, lambda done, total: bar.update(task, completed=done, total=total))
    data = read_set(folder)
    found: dict[str, object] = {
        split: {
            "subjects": len({trial.subject for trial in data.of(split)}),
            "trials": len(data.of(split)),
            "hours": round(sum(map(len, data.of(split))) / data.rate_hz / 3600, 3),
        }
        for split in ("train", "valid", "test")
    }
    if as_json:
        print_json({"folder": str(folder), "name": data.name, **found})
        return
    table = new_table(data.name, "split", "subjects", "trials", "hours")
    for split, facts in found.items():
        assert isinstance(facts, dict)
        table.add_row(split, *(str(value) for value in facts.values()))
    output.print(table)


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
    from rehabcount.simulate.activities import ACTIVITIES

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
    from rehabcount.simulate.statistics import trials_of

    return sum(activity in activities for subject in subjects for activity, _ in trials_of(subject)) * repetitions


def _trials(
    subjects: list[Subject], activities: list[str], repetitions: int, seed: int, rig: str
) -> Iterator[Recording]:
    from rehabcount.simulate.recording import simulate_trial
    from rehabcount.simulate.statistics import trials_of

    for subject in subjects:
        for activity, side in trials_of(subject):
            if activity in activities:
                for repetition in range(1, repetitions + 1):
                    yield simulate_trial(subject, activity, repetition, seed, side=side, rig=rig)


def _sessions(subjects: list[Subject], count: int, minutes: float | None, seed: int, rig: str) -> Iterator[Recording]:
    import numpy as np

    from rehabcount.simulate.recording import simulate_session

    lengths = np.random.default_rng([seed, 7]).uniform(SHORTEST_MIN, LONGEST_MIN, count)
    for i in range(count):
        subject = subjects[i % len(subjects)]
        length = minutes if minutes is not None else float(lengths[i])
        yield simulate_session(subject, length, seed, number=i // len(subjects) + 1, rig=rig)


def _write(todo: Iterator[Recording], count: int, folder: Path, hours: float | None) -> list[dict[str, object]]:
    from rehabcount.bedside.simulated_file import describe_recording, save

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


def _describe(cohort: tuple[Subject, ...], seed: int, every: int, as_json: bool) -> None:
    from rehabcount.simulate.statistics import TOLERANCE, cohort_trials, describe

    total = sum(1 for _ in cohort_trials(cohort))
    with progress() as bar:
        task = bar.add_task("Reading scripts", total=len(range(0, total, every)))
        figures = describe(cohort, seed, every, lambda: bar.advance(task))
    if as_json:
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

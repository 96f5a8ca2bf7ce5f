"""`rehabcount simulate`: the simulated patient as session files, in numbers, and drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Subjects = Annotated[
    str,
    typer.Option(
        help="Names (S01..S51, H01..H20) or groups (train, test, severe, healthy-train, healthy-test), with commas."
    ),
]
HeldOut = Annotated[
    int, typer.Option(help="With --training: repetitions of people who are not trained on; 0: as many.", min=0, max=5)
]
Sessions = Annotated[
    int,
    typer.Option(
        help="Write this many whole sessions (10-60 minutes) instead of single activities; with --training: this "
        "many a subject, beside them.",
        min=0,
    ),
]
Minutes = Annotated[float | None, typer.Option(help="Length of each session, where not drawn.", min=1, max=120)]
Describe = Annotated[bool, typer.Option("--describe", help="Print the cohort's statistics beside the paper's.")]
Training = Annotated[Path | None, typer.Option(help="Write a training set into this folder instead.", metavar="DIR")]
Drinks = Annotated[
    int, typer.Option(help="With --training: trials a subject of drinking with one hand, again and again.", min=0)
]
Wide = Annotated[bool, typer.Option("--wide", help="With --training: people who hold their elbows farther out.")]
Weak = Annotated[bool, typer.Option("--weak", help="With --training: patients whose arms are severely affected.")]
Busy = Annotated[
    bool, typer.Option("--busy", help="With --training: between exercises people do what looks most like exercise.")
]
Repetitions = Annotated[int, typer.Option(help="Repetitions of each activity; 0 with --made-up.", min=0, max=5)]
MadeUp = Annotated[
    int,
    typer.Option(
        help="Write this many recordings a subject of made-up exercises instead of activities; with --training: beside "
        "them.",
        min=0,
    ),
]
Draw = Annotated[Path | None, typer.Option(help="Draw a drink at four impairment levels.", metavar="FILE.gif|png")]


def simulate(
    out: Annotated[Path | None, typer.Option(help="Folder for the session files.", metavar="DIR")] = None,
    subjects: Subjects = "all",
    activities: Annotated[str, typer.Option(help="Activities, comma-separated; all or none.")] = "all",
    repetitions: Repetitions = 5,
    held_out: HeldOut = 0,
    sessions: Sessions = 0,
    minutes: Minutes = None,
    hours: Annotated[float | None, typer.Option(help="Stop when this much has been written.", min=0)] = None,
    rig: Annotated[str, typer.Option(help="Sensors worn: nine, five, three or one.")] = "nine",
    seed: Annotated[int, typer.Option(help="The same seed gives the same packets and labels.", min=0)] = 0,
    describe: Describe = False,
    training: Training = None,
    recipe: Annotated[str, typer.Option(help="Features of the training set: bedside or paper77.")] = "bedside",
    drinks: Drinks = 0,
    wide: Wide = False,
    weak: Weak = False,
    busy: Busy = False,
    made_up: MadeUp = 0,
    jobs: Annotated[int, typer.Option(help="Processes that make the training set.", min=1)] = 1,
    everything: Annotated[bool, typer.Option("--all", help="With --describe: look at every trial.")] = False,
    draw: Draw = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Simulate stroke patients and healthy people at exercise, with sensors on and labels known.

    Example: `rehabcount simulate --out simulated --subjects test --activities drinking,shelf`

    A training set (an interrupted one goes on): `rehabcount simulate --training cohort --sessions 1 --jobs 2`
    """
    from rehabcount.cli.work.simulate import SimulateRequest, run_simulation

    run_simulation(
        SimulateRequest(
            out=out,
            training=training,
            draw=draw,
            describe=describe,
            everything=everything,
            subjects=subjects,
            activities=activities,
            repetitions=repetitions,
            sessions=sessions,
            minutes=minutes,
            hours=hours,
            rig=rig,
            seed=seed,
            recipe=recipe,
            held_out=held_out,
            drinks=drinks,
            wide=wide,
            weak=weak,
            busy=busy,
            made_up=made_up,
            jobs=jobs,
            as_json=as_json,
        )
    )

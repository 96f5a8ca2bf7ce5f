"""`rehabcount bench`: experiments that set our numbers beside published ones.

Every experiment has the same options and writes the same document; see `rehabcount.bench.experiment`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from rehabcount.cli.commands.bench_gui import gui
from rehabcount.cli.commands.bench_recording import recording
from rehabcount.cli.commands.bench_simulated import simulated

bench_app = typer.Typer(
    name="bench",
    help="Set our numbers beside published ones. Without a command: list the experiments.",
    invoke_without_command=True,
    rich_markup_mode="markdown",
)

Data = Annotated[Path | None, typer.Option("--data", help="Folder of the experiment's data.", show_default=False)]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for results and pictures; finished steps are kept.")]
Quick = Annotated[bool, typer.Option("--quick", help="A small part only, to see that it runs.")]
Changes = Annotated[list[str] | None, typer.Option("--set", help="Change a setting: key=value. May be repeated.")]
Json = Annotated[Path | None, typer.Option("--json", help="Write the results to this file.")]
Which = Annotated[
    str | None, typer.Option("--model", help="Name or folder of a model, or a checkpoint.pt; default: stream.")
]
Page = Annotated[Path | None, typer.Option("--page", help="Write the results as a Markdown page to this file.")]


@bench_app.callback()
def bench(
    context: typer.Context, as_json: Annotated[bool, typer.Option("--json", help="The list as JSON.")] = False
) -> None:
    """Set our numbers beside published ones. Without a command: list the experiments.

    Example: `rehabcount bench temporal --data recordings/temporal-clusterings --out out/temporal`
    """
    # Every figure is one of one thread unless the user says otherwise. Set here, before the command that follows loads
    # numpy: later it would have no effect.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if context.invoked_subcommand is not None:
        return
    from rehabcount.cli.work.bench import list_experiments

    list_experiments(as_json)


def _run(
    name: str,
    data: Path | None,
    out: Path | None,
    *,
    quick: bool,
    changes: list[str] | None,
    json: Path | None,
    page: Path | None = None,
) -> None:
    from rehabcount.cli.work.bench import BenchRequest, run_experiment

    run_experiment(BenchRequest(name, data, out, quick, tuple(changes or ()), json, page))


def _plain(name: str, words: str) -> Callable[..., None]:
    """The command of an experiment that has the common options only."""

    def command(
        data: Data = None,
        out: Out = None,
        quick: Quick = False,
        page: Page = None,
        changes: Changes = None,
        json: Json = None,
    ) -> None:
        _run(name, data, out, quick=quick, changes=changes, json=json, page=page)

    command.__doc__ = words
    return command


def _of_model(name: str, words: str) -> Callable[..., None]:
    """The same, for those that ask which model to measure."""

    def command(
        data: Data = None,
        out: Out = None,
        quick: Quick = False,
        model: Which = None,
        page: Page = None,
        changes: Changes = None,
        json: Json = None,
    ) -> None:
        more = [f"model={model}"] if model else []
        _run(name, data, out, quick=quick, changes=[*more, *(changes or [])], json=json, page=page)

    command.__doc__ = words
    return command


bench_app.command("temporal")(
    _plain(
        "temporal",
        """Recompute Tables 3-9 of the PRISM paper from its published clusterings, cell by cell.

        Example: `rehabcount bench temporal --data recordings/temporal-clusterings`
        """,
    )
)
bench_app.command("prism")(
    _plain(
        "prism",
        """Sample PRISM on its paper's data: ours beside published, sensitivity, speed. Needs the extra `bench`.

        Without --data only the simulated set is measured. Rows that are in --out are read again;
        `--set "only=simulated;bees 4"` measures some sets. The page and its pictures are written into --out.

        Example: `rehabcount bench prism --data recordings --out out/prism`
        """,
    )
)
bench_app.command("metrics")(
    _plain(
        "metrics",
        """Measure the speed of the metrics against plain Python, on one thread.

        Example: `rehabcount bench metrics --json speed.json`
        """,
    )
)
bench_app.command("runtime")(
    _plain(
        "runtime",
        """Time each network in onnxruntime and in torch, on one thread. Needs the extra `train`.

        Example: `rehabcount bench runtime`
        """,
    )
)
bench_app.command("engine")(
    _plain(
        "engine",
        """Measure the engine: speed by stage, delay, share of a core, memory, streaming against offline.

        Example: `rehabcount bench engine --set model=raw2seq --set soak_hours=8`
        """,
    )
)
bench_app.command("faults")(
    _plain(
        "faults",
        """Let everything go wrong that a radio can do: what is reported, and how far the counts are off.

        Loss of 5 % is judged on eight simulated patients, most faults on two of them; `--set few=8 --set minutes=5`
        lets everything happen to all of them for longer.

        Example: `rehabcount bench faults`
        """,
    )
)
bench_app.command("repetitions")(
    _plain(
        "repetitions",
        """Made-up tasks of simulated people, taught on three repetitions, and counted in two sessions.

        Example: `rehabcount bench repetitions --out out/taught`
        """,
    )
)
bench_app.command("sessions")(
    _of_model(
        "sessions",
        """Make whole sessions of further simulated people, count them as files, and compare session by session.

        `--set seed=401` takes other people; `--set card=FILE` writes what a session's count is worth for a model's
        card; `--set keep=yes` keeps the files. With --out there are a page and a Bland-Altman picture, too.

        Example: `rehabcount bench sessions --out out/sessions`
        """,
    )
)
bench_app.command("unseen")(
    _plain(
        "unseen",
        """Count activities that training never saw: three of the nine left out, four recipes. Needs `train`, `bench`.

        Rows that are trained are read again, so they can be trained one by one: `--set rows=both-1,both-all`.

        Example: `rehabcount bench unseen --out out/unseen --page docs/recognisers/unseen.md`
        """,
    )
)
bench_app.command()(gui)
bench_app.command()(recording)
bench_app.command()(simulated)


@bench_app.command()
def strokerehab(
    data: Data = None,
    out: Out = None,
    quick: Quick = False,
    row: Annotated[
        list[str] | None,
        typer.Option(help="Only this row, such as raw2seq, raw2seq-healthy, stream@8. May be repeated."),
    ] = None,
    minutes: Annotated[float | None, typer.Option(help="CPU minutes of training a row.", min=0.01)] = None,
    seeds: Annotated[
        int | None, typer.Option(help="Seeds of the rows that the claim about stream compares.", min=1)
    ] = None,
    validate: Annotated[
        list[Path] | None,
        typer.Option(help="More people to choose decoder and smoothing on, beside --data's own. May be repeated."),
    ] = None,
    further: Annotated[
        list[Path] | None,
        typer.Option(help="A set whose stroke patients among the test people are tested, too. May be repeated."),
    ] = None,
    only_train: Annotated[bool, typer.Option("--only-train", help="Train the rows and stop.")] = False,
    page: Annotated[Path | None, typer.Option(help="Folder for the page and its pictures; default: --out.")] = None,
    changes: Changes = None,
    json: Json = None,
) -> None:
    """Tables 2 and 3 of the StrokeRehab paper, on simulated people or the real dataset. Trains; needs `train`, `bench`.

    Rows that are trained are read again, so they can be trained one by one, in processes of their own.

    Example: `rehabcount bench strokerehab --out out/strokerehab --minutes 120`

    One row: `rehabcount bench strokerehab --data cohort --out out/strokerehab --minutes 120 --row raw2seq --only-train`
    """
    given = {
        "rows": ",".join(row) if row else None,
        "minutes": minutes,
        "seeds": seeds if seeds is not None or not row else 1,
        "only_train": True if only_train else None,
        "page": page,
        "validate": ",".join(map(str, validate)) if validate else None,
        "further": ",".join(map(str, further)) if further else None,
    }
    more = [f"{key}={value}" for key, value in given.items() if value is not None]
    _run("strokerehab", data, out, quick=quick, changes=[*more, *(changes or [])], json=json)


@bench_app.command()
def gain(
    data: Data = None,
    out: Out = None,
    quick: Quick = False,
    row: Annotated[
        list[str] | None,
        typer.Option(help="Only this row, such as simulated/edtcn, suturing/c-lstm@8. May be repeated."),
    ] = None,
    seeds: Annotated[int | None, typer.Option(help="Seeds of the main tables.", min=1, max=3)] = None,
    only_train: Annotated[bool, typer.Option("--only-train", help="Train the rows and stop.")] = False,
    only_tables: Annotated[
        bool, typer.Option("--only-tables", help="Tables and pictures of the rows that are there.")
    ] = False,
    page: Annotated[Path | None, typer.Option(help="Folder for the page and its pictures; default: --out.")] = None,
    changes: Changes = None,
    json: Json = None,
) -> None:
    """Tables 2 to 6 of the GAIN paper: tasks that training does not have. Trains; needs `train`, `bench`.

    Rows that are trained are read again. `--data` is the folder of JIGSAWS; without it all people are simulated.

    Example: `rehabcount bench gain --data recordings/jigsaws --out out/gain`

    One row: `rehabcount bench gain --out out/gain --row simulated/c-mstcnpp@8 --only-train`
    """
    given = {
        "rows": ",".join(row) if row else None,
        "seeds": seeds,
        "only_train": True if only_train else None,
        "only_tables": True if only_tables else None,
        "page": page,
    }
    more = [f"{key}={value}" for key, value in given.items() if value is not None]
    _run("gain", data, out, quick=quick, changes=[*more, *(changes or [])], json=json)


@bench_app.command()
def topics(
    data: Data = None,
    out: Out = None,
    quick: Quick = False,
    page: Annotated[Path | None, typer.Option(help="Folder for the page and its pictures; default: --out.")] = None,
    changes: Changes = None,
    json: Json = None,
) -> None:
    """Activities that nothing labels, found as topics of event sequences (Rogers et al.). Needs `bench`.

    Artificial data as the paper describes them, then the primitives of whole simulated sessions.

    Example: `rehabcount bench topics --out out/topics`
    """
    more = [f"page={page}"] if page is not None else []
    _run("topics", data, out, quick=quick, changes=[*more, *(changes or [])], json=json)


real_app = typer.Typer(help="Recordings of real people.", no_args_is_help=True, rich_markup_mode="markdown")
bench_app.add_typer(real_app, name="real")

real_app.command("drinking")(
    _of_model(
        "real-drinking",
        """Stroke patients and healthy people drinking, with virtual sensors on thorax, upper arm and forearm.

        Example: `rehabcount bench real drinking --data recordings`
        """,
    )
)
real_app.command("steps")(
    _plain(
        "real-steps",
        """The steps of a drink found without labels: simulated patients, real healthy people and stroke patients.

        Example: `rehabcount bench real steps --data recordings --out out/steps`
        """,
    )
)
real_app.command("moca")(
    _of_model(
        "real-moca",
        """A healthy person at a kitchen table, with virtual sensors on upper arm, forearm and hand.

        Example: `rehabcount bench real moca --data recordings`
        """,
    )
)
real_app.command("still")(
    _of_model(
        "real-still",
        """Healthy people who walk, turn and stand up: every movement that is counted is a false one.

        Example: `rehabcount bench real still --data recordings --out out/still`
        """,
    )
)
real_app.command("packing")(
    _of_model(
        "real-packing",
        """A person packing boxes: movements that are counted for each box beside its timed actions.

        Example: `rehabcount bench real packing --data recordings --out out/packing`
        """,
    )
)
real_app.command("coverage")(
    _plain(
        "real-coverage",
        """The share of what real people's sensors measure that lies outside of a simulation.

        Several training sets are given with commas. `--set before=FOLDER` compares with a second simulation.

        Example: `rehabcount bench real coverage --data recordings --set simulated=cohort --out out/coverage`
        """,
    )
)
real_app.command("repetitions")(
    _plain(
        "real-repetitions",
        """Repetitions of exercises that were shown, on real people: right counts, false counts, and types.

        Example: `rehabcount bench real repetitions --data recordings --out out/repetitions`
        """,
    )
)
real_app.command("jigsaws")(
    _plain(
        "real-jigsaws",
        """Gestures and primitives of suturing, one surgeon left out at a time. Trains; needs the extra `train`.

        Example: `rehabcount bench real jigsaws --data recordings/jigsaws --out out/jigsaws`
        """,
    )
)
real_app.command("gestures")(
    _plain(
        "real-gestures",
        """Arm gestures from real IMUs: trained on the first half of a stream, counted on the second.

        Example: `rehabcount bench real gestures --data recordings/gestures --out out/gestures`
        """,
    )
)


@bench_app.command("all")
def run_all(data: Data = None, out: Out = None, quick: Quick = False, json: Json = None) -> None:
    """Run every experiment whose data and extras are there; the others are named with the reason.

    `--data` is the folder that holds each experiment's folder; `--out` gets one folder an experiment.

    Example: `rehabcount bench all --data recordings --out out`
    """
    from rehabcount.cli.work.bench import run_every_experiment

    run_every_experiment(data, out, quick=quick, json=json)


@bench_app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="A file that --json wrote.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="Another one.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what differs between two results.

    Example: `rehabcount bench compare before.json after.json`
    """
    from rehabcount.cli.work.bench import compare_results

    compare_results(first, second, as_json)

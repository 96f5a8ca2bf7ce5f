"""The `rehabcount` command: a tree of subcommands, one module each in `cli/commands`.

Exit codes: 0 done; 1 other failure; 2 wrong usage or settings; 3 sensors; 4 model; 5 session file or disk; 6 unreadable
input file or dataset; 7 calibration; 8 an extra is not installed; 130 interrupted. They come from `rehabcount.errors`.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from types import FrameType
from typing import NoReturn

import typer

from rehabcount import __version__
from rehabcount.bedside.tidy import keep_to_our_folders
from rehabcount.cli.commands import (
    annotate,
    bench,
    calibrate,
    count,
    demo,
    discover,
    evaluate,
    export,
    import_,
    info,
    live,
    models,
    recover,
    replay,
    report,
    sensors,
    simulate,
    teach,
    train,
    window,
)
from rehabcount.cli.console import errors, say
from rehabcount.errors import RehabcountError

DISCLAIMER = "Research use only; not a medical device. Counts are estimates."

app = typer.Typer(
    name="rehabcount",
    help="Counts functional arm movements after stroke, live, from wearable motion sensors. Without a command: "
    f"opens the window.\n\n{DISCLAIMER}",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rehabcount {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    if context.invoked_subcommand is not None:
        return
    code = window.open_window()
    if code is None:
        typer.echo(context.get_help())
        errors.print("There is no display for the window; the commands work without.", style="yellow")
    raise typer.Exit(code or 0)


app.command()(demo.demo)
app.command()(info.info)
app.command("import")(import_.import_)
app.add_typer(sensors.sensors_app)
app.command()(live.live)
app.command()(count.count)
app.command()(teach.teach)
app.command()(replay.replay)
app.command()(calibrate.calibrate)
app.command()(export.export)
app.command()(report.report)
app.command()(annotate.annotate)
app.command()(recover.recover)
app.command()(discover.discover)
app.command()(simulate.simulate)
app.command()(evaluate.evaluate)
app.command()(train.train)
app.add_typer(models.models_app)
app.add_typer(bench.bench_app)


def _terminated(number: int, _: FrameType | None) -> NoReturn:
    """As an exception, so that incomplete files are removed. Recordings handle the signal themselves."""
    sys.exit(128 + number)


def main() -> None:
    """Run the command line; errors become one clear message, advice, and an exit code."""
    keep_to_our_folders()
    with contextlib.suppress(ValueError):  # signals can only be handled in the main thread
        signal.signal(signal.SIGTERM, _terminated)
    try:
        app()
    except RehabcountError as error:
        say(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        errors.print("Interrupted.")
        sys.exit(130)

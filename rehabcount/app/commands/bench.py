"""`rehabcount bench`: measures what the product costs and how well it does. One module a benchmark."""

from __future__ import annotations

import typer

from rehabcount.app.commands.bench_recording import recording
from rehabcount.app.commands.bench_simulated import simulated

app = typer.Typer(help="Measure speed and accuracy.", no_args_is_help=True)
app.command()(recording)
app.command()(simulated)

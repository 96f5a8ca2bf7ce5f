"""`rehabcount export`: a session as tables for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rehabcount.cli.options import ExportFormat, SessionArgument


def export(
    file: SessionArgument,
    to: Annotated[ExportFormat, typer.Option(help="The kind of table; or elan, labels for ELAN.")] = "csv",
    out: Annotated[
        Path | None,
        typer.Option(help="The folder for the tables, or ELAN's file. Default: FILE without its ending, or as .eaf."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as one JSON document.")] = False,
) -> None:
    """Write a session as tables: signals, features and labels, at 100 frames a second.

    `signals` holds every sensor on the common clock (m/s2, rad/s, orientation), `features-SIDE` the inputs of the
    recogniser for each arm that wears a sensor (these need a calibration), `labels` the reference labels and the
    counted events. `about.json` says what the columns mean. With `--to elan` it is one file of labels: the counted
    events, the corrected ones, and reference labels, a tier for each arm; `rehabcount annotate` takes it back.

    Example: `rehabcount export monday.rehab --to parquet --out monday`
    """
    from rehabcount.cli.work.export import ExportRequest, write_export

    write_export(ExportRequest(file, to, out, as_json))

"""`rehabcount live`: a session from the sensors on the patient, recorded, counted and shown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rehabcount.cli.options import Arm, ModelOption, ScanSeconds, Sensors, Virtual


def live(
    file: Annotated[Path | None, typer.Option(help="Record into this file; otherwise into the data folder.")] = None,
    seconds: Annotated[float | None, typer.Option(min=1.0, help="End after so long; otherwise with Ctrl+C.")] = None,
    sensors: Sensors = "5",
    side: Arm = "right",
    virtual: Virtual = "",
    scan_seconds: ScanSeconds = 5.0,
    sync: Annotated[bool, typer.Option(help="Give all DOTs one clock first; takes half a minute.")] = False,
    model: ModelOption = "",
    calibration: Annotated[
        Path | None, typer.Option(help="Take the calibration of this session: the straps were not moved since.")
    ] = None,
    keep_bad: Annotated[
        bool, typer.Option("--keep-bad", help="Count even with a calibration that should be repeated.")
    ] = False,
    fugl_meyer: Annotated[
        int | None,
        typer.Option("--fugl-meyer", min=0, max=66, help="The patient's score: says how far the count may be off."),
    ] = None,
    record_only: Annotated[bool, typer.Option("--record-only", help="Do not count; watch the sensors.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON document.")] = False,
) -> None:
    """Record a session from the sensors on the patient, and count it live.

    Everything a sensor sends is kept before anything else happens to it. A sensor that is lost reconnects by itself;
    the gap is marked. Places must have been assigned: `rehabcount sensors identify --assign`. The session begins with
    the calibration, step by step; one that fails is repeated, and nothing is counted before. With --virtual, a
    simulated patient wears the sensors and is calibrated already.

    Example: `rehabcount live --sensors 5 --side left`
    """
    from rehabcount.bedside.rigging import choose
    from rehabcount.cli.work.live import LiveRequest, run_live

    run_live(
        LiveRequest(
            choose(sensors, side, virtual),
            file=file,
            seconds=seconds,
            scan_s=scan_seconds,
            synchronise=sync,
            model=model,
            calibration=calibration,
            keep_bad=keep_bad,
            fugl_meyer=fugl_meyer,
            record_only=record_only,
            as_json=as_json,
        )
    )

"""`rehabcount live`: a session from the sensors on the patient, recorded and shown."""

from __future__ import annotations

import threading
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rehabcount.app.commands.replay import report
from rehabcount.app.commands.sensors import Arm, ScanSeconds, Sensors, Virtual
from rehabcount.app.console import errors, output

if TYPE_CHECKING:
    from collections.abc import Callable

    from rehabcount.domain.rig import Place
    from rehabcount.sensors.virtual import Motion

PATIENT_MINUTES = 1.0  # of a simulated patient behind virtual sensors; begins anew when over


def live(
    file: Annotated[Path | None, typer.Option(help="Record into this file; otherwise into the data folder.")] = None,
    seconds: Annotated[float | None, typer.Option(min=1.0, help="End after so long; otherwise with Ctrl+C.")] = None,
    sensors: Sensors = "5",
    side: Arm = "right",
    virtual: Virtual = "",
    scan_seconds: ScanSeconds = 5.0,
    sync: Annotated[bool, typer.Option(help="Give all DOTs one clock first; takes half a minute.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON document.")] = False,
) -> None:
    """Record a session from the sensors on the patient and watch it.

    Everything a sensor sends is kept before anything else happens to it. A sensor that is lost reconnects by itself;
    the gap is marked. Places must have been assigned: `rehabcount sensors identify --assign`. With --virtual, a
    simulated patient wears the sensors.

    Example: `rehabcount live --sensors 5 --side left`
    """
    from rehabcount.app.config import load_settings
    from rehabcount.app.rigging import assemble, choose, open_radio, swinging
    from rehabcount.app.watch import watch
    from rehabcount.domain.update import Mark, SensorHealth
    from rehabcount.errors import RehabcountError
    from rehabcount.store.recorder import Recorder, follow
    from rehabcount.store.session_file import SessionFile

    settings, choice = load_settings(), choose(sensors, side, virtual)
    motion_of: Callable[[Place], Motion] = swinging
    if choice.virtual:
        from rehabcount.app.patient import motions_of, session_of

        with errors.status("Waking the simulated patient"):
            motion_of = motions_of(session_of(choice, PATIENT_MINUTES))
    path = file or settings.sessions / f"{datetime.now().astimezone():%Y-%m-%d_%H%M%S}.rehab"
    health: dict[str, SensorHealth] = {}

    def note(update: SensorHealth | Mark) -> None:
        if isinstance(update, SensorHealth):
            health[update.sensor] = update

    with open_radio(settings, choice, motion_of) as radio:
        with errors.status("Listening for sensors"):
            rig = assemble(radio, settings, choice, scan_seconds)
        results = None
        if sync:
            with errors.status("Giving all sensors one clock"):
                results = radio.synchronise(rig)
        path.parent.mkdir(parents=True, exist_ok=True)
        SessionFile.create(path, rig).close()
        recorder = Recorder(path)
        stream = radio.stream(rig, recorder.accept, note, synchronised=results)

        ended = threading.Event()

        def finish() -> None:
            stream.close()
            recorder.close()

        def time_is_up() -> None:
            """In the timer's thread: a disk that refuses is left to `finish` in ours, which can say so."""
            try:
                finish()
            except RehabcountError:
                ended.set()

        timer = threading.Timer(seconds, time_is_up) if seconds else None
        try:
            if timer:
                timer.start()
            items = follow(path, ended)
            summary = watch(
                items, rig, settings.align, title=path.name, length_s=seconds, console=errors, health=health
            )
        finally:
            if timer:
                timer.cancel()
                timer.join()
            finish()
    report(summary, as_json)
    if not as_json:
        output.print(f"Recorded into {path}", highlight=False)

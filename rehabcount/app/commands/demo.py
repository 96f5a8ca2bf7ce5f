"""`rehabcount demo`: a simulated patient with virtual sensors, recorded live and replayed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rehabcount.app.commands.replay import parse_speed
from rehabcount.app.console import errors, new_table, output, print_json

if TYPE_CHECKING:
    from rehabcount.app.watch import Watch
    from rehabcount.domain.sequence import Segment


def demo(
    seconds: Annotated[float, typer.Option(help="How much of the session to play.", min=5, max=7200)] = 60.0,
    speed: Annotated[str, typer.Option(help="1 is real time, max as fast as it goes.")] = "1",
    rig: Annotated[str, typer.Option(help="Sensors worn: nine, five, three or one.")] = "nine",
    seed: Annotated[int, typer.Option(help="The same seed gives the same patient.", min=0)] = 4,
    out: Annotated[Path | None, typer.Option(help="Where to keep the session file.", metavar="FILE.rehab")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON document.")] = False,
) -> None:
    """Play a simulated patient: recorded as if live, watched, then replayed. No hardware is needed.

    Packets go into a session file first, and what is shown is read from that file, as with real sensors. In the end the
    file is replayed at full speed, and its frames must be the same, bit for bit. Counting arrives with the recogniser.

    Example: `rehabcount demo --seconds 20`
    """
    if rig not in ("nine", "five", "three", "one"):
        raise typer.BadParameter("must be nine, five, three or one", param_hint="--rig")
    pace = parse_speed(speed)
    from datetime import datetime

    from rehabcount.app.config import load_settings
    from rehabcount.app.demo import demo_recording, playing, ribbon
    from rehabcount.app.watch import watch
    from rehabcount.sensors.replay import Replay
    from rehabcount.store.recorder import follow

    settings = load_settings()
    path = out or settings.sessions / f"demo-{datetime.now().astimezone():%Y%m%d-%H%M%S}.rehab"
    recording = demo_recording(seed, seconds, rig)
    segments = recording.of(recording.side)
    patient = recording.subject
    title = f"Simulated patient, Fugl-Meyer {patient.score}, {recording.side} arm"
    how_long = f"{seconds / pace:.0f} s" if pace else "as fast as it goes"
    errors.print(f"{title}: recording {seconds:.0f} s of a session ({how_long}); Ctrl+C ends it.", highlight=False)
    with playing(recording, path, seconds, pace) as stop:
        seen = watch(
            follow(path, stop),
            recording.rig,
            settings.align,
            title=title,
            length_s=seconds,
            console=errors,
            below=lambda now_s: ribbon(segments, now_s),
        )
    again = watch(Replay(path), recording.rig, settings.align, title="Replay", length_s=seconds, console=errors)
    same = again.digest == seen.digest
    done = [segment for segment in segments if segment.end_s <= seen.session_s]
    if as_json:
        print_json(
            {
                "file": str(path),
                "simulated": True,
                "recorded": seen.document(),
                "replayed": again.document(),
                "same": same,
                "truth": _counts(done),
            }
        )
    else:
        _say(path, title, seen, again, same, done)
    if not same:
        errors.print("The replay differs from what was recorded: that is a defect, please report it.", style="bold red")
        raise typer.Exit(1)


def _counts(segments: list[Segment]) -> dict[str, int]:
    from rehabcount.domain.labels import PRODUCT

    return {name: sum(segment.label == name for segment in segments) for name in PRODUCT.names}


def _say(path: Path, title: str, seen: Watch, again: Watch, same: bool, done: list[Segment]) -> None:
    output.print(seen.table())
    counts = _counts(done)
    table = new_table("", *counts)
    table.add_row(*(str(number) for number in counts.values()))
    output.print(f"{title}: what was done, by the simulation's own truth (not a count)", markup=False)
    output.print(table)
    speed = again.document()["times_real_time"]
    verdict = "the same frames, bit for bit" if same else "OTHER FRAMES"
    output.print(f"Replayed at {speed} times real time: {verdict}.", markup=False)
    output.print(f"Kept as {path}", markup=False, soft_wrap=True)
    output.print("Simulated data. Research use only; not a medical device.", style="dim")

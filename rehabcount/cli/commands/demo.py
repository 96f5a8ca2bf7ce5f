"""`rehabcount demo`: a simulated patient, counted live; then how far off the count was."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rehabcount.cli.commands.replay import parse_speed
from rehabcount.cli.commands.window import open_window
from rehabcount.cli.console import errors, new_table, output, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from rehabcount.bedside.demo import Comparison
    from rehabcount.domain.update import Update
    from rehabcount.engine.ports import Source


WORTH_COUNTING_S = 10.0  # less than that after the calibration shows next to nothing


def demo(
    context: typer.Context,
    seconds: Annotated[float, typer.Option(help="How much of the session to play.", min=5, max=7200)] = 75.0,
    speed: Annotated[str, typer.Option(help="1 is real time, max as fast as it goes.")] = "1",
    sensors: Annotated[str, typer.Option(help="Sensors worn: 9, 5, 3 or 1.")] = "9",
    model: Annotated[
        str, typer.Option(help="Virtual sensors of this kind, over a virtual radio: dot, wit or generic.")
    ] = "",
    seed: Annotated[int, typer.Option(help="The same seed gives the same patient.", min=0)] = 10,
    artifact: Annotated[str, typer.Option(help="Count with another recogniser.", metavar="MODEL")] = "",
    out: Annotated[Path | None, typer.Option(help="Where to keep the session file.", metavar="FILE.rehab")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON document.")] = False,
    no_gui: Annotated[bool, typer.Option("--no-gui", help="Stay in the terminal although there is a display.")] = False,
) -> None:
    """Count a simulated patient live. No hardware is needed.

    Without options, where there is a display, the window opens on the demo patient; else all happens in the terminal.
    Packets go into a session file first, and the count reads that file, as with real sensors. The first half minute is
    the calibration. In the end the count stands beside what the patient really did, and the file is replayed at full
    speed: it must say the same again, byte for byte.

    Example: `rehabcount demo --seconds 60 --speed 4`
    """
    sources = [context.get_parameter_source(name) for name in context.params]
    bare = all(source is None or source.name == "DEFAULT" for source in sources)
    if bare and (code := open_window("setup")) is not None:
        raise typer.Exit(code)
    pace = parse_speed(speed)
    if model and pace != 1.0:
        raise typer.BadParameter("a virtual radio runs in real time", param_hint="--speed")
    from datetime import datetime

    from rehabcount.bedside.chosen_model import open_chosen
    from rehabcount.bedside.config import load_settings
    from rehabcount.bedside.demo import Comparison, calibrating, demo_recording, shifted, virtual_radio
    from rehabcount.bedside.ending import asked_to_end
    from rehabcount.bedside.rigging import choose
    from rehabcount.bedside.session import LiveSession, SessionRequest
    from rehabcount.bedside.simulated_file import DOCUMENT, describe_recording
    from rehabcount.bedside.sources import RadioSource, SimulatedSource
    from rehabcount.cli.board import Board
    from rehabcount.cli.live_view import show
    from rehabcount.domain.dose import Plan
    from rehabcount.domain.patient import severity_of
    from rehabcount.domain.update import Late
    from rehabcount.engine.summarise import REFERENCE_LAYER
    from rehabcount.engine.uncertainty import in_words
    from rehabcount.store.session_file import SessionFile

    settings = load_settings()
    choice = choose(sensors, "right", model)
    opened = open_chosen(settings, artifact)
    path = out or settings.sessions / f"demo-{datetime.now().astimezone():%Y%m%d-%H%M%S}.rehab"
    with errors.status("Waking the simulated patient"):
        recording = demo_recording(seed, seconds, choice.kind)
    side, plan = recording.side, Plan()
    title = f"Simulated patient, Fugl-Meyer {recording.subject.score}, {side} arm"
    how_long = f"{seconds / pace:.0f} s" if pace else "as fast as it goes"
    errors.print(f"{title}: {seconds:.0f} s of a session ({how_long}); Ctrl+C ends it.", highlight=False)
    calibrated_s = recording.span("calibration", "done")[1]
    if seconds < calibrated_s + WORTH_COUNTING_S:
        errors.print(
            f"The first {calibrated_s:.0f} s are the calibration, in which nothing is counted; "
            f"take --seconds {round(calibrated_s + 3 * WORTH_COUNTING_S)} or more to see a count.",
            highlight=False,
        )
    board = Board(title, recording.rig, side, length_s=seconds, truth=recording.of(side))
    board.model = opened.described
    board.accuracy = in_words(opened.card, recording.rig.name, severity_of(recording.subject.score), 0)
    said: list[Update] = []

    def hear(update: Update) -> None:
        said.append(update)
        board.hear(update)

    with contextlib.ExitStack() as stack:
        asked = stack.enter_context(asked_to_end())
        source: Source
        if model:
            with errors.status("Listening for virtual sensors"):
                air = virtual_radio(settings, choice, recording)
                radio, rig, calibration, performance, begun_ns = stack.enter_context(air)
            source = RadioSource(radio, rig)
        else:
            source, rig, calibration = SimulatedSource(recording, seconds, pace), recording.rig, None
        documents = {DOCUMENT: describe_recording(recording)}  # an interrupted demo is no patient's session either
        done = [] if model else [each for each in recording.segments if each.start_s < seconds]
        request = SessionRequest(path, rig, side, plan, opened, calibration, settings.align, documents, done)
        session = LiveSession(request, source, on_update=hear, on_frames=board.see)
        session.start()
        if model:
            ahead = performance.segments(2 * seconds)  # connecting takes some seconds, no more
            board.truth = tuple(each for each in shifted(ahead, time.monotonic_ns() - begun_ns) if each.side is side)
            stack.enter_context(calibrating(session, recording, begun_ns))
        show(session, board, errors, asked, seconds=seconds if model else None)
    truth = list(recording.segments)
    if model:
        since_s = (session.origin_ns - begun_ns) / 1e9
        truth = shifted(performance.segments(since_s + session.time_s), session.origin_ns - begun_ns)
        with SessionFile.annotate(path) as file:  # only now: the first packet says when the session's clock began
            file.add_segments(REFERENCE_LAYER, [segment for segment in truth if segment.start_s < session.time_s])
    again: list[Update] = []
    replayed = LiveSession.replay(path, opened, None, on_update=again.append, align=settings.align)
    with errors.status("Replaying"):
        replayed.start()
        replayed.wait()
    same = repr([update for update in said if not isinstance(update, Late)]) == repr(again)
    found = Comparison.of(said, truth, plan, side, session.time_s)
    speed_of_replay = replayed.document()["times_real_time"]
    if as_json:
        print_json(
            {
                "simulated": True,
                **session.document(),
                "comparison": found.document(),
                "replay": {"same": same, "times_real_time": speed_of_replay},
            }
        )
    else:
        board.truth = tuple(segment for segment in truth if segment.side is side)
        output.print(board.picture(session.document()["times_real_time"]))
        output.print(_table(found))
        verdict = "the same updates, byte for byte" if same else "OTHER UPDATES"
        output.print(f"Replayed at {speed_of_replay} times real time: {verdict}.", markup=False)
        output.print(f"Kept as {path}", markup=False, soft_wrap=True)
        output.print("Simulated data. Research use only; not a medical device.", style="dim")
    if not same:
        errors.print("The replay differs from what was recorded: that is a defect, please report it.", style="bold red")
        raise typer.Exit(1)


def _table(found: Comparison) -> Table:
    table = new_table("Counted, beside what the simulated patient really did", "", "counted", "true", "off by")
    for what, counted, true in found.rows():
        off = counted - true
        share = f" ({off / true:+.0%})" if true else ""
        style = "bold" if what == "task repetitions" else ""
        table.add_row(what, str(counted), str(true), f"{off:+d}{share}" if off else "0", style=style)
    return table

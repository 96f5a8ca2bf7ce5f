"""A simulated patient counted live in the terminal, compared with the truth; then a replay of the file."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import typer
from rich.table import Table

from rehabcount.bedside.chosen_model import open_chosen
from rehabcount.bedside.config import Settings, load_settings
from rehabcount.bedside.demo import Comparison, calibrating, demo_recording, shifted, virtual_radio
from rehabcount.bedside.ending import asked_to_end
from rehabcount.bedside.rigging import Choice
from rehabcount.bedside.session import LiveSession, SessionRequest
from rehabcount.bedside.simulated_file import describe_recording
from rehabcount.bedside.sources import RadioSource, SimulatedSource
from rehabcount.cli.board import Board
from rehabcount.cli.console import errors, new_table, output, print_json
from rehabcount.cli.live_view import show
from rehabcount.domain.calibration import Calibration
from rehabcount.domain.dose import Plan
from rehabcount.domain.patient import severity_of
from rehabcount.domain.rig import Rig
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Late, Update
from rehabcount.engine.ports import Source
from rehabcount.engine.uncertainty import in_words
from rehabcount.inference.artifact import Opened
from rehabcount.simulate.recording import Recording
from rehabcount.store.documents import SIMULATION
from rehabcount.store.layers import REFERENCE
from rehabcount.store.session_file import SessionFile

WORTH_COUNTING_S = 10.0  # a shorter time after the calibration shows almost nothing


@dataclass(frozen=True, slots=True)
class DemoRequest:
    """Which patient, how long and how fast. A virtual family in `choice` goes over a virtual radio, in real time."""

    choice: Choice
    seconds: float = 75.0
    speed: float | None = 1.0  # None: as fast as it goes
    seed: int = 10
    model: str = ""  # empty: the default
    out: Path | None = None  # None: a new file in the data folder
    as_json: bool = False

    def __post_init__(self) -> None:
        if self.choice.virtual and self.speed != 1.0:
            raise typer.BadParameter("a virtual radio runs in real time", param_hint="--speed")


def run_demo(request: DemoRequest) -> None:
    """Exit code 1 if the replay differs from the session."""
    settings = load_settings()
    opened = open_chosen(settings, request.model)
    path = request.out or settings.sessions / f"demo-{datetime.now().astimezone():%Y%m%d-%H%M%S}.rehab"
    with errors.status("Waking the simulated patient"):
        recording = demo_recording(request.seed, request.seconds, request.choice.kind)
    played = _Demo(request, settings, opened, recording, path)
    _announce(request, recording, played.board.title)
    if request.choice.virtual:
        played.run_over_radio()
    else:
        played.run_at_once()
    same, replay_speed = played.replayed()
    _tell(request, played, same, replay_speed)
    if not same:
        errors.print("The replay differs from what was recorded: that is a defect, please report it.", style="bold red")
        raise typer.Exit(1)


class _Demo:
    """The session of a demo, with its updates and the truth."""

    session: LiveSession
    truth: Sequence[Segment]  # on the session's clock, once it has run

    def __init__(
        self, request: DemoRequest, settings: Settings, opened: Opened, recording: Recording, path: Path
    ) -> None:
        self.request, self.settings, self.opened, self.recording, self.path = request, settings, opened, recording, path
        side, score = recording.side, recording.subject.score
        title = f"Simulated patient, Fugl-Meyer {score}, {side} arm"
        self.board = Board(title, recording.rig, side, length_s=request.seconds, truth=recording.of(side))
        self.board.model = opened.described
        self.board.accuracy = in_words(opened.card, recording.rig.name, severity_of(score), 0)
        self.said: list[Update] = []

    def run_at_once(self) -> None:
        """The packets exist already and are passed on at the chosen speed."""
        request, recording = self.request, self.recording
        with asked_to_end() as asked:
            done = [segment for segment in recording.segments if segment.start_s < request.seconds]
            self._start(SimulatedSource(recording, request.seconds, request.speed), recording.rig, None, done)
            show(self.session, self.board, errors, asked)
        self.truth = recording.segments

    def run_over_radio(self) -> None:
        """Virtual sensors are found and connected; the calibration is known, its time is not counted."""
        seconds, recording = self.request.seconds, self.recording
        with contextlib.ExitStack() as stack:
            asked = stack.enter_context(asked_to_end())
            with errors.status("Listening for virtual sensors"):
                air = virtual_radio(self.settings, self.request.choice, recording)
                radio, rig, calibration, performance, begun_ns = stack.enter_context(air)
            self._start(RadioSource(radio, rig), rig, calibration, ())
            ahead = performance.segments(2 * seconds)  # connecting takes some seconds, no more
            ahead = shifted(ahead, time.monotonic_ns() - begun_ns)
            self.board.truth = tuple(each for each in ahead if each.side is recording.side)
            stack.enter_context(calibrating(self.session, recording, begun_ns))
            show(self.session, self.board, errors, asked, seconds=seconds)
        since_ns = self.session.origin_ns - begun_ns
        self.truth = shifted(performance.segments(since_ns / 1e9 + self.session.time_s), since_ns)
        with SessionFile.annotate(self.path) as file:  # only now: the session's clock begins with the first packet
            file.add_segments(REFERENCE, [each for each in self.truth if each.start_s < self.session.time_s])

    def _start(self, source: Source, rig: Rig, calibration: Calibration | None, done: Sequence[Segment]) -> None:
        request = SessionRequest(
            self.path,
            rig,
            self.recording.side,
            Plan(),
            self.opened,
            calibration,
            self.settings.align,
            {SIMULATION: describe_recording(self.recording)},
            done,
        )
        self.session = LiveSession(request, source, on_update=self._hear, on_frames=self.board.see)
        self.session.start()

    def _hear(self, update: Update) -> None:
        self.said.append(update)
        self.board.hear(update)

    def replayed(self) -> tuple[bool, float | None]:
        """Whether a replay of the file gives the same updates, and its speed in times real time."""
        again: list[Update] = []
        align = self.settings.align
        replay = LiveSession.replay(self.path, self.opened, None, on_update=again.append, align=align)
        with errors.status("Replaying"):
            replay.start()
            replay.wait()
        said = [update for update in self.said if not isinstance(update, Late)]
        return repr(said) == repr(again), replay.document()["times_real_time"]


def _announce(request: DemoRequest, recording: Recording, title: str) -> None:
    how_long = f"{request.seconds / request.speed:.0f} s" if request.speed else "as fast as it goes"
    errors.print(f"{title}: {request.seconds:.0f} s of a session ({how_long}); Ctrl+C ends it.", highlight=False)
    calibrated_s = recording.span("calibration", "done")[1]
    if request.seconds < calibrated_s + WORTH_COUNTING_S:
        errors.print(
            f"The first {calibrated_s:.0f} s are the calibration, in which nothing is counted; "
            f"take --seconds {round(calibrated_s + 3 * WORTH_COUNTING_S)} or more to see a count.",
            highlight=False,
        )


def _tell(request: DemoRequest, played: _Demo, same: bool, replay_speed: float | None) -> None:
    session, side, board = played.session, played.recording.side, played.board
    found = Comparison.of(played.said, played.truth, session.plan, side, session.time_s)
    if request.as_json:
        print_json(
            {
                "simulated": True,
                **session.document(),
                "comparison": found.document(),
                "replay": {"same": same, "times_real_time": replay_speed},
            }
        )
        return
    board.truth = tuple(segment for segment in played.truth if segment.side is side)
    output.print(board.picture(session.document()["times_real_time"]))
    output.print(_table(found))
    verdict = "the same updates, byte for byte" if same else "OTHER UPDATES"
    output.print(f"Replayed at {replay_speed} times real time: {verdict}.", markup=False)
    output.print(f"Kept as {played.path}", markup=False, soft_wrap=True)
    output.print("Simulated data. Research use only; not a medical device.", style="dim")


def _table(found: Comparison) -> Table:
    table = new_table("Counted, beside what the simulated patient really did", "", "counted", "true", "off by")
    for what, counted, true in found.rows():
        off = counted - true
        share = f" ({off / true:+.0%})" if true else ""
        style = "bold" if what == "task repetitions" else ""
        table.add_row(what, str(counted), str(true), f"{off:+d}{share}" if off else "0", style=style)
    return table

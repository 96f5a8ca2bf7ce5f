"""The live view in the terminal shows the important facts in 82 columns, in every state."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console
from rich.text import Text

from rehabcount.bedside.screen_state import ScreenState, advance
from rehabcount.cli.big_digits import big
from rehabcount.cli.board import Board, in_words, linked
from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.dose import ActivityDose, Count, Dose, Plan, PlannedActivity
from rehabcount.domain.limits import LOSS_DURING, LOW_BATTERY_PERCENT
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import CHANNELS, Frames
from rehabcount.domain.rig import Side, make_rig
from rehabcount.domain.sequence import Segment, Token
from rehabcount.domain.update import (
    Calibrated,
    ClockJump,
    Discarded,
    Doubt,
    Draft,
    Event,
    Gap,
    Late,
    LinkState,
    Lost,
    Mark,
    Phase,
    PhaseName,
    Returned,
    SensorHealth,
    SensorSet,
    Update,
)

RIG = make_rig("three", Side.RIGHT, "generic", 100.0)
PLAN = Plan((PlannedActivity("drinking", 40),))
DOSE = Dose(
    (Count("reach", Side.RIGHT, 7, 6.0), Count("idle", Side.RIGHT, 3, 12.0), Count("reach", Side.LEFT, 99, 1.0)),
    125.0,
    PLAN,
    repetitions=17,
    assisted_repetitions=2,
    activities=(ActivityDose("drinking", 17, 40),),
    use_ratio=1.25,
)


def frames(time_s: float, there: tuple[bool, ...] = (True, True, True)) -> Frames:
    valid = np.array([there])
    return Frames(round(time_s * 100), np.array([time_s]), np.zeros((1, 3, CHANNELS)), valid)


def drawn(board: Board) -> str:
    console = Console(file=io.StringIO(), width=82)
    console.print(board.picture(12.5))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture
def board() -> Board:
    found = Board("Monday", RIG, Side.RIGHT, plan=PLAN, length_s=60.0)
    found.accuracy = "accuracy on patients unknown"
    return found


def test_it_shows_counts_draft_and_ribbon(board: Board) -> None:
    said: list[Update] = [
        Phase(PhaseName.COUNTING, 0.0, "drinking"),
        DOSE,
        Event(1, Segment("reach", Side.RIGHT, 18.0, 20.0), 0.9),
        Event(2, Segment("idle", Side.LEFT, 18.0, 20.0), 0.9),
        Draft((Token("transport", Side.RIGHT, 20.0, 20.5, 0.8), Token("reach", Side.LEFT, 20.0, 20.5, 0.3))),
    ]
    for update in said:
        board.hear(update)
    board.see(frames(21.0))
    text = drawn(board)
    for line in big(17).splitlines():
        assert line in text
    for words in (
        "task repetitions of 40",
        "2.1 active minutes",
        "2 assisted, apart",
        "use ratio 1.25",
        "counting (drinking)",
        "drinking; in all 17",
        "12.5x real time",
        "transport 80%",
        "accuracy on patients unknown",
        "RRRRTT",
    ):
        assert words in text
    assert "99" not in text  # the other arm's
    assert max(map(len, text.splitlines())) <= 82


def test_what_stops_the_count_is_said(board: Board) -> None:
    board.hear(SensorSet(Side.LEFT, ("left-hand",), 1.0))
    assert "not counting" not in drawn(board)
    board.hear(SensorSet(Side.RIGHT, ("right-hand",), 1.0))
    assert "not counting: right-hand missing" in drawn(board)
    board.hear(SensorSet(Side.RIGHT, ("calibration",), 1.0))
    assert "not calibrated" in drawn(board)
    board.hear(Late(7.5))
    assert "7.5 s behind; nothing is lost" in drawn(board)


def test_a_sensor_that_is_gone_is_named(board: Board) -> None:
    board.see(frames(1.0))
    assert "right-hand" not in drawn(board)
    board.hear(SensorHealth("right-hand", LinkState.BACKING_OFF, 3.0))
    board.see(frames(3.0, (False, True, True)))
    assert "right-hand backing off" in drawn(board)


@pytest.mark.parametrize(
    ("update", "words"),
    [
        (Gap("a", 1.0, 2.0), "a: no data from 1.0 to 2.0 s"),
        (Lost("a", 1.0), "a: nothing since 1.0 s"),
        (Returned("a", 2.0), "a: back at 2.0 s"),
        (ClockJump("a", 1.0, -3.0), "leapt by -3.0 s"),
        (Discarded("a", Message.of(Code.SATURATED), 3, 1.0), "3 discarded by 1.0 s (saturated)"),
        (Doubt("a", None, 1.0), "a is well again"),
        (Mark(1.0, "[bold]"), "mark at 1.0 s: [bold]"),
        (Phase(PhaseName.PAUSED, 1.0), ""),
    ],
)
def test_news_in_words(board: Board, update: Update, words: str) -> None:
    assert words in in_words(update)
    board.hear(update)
    assert drawn(board)


def test_the_newest_calibration_stands(board: Board) -> None:
    assert "calibration" not in drawn(board)
    board.hear(Calibrated(Calibration((), 0.1, Verdict.REPEAT, (Message.free("Keep still."),)), False, 1.0))
    for at_s in range(10):
        board.hear(Mark(float(at_s)))
    assert "repeat (0.10), not used; Keep still." in drawn(board)
    board.hear(Calibrated(Calibration((), 0.8, Verdict.GOOD), True, 30.0))
    assert "good (0.80)" in drawn(board)
    assert "repeat" not in drawn(board)


def test_a_doubt_stands_as_long_as_it_lasts(board: Board) -> None:
    board.hear(Doubt("c7", Message.of(Code.TRUNK_TILTED), 1.0))
    for at_s in range(10):
        board.hear(Mark(float(at_s)))
    assert "c7 says that the trunk is tilted: calibrate again" in drawn(board)
    board.hear(Doubt("c7", None, 20.0))
    assert "calibrate again" not in drawn(board)
    assert "c7 is well again" in drawn(board)


def test_links_are_remarked_on_only_when_remarkable() -> None:
    def remark(*health: SensorHealth) -> str:
        state = ScreenState(PLAN, Side.RIGHT)
        for each in health:
            state = advance(state, each)
        return linked(state, "a")

    assert remark(SensorHealth("a", LinkState.STREAMING, 1.0, 60.0, 0.01, 0.1, 80)) == remark() == ""
    assert remark(SensorHealth("a", LinkState.STREAMING, 1.0, 50.0, 0.2, 0.1, 9)) == "20% lost battery 9 %"
    at_the_limits = SensorHealth("a", LinkState.STREAMING, 1.0, 50.0, LOSS_DURING, 0.1, LOW_BATTERY_PERCENT)
    assert remark(at_the_limits) == f"battery {LOW_BATTERY_PERCENT} %"


def test_numbers_are_three_lines_high() -> None:
    assert all(len(big(number).splitlines()) == 3 for number in (0, 7, 1234567890))


def test_news_that_come_while_it_is_drawn_do_no_harm(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine speaks from a thread of its own."""
    for at_s in range(3):
        board.hear(Mark(float(at_s)))

    def text(line: str = "", style: str = "") -> Text:
        board.hear(Mark(9.0))
        return Text(line, style=style)

    text.assemble = Text.assemble  # type: ignore[attr-defined]
    monkeypatch.setattr("rehabcount.cli.board.Text", text)
    board.picture()


def test_a_disk_that_takes_nothing_is_said(board: Board) -> None:
    assert "memory" not in drawn(board)
    board.trouble, board.unwritten_s = "There is no room left.", 31.4
    assert "There is no room left. 31 s are not on the disk" in drawn(board)

"""Terminal and window show the same for any updates, however many a screen takes at once."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from rehabcount.bedside.screen_state import ScreenState, advance, reached
from rehabcount.cli.big_digits import big
from rehabcount.cli.board import Board
from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.dose import ActivityDose, Count, Dose, Plan, PlannedActivity
from rehabcount.domain.labels import IDLE, PRIMITIVES
from rehabcount.domain.limits import LOSS_DURING, LOW_BATTERY_PERCENT
from rehabcount.domain.message import Code, Message
from rehabcount.domain.motion import CHANNELS, Frames
from rehabcount.domain.rig import Side, make_rig
from rehabcount.domain.sequence import Segment, Token
from rehabcount.domain.update import (
    UNCALIBRATED,
    Adjusted,
    Calibrated,
    CalibrationAsked,
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
    Unmarked,
    Update,
)

RIG = make_rig("three", Side.RIGHT, "generic", 100.0)
PLANS = (Plan(), Plan((PlannedActivity("cards", 10), PlannedActivity("shelf"))))

small = st.integers(0, 300)
moments = st.floats(0.0, 500.0).map(lambda s: round(s, 2))
sides, sensors = st.sampled_from(Side), st.sampled_from(RIG.names)
labels = st.sampled_from(PRIMITIVES.names)
activities = st.sampled_from(("", "cards", "shelf"))
segments = st.builds(lambda label, side, at_s: Segment(label, side, at_s, at_s + 1.0), labels, sides, moments)
doses = st.builds(
    lambda numbers, active_s, repetitions, assisted, cards: Dose(
        tuple(Count(name, side, n, n / 2) for (name, side), n in numbers.items()),
        active_s,
        PLANS[1],
        repetitions,
        assisted,
        (ActivityDose("cards", cards, 10),),
    ),
    st.dictionaries(st.tuples(labels, sides), small, max_size=8),
    moments,
    small,
    small,
    small,
)
healths = st.builds(
    SensorHealth,
    sensors,
    st.sampled_from(LinkState),
    moments,
    loss=st.none() | st.floats(0.0, 1.0) | st.just(LOSS_DURING),
    battery_percent=st.none() | st.integers(0, 100) | st.integers(LOW_BATTERY_PERCENT - 1, LOW_BATTERY_PERCENT + 1),
)
missing = st.sampled_from(((), (UNCALIBRATED,), ("right-hand",), (UNCALIBRATED, "right-hand")))
calibrations = st.builds(Calibration, st.just(()), st.floats(0.0, 1.0), st.sampled_from(Verdict))
updates: st.SearchStrategy[Update] = st.one_of(
    doses,
    healths,
    st.builds(Event, small, segments, st.just(0.9)),
    st.builds(lambda seg: Draft((Token(seg.label, seg.side, seg.start_s, seg.end_s, 0.5),)), segments),
    st.builds(Phase, st.sampled_from(PhaseName), moments, activities),
    st.builds(Adjusted, st.sampled_from((-1, 1)), moments, activities),
    st.builds(Late, st.floats(0.0, 30.0)),
    st.builds(Lost, sensors, moments),
    st.builds(Returned, sensors, moments),
    st.builds(SensorSet, sides, missing, moments),
    st.builds(Calibrated, calibrations, st.booleans(), moments),
    st.builds(CalibrationAsked, st.just(()), moments),
    st.builds(Doubt, sensors, st.sampled_from((None, Message.of(Code.TRUNK_TILTED))), moments),
    st.builds(Gap, sensors, moments, moments),
    st.builds(ClockJump, sensors, moments, moments),
    st.builds(Discarded, sensors, st.just(Message.of(Code.SATURATED)), small, moments),
    st.builds(Mark, moments),
    st.builds(Unmarked, moments),
)
# Updates with their session time; the window takes all collected updates at each `True`.
stories = st.lists(st.tuples(updates, st.floats(0.0, 2.0), st.booleans()), max_size=30)


def frames(time_s: float) -> Frames:
    there = np.ones((1, len(RIG)), bool)
    return Frames(round(time_s * 100), np.array([time_s]), np.zeros((1, len(RIG), CHANNELS)), there)


def as_the_window(story: Sequence[tuple[Update, float, bool]], plan: Plan) -> ScreenState:
    """A tick takes all collected updates, then the newest frames: `LiveScreen.tick`."""
    state, waiting, now_s = ScreenState(plan, Side.RIGHT, "AB"), list[Update](), 0.0
    for number, (update, length_s, ticks) in enumerate(story):
        waiting.append(update)
        now_s += length_s
        if ticks or number == len(story) - 1:
            for each in waiting:
                state = advance(state, each)
            state = reached(state, now_s)
            waiting.clear()
    return state


def as_the_terminal(story: Sequence[tuple[Update, float, bool]], plan: Plan) -> Board:
    """The board takes each update and frame separately: `cli/live_view.py`."""
    board, now_s = Board("Monday", RIG, Side.RIGHT, plan=plan), 0.0
    board.see(frames(0.0))
    for update, length_s, _ in story:
        board.hear(update)
        now_s += length_s
        board.see(frames(now_s))
    return board


def drawn(board: Board) -> tuple[str, str]:
    """The picture; and its words one after the other, wherever lines broke."""
    console = Console(file=io.StringIO(), width=82)
    console.print(board.picture())
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    return text, " ".join(re.sub("[│╭╮╰╯─━╸╺]", " ", text).split())


@given(stories, st.sampled_from(PLANS))
def test_window_and_terminal_show_the_same(story: list[tuple[Update, float, bool]], plan: Plan) -> None:
    window, board = as_the_window(story, plan), as_the_terminal(story, plan)
    terminal = board.state
    for name in (
        "repetitions", "number", "target", "present", "primitives", "dose", "active_s",
        "phase", "said_phase", "activity", "counts", "lacking", "calibrated", "behind_s",
        "lost", "health", "lossy", "low_batteries", "doubts", "adjustments", "now_s",
    ):  # fmt: skip
        assert getattr(window, name) == getattr(terminal, name), name
    picture, words = drawn(board)
    for line in big(window.number).splitlines():
        assert line.rstrip() in picture
    assert f"task repetitions of {window.target}" in words if window.target else "task repetitions" in words
    if window.present:
        assert f"{window.present}; in all {window.repetitions}" in words
    assert f"{window.active_s / 60:.1f} active minutes" in words
    for label in PRIMITIVES.labels:
        number, length_s = window.primitive(label.name)
        shown = f"{length_s:.0f} s" if label == IDLE else str(number)
        assert re.search(rf" {label.letter}  {label.name} +{shown} ", picture), (label.name, shown)
    lacks = [name for name in window.lacking if name != UNCALIBRATED]
    if lacks:
        assert f"not counting: {', '.join(lacks)} missing" in words
    elif window.lacking:
        assert "not counting: not calibrated" in words
    else:
        activity = f" ({window.activity})" if window.activity else ""
        assert f" s {window.said_phase}{activity}" in words
    assert (f"counting is {window.behind_s:.1f} s behind" in words) == bool(window.behind_s)
    if window.calibrated is not None:
        found, unused = window.calibrated.calibration, "" if window.calibrated.used else ", not used"
        assert f"calibration {found.verdict} ({found.quality:.2f}){unused}" in words
    for name in RIG.names:
        assert (f"○ {name}" in words) == (name in window.lost)
        assert (f"{name} says that the trunk is tilted: calibrate again" in words) == (name in window.doubts)
    for name in window.lossy:
        assert f"{window.health[name].loss:.0%} lost" in words
    for _, percent in window.low_batteries:
        assert f"battery {percent} %" in words
    assert ("battery" in words) == bool(window.low_batteries)

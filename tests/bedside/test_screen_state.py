"""The live screen's state, without Qt: every update, every action, the undo of every edit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.bedside import screen_state as acts
from rehabcount.bedside.screen_state import (
    ASSISTED,
    CALIBRATING,
    COUNTING,
    ENDED,
    PAUSED,
    READY,
    ScreenState,
    Step,
    advance,
    reached,
)
from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.dose import ActivityDose, Count, Dose, Plan, PlannedActivity
from rehabcount.domain.limits import LATE_S, LOSS_DURING, LOW_BATTERY_PERCENT
from rehabcount.domain.message import Message
from rehabcount.domain.rig import Side
from rehabcount.domain.sequence import Segment, Token
from rehabcount.domain.update import (
    UPDATE_KINDS,
    Adjusted,
    Believing,
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
    Repeated,
    Returned,
    SensorHealth,
    SensorSet,
    Unmarked,
    Update,
)
from rehabcount.inference.addendum import default_belief

PLAN = Plan((PlannedActivity("drinking", 10), PlannedActivity("shelf"), PlannedActivity("towel", 5)))
FRESH = ScreenState(PLAN, Side.RIGHT, who="AB")


def dose(repetitions: int, active_s: float = 60.0) -> Dose:
    return Dose(
        counts=(
            Count("reach", Side.RIGHT, 7, 9.0),
            Count("reach", Side.LEFT, 99, 9.0),
            Count("idle", Side.RIGHT, 3, 8.0),
        ),
        active_s=active_s,
        plan=PLAN,
        repetitions=repetitions,
        activities=(ActivityDose("drinking", repetitions, 10),),
    )


def event(number: int, start_s: float, end_s: float, side: Side = Side.RIGHT) -> Event:
    return Event(number, Segment("reach", side, start_s, end_s), 0.9)


@pytest.mark.parametrize(
    ("loss", "percent", "lossy", "low"),
    [
        (LOSS_DURING, LOW_BATTERY_PERCENT + 1, (), ()),
        (LOSS_DURING + 0.01, LOW_BATTERY_PERCENT, ("a",), (("a", LOW_BATTERY_PERCENT),)),
        (None, None, (), ()),
    ],
)
def test_what_is_wrong_with_a_link_begins_at_the_limits(
    loss: float | None, percent: int | None, lossy: tuple[str, ...], low: tuple[tuple[str, int], ...]
) -> None:
    state = advance(FRESH, SensorHealth("a", LinkState.STREAMING, 1.0, 60.0, loss, 0.1, percent))
    assert (state.lossy, state.low_batteries) == (lossy, low)


def test_counting_is_behind_when_that_is_more_than_its_own_delay() -> None:
    assert [advance(FRESH, Late(s)).behind_s for s in (0.0, LATE_S, LATE_S + 1.0)] == [0.0, 0.0, LATE_S + 1.0]


@pytest.mark.parametrize(
    ("phase", "counts"),
    [("", True), (CALIBRATING, False), (COUNTING, True), (ASSISTED, True), (PAUSED, False), (ENDED, False)],
)
def test_what_counting_lacks_matters_while_it_is_to_count(phase: str, counts: bool) -> None:
    """A session without phases counts throughout."""
    state = advance(advance(FRESH, SensorSet(Side.RIGHT, ("hand",), 1.0)), Late(LATE_S + 1.0))
    if phase:
        state = advance(state, Phase(PhaseName(phase), 2.0))
    assert state.said_phase == (phase or COUNTING)
    assert (state.counts, bool(state.lacking), bool(state.behind_s)) == (counts, counts, counts)


def begun(at_s: float = 0.0) -> ScreenState:
    return acts.start(reached(FRESH, at_s)).state


def echoed(step: Step, at_s: float) -> ScreenState:
    """The state after the session has echoed all entries with its own times."""
    state = step.state
    for words in step.words:
        state = advance(state, replace(words, at_s=at_s))
    return state


# -- updates ----------------------------------------------------------------------------------------------------------


def test_a_dose_shows() -> None:
    state = advance(FRESH, dose(4, active_s=30.0))
    assert (state.repetitions, state.number, state.target) == (4, 4, 10)  # of drinking, which comes first
    assert state.primitive("reach") == (7, 9.0)
    assert state.primitives == 7  # without idle and the other arm
    assert (state.repetitions_of("drinking"), state.target_of("drinking"), state.target_of("shelf")) == (4, 10, None)


def test_the_pace_is_that_of_the_summary_with_any_active_time() -> None:
    """Pauses and assisted time are left out; idle time is not."""
    state = advance(begun(10.0), dose(6, active_s=12.0))
    for act, at_s in ((acts.toggle_assist, 40.0), (acts.toggle_assist, 50.0), (acts.toggle_pause, 70.0)):
        state = act(reached(state, at_s)).state
    state = reached(state, 300.0)
    assert state.counted_s == pytest.approx(30.0 + 20.0)
    assert state.pace_per_min == pytest.approx(6 / 50.0 * 60)


def test_nothing_is_shown_before_there_is_something() -> None:
    assert FRESH.counted_s == 0.0
    assert (FRESH.repetitions, FRESH.pace_per_min, FRESH.elapsed_s, FRESH.primitive("reach")) == (
        0,
        None,
        0.0,
        (0, 0.0),
    )


def test_a_settled_event_takes_the_place_of_its_draft() -> None:
    state = advance(FRESH, Draft((Token("reach", Side.RIGHT, 1, 2, 0.5), Token("reach", Side.LEFT, 1, 2, 0.5))))
    state = advance(state, event(1, 1.0, 2.1))
    assert [token.side for token in state.draft] == [Side.LEFT]
    assert [each.number for each in state.events] == [1]


def test_old_events_and_gaps_leave_the_ribbon() -> None:
    state = FRESH
    for number in range(200):
        state = reached(advance(state, event(number + 1, number, number + 1)), number + 1)
        state = advance(state, Gap("hand", number, number + 0.5))
    assert len(state.events) <= acts.RIBBON_KEPT_S + 1
    assert len(state.gaps) <= acts.RIBBON_KEPT_S + 1
    assert state.events[-1].number == 200


def test_bad_news_shows_and_goes() -> None:
    state = advance(advance(FRESH, Lost("hand", 3.0)), Lost("sternum", 2.0))
    assert state.trouble == (("sternum", 2.0), ("hand", 3.0))
    assert advance(state, Returned("hand", 5.0)).trouble == (("sternum", 2.0),)
    assert advance(FRESH, Late(4.0)).late_s == 4.0
    assert (
        advance(
            advance(FRESH, Discarded("hand", Message.free("short"), 2, 1.0)),
            Discarded("hand", Message.free("short"), 3, 2.0),
        ).discarded
        == 5
    )
    assert advance(FRESH, ClockJump("hand", 1.0, 9.0)).clock_jumps == 1
    health = SensorHealth("hand", LinkState.STREAMING, 1.0, battery_percent=40)
    assert advance(FRESH, health).health["hand"].battery_percent == 40


SAMPLES: dict[type[Update], Update] = {
    Draft: Draft(()),
    Event: event(1, 0, 1),
    Dose: dose(1),
    Gap: Gap("hand", 0, 1),
    Lost: Lost("hand", 1),
    Returned: Returned("hand", 2),
    Late: Late(1),
    ClockJump: ClockJump("hand", 1, 1),
    Discarded: Discarded("hand", Message.free("x"), 1, 1),
    SensorHealth: SensorHealth("hand", LinkState.LOST, 1),
    Mark: Mark(1),
    Unmarked: Unmarked(1),
    Adjusted: Adjusted(1, 1.0),
    Phase: Phase(COUNTING, 1.0),
    CalibrationAsked: CalibrationAsked((), 1.0),
    Calibrated: Calibrated(Calibration((), 0.9, Verdict.GOOD), True, 1.0),
    SensorSet: SensorSet(Side.RIGHT, ("hand",), 1.0),
    Doubt: Doubt("hand", Message.free("upside down"), 1.0),
    Believing: Believing(default_belief()),
    Repeated: Repeated("curl", Side.RIGHT, 1, 0.0, 1.0, 0.9, 1.0),
}


@pytest.mark.parametrize("kind", UPDATE_KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_update_is_understood(kind: type[Update]) -> None:
    assert isinstance(advance(FRESH, SAMPLES[kind]), ScreenState)


def test_what_counting_lacks_is_that_of_the_trained_arm() -> None:
    state = advance(FRESH, SensorSet(Side.RIGHT, ("hand",), 1.0))
    assert state.missing == ("hand",)
    assert advance(state, SensorSet(Side.LEFT, (), 2.0)).missing == ("hand",)
    assert advance(state, SensorSet(Side.RIGHT, (), 2.0)).missing == ()


def test_doubts_come_and_go() -> None:
    state = advance(FRESH, Doubt("hand", Message.free("upside down"), 1.0))
    assert dict(state.doubts) == {"hand": Message.free("upside down")}
    assert not advance(state, Doubt("hand", None, 2.0)).doubts


def test_a_replay_has_phases_without_a_press() -> None:
    state = advance(FRESH, Phase(COUNTING, 2.0, "drinking"))
    assert (state.phase, state.activity, state.begun_s) == (COUNTING, "drinking", 2.0)
    assert state.unheard == ()


# -- actions ----------------------------------------------------------------------------------------------------------


def test_start_begins_with_the_first_activity() -> None:
    step = acts.start(reached(FRESH, 3.0))
    assert step.words == (Phase(COUNTING, 3.0, "drinking"),)
    assert (step.state.phase, step.state.activity, step.state.begun_s) == (COUNTING, "drinking", 3.0)
    assert acts.start(step.state).words == ()
    assert acts.start(replace(FRESH, plan=Plan())).words == (Phase(COUNTING, 0.0, ""),)


def test_pause_and_resume_and_the_way_back_into_assistance() -> None:
    state = acts.toggle_pause(begun()).state
    assert state.phase == PAUSED
    assert acts.toggle_pause(state).state.phase == COUNTING
    helped = acts.toggle_pause(acts.toggle_assist(begun()).state).state
    assert acts.toggle_pause(helped).state.phase == ASSISTED


def test_assist_toggles() -> None:
    state = acts.toggle_assist(begun()).state
    assert state.phase == ASSISTED
    assert acts.toggle_assist(state).state.phase == COUNTING
    assert acts.toggle_assist(FRESH).words == ()


def test_what_goes_on_is_drafted_until_now() -> None:
    """The session reports a draft when it changes, not while it lasts."""
    tokens = (
        Token("idle", Side.RIGHT, 10.0, 11.0, 0.9),
        Token("other", Side.RIGHT, 11.0, 11.6, 0.9),
        Token("idle", Side.LEFT, 5.0, 11.6, 0.9),
    )
    state = advance(reached(begun(), 12.0), Draft(tokens))
    ends = [state.drafted_until_s(token, 40.0) for token in state.draft]
    assert ends == pytest.approx([11.0, 39.6, 39.6])
    blind = advance(state, SensorSet(Side.RIGHT, ("hand",), 20.0))
    paused = acts.toggle_pause(state).state
    assert [each.drafted_until_s(tokens[1], 40.0) for each in (blind, paused)] == [11.6, 11.6]


def test_a_pause_stays_one_although_assist_is_pressed() -> None:
    for before in (begun(), acts.toggle_assist(begun()).state):
        paused = acts.toggle_pause(before).state
        step = acts.toggle_assist(paused)
        assert (step.state.phase, step.words) == (PAUSED, ())
        assert acts.toggle_pause(step.state).state.phase == before.phase


def test_activities_follow_the_plan_to_its_end() -> None:
    state = begun()
    seen = [state.activity]
    while state.next_activity is not None:
        state = acts.next_activity(state).state
        seen.append(state.activity)
    assert seen == ["drinking", "shelf", "towel"]
    assert acts.next_activity(state).words == ()
    assert acts.choose_activity(state, "shelf").words == (Phase(COUNTING, 0.0, "shelf"),)


def test_next_activity_while_paused_stays_paused() -> None:
    state = acts.next_activity(acts.toggle_pause(begun()).state).state
    assert (state.phase, state.activity) == (PAUSED, "shelf")


def test_adjustments_are_signed_and_belong_to_their_activity() -> None:
    step = acts.adjust(advance(begun(), dose(3)), 1)
    assert step.words == (Adjusted(1, 0.0, "drinking", "AB"),)
    assert (step.state.repetitions, step.state.repetitions_of("drinking"), step.state.repetitions_of("shelf")) == (
        4,
        4,
        0,
    )


def test_there_are_never_fewer_than_none() -> None:
    assert acts.adjust(begun(), -1).words == ()
    state = acts.adjust(advance(begun(), dose(1)), -1).state
    assert state.repetitions == 0
    assert acts.adjust(state, -1).words == ()


def test_the_patients_number_never_falls() -> None:
    state = acts.adjust(advance(begun(), dose(5)), -1).state
    assert (state.repetitions, state.for_patient) == (4, 5)
    assert advance(state, dose(7)).for_patient == 6


def of_each(drinking: int, shelf: int, towel: int) -> Dose:
    done = (ActivityDose("drinking", drinking, 10), ActivityDose("shelf", shelf), ActivityDose("towel", towel, 5))
    return replace(dose(drinking + shelf + towel), activities=done)


def test_many_of_one_activity_do_not_hide_another_that_is_unfinished() -> None:
    state = advance(acts.choose_activity(begun(), "towel").state, of_each(13, 0, 2))
    assert (state.repetitions, state.plan.target) == (15, 15)
    assert (state.number, state.target, state.target_reached) == (2, 5, False)
    assert state.of_plan == 12
    assert advance(state, of_each(13, 0, 5)).target_reached


def test_where_no_activity_was_named_the_number_is_the_sessions() -> None:
    free = advance(acts.start(ScreenState(Plan(), Side.RIGHT)).state, replace(dose(4), plan=Plan(), activities=()))
    assert (free.number, free.target, free.target_reached, free.of_plan) == (4, None, False, None)
    assert advance(acts.choose_activity(begun(), "shelf").state, of_each(3, 4, 0)).target_reached is False


def test_what_is_taken_away_is_of_the_present_activity() -> None:
    state = acts.choose_activity(advance(begun(), of_each(5, 0, 0)), "towel").state
    assert acts.adjust(state, -1).words == ()


def test_each_activity_has_its_number_for_the_patient() -> None:
    state = acts.adjust(advance(begun(), of_each(5, 0, 0)), -1).state
    there = acts.choose_activity(state, "towel").state
    assert (there.for_patient, acts.choose_activity(there, "drinking").state.for_patient) == (0, 5)


def test_mark() -> None:
    step = acts.mark(reached(begun(), 9.0), "pain")
    assert step.words == (Mark(9.0, "pain"),)
    assert step.state.marks == (Mark(9.0, "pain"),)


def test_nothing_is_done_after_the_end() -> None:
    state = acts.end(begun()).state
    assert state.phase == ENDED
    for act in (
        acts.toggle_pause,
        acts.toggle_assist,
        acts.next_activity,
        lambda s: acts.adjust(s, 1),
        acts.mark,
        acts.undo,
        acts.end,
    ):
        assert act(state).words == ()


EDITS: dict[str, Callable[[ScreenState], Step]] = {
    "pause": acts.toggle_pause,
    "assist": acts.toggle_assist,
    "next": acts.next_activity,
    "plus": lambda state: acts.adjust(state, 1),
    "minus": lambda state: acts.adjust(state, -1),
    "mark": lambda state: acts.mark(state, "x"),
}


def shown(state: ScreenState) -> tuple[object, ...]:
    """All that an action can change on the screen."""
    return state.phase, state.activity, state.repetitions, len(state.marks)


@pytest.mark.parametrize("name", EDITS)
def test_every_edit_can_be_undone(name: str) -> None:
    before = advance(begun(), dose(5))
    after = EDITS[name](before).state
    assert shown(after) != shown(before)
    back = acts.undo(after)
    assert shown(back.state) == shown(before)
    assert back.words, "the session must hear of it"
    assert acts.undo(back.state).words == ()


@given(st.lists(st.sampled_from(sorted(EDITS)), max_size=12))
def test_undoing_everything_leads_back(names: list[str]) -> None:
    state = advance(begun(), dose(5))
    trail = [shown(state)]
    for name in names:
        step = EDITS[name](state)
        if step.words:
            trail.append(shown(step.state))
        state = step.state
    while state.done:
        assert shown(state) == trail.pop()
        state = acts.undo(state).state
    assert shown(state) == trail.pop()
    assert not trail


@given(st.lists(st.sampled_from(sorted(EDITS)), max_size=12), st.data())
def test_echoes_change_nothing_but_dates(names: list[str], data: st.DataObject) -> None:
    """The screen shows all actions, however late their echoes come."""
    state = advance(begun(), dose(5))
    waiting: list[acts.Words] = [Phase(COUNTING, 0.3, "drinking")]
    for name in names:
        step = EDITS[name](state)
        state = step.state
        waiting += [replace(words, at_s=words.at_s + 0.3) for words in step.words]
        for _ in range(data.draw(st.integers(0, len(waiting)))):
            before = shown(state)
            state = advance(state, waiting.pop(0))
            assert shown(state) == before
    for words in waiting:
        state = advance(state, words)
    assert state.unheard == ()
    assert {phase.at_s for phase in state.phases} == {0.3}
    assert state.begun_s == 0.3
    # A second screen that only gets the updates shows the same.
    listener = advance(FRESH, dose(5))
    for words in (*state.phases,):
        listener = advance(listener, words)
    assert (listener.phase, listener.activity) == (state.phase, state.activity)


def test_what_was_said_before_the_start_does_not_undo_it() -> None:
    pressed = acts.start(reached(FRESH, 30.0))
    state = advance(pressed.state, Phase(PhaseName.CALIBRATING, 0.0))
    assert state.phase == COUNTING
    state = advance(state, replace(pressed.words[0], at_s=30.2))
    assert [(phase.name, phase.at_s) for phase in state.phases] == [("calibrating", 0.0), (COUNTING, 30.2)]
    assert (state.phase, state.begun_s, state.unheard) == (COUNTING, 30.2, ())


def test_ready_is_where_it_begins() -> None:
    assert FRESH.phase == READY
    assert acts.toggle_pause(FRESH).state.phase == COUNTING
    assert echoed(acts.start(FRESH), 2.5).begun_s == 2.5


def test_the_clock_since_start_never_runs_back() -> None:
    """The screen dates Start by the last news, here 11 s old; the session's own date comes a moment later."""
    step = acts.start(FRESH)
    shown = [reached(step.state, 11.5).elapsed_s]
    dated = echoed(step, 11.0)
    shown += [reached(dated, at_s).elapsed_s for at_s in (11.5, 12.0)]
    assert shown == [0.0, 0.5, 1.0]

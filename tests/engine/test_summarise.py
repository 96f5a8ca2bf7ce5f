"""A summary's numbers are those of the session file: against SQL and a count by hand."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.bedside import counting
from rehabcount.bedside import session as live
from rehabcount.bedside.counted_before import find_earlier
from rehabcount.domain.corrected import corrected
from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.dose import ActivityDose, Dose, Plan, PlannedActivity, pace_per_min
from rehabcount.domain.rig import Rig, Side, make_rig
from rehabcount.domain.sequence import Segment
from rehabcount.domain.session_summary import Bin
from rehabcount.domain.update import Adjusted, Believing, Event, Mark, Phase, PhaseName, SensorSet, Unmarked, Update
from rehabcount.engine.summarise import (
    MDC,
    adjusted,
    bin_length,
    by_hand_in,
    facts_of,
    keep_dose,
    known_models,
    marks_of,
    model_of,
    phases_of,
    summarise,
    time_in,
)
from rehabcount.engine.tally import Tally
from rehabcount.inference.addendum import default_belief
from rehabcount.inference.card import Evidence, MeasuredScore, read_card
from rehabcount.store.documents import DOSE, PATIENT, PLAN, SIDE, SIMULATION, Documents, Owner, TrainedSide
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of
from tests.counted import MODEL, make_counted_session


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_counted_session(tmp_path_factory.mktemp("counted") / "a.rehab")


def phase_at(connection: sqlite3.Connection, time_s: float) -> str:
    query = """SELECT json_extract(content, '$.name') FROM session_update
               WHERE kind = 'Phase' AND at_s <= ? ORDER BY at_s DESC LIMIT 1"""
    row = connection.execute(query, (time_s,)).fetchone()
    return str(row[0]) if row else "counting"


def by_hand(path: Path, rows: list[tuple[str, float, float]]) -> tuple[int, int]:
    """Task repetitions, alone and with help: runs of transport and stabilize that hold a transport."""
    alone = helped = 0
    holding_until, counted_run = -10.0, False
    with sqlite3.connect(path) as connection:
        for label, start_s, end_s in rows:
            phase = phase_at(connection, (start_s + end_s) / 2)
            if phase not in ("counting", "assisted") or label not in ("transport", "stabilize"):
                holding_until = -10.0
                continue
            if start_s - holding_until > 2.0:
                counted_run = False
            holding_until = end_s
            if label == "transport" and not counted_run:
                counted_run = True
                alone += phase == "counting"
                helped += phase == "assisted"
    return alone, helped


def test_automatic_numbers_equal_those_of_the_file(counted: Path) -> None:
    with SessionFile.open(counted) as session:
        summary = summarise(session)
    with sqlite3.connect(counted) as connection:
        rows = connection.execute(
            "SELECT label, start_s, end_s FROM event WHERE counting = 1 AND side = 'left' ORDER BY number"
        ).fetchall()
        reaches = [row for row in rows if row[0] == "reach" and phase_at(connection, sum(row[1:]) / 2) == "counting"]
    assert (summary.automatic.repetitions, summary.automatic.assisted_repetitions) == by_hand(counted, rows)
    assert summary.agreement.primitives[1].automatic == len(reaches) > 20
    assert summary.length_s == 720.0
    assert summary.entries == 8
    assert summary.model is not None
    assert summary.model.sha256 == MODEL
    assert "Accuracy on patients unknown" in summary.model.accuracy


def test_corrected_numbers_follow_the_corrections(counted: Path) -> None:
    with SessionFile.open(counted) as session:
        summary = summarise(session)
        events = [update for update in session.updates(1) if isinstance(update, Event)]
        standing = corrected(events, session.corrections(1))
    rows = [
        (each.segment.label, each.segment.start_s, each.segment.end_s)
        for each in standing
        if each.segment.side is Side.LEFT
    ]
    assert (summary.dose.repetitions, summary.dose.assisted_repetitions) == by_hand(counted, rows)
    found = summary.agreement
    assert (found.removed, found.added, found.opinions) == (2, 1, 6)
    assert found.changed == 3
    assert found.corrected == 6  # the log has eight entries, and two of them take something back
    assert found.kept == len(events) - 5
    assert [(editor.who, editor.entries) for editor in summary.editors] == [("AB", 7), ("CD", 1)]


def test_the_time_course_adds_up(counted: Path) -> None:
    with SessionFile.open(counted) as session:
        summary = summarise(session)
    assert sum(each.repetitions for each in summary.bins) == summary.dose.repetitions
    assert sum(each.assisted_repetitions for each in summary.bins) == summary.dose.assisted_repetitions
    assert sum(each.active_s for each in summary.bins) == pytest.approx(summary.dose.active_s, abs=0.05)
    assert len(summary.bins) == 12
    assert {activity.name: activity.target for activity in summary.dose.activities} == {
        "drinking": 40,
        "shelf": 30,
        "combing": None,
    }
    assert summary.missing[0].gaps == 2
    assert summary.missing[0].length_s == 4.5
    assert summary.paused_s == pytest.approx(36.0)
    assert summary.assisted_s == pytest.approx(57.6)
    assert summary.notes[0].note == "Shoulder hurts a little"
    assert not summary.simulated


def test_there_is_one_clock_since_start(counted: Path) -> None:
    """Start was 21.6 s into the record; the chart begins there, and so does every time that is read."""
    with SessionFile.open(counted) as session:
        summary = summarise(session)
        (first, *_) = (update for update in session.updates(None) if isinstance(update, Phase))
    assert first.name == PhaseName.COUNTING
    assert first.at_s == pytest.approx(21.6)
    assert summary.start_s == pytest.approx(21.6)
    assert summary.bins[0].start_s == 0
    assert summary.bins[-1].end_s == pytest.approx(720 - 21.6)
    assert summary.bins[0].repetitions > 0  # the minute of the set-up is no empty bar
    assert summary.since_start(summary.notes[0].at_s) == pytest.approx(95.0 - 21.6)
    (pause,) = summary.pauses
    assert pause.start_s == pytest.approx(288 - 21.6)
    assert pause.end_s == pytest.approx(324 - 21.6)


def test_the_pace_is_of_the_time_that_was_counted(counted: Path) -> None:
    with SessionFile.open(counted) as session:
        summary = summarise(session)
    assert summary.assisted_s > 0
    minutes = summary.counting_s / 60  # as it is shown: without pauses, and without help
    assert summary.pace_per_min == pytest.approx(summary.dose.repetitions / minutes)
    assert summary.counting_s + summary.assisted_s + summary.paused_s == pytest.approx(0.96 * 720)
    assert pace_per_min(16, 196.0) == pytest.approx(4.9, abs=0.01)  # 16 in 3:16 are 5, however little the arm moved
    assert pace_per_min(1, 9.0) is None


def test_what_goes_beyond_one_target_makes_up_for_no_other() -> None:
    plan = Plan((PlannedActivity("cups", 12), PlannedActivity("shelf", 8), PlannedActivity("cards")))
    done = (ActivityDose("cups", 17, 12), ActivityDose("shelf", 3, 8), ActivityDose("cards", 9))
    assert Dose((), 0.0, plan, 29, activities=done).of_plan == 15
    assert Dose((), 0.0, plan).of_plan == 0
    assert Dose((), 0.0, Plan((PlannedActivity("cards"),)), 9).of_plan is None


def test_a_session_that_nobody_counted_has_zeros_and_no_model(tmp_path: Path) -> None:
    path = tmp_path / "b.rehab"
    SessionFile.create(path, make_rig("five", Side.RIGHT, "generic", 100.0)).close()
    with SessionFile.open(path) as session:
        summary = summarise(session)
        with pytest.raises(ValueError, match="counting must be"):
            summarise(session, 3)
    assert summary.counting is None
    assert summary.model is None
    assert summary.dose.repetitions == summary.length_s == 0
    assert summary.assisted_share is None
    assert summary.pace_per_min is None
    assert summary.side is Side.RIGHT  # three of its sensors are there
    assert summary.agreement.share_kept is None
    assert len(summary.bins) == 1


def test_a_recount_is_summarised_apart(tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "c.rehab", minutes=4, simulated=True)
    with SessionFile.annotate(path) as session:
        session.begin_counting("ab" * 32)
        first, second = summarise(session, 1), summarise(session, 2)
        assert summarise(session) == first  # the one with corrections
        session.correct(2, Correction(Action.ADD, "AB", 1, segment=Segment("idle", Side.LEFT, 0.0, 1.0)))
        assert summarise(session).counting == 2
    assert first.dose.repetitions > 0
    assert second.dose.repetitions == 0
    assert second.entries == 0
    assert second.model is not None
    assert second.model.evidence == ""  # the file describes another artifact
    assert first.simulated


def test_a_counting_of_an_earlier_version_keeps_its_number(tmp_path: Path) -> None:
    """Without a `Believing` every run counts, as it did; with one the same events are believed."""
    said = [("reach", 0.9), ("transport", 0.5), ("idle", 0.9)] * 6
    events = [Event(i + 1, Segment(label, Side.RIGHT, float(i), i + 0.9), sure) for i, (label, sure) in enumerate(said)]
    with SessionFile.create(tmp_path / "a.rehab", Rig("none", ())) as session:
        session.put_document(SIDE, TrainedSide(Side.RIGHT))
        session.begin_counting(MODEL)
        session.accept(*events)
        session.begin_counting(MODEL)
        session.accept(Believing(default_belief()), *events)
        before, now = summarise(session, 1), summarise(session, 2)
    assert before.dose.repetitions == 6
    assert now.dose.repetitions < 6
    assert before.dose.counts == now.dose.counts


def test_what_a_person_confirmed_is_certain(tmp_path: Path) -> None:
    said = [("idle", 0.6), ("reach", 0.6), ("transport", 0.35), ("idle", 0.6)]
    events = [Event(i + 1, Segment(label, Side.RIGHT, float(i), i + 1.0), sure) for i, (label, sure) in enumerate(said)]
    with SessionFile.create(tmp_path / "a.rehab", Rig("none", ())) as session:
        session.put_document(SIDE, TrainedSide(Side.RIGHT))
        session.begin_counting(MODEL)
        session.accept(Believing(default_belief()), *events)
        doubted = summarise(session)
        session.correct(1, *(Correction(Action.CONFIRM, "AB", 1, number) for number in (1, 2, 3, 4)))
        confirmed = summarise(session)
        session.correct(1, Correction(Action.REMOVE, "AB", 2, 3))
        removed = summarise(session)
    assert (doubted.dose.repetitions, confirmed.dose.repetitions, removed.dose.repetitions) == (0, 1, 0)
    assert confirmed.automatic == doubted.automatic


def test_small_rules() -> None:
    assert bin_length(0) == 10
    assert bin_length(161) == 30
    assert bin_length(16 * 60) == 60
    assert bin_length(16 * 60 + 1) == 120
    assert bin_length(90 * 60) == 600
    assert bin_length(1e6) == 3600
    phases = [Phase(PhaseName.PAUSED, 10.0), Phase(PhaseName.COUNTING, 20.0)]
    assert time_in([PhaseName.COUNTING], phases, 60.0) == 40
    assert time_in([PhaseName.PAUSED], phases, 15.0) == 5
    assert time_in([PhaseName.COUNTING], [], 60.0) == 60
    on, helped = Phase(PhaseName.COUNTING, 1.0), Phase(PhaseName.ASSISTED, 1.0)
    assert phases_of([on, helped, on]) == phases_of([on, helped, on] * 2) == [helped, on]


@pytest.mark.parametrize(
    ("rig", "documents", "side"),
    [
        ("nine", {SIDE: TrainedSide(Side.LEFT), PATIENT: Owner("P-07", Side.RIGHT)}, Side.LEFT),
        ("nine", {PATIENT: Owner("P-07", Side.LEFT), SIMULATION: {"side": "right"}}, Side.LEFT),
        ("nine", {PATIENT: Owner("P-07"), SIMULATION: {"side": "left"}}, Side.LEFT),
        ("nine", {SIMULATION: {"side": ["left"]}}, Side.RIGHT),
        ("nine", {}, Side.RIGHT),
        ("one", {}, Side.LEFT),
    ],
)
def test_the_arm_that_is_trained_is_the_same_for_who_counts_and_who_reports(
    tmp_path: Path, rig: str, documents: Documents, side: Side
) -> None:
    """A count of the arm that the report does not speak of would be another patient's."""
    with SessionFile.create(tmp_path / "a.rehab", make_rig(rig, Side.LEFT, "generic", 100.0)) as session:
        for kind, said in documents.items():
            session.put_document(kind, said)
        number = session.begin_counting(MODEL).number
        session.accept(Event(1, Segment("reach", Side.LEFT, 1.0, 2.0), 0.9))
        assert side_of(session) is summarise(session, number).side is side
    assert counting.side_of is live.side_of is side_of  # type: ignore[attr-defined]


def test_what_was_said_by_hand_is_counted_and_never_below_none(tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "d.rehab", minutes=4, corrected=False)
    with SessionFile.annotate(path) as session:
        before = summarise(session)
        session.accept(Adjusted(2, 100.0, "drinking", "AB"), Adjusted(-1, 190.0, "shelf"), Adjusted(1, 0.0, "dance"))
        after = summarise(session)
        session.accept(Adjusted(-10_000, 239.0, "shelf"))
        nothing = summarise(session)
    assert after.dose.repetitions == before.dose.repetitions + 2
    assert after.automatic == before.automatic
    assert after.agreement.by_hand == 2
    assert after.agreement.is_checked
    assert sum(each.repetitions for each in after.bins) == after.dose.repetitions
    assert [each.repetitions for each in after.dose.activities if each.name in ("drinking", "dance")] == [
        before.dose.activities[0].repetitions + 2,
        1,
    ]
    assert nothing.dose.repetitions == 0
    assert sum(each.repetitions for each in nothing.bins) == 0


SAID_BY_HAND = st.lists(
    st.builds(Adjusted, st.integers(-3, 3), st.floats(0.0, 50.0), st.sampled_from(("drinking", "shelf", "")))
)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=2), SAID_BY_HAND)
def test_a_total_by_hand_is_the_sum_of_its_activities_and_of_its_bins(done: list[int], said: list[Adjusted]) -> None:
    activities = tuple(ActivityDose(name, number) for name, number in zip(("drinking", "shelf"), done, strict=True))
    dose = Dose((), 0.0, Plan(), sum(done), activities=activities)
    bins = tuple(Bin(10.0 * i, 10.0 * (i + 1), number, 0, 0, 0.0) for i, number in enumerate(done))
    after, course = adjusted(dose, said), by_hand_in(bins, said, 0.0, 10.0)
    assert after.repetitions == max(0, sum(done) + sum(each.by for each in said))
    assert after.repetitions == sum(each.repetitions for each in after.activities)
    assert after.repetitions == sum(each.repetitions for each in course)
    assert min(each.repetitions for each in after.activities) >= 0
    assert min(each.repetitions for each in course) >= 0
    back = [replace(each, by=-each.by) for each in reversed(said)]
    taken_back = adjusted(dose, [*said, *back])
    assert taken_back.activities[:2] == activities
    assert by_hand_in(bins, [*said, *back], 0.0, 10.0) == bins


def test_what_one_activity_lacks_comes_off_the_one_before() -> None:
    """Often it is the activity just left whose last repetition was none."""
    activities = (ActivityDose("drinking", 10), ActivityDose("shelf", 0), ActivityDose("cards", 5))
    dose = adjusted(Dose((), 0.0, Plan(), 15, activities=activities), [Adjusted(-1, 60.0, "shelf")])
    assert [each.repetitions for each in dose.activities] == [9, 0, 5]
    assert dose.repetitions == 14


def test_marks_that_were_taken_back_are_no_notes() -> None:
    said: list[Update] = [Mark(5.0, "a"), Mark(1.0, "b"), Unmarked(2.0), Mark(5.0, "a"), Mark(0.5, "c")]
    assert marks_of(said) == (Mark(0.5, "c"), Mark(5.0, "a"))


def test_what_was_done_with_sensors_missing_is_not_counted(tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "e.rehab", minutes=4, corrected=False)
    with SessionFile.annotate(path) as session:
        session.accept(SensorSet(Side.LEFT, ("left-hand",), 0.0), SensorSet(Side.LEFT, (), 120.0))
        summary = summarise(session)
    back_s = summary.since_start(120)
    assert sum(each.repetitions for each in summary.bins if each.end_s <= back_s) == 0
    assert sum(each.repetitions for each in summary.bins if each.start_s >= back_s) > 0


def test_the_recognisers_card_says_what_the_numbers_are_worth(counted: Path) -> None:
    folder = Path(__file__).parents[1] / "inference" / "artifacts"
    known = known_models([folder, folder / "nowhere"])
    (facts,) = known.values()
    card = read_card(folder / "tiny-1.0" / "card.json")
    assert (facts.name, facts.version, facts.mdc95) == (card.name, card.version, None)
    score = MeasuredScore(MDC, 21.0, None, None, "patients")
    assert facts_of(replace(card, scores=(score,)), "x").mdc95 is None  # simulated people say nothing about patients
    on_patients = replace(card, scores=(score,), evidence=Evidence.PATIENTS, evidence_people=9)
    assert facts_of(on_patients, "x").mdc95 == 21.0
    with SessionFile.open(counted) as session:
        assert summarise(session, models={MODEL: facts}).model == facts


def test_the_dose_that_stands_is_kept_for_lists_once(tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "f.rehab", minutes=4, corrected=False)
    with SessionFile.annotate(path) as session:
        assert not keep_dose(session, summarise(session))  # as counted: the file says so already
        session.accept(Adjusted(1, 100.0, "drinking"))
        assert keep_dose(session, summarise(session))
        assert not keep_dose(session, summarise(session))
        assert session.document(DOSE) == summarise(session).dose


LABELS = ("idle", "reach", "reposition", "stabilize", "transport", "other")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(LABELS), st.sampled_from(Side), st.floats(0.1, 4.0), st.floats(0.0, 3.0)),
        st.tuples(st.sampled_from(["counting", "paused", "assisted"]), st.sampled_from(["a", "b", ""])),
        st.tuples(st.sampled_from(Side), st.booleans()),
    ),
    max_size=40,
)


@settings(max_examples=40)
@given(steps=STEPS, side=st.sampled_from(Side), believe=st.booleans())
def test_the_dose_that_was_counted_live_is_the_automatic_one(steps: list[Any], side: Side, believe: bool) -> None:
    """For random sessions: the summary equals the last dose of the tally as the engine feeds it."""
    plan = Plan((PlannedActivity("a", 5), PlannedActivity("b")))
    live, now_s = Tally(plan, side), 0.0
    said: list[Any] = [Believing(default_belief())] if believe else []
    for each in said:
        live.follow(each)
    for step in steps:
        if len(step) == 4:
            label, arm, length_s, gap_s = step
            event = Event(len(said) + 1, Segment(label, arm, now_s, now_s + length_s), 0.9)
            now_s += length_s + gap_s
            live.count(event)
            said.append(event)
        elif isinstance(step[0], Side):
            said.append(SensorSet(step[0], ("hand",) if step[1] else (), now_s))
            live.equip(said[-1])
        else:
            said.append(Phase(step[0], now_s, step[1]))
            live.enter(said[-1])
    with (
        tempfile.TemporaryDirectory() as folder,
        SessionFile.create(Path(folder) / "a.rehab", Rig("none", ())) as session,
    ):
        session.put_document(SIDE, TrainedSide(side))
        session.put_document(PLAN, plan)
        session.begin_counting(MODEL)
        session.accept(*said)
        found = summarise(session)
    assert replace(found.automatic, use_ratio=None) == live.close()
    assert sum(each.repetitions for each in found.bins) == found.automatic.repetitions
    assert found.dose == found.automatic


def test_documents_of_another_shape_decide_nothing(tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "a.rehab")
    with SessionFile.open(path) as file:
        (counting, *_) = file.countings()
        before = side_of(file, counting.number)
    with closing(sqlite3.connect(path)) as raw:
        for name, content in (
            ("counting side", {"counting": counting.number, "side": []}),
            ("model", {"sha256": counting.model, "evidence_people": "many"}),
            ("counted from", {"counting": counting.number}),
            ("patient", {"code": []}),
        ):
            query = "INSERT INTO document (name, at_utc_ns, content) VALUES (?, 0, ?)"
            raw.execute(query, (name, json.dumps(content)))
        raw.commit()
    with SessionFile.open(path) as file:
        assert side_of(file, counting.number) is before
        assert model_of(counting.model, file, {}).evidence_people == 0
        assert find_earlier(file, "", before) is None
        assert summarise(file).patient == ""

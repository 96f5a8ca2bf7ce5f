"""Home: the screen shows the library, and actions on the screen change the library."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from rehabcount.domain.correction import Action, Correction
from rehabcount.domain.dose import ActivityDose, Dose, Plan, PlannedActivity
from rehabcount.domain.motion import Packet
from rehabcount.domain.patient import DEMO, Patient
from rehabcount.domain.rig import Rig, Side, make_rig
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import Adjusted
from rehabcount.errors import StoreUnwritable
from rehabcount.gui.delete_panel import DeletePanel
from rehabcount.gui.desk import Desk, FileSource, SessionSpec
from rehabcount.gui.home import HomeScreen
from rehabcount.gui.patient_card import PatientForm
from rehabcount.gui.rows import ROW_ROLE
from rehabcount.store import library as store_library
from rehabcount.store.documents import PLAN, SIDE, TrainedSide
from rehabcount.store.library import Library, Standing
from rehabcount.store.packets import Origin
from rehabcount.store.session_file import SessionFile
from rehabcount.store.trained_arm import side_of
from tests.counted import make_counted_session

P1 = Patient("P-01", Side.LEFT, 42, "2026-03-01", "likes cards")
Put = Callable[..., Path]


@pytest.fixture
def put(desk: Desk) -> Put:
    """Puts a session of a patient into the library."""

    def make(code: str, repetitions: int = 12, *, closed: bool = True) -> Path:
        path = desk.library.new_session_path(code)
        rig = make_rig("five", Side.LEFT, "generic", 100.0)
        with SessionFile.create(path, rig, origin=Origin(0, None)) as file:
            file.append([Packet(rig.names[0], b"x", at) for at in (0, 90 * 10**9)])
            plan = Plan((PlannedActivity("cards", 20),))
            file.put_document(PLAN, plan)
            file.begin_counting("0" * 64)
            done = (ActivityDose("cards", repetitions, 20),)
            file.accept(Dose((), 60.0, plan, repetitions=repetitions, activities=done))
            if closed:
                file.close_session()
        desk.library.assign(path, code)
        return path

    return make


@pytest.fixture
def home(qtbot: QtBot, desk: Desk) -> HomeScreen:
    screen = HomeScreen(desk)
    qtbot.addWidget(screen)
    screen.resize(1180, 690)
    return screen


def enter(screen: HomeScreen, argument: object = None) -> None:
    """As the window does, until what is in the library shows."""
    screen.entered(argument)
    while screen._reading.busy:
        screen._reading.finish()


def gone(screen: HomeScreen) -> list[tuple[str, object]]:
    """Where the screen goes, from now on."""
    seen: list[tuple[str, object]] = []
    screen.go.connect(lambda name, argument: seen.append((name, argument)))
    return seen


def panel_of(screen: HomeScreen) -> QWidget:
    panel = screen.panels.currentWidget()
    assert panel is not None
    return panel


def spoken(screen: HomeScreen) -> list[str]:
    rows = [screen.sessions.item(i) for i in range(screen.sessions.count())]
    return [row.data(ROW_ROLE).spoken for row in rows if row is not None]


def test_a_new_user_finds_the_demo_patient_ready(home: HomeScreen) -> None:
    enter(home, None)
    assert home.list.current_key() == DEMO.code
    went = gone(home)
    home.facts.start_button.click()
    assert went == [("setup", None)]


def test_patients_and_their_sessions_are_shown(home: HomeScreen, desk: Desk, put: Put) -> None:
    desk.library.add_patient(P1)
    put("P-01")
    enter(home, "P-01")
    assert home.facts.heading.text() == "P-01"
    assert "Fugl-Meyer 42 of 66" in home.facts.line.text()
    assert home.facts.notes.text() == "likes cards"
    assert len(spoken(home)) == 1
    assert "12 of 20" in spoken(home)[0]
    assert "5 sensors" in spoken(home)[0]


def test_a_weak_arm_is_said_where_the_patient_is_chosen(home: HomeScreen, desk: Desk) -> None:
    desk.library.add_patient(Patient("P-25", Side.LEFT, 25))
    desk.library.add_patient(Patient("P-26", Side.LEFT, 26))
    enter(home, "P-25")
    assert "Fugl-Meyer 25 of 66, severe" in home.facts.line.text()
    assert "counted poorly" in home.facts.caution.text()
    enter(home, "P-26")
    assert "severe" not in home.facts.line.text()
    assert home.facts.caution.isHidden()


def test_search_narrows_the_list(home: HomeScreen, desk: Desk) -> None:
    desk.library.add_patient(P1)
    desk.library.add_patient(Patient("Q-02", Side.RIGHT))
    enter(home, None)
    assert home.list.count() == 3
    home.search.setText("cards")
    assert [home.list.current_key(), home.list.count()] == ["P-01", 1]


def test_a_session_with_a_patient_needs_initials(home: HomeScreen, desk: Desk, qtbot: QtBot) -> None:
    desk.library.add_patient(P1)
    enter(home, "P-01")
    went = gone(home)
    home.facts.start_button.click()
    assert went == []
    assert "initials" in home.trouble.text
    home.who.setText(" mk ")
    qtbot.keyClick(home.list, Qt.Key.Key_Return)
    assert went == [("setup", "P-01")]
    assert desk.who == "mk"


def test_enter_after_the_initials_starts_the_session_that_waited(home: HomeScreen, desk: Desk, qtbot: QtBot) -> None:
    desk.library.add_patient(P1)
    enter(home, "P-01")
    went = gone(home)
    qtbot.keyClick(home.who, Qt.Key.Key_Return)  # no start waits for the initials
    assert went == []
    home.facts.start_button.click()
    assert home.trouble.text.startswith("Enter your initials to start.")
    assert home.focusWidget() is home.who
    qtbot.keyClick(home.who, Qt.Key.Key_Return)
    assert went == []
    qtbot.keyClicks(home.who, "mk")
    qtbot.keyClick(home.who, Qt.Key.Key_Return)
    assert (went, desk.who, home.trouble.text) == ([("setup", "P-01")], "mk", "")


def test_a_patient_is_entered(home: HomeScreen, desk: Desk) -> None:
    enter(home, None)
    home.new.click()
    form = panel_of(home)
    assert isinstance(form, PatientForm)
    form.save.click()
    assert form.trouble.text
    form.code.setText("P-07")
    form.save.click()
    assert "arm" in form.trouble.text
    form.side_buttons[Side.RIGHT].click()
    form.score.setValue(33)
    form.notes.setPlainText("needs a pillow")
    form.save.click()
    saved = desk.library.patient("P-07")
    assert (saved.side, saved.score, saved.notes) == (Side.RIGHT, 33, "needs a pillow")
    assert saved.score_date
    home._reading.finish()
    assert home.list.current_key() == "P-07"


def test_a_taken_code_is_said_in_the_form(home: HomeScreen, desk: Desk) -> None:
    desk.library.add_patient(P1)
    enter(home, None)
    home.new.click()
    form = panel_of(home)
    assert isinstance(form, PatientForm)
    form.code.setText("p-01")
    form.side_buttons[Side.LEFT].click()
    form.save.click()
    assert "P-01" in form.trouble.text
    assert desk.library.patients() == (P1,)


def test_a_patient_is_changed(home: HomeScreen, desk: Desk, put: Put) -> None:
    desk.library.add_patient(P1)
    put("P-01")
    enter(home, "P-01")
    home.facts.change_button.click()
    form = panel_of(home)
    assert isinstance(form, PatientForm)
    assert form.code.text() == "P-01"
    form.code.setText("P-001")
    form.save.click()
    assert [each.code for each in desk.library.patients()] == ["P-001"]
    home._reading.finish()
    assert len(spoken(home)) == 1


def test_deleting_needs_the_code_typed(home: HomeScreen, desk: Desk, put: Put) -> None:
    desk.library.add_patient(P1)
    path = put("P-01")
    enter(home, "P-01")
    home.facts.delete_button.click()
    panel = panel_of(home)
    assert isinstance(panel, DeletePanel)
    panel.typed.setText("P-0")
    assert not panel.delete.isEnabled()
    panel.typed.setText("P-01")
    panel.delete.click()
    assert desk.library.patients() == ()
    assert not path.exists()


def test_one_session_is_deleted_with_the_code_typed_by_keyboard_alone(
    home: HomeScreen, desk: Desk, put: Put, qtbot: QtBot
) -> None:
    desk.library.add_patient(P1)
    gone_one, kept_one = put("P-01", 3), put("P-01", 5)
    gone_one.with_suffix(".pdf").write_bytes(b"%PDF")
    enter(home, "P-01")
    home.show()
    home.sessions.setCurrentRow([row.split(", ")[2].startswith("3 ") for row in spoken(home)].index(True))
    qtbot.keyClick(home.sessions, Qt.Key.Key_Delete)
    panel = panel_of(home)
    assert isinstance(panel, DeletePanel)
    qtbot.keyClicks(panel.typed, "P-0")
    qtbot.keyClick(panel.typed, Qt.Key.Key_Return)
    assert gone_one.exists()
    qtbot.keyClicks(panel.typed, "1")
    qtbot.keyClick(panel.typed, Qt.Key.Key_Return)
    home._reading.finish()
    assert not gone_one.exists()
    assert not gone_one.with_suffix(".pdf").exists()
    assert kept_one.exists()
    assert home.list.current_key() == "P-01"
    assert len(spoken(home)) == 1


def test_the_demo_patient_is_not_deleted_by_a_key(home: HomeScreen, qtbot: QtBot) -> None:
    enter(home)
    qtbot.keyClick(home.list, Qt.Key.Key_Delete)
    assert home.panels.currentIndex() == 0


def test_a_simulated_session_is_not_given_to_a_patient(home: HomeScreen, desk: Desk) -> None:
    desk.library.add_patient(P1)
    make_counted_session(desk.settings.sessions / "a.rehab", minutes=2, simulated=True, patient=DEMO.code)
    make_counted_session(desk.settings.sessions / "b.rehab", minutes=2, simulated=True, patient="P-01")
    enter(home, DEMO.code)
    home.show()
    home.reassign.click()
    assert home.reassign_bar.isHidden()
    assert "no patient made these movements" in home.trouble.text
    enter(home, "P-01")  # where an older version let it go, it can come back
    home.reassign.click()
    assert [home.reassign_to.itemData(i) for i in range(home.reassign_to.count())] == [DEMO.code]


def test_what_is_said_goes_with_the_page_that_it_is_about(home: HomeScreen, desk: Desk, qtbot: QtBot) -> None:
    desk.library.add_patient(P1)
    make_counted_session(desk.settings.sessions / "a.rehab", minutes=2, simulated=True, patient=DEMO.code)
    enter(home, DEMO.code)
    home.show()
    for leave in (lambda: qtbot.keyClick(home.list, Qt.Key.Key_Down), home.new.click):
        home.list.setFocus()
        home.reassign.click()
        assert home.trouble.text
        leave()
        assert home.trouble.text == ""
        enter(home, DEMO.code)


def test_a_folder_that_cannot_be_written_is_said_at_the_start(
    home: HomeScreen, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def check(_: object) -> None:
        raise StoreUnwritable("No session can be kept in /data: Read-only file system.", advice="Choose another.")

    monkeypatch.setattr(Library, "check_room", check)
    enter(home)
    qtbot.waitUntil(lambda: "No session can be kept in /data" in home.trouble.text)


def test_escape_leaves_what_was_asked_for_undone(home: HomeScreen, desk: Desk, put: Put) -> None:
    desk.library.add_patient(P1)
    desk.library.add_patient(Patient("Q-02", Side.RIGHT))
    put("P-01")
    home.show()
    enter(home, "P-01")
    assert not home.step_back()
    for ask in (home.facts.delete_button, home.facts.change_button, home.new):
        ask.click()
        assert home.panels.currentIndex() == 1
        assert home.step_back()
        assert home.panels.currentIndex() == 0
    home.reassign.click()
    assert home.reassign_bar.isVisible()
    assert home.step_back()
    assert home.reassign_bar.isHidden()
    assert not home.step_back()
    assert len(desk.library.patients()) == 2


def test_a_session_of_the_wrong_patient_is_given_away_and_back(
    home: HomeScreen, desk: Desk, put: Put, qtbot: QtBot
) -> None:
    desk.library.add_patient(P1)
    desk.library.add_patient(Patient("Q-02", Side.RIGHT))
    put("P-01")
    enter(home, "P-01")
    home.reassign.click()
    home.reassign_to.setCurrentText("Q-02")
    home._do_reassign()
    qtbot.waitUntil(lambda: bool(home.confirm.text) and home.list.current_key() == "Q-02")
    assert [len(desk.library.sessions(code)) for code in ("P-01", "Q-02")] == [0, 1]
    home.confirm.yes.click()
    qtbot.waitUntil(lambda: home.list.current_key() == "P-01")
    assert [len(desk.library.sessions(code)) for code in ("P-01", "Q-02")] == [1, 0]


def test_an_interrupted_session_is_offered_and_recovered(home: HomeScreen, desk: Desk, put: Put, qtbot: QtBot) -> None:
    desk.library.add_patient(P1)
    path = put("P-01", closed=False)
    enter(home, None)
    assert "P-01" in home.interrupted.text
    went, told = gone(home), list[str]()
    home.told.connect(told.append)
    home.show()
    home.interrupted.buttons[0].click()
    qtbot.waitUntil(lambda: bool(went), timeout=30_000)  # a model is opened and counts
    assert went == [("summary", path)]
    assert len(told) == 1
    assert "P-01" in told[0]
    assert "recovered and counted: 2 min" in told[0]
    assert desk.library.sessions()[0].standing is Standing.CLOSED


def test_results_and_review_of_a_session_open(home: HomeScreen, desk: Desk, put: Put, qtbot: QtBot) -> None:
    desk.library.add_patient(P1)
    path = put("P-01")
    enter(home, "P-01")
    went = gone(home)
    qtbot.keyClick(home.sessions, Qt.Key.Key_Return)
    home.review.click()
    home.facts.history_button.click()
    assert went == [("summary", path), ("review", path), ("history", "P-01")]


def test_a_recording_is_counted_as_if_it_happened_now(home: HomeScreen, desk: Desk, put: Put) -> None:
    desk.library.add_patient(P1)
    path = put("P-01")
    enter(home, None)
    went = gone(home)
    home._replay(path)
    name, spec = went[0]
    assert name == "live"
    assert isinstance(spec, SessionSpec)
    assert (spec.patient, spec.side, spec.source) == ("P-01", Side.LEFT, FileSource(path))
    assert spec.plan.target == 20


@pytest.mark.parametrize("arm_first", list(Side))
@pytest.mark.parametrize("said", [None, *Side])
def test_a_replay_shows_the_arm_that_it_counts(
    home: HomeScreen, tmp_path: Path, arm_first: Side, said: Side | None
) -> None:
    """Nine sensors are on both arms alike: the file decides, else it is the right arm, in any order of sensors."""
    nine = make_rig("nine", Side.LEFT, "generic", 100.0)
    rig = Rig("nine", tuple(sorted(nine.sensors, key=lambda sensor: arm_first.value not in sensor.name)))
    path = tmp_path / "nine.rehab"
    with SessionFile.create(path, rig, origin=Origin(0, None)) as file:
        if said is not None:
            file.put_document(SIDE, TrainedSide(said))
        arm = side_of(file)
    went = gone(home)
    home._replay(path)
    (_, spec), *_ = went
    assert isinstance(spec, SessionSpec)
    assert spec.side is arm is (said or Side.RIGHT)


def test_a_file_that_is_no_session_is_named(home: HomeScreen, tmp_path: Path) -> None:
    enter(home, None)
    (tmp_path / "song.rehab").write_text("la la la")
    home._replay(tmp_path / "song.rehab")
    assert "song.rehab is not a session file" in home.trouble.text


def test_sessions_without_a_patient_are_not_lost(home: HomeScreen, desk: Desk, put: Put) -> None:
    desk.library.add_patient(P1)
    put("P-01")
    desk.library.path.unlink()
    enter(home, None)
    assert home.list.count() == 2
    home.list.setCurrentRow(1)
    assert len(spoken(home)) == 1


def test_a_damaged_library_says_so_and_the_demo_still_works(home: HomeScreen, desk: Desk) -> None:
    desk.library.add_patient(P1)
    desk.library.path.write_bytes(b"SQLite format 3\x00" + bytes(range(256)) * 20)
    enter(home, None)
    assert "damaged" in home.trouble.text
    went = gone(home)
    home.facts.start_button.click()
    assert went == [("setup", None)]


def test_another_windows_patient_appears(home: HomeScreen, desk: Desk) -> None:
    enter(home, None)
    Library(desk.settings.data).add_patient(P1)
    home.show()
    home._look_again()
    home._reading.finish()
    assert home.list.count() == 2


def test_a_session_that_cannot_be_given_away_is_not_said_to_be(
    home: HomeScreen, desk: Desk, put: Put, qtbot: QtBot
) -> None:
    desk.library.add_patient(P1)
    desk.library.add_patient(Patient("Q-02", Side.RIGHT))
    path = put("P-01")
    enter(home, "P-01")
    home.reassign.click()
    home.reassign_to.setCurrentText("Q-02")
    path.unlink()
    home._do_reassign()
    qtbot.waitUntil(lambda: bool(home.trouble.text), timeout=5000)
    assert home.confirm.text == ""


def test_who_went_on_meanwhile_is_not_torn_away_by_a_recovery(home: HomeScreen, desk: Desk, put: Put) -> None:
    desk.library.add_patient(P1)
    path = put("P-01")
    enter(home, None)
    went = gone(home)
    home.hide()
    home._show_recovered(path)
    assert went == []
    home.show()
    home._show_recovered(path)
    assert went == [("summary", path)]


def test_what_was_counted_by_hand_is_named_beside_corrections(home: HomeScreen, desk: Desk, put: Put) -> None:
    desk.library.add_patient(P1)
    path = put("P-01")
    with SessionFile.annotate(path) as file:
        file.accept(*(Adjusted(by, 10.0, "cards", "AB") for by in (1, 1, -1)))
        file.correct(1, Correction(Action.ADD, "AB", 1, segment=Segment("transport", Side.LEFT, 1.0, 2.0)))
    desk.library.refresh(path)
    enter(home, "P-01")
    assert "reviewed · +1 by hand" in spoken(home)[0]


def test_a_search_without_a_match_shows_no_unassigned_sessions(home: HomeScreen, desk: Desk, put: Put) -> None:
    desk.library.add_patient(P1)
    put("P-01")
    desk.library.path.unlink()  # now the session has no known patient
    enter(home)
    home.search.setText("zzz")
    assert home.list.count() == 0
    assert spoken(home) == []
    assert home.none.label.text() == "No patient matches the search."
    assert home.facts.isHidden()
    home.search.clear()
    assert home.list.count() == 2
    assert home.facts.heading.text() == "Demo patient"


def test_a_slow_disk_does_not_hold_up_the_window(
    home: HomeScreen, desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.library.add_patient(P1)
    go_on, read = threading.Event(), Library.patients

    def slowly(library: Library) -> tuple[Patient, ...]:
        assert go_on.wait(5.0)
        return read(library)

    monkeypatch.setattr(Library, "patients", slowly)
    home.entered("P-01")
    assert home.list.current_key() == DEMO.code  # the demo patient needs no library
    go_on.set()
    qtbot.waitUntil(lambda: home.list.current_key() == "P-01", timeout=5000)


def test_many_new_sessions_come_step_by_step_with_what_is_known_first(
    home: HomeScreen, desk: Desk, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list never waits for files that were not read yet, and shows its progress."""
    desk.library.add_patient(P1)
    put("P-01", 11)
    known = desk.library.sessions()[0].path
    for number in (12, 13):
        desk.library.look_again([put("P-01", number)])  # as if copied in: not listed yet
    monkeypatch.setattr(store_library, "TELL_FIRST_S", 0.0)
    monkeypatch.setattr(store_library, "TELL_EVERY_S", 0.0)
    home.entered("P-01")
    seen = []
    while home._reading.busy:
        home._reading.finish()
        seen.append((home.progress.text(), len(spoken(home))))
    assert seen[0] == ("Reading the sessions: 1 of 2", 2)
    assert seen[-1] == ("", 3)
    assert known in [entry.path for entry in home._sessions]


def test_until_the_sessions_are_read_nothing_says_that_there_are_none(home: HomeScreen) -> None:
    home.entered(None)
    assert home.none.label.text() == "Reading the sessions …"
    home._reading.finish()
    assert home.none.label.text() == "No session yet."

"""The library: it keeps what is stored, two windows see each other's changes, and deletion removes everything."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import sys
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rehabcount.domain.dose import Dose, Plan, PlannedActivity
from rehabcount.domain.patient import DEMO, LONGEST_CODE, Patient, folded, tidy_code
from rehabcount.domain.rig import Rig, Side
from rehabcount.errors import (
    ConfirmationWrong,
    LibraryDamaged,
    PatientExists,
    PatientMissing,
    SessionBusy,
    SessionForeign,
    SessionMissing,
    SessionNewer,
    SessionSimulated,
    StoreUnwritable,
)
from rehabcount.store import documents
from rehabcount.store import library as store_library
from rehabcount.store.library import Figures, Library, Standing, look_at, word_to_delete
from rehabcount.store.recovery import close_interrupted
from rehabcount.store.session_file import SessionFile

MakeSession = Callable[..., Path]
PATIENT = Patient("P-01", Side.LEFT, 42, "2026-03-01", "left-handed; likes cards")
PLAN = Plan((PlannedActivity("glass to shelf", 30), PlannedActivity("free")))


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "data")


@pytest.fixture
def put(library: Library, make_session: MakeSession) -> MakeSession:
    """Makes a session file in the library's folder."""

    def make(name: str = "a.rehab", **options: object) -> Path:
        made = make_session(name, 50, **options)
        library.sessions_folder.mkdir(parents=True, exist_ok=True)
        return Path(shutil.move(made, library.sessions_folder / name))

    return make


def test_an_empty_library_is_read_without_being_made(library: Library) -> None:
    assert library.patients() == ()
    assert library.sessions() == ()
    assert library.plan_of("P-99") == Plan()
    assert not library.folder.exists()


def test_a_patient_comes_back_as_entered(library: Library) -> None:
    library.add_patient(PATIENT)
    assert library.patient("P-01") == PATIENT
    assert Library(library.folder).patients() == (PATIENT,)


def test_search_finds_code_and_notes(library: Library) -> None:
    library.add_patient(PATIENT)
    library.add_patient(Patient("Q-02", Side.RIGHT))
    assert [each.code for each in library.patients("CARDS left")] == ["P-01"]
    assert [each.code for each in library.patients("q")] == ["Q-02"]
    assert library.patients("nothing like it") == ()


@pytest.mark.parametrize("code", ["p-01", "Ｐ-01", " P-01 ", "demo"])
def test_codes_that_people_would_confuse_are_one(library: Library, code: str) -> None:
    library.add_patient(PATIENT)
    with pytest.raises(PatientExists):
        library.add_patient(Patient(code, Side.LEFT))
    assert library.patients() == (PATIENT,)


@given(st.text(min_size=0, max_size=60))
def test_a_code_is_tidied_once_and_gives_a_plain_file_name(text: str) -> None:
    try:
        code = tidy_code(text)
    except ValueError:
        assume(False)
    assert 0 < len(code) <= LONGEST_CODE
    assert tidy_code(code) == code
    assert folded(code) == folded(code.swapcase().swapcase()) or not code.isascii()
    path = Library(Path("data")).new_session_path(code, datetime(2026, 3, 1, 9, 30).astimezone())
    assert path.parent == Path("data/sessions")
    assert path.name.isascii()
    assert not set(path.name) & set('/\\:*?"<>|')


@pytest.mark.parametrize("code", ["../../etc/passwd", "Ä/Ö'; DROP TABLE patient; --", "患者 7", "a%b_c", "🙂"])
def test_odd_codes_work_throughout(library: Library, put: MakeSession, code: str) -> None:
    library.add_patient(Patient(code, Side.LEFT))
    library.keep_plan(code, PLAN)
    path = put(library.new_session_path(code).name)
    library.assign(path, code)
    assert [entry.patient for entry in library.sessions(code)] == [code]
    assert library.plan_of(code) == PLAN
    assert library.delete_patient(code, code) == 1
    assert library.patients() == ()
    assert not path.exists()


def test_two_sessions_in_one_second_have_two_names(library: Library, put: MakeSession) -> None:
    at = datetime.now().astimezone()
    first = put(library.new_session_path("P", at).name)
    assert library.new_session_path("P", at) != first


def test_the_stamp_tells_of_changes_and_of_nothing_else(library: Library, put: MakeSession, rig: Rig) -> None:
    stamps = [library.stamp()]
    library.add_patient(PATIENT)
    stamps.append(library.stamp())
    put()
    library.sessions()
    stamps.append(library.stamp())
    library.patients()
    library.sessions()
    assert library.stamp() == stamps[-1]
    with SessionFile.create(library.sessions_folder / "now.rehab", rig):
        stamps.append(library.stamp())
    stamps.append(library.stamp())
    assert len(set(stamps)) == len(stamps)


def test_an_unknown_patient_is_named(library: Library) -> None:
    for attempt in (library.patient, lambda code: library.keep_plan(code, PLAN)):
        with pytest.raises(PatientMissing, match="X-9"):
            attempt("X-9")


def test_the_newest_plan_holds(library: Library) -> None:
    library.add_patient(PATIENT)
    library.keep_plan("P-01", PLAN)
    newer = Plan((PlannedActivity("combing", 12),))
    library.keep_plan("P-01", newer)
    assert library.plan_of("P-01") == newer


def test_a_session_says_whose_it_is_and_keeps_what_it_said_before(library: Library, put: MakeSession) -> None:
    library.add_patient(PATIENT)
    library.add_patient(Patient("Q-02", Side.RIGHT))
    path = put()
    library.assign(path, "P-01")
    library.assign(path, "Q-02")
    assert library.sessions("P-01") == ()
    assert [entry.path.name for entry in library.sessions("Q-02")] == ["a.rehab"]
    with SessionFile.open(path) as file:
        assert file.document(documents.PATIENT) == documents.Owner("Q-02", Side.RIGHT)
        assert [each.content.code for each in file.document_versions(documents.PATIENT)] == ["P-01", "Q-02"]


def test_figures_are_those_of_the_file(library: Library, put: MakeSession) -> None:
    path = put()
    with SessionFile.annotate(path) as file:
        file.begin_counting("1" * 64)
        file.accept(Dose((), 1.5, PLAN, repetitions=3), Dose((), 61.0, PLAN, repetitions=17, assisted_repetitions=2))
    figures = library.refresh(path).figures
    with SessionFile.open(path) as file:
        contents = file.contents()
    assert figures == Figures(round(contents.length_s, 1), 17, 2, 61.0, 20, contents.corrections, 9, of_plan=0)


def test_files_that_were_not_listed_are_found(library: Library, put: MakeSession) -> None:
    put("crashed.rehab", closed=False)
    put("copied.rehab")
    found = {entry.path.name: entry.standing for entry in library.sessions()}
    assert found == {"crashed.rehab": Standing.INTERRUPTED, "copied.rehab": Standing.CLOSED}


def test_a_recovered_session_is_listed_as_closed(library: Library, put: MakeSession) -> None:
    path = put(closed=False)
    assert library.sessions()[0].standing is Standing.INTERRUPTED
    close_interrupted(path)
    assert library.sessions()[0].standing is Standing.CLOSED


def test_a_session_being_recorded_says_so(library: Library, rig: Rig) -> None:
    with SessionFile.create(library.sessions_folder / "now.rehab", rig):
        assert library.sessions()[0].standing is Standing.RECORDING
    assert library.sessions()[0].standing is Standing.INTERRUPTED


def test_a_damaged_and_a_missing_file_stay_listed(library: Library, put: MakeSession) -> None:
    damaged, gone = put("damaged.rehab"), put("gone.rehab")
    library.sessions()
    damaged.write_bytes(b"not a session")
    with sqlite3.connect(library.path) as connection:
        connection.execute("DELETE FROM session WHERE file = 'damaged.rehab'")
    connection.close()
    gone.unlink()
    entries = {entry.path.name: entry for entry in library.sessions()}
    assert entries["damaged.rehab"].standing is Standing.UNREADABLE
    assert "not a session file" in entries["damaged.rehab"].figures.trouble
    assert entries["gone.rehab"].standing is Standing.MISSING
    library.forget_session(gone)
    assert [entry.path.name for entry in library.sessions()] == ["damaged.rehab"]


def test_an_error_of_one_file_does_not_hide_the_others(library: Library, put: MakeSession) -> None:
    put("a.rehab")
    garbled, forgetful = put("garbled.rehab"), put("forgetful.rehab")
    with garbled.open("r+b") as file:  # the schema format: SQLite then reads nothing
        file.seek(44)
        file.write(b"\xff\xfe\xfd\xfc")
    with sqlite3.connect(forgetful) as connection:
        connection.execute("DELETE FROM about WHERE key = 'created_utc'")
    connection.close()
    entries = {entry.path.name: entry for entry in library.sessions()}
    assert {name: entry.standing for name, entry in entries.items()} == {
        "a.rehab": Standing.CLOSED,
        "garbled.rehab": Standing.UNREADABLE,
        "forgetful.rehab": Standing.UNREADABLE,
    }
    assert all("rehab" in entries[name].figures.trouble for name in ("garbled.rehab", "forgetful.rehab"))


def test_the_list_is_made_again_from_the_files(library: Library, put: MakeSession) -> None:
    library.add_patient(PATIENT)
    library.assign(put(), "P-01")
    before = library.sessions("P-01")
    library.path.unlink()
    assert library.sessions("P-01") == before


def test_a_new_code_reaches_the_session_files(library: Library, put: MakeSession) -> None:
    library.add_patient(PATIENT)
    library.keep_plan("P-01", PLAN)
    path = put()
    library.assign(path, "P-01")
    library.change_patient("P-01", Patient("P-001", Side.LEFT, 45))
    assert [each.code for each in library.patients()] == ["P-001"]
    assert library.plan_of("P-001") == PLAN
    assert look_at(path).patient == "P-001"
    assert len(library.sessions("P-001")) == 1


def test_a_damaged_session_goes_with_its_patient(library: Library, put: MakeSession) -> None:
    library.add_patient(PATIENT)
    path = put("a.rehab", closed=False)
    library.assign(path, PATIENT.code)
    path.write_bytes(b"what is left of it")
    for seen in (library.sessions(), (library.refresh(path),)):
        assert [(entry.standing, entry.patient) for entry in seen] == [(Standing.UNREADABLE, PATIENT.code)]
    assert library.delete_patient(PATIENT.code, PATIENT.code) == 1
    assert not path.exists()


def test_a_session_that_is_gone_keeps_no_other_from_the_new_code(library: Library, put: MakeSession) -> None:
    library.add_patient(PATIENT)
    for path in (gone := put("z.rehab"), here := put("a.rehab")):
        library.assign(path, PATIENT.code)
    gone.unlink()
    library.change_patient(PATIENT.code, Patient("P-02", Side.LEFT))
    assert look_at(here).patient == "P-02"
    assert {entry.patient for entry in library.sessions()} == {"P-02"}


def test_a_session_that_cannot_be_told_keeps_no_other_from_the_new_code(library: Library, put: MakeSession) -> None:
    library.add_patient(PATIENT)
    for path in (damaged := put("z.rehab"), here := put("a.rehab")):
        library.assign(path, PATIENT.code)
    damaged.write_bytes(b"what is left of it")
    with pytest.raises(SessionForeign):
        library.change_patient(PATIENT.code, Patient("P-02", Side.LEFT))
    assert look_at(here).patient == "P-02"
    assert {entry.patient for entry in library.sessions()} == {"P-02"}


def test_a_taken_code_is_refused_on_change(library: Library) -> None:
    library.add_patient(PATIENT)
    library.add_patient(Patient("Q-02", Side.RIGHT))
    with pytest.raises(PatientExists):
        library.change_patient("Q-02", Patient("p-01", Side.RIGHT))
    assert library.patient("Q-02").side is Side.RIGHT


# -- deleting ---------------------------------------------------------------------------------------------------------


def test_deleting_asks_for_the_code(library: Library, put: MakeSession) -> None:
    library.add_patient(PATIENT)
    path = put()
    library.assign(path, "P-01")
    with pytest.raises(ConfirmationWrong):
        library.delete_patient("P-01", "yes")
    assert path.exists()
    assert library.patients() == (PATIENT,)


def test_deleting_leaves_nothing_of_the_patient_and_all_of_the_others(library: Library, put: MakeSession) -> None:
    library.add_patient(PATIENT)
    library.add_patient(Patient("Q-02", Side.RIGHT))
    library.keep_plan("P-01", PLAN)
    mine, other = put("mine.rehab"), put("mine.too.rehab")
    library.assign(mine, "P-01")
    library.assign(other, "Q-02")
    for name in ("mine.pdf", "mine.csv", "mine.rehab-wal"):
        (library.sessions_folder / name).write_text("P-01")
    assert library.delete_patient("P-01", "P-01") == 1
    assert [path.name for path in library.sessions_folder.iterdir()] == ["mine.too.rehab"]
    assert library.patients() == (Patient("Q-02", Side.RIGHT),)
    assert library.plan_of("P-01") == Plan()
    everything = b"".join(path.read_bytes() for path in library.folder.rglob("*") if path.is_file())
    assert b"P-01" not in everything
    assert b"likes cards" not in everything


def test_deleting_finds_sessions_that_were_not_listed(library: Library, put: MakeSession) -> None:
    library.add_patient(PATIENT)
    path = put()
    library.assign(path, "P-01")
    library.forget_session(path)
    assert library.delete_patient("P-01", "P-01") == 1
    assert not path.exists()


def test_nothing_is_deleted_while_recording(library: Library, put: MakeSession) -> None:
    library.add_patient(PATIENT)
    path, done = put("now.rehab", closed=False), put("done.rehab")
    library.assign(path, "P-01")
    library.assign(done, "P-01")
    with SessionFile.record(path), pytest.raises(SessionBusy):
        library.delete_patient("P-01", "P-01")
    assert path.exists()
    assert done.exists()
    assert library.patients() == (PATIENT,)


def test_one_session_goes_and_the_others_stay(library: Library, put: MakeSession) -> None:
    library.add_patient(PATIENT)
    for path in (mine := put("mine.rehab"), other := put("mine.too.rehab")):
        library.assign(path, "P-01")
    for name in ("mine.pdf", "mine.csv", "mine.rehab-wal"):
        (library.sessions_folder / name).write_text("P-01")
    library.delete_session(mine, "P-01")
    assert [path.name for path in library.sessions_folder.iterdir()] == [other.name]
    assert [entry.path.name for entry in library.sessions("P-01")] == [other.name]
    assert library.patients() == (PATIENT,)
    assert b"mine.rehab" not in library.path.read_bytes()


def test_a_session_is_deleted_by_the_code_that_its_file_says_now(library: Library, put: MakeSession) -> None:
    library.add_patient(PATIENT)
    library.add_patient(Patient("Q-02", Side.RIGHT))
    path = put()
    library.assign(path, "P-01")
    with SessionFile.annotate(path) as file:  # a change by another window that is not listed yet
        file.put_document(documents.PATIENT, documents.Owner("Q-02", Side.RIGHT))
    for wrong in ("P-01", "", "yes", "a"):
        with pytest.raises(ConfirmationWrong) as caught:
            library.delete_session(path, wrong)
        assert "Q-02" in caught.value.advice
    assert path.exists()
    library.delete_session(path, " Q-02 ")
    assert not path.exists()
    assert library.sessions() == ()


def test_a_session_without_a_patient_is_deleted_by_its_name(library: Library, put: MakeSession) -> None:
    path = put("found.rehab")
    assert word_to_delete(library.sessions()[0]) == "found"
    library.delete_session(path, "found")
    assert library.sessions() == ()


def test_a_damaged_or_missing_session_is_deleted_by_its_patients_code(library: Library, put: MakeSession) -> None:
    library.add_patient(PATIENT)
    for path in (damaged := put("damaged.rehab"), gone := put("gone.rehab")):
        library.assign(path, "P-01")
    damaged.write_bytes(b"what is left of it")
    gone.unlink()
    for path in (damaged, gone):
        library.delete_session(path, "P-01")
    assert library.sessions() == ()
    assert not damaged.exists()


def test_a_session_is_not_deleted_while_it_is_recorded(library: Library, put: MakeSession) -> None:
    library.add_patient(PATIENT)
    path = put("now.rehab", closed=False)
    library.assign(path, "P-01")
    with SessionFile.record(path), pytest.raises(SessionBusy):
        library.delete_session(path, "P-01")
    assert path.exists()


def test_deleting_a_session_never_leaves_the_library(library: Library, put: MakeSession, tmp_path: Path) -> None:
    path, elsewhere = put(), tmp_path / "a.rehab"
    shutil.copy(path, elsewhere)
    with pytest.raises(SessionMissing):
        library.delete_session(elsewhere, "a")
    assert elsewhere.exists()
    assert path.exists()


def test_a_session_whose_file_cannot_be_removed_stays_listed(
    library: Library, put: MakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put()
    library.sessions()

    def refuse(self: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(StoreUnwritable):
        library.delete_session(path, "a")
    monkeypatch.undo()
    assert [entry.path for entry in library.sessions()] == [path]


# -- simulated --------------------------------------------------------------------------------------------------------


@pytest.fixture
def simulated(put: MakeSession) -> Path:
    path = put("demo.rehab")
    with SessionFile.annotate(path) as file:
        file.put_document(documents.SIMULATION, {"side": "left", "name": "virtual sensors"})
    return path


def test_a_simulated_session_is_refused_to_a_patient(library: Library, simulated: Path) -> None:
    library.add_patient(PATIENT)
    library.assign(simulated, DEMO.code)
    with pytest.raises(SessionSimulated, match="simulated") as caught:
        library.assign(simulated, "P-01")
    assert DEMO.code in caught.value.advice
    assert look_at(simulated).patient == DEMO.code
    assert library.sessions("P-01") == ()


def test_a_simulated_session_that_was_given_before_follows_its_patients_new_code(
    library: Library, simulated: Path
) -> None:
    library.add_patient(PATIENT)
    with SessionFile.annotate(simulated) as file:
        file.put_document(documents.PATIENT, documents.Owner("P-01", Side.LEFT))
    library.change_patient("P-01", Patient("P-02", Side.LEFT))
    assert look_at(simulated).patient == "P-02"


# -- two windows, rights, damage --------------------------------------------------------------------------------------


def test_two_windows_lose_nothing(library: Library) -> None:
    troubles: list[Exception] = []

    def window(first: int) -> None:
        try:
            for number in range(first, first + 10):
                Library(library.folder).add_patient(Patient(f"P-{number}", Side.LEFT))
        except Exception as trouble:  # noqa: BLE001  # a thread's top
            troubles.append(trouble)

    windows = [threading.Thread(target=window, args=(first,)) for first in (0, 10, 20)]
    for each in windows:
        each.start()
    for each in windows:
        each.join()
    assert troubles == []
    assert len(library.patients()) == 30


def test_a_window_that_holds_the_file_makes_others_wait_not_fail_silently(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add_patient(PATIENT)
    monkeypatch.setattr("rehabcount.store.connection.BUSY_TIMEOUT_S", 0.05)
    holder = sqlite3.connect(library.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(SessionBusy, match="another window"):
            library.add_patient(Patient("Q-02", Side.LEFT))
        assert library.patients() == (PATIENT,)  # reading still works
    finally:
        holder.close()
    library.add_patient(Patient("Q-02", Side.LEFT))


@pytest.mark.skipif(sys.platform == "win32", reason="modes mean nothing there")
def test_only_the_owner_may_read(library: Library) -> None:
    library.add_patient(PATIENT)
    assert stat.S_IMODE(library.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(library.folder.stat().st_mode) == 0o700
    library.path.chmod(0o644)
    library.keep_plan("P-01", PLAN)
    assert stat.S_IMODE(library.path.stat().st_mode) == 0o600


def test_a_damaged_library_says_so_and_is_left_alone(library: Library) -> None:
    library.add_patient(PATIENT)
    garbage = b"SQLite format 3\x00" + bytes(range(256)) * 40
    library.path.write_bytes(garbage)
    for attempt in (library.patients, lambda: library.add_patient(Patient("Q", Side.LEFT))):
        with pytest.raises(LibraryDamaged) as caught:
            attempt()
        assert "backup" in caught.value.advice
    assert library.path.read_bytes() == garbage


def test_a_library_of_another_program_or_of_the_future_is_refused(library: Library) -> None:
    library.folder.mkdir()
    connection = sqlite3.connect(library.path)
    connection.execute("CREATE TABLE songs (name TEXT)")
    connection.commit()
    with pytest.raises(LibraryDamaged, match="not a library"):
        library.patients()
    connection.close()
    library.path.unlink()
    library.add_patient(PATIENT)
    connection = sqlite3.connect(library.path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(SessionNewer):
        library.add_patient(Patient("Q", Side.LEFT))


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnwritable, match="file"):
        Library(tmp_path / "file" / "data").add_patient(PATIENT)


def test_the_demo_patient_is_there_and_is_not_kept(library: Library) -> None:
    assert library.patient(DEMO.code) == DEMO
    library.keep_plan(DEMO.code, PLAN)
    assert library.plan_of(DEMO.code) == Plan()
    assert library.patients() == ()
    assert not library.path.exists()


@pytest.mark.parametrize(("score", "day"), [(-1, ""), (67, ""), (5, "yesterday"), (5, "2026-02-30")])
def test_impossible_scores_and_days_are_refused(score: int, day: str) -> None:
    with pytest.raises(ValueError):
        Patient("P", Side.LEFT, score, day)


def test_a_first_listing_shows_what_is_known_and_goes_on(
    library: Library, put: MakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_library, "TELL_FIRST_S", 0.0)
    monkeypatch.setattr(store_library, "TELL_EVERY_S", 0.0)
    put("2026-01-01-known.rehab")
    library.sessions()
    for day in (2, 3, 4):
        put(f"2026-01-0{day}-new.rehab")
    steps = library.listings()
    first = next(steps)
    assert {entry.path.name for entry in first.sessions} == {"2026-01-01-known.rehab", "2026-01-04-new.rehab"}
    assert (first.looked, first.new, first.complete) == (1, 3, False)
    del steps  # the window is closed: what was read is kept
    assert [(each.looked, each.new) for each in library.listings()] == [(1, 2), (2, 2)]
    assert len(library.sessions()) == 4


def test_a_listing_that_takes_no_time_comes_at_once_and_whole(library: Library, put: MakeSession) -> None:
    put("a.rehab")
    put("b.rehab", closed=False)
    (only,) = library.listings()
    assert only.complete
    assert [entry.standing for entry in only.sessions] == [Standing.INTERRUPTED, Standing.CLOSED]


def test_a_later_listing_reads_no_file_and_no_figures_again(
    library: Library, put: MakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of sessions are listed whenever one is added."""
    put("a.rehab")
    listed = library.sessions()
    assert library.sessions() == listed
    monkeypatch.setattr(store_library, "look_at", lambda path: pytest.fail(f"{path} was opened"))
    monkeypatch.setattr(store_library, "read_json", lambda content: pytest.fail("figures were read again"))
    assert library.sessions() == listed


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE session SET file = '../../outside.rehab'",
        "UPDATE session SET file = '/etc/outside.rehab'",
        "UPDATE session SET file = ''",
        "UPDATE session SET file = 'library.sqlite'",
        "UPDATE session SET file = replace(hex(zeroblob(2000)), '0', 'x') || '.rehab'",
        "UPDATE session SET begun_utc = x'00'",
        "UPDATE session SET state = 7.5",
        "UPDATE session SET content = x'7b7d'",
        "UPDATE patient SET content = x'7b7d'",
        "UPDATE patient SET content = replace(content, 'P-01', 'P-02')",
        "CREATE TRIGGER t AFTER DELETE ON session BEGIN DELETE FROM plan; END",
    ],
)
def test_an_altered_list_deletes_nothing(library: Library, make_session: MakeSession, statement: str) -> None:
    library.add_patient(PATIENT)
    library.sessions_folder.mkdir(parents=True)
    path = Path(shutil.move(make_session("a.rehab", 50), library.sessions_folder / "a.rehab"))
    library.assign(path, "P-01")
    outside = library.folder.parent / "outside.rehab"
    outside.write_text("mine")
    connection = sqlite3.connect(library.path)
    connection.execute(statement)
    connection.commit()
    connection.close()
    with pytest.raises(LibraryDamaged) as caught:
        library.delete_patient("P-01", "P-01")
    assert caught.value.advice
    assert outside.exists()
    assert path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names there")
def test_a_pipe_in_place_of_the_list_is_refused_at_once(library: Library) -> None:
    library.folder.mkdir()
    os.mkfifo(library.path)
    for ask in (library.patients, lambda: library.add_patient(PATIENT)):
        with pytest.raises(LibraryDamaged, match="not a file"):
            ask()


def test_many_patients_come_in_one_transaction(library: Library) -> None:
    library.add_patient(PATIENT)
    further = [(Patient(f"p-{number:02}", Side.LEFT), PLAN) for number in range(1, 30)]
    assert library.add_patients(further) == 28  # p-01 is there
    assert library.plans() == {f"p-{number:02}": PLAN for number in range(2, 30)}
    assert library.plan_of("p-07") == PLAN


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_to_itself_is_listed_and_can_be_deleted(library: Library) -> None:
    library.sessions_folder.mkdir(parents=True)
    path = library.sessions_folder / "a.rehab"
    path.symlink_to(path)
    (entry,) = library.sessions()
    assert entry.standing in (Standing.UNREADABLE, Standing.MISSING)
    library.delete_session(path, word_to_delete(entry))
    assert not os.path.lexists(path)

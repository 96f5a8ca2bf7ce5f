"""The summary screen: what it shows is the file's, and what one can do from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from rehabcount.domain.patient import DEMO, Patient, Severity
from rehabcount.domain.rig import Side
from rehabcount.domain.session_agreement import SessionAgreement, SessionGroup
from rehabcount.gui import wording
from rehabcount.gui.charts import TimeCourse
from rehabcount.gui.controls import BigNumber
from rehabcount.gui.delete_panel import DeletePanel
from rehabcount.gui.desk import Desk
from rehabcount.gui.summary import SummaryScreen
from rehabcount.store.library import Library
from rehabcount.store.session_file import SessionFile
from tests.counted import make_counted_session

Show = Callable[..., SummaryScreen]


def words_of(widget: QWidget) -> str:
    return " | ".join(label.text() for label in widget.findChildren(QLabel))


@pytest.fixture
def shown(qtbot: QtBot, desk: Desk) -> Show:
    def show(**options: object) -> SummaryScreen:
        path = make_counted_session(desk.settings.sessions / "a.rehab", minutes=5, **options)  # type: ignore[arg-type]
        screen = SummaryScreen(desk)
        qtbot.addWidget(screen)
        screen.resize(1100, 800)
        screen.show()
        screen.entered(path)
        qtbot.waitUntil(lambda: screen.summary is not None and bool(screen.findChildren(BigNumber)))
        return screen

    return show


def test_it_shows_the_files_numbers_and_says_what_they_are_worth(shown: Show) -> None:
    screen = shown(simulated=True)
    assert screen.summary is not None
    assert [number.text for number in screen.findChildren(BigNumber)] == [str(screen.summary.dose.repetitions)]
    words = words_of(screen)
    for wanted in ("P-07", "left arm trained", "Accuracy on patients unknown", "5c5c5c5c5c5c", "By AB, CD", "Shoulder"):
        assert wanted in words
    assert "Simulated data" in screen.simulated.text
    assert "How far the count of a single session is off was not measured for this model." in words  # of this model


AGREEMENT = SessionAgreement(
    "48 simulated sessions",
    "simulated",
    (
        SessionGroup("stroke", 32, 31, 4, 66.4),
        SessionGroup("severe", 8, 8, 24, 29.5),
        SessionGroup("healthy", 8, 8, 6, 120.0),
    ),
    9,
)
ON, COUNTED = "On simulated patients with 9 sensors,", "sessions were counted within"


@pytest.mark.parametrize(
    ("severity", "sentence", "short"),
    [
        (
            Severity.MODERATE,
            f"{ON} 31 of 32 {COUNTED} 4 repetitions of the true number (66 on average).",
            "At most 4 off in 31 of 32 simulated sessions",
        ),
        (
            Severity.SEVERE,
            f"{ON} 8 of 8 {COUNTED} 24 repetitions of the true number (30 on average).",
            "At most 24 off in 8 of 8 simulated sessions",
        ),
        (
            None,
            (
                f"{ON} 31 of 32 {COUNTED} 4 repetitions of the true number (66 on average). With a severely affected "
                "arm 8 of 8 within 24 (30 on average)."
            ),
            "At most 4 off in 31 of 32 simulated sessions; severely affected 24",
        ),
    ],
)
def test_what_a_single_count_is_worth_is_said_in_words(severity: Severity | None, sentence: str, short: str) -> None:
    assert wording.single_session(AGREEMENT, severity) == sentence
    assert wording.single_session_short(AGREEMENT, severity, 9) == short
    assert wording.single_session_short(None, severity, 9) == ""
    assert wording.single_session_short(AGREEMENT, severity, 3) == ""
    real = replace(AGREEMENT, evidence="real patients")
    assert "simulated" not in wording.single_session(real, severity) + wording.single_session_short(real, severity, 9)
    assert "not measured" in wording.single_session(replace(AGREEMENT, groups=AGREEMENT.groups[:1]), None)


def test_its_times_are_since_start(shown: Show) -> None:
    """The mark 95 s into the record was made 1:26 after Start, which the live screen showed; the chart begins there."""
    screen = shown()
    assert screen.summary is not None
    assert screen.summary.start_s == 9.0
    words = words_of(screen)
    assert "1:26" in words
    assert "1:35" not in words
    assert wording.length(screen.summary.counting_s) in words
    assert "repetitions per counted minute" in words
    dose, apart = screen.summary.dose, wording.length(screen.summary.assisted_s)
    assert wording.number(dose.repetitions / screen.summary.counting_s * 60, 1) in words  # what is shown is divided
    total = dose.repetitions + dose.assisted_repetitions
    assert f"with assistance ({dose.assisted_repetitions} of {total}, {apart})" in words
    (chart,) = screen.findChildren(TimeCourse)
    assert chart.accessibleDescription().startswith("0:00: ")
    assert "paused from 1:51 to 2:06" in chart.accessibleDescription()


def test_real_data_are_not_called_simulated_and_an_unchecked_count_is_called_so(shown: Show) -> None:
    screen = shown(corrected=False)
    assert screen.simulated.text == ""
    assert "The automatic count was not checked." in words_of(screen)


def test_report_and_table_lie_beside_the_session(qtbot: QtBot, shown: Show) -> None:
    screen = shown()
    qtbot.mouseClick(screen.pdf_button, Qt.MouseButton.LeftButton)
    assert screen.path.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert str(screen.path.with_suffix(".pdf")) in screen.banner.text
    qtbot.mouseClick(screen.csv_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(screen.path.with_suffix(".csv").exists)
    with qtbot.waitSignal(screen.go) as went:
        qtbot.mouseClick(screen.review_button, Qt.MouseButton.LeftButton)
    assert went.args == ["review", screen.path]


def test_a_note_is_kept(qtbot: QtBot, shown: Show) -> None:
    screen = shown()
    screen.note.setFocus()
    qtbot.keyClicks(screen.note, "  tired today ")
    qtbot.keyClick(screen.note, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "tired today" in words_of(screen))
    with SessionFile.open(screen.path) as session:
        assert [getattr(update, "note", "") for update in session.updates(None)][-1] == "tired today"


def test_a_session_of_the_wrong_patient_is_given_to_the_right_one_and_back(
    qtbot: QtBot, shown: Show, desk: Desk
) -> None:
    library = Library(desk.settings.data)
    library.add_patient(Patient("P-07", Side.LEFT))
    library.add_patient(Patient("Q <b>1</b>", Side.LEFT))
    screen = shown()
    qtbot.mouseClick(screen.wrong_patient, Qt.MouseButton.LeftButton)
    offered = [screen.patients.itemText(i) for i in range(screen.patients.count())]
    assert "P-07" not in offered
    screen.patients.setCurrentText("Q <b>1</b>")
    qtbot.mouseClick(screen.assign_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: screen.whose.text() == "Q <b>1</b>")
    assert [entry.patient for entry in library.sessions()] == ["Q <b>1</b>"]
    qtbot.mouseClick(screen.asking.yes, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: screen.whose.text() == "P-07")


def test_lists_are_told_the_corrected_number(shown: Show, desk: Desk) -> None:
    screen = shown()
    assert screen.summary is not None
    (entry,) = Library(desk.settings.data).sessions()
    assert entry.figures.repetitions == screen.summary.dose.repetitions


def test_a_file_that_is_gone_is_said(qtbot: QtBot, desk: Desk, tmp_path: Path) -> None:
    screen = SummaryScreen(desk)
    qtbot.addWidget(screen)
    screen.show()
    screen.entered(tmp_path / "nowhere.rehab")
    qtbot.waitUntil(lambda: "There is no file" in screen.banner.text)
    assert not screen.review_button.isEnabled()


def test_every_control_has_a_name(shown: Show) -> None:
    screen = shown()
    buttons = [button for button in screen.findChildren(QAbstractButton) if button.isVisibleTo(screen)]
    assert buttons
    assert all(button.accessibleName() or button.text() for button in buttons)
    fields = [*screen.findChildren(QComboBox), *screen.findChildren(QLineEdit)]
    assert len(fields) == 2
    assert all(field.accessibleName() for field in fields)


def test_a_session_that_cannot_be_read_gets_no_report_of_the_one_before(shown: Show, desk: Desk, qtbot: QtBot) -> None:
    screen = shown()
    other = desk.settings.sessions / "other.rehab"
    other.write_bytes(b"no session at all")
    screen.entered(other)
    went: list[str] = []
    screen.go.connect(lambda name, _: went.append(name))
    screen.save_pdf()  # its key works whether or not the button can be pressed
    qtbot.waitUntil(lambda: "other.rehab" in screen.banner.text)
    screen.save_pdf()
    screen.review()
    assert not other.with_suffix(".pdf").exists()
    assert went == []
    assert screen.facts.text() == ""


def test_a_simulated_session_cannot_be_another_patients(qtbot: QtBot, shown: Show, desk: Desk) -> None:
    desk.library.add_patient(Patient("P-07", Side.LEFT))
    screen = shown(simulated=True, patient=DEMO.code)
    qtbot.mouseClick(screen.wrong_patient, Qt.MouseButton.LeftButton)
    assert screen.chooser.isHidden()
    assert "no patient made these movements" in screen.banner.text


def test_the_session_is_deleted_with_the_code_typed(qtbot: QtBot, shown: Show) -> None:
    screen = shown()
    went: list[tuple[str, object]] = []
    told: list[str] = []
    screen.go.connect(lambda name, argument: went.append((name, argument)))
    screen.told.connect(told.append)
    qtbot.mouseClick(screen.delete_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: screen.deleting is not None)
    assert screen.step_back()  # Esc
    screen.ask_delete()
    qtbot.waitUntil(lambda: screen._place_to_ask.count() == 1)
    panel = screen.deleting
    assert isinstance(panel, DeletePanel)
    qtbot.keyClicks(panel.typed, "p-07")
    assert not panel.delete.isEnabled()
    panel.typed.setText("P-07")
    panel.delete.click()
    qtbot.waitUntil(lambda: any(told))
    assert went == [("home", "P-07")]
    assert not screen.path.exists()


def test_a_recording_from_elsewhere_cannot_be_deleted_here(qtbot: QtBot, desk: Desk, tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "elsewhere.rehab", minutes=5)
    screen = SummaryScreen(desk)
    qtbot.addWidget(screen)
    screen.show()
    screen.entered(path)
    qtbot.waitUntil(lambda: screen.summary is not None)
    assert not screen.delete_button.isVisible()
    screen.ask_delete()  # its key
    assert screen.deleting is None
    assert not screen._background.busy

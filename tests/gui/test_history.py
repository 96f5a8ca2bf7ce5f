"""The history: a patient's sessions in order, what may be said of a change, and the way to one of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from rehabcount.domain.update import Adjusted
from rehabcount.gui.desk import Desk
from rehabcount.gui.history import HistoryScreen
from rehabcount.store.session_file import SessionFile
from tests.counted import BEGUN_UTC_NS, make_counted_session

DAY_NS = 86_400 * 10**9
Show = Callable[..., HistoryScreen]


@pytest.fixture
def shown(qtbot: QtBot, desk: Desk) -> Show:
    """Three sessions of P-07 of growing length, one of Q, and a file that is none."""

    def show(argument: object = None, *, broken: bool = False) -> HistoryScreen:
        folder = desk.settings.sessions
        for i, minutes in enumerate((4, 5, 6)):
            begun = BEGUN_UTC_NS + i * DAY_NS
            make_counted_session(folder / f"{i}.rehab", minutes=minutes, begun_utc_ns=begun, simulated=i == 0)
        make_counted_session(folder / "q.rehab", minutes=3, patient="Q")
        if broken:
            (folder / "broken.rehab").write_bytes(b"no session at all")
            make_counted_session(garbled := folder / "garbled.rehab", minutes=3)
            desk.library.sessions()  # lists it as the patient's
            with garbled.open("r+b") as file:  # the schema format: SQLite then reads nothing
                file.seek(44)
                file.write(b"\xff\xfe\xfd\xfc")
        screen = HistoryScreen(desk)
        qtbot.addWidget(screen)
        screen.resize(1100, 900)
        screen.show()
        screen.entered(argument)
        qtbot.waitUntil(lambda: bool(screen.summaries))
        return screen

    return show


def test_sessions_of_the_patient_in_order_with_the_newest_row_on_top(shown: Show) -> None:
    screen = shown("P-07")
    numbers = [summary.dose.repetitions for summary in screen.summaries]
    assert numbers == sorted(numbers)
    assert screen.table.rowCount() == 3
    cells = [screen.table.item(row, 1) for row in range(3)]
    assert [cell.text() for cell in cells if cell is not None] == [str(number) for number in reversed(numbers)]
    first = screen.table.item(2, 0)
    assert first is not None
    assert "(simulated)" in first.text()


def test_no_change_is_marked_without_a_known_measurement_error(shown: Show) -> None:
    screen = shown("P-07")
    assert "is not known; none is marked" in screen.legend.text()
    assert "Speckled: simulated" in screen.legend.text()


def test_another_patient(qtbot: QtBot, shown: Show) -> None:
    screen = shown("P-07")
    screen.patients.setCurrentText("Q")
    qtbot.waitUntil(lambda: len(screen.summaries) == 1)
    assert screen.summaries[0].patient == "Q"


def test_a_session_is_opened_by_key_and_by_mouse(qtbot: QtBot, shown: Show, desk: Desk) -> None:
    screen = shown("P-07")
    qtbot.keyClick(screen.chart, Qt.Key.Key_Left)
    assert screen.table.currentRow() == 1
    with qtbot.waitSignal(screen.go) as went:
        qtbot.keyClick(screen.chart, Qt.Key.Key_Return)
    assert went.args == ["summary", desk.settings.sessions / "1.rehab"]
    with qtbot.waitSignal(screen.go) as went:
        qtbot.mouseDClick(screen.chart, Qt.MouseButton.LeftButton, pos=QPoint(80, 150))
    assert went.args == ["summary", desk.settings.sessions / "0.rehab"]
    screen.table.selectRow(0)
    with qtbot.waitSignal(screen.go) as went:
        qtbot.keyClick(screen.table, Qt.Key.Key_Return)
    assert went.args == ["summary", desk.settings.sessions / "2.rehab"]


def test_other_measures(qtbot: QtBot, shown: Show) -> None:
    screen = shown("P-07")
    for button in screen.trend_card.findChildren(type(screen.export)):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert button.isChecked()
    assert "target" not in screen.legend.text()


def test_a_table_of_all_sessions(qtbot: QtBot, shown: Show, desk: Desk) -> None:
    screen = shown("P-07")
    qtbot.mouseClick(screen.export, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Saved as" in screen.banner.text)
    (table,) = (desk.settings.data / "reports").glob("P-07-*.csv")
    assert len(table.read_text().splitlines()) == 4


def test_a_broken_file_is_named_and_the_rest_is_shown(qtbot: QtBot, shown: Show) -> None:
    screen = shown(broken=True)
    index = screen.patients.findText("Patient not said")
    screen.patients.setCurrentIndex(index)
    qtbot.waitUntil(lambda: "broken.rehab" in screen.banner.text)
    screen.patients.setCurrentText("P-07")
    qtbot.waitUntil(lambda: len(screen.summaries) == 3)
    assert "garbled.rehab" in screen.banner.text


def test_nothing_yet(qtbot: QtBot, desk: Desk, tmp_path: Path) -> None:
    screen = HistoryScreen(desk)
    qtbot.addWidget(screen)
    screen.show()
    screen.entered(None)
    qtbot.waitUntil(lambda: "No sessions yet" in screen.empty.label.text())
    assert screen.trend_card.isHidden()


def test_sessions_are_never_shown_under_another_name(qtbot: QtBot, shown: Show) -> None:
    screen = shown("P-07")
    screen.patients.setCurrentText("Q")
    assert screen.summaries == []  # until they are read
    assert screen.export.isHidden()
    qtbot.waitUntil(lambda: len(screen.summaries) == 1)
    screen.entered("P-07")
    assert screen.trend_card.isHidden()
    qtbot.waitUntil(lambda: len(screen.summaries) == 3)


def test_what_was_counted_by_hand_is_named_beside_corrections(qtbot: QtBot, desk: Desk) -> None:
    path = make_counted_session(desk.settings.sessions / "a.rehab", minutes=3, patient="Q")
    with SessionFile.annotate(path) as session:
        session.accept(Adjusted(1, 100.0, "drinking", "AB"))
    screen = HistoryScreen(desk)
    qtbot.addWidget(screen)
    screen.entered("Q")
    qtbot.waitUntil(lambda: bool(screen.summaries))
    cell = screen.table.item(0, 5)
    assert cell is not None
    assert cell.text() == f"{screen.summaries[0].agreement.corrected}, +1 by hand"

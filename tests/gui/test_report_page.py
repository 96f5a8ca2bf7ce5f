"""The printed page: one page, no colour, and the numbers of the session file on it."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtCore import QSize
from PyQt6.QtGui import QFontDatabase, QImage
from PyQt6.QtPdf import QPdfDocument
from PyQt6.QtWidgets import QApplication

from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.session_summary import Summary
from rehabcount.domain.update import Gap, Mark
from rehabcount.engine.summarise import summarise
from rehabcount.errors import ConfigError, StoreUnwritable
from rehabcount.gui import language, wording
from rehabcount.gui.paper import nice_step, nice_top
from rehabcount.gui.plan_editor import suggestions
from rehabcount.gui.report_page import write_pdf
from rehabcount.store.documents import PLAN
from rehabcount.store.session_file import SessionFile
from tests.counted import make_counted_session


def summary_of(path: Path) -> Summary:
    with SessionFile.open(path) as session:
        return summarise(session)


def read_pdf(path: Path) -> QPdfDocument:
    document = QPdfDocument(None)
    assert document.load(str(path)) is QPdfDocument.Error.None_
    return document


def words_on(path: Path) -> str:
    return " ".join(read_pdf(path).getAllText(0).text().split())


def test_the_page_says_what_the_file_says(qapp: QApplication, tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "a.rehab", simulated=True)
    write_pdf(tmp_path / "a.pdf", summary_of(path))
    words = words_on(tmp_path / "a.pdf")
    with sqlite3.connect(path) as connection:
        (corrections,) = connection.execute("SELECT count(DISTINCT event) FROM correction").fetchone()
        (model,) = connection.execute("SELECT model FROM counting").fetchone()
        (session,) = connection.execute("SELECT value FROM about WHERE key = 'session'").fetchone()
    summary = summary_of(path)
    assert f"{summary.dose.repetitions} task repetitions" in words
    assert f"{summary.dose.of_plan} of 70 planned" in words
    for each in summary.agreement.primitives[1:]:
        assert re.search(rf"{each.label} \d+:\d\d {each.corrected} {each.automatic}\b", words), each
    for activity in summary.dose.activities[:2]:
        assert f"{activity.name} {activity.repetitions} of {activity.target}" in words
    assert f"{wording.length(summary.dose.active_s)} active time" in words
    assert f"{wording.number(summary.pace_per_min, 1)} repetitions per counted minute" in words
    assert "since Start, pauses included" in words
    assert "Events corrected: 6 (3 changed, 2 removed, 1 added)" in words
    assert model[:12] in words
    assert session in words
    assert "Left hand: 4.5 s missing in 2 gaps" in words
    assert "1:13 Shoulder hurts a little" in words
    assert "By AB, CD" in words
    assert corrections > 3
    assert "Simulated data" in words
    assert "Research use only" in words
    assert "Accuracy on patients unknown" in words


def test_one_page_in_grey_with_any_content(qapp: QApplication, tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "a.rehab", minutes=40, patient="<b>Ä & co</b>")
    with SessionFile.annotate(path) as session:
        session.put_document(PLAN, Plan(tuple(PlannedActivity(f"activity {i} " * 9, i) for i in range(30))))
        session.accept(*(Mark(i, "word " * 80) for i in range(40)))
        session.counting = 1
        session.accept(*(Gap(f"sensor {i}", 0.0, 1.0) for i in range(20)))
    write_pdf(tmp_path / "a.pdf", summary_of(path))
    document = read_pdf(tmp_path / "a.pdf")
    assert document.pageCount() == 1
    picture = document.render(0, QSize(620, 877)).convertToFormat(QImage.Format.Format_RGB888)
    pixels = picture.constBits()
    assert pixels is not None
    raw = bytes(pixels.asarray(picture.sizeInBytes()))
    rows = [raw[i : i + 620 * 3] for i in range(0, len(raw), picture.bytesPerLine())]
    coloured = sum(max(row[i : i + 3]) - min(row[i : i + 3]) > 8 for row in rows for i in range(0, 620 * 3, 3))
    assert coloured == 0
    words = words_on(tmp_path / "a.pdf")
    assert "<b>Ä & co</b>" in words
    assert f"and {len(summary_of(path).dose.activities) - 7} more" in words
    assert "more notes are in the table" in words
    assert "Simulated" not in words


def test_a_mark_without_words_is_on_the_page(qapp: QApplication, tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "a.rehab", minutes=5)
    with SessionFile.annotate(path) as session:
        session.accept(*(Mark(at_s, "") for at_s in (46.0, 75.0)))
    summary = summary_of(path)
    write_pdf(tmp_path / "a.pdf", summary)
    times = ", ".join(wording.clock(at_s - summary.start_s) for at_s in (46.0, 75.0))
    assert f"Marked at {times}" in words_on(tmp_path / "a.pdf")
    with SessionFile.annotate(path) as session:
        session.accept(*(Mark(float(at_s), "") for at_s in range(80, 180)))
    write_pdf(tmp_path / "a.pdf", summary_of(path))
    assert "and 91 more" in words_on(tmp_path / "a.pdf")


def test_it_speaks_german(qapp: QApplication, tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "a.rehab", minutes=5)
    language.install(qapp, "de")
    write_pdf(tmp_path / "a.pdf", summary_of(path))
    assert "Nur für die Forschung" in words_on(tmp_path / "a.pdf")


def test_a_folder_that_cannot_be_written_is_said(qapp: QApplication, tmp_path: Path) -> None:
    path = make_counted_session(tmp_path / "a.rehab", minutes=3)
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreUnwritable):
        write_pdf(tmp_path / "file" / "a.pdf", summary_of(path))


def test_without_a_font_nothing_is_written(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_counted_session(tmp_path / "a.rehab", minutes=3)
    monkeypatch.setattr(QFontDatabase, "families", list)
    with pytest.raises(ConfigError, match="no font"):
        write_pdf(tmp_path / "a.pdf", summary_of(path))
    assert not (tmp_path / "a.pdf").exists()


@pytest.mark.parametrize(("highest", "top", "step"), [(0, 1, 1), (3, 3, 1), (9, 10, 5), (47, 60, 20), (400, 400, 100)])
def test_axes_are_round(highest: int, top: int, step: int) -> None:
    assert (nice_top(highest), nice_step(max(highest, 1))) == (top, step)


@pytest.mark.parametrize(("ratio", "said"), [(112.09, "112 : 1"), (1.26, "1.3 : 1")])
def test_the_use_of_both_arms_is_said_as_a_ratio(qapp: QApplication, tmp_path: Path, ratio: float, said: str) -> None:
    summary = summary_of(make_counted_session(tmp_path / "a.rehab", minutes=3))
    write_pdf(tmp_path / "a.pdf", replace(summary, dose=replace(summary.dose, use_ratio=ratio)))
    assert f"{said} active time, this arm : the other arm" in words_on(tmp_path / "a.pdf")


@pytest.mark.parametrize("spoken", ["en", "de"])
def test_usual_activities_are_not_cut_off(qapp: QApplication, tmp_path: Path, spoken: str) -> None:
    language.install(qapp, spoken)
    summary = summary_of(make_counted_session(tmp_path / "a.rehab", minutes=3))
    names = suggestions()[:7]
    activities = tuple(replace(summary.dose.activities[0], name=name) for name in names)
    write_pdf(tmp_path / "a.pdf", replace(summary, dose=replace(summary.dose, activities=activities)))
    words = words_on(tmp_path / "a.pdf")
    assert [name for name in names if name not in words] == []


@pytest.mark.parametrize("spoken", ["en", "de"])
def test_both_lengths_are_named_and_have_room(qapp: QApplication, tmp_path: Path, spoken: str) -> None:
    language.install(qapp, spoken)
    summary = summary_of(make_counted_session(tmp_path / "a.rehab", minutes=40))
    write_pdf(tmp_path / "a.pdf", summary)
    words = words_on(tmp_path / "a.pdf")
    lengths = (wording.length(summary.length_s), wording.length(summary.counting_s))
    names = ("recorded", "counted") if spoken == "en" else ("aufgezeichnet", "gezählt")
    assert ", ".join(f"{name} {length}" for name, length in zip(names, lengths, strict=True)) in words
    assert " ".join(wording.arm_line(summary).split()) in words

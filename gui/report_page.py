"""The report: a Summary on one page of A4 that prints well in grey.

In: only a Summary, so that page and tables agree. Out: the bytes of a PDF, or a file. Everything is drawn in black,
white and four greys; different kinds have different patterns. Entries that do not fit are counted ("and 3 more"), never
shrunk. Lengths are points.
"""

from __future__ import annotations

import os
from pathlib import Path

from PyQt6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF
from PyQt6.QtGui import QFontDatabase, QGuiApplication, QPageSize, QPainter, QPdfWriter

from rehabcount import __version__
from rehabcount.domain.labels import PRIMITIVES
from rehabcount.domain.message import Code, Message
from rehabcount.domain.session_summary import Compared, Summary
from rehabcount.errors import ConfigError
from rehabcount.exchange.report import count_of, length_of
from rehabcount.gui import wording
from rehabcount.gui.language import plural, primitive_name, side_name, tr
from rehabcount.gui.paper import FAINT, HATCHED, INK, MID, PALE, Paper, Spot
from rehabcount.store.private import write_private_bytes

MARGIN, RIGHT, WIDTH = 45.0, 550.0, 505.0  # of the printed area on A4, 595 wide
GAP = 25.0  # between the two columns
COLUMN = (WIDTH - GAP) / 2
BOTTOM = 790.0  # the last line before the footer
EDGES = (136.0, 180.0, 240.0)  # right edges of the primitives' columns
MOST_ACTIVITIES, MOST_SENSORS, MOST_NOTES, MOST_MARKS = 7, 3, 4, 12


def write_pdf(path: Path, summary: Summary) -> None:
    """The page as a file, readable by its owner only."""
    write_private_bytes(path, pdf_of(summary))


def write_pdf_without_window(path: Path, summary: Summary, language: str) -> None:
    """For the command line, where there may be no display."""
    if QGuiApplication.instance() is None:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from rehabcount.gui import language as spoken
    from rehabcount.gui.start import application

    spoken.install(application(), language)
    write_pdf(path, summary)


def pdf_of(summary: Summary) -> bytes:
    """The bytes of the PDF. ConfigError where there is no font to print with: the page would be full of boxes."""
    if not QFontDatabase.families():
        raise ConfigError(Message.of(Code.NO_FONT), advice=Message.of(Code.DO_INSTALL_FONT))
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setResolution(Paper.RESOLUTION)
    writer.setTitle(tr("Session report"))
    writer.setCreator(f"rehabcount {__version__}")
    painter = QPainter(writer)
    draw(Paper(painter), summary)
    painter.end()
    buffer.close()
    return bytes(content.data())


def draw(paper: Paper, summary: Summary) -> None:
    """The whole page, from the top down."""
    y = _head(paper, summary)
    y = _dose(paper, summary, y)
    y = _time_course(paper, summary, y + 20)
    left = _activities(paper, summary, y + 18)
    right = _primitives(paper, summary, y + 18)
    y = max(left, right) + 16
    left = _corrections(paper, summary, y)
    right = _data(paper, summary, y)
    _notes(paper, summary, max(left, right) + 16)
    _foot(paper, summary)


def _head(paper: Paper, summary: Summary) -> float:
    paper.text(Spot(MARGIN, 44, 300), tr("Session report"), 9, ink=MID)
    paper.text(Spot(MARGIN, 57, 265), wording.whose(summary), 22, bold=True)
    paper.text(Spot(RIGHT - 220, 44, 220), wording.moment(summary.begun_utc_ns), 9, ink=MID, align="right")
    paper.text(Spot(RIGHT - 232, 57, 232), wording.arm_line(summary), 9, align="right")
    paper.text(Spot(RIGHT - 232, 70, 232), wording.length_line(summary), 9, align="right")
    y = 88.0
    paper.line(MARGIN, y, RIGHT, INK, 1.2)
    if summary.simulated:
        paper.box(MARGIN, y + 9, WIDTH, 24, fill=FAINT, edge=INK)
        paper.text(
            Spot(MARGIN + 12, y + 15.5, WIDTH - 24), tr("Simulated data: no person was measured."), 10.5, bold=True
        )
        y += 35
    return y


def _dose(paper: Paper, summary: Summary, y: float) -> float:
    dose = summary.dose
    paper.text(Spot(MARGIN, y + 14, 190), wording.number(dose.repetitions), 58, bold=True)
    paper.text(Spot(MARGIN, y + 84, 190), tr("task repetitions"), 12, bold=True)
    if dose.of_plan is not None and dose.plan.target:
        goal = wording.of_plan(dose)
        paper.progress(MARGIN, y + 104, 176, 8, dose.of_plan / dose.plan.target)
    else:
        goal = tr("no target was set")
    paper.text(Spot(MARGIN, y + 117, 200), goal, 9, ink=MID)
    counted = sum(count_of(dose, label.name, summary.side) for label in PRIMITIVES.labels if label.counted)
    pace = wording.number(summary.pace_per_min, 1)
    figures = [
        (wording.length(dose.active_s), tr("active time of the arm")),
        (pace, wording.pace_name()),
        (wording.share(summary.assisted_share), wording.helped(summary)),
        (wording.number(counted), tr("primitives counted")),
        (
            wording.length(summary.counting_s),
            tr("counted without help; paused {paused}").format(paused=wording.length(summary.paused_s)),
        ),
        _last_figure(summary),
    ]
    left, width = MARGIN + 218, (WIDTH - 218) / 2
    for i, (value, name) in enumerate(figures):
        x, top = left + (i % 2) * width, y + 14 + (i // 2) * 42
        paper.text(Spot(x, top, width - 6), value, 15, bold=True)
        paper.paragraph(Spot(x, top + 19, width - 6), name, 8, ink=MID)
    return y + 130


def _last_figure(summary: Summary) -> tuple[str, str]:
    """Use of both arms where both are measured; else how much data are missing."""
    if summary.dose.use_ratio is not None:
        ratio = summary.dose.use_ratio
        return f"{wording.number(ratio, 1 if ratio < 10 else 0)} : 1", tr("active time, this arm : the other arm")
    missing_s = sum(each.length_s for each in summary.missing)
    return tr("{seconds} s").format(seconds=wording.number(missing_s, 1)), tr("data missing, all sensors")


def _time_course(paper: Paper, summary: Summary, y: float) -> float:
    y = _section(paper, MARGIN, y, WIDTH, wording.course_title(summary.bin_s))
    x = RIGHT
    if summary.pauses:
        x = paper.key(x, y - 19.5, FAINT, tr("paused")) - 14
    helped = any(each.assisted_repetitions for each in summary.bins)
    if helped:
        x = paper.key(x, y - 19.5, HATCHED, tr("with assistance")) - 14
        paper.key(x, y - 19.5, INK, tr("alone"))
    paper.bars(
        Spot(MARGIN, y + 4, WIDTH),
        96,
        [(each.repetitions, each.assisted_repetitions) for each in summary.bins],
        [wording.clock(each.start_s) for each in summary.bins],
        [(pause.start_s / summary.bin_s, pause.end_s / summary.bin_s) for pause in summary.pauses],
    )
    paper.text(Spot(RIGHT - 200, y + 115, 200), tr("since Start, pauses included"), 8, ink=MID, align="right")
    return y + 126


def _activities(paper: Paper, summary: Summary, y: float) -> float:
    y = _section(paper, MARGIN, y, COLUMN, tr("By activity"))
    rows = summary.dose.activities
    if not rows:
        return paper.text(Spot(MARGIN, y, COLUMN), tr("No activity was named."), 9, ink=MID) + 4
    most = max(max(row.repetitions, row.target or 0) for row in rows) or 1
    for row in rows[:MOST_ACTIVITIES]:
        done = wording.number(row.repetitions)
        if row.target is not None:
            done = tr("{number} of {total}").format(number=done, total=wording.number(row.target))
        paper.text(Spot(MARGIN, y, 120), wording.activity_name(row.name), 9)
        paper.scale(
            MARGIN + 124, y + 1.5, 56, 8, row.repetitions / most, None if row.target is None else row.target / most
        )
        paper.text(Spot(MARGIN + COLUMN - 56, y, 56), done, 9, bold=True, align="right")
        y += 17
    return _and_more(paper, MARGIN, y, len(rows) - MOST_ACTIVITIES)


def _primitives(paper: Paper, summary: Summary, y: float) -> float:
    x = MARGIN + COLUMN + GAP
    title = tr("Primitives, {side} arm").format(side=side_name(summary.side.value))
    y = _section(paper, x, y, COLUMN, title)
    corrected = summary.agreement.is_checked
    heads = [tr("time"), tr("count"), *([tr("automatic")] if corrected else [])]
    for i, head in enumerate(heads):
        paper.text(Spot(x + EDGES[i] - 66, y, 66), head, 8, ink=MID, align="right")
    y += 13
    for label in PRIMITIVES.labels:
        compared: Compared = next(each for each in summary.agreement.primitives if each.label == label.name)
        paper.swatch(x, y + 0.5, label)
        paper.text(Spot(x + 18, y, 84), primitive_name(label.name), 9)
        length_s = length_of(summary.dose, label.name, summary.side)
        cells = [wording.clock(length_s)]
        cells += [wording.number(compared.corrected) if label.counted else ""]
        cells += [wording.number(compared.automatic) if label.counted else ""] if corrected else []
        for i, cell in enumerate(cells):
            paper.text(Spot(x + EDGES[i] - 50, y, 50), cell, 9, bold=i == 1, align="right")
        y += 16
    return y


def _corrections(paper: Paper, summary: Summary, y: float) -> float:
    """Corrections, and what a single count is worth without them."""
    y = _section(paper, MARGIN, y, COLUMN, tr("Corrections"))
    for line in wording.correction_lines(summary):
        y = paper.paragraph(Spot(MARGIN, y, COLUMN), line, 9) + 2
    if summary.model is not None:
        y = paper.paragraph(Spot(MARGIN, y, COLUMN), wording.single_session(summary.model.sessions), 9, bold=True) + 2
    return y


def _data(paper: Paper, summary: Summary, y: float) -> float:
    x = MARGIN + COLUMN + GAP
    y = _section(paper, x, y, COLUMN, tr("Data and recogniser"))
    for line in wording.missing_lines(summary)[:MOST_SENSORS]:
        y = paper.paragraph(Spot(x, y, COLUMN), line, 9) + 2
    y = _and_more(paper, x, y, len(summary.missing) - MOST_SENSORS)
    if summary.model is not None:
        y = paper.paragraph(Spot(x, y, COLUMN), wording.counted_by(summary.model), 9) + 2
    return paper.paragraph(Spot(x, y, COLUMN), wording.accuracy(summary.model) + ".", 9, bold=True)


def _notes(paper: Paper, summary: Summary, y: float) -> float:
    notes = [note for note in summary.notes if note.note]
    marks = [wording.clock(summary.since_start(note.at_s)) for note in summary.notes if not note.note]
    if not notes and not marks:
        return y
    y = _section(paper, MARGIN, y, WIDTH, tr("Notes"))
    if marks:
        more = len(marks) - MOST_MARKS
        shown_marks = ", ".join(marks[:MOST_MARKS]) + (
            f" {plural(more, 'and {n} more', 'and {n} more')}" if more > 0 else ""
        )
        paper.text(Spot(MARGIN, y, WIDTH), tr("Marked at {times}").format(times=shown_marks), 9)
        y += 14
    for shown, note in enumerate(notes):
        if shown == MOST_NOTES or (shown < len(notes) - 1 and y > BOTTOM - 26):
            left = len(notes) - shown
            rest = plural(left, "{n} more note is in the table.", "{n} more notes are in the table.")
            return paper.text(Spot(MARGIN, y, WIDTH), rest, 9, ink=MID)
        paper.text(Spot(MARGIN, y, 40), wording.clock(summary.since_start(note.at_s)), 9, ink=MID)
        paper.text(Spot(MARGIN + 44, y, WIDTH - 44), " ".join(note.note.split()), 9)
        y += 14
    return y


def _foot(paper: Paper, summary: Summary) -> None:
    paper.line(MARGIN, 798, RIGHT, PALE, 0.6)
    use = tr("Research use only. Not a medical device. Counts are estimates.")
    paper.text(Spot(MARGIN, 802, WIDTH), use, 8, bold=True)
    made = tr("rehabcount {version}, printed {when}").format(version=__version__, when=wording.now())
    paper.text(Spot(MARGIN, 814, WIDTH * 0.6), f"{summary.file}  ·  {summary.session}", 7, ink=MID)
    paper.text(Spot(RIGHT - WIDTH * 0.38, 814, WIDTH * 0.38), made, 7, ink=MID, align="right")


def _section(paper: Paper, x: float, y: float, width: float, title: str) -> float:
    paper.text(Spot(x, y, width), title, 10.5, bold=True)
    paper.line(x, y + 16, x + width, PALE, 0.8)
    return y + 22


def _and_more(paper: Paper, x: float, y: float, number: int) -> float:
    if number <= 0:
        return y
    paper.text(Spot(x, y, COLUMN), plural(number, "and {n} more", "and {n} more"), 9, ink=MID)
    return y + 14

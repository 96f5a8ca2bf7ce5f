"""The history: a patient's sessions as a trend with the target, and as a list.

Entered with a patient's code, or nothing: then the patient of the newest session. Numbers are after corrections, from
the session files themselves.
"""

from __future__ import annotations

import logging
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QComboBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from rehabcount.domain.patient import DEMO
from rehabcount.domain.session_summary import Summary
from rehabcount.domain.trend import Measure, active_minutes, pace, primitives, repetitions, trend
from rehabcount.errors import RehabcountError
from rehabcount.exchange.report import write_sessions
from rehabcount.gui import wording
from rehabcount.gui.background import Background
from rehabcount.gui.controls import Banner, Card, EmptyState, Heading, PlainButton, scrolling, text_label
from rehabcount.gui.desk import Desk
from rehabcount.gui.flow import Flow
from rehabcount.gui.language import patient_name, plural, signed, tr
from rehabcount.gui.overlay import Overlay
from rehabcount.gui.saved_file import SavedFile
from rehabcount.gui.screen import KeyHint, Screen
from rehabcount.gui.summary import read_summary
from rehabcount.gui.theme import px, space
from rehabcount.gui.trend_chart import Say, TrendChart
from rehabcount.gui.troubles import words_of
from rehabcount.store.library import SessionEntry

log = logging.getLogger(__name__)
UNKNOWN = ""  # stands for sessions without a patient


class HistoryScreen(Screen):
    name = "history"

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk, parent)
        self.patient = UNKNOWN
        self.summaries: list[Summary] = []
        self._paths: list[Path] = []  # of the sessions in the trend, in its order
        self._read: dict[tuple[Path, int], Summary] = {}  # by file and time of its last change
        self._entries: tuple[SessionEntry, ...] = ()
        self._background = Background(self)
        page = QWidget()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        area = scrolling(page)
        whole.addWidget(area)
        outer = QVBoxLayout(page)
        outer.setContentsMargins(space(3), space(2.5), space(3), space(2))
        outer.setSpacing(space(2))
        outer.addLayout(self._make_head())
        self.banner = Banner()
        Overlay(self, self.banner)
        self.empty = EmptyState("history", "")
        outer.addWidget(self.empty, 1)
        self.trend_card = self._make_trend()
        outer.addWidget(self.trend_card, 1)
        self.table = self._make_table()
        outer.addWidget(self.table)

    def title(self) -> str:
        return tr("History")

    def keys(self) -> list[KeyHint]:
        return [
            KeyHint("← →", tr("along the sessions")),
            KeyHint("Enter", tr("open the session")),
        ]

    # -- building -----------------------------------------------------------------------------------------------------

    def _make_head(self) -> QVBoxLayout:
        head = QVBoxLayout()
        head.setSpacing(space(1))
        head.addWidget(Heading(tr("History")))
        row = Flow()
        self.patients = QComboBox()
        self.patients.setAccessibleName(tr("Patient"))
        self.patients.setMinimumWidth(px(240))
        self.patients.currentIndexChanged.connect(lambda _: self._choose_patient())
        row.addWidget(self.patients)
        self.export = PlainButton(tr("Table (CSV)"), "table", self.save_table)
        self.export.setToolTip(tr("One line for each session (CSV)"))
        row.addWidget(self.export)
        head.addLayout(row)
        return head

    def _make_trend(self) -> Card:
        card = Card()
        row = Flow()
        self._measures = QButtonGroup(card)
        self._offered: list[tuple[str, Measure, Say]] = [
            (tr("Task repetitions"), repetitions, wording.number),
            (tr("Active minutes"), active_minutes, lambda value: wording.clock(60 * (value or 0.0))),
            (tr("Primitives"), primitives, wording.number),
            (tr("Repetitions per counted minute"), pace, lambda value: wording.number(value, 1)),
        ]
        for number, (name, _, _) in enumerate(self._offered):
            button = PlainButton(name)
            button.setCheckable(True)
            button.setChecked(number == 0)
            self._measures.addButton(button, number)
            row.addWidget(button)
        self._measures.idClicked.connect(lambda _: self._show_trend())
        card.body.addLayout(row)
        self.chart = TrendChart()
        self.chart.chosen.connect(self._select_row)
        self.chart.opened.connect(self._open)
        card.body.addWidget(self.chart, 1)
        self.legend = text_label("", "caption", wrap=True)
        card.body.addWidget(self.legend)
        return card

    def _make_table(self) -> _Table:
        table = _Table()
        table.setAccessibleName(tr("Sessions"))
        names = [
            tr("Date"),
            tr("Task repetitions"),
            tr("Of the plan"),
            tr("Active time"),
            tr("With assistance"),
            tr("Events corrected"),
            tr("Counted by"),
        ]
        table.setColumnCount(len(names))
        table.setHorizontalHeaderLabels(names)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # the page scrolls
        if (sides := table.verticalHeader()) is not None:
            sides.hide()
            sides.setDefaultSectionSize(px(44))
        if (top := table.horizontalHeader()) is not None:
            top.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
            top.setStretchLastSection(True)
            top.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            top.setHighlightSections(False)
        table.itemSelectionChanged.connect(self._select_point)
        table.opened.connect(self._open_row)
        return table

    # -- showing ------------------------------------------------------------------------------------------------------

    def entered(self, argument: object) -> None:
        wanted = argument if isinstance(argument, str) else self.patient or None
        self.banner.clear()
        self._background.forget()
        self._change_to(wanted or UNKNOWN)
        library = self.desk.library
        self._background.run(
            lambda: (library.sessions(), [each.code for each in library.patients()]),
            lambda found: self._list(*found, wanted),
            self._complain,
        )

    def leaving(self) -> bool:
        self._background.forget()
        return True

    def _list(self, entries: tuple[SessionEntry, ...], codes: list[str], wanted: str | None) -> None:
        self._entries = entries
        found = [entry.patient or UNKNOWN for entry in entries]
        known = list(dict.fromkeys([*codes, *(code for code in found if code)]))
        if DEMO.code in known:
            known = [*(code for code in known if code != DEMO.code), DEMO.code]
        if UNKNOWN in found:
            known.append(UNKNOWN)
        newest = next((code for code in found if code), found[0] if found else known[0] if known else UNKNOWN)
        chosen = wanted if wanted in known else newest
        self.patients.blockSignals(True)
        self.patients.clear()
        for code in known:
            self.patients.addItem(patient_name(code) or tr("Patient not said"), code)
        self.patients.setCurrentIndex(max(0, self.patients.findData(chosen)))
        self.patients.blockSignals(False)
        self.patients.setVisible(bool(known))
        self._choose_patient()

    def _change_to(self, patient: str) -> None:
        """Clears the screen first, so that sessions are never shown or saved under another patient's name."""
        if patient != self.patient or not self.summaries:
            self.patient, self.summaries, self._paths = patient, [], []
            self._background.forget()
            self._show_nothing(tr("Reading the sessions …"))

    def _choose_patient(self) -> None:
        self._change_to(str(self.patients.currentData() or UNKNOWN))
        mine = [entry for entry in self._entries if (entry.patient or UNKNOWN) == self.patient]
        known, folders = dict(self._read), self.desk.model_folders

        def read() -> tuple[dict[tuple[Path, int], Summary], list[str]]:
            fresh: dict[tuple[Path, int], Summary] = {}
            trouble = []
            for entry in mine:
                try:
                    key = (entry.path, entry.path.stat().st_mtime_ns)
                    fresh[key] = known[key] if key in known else read_summary(entry.path, folders)
                except RehabcountError as problem:
                    trouble.append(words_of(problem))
                except OSError as problem:
                    trouble.append(f"{entry.path.name}: {problem.strerror}")
                except Exception as problem:  # no error of one session hides the others
                    log.exception("a session cannot be read")
                    trouble.append(f"{entry.path.name}: {problem!r}")
            return fresh, trouble

        self._background.run(read, lambda found: self._show(*found), self._complain)

    def _show(self, found: dict[tuple[Path, int], Summary], trouble: list[str]) -> None:
        self._read |= found
        paths = {id(summary): path for (path, _), summary in found.items()}
        self.summaries = [point.summary for point in trend(list(found.values()))]
        self._paths = [paths[id(summary)] for summary in self.summaries]
        if trouble:
            self.banner.say(" ".join(trouble), "warn")
        else:
            self.banner.clear()
        if not self.summaries:
            self._show_nothing(tr("No sessions yet. When one is over, it appears here."))
            return
        self.empty.hide()
        for widget in (self.trend_card, self.table, self.export):
            widget.show()
        self._fill_table()
        self._show_trend()
        self._select_row(len(self.summaries) - 1)
        self.chart.setFocus()

    def _show_nothing(self, why: str) -> None:
        self.empty.label.setText(why)
        self.empty.show()
        for widget in (self.trend_card, self.table, self.export):
            widget.hide()

    def _show_trend(self) -> None:
        _, measure, say = self._offered[max(0, self._measures.checkedId())]
        points = trend(self.summaries, measure)
        self.chart.show_points(points, say)
        self.legend.setText(" ".join(self._explanations(measure is repetitions)))

    def _explanations(self, of_repetitions: bool) -> list[str]:
        said = []
        points = trend(self.summaries)
        if of_repetitions and any(point.target is not None for point in points):
            said.append(tr("Dashed line: the target of the day."))
        if any(summary.simulated for summary in self.summaries):
            said.append(tr("Speckled: simulated, no person was measured."))
        if of_repetitions:
            models = [summary.model for summary in self.summaries if summary.model is not None]
            if any(model.mdc95 is not None for model in models):
                said.append(tr("Triangle: a change that is more than measurement error (95 %)."))
            elif models:
                said.append(
                    tr("How large a change must be to be more than measurement error is not known; none is marked.")
                )
        return said

    def _fill_table(self) -> None:
        self.table.blockSignals(True)
        self.table.setRowCount(len(self.summaries))
        for row, summary in enumerate(reversed(self.summaries)):  # the newest on top
            dose = summary.dose
            cells = [
                wording.moment(summary.begun_utc_ns),
                wording.number(dose.repetitions),
                _of_plan(summary),
                wording.length(dose.active_s),
                wording.share(summary.assisted_share),
                _corrections(summary),
                wording.model_name(summary.model),
            ]
            if summary.simulated:
                cells[0] += "  " + tr("(simulated)")
            for column, text in enumerate(cells):
                self.table.setItem(row, column, QTableWidgetItem(text))
        self.table.blockSignals(False)
        head = self.table.horizontalHeader()
        rows = len(self.summaries) * px(44) + (head.sizeHint().height() if head is not None else 0)
        self.table.setFixedHeight(rows + px(20))  # the bar for scrolling sideways in a narrow window
        self.table.setToolTip(plural(len(self.summaries), "{n} session", "{n} sessions"))

    # -- choosing and opening -----------------------------------------------------------------------------------------

    def _select_row(self, place: int) -> None:
        self.table.blockSignals(True)
        self.table.selectRow(len(self.summaries) - 1 - place)
        self.table.blockSignals(False)
        self.chart.choose(place)

    def _select_point(self) -> None:
        row = self.table.currentRow()
        if row >= 0:
            self.chart.choose(len(self.summaries) - 1 - row)

    def _open_row(self, row: int) -> None:
        self._open(len(self.summaries) - 1 - row)

    def _open(self, place: int) -> None:
        if 0 <= place < len(self._paths):
            self.go.emit("summary", self._paths[place])

    def save_table(self) -> None:
        name = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in self.patient) or "sessions"
        target = self.desk.settings.data / "reports" / f"{name}-{wording.iso_day()}.csv"
        summaries = list(self.summaries)
        self._background.run(
            lambda: write_sessions(target, summaries),
            lambda _: SavedFile(target, target.name, self.banner, self._background, self._complain).tell(),
            self._complain,
        )

    def _complain(self, problem: RehabcountError) -> None:
        self.banner.say(words_of(problem), "bad")


class _Table(QTableWidget):
    """A table whose rows open with Enter or a double click."""

    opened = pyqtSignal(int)

    def __init__(self) -> None:
        super().__init__()
        self.cellDoubleClicked.connect(lambda row, _: self.opened.emit(row))

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802 (Qt's name)
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentRow() >= 0:
            self.opened.emit(self.currentRow())
            return
        super().keyPressEvent(event)


def _of_plan(summary: Summary) -> str:
    """Repetitions towards the targets of all activities."""
    done = summary.dose.of_plan
    if done is None:
        return wording.NOT_KNOWN
    target = wording.number(summary.dose.plan.target)
    return tr("{number} of {total}").format(number=wording.number(done), total=target)


def _corrections(summary: Summary) -> str:
    """The number of corrected events, and the repetitions added by hand during the session."""
    made, by_hand = wording.number(summary.agreement.corrected), summary.agreement.by_hand
    return f"{made}, {tr('{number} by hand').format(number=signed(by_hand))}" if by_hand else made

"""The plan of a session: activities, each with a target of task repetitions or without. There is no default target."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QSpinBox, QVBoxLayout, QWidget

from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.gui.controls import IconButton, PlainButton, text_label
from rehabcount.gui.language import plural, tr
from rehabcount.gui.theme import px, space

MOST = 2000  # repetitions of one activity; beyond lies a slip of the finger
STEP = 10


def suggestions() -> list[str]:
    """Everyday tasks that therapists often train; any other words do as well."""
    return [
        tr("Glass to shelf"),
        tr("Reaching on the table"),
        tr("Drinking"),
        tr("Eating"),
        tr("Combing"),
        tr("Washing the face"),
        tr("Brushing teeth"),
        tr("Putting on glasses"),
    ]


class ActivityRow(QWidget):
    """One activity."""

    changed = pyqtSignal()
    removed = pyqtSignal()

    def __init__(self, activity: PlannedActivity) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(space(1))
        self.activity = QComboBox()
        self.activity.setEditable(True)
        self.activity.addItems(suggestions())
        self.activity.setCurrentText(activity.name)
        self.activity.setAccessibleName(tr("Activity"))
        self.activity.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        field = self.activity.lineEdit()
        if field is not None:
            field.setPlaceholderText(tr("What is trained?"))
            field.setMaxLength(60)
        self.target = QSpinBox()
        self.target.setRange(0, MOST)
        self.target.setSingleStep(STEP)
        self.target.setSpecialValueText(tr("no target"))
        self.target.setSuffix(" " + tr("repetitions"))
        self.target.setValue(activity.target or 0)
        self.target.setAccessibleName(tr("Target of task repetitions"))
        self.target.setMinimumWidth(px(180))
        self.remove = IconButton("delete", tr("Remove this activity"), self.removed.emit)
        row.addWidget(self.activity, 1)
        row.addWidget(self.target)
        row.addWidget(self.remove)
        self.activity.currentTextChanged.connect(lambda _: self.changed.emit())
        self.target.valueChanged.connect(lambda _: self.changed.emit())

    def planned(self) -> PlannedActivity | None:
        name = " ".join(self.activity.currentText().split())
        return PlannedActivity(name, self.target.value() or None) if name else None


class PlanEditor(QWidget):
    """Activities one below the other."""

    changed = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[ActivityRow] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(space(1.5))
        self._list = QVBoxLayout()
        self._list.setSpacing(space(1))
        column.addLayout(self._list)
        self.add = PlainButton(tr("Add an activity"), "plus", lambda: self._add(PlannedActivity("")))
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        self.total = text_label("", "muted", wrap=True)
        column.addWidget(self.total)
        column.addStretch()

    def show_plan(self, plan: Plan) -> None:
        for row in list(self.rows):
            self._remove(row)
        for activity in plan.activities:
            self._add(activity, focus=False)
        self._sum()

    def plan(self) -> Plan:
        """What is entered; an activity that is named twice counts once, with both targets."""
        merged: dict[str, int | None] = {}
        for row in self.rows:
            if (activity := row.planned()) is not None:
                before = merged.get(activity.name)
                both = (before or 0) + (activity.target or 0)
                merged[activity.name] = both or None
        return Plan(tuple(PlannedActivity(name, target) for name, target in merged.items()))

    def _add(self, activity: PlannedActivity, *, focus: bool = True) -> None:
        row = ActivityRow(activity)
        row.changed.connect(self._sum)
        row.removed.connect(lambda: self._remove(row))
        self.rows.append(row)
        self._list.addWidget(row)
        if focus:
            row.activity.setFocus()
        self._sum()

    def _remove(self, row: ActivityRow) -> None:
        self.rows.remove(row)
        self._list.removeWidget(row)
        row.deleteLater()
        self._sum()

    def _sum(self) -> None:
        plan = self.plan()
        if not plan.activities:
            words = tr("Without a plan everything is counted together. An activity can be added at any time.")
        elif plan.target is None:
            words = tr("No target is set. Repetitions are counted for each activity.")
        else:
            words = plural(plan.target, "In all {n} repetition.", "In all {n} repetitions.")
        self.total.setText(words)
        self.changed.emit()

"""The layout of the live screen, and what it hides if the window is small for the text size.

The widgets are made here; their behaviour is in `live.py`.
"""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from rehabcount.gui.controls import Banner, Card, ConfirmBar, ElidedLabel, IconButton, text_label
from rehabcount.gui.desk import Desk
from rehabcount.gui.language import tr
from rehabcount.gui.live_parts import ActionButton, ActivityCard, Headline, PhasePill, PrimitiveCounts
from rehabcount.gui.ribbon import Ribbon, RibbonLegend
from rehabcount.gui.screen import Screen
from rehabcount.gui.signals_view import SignalsView
from rehabcount.gui.theme import px, space

# Below these (pixels at 100 % text) less important widgets are hidden; the number and the buttons stay.
TIGHT_HEIGHT, TIGHT_WIDTH, TIGHTEST_HEIGHT = 560, 860, 400
UNBOUND = 16_777_215  # Qt's largest size


class LiveLayout(Screen):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._build()

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(space(3), space(2), space(3), space(2))
        column.setSpacing(space(1.5))
        column.addLayout(self._make_top())
        middle = QHBoxLayout()
        middle.setSpacing(space(2))
        number = Card()
        number.body.setSpacing(space(1))
        # Within the card, where nothing can be pressed: the number gives way to them, and no button moves.
        self.banner, self.confirm = Banner(), ConfirmBar()
        number.body.addWidget(self.banner)
        number.body.addWidget(self.confirm)
        self.confirm.installEventFilter(self)
        above = QHBoxLayout()
        self.caption = ElidedLabel("strong")
        above.addWidget(self.caption, 1)
        self.reached = text_label("", "reached")
        above.addWidget(self.reached)
        number.body.addLayout(above)
        self.below = ElidedLabel("caption")  # facts that are shown elsewhere in a large window
        number.body.addWidget(self.below)
        self.headline = Headline()
        number.body.addWidget(self.headline, 1)
        self.worth = ElidedLabel("worth")  # what the count of a session is worth; read from two metres
        number.body.addWidget(self.worth)
        middle.addWidget(number, 5)
        self.aside = QStackedWidget()
        self.activity = ActivityCard()
        self.aside.addWidget(self.activity)
        signals = Card()
        signals.body.setContentsMargins(space(1.5), space(1), space(1.5), space(1))
        signals.body.addWidget(text_label(tr("Acceleration, x blue, y orange, z green; ±2 g"), "caption"))
        self.signals = SignalsView(())
        signals.body.addWidget(self.signals, 1)
        self.aside.addWidget(signals)
        middle.addWidget(self.aside, 3)
        self._middle = middle
        column.addLayout(middle, 1)

        self.primitives = PrimitiveCounts()
        column.addWidget(self.primitives)
        self.ribbon = Ribbon()
        self.legend = RibbonLegend()
        with_legend = QVBoxLayout()
        with_legend.setSpacing(space(0.5))
        with_legend.addWidget(self.ribbon)
        with_legend.addWidget(self.legend)
        column.addLayout(with_legend)
        column.addWidget(self._make_actions())

    def _make_top(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(space(1.5))
        self.who, self.arm = ElidedLabel("heading"), text_label("", "heading")
        whose = QHBoxLayout()
        whose.setSpacing(0)
        whose.addWidget(self.who)
        whose.addWidget(self.arm)  # never cut off, so that a wrong arm is noticed
        row.addLayout(whose)
        self.wrong_patient = IconButton("reassign", tr("Wrong patient?"))
        row.addWidget(self.wrong_patient)
        self.pill = PhasePill()
        row.addWidget(self.pill)
        row.addStretch()
        self.evidence = text_label("", "caption")
        row.addWidget(self.evidence)
        self.elapsed = text_label("0:00", "heading")
        self.elapsed.setToolTip(tr("Since counting began, pauses included"))
        self.since = text_label(tr("since Start"), "caption")
        row.addWidget(self.since)
        row.addWidget(self.elapsed)
        self.sound_button = IconButton("silent", tr("Sound at each repetition"))
        self.sound_button.setCheckable(True)
        self.signals_button = IconButton("signals", tr("Signals (S)"))
        self.signals_button.setCheckable(True)
        self.patient_button = IconButton("screen", tr("Patient view (P)"))
        self.patient_button.setCheckable(True)
        for button in (self.sound_button, self.signals_button, self.patient_button):
            row.addWidget(button)
        for button in (self.wrong_patient, self.sound_button, self.signals_button, self.patient_button):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._top = row
        return row

    def _make_actions(self) -> QWidget:
        bar = QWidget()
        self._actions = QGridLayout(bar)
        self._actions.setContentsMargins(0, 0, 0, 0)
        self._actions.setSpacing(space(1))
        self.main_button = ActionButton(tr("Start"), "play", "Space", look="primary", others=(tr("Pause"), tr("Go on")))
        self.next_button = ActionButton(tr("Next activity"), "next", "N")
        self.minus_button = ActionButton("−1", "minus", "−", name=tr("One repetition fewer"))
        self.plus_button = ActionButton("+1", "plus", "+", name=tr("One repetition more"))
        self.undo_button = ActionButton(tr("Undo"), "undo", "Ctrl+Z")
        self.assist_button = ActionButton(tr("I am assisting"), "assist", "A")
        self.assist_button.setCheckable(True)
        self.mark_button = ActionButton(tr("Mark"), "mark", "M")
        self.end_button = ActionButton(tr("End"), "stop", "E", look="danger")
        self.buttons = [
            self.main_button,
            self.next_button,
            self.minus_button,
            self.plus_button,
            self.undo_button,
            self.assist_button,
            self.mark_button,
            self.end_button,
        ]
        self._lines = 0
        return bar

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 (Qt's name)
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Hide less important widgets if the window is small for the text size."""
        signals = self.aside.currentIndex() == 1
        tight = self.height() < px(TIGHT_HEIGHT) or self.width() < px(TIGHT_WIDTH)
        self.aside.setVisible(signals or not tight)
        self._middle.setStretch(0, 3 if signals else 5)
        self._middle.setStretch(1, 4 if signals else 3)
        self.primitives.set_tight(tight)
        self.primitives.setVisible(not self.lowest)
        self.below.setVisible(not self.lowest and bool(self.below.whole))
        self.worth.setVisible(not tight and bool(self.worth.whole))
        self.ribbon.set_axis(not tight)
        self.legend.setVisible(not tight)
        self._fit_question()
        self.fit_top()
        self._fit_actions()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802 (Qt's name)
        asked_or_done = (QEvent.Type.ShowToParent, QEvent.Type.HideToParent)
        if watched is self.confirm and event is not None and event.type() in asked_or_done:
            self._fit_question()
        return super().eventFilter(watched, event)

    def _fit_question(self) -> None:
        """Where there is no room for both, the question is whole and the news waits until it is answered."""
        low = self.height() < px(TIGHT_HEIGHT) and not self.confirm.isHidden()
        if not self.confirm.isHidden():  # what it needs in this width; its hint is for a narrower one
            self.confirm.setFixedHeight(self.confirm.heightForWidth(self.headline.width()))
        self.banner.setMaximumHeight(0 if low else UNBOUND)
        self.below.setMaximumHeight(0 if low else UNBOUND)

    @property
    def lowest(self) -> bool:
        return self.height() < px(TIGHTEST_HEIGHT)

    def fit_top(self) -> None:
        """Patient, arm and phase come first; the rest is shown if there is room."""
        self.arm.setMinimumWidth(self.arm.sizeHint().width())
        for button in (by_key := (self.patient_button, self.signals_button)):
            button.show()
        always = (self.who, self.arm, self.wrong_patient, self.elapsed, self.sound_button, self.signals_button,
                  self.patient_button)  # fmt: skip
        shown = [each for each in always if each is not self.wrong_patient or not each.isHidden()]
        gap = self._top.spacing()
        room = self.width() - 2 * space(3) - sum(each.sizeHint().width() + gap for each in shown) - 2 * gap
        evidence, since = (each.sizeHint().width() + gap for each in (self.evidence, self.since))
        long = self.pill.room(short=False)
        self.pill.set_short(room < long)
        short = self.pill.room(short=True)
        room_for_who = self.who.sizeHint().width() - self.who.minimumSizeHint().width()
        for button in by_key:  # they have keys, too
            if room + room_for_who >= short:
                break
            button.hide()
            room += button.sizeHint().width() + gap
        self.since.setVisible(room >= long + since)
        self.evidence.setVisible(bool(self.evidence.text()) and room >= long + since + evidence)

    def _fit_actions(self) -> None:
        """Texts on the buttons if they fit in one line, else icons with keys, else icons, else two lines."""
        room = self.width() - 2 * space(3) - space(1) * (len(self.buttons) - 1)
        for button in self.buttons:
            button.set_room("words")
        shrinking = (self.undo_button, self.mark_button, self.minus_button, self.plus_button, self.next_button,
                     self.assist_button, self.end_button)  # fmt: skip
        steps = [(look, button) for look in ("key", "picture") for button in shrinking]
        for look, button in [*steps, ("keyless", self.main_button)]:
            if sum(each.sizeHint().width() for each in self.buttons) <= room:
                break
            button.set_room(look)
        lines = 1 if sum(each.sizeHint().width() for each in self.buttons) <= room else 2
        if lines == self._lines:
            return
        self._lines = lines
        across = -(-len(self.buttons) // lines)
        for place, button in enumerate(self.buttons):
            self._actions.addWidget(button, place // across, place % across)
        for column in range(len(self.buttons)):
            self._actions.setColumnStretch(column, 0 if column >= across else 2 if column == 0 else 1)

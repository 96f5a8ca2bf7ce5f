"""The guided calibration: it runs by itself after one click, so that both hands are free for the patient.

It shows each step with a drawing, counts the seconds, and shows the quality of the result with advice.
"""

from __future__ import annotations

import math
import time

from PyQt6.QtCore import QTimer, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QBoxLayout, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from rehabcount.bedside.guide_steps import GuideStep
from rehabcount.domain.calibration import Calibration, Verdict
from rehabcount.domain.rig import Side
from rehabcount.gui.arm_drawing import ArmDrawing
from rehabcount.gui.controls import BigNumber, Card, Heading, scrolling, set_look, text_label
from rehabcount.gui.flow import Columns
from rehabcount.gui.language import tr
from rehabcount.gui.theme import current, px, space
from rehabcount.gui.troubles import message_words

FRAME_MS = 40
# Pixels at 100 % text: below, the instruction stands above the drawing; the list of steps is left out, and the heading
# smaller, so that instruction and countdown are in sight.
NARROW, LOW = 440, 400
READY, STILL, ELBOW, FOREARM = "ready", "still", "elbow", "forearm"


def step_name(name: str) -> str:
    return {
        READY: tr("Get ready"),
        STILL: tr("Hold still"),
        ELBOW: tr("Bend and stretch the elbow"),
        FOREARM: tr("Turn the forearm"),
    }[name]


def step_help(name: str) -> str:
    return {
        READY: tr("Sit upright. Upper arms hang, elbows bent to a right angle, forearms forward, palms down."),
        STILL: tr("Nothing moves until the seconds have run out."),
        ELBOW: tr("Three times, slowly, palm down. You may move the arm for the patient."),
        FOREARM: tr("Three times, slowly: palm up, palm down. You may turn it for the patient."),
    }[name]


class CalibrationGuide(QWidget):
    """Idle, running, working it out, or done."""

    through = pyqtSignal()  # the last step has ended; the result is being computed

    def __init__(self) -> None:
        super().__init__()
        self._steps: tuple[GuideStep, ...] = ()
        self._begun_s: float | None = None
        self.drawing = ArmDrawing()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        picture = Card()
        picture.body.addWidget(self.drawing)
        column.addWidget(scrolling(Columns(picture, self._make_words(), (5, 7), narrow=NARROW, right_first=True)))
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._tick)
        self.rest()

    def _make_words(self) -> QWidget:
        card = Card()
        self.heading = Heading("")
        self.help = text_label("", "lead", wrap=True)
        self.number = BigNumber("", share=0.8)
        self.number.setMinimumHeight(px(44))
        self._top = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._top.addWidget(self.heading, 1)
        card.body.addLayout(self._top)
        self.advice = text_label("", wrap=True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.bar.setAccessibleName(tr("Progress of the calibration"))
        card.body.addWidget(self.help)
        self._column = card.body
        card.body.addWidget(self.number, 1)
        card.body.addWidget(self.advice)
        self.list = QWidget()
        lines = QVBoxLayout(self.list)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(space(0.5))
        self.lines = {}
        for name in (STILL, ELBOW, FOREARM):
            row = QHBoxLayout()
            mark, words = text_label("○", "strong"), text_label(step_name(name), "muted")
            mark.setFixedWidth(px(24))
            row.addWidget(mark)
            row.addWidget(words, 1)
            lines.addLayout(row)
            self.lines[name] = (mark, words)
        card.body.addWidget(self.list)
        card.body.addWidget(self.bar)
        return card

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 (Qt's name)
        """Leave out what is second-rank where there is little height for the text size."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        low = self.height() < px(LOW)
        self.list.setVisible(not low)
        self.number.setVisible(not low or bool(self.number.text))
        if low != (self._top.indexOf(self.number) >= 0):  # beside the heading it is in sight in the lowest window
            self._column.removeWidget(self.number)
            self._top.removeWidget(self.number)
            self.number.setMinimumWidth(px(72 if low else 120))
            self._top.setDirection(QBoxLayout.Direction.LeftToRight if low else QBoxLayout.Direction.TopToBottom)
            if low:
                self._top.addWidget(self.number)
            else:
                self._column.insertWidget(2, self.number, 1)
        set_look(self.heading, "rank", "heading" if low else "title")

    def _say(self, number: str, tint: str = "", advice: str | None = None) -> None:
        """The countdown or verdict, and what goes with it (None: as before)."""
        self.number.say(number, tint)
        if advice is not None:
            self.advice.setText(advice)
            self.advice.setVisible(bool(advice))
        self._fit()

    # -- states -------------------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        return self._begun_s is not None

    def set_side(self, side: Side) -> None:
        self.drawing.set_side(side)

    def rest(self) -> None:
        """Before it begins."""
        self._stop()
        self.heading.setText(tr("How do the sensors sit?"))
        self.help.setText(step_help(READY))
        self._say("", advice=tr("Half a minute: hold still, bend the elbow, turn the forearm. It runs by itself."))
        self._mark("")
        self.bar.setValue(0)
        self.drawing.show_step(READY, 0.0)

    def begin(self, steps: tuple[GuideStep, ...], *, simulated: bool) -> None:
        self._steps, self._begun_s = steps, time.monotonic()
        self._say("", advice=tr("The simulated patient does this by itself. Just watch.") if simulated else "")
        self._timer.start()
        self._tick()

    def _tick(self) -> None:
        if self._begun_s is None:
            return
        since_s = time.monotonic() - self._begun_s
        total_s = sum(step.length_s for step in self._steps)
        self.bar.setValue(min(1000, round(1000 * since_s / total_s)))
        for step in self._steps:
            if since_s < step.length_s:
                self._show_step(step, since_s)
                return
            since_s -= step.length_s
        self._stop()
        self._mark("over")
        self.heading.setText(tr("Working it out …"))
        self.help.setText("")
        self._say("")
        self.through.emit()

    def _show_step(self, step: GuideStep, since_s: float) -> None:
        self.heading.setText(step_name(step.name))
        self.help.setText(step_help(step.name))
        self._say(str(max(1, math.ceil(step.length_s - since_s))), current().accent)
        self._mark(step.name)
        self.drawing.show_step(step.name, since_s)

    def show_result(self, result: Calibration) -> None:
        self._stop()
        self.bar.setValue(1000)
        theme = current()
        marks = {Verdict.GOOD: ("✓", theme.good), Verdict.USABLE: ("✓", theme.warn), Verdict.REPEAT: ("!", theme.bad)}
        self._say(*marks[result.verdict], advice="\n".join(f"•  {message_words(each)}" for each in result.advice[:4]))
        self._mark("over")
        self.drawing.show_step(STILL, 0.0)
        words = {
            Verdict.GOOD: (
                tr("The calibration is good."),
                tr("Everything is ready. Counting begins when you press Start on the next screen."),
            ),
            Verdict.USABLE: (tr("The calibration can be used."), tr("A repetition would make counts surer.")),
            Verdict.REPEAT: (tr("Please repeat the calibration."), tr("What went wrong:")),
        }
        heading, help_ = words[result.verdict]
        self.heading.setText(heading)
        self.help.setText(help_)

    def show_broken(self, step: str, whose: str) -> None:
        """It was broken off at this step, because the sensors of `whose` stopped sending."""
        self._stop()
        broken = tr("Check strap and battery, and bring it closer. It reconnects by itself.")
        self._say("!", current().bad, advice=broken)
        self._mark(step, failed=True)
        self.drawing.show_step(STILL, 0.0)
        self.heading.setText(tr("Please repeat the calibration."))
        self.help.setText(tr("{names}: nothing came any more.").format(names=whose))

    def _mark(self, now: str, *, failed: bool = False) -> None:
        """Ticks what is over, points at what is on; or says that it failed there."""
        names = list(self.lines)
        at = len(names) if now == "over" else names.index(now) if now in names else -1
        for number, (name, (mark, words)) in enumerate(self.lines.items()):
            here = number == at
            mark.setText("✓" if number < at else "✗" if here and failed else "●" if here else "○")
            set_look(mark, "rank", "warning" if here and failed else "strong")
            set_look(words, "rank", "warning" if here and failed else "strong" if here else "muted")
            words.setText(tr("{step}: failed").format(step=step_name(name)) if here and failed else step_name(name))

    def _stop(self) -> None:
        self._begun_s = None
        self._timer.stop()

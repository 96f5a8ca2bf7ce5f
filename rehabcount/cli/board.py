"""The live view of a session in the terminal: task repetitions in large digits, primitives, phase, problems.

It draws the same state as the window (`bedside/screen_state.py`). `Board.hear` takes updates and `Board.see` frames,
both from the engine's thread; another thread may read `Board.picture` at any time. Nothing here influences the walk.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence

import numpy as np
from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from rehabcount.bedside.screen_state import ScreenState, advance, reached
from rehabcount.cli.big_digits import big
from rehabcount.domain.dose import Plan
from rehabcount.domain.labels import IDLE, PRIMITIVES, PRODUCT
from rehabcount.domain.limits import SENSOR_SILENT_S
from rehabcount.domain.motion import Frames
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.sequence import Segment, Token
from rehabcount.domain.update import (
    UNCALIBRATED,
    Believing,
    Calibrated,
    ClockJump,
    Context,
    Discarded,
    Doubt,
    Gap,
    LinkState,
    Lost,
    Mark,
    Phase,
    PhaseName,
    Returned,
    SensorSet,
    Update,
)
from rehabcount.engine.counted_time import why_nothing

NEWS_SHOWN = 4
CONNECTED = (LinkState.CONFIGURING, LinkState.STREAMING, LinkState.STALE)
CELL_S = 0.5  # the time of one character of the ribbon
RIBBON_CELLS = 56
BAR_CELLS = 18
HEADLINE_CELLS = 28  # room for the words below the number
PHASE_STYLES: dict[str, str] = {
    PhaseName.COUNTING: "bold green",
    PhaseName.PAUSED: "bold yellow",
    PhaseName.ASSISTED: "bold cyan",
    PhaseName.CALIBRATING: "bold blue",
}


class Board:
    """The state of a session, ready to be drawn, and the latest news."""

    def __init__(
        self,
        title: str,
        rig: Rig,
        side: Side,
        *,
        plan: Plan | None = None,
        length_s: float | None = None,
        truth: Sequence[Segment] = (),
        links_per_adapter: int = 0,
    ) -> None:
        """`truth`: the true movements of a simulated patient, shown below. `links_per_adapter`: of a radio."""
        self.title, self.rig, self.length_s = title, rig, length_s
        self.truth = tuple(truth)
        self._links_per_adapter = links_per_adapter
        self.state = ScreenState(plan or Plan(), side)
        self.model = ""  # the model's description
        self.accuracy = ""  # the model's accuracy in words
        self.trouble = ""  # why nothing can be written at present
        self.unwritten_s = 0.0  # how much waits in memory
        self._counted_when: list[Context] = []
        self._news: deque[str] = deque(maxlen=NEWS_SHOWN)
        self._seen_s = [-SENSOR_SILENT_S] * len(rig)  # when each sensor last had data

    def see(self, frames: Frames) -> None:
        now_s = float(frames.time_s[-1])
        for sensor in np.flatnonzero(frames.valid.any(axis=0)):
            self._seen_s[sensor] = now_s
        self.state = reached(self.state, now_s)

    def hear(self, update: Update) -> None:
        self.state = advance(self.state, update)
        if isinstance(update, Phase | SensorSet | Believing):
            self._counted_when.append(update)
        elif line := in_words(update):
            self._news.append(line)

    def tell(self, line: str) -> None:
        """Add a line for the patient or the therapist."""
        self._news.append(line)

    def why_nothing(self) -> str:
        """Why there is no task repetition so far; empty if there is one."""
        state = self.state
        return why_nothing([*self._counted_when, *([state.dose] if state.dose else [])], state.side, state.now_s)

    def picture(self, real_time_factor: float | None = None) -> RenderableType:
        state = self.state  # read once: the engine replaces it meanwhile
        of = f" of {self.length_s:.0f}" if self.length_s else ""
        head = Text.assemble((self.title, "bold"), f"   {state.now_s:.1f}{of} s   ")
        head.append(_doing(state), style="bold red" if state.lacking else PHASE_STYLES.get(state.said_phase, "bold"))
        beside = Table.grid(padding=(0, 3))
        beside.add_column(min_width=HEADLINE_CELLS)
        beside.add_row(_headline(state), _primitives(state))
        lines: list[RenderableType] = [head, beside, Text()]
        if self.accuracy:
            by = f"counted by {self.model}; " if self.model else ""
            lines.append(Text(by + self.accuracy, style="dim italic"))
        lines.append(_ribbon("recognised", _recognised(state), state))
        if self.truth:
            lines.append(_ribbon("truth (sim.)", self.truth, state))
        lines += [_now(state), self._sensors(state)]
        if state.calibrated is not None:
            lines.append(Text.assemble(("calibration  ", "dim"), _verdict(state.calibrated)))
        if real_time_factor is not None:
            lines.append(Text.assemble(("engine       ", "dim"), f"{real_time_factor:.1f}x real time"))
        if state.behind_s:
            lines.append(Text(f"counting is {state.behind_s:.1f} s behind; nothing is lost", style="bold yellow"))
        for sensor, why in state.doubts.items():
            lines.append(Text(f"{sensor} {why}: calibrate again", style="bold yellow"))
        if self.trouble:
            lines.append(Text(f"{self.trouble} {in_memory(self.unwritten_s)}", style="bold red"))
        lines += [Text(line, style="yellow") for line in list(self._news)]  # the engine adds meanwhile
        return Panel(Group(*lines), box=box.ROUNDED, padding=(0, 1), width=82)

    def _sensors(self, state: ScreenState) -> Text:
        line = Text("sensors      ", style="dim")
        for sensor, seen_s in zip(self.rig.sensors, self._seen_s, strict=True):
            there = sensor.name not in state.lost and state.now_s - seen_s < SENSOR_SILENT_S
            line.append("● " if there else "○ ", style="green" if there else "bold red")
            health, remark = state.health.get(sensor.name), linked(state, sensor.name)
            if not there or remark or (health is not None and health.trouble):
                line.append(f"{sensor.name} {remark} ", style="yellow")
        for adapter, links in sorted(self._budget(state).items()):
            line.append(f" adapter {adapter} ".replace("  ", " "), style="dim")
            line.append(
                f"{links} of {self._links_per_adapter}", style="dim" if links <= self._links_per_adapter else "yellow"
            )
        return line

    def _budget(self, state: ScreenState) -> Counter[str]:
        """Links by adapter."""
        if not self._links_per_adapter:
            return Counter()
        return Counter(health.adapter for health in state.health.values() if health.state in CONNECTED)


def _doing(state: ScreenState) -> str:
    """The phase of the session, or why it does not count."""
    if lacking := [name for name in state.lacking if name != UNCALIBRATED]:
        return f"not counting: {', '.join(lacking)} missing"
    if state.lacking:
        return "not counting: not calibrated"
    return state.said_phase + (f" ({state.activity})" if state.activity else "")


def _headline(state: ScreenState) -> RenderableType:
    """The large number, as in the window: that of the present activity, if there is one."""
    number, target, dose = state.number, state.target, state.dose
    lines: list[RenderableType] = [Text(big(number), style="bold bright_white")]
    lines.append(Text(f"task repetitions{f' of {target}' if target else ''}", style="bold"))
    if target:
        bar = Table.grid()  # a bar by itself does not end its line
        bar.add_row(ProgressBar(target, min(number, target), width=BAR_CELLS, complete_style="green"))
        lines.append(bar)
    if state.present:
        lines.append(Text(f"{state.present}; in all {state.repetitions}"))
    by_hand = sum(each.by for each in state.adjustments)
    if by_hand:
        lines.append(Text(f"{by_hand:+d} of them by hand", style="cyan"))
    lines.append(Text(f"{state.active_s / 60:.1f} active minutes"))
    if dose and dose.assisted_repetitions:
        lines.append(Text(f"{dose.assisted_repetitions} assisted, apart", style="cyan"))
    if dose and dose.use_ratio is not None:
        lines.append(Text(f"use ratio {dose.use_ratio:.2f}", style="dim"))
    return Group(*lines)


def _primitives(state: ScreenState) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(width=15)
    table.add_column(justify="right", width=5)
    table.add_column(width=BAR_CELLS)
    most = max(state.primitive(label.name)[0] for label in PRIMITIVES.labels if label.name != IDLE.name)
    for label in PRIMITIVES.labels:
        number, length_s = state.primitive(label.name)
        name = Text.assemble((f" {label.letter} ", f"black on {label.colour}"), f" {label.name}")
        if label.name == IDLE.name:
            table.add_row(name, Text(f"{length_s:.0f} s", style="dim"), "")
            continue
        colour = label.colour
        bar = ProgressBar(max(most, 1), number, width=BAR_CELLS, complete_style=colour, finished_style=colour)
        table.add_row(name, Text(str(number), style="bold"), bar)
    return table


def _recognised(state: ScreenState) -> list[Segment]:
    """Settled and drafted movements of the trained arm."""
    settled = [event.segment for event in state.events if event.segment.side is state.side]
    drafted = [
        Segment(token.label, token.side, token.start_s, state.drafted_until_s(token, state.now_s))
        for token in _draft(state)
    ]
    return [*settled, *drafted]


def _draft(state: ScreenState) -> list[Token]:
    return [token for token in state.draft if token.side is state.side]


def _ribbon(name: str, segments: Sequence[Segment], state: ScreenState) -> Text:
    line = Text(f"{name:<13}", style="dim")
    drafted = {token.start_s for token in _draft(state)}
    recent = [s for s in segments if s.end_s > state.now_s - RIBBON_CELLS * CELL_S - 1]
    for i in range(RIBBON_CELLS):
        at = state.now_s - (RIBBON_CELLS - i - 0.5) * CELL_S
        found = next((s for s in recent if s.start_s <= at < s.end_s), None)
        if found is None:
            line.append("·", style="dim")
        else:
            label = PRODUCT[found.label]
            style = f"{label.colour}" if found.start_s in drafted else f"black on {label.colour}"
            line.append(label.letter, style=style)
    return line


def _now(state: ScreenState) -> Text:
    line = Text("now          ", style="dim")
    mine = _draft(state)
    if not mine:
        return line.append("–", style="dim")
    for token in mine[-3:]:
        line.append(f"{token.label} ", style=f"bold {PRODUCT[token.label].colour}")
        line.append(f"{token.confidence:.0%}  ", style="dim")
    return line.append("(draft)", style="dim")


def _verdict(found: Calibrated) -> str:
    """The verdict of the newest calibration, and the first advice."""
    words = f"{found.calibration.verdict} ({found.calibration.quality:.2f}){'' if found.used else ', not used'}"
    return words + (f"; {found.calibration.advice[0]}" if found.calibration.advice else "")


def in_memory(unwritten_s: float) -> str:
    """The amount of data that a refusing disk leaves in memory."""
    return f"{unwritten_s:.0f} s are not on the disk: they wait in memory, and are written as soon as it takes them."


def in_words(update: Update) -> str:
    """An update in a line; empty if it need not be shown."""
    match update:
        case Gap():
            return f"{update.sensor}: no data from {update.start_s:.1f} to {update.end_s:.1f} s"
        case Lost():
            return f"{update.sensor}: nothing since {update.since_s:.1f} s"
        case Returned():
            return f"{update.sensor}: back at {update.at_s:.1f} s"
        case ClockJump():
            return f"{update.sensor}: its clock leapt by {update.jump_s:.1f} s at {update.at_s:.1f} s"
        case Discarded():
            return f"{update.sensor}: {update.number} discarded by {update.at_s:.1f} s ({update.reason})"
        case Doubt():
            return "" if update.reason else f"{update.sensor} is well again"  # a doubt is shown until it ends
        case Mark():
            return f"mark at {update.at_s:.1f} s{f': {update.note}' if update.note else ''}"
        case _:
            return ""


def linked(state: ScreenState, sensor: str) -> str:
    """A problem of a sensor's link; empty if there is none."""
    health = state.health.get(sensor)
    if health is None:
        return ""
    percent = dict(state.low_batteries).get(sensor)
    words = (
        health.state.value if health.state not in (LinkState.STREAMING, LinkState.CLOSED) else "",
        f"{health.loss:.0%} lost" if sensor in state.lossy else "",
        f"battery {percent} %" if percent is not None else "",
    )
    return " ".join(filter(None, words))

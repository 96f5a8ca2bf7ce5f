"""The live view of a session in the terminal: task repetitions in large, primitives, what is going on, health.

`Board.hear` takes updates and `Board.see` frames, both from the engine's thread; `Board.picture` may be asked for at
any time from another. Nothing here influences the walk.
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

from rehabcount.cli.big_digits import big
from rehabcount.domain.dose import Dose
from rehabcount.domain.labels import IDLE, PRIMITIVES, PRODUCT
from rehabcount.domain.limits import LOSS_DURING, LOW_BATTERY_PERCENT, SENSOR_SILENT_S
from rehabcount.domain.motion import Frames
from rehabcount.domain.rig import Rig, Side
from rehabcount.domain.sequence import Segment
from rehabcount.domain.update import (
    Calibrated,
    ClockJump,
    Discarded,
    Doubt,
    Draft,
    Event,
    Gap,
    Late,
    LinkState,
    Lost,
    Mark,
    Phase,
    Returned,
    SensorHealth,
    SensorSet,
    Update,
)
from rehabcount.engine.counted_time import why_nothing

NEWS_SHOWN = 4
CONNECTED = (LinkState.CONFIGURING, LinkState.STREAMING, LinkState.STALE)
CELL_S = 0.5  # what one character of the ribbon stands for
RIBBON_CELLS = 56
BAR_CELLS = 18
HEADLINE_CELLS = 28  # room for the words below the number
PHASE_STYLES = {"counting": "bold green", "paused": "bold yellow", "assisted": "bold cyan", "calibrating": "bold blue"}


class Board:
    """What was said so far, ready to be drawn."""

    def __init__(
        self,
        title: str,
        rig: Rig,
        side: Side,
        *,
        length_s: float | None = None,
        truth: Sequence[Segment] = (),
        links_per_adapter: int = 0,
    ) -> None:
        """`truth`: what a simulated patient really did, shown below the recognised. `links_per_adapter`: of a radio."""
        self.title, self.rig, self.side, self.length_s = title, rig, side, length_s
        self.truth = tuple(truth)
        self._links_per_adapter = links_per_adapter
        self.dose: Dose | None = None
        self.time_s = 0.0
        self.phase = Phase("counting", 0.0)
        self.model = ""  # what counts, in words
        self.accuracy = ""  # the words about it
        self.trouble = ""  # why nothing can be written at present
        self.unwritten_s = 0.0  # how much waits in memory
        self._events: deque[Segment] = deque(maxlen=200)
        self._draft: Draft = Draft(())
        self._missing: tuple[str, ...] = ()
        self._states: list[Phase | SensorSet] = []  # all of them: when it was counting
        self._late_s = 0.0
        self._news: deque[str] = deque(maxlen=NEWS_SHOWN)
        self._links: dict[str, SensorHealth] = {}
        self._seen_s = [-SENSOR_SILENT_S] * len(rig)  # when each sensor last gave something

    def see(self, frames: Frames) -> None:
        self.time_s = float(frames.time_s[-1])
        for sensor in np.flatnonzero(frames.valid.any(axis=0)):
            self._seen_s[sensor] = self.time_s

    def hear(self, update: Update) -> None:
        match update:
            case Dose():
                self.dose = update
            case Event():
                if update.segment.side is self.side:
                    self._events.append(update.segment)
            case Draft():
                self._draft = update
            case Phase():
                self.phase = update
                self._states.append(update)
            case SensorSet():
                self._states.append(update)
                if update.side is self.side:
                    self._missing = update.missing
            case SensorHealth():
                self._links[update.sensor] = update
            case Late():
                self._late_s = update.behind_s
            case _:
                line = in_words(update)
                if line:
                    self._news.append(line)

    def tell(self, line: str) -> None:
        """Something for the patient or the therapist to read."""
        self._news.append(line)

    def why_nothing(self) -> str:
        """Why there is no task repetition so far; empty if there is one."""
        return why_nothing([*self._states, *([self.dose] if self.dose else [])], self.side, self.time_s)

    def picture(self, real_time_factor: float | None = None) -> RenderableType:
        of = f" of {self.length_s:.0f}" if self.length_s else ""
        head = Text.assemble((self.title, "bold"), f"   {self.time_s:.1f}{of} s   ")
        head.append(self._state(), style=PHASE_STYLES.get(self.phase.name, "bold") if not self._missing else "bold red")
        beside = Table.grid(padding=(0, 3))
        beside.add_column(min_width=HEADLINE_CELLS)
        beside.add_row(self._headline(), self._primitives())
        lines: list[RenderableType] = [head, beside, Text()]
        if self.accuracy:
            by = f"counted by {self.model}; " if self.model else ""
            lines.append(Text(by + self.accuracy, style="dim italic"))
        lines.append(self._ribbon("recognised", self._recognised()))
        if self.truth:
            lines.append(self._ribbon("truth (sim.)", self.truth))
        lines += [self._now(), self._sensors()]
        if real_time_factor is not None:
            lines.append(Text.assemble(("engine       ", "dim"), f"{real_time_factor:.1f}x real time"))
        if self._late_s:
            lines.append(Text(f"counting is {self._late_s:.1f} s behind; nothing is lost", style="bold yellow"))
        if self.trouble:
            lines.append(Text(f"{self.trouble} {in_memory(self.unwritten_s)}", style="bold red"))
        lines += [Text(line, style="yellow") for line in list(self._news)]  # the engine adds meanwhile
        return Panel(Group(*lines), box=box.ROUNDED, padding=(0, 1), width=82)

    def _state(self) -> str:
        if self._missing and self._missing != ("calibration",):
            return f"not counting: {', '.join(self._missing)} missing"
        if self._missing:
            return "calibrating" if self.phase.name == "calibrating" else "not counting: not calibrated"
        activity = f" ({self.phase.activity})" if self.phase.activity else ""
        return self.phase.name + activity

    def _headline(self) -> RenderableType:
        dose = self.dose
        number = dose.repetitions if dose else 0
        target = dose.plan.target if dose else None
        lines: list[RenderableType] = [Text(big(number), style="bold bright_white")]
        lines.append(Text(f"task repetitions{f' of {target}' if target else ''}", style="bold"))
        if target:
            lines.append(ProgressBar(target, min(number, target), width=BAR_CELLS, complete_style="green"))
        minutes = dose.active_s / 60 if dose else 0.0
        lines.append(Text(f"{minutes:.1f} active minutes"))
        if dose and dose.assisted_repetitions:
            lines.append(Text(f"{dose.assisted_repetitions} assisted, apart", style="cyan"))
        if dose and dose.use_ratio is not None:
            lines.append(Text(f"use ratio {dose.use_ratio:.2f}", style="dim"))
        return Group(*lines)

    def _primitives(self) -> Table:
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(width=15)
        table.add_column(justify="right", width=5)
        table.add_column(width=BAR_CELLS)
        counts = {count.label: count for count in self.dose.counts if count.side is self.side} if self.dose else {}
        most = max((count.number for label, count in counts.items() if label != IDLE.name), default=1)
        for label in PRIMITIVES.labels:
            count = counts.get(label.name)
            name = Text.assemble((f" {label.letter} ", f"black on {label.colour}"), f" {label.name}")
            if label.name == IDLE.name:
                table.add_row(name, Text(f"{count.length_s if count else 0:.0f} s", style="dim"), "")
                continue
            number = count.number if count else 0
            colour = label.colour
            bar = ProgressBar(max(most, 1), number, width=BAR_CELLS, complete_style=colour, finished_style=colour)
            table.add_row(name, Text(str(number), style="bold"), bar)
        return table

    def _recognised(self) -> list[Segment]:
        """Settled movements and drafted ones; the last goes on until somebody says otherwise."""
        drafted = [Segment(t.label, t.side, t.start_s, t.end_s) for t in self._draft.tokens if t.side is self.side]
        if drafted:
            last = drafted.pop()
            drafted.append(Segment(last.label, last.side, last.start_s, max(last.end_s, self.time_s)))
        return [*self._events, *drafted]

    def _ribbon(self, name: str, segments: Sequence[Segment]) -> Text:
        line = Text(f"{name:<13}", style="dim")
        drafted = {token.start_s for token in self._draft.tokens if token.side is self.side}
        recent = [s for s in segments if s.end_s > self.time_s - RIBBON_CELLS * CELL_S - 1]
        for i in range(RIBBON_CELLS):
            at = self.time_s - (RIBBON_CELLS - i - 0.5) * CELL_S
            found = next((s for s in recent if s.start_s <= at < s.end_s), None)
            if found is None:
                line.append("·", style="dim")
            else:
                label = PRODUCT[found.label]
                style = f"{label.colour}" if found.start_s in drafted else f"black on {label.colour}"
                line.append(label.letter, style=style)
        return line

    def _now(self) -> Text:
        line = Text("now          ", style="dim")
        mine = [token for token in self._draft.tokens if token.side is self.side]
        if not mine:
            return line.append("–", style="dim")
        for token in mine[-3:]:
            line.append(f"{token.label} ", style=f"bold {PRODUCT[token.label].colour}")
            line.append(f"{token.confidence:.0%}  ", style="dim")
        return line.append("(draft)", style="dim")

    def _sensors(self) -> Text:
        line = Text("sensors      ", style="dim")
        for sensor, seen_s in zip(self.rig.sensors, self._seen_s, strict=True):
            there = self.time_s - seen_s < SENSOR_SILENT_S
            line.append("● " if there else "○ ", style="green" if there else "bold red")
            health = self._links.get(sensor.name)
            if not there or (health is not None and (linked(health) or health.trouble)):
                line.append(f"{sensor.name} {linked(health) if health else ''} ", style="yellow")
        for adapter, links in sorted(self._budget().items()):
            line.append(f" adapter {adapter} ".replace("  ", " "), style="dim")
            line.append(
                f"{links} of {self._links_per_adapter}", style="dim" if links <= self._links_per_adapter else "yellow"
            )
        return line

    def _budget(self) -> Counter[str]:
        """Links by adapter."""
        if not self._links_per_adapter:
            return Counter()
        return Counter(health.adapter for health in list(self._links.values()) if health.state in CONNECTED)


def in_memory(unwritten_s: float) -> str:
    """What a disk that takes nothing means for the session."""
    return f"{unwritten_s:.0f} s are not on the disk: they wait in memory, and are written as soon as it takes them."


def in_words(update: Update) -> str:
    """News in a line; empty for what is no news to a person."""
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
            return (
                f"{update.sensor} {update.reason}: calibrate again"
                if update.reason
                else f"{update.sensor} is well again"
            )
        case Calibrated():
            verdict = f"calibration: {update.calibration.verdict} ({update.calibration.quality:.2f})"
            return verdict + (f"; {update.calibration.advice[0]}" if update.calibration.advice else "")
        case Mark():
            return f"mark at {update.at_s:.1f} s{f': {update.note}' if update.note else ''}"
        case _:
            return ""


def linked(health: SensorHealth | None) -> str:
    """What is remarkable about a link; empty if nothing is."""
    if health is None or health.state is LinkState.CLOSED:
        return ""
    if health.state is not LinkState.STREAMING:
        return health.state.value
    lost = f"{health.loss:.0%} lost" if health.loss and health.loss > LOSS_DURING else ""
    battery = health.battery_percent
    low = f"battery {battery} %" if battery is not None and battery <= LOW_BATTERY_PERCENT else ""
    return " ".join(filter(None, (lost, low)))

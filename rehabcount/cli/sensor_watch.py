"""Watching sensors in the terminal: what arrives, how much of it is usable, which way each sensor points.

In: a source of packets and its rig. While it runs, a live table (where there is a terminal); at the end a `Watch`
with the same figures. Nothing here influences the walk. `health`, where the sensors are live, is filled from outside.
"""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from rehabcount.cli.console import new_table
from rehabcount.domain.limits import LOSS_READABLE
from rehabcount.domain.motion import Frames, Packet
from rehabcount.domain.rig import Rig
from rehabcount.domain.update import (
    ClockJump,
    Discarded,
    Gap,
    LinkState,
    Lost,
    Recorded,
    Returned,
    SensorHealth,
    Update,
)
from rehabcount.engine import walk
from rehabcount.signals.align import AlignSettings
from rehabcount.signals.rotation import rotate

BAR_CELLS = 24
NEWS_SHOWN = 5


@dataclass
class Watch:
    """What was seen so far; filled while the session runs."""

    rig: Rig
    packets: dict[str, int] = field(default_factory=dict)
    frames: int = 0
    valid: np.ndarray[Any, np.dtype[np.int64]] = field(default_factory=lambda: np.zeros(0, np.int64))
    lean_deg: np.ndarray[Any, np.dtype[np.float64]] = field(default_factory=lambda: np.zeros(0))
    gaps: dict[str, int] = field(default_factory=dict)
    discarded: int = 0
    news: deque[str] = field(default_factory=lambda: deque(maxlen=NEWS_SHOWN))  # the latest, in words
    session_s: float = 0.0
    wall_s: float = 0.0
    digest: str = ""  # of all frames: two runs over the same packets must give the same

    def document(self) -> dict[str, Any]:
        """The figures as JSON values."""
        return {
            "session_s": round(self.session_s, 3),
            "times_real_time": round(self.session_s / self.wall_s, 1) if self.wall_s > 0 else None,
            "frames": self.frames,
            "sensors": [
                {
                    "name": name,
                    "packets": self.packets.get(name, 0),
                    "valid_share": round(float(self.valid[i]) / self.frames, 4) if self.frames else None,
                    "gaps": self.gaps.get(name, 0),
                }
                for i, name in enumerate(self.rig.names)
            ],
            "discarded": self.discarded,
        }

    def hear(self, update: Update) -> None:
        """Bad news of the walk: counted, and the latest kept."""
        match update:
            case Gap():
                self.gaps[update.sensor] = self.gaps.get(update.sensor, 0) + 1
                self.news.append(f"{update.sensor}: no data from {update.start_s:.1f} to {update.end_s:.1f} s")
            case Lost():
                self.news.append(f"{update.sensor}: nothing since {update.since_s:.1f} s")
            case Returned():
                self.news.append(f"{update.sensor}: back at {update.at_s:.1f} s")
            case ClockJump():
                self.news.append(f"{update.sensor}: its clock leapt by {update.jump_s:.1f} s at {update.at_s:.1f} s")
            case Discarded():
                self.discarded += update.number
                self.news.append(f"{update.sensor}: {update.number} discarded by {update.at_s:.1f} s ({update.reason})")
            case _:
                pass

    def table(self) -> Table:
        """The figures as a table."""
        document = self.document()
        speed = document["times_real_time"]
        title = f"{self.session_s:.1f} s" + (f", {speed} times real time" if speed else "")
        table = new_table(title, "sensor", "place", "packets", "usable", "gaps")
        for sensor, row in zip(self.rig.sensors, document["sensors"], strict=True):
            share = row["valid_share"]
            table.add_row(
                escape(sensor.name),
                sensor.place.value if sensor.place else "–",
                str(row["packets"]),
                f"{share:.1%}" if share is not None else "–",
                str(row["gaps"]),
            )
        return table


def watch(
    source: Iterable[Recorded],
    rig: Rig,
    settings: AlignSettings,
    *,
    title: str,
    length_s: float | None = None,
    origin_ns: int | None = None,
    console: Console,
    health: Mapping[str, SensorHealth] = MappingProxyType({}),
    below: Callable[[float], RenderableType] | None = None,
) -> Watch:
    """Run the source through the walk and watch; Ctrl+C ends it early, and what was seen until then is returned.

    `below` may add a line to the picture for the session time it is given.
    """
    seen = Watch(rig, valid=np.zeros(len(rig), np.int64), lean_deg=np.full(len(rig), np.nan))
    begun = time.monotonic()
    digest = hashlib.sha256()
    with Live(console=console, refresh_per_second=10, transient=True, screen=False, auto_refresh=False) as live:
        drawn = 0.0
        try:
            for frames in walk.frames(_counted(source, seen), rig, settings, origin_ns=origin_ns, report=seen.hear):
                _look(frames, seen)
                digest.update(frames.values.tobytes() + frames.valid.tobytes())
                now = time.monotonic()
                seen.wall_s = now - begun
                if console.is_terminal and now - drawn > 0.1:
                    drawn = now
                    lines = [picture(seen, title, length_s, health), *([below(seen.session_s)] if below else [])]
                    live.update(Group(*lines), refresh=True)
        except KeyboardInterrupt:
            pass
    seen.wall_s = time.monotonic() - begun
    seen.digest = digest.hexdigest()
    return seen


def picture(seen: Watch, title: str, length_s: float | None, health: Mapping[str, SensorHealth]) -> Group:
    """The live view: one line a sensor, a bar for its inclination, how its link is doing, and the latest bad news."""
    table = Table(box=None, pad_edge=False, show_edge=False)
    for heading, justify in (
        ("sensor", "left"),
        ("", "left"),
        ("inclination", "left"),
        ("", "right"),
        ("packets", "right"),
        ("link" if health else "", "left"),
    ):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    for i, sensor in enumerate(seen.rig.sensors):
        lean = seen.lean_deg[i]
        known = bool(np.isfinite(lean))
        bar = (
            ProgressBar(180, float(lean), width=BAR_CELLS, complete_style="cyan")
            if known
            else Text("no data", "yellow")
        )
        mark = Text("●", "green" if known else "red")
        packets = str(seen.packets.get(sensor.name, 0))
        table.add_row(
            escape(sensor.name), mark, bar, f"{lean:3.0f}°" if known else "", packets, linked(health.get(sensor.name))
        )
    speed = seen.session_s / seen.wall_s if seen.wall_s > 0 else 0.0
    of = f" of {length_s:.0f}" if length_s else ""
    head = Text(f"{title}   {seen.session_s:.1f}{of} s   {speed:.1f}x real time", style="bold")
    return Group(head, table, *(Text(line, style="yellow") for line in seen.news))


def linked(health: SensorHealth | None) -> str:
    """A link's state in a few words."""
    if health is None:
        return ""
    if health.state is not LinkState.STREAMING:
        return health.state.value
    battery = "" if health.battery_percent is None else f"  {health.battery_percent} %"
    lost = f"  {health.loss:.0%} lost" if health.loss and health.loss >= LOSS_READABLE else ""
    return f"{health.rate_hz:.0f} Hz{battery}{lost}"


def _counted(source: Iterable[Recorded], seen: Watch) -> Iterator[Recorded]:
    for item in source:
        if isinstance(item, Packet):
            seen.packets[item.sensor] = seen.packets.get(item.sensor, 0) + 1
        yield item


def _look(frames: Frames, seen: Watch) -> None:
    seen.frames += len(frames)
    seen.valid += frames.valid.sum(axis=0)
    seen.session_s = float(frames.time_s[-1])
    up = rotate(frames.quat[-1], [0.0, 1.0, 0.0])[:, 2]  # how far the sensor's y points up
    seen.lean_deg = np.degrees(np.arccos(np.clip(up, -1.0, 1.0)))

"""Watching sensors in the terminal: packets, the usable share, and the inclination of each sensor.

`WatchedSensors` reads items of sensors, `RecordedSensors` records them first; both fill a `Watch`, whose picture
`live_view.show` draws. Nothing here influences the walk.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from rehabcount.cli.board import in_memory
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
    Said,
    SensorHealth,
    Update,
)
from rehabcount.engine import walk
from rehabcount.engine.ports import Source
from rehabcount.errors import RehabcountError
from rehabcount.signals.align import AlignSettings
from rehabcount.signals.rotation import rotate
from rehabcount.store.recorder import Recorder, follow

BAR_CELLS = 24
NEWS_SHOWN = 5


@dataclass
class Watch:
    """The figures so far; updated while the session runs."""

    rig: Rig
    title: str
    length_s: float | None = None  # how long it will be, if that is known
    packets: dict[str, int] = field(default_factory=dict)
    health: dict[str, SensorHealth] = field(default_factory=dict)  # of live sensors
    frames: int = 0
    valid: np.ndarray[Any, np.dtype[np.int64]] = field(init=False)
    lean_deg: np.ndarray[Any, np.dtype[np.float64]] = field(init=False)
    gaps: dict[str, int] = field(default_factory=dict)
    discarded: int = 0
    news: deque[str] = field(default_factory=lambda: deque(maxlen=NEWS_SHOWN))  # the latest, in words
    session_s: float = 0.0
    wall_s: float = 0.0
    trouble: str = ""  # why nothing can be written at present
    unwritten_s: float = 0.0  # how much waits in memory

    def __post_init__(self) -> None:
        self.valid = np.zeros(len(self.rig), np.int64)
        self.lean_deg = np.full(len(self.rig), np.nan)

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

    def take(self, item: Recorded) -> None:
        """Add an item of a sensor."""
        if isinstance(item, Packet):
            self.packets[item.sensor] = self.packets.get(item.sensor, 0) + 1

    def look(self, frames: Frames) -> None:
        self.frames += len(frames)
        self.valid += frames.valid.sum(axis=0)
        self.session_s = float(frames.time_s[-1])
        up = rotate(frames.quat[-1], [0.0, 1.0, 0.0])[:, 2]  # how far the sensor's y points up
        self.lean_deg = np.degrees(np.arccos(np.clip(up, -1.0, 1.0)))

    def hear(self, update: Update) -> None:
        """Count a problem that the walk reports, and keep the latest."""
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

    def picture(self, real_time_factor: float | None = None) -> Group:
        """One line a sensor: a bar for its inclination, the state of its link; below, the latest problems."""
        table = Table(box=None, pad_edge=False, show_edge=False)
        for heading, justify in (
            ("sensor", "left"),
            ("", "left"),
            ("inclination", "left"),
            ("", "right"),
            ("packets", "right"),
            ("link" if self.health else "", "left"),
        ):
            table.add_column(heading, justify=justify)  # type: ignore[arg-type]
        for i, sensor in enumerate(self.rig.sensors):
            lean = self.lean_deg[i]
            known = bool(np.isfinite(lean))
            bar = (
                ProgressBar(180, float(lean), width=BAR_CELLS, complete_style="cyan")
                if known
                else Text("no data", "yellow")
            )
            mark = Text("●", "green" if known else "red")
            packets = str(self.packets.get(sensor.name, 0))
            table.add_row(
                escape(sensor.name),
                mark,
                bar,
                f"{lean:3.0f}°" if known else "",
                packets,
                linked(self.health.get(sensor.name)),
            )
        of = f" of {self.length_s:.0f}" if self.length_s else ""
        head = Text(
            f"{self.title}   {self.session_s:.1f}{of} s   {real_time_factor or 0.0:.1f}x real time", style="bold"
        )
        waits = [Text(f"{self.trouble} {in_memory(self.unwritten_s)}", style="bold red")] if self.trouble else []
        return Group(head, *waits, table, *(Text(line, style="yellow") for line in list(self.news)))


def linked(health: SensorHealth | None) -> str:
    """A link's state in a few words."""
    if health is None:
        return ""
    if health.state is not LinkState.STREAMING:
        return health.state.value
    battery = "" if health.battery_percent is None else f"  {health.battery_percent} %"
    lost = f"  {health.loss:.0%} lost" if health.loss and health.loss >= LOSS_READABLE else ""
    return f"{health.rate_hz:.0f} Hz{battery}{lost}"


class WatchedSensors:
    """The walk over items of sensors up to the frames, in a thread of its own; nothing is counted."""

    def __init__(
        self,
        items: Iterable[Recorded],
        seen: Watch,
        align: AlignSettings,
        *,
        origin_ns: int | None = None,
        on_end: Callable[[], None],
    ) -> None:
        """`on_end` makes `items` end; it may be called when they have ended already."""
        self._items, self._seen, self._align, self._origin_ns = items, seen, align, origin_ns
        self._on_end = on_end
        self._failure: Exception | None = None
        self._finished = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def trouble(self) -> RehabcountError | None:
        """Nothing is written."""
        return None

    @property
    def unwritten_s(self) -> float:
        return 0.0

    def give_up(self) -> None:
        """There is nothing to wait for."""

    def wait(self, timeout_s: float | None = None) -> bool:
        if not self._finished.wait(timeout_s):
            return False
        if self._failure is not None:
            raise self._failure
        return True

    def end(self, patience_s: float = 0.0) -> None:
        self._on_end()
        self.wait()

    def document(self) -> dict[str, Any]:
        return self._seen.document()

    def _run(self) -> None:
        begun = time.monotonic()
        try:
            items, seen = self._counted(), self._seen
            for frames in walk.frames(items, seen.rig, self._align, origin_ns=self._origin_ns, on_update=seen.hear):
                seen.look(frames)
                seen.wall_s = time.monotonic() - begun
        except Exception as problem:  # noqa: BLE001  # top of a thread: `wait` raises it
            self._failure = problem
        finally:
            self._seen.wall_s = time.monotonic() - begun
            self._finished.set()

    def _counted(self) -> Iterator[Recorded]:
        for item in self._items:
            self._seen.take(item)
            yield item


class RecordedSensors(WatchedSensors):
    """The same for a source whose items go into the session file at `path` first, and are watched from there."""

    def __init__(self, path: Path, source: Source, seen: Watch, align: AlignSettings) -> None:
        self._refused = threading.Event()
        super().__init__(follow(path, self._refused), seen, align, on_end=source.close)
        self._source, self._recorder = source, Recorder(path)

    def start(self) -> None:
        try:
            self._source.start(self._accept, lambda: None)
        except BaseException:
            self._recorder.close()  # leave no thread and no lock behind
            raise
        super().start()

    @property
    def trouble(self) -> RehabcountError | None:
        return self._recorder.trouble

    @property
    def unwritten_s(self) -> float:
        return self._recorder.unwritten_s

    def give_up(self) -> None:
        self._recorder.give_up()

    def end(self, patience_s: float = 0.0) -> None:
        """All recorded items are shown before this returns."""
        try:
            try:
                self._source.close()
            finally:
                self._recorder.close(patience_s)
        except RehabcountError:
            self._refused.set()  # the record ends where the disk refused
            raise
        self.wait()

    def _accept(self, item: Recorded) -> None:
        if isinstance(item, Said) and isinstance(item.what, SensorHealth):
            self._seen.health[item.what.sensor] = item.what
        self._recorder.accept(item)

"""The window's performance under load: `rehabcount bench gui`.

The live screen runs on a simulated patient with nine sensors at 100 Hz, with signals. Measured are the rate of the
ribbon's frames and the time between them, the share of a core of the whole process, the time until a new process has a
usable window, and the behaviour when the engine stalls for five seconds. At the same time an idle control process wakes
thirty times a second; its delays are those of the machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from PyQt6 import sip
from PyQt6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PyQt6.QtWidgets import QApplication

from rehabcount.bedside.config import Settings, WindowSettings
from rehabcount.domain.arrays import Floats
from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.motion import Frames
from rehabcount.domain.rig import Side, make_rig
from rehabcount.errors import RehabcountError
from rehabcount.gui import opening
from rehabcount.gui.desk import DEMO_CODE, DemoPatient, Desk, SessionSpec
from rehabcount.gui.live import TICK_MS, LiveScreen
from rehabcount.gui.session_thread import OnFrames, OnUpdate, Opener, Running
from rehabcount.gui.start import application
from rehabcount.gui.window import MainWindow, dress

# Limits: frames a second, share of a core, seconds to a usable window, the slowest frame of a thousand.
FPS, CORE_SHARE, STARTUP_S, SLOWEST_MS = 30.0, 0.60, 2.0, 100.0
STALL_S = 5.0
STALL_FREEZE_MS = 250.0  # the longest the window may stand still while the engine does
PLAN = Plan((PlannedActivity("Drinking", 40), PlannedActivity("Shelf", 20)))

CONTROL = f"""
import json, sys, time
gaps, last, until = [], time.perf_counter(), time.perf_counter() + float(sys.argv[1])
while last < until:
    time.sleep({TICK_MS / 1000})
    now = time.perf_counter()
    gaps.append((now - last) * 1000)
    last = now
print(json.dumps(gaps))
"""
STARTUP = """
import sys, time
from rehabcount.bedside.config import Settings
from rehabcount.gui.start import application, open_window
window = open_window(Settings(data_folder=sys.argv[1]))
application().processEvents()
print(time.monotonic(), flush=True)
import os
os._exit(0)
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """One run. Times in milliseconds; `control_ms` is p99.9 of the idle process beside it."""

    seconds: float
    fps: float
    median_ms: float
    p999_ms: float
    worst_ms: float
    control_ms: float
    control_worst_ms: float
    core_share: float
    startup_s: float
    stall_freeze_ms: float
    stall_shown: bool

    @property
    def verdicts(self) -> dict[str, bool]:
        """Each limit, and whether it was kept."""
        return {
            "frames a second": self.fps >= FPS - 0.5,
            "share of a core": self.core_share < CORE_SHARE,
            "window usable": self.startup_s < STARTUP_S,
            "p99.9 of frame times": self.p999_ms < SLOWEST_MS,
            "engine stalled": self.stall_freeze_ms < STALL_FREEZE_MS and self.stall_shown,
        }

    def document(self) -> dict[str, Any]:
        fields = {name: getattr(self, name) for name in self.__slots__}
        rounded = {name: round(value, 4) if isinstance(value, float) else value for name, value in fields.items()}
        return {**rounded, "promises": self.verdicts}


class FrameTimes(QObject):
    """Notes when a widget is painted."""

    def __init__(self) -> None:
        super().__init__()
        self.at: list[float] = []

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802 (Qt's name)
        if event is not None and event.type() == QEvent.Type.Paint:
            self.at.append(time.perf_counter())
        return False

    def gaps_ms(self, start: float, end: float) -> Floats:
        return np.diff([at for at in self.at if start <= at <= end]) * 1000.0


class Stalling:
    """Stops the session's engine for a while, once, after `now` is set."""

    def __init__(self) -> None:
        self.now = False

    def opener_of(self, desk: Desk, spec: SessionSpec, path: Path) -> Opener:
        def open_session(on_update: OnUpdate, on_frames: OnFrames) -> Running:
            def see(frames: Frames) -> None:
                if self.now:
                    self.now = False
                    time.sleep(STALL_S)
                on_frames(frames)

            return opening.opener_of(desk, spec, path)(on_update, see)

        return open_session


def measure(settings: Settings, seconds: float, on_line: Callable[[str], None] = lambda words: None) -> Measured:
    """Run it all; takes a little longer than `seconds`."""
    on_line("starting three times, the last counts")
    app = application()  # first: an X server restarts when its last client leaves, and then refuses connections
    with tempfile.TemporaryDirectory() as folder:
        startup_s = [time_to_window(Path(folder)) for _ in range(3)][-1]
        desk = Desk(
            replace(settings, data_folder=str(Path(folder) / "data"), model="", window=WindowSettings(theme="light")),
            Path(folder) / "settings.toml",
        )
        artifact = Desk(settings).artifact()
        if artifact is not None:
            desk.settings.models.mkdir(parents=True)
            (desk.settings.models / artifact.folder.name).symlink_to(artifact.folder.resolve())
        dress(app, desk)
        return _run(app, desk, seconds, startup_s, on_line)


def _run(app: QApplication, desk: Desk, seconds: float, startup_s: float, on_line: Callable[[str], None]) -> Measured:
    window, stalling, times = MainWindow(desk), Stalling(), FrameTimes()
    window.resize(1920, 1080)
    live = window.screen_called("live")
    assert isinstance(live, LiveScreen)
    live.make_opener = stalling.opener_of
    live.go.disconnect()
    live.ribbon.installEventFilter(times)
    window.show()
    opening.DEMO_S, before = seconds + STALL_S + 30.0, opening.DEMO_S
    try:
        spec = SessionSpec(DEMO_CODE, make_rig("nine", Side.RIGHT, "generic", 100.0), Side.RIGHT, PLAN, DemoPatient())
        window.show_screen("live", spec)
        on_line("waking the simulated patient")
        _until(app, lambda: live._failure is not None or (live._ready and bool(live.state and live.state.calibrated)))
        if live._failure is not None:
            raise RehabcountError(str(live._failure), advice=live._failure.advice)
        live.toggle_signals()
        live.toggle_pause()
        _for(app, 2.0)
        on_line(f"running for {seconds:.0f} s")
        control = subprocess.Popen([sys.executable, "-c", CONTROL, str(seconds)], stdout=subprocess.PIPE, text=True)
        start, busy = time.perf_counter(), time.process_time()
        _for(app, seconds)
        busy = time.process_time() - busy
        gaps = times.gaps_ms(start, time.perf_counter())
        idle = np.array(json.loads(control.communicate()[0]))
        on_line("stalling the engine")
        stalling.now, start = True, time.perf_counter()
        shown = False
        while time.perf_counter() < start + STALL_S:
            _for(app, 0.1)
            shown = shown or live.stale
        frozen = times.gaps_ms(start, time.perf_counter())
        _for(app, 1.0)
    finally:
        opening.DEMO_S = before
        live._timer.stop()
        if live.thread_ is not None:
            live.thread_.end()
            live.thread_.join(10.0)
        window.hide()
        sip.delete(window)
    return Measured(
        seconds=seconds,
        fps=len(gaps) / (float(gaps.sum()) / 1000.0),
        median_ms=float(np.median(gaps)),
        p999_ms=float(np.percentile(gaps, 99.9)),
        worst_ms=float(gaps.max()),
        control_ms=float(np.percentile(idle, 99.9)),
        control_worst_ms=float(idle.max()),
        core_share=busy / seconds,
        startup_s=startup_s,
        stall_freeze_ms=float(frozen.max()) if len(frozen) else STALL_S * 1000.0,
        stall_shown=shown,
    )


def time_to_window(folder: Path) -> float:
    """Seconds from starting a process to its window being shown and answering."""
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", STARTUP, str(folder)], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1]) - begun


def _for(app: QApplication, seconds: float) -> None:
    until = time.perf_counter() + seconds
    _until(app, lambda: time.perf_counter() >= until)


def _until(app: QApplication, done: Callable[[], bool], longest_s: float = 3600.0) -> None:
    """Qt's own loop, left when `done`: events are served as they come, and nothing spins."""
    loop, begun = QEventLoop(), time.perf_counter()
    timer = QTimer()
    timer.timeout.connect(lambda: loop.quit() if done() or time.perf_counter() - begun > longest_s else None)
    timer.start(50)
    loop.exec()
    timer.stop()

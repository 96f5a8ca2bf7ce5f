"""A window with a running demo session, in a process of its own, for a test to kill.

    python -m tests.gui.live_child DATA_FOLDER SPEED

Says `counting` on standard output once the therapist has started it and pressed +1 twice; then runs until it is killed,
or told to end.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PyQt6.QtCore import QTimer

from rehabcount.bedside.config import Settings
from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.rig import Side, make_rig
from rehabcount.gui import opening
from rehabcount.gui.desk import DEMO_CODE, DemoPatient, SessionSpec
from rehabcount.gui.live import LiveScreen
from rehabcount.gui.start import application, run
from rehabcount.gui.window import MainWindow
from tests.gui.reflex import reflex

PLAN = Plan((PlannedActivity("Drinking", 20),))


def main(folder: Path, speed: float) -> int:
    app = application()
    setattr(opening, "open_model", reflex)  # noqa: B010 (a name of the module, put in place of another)
    opening.DEMO_S = 90.0
    rig = make_rig("three", Side.RIGHT, "generic", 100.0)
    spec = SessionSpec(DEMO_CODE, rig, Side.RIGHT, PLAN, DemoPatient(speed=speed))

    def look() -> None:
        (window,) = (each for each in app.topLevelWidgets() if isinstance(each, MainWindow))
        live = window.screen_called("live")
        assert isinstance(live, LiveScreen)
        state = live.state
        assert live._failure is None, live._failure
        if not live._ready or state is None or state.calibrated is None:
            return
        if state.phase == "ready":
            live.toggle_pause()
            live.adjust(1)
            live.adjust(1)
        elif not state.unheard and len(state.adjustments) == 2:
            timer.stop()
            print("counting", flush=True)

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(20)
    return run("live", spec, Settings(data_folder=str(folder)))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2])))

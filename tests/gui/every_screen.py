"""Opens the window, goes through its screens and runs the demo until it is ready to count; then closes it.

`python -m tests.gui.every_screen`, in a process of its own, for a test that looks at what such a process leaves behind.
"""

from __future__ import annotations

from PyQt6.QtCore import QEventLoop, QTimer

from rehabcount.bedside.config import load_settings
from rehabcount.bedside.tidy import keep_to_our_folders
from rehabcount.domain.dose import Plan, PlannedActivity
from rehabcount.domain.rig import Side, make_rig
from rehabcount.gui import opening
from rehabcount.gui.desk import DEMO_CODE, DemoPatient, SessionSpec
from rehabcount.gui.live import LiveScreen
from rehabcount.gui.start import application, open_window

LONGEST_MS = 120_000
PLAN = Plan((PlannedActivity("Drinking", 20),))


def main() -> None:
    keep_to_our_folders()
    app = application()
    opening.DEMO_S = 60.0
    window = open_window(load_settings())
    for name in ("history", "settings", "about", "setup"):
        window.show_screen(name)
        app.processEvents()
    live = window.screen_called("live")
    assert isinstance(live, LiveScreen)
    rig = make_rig("one", Side.RIGHT, "generic", 100.0)
    window.show_screen("live", SessionSpec(DEMO_CODE, rig, Side.RIGHT, PLAN, DemoPatient(speed=40.0)))

    loop = QEventLoop()  # the window refuses to close while a session runs

    def look() -> None:
        if live._failure is not None or (live._ready and live.state is not None and live.state.calibrated is not None):
            loop.quit()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(20)
    QTimer.singleShot(LONGEST_MS, loop.quit)
    loop.exec()
    timer.stop()
    assert live._failure is None, live._failure
    assert live._ready, "the demo did not become ready"
    if live.thread_ is not None:
        live.thread_.end()
        live.thread_.join(10.0)


if __name__ == "__main__":
    main()

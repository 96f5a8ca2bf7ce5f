"""The calibration in words for a terminal: tells what to do, waits, and hands the times to the session.

docs/body-axes.md describes pose and movements. People need a moment to begin, so each step counts from a little after
it was announced.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from rehabcount.app.live import LiveSession
from rehabcount.domain.rig import Side
from rehabcount.domain.update import Posed

READY_S = 3.0  # from being told until doing it
STEPS: tuple[tuple[str, float, str], ...] = (
    ("still", 3.5, "Sit upright, upper arms hanging, elbows at a right angle, palms down. Keep still."),
    ("elbow", 9.0, "Bend and stretch the {side} elbow slowly, three times, palm down."),
    ("forearm", 9.0, "Turn the {side} forearm palm up and palm down, three times."),
)


def guide(
    session: LiveSession, side: Side, say: Callable[[str], None], sleep: Callable[[float], None] = time.sleep
) -> None:
    """Lead through the steps; the session then calibrates, and counting begins."""
    session.enter("calibrating")
    steps = []
    for step, length_s, words in STEPS:
        say(f"{words.format(side=side.value)} ({length_s:.0f} s)")
        sleep(READY_S)
        start_s = session.source_time_s
        sleep(length_s)
        steps.append(Posed(step, start_s, session.source_time_s, None if step == "still" else side))
    session.calibrate(tuple(steps))
    session.enter("counting")

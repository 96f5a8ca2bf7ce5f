"""The calibration in words for a terminal: tells what to do, waits, and hands the times to the session.

docs/body-axes.md describes pose and movements. People need a moment to begin, so each step counts from a little after
it was announced. A calibration that must be repeated is repeated: counting never begins on it unasked.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

from rehabcount.app.live import LiveSession
from rehabcount.domain.rig import Side
from rehabcount.domain.update import Calibrated, Posed

READY_S = 3.0  # from being told until doing it
READ_S = 6.0  # what went wrong, before it begins again
ASKED_EVERY_S = 0.1
STEPS: tuple[tuple[str, float, str], ...] = (
    ("still", 3.5, "Sit upright, upper arms hanging, elbows at a right angle, palms down. Keep still."),
    ("elbow", 9.0, "Bend and stretch the {side} elbow slowly, three times, palm down."),
    ("forearm", 9.0, "Turn the {side} forearm palm up and palm down, three times."),
)


def guide(
    session: LiveSession,
    side: Side,
    say: Callable[[str], None],
    sleep: Callable[[float], None] = time.sleep,
    *,
    keep_bad: bool = False,
) -> None:
    """Lead through the steps until the session has a calibration that it can use; then counting begins. `keep_bad`: the
    therapist chose to go on with one that ought to be repeated. Returns as well when the session ends meanwhile."""
    with contextlib.suppress(ValueError):  # the record is closed: nothing can be said to a session that has ended
        session.enter("calibrating")
        while (found := _led_through(session, side, say, sleep)) is not None:
            if not found.used and keep_bad and found.calibration.mountings:
                session.use(found.calibration)
                say("Counting with a calibration that ought to be repeated, as was asked for.")
            elif not found.used:
                say("Nothing is counted until the calibration succeeds. It begins again in a moment.")
                sleep(READ_S)
                continue
            session.enter("counting")
            return


def _led_through(
    session: LiveSession, side: Side, say: Callable[[str], None], sleep: Callable[[float], None]
) -> Calibrated | None:
    """One round of the steps, and what the session made of it; None if it ended before it could."""
    steps = []
    for step, length_s, words in STEPS:
        say(f"{words.format(side=side.value)} ({length_s:.0f} s)")
        sleep(READY_S)
        start_s = session.source_time_s
        sleep(length_s)
        steps.append(Posed(step, start_s, session.source_time_s, None if step == "still" else side))
    before = session.calibrated
    session.calibrate(tuple(steps))
    while session.calibrated is before:
        if not session.running:
            return None
        sleep(ASKED_EVERY_S)
    return session.calibrated

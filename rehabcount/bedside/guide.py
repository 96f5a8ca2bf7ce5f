"""The calibration in a terminal: prints what to do, waits, and gives the times of the steps to the session.

docs/body-axes.md describes pose and movements. People need a moment to begin, so each step begins a little after it was
announced. A calibration with the verdict "repeat" is repeated; counting with it begins only if the therapist chose so.
The steps begin when sensors send, and a step in which a sensor stops sending is broken off.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

from rehabcount.bedside.guide_steps import GUIDE, posed
from rehabcount.bedside.session import LiveSession
from rehabcount.domain.rig import Side
from rehabcount.domain.update import Calibrated, PhaseName, Posed

READ_S = 6.0  # to read what went wrong, before the steps begin again
ASKED_EVERY_S = 0.1
CONNECTED_S = 30.0  # after the first sensor: then the steps begin without those that do not send
PATIENCE_S = 5.0  # before the first message about missing sensors: connecting takes a few seconds for each
WORDS = {
    "still": "Sit upright, upper arms hanging, elbows at a right angle, palms down. Keep still.",
    "elbow": "Bend and stretch the {side} elbow slowly, three times, palm down.",
    "forearm": "Turn the {side} forearm palm up and palm down, three times.",
}


def guide(
    session: LiveSession,
    side: Side,
    on_line: Callable[[str], None],
    sleep: Callable[[float], None] = time.sleep,
    *,
    keep_bad: bool = False,
) -> None:
    """Lead through the steps until the session has a usable calibration; then counting begins. `keep_bad`: the
    therapist chose to use one that should be repeated. Also returns when the session ends meanwhile."""
    with contextlib.suppress(ValueError):  # the session has ended, and its record takes no more entries
        session.enter(PhaseName.CALIBRATING)
        while session.running:
            worn = _await_sensors(session, on_line, sleep)
            if not worn:
                return
            steps = _led_through(session, worn, side, on_line, sleep)
            if steps is None:
                sleep(READ_S)
                continue
            found = _worked_out(session, steps, sleep)
            if found is None:
                return
            if not found.used and keep_bad and found.calibration.mountings:
                session.use(found.calibration)
                on_line("Counting with a calibration that should be repeated, as requested.")
            elif not found.used:
                on_line("Nothing is counted until the calibration succeeds. It begins again in a moment.")
                sleep(READ_S)
                continue
            session.enter(PhaseName.COUNTING)
            return


def _await_sensors(
    session: LiveSession, on_line: Callable[[str], None], sleep: Callable[[float], None]
) -> tuple[str, ...]:
    """The sensors that send: all of them, or some if the others do not come; none if the session ends first."""
    waited_s, told = 0.0, False
    while session.running:
        sending = session.sending
        if len(sending) == len(session.rig) or (sending and waited_s >= CONNECTED_S):
            missing = [name for name in session.rig.names if name not in sending]
            if missing:
                on_line(f"Calibrating without {', '.join(missing)}: nothing comes from there.")
            return sending
        if waited_s >= PATIENCE_S and not told:
            told = True
            missing = [name for name in session.rig.names if name not in sending]
            on_line(
                f"Nothing comes from {', '.join(missing)}. Switch on what is off and bring it closer; the calibration "
                "begins by itself."
            )
        sleep(ASKED_EVERY_S)
        waited_s += ASKED_EVERY_S
    return ()


def _led_through(
    session: LiveSession,
    worn: tuple[str, ...],
    side: Side,
    on_line: Callable[[str], None],
    sleep: Callable[[float], None],
) -> tuple[Posed, ...] | None:
    """One round of the steps; None if it was broken off."""
    done = []
    ready, *steps = GUIDE
    for step in steps:
        on_line(f"{WORDS[step.name].format(side=side.value)} ({step.length_s:.0f} s)")
        sleep(ready.length_s)
        start_s, left_s = session.source_time_s, step.length_s
        while left_s > 0:
            sleep(min(ASKED_EVERY_S, left_s))
            left_s -= ASKED_EVERY_S
            if not session.running:
                return None
            if silent := [name for name in worn if name not in session.sending]:
                on_line(
                    f"This step failed: {', '.join(silent)} fell silent. Check strap and battery; the calibration "
                    "begins again in a moment."
                )
                return None
        done.append(posed(step.name, start_s, session.source_time_s, side))
    return tuple(done)


def _worked_out(session: LiveSession, steps: tuple[Posed, ...], sleep: Callable[[float], None]) -> Calibrated | None:
    """The session's calibration from these steps; None if the session ended first."""
    before = session.calibrated
    session.calibrate(steps)
    while session.calibrated is before:
        if not session.running:
            return None
        sleep(ASKED_EVERY_S)
    return session.calibrated

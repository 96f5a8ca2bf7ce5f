"""A smooth clock: session time arrives in steps, but the ribbon should move evenly.

Between two updates of the session the time goes on by itself, but never further than the usual steps; without updates
it stops.
"""

from __future__ import annotations

AHEAD_S = 0.6  # the recorder commits four times a second; a little more than twice that
CATCH_UP = 0.15  # of the error that is corrected at each step, so that corrections are not seen as jerks
LEAP_S = 1.5  # an error this large is no jitter: follow at once


class SmoothClock:
    def __init__(self) -> None:
        self._session_s = 0.0
        self._offset: float | None = None  # session time minus wall time, smoothed
        self._shown_s = 0.0

    def heard(self, session_s: float, wall_s: float) -> None:
        """The session has got to `session_s` at wall time `wall_s`."""
        self._session_s = session_s
        offset = session_s - wall_s
        if self._offset is None or abs(offset - self._offset) > LEAP_S:
            self._offset = offset
        else:
            self._offset += CATCH_UP * (offset - self._offset)

    def now_s(self, wall_s: float) -> float:
        """Session time to show at `wall_s`; it never runs backwards, except after a leap of the session."""
        if self._offset is None:
            return 0.0
        now = min(wall_s + self._offset, self._session_s + AHEAD_S)
        if now < self._shown_s - LEAP_S:
            self._shown_s = now
        self._shown_s = max(self._shown_s, now)
        return self._shown_s

"""A session file as a source: its packets again, as they came, at any pace.

`Replay` is iterated in one thread and steered from any other: pause, resume, seek, another speed, close. At full speed
(`speed` None) nothing waits. The pace changes when an item is handed out, never its content: `received_ns` is the
recorded one, so a replay gives the same results as the live session.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rehabcount.domain.update import Recorded
from rehabcount.store.session_file import SessionFile

LONGEST_WAIT_S = 60.0  # at a time: the wait of a thread has an upper limit


class Replay:
    """The packets of one session file, paced."""

    def __init__(
        self,
        path: Path,
        *,
        speed: float | None = None,
        start_s: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`speed` 1 is real time, None full speed; `start_s` counts from the session's first packet."""
        self._path = path
        self._clock = clock
        self._changed = threading.Condition()
        self._speed = _checked(speed)
        if not math.isfinite(start_s):
            raise ValueError(f"start_s must be a number of seconds, not {start_s}")
        start_s = max(0.0, start_s)
        self._seek_s: float | None = start_s
        self._paused = False
        self._closed = False
        self._position_s = start_s
        self._anchor: tuple[float, float] | None = None  # wall clock and session time that belong together

    @property
    def position_s(self) -> float:
        """Session time of the last item handed out."""
        return self._position_s

    @property
    def speed(self) -> float | None:
        return self._speed

    @speed.setter
    def speed(self, speed: float | None) -> None:
        with self._steering():
            self._speed = _checked(speed)

    @property
    def paused(self) -> bool:
        return self._paused

    def pause(self) -> None:
        with self._steering():
            self._paused = True

    def resume(self) -> None:
        with self._steering():
            self._paused = False

    def seek(self, time_s: float) -> None:
        """Go on from the first item at or after `time_s`; backwards as well.

        A walk over the items cannot go back in time. After seeking backwards, the caller begins a new walk.
        """
        with self._steering():
            self._seek_s = max(0.0, time_s)

    def close(self) -> None:
        """The end of input: the iteration stops, even one that waits."""
        with self._steering():
            self._closed = True

    @contextlib.contextmanager
    def _steering(self) -> Iterator[None]:
        """A change that the iteration, waiting or not, takes notice of at once."""
        with self._changed:
            yield
            self._anchor = None
            self._changed.notify_all()

    def __iter__(self) -> Iterator[Recorded]:
        with SessionFile.open(self._path) as file:
            first = next(iter(file.items()), None)
            if first is None:
                return
            while (target_s := self._take_seek()) is not None:
                target_ns = first.received_ns + round(target_s * 1e9)
                self._position_s = target_s
                yield from self._from(file.items(file.seq_before(target_ns)), first.received_ns)

    def _take_seek(self) -> float | None:
        with self._changed:
            target, self._seek_s = self._seek_s, None
            return None if self._closed else target

    def _from(self, items: Iterator[Recorded], origin_ns: int) -> Iterator[Recorded]:
        """Items until their end, a seek or the close, each when its time has come."""
        for item in items:
            item_s = (item.received_ns - origin_ns) / 1e9
            if not self._wait_for(item_s):
                return
            self._position_s = item_s
            yield item
        with self._changed:
            self._changed.wait_for(lambda: not self._paused or self._closed or self._seek_s is not None)

    def _wait_for(self, item_s: float) -> bool:
        """Wait until this item is due; False if a seek or the close came first.

        Due times are computed from an anchor, so that small delays do not add up: a reader that fell behind catches
        up, as it would with a radio. Every change of the pace drops the anchor.
        """
        with self._changed:
            while not self._closed and self._seek_s is None:
                if self._paused:
                    self._changed.wait()
                    continue
                if self._speed is None:
                    return True
                now = self._clock()
                if self._anchor is None:
                    self._anchor = (now, self._position_s)
                anchor_wall, anchor_s = self._anchor
                left_s = anchor_wall + (item_s - anchor_s) / self._speed - now
                if left_s <= 0:
                    return True
                self._changed.wait(min(left_s, LONGEST_WAIT_S))
            return False


def _checked(speed: float | None) -> float | None:
    if speed is not None and not 0 < speed < math.inf:
        raise ValueError(f"speed must be positive, or None for full speed, not {speed}")
    return speed

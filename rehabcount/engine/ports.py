"""The interfaces that the engine needs, as Protocols.

Source      where recorded items come from: a radio, a file, a simulated patient
Recogniser  one arm of one session: feature rows in, finished movements out
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from rehabcount.domain.motion import Rows
from rehabcount.domain.sequence import Token
from rehabcount.domain.update import Recorded


class Source(Protocol):
    """Hands its items to `on_item`, in a thread of its own, from `start` until it ends or is closed."""

    @property
    def speed(self) -> float | None:
        """Session seconds per second; None: as fast as possible, and the engine cannot fall behind."""

    def start(self, on_item: Callable[[Recorded], None], on_end: Callable[[], None]) -> None:
        """Begin; `on_end` is called once, from any thread, when no more items will come."""

    def now_ns(self) -> int:
        """The receive time of an item that is added now."""

    def close(self) -> None:
        """The end of input; returns when the last item has been handed over."""


class Recogniser(Protocol):
    """Times are those of the session; rows follow one another without a hole."""

    def push(self, rows: Rows) -> list[Token]:
        """Movements that are settled by these rows: in order, with known ends, never changed afterwards."""

    def finish(self) -> list[Token]:
        """No more rows come: the remaining movements."""

    def draft(self) -> tuple[Token, ...]:
        """The current estimate of what followed the last settled movement; it may change."""

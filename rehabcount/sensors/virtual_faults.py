"""Faults of virtual sensors and of their links: when each is active, and how it changes the notifications."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class FaultKind(StrEnum):
    DROP = "drop"  # notifications are lost on the way
    STALL = "stall"  # connected, but sends nothing
    DOUBLE = "double"  # every notification arrives twice
    TRUNCATE = "truncate"  # notifications arrive cut off
    REORDER = "reorder"  # neighbours arrive in the wrong order
    WRAP = "wrap"  # the device's clock wraps at the beginning of the fault
    LOW_BATTERY = "low-battery"
    REFUSE = "refuse"  # does not accept a connection
    DEATH = "death"  # switched off: link lost, nothing advertised; reboots at the end


@dataclass(frozen=True, slots=True)
class Fault:
    """From `start_s` after the sensor was switched on, for `length_s`; `share` of the notifications suffer."""

    kind: FaultKind
    start_s: float
    length_s: float = float("inf")
    share: float = 1.0

    def holds(self, time_s: float) -> bool:
        return self.start_s <= time_s < self.start_s + self.length_s


class Faults:
    """All faults of one sensor; the same seed strikes the same notifications."""

    def __init__(self, faults: Iterable[Fault], seed: str) -> None:
        self._faults = list(faults)
        self._chance = random.Random(seed)
        self._held: bytes | None = None  # back, so that the next one overtakes it

    def add(self, fault: Fault) -> None:
        self._faults.append(fault)

    def hold(self, kind: FaultKind, time_s: float) -> bool:
        """Whether a fault of this kind holds now."""
        return any(fault.kind is kind and fault.holds(time_s) for fault in self._faults)

    def switched_on_s(self, time_s: float) -> float:
        """When the sensor was last switched on: at the end of its last death."""
        ends = [fault.start_s + fault.length_s for fault in self._faults if fault.kind is FaultKind.DEATH]
        return max((end for end in ends if end <= time_s), default=0.0)

    def wraps_s(self) -> float | None:
        """When the device's clock is to wrap."""
        return next((fault.start_s for fault in self._faults if fault.kind is FaultKind.WRAP), None)

    def spoilt(self, notifications: list[bytes], time_s: float) -> list[bytes]:
        """The notifications as they arrive."""
        if not self._faults:
            return notifications
        arriving: list[bytes] = []
        for sent in notifications:
            if self._strikes(FaultKind.DROP, time_s):
                continue
            cut = self._strikes(FaultKind.TRUNCATE, time_s)
            data = sent[: self._chance.randrange(len(sent))] if cut else sent
            if self._held is None and self._strikes(FaultKind.REORDER, time_s):
                self._held = data
                continue
            arriving += [data, data] if self._strikes(FaultKind.DOUBLE, time_s) else [data]
            if self._held is not None:
                arriving.append(self._held)
                self._held = None
        return arriving

    def _strikes(self, kind: FaultKind, time_s: float) -> bool:
        return any(
            fault.kind is kind and fault.holds(time_s) and self._chance.random() < fault.share for fault in self._faults
        )

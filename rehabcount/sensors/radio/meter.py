"""How a link is doing, from what arrives: rate, loss, age; and notifications that arrive twice. Pure: time is given."""

from __future__ import annotations

from collections import deque

from rehabcount.sensors.families import stamp_of

BUCKET_NS = 500_000_000
BUCKETS = 10  # five seconds: long enough for a steady figure, short enough to show a change
# On BlueZ a callback may fire twice for one notification (hbldh/bleak#2002; can be removed when that is solved). Time
# stamps show it. Without time stamps, equal neighbours prove nothing (a WitMotion at rest repeats itself); but if so
# many pairs come in a row, each unlike the one before, notifications are doubled.
REMEMBERED_STAMPS = 64
PAIRS = 4


class Meter:
    """Counts samples of one connection in half seconds; whole ones make the rate."""

    def __init__(self, nominal_hz: float, begun_ns: int) -> None:
        self._nominal_hz = nominal_hz
        self._begun_ns = begun_ns
        self._buckets: dict[int, int] = {}

    def add(self, now_ns: int, samples: int) -> None:
        bucket = now_ns // BUCKET_NS
        self._buckets[bucket] = self._buckets.get(bucket, 0) + samples
        if len(self._buckets) > 2 * BUCKETS:
            self._buckets = {b: n for b, n in self._buckets.items() if b >= bucket - BUCKETS}

    def rate_hz(self, now_ns: int) -> float | None:
        """Samples a second in the whole half seconds behind us; None before the first one is over."""
        current = now_ns // BUCKET_NS
        first = max(self._begun_ns // BUCKET_NS + 1, current - BUCKETS)
        if first >= current:
            return None
        heard = sum(self._buckets.get(bucket, 0) for bucket in range(first, current))
        return heard / ((current - first) * BUCKET_NS / 1e9)

    def loss(self, now_ns: int) -> float | None:
        """Share of the expected samples that did not come."""
        rate_hz = self.rate_hz(now_ns)
        return None if rate_hz is None else max(0.0, 1.0 - rate_hz / self._nominal_hz)


class EchoFilter:
    """Recognises a notification that arrives a second time over the same connection."""

    def __init__(self, layout: str) -> None:
        self._layout = layout
        self._stamps: deque[bytes] = deque(maxlen=REMEMBERED_STAMPS)
        self._last = b""
        self._single = False  # the last one has not been repeated yet
        self._pairs = 0  # in a row

    def is_echo(self, payload: bytes) -> bool:
        stamp = stamp_of(self._layout, payload)
        if stamp is None:
            return self._completes_a_pair(payload) and self._pairs > PAIRS
        if stamp in self._stamps:
            return True
        self._stamps.append(stamp)
        return False

    def _completes_a_pair(self, payload: bytes) -> bool:
        same = payload == self._last
        if self._single and same:
            self._single = False
            self._pairs += 1
            return True
        if self._single or same:  # one without its double, or a third of a kind: not everything comes in pairs
            self._pairs = 0
        self._last, self._single = payload, True
        return False

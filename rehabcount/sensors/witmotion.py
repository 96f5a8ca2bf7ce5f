"""WitMotion's byte stream, cut into frames; the frames do not depend on the size of the chunks of bytes.

The stream has no checksum, no counter and no length field. A frame is `55 61` and 18 (or 26) more bytes. Several frames
may share a notification, one may be split over two, and a lost notification leaves half a frame. `55 71` begins a
20-byte answer to a register request; it is no measurement and is stepped over.

A whole frame is passed on at once unless it contains the beginning of another frame: then it may be half a frame and
its successor. The two bytes after it decide: if they are a header, the frame was whole; otherwise reading resumes at
the inner header. The decision depends on the bytes alone, not on the chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

import numpy as np

from rehabcount.domain.arrays import Floats, Ints
from rehabcount.domain.message import Code, Message
from rehabcount.sensors.angles import quat_from_angles
from rehabcount.sensors.layouts import ACC_RANGE_MS2, GYR_RANGE_RADS, INT16_FULL_SCALE

MEASUREMENT = b"\x55\x61"
ANSWER = b"\x55\x71"
HEADERS = (MEASUREMENT, ANSWER)
ANSWER_BYTES = 20
HEADER_BYTES = 2
PLAIN_BYTES = 20
DATED_BYTES = 28
EPOCH_YEAR = 2000  # ticks of dated frames count from here, in the device's own calendar

_EPOCH_DAY = date(EPOCH_YEAR, 1, 1).toordinal()

FRAME_CUT_SHORT, BETWEEN_FRAMES, NO_SUCH_DATE = map(
    Message.of, (Code.FRAME_CUT_SHORT, Code.BETWEEN_FRAMES, Code.NO_SUCH_DATE)
)
OnDiscard = Callable[[Message, int], None]  # reason, how many


class FrameCutter:
    """The bytes of one device that are not yet a frame."""

    def __init__(self, frame_bytes: int) -> None:
        if frame_bytes not in (PLAIN_BYTES, DATED_BYTES):
            raise ValueError(f"frame_bytes must be {PLAIN_BYTES} or {DATED_BYTES}, not {frame_bytes}")
        self._frame_bytes = frame_bytes
        self._rest = b""

    def feed(self, data: bytes, on_discard: OnDiscard) -> list[bytes]:
        """The frames that `data` completes. Bytes that belong to no frame are discarded and counted."""
        one_frame = not self._rest and len(data) == self._frame_bytes and data.startswith(MEASUREMENT)
        if one_frame and data.find(b"\x55", HEADER_BYTES) < 0 and self._dated_well(data):
            return [data]  # the common case, without the search
        self._rest += data
        return list(self._cut(on_discard, ended=False))

    def end(self, on_discard: OnDiscard) -> list[bytes]:
        """The frames that were held back, now that nothing follows."""
        frames = list(self._cut(on_discard, ended=True))
        if self._rest:
            on_discard(FRAME_CUT_SHORT, 1)
            self._rest = b""
        return frames

    def _cut(self, on_discard: OnDiscard, ended: bool) -> Iterator[bytes]:
        data, at, size = self._rest, 0, self._frame_bytes
        while True:
            start = _next_header(data, at)
            if start > at:
                on_discard(BETWEEN_FRAMES, start - at)
            at = start
            answer = data.startswith(ANSWER, at)
            length = ANSWER_BYTES if answer else size
            if len(data) - at < max(length, HEADER_BYTES):
                break
            resume = _resume(data, at, at + length, ended)
            if resume is None:
                break
            if resume > at:
                on_discard(FRAME_CUT_SHORT, 1)
                at = resume
                continue
            frame = data[at : at + length]
            if answer:
                at += length
            elif self._dated_well(frame):
                yield frame
                at += length
            else:
                on_discard(NO_SUCH_DATE, 1)
                at += HEADER_BYTES
        self._rest = data[at:]

    def _dated_well(self, frame: bytes) -> bool:
        """Whether the calendar of a 28-byte frame is one. Month and day 0 are a clock that was never set."""
        if self._frame_bytes != DATED_BYTES:
            return True
        _, month, day, hour, minute, second = frame[20:26]
        milliseconds = frame[26] | frame[27] << 8
        return month <= 12 and day <= 31 and hour < 24 and minute < 60 and second < 60 and milliseconds < 1000


def _next_header(data: bytes, at: int) -> int:
    """Where the next header begins, or may begin (a last byte 55); the end of `data` if nowhere."""
    while (at := data.find(b"\x55", at)) >= 0:
        if data[at + 1 : at + 2] in (b"\x61", b"\x71", b""):
            return at
        at += 1
    return len(data)


def _resume(data: bytes, at: int, end: int, ended: bool) -> int | None:
    """`at` if the frame [at, end) is whole; where its swallowed successor begins if not; None: wait for more bytes."""
    inner = _next_header(data[:end], at + HEADER_BYTES)
    behind = data[end : end + HEADER_BYTES]
    if inner == end or behind in HEADERS:
        return at
    if behind in (b"", b"\x55") and not ended:
        return None
    if not behind:
        return at
    return inner if data[inner : inner + HEADER_BYTES] in HEADERS else at


def measurements(frames: list[bytes]) -> tuple[Floats, Floats, Floats]:
    """Specific force (n, 3) m/s2, angular rate (n, 3) rad/s and orientation (n, 4) of frames of one length."""
    table = np.frombuffer(b"".join(frames), np.uint8).reshape(len(frames), -1)[:, 2:20]
    values = np.ascontiguousarray(table).view("<i2") / INT16_FULL_SCALE  # (n, 9), in parts of full scale
    return values[:, :3] * ACC_RANGE_MS2, values[:, 3:6] * GYR_RANGE_RADS, quat_from_angles(values[:, 6:] * np.pi)


def dated_ticks(frames: list[bytes]) -> Ints:
    """Milliseconds since the year 2000 (n,) in the device's calendar, without a time zone."""
    return np.array([_milliseconds(frame[20:]) for frame in frames], np.int64)


def _milliseconds(calendar: bytes) -> int:
    year, month, day, hour, minute, second, low, high = calendar
    # Counted from the first of the month, so that a clock that was never set (day 0, or 30 February) still runs.
    days = date(EPOCH_YEAR + year, max(month, 1), 1).toordinal() - _EPOCH_DAY + max(day, 1) - 1
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + low + 256 * high

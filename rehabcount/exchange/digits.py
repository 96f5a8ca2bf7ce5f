"""Many numbers as text at once: the text of `format(value, ".9g")` for each, in a tenth of the time.

In: a table of floats (rows, columns). Out: its lines of comma-separated values, as bytes; NaN is an empty cell. Numbers
of one size (their power of ten) have their digits and their point in the same places, and are written together.
"""

from __future__ import annotations

import numpy as np

from rehabcount.domain.arrays import Floats

DIGITS = 9  # significant digits: float32 sensors carry 7, angles and times a little more
LEAST, MOST = -4, 7  # powers of ten that are written here; Python formats all others
# A number this near to the middle of two last digits: its product with a power of ten is rounded, too, by up to 1e-7.
DOUBTFUL = 1e-5
CELL = 16  # characters of the longest, "-1.23456789e-100"
_ROOM = CELL + 2  # and what ends it: a comma, or the line
_CELLS = np.dtype((np.void, _ROOM))
_MINUS, _POINT, _ZERO = (ord(sign) for sign in "-.0")
_TENS = 10.0 ** np.arange(DIGITS - 1 - MOST, DIGITS - LEAST)  # exact, all of them

Bytes = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]


def lines_of(table: Floats) -> bytes:
    """The table's lines with the line ends of CSV."""
    values = np.ascontiguousarray(table, float).ravel()
    size = np.abs(values)
    plain = (size >= 10.0**LEAST) & (size < 10.0 ** (MOST + 1))
    size[~plain] = 1.0
    power = np.floor(np.log10(size)).clip(LEAST, MOST).astype(np.int8)
    scaled = size * _TENS[MOST - power]
    whole = np.rint(scaled)
    plain &= (
        (np.abs(np.abs(scaled - whole) - 0.5) > DOUBTFUL) & (whole >= 10.0 ** (DIGITS - 1)) & (whole < 10.0**DIGITS)
    )
    # In order of size, so that numbers of one power lie together; in the end each goes back to its place.
    order = np.argsort(power, kind="stable")
    starts = np.searchsorted(power[order], np.arange(LEAST, MOST + 2))
    cells = np.zeros((_ROOM, len(values)), np.uint8)  # 0: an empty place
    digits, last = _digits_of(whole[order])
    for each, begin, end in zip(range(LEAST, MOST + 1), starts[:-1], starts[1:], strict=True):
        if end > begin:
            _write(cells[1:, begin:end], digits[:, begin:end], last[begin:end], each)
    lines = np.empty((len(values), _ROOM), np.uint8)
    lines.view(_CELLS)[order] = np.ascontiguousarray(cells.T).view(_CELLS)
    lines[:, 0] = np.signbit(values).view(np.uint8) * np.uint8(_MINUS)
    for i in np.flatnonzero(~plain):
        text = b"" if np.isnan(values[i]) else format(values[i], f".{DIGITS}g").encode()
        lines[i] = np.frombuffer(text.ljust(_ROOM, b"\0"), np.uint8)
    ends = lines.reshape(*table.shape, _ROOM)
    ends[:, :-1, CELL] = ord(",")
    ends[:, -1, CELL:] = (ord("\r"), ord("\n"))
    return lines[lines != 0].tobytes()


def _digits_of(whole: Floats) -> tuple[Bytes, Bytes]:
    """The nine digits of each (DIGITS, n), as text, and how many there are without the zeros at the end."""
    digits = np.empty((DIGITS, len(whole)), np.uint8)
    last = np.zeros(len(whole), np.uint8)
    left = whole.astype(np.uint32)
    for place in reversed(range(DIGITS)):
        above = left // np.uint32(10)
        digits[place] = left - above * np.uint32(10)
        left = above
    for place in range(DIGITS):
        np.copyto(last, place + 1, where=digits[place] != 0)
    digits += np.uint8(_ZERO)
    return digits, last


def _write(cells: Bytes, digits: Bytes, last: Bytes, power: int) -> None:
    """Numbers of this power of ten, without their signs, into cells (places, n)."""
    before = max(power, 0) + 1  # digits before the point
    behind = before - (power < 0)  # of the nine, where those behind the point begin
    cells[:before] = digits[:before] if power >= 0 else _ZERO
    fraction = (last > behind).view(np.uint8)
    cells[before] = fraction * np.uint8(_POINT)
    at = before + 1
    for _ in range(-power - 1):
        cells[at] = fraction * np.uint8(_ZERO)
        at += 1
    for place in range(behind, DIGITS):
        np.multiply(digits[place], last > place, out=cells[at])
        at += 1

"""Odd values, and ways to put them into JSON, bytes and text: what the fuzz programs of files share."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

NESTED = 10_000  # deeper than any parser's stack
ESCAPES = "\x1b[31m\x1b]0;owned\x07\x9b2J\u202e\r"


def odd_value(rng: random.Random) -> Any:
    """A value that JSON or SQLite can hold and that hardly anybody expects."""
    return rng.choice(_ODD)(rng)


_ODD: list[Callable[[random.Random], Any]] = [
    lambda rng: None,
    lambda rng: rng.choice((0, -1, 1, 7, 100, 255)),
    lambda rng: rng.choice((2**31, 2**53, 2**63 - 1, -(2**63))),
    lambda rng: rng.choice((1e15, 1e300, -1e300, 5e-324, 0.5, -0.0, float("inf"))),
    lambda rng: rng.choice(("", "x", "reach", "left", "idle", "counting", "../../etc/passwd", "/etc/passwd", "nan")),
    lambda rng: ESCAPES,
    lambda rng: "ä\u0000b\U0001f600" * rng.choice((1, 1000)),
    lambda rng: "9" * rng.choice((20, 500, 5000)),
    lambda rng: "y" * rng.choice((130_000, 1_000_000)),
]


def nested(rng: random.Random) -> str:
    opening, closing = rng.choice((("[", "]"), ('{"a":', "}")))
    return opening * NESTED + ("1" if opening != "[" else "") + closing * NESTED


def mutated_json(rng: random.Random, text: str) -> str:
    """The document with one or a few of its values, keys or characters changed."""
    if rng.random() < 0.1:
        return rng.choice((nested(rng), "", "null", "[]", "{}", '"x"', "NaN", "-1e999", text[: len(text) // 2]))
    if rng.random() < 0.1:
        return mutated_bytes(rng, text.encode()).decode("utf-8", "replace")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):  # it was altered before
        return mutated_bytes(rng, text.encode("utf-8", "replace")).decode("utf-8", "replace")
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        document = _changed(rng, document)
    return json.dumps(document, ensure_ascii=rng.random() < 0.5)


def _changed(rng: random.Random, value: Any) -> Any:
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        kind = rng.random()
        if kind < 0.05:
            return {name: each for name, each in value.items() if name != key}
        if kind < 0.1:
            return {**value, rng.choice(("", "x", ESCAPES, "y" * 5000)): odd_value(rng)}
        return {**value, key: _changed(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        kind = rng.random()
        if kind < 0.1:
            return value[:at] + value[at + 1 :]
        if kind < 0.2:
            return value * rng.choice((2, 100, 20_000)) if len(value) < 50 else value * 2
        return [*value[:at], _changed(rng, value[at]), *value[at + 1 :]]
    if isinstance(value, int | float) and rng.random() < 0.4:
        return rng.choice((-value, value * 1000, value * 1e9, value + 0.5, 0, -1))
    kind = rng.random()
    if kind < 0.1:
        return {}
    if kind < 0.2:
        return []
    return odd_value(rng)


def mutated_bytes(rng: random.Random, data: bytes) -> bytes:
    """Bits flipped, parts cut out, doubled, overwritten or swapped."""
    raw = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        if not raw:
            return bytes(raw)
        at = rng.randrange(len(raw))
        size = rng.choice((1, 4, 16, 512, 4096))
        match rng.randrange(7):
            case 0 | 1:
                raw[at] ^= 1 << rng.randrange(8)
            case 2:
                raw[at : at + size] = rng.randbytes(len(raw[at : at + size]))
            case 3:
                raw[at : at + size] = rng.choice((b"\0", b"\xff")) * len(raw[at : at + size])
            case 4:
                del raw[at : at + size]
            case 5:
                raw[at:at] = raw[at : at + size]
            case 6:
                if rng.random() < 0.3:
                    del raw[at:]
                else:
                    other = rng.randrange(len(raw))
                    raw[at : at + size] = raw[other : other + size]
    return bytes(raw)


def mutated_text(rng: random.Random, text: str) -> bytes:
    """A table's cells and lines changed, or its bytes."""
    if rng.random() < 0.3:
        return mutated_bytes(rng, text.encode())
    lines = text.splitlines()
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(lines))
        match rng.randrange(6):
            case 0:
                del lines[at]
            case 1:
                lines[at:at] = [lines[at]] * rng.choice((1, 3, 2000))
            case 2:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case _:
                separator = max(",;\t", key=lines[at].count)
                cells = lines[at].split(separator)
                place = rng.randrange(len(cells))
                cells[place] = rng.choice((str(odd_value(rng)), "1e400", "1e15", "-1e15", "nan", '"', "inf", "0x10"))
                lines[at] = separator.join(cells)
        if not lines:
            break
    return "\n".join(lines).encode("utf-8", "surrogatepass")

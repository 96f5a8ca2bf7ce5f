"""Odd values, and ways to put them into JSON, bytes and text: what the fuzz programs of files share."""

from __future__ import annotations

import io
import json
import os
import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rehabcount.cli.main import app

NESTED = 10_000  # deeper than any parser's stack
ESCAPES = "\x1b[31m\x1b]0;owned\x07\x9b2J\u202e\r"


def odd_value(rng: random.Random) -> Any:
    """An unusual value that JSON or SQLite can hold."""
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


def command(*words: object) -> Callable[[], object]:
    """A call of the command line."""
    return lambda: app([str(word) for word in words], standalone_mode=False)


def put_in_place_of(rng: random.Random, path: Path) -> None:
    """Puts something other than a file there, or a file that is too large to be read completely."""
    path.unlink()
    match rng.randrange(7):
        case 0:
            os.mkfifo(path)
        case 1:
            path.mkdir()
        case 2:
            path.symlink_to("/dev/zero")
        case 3:
            path.symlink_to(path)
        case 4:
            path.touch()
        case 5:
            path.symlink_to("nowhere")
        case 6:
            with path.open("wb") as file:
                file.truncate(rng.choice((1 << 30, 1 << 34)))


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
            return value * rng.choice((2, 100, 20_000)) if len(repr(value)) < 500 else value * 2
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
                lines[at:at] = [lines[at]] * rng.choice((1, 3, 2000 if len(lines[at]) < 1000 else 5))
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
    if rng.random() < 0.05:
        lines = [each.replace(",", rng.choice((";", "\t", ",,"))) for each in lines]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def mutated_zip(rng: random.Random, data: bytes, member: Callable[[random.Random, bytes], bytes]) -> bytes:
    """An archive with members altered (by `member`), added, doubled, misnamed, or with sizes that are not theirs."""
    if rng.random() < 0.2:
        return mutated_bytes(rng, data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        held = [(info.filename, archive.read(info)) for info in archive.infolist()]
    at = rng.randrange(len(held))
    name, content = held[at]
    method = zipfile.ZIP_DEFLATED
    match rng.randrange(8):
        case 0:
            del held[at]
        case 1:
            held.append(held[at])
        case 2:
            held[at] = rng.choice(ODD_NAMES), content
        case 3:
            held.append((rng.choice(ODD_NAMES), content))
        case 4:
            held[at] = name, rng.choice((content + bytes(BOMB_BYTES), bytes(BOMB_BYTES), b"", content * 50))
        case 5:
            method = rng.choice((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_STORED))
            held[at] = name, member(rng, content)
        case _:
            held[at] = name, member(rng, content)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for each, inside in held:
            archive.writestr(each, inside)
    return with_odd_sizes(rng, packed.getvalue()) if rng.random() < 0.25 else packed.getvalue()


BOMB_BYTES = 1 << 24
ODD_NAMES = ("../../etc/passwd", "/etc/passwd", "a\x00b", ESCAPES, "x" * 60_000, "sessions/", "..", "a.npy", "x/y")
# Of the directory's entries and of the members' own headers: where flags, method and sizes stand.
_HEADERS = ((b"PK\x01\x02", 8, 10, 16), (b"PK\x03\x04", 6, 8, 14))


def with_odd_sizes(rng: random.Random, data: bytes) -> bytes:
    """One field of one header changed: a declared size, the flags, the method."""
    raw = bytearray(data)
    magic, flags, method, crc = rng.choice(_HEADERS)
    places = [i for i in range(len(raw)) if raw.startswith(magic, i)]
    if not places:
        return data
    at = rng.choice(places)
    match rng.randrange(4):
        case 0:
            struct.pack_into("<H", raw, at + flags, rng.choice((1, 0x41, 0x800, 8, 0xFFFF)))
        case 1:
            struct.pack_into("<H", raw, at + method, rng.choice((0, 1, 8, 9, 12, 14, 93, 99)))
        case 2:
            struct.pack_into("<I", raw, at + crc + 4 * rng.randrange(3), rng.getrandbits(32))
        case 3:
            size = rng.choice((0, 1, 0xFFFFFFFF, 0xFFFFFFFE, 0x7FFFFFFF, 1 << 30))
            struct.pack_into("<I", raw, at + crc + 4 * rng.choice((1, 2)), size)
    return bytes(raw)


def mutated_npy(rng: random.Random, data: bytes) -> bytes:
    """An array whose header says something else, or whose bytes are others."""
    if rng.random() < 0.3:
        return mutated_bytes(rng, data)
    end = data.index(b"\n") + 1
    header, content = data[10:end].decode("latin-1"), data[end:]
    descriptions = ("|O", "<f2", "<f8", "<c16", "|V1000000000", "|S0", "<U0", "|S2000000000", "<M8[s]", "?", ">i4", "x")
    shapes = ("()", "(0,)", "(1,)", "(-1,)", "(3, 0)", "(10000000000,)", f"({2**62}, 4)", "(None,)", "(1e3,)", "(2, 2)")
    match rng.randrange(5):
        case 0:
            start = header.index("'descr':") + 8
            header = header[:start] + f" {rng.choice(descriptions)!r}" + header[header.index(",", start) :]
        case 1:
            start = header.index("'shape':") + 8
            header = header[:start] + f" {rng.choice(shapes)}" + header[header.index(")", start) + 1 :]
        case 2:
            header = rng.choice((nested(rng), "{" * 5000, "None", "{}", "9" * 5000, header.replace("False", "True")))
        case 3:
            content = content[: rng.randrange(len(content) + 1)] if content else b"x"
        case 4:
            count = len(content) // 8
            numbers = bytearray(content)
            for _ in range(rng.choice((1, 3, 50)) if count else 0):
                odd = rng.choice((float("nan"), float("inf"), 1e300, -1.0, 1e15, 0.0))
                chosen = struct.pack("<d", odd) if rng.random() < 0.5 else struct.pack("<q", rng.getrandbits(62))
                struct.pack_into("8s", numbers, 8 * rng.randrange(count), chosen)
            content = bytes(numbers)
    written = header.encode("latin-1", "replace")
    version = rng.choice((b"\x01\x00",) * 8 + (b"\x02\x00", b"\x03\x00", b"\x09\x09"))
    size = struct.pack("<H", len(written) % 65536) if version == b"\x01\x00" else struct.pack("<I", len(written))
    return b"\x93NUMPY" + version + size + written + content

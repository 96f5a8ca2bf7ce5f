"""Rows of a session file read straight from its pages, for files whose tree of pages is broken.

SQLite reaches a row through the inner pages above its leaf. As a table grows these move towards the end of the file, so
that in a cut-off file no row may be reachable although most leaves are there. This reader goes through all pages, reads
every leaf, and tells the tables apart by the number and storage classes of their columns (`rehabcount.store.schema`
keeps them distinct). It relies on session files never deleting rows: no leaf is outdated.

The layout of pages, cells, records and the write-ahead log is SQLite's documented file format,
https://www.sqlite.org/fileformat2.html.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rehabcount.store.schema import PAGE_SIZE

Value = None | int | float | str | bytes
LEAF = 0x0D  # first byte of a page that holds rows
INNER = 0x05  # first byte of a page that points to such pages, or to more of its own kind
_KINDS = (0x02, INNER, 0x0A, LEAF)  # those of indexes, too
_MAX_LOCAL = PAGE_SIZE - 35  # a longer record continues in overflow pages
_MIN_LOCAL = (PAGE_SIZE - 12) * 32 // 255 - 23
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_WAL_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}  # the byte order of the checksums


class Unreadable(ValueError):
    """A cell that is cut off or invalid."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The form of a table's rows on disk: the storage classes of each column. An alias of the rowid is NULL there."""

    table: str
    columns: tuple[str, ...]
    classes: tuple[frozenset[type], ...]
    rowid_column: int | None
    real_columns: tuple[int, ...]

    def fits(self, values: list[Value]) -> bool:
        return len(values) == len(self.classes) and all(
            type(value) in allowed for value, allowed in zip(values, self.classes, strict=True)
        )

    def row(self, rowid: int, values: list[Value]) -> tuple[Value, ...]:
        """The values as SQL returns them."""
        if self.rowid_column is not None:
            values[self.rowid_column] = rowid
        for column in self.real_columns:  # SQLite stores a whole number in a REAL column as an integer
            if isinstance(value := values[column], int):
                values[column] = float(value)
        return tuple(values)


class Pages:
    """The pages of a file, with those of its write-ahead log laid over them."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._log = b""
        self._in_log: dict[int, int] = {}  # page number -> where its newest committed copy begins in the log
        log = path.with_name(path.name + "-wal")
        if log.exists():
            self._log = log.read_bytes()
            self._in_log = committed_pages(self._log)
        size = path.stat().st_size
        self.number = max(-(-size // PAGE_SIZE), *self._in_log, 0)
        whole = size // PAGE_SIZE
        self.there = whole + sum(page > whole for page in self._in_log)  # number of complete pages

    @property
    def declared(self) -> int | None:
        """The number of pages in the file's header; None if it cannot be read."""
        head = self[1]
        sound = head.startswith(b"SQLite format 3\x00") and head[16:18] == PAGE_SIZE.to_bytes(2, "big")
        # SQLite uses the number only if the last writer maintained it.
        return int.from_bytes(head[28:32], "big") if sound and head[24:28] == head[92:96] else None

    def is_blank(self, number: int) -> bool:
        """Whether this cannot be a page of a table or an index."""
        page = self[number]
        return len(page) < PAGE_SIZE or page[0] not in _KINDS

    def close(self) -> None:
        self._file.close()

    def __getitem__(self, number: int) -> bytes:
        """The page, counted from 1; shorter or empty if the file is cut off there."""
        if number in self._in_log:
            start = self._in_log[number]
            return self._log[start : start + PAGE_SIZE]
        if number < 1:
            return b""
        self._file.seek((number - 1) * PAGE_SIZE)
        return self._file.read(PAGE_SIZE)

    def rows(self, number: int, shapes: list[Shape]) -> Iterator[tuple[Shape, tuple[Value, ...]] | None]:
        """The rows on one page, each with its table; None for a cell that cannot be read or belongs to no table."""
        page = self[number]
        if number == 1 or len(page) < 8 or page[0] != LEAF:  # page 1 lists the tables
            return
        for i in range(int.from_bytes(page[3:5], "big")):
            pointer = 8 + 2 * i
            try:
                rowid, record = self._cell(page, int.from_bytes(page[pointer : pointer + 2], "big"))
                values = read_record(record)
            except (Unreadable, IndexError, UnicodeDecodeError):
                yield None
                continue
            shape = next((shape for shape in shapes if shape.fits(values)), None)
            yield (shape, shape.row(rowid, values)) if shape else None

    def _cell(self, page: bytes, start: int) -> tuple[int, bytes]:
        """The rowid and the whole record of the cell that begins at `start`."""
        length, start = read_varint(page, start)
        rowid, start = read_varint(page, start)
        if rowid >= 1 << 63:
            rowid -= 1 << 64
        if length <= _MAX_LOCAL:
            return rowid, _take(page, start, length)
        local = _MIN_LOCAL + (length - _MIN_LOCAL) % (PAGE_SIZE - 4)
        if local > _MAX_LOCAL:
            local = _MIN_LOCAL
        pieces = [_take(page, start, local)]
        missing = length - local
        following = int.from_bytes(_take(page, start + local, 4), "big")
        while missing > 0:
            overflow = self[following]
            piece = _take(overflow, 4, min(missing, PAGE_SIZE - 4))
            pieces.append(piece)
            missing -= len(piece)
            following = int.from_bytes(overflow[:4], "big")
        return rowid, b"".join(pieces)


def inner_cells(page: bytes) -> list[tuple[int, int]]:
    """The children of an inner page: each a page and the highest row number in it. (One more has all higher ones.)"""
    found = []
    for i in range(min(int.from_bytes(page[3:5], "big"), PAGE_SIZE // 2)):
        try:
            start = int.from_bytes(page[12 + 2 * i : 14 + 2 * i], "big")
            found.append((int.from_bytes(_take(page, start, 4), "big"), read_varint(page, start + 4)[0]))
        except (Unreadable, IndexError):
            continue
    return found


def _take(data: bytes, start: int, length: int) -> bytes:
    if start < 0 or start + length > len(data):
        raise Unreadable(f"{length} bytes at {start} lie beyond the end")
    return data[start : start + length]


def read_varint(data: bytes, start: int) -> tuple[int, int]:
    """SQLite's big-endian integer of 1-9 bytes; returns it and where it ends."""
    value = 0
    for i in range(8):
        byte = data[start + i]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, start + i + 1
    return value << 8 | data[start + 8], start + 9


def read_record(record: bytes) -> list[Value]:
    """The values of a record, as SQLite stored them."""
    header_end, at = read_varint(record, 0)
    start = header_end
    values: list[Value] = []
    while at < header_end:
        kind, at = read_varint(record, at)
        if kind == 0:
            values.append(None)
        elif kind in (8, 9):
            values.append(kind - 8)
        elif kind in _INTEGER_BYTES:
            length = _INTEGER_BYTES[kind]
            values.append(int.from_bytes(_take(record, start, length), "big", signed=True))
            start += length
        elif kind == 7:
            values.append(struct.unpack(">d", _take(record, start, 8))[0])
            start += 8
        elif kind >= 12:
            length = (kind - 12) // 2
            data = _take(record, start, length)
            values.append(data.decode() if kind % 2 else data)
            start += length
        else:
            raise Unreadable(f"no value is of kind {kind}")
    if start != len(record):
        raise Unreadable("the record is longer than its values")
    return values


def committed_pages(log: bytes) -> dict[int, int]:
    """Where in a write-ahead log the newest committed copy of each page begins. An incomplete end is left out."""
    if len(log) < 32 or int.from_bytes(log[:4], "big") not in _WAL_MAGIC:
        return {}
    order = _WAL_MAGIC[int.from_bytes(log[:4], "big")]
    sums = _checksum(log[:24], order, (0, 0))
    if struct.pack(">II", *sums) != log[24:32] or int.from_bytes(log[8:12], "big") != PAGE_SIZE:
        return {}
    committed: dict[int, int] = {}
    pending: dict[int, int] = {}
    for start in range(32, len(log) - 24 - PAGE_SIZE + 1, 24 + PAGE_SIZE):
        page, size_after_commit = struct.unpack_from(">II", log, start)
        sums = _checksum(log[start : start + 8], order, sums)
        sums = _checksum(log[start + 24 : start + 24 + PAGE_SIZE], order, sums)
        if log[start + 8 : start + 16] != log[16:24] or struct.pack(">II", *sums) != log[start + 16 : start + 24]:
            break
        pending[page] = start + 24
        if size_after_commit:
            committed |= pending
            pending = {}
    return committed


def _checksum(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for i in range(0, len(words), 2):
        first = first + words[i] + second & 0xFFFFFFFF
        second = second + words[i + 1] + first & 0xFFFFFFFF
    return first, second

"""Text files as tables: lines, names, cells, with line numbers and with everything odd noted.

Accepts what exporters and spreadsheets write: byte-order marks, CRLF, a `sep=` line, a block of `Key: value` lines
before the names, blank lines, `;` with decimal commas, tabs, trailing separators, repeated header lines, an incomplete
last line. A line that cannot be read is a lost sample, named in the notes; a table with too many of them is refused.
"""

from __future__ import annotations

import codecs
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

import numpy as np

from rehabcount.domain.arrays import Floats, Ints
from rehabcount.errors import ImportRefused
from rehabcount.sensors.importers.columns import TableColumns, is_header, meaning, read_columns
from rehabcount.sensors.importers.recording import counted, line_ranges

DELIMITERS = (",", ";", "\t")
HEADER_WITHIN_LINES = 60  # no exporter writes a longer preamble
LOST_SHARE = 0.5  # with more unreadable lines the table was misread
LARGEST = 1e15  # of any number in an export; beyond it lies damage
MISSING = {"", "nan", "null", "none", "na", "n/a", "-", "--"}
_SHOWN = 60  # characters of a foreign line that go into a message


@dataclass(slots=True)
class SensorTable:
    """A table of one file. `notes` grow as readers find more to say."""

    path: Path
    preamble: dict[str, str]
    names: tuple[str, ...]
    header_line: int
    columns: TableColumns
    delimiter: str
    lines: list[int]
    rows: list[str]  # as they stand: taken apart they need ten times the memory
    notes: list[str] = field(default_factory=list)

    @property
    def decimal_comma(self) -> bool:
        return self.delimiter != ","

    def cells(self) -> Iterator[list[str]]:
        """What stands in the columns, row by row."""
        for row in self.rows:
            cells = _cells(row, self.delimiter)
            while len(cells) > len(self.names) and not cells[-1]:
                cells.pop()  # a separator at the line's end
            yield cells

    def __len__(self) -> int:
        return len(self.lines)

    def refuse(self, reason: str, *, line: int | None = None, advice: str = "") -> ImportRefused:
        return ImportRefused(self.path, reason, line=line, advice=advice)

    def texts(self, position: int) -> list[str]:
        """One column as it stands; rows that are too short give an empty text."""
        return [row[position] if position < len(row) else "" for row in self.cells()]


@dataclass(frozen=True, slots=True)
class TableRows:
    """The numbers of some columns in the rows that could be read."""

    lines: Ints  # (n,) line numbers
    kept: Ints  # (n,) positions among the table's rows
    values: Floats  # (n, columns)


def looks_like_text(data: bytes) -> bool:
    """Whether the bytes are text (few control characters), in any encoding."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    head = data[:65536]
    control = sum(head.count(bytes([code])) for code in (*range(9), *range(14, 32)))
    return control <= 0.001 * len(head)


def read_table(path: Path, data: bytes) -> SensorTable:
    """The table in a text file; a text that holds none is refused."""
    text, notes = _decoded(data)
    lines = re.split(r"\r\n|\n|\r", text)
    found = _find_header(lines)
    if found is None:
        first = next((line.strip() for line in lines if line.strip()), "")
        if not first:
            raise ImportRefused(path, "the file is empty", advice="Export it again from the vendor's software.")
        raise ImportRefused(
            path,
            f"there are no column names of a motion sensor's export; the file begins {first[:_SHOWN]!r}",
            line=1,
            advice="Give a file as the software of Movella DOT, MetaMotion or WitMotion writes it.",
        )
    at, delimiter = found
    names = _cells(lines[at], delimiter)
    while names and not names[-1]:
        names.pop()
    table = SensorTable(
        path,
        _preamble(lines[:at], delimiter),
        tuple(names),
        at + 1,
        read_columns(path, tuple(names), at + 1),
        delimiter,
        lines=[],
        rows=[],
        notes=notes,
    )
    repeated = []
    for i, line in enumerate(lines[at + 1 :], start=at + 2):
        if not line.strip(" \t,;"):
            continue
        if _cells(line, delimiter)[: len(names)] == names:
            repeated.append(i)
            continue
        table.lines.append(i)
        table.rows.append(line)
    if repeated:
        table.notes.append(f"{line_ranges(repeated)}: the column names again; skipped")
    if not table.lines:
        raise table.refuse("there are column names and no samples", line=at + 1, advice="Export it again.")
    _drop_empty_vectors(table)
    return table


def _drop_empty_vectors(table: SensorTable) -> None:
    """Note empty columns: some exporters write columns for quantities that the sensor did not measure."""
    for quantity, positions in list(table.columns.vectors.items()):
        if all(text.lower() in MISSING for position in positions for text in table.texts(position)):
            del table.columns.vectors[quantity]
            names = ", ".join(table.names[position] for position in positions)
            table.notes.append(f"the columns {names} are empty")


def _decoded(data: bytes) -> tuple[str, list[str]]:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace"), []
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
    try:
        return data.decode("gb18030"), [f"line {line}: not UTF-8; read as Chinese (GB 18030)"]
    except UnicodeDecodeError:
        return data.decode("latin-1"), [f"line {line}: not UTF-8; read as Latin-1"]


def _cells(line: str, delimiter: str) -> list[str]:
    return [cell.strip().strip('"').strip() for cell in line.split(delimiter)]


def _find_header(lines: list[str]) -> tuple[int, str] | None:
    """Which line holds the names, and what separates them."""
    for i, line in enumerate(lines[:HEADER_WITHIN_LINES]):
        known = {each: sum(meaning(cell) is not None for cell in _cells(line, each)) for each in DELIMITERS}
        best = max(DELIMITERS, key=lambda each: known[each])
        if is_header(_cells(line, best)):
            return i, best
    return None


def _preamble(lines: list[str], delimiter: str) -> dict[str, str]:
    """`DeviceTag:,zxt` and `DeviceTag: zxt` alike; keys without case and blanks."""
    entries = {}
    for line in lines:
        key, colon, value = line.strip(' "/').partition(":")
        if colon:
            entries[key.strip().lower().replace(" ", "")] = value.strip().strip(delimiter).strip().strip('"')
    return entries


def read_rows(table: SensorTable, positions: tuple[int, ...]) -> TableRows:
    """The numbers in these columns. Lines that do not have them are lost; too many such lines refuse the table."""
    expected, kept, values = len(table.names), list[int](), array("d")
    lost: dict[str, list[int]] = {}
    for i, cells in enumerate(table.cells()):
        numbers, problem = _numbers(table, cells, positions, expected)
        if problem is None:
            kept.append(i)
            values.extend(numbers)
        else:
            lost.setdefault(problem, []).append(table.lines[i])
    count = sum(map(len, lost.values()))
    if count > max(1, LOST_SHARE * len(table)) or len(kept) < 2:
        first, reason = min((lines[0], reason) for reason, lines in lost.items()) if lost else (None, "one sample only")
        raise table.refuse(
            f"{reason} ({count} of {len(table)} lines cannot be read)" if lost else reason,
            line=first,
            advice="The file does not hold what its column names say; export it again.",
        )
    for reason, lines in sorted(lost.items(), key=lambda item: item[1][0]):
        table.notes.append(f"{line_ranges(lines)}: {reason}; {counted(len(lines), 'sample')} lost")
    index = np.array(kept)
    return TableRows(np.array(table.lines)[index], index, np.array(values).reshape(len(kept), len(positions)))


def vectors_of(
    table: SensorTable, rows: TableRows, mine: Ints, quantities: list[str], first: int = 0
) -> dict[str, Floats]:
    """Blocks (n, width) of the rows `mine`, whose columns were read one quantity after the other, from `first` on."""
    values, at = {}, first
    for quantity in quantities:
        width = len(table.columns.vectors[quantity])
        values[quantity] = rows.values[mine, at : at + width]
        at += width
    return values


def _numbers(
    table: SensorTable, cells: list[str], positions: tuple[int, ...], expected: int
) -> tuple[list[float], str | None]:
    """The numbers of one line, or why it has none."""
    if len(cells) != expected:
        return [], f"{expected} names but {counted(len(cells), 'value')}"
    numbers = []
    for position in positions:
        text = cells[position].replace(",", ".") if table.decimal_comma else cells[position]
        if text.lower() in MISSING:
            return [], f"no value for {table.names[position]}"
        try:
            number = float(text)
        except ValueError:
            return [], f"{table.names[position]} is not a number"
        if not isfinite(number):
            return [], f"no value for {table.names[position]}"
        if abs(number) > LARGEST:
            return [], f"{table.names[position]} is beyond all measure"
        numbers.append(number)
    return numbers, None

"""Tables for other programs: CSV or Parquet, written block by block, so that memory does not grow with length.

In: blocks of equally long columns, the same names every time. A number that is not known (NaN) is an empty cell in
CSV and a null in Parquet.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from rehabcount.errors import MissingExtra
from rehabcount.exchange.digits import DIGITS, lines_of
from rehabcount.store.private import written_whole

Columns = Mapping[str, Sequence[Any] | np.ndarray[Any, Any]]
FORMATS = ("csv", "parquet")


class Table(Protocol):
    """A file that takes blocks of columns."""

    def write(self, columns: Columns) -> None: ...

    def close(self) -> None: ...


@contextmanager
def open_table(path: Path, kind: str) -> Iterator[Table]:
    """A new table at `path`; an existing file is replaced only when the new one is complete."""
    if kind not in FORMATS:
        raise ValueError(f"kind must be one of {', '.join(FORMATS)}, not {kind!r}")
    with written_whole(path) as partial:
        table: Table = _Csv(partial) if kind == "csv" else _Parquet(partial)
        with closing(table):
            yield table


class _Csv:
    def __init__(self, path: Path) -> None:
        self._file = path.open("w", newline="", encoding="utf-8")
        self._writer = csv.writer(self._file)
        self._begun = False

    def write(self, columns: Columns) -> None:
        if not self._begun:
            self._writer.writerow(columns)
            self._begun = True
        if all(isinstance(values, np.ndarray) and values.dtype.kind in "fb" for values in columns.values()):
            table = np.stack([np.asarray(values, float) for values in columns.values()], axis=1)
            self._file.write(lines_of(table).decode("ascii"))
            return
        self._writer.writerows(zip(*(_cells(values) for values in columns.values()), strict=True))

    def close(self) -> None:
        self._file.close()


class _Parquet:
    def __init__(self, path: Path) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError as problem:
            raise MissingExtra("pyarrow", "bench") from problem
        self._arrow: Any = pyarrow
        self._path = path
        self._writer: Any = None

    def write(self, columns: Columns) -> None:
        table = self._arrow.table(
            {name: self._arrow.array(values, from_pandas=True) for name, values in columns.items()}
        )
        if self._writer is None:
            self._writer = self._arrow.parquet.ParquetWriter(self._path, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        if self._writer is None:  # an empty table is a table too
            self._arrow.parquet.write_table(self._arrow.table({}), self._path)
        else:
            self._writer.close()


def _cells(values: Sequence[Any] | np.ndarray[Any, Any]) -> list[Any]:
    array = np.asarray(values)
    if array.dtype.kind == "f":
        return [
            "" if value != value else f"{value:.{DIGITS}g}" for value in array.tolist()
        ]  # NaN alone differs from itself
    if array.dtype.kind == "b":
        return array.astype(int).tolist()
    return list(values)

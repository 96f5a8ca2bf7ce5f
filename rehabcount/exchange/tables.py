"""Tables for other programs: CSV or Parquet, written block by block so that an hour needs no more memory than a second.

In: blocks of equally long columns, the same names every time. A number that is not known (NaN) is an empty cell in
CSV and a null in Parquet.
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import numpy as np

from rehabcount.errors import MissingExtra, StoreFull, StoreUnwritable

Columns = Mapping[str, Sequence[Any] | np.ndarray[Any, Any]]
FORMATS = ("csv", "parquet")
CSV_DIGITS = 9  # significant digits: float32 sensors carry 7, angles and times a little more


class Table(Protocol):
    """A file that takes blocks of columns."""

    def write(self, columns: Columns) -> None: ...

    def close(self) -> None: ...


class open_table:  # noqa: N801 - used like a function: `with open_table(path, "csv") as table`
    """A new table at `path`; what was there before is replaced only when the new one is complete."""

    def __init__(self, path: Path, kind: str) -> None:
        if kind not in FORMATS:
            raise ValueError(f"kind must be one of {', '.join(FORMATS)}, not {kind!r}")
        self._path, self._partial = path, path.with_name(path.name + ".part")
        try:
            self._partial.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._partial.touch(mode=0o600)  # a session's tables are as private as the session
            self._table: Table = _Csv(self._partial) if kind == "csv" else _Parquet(self._partial)
        except OSError as problem:
            raise _unwritable(path, problem) from problem

    def __enter__(self) -> Table:
        return self._table

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self._table.close()
            if error is None:
                self._partial.replace(self._path)
            else:
                self._partial.unlink(missing_ok=True)
        except OSError as problem:
            self._partial.unlink(missing_ok=True)
            raise _unwritable(self._path, problem) from problem
        if isinstance(error, OSError):
            raise _unwritable(self._path, error) from error


class _Csv:
    def __init__(self, path: Path) -> None:
        self._file = path.open("w", newline="", encoding="utf-8")
        self._writer = csv.writer(self._file)
        self._begun = False

    def write(self, columns: Columns) -> None:
        if not self._begun:
            self._writer.writerow(columns)
            self._begun = True
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


def write_private_text(path: Path, text: str) -> None:
    """A text file beside the tables, readable by its owner only."""
    write_private_bytes(path, text.encode())


def write_private_bytes(path: Path, content: bytes) -> None:
    """A file readable by its owner only; what was there before is replaced only when the new one is complete."""
    partial = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial.touch(mode=0o600)
        partial.write_bytes(content)
        partial.replace(path)
    except OSError as problem:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise _unwritable(path, problem) from problem


def _cells(values: Sequence[Any] | np.ndarray[Any, Any]) -> list[Any]:
    array = np.asarray(values)
    if array.dtype.kind == "f":
        return [
            "" if value != value else f"{value:.{CSV_DIGITS}g}" for value in array.tolist()
        ]  # NaN alone differs from itself
    if array.dtype.kind == "b":
        return array.astype(int).tolist()
    return list(values)


def _unwritable(path: Path, problem: OSError) -> StoreUnwritable | StoreFull:
    import errno

    if problem.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreFull(f"The disk is full; {path} was not written.", advice="Free some room and export again.")
    return StoreUnwritable(f"{path} cannot be written: {problem.strerror}.", advice="Choose another folder with --out.")

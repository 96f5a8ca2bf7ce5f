"""Numbers written many at once are what Python writes of each."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehabcount.domain.arrays import Floats
from rehabcount.exchange import tables
from rehabcount.exchange.digits import DIGITS, lines_of


def one_by_one(table: Floats) -> bytes:
    rows = ([("" if value != value else f"{value:.{DIGITS}g}") for value in row] for row in table.tolist())
    return "".join(",".join(row) + "\r\n" for row in rows).encode()


@given(st.lists(st.floats(), min_size=1, max_size=40))
def test_any_numbers(values: list[float]) -> None:
    table = np.array([values, values[::-1]])
    assert lines_of(table) == one_by_one(table)


@given(st.lists(st.floats(-2000, 2000, width=32).map(float), min_size=1, max_size=40), st.integers(0, 9))
def test_what_sensors_measure(values: list[float], decimals: int) -> None:
    table = np.array([values, np.round(values, decimals)])
    assert lines_of(table) == one_by_one(table)


def test_borders_ties_and_what_is_no_number() -> None:
    borders = [
        sign * 10.0**power * step for sign in (1, -1) for power in range(-7, 11) for step in (0.9999999999, 1, 1.5)
    ]
    ties = [0.1234567885, 12345678.65, 123456789.5, 1.000000005, 9.999999995, 99999999.95, 999999999.5]
    table = np.array([*borders, *ties, 0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, 1.7e308])[:, None]
    assert lines_of(table) == one_by_one(table)
    assert lines_of(table.T) == one_by_one(table.T)


def test_a_table_of_numbers_is_written_without_a_look_at_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three hours of nine sensors are three hundred million cells."""
    monkeypatch.setattr(tables, "_cells", lambda values: pytest.fail("cell by cell"))
    columns = {
        "time_s": np.arange(3) / 100,
        "acc": np.array([9.80665, np.nan, -0.5]),
        "valid": np.array([1, 0, 1], bool),
    }
    with tables.open_table(tmp_path / "signals.csv", "csv") as table:
        table.write(columns)
    with (tmp_path / "signals.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [
            ["time_s", "acc", "valid"],
            ["0", "9.80665", "1"],
            ["0.01", "", "0"],
            ["0.02", "-0.5", "1"],
        ]

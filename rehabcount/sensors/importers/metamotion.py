"""MetaMotion (MetaWear) tables: one file a quantity, each at its own rate, times in milliseconds since 1970.

The files of one board become one sensor with the sample times of its fastest quantity. Slower quantities are
interpolated between neighbours (orientation along the shortest turn), never beyond their ends nor across gaps. Samples
without all quantities are dropped; the notes say how many.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from rehabcount.domain.arrays import Bools, Floats, Ints
from rehabcount.sensors.importers.clocks import gaps, rising, typical_step
from rehabcount.sensors.importers.physics import Findings, motion_of
from rehabcount.sensors.importers.recording import Track, check_order, counted, line_ranges
from rehabcount.sensors.importers.table import SensorTable, read_rows
from rehabcount.signals.rotation import blend, normalize

_FILE_NAME = re.compile(
    r"(?P<title>.*?)_?(?P<device>[^_]*)_(?P<moment>\d{4}-\d\d-\d\dT[\d.]+)_(?P<mac>[0-9A-Fa-f]{12})"
    r"_(?P<kind>[A-Za-z_ ]+?)(?:_(?P<rate>[\d.]+)Hz)?(?:_.*)?"
)
_KIND_IN_NAME = re.compile(r"(?i)[_ -]*(acc|gyr|quat)[a-z]*[_ -]*")
_KIND_OF_UNIT = {"g": "acc", "m/s2": "acc", "deg/s": "gyr", "rad/s": "gyr"}
# Fused quantities without gravity, or gravity alone: they look like acceleration but cannot be used.
_NOT_AN_ACCELEROMETER = ("linear", "gravity")


@dataclass(frozen=True, slots=True)
class Strand:
    """One quantity of one board."""

    table: SensorTable
    board: str
    title: str
    quantity: str  # acc, gyr or quat
    rate_hz: float
    lines: Ints
    time_us: Ints
    values: Floats


def is_metamotion(table: SensorTable) -> bool:
    return "epoch" in table.columns.singles and "elapsed" in table.columns.singles


def read_strand(table: SensorTable) -> Strand | None:
    """The quantity in one file; None (and a note) if it is one that we do not use."""
    columns, name = table.columns, _FILE_NAME.fullmatch(table.path.stem)
    board = name["mac"].upper() if name else _KIND_IN_NAME.sub("", table.path.stem) or "MetaMotion"
    kind = (name["kind"] if name else table.path.stem).lower()
    if "quat" in columns.vectors:
        quantity, positions = "quat", columns.vectors["quat"]
    elif "axis" in columns.vectors and not any(word in kind for word in _NOT_AN_ACCELEROMETER):
        quantity = _KIND_OF_UNIT.get(columns.units.get("axis", ""), "")
        positions = columns.vectors["axis"]
    else:
        quantity, positions = "", ()
    if not quantity:
        table.notes.append("neither accelerometer, gyroscope nor orientation; not used")
        return None
    rows = read_rows(table, (columns.singles["epoch"], *positions))
    time_us = np.rint(rows.values[:, 0] * 1000).astype(np.int64)
    keep = rising(time_us)
    check_order(table.path, keep, rows.lines)
    if not keep.all():
        lines = rows.lines[~keep].tolist()
        table.notes.append(f"{line_ranges(lines)}: the time does not rise; {counted(len(lines), 'sample')} lost")
    time_us = time_us[keep]
    rate_hz = 1e6 / typical_step(time_us)
    if name and name["rate"]:
        stated = float(name["rate"].strip("."))
        if abs(rate_hz / stated - 1) < 0.05:
            rate_hz = stated
        else:
            table.notes.append(
                f"the file's name says {stated:g} Hz, its times say {rate_hz:.2f} Hz: taken from its times"
            )
    title = name["title"] if name else ""
    return Strand(table, board, title, quantity, rate_hz, rows.lines[keep], time_us, rows.values[keep, 1:])


def join_strands(strands: list[Strand], notes: list[str]) -> Track:
    """One sensor of the strands of one board."""
    fastest = max(strands, key=lambda strand: (strand.rate_hz, len(strand.time_us)))
    time_us, board = fastest.time_us, fastest.board
    values, units, covered = {}, {}, np.ones(len(time_us), bool)
    for strand in strands:
        if strand is fastest:
            at_times, there = strand.values, np.ones(len(time_us), bool)
        else:
            at_times, there = _interpolated(strand, time_us)
            notes.append(
                f"{board}: {strand.quantity} at {strand.rate_hz:g} Hz interpolated to the times of {fastest.quantity} "
                f"at {fastest.rate_hz:g} Hz"
            )
        values[strand.quantity] = at_times
        units[strand.quantity] = strand.table.columns.units.get("axis", "")
        covered &= there
    units = {quantity: unit for quantity, unit in units.items() if unit}
    if covered.sum() < 2:
        raise fastest.table.refuse(
            "it has no time in common with the other files of this board", advice="Give files of one recording."
        )
    if not covered.all():
        dropped = counted(int((~covered).sum()), "sample")
        notes.append(f"{board}: {dropped} dropped for which not every quantity was measured")
    time_us = time_us[covered]
    values = {quantity: block[covered] for quantity, block in values.items()}
    gap_before = gaps(time_us, fastest.rate_hz)
    found = Findings(
        fastest.table.path, board, fastest.rate_hz, values, units, fastest.lines[covered], gap_before, notes=notes
    )
    return Track(board, board, fastest.rate_hz, time_us, True, int(time_us[0]), motion_of(found))


def _interpolated(strand: Strand, time_us: Ints) -> tuple[Floats, Bools]:
    """The strand's values at other times, and where they may be believed: between neighbours one step apart."""
    own = strand.time_us
    right = np.clip(np.searchsorted(own, time_us, side="left"), 1, len(own) - 1)
    left = right - 1
    whole = ~gaps(own, strand.rate_hz)[right]
    inside = (time_us >= own[0]) & (time_us <= own[-1])
    exact = np.isin(time_us, own)
    share = (time_us - own[left]) / (own[right] - own[left])
    before, after = strand.values[left], strand.values[right]
    if strand.quantity == "quat":
        between = blend(normalize(before), normalize(after), share)
    else:
        between = before + (after - before) * share[:, None]
    return between, inside & (whole | exact)

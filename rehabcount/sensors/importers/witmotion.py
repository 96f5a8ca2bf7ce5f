"""WitMotion tables: the vendor's recordings and the loggers that people write around its library.

Their times are usually receipt times: they come in bursts, several rows share one, and only the number of rows gives
the rate. Such a track has no clock. A `ChipTime` that runs is the sensor's own clock and is preferred. Angles are
degrees (yaw, then pitch, then roll). Quaternions are register reads that loggers often repeat for many rows; then the
angles are used. Several sensors may share a file, distinguished by an address or a name."""

from __future__ import annotations

import numpy as np

from rehabcount.domain.arrays import Floats, Ints
from rehabcount.sensors.importers.clocks import (
    RATE_ADVICE,
    NoRate,
    gaps,
    moment_s,
    near_others,
    rate_of_receipts,
    rising,
    seconds_of,
    unwrapped,
)
from rehabcount.sensors.importers.physics import Findings, measured, motion_of
from rehabcount.sensors.importers.recording import Track, check_order, counted, line_ranges, strays_lost
from rehabcount.sensors.importers.table import SensorTable, TableRows, read_rows, vectors_of

QUANTITIES = ("acc", "gyr", "euler", "quat")
LONGEST_S = 1e11  # more seconds than any calendar holds
CLOCK_SHARE = 0.9  # of rows in which a clock must rise to be one; a reconnection resets it for a row or repeats a few
DAY_US = 86_400_000_000
REPEATED_SHARE = 0.3  # of rows in which a quantity stands still while another moves: it is measured less often


def is_witmotion(table: SensorTable) -> bool:
    return bool(set(QUANTITIES) & set(table.columns.vectors))


def read_witmotion(table: SensorTable, rate_hz: float | None) -> list[Track]:
    """The sensors of one file."""
    vectors = [quantity for quantity in QUANTITIES if quantity in table.columns.vectors]
    rows = read_rows(table, tuple(position for name in vectors for position in table.columns.vectors[name]))
    everyone = np.arange(len(rows.lines))
    if "identity" not in table.columns.singles:
        return [_track(table, rows, everyone, vectors, rate_hz, table.path.stem, "")]
    texts = table.texts(table.columns.singles["identity"])
    owners = np.array([texts[i] for i in rows.kept])
    names = list(dict.fromkeys(owners.tolist()))
    return [
        _track(table, rows, everyone[owners == name], vectors, rate_hz, name or table.path.stem, name) for name in names
    ]


def _track(
    table: SensorTable, rows: TableRows, mine: Ints, vectors: list[str], rate_hz: float | None, name: str, serial: str
) -> Track:
    label = name if "identity" in table.columns.singles else ""
    prefix = f"{label}: " if label else ""
    read = measured(vectors_of(table, rows, mine, vectors), len(mine))
    if not read.all():
        lines = rows.lines[mine][~read].tolist()
        table.notes.append(f"{line_ranges(lines)}: nothing but zeros; {counted(len(lines), 'sample')} lost")
        mine = mine[read]
    if len(mine) < 2:
        raise table.refuse(
            f"there are fewer than two samples of {name!r}", line=int(rows.lines[0]), advice="Record for longer."
        )
    mine, time_us, has_clock, start_us = _times(table, rows, mine, rate_hz, prefix)
    near = near_others(time_us)
    if not near.all():
        table.notes.append(f"{line_ranges(rows.lines[mine][~near].tolist())}: {strays_lost(int((~near).sum()))}")
        start_us += int(time_us[near][0]) - int(time_us[0])
        mine, time_us = mine[near], time_us[near]
    try:
        nominal, measured_hz = rate_of_receipts(time_us)
    except NoRate as problem:
        if rate_hz is None:
            raise table.refuse(str(problem), line=int(rows.lines[mine[0]]), advice=RATE_ADVICE) from problem
        nominal = measured_hz = rate_hz
    rate = rate_hz if rate_hz is not None else nominal
    table.notes.append(f"{prefix}{counted(len(mine), 'sample')} at {measured_hz:.2f} Hz; taken as {rate:g} Hz")
    values = vectors_of(table, rows, mine, vectors)
    _note_repeats(table, values, prefix)
    # Receipt times tell of bursts, not of losses; rows are taken to follow one another.
    gap_before = gaps(time_us, rate) if has_clock else np.zeros(len(mine), bool)
    found = Findings(
        table.path, label, rate, values, table.columns.units, rows.lines[mine], gap_before, notes=table.notes
    )
    return Track(name, serial, rate, time_us, has_clock, start_us, motion_of(found))


def _times(
    table: SensorTable, rows: TableRows, mine: Ints, rate_hz: float | None, prefix: str
) -> tuple[Ints, Ints, bool, int]:
    """Rows that have a time, their times, whether those are the sensor's own clock, and when the first one was."""
    host = _column_us(table, rows, mine, "time")
    chip = _column_us(table, rows, mine, "chip")
    if chip is not None:
        kept, time_us = chip
        keep = rising(time_us)
        if keep.mean() >= CLOCK_SHARE:
            if not keep.all():
                lines = rows.lines[kept][~keep].tolist()
                lost = counted(len(lines), "sample")
                table.notes.append(f"{line_ranges(lines)}: the clock does not rise; {lost} lost")
            table.notes.append(f"{prefix}time from the sensor's own clock")
            start_us = int(host[1][0]) if host is not None else int(time_us[0])
            return kept[keep], time_us[keep], True, start_us
    receipts = host or chip
    if receipts is not None:
        kept, time_us = receipts
        keep = rising(time_us, strictly=False)
        check_order(table.path, keep, rows.lines[kept])
        if not keep.all():
            lines = rows.lines[kept][~keep].tolist()
            table.notes.append(f"{line_ranges(lines)}: the time falls back; {counted(len(lines), 'sample')} lost")
            kept, time_us = kept[keep], time_us[keep]
        shared = int((np.diff(time_us) == 0).sum())
        if shared:
            table.notes.append(
                f"{prefix}{shared} of {len(time_us)} rows share the time of the row before: they are receipt times"
            )
        return kept, time_us, False, int(time_us[0])
    if rate_hz is None:
        raise table.refuse("there is no column of time", line=table.header_line, advice=RATE_ADVICE)
    table.notes.append(f"{prefix}no column of time; rows counted at {rate_hz:g} Hz")
    return mine, np.rint(np.arange(len(mine)) * 1e6 / rate_hz).astype(np.int64), True, 0


def _column_us(table: SensorTable, rows: TableRows, mine: Ints, kind: str) -> tuple[Ints, Ints] | None:
    """The rows that hold a moment in this column, and their microseconds; None if hardly any does."""
    if kind not in table.columns.singles:
        return None
    texts = table.texts(table.columns.singles[kind])
    moments = [moment_s(texts[i]) for i in rows.kept[mine]]
    there = np.array([moment is not None for moment in moments])
    if there.mean() < 0.9 or there.sum() < 2:
        return None
    if not there.all():
        lines = rows.lines[mine][~there].tolist()
        table.notes.append(f"{line_ranges(lines)}: no time; {counted(len(lines), 'sample')} lost")
    given: Floats = np.array([moment for moment in moments if moment is not None])
    numeric = all(":" not in texts[i] for i in rows.kept[mine[there]][:10])
    seconds = seconds_of(given, table.columns.units.get(kind)) if numeric else given
    time_us = np.rint(np.clip(seconds, -LONGEST_S, LONGEST_S) * 1e6)  # a damaged time is left out later, by its place
    return mine[there], unwrapped(time_us, DAY_US) if not numeric else time_us.astype(np.int64)


def _note_repeats(table: SensorTable, values: dict[str, Floats], prefix: str) -> None:
    """Quantities that stand still in many rows while another moves."""
    still = {quantity: (np.diff(block, axis=0) == 0).all(axis=1) for quantity, block in values.items()}
    if not still:
        return
    moving = ~np.all(list(still.values()), axis=0)
    for quantity in ("acc", "gyr"):
        if quantity in still and (share := float((still[quantity] & moving).mean())) > REPEATED_SHARE:
            table.notes.append(f"{prefix}{quantity} repeats the row before in {share:.0%} of the rows")

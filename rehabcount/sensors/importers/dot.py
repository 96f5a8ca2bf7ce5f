"""Movella (Xsens) DOT tables: the app's files with their header block, logs of the SDK, logs of the vendor's server.

Time is the sensor's own clock, SampleTimeFine; its unit is found from its steps. Euler angles are degrees, yaw then
pitch then roll; free acceleration is m/s2 in earth axes; angular rate is deg/s unless the orientation says otherwise.
"""

from __future__ import annotations

import re

import numpy as np

from rehabcount.domain.arrays import Ints
from rehabcount.sensors.importers.clocks import (
    COUNTER_MODULUS,
    RATE_ADVICE,
    NoRate,
    gaps,
    moment_s,
    read_clock,
    rising,
    unwrapped,
)
from rehabcount.sensors.importers.physics import Findings, measured, motion_of
from rehabcount.sensors.importers.recording import Track, check_order, counted, line_ranges
from rehabcount.sensors.importers.table import MISSING, SensorTable, TableRows, read_rows, vectors_of

PREAMBLE_KEYS = {"devicetag", "outputrate", "measurementmode", "syncstatus", "filterprofile"}
CLOCK_MODULUS = 2**32
LATEST_US = 1e17  # three thousand years: later times are damage, and are found by their place
NOTABLE_LOSS = 0.05  # of the samples that came; from here on notes give the share, too
SAME_SYNC_US = 3_600_000_000  # synchronised sensors start within an hour of each other
_FILE_NAME = re.compile(r"(.+?)_\d{8}_\d{6}(?:_\d{1,3})?")
_ADDRESS = re.compile(r"[ _-]*((?:[0-9A-Fa-f]{2}[-:_]){5}[0-9A-Fa-f]{2}|[0-9A-F]{12})(?![0-9A-Za-z])")
_SAYS_NOTHING = {"", "log", "logfile", "data", "xsens dot", "movella dot", "xsens", "movella"}
# Columns with the same content: the first in each line is read.
_PREFERENCES = (("acc", "dv", "free"), ("gyr", "dq"), ("quat", "euler"))


def is_dot(table: SensorTable) -> bool:
    columns = table.columns
    marks = {"fine", "counter"} & set(columns.singles) | {"free", "dq", "dv"} & set(columns.vectors)
    return bool(marks or PREAMBLE_KEYS & set(table.preamble))


def read_dot(table: SensorTable, rate_hz: float | None) -> list[Track]:
    """The sensors of one file: one, unless a column names several."""
    vectors = _chosen(table)
    time_name, time_position = _time_column(table)
    positions = (time_position, *(position for quantity in vectors for position in table.columns.vectors[quantity]))
    rows = read_rows(table, positions)
    _note_status(table, rows)
    if "identity" not in table.columns.singles:
        name, serial = _names(table)
        return [_track(table, rows, np.arange(len(rows.lines)), vectors, time_name, rate_hz, name, serial)]
    texts = table.texts(table.columns.singles["identity"])
    owners = np.array([texts[i] for i in rows.kept])
    return [
        _track(table, rows, np.flatnonzero(owners == owner), vectors, time_name, rate_hz, owner, owner)
        for owner in dict.fromkeys(owners.tolist())
    ]


def join_dots(files: list[tuple[SensorTable, list[Track]]], notes: list[str]) -> list[Track]:
    """All tracks on one time line: the clock they share if they were synchronised, else by their start times."""
    tracks = [track for _, each in files for track in each]
    if len(tracks) == 1:
        return tracks
    synced = all(table.preamble.get("syncstatus", "").lower() == "synced" for table, _ in files)
    starts = [int(track.time_us[0]) for track in tracks]
    if synced and max(starts) - min(starts) < SAME_SYNC_US:
        notes.append("the sensors were synchronised: one clock for all")
        return tracks
    moments = [moment_s(table.preamble.get("starttime", "")) for table, each in files for _ in each]
    if all(moment is not None for moment in moments):
        notes.append("the sensors were not synchronised: placed by the start times in their files")
        begun = [round(moment * 1e6) for moment in moments if moment is not None]
    else:
        notes.append("the sensors were not synchronised and state no start times: all are taken to begin together")
        begun = [0] * len(tracks)
    return [
        Track(t.name, t.serial, t.rate_hz, t.time_us, t.has_clock, start, t.motion)
        for t, start in zip(tracks, begun, strict=True)
    ]


def _chosen(table: SensorTable) -> list[str]:
    """Which vectors are read. Free acceleration needs an orientation, so it yields to nothing but the accelerometer."""
    present = table.columns.vectors
    chosen = [next((name for name in names if name in present), None) for names in _PREFERENCES]
    return [name for name in chosen if name is not None]


def _time_column(table: SensorTable) -> tuple[str, int]:
    singles = table.columns.singles
    for name in ("fine", "time", "counter"):
        # Some exporters leave SampleTimeFine empty and count packets only.
        if name in singles and any(text.lower() not in MISSING for text in table.texts(singles[name])[:100]):
            return name, singles[name]
    raise table.refuse(
        "there is neither SampleTimeFine nor PacketCounter", line=table.header_line, advice="Export them as well."
    )


def _names(table: SensorTable) -> tuple[str, str]:
    """Name and serial. The app calls a file `<tag>_<date>_<time>`, also with the address before the date, and people
    rename it after the body part; the SDK's examples write `logfile_<address>`."""
    tag = table.preamble.get("devicetag", "")
    dated = _FILE_NAME.fullmatch(table.path.stem)
    name = dated[1] if dated else table.path.stem
    address = _ADDRESS.search(name)
    if address is not None:
        name = name[: address.start()]
        return (tag or address[1]) if name.lower() in _SAYS_NOTHING else name, address[1]
    return (name if dated else tag or name), tag


def _stated_rate(table: SensorTable, rate_hz: float | None) -> float | None:
    if rate_hz is not None:
        return rate_hz
    stated = table.preamble.get("outputrate", "") or table.preamble.get("updaterate", "")
    match = re.match(r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*hz", stated.lower())
    return float(match[1]) if match and float(match[1]) > 0 else None


def _track(
    table: SensorTable,
    rows: TableRows,
    mine: Ints,
    vectors: list[str],
    time_name: str,
    rate_hz: float | None,
    name: str,
    serial: str,
) -> Track:
    label = name if "identity" in table.columns.singles else ""
    prefix = f"{label}: " if label else ""
    values = vectors_of(table, rows, mine, vectors, first=1)
    counts = unwrapped(rows.values[mine, 0], COUNTER_MODULUS if time_name == "counter" else CLOCK_MODULUS)
    read = measured(values, len(mine))
    if not read.all():
        lines = rows.lines[mine][~read].tolist()
        table.notes.append(f"{line_ranges(lines)}: nothing but zeros; {counted(len(lines), 'sample')} lost")
    mine, counts = mine[read], counts[read]
    keep = rising(counts)
    check_order(table.path, keep, rows.lines[mine])
    if not keep.all():
        lines = rows.lines[mine][~keep].tolist()
        table.notes.append(f"{line_ranges(lines)}: the clock does not rise; {counted(len(lines), 'sample')} lost")
    mine, counts = mine[keep], counts[keep]
    stated = _stated_rate(table, rate_hz)
    try:
        clock = read_clock(counts, stated, numbers=_sample_numbers(table, rows.kept[mine], time_name))
    except NoRate as problem:
        raise table.refuse(str(problem), line=int(rows.lines[0]), advice=RATE_ADVICE) from problem
    column = table.names[table.columns.singles[time_name]]
    how = f"as {stated:g} Hz is stated" if stated is not None else f"told from its steps: {clock.rate_hz:g} Hz"
    table.notes.append(f"{prefix}{column} counts {_unit_text(clock.unit)}, {how}")
    time_us = np.rint(np.clip(counts * clock.step_us, -LATEST_US, LATEST_US)).astype(np.int64)
    gap_before = gaps(time_us, clock.rate_hz)
    if gap_before.any():
        lost = int(np.rint(np.diff(time_us)[gap_before[1:]] * clock.rate_hz / 1e6 - 1).sum())
        lines = rows.lines[mine][gap_before].tolist()
        share = f", {lost / (lost + len(mine)):.0%} of the recording" if lost > NOTABLE_LOSS * len(mine) else ""
        table.notes.append(f"before {line_ranges(lines)}: the clock leaps; {counted(lost, 'sample')} missing{share}")
    found = Findings(
        table.path,
        label,
        clock.rate_hz,
        vectors_of(table, rows, mine, vectors, first=1),
        table.columns.units,
        rows.lines[mine],
        gap_before,
        acc_unit="m/s2",
        notes=table.notes,
    )
    return Track(name, serial, clock.rate_hz, time_us, True, int(time_us[0]), motion_of(found))


def _sample_numbers(table: SensorTable, kept: Ints, time_name: str) -> Ints | None:
    """The sample numbers of the sensor, if the table has them beside another clock."""
    at = table.columns.singles.get("counter")
    if at is None or time_name == "counter":
        return None
    texts = table.texts(at)
    found = [texts[i] for i in kept.tolist()]
    return np.array([int(text) for text in found]) if all(re.fullmatch(r"\d{1,10}", text) for text in found) else None


def _unit_text(unit: str) -> str:
    return "samples" if unit == "counter" else f"steps of {unit}"


def _note_status(table: SensorTable, rows: TableRows) -> None:
    if "status" not in table.columns.singles:
        return
    texts = table.texts(table.columns.singles["status"])
    flagged = [table.lines[i] for i in rows.kept if texts[i] not in ("", "0")]
    if flagged:
        table.notes.append(f"{line_ranges(flagged)}: the sensor flagged these samples (clipping)")

"""Vendors' exports -> ImportedRecording: `read_export(paths)`.

One call reads one recording: a file, the files of one recording, or a folder of them. Families are told by content, not
by file name: Movella DOT tables (app, SDK, server), MetaMotion tables (a file a quantity), WitMotion tables (one or
several sensors), raw WitMotion packets. A file that cannot be read raises an ImportRefused that names file and line and
says what to do; oddities are listed in `ImportedRecording.notes`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rehabcount.domain.document import LONGEST_S
from rehabcount.errors import ImportRefused, InputRefused
from rehabcount.sensors.importers import capture, dot, metamotion, witmotion
from rehabcount.sensors.importers.clocks import RATE_ADVICE
from rehabcount.sensors.importers.recording import (
    ImportedRecording,
    SourceFile,
    Track,
    assemble,
    source_file,
    without_strays,
)
from rehabcount.sensors.importers.table import SensorTable, looks_like_text, read_table
from rehabcount.store.foreign import bytes_of

__all__ = ["ImportedRecording", "SourceFile", "read_export"]

MOST_BYTES = 128 << 20  # of a file: hours of one sensor; a table takes seven times its size in memory
RATES_HZ = (0.1, 10_000.0)  # of worn sensors
CAPTURE_LAYOUTS = ("wit-20", "wit-28")
# In a folder, other files (a README, a photograph) may lie beside the recording.
EXPORT_SUFFIXES = {".csv", ".txt", ".tsv", ".log", ".bin", ".dat", ".raw"}
_ONE_AT_A_TIME = "Import recordings one at a time."


def read_export(
    paths: Path | str | Iterable[Path | str], *, rate_hz: float | None = None, layout: str | None = None
) -> ImportedRecording:
    """The recording in these files or this folder.

    `rate_hz` states the sampling rate where the files do not; `layout` the frame of raw packets (wit-20, wit-28).
    """
    if rate_hz is not None and not RATES_HZ[0] <= rate_hz <= RATES_HZ[1]:
        raise InputRefused(f"{rate_hz:g} samples a second is no sensor's rate.", advice="Say it in Hz, as in 100.")
    if layout is not None and layout not in CAPTURE_LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(CAPTURE_LAYOUTS)}, not {layout!r}")
    given = [Path(paths)] if isinstance(paths, Path | str) else [Path(path) for path in paths]
    if not given:
        raise ValueError("paths must name at least one file")
    notes: list[str] = []
    files = [file for path in given for file in _files_of(path, notes)]
    contents = [(file, _bytes_of(file)) for file in files]
    sources = [source_file(file, data) for file, data in contents]
    tables = [(file, read_table(file, data) if looks_like_text(data) else data) for file, data in contents]
    families = {file: _family(content) for file, content in tables}
    kinds = set(families.values())
    if len(kinds) > 1:
        examples = {family: file.name for file, family in families.items()}
        listed = "; ".join(f"{family}, {name}" for family, name in sorted(examples.items()))
        raise ImportRefused(files[0].parent, f"the files are of different kinds: {listed}", advice=_ONE_AT_A_TIME)
    several = len(tables) > 1
    title = ""
    tracks: list[Track] = []
    if kinds == {"WitMotion packets"}:
        for file, content in tables:
            assert isinstance(content, bytes)
            tracks.append(capture.read_capture(file, content, rate_hz, layout, notes))
    else:
        read = [content for _, content in tables if isinstance(content, SensorTable)]
        if kinds == {"Movella DOT"}:
            tracks = dot.join_dots([(table, dot.read_dot(table, rate_hz)) for table in read], notes)
        elif kinds == {"MetaMotion"}:
            tracks, title = _boards(read, notes)
        else:
            tracks = [track for table in read for track in witmotion.read_witmotion(table, rate_hz)]
        notes = [f"{table.path.name}: {note}" if several else note for table in read for note in table.notes] + notes
    _refuse_doubles(tracks, files)
    tracks = [without_strays(track, notes) for track in tracks]
    _refuse_damaged_times(tracks, files)
    name = title or (given[0].stem if len(given) == 1 else files[0].absolute().parent.name)
    return assemble(name, tracks, notes, sources)


def _files_of(path: Path, notes: list[str]) -> list[Path]:
    if not path.is_dir():
        return [path]
    inside = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    files = [file for file in inside if file.suffix.lower() in EXPORT_SUFFIXES]
    if not files:
        raise ImportRefused(path, "the folder holds no exports", advice="Give the folder with the sensors' files.")
    notes += [f"{file.name}: not an export; left alone" for file in inside if file not in files]
    return files


def _bytes_of(path: Path) -> bytes:
    try:
        data = bytes_of(path, MOST_BYTES)
    except FileNotFoundError as problem:
        raise ImportRefused(path, "there is no such file", advice="Check the name.") from problem
    except OSError as problem:
        raise ImportRefused(
            path,
            f"it cannot be read: {problem.strerror}",
            advice="Check the permissions; divide what is too large.",
        ) from problem
    if not data:
        raise ImportRefused(path, "the file is empty", advice="Export it again from the vendor's software.")
    return data


def _family(content: SensorTable | bytes) -> str:
    if isinstance(content, bytes):
        return "WitMotion packets"
    if metamotion.is_metamotion(content):
        return "MetaMotion"
    if dot.is_dot(content):
        return "Movella DOT"
    if witmotion.is_witmotion(content):
        return "WitMotion"
    raise content.refuse(
        f"the columns {', '.join(content.names[:8])} are those of no export that is known",
        line=content.header_line,
        advice="Give a file as the software of Movella DOT, MetaMotion or WitMotion writes it.",
    )


def _boards(tables: list[SensorTable], notes: list[str]) -> tuple[list[Track], str]:
    strands = [strand for table in tables if (strand := metamotion.read_strand(table)) is not None]
    if not strands:
        raise tables[0].refuse(
            "there is neither accelerometer, gyroscope nor orientation",
            line=tables[0].header_line,
            advice=_ONE_AT_A_TIME,
        )
    tracks = []
    for board in dict.fromkeys(strand.board for strand in strands):
        mine = [strand for strand in strands if strand.board == board]
        for strand in mine:
            same = [other for other in mine if other.quantity == strand.quantity]
            if len(same) > 1:
                raise same[1].table.refuse(
                    f"it is a second {strand.quantity} file of board {board}", advice=_ONE_AT_A_TIME
                )
        tracks.append(metamotion.join_strands(mine, notes))
    return tracks, strands[0].title


def _refuse_damaged_times(tracks: list[Track], files: list[Path]) -> None:
    """Rates that no sensor has, and times that no recording covers."""
    for track in tracks:
        if not RATES_HZ[0] <= track.rate_hz <= RATES_HZ[1]:
            reason = f"its times say {track.rate_hz:g} samples a second, which is no sensor's rate"
            raise ImportRefused(files[0], reason, advice=f"The times are damaged, or not the rate: {RATE_ADVICE}")
    begin_us = min(track.start_us for track in tracks)
    end_us = max(track.start_us + int(track.time_us[-1]) - int(track.time_us[0]) for track in tracks)
    if end_us - begin_us > LONGEST_S * 1e6:
        days = (end_us - begin_us) / 86_400e6
        raise ImportRefused(files[0], f"its times cover {days:.3g} days", advice="A recording lasts a month at most.")


def _refuse_doubles(tracks: list[Track], files: list[Path]) -> None:
    names = [track.name for track in tracks]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise ImportRefused(files[-1], f"two files hold a sensor called {doubled!r}", advice=_ONE_AT_A_TIME)

"""Recording: an imported file or folder, in product units, with notes on everything odd in it.

A reader makes one `Track` a sensor; `assemble` puts tracks on one time line and makes the Recording. `packets()` turns
it into what a live source yields, in the lossless `sample` layout, so that an import becomes a session file and walks
the same way as a live session.
"""

from __future__ import annotations

import hashlib
import heapq
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rehabcount.domain.arrays import Bools, Floats, Ints
from rehabcount.domain.motion import Packet, Samples
from rehabcount.domain.rig import Place, Rig, Sensor, Side
from rehabcount.errors import ImportRefused
from rehabcount.sensors.encode import encode
from rehabcount.sensors.importers.clocks import near_others


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that was read, so that the original can be recognised later."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ImportedMotion:
    """What one sensor measured, in product units; what it did not measure is None."""

    acc: Floats | None  # (n, 3)
    gyr: Floats | None  # (n, 3)
    quat: Floats | None  # (n, 4)


@dataclass(frozen=True, slots=True)
class Track:
    """One sensor of one export."""

    name: str
    serial: str
    rate_hz: float
    time_us: Ints  # (n,), not falling
    has_clock: bool  # time_us are the device's own ticks, not receipt times
    start_us: int  # when its first sample was, on the time line that all tracks share
    motion: ImportedMotion


@dataclass(frozen=True, slots=True)
class ImportedRecording:
    """One imported recording. `samples` are in the order of the rig's sensors."""

    name: str
    rig: Rig
    samples: tuple[Samples, ...]
    notes: tuple[str, ...]  # every oddity, with file and line
    sources: tuple[SourceFile, ...]

    @property
    def length_s(self) -> float:
        ends = [int(each.received_ns[-1]) for each in self.samples if len(each)]
        return max(ends, default=0) / 1e9

    def of(self, sensor: str) -> Samples:
        """The samples of the sensor called `sensor`."""
        return self.samples[self.rig.index(sensor)]

    def placed(self, places: Mapping[str, Place]) -> ImportedRecording:
        """The same recording with sensors put on body parts; an unknown sensor is a ValueError."""
        for name in places:
            self.rig.index(name)
        # A place that is given to one sensor is taken from another to which its name had given it.
        taken = set(places.values())
        sensors = tuple(
            replace(each, place=places.get(each.name, None if each.place in taken else each.place))
            for each in self.rig.sensors
        )
        return replace(self, rig=replace(self.rig, sensors=sensors))

    def packets(self) -> Iterator[Packet]:
        """All samples in the `sample` layout, in order of time."""
        streams = (encode(each, "sample") for each in self.samples)
        return heapq.merge(*streams, key=lambda packet: packet.received_ns)


def source_file(path: Path, data: bytes) -> SourceFile:
    return SourceFile(path.name, len(data), hashlib.sha256(data).hexdigest())


def assemble(name: str, tracks: list[Track], notes: list[str], sources: list[SourceFile]) -> ImportedRecording:
    """One recording of several tracks, on the time line they share."""
    origin_us = min(track.start_us for track in tracks)
    offsets_us = [track.start_us - origin_us - int(track.time_us[0]) for track in tracks]
    samples = tuple(
        Samples(
            track.name,
            (track.time_us + offset_us) * 1000,
            track.time_us if track.has_clock else None,
            track.motion.acc,
            track.motion.gyr,
            track.motion.quat,
        )
        for track, offset_us in zip(tracks, offsets_us, strict=True)
    )
    places = [place_in(track.name) for track in tracks]
    sensors = tuple(
        # Two sensors cannot share a place: then neither name says it clearly.
        Sensor(track.name, place if places.count(place) == 1 else None, "sample", track.rate_hz, track.serial)
        for track, place in zip(tracks, places, strict=True)
    )
    return ImportedRecording(name, Rig("imported", sensors), samples, tuple(notes), tuple(sources))


def without_strays(track: Track, notes: list[str]) -> Track:
    """The track without the samples whose times are damaged and rise all the same."""
    kept = near_others(track.time_us)
    if kept.all():
        return track
    notes.append(f"{track.name}: {strays_lost(int((~kept).sum()))}")
    time_us = track.time_us[kept]
    start_us = track.start_us + int(time_us[0]) - int(track.time_us[0])
    acc, gyr, quat = (
        None if block is None else block[kept] for block in (track.motion.acc, track.motion.gyr, track.motion.quat)
    )
    return replace(track, time_us=time_us, start_us=start_us, motion=ImportedMotion(acc, gyr, quat))


def strays_lost(number: int) -> str:
    return f"{counted(number, 'sample')} lost whose time lies hours from all others"


_SIDES = {"l": Side.LEFT, "left": Side.LEFT, "r": Side.RIGHT, "right": Side.RIGHT}
_ARM_PLACES = {"hand": "hand", "wrist": "wrist", "forearm": "forearm", "upperarm": "upper-arm"}
_TRUNK_PLACES = {"pelvis": Place.PELVIS, "sternum": Place.STERNUM, "t12": Place.T12, "c7": Place.C7}


def place_in(name: str) -> Place | None:
    """The place that a sensor's name says, if it says one clearly: `Pelvis`, `LHand`, `right_upper_arm`."""
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+\d*|[A-Z]+\d*(?![a-z])|\d+", name)]
    text = "".join(words)
    if text in _TRUNK_PLACES:
        return _TRUNK_PLACES[text]
    for i, word in enumerate(words):
        rest = "".join(words[:i] + words[i + 1 :])
        if word in _SIDES and rest in _ARM_PLACES:
            return Place.on(_SIDES[word], _ARM_PLACES[rest])
    return None


def line_ranges(lines: list[int]) -> str:
    """Line numbers as people write them: `line 7`, `lines 3, 7-9`."""
    runs: list[list[int]] = []
    for line in sorted(set(lines)):
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    shown = [str(a) if a == b else f"{a}-{b}" for a, b in runs[:_RUNS_SHOWN]]
    more = ", ..." if len(runs) > _RUNS_SHOWN else ""
    return f"line{'s' if len(set(lines)) > 1 else ''} {', '.join(shown)}{more}"


_RUNS_SHOWN = 8  # a note is read by a person
MANY_LOST = 0.1  # of samples out of order


def check_order(path: Path, kept: Bools, lines: Ints | None) -> None:
    """Refuses samples if many are out of order: the clock was then restarted, not damaged."""
    if kept.sum() < 2:
        raise ImportRefused(path, "the time stands still", advice="Export it again from the vendor's software.")
    if (~kept).sum() > max(1, MANY_LOST * len(kept)):
        raise ImportRefused(
            path,
            f"the time falls back and {counted(int((~kept).sum()), 'sample')} of {len(kept)} stand out of order",
            line=int(lines[~kept][0]) if lines is not None else None,
            advice="If the file holds several recordings one after the other, divide it.",
        )


def counted(number: int, noun: str) -> str:
    """`1 sample`, `13 samples`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
